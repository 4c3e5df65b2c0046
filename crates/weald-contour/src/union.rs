//! Chunks and their seams become one mesh, joined by the names of their vertices.

use std::collections::BTreeMap;

use glam::{I64Vec3, Vec3};
use weald_mesh::{MaterialId, Mesh};
use weald_space::{CHUNK_CELLS, ChunkKey, Lattice, VoxelPos};

use crate::chunk::{Chunk, Vertex};
use crate::name::VertexName;
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
    #[error("the seam of {key} names a vertex at {local:?} that no chunk has")]
    NoSuchVertex {
        /// The chunk that owns the seam.
        key: ChunkKey,
        /// The vertex' lattice point, counted from that chunk.
        local: [u32; 3],
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

/// Joins chunks and their seams to one mesh that counts from the lattice point `origin`.
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
        joined.take_seam(at)?;
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

    fn take_seam(&mut self, at: usize) -> Result<(), UnionError> {
        let piece = self.pieces[at];
        let (found, expected) = (piece.seam_materials.len(), piece.seam.added.len());
        if found != expected {
            return Err(UnionError::Materials { key: piece.key, found, expected });
        }
        for (vertex, &material) in piece.seam.added.iter().zip(piece.seam_materials) {
            let owner = canonical(piece.key, vertex.name);
            if self.find(owner).is_none() {
                let index = self.push(piece.key, vertex, material);
                self.added.insert(owner, index);
            }
        }
        for triangle in &piece.seam.triangles {
            let mut corners = [0; 3];
            for (corner, &name) in corners.iter_mut().zip(triangle) {
                *corner = self
                    .find(canonical(piece.key, name))
                    .ok_or(UnionError::NoSuchVertex { key: piece.key, local: name.local() })?;
            }
            self.mesh.triangles.push(corners);
        }
        Ok(())
    }

    fn find(&self, (key, name): (ChunkKey, VertexName)) -> Option<u32> {
        let in_chunk = self.pieces.binary_search_by_key(&key, |piece| piece.key).ok().and_then(|at| {
            let vertices = &self.pieces[at].chunk.vertices;
            let found = vertices.binary_search_by_key(&name, |vertex| vertex.name).ok()?;
            Some(self.firsts[at] + found as u32)
        });
        in_chunk.or_else(|| self.added.get(&(key, name)).copied())
    }

    fn push(&mut self, key: ChunkKey, vertex: &Vertex, material: MaterialId) -> u32 {
        let chunk = (key.origin() - self.origin).as_dvec3();
        let cells = chunk + Vec3::from_array(vertex.position).as_dvec3();
        let position = (cells * self.lattice.cell_size()).as_vec3();
        self.mesh.push_vertex(position, Vec3::from_array(vertex.normal), material)
    }
}

/// The chunk that holds a vertex' lattice point, and the vertex' name there.
fn canonical(key: ChunkKey, name: VertexName) -> (ChunkKey, VertexName) {
    let local = I64Vec3::from_array(name.local().map(i64::from));
    if local.max_element() < CHUNK_CELLS {
        return (key, name);
    }
    let owner = ChunkKey::containing(key.origin() + local);
    let inside = VoxelPos(key.origin().0 + local) - owner.origin();
    (owner, VertexName::new(inside.to_array().map(|c| c as u32), name.kind()))
}
