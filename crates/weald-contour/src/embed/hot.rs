//! Leaves with several loops: which of them are hot, and where their vertices go then.

use glam::{DVec3, I64Vec3};
use weald_mesh::check::triangles_meet;
use weald_space::Seed;
use weald_space::seed::Draw;

use super::polygon::{in_edge, pierced};
use super::{Around, Counts, Heat, Patch, Side, around, point, rounded_in};
use crate::complex::ABSENT;
use crate::dual::{best_diagonal, envelope_of};
use crate::place::{MARGIN, POSITION_STEPS};

/// Rounds in which the vertices of a hot leaf are moved apart. Each loop that meets another tries its own place, three on the
/// way to its curve's mean, that mean, then random convex combinations of the curve, drawn to ever fewer of its points.
/// Of 75,212 hot leaves of pure noise 21,520 had to move, and none was left over; when all loops of a leaf were
/// drawn anew together, one of some 3,000 that had to move was.
const ROUNDS: u32 = 600;

/// Random tries before the combinations are drawn to fewer points, by one power more.
const ROUNDS_A_POWER: u32 = 100;

/// Parts of the way from the mean of a curve to the vertex.
const WAYS: [f64; 5] = [1.0, 0.5, 0.25, 0.1, 0.0];

/// The same numbers are drawn for every leaf, in its own frame, so that neither its place nor its patch matters.
const DRAWS: Seed = Seed::new(0x686f_745f_6c65_6166);

/// A triangle with its box.
#[derive(Clone, Copy, Debug)]
struct Cone {
    at: [DVec3; 3],
    low: DVec3,
    high: DVec3,
}

/// Triangles of the loops of one leaf, and the curves of its loops. Kept between leaves, it allocates nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Cones {
    triangles: Vec<Cone>,
    curve: Vec<DVec3>,
    /// Where the triangles, or the curve, of each loop end.
    ends: Vec<usize>,
    crowded: Vec<bool>,
    /// The vertex of each loop.
    vertices: Vec<DVec3>,
    /// For each loop how many places it has tried, and whether it still meets another.
    tries: Vec<u32>,
    meeting: Vec<bool>,
}

impl Cone {
    fn new(at: [DVec3; 3]) -> Self {
        let [a, b, c] = at;
        Cone { at, low: a.min(b).min(c), high: a.max(b).max(c) }
    }

    /// Whether two triangles meet beyond the places that are corners of both.
    fn meets(&self, other: &Cone) -> bool {
        if !(self.low.cmple(other.high) & other.low.cmple(self.high)).all() {
            return false;
        }
        let shared =
            |j: usize| self.at.iter().position(|p| *p == other.at[j]).map_or(3 + j as u32, |i| i as u32);
        triangles_meet([0, 1, 2], self.at, std::array::from_fn(shared), other.at)
    }
}

impl Cones {
    /// Whether triangles of different loops meet.
    fn any_meet(&self) -> bool {
        (0..self.ends.len()).any(|a| (0..a).any(|b| self.meet(a, b)))
    }

    /// Whether triangles of two loops meet. What they may share lies at one place, but not their own vertices.
    fn meet(&self, a: usize, b: usize) -> bool {
        let of = |k: usize| &self.triangles[if k == 0 { 0 } else { self.ends[k - 1] }..self.ends[k]];
        self.vertices[a] == self.vertices[b] || of(a).iter().any(|s| of(b).iter().any(|t| s.meets(t)))
    }

    fn clear(&mut self) {
        self.triangles.clear();
        self.curve.clear();
        self.ends.clear();
        self.vertices.clear();
    }
}

/// Finds the hot leaves.
pub(super) fn find(patch: &Patch<'_>, heat: &mut Vec<Heat>, cones: &mut Cones, counts: &mut Counts) {
    let complex = patch.complex;
    heat.clear();
    cones.crowded.clear();
    cones.crowded.resize(complex.leaves().len(), false);
    for face in complex.faces() {
        let sides = [face.low, face.high].map(|leaf| leaf as usize);
        if sides.iter().any(|&leaf| complex.loops_of_leaf(leaf).len() > 1) && patch.is_crowded(face) {
            for leaf in sides {
                cones.crowded[leaf] = true;
            }
        }
    }
    for (number, leaf) in complex.leaves().iter().enumerate() {
        let loops = complex.loops_of_leaf(number);
        counts.complex += u32::from(loops.len() > 1);
        let found = if !leaf.complete {
            Heat::Unsettled
        } else if loops.len() < 2 || patch.keeps_to_itself(number, cones) {
            Heat::Cold
        } else if cones.crowded[number] {
            Heat::Hot
        } else {
            cones.clear();
            let known = loops.into_iter().try_for_each(|index| {
                patch.cones_of_loop(index, &mut cones.triangles)?;
                cones.vertices.extend(patch.given.places[index]);
                cones.ends.push(cones.triangles.len());
                Some(())
            });
            match known {
                None => Heat::Unsettled,
                Some(()) if cones.any_meet() => Heat::Hot,
                Some(()) => Heat::Cold,
            }
        };
        counts.hot += u32::from(found == Heat::Hot);
        heat.push(found);
    }
}

impl Patch<'_> {
    /// Whether the loops of a leaf do not meet as they are, and nothing around it can change them: the leaves around its
    /// edges are of its size, with one loop and a vertex of their own cell, and meet each other in one pair a face. Then
    /// no side needs a point, and creases that pass the leaf stay sharp.
    fn keeps_to_itself(&self, number: usize, cones: &mut Cones) -> bool {
        cones.clear();
        let complex = self.complex;
        for index in complex.loops_of_leaf(number) {
            for &edge in complex.loop_edges(index) {
                if !self.is_among_equals(number, edge as usize) {
                    return false;
                }
                let Some(()) = self.lone_triangles(edge as usize, &mut cones.triangles) else { return false };
            }
            cones.vertices.extend(self.given.places[index]);
            cones.ends.push(cones.triangles.len());
        }
        !cones.any_meet()
    }

    /// Whether an edge of a leaf lies between it and three simple leaves of its size.
    fn is_among_equals(&self, number: usize, edge: usize) -> bool {
        let complex = self.complex;
        let size = complex.leaves()[number].size;
        let around = complex.edges()[edge].around;
        let loops = complex.loop_of_quadrant(edge);
        (0..4).all(|k| {
            let (next, pair) = ((k + 1) % 4, complex.pair_of_side(edge)[k]);
            if around[k] == ABSENT || loops[k] == ABSENT || pair == ABSENT {
                return false;
            }
            let leaf = around[k] as usize;
            let is_own = leaf == number;
            let face = self.face(pair as usize);
            let sides_are_single = if is_own || around[next] as usize == number {
                face.pairs().len() == 1 || self.passages_are_apart(face)
            } else {
                face.pairs().len() == 1
            };
            complex.leaves()[leaf].size == size
                && (is_own || complex.loops_of_leaf(leaf).len() == 1)
                && !self.given.borrowed[loops[k] as usize]
                && sides_are_single
        })
    }

    /// The triangles of an edge's polygon without points on faces.
    fn lone_triangles(&self, number: usize, into: &mut Vec<Cone>) -> Option<()> {
        let Around { loops, count, .. } = around(self.complex, number)?;
        let edge = &self.complex.edges()[number];
        let mut places = [DVec3::ZERO; 4];
        for k in 0..count {
            places[k] = self.given.places[loops[k] as usize]?;
        }
        if let Some(d) = best_diagonal(edge.axis, f64::from(edge.t), in_edge(edge, places)) {
            let [a, b, c, e] = std::array::from_fn(|i| places[(d + i) % 4]);
            into.push(Cone::new([a, b, c]));
            into.push(Cone::new([a, c, e]));
        } else {
            let centre = self.edge_points[number];
            for k in 0..count {
                into.push(Cone::new([centre, places[k], places[(k + 1) % count]]));
            }
        }
        Some(())
    }

    /// Every triangle that a later step may make at the vertex of a loop; `None` if a vertex around it is missing.
    fn cones_of_loop(&self, index: usize, into: &mut Vec<Cone>) -> Option<()> {
        let complex = self.complex;
        let (edges, pairs) = (complex.loop_edges(index), complex.loop_pairs(index));
        let leaf = complex.loops()[index].leaf;
        let vertex = self.given.places[index]?;
        for (i, (&edge, &pair)) in edges.iter().zip(pairs).enumerate() {
            let from = self.edge_points[edge as usize];
            let to = self.edge_points[edges[(i + 1) % edges.len()] as usize];
            let pair = pair as usize;
            let face = self.face(pair);
            let min = point(face.min);
            let [low, high] = complex.loops_of_pair(pair);
            let other = if face.low == leaf { high } else { low };
            into.push(Cone::new([vertex, from, to]));
            let across = if face.low == leaf { face.high } else { face.low };
            if complex.leaves()[across as usize].beyond {
                // No polygon passes this face.
                continue;
            }
            let beyond = (other != ABSENT).then(|| self.given.places[other as usize]).flatten()?;
            let (low, high) = if face.low == leaf { (vertex, beyond) } else { (beyond, vertex) };
            for over in [
                min + self.tangents_meet(pair),
                min + self.chord_middle(pair, 1.0),
                min + self.point_at_passage(face, low, high),
                beyond,
            ] {
                into.push(Cone::new([vertex, from, over]));
                into.push(Cone::new([vertex, over, to]));
            }
            self.plain_triangles(edge as usize, into)?;
        }
        Some(())
    }

    /// The triangles of an edge's polygon without points on edge or faces, with either diagonal that is valid.
    fn plain_triangles(&self, number: usize, into: &mut Vec<Cone>) -> Option<()> {
        let edge = &self.complex.edges()[number];
        if edge.around.iter().any(|&leaf| leaf != ABSENT && self.complex.leaves()[leaf as usize].beyond) {
            return Some(());
        }
        let Around { loops, count, .. } = around(self.complex, number)?;
        let mut places = [DVec3::ZERO; 4];
        for k in 0..count {
            places[k] = self.given.places[loops[k] as usize]?;
        }
        let [a, b, c, d] = places;
        if count == 3 {
            if pierced(edge, in_edge(edge, [a, b, c])) {
                into.push(Cone::new([a, b, c]));
            }
            return Some(());
        }
        for [a, b, c, d] in [[a, b, c, d], [b, c, d, a]] {
            if envelope_of(edge.axis, in_edge(edge, [a, b, c, d])).is_some() {
                into.push(Cone::new([a, b, c]));
                into.push(Cone::new([a, c, d]));
            }
        }
        Some(())
    }
}

/// Moves the vertices of hot leaves until their cones over the frozen curves are disjoint. Of leaves of which it is not
/// known whether they are hot, the vertices are not known either.
pub(super) fn pull(
    patch: &Patch<'_>,
    heat: &[Heat],
    sides: &[Side],
    places: &mut [Option<DVec3>],
    cones: &mut Cones,
    counts: &mut Counts,
) {
    for (number, leaf) in patch.complex.leaves().iter().enumerate() {
        let (min, loops) = (point(leaf.min), patch.complex.loops_of_leaf(number));
        match heat[number] {
            Heat::Hot => {}
            Heat::Cold => continue,
            Heat::Unsettled => {
                places[loops].fill(None);
                continue;
            }
        }
        cones.clear();
        for index in loops.clone() {
            let edges = patch.complex.loop_edges(index).iter();
            for (&edge, &pair) in edges.zip(patch.complex.loop_pairs(index)) {
                cones.curve.push(patch.edge_points[edge as usize] - min);
                if let Side::Point(over) = sides[pair as usize] {
                    cones.curve.push(over - min);
                }
            }
            cones.ends.push(cones.curve.len());
        }
        let settled =
            cones.separate(leaf.size, |k| patch.given.places[loops.start + k].map(|place| place - min));
        counts.pulled += u32::from(settled.is_some_and(|rounds| rounds > 0));
        counts.stuck += u32::from(settled.is_none());
        if settled.is_some() {
            for (index, &at) in loops.zip(&cones.vertices) {
                places[index] = Some(min + at);
            }
        }
    }
}

impl Cones {
    /// Finds vertices from which the cones over the curves do not meet, counted from the leaf's lowest corner, and says
    /// in how many rounds; `None` if it finds none. Only loops that meet another try another place.
    fn separate(&mut self, size: i32, own: impl Fn(usize) -> Option<DVec3>) -> Option<u32> {
        let count = self.ends.len();
        let mut draw = DRAWS.at(I64Vec3::ZERO, 0, 0);
        self.tries.clear();
        self.tries.resize(count, 0);
        self.meeting.clear();
        self.meeting.resize(count, true);
        self.vertices.resize(count, DVec3::ZERO);
        for round in 0..ROUNDS {
            for k in (0..count).filter(|&k| self.meeting[k]) {
                let curve = &self.curve[if k == 0 { 0 } else { self.ends[k - 1] }..self.ends[k]];
                self.vertices[k] = candidate(curve, own(k), self.tries[k], size, &mut draw);
            }
            if !self.mark_meeting() {
                return Some(round);
            }
            for (tries, _) in self.tries.iter_mut().zip(&self.meeting).filter(|(_, meeting)| **meeting) {
                *tries += 1;
            }
        }
        None
    }

    /// Marks the loops whose cones meet those of another, if there are any.
    fn mark_meeting(&mut self) -> bool {
        self.triangles.clear();
        let mut start = 0;
        for (&end, &vertex) in self.ends.iter().zip(&self.vertices) {
            let curve = &self.curve[start..end];
            start = end;
            let next = |i: usize| curve[(i + 1) % curve.len()];
            self.triangles.extend((0..curve.len()).map(|i| Cone::new([vertex, curve[i], next(i)])));
        }
        self.meeting.fill(false);
        // A curve has as many triangles as points, so the same ends hold.
        for a in 0..self.ends.len() {
            for b in 0..a {
                if self.meet(a, b) {
                    (self.meeting[a], self.meeting[b]) = (true, true);
                }
            }
        }
        self.meeting.contains(&true)
    }
}

/// A place for the vertex of a curve, counted from the leaf's lowest corner: on the way from its own to the mean of the
/// curve, or any convex combination of the curve's points, and of every second of them a part of the way to the leaf's
/// centre. A curve that lies in one face has all its combinations there, as deep as the margin: cones of two such curves
/// side by side may meet at one depth and not at another.
fn candidate(curve: &[DVec3], own: Option<DVec3>, attempt: u32, size: i32, draw: &mut Draw) -> DVec3 {
    let extent = f64::from(size);
    let (low, high) = (DVec3::splat(MARGIN * extent), DVec3::splat((1.0 - MARGIN) * extent));
    let mean = curve.iter().sum::<DVec3>() / curve.len() as f64;
    let place = match WAYS.get(attempt as usize) {
        Some(&way) => mean + (own.unwrap_or(mean) - mean) * way,
        None => {
            let (mut sum, mut weights) = (DVec3::ZERO, f64::MIN_POSITIVE);
            for &place in curve {
                let one = draw.f64();
                let weight = (0..attempt / ROUNDS_A_POWER).fold(one, |power, _| power * one);
                sum += place * weight;
                weights += weight;
            }
            let on_curve = sum / weights;
            let one = draw.f64();
            let depth = if attempt.is_multiple_of(2) { one * one * one } else { 0.0 };
            on_curve + (DVec3::splat(0.5 * extent) - on_curve) * depth
        }
    };
    rounded_in(place.clamp(low, high), size)
}

const _: () =
    assert!(MARGIN * POSITION_STEPS >= 1.0, "a vertex a margin inside its leaf stays there when rounded");
