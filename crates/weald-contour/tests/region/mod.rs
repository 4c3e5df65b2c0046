//! A region of chunks, contoured, sewn and joined: what a bake does, in memory.
#![allow(dead_code, reason = "each test binary uses what it needs")]

use std::collections::BTreeMap;

use weald_contour::chunk::Chunk;
use weald_contour::{ContourError, Piece, Scratch, Seam, contour_chunk, seam, union};
use weald_field::Tape;
use weald_mesh::{MaterialId, Mesh};
use weald_space::{ChunkKey, Lattice};

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
    let mut scratch = Scratch::default();
    let mut chunks = BTreeMap::new();
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                let key = first.offset([x, y, z]);
                chunks.insert(key, contour_chunk(tape, lattice, key, &mut scratch)?);
            }
        }
    }
    let mut seams = BTreeMap::new();
    for &key in chunks.keys() {
        let tables = key.with_max_side().map(|k| chunks.get(&k).map(|chunk| &chunk.border));
        seams.insert(key, seam(tables, key)?);
    }
    Ok(Region { lattice, chunks, seams })
}

impl Region {
    /// The union of all chunks and seams, counted from the first chunk.
    pub(crate) fn mesh(&self) -> Mesh {
        let vertices = self.chunks.values().map(|c| c.vertices.len()).max().unwrap_or(0);
        let materials = vec![MaterialId::default(); vertices.max(4096)];
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
        let origin = self.chunks.keys().next().map(|key| key.origin()).unwrap_or_default();
        union(self.lattice, origin, &pieces).expect("seams belong to their chunks")
    }
}
