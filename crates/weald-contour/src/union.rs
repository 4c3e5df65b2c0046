//! Chunks and their seams become one mesh, joined by the names of their vertices.

use std::collections::BTreeMap;

use glam::Vec3;
use weald_mesh::{MaterialId, Mesh};
use weald_space::{ChunkKey, Lattice, VoxelPos};

use crate::border::{SEAM_LAYERS, layer};
use crate::chunk::{Chunk, Vertex};
use crate::name::{VertexKind, VertexName};
use crate::seam::Seam;

/// One chunk of a union.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Where it lies.
    pub key: ChunkKey,
    /// Its mesh.
    pub chunk: &'a Chunk,
    /// One material for each of the chunk's vertices.
    pub chunk_materials: &'a [MaterialId],
    /// The polygons that join it to its neighbours.
    pub seam: &'a Seam,
    /// One material for each of the seam's added vertices.
    pub seam_materials: &'a [MaterialId],
}

/// Chunks could not be joined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnionError {
    /// A seam names a vertex that no chunk has: it was made from other chunks.
    #[error("the seam of {key} names a vertex at {at:?} that no chunk has")]
    NoSuchVertex {
        /// The chunk that owns the seam.
        key: ChunkKey,
        /// The vertex' lattice point, counted from that chunk in finest cells.
        at: [i32; 3],
    },
    /// There is not one material a vertex.
    #[error("{found} materials were given for the {expected} vertices of {key}")]
    Materials {
        /// The chunk.
        key: ChunkKey,
        /// Materials given.
        found: usize,
        /// Vertices.
        expected: usize,
    },
}

/// Joins the chunks of a cut and their seams to one mesh that counts from the finest lattice's point `origin`.
///
/// Vertices are ordered by chunk, then by name, so that the mesh does not depend on the order of `pieces`; those that
/// no triangle uses are dropped. Positions are exact within 2,048 cells of `origin`, and the nearest `f32` beyond.
///
/// # Errors
/// If a seam does not belong to these chunks, or there is not one material a vertex.
pub fn union(lattice: Lattice, origin: VoxelPos, pieces: &[Piece]) -> Result<Mesh, UnionError> {
    let mut sorted: Vec<&Piece> = pieces.iter().collect();
    sorted.sort_by_key(|piece| piece.key);
    let mut joined = Joined {
        lattice,
        origin,
        firsts: Vec::with_capacity(sorted.len()),
        pieces: sorted,
        added: BTreeMap::new(),
        mesh: Mesh::new(lattice.world_from_voxel(origin)),
    };
    for at in 0..joined.pieces.len() {
        joined.take_chunk(at)?;
    }
    for at in 0..joined.pieces.len() {
        joined.take_seam_vertices(at)?;
    }
    for at in 0..joined.pieces.len() {
        joined.take_seam_triangles(at)?;
    }
    let mut mesh = joined.mesh;
    mesh.compact();
    Ok(mesh)
}

struct Joined<'a> {
    lattice: Lattice,
    origin: VoxelPos,
    pieces: Vec<&'a Piece<'a>>,
    firsts: Vec<u32>,
    added: BTreeMap<(ChunkKey, VertexName), u32>,
    mesh: Mesh,
}

impl Joined<'_> {
    fn take_chunk(&mut self, at: usize) -> Result<(), UnionError> {
        let piece = self.pieces[at];
        let (found, expected) = (piece.chunk_materials.len(), piece.chunk.vertices.len());
        if found != expected {
            return Err(UnionError::Materials { key: piece.key, found, expected });
        }
        let first = self.mesh.positions.len() as u32;
        self.firsts.push(first);
        for (vertex, &material) in piece.chunk.vertices.iter().zip(piece.chunk_materials) {
            self.push(piece.key, vertex, material);
        }
        let core = piece.chunk.core.iter().map(|triangle| triangle.map(|corner| first + corner));
        self.mesh.triangles.extend(core);
        Ok(())
    }

    fn take_seam_vertices(&mut self, at: usize) -> Result<(), UnionError> {
        let piece = self.pieces[at];
        let (found, expected) = (piece.seam_materials.len(), piece.seam.added.len());
        if found != expected {
            return Err(UnionError::Materials { key: piece.key, found, expected });
        }
        for (vertex, &material) in piece.seam.added.iter().zip(piece.seam_materials) {
            let owner = canonical(piece.key, vertex.name)?;
            if self.added.contains_key(&owner) {
                continue;
            }
            match self.in_chunk(owner).filter(|_| !is_of_cut(owner)) {
                // A loop of the third layer whose polygons all belong to seams: only they know where it had to move.
                Some(index) => self.mesh.positions[index as usize] = self.place(piece.key, vertex),
                None => {
                    let index = self.push(piece.key, vertex, material);
                    self.added.insert(owner, index);
                }
            }
        }
        Ok(())
    }

    fn take_seam_triangles(&mut self, at: usize) -> Result<(), UnionError> {
        let piece = self.pieces[at];
        for triangle in &piece.seam.triangles {
            let mut corners = [0; 3];
            for (corner, &name) in corners.iter_mut().zip(triangle) {
                *corner = self
                    .find(canonical(piece.key, name)?)
                    .ok_or(UnionError::NoSuchVertex { key: piece.key, at: name.at() })?;
            }
            self.mesh.triangles.push(corners);
        }
        Ok(())
    }

    /// The vertex of a name. Those of the two outer layers' loops are the seams', if one of them has it: they depend on
    /// the cut. All others are the chunk's, if it has them.
    fn find(&self, owner: (ChunkKey, VertexName)) -> Option<u32> {
        let added = self.added.get(&owner).copied();
        if is_of_cut(owner) && added.is_some() { added } else { self.in_chunk(owner).or(added) }
    }

    fn in_chunk(&self, (key, name): (ChunkKey, VertexName)) -> Option<u32> {
        let at = self.pieces.binary_search_by_key(&key, |piece| piece.key).ok()?;
        let vertices = &self.pieces[at].chunk.vertices;
        let found = vertices.binary_search_by_key(&name, |vertex| vertex.name).ok()?;
        Some(self.firsts[at] + found as u32)
    }

    fn place(&self, key: ChunkKey, vertex: &Vertex) -> Vec3 {
        let chunk = (key.finest_origin() - self.origin).as_dvec3();
        let cells = chunk + Vec3::from_array(vertex.position).as_dvec3() * key.lod.cells() as f64;
        (cells * self.lattice.cell_size()).as_vec3()
    }

    fn push(&mut self, key: ChunkKey, vertex: &Vertex, material: MaterialId) -> u32 {
        let position = self.place(key, vertex);
        self.mesh.push_vertex(position, Vec3::from_array(vertex.normal), material)
    }
}

/// Whether a vertex of a chunk depends on the cut: the loops of the two outer layers.
fn is_of_cut((key, name): (ChunkKey, VertexName)) -> bool {
    let local = name.at().map(|c| (c >> key.lod.index()) as u8);
    matches!(name.kind(), VertexKind::Loop(_)) && layer(local) < SEAM_LAYERS
}

/// The chunk of a vertex' own level that holds its lattice point, and its name there.
fn canonical(key: ChunkKey, name: VertexName) -> Result<(ChunkKey, VertexName), UnionError> {
    let owner = name.owner(key);
    let seen = name.seen_from(key, owner).ok_or(UnionError::NoSuchVertex { key, at: name.at() })?;
    Ok((owner, seen))
}
