//! Which card.

use std::time::Duration;

use wgpu::{Adapter, AdapterInfo, Backend, Backends, DeviceType, Instance, PowerPreference};

use crate::error::GpuError;

/// What an adapter computes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdapterKind {
    /// A card. A software driver computes on the same processor as the tape, and slower (decision 0010).
    #[default]
    Hardware,
    /// A software driver, such as llvmpipe: for tests.
    Software,
    /// Whatever there is, a card if possible.
    Any,
}

/// How a card is chosen and waited for. Nothing here changes a value beyond what cards differ by.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuOptions {
    /// The interfaces to look at. Vulkan, Metal and Direct3D 12 are built in; others find nothing.
    pub backends: Backends,
    /// What the adapter computes with.
    pub kind: AdapterKind,
    /// Which comes first, if several are left: the one with memory of its own, or, for low power, the one inside the
    /// processor.
    pub power: PowerPreference,
    /// A part of the adapter's name, in any case; empty for any name.
    pub name: String,
    /// The most points that are computed at once; at least 1. Larger grids go in pieces.
    ///
    /// Four million points are 16 MiB: large enough that what a piece costs beside its points (0.4 ms on a software
    /// driver) does not show, small enough that a piece of a thousand ops ends within the two seconds after which
    /// Windows takes a card for hung, on a card of a hundredth of a teraflop.
    pub points_at_once: usize,
    /// How long a piece is waited for.
    pub patience: Duration,
}

impl Default for GpuOptions {
    fn default() -> Self {
        GpuOptions {
            backends: Backends::PRIMARY,
            kind: AdapterKind::default(),
            power: PowerPreference::HighPerformance,
            name: String::new(),
            points_at_once: 1 << 22,
            patience: Duration::from_secs(30),
        }
    }
}

/// The first adapter that the options allow.
pub(crate) fn choose(instance: &Instance, options: &GpuOptions) -> Result<Adapter, GpuError> {
    let mut all = pollster::block_on(instance.enumerate_adapters(options.backends));
    all.sort_by_key(|adapter| rank(adapter.get_info().device_type, options.power));
    let found = all.iter().map(|adapter| describe(&adapter.get_info())).collect();
    let wanted = || GpuError::NoAdapter { wanted: wish(options), found };
    all.into_iter().find(|adapter| fits(&adapter.get_info(), options)).ok_or_else(wanted)
}

fn rank(device: DeviceType, power: PowerPreference) -> u8 {
    match (device, power) {
        (DeviceType::IntegratedGpu, PowerPreference::LowPower) => 0,
        (DeviceType::DiscreteGpu, _) => 1,
        (DeviceType::IntegratedGpu, _) => 2,
        (DeviceType::VirtualGpu, _) => 3,
        (DeviceType::Other, _) => 4,
        (DeviceType::Cpu, _) => 5,
    }
}

fn fits(info: &AdapterInfo, options: &GpuOptions) -> bool {
    let software = info.device_type == DeviceType::Cpu;
    let kind = match options.kind {
        AdapterKind::Hardware => !software,
        AdapterKind::Software => software,
        AdapterKind::Any => true,
    };
    kind && info.name.to_lowercase().contains(&options.name.to_lowercase())
}

fn wish(options: &GpuOptions) -> String {
    let kind = match options.kind {
        AdapterKind::Hardware => "a card",
        AdapterKind::Software => "a software driver",
        AdapterKind::Any => "of any kind",
    };
    let backends = options.backends & Instance::enabled_backend_features();
    let names: Vec<&str> =
        [(Backends::VULKAN, "Vulkan"), (Backends::METAL, "Metal"), (Backends::DX12, "Direct3D 12")]
            .into_iter()
            .filter(|(backend, _)| backends.contains(*backend))
            .map(|(_, name)| name)
            .collect();
    let by = if names.is_empty() { "no interface that is built in".to_owned() } else { names.join(" or ") };
    match options.name.as_str() {
        "" => format!("{kind} by {by}"),
        name => format!("{kind} by {by} with {name:?} in its name"),
    }
}

/// The adapter in words: its name, its interface, and whether it is a card.
pub(crate) fn describe(info: &AdapterInfo) -> String {
    let backend = match info.backend {
        Backend::Vulkan => "Vulkan",
        Backend::Metal => "Metal",
        Backend::Dx12 => "Direct3D 12",
        _ => "another interface",
    };
    let software = if info.device_type == DeviceType::Cpu { ", software" } else { "" };
    format!("{} ({backend}{software})", info.name)
}
