//! One layer of noise: its lattice, and places in it.

use glam::I64Vec3;

use super::hash::{fold, spread};
use super::{Basis, Domain, Fractal, MAX_OCTAVES, NoiseSettings, lattice, simplex, worley};
use crate::algebra::{Algebra, Pointwise};

/// A place along one axis of a layer's lattice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<A: Pointwise> {
    /// The lattice point below.
    pub(crate) cell: A::Word,
    /// From there, in lattice units, 0 to 1.
    pub(crate) part: A,
}

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Octave {
    /// Two, for noise that has two lattices.
    seeds: [u32; 2],
    /// Cells of the lattice a metre.
    frequency: f64,
    shift: [f64; 3],
    amplitude: f32,
    pub(super) basis: Basis,
    pub(super) fractal: Fractal,
    pub(super) domain: Domain,
}

/// The layers that the settings ask for.
pub(super) fn octaves(settings: &NoiseSettings) -> Vec<Octave> {
    let mut frequency = settings.basis.cells() / settings.wavelength;
    let mut amplitude = settings.amplitude;
    let mut octaves = Vec::new();
    for step in 0..settings.octaves.min(MAX_OCTAVES) {
        let mut draw = settings.seed.at(I64Vec3::ZERO, step, 0);
        let seed = draw.u32();
        let shift = [draw.f64(), draw.f64(), draw.f64()];
        octaves.push(Octave {
            seeds: [seed, draw.u32()],
            frequency,
            shift,
            amplitude: amplitude as f32,
            basis: settings.basis,
            fractal: settings.fractal,
            domain: settings.domain,
        });
        frequency *= settings.lacunarity;
        amplitude *= settings.gain;
    }
    octaves
}

impl Basis {
    /// Cells of the lattice in a wavelength.
    const fn cells(self) -> f64 {
        match self {
            Basis::Simplex => simplex::CELLS,
            _ => 1.0,
        }
    }
}

impl Octave {
    /// Cells of the lattice a metre.
    pub(crate) const fn frequency(&self) -> f64 {
        self.frequency
    }

    pub(crate) const fn amplitude(&self) -> f32 {
        self.amplitude
    }

    /// The lattice point below a coordinate relative to the origin, modulo 2³², and how far it lies above that, 0 to 1.
    ///
    /// Adding 1.5 · 2⁵² leaves no bits for a fraction, so it rounds to a whole number, whose low bits are the sum's; a
    /// machine does that in lanes, where it may have no conversion to whole numbers. Places beyond 2⁵⁰ cells, where a
    /// cell is hardly more than what rounding leaves, count as that far.
    #[inline(always)]
    pub(crate) fn split(&self, axis: usize, local: f64) -> (u32, f32) {
        const WHOLE: f64 = 6_755_399_441_055_744.0;
        const FAR: f64 = 1_125_899_906_842_624.0;
        let place = local * self.frequency + self.shift[axis];
        let place = if place < FAR { place } else { FAR };
        let place = if place > -FAR { place } else { -FAR };
        let sum = place + WHOLE;
        let nearest = sum - WHOLE;
        let is_above = nearest > place;
        let below = if is_above { nearest - 1.0 } else { nearest };
        ((sum.to_bits() as u32).wrapping_sub(u32::from(is_above)), (place - below) as f32)
    }

    /// The spot of a coordinate in f32 relative to the origin. It is off by up to [`Octave::rounding`] of the coordinate.
    #[inline(always)]
    pub(crate) fn spot_from_place<A: Pointwise>(&self, axis: usize, at: A) -> Spot<A> {
        spot(at * self.frequency as f32 + self.shift[axis] as f32)
    }

    /// A spot moved by metres. It is off by up to [`Octave::rounding`] of the move.
    #[inline(always)]
    pub(crate) fn moved<A: Pointwise>(&self, from: Spot<A>, by: A) -> Spot<A> {
        let moved = spot(from.part + by * self.frequency as f32);
        Spot { cell: crate::algebra::Word::plus(from.cell, moved.cell), part: moved.part }
    }

    /// How far rounding can move a spot that comes from a number in f32 up to so many metres from zero, in metres.
    ///
    /// The frequency, the product, the shift and the sum are off by at most 2⁻²⁴ of the greatest number so far, in all
    /// less than 2⁻²² of the product and the shift.
    pub(crate) fn rounding(&self, metres: f64) -> f64 {
        (metres.abs() + 1.0 / self.frequency) * (1.0 / 4_194_304.0)
    }

    /// The layer in the plane, without amplitude.
    #[inline(always)]
    pub(super) fn in_plane<A: Pointwise>(&self, context: A::Context, spots: [Spot<A>; 2]) -> A {
        match self.basis {
            Basis::Value => lattice::value_plane(context, A::word(context, self.level(0)), spots),
            Basis::Gradient => lattice::gradient_plane(context, A::word(context, self.level(0)), spots),
            Basis::Simplex | Basis::Worley(_) => self.scattered_in_plane(context, spots),
        }
    }

    /// The layer in space, without amplitude.
    #[inline(always)]
    pub(super) fn in_space<A: Pointwise>(&self, context: A::Context, spots: [Spot<A>; 3]) -> A {
        match self.basis {
            Basis::Value => lattice::value_space(context, A::word(context, self.seeds[0]), spots),
            Basis::Gradient => lattice::gradient_space(context, A::word(context, self.seeds[0]), spots),
            Basis::Simplex | Basis::Worley(_) => self.scattered_in_space(context, spots),
        }
    }

    /// [`Octave::in_plane`] of noise that is not blended along rows: simplex, or else Worley's.
    #[inline(always)]
    pub(super) fn scattered_in_plane<A: Pointwise>(&self, context: A::Context, spots: [Spot<A>; 2]) -> A {
        let levels = [A::word(context, self.level(0)), A::word(context, self.level(1))];
        match self.basis {
            Basis::Worley(kind) => worley::plane(context, kind, levels[0], spots),
            _ => simplex::plane(context, levels, spots),
        }
    }

    /// [`Octave::in_space`] of noise that is not blended along rows: simplex, or else Worley's.
    #[inline(always)]
    pub(super) fn scattered_in_space<A: Pointwise>(&self, context: A::Context, spots: [Spot<A>; 3]) -> A {
        let seeds = [A::word(context, self.seeds[0]), A::word(context, self.seeds[1])];
        match self.basis {
            Basis::Worley(kind) => worley::space(context, kind, seeds[0], spots),
            _ => simplex::space(context, seeds, spots),
        }
    }

    /// The hash that rows in the plane go on with, of one of the lattices: that of height 0.
    fn level(&self, lattice: usize) -> u32 {
        fold(self.seeds[lattice], 0)
    }

    /// The hash of a row of lattice points in space.
    pub(super) fn row(&self, y: u32, z: u32) -> u32 {
        fold(fold(self.seeds[0], spread(z)), spread(y))
    }

    /// The sum with this layer.
    #[inline(always)]
    pub(super) fn add<A: Algebra>(&self, sum: A, layer: A) -> A {
        let shaped = match self.fractal {
            Fractal::Fbm => layer,
            Fractal::Ridged => layer.abs() * -2.0 + 1.0,
            Fractal::Billow => layer.abs() * 2.0 + -1.0,
        };
        sum + shaped * self.amplitude
    }
}

/// The spot of a place in lattice units. Places beyond 2³⁰ cells count as that far.
#[inline(always)]
fn spot<A: Pointwise>(place: A) -> Spot<A> {
    const FAR: f32 = 1_073_741_824.0;
    let place = place.max(place.like(-FAR)).min(place.like(FAR));
    let below = place.floor();
    Spot { cell: below.to_word(), part: place - below }
}
