//! Which pairs of triangles meet.
//!
//! Triangles are sorted along a Morton curve through the centres of their boxes; groups of eight become the leaves of
//! a box tree over the sorted order, which needs no pointers. Each group walks the tree for groups after it, and the
//! triangles whose boxes meet are put to the exact test. Boxes are closed and exact, so no pair is passed over. The
//! groups are shared out in blocks of fixed size, so that the outcome does not depend on the number of threads.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::contact::triangles_meet;
use super::{Listed, Sound, corners};

/// Triangles in a leaf. With eight a leaf's box is about three triangles wide, so that most of its neighbours' boxes
/// do meet it: at four the walks of the tree dominate, at sixteen the boxes tested in vain.
const GROUP: usize = 8;

/// Children of a node: few levels, and a node's children lie in two or three cache lines.
const ARITY: usize = 4;

/// Groups that one task works through.
const BLOCK: usize = 256;

/// The pairs of sound triangles with finite places that meet beyond what they share.
pub(super) fn meeting(positions: &[Vec3], sound: &Sound, listed: usize) -> Listed<[u32; 2]> {
    let triangles = &sound.triangles[..];
    let order = along_curve(positions, triangles);
    let boxes: Vec<Bounds> =
        order.iter().map(|&t| Bounds::of(corners(positions, triangles[t as usize]))).collect();
    let levels = build_levels(&boxes);
    let groups = levels.first().map_or(0, Vec::len);
    let search = Search { positions, triangles, order: &order, boxes: &boxes, levels: &levels };
    let blocks: Vec<Listed<[u32; 2]>> = (0..groups.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let mut found = Listed::default();
            let mut stack = Vec::new();
            for group in block * BLOCK..groups.min((block + 1) * BLOCK) {
                search.group(group, &mut stack, &mut |pair| found.add(pair, listed));
            }
            found
        })
        .collect();
    let mut all = Listed { count: blocks.iter().map(|found| found.count).sum(), first: Vec::new() };
    all.first.extend(blocks.into_iter().flat_map(|found| found.first).take(listed).map(|[a, b]| {
        let (a, b) = (sound.in_mesh(a), sound.in_mesh(b));
        [a.min(b), a.max(b)]
    }));
    all.first.sort_unstable();
    all
}

/// A closed box in the mesh's frame.
#[derive(Clone, Copy)]
struct Bounds {
    min: Vec3,
    max: Vec3,
}

impl Bounds {
    fn of([a, b, c]: [Vec3; 3]) -> Self {
        Bounds { min: a.min(b).min(c), max: a.max(b).max(c) }
    }

    fn union(self, other: &Bounds) -> Self {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn meets(&self, other: &Bounds) -> bool {
        (self.min.cmple(other.max) & other.min.cmple(self.max)).all()
    }
}

/// The triangles whose places are finite, in the order of the Morton curve; equals keep the mesh's order.
fn along_curve(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<u32> {
    let finite = positions.iter().filter(|p| p.is_finite()).map(|p| p.as_dvec3());
    let (low, high) =
        finite.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    const STEPS: f64 = (1u64 << 21) as f64;
    let scale = (high - low).map(|extent| if extent > 0.0 { STEPS / extent } else { 0.0 });
    let mut keyed: Vec<(u64, u32)> = (0..triangles.len() as u32)
        .into_par_iter()
        .filter_map(|index| {
            let places = corners(positions, triangles[index as usize]);
            let bounds = Bounds::of(places);
            let centre = 0.5 * (bounds.min.as_dvec3() + bounds.max.as_dvec3());
            let cell = ((centre - low) * scale).clamp(DVec3::ZERO, DVec3::splat(STEPS - 1.0)).as_u64vec3();
            let code = spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2;
            places.iter().all(|place| place.is_finite()).then_some((code, index))
        })
        .collect();
    keyed.par_sort_unstable();
    keyed.into_iter().map(|(_, index)| index).collect()
}

/// Puts two zero bits before each of the lowest 21 bits.
fn spread(bits: u64) -> u64 {
    let mut x = bits & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        x = (x | x << shift) & mask;
    }
    x
}

/// The boxes of the groups, then of every [`ARITY`] boxes of the level before, up to a single one.
fn build_levels(boxes: &[Bounds]) -> Vec<Vec<Bounds>> {
    let over = |boxes: &[Bounds], width: usize| -> Vec<Bounds> {
        boxes.chunks(width).map(|group| group[1..].iter().fold(group[0], Bounds::union)).collect()
    };
    let mut levels = Vec::new();
    let mut top = over(boxes, GROUP);
    while top.len() > 1 {
        let above = over(&top, ARITY);
        levels.push(std::mem::replace(&mut top, above));
    }
    levels.push(top);
    levels
}

struct Search<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    order: &'a [u32],
    boxes: &'a [Bounds],
    levels: &'a [Vec<Bounds>],
}

impl Search<'_> {
    /// Finds the pairs of a triangle of this group with a later one of the same or of a later group.
    fn group(&self, group: usize, stack: &mut Vec<(usize, usize)>, found: &mut impl FnMut([u32; 2])) {
        let around = &self.levels[0][group];
        stack.clear();
        stack.push((self.levels.len() - 1, 0));
        while let Some((level, node)) = stack.pop() {
            let last_group = (node + 1) * ARITY.pow(level as u32) - 1;
            if last_group < group || !self.levels[level][node].meets(around) {
                continue;
            }
            if level == 0 {
                self.between(group, node, found);
            } else {
                let children = node * ARITY..((node + 1) * ARITY).min(self.levels[level - 1].len());
                stack.extend(children.map(|child| (level - 1, child)));
            }
        }
    }

    fn between(&self, first: usize, second: usize, found: &mut impl FnMut([u32; 2])) {
        let members = |group: usize| group * GROUP..((group + 1) * GROUP).min(self.order.len());
        for i in members(first) {
            if !self.boxes[i].meets(&self.levels[0][second]) {
                continue;
            }
            for j in members(second) {
                if j > i && self.boxes[i].meets(&self.boxes[j]) && self.meet(i, j) {
                    found([self.order[i], self.order[j]]);
                }
            }
        }
    }

    fn meet(&self, i: usize, j: usize) -> bool {
        let [s, t] = [i, j].map(|place| self.triangles[self.order[place] as usize]);
        let at = |triangle| corners(self.positions, triangle).map(Vec3::as_dvec3);
        triangles_meet(s, at(s), t, at(t))
    }
}
