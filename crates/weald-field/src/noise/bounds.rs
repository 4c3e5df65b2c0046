//! How great and how steep noise can be.

use weald_space::Aabb;

use super::{Basis, Domain, Fractal, Noise, Octave, Spot, WorleyKind, worley};
use crate::algebra::{Algebra, Dual, Enclosure};

/// More than what rounding can add to a layer of amplitude 1: some fifty operations on numbers up to 4, each off by at
/// most 2⁻²⁴ of its result.
const ROUNDING: f32 = 2e-5;

impl Basis {
    /// All values of one layer of amplitude 1, rounding included.
    fn range(self, domain: Domain) -> Enclosure {
        match (self, domain) {
            (Basis::Value, _) => Enclosure::within(1.0 + ROUNDING),
            (Basis::Gradient, Domain::Space) => Enclosure::within(1.05),
            (Basis::Gradient, Domain::Plane) | (Basis::Simplex, _) => Enclosure::within(1.0),
            (Basis::Worley(_), _) => Enclosure::hull(0.0, worley::REACH + ROUNDING),
        }
    }

    /// No change of one layer of amplitude 1 along one axis is faster, a cell, rounding included.
    fn slope(self, domain: Domain) -> f32 {
        match (self, domain) {
            (Basis::Value, _) => 3.75 + ROUNDING,
            (Basis::Gradient, Domain::Plane) => 3.0,
            (Basis::Gradient, Domain::Space) => 4.0,
            (Basis::Simplex, Domain::Plane) => 5.2,
            (Basis::Simplex, Domain::Space) => 5.75,
            (Basis::Worley(WorleyKind::F1 | WorleyKind::F2), _) => 1.0 + ROUNDING,
            (Basis::Worley(WorleyKind::F2MinusF1), _) => 2.0 + ROUNDING,
        }
    }
}

impl Noise {
    /// A range for all values inside a box relative to the origin.
    pub(crate) fn bounds(&self, within: Aabb) -> Enclosure {
        let mut sum = Enclosure::constant((), 0.0);
        for octave in self.octaves() {
            sum = octave.add(sum, octave.bounds(within));
        }
        sum
    }

    /// A range for all values and gradients inside a box relative to the origin.
    pub(crate) fn dual_bounds(&self, within: Aabb) -> Dual<Enclosure> {
        let slope: f32 = self.octaves().iter().map(Octave::slope).sum();
        let slope = Enclosure::within(slope * 1.0001);
        let up = if self.reads().z { slope } else { Enclosure::constant((), 0.0) };
        Dual::new(self.bounds(within), [slope, slope, up])
    }

    /// How far rounding can move a place that comes from a number in f32 up to so many metres from zero, in metres.
    pub(crate) fn rounding(&self, metres: f64) -> f64 {
        self.octaves().iter().map(|octave| octave.rounding(metres)).fold(0.0, f64::max)
    }
}

impl Octave {
    /// The fastest change along an axis, a metre.
    fn slope(&self) -> f32 {
        let folds = if self.fractal == Fractal::Fbm { 1.0 } else { 2.0 };
        self.amplitude().abs() * self.basis.slope(self.domain) * folds * self.frequency() as f32
    }

    /// The constant bound, and the value in the middle give or take what the slope allows, intersected; without
    /// amplitude.
    ///
    /// The place in the lattice is rounded to f64, which far from the origin moves it; the margin covers that.
    fn bounds(&self, within: Aabb) -> Enclosure {
        let everywhere = self.basis.range(self.domain);
        let axes = if self.domain == Domain::Plane { 2 } else { 3 };
        let (centre, half) = (within.centre().to_array(), (within.size() * 0.5).to_array());
        let mut reach = 0.0;
        for axis in 0..axes {
            let farthest = (centre[axis].abs() + half[axis]) * self.frequency() + 1.0;
            reach += half[axis] * self.frequency() + farthest * (4.0 * f64::EPSILON);
        }
        let spread = reach as f32 * self.basis.slope(self.domain) * 1.0001 + ROUNDING;
        if spread.is_nan() || spread >= everywhere.magnitude() {
            return everywhere;
        }
        let middle = self.at(centre);
        everywhere.intersect(Enclosure::hull(middle - spread, middle + spread))
    }

    /// The value at one place, without amplitude.
    fn at(&self, local: [f64; 3]) -> f32 {
        let spot = |axis: usize| {
            let (cell, part) = self.split(axis, local[axis]);
            Spot::<f32> { cell, part }
        };
        match self.domain {
            Domain::Plane => self.in_plane((), [spot(0), spot(1)]),
            Domain::Space => self.in_space((), [spot(0), spot(1), spot(2)]),
        }
    }
}
