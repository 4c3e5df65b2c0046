//! A region of chunks, contoured, sewn and joined: what a bake does, in memory.
#![allow(dead_code, reason = "each test binary uses what it needs")]

use std::collections::BTreeMap;

use weald_contour::chunk::Chunk;
use weald_contour::{ContourError, Piece, Scratch, Seam, SeamScratch, contour_chunk, seam, union};
use weald_field::Tape;
use weald_mesh::{MaterialId, Mesh};
use weald_space::{ChunkKey, Lattice, Lod, VoxelPos};

/// The chunks of a region and their seams.
pub(crate) struct Region {
    pub(crate) lattice: Lattice,
    pub(crate) chunks: BTreeMap<ChunkKey, Chunk>,
    pub(crate) seams: BTreeMap<ChunkKey, Seam>,
}

/// Contours `side`³ chunks from the chunk `first`.
pub(crate) fn contour(
    tape: &Tape,
    lattice: Lattice,
    first: ChunkKey,
    side: i64,
) -> Result<Region, ContourError> {
    let mut keys = Vec::new();
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                keys.push(first.offset([x, y, z]));
            }
        }
    }
    contour_cut(tape, lattice, &keys)
}

/// Contours the chunks of a cut.
pub(crate) fn contour_cut(tape: &Tape, lattice: Lattice, keys: &[ChunkKey]) -> Result<Region, ContourError> {
    let mut scratch = Scratch::default();
    let mut chunks = BTreeMap::new();
    for &key in keys {
        chunks.insert(key, contour_chunk(tape, lattice, key, &mut scratch)?);
    }
    Region::sewn(lattice, chunks)
}

impl Region {
    /// Makes the seams between the chunks of a cut.
    pub(crate) fn sewn(lattice: Lattice, chunks: BTreeMap<ChunkKey, Chunk>) -> Result<Self, ContourError> {
        let coarsest = chunks.keys().map(|key| key.lod).max().unwrap_or_default();
        let holder = |cell: VoxelPos| {
            (0..=coarsest.index()).filter_map(Lod::new).find_map(|lod| {
                let key = ChunkKey::containing_at(lod, VoxelPos(cell.0 >> lod.index()));
                chunks.get(&key).map(|chunk| (key, &chunk.border))
            })
        };
        let mut scratch = SeamScratch::default();
        let mut seams = BTreeMap::new();
        for &key in chunks.keys() {
            seams.insert(key, seam(&holder, key, &mut scratch)?);
        }
        Ok(Region { lattice, chunks, seams })
    }

    /// The union of all chunks and seams, counted from the first chunk.
    pub(crate) fn mesh(&self) -> Mesh {
        let vertices = self.chunks.values().map(|c| c.vertices.len()).max().unwrap_or(0);
        let materials = vec![MaterialId::default(); vertices.max(1 << 16)];
        let pieces: Vec<Piece> = self
            .chunks
            .iter()
            .map(|(&key, chunk)| {
                let seam = &self.seams[&key];
                Piece {
                    key,
                    chunk,
                    chunk_materials: &materials[..chunk.vertices.len()],
                    seam,
                    seam_materials: &materials[..seam.added.len()],
                }
            })
            .collect();
        let origin = self.chunks.keys().next().map(|key| key.finest_origin()).unwrap_or_default();
        union(self.lattice, origin, &pieces).expect("seams belong to their chunks")
    }
}
