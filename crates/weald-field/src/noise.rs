//! Value and gradient noise on a lattice, in layers.
//!
//! Gradient noise is Perlin's (K. Perlin, "Improving Noise", SIGGRAPH 2002): at each lattice point an affine function
//! that is zero there, with one of twelve directions in space or sixteen in the plane, blended by a quintic. Value noise
//! blends constants from -1 to 1 instead. Both are one computation here: a corner is an affine function. Unlike Perlin's
//! there is no permutation table but a hash of the corner ([`hash_cell`]), so noise repeats only after 2³² cells.
//!
//! *Order of blending.* Corners are blended across z first, as affine functions of x and y (a sheet), those across
//! y, as functions of x (a line), and those along x. On a grid a sheet serves a whole level and a line a whole row,
//! and the value still has the same bits as at a single point.
//!
//! *Positions.* The place in the noise's lattice, (p - origin) · frequency + shift, is computed in f64; its whole part
//! is hashed and its fraction goes on in f32. The shift, drawn from the seed, keeps the zeros of the layers apart.
//!
//! *Bounds.* Value noise is a convex combination of corners in [-1, 1]; its slope along an axis is the quintic's,
//! at most 15/8, times the difference of two such combinations, at most 2. For gradient noise
//! |N| ≤ Σ max |g · wᵢdᵢ| and |∂N| ≤ Σ max |g · ∂(wᵢdᵢ)|, where wᵢ is the weight of a corner, dᵢ the place seen from it,
//! and the maxima go over the directions g. Both sums are functions of the place in a cell alone, and a test bounds them
//! over the whole cell by subdivision with interval arithmetic, which proves [`Domain::bound`] and
//! [`Domain::slope_bound`].

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
            (Basis::Gradient, Domain::Plane) => 1.0,
            (Basis::Gradient, Domain::Space) => 1.05,
        }
    }

    /// No change of one layer of amplitude and wavelength 1 along one axis is faster, rounding included.
    #[must_use]
    pub const fn slope_bound(self, basis: Basis) -> f32 {
        match (basis, self) {
            (Basis::Value, _) => 3.75 + ROUNDING,
            (Basis::Gradient, Domain::Plane) => 3.0,
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
        let settings = NoiseSettings { origin: DVec3::ZERO, ..*settings };
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
            return Err(FieldError::Parameter { op: "noise", name: "octaves", value, limit: "from 1 to 32" });
        }
        for octave in &self.octaves {
            positive("noise", "frequency of the last octave", [octave.frequency])?;
            finite("noise", "amplitude of the last octave", [f64::from(octave.amplitude)])?;
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
        let slope: f32 = self.octaves.iter().map(|o| f32::abs(o.amplitude) * o.slope_bound()).sum();
        let slope = Enclosure::within(slope * 1.0001);
        let up = if self.settings.domain == Domain::Space { slope } else { Enclosure::constant(0.0) };
        Dual::new(self.bounds(within), [slope, slope, up])
    }
}

/// An affine function of the place in a cell: coefficients of x, y and z, and a constant.
pub(crate) type Corner = [f32; 4];

/// An affine function of x and y.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet<A> {
    pub(crate) x: A,
    pub(crate) y: A,
    pub(crate) rest: A,
}

/// An affine function of x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<A> {
    pub(crate) x: A,
    pub(crate) rest: A,
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
        let (cell, part) = split(place);
        let part = A::along(axis, part as f32, self.frequency as f32);
        Spot { cell: cell as u32, part, weight: fade(part) }
    }

    /// The lattice place of a height; none in the plane.
    #[inline(always)]
    pub(crate) fn height_spot<A: Pointwise>(&self, local: f64) -> Spot<A> {
        match self.domain {
            Domain::Plane => Spot { cell: 0, part: A::constant(0.0), weight: A::constant(0.0) },
            Domain::Space => self.spot(2, local),
        }
    }

    /// The hash of a row of lattice points, which [`Octave::corner`] goes on with.
    #[inline(always)]
    pub(crate) fn row(&self, y: u32, z: u32) -> u32 {
        fold(fold(self.seed, z), y)
    }

    /// The function at a lattice point of a row.
    #[inline(always)]
    pub(crate) fn corner(&self, row: u32, x: u32) -> Corner {
        let hash = fold(row, x);
        match (self.basis, self.domain) {
            (Basis::Value, _) => [0.0, 0.0, 0.0, (hash >> 8) as f32 * (2.0 / 16_777_215.0) - 1.0],
            (Basis::Gradient, Domain::Plane) => PLANE_DIRECTIONS[(hash >> 28) as usize],
            (Basis::Gradient, Domain::Space) => SPACE_DIRECTIONS[(hash >> 28) as usize],
        }
    }

    /// Blends the functions below and above a place across z; in the plane takes the one below as it is.
    #[inline(always)]
    pub(crate) fn sheet<A: Pointwise>(&self, below: &Corner, above: &Corner, z: &Spot<A>) -> Sheet<A> {
        if self.domain == Domain::Plane {
            return Sheet { x: A::constant(below[0]), y: A::constant(below[1]), rest: A::constant(below[3]) };
        }
        let mix = |i: usize| z.weight * (above[i] - below[i]) + below[i];
        let a = z.part * below[2] + below[3];
        let b = (z.part + -1.0) * above[2] + above[3];
        Sheet { x: mix(0), y: mix(1), rest: a + (b - a) * z.weight }
    }

    fn at<A: Pointwise>(&self, local: [f64; 3]) -> A {
        let (x, y) = (self.spot::<A>(0, local[0]), self.spot::<A>(1, local[1]));
        let z = self.height_spot::<A>(local[2]);
        let next = |cell: u32| cell.wrapping_add(1);
        let near = [self.row(y.cell, z.cell), self.row(y.cell, next(z.cell))];
        let far = [self.row(next(y.cell), z.cell), self.row(next(y.cell), next(z.cell))];
        let line = |x: u32| {
            let sheet = |rows: [u32; 2]| self.sheet(&self.corner(rows[0], x), &self.corner(rows[1], x), &z);
            line(sheet(near), sheet(far), &y)
        };
        along(line(x.cell), line(next(x.cell)), x.part, x.weight)
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
        if spread.is_nan() || spread >= everywhere.magnitude() {
            return everywhere;
        }
        let middle = self.at::<f32>(centre);
        everywhere.intersect(Enclosure::hull(middle - spread, middle + spread))
    }
}

/// Blends neighbouring sheets across y.
#[inline(always)]
pub(crate) fn line<A: Algebra>(near: Sheet<A>, far: Sheet<A>, y: &Spot<A>) -> Line<A> {
    let a = near.y * y.part + near.rest;
    let b = far.y * (y.part + -1.0) + far.rest;
    Line { x: near.x + (far.x - near.x) * y.weight, rest: a + (b - a) * y.weight }
}

/// Blends neighbouring lines along x, at a place between them.
#[inline(always)]
pub(crate) fn along<A: Algebra>(near: Line<A>, far: Line<A>, part: A, weight: A) -> A {
    let a = near.x * part + near.rest;
    let b = far.x * (part + -1.0) + far.rest;
    a + (b - a) * weight
}

/// The whole number at or below a place, and the rest. Unlike `f64::floor` it is no call on machines without an
/// instruction for it. Places beyond ±2⁶³, where a cell is far below rounding, have no meaningful rest.
#[inline(always)]
fn split(place: f64) -> (i64, f64) {
    let whole = place as i64;
    let whole = if whole as f64 > place { whole.wrapping_sub(1) } else { whole };
    (whole, place - whole as f64)
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

/// √2 cos and √2 sin of 11.25° and 33.75°: sixteen directions evenly around, none along an axis. The factor brings
/// the greatest value, near the middle of a cell, to 0.98.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The greatest value over the unit cell of a sum over corners, or a failure if it is not proved to be below
    /// `limit`: boxes over which interval arithmetic does not show it are halved along all axes.
    fn prove(
        domain: Domain,
        limit: f32,
        of_corner: &dyn Fn([Enclosure; 3], [Enclosure; 3], [Enclosure; 3]) -> f32,
    ) {
        let axes = if domain == Domain::Plane { 2 } else { 3 };
        // Directions and weights are symmetric under reflection, so a corner of the cell stands for all.
        let mut boxes = vec![([0.0_f32; 3], 0.5_f32)];
        while let Some((min, size)) = boxes.pop() {
            let t = [0, 1, 2].map(|axis| {
                if axis < axes {
                    Enclosure::hull(min[axis], min[axis] + size)
                } else {
                    Enclosure::constant(0.0)
                }
            });
            let mut sum = 0.0;
            for corner in 0..1 << axes {
                let far = [0, 1, 2].map(|axis| corner >> axis & 1 == 1);
                let ends = |of: fn(f32) -> f32, t: Enclosure| Enclosure::hull(of(t.lo()), of(t.hi()));
                let part = [0, 1, 2].map(|axis| t[axis] + if far[axis] { -1.0 } else { 0.0 });
                let weight = [0, 1, 2].map(|axis| {
                    let weight = ends(fade, t[axis]);
                    if far[axis] { weight } else { -weight + 1.0 }
                });
                // The quintic's slope rises up to the middle and falls from there; no box lies across it.
                let slope = [0, 1, 2].map(|axis| {
                    let slope = ends(|t| 30.0 * t * t * (t - 1.0) * (t - 1.0), t[axis]);
                    if far[axis] { slope } else { -slope }
                });
                sum += of_corner(part, weight, slope);
            }
            if sum + 1e-4 > limit {
                assert!(size > 1.0 / 512.0, "{sum} at {min:?} is not below {limit}");
                let half = size * 0.5;
                for part in 0..1 << axes {
                    boxes.push(([0, 1, 2].map(|axis| min[axis] + half * (part >> axis & 1) as f32), half));
                }
            }
        }
    }

    fn greatest_dot(domain: Domain, v: [Enclosure; 3]) -> f32 {
        let directions = if domain == Domain::Plane { &PLANE_DIRECTIONS } else { &SPACE_DIRECTIONS };
        let dot = |g: &Corner| (v[0] * g[0] + v[1] * g[1] + v[2] * g[2]).magnitude();
        directions.iter().map(dot).fold(0.0, f32::max)
    }

    fn product_of_weights(domain: Domain, weight: [Enclosure; 3], axes: &[usize]) -> Enclosure {
        let used = axes.iter().filter(|&&axis| axis < 2 || domain == Domain::Space);
        used.fold(Enclosure::constant(1.0), |product, &axis| product * weight[axis])
    }

    #[test]
    fn gradient_noise_is_proved_to_stay_within_its_bound() {
        for domain in [Domain::Plane, Domain::Space] {
            prove(domain, domain.bound(Basis::Gradient), &|part, weight, _| {
                let weight = product_of_weights(domain, weight, &[0, 1, 2]);
                weight.magnitude() * greatest_dot(domain, part)
            });
        }
    }

    #[test]
    fn gradient_noise_is_proved_to_be_no_steeper_than_its_bound() {
        for domain in [Domain::Plane, Domain::Space] {
            prove(domain, domain.slope_bound(Basis::Gradient), &|part, weight, slope| {
                let others = product_of_weights(domain, weight, &[1, 2]);
                let mut v = part.map(|d| d * slope[0]);
                v[0] = v[0] + weight[0];
                others.magnitude() * greatest_dot(domain, v)
            });
        }
    }

    #[test]
    fn directions_are_spread_evenly() {
        for directions in [PLANE_DIRECTIONS, SPACE_DIRECTIONS] {
            for axis in 0..3 {
                let sum: f32 = directions.iter().map(|d| d[axis]).sum();
                assert!(sum.abs() < 1e-6, "axis {axis} leans by {sum}");
            }
            for d in directions {
                assert!((d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - 2.0).abs() < 1e-6);
            }
        }
        let mut angles: Vec<f64> = PLANE_DIRECTIONS
            .iter()
            .map(|d| weald_space::ops::atan2(d[1].into(), d[0].into()).to_degrees())
            .collect();
        angles.sort_by(f64::total_cmp);
        for pair in angles.windows(2) {
            assert!((pair[1] - pair[0] - 22.5).abs() < 1e-4);
        }
    }

    #[test]
    fn every_bit_of_a_cell_changes_half_of_its_hash() {
        let mut flips = [[0_u32; 32]; 96];
        let count = 2000;
        for i in 0..count {
            let cell = [i % 13 - 6, i / 13 % 11, -i / 143];
            let hash = |cell: [i64; 3]| hash_cell(9, cell[0], cell[1], cell[2]);
            for bit in 0..96 {
                let mut other = cell;
                other[bit / 32] ^= 1 << (bit % 32);
                let changed = hash(cell) ^ hash(other);
                for (out, flips) in flips[bit].iter_mut().enumerate() {
                    *flips += changed >> out & 1;
                }
            }
        }
        for (bit, flips) in flips.iter().enumerate() {
            for (out, &flips) in flips.iter().enumerate() {
                let share = f64::from(flips) / count as f64;
                assert!(
                    (share - 0.5).abs() < 0.08,
                    "bit {bit} changes bit {out} of the hash with chance {share}"
                );
            }
        }
    }

    #[test]
    fn noise_uses_its_range_and_has_no_bias() {
        for (basis, domain, deviation) in [
            (Basis::Value, Domain::Plane, 0.35..0.5),
            (Basis::Value, Domain::Space, 0.2..0.4),
            (Basis::Gradient, Domain::Plane, 0.25..0.45),
            (Basis::Gradient, Domain::Space, 0.2..0.35),
        ] {
            let noise = Noise::new(&NoiseSettings {
                basis,
                domain,
                wavelength: 1.0,
                octaves: 1,
                ..Default::default()
            });
            let values: Vec<f64> = (0..40_000)
                .map(|i| f64::from(noise.at::<f32>([i % 200, i / 200, i].map(|i| f64::from(i) * 0.37))))
                .collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let spread = (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
            assert!(mean.abs() < 0.01, "{basis:?} in the {domain:?} has mean {mean}");
            assert!(deviation.contains(&spread), "{basis:?} in the {domain:?} has deviation {spread}");
        }
    }
}
