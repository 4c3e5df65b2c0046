use weald_space::VoxelPos;

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
}
