//! From light to bytes: a filmic curve and the transfer function of sRGB.

use glam::Vec3;
use weald_space::ops;

/// Steps of the sRGB table. Near black the function climbs 12.92 codes a code, which leaves 0.8 codes a step here: no
/// value is off by more than one.
const STEPS: usize = 4096;

/// Makes an exposure of 1 fit the lights of [`light`](super::light): grass in full sun comes out in the middle.
const EXPOSURE: f64 = 0.62;

/// The share of the film curve that is taken from luminance. At 1 bright colours never pale, which looks painted; at 0
/// a forest of #3f4a33 comes out as #2f4b28.
const KEPT_HUE: f32 = 0.75;

/// What each colour adds to luminance (ITU-R BT.709).
const LUMINANCE: Vec3 = Vec3::new(0.2126, 0.7152, 0.0722);

/// Linear light of a channel of an sRGB colour, by the transfer function of IEC 61966-2-1.
pub(crate) fn linear_from_srgb(channel: u8) -> f64 {
    let shown = f64::from(channel) / 255.0;
    if shown <= 0.040_45 { shown / 12.92 } else { ops::pow((shown + 0.055) / 1.055, 2.4) }
}

fn film_curve(x: Vec3) -> Vec3 {
    (x * (x * 2.51 + 0.03)) / (x * (x * 2.43 + 0.59) + 0.14)
}

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
    ///
    /// The curve alone, colour by colour, makes muted greens and browns glare; most of the bend is therefore taken from
    /// the light's luminance, which keeps the colours' proportions.
    pub(super) fn film(&self, light: Vec3) -> Vec3 {
        let x = light * self.exposure;
        let luminance = x.dot(LUMINANCE).max(1e-6);
        let kept = x * (film_curve(Vec3::splat(luminance)).x / luminance);
        film_curve(x).lerp(kept, KEPT_HUE).clamp(Vec3::ZERO, Vec3::ONE)
    }

    /// The bytes of linear light from 0 to 1; more or less than that is clamped.
    pub(super) fn encode(&self, shown: Vec3) -> [u8; 3] {
        shown.to_array().map(|v| self.srgb[((v.clamp(0.0, 1.0) * STEPS as f32) as usize).min(STEPS - 1)])
    }
}
