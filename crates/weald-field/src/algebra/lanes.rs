//! As many points at once as the machine has lanes.
//!
//! The lanes are those of `fearless_simd`, chosen at run time: a tape is compiled for SSE4.2, AVX2 and AVX-512 on x86-64, and
//! for NEON on ARM.
//! Every operation is that of the scalar in each lane: multiplications and additions are never fused, minima are
//! comparisons and selections, divisions and roots are exact. So the bits are the scalar's at each width, which the
//! conformance suite holds over all ops.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

pub use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::{Algebra, LEAST_DIVISOR, Pointwise, Table, Word, functions};

/// One number a lane.
#[derive(Clone, Copy)]
pub struct Lanes<S: Simd>(pub S::f32s);

/// One word a lane.
#[derive(Clone, Copy)]
pub struct WordLanes<S: Simd>(S::u32s);

impl<S: Simd> Lanes<S> {
    /// Points at once.
    pub const COUNT: usize = <S::f32s as SimdBase<S>>::LEN;

    #[inline(always)]
    pub(crate) fn load(simd: S, from: &[f32]) -> Self {
        Lanes(S::f32s::from_slice(simd, from))
    }

    #[inline(always)]
    pub(crate) fn store(self, to: &mut [f32]) {
        self.0.store_slice(to);
    }
}

impl<S: Simd> WordLanes<S> {
    #[inline(always)]
    pub(crate) fn load(simd: S, from: &[u32]) -> Self {
        WordLanes(S::u32s::from_slice(simd, from))
    }

    #[inline(always)]
    pub(crate) fn store(self, to: &mut [u32]) {
        self.0.store_slice(to);
    }
}

impl<S: Simd> fmt::Debug for Lanes<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.as_slice()).finish()
    }
}

impl<S: Simd> fmt::Debug for WordLanes<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.as_slice()).finish()
    }
}

impl<S: Simd> Neg for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(-self.0)
    }
}

impl<S: Simd> Add for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Lanes(self.0 + other.0)
    }
}

impl<S: Simd> Sub for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Lanes(self.0 - other.0)
    }
}

impl<S: Simd> Mul for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Lanes(self.0 * other.0)
    }
}

impl<S: Simd> Add<f32> for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, constant: f32) -> Self {
        Lanes(self.0 + constant)
    }
}

impl<S: Simd> Mul<f32> for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, constant: f32) -> Self {
        Lanes(self.0 * constant)
    }
}

impl<S: Simd> Algebra for Lanes<S> {
    type Context = S;

    #[inline(always)]
    fn constant(simd: S, value: f32) -> Self {
        Lanes(S::f32s::splat(simd, value))
    }
    #[inline(always)]
    fn context(self) -> S {
        self.0.token()
    }
    #[inline(always)]
    fn divide(self, by: Self) -> Self {
        let least = self.like(LEAST_DIVISOR).0;
        let tiny = by.0.abs().simd_lt(least);
        Lanes(self.0 / tiny.select(least.copysign(by.0), by.0))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Lanes(self.0.simd_le(other.0).select(self.0, other.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Lanes(self.0.simd_ge(other.0).select(self.0, other.0))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Lanes(self.0.abs())
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Lanes(self.0.floor())
    }
    #[inline(always)]
    fn root(self) -> Self {
        Lanes(self.like(0.0).max(self).0.sqrt())
    }
    #[inline(always)]
    fn wave(self) -> Self {
        functions::wave(self)
    }
    #[inline(always)]
    fn power(self, exponent: f32) -> Self {
        functions::power(self, exponent)
    }
    #[inline(always)]
    fn length<const N: usize>(of: [Self; N]) -> Self {
        let mut sum = of[0].0 * of[0].0;
        for component in &of[1..] {
            sum += component.0 * component.0;
        }
        Lanes(sum.sqrt())
    }
    #[inline(always)]
    fn choose(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        Lanes(a.0.simd_le(b.0).select(then.0, otherwise.0))
    }
}

impl<S: Simd> Pointwise for Lanes<S> {
    type Word = WordLanes<S>;

    #[inline(always)]
    fn word(simd: S, value: u32) -> WordLanes<S> {
        WordLanes(S::u32s::splat(simd, value))
    }
    #[inline(always)]
    fn to_word(self) -> WordLanes<S> {
        WordLanes(S::i32s::truncate_from_precise(self.0).bitcast())
    }
    #[inline(always)]
    fn from_word(_simd: S, word: WordLanes<S>) -> Self {
        let signed: S::i32s = word.0.bitcast();
        Lanes(S::f32s::float_from(signed))
    }
    #[inline(always)]
    fn bits(self) -> WordLanes<S> {
        WordLanes(self.0.bitcast())
    }
    #[inline(always)]
    fn from_bits(_simd: S, bits: WordLanes<S>) -> Self {
        Lanes(bits.0.bitcast())
    }
    #[inline(always)]
    fn pick(word: WordLanes<S>, then: Self, otherwise: Self) -> Self {
        let zero = S::u32s::splat(word.0.token(), 0);
        Lanes(word.0.simd_eq(zero).select(otherwise.0, then.0))
    }
    #[inline(always)]
    fn lookup(simd: S, table: Table, number: WordLanes<S>) -> Self {
        let last = table.0.len() - 1;
        let number = number.0.as_slice();
        Lanes(S::f32s::from_fn(
            simd,
            #[inline(always)]
            |lane| table.0[(number[lane] as usize).min(last)],
        ))
    }
    #[inline(always)]
    fn along(value: Self, _axis: usize, _slope: f32) -> Self {
        value
    }
}

impl<S: Simd> Word for WordLanes<S> {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        WordLanes(self.0 + other.0)
    }
    #[inline(always)]
    fn plus_constant(self, constant: u32) -> Self {
        WordLanes(self.0 + constant)
    }
    #[inline(always)]
    fn times(self, constant: u32) -> Self {
        WordLanes(self.0 * constant)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        WordLanes(self.0 ^ other.0)
    }
    #[inline(always)]
    fn and(self, constant: u32) -> Self {
        WordLanes(self.0 & constant)
    }
    #[inline(always)]
    fn or(self, constant: u32) -> Self {
        WordLanes(self.0 | constant)
    }
    #[inline(always)]
    fn shifted_right(self, by: u32) -> Self {
        WordLanes(self.0 >> by)
    }
    #[inline(always)]
    fn shifted_left(self, by: u32) -> Self {
        WordLanes(self.0 << by)
    }
}
