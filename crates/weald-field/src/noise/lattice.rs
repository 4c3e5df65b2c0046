//! Value and gradient noise: functions at the points of a cubic lattice, blended.
//!
//! Gradient noise is Perlin's (K. Perlin, "Improving Noise", SIGGRAPH 2002): at each lattice point an affine function
//! that is zero there, with one of twelve directions in space or sixteen in the plane, blended by a quintic. Value noise
//! blends constants from -1 to 1 instead. Unlike Perlin's there is no permutation table but a hash of the corner.
//!
//! *Order of blending.* Corners are blended along x first, which leaves at each row of lattice points an affine function
//! of y and z (a [`Sheet`]); those across z, which leaves one of y (a [`Line`]); and those across y. On a grid a sheet
//! serves every level between two of the lattice's, and a line every row between two of its rows; what is left to do
//! for each sample lies side by side in memory, whatever the wavelength. The value has the same bits as at a single
//! point.

use super::Spot;
use super::hash::{fold, next, spread};
use crate::algebra::{Algebra, Pointwise, Word};

/// A place along one axis of the lattice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<A: Pointwise> {
    /// The lattice point below, as hashes take it.
    below: A::Word,
    /// From there, in lattice units, 0 to 1.
    part: A,
    /// The weight of the lattice point above.
    weight: A,
}

impl<A: Pointwise> Place<A> {
    #[inline(always)]
    pub(super) fn new(spot: Spot<A>) -> Self {
        Place { below: spread(spot.cell), part: spot.part, weight: fade(spot.part) }
    }
}

/// Perlin's quintic: 0 at 0, 1 at 1, with first and second derivatives zero at both.
#[inline(always)]
pub(super) fn fade<A: Algebra>(t: A) -> A {
    t * t * t * (t * (t * 6.0 + -15.0) + 10.0)
}

/// On the line through `a`, where `t` is 0, and `b`, where it is 1.
#[inline(always)]
fn mix<A: Algebra>(a: A, b: A, t: A) -> A {
    a + (b - a) * t
}

/// An affine function of y and z: its coefficients, and a constant.
pub(super) type Sheet<A> = [A; 3];

/// An affine function of y: its coefficient, and a constant.
pub(super) type Line<A> = [A; 2];

/// Gradient noise in space, by the hash of the seed.
#[inline(always)]
pub(super) fn gradient_space<A: Pointwise>(context: A::Context, seed: A::Word, spots: [Spot<A>; 3]) -> A {
    let [x, y, z] = spots;
    let (x, y, z) = (Place::new(x), Place::new(y), Place::new(z));
    let (low, high) = (fold(seed, z.below), fold(seed, next(z.below)));
    let near_low = sheet(context, fold(low, y.below), &x);
    let near_high = sheet(context, fold(high, y.below), &x);
    let far_low = sheet(context, fold(low, next(y.below)), &x);
    let far_high = sheet(context, fold(high, next(y.below)), &x);
    slope_across(line(near_low, near_high, &z), line(far_low, far_high, &z), &y)
}

/// Gradient noise in the plane, by the hash of the level.
#[inline(always)]
pub(super) fn gradient_plane<A: Pointwise>(context: A::Context, level: A::Word, spots: [Spot<A>; 2]) -> A {
    let [x, y] = spots;
    let (x, y) = (Place::new(x), Place::new(y));
    let near = flat_line(context, fold(level, y.below), &x);
    let far = flat_line(context, fold(level, next(y.below)), &x);
    slope_across(near, far, &y)
}

/// Value noise in space, by the hash of the seed.
#[inline(always)]
pub(super) fn value_space<A: Pointwise>(context: A::Context, seed: A::Word, spots: [Spot<A>; 3]) -> A {
    let [x, y, z] = spots;
    let (x, y, z) = (Place::new(x), Place::new(y), Place::new(z));
    let (low, high) = (fold(seed, z.below), fold(seed, next(z.below)));
    let near_low = value(context, fold(low, y.below), &x);
    let near_high = value(context, fold(high, y.below), &x);
    let far_low = value(context, fold(low, next(y.below)), &x);
    let far_high = value(context, fold(high, next(y.below)), &x);
    value_across(value_across(near_low, near_high, &z), value_across(far_low, far_high, &z), &y)
}

/// Value noise in the plane, by the hash of the level.
#[inline(always)]
pub(super) fn value_plane<A: Pointwise>(context: A::Context, level: A::Word, spots: [Spot<A>; 2]) -> A {
    let [x, y] = spots;
    let (x, y) = (Place::new(x), Place::new(y));
    let near = value(context, fold(level, y.below), &x);
    let far = value(context, fold(level, next(y.below)), &x);
    value_across(near, far, &y)
}

/// Blends the affine functions at two neighbours in a row of lattice points, by the row's hash.
#[inline(always)]
pub(super) fn sheet<A: Pointwise>(context: A::Context, row: A::Word, x: &Place<A>) -> Sheet<A> {
    let [near_x, near_y, near_z] = space_direction(context, fold(row, x.below));
    let [far_x, far_y, far_z] = space_direction(context, fold(row, next(x.below)));
    let rest = mix(near_x * x.part, far_x * (x.part + -1.0), x.weight);
    [mix(near_y, far_y, x.weight), mix(near_z, far_z, x.weight), rest]
}

/// Blends the affine functions at two neighbours in a row of lattice points of the plane, by the row's hash.
#[inline(always)]
pub(super) fn flat_line<A: Pointwise>(context: A::Context, row: A::Word, x: &Place<A>) -> Line<A> {
    let [near_x, near_y] = plane_direction(context, fold(row, x.below));
    let [far_x, far_y] = plane_direction(context, fold(row, next(x.below)));
    let rest = mix(near_x * x.part, far_x * (x.part + -1.0), x.weight);
    [mix(near_y, far_y, x.weight), rest]
}

/// Blends the values at two neighbours in a row of lattice points, by the row's hash.
#[inline(always)]
pub(super) fn value<A: Pointwise>(context: A::Context, row: A::Word, x: &Place<A>) -> A {
    let near = random_value(context, fold(row, x.below));
    let far = random_value(context, fold(row, next(x.below)));
    mix(near, far, x.weight)
}

/// Blends the functions below and above a place across z.
#[inline(always)]
pub(super) fn line<A: Pointwise>(below: Sheet<A>, above: Sheet<A>, z: &Place<A>) -> Line<A> {
    let low = below[1] * z.part + below[2];
    let high = above[1] * (z.part + -1.0) + above[2];
    [mix(below[0], above[0], z.weight), mix(low, high, z.weight)]
}

/// Blends the functions on both sides of a place across y.
#[inline(always)]
pub(super) fn slope_across<A: Pointwise>(near: Line<A>, far: Line<A>, y: &Place<A>) -> A {
    let near = near[0] * y.part + near[1];
    let far = far[0] * (y.part + -1.0) + far[1];
    mix(near, far, y.weight)
}

/// Blends the values on both sides of a place.
#[inline(always)]
pub(super) fn value_across<A: Pointwise>(near: A, far: A, place: &Place<A>) -> A {
    mix(near, far, place.weight)
}

/// From -1 to 1, by the upper 24 bits of a hash.
#[inline(always)]
fn random_value<A: Pointwise>(context: A::Context, hash: A::Word) -> A {
    A::from_word(context, hash.shifted_right(8)) * (2.0 / 16_777_215.0) + -1.0
}

const SIGN: u32 = 1 << 31;

/// One of the middles of a cube's edges, each as likely as any other, by all bits of a hash.
///
/// The upper three bits are signs, the lower 24 say which axis the edge has, and so which number is zero. Perlin chooses
/// by four bits and takes four edges twice, none of which lies along y: such noise is 9 % steeper along y.
#[inline(always)]
pub(super) fn space_direction<A: Pointwise>(context: A::Context, hash: A::Word) -> [A; 3] {
    const ONE: u32 = 0x3f80_0000;
    let number = |value| A::constant(context, value);
    let draw = A::from_word(context, hash.and(0xff_ffff));
    let (third, two_thirds) = (number(5_592_405.0), number(11_184_810.0));
    let x = A::from_bits(context, hash.and(SIGN).or(ONE));
    let y = A::from_bits(context, hash.shifted_left(1).and(SIGN).or(ONE));
    let z = A::from_bits(context, hash.shifted_left(2).and(SIGN).or(ONE));
    [
        A::choose(draw, two_thirds, x, number(0.0)),
        A::choose(draw, third, y, A::choose(draw, two_thirds, number(0.0), y)),
        A::choose(draw, third, number(0.0), z),
    ]
}

/// √2 cos and √2 sin of 11.25° and 33.75°: sixteen directions evenly around, none along an axis. The factor brings
/// the greatest value, near the middle of a cell, to 0.98.
const SLOPES: [f32; 4] = [1.387_04, 0.275_899_38, 1.175_875_6, 0.785_694_96];

/// One of sixteen directions evenly around, by the four upper bits of a hash. The signs are bits 28 and 29.
#[inline(always)]
pub(super) fn plane_direction<A: Pointwise>(context: A::Context, hash: A::Word) -> [A; 2] {
    let slope = |number: usize| A::constant(context, SLOPES[number]);
    let (bit31, bit30) = (hash.and(SIGN), hash.and(1 << 30));
    let (cosine, sine) = (A::pick(bit31, slope(2), slope(0)), A::pick(bit31, slope(3), slope(1)));
    let (x, y) = (A::pick(bit30, sine, cosine), A::pick(bit30, cosine, sine));
    [
        A::from_bits(context, x.bits().xor(hash.shifted_left(3).and(SIGN))),
        A::from_bits(context, y.bits().xor(hash.shifted_left(2).and(SIGN))),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// By the four upper bits of a hash; what lies below them does not matter.
    pub(in crate::noise) fn plane_directions() -> [[f32; 2]; 16] {
        std::array::from_fn(|i| plane_direction((), (i as u32) << 28 | 0x5a5_a5a5))
    }

    pub(in crate::noise) fn space_directions() -> Vec<[f32; 3]> {
        let hashes = (0..8).flat_map(|signs| [0, 8_000_000, 0xff_ffff].map(|draw| signs << 29 | draw));
        let mut directions: Vec<_> = hashes.map(|hash| space_direction((), hash)).collect();
        directions.sort_by(|a: &[f32; 3], b| a.partial_cmp(b).expect("numbers"));
        directions.dedup();
        directions
    }

    #[test]
    fn directions_in_space_are_the_edges_of_a_cube_with_equal_chances() {
        let edges = space_directions();
        assert_eq!(edges.len(), 12);
        for edge in &edges {
            assert_eq!(edge.map(f32::abs).iter().sum::<f32>(), 2.0);
        }
        let mut counts = [0; 12];
        for i in 0..120_000 {
            let edge = space_direction((), crate::noise::hash_cell(3, i % 50, i / 50 % 50, i / 2500));
            counts[edges.iter().position(|e| *e == edge).expect("an edge")] += 1;
        }
        for count in counts {
            assert!((9_600..10_400).contains(&count), "{counts:?}");
        }
    }

    #[test]
    fn directions_in_the_plane_are_spread_evenly() {
        let directions = plane_directions();
        for axis in 0..2 {
            let sum: f32 = directions.iter().map(|d| d[axis]).sum();
            assert!(sum.abs() < 1e-6, "axis {axis} leans by {sum}");
        }
        let mut angles: Vec<f64> = directions
            .iter()
            .map(|d| weald_space::ops::atan2(d[1].into(), d[0].into()).to_degrees())
            .collect();
        angles.sort_by(f64::total_cmp);
        for pair in angles.windows(2) {
            assert!((pair[1] - pair[0] - 22.5).abs() < 1e-4);
        }
        for d in directions {
            assert!((d[0] * d[0] + d[1] * d[1] - 2.0).abs() < 1e-6);
        }
    }
}
