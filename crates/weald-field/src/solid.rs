//! Solids and coordinates: what a leaf without a payload means.
//!
//! Distances are Euclidean, negative inside. The box and the cylinder follow the usual construction from the distances
//! to their faces (Quilez, "distance functions"): outside, the length of those that are positive; inside, the greatest
//! of them. At ties (medial planes, edges, the very centre) the gradient is that of one face, or zero: always finite.

use glam::{BVec3, DVec3};
use weald_space::{Axis, ops};

use crate::algebra::Algebra;
use crate::error::FieldError;
use crate::term::{finite, positive, put, require};

/// A solid around its origin, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// One coordinate, relative to the origin.
    Coordinate(Axis),
    /// A ball.
    Sphere {
        /// Above zero.
        radius: f32,
    },
    /// A box, turned about z.
    Cuboid {
        /// From the centre to the faces, all above zero.
        half_size: [f32; 3],
        /// Cosine and sine of the turn.
        turn: [f32; 2],
    },
    /// A cylinder.
    Cylinder {
        /// Of unit length.
        axis: [f32; 3],
        /// Above zero.
        radius: f32,
        /// From the centre to a base, above zero.
        half_height: f32,
    },
    /// What lies behind a plane.
    HalfSpace {
        /// Of unit length, pointing outside.
        normal: [f32; 3],
    },
}

impl Solid {
    /// A box turned by degrees, exactly where these are a multiple of 90.
    #[must_use]
    pub fn cuboid(half_size: DVec3, turn_deg: f64) -> Self {
        let (sine, cosine) = ops::sin_cos_deg(turn_deg);
        Solid::Cuboid { half_size: half_size.as_vec3().to_array(), turn: [cosine as f32, sine as f32] }
    }

    /// A cylinder along an axis of any length but zero.
    #[must_use]
    pub fn cylinder(axis: DVec3, radius: f64, half_height: f64) -> Self {
        let axis = axis.normalize_or_zero().as_vec3().to_array();
        Solid::Cylinder { axis, radius: radius as f32, half_height: half_height as f32 }
    }

    /// What lies behind a plane with a normal of any length but zero.
    #[must_use]
    pub fn half_space(normal: DVec3) -> Self {
        Solid::HalfSpace { normal: normal.normalize_or_zero().as_vec3().to_array() }
    }

    pub(crate) fn reads(&self) -> BVec3 {
        match self {
            Solid::Coordinate(axis) => BVec3::new(*axis == Axis::X, *axis == Axis::Y, *axis == Axis::Z),
            _ => BVec3::TRUE,
        }
    }

    /// Checks the parameters and returns the name that people know the solid by.
    pub(crate) fn check(&self) -> Result<&'static str, FieldError> {
        let unit = |op, name, v: [f32; 3]| {
            let length = f32::length(v).into();
            require(op, name, [length], |l| l > 0.5 && l < 2.0, "a finite vector other than zero")
        };
        match *self {
            Solid::Coordinate(_) => Ok("coordinate"),
            Solid::Sphere { radius } => positive("sphere", "radius", [radius.into()]).map(|()| "sphere"),
            Solid::Cuboid { half_size, turn } => {
                positive("box", "half size", half_size.map(f64::from))?;
                finite("box", "turn", turn.map(f64::from)).map(|()| "box")
            }
            Solid::Cylinder { axis, radius, half_height } => {
                unit("cylinder", "axis", axis)?;
                positive("cylinder", "radius", [radius.into()])?;
                positive("cylinder", "half height", [half_height.into()]).map(|()| "cylinder")
            }
            Solid::HalfSpace { normal } => unit("plane", "normal", normal).map(|()| "plane"),
        }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Solid::Coordinate(axis) => out.extend([0, axis as u8]),
            Solid::Sphere { radius } => {
                out.push(1);
                put(out, [radius.into()]);
            }
            Solid::Cuboid { half_size, turn } => {
                out.push(2);
                put(out, half_size.map(f64::from));
                put(out, turn.map(f64::from));
            }
            Solid::Cylinder { axis, radius, half_height } => {
                out.push(3);
                put(out, axis.map(f64::from));
                put(out, [radius.into(), half_height.into()]);
            }
            Solid::HalfSpace { normal } => {
                out.push(4);
                put(out, normal.map(f64::from));
            }
        }
    }

    /// Evaluates the solid for each lane; `local` gives a lane's position relative to the origin.
    #[inline]
    pub(crate) fn lanes<A: Algebra>(&self, local: impl Fn(usize) -> [A; 3], out: &mut [A]) {
        match *self {
            Solid::Coordinate(axis) => each(out, |lane| local(lane)[axis.index()]),
            Solid::Sphere { radius } => each(out, |lane| sphere(local(lane), radius)),
            Solid::Cuboid { half_size, turn } => each(out, |lane| cuboid(local(lane), half_size, turn)),
            Solid::Cylinder { axis, radius, half_height } => {
                each(out, |lane| cylinder(local(lane), axis, radius, half_height));
            }
            Solid::HalfSpace { normal } => each(out, |lane| dot(local(lane), normal)),
        }
    }
}

#[inline(always)]
fn each<A: Algebra>(out: &mut [A], value: impl Fn(usize) -> A) {
    for (lane, out) in out.iter_mut().enumerate() {
        *out = value(lane);
    }
}

#[inline(always)]
fn dot<A: Algebra>(v: [A; 3], w: [f32; 3]) -> A {
    v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
}

#[inline(always)]
fn sphere<A: Algebra>(p: [A; 3], radius: f32) -> A {
    A::length(p) + -radius
}

#[inline(always)]
fn cuboid<A: Algebra>([x, y, z]: [A; 3], half_size: [f32; 3], [cosine, sine]: [f32; 2]) -> A {
    let in_box = [x * cosine + y * sine, y * cosine + x * -sine, z];
    from_faces([
        in_box[0].abs() + -half_size[0],
        in_box[1].abs() + -half_size[1],
        in_box[2].abs() + -half_size[2],
    ])
}

#[inline(always)]
fn cylinder<A: Algebra>(p: [A; 3], axis: [f32; 3], radius: f32, half_height: f32) -> A {
    let along = dot(p, axis);
    let across = [p[0] - along * axis[0], p[1] - along * axis[1], p[2] - along * axis[2]];
    from_faces([A::length(across) + -radius, along.abs() + -half_height])
}

/// The distance to what is behind all faces, from the distances to pairwise orthogonal faces.
#[inline(always)]
fn from_faces<A: Algebra, const N: usize>(faces: [A; N]) -> A {
    let zero = A::constant(0.0);
    let mut greatest = faces[0];
    for face in &faces[1..] {
        greatest = greatest.max(*face);
    }
    A::length(faces.map(|face| zero.max(face))) + greatest.min(zero)
}
