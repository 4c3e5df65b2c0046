//! Two colour ramps that meet at zero: warm inside, cool outside.
//!
//! Both are straight lines in Oklab (Ottosson 2020), whose distances are about those that the eye sees: equal steps of
//! the value are equal steps of colour. Orange and blue stay apart for every common kind of colour blindness, and
//! lightness falls away from zero to both sides, so that the order is kept in grey too.

use glam::Vec3;
use weald_space::ops;

/// Lightness, and the colour along the warm and the cool hue, at zero and at the far end.
const NEAR: f32 = 0.945;
const FAR: f32 = 0.40;
/// Chroma at the ends. More of it leaves the gamut of sRGB on the way.
const NEAR_CHROMA: f32 = 0.022;
const WARM_CHROMA: f32 = 0.100;
const COOL_CHROMA: f32 = 0.118;
const WARM_DEG: f64 = 53.0;
const COOL_DEG: f64 = 250.0;

const STEPS: usize = 512;

/// Colours for values from -1, deep inside, to 1.
pub(super) struct Ramp {
    warm: Vec<[u8; 3]>,
    cool: Vec<[u8; 3]>,
}

impl Ramp {
    pub(super) fn new() -> Self {
        let side = |degrees: f64, chroma: f32| {
            (0..=STEPS).map(|i| srgb8(oklab(i as f32 / STEPS as f32, degrees, chroma))).collect()
        };
        Ramp { warm: side(WARM_DEG, WARM_CHROMA), cool: side(COOL_DEG, COOL_CHROMA) }
    }

    /// The colour of a share of the largest value; zero counts as outside. What is no number is grey.
    pub(super) fn color(&self, share: f32) -> [u8; 3] {
        if share.is_nan() {
            return [128; 3];
        }
        let side = if share < 0.0 { &self.warm } else { &self.cool };
        side[(share.abs().min(1.0) * STEPS as f32 + 0.5) as usize]
    }
}

fn oklab(t: f32, degrees: f64, chroma: f32) -> Vec3 {
    let (sine, cosine) = ops::sin_cos_deg(degrees);
    let chroma = NEAR_CHROMA + (chroma - NEAR_CHROMA) * t;
    Vec3::new(NEAR + (FAR - NEAR) * t, chroma * cosine as f32, chroma * sine as f32)
}

/// Linear sRGB of an Oklab colour.
fn linear(lab: Vec3) -> Vec3 {
    let l = lab.x + 0.396_337_78 * lab.y + 0.215_803_76 * lab.z;
    let m = lab.x - 0.105_561_346 * lab.y - 0.063_854_17 * lab.z;
    let s = lab.x - 0.089_484_18 * lab.y - 1.291_485_5 * lab.z;
    let (l, m, s) = (l * l * l, m * m * m, s * s * s);
    Vec3::new(
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_93 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    )
}

fn srgb8(lab: Vec3) -> [u8; 3] {
    let encode = |c: f32| {
        let c = f64::from(c.clamp(0.0, 1.0));
        let encoded = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * ops::pow(c, 1.0 / 2.4) - 0.055 };
        (encoded * 255.0 + 0.5) as u8
    };
    linear(lab).to_array().map(encode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_colour_of_the_ramps_leaves_the_screen() {
        for i in 0..=100 {
            for (degrees, chroma) in [(WARM_DEG, WARM_CHROMA), (COOL_DEG, COOL_CHROMA)] {
                let light = linear(oklab(i as f32 / 100.0, degrees, chroma));
                // What is clamped is too little to be seen.
                let least = light.min_element();
                assert!(least >= -0.003 && light.max_element() <= 1.0, "{degrees} {i}: {light}");
            }
        }
    }

    #[test]
    fn equal_steps_of_value_are_equal_steps_of_colour() {
        let steps: Vec<f32> = (0..10)
            .map(|i| oklab(i as f32 / 10.0, COOL_DEG, COOL_CHROMA))
            .zip((1..11).map(|i| oklab(i as f32 / 10.0, COOL_DEG, COOL_CHROMA)))
            .map(|(a, b)| a.distance(b))
            .collect();
        assert!(steps.iter().all(|step| (step - steps[0]).abs() < 1e-5), "{steps:?}");
    }

    #[test]
    fn both_ramps_darken_away_from_zero() {
        let ramp = Ramp::new();
        let sum = |color: [u8; 3]| color.iter().map(|&c| u32::from(c)).sum::<u32>();
        for sign in [-1.0, 1.0] {
            let lights: Vec<u32> = (1..=16).map(|i| sum(ramp.color(sign * i as f32 / 16.0))).collect();
            assert!(lights.windows(2).all(|w| w[1] < w[0]), "{lights:?}");
        }
        assert_ne!(ramp.color(-1.0), ramp.color(1.0));
    }
}
