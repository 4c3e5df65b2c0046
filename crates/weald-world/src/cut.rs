//! A cut: chunks that tile a region, each at its own level.
//!
//! The name is that of level of detail by trees: what is drawn is a cut through the tree of chunks. Contract 3 of the
//! design says that the surface over any cut is closed, whatever levels meet. A cut that is *balanced* has neighbours
//! of at most one level apart; it is not needed to close the surface, but long thin triangles and seams of many small
//! cells are avoided.

use weald_space::{ChunkKey, Lod, Seed};

use crate::region::{Region, span};
use crate::tree::Tree;

/// The most chunks in a cut that this crate makes.
///
/// A million chunks are some billions of triangles, far beyond what is drawn at once; the limit keeps a slip in a
/// setting from filling the memory.
pub const MAX_CHUNKS: usize = 1 << 20;

/// Why chunks are no cut.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CutError {
    /// A chunk does not lie in the region.
    #[error("{chunk} lies outside the region, or is coarser than its {coarsest}")]
    Outside {
        /// The chunk.
        chunk: ChunkKey,
        /// The coarsest level of the region.
        coarsest: Lod,
    },
    /// Two chunks cover the same place.
    #[error("{chunk} and {other} overlap")]
    Overlap {
        /// The one that comes first on the curve; the coarser of two that start together.
        chunk: ChunkKey,
        /// The other.
        other: ChunkKey,
    },
    /// A place is covered by none.
    #[error("no chunk covers {at}")]
    Gap {
        /// The first finest chunk that is missing.
        at: ChunkKey,
    },
    /// More chunks than a cut may have.
    #[error("a cut would have more than {limit} chunks", limit = MAX_CHUNKS)]
    TooMany,
}

/// Chunks that tile a region without gap or overlap, each at its own level, along the region's curve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    region: Region,
    /// Where each chunk starts on the curve: ascending.
    starts: Vec<u64>,
    chunks: Vec<ChunkKey>,
}

impl Cut {
    /// The cut of these chunks, in any order.
    ///
    /// # Errors
    /// If a chunk lies outside, two overlap (or one is listed twice), or a place is covered by none.
    pub fn new(region: Region, chunks: impl IntoIterator<Item = ChunkKey>) -> Result<Self, CutError> {
        let mut placed = Vec::new();
        for chunk in chunks {
            let start =
                region.start(chunk).ok_or(CutError::Outside { chunk, coarsest: region.coarsest() })?;
            placed.push((start, chunk));
        }
        placed.sort_unstable_by_key(|&(start, chunk)| (start, std::cmp::Reverse(chunk.lod)));
        let gap = |start| Err(CutError::Gap { at: region.chunk_at(start, Lod::FINEST) });
        let mut covered = 0;
        for (i, &(start, chunk)) in placed.iter().enumerate() {
            if start < covered {
                return Err(CutError::Overlap { chunk: placed[i - 1].1, other: chunk });
            }
            if start > covered {
                return gap(covered);
            }
            covered = start + span(chunk.lod);
        }
        if covered < region.end() {
            return gap(covered);
        }
        let (starts, chunks) = placed.into_iter().unzip();
        Ok(Cut { region, starts, chunks })
    }

    /// The roots of the region: the coarsest cut.
    #[must_use]
    pub fn coarsest(region: Region) -> Self {
        Cut::along_curve(region, region.roots())
    }

    /// The cut of chunks that are known to tile the region, in order.
    pub(crate) fn along_curve(region: Region, chunks: impl IntoIterator<Item = ChunkKey>) -> Self {
        let chunks: Vec<ChunkKey> = chunks.into_iter().collect();
        let starts = chunks.iter().map(|&chunk| region.start(chunk).unwrap_or(u64::MAX)).collect();
        let cut = Cut { region, starts, chunks };
        debug_assert!(cut.tiles(), "the chunks tile the region in order");
        cut
    }

    /// The same, with where each chunk starts on the curve.
    pub(crate) fn from_parts(region: Region, starts: Vec<u64>, chunks: Vec<ChunkKey>) -> Self {
        let cut = Cut { region, starts, chunks };
        debug_assert!(cut.tiles(), "the chunks tile the region in order");
        cut
    }

    fn tiles(&self) -> bool {
        let mut covered = 0;
        self.starts.iter().zip(&self.chunks).all(|(&start, &chunk)| {
            let follows = start == covered && self.region.start(chunk) == Some(start);
            covered = start + span(chunk.lod);
            follows
        }) && covered == self.region.end()
    }

    /// What it tiles.
    #[must_use]
    pub const fn region(&self) -> Region {
        self.region
    }

    /// The chunks, along the curve of the region.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkKey] {
        &self.chunks
    }

    pub(crate) fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// The finest and the coarsest level of its chunks.
    #[must_use]
    pub fn levels(&self) -> (Lod, Lod) {
        let levels = self.chunks.iter().map(|chunk| chunk.lod);
        levels.fold((Lod::COARSEST, Lod::FINEST), |(low, high), lod| (low.min(lod), high.max(lod)))
    }

    /// The chunk of the cut that is this chunk or holds it; `None` where the chunk is split in the cut, or lies
    /// outside the region.
    #[must_use]
    pub fn holder(&self, chunk: ChunkKey) -> Option<ChunkKey> {
        let found = self.chunks[self.index_at(self.region.start(chunk)?)];
        (found.lod >= chunk.lod).then_some(found)
    }

    /// Whether the cut has this very chunk.
    #[must_use]
    pub fn contains(&self, chunk: ChunkKey) -> bool {
        self.holder(chunk) == Some(chunk)
    }

    /// Whether the cut has finer chunks in the place of this one.
    #[must_use]
    pub fn is_split(&self, chunk: ChunkKey) -> bool {
        self.region.start(chunk).is_some_and(|start| self.chunks[self.index_at(start)].lod < chunk.lod)
    }

    /// The place in the list of the chunk that covers this place of the curve.
    pub(crate) fn index_at(&self, start: u64) -> usize {
        self.starts.partition_point(|&s| s <= start).saturating_sub(1)
    }

    /// Writes the chunks of the cut that touch this one across a face, an edge or a corner, along the curve, each once.
    /// `chunk` need not be in the cut, and may lie just outside; what it holds or what holds it is left out.
    pub fn neighbours(&self, chunk: ChunkKey, found: &mut Vec<ChunkKey>) {
        found.clear();
        for beside in around(chunk) {
            match self.holder(beside) {
                Some(holder) if !holder.holds(chunk) => found.push(holder),
                Some(_) => {}
                None if self.region.holds(beside) => self.touching(beside, chunk, found),
                None => {}
            }
        }
        found.sort_unstable_by_key(|&neighbour| self.region.start(neighbour));
        found.dedup();
    }

    /// Adds the chunks within a split one that touch another chunk. At most as deep as there are levels.
    fn touching(&self, split: ChunkKey, chunk: ChunkKey, found: &mut Vec<ChunkKey>) {
        for child in split.children().into_iter().flatten().filter(|&child| touch(child, chunk)) {
            if self.is_split(child) {
                self.touching(child, chunk, found);
            } else {
                found.push(child);
            }
        }
    }

    /// Two chunks that touch and are more than one level apart, the finer first; `None` if the cut is balanced.
    #[must_use]
    pub fn unbalanced(&self) -> Option<[ChunkKey; 2]> {
        self.chunks.iter().find_map(|&chunk| {
            let too_coarse =
                |holder: &ChunkKey| holder.lod.index() > chunk.lod.index() + 1 && !holder.holds(chunk);
            let coarser = around(chunk).filter_map(|beside| self.holder(beside)).find(too_coarse)?;
            Some([chunk, coarser])
        })
    }

    /// Whether chunks that touch, across faces, edges and corners, are at most one level apart.
    #[must_use]
    pub fn is_balanced(&self) -> bool {
        self.unbalanced().is_none()
    }

    /// The coarsest balanced cut that is nowhere coarser than this one.
    ///
    /// # Errors
    /// If it would have more than [`MAX_CHUNKS`] chunks.
    pub fn balanced(&self) -> Result<Cut, CutError> {
        let mut tree = Tree::new(self.region);
        let mut together = Vec::new();
        let mut next = 0;
        // Children are added behind their parent, so this reaches all of them.
        while next < tree.len() {
            if tree.is_leaf(next as u32) && self.is_split(tree.key(next as u32)) {
                tree.required(next as u32, &mut together);
                for &node in &together {
                    tree.split(node);
                }
                if tree.leaf_count() > MAX_CHUNKS {
                    return Err(CutError::TooMany);
                }
            }
            next += 1;
        }
        Ok(tree.cut())
    }
}

/// The 26 chunks of the same level that touch this one.
fn around(chunk: ChunkKey) -> impl Iterator<Item = ChunkKey> {
    (0..27_i64).filter(|&i| i != 13).map(move |i| chunk.offset([i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]))
}

/// Whether the closed boxes of two chunks meet.
fn touch(a: ChunkKey, b: ChunkKey) -> bool {
    let [a_min, b_min] = [a, b].map(|chunk| [chunk.x, chunk.y, chunk.z].map(|c| c << chunk.lod.index()));
    (0..3)
        .all(|axis| a_min[axis] <= b_min[axis] + b.lod.cells() && b_min[axis] <= a_min[axis] + a.lod.cells())
}

/// A random cut, to test what must hold for all of them: every chunk coarser than `finest` is split with this chance,
/// drawn by its level and place. The same region, or a larger one with the same coarsest level, has the same cut there.
///
/// A chunk has 8 · `split` children to be split on the average: from a chance of 1/8 on, the count grows with each
/// level.
///
/// # Errors
/// If it would have more than [`MAX_CHUNKS`] chunks.
pub fn random_cut(seed: Seed, region: Region, finest: Lod, split: f64) -> Result<Cut, CutError> {
    const SPLIT: u32 = 0;
    let seed = seed.child("cut");
    let mut tree = Tree::new(region);
    let mut next = 0;
    while next < tree.len() {
        let key = tree.key(next as u32);
        let place = glam::I64Vec3::new(key.x, key.y, key.z);
        if key.lod > finest && seed.at(place, u32::from(key.lod.index()), SPLIT).chance(split) {
            tree.split(next as u32);
            if tree.leaf_count() > MAX_CHUNKS {
                return Err(CutError::TooMany);
            }
        }
        next += 1;
    }
    Ok(tree.cut())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lod(level: u8) -> Lod {
        Lod::new(level).expect("a level")
    }

    fn random(seed: u64, level: u8, size: [i64; 3], chance: f64) -> Cut {
        let min = [-2, 1, -1];
        let region = Region::new(lod(level), min, std::array::from_fn(|axis| min[axis] + size[axis]))
            .expect("a small box");
        random_cut(Seed::new(seed), region, Lod::FINEST, chance).expect("a small cut")
    }

    #[test]
    fn what_is_wrong_with_a_cut_is_named() {
        let region = Region::new(lod(1), [0; 3], [2, 1, 1]).expect("two roots");
        let [first, second] = [ChunkKey::at_level(lod(1), 0, 0, 0), ChunkKey::at_level(lod(1), 1, 0, 0)];
        assert!(Cut::new(region, [second, first]).is_ok());
        assert_eq!(Cut::new(region, [second]), Err(CutError::Gap { at: ChunkKey::new(0, 0, 0) }));
        assert_eq!(Cut::new(region, [first]), Err(CutError::Gap { at: ChunkKey::new(2, 0, 0) }));
        let child = ChunkKey::new(1, 1, 1);
        assert_eq!(
            Cut::new(region, [child, first, second]),
            Err(CutError::Overlap { chunk: first, other: child })
        );
        assert_eq!(
            Cut::new(region, [first, first, second]),
            Err(CutError::Overlap { chunk: first, other: first })
        );
        let outside = ChunkKey::new(0, 0, 2);
        assert_eq!(
            Cut::new(region, [first, second, outside]),
            Err(CutError::Outside { chunk: outside, coarsest: lod(1) })
        );
    }

    #[test]
    fn a_cut_that_would_not_end_is_refused() {
        let region = Region::new(Lod::COARSEST, [0; 3], [1; 3]).expect("one root");
        assert_eq!(random_cut(Seed::new(1), region, Lod::FINEST, 1.0), Err(CutError::TooMany));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn random_cuts_pass_their_own_check_in_any_order(seed: u64, level in 0_u8..5, chance in 0.0..0.4) {
            let cut = random(seed, level, [2, 1, 2], chance);
            let backwards = Cut::new(cut.region(), cut.chunks().iter().rev().copied());
            prop_assert_eq!(backwards.as_ref(), Ok(&cut));
            let mut missing = cut.chunks().to_vec();
            let gone = missing.remove(seed as usize % missing.len());
            let answer = Cut::new(cut.region(), missing);
            let named = matches!(answer, Err(CutError::Gap { at }) if gone.holds(at));
            prop_assert!(named, "{} is missing, and this is said: {:?}", gone, answer);
        }

        #[test]
        fn neighbours_are_those_whose_boxes_touch(seed: u64, level in 1_u8..4, chance in 0.1..0.5) {
            let cut = random(seed, level, [2, 2, 1], chance);
            let mut found = Vec::new();
            for &chunk in cut.chunks().iter().step_by(7) {
                cut.neighbours(chunk, &mut found);
                let by_hand: Vec<ChunkKey> =
                    cut.chunks().iter().copied().filter(|&c| c != chunk && touch(c, chunk)).collect();
                prop_assert_eq!(&found, &by_hand);
            }
        }

        #[test]
        fn every_finest_chunk_has_one_holder(seed: u64, level in 0_u8..4, chance in 0.1..0.5) {
            let cut = random(seed, level, [1, 2, 1], chance);
            for place in 0..cut.region().end() {
                let finest = cut.region().chunk_at(place, Lod::FINEST);
                let holder = cut.holder(finest).expect("the cut covers all");
                prop_assert!(holder.holds(finest) && cut.contains(holder) && !cut.is_split(holder));
                prop_assert!(holder.parent().is_none_or(|parent| !cut.region().holds(parent) || cut.is_split(parent)));
            }
        }

        #[test]
        fn balancing_refines_no_more_than_it_must(seed: u64, level in 1_u8..5, chance in 0.05..0.3) {
            let cut = random(seed, level, [2, 2, 2], chance);
            let balanced = cut.balanced().expect("a small cut");
            prop_assert!(balanced.is_balanced());
            prop_assert_eq!(cut.is_balanced(), balanced == cut);
            for &chunk in balanced.chunks() {
                prop_assert!(cut.holder(chunk).is_some(), "{} is coarser than the cut", chunk);
            }
            // Joining any eight that the cut did not split must break the balance.
            for &chunk in balanced.chunks() {
                let Some(parent) = chunk.parent().filter(|&p| balanced.region().holds(p)) else { continue };
                let children = parent.children().expect("a parent has children");
                if chunk != children[0] || cut.is_split(parent) || !children.iter().all(|&c| balanced.contains(c)) {
                    continue;
                }
                let joined = balanced.chunks().iter().copied().filter(|&c| !parent.holds(c)).chain([parent]);
                let joined = Cut::new(balanced.region(), joined).expect("a parent for its children");
                prop_assert!(!joined.is_balanced(), "{} was split for nothing", parent);
            }
        }

        #[test]
        fn a_part_of_a_region_has_the_cut_of_the_whole(seed: u64, chance in 0.1..0.4) {
            let whole = random(seed, 3, [3, 2, 1], chance);
            let part = Region::new(lod(3), [-1, 1, -1], [1, 2, 0]).expect("a part");
            let cut = random_cut(Seed::new(seed), part, Lod::FINEST, chance).expect("a small cut");
            prop_assert!(cut.chunks().iter().all(|&chunk| whole.contains(chunk)));
        }
    }
}
