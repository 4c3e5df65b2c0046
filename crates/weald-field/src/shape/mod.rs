//! Shapes: signed distances, negative inside, of solids in their own frame.
//!
//! The frame's origin lies in the middle and its axes along the shape's; where a shape stands is a matter of the place
//! that it is read at. Distances are Euclidean, except that to an ellipsoid (`ellipsoid.rs`) and that inside a torus
//! whose tube is thicker than its ring is wide, which is less deep than it could be. The box and the cylinder follow the
//! usual construction from the distances to their faces (Quilez, "distance functions"): outside, the length of those
//! that are positive; inside, the greatest of them. At ties (medial planes, edges, the very centre) the gradient is that
//! of one face, or zero: always finite.
//!
//! In the formulas of ball, box, torus and cylinder each coordinate occurs once, or in terms that grow together, so the
//! enclosure over a box is the range of the values there, up to rounding. The ellipsoid's sign is as tight, and the round
//! cone has a bound of its own.

mod ellipsoid;
mod round_cone;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod trial;

use weald_space::Interval;

use crate::algebra::{Algebra, Enclosure, each};
use crate::error::FieldError;
use crate::sweep::Sweep;
use crate::term::{finite, positive, put, require};
pub(crate) use ellipsoid::Ellipsoid;
pub(crate) use round_cone::RoundCone;

/// A solid around its origin, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A ball.
    Sphere { radius: f32 },
    /// An ellipsoid with these half axes.
    Ellipsoid { radii: [f32; 3] },
    /// A box, from its centre to its faces.
    Cuboid { half: [f32; 3] },
    /// A box, from its centre to its faces, with edges and corners rounded by a radius.
    RoundedCuboid { half: [f32; 3], rounding: f32 },
    /// The hull of a ball around the origin and a ball around `to`.
    RoundCone { to: [f32; 3], radii: [f32; 2] },
    /// All within `minor` of the circle of radius `major` about z.
    Torus { major: f32, minor: f32 },
    /// A cylinder along z.
    Cylinder { radius: f32, half_height: f32 },
}

impl Shape {
    /// The hull of a ball around the origin and a ball around `to`; a capsule, if the radii are the same.
    pub(crate) fn round_cone(to: [f32; 3], radii: [f32; 2]) -> Self {
        Shape::RoundCone { to, radii }
    }

    /// The name that people know the shape by.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Shape::Sphere { .. } => "sphere",
            Shape::Ellipsoid { .. } => "ellipsoid",
            Shape::Cuboid { .. } => "box",
            Shape::RoundedCuboid { .. } => "rounded box",
            Shape::RoundCone { radii, .. } if radii[0] == radii[1] => "capsule",
            Shape::RoundCone { .. } => "round cone",
            Shape::Torus { .. } => "torus",
            Shape::Cylinder { .. } => "cylinder",
        }
    }

    /// Checks the parameters and returns the name that people know the shape by.
    pub(crate) fn check(&self) -> Result<&'static str, FieldError> {
        let name = self.name();
        match *self {
            Shape::Sphere { radius } => positive(name, "radius", [radius.into()])?,
            Shape::Ellipsoid { radii } => {
                let [least, greatest] = Ellipsoid::RADII.map(f64::from);
                let holds = |r: f64| r >= least && r <= greatest;
                require(name, "radius", radii.map(f64::from), holds, "from 1e-6 to 1e9")?;
            }
            Shape::Cuboid { half } => positive(name, "half size", half.map(f64::from))?,
            Shape::RoundedCuboid { half, rounding } => {
                positive(name, "half size", half.map(f64::from))?;
                let holds = |r: f64| r >= 0.0 && half.iter().all(|&h| r <= f64::from(h));
                require(name, "rounding", [rounding.into()], holds, "from 0 to the least half size")?;
            }
            Shape::RoundCone { to, radii } => {
                finite(name, "length", to.map(f64::from))?;
                let holds = |r: f64| r >= 0.0 && r.is_finite();
                require(name, "radius", radii.map(f64::from), holds, "0 or more and finite")?;
            }
            Shape::Torus { major, minor } => {
                positive(name, "major radius", [major.into()])?;
                positive(name, "minor radius", [minor.into()])?;
            }
            Shape::Cylinder { radius, half_height } => {
                positive(name, "radius", [radius.into()])?;
                positive(name, "half height", [half_height.into()])?;
            }
        }
        Ok(name)
    }

    /// Appends bytes that are equal for equal shapes and different otherwise.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let mut write = |code: u8, numbers: &[f32]| {
            out.push(code);
            numbers.iter().for_each(|&number| put(out, [number.into()]));
        };
        match *self {
            Shape::Sphere { radius } => write(0, &[radius]),
            Shape::Ellipsoid { radii } => write(1, &radii),
            Shape::Cuboid { half } => write(2, &half),
            Shape::RoundedCuboid { half: [x, y, z], rounding } => write(3, &[x, y, z, rounding]),
            Shape::RoundCone { to: [x, y, z], radii: [a, b] } => write(4, &[x, y, z, a, b]),
            Shape::Torus { major, minor } => write(5, &[major, minor]),
            Shape::Cylinder { radius, half_height } => write(6, &[radius, half_height]),
        }
    }

    /// The distance at each place.
    #[inline(always)]
    pub(crate) fn sweep<A: Algebra>(&self, sweep: &mut impl Sweep<A>) {
        match *self {
            Shape::Sphere { radius } => {
                sweep.ternary(
                    #[inline(always)]
                    |p| A::length(p) + -radius,
                );
            }
            Shape::Ellipsoid { radii } => {
                let ellipsoid = Ellipsoid::new(radii);
                sweep.ternary(
                    #[inline(always)]
                    |p| ellipsoid.distance(p),
                );
            }
            Shape::Cuboid { half } => sweep.ternary(
                #[inline(always)]
                |p| cuboid(p, half),
            ),
            Shape::RoundedCuboid { half, rounding } => {
                let core = half.map(|h| h - rounding);
                sweep.ternary(
                    #[inline(always)]
                    |p| cuboid(p, core) + -rounding,
                );
            }
            Shape::RoundCone { to, radii } => {
                let cone = RoundCone::new(to, radii);
                sweep.ternary(
                    #[inline(always)]
                    |p| cone.distance(p),
                );
            }
            Shape::Torus { major, minor } => sweep.ternary(
                #[inline(always)]
                |p| torus(p, major, minor),
            ),
            Shape::Cylinder { radius, half_height } => {
                sweep.ternary(
                    #[inline(always)]
                    |p| cylinder(p, radius, half_height),
                );
            }
        }
    }

    /// Every distance over a box of places: as swept, or tighter.
    pub(crate) fn bounds(&self, at: [Enclosure; 3]) -> Enclosure {
        if let Shape::RoundCone { to, radii } = *self {
            return RoundCone::new(to, radii).bounds(at);
        }
        let mut over = Over { at, out: Enclosure(Interval::ALL) };
        self.sweep(&mut over);
        over.out
    }
}

/// Sweeps one box.
struct Over {
    at: [Enclosure; 3],
    out: Enclosure,
}

impl Sweep<Enclosure> for Over {
    fn nullary(&mut self, op: impl Fn(()) -> Enclosure) {
        self.out = op(());
    }
    fn unary(&mut self, op: impl Fn(Enclosure) -> Enclosure) {
        self.out = op(self.at[0]);
    }
    fn binary(&mut self, op: impl Fn(Enclosure, Enclosure) -> Enclosure) {
        self.out = op(self.at[0], self.at[1]);
    }
    fn ternary(&mut self, op: impl Fn([Enclosure; 3]) -> Enclosure) {
        self.out = op(self.at);
    }
    fn gathered<T>(
        &mut self,
        gather: impl Fn([Enclosure; 3], &mut Vec<T>),
        op: impl Fn(&[T], [Enclosure; 3]) -> Enclosure,
    ) {
        let mut list = Vec::new();
        gather(self.at, &mut list);
        self.out = op(&list, self.at);
    }
}

#[inline(always)]
fn cuboid<A: Algebra>([x, y, z]: [A; 3], half: [f32; 3]) -> A {
    from_faces([x.abs() + -half[0], y.abs() + -half[1], z.abs() + -half[2]])
}

#[inline(always)]
fn torus<A: Algebra>([x, y, z]: [A; 3], major: f32, minor: f32) -> A {
    A::length([A::length([x, y]) + -major, z]) + -minor
}

#[inline(always)]
fn cylinder<A: Algebra>([x, y, z]: [A; 3], radius: f32, half_height: f32) -> A {
    from_faces([A::length([x, y]) + -radius, z.abs() + -half_height])
}

/// The distance to what is behind all faces, from the distances to pairwise orthogonal faces.
#[inline(always)]
pub(crate) fn from_faces<A: Algebra, const N: usize>(faces: [A; N]) -> A {
    let zero = faces[0].like(0.0);
    let mut greatest = faces[0];
    for face in &faces[1..] {
        greatest = greatest.max(*face);
    }
    let outside = each(
        faces,
        #[inline(always)]
        |face| zero.max(face),
    );
    A::length(outside) + greatest.min(zero)
}

/// Every value of a distance over a box, from its value in the middle: nowhere does it change by more than the distance
/// from there.
///
/// `size` is how far the shape reaches from the origin. The computed distance differs from the exact one by a few
/// roundings of the numbers on the way, none of which is greater than the place and the shape together; twice 1e-6 of
/// their sum (16 roundings each, in the middle and elsewhere) covers that.
pub(crate) fn lipschitz<const N: usize>(
    at: [Enclosure; N],
    size: f32,
    distance: impl Fn([f32; N]) -> f32,
) -> Enclosure {
    let middle = at.map(|side| side.lo() * 0.5 + side.hi() * 0.5);
    let (mut reach, mut far) = (0.0, f64::from(size));
    for (side, middle) in at.iter().zip(middle) {
        let middle = f64::from(middle);
        let half = f64::max(f64::from(side.hi()) - middle, middle - f64::from(side.lo()));
        reach += half * half;
        far += middle.abs() + half;
    }
    let reach = (reach.sqrt() + 2e-6 * far) as f32;
    let value = distance(middle);
    Enclosure::hull(value - reach, value + reach)
}
