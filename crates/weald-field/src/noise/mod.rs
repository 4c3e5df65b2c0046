//! Noise: random functions of the place, in layers.
//!
//! - `lattice`: value and gradient noise, blended between the points of a lattice (Perlin 2002);
//! - `simplex`: gradient noise with round kernels on a body-centred lattice (Perlin 2001, Spencer);
//! - `worley`: distances to scattered points (Worley 1996).
//!
//! All draw from a hash of the lattice point ([`hash_cell`]), so noise repeats only after 2³² cells. `rows` evaluates
//! over grids with the same bits; `bounds` has the ranges and slopes, and their proofs.
//!
//! *Positions.* The place in the noise's lattice, (p - origin) · frequency + shift, is computed in f64; its whole part
//! is hashed and its fraction goes on in f32. The shift, drawn from the seed, keeps the zeros of the layers apart. In a
//! frame that is turned or bent, places are in f32.

mod bounds;
mod hash;
mod lattice;
mod octave;
mod rows;
mod simplex;
mod worley;

use glam::{BVec3, DVec3};
use weald_space::Seed;

pub use hash::hash_cell;
pub(crate) use octave::{Octave, Spot};
pub(crate) use rows::NoiseRows;

use crate::algebra::Pointwise;
use crate::error::FieldError;
use crate::term::{finite, positive, put};

/// More layers than this would be finer than any cell, and a world file cannot ask for more.
pub const MAX_OCTAVES: u32 = 32;

/// What one layer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Random values at lattice points, blended: from -1 to 1.
    Value,
    /// Random slopes at lattice points, blended (Perlin): from -1 to 1, in space up to 5 % further.
    Gradient,
    /// Random slopes around the points of a body-centred lattice: from -1 to 1, without the grid of the others.
    Simplex,
    /// Distances to scattered points, one in each cubic wavelength: from 0 to 1.1 wavelengths.
    Worley(WorleyKind),
}

/// Which distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorleyKind {
    /// To the nearest point: round cells.
    F1,
    /// To the next nearest.
    F2,
    /// The difference: zero halfway between two points, so that cells have walls.
    F2MinusF1,
}

/// How layers are added up. Musgrave's multifractals, where a layer weighs the next, are left out: their slopes have no
/// useful bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fractal {
    /// As they are: fractal Brownian motion.
    Fbm,
    /// 1 - 2 |n|: sharp crests where a layer is zero.
    Ridged,
    /// 2 |n| - 1: sharp folds where a layer is zero.
    Billow,
}

/// What noise depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// x and y; evaluated once a column.
    Plane,
    /// x, y and z.
    Space,
}

/// Layers of noise, each finer and weaker than the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseSettings {
    /// What a layer is made of.
    pub basis: Basis,
    /// How layers are added up.
    pub fractal: Fractal,
    /// What they depend on.
    pub domain: Domain,
    /// The place that the noise is anchored to, in metres.
    pub origin: DVec3,
    /// Distance between lattice points of the first layer, in metres; in simplex noise the reach of one.
    pub wavelength: f64,
    /// Number of layers, from 1 to 32.
    pub octaves: u32,
    /// Amplitude of each layer, as a part of the one before.
    pub gain: f64,
    /// How many times finer each layer is than the one before.
    pub lacunarity: f64,
    /// The factor of the first layer, in metres. Later layers add to it, so that more layers refine a shape and do not
    /// change it.
    pub amplitude: f64,
    /// What the lattice points draw from.
    pub seed: Seed,
}

impl Default for NoiseSettings {
    fn default() -> Self {
        NoiseSettings {
            basis: Basis::Gradient,
            fractal: Fractal::Fbm,
            domain: Domain::Space,
            origin: DVec3::ZERO,
            wavelength: 64.0,
            octaves: 5,
            gain: 0.5,
            lacunarity: 2.0,
            amplitude: 1.0,
            seed: Seed::new(0),
        }
    }
}

/// Noise around the origin: that of its settings is its user's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Noise {
    settings: NoiseSettings,
    octaves: Vec<Octave>,
}

impl Noise {
    pub(crate) fn new(settings: &NoiseSettings) -> Self {
        let settings = NoiseSettings { origin: DVec3::ZERO, ..*settings };
        Noise { settings, octaves: octave::octaves(&settings) }
    }

    pub(crate) fn octaves(&self) -> &[Octave] {
        &self.octaves
    }

    pub(crate) fn reads(&self) -> BVec3 {
        BVec3::new(true, true, self.settings.domain == Domain::Space)
    }

    pub(crate) fn check(&self) -> Result<&'static str, FieldError> {
        let s = &self.settings;
        positive("noise", "wavelength", [s.wavelength])?;
        positive("noise", "lacunarity", [s.lacunarity])?;
        finite("noise", "gain", [s.gain])?;
        finite("noise", "amplitude", [s.amplitude])?;
        if !(1..=MAX_OCTAVES).contains(&s.octaves) {
            let value = f64::from(s.octaves);
            return Err(FieldError::Parameter { op: "noise", name: "octaves", value, limit: "from 1 to 32" });
        }
        for octave in &self.octaves {
            // In f32, too, as frames take it.
            let frequency = f64::from(octave.frequency() as f32);
            positive("noise", "frequency of the last octave", [octave.frequency(), frequency])?;
            finite("noise", "amplitude of the last octave", [f64::from(octave.amplitude())])?;
        }
        Ok("noise")
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let s = &self.settings;
        let basis = match s.basis {
            Basis::Value => 0,
            Basis::Gradient => 1,
            Basis::Simplex => 2,
            Basis::Worley(WorleyKind::F1) => 3,
            Basis::Worley(WorleyKind::F2) => 4,
            Basis::Worley(WorleyKind::F2MinusF1) => 5,
        };
        out.extend([basis, s.fractal as u8, s.domain as u8]);
        out.extend_from_slice(&s.octaves.to_le_bytes());
        put(out, [s.wavelength, s.gain, s.lacunarity, s.amplitude]);
        out.extend_from_slice(&s.seed.key().to_le_bytes());
    }

    /// The sum of the layers; `spot` gives the place in a layer's lattice, by its number and the axis. In the plane,
    /// axis 2 is not asked for.
    #[inline(always)]
    pub(crate) fn value<A: Pointwise>(
        &self,
        context: A::Context,
        spot: impl Fn(usize, usize) -> Spot<A>,
    ) -> A {
        let mut sum = A::constant(context, 0.0);
        for (number, octave) in self.octaves.iter().enumerate() {
            let (x, y) = (spot(number, 0), spot(number, 1));
            let layer = match self.settings.domain {
                Domain::Plane => octave.in_plane(context, [x, y]),
                Domain::Space => octave.in_space(context, [x, y, spot(number, 2)]),
            };
            sum = octave.add(sum, layer);
        }
        sum
    }
}

#[cfg(test)]
mod tests;
