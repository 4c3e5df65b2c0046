//! Signs of determinants, exactly.
//!
//! After Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates" (1997), as
//! implemented by the `robust` crate. Coordinates come from f32, so that neither overflow nor underflow can touch
//! the f64 expansions, and every sign is the sign of the true value.

use glam::DVec3;
use robust::{Coord, Coord3D};

/// On which side of the plane through `a`, `b`, `c` the point `d` lies: -1, 0 or 1.
pub(super) fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i32 {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    sign(robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
}

/// Which way the path `a`, `b`, `c` turns, seen along an axis: -1, 0 or 1.
pub(super) fn turn(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> i32 {
    let coord = |p: DVec3| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] };
    sign(robust::orient2d(coord(a), coord(b), coord(c)))
}

/// An axis along which the three points do not look collinear, unless they are.
pub(super) fn axis_across(a: DVec3, b: DVec3, c: DVec3) -> Option<usize> {
    (0..3).find(|&axis| turn(axis, a, b, c) != 0)
}

/// Whether three points lie on one line, or coincide.
pub(super) fn on_one_line(a: DVec3, b: DVec3, c: DVec3) -> bool {
    axis_across(a, b, c).is_none()
}

fn sign(determinant: f64) -> i32 {
    i32::from(determinant > 0.0) - i32::from(determinant < 0.0)
}
