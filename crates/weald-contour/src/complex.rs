//! The topology of any set of leaves: which crossings make a loop, and so a vertex.
//!
//! `leaves, crossed minimal edges ─faces→ faces, pairs ─loops→ loops`
//!
//! This is contract 3 for leaves of any sizes beside each other; one cell among its equals is the special case of
//! [`tables`](crate::tables).
//!
//! - A *minimal edge* is an edge of a leaf around which no leaf is smaller. Where its ends differ in sign it is crossed.
//! - Two leaves next to each other around a minimal edge share a *face*: the full face of the smaller. Its perimeter
//!   is cut into minimal edges. Walk it once and cut off each inside arc: the two crossings that bound it are a *pair*.
//!   Both leaves see the same crossings in the same order, so both make the same pairs.
//! - Each crossing on a leaf's surface lies on two of its faces, so the pairs join the crossings to closed *loops*. A
//!   leaf has one vertex for each; a coarse leaf without a sign change at its own corners has its *border vertices* in
//!   just this way where finer neighbours cross its faces.
//!
//! A patch may be cut out of a larger world. A leaf is *complete* if every crossed minimal edge on its surface is in the
//! patch, with the leaves that touch this one across a face; other leaves have no loops. Everything said about a
//! complete leaf, down to the order in which its loops are numbered and walked, is the same in every patch.

mod faces;
mod loops;

use std::ops::Range;

use glam::{DVec3, Vec3};
use weald_space::Axis;

/// No leaf, no pair or no loop.
pub const ABSENT: u32 = u32::MAX;

/// The lattice of a patch reaches this far from its origin, in finest cells: sums of places with their 2⁻¹³ steps stay
/// exact in f64, and whole numbers in i32.
pub const MAX_COORDINATE: i32 = 1 << 20;

/// The two quadrants beside each side of an edge: that on the lower side of the face between them, and the other.
/// Side `k` lies between quadrants `k` and `k + 1`.
pub const BESIDE: [[usize; 2]; 4] = [[0, 1], [1, 2], [3, 2], [0, 3]];

/// A cube of the octree, in finest cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The lowest corner.
    pub min: [i32; 3],
    /// The side: a power of two, of which `min` is a multiple.
    pub size: i32,
    /// Whether all crossed minimal edges on its surface are in the patch, with the leaves across its faces.
    pub complete: bool,
    /// Whether it lies beyond the world's border, where nothing is known and nothing asked. What is beside it is settled
    /// without it.
    pub beyond: bool,
}

/// A minimal edge whose ends differ in sign, with its Hermite data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossedEdge {
    /// The axis along the edge.
    pub axis: Axis,
    /// The lower end, in finest cells.
    pub low: [i32; 3],
    /// The length, in finest cells.
    pub size: i32,
    /// The leaves around it, seen along the edge: 0 on the negative side in both directions across, the owner; 1 beyond
    /// it along the first axis across; 2 beyond along both; 3 along the second. One leaf may fill two quadrants.
    /// [`ABSENT`] where the patch ends.
    pub around: [u32; 4],
    /// Whether the lower end is inside.
    pub inside_low: bool,
    /// Where the surface crosses: 0 at the lower end, 1 at the upper.
    pub t: f32,
    /// The surface's unit normal there, outward.
    pub normal: Vec3,
}

impl CrossedEdge {
    /// The crossing, counted from a lattice point, in finest cells; exact.
    #[must_use]
    pub fn crossing_from(&self, origin: [i32; 3]) -> DVec3 {
        let mut place = lattice_point(self.low, origin);
        place[self.axis.index()] += f64::from(self.t) * f64::from(self.size);
        place
    }

    /// Where the edge comes in the order that numbers a leaf's loops: by axis, then across it, then along it, as
    /// [`CellEdge`](crate::cell::CellEdge) numbers the edges of a single cell.
    #[must_use]
    pub fn rank(&self) -> [i32; 4] {
        let (u, v) = self.axis.across();
        [self.axis.index() as i32, self.low[v.index()], self.low[u.index()], self.low[self.axis.index()]]
    }
}

/// A lattice point, counted from another.
pub(crate) fn lattice_point(point: [i32; 3], origin: [i32; 3]) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|i| f64::from(point[i] - origin[i])))
}

/// The face between two leaves: the full face of the smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// The leaf on the lower side.
    pub low: u32,
    /// The leaf on the upper side.
    pub high: u32,
    /// The axis across the face.
    pub axis: Axis,
    /// Its lowest corner, in finest cells.
    pub min: [i32; 3],
    /// Its side, in finest cells.
    pub size: i32,
    first_pair: u32,
    end_pair: u32,
}

impl Face {
    /// Its pairs.
    #[must_use]
    pub fn pairs(&self) -> Range<usize> {
        self.first_pair as usize..self.end_pair as usize
    }
}

/// Two crossings that bound one inside arc of a face's perimeter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The face.
    pub face: u32,
    /// The crossed edges: first that where the walk, counter-clockwise seen against the face's axis, gets inside.
    pub ends: [u32; 2],
    /// The side of the first end that lies on the face.
    side: u8,
}

impl Pair {
    /// The side of the first end at which the face lies: side `k` is between quadrants `k` and `k + 1`.
    #[must_use]
    pub const fn side(&self) -> u8 {
        self.side
    }
}

/// A closed loop of crossings on a leaf's surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The leaf.
    pub leaf: u32,
    /// Its number among the leaf's loops, which are ordered by their first edges ([`CrossedEdge::rank`]).
    pub index: u32,
    first: u32,
    len: u32,
}

impl Loop {
    fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.len) as usize
    }
}

/// Why leaves and crossings do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComplexError {
    /// A leaf that no octree has, or out of reach.
    #[error(
        "a leaf of {size} cells at {min:?}: the size must be a power of two that divides the place, within {MAX_COORDINATE} cells of the origin"
    )]
    Leaf {
        /// Its lowest corner.
        min: [i32; 3],
        /// Its side.
        size: i32,
    },
    /// An edge whose leaves do not lie around it, or of which one is smaller than it.
    #[error("the edge along {axis:?} at {low:?} of {size} cells does not lie between the leaves around it")]
    Edge {
        /// The axis along the edge.
        axis: Axis,
        /// Its lower end.
        low: [i32; 3],
        /// Its length.
        size: i32,
    },
    /// The signs around a face do not alternate from crossing to crossing: the leaves beside it were made from
    /// different fields.
    #[error(
        "{crossings} crossings around the face of {size} cells at {min:?} do not pair up: its two sides were made from different fields"
    )]
    Unpaired {
        /// The face's lowest corner.
        min: [i32; 3],
        /// Its side.
        size: i32,
        /// Crossings found on its perimeter.
        crossings: usize,
    },
    /// A leaf marked complete is not.
    #[error(
        "the leaf of {size} cells at {min:?} is marked complete, but its crossings do not close to loops"
    )]
    OpenLoop {
        /// Its lowest corner.
        min: [i32; 3],
        /// Its side.
        size: i32,
    },
}

/// The faces, pairs and loops of a patch of leaves. Kept between patches, it allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Complex {
    leaves: Vec<Leaf>,
    edges: Vec<CrossedEdge>,
    faces: Vec<Face>,
    pairs: Vec<Pair>,
    loops: Vec<Loop>,
    /// The edges of all loops, each loop in its cyclic order.
    ring_edges: Vec<u32>,
    /// The pair from each of them to the next.
    ring_pairs: Vec<u32>,
    pair_of_side: Vec<[u32; 4]>,
    loop_of_quadrant: Vec<[u32; 4]>,
    first_loop: Vec<u32>,
    /// Edges in the order of their ranks, and the inverse.
    order: Vec<u32>,
    place_in_order: Vec<u32>,
    perimeter: Vec<faces::OnPerimeter>,
    gathered: Vec<faces::OnPerimeter>,
    end_of_leaf: Vec<u32>,
    ranks: Vec<u128>,
    found: Vec<Loop>,
    slot: Vec<u32>,
}

impl Complex {
    /// Builds the complex of these leaves and of all crossed minimal edges around which one of them is complete. The
    /// order of either does not matter to what is found, only to how it is numbered.
    ///
    /// # Errors
    /// [`ComplexError`] names the first leaf, edge or face that does not fit.
    pub fn rebuild(&mut self, leaves: &[Leaf], edges: &[CrossedEdge]) -> Result<(), ComplexError> {
        self.leaves.clear();
        self.edges.clear();
        self.faces.clear();
        self.pairs.clear();
        for leaf in leaves {
            check_leaf(leaf)?;
        }
        self.leaves.extend_from_slice(leaves);
        for edge in edges {
            self.check_edge(edge)?;
        }
        self.edges.extend_from_slice(edges);
        self.ranks.clear();
        self.ranks.extend((0..).zip(edges).map(|(number, edge)| packed_rank(edge, number)));
        self.ranks.sort_unstable();
        self.order.clear();
        self.order.extend(self.ranks.iter().map(|&rank| rank as u32));
        self.place_in_order.clear();
        self.place_in_order.resize(edges.len(), 0);
        for (place, &edge) in (0..).zip(&self.order) {
            self.place_in_order[edge as usize] = place;
        }
        self.find_pairs()?;
        self.find_loops()
    }

    /// The leaves, as they were given.
    #[must_use]
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// The crossed edges, as they were given.
    #[must_use]
    pub fn edges(&self) -> &[CrossedEdge] {
        &self.edges
    }

    /// The faces with crossings on their perimeter and a complete leaf beside them.
    #[must_use]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The pairs of all faces.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The loops of the complete leaves, in the order of these.
    #[must_use]
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// The loops of a leaf; none if it is not complete.
    #[must_use]
    pub fn loops_of_leaf(&self, leaf: usize) -> Range<usize> {
        self.first_loop[leaf] as usize..self.first_loop[leaf + 1] as usize
    }

    /// The edges that a loop crosses, in cyclic order from the first in rank.
    #[must_use]
    pub fn loop_edges(&self, index: usize) -> &[u32] {
        &self.ring_edges[self.loops[index].range()]
    }

    /// The pairs of a loop: each joins the edge at its place in [`Complex::loop_edges`] to the next.
    #[must_use]
    pub fn loop_pairs(&self, index: usize) -> &[u32] {
        &self.ring_pairs[self.loops[index].range()]
    }

    /// Where an edge comes in the order of ranks, among the edges of the patch.
    #[must_use]
    pub fn place_in_order(&self, edge: usize) -> u32 {
        self.place_in_order[edge]
    }

    /// The pair of an edge's crossing on the face at its side `k`, between quadrants `k` and `k + 1`; [`ABSENT`] where
    /// one leaf fills both, or no complete leaf is beside the face.
    #[must_use]
    pub fn pair_of_side(&self, edge: usize) -> [u32; 4] {
        self.pair_of_side[edge]
    }

    /// The loop that crosses an edge in each of its quadrants; [`ABSENT`] where no complete leaf is.
    #[must_use]
    pub fn loop_of_quadrant(&self, edge: usize) -> [u32; 4] {
        self.loop_of_quadrant[edge]
    }

    /// The loops that a pair belongs to, in the leaf on the lower side of its face and in that on the upper;
    /// [`ABSENT`] where the leaf is not complete.
    #[must_use]
    pub fn loops_of_pair(&self, pair: usize) -> [u32; 2] {
        let Pair { ends, side, .. } = self.pairs[pair];
        let loops = self.loop_of_quadrant[ends[0] as usize];
        BESIDE[side as usize].map(|quadrant| loops[quadrant])
    }

    /// Whether another pair of the same face joins the same two loops: then the dual edge between their vertices would
    /// be used four times, and each of these pairs needs a face vertex of its own (rule 5).
    #[must_use]
    pub fn is_double(&self, pair: usize) -> bool {
        let (face, loops) = (&self.faces[self.pairs[pair].face as usize], self.loops_of_pair(pair));
        face.pairs().any(|other| other != pair && self.loops_of_pair(other) == loops)
    }

    fn check_edge(&self, edge: &CrossedEdge) -> Result<(), ComplexError> {
        let error = ComplexError::Edge { axis: edge.axis, low: edge.low, size: edge.size };
        let (u, v) = edge.axis.across();
        let (a, u, v) = (edge.axis.index(), u.index(), v.index());
        if edge.size < 1 || edge.low.iter().any(|c| c.abs() > MAX_COORDINATE) {
            return Err(error);
        }
        let mut same = 0;
        for k in 0..4 {
            let number = edge.around[k];
            if number == ABSENT {
                continue;
            }
            let leaf = self.leaves.get(number as usize).ok_or(error)?;
            let along = edge.low[a] - leaf.min[a];
            // A place just inside the quadrant, doubled, so that it is whole.
            let inside = |axis: usize, beyond: bool| {
                let twice = 2 * (edge.low[axis] - leaf.min[axis]) + if beyond { 1 } else { -1 };
                twice > 0 && twice < 2 * leaf.size
            };
            let held = inside(u, k == 1 || k == 2) && inside(v, k >= 2);
            if !held || along < 0 || along > leaf.size - edge.size {
                return Err(error);
            }
            same += usize::from(number == edge.around[(k + 1) % 4]);
        }
        // A minimal edge lies between three or four leaves.
        if same > 1 { Err(error) } else { Ok(()) }
    }
}

/// An edge's rank and number in one.
fn packed_rank(edge: &CrossedEdge, number: u32) -> u128 {
    let [axis, v, u, along] = edge.rank();
    let ranks =
        [v, u, along].into_iter().fold(axis as u128, |packed, c| packed << 22 | (c + MAX_COORDINATE) as u128);
    ranks << 32 | u128::from(number)
}

fn check_leaf(leaf: &Leaf) -> Result<(), ComplexError> {
    let Leaf { min, size, .. } = *leaf;
    let error = ComplexError::Leaf { min, size };
    if !(1..=MAX_COORDINATE).contains(&size) || size & (size - 1) != 0 {
        return Err(error);
    }
    let within = |c: i32| (-MAX_COORDINATE..=MAX_COORDINATE - size).contains(&c) && c % size == 0;
    if min.into_iter().all(within) { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests;
