//! The number systems that a field is computed with.
//!
//! Each op's meaning is written once, generic over [`Algebra`]. `f32` computes it, [`Dual`] differentiates it (forward
//! mode, Wengert 1964) and [`Enclosure`] bounds it over a box (interval arithmetic, Moore 1966). They nest:
//! `Dual<Enclosure>` bounds the gradient over a box.
//!
//! *Enclosures need no directed rounding here.* What must be enclosed is not the real value but the f32 that the tape
//! computes, and each basic operation on f32 is the exact one followed by rounding to nearest, which is monotone.
//! The extremes of a monotone operation lie at the ends of its arguments, and there the enclosure does the same rounded
//! operation as the scalar. So as long as both run the same operations in the same order, the computed value lies
//! between the computed ends. Ops whose bounds come from elsewhere (noise, heightfields, smooth minima) add a margin
//! for rounding.

use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

use weald_space::Interval;

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
    /// The number that is the same everywhere.
    fn constant(value: f32) -> Self;
    /// The quotient; divisors nearer to zero than [`LEAST_DIVISOR`] count as that, with their sign.
    fn divide(self, by: Self) -> Self;
    /// The lesser; `self` where they are equal.
    fn min(self, other: Self) -> Self;
    /// The greater; `self` where they are equal.
    fn max(self, other: Self) -> Self;
    /// The distance from zero; its gradient at zero is that of `self`.
    fn abs(self) -> Self;
    /// The length of a vector with these components; its gradient at zero is zero.
    fn length<const N: usize>(of: [Self; N]) -> Self;
    /// `then` where `a` is at most `b`, else `otherwise`; both where it is not decided.
    fn choose(a: Self, b: Self, then: Self, otherwise: Self) -> Self;
    /// The minimum with a rounded corner: see [`smooth_min`], which this equals up to the margin of an enclosure.
    fn smooth_min(self, other: Self, radius: f32) -> Self {
        smooth_min(self, other, radius)
    }
}

/// Numbers that stand for one point, where a coordinate has one value.
pub trait Pointwise: Algebra {
    /// A function of one axis (0, 1 or 2) with this value and this slope along it.
    fn along(axis: usize, value: f32, slope: f32) -> Self;
}

/// The quadratic smooth minimum (Quilez): exactly the minimum where the two differ by `radius` or more, and below it by
/// at most `radius` / 4 where they are equal. Its gradient is a mixture of both.
///
/// `radius` must be above zero.
pub fn smooth_min<A: Algebra>(a: A, b: A, radius: f32) -> A {
    let near = A::constant(0.0).max((b - a).abs() * (-1.0 / radius) + 1.0);
    a.min(b) - near * near * (radius * 0.25)
}

impl Algebra for f32 {
    #[inline(always)]
    fn constant(value: f32) -> Self {
        value
    }
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
    #[inline(always)]
    fn along(_axis: usize, value: f32, _slope: f32) -> Self {
        value
    }
}

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

    /// The chain rule: `outer` at this value, with slope `slope`.
    #[inline(always)]
    fn chain(self, outer: N, slope: N) -> Self {
        Dual::new(outer, self.gradient.map(|g| g * slope))
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
        Dual::new(-self.value, self.gradient.map(|g| -g))
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
        Dual::new(self.value * constant, self.gradient.map(|g| g * constant))
    }
}

impl<N: Algebra> Algebra for Dual<N> {
    #[inline(always)]
    fn constant(value: f32) -> Self {
        Dual::new(N::constant(value), [N::constant(0.0); 3])
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
        let one = N::constant(1.0);
        self.chain(self.value.abs(), N::choose(N::constant(0.0), self.value, one, -one))
    }
    #[inline(always)]
    fn length<const M: usize>(of: [Self; M]) -> Self {
        let length = N::length(of.map(|c| c.value));
        let one = N::constant(1.0);
        let mut sum = Dual::constant(0.0);
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
}

impl Pointwise for Dual {
    #[inline(always)]
    fn along(axis: usize, value: f32, slope: f32) -> Self {
        let mut gradient = [0.0; 3];
        gradient[axis] = slope;
        Dual::new(value, gradient)
    }
}

/// Every value that an expression can take over a box: an [`Interval`] with arithmetic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosure(pub Interval);

impl Enclosure {
    /// All numbers between two, in whichever order; everything, if one is not a number.
    #[must_use]
    #[inline]
    pub fn hull(a: f32, b: f32) -> Self {
        if a.is_nan() || b.is_nan() {
            return Enclosure(Interval::ALL);
        }
        Enclosure(Interval { lo: Algebra::min(a, b), hi: Algebra::max(a, b) })
    }

    /// All numbers up to this far from zero.
    #[must_use]
    pub fn within(magnitude: f32) -> Self {
        Enclosure::hull(-magnitude, magnitude)
    }

    /// The numbers in both; this one, if there are none (which only rounding can bring about).
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        let (lo, hi) = (Algebra::max(self.lo(), other.lo()), Algebra::min(self.hi(), other.hi()));
        if lo <= hi { Enclosure::hull(lo, hi) } else { self }
    }

    /// The least number.
    #[must_use]
    pub const fn lo(self) -> f32 {
        self.0.lo
    }

    /// The greatest number.
    #[must_use]
    pub const fn hi(self) -> f32 {
        self.0.hi
    }

    /// The greatest distance from zero.
    #[must_use]
    pub fn magnitude(self) -> f32 {
        Algebra::max(f32::abs(self.lo()), f32::abs(self.hi()))
    }

    fn square(self) -> Self {
        let positive = Algebra::abs(self);
        Enclosure::hull(positive.lo() * positive.lo(), positive.hi() * positive.hi())
    }

    fn from_corners(corners: [f32; 4]) -> Self {
        let mut hull = Enclosure::hull(corners[0], corners[1]);
        for corner in &corners[2..] {
            if corner.is_nan() {
                return Enclosure(Interval::ALL);
            }
            hull = Enclosure::hull(Algebra::min(hull.lo(), *corner), Algebra::max(hull.hi(), *corner));
        }
        hull
    }
}

impl Neg for Enclosure {
    type Output = Self;
    fn neg(self) -> Self {
        Enclosure::hull(-self.hi(), -self.lo())
    }
}

impl Add for Enclosure {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Enclosure::hull(self.lo() + other.lo(), self.hi() + other.hi())
    }
}

impl Sub for Enclosure {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Enclosure::hull(self.lo() - other.hi(), self.hi() - other.lo())
    }
}

impl Mul for Enclosure {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Enclosure::from_corners([a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi])
    }
}

impl Add<f32> for Enclosure {
    type Output = Self;
    fn add(self, constant: f32) -> Self {
        Enclosure::hull(self.lo() + constant, self.hi() + constant)
    }
}

impl Mul<f32> for Enclosure {
    type Output = Self;
    fn mul(self, constant: f32) -> Self {
        Enclosure::hull(self.lo() * constant, self.hi() * constant)
    }
}

impl Algebra for Enclosure {
    fn constant(value: f32) -> Self {
        Enclosure::hull(value, value)
    }
    fn divide(self, by: Self) -> Self {
        if by.lo() <= 0.0 && by.hi() >= 0.0 {
            return Enclosure(Interval::ALL);
        }
        let (a, b) = (self.0, by.0);
        Enclosure::from_corners([a.lo.divide(b.lo), a.lo.divide(b.hi), a.hi.divide(b.lo), a.hi.divide(b.hi)])
    }
    fn min(self, other: Self) -> Self {
        Enclosure::hull(Algebra::min(self.lo(), other.lo()), Algebra::min(self.hi(), other.hi()))
    }
    fn max(self, other: Self) -> Self {
        Enclosure::hull(Algebra::max(self.lo(), other.lo()), Algebra::max(self.hi(), other.hi()))
    }
    fn abs(self) -> Self {
        if self.lo() >= 0.0 {
            self
        } else if self.hi() <= 0.0 {
            -self
        } else {
            Enclosure::hull(0.0, self.magnitude())
        }
    }
    fn length<const N: usize>(of: [Self; N]) -> Self {
        let mut sum = of[0].square();
        for component in &of[1..] {
            sum = sum + component.square();
        }
        Enclosure::hull(sum.lo().sqrt(), sum.hi().sqrt())
    }
    fn choose(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        if a.hi() <= b.lo() {
            then
        } else if a.lo() > b.hi() {
            otherwise
        } else {
            Enclosure::hull(Algebra::min(then.lo(), otherwise.lo()), Algebra::max(then.hi(), otherwise.hi()))
        }
    }
    /// The smooth minimum grows with both arguments, so its extremes are at their ends; computed in f32 it does so up
    /// to a few roundings of the largest number on the way, which the margin covers. The generic form, which loses the
    /// tie between the minimum and the distance of the two, holds as well, and the two are intersected.
    fn smooth_min(self, other: Self, radius: f32) -> Self {
        let lo = smooth_min(self.lo(), other.lo(), radius);
        let hi = smooth_min(self.hi(), other.hi(), radius);
        let margin = 1e-6 * (self.magnitude() + other.magnitude() + radius);
        smooth_min(self, other, radius).intersect(Enclosure::hull(lo - margin, hi + margin))
    }
}
