//! A value with its gradient.

use std::ops::{Add, Mul, Neg, Sub};

use super::{Algebra, Pointwise, Table, smooth_min};

// Arrays are written out here: `array::map` in what is compiled for every level and op took a quarter of all code.

/// A value and its change per metre along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<N = f32> {
    /// The value, with the bits that the tape gives without gradients.
    pub value: N,
    /// Its derivatives along x, y and z.
    pub gradient: [N; 3],
}

impl<N: Algebra> Dual<N> {
    /// A value with this gradient.
    #[inline(always)]
    pub const fn new(value: N, gradient: [N; 3]) -> Self {
        Dual { value, gradient }
    }

    /// A value that is the same all around.
    #[inline(always)]
    pub fn level(value: N) -> Self {
        Dual::new(value, [value.like(0.0); 3])
    }

    /// The chain rule: `outer` at this value, with slope `slope`.
    #[inline(always)]
    fn chain(self, outer: N, slope: N) -> Self {
        let [x, y, z] = self.gradient;
        Dual::new(outer, [x * slope, y * slope, z * slope])
    }

    #[inline(always)]
    fn zip(self, other: Self, value: N, with: impl Fn(N, N) -> N) -> Self {
        let (a, b) = (self.gradient, other.gradient);
        Dual::new(value, [with(a[0], b[0]), with(a[1], b[1]), with(a[2], b[2])])
    }
}

impl<N: Algebra> Neg for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let [x, y, z] = self.gradient;
        Dual::new(-self.value, [-x, -y, -z])
    }
}

impl<N: Algebra> Add for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, self.value + other.value, |a, b| a + b)
    }
}

impl<N: Algebra> Sub for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, self.value - other.value, |a, b| a - b)
    }
}

impl<N: Algebra> Mul for Dual<N> {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl, reason = "the product rule is a sum")]
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, self.value * other.value, |a, b| a * other.value + b * self.value)
    }
}

impl<N: Algebra> Add<f32> for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, constant: f32) -> Self {
        Dual::new(self.value + constant, self.gradient)
    }
}

impl<N: Algebra> Mul<f32> for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, constant: f32) -> Self {
        let [x, y, z] = self.gradient;
        Dual::new(self.value * constant, [x * constant, y * constant, z * constant])
    }
}

impl<N: Algebra> Algebra for Dual<N> {
    type Context = N::Context;

    #[inline(always)]
    fn constant(context: N::Context, value: f32) -> Self {
        Dual::new(N::constant(context, value), [N::constant(context, 0.0); 3])
    }
    #[inline(always)]
    fn context(self) -> N::Context {
        self.value.context()
    }
    #[inline(always)]
    fn divide(self, by: Self) -> Self {
        let quotient = self.value.divide(by.value);
        self.zip(by, quotient, |a, b| (a - quotient * b).divide(by.value))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let (a, b) = (self.value, other.value);
        self.zip(other, a.min(b), |x, y| N::choose(a, b, x, y))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let (a, b) = (self.value, other.value);
        self.zip(other, a.max(b), |x, y| N::choose(b, a, x, y))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let one = self.value.like(1.0);
        self.chain(self.value.abs(), N::choose(self.value.like(0.0), self.value, one, -one))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Dual::new(self.value.floor(), [self.value.like(0.0); 3])
    }
    /// At zero the slope is that of a number near zero, so that the gradient is finite.
    #[inline(always)]
    fn root(self) -> Self {
        let root = self.value.root();
        let zero = root.like(0.0);
        let slope = root.like(0.5).divide(root.max(root.like(LEAST_ROOT)));
        self.chain(root, N::choose(self.value, zero, zero, slope))
    }
    #[inline(always)]
    fn wave(self) -> Self {
        let cosine = (self.value + 0.25).wave();
        self.chain(self.value.wave(), cosine * std::f32::consts::TAU)
    }
    #[inline(always)]
    fn power(self, exponent: f32) -> Self {
        let power = self.value.power(exponent);
        if exponent == 0.0 {
            return self.chain(power, self.value.like(0.0));
        }
        let base = if exponent < 1.0 { self.value.max(self.value.like(LEAST_ROOT)) } else { self.value };
        self.chain(power, base.power(exponent - 1.0) * exponent)
    }
    #[inline(always)]
    fn length<const M: usize>(of: [Self; M]) -> Self {
        let mut values = [of[0].value; M];
        for (value, component) in values.iter_mut().zip(&of) {
            *value = component.value;
        }
        let length = N::length(values);
        let one = length.like(1.0);
        let mut sum = Dual::constant(length.context(), 0.0);
        for component in of {
            let cosine = (-one).max(one.min(component.value.divide(length)));
            sum = sum + component.chain(component.value, cosine);
        }
        Dual::new(length, sum.gradient)
    }
    #[inline(always)]
    fn choose(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        let pick = |x, y| N::choose(a.value, b.value, x, y);
        then.zip(otherwise, pick(then.value, otherwise.value), pick)
    }
    #[inline(always)]
    fn smooth_min(self, other: Self, radius: f32) -> Self {
        Dual::new(self.value.smooth_min(other.value, radius), smooth_min(self, other, radius).gradient)
    }
    #[inline(always)]
    fn wrap(self, period: f32) -> Self {
        Dual::new(self.value.wrap(period), self.gradient)
    }
}

/// Slopes of roots and small powers are those of this number where it is nearer to zero.
const LEAST_ROOT: f32 = 1e-12;

impl<N: Pointwise> Pointwise for Dual<N> {
    type Word = N::Word;

    #[inline(always)]
    fn word(context: N::Context, value: u32) -> N::Word {
        N::word(context, value)
    }
    #[inline(always)]
    fn to_word(self) -> N::Word {
        self.value.to_word()
    }
    #[inline(always)]
    fn from_word(context: N::Context, word: N::Word) -> Self {
        Dual::level(N::from_word(context, word))
    }
    #[inline(always)]
    fn bits(self) -> N::Word {
        self.value.bits()
    }
    #[inline(always)]
    fn from_bits(context: N::Context, bits: N::Word) -> Self {
        Dual::level(N::from_bits(context, bits))
    }
    #[inline(always)]
    fn pick(word: N::Word, then: Self, otherwise: Self) -> Self {
        let pick = |x, y| N::pick(word, x, y);
        then.zip(otherwise, pick(then.value, otherwise.value), pick)
    }
    #[inline(always)]
    fn lookup(context: N::Context, table: Table, number: N::Word) -> Self {
        Dual::level(N::lookup(context, table, number))
    }
    #[inline(always)]
    fn along(value: Self, axis: usize, slope: f32) -> Self {
        let mut gradient = [value.value.like(0.0); 3];
        gradient[axis] = value.value.like(slope);
        Dual::new(value.value, gradient)
    }
}
