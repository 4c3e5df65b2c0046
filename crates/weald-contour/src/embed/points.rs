//! Points on edges and faces, and the lines between them.

use glam::DVec3;

use super::{CHORD_COSINE, Heat, Patch, Side, point, rounded_in};
use crate::complex::{ABSENT, CrossedEdge, Face, Pair};
use crate::place::POSITION_STEPS;

/// How far the point of an edge stays from its ends, as a part of it. The quadric keeps the true crossing, so this
/// moves only points that are added; 5 % instead of 0.1 % took the triangles below two degrees on a box at 33³ from
/// 0.51 to 0.19 % for a mean error of 0.0015 instead of 0.0013 cells, and 10 % gains nothing more. Polygons with
/// added points are common beside other levels (one in six at 1 : 2), so slivers count here, where they do not among equals
/// ([`dual`](crate::dual)).
const EDGE_INSET: f64 = 0.05;

/// How far a face point stays from the sides of its face, as a part of the face.
const FACE_INSET: f64 = 0.05;

/// What the segment between two vertices must stay away from the sides of a face, as a part of the face: as much as the
/// envelope test leaves along an edge.
const PASSAGE_MARGIN: f64 = 1e-4;

/// Weight that keeps a face point at the middle of its chord where the two tangents are parallel.
const TANGENT_WEIGHT: f64 = 2e-3;

/// Depth of a tent, as a part of its width: the line over the face from one crossing to another on the same side of it.
const TENT_DEPTH: f64 = 0.25;

/// Rounds in which the lines of one face are drawn apart: first the face points to their chords, then lower tents.
const DRAWS: usize = 14;
const DRAWS_TO_CHORD: usize = 4;
const DRAW: f64 = 0.4;

/// A pair's line over its face, counted from the face's lowest corner: its ends, and between them at most one point.
pub(super) type Line = [Option<DVec3>; 3];

pub(super) fn edge_point(edge: &CrossedEdge) -> DVec3 {
    let mut offset = DVec3::ZERO;
    offset[edge.axis.index()] = f64::from(edge.t).clamp(EDGE_INSET, 1.0 - EDGE_INSET) * f64::from(edge.size);
    point(edge.low) + rounded_in(offset, edge.size)
}

impl Patch<'_> {
    pub(super) fn face(&self, pair: usize) -> &Face {
        &self.complex.faces()[self.complex.pairs()[pair].face as usize]
    }

    fn ends(&self, pair: usize) -> [&CrossedEdge; 2] {
        self.complex.pairs()[pair].ends.map(|edge| &self.complex.edges()[edge as usize])
    }

    /// The axis and the direction into the face, if both crossings lie on one side of it.
    fn tent_direction(&self, pair: usize) -> Option<(usize, f64)> {
        let (face, [one, other]) = (self.face(pair), self.ends(pair));
        let (u, v) = face.axis.across();
        let across = if one.axis == u { v } else { u }.index();
        let together = one.axis == other.axis && one.low[across] == other.low[across];
        together.then(|| (across, if one.low[across] == face.min[across] { 1.0 } else { -1.0 }))
    }

    fn takes_chord(&self, pair: usize) -> bool {
        let normals = self.ends(pair).map(|edge| edge.normal.as_dvec3());
        normals[0].dot(normals[1]) >= CHORD_COSINE && self.tent_direction(pair).is_none()
    }

    fn end_points(&self, pair: usize) -> [DVec3; 2] {
        let Pair { ends, .. } = self.complex.pairs()[pair];
        let min = point(self.face(pair).min);
        ends.map(|edge| self.edge_points[edge as usize] - min)
    }

    /// Where the two tangents meet in the face, as nearly as its margin allows; from the face's lowest corner.
    pub(super) fn tangents_meet(&self, pair: usize) -> DVec3 {
        let face = self.face(pair);
        let (u, v) = face.axis.across();
        let (u, v) = (u.index(), v.index());
        let ends = self.ends(pair).map(|edge| (edge.crossing_from(face.min), edge.normal.as_dvec3()));
        let middle = (ends[0].0 + ends[1].0) * 0.5;
        let (mut uu, mut uv, mut vv, mut bu, mut bv) = (TANGENT_WEIGHT, 0.0, TANGENT_WEIGHT, 0.0, 0.0);
        for (at, n) in ends {
            let distance = n[u] * (at[u] - middle[u]) + n[v] * (at[v] - middle[v]);
            uu += n[u] * n[u];
            uv += n[u] * n[v];
            vv += n[v] * n[v];
            bu += n[u] * distance;
            bv += n[v] * distance;
        }
        let determinant = uu * vv - uv * uv;
        let mut meet = middle;
        meet[u] += (vv * bu - uv * bv) / determinant;
        meet[v] += (uu * bv - uv * bu) / determinant;
        within(face, meet)
    }

    /// The middle of the chord, drawn into the face where both crossings lie on one side of it; from the face's lowest
    /// corner. `scale` makes the tent lower.
    pub(super) fn chord_middle(&self, pair: usize, scale: f64) -> DVec3 {
        let [one, other] = self.end_points(pair);
        let face = self.face(pair);
        let mut middle = (one + other) * 0.5;
        if let Some((axis, inward)) = self.tent_direction(pair) {
            let (size, width) = (f64::from(face.size), (one - other).length());
            let depth = (TENT_DEPTH * scale * width).clamp(size / POSITION_STEPS, 0.45 * size);
            middle[axis] += inward * depth;
        }
        rounded_in(middle, face.size)
    }

    /// Where the segment between the vertices on the two sides of a face passes its plane; from the face's lowest corner.
    fn passage(&self, face: &Face, low: DVec3, high: DVec3) -> DVec3 {
        let min = point(face.min);
        let (a, b) = (low - min, high - min);
        let axis = face.axis.index();
        let mut at = a + (b - a) * (a[axis] / (a[axis] - b[axis]));
        at[axis] = 0.0;
        at
    }

    /// The face point at the passage between two vertices, kept inside the face; from the face's lowest corner.
    pub(super) fn point_at_passage(&self, face: &Face, low: DVec3, high: DVec3) -> DVec3 {
        within(face, self.passage(face, low, high))
    }

    fn line(&self, pair: usize, over: Option<DVec3>) -> Line {
        let [one, other] = self.end_points(pair);
        [Some(one), over, Some(other)]
    }

    /// The lines that the pairs of a face get if nothing is in their way, or in the given round of drawing apart.
    fn over(&self, pair: usize, round: usize, draw: f64) -> Option<DVec3> {
        if self.takes_chord(pair) {
            return None;
        }
        let lower = (DRAWS_TO_CHORD..=round).fold(1.0, |scale, _| 0.5 * scale);
        let middle = self.chord_middle(pair, lower);
        if round >= DRAWS_TO_CHORD || self.tent_direction(pair).is_some() {
            return Some(middle);
        }
        let wanted = self.tangents_meet(pair);
        Some(rounded_in(middle + (wanted - middle) * draw, self.face(pair).size))
    }

    /// Whether lines over a face would collide if each pair had what it wants.
    pub(super) fn is_crowded(&self, face: &Face) -> bool {
        face.pairs().len() > 1 && self.collide(face, |pair| self.over(pair, 0, 1.0))
    }

    /// Whether the pairs of a face between leaves of one size can all stay dual: the lines over where the segments between
    /// their vertices pass are disjoint. The vertices must be those that stay, of cold leaves.
    pub(super) fn passages_are_apart(&self, face: &Face) -> bool {
        let leaves = [face.low, face.high].map(|leaf| &self.complex.leaves()[leaf as usize]);
        if leaves[0].size != leaves[1].size || leaves.iter().any(|leaf| leaf.beyond) {
            return false;
        }
        let passage = |pair: usize| {
            let [low, high] = self.complex.loops_of_pair(pair);
            if low == ABSENT || high == ABSENT {
                return None;
            }
            let borrowed = [low, high].iter().any(|&index| self.given.borrowed[index as usize]);
            let [low, high] = [low, high].map(|index| self.given.places[index as usize]);
            if borrowed { None } else { Some(rounded_in(self.passage(face, low?, high?), face.size)) }
        };
        face.pairs().all(|pair| passage(pair).is_some()) && !self.collide(face, passage)
    }

    fn collide(&self, face: &Face, over: impl Fn(usize) -> Option<DVec3>) -> bool {
        face.pairs().any(|a| {
            let line = self.line(a, over(a));
            (face.pairs().start..a).any(|b| lines_meet(face, &line, &self.line(b, over(b))))
        })
    }
}

/// A place of a face, counted from its lowest corner, kept away from its sides and rounded.
fn within(face: &Face, place: DVec3) -> DVec3 {
    let size = f64::from(face.size);
    let mut kept = DVec3::ZERO;
    let (u, v) = face.axis.across();
    for axis in [u.index(), v.index()] {
        kept[axis] = place[axis].clamp(FACE_INSET * size, (1.0 - FACE_INSET) * size);
    }
    rounded_in(kept, face.size)
}

/// Decides the sides on the faces of hot leaves and on those where pairs could get in each other's way; the others stay
/// dual for now.
pub(super) fn freeze(patch: &Patch<'_>, heat: &[Heat], sides: &mut Vec<Side>) {
    sides.clear();
    for face in patch.complex.faces() {
        let heats = [face.low, face.high].map(|leaf| heat[leaf as usize]);
        let hot = heats.contains(&Heat::Hot);
        let settled = !heats.contains(&Heat::Unsettled);
        let many = face.pairs().len() > 1;
        let may_collide = many || face.pairs().any(|pair| patch.tent_direction(pair).is_some());
        let double = many && face.pairs().any(|pair| patch.complex.is_double(pair));
        let min = point(face.min);
        if hot || (may_collide && (double || !patch.passages_are_apart(face))) {
            let (mut round, mut draw) = (0, 1.0);
            while round < DRAWS && many && patch.collide(face, |pair| patch.over(pair, round, draw)) {
                round += 1;
                draw *= DRAW;
            }
            sides.extend(face.pairs().map(|pair| match patch.over(pair, round.min(DRAWS - 1), draw) {
                Some(over) => Side::Point(min + over),
                None => Side::Chord,
            }));
        } else if !settled {
            sides.extend(face.pairs().map(|_| Side::Unsettled));
        } else {
            sides.extend(face.pairs().map(|_| Side::Dual));
        }
    }
}

/// Gives a chord or a face point to every side left dual where the segment between the two vertices does not
/// pass through the face.
pub(super) fn pass(patch: &Patch<'_>, heat: &[Heat], places: &[Option<DVec3>], sides: &mut [Side]) {
    let none_borrowed = !patch.given.borrowed.contains(&true);
    for face in patch.complex.faces() {
        let sizes = [face.low, face.high].map(|leaf| patch.complex.leaves()[leaf as usize].size);
        // The union of two leaves of one size is convex, so that the segment passes the face between them.
        let equal = sizes[0] == sizes[1];
        if equal && none_borrowed {
            continue;
        }
        for pair in face.pairs() {
            if sides[pair] != Side::Dual {
                continue;
            }
            let loops = patch.complex.loops_of_pair(pair).map(|index| index as usize);
            debug_assert!(heat[face.low as usize] == Heat::Cold && heat[face.high as usize] == Heat::Cold);
            let [Some(low), Some(high)] = loops.map(|index| places[index]) else {
                sides[pair] = Side::Unsettled;
                continue;
            };
            let borrowed = loops.iter().any(|&index| patch.given.borrowed[index]);
            if equal && !borrowed {
                continue;
            }
            let (u, v) = face.axis.across();
            let (passage, size) = (patch.passage(face, low, high), f64::from(face.size));
            let span = PASSAGE_MARGIN * size..(1.0 - PASSAGE_MARGIN) * size;
            if ![u.index(), v.index()].iter().all(|&axis| span.contains(&passage[axis])) {
                sides[pair] = if patch.takes_chord(pair) {
                    Side::Chord
                } else {
                    Side::Point(point(face.min) + patch.point_at_passage(face, low, high))
                };
            }
        }
    }
}

/// Whether two lines over a face meet, exactly.
fn lines_meet(face: &Face, a: &Line, b: &Line) -> bool {
    let (u, v) = face.axis.across();
    let whole =
        |p: DVec3| [u.index(), v.index()].map(|axis| i128::from((p[axis] * POSITION_STEPS).round() as i64));
    let segments = |line: &Line| {
        let points = line.map(|p| p.map(whole));
        match points {
            [Some(p), Some(q), Some(r)] => [Some([p, q]), Some([q, r])],
            [Some(p), None, Some(r)] => [Some([p, r]), None],
            _ => [None, None],
        }
    };
    let (first, second) = (segments(a), segments(b));
    first.iter().flatten().any(|&[p, q]| second.iter().flatten().any(|&[r, s]| segments_meet(p, q, r, s)))
}

type Whole = [i128; 2];

fn segments_meet(p: Whole, q: Whole, r: Whole, s: Whole) -> bool {
    let turn = |a: Whole, b: Whole, c: Whole| {
        ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).signum()
    };
    let (of_r, of_s) = (turn(p, q, r), turn(p, q, s));
    let (of_p, of_q) = (turn(r, s, p), turn(r, s, q));
    if of_r * of_s > 0 || of_p * of_q > 0 {
        return false;
    }
    let collinear = of_r == 0 && of_s == 0 && of_p == 0 && of_q == 0;
    !collinear || (0..2).all(|i| p[i].min(q[i]) <= r[i].max(s[i]) && r[i].min(s[i]) <= p[i].max(q[i]))
}
