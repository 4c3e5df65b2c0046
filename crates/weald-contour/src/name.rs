//! Names of vertices: by cell and loop, never by position.

use bytemuck::{Pod, Zeroable};
use weald_space::Axis;

/// What a vertex belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VertexKind {
    /// A loop of crossings in a cell: 0 to 3.
    Loop(u8),
    /// A pair of crossings on the face whose lowest corner is the lattice point; `pair` is 0 for the pair that holds
    /// the lowest inside corner.
    Face {
        /// The axis across the face.
        axis: Axis,
        /// 0 or 1.
        pair: u8,
    },
    /// The crossing on the edge that starts at the lattice point.
    Edge {
        /// The axis along the edge.
        axis: Axis,
    },
}

/// The name of a vertex as a chunk sees it: a lattice point, counted from the chunk's origin, and a kind.
///
/// Coordinates run from 0 to 1,023: a seam names vertices of the neighbours on the max side as well. Names order by
/// z, y, x, then kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct VertexName(u64);

const AXES: [Axis; 3] = Axis::ALL;

impl VertexName {
    /// The name of a vertex at this lattice point, counted from the chunk's origin.
    ///
    /// # Panics
    /// In debug builds, if a coordinate exceeds 1,023.
    #[must_use]
    pub fn new(local: [u32; 3], kind: VertexKind) -> Self {
        debug_assert!(local.iter().all(|&c| c < 1024), "vertex at {local:?} is out of reach");
        let kind = match kind {
            VertexKind::Loop(index) => u64::from(index),
            VertexKind::Face { axis, pair } => 4 + 2 * axis.index() as u64 + u64::from(pair),
            VertexKind::Edge { axis } => 10 + axis.index() as u64,
        };
        let [x, y, z] = local.map(u64::from);
        VertexName(z << 24 | y << 14 | x << 4 | kind)
    }

    /// The lattice point, counted from the chunk's origin.
    #[must_use]
    pub fn local(self) -> [u32; 3] {
        [(self.0 >> 4) as u32 & 1023, (self.0 >> 14) as u32 & 1023, (self.0 >> 24) as u32 & 1023]
    }

    /// What the vertex belongs to.
    #[must_use]
    pub fn kind(self) -> VertexKind {
        match self.0 & 15 {
            loop_index @ 0..4 => VertexKind::Loop(loop_index as u8),
            face @ 4..10 => {
                VertexKind::Face { axis: AXES[(face as usize - 4) / 2], pair: (face as u8 - 4) % 2 }
            }
            edge => VertexKind::Edge { axis: AXES[(edge as usize - 10) % 3] },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_back_what_went_in() {
        let mut kinds: Vec<VertexKind> = (0..4).map(VertexKind::Loop).collect();
        for axis in Axis::ALL {
            kinds.extend([0, 1].map(|pair| VertexKind::Face { axis, pair }));
            kinds.push(VertexKind::Edge { axis });
        }
        for local in [[0, 0, 0], [32, 31, 5], [1023, 0, 1023]] {
            for &kind in &kinds {
                let name = VertexName::new(local, kind);
                assert_eq!((name.local(), name.kind()), (local, kind));
            }
        }
    }
}
