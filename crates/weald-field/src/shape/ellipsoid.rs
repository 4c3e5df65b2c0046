//! Ellipsoids: a distance to first order.
//!
//! The Euclidean distance to an ellipsoid has no closed form. What is used is the scaled norm less one, divided by its
//! own slope (Quilez, "ellipsoid"; Taubin 1994): k₀ (k₀ - 1) / k₁ with k₀ = |p / r| and k₁ = |p / r²|.
//!
//! - It is zero on the surface and nowhere else, and there its gradient is the normal, of unit length.
//! - Outside it is never more than the distance: k₀ is convex, so no point nearer than (k₀ - 1) / slope reaches 1.
//! - Inside, that quotient has no limit in the centre. It is drawn there to the least radius, by the square of k₀, which
//!   changes neither the zero nor the gradient on it. So it is continuous, and in the centre exact.
//!
//! The quotient k₀ / k₁ is a mean of the radii and is clamped to their range, which it leaves by rounding only; that
//! makes enclosures tight: the sign is that of k₀ - 1, where every coordinate occurs once.

use crate::algebra::Algebra;

/// An ellipsoid around the origin, prepared for evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ellipsoid {
    /// One over each radius.
    inverse: [f32; 3],
    /// One over each radius, squared.
    inverse_square: [f32; 3],
    least: f32,
    greatest: f32,
}

impl Ellipsoid {
    /// The least and the greatest radius, in metres: beyond them squares of their inverses leave the range of f32.
    pub(crate) const RADII: [f32; 2] = [1e-6, 1e9];

    /// With these half axes in metres, within [`Ellipsoid::RADII`].
    pub(crate) fn new(radii: [f32; 3]) -> Self {
        let least = f32::min(radii[0], f32::min(radii[1], radii[2]));
        let greatest = f32::max(radii[0], f32::max(radii[1], radii[2]));
        let inverse = |r: f32| 1.0 / f64::from(r);
        Ellipsoid {
            inverse: radii.map(|r| inverse(r) as f32),
            inverse_square: radii.map(|r| (inverse(r) * inverse(r)) as f32),
            least,
            greatest,
        }
    }

    /// The distance to first order at a place.
    #[inline(always)]
    pub(crate) fn distance<A: Algebra>(&self, [x, y, z]: [A; 3]) -> A {
        let (a, b) = (self.inverse, self.inverse_square);
        let norm = A::length([x * a[0], y * a[1], z * a[2]]);
        let slope = A::length([x * b[0], y * b[1], z * b[2]]);
        let least = norm.like(self.least);
        let radius = norm.divide(slope).min(norm.like(self.greatest)).max(least);
        let inside = norm.min(norm.like(1.0));
        (norm + -1.0) * ((radius - least) * (inside * inside) + self.least)
    }
}
