use weald_space::{ChunkKey, VoxelPos};

use crate::cut::MOST_LEVELS_APART;
use crate::patch::PatchError;

/// Why a field has no surface here.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ContourError {
    /// A sample is not a number.
    #[error("the field is {value} at lattice point {at}; a surface needs finite values")]
    NotFinite {
        /// The lattice point.
        at: VoxelPos,
        /// What was found there: NaN or an infinity.
        value: f32,
    },
    /// The slice of samples has another length than its block.
    #[error("{found} samples were given for a block of {expected}")]
    SampleCount {
        /// Samples given.
        found: usize,
        /// Lattice points of the block.
        expected: usize,
    },
    /// The block is empty or too large.
    #[error("a block of {cells:?} cells was asked for; each side has from 1 to {limit} cells", limit = crate::block::MAX_CELLS)]
    BlockSize {
        /// Cells along each axis.
        cells: [usize; 3],
    },
    /// A neighbour's border table lacks a cell or a crossing that this chunk's table needs: they were made from different
    /// fields.
    #[error("border tables disagree at cell {cell}: they were made from different fields")]
    BordersDisagree {
        /// The cell that is missing, or lacks the crossing.
        cell: VoxelPos,
    },
    /// A seam was asked for a chunk that its cut does not have.
    #[error("{key} is not in the cut that its seam was asked for")]
    NotInCut {
        /// The chunk.
        key: ChunkKey,
    },
    /// Chunks near to each other differ by too many levels.
    #[error(
        "{key} lies beside {other}; a seam joins chunks that differ by at most {MOST_LEVELS_APART} levels"
    )]
    LevelsTooFarApart {
        /// The chunk whose seam was asked for.
        key: ChunkKey,
        /// The chunk near to it.
        other: ChunkKey,
    },
    /// The leaves around some polygons do not fit together.
    #[error("the leaves around {at} do not fit together: {source}")]
    Patch {
        /// The lowest cell of the block or chunk.
        at: VoxelPos,
        /// What does not fit.
        source: PatchError,
    },
    /// Leaves are missing that polygons need.
    #[error("{polygons} polygons around {at} need leaves that are missing")]
    Unsettled {
        /// The lowest cell of the block or chunk.
        at: VoxelPos,
        /// Polygons that could not be made.
        polygons: usize,
    },
}
