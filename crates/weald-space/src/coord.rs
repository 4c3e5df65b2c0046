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

/// A level of detail: cells of level `n` are 2ⁿ times as large as the world's finest, which are those of level 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Lod(u8);

impl Lod {
    /// The finest level.
    pub const FINEST: Lod = Lod(0);
    /// The coarsest: a chunk of it, of the largest cells, is longer than the Earth's equator.
    pub const COARSEST: Lod = Lod(16);

    /// The level with this number, from 0 to 16.
    #[must_use]
    pub const fn new(level: u8) -> Option<Self> {
        if level <= Lod::COARSEST.0 { Some(Lod(level)) } else { None }
    }

    /// 0 for the finest.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// How many of the finest cells lie along one of this level.
    #[must_use]
    pub const fn cells(self) -> i64 {
        1 << self.0
    }

    /// The next coarser level, if there is one.
    #[must_use]
    pub const fn coarser(self) -> Option<Self> {
        Lod::new(self.0 + 1)
    }

    /// The next finer level, if there is one.
    #[must_use]
    pub const fn finer(self) -> Option<Self> {
        match self.0 {
            0 => None,
            level => Some(Lod(level - 1)),
        }
    }
}

impl fmt::Display for Lod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {}", self.0)
    }
}

/// A chunk of 32³ cells of one level of detail, counted in chunks of that level from the world's origin.
///
/// Ordered by level, then z, y, x: the order in which a bake lists its chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ChunkKey {
    /// The size of its cells.
    pub lod: Lod,
    /// Chunks to the east.
    pub x: i64,
    /// Chunks to the north.
    pub y: i64,
    /// Chunks up.
    pub z: i64,
}

impl ChunkKey {
    /// The finest chunk at these coordinates, in chunks.
    #[must_use]
    pub const fn new(x: i64, y: i64, z: i64) -> Self {
        ChunkKey::at_level(Lod::FINEST, x, y, z)
    }

    /// The chunk of a level at these coordinates, in chunks of that level.
    #[must_use]
    pub const fn at_level(lod: Lod, x: i64, y: i64, z: i64) -> Self {
        ChunkKey { lod, x, y, z }
    }

    /// The finest chunk that holds this cell.
    #[must_use]
    pub fn containing(cell: VoxelPos) -> Self {
        ChunkKey::containing_at(Lod::FINEST, cell)
    }

    /// The chunk of a level that holds this cell of the same level.
    #[must_use]
    pub fn containing_at(lod: Lod, cell: VoxelPos) -> Self {
        let [x, y, z] = cell.0.to_array().map(|c| c.div_euclid(CHUNK_CELLS));
        ChunkKey::at_level(lod, x, y, z)
    }

    /// The lowest lattice point of the chunk, on the lattice of its own level ([`Lattice::level`]).
    #[must_use]
    pub fn origin(self) -> VoxelPos {
        VoxelPos(I64Vec3::new(self.x, self.y, self.z) * CHUNK_CELLS)
    }

    /// The lowest lattice point of the chunk, on the finest lattice.
    #[must_use]
    pub fn finest_origin(self) -> VoxelPos {
        VoxelPos(self.origin().0 * self.lod.cells())
    }

    /// The chunk of the same level this many chunks away.
    #[must_use]
    pub const fn offset(self, by: [i64; 3]) -> Self {
        ChunkKey::at_level(self.lod, self.x + by[0], self.y + by[1], self.z + by[2])
    }

    /// The chunk of the next coarser level that holds this one.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        let [x, y, z] = [self.x, self.y, self.z].map(|c| c.div_euclid(2));
        Some(ChunkKey::at_level(self.lod.coarser()?, x, y, z))
    }

    /// The eight chunks of the next finer level that fill this one, in the order of [`ChunkKey::with_max_side`].
    #[must_use]
    pub fn children(self) -> Option<[ChunkKey; 8]> {
        let lowest = ChunkKey::at_level(self.lod.finer()?, 2 * self.x, 2 * self.y, 2 * self.z);
        Some(lowest.with_max_side())
    }

    /// Whether the other chunk is this one or lies within it.
    #[must_use]
    pub fn holds(self, other: ChunkKey) -> bool {
        let Some(steps) = self.lod.index().checked_sub(other.lod.index()) else { return false };
        let [x, y, z] = [other.x, other.y, other.z].map(|c| c >> steps);
        [x, y, z] == [self.x, self.y, self.z]
    }

    /// This chunk and all that touch it of the same level, in the order of z, y, x.
    #[must_use]
    pub fn surroundings(self) -> [ChunkKey; 27] {
        std::array::from_fn(|i| self.offset([i % 3, i / 3 % 3, i / 9].map(|c| c as i64 - 1)))
    }

    /// This chunk and its seven neighbours of the same level on the max side. The chunk at place `i` lies one to the
    /// east where bit 0 of `i` is set, to the north for bit 1, above for bit 2.
    #[must_use]
    pub fn with_max_side(self) -> [ChunkKey; 8] {
        std::array::from_fn(|i| self.offset([i as i64 & 1, i as i64 >> 1 & 1, i as i64 >> 2 & 1]))
    }
}

impl Ord for ChunkKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.lod, self.z, self.y, self.x).cmp(&(other.lod, other.z, other.y, other.x))
    }
}

impl PartialOrd for ChunkKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ChunkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "chunk ({}, {}, {})", self.x, self.y, self.z)?;
        if self.lod == Lod::FINEST { Ok(()) } else { write!(f, " of {}", self.lod) }
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

    /// The lattice of a level of detail; this one is level 0. Every point of it is one of this lattice too.
    #[must_use]
    pub fn level(self, lod: Lod) -> Self {
        Lattice { cell_size: self.cell_size * lod.cells() as f64 }
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
    fn parents_hold_their_children_and_no_others() {
        let key = ChunkKey::new(-3, 4, -1);
        let parent = key.parent().expect("a finest chunk has a parent");
        assert_eq!(parent, ChunkKey::at_level(Lod(1), -2, 2, -1));
        let children = parent.children().expect("a coarse chunk has children");
        assert!(children.contains(&key) && children.iter().all(|&child| parent.holds(child)));
        assert!(!parent.holds(ChunkKey::new(-5, 4, -1)) && !key.holds(parent) && parent.holds(parent));
        assert_eq!(parent.finest_origin(), VoxelPos::new(-128, 128, -64));
        assert_eq!(key.children(), None);
        assert_eq!(ChunkKey::at_level(Lod::COARSEST, 0, 0, 0).parent(), None);
        assert_eq!(Lod::new(17), None);
    }

    #[test]
    fn levels_share_their_points() {
        let fine = Lattice::new(0.5).expect("a power of two");
        let coarse = fine.level(Lod(3));
        assert_eq!(coarse.cell_size(), 4.0);
        let place = coarse.world_from_voxel(VoxelPos::new(-7, 3, 1));
        assert_eq!(place, fine.world_from_voxel(VoxelPos::new(-56, 24, 8)));
    }

    #[test]
    fn max_side_neighbours_follow_their_bits() {
        let near = ChunkKey::new(5, 5, 5).with_max_side();
        assert_eq!(near[0], ChunkKey::new(5, 5, 5));
        assert_eq!(near[5], ChunkKey::new(6, 5, 6));
    }
}
