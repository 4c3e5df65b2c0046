//! Outlines: simple polygons in the plane, made ready for distances.

use glam::DVec2;
use robust::{Coord, orient2d};

use super::NAME;
use super::tree::Tree;
use crate::error::FieldError;
use crate::term::require;

/// The most points of an outline. A block of points costs what is near it, and a hundred times more points would do no
/// harm there; but the check that no edges meet compares, in the worst outline (a zigzag of long edges that all lie in
/// each other's boxes), each edge with each other one: 0.4 s at this many points, and four times as long at twice as many.
pub(super) const MOST_POINTS: usize = 4096;

/// How far a point may lie from the origin of the world, in metres.
const FARTHEST: f64 = 1e12;

/// The corners of a simple polygon, counter-clockwise, relative to an origin.
pub(super) struct Outline {
    pub(super) origin: DVec2,
    pub(super) corners: Vec<[f32; 2]>,
}

impl Outline {
    /// Checks points, in either order; a point that repeats the one before is dropped.
    pub(super) fn new(points: &[DVec2]) -> Result<Self, FieldError> {
        let holds = |count: f64| count >= 3.0 && count <= MOST_POINTS as f64;
        require(NAME, "number of points", [points.len() as f64], holds, "from 3 to 4096")?;
        for (index, point) in points.iter().enumerate() {
            if let Some(value) = point.to_array().into_iter().find(|c| c.is_nan() || c.abs() > FARTHEST) {
                let limit = "finite and within 1e12";
                return Err(FieldError::Part { op: NAME, index, name: "coordinate", value, limit });
            }
        }
        let (mut min, mut max) = (points[0], points[0]);
        for &point in points {
            (min, max) = (min.min(point), max.max(point));
        }
        let origin = (min + max) * 0.5;
        let (mut corners, mut sources) = (Vec::new(), Vec::new());
        for (source, &point) in points.iter().enumerate() {
            let corner = (point - origin).as_vec2().to_array();
            if corners.last() == Some(&corner) {
                sources.pop();
            } else {
                corners.push(corner);
            }
            sources.push(source);
        }
        while corners.len() > 1 && corners.first() == corners.last() {
            corners.pop();
        }
        require(NAME, "number of distinct points", [corners.len() as f64], |n| n >= 3.0, "3 or more")?;
        if let Some((first, second)) = meeting_edges(&corners) {
            return Err(FieldError::OutlineMeets { first: sources[first], second: sources[second] });
        }
        if is_clockwise(&corners) {
            corners.reverse();
        }
        Ok(Outline { origin, corners })
    }
}

/// Two edges, by the numbers of the corners that they start from, that have more in common than the end of one that is
/// the start of the next.
fn meeting_edges(corners: &[[f32; 2]]) -> Option<(usize, usize)> {
    let count = corners.len();
    let corner = |i: usize| corners[i % count];
    let tree = Tree::new(corners);
    for first in 0..count {
        let [a, b] = [corner(first), corner(first + 1)];
        if folds_back(a, b, corner(first + 2)) {
            return Some((first, (first + 1) % count));
        }
        let mut meeting = None;
        tree.overlapping([a, b], &mut |second| {
            let adjacent = second == first + 1 || (first == 0 && second == count - 1);
            if second > first
                && !adjacent
                && meeting.is_none()
                && meet([a, b], [corner(second), corner(second + 1)])
            {
                meeting = Some((first, second));
            }
        });
        if meeting.is_some() {
            return meeting;
        }
    }
    None
}

/// Where `c` lies as seen from the line from `a` to `b`: above zero to its left. The sign is exact (Shewchuk 1997).
fn side(a: [f32; 2], b: [f32; 2], c: [f32; 2]) -> f64 {
    let [a, b, c] = [a, b, c].map(|p| Coord { x: f64::from(p[0]), y: f64::from(p[1]) });
    orient2d(a, b, c)
}

/// Whether the way from `a` to `b` and on to `c` goes back over itself.
fn folds_back(a: [f32; 2], b: [f32; 2], c: [f32; 2]) -> bool {
    let toward = |p: [f32; 2], axis: usize| f64::from(p[axis]) - f64::from(b[axis]);
    side(a, b, c) == 0.0 && toward(a, 0) * toward(c, 0) + toward(a, 1) * toward(c, 1) > 0.0
}

/// Whether two segments have a point in common.
fn meet([a, b]: [[f32; 2]; 2], [c, d]: [[f32; 2]; 2]) -> bool {
    let sides = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)];
    let apart = |p: f64, q: f64| (p < 0.0 && q > 0.0) || (p > 0.0 && q < 0.0);
    if apart(sides[0], sides[1]) && apart(sides[2], sides[3]) {
        return true;
    }
    let on = |p: [f32; 2], [a, b]: [[f32; 2]; 2]| {
        (0..2).all(|i| p[i] >= f32::min(a[i], b[i]) && p[i] <= f32::max(a[i], b[i]))
    };
    [(c, [a, b]), (d, [a, b]), (a, [c, d]), (b, [c, d])]
        .into_iter()
        .zip(sides)
        .any(|((point, segment), side)| side == 0.0 && on(point, segment))
}

/// Whether a simple polygon has its inside to the right: seen at its least corner, which is convex.
fn is_clockwise(corners: &[[f32; 2]]) -> bool {
    let count = corners.len();
    let mut least = 0;
    for i in 1..count {
        if corners[i] < corners[least] {
            least = i;
        }
    }
    side(corners[(least + count - 1) % count], corners[least], corners[(least + 1) % count]) < 0.0
}
