//! Prisms: simple polygons with a height.
//!
//! The distance to the outline is that to its nearest edge, exact inside and outside. Where the nearest point lies
//! between the ends of that edge, the distance is that to its line, with the line's own sign and gradient, on the outline
//! too. Where it is a corner, the sign is the parity of the edges that a ray to the east crosses.
//!
//! A block of points needs few edges: those that may be nearest somewhere in it, and of the others those that a ray may
//! cross. What is left out changes no bit:
//!
//! - An edge is left out of the distances if it is farther than another one anywhere in the block, by a margin above the
//!   rounding of both.
//! - Where a ray crosses an edge is clamped to the edge. So an edge to the west of the block is never crossed, an edge to
//!   the east is crossed wherever its ends lie on both sides of the ray, and for a whole chain of edges to the east it is
//!   the chain's ends that count, all without rounding.

mod outline;
#[cfg(test)]
mod tests;
mod tree;

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec2, DVec3};

use crate::algebra::{Algebra, Enclosure};
use crate::error::FieldError;
use crate::shape::{from_faces, lipschitz};
use crate::sweep::Sweep;
use crate::term::{finite, put, require};
use outline::Outline;
use tree::{Chain, Tree};

const NAME: &str = "prism";

/// A simple polygon extruded along z, around its origin.
#[derive(Clone, Debug)]
pub struct Prism(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    corners: Vec<[f32; 2]>,
    /// From each corner to the next one.
    edges: Vec<Edge>,
    tree: Tree,
    half_height: f32,
    /// The greatest distance of a corner along an axis.
    reach: f32,
}

/// A part of the border, with the inside to its left.
#[derive(Clone, Copy, Debug)]
struct Edge {
    start: [f32; 2],
    /// Of unit length.
    along: [f32; 2],
    length: f32,
}

/// What matters in a block of points.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// May be the nearest edge.
    Near(Edge),
    /// May be crossed by a ray to the east.
    Crossed(Crossed),
    /// Changes the sign of points from this y on.
    From(f32),
    /// Changes the sign of all points.
    Everywhere,
}

/// An edge that a ray to the east may cross.
#[derive(Clone, Copy, Debug)]
struct Crossed {
    start: [f32; 2],
    /// The y of its end.
    end: f32,
    /// Change of x for each metre of y.
    run: f32,
    west: f32,
    east: f32,
}

impl PartialEq for Prism {
    fn eq(&self, other: &Self) -> bool {
        self.0.corners == other.0.corners && self.0.half_height == other.0.half_height
    }
}

impl Prism {
    /// The prism on a simple polygon from the height `z.start` to `z.end`, all in metres, and its origin: the middle of
    /// its box.
    ///
    /// The points may go round in either direction; one that repeats the one before is dropped.
    ///
    /// # Errors
    /// If there are fewer than 3 or more than 4096 points, if one is not finite or farther than 1e12 m from the origin,
    /// if two edges meet elsewhere than at the corner that they share, or if the heights are not finite and rising.
    pub fn new(points: &[DVec2], z: Range<f64>) -> Result<(DVec3, Self), FieldError> {
        finite(NAME, "height", [z.start, z.end])?;
        let half_height = ((z.end - z.start) * 0.5) as f32;
        let limit = "more than 0 and finite";
        require(
            NAME,
            "height above the bottom",
            [z.end - z.start],
            |_| half_height > 0.0 && half_height.is_finite(),
            limit,
        )?;
        let Outline { origin, corners } = Outline::new(points)?;
        let edge = |i: usize| Edge::new(corners[i], corners[(i + 1) % corners.len()]);
        let inner = Inner {
            edges: (0..corners.len()).map(edge).collect(),
            tree: Tree::new(&corners),
            half_height,
            reach: corners.iter().flatten().fold(0.0, |reach, c| f32::max(reach, c.abs())),
            corners,
        };
        Ok((origin.extend((z.start + z.end) * 0.5), Prism(Arc::new(inner))))
    }

    /// Appends bytes that are equal for equal prisms and different otherwise.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.0.corners.len() as u32).to_le_bytes());
        self.0.corners.iter().for_each(|corner| put(out, corner.map(f64::from)));
        put(out, [self.0.half_height.into()]);
    }

    /// The distance at each place relative to the origin.
    #[inline(always)]
    pub(crate) fn sweep<A: Algebra>(&self, sweep: &mut impl Sweep<A>) {
        let half_height = self.0.half_height;
        sweep.gathered(
            |[x, y, _], parts| self.0.gather([x, y], parts),
            #[inline(always)]
            |parts, [x, y, z]| from_faces([outline_distance(parts, [x, y]), z.abs() + -half_height]),
        );
    }

    /// Every distance over a box of places relative to the origin.
    pub(crate) fn bounds(&self, [x, y, z]: [Enclosure; 3]) -> Enclosure {
        let outline = lipschitz([x, y], self.0.reach, |place| {
            let mut parts = Vec::new();
            self.0.gather(place.map(|c| Enclosure::hull(c, c)), &mut parts);
            outline_distance(&parts, place)
        });
        from_faces([outline, Algebra::abs(z) + -self.0.half_height])
    }
}

impl Edge {
    fn new(start: [f32; 2], end: [f32; 2]) -> Self {
        let by = [0, 1].map(|axis| f64::from(end[axis]) - f64::from(start[axis]));
        let length = (by[0] * by[0] + by[1] * by[1]).sqrt();
        Edge { start, along: by.map(|c| (c / length) as f32), length: length as f32 }
    }

    fn square_distance(&self, point: [f64; 2]) -> f64 {
        let from = [0, 1].map(|axis| point[axis] - f64::from(self.start[axis]));
        let along = self.along.map(f64::from);
        let aside = from[0] * along[1] - from[1] * along[0];
        let ahead = from[0] * along[0] + from[1] * along[1];
        let beyond = ahead - ahead.clamp(0.0, self.length.into());
        aside * aside + beyond * beyond
    }
}

/// The distance to the outline.
#[inline(always)]
fn outline_distance<A: Algebra>(parts: &[Part], [x, y]: [A; 2]) -> A {
    let zero = x.like(0.0);
    let (one, minus) = (x.like(1.0), x.like(-1.0));
    let (mut square, mut aside, mut beyond) = (x.like(f32::MAX), zero, zero);
    let mut sign = one;
    for part in parts {
        match part {
            Part::Near(edge) => {
                let from = [x + -edge.start[0], y + -edge.start[1]];
                let own_aside = from[0] * edge.along[1] - from[1] * edge.along[0];
                let ahead = from[0] * edge.along[0] + from[1] * edge.along[1];
                let own_beyond = ahead - ahead.max(zero).min(x.like(edge.length));
                let own_square = own_aside * own_aside + own_beyond * own_beyond;
                aside = A::choose(square, own_square, aside, own_aside);
                beyond = A::choose(square, own_square, beyond, own_beyond);
                square = A::choose(square, own_square, square, own_square);
            }
            Part::Crossed(edge) => {
                let above_start = A::choose(x.like(edge.start[1]), y, minus, one);
                let above_end = A::choose(x.like(edge.end), y, minus, one);
                let at = (y + -edge.start[1]) * edge.run + edge.start[0];
                let at = at.max(x.like(edge.west)).min(x.like(edge.east));
                sign = sign * A::choose(at, x, one, above_start * above_end);
            }
            Part::From(from) => sign = sign * A::choose(x.like(*from), y, minus, one),
            Part::Everywhere => sign = -sign,
        }
    }
    A::choose(beyond.abs(), zero, aside, A::length([aside, beyond]) * sign)
}

impl Inner {
    /// Lists what matters in a rectangle.
    fn gather(&self, within: [Enclosure; 2], parts: &mut Vec<Part>) {
        self.gather_near(within, parts);
        let mut everywhere = false;
        self.gather_crossed(self.tree.root(), within, parts, &mut everywhere);
        if everywhere {
            parts.push(Part::Everywhere);
        }
    }

    /// Lists the edges that may be nearest somewhere in a rectangle: anywhere in it, a distance differs by at most half
    /// its diagonal from that in the middle.
    ///
    /// The margin, 4e-6 of all lengths on the way, is above the rounding of two distances (about 8 roundings each).
    fn gather_near(&self, within: [Enclosure; 2], parts: &mut Vec<Part>) {
        let mut middle = within.map(|side| 0.5 * (f64::from(side.lo()) + f64::from(side.hi())));
        if !middle.iter().all(|c| c.is_finite()) {
            middle = [0.0; 2];
        }
        let half = [0, 1].map(|axis| {
            f64::max(f64::from(within[axis].hi()) - middle[axis], middle[axis] - f64::from(within[axis].lo()))
        });
        let diagonal = 2.0 * (half[0] * half[0] + half[1] * half[1]).sqrt();
        let margin = 4e-6 * (middle[0].abs() + middle[1].abs() + diagonal + f64::from(self.reach));
        let mut nearest = f64::INFINITY;
        self.nearest(self.tree.root(), middle, &mut nearest);
        let limit = nearest.sqrt() + diagonal + margin;
        self.list_near(self.tree.root(), middle, limit * limit, parts);
    }

    /// Lowers a squared distance to that of the nearest edge.
    fn nearest(&self, chain: Chain, to: [f64; 2], square: &mut f64) {
        if chain.rect.square_distance(to) >= *square {
            return;
        }
        match self.tree.halves(chain) {
            Some([a, b]) => {
                let a_first = a.rect.square_distance(to) <= b.rect.square_distance(to);
                let (near, far) = if a_first { (a, b) } else { (b, a) };
                self.nearest(near, to, square);
                self.nearest(far, to, square);
            }
            None => {
                for edge in &self.edges[chain.edges[0]..chain.edges[1]] {
                    *square = f64::min(*square, edge.square_distance(to));
                }
            }
        }
    }

    fn list_near(&self, chain: Chain, to: [f64; 2], limit: f64, parts: &mut Vec<Part>) {
        if chain.rect.square_distance(to) > limit {
            return;
        }
        match self.tree.halves(chain) {
            Some(halves) => halves.into_iter().for_each(|half| self.list_near(half, to, limit, parts)),
            None => {
                let edges = &self.edges[chain.edges[0]..chain.edges[1]];
                parts.extend(edges.iter().filter(|e| e.square_distance(to) <= limit).map(|&e| Part::Near(e)));
            }
        }
    }

    /// Lists what rays to the east from a rectangle may cross.
    fn gather_crossed(
        &self,
        chain: Chain,
        within: [Enclosure; 2],
        parts: &mut Vec<Part>,
        everywhere: &mut bool,
    ) {
        let [x, y] = within;
        let rect = chain.rect;
        if rect.max[1] <= y.lo() || rect.min[1] > y.hi() || rect.max[0] <= x.lo() {
            return;
        }
        let corner = |i: usize| self.corners[i % self.corners.len()];
        let [first, end] = chain.edges;
        if rect.min[0] > x.hi() {
            for from in [corner(first)[1], corner(end)[1]] {
                if from <= y.lo() {
                    *everywhere = !*everywhere;
                } else if from <= y.hi() {
                    push_or_cancel(parts, from);
                }
            }
            return;
        }
        match self.tree.halves(chain) {
            Some(halves) => {
                halves.into_iter().for_each(|half| self.gather_crossed(half, within, parts, everywhere));
            }
            None => parts.extend(
                (first..end).filter_map(|i| Crossed::new(corner(i), corner(i + 1))).map(Part::Crossed),
            ),
        }
    }
}

/// What changes the sign twice at the same y does not change it.
fn push_or_cancel(parts: &mut Vec<Part>, from: f32) {
    match parts.last() {
        Some(Part::From(last)) if *last == from => {
            parts.pop();
        }
        _ => parts.push(Part::From(from)),
    }
}

impl Crossed {
    /// Nothing, if the edge lies along x.
    fn new(start: [f32; 2], end: [f32; 2]) -> Option<Self> {
        let rise = f64::from(end[1]) - f64::from(start[1]);
        let run = (f64::from(end[0]) - f64::from(start[0])) / rise;
        (rise != 0.0).then(|| Crossed {
            start,
            end: end[1],
            run: run as f32,
            west: f32::min(start[0], end[0]),
            east: f32::max(start[0], end[0]),
        })
    }
}
