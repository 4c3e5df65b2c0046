//! Worley noise: distances to scattered points.
//!
//! S. Worley, "A Cellular Texture Basis Function", SIGGRAPH 1996. Each cell of the lattice has one point, in its middle
//! [`SCATTER`] on each axis by the bits of the cell's hash; F1 is the distance to the nearest point, F2 that to the next
//! nearest, in cells.
//!
//! *How exact.* The own cell and those around it are searched, nine in the plane and 27 in space. A point of any other
//! cell is [`REACH`] away or more, so distances below that are exact; greater ones count as that. F1 and F2 are then
//! the minima over all points of a function that does not grow faster than the distance: they are continuous, with
//! slope at most 1 in any direction, from 0 to [`REACH`]. F1 all but never gets there (not once in 400,000 draws), F2 in
//! the plane at 0.4 % of places, in space at 0.05 %. Were the points anywhere in their cells, F1 would be cut off at 1
//! at 0.05 % of places, F2 at 4 %; were they in the middle half, the lattice would show.

use super::hash::{fold, spread, stepped};
use super::{Spot, WorleyKind};
use crate::algebra::{Pointwise, Word};

/// The part of a cell, along each axis, that its point lies in.
const SCATTER: f32 = 0.8;

/// From a cell to the points of others than its neighbours, in cells.
pub(super) const REACH: f32 = 1.0 + (1.0 - SCATTER) / 2.0;

/// The place of a point has this many bits along each axis.
const BITS: u32 = 10;

/// Distances in space, by the hash of the seed.
#[inline(always)]
pub(super) fn space<A: Pointwise>(
    context: A::Context,
    kind: WorleyKind,
    seed: A::Word,
    spots: [Spot<A>; 3],
) -> A {
    let [x, y, z] = spots;
    let mut nearest = Nearest::<A>::new(context);
    for up in -1..=1 {
        let (level, z) = step(seed, z, up);
        for north in -1..=1 {
            let (row, y) = step(level, y, north);
            for east in -1..=1 {
                let (hash, x) = step(row, x, east);
                let dx = away(hash, x);
                let dy = away(hash.shifted_right(BITS), y);
                let dz = away(hash.shifted_right(2 * BITS), z);
                nearest.add(dx * dx + dy * dy + dz * dz);
            }
        }
    }
    nearest.distance(kind)
}

/// Distances in the plane, by the hash of the level.
#[inline(always)]
pub(super) fn plane<A: Pointwise>(
    context: A::Context,
    kind: WorleyKind,
    level: A::Word,
    spots: [Spot<A>; 2],
) -> A {
    let [x, y] = spots;
    let mut nearest = Nearest::new(context);
    for north in -1..=1 {
        let (row, y) = step(level, y, north);
        for east in -1..=1 {
            let (hash, x) = step(row, x, east);
            let (dx, dy) = (away(hash, x), away(hash.shifted_right(BITS), y));
            nearest.add(dx * dx + dy * dy);
        }
    }
    nearest.distance(kind)
}

/// The hash with a neighbour's coordinate, and the place seen from where the neighbour's points begin.
#[inline(always)]
fn step<A: Pointwise>(hash: A::Word, spot: Spot<A>, by: i32) -> (A::Word, A) {
    (fold(hash, stepped(spread(spot.cell), by)), spot.part + (-(by as f32) - (1.0 - SCATTER) / 2.0))
}

/// From a place, seen from where its points begin, to the point that the lower bits of a word give.
#[inline(always)]
fn away<A: Pointwise>(word: A::Word, place: A) -> A {
    const LAST: u32 = (1 << BITS) - 1;
    A::from_word(place.context(), word.and(LAST)) * (SCATTER / LAST as f32) - place
}

/// The squares of the two least distances.
struct Nearest<A> {
    first: A,
    second: A,
}

impl<A: Pointwise> Nearest<A> {
    #[inline(always)]
    fn new(context: A::Context) -> Self {
        let reach = A::constant(context, REACH * REACH);
        Nearest { first: reach, second: reach }
    }

    #[inline(always)]
    fn add(&mut self, square: A) {
        self.second = self.second.min(self.first.max(square));
        self.first = self.first.min(square);
    }

    #[inline(always)]
    fn distance(&self, kind: WorleyKind) -> A {
        match kind {
            WorleyKind::F1 => self.first.root(),
            WorleyKind::F2 => self.second.root(),
            WorleyKind::F2MinusF1 => self.second.root() - self.first.root(),
        }
    }
}
