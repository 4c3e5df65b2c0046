//! From light to bytes: a filmic curve and the transfer function of sRGB.

use glam::Vec3;
use weald_space::ops;

/// Steps of the sRGB table. Near black the function climbs 12.92 codes a code, which leaves 0.8 codes a step here: no
/// value is off by more than one.
const STEPS: usize = 4096;

/// Makes an exposure of 1 fit the lights of [`light`](super::light): grass in full sun comes out in the middle.
const EXPOSURE: f64 = 0.62;

/// Turns linear light into bytes.
pub(super) struct Tone {
    exposure: f32,
    srgb: Vec<u8>,
}

impl Tone {
    pub(super) fn new(exposure: f64) -> Self {
        let code = |i: usize| {
            let linear = (i as f64 + 0.5) / STEPS as f64;
            let encoded = if linear <= 0.003_130_8 {
                12.92 * linear
            } else {
                1.055 * ops::pow(linear, 1.0 / 2.4) - 0.055
            };
            (encoded * 255.0 + 0.5) as u8
        };
        Tone { exposure: (exposure * EXPOSURE) as f32, srgb: (0..STEPS).map(code).collect() }
    }

    /// Bends light into 0 to 1 with a toe and a shoulder: the rational fit to the ACES film curve of Narkowicz 2015.
    pub(super) fn film(&self, light: Vec3) -> Vec3 {
        let x = light * self.exposure;
        let bent = (x * (x * 2.51 + 0.03)) / (x * (x * 2.43 + 0.59) + 0.14);
        bent.clamp(Vec3::ZERO, Vec3::ONE)
    }

    /// The bytes of linear light from 0 to 1; more or less than that is clamped.
    pub(super) fn encode(&self, shown: Vec3) -> [u8; 3] {
        shown.to_array().map(|v| self.srgb[((v.clamp(0.0, 1.0) * STEPS as f32) as usize).min(STEPS - 1)])
    }
}
