//! Polygons that depend on more than the four cells around their edge, made from a patch of leaves around them.
//!
//! Most polygons lie between four equal leaves with one loop each; [`dual`](crate::dual) cuts them by themselves. The
//! others touch a *special* leaf: one with several loops, with two pairs on a face, with its vertex in an empty cell
//! beside it, or beside a leaf of another size. For these the leaves that can matter are gathered, and
//! [`embed`](crate::embed) makes their triangles. What is found about a leaf depends on that leaf and on those around it
//! alone, so that it does not matter which chunk or seam gathers it.

use std::collections::HashMap;

use glam::{DVec3, Vec3};
use weald_space::Axis;

use crate::complex::{Complex, ComplexError, CrossedEdge, Leaf};
use crate::embed::{Corner, Counts, Embedding, Given, LoopVertices, place_loops};

/// Coordinates of leaves and edges in a patch lie below this, in its finest cells.
const REACH: i32 = 1 << 18;

/// A leaf: its lowest corner and the logarithm of its size, in the patch's finest cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LeafId(u64);

/// A minimal edge: its lower end, axis, and the logarithm of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EdgeId(u64);

fn packed([x, y, z]: [i32; 3]) -> u64 {
    debug_assert!([x, y, z].iter().all(|c| c.abs() < REACH), "a leaf at {x}, {y}, {z} is out of reach");
    let bits = |c: i32| (c + REACH) as u64;
    bits(z) << 38 | bits(y) << 19 | bits(x)
}

fn unpacked(id: u64) -> [i32; 3] {
    [0, 19, 38].map(|shift| (id >> shift & (2 * REACH as u64 - 1)) as i32 - REACH)
}

impl LeafId {
    pub(crate) fn new(min: [i32; 3], size: i32) -> Self {
        LeafId(packed(min) << 5 | u64::from(size.trailing_zeros()))
    }

    pub(crate) fn min(self) -> [i32; 3] {
        unpacked(self.0 >> 5)
    }

    pub(crate) fn size(self) -> i32 {
        1 << (self.0 & 31)
    }
}

impl EdgeId {
    pub(crate) fn new(low: [i32; 3], axis: Axis, size: i32) -> Self {
        EdgeId(packed(low) << 7 | (axis as u64) << 5 | u64::from(size.trailing_zeros()))
    }

    pub(crate) fn low(self) -> [i32; 3] {
        unpacked(self.0 >> 7)
    }

    pub(crate) fn axis(self) -> Axis {
        Axis::ALL[(self.0 >> 5 & 3) as usize % 3]
    }

    pub(crate) fn size(self) -> i32 {
        1 << (self.0 & 31)
    }
}

/// The cells in the four quadrants around the lower end of an edge, as [`CrossedEdge::around`] numbers them.
pub(crate) fn quadrants(low: [i32; 3], axis: Axis) -> [[i32; 3]; 4] {
    let (u, v) = axis.across();
    [(-1, -1), (0, -1), (0, 0), (-1, 0)].map(|(du, dv)| {
        let mut cell = low;
        cell[u.index()] += du;
        cell[v.index()] += dv;
        cell
    })
}

/// The Hermite data of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hermite {
    pub(crate) inside_low: bool,
    pub(crate) t: f32,
    pub(crate) normal: Vec3,
}

/// A vertex that a leaf has before its patch is looked at, in finest cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) place: DVec3,
    pub(crate) normal: Vec3,
    pub(crate) borrowed: bool,
}

/// Leaves that patches are gathered from: those of a block, or those of the border tables of a cut.
pub(crate) trait Source {
    /// Whether the leaf lies beyond the world's border.
    fn is_outside(&mut self, leaf: LeafId) -> bool;
    /// Adds the crossed minimal edges on a leaf's surface.
    fn edges_of(&mut self, leaf: LeafId, edges: &mut Vec<EdgeId>);
    /// The leaves in the four quadrants around an edge. Beyond the world's border lies what mirrors the leaf before it.
    fn around(&mut self, edge: EdgeId) -> [LeafId; 4];
    /// What is known of the surface on an edge; `None` if it is not crossed there.
    fn hermite(&mut self, edge: EdgeId) -> Option<Hermite>;
    /// Adds the vertices of a leaf, one for each of its loops, in their order; false if they depend on finer leaves
    /// beside it and are not known yet.
    fn vertices(&mut self, leaf: LeafId, known: &mut Vec<Known>) -> bool;
    /// Whether the leaf has, or may have, several loops.
    fn may_be_complex(&mut self, leaf: LeafId) -> bool;
}

/// Why a patch could not be made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PatchError {
    /// The leaves do not fit together.
    #[error(transparent)]
    Complex(#[from] ComplexError),
    /// A crossing that one side of an edge shows is not known to the other.
    #[error("the crossing on the edge along {axis:?} at {low:?} is missing on one side")]
    Missing {
        /// The edge's axis.
        axis: Axis,
        /// Its lower end.
        low: [i32; 3],
    },
    /// A leaf has another number of loops than vertices.
    #[error("the leaf at {min:?} has {loops} loops but {vertices} vertices")]
    Loops {
        /// The leaf's lowest corner.
        min: [i32; 3],
        /// Loops found.
        loops: usize,
        /// Vertices known.
        vertices: usize,
    },
}

/// A patch and its triangles. Kept between patches, so that a steady stream of them allocates little.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    complex: Complex,
    vertices: LoopVertices,
    embedding: Embedding,
    /// All leaves, sorted, each with whether it is complete.
    leaves: Vec<Leaf>,
    leaf_ids: Vec<LeafId>,
    numbers: HashMap<LeafId, u32>,
    edges: Vec<CrossedEdge>,
    edge_ids: Vec<EdgeId>,
    complete: Vec<LeafId>,
    open: Vec<LeafId>,
    near: Vec<EdgeId>,
    borrowed: Vec<bool>,
    /// For each loop whether its vertex is the one that its leaf is known to have.
    is_known: Vec<bool>,
    wanted: Vec<bool>,
    known: Vec<Known>,
}

/// A corner of a patch's triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PatchCorner {
    /// The vertex of a leaf's loop: a new one, or the one that the leaf is known to have.
    Loop { leaf: LeafId, index: u16, new: bool },
    /// The point on an edge.
    Edge(EdgeId),
    /// The point of a pair on the face at this side of the edge at which a walk around the face gets inside.
    Face(EdgeId, u8),
}

impl Patch {
    /// Makes the polygons of these edges.
    pub(crate) fn rebuild<S: Source>(&mut self, source: &mut S, wanted: &[EdgeId]) -> Result<(), PatchError> {
        self.find_complete_leaves(source, wanted);
        self.gather(source)?;
        self.complex.rebuild(&self.leaves, &self.edges)?;
        self.place(source)?;
        self.wanted.clear();
        self.wanted.resize(self.edges.len(), false);
        for edge in wanted {
            if let Ok(at) = self.edge_ids.binary_search(edge) {
                self.wanted[at] = true;
            }
        }
        let given = Given { places: &self.vertices.places, borrowed: &self.borrowed, wanted: &self.wanted };
        self.embedding.rebuild(&self.complex, &given);
        Ok(())
    }

    /// What was done over the patch.
    pub(crate) fn counts(&self) -> Counts {
        self.embedding.counts
    }

    /// Edges whose polygons could not be made, because leaves were missing.
    pub(crate) fn unsettled(&self) -> usize {
        self.embedding.unsettled.len()
    }

    /// The triangles, counter-clockwise seen from outside.
    pub(crate) fn triangles(&self) -> &[[Corner; 3]] {
        &self.embedding.triangles
    }

    /// What a corner is, its place in finest cells and its normal.
    pub(crate) fn corner(&self, corner: Corner) -> (PatchCorner, DVec3, Vec3) {
        let place = self.embedding.place(corner).unwrap_or_default();
        match corner {
            Corner::Loop(number) => {
                let found = &self.complex.loops()[number as usize];
                let leaf = self.leaf_ids[found.leaf as usize];
                let kept = self.is_known[number as usize]
                    && self.vertices.places[number as usize] == self.embedding.places[number as usize];
                let index = found.index as u16;
                let normal = self.vertices.normals[number as usize];
                (PatchCorner::Loop { leaf, index, new: !kept }, place, normal)
            }
            Corner::Edge(number) => {
                let edge = number as usize;
                (PatchCorner::Edge(self.edge_ids[edge]), place, self.edges[edge].normal)
            }
            Corner::Pair(number) => {
                let pair = &self.complex.pairs()[number as usize];
                let [from, to] = pair.ends.map(|edge| &self.edges[edge as usize]);
                let normal = (from.normal + to.normal).try_normalize().unwrap_or(from.normal);
                (PatchCorner::Face(self.edge_ids[pair.ends[0] as usize], pair.side()), place, normal)
            }
        }
    }

    /// The leaves that must be whole: those of the wanted polygons; around a leaf that may have several loops those that
    /// its triangles could reach, to tell whether they meet; and around a leaf whose vertex must be found, all that
    /// could make it an offer.
    fn find_complete_leaves<S: Source>(&mut self, source: &mut S, wanted: &[EdgeId]) {
        self.complete.clear();
        self.open.clear();
        for &edge in wanted {
            self.open.extend(source.around(edge));
        }
        self.open.sort_unstable();
        self.open.dedup();
        let mut with_vertex = self.open.clone();
        for &leaf in &self.open {
            if source.may_be_complex(leaf) {
                add_around(source, leaf, &mut self.near, &mut with_vertex);
            }
        }
        with_vertex.sort_unstable();
        with_vertex.dedup();
        for &leaf in &with_vertex {
            self.complete.push(leaf);
            self.known.clear();
            if !source.vertices(leaf, &mut self.known) {
                add_around(source, leaf, &mut self.near, &mut self.complete);
            }
        }
        self.complete.sort_unstable();
        self.complete.dedup();
    }

    fn gather<S: Source>(&mut self, source: &mut S) -> Result<(), PatchError> {
        self.edge_ids.clear();
        for &leaf in &self.complete {
            source.edges_of(leaf, &mut self.edge_ids);
        }
        self.edge_ids.sort_unstable();
        self.edge_ids.dedup();
        self.leaves.clear();
        self.leaf_ids.clear();
        self.numbers.clear();
        for (number, &leaf) in (0..).zip(&self.complete) {
            self.leaves.push(Leaf { min: leaf.min(), size: leaf.size(), complete: true, beyond: false });
            self.leaf_ids.push(leaf);
            self.numbers.insert(leaf, number);
        }
        self.edges.clear();
        for &edge in &self.edge_ids {
            let around = source.around(edge).map(|leaf| {
                *self.numbers.entry(leaf).or_insert_with(|| {
                    let beyond = source.is_outside(leaf);
                    self.leaves.push(Leaf { min: leaf.min(), size: leaf.size(), complete: false, beyond });
                    self.leaf_ids.push(leaf);
                    self.leaf_ids.len() as u32 - 1
                })
            });
            let (axis, low, size) = (edge.axis(), edge.low(), edge.size());
            let Hermite { inside_low, t, normal } =
                source.hermite(edge).ok_or(PatchError::Missing { axis, low })?;
            self.edges.push(CrossedEdge { axis, low, size, around, inside_low, t, normal });
        }
        Ok(())
    }

    fn place<S: Source>(&mut self, source: &mut S) -> Result<(), PatchError> {
        place_loops(&self.complex, &mut self.vertices);
        self.borrowed.clear();
        self.borrowed.resize(self.complex.loops().len(), false);
        self.is_known.clear();
        self.is_known.resize(self.complex.loops().len(), false);
        for (number, &leaf) in self.complete.iter().enumerate() {
            self.known.clear();
            if !source.vertices(leaf, &mut self.known) {
                continue;
            }
            let loops = self.complex.loops_of_leaf(number);
            if loops.len() != self.known.len() {
                let (loops, vertices) = (loops.len(), self.known.len());
                return Err(PatchError::Loops { min: leaf.min(), loops, vertices });
            }
            for (index, known) in loops.zip(&self.known) {
                self.vertices.places[index] = Some(known.place);
                self.vertices.normals[index] = known.normal;
                self.borrowed[index] = known.borrowed;
                self.is_known[index] = true;
            }
        }
        Ok(())
    }
}

/// Adds the leaves around the edges of a leaf.
fn add_around<S: Source>(source: &mut S, leaf: LeafId, near: &mut Vec<EdgeId>, leaves: &mut Vec<LeafId>) {
    near.clear();
    source.edges_of(leaf, near);
    for &edge in near.iter() {
        for other in source.around(edge) {
            if !source.is_outside(other) {
                leaves.push(other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_give_back_what_went_in() {
        for low in [[0, 0, 0], [-1, 5, -1024], [1 << 17, -(1 << 17), 33]] {
            for size in [1, 2, 32] {
                let leaf = LeafId::new(low, size);
                assert_eq!((leaf.min(), leaf.size()), (low, size));
                for axis in Axis::ALL {
                    let edge = EdgeId::new(low, axis, size);
                    assert_eq!((edge.low(), edge.axis(), edge.size()), (low, axis, size));
                }
            }
        }
    }
}
