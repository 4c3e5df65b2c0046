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

use glam::{DVec3, Vec3};
use weald_space::Axis;

use crate::cell::{CellEdge, CellMask};
use crate::name::{VertexKind, VertexName};
use crate::place::{lower_end, rounded};
use crate::tables::{NO_LOOP, loops, partner_on_face};

/// A fan's centre stays this far from the ends of its edge, as a part of the edge, so that none of its triangles
/// degenerates. It is what a fan may lie off a face (T06 asks for 10⁻³); 5 % would halve the slivers of fans, of which
/// there are few: one in a thousand polygons on turned boxes, one in 10⁵ on the example valley.
const EDGE_INSET: f64 = 1.0 / 1024.0;

/// Room that the envelope test leaves, as a part of the edge.
pub(crate) const ENVELOPE_MARGIN: f64 = 1e-4;

/// Weight of a triangle's shape against the distance between the surface and the edge's crossing. Small: it decides
/// on flats, where every diagonal is as near as the other, and leaves creases alone.
const SHAPE_WEIGHT: f64 = 0.05;

/// A cell with its vertices, as a polygon needs it.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// The signs at its corners.
    pub mask: CellMask,
    /// The first of its vertices.
    pub first_vertex: usize,
}

/// The cells that polygons are made of: those of one block, or those of a chunk's and its neighbours' border tables.
pub trait Leaves {
    /// What triangles are made of.
    type Id: Copy;
    /// The id and the place of a leaf's vertex.
    fn vertex(&self, place: [usize; 3], leaf: &Leaf, index: u8) -> (Self::Id, DVec3);
    /// The place along its edge and the normal of a crossing.
    fn crossing(&self, lower_end: [usize; 3], axis: Axis) -> (f32, Vec3);
    /// The id of a vertex on a face or an edge.
    fn add(&mut self, kind: VertexKind, lattice_point: [usize; 3], place: DVec3, normal: Vec3) -> Self::Id;
    /// Takes a triangle.
    fn triangle(&mut self, corners: [Self::Id; 3]);
    /// Takes note of a fan.
    fn note_fan(&mut self) {}
}

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

/// Makes the triangles of one polygon.
pub fn polygon<L: Leaves>(leaves: &mut L, axis: Axis, cells: [[usize; 3]; 4], found: [Leaf; 4]) {
    let edges = edge_in_cell(axis);
    let lower = cells[2];
    let inside_low = found[2].mask.inside(edges[2].low_corner());
    let corners: [(L::Id, DVec3); 4] = std::array::from_fn(|k| {
        let index = loops(found[k].mask).of_edge[edges[k].index()];
        debug_assert_ne!(index, NO_LOOP);
        leaves.vertex(cells[k], &found[k], index)
    });
    let sides: [Option<L::Id>; 4] =
        std::array::from_fn(|k| face_vertex(leaves, axis, k, &cells, &found, &edges));

    let (t, normal) = leaves.crossing(lower, axis);
    let base = DVec3::from_array(lower.map(|c| c as f64));
    if sides.iter().all(Option::is_none) {
        let places = corners.map(|(_, place)| place - base);
        if let Some(d) = best_diagonal(axis, f64::from(t), places) {
            let [a, b, c, e] = std::array::from_fn(|i| corners[(d + i) % 4].0);
            emit(leaves, inside_low, [a, b, c]);
            emit(leaves, inside_low, [a, c, e]);
            return;
        }
    }
    leaves.note_fan();
    let centre = leaves.add(VertexKind::Edge { axis }, lower, edge_point(lower, axis, t), normal);
    for k in 0..4 {
        let (from, to) = (corners[k].0, corners[(k + 1) % 4].0);
        match sides[k] {
            None => emit(leaves, inside_low, [centre, from, to]),
            Some(middle) => {
                emit(leaves, inside_low, [centre, from, middle]);
                emit(leaves, inside_low, [centre, middle, to]);
            }
        }
    }
}

fn emit<L: Leaves>(leaves: &mut L, inside_low: bool, [a, b, c]: [L::Id; 3]) {
    leaves.triangle(if inside_low { [a, b, c] } else { [a, c, b] });
}

/// The vertex on the face between cells `k` and `k + 1`, if the dual edge through it would be used four times.
fn face_vertex<L: Leaves>(
    leaves: &mut L,
    axis: Axis,
    k: usize,
    cells: &[[usize; 3]; 4],
    found: &[Leaf; 4],
    edges: &[CellEdge; 4],
) -> Option<L::Id> {
    let (u, v) = axis.across();
    let next = (k + 1) % 4;
    let across = [u, v][k % 2];
    // The face lies on the max side of the cell that comes first along `across`.
    let (low, high) = if k < 2 { (k, next) } else { (next, k) };
    let (low_face, high_face) = (2 * across.index() + 1, 2 * across.index());
    let double = loops(found[low].mask).double_faces >> low_face
        & loops(found[high].mask).double_faces >> high_face
        & 1;
    if double == 0 {
        return None;
    }
    let (mask, cell, edge) = (found[high].mask, cells[high], edges[high]);
    let partner = partner_on_face(mask, high_face, edge);
    let inside = if mask.inside(edge.low_corner()) { edge.low_corner() } else { edge.high_corner() };
    let pair = inside >> across.across().1.index() & 1;
    let ends = [edge, partner].map(|edge| {
        let end = lower_end(cell, edge);
        let (t, normal) = leaves.crossing(end, edge.axis());
        (edge_point(end, edge.axis(), t), normal)
    });
    let place = rounded((ends[0].0 + ends[1].0) * 0.5);
    // Summed in one order from both polygons that share the vertex.
    let normal = if edge < partner { ends[0].1 + ends[1].1 } else { ends[1].1 + ends[0].1 };
    let normal = normal.try_normalize().unwrap_or(if edge < partner { ends[0].1 } else { ends[1].1 });
    Some(leaves.add(VertexKind::Face { axis: across, pair }, cell, place, normal))
}

fn edge_point(lower_end: [usize; 3], axis: Axis, t: f32) -> DVec3 {
    let mut place = DVec3::from_array(lower_end.map(|c| c as f64));
    place[axis.index()] += f64::from(t).clamp(EDGE_INSET, 1.0 - EDGE_INSET);
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

/// A vertex name in the frame of a block or chunk.
#[must_use]
pub fn name_at(lattice_point: [usize; 3], kind: VertexKind) -> VertexName {
    VertexName::new(lattice_point.map(|c| c as u32), kind)
}
