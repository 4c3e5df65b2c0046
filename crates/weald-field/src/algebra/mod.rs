//! The number systems that a field is computed with.
//!
//! Each op's meaning is written once, generic over [`Algebra`]:
//!
//! - `f32` computes it, and is the reference;
//! - [`Lanes`] computes it for as many points at once as the machine has lanes, with the same bits;
//! - [`Dual`] differentiates it (forward mode, Wengert 1964);
//! - [`Enclosure`] bounds it over a box (interval arithmetic, Moore 1966);
//! - [`Symbol`] prints it as WGSL.
//!
//! They nest: `Dual<Lanes>` gives exact normals, `Dual<Enclosure>` bounds the gradient over a box. An op that lacks one
//! of them does not compile.
//!
//! *Enclosures need no directed rounding here.* What must be enclosed is not the real value but the f32 that the tape
//! computes, and each basic operation on f32 is the exact one followed by rounding to nearest, which is monotone.
//! The extremes of a monotone operation lie at the ends of its arguments, and there the enclosure does the same rounded
//! operation as the scalar. So as long as both run the same operations in the same order, the computed value lies
//! between the computed ends. Ops whose bounds come from elsewhere (noise, heightfields, smooth minima, powers, waves)
//! add a margin for rounding.

mod dual;
mod enclosure;
mod functions;
mod lanes;
mod scalar;
mod symbol;

pub use dual::Dual;
pub use enclosure::Enclosure;
pub use lanes::{Lanes, Simd, WordLanes};
pub use symbol::{Printer, Symbol, WordSymbol};

use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

/// Divisors nearer to zero than this count as this, so that a quotient of numbers is a number.
pub const LEAST_DIVISOR: f32 = 1e-30;

/// Numbers that a field can be computed with.
pub trait Algebra:
    Copy
    + Debug
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Add<f32, Output = Self>
    + Mul<f32, Output = Self>
{
    /// What it takes to make a number out of nothing: the proof of a SIMD level, a printer, or nothing.
    type Context: Copy;

    /// The number that is the same everywhere.
    fn constant(context: Self::Context, value: f32) -> Self;
    /// What this number was made with.
    fn context(self) -> Self::Context;
    /// A constant of the same kind as this number.
    #[inline(always)]
    fn like(self, value: f32) -> Self {
        Self::constant(self.context(), value)
    }
    /// The quotient; divisors nearer to zero than [`LEAST_DIVISOR`] count as that, with their sign.
    fn divide(self, by: Self) -> Self;
    /// The lesser; `self` where they are equal.
    fn min(self, other: Self) -> Self;
    /// The greater; `self` where they are equal.
    fn max(self, other: Self) -> Self;
    /// The distance from zero; its gradient at zero is that of `self`.
    fn abs(self) -> Self;
    /// The greatest whole number that is not greater; its gradient is zero.
    fn floor(self) -> Self;
    /// The square root; of numbers below zero, zero.
    fn root(self) -> Self;
    /// The sine of this many turns, within 2e-6, for up to 2²² turns.
    fn wave(self) -> Self;
    /// This number to a constant power.
    ///
    /// Powers that are whole numbers from 0 to 16 are products and take numbers below zero as they are; for others,
    /// these count as zero. Within 1e-5 of the result. A power below zero is one over that above.
    fn power(self, exponent: f32) -> Self;
    /// The length of a vector with these components; its gradient at zero is zero.
    fn length<const N: usize>(of: [Self; N]) -> Self;
    /// `then` where `a` is at most `b`, else `otherwise`; both where it is not decided.
    fn choose(a: Self, b: Self, then: Self, otherwise: Self) -> Self;
    /// The minimum with a rounded corner: see [`smooth_min`], which this equals up to the margin of an enclosure.
    #[inline(always)]
    fn smooth_min(self, other: Self, radius: f32) -> Self {
        smooth_min(self, other, radius)
    }
    /// The distance from the nearest multiple of `period`, signed: the place in a row of equal cells around those.
    #[inline(always)]
    fn wrap(self, period: f32) -> Self {
        self - (self * (1.0 / period) + 0.5).floor() * period
    }
    /// `a` where `t` is 0 or less, `b` where it is 1 or more, and on the line through both between.
    #[inline(always)]
    fn mix(a: Self, b: Self, t: Self) -> Self {
        let between = Self::choose(t.like(1.0), t, b, a + (b - a) * t);
        Self::choose(t, t.like(0.0), a, between)
    }
}

/// Numbers that stand for one point each: they can be taken apart into bits and looked up in tables.
pub trait Pointwise: Algebra {
    /// Whole numbers from 0 to 2³² - 1, or as many as there are lanes.
    type Word: Word;

    /// The word that is the same everywhere.
    fn word(context: Self::Context, value: u32) -> Self::Word;
    /// A whole number between -2³¹ and 2³¹ as two's complement; others as the nearest of these, NaN as 0.
    fn to_word(self) -> Self::Word;
    /// The number that a word is in two's complement, rounded to nearest.
    fn from_word(context: Self::Context, word: Self::Word) -> Self;
    /// The bits of the value.
    fn bits(self) -> Self::Word;
    /// The number with these bits, without gradient.
    fn from_bits(context: Self::Context, bits: Self::Word) -> Self;
    /// `then` where the word is not zero, else `otherwise`.
    fn pick(word: Self::Word, then: Self, otherwise: Self) -> Self;
    /// An entry of a table, by its number; the last one, if the number is greater. No gradient.
    fn lookup(context: Self::Context, table: Table, number: Self::Word) -> Self;
    /// A number that has this value, and this slope along an axis (0, 1 or 2).
    fn along(value: Self, axis: usize, slope: f32) -> Self;
}

/// A table of constants.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a>(pub &'a [f32]);

/// Whole numbers modulo 2³², or as many as there are lanes.
pub trait Word: Copy + Debug {
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The sum with a constant.
    fn plus_constant(self, constant: u32) -> Self;
    /// The product with a constant.
    fn times(self, constant: u32) -> Self;
    /// Bits that are set in one of both.
    fn xor(self, other: Self) -> Self;
    /// Bits that are set in both.
    fn and(self, constant: u32) -> Self;
    /// Bits that are set in one or the other.
    fn or(self, constant: u32) -> Self;
    /// All bits moved down.
    fn shifted_right(self, by: u32) -> Self;
    /// All bits moved up.
    fn shifted_left(self, by: u32) -> Self;
}

/// `array::map` that is inlined: what is compiled for lanes must be, and that is not.
#[inline(always)]
pub(crate) fn each<T: Copy, U: Copy, const N: usize>(of: [T; N], make: impl Fn(T) -> U) -> [U; N] {
    let mut made = [make(of[0]); N];
    for i in 1..N {
        made[i] = make(of[i]);
    }
    made
}

/// The quadratic smooth minimum (Quilez): exactly the minimum where the two differ by `radius` or more, and below it by
/// at most `radius` / 4 where they are equal. Its gradient is a mixture of both.
///
/// `radius` must be above zero.
#[inline(always)]
pub fn smooth_min<A: Algebra>(a: A, b: A, radius: f32) -> A {
    let near = a.like(0.0).max((b - a).abs() * (-1.0 / radius) + 1.0);
    a.min(b) - near * near * (radius * 0.25)
}
