//! Waves and powers from additions, multiplications and bits, so that every algebra of points gives the same.
//!
//! The sine is an odd polynomial on a quarter turn (Taylor's, to the eleventh power: the first term left out is below
//! 6e-8). The logarithm takes the exponent from the bits and the rest by the series of artanh, whose argument is below
//! 0.172; the exponential puts the whole part of its argument back into the bits and takes the rest by Taylor's series.

use super::{Algebra, Pointwise, Word};

/// The sine of turns.
#[inline(always)]
pub(super) fn wave<A: Pointwise>(turns: A) -> A {
    let part = turns - (turns + 0.5).floor();
    // Mirrored at a quarter turn: from there on the sine falls as it rose.
    let folded = part.like(0.5) - part.abs();
    let size = part.abs().min(folded);
    let angle = size * std::f32::consts::TAU;
    let square = angle * angle;
    let mut series = square * (-1.0 / 39_916_800.0) + 1.0 / 362_880.0;
    for coefficient in [-1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0] {
        series = series * square + coefficient;
    }
    let sine = series * angle;
    A::choose(part.like(0.0), part, sine, -sine)
}

/// Powers that are products of the number with itself.
const MOST_FACTORS: f32 = 16.0;

/// A number to a constant power: see [`Algebra::power`].
#[inline(always)]
pub(super) fn power<A: Pointwise>(base: A, exponent: f32) -> A {
    if exponent < 0.0 {
        return base.like(1.0).divide(positive_power(base, -exponent));
    }
    positive_power(base, exponent)
}

#[inline(always)]
fn positive_power<A: Pointwise>(base: A, exponent: f32) -> A {
    match whole_exponent(exponent) {
        Some(count) => whole_power(base, count),
        None => {
            let zero = base.like(0.0);
            let power = exp2(log2(zero.max(base)) * exponent);
            A::choose(base, zero, zero, power)
        }
    }
}

/// The exponent, if a power with it is a product.
pub(super) fn whole_exponent(exponent: f32) -> Option<u32> {
    ((0.0..=MOST_FACTORS).contains(&exponent) && exponent as u32 as f32 == exponent)
        .then_some(exponent as u32)
}

/// A product of equal factors.
#[inline(always)]
pub(super) fn whole_power<A: Algebra>(base: A, count: u32) -> A {
    let mut product = base.like(1.0);
    for bit in (0..5).rev() {
        product = product * product;
        if count >> bit & 1 == 1 {
            product = product * base;
        }
    }
    product
}

/// The logarithm to base 2 of a number above zero; of the least normal number, if it is less.
#[inline(always)]
fn log2<A: Pointwise>(x: A) -> A {
    let context = x.context();
    let bits = x.max(x.like(f32::MIN_POSITIVE)).bits();
    // The fraction is taken from √½ to √2, so that the series converges fast on both sides of 1.
    const ROOT_OF_HALF: u32 = 0x3f35_04f3;
    let above = bits.plus_constant(ROOT_OF_HALF.wrapping_neg());
    let exponent = above.shifted_right(23);
    let sign = above.and(0x8000_0000).shifted_right(31).times(0xffff_fe00);
    let exponent = A::from_word(context, exponent.plus(sign));
    let fraction = A::from_bits(context, above.and(0x007f_ffff).plus_constant(ROOT_OF_HALF));
    let ratio = (fraction + -1.0).divide(fraction + 1.0);
    let square = ratio * ratio;
    let mut series = square * (1.0 / 9.0) + 1.0 / 7.0;
    for coefficient in [1.0 / 5.0, 1.0 / 3.0, 1.0] {
        series = series * square + coefficient;
    }
    exponent + series * ratio * (2.0 * std::f32::consts::LOG2_E)
}

/// Two to a power; 0 below -126, and no more than 2¹²⁷.
#[inline(always)]
fn exp2<A: Pointwise>(x: A) -> A {
    let context = x.context();
    let clamped = x.max(x.like(-126.0)).min(x.like(126.999));
    let whole = clamped.floor();
    let part = (clamped - whole) * std::f32::consts::LN_2;
    let mut series = part * (1.0 / 40_320.0) + 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * part + coefficient;
    }
    let scale = A::from_bits(context, whole.to_word().plus_constant(127).shifted_left(23));
    let power = series * scale;
    A::choose(x, x.like(-126.0), x.like(0.0), power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_sines_of_turns() {
        for i in -40_000..40_000 {
            let turns = i as f32 * 0.000_37;
            let sine = weald_space::ops::sin(f64::from(turns) * std::f64::consts::TAU);
            assert!((f64::from(wave(turns)) - sine).abs() < 2e-6, "{turns}: {} is not {sine}", wave(turns));
        }
        assert_eq!([0.0, 0.5, 1.0].map(wave::<f32>), [0.0; 3]);
    }

    #[test]
    fn powers_are_powers() {
        for exponent in [0.0, 1.0, 2.0, 7.0, 16.0, 0.5, 1.5, 2.2, 0.1, 17.0, -1.0, -0.5, -2.0] {
            for i in 1..3000 {
                let base = i as f32 * 0.01;
                let exact = weald_space::ops::pow(base.into(), exponent.into());
                let error = (f64::from(power(base, exponent)) - exact).abs() / exact;
                assert!(error < 1e-5, "{base}^{exponent}: off by {error}");
            }
        }
        assert_eq!(
            [power(-2.0, 3.0), power(-2.0, 2.5), power(0.0, 0.5), power(0.0, 0.0)],
            [-8.0, 0.0, 0.0, 1.0]
        );
    }
}
