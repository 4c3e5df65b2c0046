//! Polygons: one for each edge with a sign change, through the vertices of the four cells around it.
//!
//! The edge is owned by the cell on its negative side in both directions across it. Seen along the edge, the four
//! cells are numbered counter-clockwise from the owner: 0 the owner, 1 beyond it along the first axis across, 2 beyond
//! it along both, 3 along the second.
//!
//! A polygon is cut along the diagonal that passes its edge's *envelope test* [Ju, Udeshi 2006]: both triangles stay
//! inside the four tetrahedra between the edge and the dual edges around it, which no other polygon's triangles enter.
//! Where neither diagonal does, the polygon becomes a fan around its edge's crossing; each of the fan's triangles lies
//! inside the envelope by construction.

use glam::DVec3;
use weald_space::Axis;

use crate::cell::{CellEdge, CellMask};
use crate::place::rounded;

/// A fan's centre stays this far from the ends of its edge, as a part of the edge, so that none of its triangles
/// degenerates. It is what a fan may lie off a face (T06 asks for 10⁻³); 5 % would halve the slivers of fans, of which
/// there are few: one in a thousand polygons on turned boxes, one in 10⁵ on the example valley.
const EDGE_INSET: f64 = 1.0 / 1024.0;

/// Room that the envelope test leaves, as a part of the edge.
pub(crate) const ENVELOPE_MARGIN: f64 = 1e-4;

/// Weight of a triangle's shape against the distance between the surface and the edge's crossing. Small: it decides
/// on flats, where every diagonal is as near as the other, and leaves creases alone.
const SHAPE_WEIGHT: f64 = 0.05;

/// The four cells around the edge along `axis` that the cell at `owner` owns.
#[must_use]
pub fn around(owner: [usize; 3], axis: Axis) -> [[usize; 3]; 4] {
    let (u, v) = axis.across();
    let step = |a: bool, b: bool| {
        let mut place = owner;
        place[u.index()] += usize::from(a);
        place[v.index()] += usize::from(b);
        place
    };
    [owner, step(true, false), step(true, true), step(false, true)]
}

/// The axes of the edges that a cell owns and that are crossed.
pub fn owned_crossings(mask: CellMask) -> impl Iterator<Item = Axis> {
    Axis::ALL.into_iter().filter(move |axis| mask.inside(7) != mask.inside(7 ^ (1 << axis.index())))
}

/// The number of the shared edge in each of the four cells around it.
#[must_use]
pub fn edge_in_cell(axis: Axis) -> [CellEdge; 4] {
    [(true, true), (false, true), (false, false), (true, false)].map(|(u, v)| CellEdge::new(axis, u, v))
}

/// The centre of an edge's fan, counted from the edge's lower end, in the edge's length.
pub(crate) fn point_on_edge(axis: Axis, t: f32) -> DVec3 {
    let mut place = DVec3::ZERO;
    place[axis.index()] = f64::from(t).clamp(EDGE_INSET, 1.0 - EDGE_INSET);
    rounded(place)
}

/// The diagonal (from corner 0 or from corner 1) whose triangles stay in the envelope and pass the edge closest to its
/// crossing, with a little regard to their shape; `None` if neither stays inside. Places count from the edge's lower
/// end.
pub(crate) fn best_diagonal(axis: Axis, t: f64, places: [DVec3; 4]) -> Option<usize> {
    let (u, v) = axis.across();
    let turned = places.map(|p| DVec3::new(p[u.index()], p[v.index()], p[axis.index()]));
    let mut best = None;
    let mut least = f64::INFINITY;
    for d in 0..2 {
        if let Some(height) = envelope(std::array::from_fn(|i| turned[(d + i) % 4])) {
            let score = (height - t).abs() - SHAPE_WEIGHT * least_sine(places, d);
            if score < least {
                (best, least) = (Some(d), score);
            }
        }
    }
    best
}

/// The height at which an edge pierces the triangle pair with the diagonal from corner 0 to 2, if the pair stays inside the
/// envelope. Places count from the edge's lower end, in lengths of the edge.
pub(crate) fn envelope_of(axis: Axis, places: [DVec3; 4]) -> Option<f64> {
    let (u, v) = axis.across();
    envelope(places.map(|p| DVec3::new(p[u.index()], p[v.index()], p[axis.index()])))
}

/// Where the edge, from 0 to 1 along the third axis, pierces the triangle pair with the diagonal from corner 0 to 2,
/// if the pair stays inside the envelope.
///
/// The pair has two parts. The edge pierces the triangle on its own side of the diagonal, at a height that must lie on
/// the edge. The diagonal passes the half plane through the edge and the corner on the other side, and must do so
/// inside the triangle of the edge's ends and that corner.
fn envelope(corners: [DVec3; 4]) -> Option<f64> {
    let cross = |p: DVec3, q: DVec3| p.x * q.y - p.y * q.x;
    let [mut i, mut k, mut j, mut l] = corners;
    if cross(i, j) < 0.0 {
        std::mem::swap(&mut i, &mut j);
        std::mem::swap(&mut k, &mut l);
    }
    let (of_l, of_i, of_j) = (cross(i, j), cross(j, l), cross(l, i));
    let sum = of_l + of_i + of_j;
    let height = (of_l * l.z + of_i * i.z + of_j * j.z) / sum;
    let pierced =
        of_i >= 0.0 && of_j >= 0.0 && sum > 0.0 && height > ENVELOPE_MARGIN && height < 1.0 - ENVELOPE_MARGIN;

    let (to_i, to_j) = (cross(k, i), cross(k, j));
    let passage = i + (j - i) * (to_i / (to_i - to_j));
    let part = (passage.x * k.x + passage.y * k.y) / (k.x * k.x + k.y * k.y);
    let (floor, ceiling) = (part * k.z, (1.0 - part) + part * k.z);
    let room = ENVELOPE_MARGIN * (1.0 - part);
    let passes = part < 1.0 - 1e-6 && part > -1e-9 && passage.z > floor + room && passage.z < ceiling - room;
    (pierced && passes).then_some(height)
}

/// The sine of the smallest angle of the two triangles beside the diagonal from corner `d`.
///
/// The smallest angle lies between the two longest sides, so its sine is twice the area over their product.
fn least_sine(places: [DVec3; 4], d: usize) -> f64 {
    let at = |i: usize| places[(d + i) % 4];
    let square = |a: DVec3, b: DVec3, c: DVec3| {
        let (x, y) = (b - a, c - a);
        let (p, q, r) = (x.length_squared(), y.length_squared(), (y - x).length_squared());
        x.cross(y).length_squared() / ((p * q).max(q * r).max(r * p) + 1e-30)
    };
    square(at(0), at(1), at(2)).min(square(at(0), at(2), at(3))).sqrt()
}
