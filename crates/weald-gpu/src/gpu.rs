//! An open card.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use weald_field::Grid;
use weald_field::wgsl::Tables;
use wgpu::{
    AdapterInfo, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, ComputePipeline, ComputePipelineDescriptor, Device, DeviceDescriptor, ErrorFilter,
    Instance, InstanceDescriptor, InstanceFlags, Limits, PipelineLayoutDescriptor, Queue, ShaderModule,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::adapter::{self, GpuOptions};
use crate::error::GpuError;
use crate::pieces::pieces;

/// The most modules that are kept ready. A preview that is edited prints a module a change; the last few are those that
/// undo comes back to.
const KEPT: usize = 64;

/// A module that is ready to run on the card that prepared it.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(crate) pipeline: ComputePipeline,
}

/// A card that is open. It may be used from several threads, which then take turns.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) device: Device,
    pub(crate) queue: Queue,
    pub(crate) layout: BindGroupLayout,
    pub(crate) options: GpuOptions,
    pub(crate) faults: Arc<Faults>,
    pub(crate) turn: Mutex<()>,
    info: AdapterInfo,
    name: String,
    ready: Mutex<Vec<(blake3::Hash, Prepared)>>,
}

/// What the driver says unasked.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) lost: OnceLock<String>,
    pub(crate) stray: Mutex<Option<String>>,
}

impl Gpu {
    /// Finds a card and opens it.
    ///
    /// # Errors
    /// If there is none that the options allow, or it refuses.
    pub fn new(options: &GpuOptions) -> Result<Gpu, GpuError> {
        let instance = Instance::new(InstanceDescriptor {
            backends: options.backends,
            flags: InstanceFlags::empty(),
            ..InstanceDescriptor::new_without_display_handle()
        });
        let adapter = adapter::choose(&instance, options)?;
        let (info, most) = (adapter.get_info(), adapter.limits());
        let name = adapter::describe(&info);
        // All cards that run compute shaders have these; what a card has beyond them is taken for size alone.
        let required_limits = Limits {
            max_buffer_size: most.max_buffer_size,
            max_storage_buffer_binding_size: most.max_storage_buffer_binding_size,
            ..Limits::downlevel_defaults()
        };
        let opened = pollster::block_on(adapter.request_device(&DeviceDescriptor {
            label: Some("weald"),
            required_limits,
            ..Default::default()
        }));
        let refused = |reason: wgpu::RequestDeviceError| GpuError::Refused {
            adapter: name.clone(),
            reason: one_line(&reason.to_string()),
        };
        let (device, queue) = opened.map_err(refused)?;
        let faults = Arc::new(Faults::default());
        listen(&device, &faults);
        let layout = bindings(&device);
        let (turn, ready) = (Mutex::default(), Mutex::default());
        Ok(Gpu { device, queue, layout, options: options.clone(), faults, turn, info, name, ready })
    }

    /// What card it is.
    #[must_use]
    pub fn adapter(&self) -> &AdapterInfo {
        &self.info
    }

    /// The card in words: its name and interface, and whether it is a software driver.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Compiles a printed module ([`weald_field::wgsl::Shader::source`]). The last ones are kept, by their hash.
    ///
    /// # Errors
    /// If the module is wrong, with its line, or the card refuses it.
    pub fn prepare(&self, source: &str) -> Result<Prepared, GpuError> {
        if let Some(lost) = self.lost() {
            return Err(lost);
        }
        let hash = blake3::hash(source.as_bytes());
        let mut ready = lock(&self.ready);
        if let Some(at) = ready.iter().position(|(known, _)| *known == hash) {
            let known = ready.remove(at);
            let prepared = known.1.clone();
            ready.push(known);
            return Ok(prepared);
        }
        let prepared = self.compile(source)?;
        if ready.len() == KEPT {
            ready.remove(0);
        }
        ready.push((hash, prepared.clone()));
        Ok(prepared)
    }

    fn compile(&self, source: &str) -> Result<Prepared, GpuError> {
        let module = || {
            let source = ShaderSource::Wgsl(source.into());
            self.device.create_shader_module(ShaderModuleDescriptor { label: Some("field"), source })
        };
        let (module, fault) = self.watched(0, module);
        if let Err(fault) = fault {
            return Err(wrong_line(&module, source).unwrap_or(fault));
        }
        let layout = self.device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: Some("field"),
            bind_group_layouts: &[Some(&self.layout)],
            immediate_size: 0,
        });
        let pipeline = || {
            self.device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some("field"),
                layout: Some(&layout),
                module: &module,
                entry_point: Some("sample"),
                compilation_options: Default::default(),
                cache: None,
            })
        };
        let (pipeline, fault) = self.watched(0, pipeline);
        fault.map(|()| Prepared { pipeline })
    }

    /// Values at lattice points, x fastest, then y, then z; near those of [`weald_field::Tape::sample`]. `tables` says
    /// what the module reads for a grid ([`weald_field::wgsl::Shader::tables`]). A grid above the limits of the card
    /// goes in pieces.
    ///
    /// # Errors
    /// If `out` does not have one entry a point, a table is larger than the card binds, the memory does not suffice,
    /// the card does not answer, or is lost. Then `out` holds anything.
    pub fn sample(
        &self,
        prepared: &Prepared,
        grid: &Grid,
        tables: impl Fn(&Grid) -> Tables,
        out: &mut [f32],
    ) -> Result<(), GpuError> {
        if out.len() != grid.len() {
            return Err(GpuError::Room { points: grid.len() as u64, room: out.len() as u64 });
        }
        for (first, piece) in pieces(grid, self.points_at_once()) {
            self.run(prepared, &tables(&piece), &mut out[first..][..piece.len()])?;
        }
        Ok(())
    }

    fn points_at_once(&self) -> usize {
        let fit = self.most_bytes() / size_of::<f32>() as u64;
        self.options.points_at_once.min(usize::try_from(fit).unwrap_or(usize::MAX))
    }

    /// The most bytes that a buffer may have.
    pub(crate) fn most_bytes(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Gives the card back. From then on everything is [`GpuError::Lost`], as it is when a driver fails.
    pub fn give_back(&self) {
        let _turn = lock(&self.turn);
        self.device.destroy();
        self.settle();
    }

    /// Runs `work` and says what the card thought of it; `bytes` is what it asks for.
    pub(crate) fn watched<T>(&self, bytes: u64, work: impl FnOnce() -> T) -> (T, Result<(), GpuError>) {
        let filters = [ErrorFilter::OutOfMemory, ErrorFilter::Internal, ErrorFilter::Validation];
        let [memory, internal, validation] = filters.map(|filter| self.device.push_error_scope(filter));
        let value = work();
        let told = [validation, internal, memory].map(|scope| pollster::block_on(scope.pop()));
        let fault = told.into_iter().flatten().next().map(|error| match error {
            wgpu::Error::OutOfMemory { .. } => GpuError::OutOfMemory { adapter: self.name.clone(), bytes },
            other => GpuError::Invalid { adapter: self.name.clone(), message: one_line(&other.to_string()) },
        });
        // A lost device makes no error of its own: what is made on it is void.
        (value, self.lost().or(fault).map_or(Ok(()), Err))
    }

    /// The loss of the device, if it was told.
    pub(crate) fn lost(&self) -> Option<GpuError> {
        let reason = self.faults.lost.get()?.clone();
        Some(GpuError::Lost { adapter: self.name.clone(), reason })
    }

    /// What is to be said where no values came.
    pub(crate) fn no_answer(&self) -> GpuError {
        let stray = || {
            let message = lock(&self.faults.stray).take()?;
            Some(GpuError::Invalid { adapter: self.name.clone(), message })
        };
        self.lost().or_else(stray).unwrap_or_else(|| GpuError::Silent {
            adapter: self.name.clone(),
            seconds: self.options.patience.as_secs_f64(),
        })
    }
}

fn listen(device: &Device, faults: &Arc<Faults>) {
    let told = Arc::clone(faults);
    device.set_device_lost_callback(move |reason, message| {
        let message =
            if message.is_empty() { format!("{reason:?}").to_lowercase() } else { one_line(&message) };
        // Only the first loss counts.
        let _ = told.lost.set(message);
    });
    let told = Arc::clone(faults);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        *lock(&told.stray) = Some(one_line(&error.to_string()));
    }));
}

fn bindings(device: &Device) -> BindGroupLayout {
    let read_only = BufferBindingType::Storage { read_only: true };
    let kinds =
        [BufferBindingType::Uniform, read_only, read_only, BufferBindingType::Storage { read_only: false }];
    let entry = |binding: usize| BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer { ty: kinds[binding], has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let entries: [BindGroupLayoutEntry; 4] = std::array::from_fn(entry);
    device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: Some("field"), entries: &entries })
}

/// What is wrong with a module, by its line, without the drawing of the line; none if the message names no place.
fn wrong_line(module: &ShaderModule, source: &str) -> Option<GpuError> {
    let info = pollster::block_on(module.get_compilation_info());
    let message = info.messages.into_iter().next()?;
    let line = message.location.map_or(0, |location| location.line_number);
    let text = source.lines().nth((line as usize).checked_sub(1)?).unwrap_or_default().trim().to_owned();
    let drawn = |line: &&str| line.contains(['│', '┌']);
    let told: Vec<&str> = message.message.lines().filter(|line| !drawn(line)).collect();
    Some(GpuError::Module { line, text, message: one_line(&told.join(" ")) })
}

/// The parts of a message that is set over several lines.
pub(crate) fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Nothing that a lock of this crate guards is left half-done by a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
