//! Names of vertices: by leaf and loop, never by position.

use bytemuck::{Pod, Zeroable};
use weald_space::{Axis, ChunkKey, Lod, VoxelPos};

/// What a vertex belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VertexKind {
    /// A loop of crossings in the leaf whose lowest corner is the lattice point.
    Loop(u16),
    /// The crossing on the minimal edge that starts at the lattice point.
    Edge {
        /// The axis along the edge.
        axis: Axis,
    },
    /// A pair of crossings on a face: a face vertex. It is named by the edge at which a walk around the face gets inside.
    Face {
        /// The axis along that edge, which starts at the lattice point.
        axis: Axis,
        /// On which side of the edge the face lies: side `k` is between quadrants `k` and `k + 1` around it.
        side: u8,
    },
}

/// The name of a vertex: a lattice point of a level of detail and a kind.
///
/// Names are relative: points count from a chunk's origin in the world's finest cells, so that a chunk has the same
/// names wherever it lies. Names order by z, y, x, then level and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct VertexName {
    at: [i32; 3],
    lod: u8,
    kind: u8,
    index: u16,
}

const LOOP: u8 = 0;
const EDGE: u8 = 1;
const FACE: u8 = 2;
const AXES: [Axis; 3] = Axis::ALL;

impl VertexName {
    /// The name of a vertex of a leaf, edge or face of this level, at a lattice point that counts from a chunk's origin
    /// in finest cells.
    #[must_use]
    pub fn new(lod: Lod, at: [i32; 3], kind: VertexKind) -> Self {
        let (kind, index) = match kind {
            VertexKind::Loop(index) => (LOOP, index),
            VertexKind::Edge { axis } => (EDGE, axis as u16),
            VertexKind::Face { axis, side } => (FACE, axis as u16 * 4 + u16::from(side)),
        };
        VertexName { at, lod: lod.index(), kind, index }
    }

    /// The level of the leaf, edge or face; the coarsest if the name was made of bytes that hold none.
    #[must_use]
    pub fn lod(self) -> Lod {
        Lod::new(self.lod).unwrap_or(Lod::COARSEST)
    }

    /// The lattice point, counted from the chunk's origin in finest cells.
    #[must_use]
    pub const fn at(self) -> [i32; 3] {
        self.at
    }

    /// What the vertex belongs to.
    #[must_use]
    pub fn kind(self) -> VertexKind {
        let axis = |index: u16| AXES[usize::from(index) % 3];
        match self.kind {
            LOOP => VertexKind::Loop(self.index),
            EDGE => VertexKind::Edge { axis: axis(self.index) },
            _ => VertexKind::Face { axis: axis(self.index / 4), side: (self.index % 4) as u8 },
        }
    }

    /// The name as another chunk has it; `None` if that is too far away.
    #[must_use]
    pub fn seen_from(self, from: ChunkKey, to: ChunkKey) -> Option<Self> {
        let by = from.finest_origin() - to.finest_origin();
        let mut at = [0; 3];
        for axis in 0..3 {
            at[axis] = i32::try_from(i64::from(self.at[axis]) + by[axis]).ok()?;
        }
        Some(VertexName { at, ..self })
    }

    /// The chunk of the vertex' own level that holds its lattice point, where names count from `from`.
    #[must_use]
    pub fn owner(self, from: ChunkKey) -> ChunkKey {
        let at = from.finest_origin().0 + glam::I64Vec3::from_array(self.at.map(i64::from));
        ChunkKey::containing_at(self.lod(), VoxelPos(at >> self.lod().index()))
    }

    fn rank(self) -> (i32, i32, i32, u8, u8, u16) {
        let [x, y, z] = self.at;
        (z, y, x, self.lod, self.kind, self.index)
    }
}

impl Ord for VertexName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for VertexName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_back_what_went_in() {
        let mut kinds: Vec<VertexKind> = [0, 3, 40].map(VertexKind::Loop).to_vec();
        for axis in Axis::ALL {
            kinds.extend([0, 1, 2, 3].map(|side| VertexKind::Face { axis, side }));
            kinds.push(VertexKind::Edge { axis });
        }
        for lod in [Lod::FINEST, Lod::new(3).unwrap()] {
            for at in [[0, 0, 0], [32, -8, 5], [1 << 19, 0, -1023]] {
                for &kind in &kinds {
                    let name = VertexName::new(lod, at, kind);
                    assert_eq!((name.lod(), name.at(), name.kind()), (lod, at, kind));
                }
            }
        }
    }

    #[test]
    fn chunks_agree_on_the_vertices_between_them() {
        let (low, high) = (ChunkKey::new(-2, 0, 3), ChunkKey::at_level(Lod::new(1).unwrap(), 0, 0, 1));
        let name = VertexName::new(high.lod, [2, 0, 60], VertexKind::Loop(1));
        let seen = name.seen_from(high, low).expect("it is near");
        assert_eq!(seen.at(), [66, 0, 28]);
        assert_eq!((seen.owner(low), name.owner(high)), (high, high));
        assert_eq!(seen.seen_from(low, high), Some(name));
        assert_eq!(name.seen_from(ChunkKey::new(1 << 40, 0, 0), low), None);
    }
}
