//! Leaves with several loops: which of them are hot, and where their vertices go then.

use glam::{DVec3, I64Vec3};
use weald_mesh::check::triangles_meet;
use weald_space::Seed;

use super::polygon::{in_edge, pierced};
use super::{Around, Counts, Heat, Patch, Side, around, point, rounded_in};
use crate::complex::ABSENT;
use crate::dual::envelope_of;
use crate::place::POSITION_STEPS;

/// Tries for the vertices of a hot leaf: the vertex itself, three places on the way to its curve's mean, that mean, then
/// random convex combinations of the curve, drawn to ever fewer of its points. In 3,735 leaves of pure noise that had to
/// move, none was left over.
const TRIES: u32 = 600;

/// Parts of the way from the mean of a curve to the vertex.
const WAYS: [f64; 5] = [1.0, 0.5, 0.25, 0.1, 0.0];

/// How far inside its leaf a vertex stays, as a part of it: that of [`place`](crate::place).
const MARGIN: f64 = 1.0 / 1024.0;

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
    /// Whether triangles of different loops meet. What different loops may share lies at one place, but not their own
    /// vertices.
    fn any_meet(&self) -> bool {
        if self.vertices.iter().enumerate().any(|(i, vertex)| self.vertices[..i].contains(vertex)) {
            return true;
        }
        let mut start = 0;
        self.ends.iter().any(|&end| {
            let (before, own) = (&self.triangles[..start], &self.triangles[start..end]);
            start = end;
            own.iter().any(|a| before.iter().any(|b| a.meets(b)))
        })
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
        let strict = |index: usize| {
            complex.loop_edges(index).iter().any(|&edge| patch.given.roles[edge as usize].strict)
        };
        let found = if !leaf.complete {
            Heat::Unsettled
        } else if loops.len() < 2 || patch.given.core[number] || !loops.clone().any(strict) {
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
            let beyond = (other != ABSENT).then(|| self.given.places[other as usize]).flatten()?;
            let (low, high) = if face.low == leaf { (vertex, beyond) } else { (beyond, vertex) };
            into.push(Cone::new([vertex, from, to]));
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
        let Around { loops, count, .. } = around(self.complex, number)?;
        let edge = &self.complex.edges()[number];
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
        let size = f64::from(leaf.size);
        let (low, high) = (DVec3::splat(MARGIN * size), DVec3::splat((1.0 - MARGIN) * size));
        let mut draw = DRAWS.at(I64Vec3::ZERO, 0, 0);
        let mut found = None;
        for attempt in 0..TRIES {
            cones.vertices.clear();
            let mut start = 0;
            for (index, &end) in loops.clone().zip(&cones.ends) {
                let curve = &cones.curve[start..end];
                start = end;
                let mean = curve.iter().sum::<DVec3>() / curve.len() as f64;
                let own = patch.given.places[index].map_or(mean, |place| place - min);
                let at = match WAYS.get(attempt as usize) {
                    Some(&way) => mean + (own - mean) * way,
                    None => {
                        let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
                        for &place in curve {
                            let one = draw.f64();
                            let weight = (0..attempt / 100).fold(one, |power, _| power * one);
                            sum += place * weight;
                            weights += weight;
                        }
                        sum / weights
                    }
                };
                cones.vertices.push(rounded_in(at.clamp(low, high), leaf.size));
            }
            if !cones.tries_meet() {
                found = Some(attempt);
                break;
            }
        }
        counts.pulled += u32::from(found.is_some_and(|attempt| attempt > 0));
        counts.stuck += u32::from(found.is_none());
        if found.is_some() {
            for (index, &at) in loops.zip(&cones.vertices) {
                places[index] = Some(min + at);
            }
        }
    }
}

impl Cones {
    /// Whether the cones from the tried vertices over the curves of different loops meet.
    fn tries_meet(&mut self) -> bool {
        self.triangles.clear();
        let mut start = 0;
        for (&end, &vertex) in self.ends.iter().zip(&self.vertices) {
            let curve = &self.curve[start..end];
            start = end;
            let next = |i: usize| curve[(i + 1) % curve.len()];
            self.triangles.extend((0..curve.len()).map(|i| Cone::new([vertex, curve[i], next(i)])));
        }
        // A curve has as many triangles as points, so the same ends hold.
        self.any_meet()
    }
}

const _: () =
    assert!(MARGIN * POSITION_STEPS >= 1.0, "a vertex a margin inside its leaf stays there when rounded");
