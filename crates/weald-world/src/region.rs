//! The part of the world that is shown: a box of chunks of the coarsest level, and a curve through it.
//!
//! All of this crate's lists of chunks follow one curve: root after root (x fastest, then y, then z), and within a root
//! its finest chunks in the order of G. M. Morton ("A Computer Oriented Geodetic Data Base", IBM, 1966), which takes the
//! eight children of a chunk one after the other on every level. So a chunk of level `n` is a stretch of 8ⁿ finest
//! chunks of the curve, that of its parent holds it, and a tiling of the region is a list of stretches without gap.

use glam::DVec3;
use weald_space::{Aabb, CHUNK_CELLS, ChunkKey, Lattice, Lod};

/// The most chunks of the coarsest level in a region: 181 × 181 in one layer, or 32 × 32 × 32.
///
/// All of them are made before anything is shown, so thousands are already slow to start with: a coarser root serves a
/// larger world better. Below the limit every place on the curve fits 63 bits, even with sixteen finer levels.
pub const MAX_ROOTS: u64 = 1 << 15;

/// The furthest that a region reaches from the origin, in chunks of its coarsest level: below it every coordinate of a
/// finest cell fits an `i64`.
pub const MAX_ROOT_COORDINATE: i64 = 1 << 38;

/// Why a box is no region.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RegionError {
    /// The box has no inside.
    #[error("a region from {min:?} to {max:?} is empty: each end must lie beyond its start")]
    Empty {
        /// The lowest chunk.
        min: [i64; 3],
        /// One beyond the highest chunk.
        max: [i64; 3],
    },
    /// The box holds too many chunks of its coarsest level.
    #[error("a region of {roots} chunks of {coarsest} was asked for; the limit is {limit}: take a coarser level", limit = MAX_ROOTS)]
    TooLarge {
        /// How many chunks it would hold.
        roots: u128,
        /// Their level.
        coarsest: Lod,
    },
    /// The box reaches too far from the origin, or its corners are not numbers.
    #[error("a region reaches {reach} chunks from the origin; the limit is {limit}", limit = MAX_ROOT_COORDINATE)]
    TooFar {
        /// The largest of its coordinates, in chunks of the coarsest level.
        reach: f64,
    },
}

/// A box of chunks of one coarsest level, its *roots*: what a cut tiles.
///
/// Invariant: from 1 to [`MAX_ROOTS`] roots, none further out than [`MAX_ROOT_COORDINATE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    coarsest: Lod,
    min: [i64; 3],
    size: [u32; 3],
}

impl Region {
    /// The box of the chunks of level `coarsest` from `min` to one below `max`, in chunks of that level.
    ///
    /// # Errors
    /// If the box is empty, holds more than [`MAX_ROOTS`] or reaches beyond [`MAX_ROOT_COORDINATE`].
    pub fn new(coarsest: Lod, min: [i64; 3], max: [i64; 3]) -> Result<Self, RegionError> {
        let reach = min.iter().chain(&max).map(|c| c.unsigned_abs()).max().unwrap_or(0);
        if reach > MAX_ROOT_COORDINATE.unsigned_abs() {
            return Err(RegionError::TooFar { reach: reach as f64 });
        }
        if (0..3).any(|axis| min[axis] >= max[axis]) {
            return Err(RegionError::Empty { min, max });
        }
        let sides: [u128; 3] = std::array::from_fn(|axis| (max[axis] - min[axis]) as u128);
        let roots = sides.iter().fold(1_u128, |product, &side| product.saturating_mul(side));
        if roots > u128::from(MAX_ROOTS) {
            return Err(RegionError::TooLarge { roots, coarsest });
        }
        Ok(Region { coarsest, min, size: sides.map(|side| side as u32) })
    }

    /// The smallest region with roots of level `coarsest` that holds a box in metres.
    ///
    /// # Errors
    /// As [`Region::new`]; a corner that is not a number reaches too far.
    pub fn around(lattice: Lattice, coarsest: Lod, bounds: &Aabb) -> Result<Self, RegionError> {
        let side = lattice.level(coarsest).cell_size() * CHUNK_CELLS as f64;
        let (min, max) = ((bounds.min / side).floor(), (bounds.max / side).ceil());
        let limit = DVec3::splat(MAX_ROOT_COORDINATE as f64);
        if !(min.cmpge(-limit) & max.cmpge(-limit) & min.cmple(limit) & max.cmple(limit)).all() {
            let reach = min.abs().max(max.abs()).max_element();
            return Err(RegionError::TooFar { reach });
        }
        Region::new(coarsest, min.as_i64vec3().to_array(), max.as_i64vec3().to_array())
    }

    /// The level of the roots.
    #[must_use]
    pub const fn coarsest(&self) -> Lod {
        self.coarsest
    }

    /// How many roots there are.
    #[must_use]
    pub fn root_count(&self) -> usize {
        self.size.iter().map(|&side| side as usize).product()
    }

    /// The roots, along the curve.
    pub fn roots(&self) -> impl Iterator<Item = ChunkKey> + use<> {
        let region = *self;
        (0..self.root_count() as u64)
            .map(move |root| region.chunk_at(root << (3 * region.coarsest.index()), region.coarsest))
    }

    /// The box in metres.
    #[must_use]
    pub fn bounds(&self, lattice: Lattice) -> Aabb {
        let side = lattice.level(self.coarsest).cell_size() * CHUNK_CELLS as f64;
        let min = DVec3::from_array(self.min.map(|c| c as f64)) * side;
        Aabb::new(min, min + DVec3::from_array(self.size.map(f64::from)) * side)
    }

    /// Whether the chunk is a root or lies in one.
    #[must_use]
    pub fn holds(&self, chunk: ChunkKey) -> bool {
        self.root_of(chunk).is_some()
    }

    /// The place of a root among the roots, if the region holds the chunk.
    pub(crate) fn root_of(&self, chunk: ChunkKey) -> Option<usize> {
        let steps = self.coarsest.index().checked_sub(chunk.lod.index())?;
        let mut place = [0; 3];
        for (axis, coordinate) in [chunk.x, chunk.y, chunk.z].into_iter().enumerate() {
            let from_min = (coordinate >> steps).checked_sub(self.min[axis])?;
            place[axis] = usize::try_from(from_min).ok().filter(|&p| p < self.size[axis] as usize)?;
        }
        Some((place[2] * self.size[1] as usize + place[1]) * self.size[0] as usize + place[0])
    }

    /// Where the chunk starts on the curve, in finest chunks, if the region holds it.
    pub(crate) fn start(&self, chunk: ChunkKey) -> Option<u64> {
        let root = self.root_of(chunk)? as u64;
        let within = [chunk.x, chunk.y, chunk.z].map(|coordinate| {
            let in_finest = coordinate << chunk.lod.index();
            spread((in_finest & (self.coarsest.cells() - 1)) as u64)
        });
        let morton = within[0] | within[1] << 1 | within[2] << 2;
        Some(root << (3 * self.coarsest.index()) | morton)
    }

    /// The chunk of a level that starts here on the curve.
    pub(crate) fn chunk_at(&self, start: u64, lod: Lod) -> ChunkKey {
        let bits = 3 * self.coarsest.index();
        let (root, morton) = (start >> bits, start & ((1 << bits) - 1));
        let [nx, ny] = [self.size[0], self.size[1]].map(u64::from);
        let place = [root % nx, root / nx % ny, root / nx / ny];
        let [x, y, z] = std::array::from_fn(|axis| {
            let root = self.min[axis] + place[axis] as i64;
            ((root << self.coarsest.index()) | gather(morton >> axis) as i64) >> lod.index()
        });
        ChunkKey::at_level(lod, x, y, z)
    }

    /// One beyond the last place on the curve.
    pub(crate) fn end(&self) -> u64 {
        (self.root_count() as u64) << (3 * self.coarsest.index())
    }
}

/// How many finest chunks a chunk of this level fills.
pub(crate) const fn span(lod: Lod) -> u64 {
    1 << (3 * lod.index())
}

/// Sixteen bits, each moved to three times its place.
fn spread(bits: u64) -> u64 {
    let mut x = bits & 0xffff;
    x = (x | x << 16) & 0x0000_ff00_00ff;
    x = (x | x << 8) & 0x00f0_0f00_f00f;
    x = (x | x << 4) & 0x0c30_c30c_30c3;
    (x | x << 2) & 0x2492_4924_9249
}

/// The reverse of [`spread`]: every third bit.
fn gather(bits: u64) -> u64 {
    let mut x = bits & 0x2492_4924_9249;
    x = (x | x >> 2) & 0x0c30_c30c_30c3;
    x = (x | x >> 4) & 0x00f0_0f00_f00f;
    x = (x | x >> 8) & 0x0000_ff00_00ff;
    (x | x >> 16) & 0xffff
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spreading_is_undone_by_gathering() {
        for bits in 0..=0xffff_u64 {
            assert_eq!(gather(spread(bits)), bits);
            let by_hand = (0..16).map(|i| (bits >> i & 1) << (3 * i)).sum::<u64>();
            assert_eq!(spread(bits), by_hand);
        }
    }

    #[test]
    fn bad_boxes_are_refused_with_their_numbers() {
        let lod = Lod::new(4).expect("a level");
        assert!(matches!(Region::new(lod, [0; 3], [1, 0, 1]), Err(RegionError::Empty { .. })));
        assert!(matches!(
            Region::new(lod, [0; 3], [1 << 20, 1 << 20, 1]),
            Err(RegionError::TooLarge { roots, .. }) if roots == 1 << 40
        ));
        assert!(matches!(Region::new(lod, [i64::MIN; 3], [i64::MAX; 3]), Err(RegionError::TooFar { .. })));
        let lattice = Lattice::new(1.0).expect("a power of two");
        for bad in [f64::NAN, f64::INFINITY, 1e300] {
            let bounds = Aabb::new(DVec3::ZERO, DVec3::new(1.0, bad, 1.0));
            assert!(
                matches!(Region::around(lattice, lod, &bounds), Err(RegionError::TooFar { .. })),
                "{bad}"
            );
        }
    }

    #[test]
    fn the_region_around_a_box_holds_it_tightly() {
        let lattice = Lattice::new(0.5).expect("a power of two");
        let bounds = Aabb::new(DVec3::new(-1.0, 0.0, 3.0), DVec3::new(100.0, 32.0, 33.0));
        let region = Region::around(lattice, Lod::new(1).expect("a level"), &bounds).expect("small");
        let around = region.bounds(lattice);
        assert_eq!(around.min, DVec3::new(-32.0, 0.0, 0.0));
        assert_eq!(around.max, DVec3::new(128.0, 32.0, 64.0));
        assert_eq!(region.root_count(), 5 * 2);
    }

    proptest! {
        #[test]
        fn a_chunk_is_found_again_at_its_start(
            level in 0_u8..=16, min in prop::array::uniform3(-1_i64 << 20..1 << 20), size in prop::array::uniform3(1_i64..9),
            finer in 0_u8..=16, place: [u16; 3], root in 0_usize..512,
        ) {
            let coarsest = Lod::new(level).expect("at most 16");
            let max = std::array::from_fn(|axis| min[axis] + size[axis]);
            let region = Region::new(coarsest, min, max).expect("a small box");
            let root = region.roots().nth(root % region.root_count()).expect("within the count");
            let lod = Lod::new(level.saturating_sub(finer)).expect("at most 16");
            let steps = level - lod.index();
            let [x, y, z]: [i64; 3] = std::array::from_fn(|axis| {
                ([root.x, root.y, root.z][axis] << steps) + (i64::from(place[axis]) & ((1 << steps) - 1))
            });
            let chunk = ChunkKey::at_level(lod, x, y, z);
            let start = region.start(chunk).expect("it lies in a root");
            prop_assert_eq!(region.chunk_at(start, lod), chunk);
            prop_assert_eq!(start % span(lod), 0);
            prop_assert!(start < region.end());
            for (i, child) in chunk.children().into_iter().flatten().enumerate() {
                prop_assert_eq!(region.start(child), Some(start + i as u64 * span(child.lod)));
            }
        }
    }
}
