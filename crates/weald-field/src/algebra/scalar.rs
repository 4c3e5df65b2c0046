//! One point at a time: the reference.

use super::{Algebra, LEAST_DIVISOR, Pointwise, Table, Word, functions};

impl Algebra for f32 {
    type Context = ();

    #[inline(always)]
    fn constant((): (), value: f32) -> Self {
        value
    }
    #[inline(always)]
    fn context(self) {}
    #[inline(always)]
    fn divide(self, by: Self) -> Self {
        self / if f32::abs(by) < LEAST_DIVISOR { LEAST_DIVISOR.copysign(by) } else { by }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self <= other { self } else { other }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self >= other { self } else { other }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        f32::floor(self)
    }
    #[inline(always)]
    fn root(self) -> Self {
        Algebra::max(0.0, self).sqrt()
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
        let mut sum = of[0] * of[0];
        for component in &of[1..] {
            sum += component * component;
        }
        sum.sqrt()
    }
    #[inline(always)]
    fn choose(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        if a <= b { then } else { otherwise }
    }
}

impl Pointwise for f32 {
    type Word = u32;

    #[inline(always)]
    fn word((): (), value: u32) -> u32 {
        value
    }
    #[inline(always)]
    fn to_word(self) -> u32 {
        self as i32 as u32
    }
    #[inline(always)]
    fn from_word((): (), word: u32) -> Self {
        word as i32 as f32
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bits()
    }
    #[inline(always)]
    fn from_bits((): (), bits: u32) -> Self {
        f32::from_bits(bits)
    }
    #[inline(always)]
    fn pick(word: u32, then: Self, otherwise: Self) -> Self {
        if word != 0 { then } else { otherwise }
    }
    #[inline(always)]
    fn lookup((): (), table: Table, number: u32) -> Self {
        let last = table.0.len() - 1;
        table.0[(number as usize).min(last)]
    }
    #[inline(always)]
    fn along(value: Self, _axis: usize, _slope: f32) -> Self {
        value
    }
}

impl Word for u32 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn plus_constant(self, constant: u32) -> Self {
        self.wrapping_add(constant)
    }
    #[inline(always)]
    fn times(self, constant: u32) -> Self {
        self.wrapping_mul(constant)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn and(self, constant: u32) -> Self {
        self & constant
    }
    #[inline(always)]
    fn or(self, constant: u32) -> Self {
        self | constant
    }
    #[inline(always)]
    fn shifted_right(self, by: u32) -> Self {
        self >> by
    }
    #[inline(always)]
    fn shifted_left(self, by: u32) -> Self {
        self << by
    }
}
