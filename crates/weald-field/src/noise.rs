//! Value and gradient noise on a lattice, in layers.
//!
//! Gradient noise is Perlin's (K. Perlin, "Improving Noise", SIGGRAPH 2002): at each lattice point an affine function
//! that is zero there, with one of twelve directions in space or sixteen in the plane, blended by a quintic. Value noise
//! blends constants from -1 to 1 instead. Both are one computation here: a corner is an affine function. Unlike Perlin's
//! there is no permutation table but a hash of the corner ([`hash_cell`]), so noise repeats only after 2³² cells.
//!
//! *Order of blending.* The corners are blended across y and z first, as affine functions of x (a [`Line`]); then two
//! lines are evaluated and blended along x. In a row of the lattice, where y and z are fixed, a line serves all samples
//! between two lattice points, and the value has the same bits as at a single point.
//!
//! *Positions.* The place in the noise's lattice, (p - origin) · frequency + shift, is computed in f64; its whole part
//! is hashed and its fraction goes on in f32. The shift, drawn from the seed, keeps the zeros of the layers apart.
//!
//! *Bounds.* Value noise is a convex combination of corners in [-1, 1]; its slope along an axis is the quintic's,
//! at most 15/8, times the difference of two such combinations, at most 2. For gradient noise
//! |N| ≤ Σ wᵢ |gᵢ · dᵢ|, and |∂N| ≤ Σ |∂wᵢ| |gᵢ · dᵢ| + Σ wᵢ |∂gᵢ · dᵢ|, where |gᵢ · dᵢ| is bounded over the
//! directions; both sums are functions of the place in a cell alone, and a test bounds them over the unit cell by
//! subdivision with interval arithmetic, which proves [`Domain::bound`] and [`Domain::slope_bound`].

use glam::{BVec3, DVec3, I64Vec3};
use weald_space::{Aabb, Seed};

use crate::algebra::{Algebra, Dual, Enclosure, Pointwise};
use crate::error::FieldError;
use crate::term::{finite, positive, put};

/// More layers than this would be finer than any cell, and a world file cannot ask for more.
pub const MAX_OCTAVES: u32 = 32;

/// What is blended between lattice points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Random values.
    Value,
    /// Random slopes (Perlin).
    Gradient,
}

/// What noise depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// x and y; evaluated once a column.
    Plane,
    /// x, y and z.
    Space,
}

impl Domain {
    /// No value of one layer of amplitude 1 is further from zero, rounding included.
    #[must_use]
    pub const fn bound(self, basis: Basis) -> f32 {
        match (basis, self) {
            (Basis::Value, _) => 1.0 + ROUNDING,
            (Basis::Gradient, Domain::Plane) => 1.008,
            (Basis::Gradient, Domain::Space) => 1.05,
        }
    }

    /// No change of one layer of amplitude and wavelength 1 along one axis is faster, rounding included.
    #[must_use]
    pub const fn slope_bound(self, basis: Basis) -> f32 {
        match (basis, self) {
            (Basis::Value, _) => 3.75 + ROUNDING,
            (Basis::Gradient, Domain::Plane) => 4.0,
            (Basis::Gradient, Domain::Space) => 4.0,
        }
    }
}

/// More than what rounding can add to a layer of amplitude 1: some thirty operations on numbers up to 4, each off by at
/// most 2⁻²⁴ of its result.
const ROUNDING: f32 = 1e-5;

/// Layers of noise, each finer and weaker than the one before: fractal Brownian motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseSettings {
    /// What is blended.
    pub basis: Basis,
    /// What it depends on.
    pub domain: Domain,
    /// The place that the noise is anchored to, in metres.
    pub origin: DVec3,
    /// Distance between lattice points of the first layer, in metres.
    pub wavelength: f64,
    /// Number of layers, from 1 to 32.
    pub octaves: u32,
    /// Amplitude of each layer, as a part of the one before.
    pub gain: f64,
    /// How many times finer each layer is than the one before.
    pub lacunarity: f64,
    /// The greatest height of the first layer, in metres (up to 5 % more in space). Later layers add to it, so that
    /// more layers refine a shape and do not change it.
    pub amplitude: f64,
    /// What the lattice points draw from.
    pub seed: Seed,
}

impl Default for NoiseSettings {
    fn default() -> Self {
        NoiseSettings {
            basis: Basis::Gradient,
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

/// Noise as a leaf: its origin is the leaf's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Noise {
    settings: NoiseSettings,
    octaves: Vec<Octave>,
}

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Octave {
    seed: u32,
    /// Lattice points a metre.
    pub(crate) frequency: f64,
    shift: [f64; 3],
    pub(crate) amplitude: f32,
    basis: Basis,
    domain: Domain,
}

impl Noise {
    pub(crate) fn new(settings: &NoiseSettings) -> Self {
        let settings = NoiseSettings {
            origin: DVec3::ZERO,
            ..*settings
        };
        let mut frequency = 1.0 / settings.wavelength;
        let mut amplitude = settings.amplitude;
        let mut octaves = Vec::new();
        for step in 0..settings.octaves.min(MAX_OCTAVES) {
            let mut draw = settings.seed.at(I64Vec3::ZERO, step, 0);
            octaves.push(Octave {
                seed: draw.u32(),
                frequency,
                shift: [draw.f64(), draw.f64(), draw.f64()],
                amplitude: amplitude as f32,
                basis: settings.basis,
                domain: settings.domain,
            });
            frequency *= settings.lacunarity;
            amplitude *= settings.gain;
        }
        Noise { settings, octaves }
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
            return Err(FieldError::Parameter {
                op: "noise",
                name: "octaves",
                value,
                limit: "from 1 to 32",
            });
        }
        for octave in &self.octaves {
            positive("noise", "frequency of the last octave", [octave.frequency])?;
            finite(
                "noise",
                "amplitude of the last octave",
                [f64::from(octave.amplitude)],
            )?;
        }
        Ok("noise")
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let s = &self.settings;
        out.extend([16, s.basis as u8, s.domain as u8]);
        out.extend_from_slice(&s.octaves.to_le_bytes());
        put(out, [s.wavelength, s.gain, s.lacunarity, s.amplitude]);
        out.extend_from_slice(&s.seed.key().to_le_bytes());
    }

    /// The value at a place relative to the origin.
    pub(crate) fn at<A: Pointwise>(&self, local: [f64; 3]) -> A {
        let mut sum = A::constant(0.0);
        for octave in &self.octaves {
            sum = sum + octave.at::<A>(local) * octave.amplitude;
        }
        sum
    }

    /// A range for all values inside a box relative to the origin.
    pub(crate) fn bounds(&self, within: Aabb) -> Enclosure {
        let mut sum = Enclosure::constant(0.0);
        for octave in &self.octaves {
            sum = sum + octave.bounds(within) * octave.amplitude;
        }
        sum
    }

    /// A range for all values and gradients inside a box relative to the origin.
    pub(crate) fn dual_bounds(&self, within: Aabb) -> Dual<Enclosure> {
        let slope: f32 = self
            .octaves
            .iter()
            .map(|o| f32::abs(o.amplitude) * o.slope_bound())
            .sum();
        let slope = Enclosure::within(slope * 1.0001);
        let up = if self.settings.domain == Domain::Space {
            slope
        } else {
            Enclosure::constant(0.0)
        };
        Dual::new(self.bounds(within), [slope, slope, up])
    }
}

/// An affine function of the place in a cell: coefficients of x, y and z, and a constant.
pub(crate) type Corner = [f32; 4];

/// An affine function of x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<A> {
    slope: A,
    rest: A,
}

/// A place along one axis of the noise's lattice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<A> {
    /// The lattice point below.
    pub(crate) cell: u32,
    /// From there, in lattice units, 0 to 1.
    pub(crate) part: A,
    /// The weight of the lattice point above.
    pub(crate) weight: A,
}

impl Octave {
    /// The lattice place of a coordinate relative to the origin.
    #[inline(always)]
    pub(crate) fn spot<A: Pointwise>(&self, axis: usize, local: f64) -> Spot<A> {
        let place = local * self.frequency + self.shift[axis];
        let floor = place.floor();
        let part = A::along(axis, (place - floor) as f32, self.frequency as f32);
        Spot {
            cell: floor as i64 as u32,
            part,
            weight: fade(part),
        }
    }

    /// The lattice place of a height; none in the plane.
    #[inline(always)]
    pub(crate) fn height_spot<A: Pointwise>(&self, local: f64) -> Spot<A> {
        match self.domain {
            Domain::Plane => Spot {
                cell: 0,
                part: A::constant(0.0),
                weight: A::constant(0.0),
            },
            Domain::Space => self.spot(2, local),
        }
    }

    /// The functions at the lattice points with this `x`, in the order of y first, then z. In the plane the upper two
    /// are not used.
    #[inline(always)]
    pub(crate) fn corners(&self, x: u32, y: u32, z: u32) -> [Corner; 4] {
        let corner = |hash: u32| match (self.basis, self.domain) {
            (Basis::Value, _) => [0.0, 0.0, 0.0, (hash >> 8) as f32 * (2.0 / 16_777_215.0) - 1.0],
            (Basis::Gradient, Domain::Plane) => PLANE_DIRECTIONS[(hash >> 28) as usize],
            (Basis::Gradient, Domain::Space) => SPACE_DIRECTIONS[(hash >> 28) as usize],
        };
        let rows = |z: u32| {
            let plane = fold(self.seed, z);
            [y, y.wrapping_add(1)].map(|y| corner(fold(fold(plane, y), x)))
        };
        match self.domain {
            Domain::Plane => {
                let [near, far] = rows(0);
                [near, far, near, far]
            }
            Domain::Space => {
                let ([a, b], [c, d]) = (rows(z), rows(z.wrapping_add(1)));
                [a, b, c, d]
            }
        }
    }

    /// Blends corners across y and z.
    #[inline(always)]
    pub(crate) fn line<A: Pointwise>(&self, corners: &[Corner; 4], y: &Spot<A>, z: &Spot<A>) -> Line<A> {
        let far_y = y.part + -1.0;
        let across_y = |near: &Corner, far: &Corner, up: Option<A>| {
            let rest = |corner: &Corner, part: A| {
                let flat = part * corner[1] + corner[3];
                up.map_or(flat, |up| flat + up * corner[2])
            };
            let (a, b) = (rest(near, y.part), rest(far, far_y));
            Line {
                slope: y.weight * (far[0] - near[0]) + near[0],
                rest: a + (b - a) * y.weight,
            }
        };
        match self.domain {
            Domain::Plane => across_y(&corners[0], &corners[1], None),
            Domain::Space => {
                let below = across_y(&corners[0], &corners[1], Some(z.part));
                let above = across_y(&corners[2], &corners[3], Some(z.part + -1.0));
                Line {
                    slope: below.slope + (above.slope - below.slope) * z.weight,
                    rest: below.rest + (above.rest - below.rest) * z.weight,
                }
            }
        }
    }

    fn at<A: Pointwise>(&self, local: [f64; 3]) -> A {
        let [x, y] = [0, 1].map(|axis| self.spot::<A>(axis, local[axis]));
        let z = self.height_spot::<A>(local[2]);
        let line = |cell: u32| self.line(&self.corners(cell, y.cell, z.cell), &y, &z);
        along(line(x.cell), line(x.cell.wrapping_add(1)), x.part, x.weight)
    }

    /// Times the amplitude: the fastest change along an axis, a metre.
    fn slope_bound(&self) -> f32 {
        self.domain.slope_bound(self.basis) * self.frequency as f32
    }

    /// The constant bound, and the value in the middle give or take what the slope allows, intersected.
    ///
    /// The place in the lattice is rounded to f64, which far from the origin moves it; the margin covers that.
    fn bounds(&self, within: Aabb) -> Enclosure {
        let everywhere = Enclosure::within(self.domain.bound(self.basis));
        let axes = if self.domain == Domain::Plane { 2 } else { 3 };
        let (centre, half) = (within.centre().to_array(), (within.size() * 0.5).to_array());
        let mut reach = 0.0;
        for axis in 0..axes {
            let farthest = (centre[axis].abs() + half[axis]) * self.frequency + 1.0;
            reach += half[axis] * self.frequency + farthest * (4.0 * f64::EPSILON);
        }
        let spread = reach as f32 * self.domain.slope_bound(self.basis) * 1.0001 + ROUNDING;
        if !(spread < everywhere.magnitude()) {
            return everywhere;
        }
        let middle = self.at::<f32>(centre);
        everywhere.intersect(Enclosure::hull(middle - spread, middle + spread))
    }
}

/// Evaluates two neighbouring lines at a place between them and blends the values.
#[inline(always)]
pub(crate) fn along<A: Algebra>(near: Line<A>, far: Line<A>, part: A, weight: A) -> A {
    let a = near.slope * part + near.rest;
    let b = far.slope * (part + -1.0) + far.rest;
    a + (b - a) * weight
}

/// Perlin's quintic: 0 at 0, 1 at 1, with first and second derivatives zero at both.
#[inline(always)]
fn fade<A: Algebra>(t: A) -> A {
    t * t * t * (t * (t * 6.0 + -15.0) + 10.0)
}

/// The hash of a point of a lattice: uniform over all 32 bits, and cheap.
///
/// Each coordinate is multiplied by an odd number, added, and mixed by the two-round multiply and xor-shift function
/// that C. Wellons found by search ("lowbias32", bias 0.17 of 1,000). Coordinates count modulo 2³². Only wrapping
/// arithmetic on 32 bits, so a GPU gives the same.
///
/// ```
/// use weald_field::noise::hash_cell;
/// assert_eq!(hash_cell(7, 1, 2, 3), hash_cell(7, 1 + (1 << 32), 2, 3));
/// assert_ne!(hash_cell(7, 1, 2, 3), hash_cell(7, 2, 1, 3));
/// ```
#[must_use]
pub fn hash_cell(seed: u32, x: i64, y: i64, z: i64) -> u32 {
    fold(fold(fold(seed, z as u32), y as u32), x as u32)
}

#[inline(always)]
fn fold(hash: u32, coordinate: u32) -> u32 {
    let mut h = hash.wrapping_add(coordinate.wrapping_mul(0x9e37_79b9));
    h = (h ^ h >> 16).wrapping_mul(0x7feb_352d);
    h = (h ^ h >> 15).wrapping_mul(0x846c_a68b);
    h ^ h >> 16
}

/// √2 cos and √2 sin of 11.25° and 33.75°: sixteen directions evenly around, none along an axis. The factor makes
/// the greatest value 1, in the middle of a cell.
const A: f32 = 1.387_04;
const B: f32 = 0.275_899_38;
const C: f32 = 1.175_875_6;
const D: f32 = 0.785_694_96;

const PLANE_DIRECTIONS: [Corner; 16] = {
    let pairs = [[A, B], [B, A], [C, D], [D, C]];
    let mut directions = [[0.0; 4]; 16];
    let mut i = 0;
    while i < 16 {
        let [x, y] = pairs[i / 4];
        directions[i][0] = if i & 1 == 0 { x } else { -x };
        directions[i][1] = if i & 2 == 0 { y } else { -y };
        i += 1;
    }
    directions
};

/// The middles of a cube's edges; four of them twice, so that four bits choose (Perlin 2002).
const SPACE_DIRECTIONS: [Corner; 16] = [
    [1.0, 1.0, 0.0, 0.0],
    [-1.0, 1.0, 0.0, 0.0],
    [1.0, -1.0, 0.0, 0.0],
    [-1.0, -1.0, 0.0, 0.0],
    [1.0, 0.0, 1.0, 0.0],
    [-1.0, 0.0, 1.0, 0.0],
    [1.0, 0.0, -1.0, 0.0],
    [-1.0, 0.0, -1.0, 0.0],
    [0.0, 1.0, 1.0, 0.0],
    [0.0, -1.0, 1.0, 0.0],
    [0.0, 1.0, -1.0, 0.0],
    [0.0, -1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0, 0.0],
    [-1.0, 1.0, 0.0, 0.0],
    [0.0, -1.0, 1.0, 0.0],
    [0.0, -1.0, -1.0, 0.0],
];
