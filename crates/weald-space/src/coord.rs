//! Positions, the lattice, and chunks.
//!
//! Contract 1 of the design: a sample is a pure function of its global integer lattice position, so every chunk that
//! asks for it sees the same bits. [`VoxelPos`] is that position; [`WorldPos`] is derived from it without rounding,
//! because a cell is a power of two of a metre.

use std::fmt;
use std::ops::{Add, Sub};

use glam::{DVec3, I64Vec3};

/// Cells along one side of a chunk.
pub const CHUNK_CELLS: i64 = 32;

/// One of the three axes of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Axis {
    /// East.
    X = 0,
    /// North.
    Y = 1,
    /// Up.
    Z = 2,
}

impl Axis {
    /// All axes, in order.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// The position of this axis in a vector: 0, 1 or 2.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The next axis, cyclically: x, y, z, x.
    #[must_use]
    pub const fn next(self) -> Axis {
        match self {
            Axis::X => Axis::Y,
            Axis::Y => Axis::Z,
            Axis::Z => Axis::X,
        }
    }

    /// The two axes across this one, such that the three are right-handed.
    #[must_use]
    pub const fn across(self) -> (Axis, Axis) {
        (self.next(), self.next().next())
    }

    /// One step along this axis.
    #[must_use]
    pub const fn step(self) -> I64Vec3 {
        match self {
            Axis::X => I64Vec3::X,
            Axis::Y => I64Vec3::Y,
            Axis::Z => I64Vec3::Z,
        }
    }
}

/// A place in the world, in metres from the world's origin: x east, y north, z up.
///
/// Places can be subtracted, which gives a displacement, and moved by one; adding two places makes no sense and is not
/// offered.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct WorldPos(pub DVec3);

impl WorldPos {
    /// The place at these coordinates, in metres.
    #[must_use]
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        WorldPos(DVec3::new(x, y, z))
    }

    /// The coordinates in metres.
    #[must_use]
    pub const fn to_array(self) -> [f64; 3] {
        self.0.to_array()
    }
}

impl Sub for WorldPos {
    type Output = DVec3;
    fn sub(self, from: WorldPos) -> DVec3 {
        self.0 - from.0
    }
}

impl Add<DVec3> for WorldPos {
    type Output = WorldPos;
    fn add(self, by: DVec3) -> WorldPos {
        WorldPos(self.0 + by)
    }
}

/// A point of the lattice, or the cell whose lowest corner it is. Ordered by z, then y, then x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct VoxelPos(pub I64Vec3);

impl VoxelPos {
    /// The point with these lattice coordinates.
    #[must_use]
    pub const fn new(x: i64, y: i64, z: i64) -> Self {
        VoxelPos(I64Vec3::new(x, y, z))
    }
}

impl Ord for VoxelPos {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |p: &VoxelPos| (p.0.z, p.0.y, p.0.x);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for VoxelPos {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Add<I64Vec3> for VoxelPos {
    type Output = VoxelPos;
    fn add(self, by: I64Vec3) -> VoxelPos {
        VoxelPos(self.0 + by)
    }
}

impl Sub for VoxelPos {
    type Output = I64Vec3;
    fn sub(self, from: VoxelPos) -> I64Vec3 {
        self.0 - from.0
    }
}

impl fmt::Display for VoxelPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.0.x, self.0.y, self.0.z)
    }
}

/// A chunk of 32³ cells, counted in chunks from the world's origin.
///
/// Ordered by z, then y, then x: the order in which a bake lists its chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ChunkKey {
    /// Chunks to the east.
    pub x: i64,
    /// Chunks to the north.
    pub y: i64,
    /// Chunks up.
    pub z: i64,
}

impl ChunkKey {
    /// The chunk at these coordinates, in chunks.
    #[must_use]
    pub const fn new(x: i64, y: i64, z: i64) -> Self {
        ChunkKey { x, y, z }
    }

    /// The chunk that holds this cell.
    #[must_use]
    pub fn containing(cell: VoxelPos) -> Self {
        let side = CHUNK_CELLS;
        ChunkKey::new(cell.0.x.div_euclid(side), cell.0.y.div_euclid(side), cell.0.z.div_euclid(side))
    }

    /// The lowest lattice point of the chunk.
    #[must_use]
    pub fn origin(self) -> VoxelPos {
        VoxelPos(I64Vec3::new(self.x, self.y, self.z) * CHUNK_CELLS)
    }

    /// The chunk this many chunks away.
    #[must_use]
    pub const fn offset(self, by: [i64; 3]) -> Self {
        ChunkKey::new(self.x + by[0], self.y + by[1], self.z + by[2])
    }

    /// This chunk and its seven neighbours on the max side, those that its seam reads. The chunk at place `i` lies
    /// one to the east where bit 0 of `i` is set, to the north for bit 1, above for bit 2.
    #[must_use]
    pub fn with_max_side(self) -> [ChunkKey; 8] {
        std::array::from_fn(|i| self.offset([i as i64 & 1, i as i64 >> 1 & 1, i as i64 >> 2 & 1]))
    }
}

impl Ord for ChunkKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.z, self.y, self.x).cmp(&(other.z, other.y, other.x))
    }
}

impl PartialOrd for ChunkKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ChunkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "chunk ({}, {}, {})", self.x, self.y, self.z)
    }
}

/// The cell size is not usable for a lattice.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("cell size {0} m is not a power of two of a metre between 1/256 and 1024 (such as 0.5, 1, 2, 4)")]
pub struct CellSizeError(pub f64);

/// The one lattice of a world: cubic cells whose side is a power of two of a metre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    cell_size: f64,
}

impl Lattice {
    /// A lattice with cells of `cell_size` metres.
    ///
    /// # Errors
    /// If `cell_size` is not a power of two between 1/256 m and 1,024 m: any other size would round differently in
    /// different chunks.
    pub fn new(cell_size: f64) -> Result<Self, CellSizeError> {
        let power_of_two = cell_size.is_normal() && cell_size.to_bits() & ((1 << 52) - 1) == 0;
        if !power_of_two || !(1.0 / 256.0..=1024.0).contains(&cell_size) {
            return Err(CellSizeError(cell_size));
        }
        Ok(Lattice { cell_size })
    }

    /// The side of a cell in metres.
    #[must_use]
    pub const fn cell_size(self) -> f64 {
        self.cell_size
    }

    /// The place of a lattice point. Exact while the coordinates stay below 2⁵³ cells.
    #[must_use]
    pub fn world_from_voxel(self, voxel: VoxelPos) -> WorldPos {
        WorldPos(voxel.0.as_dvec3() * self.cell_size)
    }

    /// The cell that holds this place (the one on the max side, where the place lies on a face).
    #[must_use]
    pub fn voxel_from_world(self, place: WorldPos) -> VoxelPos {
        VoxelPos((place.0 / self.cell_size).floor().as_i64vec3())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_powers_of_two_make_a_lattice() {
        for good in [1.0 / 256.0, 0.25, 1.0, 4.0, 1024.0] {
            assert_eq!(Lattice::new(good).map(Lattice::cell_size), Ok(good));
        }
        for bad in
            [0.0, -1.0, -4.0, 3.0, 0.1, 2048.0, 1.0 / 512.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE]
        {
            assert!(Lattice::new(bad).is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn cells_belong_to_the_chunk_below_them() {
        assert_eq!(ChunkKey::containing(VoxelPos::new(31, 32, -1)), ChunkKey::new(0, 1, -1));
        assert_eq!(ChunkKey::new(-1, 0, 2).origin(), VoxelPos::new(-32, 0, 64));
    }

    #[test]
    fn max_side_neighbours_follow_their_bits() {
        let near = ChunkKey::new(5, 5, 5).with_max_side();
        assert_eq!(near[0], ChunkKey::new(5, 5, 5));
        assert_eq!(near[5], ChunkKey::new(6, 5, 6));
    }
}
