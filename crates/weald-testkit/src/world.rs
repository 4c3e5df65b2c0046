//! Grounds.

use glam::DVec3;
use weald_field::{Basis, Domain, Expr, Fractal, NoiseSettings};
use weald_space::Seed;

/// Rough ground about the plane at `height` metres: hills and overhangs with wavelengths from 40 m down to 5 m.
#[must_use]
pub fn rough_ground(seed: u64, height: f64) -> Expr {
    let noise = Expr::noise(&NoiseSettings {
        basis: Basis::Gradient,
        fractal: Fractal::Fbm,
        domain: Domain::Space,
        origin: DVec3::new(0.5, -3.25, 7.125),
        wavelength: 40.0,
        octaves: 4,
        gain: 0.55,
        lacunarity: 2.0,
        amplitude: 12.0,
        seed: Seed::new(seed),
    });
    Expr::plane(DVec3::Z * height, DVec3::Z) + noise
}
