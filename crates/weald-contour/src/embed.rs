//! Triangles of a [`Complex`] that meet only where they share: an embedded surface over leaves of any sizes.
//!
//! `vertices ─hot→ which leaves crowd ─freeze→ points and chords on faces ─move→ vertices ─pass→ more of them ─polygon→ triangles`
//!
//! What carries it is the cone lemma (decision 0009): the cone from a point strictly inside a convex box over a simple
//! closed curve on its surface is embedded and meets the surface in that curve only. A leaf with one vertex is the cone
//! over the curve through its edge points, over a chord, or over two segments with a face point, on each face. Cones of
//! different leaves meet where their curves do. Everything else here keeps to that picture with fewer triangles:
//!
//! - Where the segment between two vertices passes through the face between their leaves, the curve may follow it, and
//!   the two triangles on it are flipped away: the *dual* side. Between leaves of one size it always does.
//! - Where all sides of a polygon are dual, and a diagonal passes the edge's envelope test, no edge point is needed.
//! - Leaves with several loops are *cold* if no two triangles that could be made from different loops meet, by exact
//!   tests, or else *hot*: then their faces are frozen, each side a chord or over a face point, and their vertices are
//!   moved until the cones are disjoint.
//!
//! - A leaf with several loops among simple equals, whose loops do not meet as they are, keeps to itself: no side needs a
//!   point, and creases stay sharp.
//!
//! Everything depends on a leaf, its edges and the leaves around them, counted from the leaf's, face's or edge's own
//! lowest corner: patches that hold them agree in every bit, wherever their origins lie. A polygon is *settled*, and made,
//! if its leaves are complete and their vertices given, and the same holds for the leaves around all edges of those of
//! them that have several loops.
//!
//! It is embedded, not faithful: what the lattice does not resolve comes out as a closed surface of some other shape.

mod hot;
mod place;
mod points;
mod polygon;

use glam::DVec3;

use crate::complex::{ABSENT, Complex, lattice_point};
use crate::place::rounded;

pub use place::{LoopVertices, place_loops};

/// The cosine of the angle between two normals up to which a face gets a chord. A chord costs nothing that a face point
/// does not, and half as many triangles, but cuts across a crease: from 60 degrees on the edge of a box is blunted (its
/// error rises from 0.26 to 0.37 cells), and below there is nothing left to gain.
const CHORD_COSINE: f64 = 0.5;

/// What a complex is embedded from.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// For each loop its vertex, in finest cells, on the lattice of 2⁻¹³ of its leaf's size and at least one step inside
    /// its leaf (or box, if borrowed); `None` where the patch ends too near to tell.
    pub places: &'a [Option<DVec3>],
    /// For each loop whether its vertex may lie in empty cells beside its leaf.
    pub borrowed: &'a [bool],
    /// For each edge whether its polygon's triangles are wanted.
    pub wanted: &'a [bool],
}

/// What a triangle's corner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Corner {
    /// The vertex of a loop.
    Loop(u32),
    /// The point on an edge.
    Edge(u32),
    /// The point of a pair, on its face: a *face vertex*.
    Pair(u32),
}

/// How the curve of two leaves runs over the face between them, from one crossing of a pair to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// Over where the segment between the two vertices passes.
    Dual,
    /// Straight.
    Chord,
    /// Over this point, in finest cells.
    Point(DVec3),
    /// Not to be told: the patch ends too near.
    Unsettled,
}

/// Whether the loops of a leaf get in each other's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heat {
    /// One loop, or several that cannot meet.
    Cold,
    /// Several that might.
    Hot,
    /// Not to be told: the patch ends too near.
    Unsettled,
}

/// What was done, over the whole patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Polygons that became fans around their edge point.
    pub fans: u32,
    /// Pairs with a face point.
    pub face_points: u32,
    /// Pairs with a chord.
    pub chords: u32,
    /// Leaves with several loops.
    pub complex: u32,
    /// Of these, hot ones.
    pub hot: u32,
    /// Hot leaves whose vertices had to move.
    pub pulled: u32,
    /// Hot leaves for which no place was found: their vertices stay, and their triangles may meet.
    pub stuck: u32,
}

/// The triangles of a patch. Kept between patches, it allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Embedding {
    /// For each loop its vertex, moved where its leaf is hot.
    pub places: Vec<Option<DVec3>>,
    /// For each edge the point on it, in finest cells.
    pub edge_points: Vec<DVec3>,
    /// For each pair its side.
    pub sides: Vec<Side>,
    /// For each leaf whether it is hot.
    pub heat: Vec<Heat>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[Corner; 3]>,
    /// For each triangle the edge whose polygon it belongs to. The triangles of a chord belong to the pair's first edge.
    pub owners: Vec<u32>,
    /// Edges that were to be emitted but whose polygon is not to be told: the patch ends too near.
    pub unsettled: Vec<u32>,
    /// What was done.
    pub counts: Counts,
    cones: hot::Cones,
}

/// The complex with what is given and found, as the steps read it.
#[derive(Clone, Copy)]
struct Patch<'a> {
    complex: &'a Complex,
    given: &'a Given<'a>,
    edge_points: &'a [DVec3],
}

impl Embedding {
    /// Embeds a complex.
    ///
    /// # Panics
    /// If the lengths of what is given are not those of the complex.
    pub fn rebuild(&mut self, complex: &Complex, given: &Given<'_>) {
        let loops = complex.loops().len();
        assert_eq!((given.places.len(), given.borrowed.len()), (loops, loops), "one entry for each loop");
        assert_eq!(given.wanted.len(), complex.edges().len(), "one entry for each edge");
        self.counts = Counts::default();
        self.edge_points.clear();
        self.edge_points.extend(complex.edges().iter().map(points::edge_point));
        self.places.clear();
        self.places.extend_from_slice(given.places);

        let patch = Patch { complex, given, edge_points: &self.edge_points };
        hot::find(&patch, &mut self.heat, &mut self.cones, &mut self.counts);
        points::freeze(&patch, &self.heat, &mut self.sides);
        hot::pull(&patch, &self.heat, &self.sides, &mut self.places, &mut self.cones, &mut self.counts);
        points::pass(&patch, &self.heat, &self.places, &mut self.sides);
        for side in &self.sides {
            self.counts.face_points += u32::from(matches!(side, Side::Point(_)));
            self.counts.chords += u32::from(matches!(side, Side::Chord));
        }
        self.make_triangles(complex, given.wanted);
    }

    /// The place of a corner, in finest cells; `None` if it has none.
    #[must_use]
    pub fn place(&self, corner: Corner) -> Option<DVec3> {
        match corner {
            Corner::Loop(index) => self.places[index as usize],
            Corner::Edge(index) => Some(self.edge_points[index as usize]),
            Corner::Pair(index) => match self.sides[index as usize] {
                Side::Point(place) => Some(place),
                _ => None,
            },
        }
    }
}

/// The corners of an edge's polygon before it is cut: three or four.
#[derive(Clone, Copy, Debug)]
struct Around {
    loops: [u32; 4],
    /// The side of the edge between each corner and the next.
    sides: [usize; 4],
    count: usize,
}

/// The loops around an edge; `None` where one of them is missing.
fn around(complex: &Complex, edge: usize) -> Option<Around> {
    let leaves = complex.edges()[edge].around;
    let loops = complex.loop_of_quadrant(edge);
    let mut around = Around { loops: [ABSENT; 4], sides: [0; 4], count: 0 };
    for k in 0..4 {
        if loops[k] == ABSENT {
            return None;
        }
        if leaves[k] != leaves[(k + 1) % 4] {
            around.loops[around.count] = loops[k];
            around.sides[around.count] = k;
            around.count += 1;
        }
    }
    (around.count >= 3).then_some(around)
}

/// Rounds a place, counted from a lattice point, to the steps of something of this size.
fn rounded_in(place: DVec3, size: i32) -> DVec3 {
    let size = f64::from(size);
    rounded(place / size) * size
}

/// A lattice point in finest cells.
fn point(at: [i32; 3]) -> DVec3 {
    lattice_point(at, [0; 3])
}
