//! How great and how steep noise can be.
//!
//! *Ranges.* Value noise is a convex combination of numbers in [-1, 1]. For the other two with slopes, |N| is at most the
//! sum over lattice points of max |w g · d|, where w is the weight of a point there, d the place seen from it, and the
//! maximum goes over the directions g. Worley's distances are cut off.
//!
//! *Slopes.* In direction u the slope of w g · d is w g · u + (g · d) (∇w · u), and that of value noise is at most
//! the sum of |∇w · u|. A sum of maxima again, and one that any choice of directions at the lattice points respects;
//! its maximum over unit vectors u is a Lipschitz constant, and bounds the slope along each axis. Worley's F1 and F2 do
//! not grow faster than the distance (see [`super::worley`]), their difference not twice as fast.
//!
//! All these sums depend on the place in a cell alone. Tests bound them over the whole cell and over all directions by
//! subdivision with interval arithmetic: that proves [`Basis::range`] and [`Basis::steepness`].

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
            (Basis::Gradient, Domain::Plane) => Enclosure::within(1.0),
            (Basis::Gradient | Basis::Simplex, Domain::Space) => Enclosure::within(1.05),
            (Basis::Simplex, Domain::Plane) => Enclosure::within(1.02),
            (Basis::Worley(_), _) => Enclosure::hull(0.0, worley::REACH + ROUNDING),
        }
    }

    /// No change of one layer of amplitude 1 is faster, in any direction, a cell, rounding included.
    fn steepness(self, domain: Domain) -> f32 {
        match (self, domain) {
            (Basis::Value, _) => 4.0,
            (Basis::Gradient, Domain::Plane) => 3.0,
            (Basis::Gradient, Domain::Space) => 4.0,
            (Basis::Simplex, Domain::Plane) => 6.25,
            (Basis::Simplex, Domain::Space) => 8.0,
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
    /// The fastest change, a metre.
    fn slope(&self) -> f32 {
        let folds = if self.fractal == Fractal::Fbm { 1.0 } else { 2.0 };
        self.amplitude().abs() * self.basis.steepness(self.domain) * folds * self.frequency() as f32
    }

    /// The constant bound, and the value in the middle give or take what the slope allows on the way to a corner,
    /// intersected; without amplitude.
    ///
    /// The place in the lattice is rounded to f64, which far from the origin moves it; the margin covers that.
    fn bounds(&self, within: Aabb) -> Enclosure {
        let everywhere = self.basis.range(self.domain);
        let axes = if self.domain == Domain::Plane { 2 } else { 3 };
        let (centre, half) = (within.centre().to_array(), (within.size() * 0.5).to_array());
        let mut square = 0.0;
        for axis in 0..axes {
            let farthest = (centre[axis].abs() + half[axis]) * self.frequency() + 1.0;
            let reach = half[axis] * self.frequency() + farthest * (4.0 * f64::EPSILON);
            square += reach * reach;
        }
        let spread = square.sqrt() as f32 * self.basis.steepness(self.domain) * 1.0001 + ROUNDING;
        if spread.is_nan() || spread >= everywhere.hi() - everywhere.lo() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{lattice, simplex};

    /// What a lattice point gives over a box of places.
    struct Point {
        /// The place seen from it.
        away: [Enclosure; 3],
        /// What the weight and its gradient are taken times, here.
        factor: Enclosure,
        weight: Enclosure,
        /// The gradient of the weight.
        rise: [Enclosure; 3],
    }

    fn number(value: f32) -> Enclosure {
        Enclosure::constant((), value)
    }

    fn dot(a: [Enclosure; 3], b: [Enclosure; 3]) -> Enclosure {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// The points that value and gradient noise blend. The quintic rises; its slope does up to the middle, and falls
    /// from there.
    fn blended(axes: usize, place: [Enclosure; 3]) -> Vec<Point> {
        let ends = |of: fn(f32) -> f32, t: Enclosure| Enclosure::hull(of(t.lo()), of(t.hi()));
        let slope = |t: f32| 30.0 * t * t * (t - 1.0) * (t - 1.0);
        let slopes = |t: Enclosure| {
            let ends = ends(slope, t);
            if t.lo() < 0.5 && t.hi() > 0.5 { Enclosure::hull(ends.lo(), slope(0.5)) } else { ends }
        };
        let point = |corner: usize| {
            let far = |axis: usize| corner >> axis & 1 == 1;
            let away = [0, 1, 2].map(|axis| place[axis] + if far(axis) { -1.0 } else { 0.0 });
            let weights = [0, 1, 2].map(|axis| {
                let weight = ends(lattice::fade, place[axis]);
                if far(axis) { weight } else { -weight + 1.0 }
            });
            let rise = [0, 1, 2].map(|axis| {
                let slope = if far(axis) { slopes(place[axis]) } else { -slopes(place[axis]) };
                let others = (0..axes).filter(|&other| other != axis).map(|other| weights[other]);
                others.fold(slope, |product, weight| product * weight)
            });
            let weight = weights[..axes].iter().fold(number(1.0), |product, &w| product * w);
            Point { away, factor: number(1.0), weight, rise }
        };
        (0..1 << axes).map(point).collect()
    }

    /// All points of simplex noise that can reach the cell, by both lattices.
    fn round(axes: usize, place: [Enclosure; 3]) -> Vec<Point> {
        let scale = if axes == 2 { simplex::PLANE_SCALE } else { simplex::SPACE_SCALE };
        let steps = |axis: usize| if axis < axes { [-1.0, 0.0, 1.0, 2.0].as_slice() } else { &[0.0] };
        let mut points = Vec::new();
        for shift in [0.0, 0.5] {
            for &x in steps(0) {
                for &y in steps(1) {
                    for &z in steps(2) {
                        let mut away = place;
                        for (axis, step) in [x, y, z].into_iter().enumerate().take(axes) {
                            away[axis] = place[axis] + (shift - step);
                        }
                        let square = away.iter().fold(number(0.0), |sum, d| sum + Algebra::power(*d, 2.0));
                        let left = Algebra::max(-square + simplex::REACH, number(0.0));
                        if left.hi() > 0.0 {
                            let rise = away.map(|d| d * -6.0);
                            points.push(Point { away, factor: left * left * scale, weight: left, rise });
                        }
                    }
                }
            }
        }
        points
    }

    fn directions(axes: usize) -> Vec<[Enclosure; 3]> {
        if axes == 2 {
            lattice::tests::plane_directions().map(|d| [number(d[0]), number(d[1]), number(0.0)]).to_vec()
        } else {
            lattice::tests::space_directions().into_iter().map(|d| d.map(number)).collect()
        }
    }

    /// The points that reach a box of places, in so many dimensions.
    type Points = fn(usize, [Enclosure; 3]) -> Vec<Point>;

    /// What of a cell has to be looked at.
    #[derive(Clone, Copy, PartialEq)]
    enum Part {
        /// The half with x up to 1/2.
        Half,
        /// The part of it with 1/2 ≥ x ≥ y ≥ z.
        Corner,
    }

    /// The greatest of a sum over boxes that fill a part of a cell, or a failure if it is not proved to stay below
    /// `limit`: boxes over which interval arithmetic does not show it are halved along all axes.
    fn prove(axes: usize, part: Part, limit: f32, sum: &dyn Fn([Enclosure; 3]) -> f32) {
        let halves = |min: [f32; 3], half: f32| {
            let shifted = move |number: usize, axis: usize| min[axis] + half * (number >> axis & 1) as f32;
            (0..1 << axes).map(move |number| ([0, 1, 2].map(|axis| shifted(number, axis)), half))
        };
        let matters = |(min, size): &([f32; 3], f32)| {
            min[0] < 0.5 && (part == Part::Half || (min[0] + size > min[1] && min[1] + size > min[2]))
        };
        let mut boxes: Vec<_> = halves([0.0; 3], 0.5).filter(matters).collect();
        while let Some((min, size)) = boxes.pop() {
            let size_along = |axis: usize| if axis < axes { size } else { 0.0 };
            let sum = sum([0, 1, 2].map(|axis| Enclosure::hull(min[axis], min[axis] + size_along(axis))));
            if sum + 1e-4 <= limit {
                continue;
            }
            assert!(size > 1.0 / 512.0, "{sum} at {min:?} is not below {limit}");
            boxes.extend(halves(min, size * 0.5).filter(matters));
        }
    }

    /// Lattices and gradients are symmetric under reflections and permutations of the axes, so a corner of the cell
    /// stands for all.
    fn prove_range(axes: usize, limit: f32, points: Points) {
        let directions = directions(axes);
        prove(axes, Part::Corner, limit, &|place| {
            let greatest = |point: &Point| {
                let each = directions.iter().map(|&g| (point.weight * dot(g, point.away)).magnitude());
                point.factor.hi() * each.fold(0.0, f32::max)
            };
            points(axes, place).iter().map(greatest).sum()
        });
    }

    /// Proves it for directions u = (1, a, b) with a and b multiples of 1/4 and 0 ≤ b ≤ a ≤ 1, which stand for all:
    /// lattices and gradients are symmetric under the permutations and reflections of the axes, and another direction
    /// (1, a, b) is nearer than √2/8 to one of these. The gradient's length is its slope in its own direction, which
    /// is at most that in the next of these over the cosine between them. A reflection of all axes changes u to -u, so
    /// half a cell stands for all.
    fn prove_steepness(
        axes: usize,
        limit: f32,
        points: Points,
        slope: &dyn Fn(&Point, [Enclosure; 3]) -> f32,
    ) {
        let mut directions = Vec::new();
        for a in 0..=4_u8 {
            for b in 0..=if axes == 3 { a } else { 0 } {
                let (a, b) = (f32::from(a) * 0.25, f32::from(b) * 0.25);
                let length = (1.0 + a * a + b * b).sqrt();
                directions.push([1.0, a, b].map(|c| number(c / length)));
            }
        }
        let cosine = 1.0 / (1.0 + 2.0 / 64.0_f32).sqrt();
        prove(axes, Part::Half, limit * cosine, &|place| {
            let points = points(axes, place);
            let in_direction = |u: &[Enclosure; 3]| points.iter().map(|point| slope(point, *u)).sum();
            directions.iter().map(in_direction).fold(0.0, f32::max)
        });
    }

    fn prove_slopes(axes: usize, limit: f32, points: Points) {
        let directions = directions(axes);
        prove_steepness(axes, limit, points, &|point, u| {
            let rise = dot(point.rise, u);
            let slope = |&g: &[Enclosure; 3]| point.weight * dot(g, u) + dot(g, point.away) * rise;
            point.factor.hi() * directions.iter().map(|g| slope(g).magnitude()).fold(0.0, f32::max)
        });
    }

    #[test]
    fn gradient_noise_is_proved_to_stay_within_its_range() {
        prove_range(2, Basis::Gradient.range(Domain::Plane).hi(), blended);
        prove_range(3, Basis::Gradient.range(Domain::Space).hi(), blended);
    }

    #[test]
    fn simplex_noise_is_proved_to_stay_within_its_range() {
        prove_range(2, Basis::Simplex.range(Domain::Plane).hi(), round);
        prove_range(3, Basis::Simplex.range(Domain::Space).hi(), round);
    }

    #[test]
    fn value_noise_is_proved_to_be_no_steeper_than_its_bound() {
        let slope = |point: &Point, u: [Enclosure; 3]| dot(point.rise, u).magnitude();
        prove_steepness(2, Basis::Value.steepness(Domain::Plane), blended, &slope);
        prove_steepness(3, Basis::Value.steepness(Domain::Space), blended, &slope);
    }

    #[test]
    fn gradient_noise_is_proved_to_be_no_steeper_than_its_bound() {
        prove_slopes(2, Basis::Gradient.steepness(Domain::Plane), blended);
        prove_slopes(3, Basis::Gradient.steepness(Domain::Space), blended);
    }

    #[test]
    fn simplex_noise_is_proved_to_be_no_steeper_than_its_bound() {
        prove_slopes(2, Basis::Simplex.steepness(Domain::Plane), round);
        prove_slopes(3, Basis::Simplex.steepness(Domain::Space), round);
    }
}
