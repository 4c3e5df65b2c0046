//! Every value over a box.

use std::ops::{Add, Mul, Neg, Sub};

use weald_space::Interval;

use super::functions::whole_exponent;
use super::{Algebra, smooth_min};

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
    type Context = ();

    fn constant((): (), value: f32) -> Self {
        Enclosure::hull(value, value)
    }
    fn context(self) {}
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
    fn floor(self) -> Self {
        Enclosure::hull(self.lo().floor(), self.hi().floor())
    }
    fn root(self) -> Self {
        Enclosure::hull(self.lo().root(), self.hi().root())
    }
    /// Crests lie at a quarter turn and every turn from there, troughs half a turn on; between them the sine is
    /// monotone, up to its error.
    fn wave(self) -> Self {
        const ERROR: f32 = 4e-6;
        const FAR: f32 = 4_194_304.0;
        let everywhere = Enclosure::within(1.0 + ERROR);
        if self.magnitude() >= FAR || self.hi() - self.lo() >= 1.0 {
            return everywhere;
        }
        let ends = Enclosure::hull(self.lo().wave(), self.hi().wave());
        // Rounding may move an end across a crest, by no more than the distance of neighbouring numbers.
        let slack = self.magnitude() * 2e-7 + 1e-6;
        let passes = |at: f32| (self.hi() - at + slack).floor() > (self.lo() - at - slack).floor();
        let hi = if passes(0.25) { 1.0 } else { ends.hi() };
        let lo = if passes(0.75) { -1.0 } else { ends.lo() };
        Enclosure::hull(lo - ERROR, hi + ERROR)
    }
    /// Powers of numbers above zero are monotone, up to their error; even powers fall below zero.
    fn power(self, exponent: f32) -> Self {
        if exponent < 0.0 {
            return Enclosure::constant((), 1.0).divide(self.power(-exponent));
        }
        let base = match whole_exponent(exponent) {
            Some(0) => return Enclosure::constant((), 1.0),
            Some(count) if count % 2 == 0 => self.abs(),
            Some(_) => self,
            None => self.max(Enclosure::constant((), 0.0)),
        };
        let ends = Enclosure::hull(base.lo().power(exponent), base.hi().power(exponent));
        let margin = |end: f32| f32::abs(end) * 1e-5 + 1e-37;
        let widened = Enclosure::hull(ends.lo() - margin(ends.lo()), ends.hi() + margin(ends.hi()));
        if base.lo() >= 0.0 { widened.max(Enclosure::constant((), 0.0)) } else { widened }
    }
    /// In one cell the place is the number less a constant. Half a period either way holds all, up to rounding.
    fn wrap(self, period: f32) -> Self {
        let cell = (self * (1.0 / period) + 0.5).floor();
        if cell.lo() == cell.hi() {
            return self - cell * period;
        }
        Enclosure::within(period * 0.5 * 1.000_01 + self.magnitude() * 1e-6)
    }
    fn mix(a: Self, b: Self, t: Self) -> Self {
        if t.hi() <= 0.0 {
            return a;
        }
        if t.lo() >= 1.0 {
            return b;
        }
        // Between both, up to the rounding of the sum.
        let margin = 1e-6 * (a.magnitude() + b.magnitude());
        let lo = Algebra::min(a.lo(), b.lo()) - margin;
        let hi = Algebra::max(a.hi(), b.hi()) + margin;
        Enclosure::hull(lo, hi)
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
