//! Sun, sky and air, and what a surface makes of them.
//!
//! Light is linear, in units where a white wall in full sun sends back about 3. The sky is a gradient between fitted
//! colours, not a simulation: what matters is that light, shadow, and distance read at a glance.

use glam::Vec3;
use weald_space::ops;

use super::pattern::value_noise;
use super::settings::Sun;

/// Colour of the sky overhead.
const ZENITH: Vec3 = Vec3::new(0.13, 0.29, 0.62);
/// Colour of the sky just above the horizon, and of haze.
const HORIZON: Vec3 = Vec3::new(0.60, 0.74, 0.92);
/// Colour straight below, where there is no ground.
const NADIR: Vec3 = Vec3::new(0.20, 0.27, 0.37);
/// Light from an open sky onto level ground; that of a high sun is some six times as bright.
const SKY_LIGHT: Vec3 = Vec3::new(0.34, 0.46, 0.66);
/// Light that comes back from the ground around, onto what faces down or is shut in.
const BOUNCE: Vec3 = Vec3::new(0.20, 0.17, 0.13);

/// All that shines.
pub(super) struct Light {
    pub(super) to_sun: Vec3,
    sun: Vec3,
    /// Metres for 63 % haze, if any.
    haze: Option<f64>,
    /// Metres from layer to layer in cut ground.
    strata: f32,
}

/// What a ray found, as far as light is concerned.
#[derive(Clone, Copy)]
pub(super) struct Surface {
    /// Metres along the ray; infinite where there is nothing.
    pub(super) distance: f32,
    /// Metres from the scene's origin.
    pub(super) place: Vec3,
    pub(super) normal: Vec3,
    pub(super) albedo: Vec3,
    pub(super) roughness: f32,
    /// Share of the sun's disk that is seen.
    pub(super) sun: f32,
    /// Share of the sky that is seen, weighted by cosine.
    pub(super) sky: f32,
}

impl Surface {
    pub(super) const NONE: Surface = Surface {
        distance: f32::INFINITY,
        place: Vec3::ZERO,
        normal: Vec3::Z,
        albedo: Vec3::ZERO,
        roughness: 1.0,
        sun: 1.0,
        sky: 1.0,
    };

    pub(super) fn is_some(&self) -> bool {
        self.distance < f32::INFINITY
    }
}

impl Light {
    pub(super) fn new(sun: Sun, haze: Option<f64>, cut_height: f32) -> Self {
        let to_sun = sun.direction().as_vec3();
        // Low suns are dimmed and reddened by the air that their light crosses.
        let air = ops::exp(-f64::from(to_sun.z.max(0.0)) * 5.0) as f32;
        let color = Vec3::new(1.0, 0.92, 0.80).lerp(Vec3::new(0.95, 0.62, 0.36), air);
        Light { to_sun, sun: color * 3.0, haze, strata: cut_height.max(1e-3) / 7.0 }
    }

    /// What is seen where nothing is.
    pub(super) fn background(&self, dir: Vec3) -> Vec3 {
        let height = dir.z.max(0.0);
        let pale = 1.0 - height;
        let pale = pale * pale * pale;
        let below = (-dir.z).clamp(0.0, 1.0);
        let deep = below * (2.0 - below);
        let sky = ZENITH.lerp(HORIZON.lerp(NADIR, deep), pale * pale * 0.75 + pale * 0.25);
        sky + self.glow(dir)
    }

    /// The brightening around the sun (Henyey and Greenstein 1941, g = 0.72).
    fn glow(&self, dir: Vec3) -> Vec3 {
        let g = 0.72_f32;
        let spread = (1.0 + g * g - 2.0 * g * dir.dot(self.to_sun)).max(1e-3);
        self.sun * (0.012 * (1.0 - g * g) / (spread * spread.sqrt()))
    }

    /// Light from a surface towards the eye, before the air between dims it.
    pub(super) fn reflected(&self, s: &Surface, dir: Vec3) -> Vec3 {
        let facing = s.normal.dot(self.to_sun).max(0.0);
        let up = 0.5 + 0.5 * s.normal.z;
        let open = BOUNCE.lerp(SKY_LIGHT, up) * s.sky;
        let shut = BOUNCE * 0.45 * (1.0 - s.sky);
        let matte = s.albedo * (self.sun * (facing * s.sun) + open + shut);
        matte + self.shine(s, dir, facing)
    }

    /// Highlights (Trowbridge and Reitz 1975) and the sky mirrored (Schlick 1994), for what is not dull.
    fn shine(&self, s: &Surface, dir: Vec3, facing: f32) -> Vec3 {
        let gloss = 1.0 - s.roughness;
        if gloss <= 0.02 {
            return Vec3::ZERO;
        }
        let fresnel = |cos: f32| {
            let away = (1.0 - cos).clamp(0.0, 1.0);
            0.04 + 0.96 * (away * away) * (away * away) * away
        };
        let half = (self.to_sun - dir).normalize_or_zero();
        let alpha = (s.roughness * s.roughness).max(0.02);
        let cos = s.normal.dot(half).max(0.0);
        let lobe = cos * cos * (alpha * alpha - 1.0) + 1.0;
        let peak = (alpha * alpha / (4.0 * lobe * lobe)).min(20.0);
        let mirrored = dir - s.normal * (2.0 * dir.dot(s.normal));
        let sun = self.sun * (peak * facing * s.sun * fresnel((-dir).dot(half)));
        let sky =
            self.background(mirrored.with_z(mirrored.z.max(0.0))) * (fresnel(-dir.dot(s.normal)) * s.sky);
        (sun + sky) * (gloss * gloss)
    }

    /// Light that arrives at the eye, of light that left a place `distance` metres away.
    pub(super) fn through_air(&self, light: Vec3, dir: Vec3, distance: f32) -> Vec3 {
        let Some(haze) = self.haze else { return light };
        let clear = ops::exp(-f64::from(distance) / haze) as f32;
        let level = dir.with_z(dir.z.max(0.0));
        light.lerp(self.background(level) * 0.92, 1.0 - clear)
    }

    /// The colour of cut ground: layers of soil and rock, gently warped.
    pub(super) fn cut_color(&self, base: Vec3, place: Vec3) -> Vec3 {
        let slow = place / (self.strata * 14.0);
        let warp = value_noise(slow) * 0.8;
        let depth = place.z / self.strata + warp;
        let layer = value_noise(Vec3::new(slow.x * 0.3, slow.y * 0.3, depth));
        let fine = value_noise(Vec3::new(slow.x, slow.y, depth * 4.7));
        base * (1.0 + 0.28 * layer + 0.12 * fine)
    }
}

/// Slight patches of lighter and darker ground, of 500 m down to 2 m. Patches smaller than two pixels are left out:
/// they would only flicker.
pub(super) fn patches(place: Vec3, footprint: f32) -> f32 {
    let mut factor = 1.0;
    for (wavelength, strength) in
        [(487.0_f32, 0.05_f32), (113.0, 0.06), (29.0, 0.06), (7.3, 0.05), (1.9, 0.05)]
    {
        let share = (wavelength / (footprint * 2.0) - 1.0).clamp(0.0, 1.0);
        if share > 0.0 {
            factor += strength * share * value_noise(place / wavelength);
        }
    }
    factor
}
