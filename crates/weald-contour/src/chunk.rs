//! The mesh of one chunk, and what it shows to its neighbours.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};
use weald_field::{EvalScratch, Grid, Tape};
use weald_mesh::Mesh;
use weald_space::{Axis, CHUNK_CELLS, ChunkKey, Lattice};

use crate::block::{Block, HALO, Signs};
use crate::cell::CellEdge;
use crate::dual::{self, Leaf, Leaves, around, name_at, owned_crossings};
use crate::error::ContourError;
use crate::hermite::{Crossings, HermiteScratch};
use crate::name::{VertexKind, VertexName};
use crate::place::{Vertices, is_own, lower_end};
use crate::tables::loops;

const SIDE: usize = CHUNK_CELLS as usize;

/// A vertex of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vertex {
    /// Its name, counted from the chunk's origin.
    pub name: VertexName,
    /// In cells from the chunk's origin; a multiple of 2⁻¹³.
    pub position: [f32; 3],
    /// Unit vector that points outside.
    pub normal: [f32; 3],
}

/// What happened while a chunk was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ChunkCounts {
    /// Cells that the surface crosses.
    pub cells: u32,
    /// Of these, cells with more than one loop.
    pub complex_cells: u32,
    /// Vertices that took over a corner which a neighbour could not reach.
    pub adopted: u32,
    /// Vertices that lie in an empty cell beside their own.
    pub borrowed: u32,
    /// Polygons of the core that were cut as fans from their edge's crossing.
    pub fans: u32,
    /// Face vertices made where a dual edge would be used four times.
    pub face_vertices: u32,
}

/// The mesh of one chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chunk {
    /// All vertices of the chunk's own cells and of its core, ordered by name.
    pub vertices: Vec<Vertex>,
    /// Polygons that touch no border cell: triangles over `vertices`, counter-clockwise from outside.
    pub core: Vec<[u32; 3]>,
    /// What the seams read.
    pub border: BorderTable,
    /// What happened.
    pub counts: ChunkCounts,
}

/// What contouring keeps between chunks: hand the same one to every call on a thread, and a steady stream of chunks
/// allocates only what it returns.
#[derive(Debug, Default)]
pub struct Scratch {
    samples: Vec<f32>,
    signs: Signs,
    crossings: Crossings,
    hermite: HermiteScratch,
    vertices: Vertices,
    field: EvalScratch,
}

/// Makes the mesh of one chunk of a field that is negative inside.
///
/// Samples of the field are read up to [`HALO`] cells beyond the chunk.
///
/// ```
/// use weald_contour::{Scratch, contour_chunk};
/// use weald_field::{Expr, Tape};
/// use weald_space::{ChunkKey, Lattice};
///
/// let ball = Tape::new(&Expr::sphere([16.0, 16.0, 16.0].into(), 9.3))?;
/// let chunk = contour_chunk(&ball, Lattice::new(1.0)?, ChunkKey::new(0, 0, 0), &mut Scratch::default())?;
/// assert!(chunk.core.len() > 1_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the field is not finite at a lattice point.
pub fn contour_chunk(
    tape: &Tape,
    lattice: Lattice,
    key: ChunkKey,
    scratch: &mut Scratch,
) -> Result<Chunk, ContourError> {
    let block = Block::new(key.origin(), [SIDE; 3])?;
    if !scratch.find_surface(tape, lattice, &block)? {
        return Ok(Chunk::default());
    }
    let on_border = |place: [usize; 3]| place.iter().any(|&c| c <= HALO || c >= HALO + SIDE - 1);
    let mut core = Core::new(&block, scratch);
    core.emit(|cells| cells.iter().all(|&cell| is_own(&block, cell) && !on_border(cell)));
    let mut chunk = core.finish();
    chunk.border = border_table(&block, scratch);
    Ok(chunk)
}

/// Makes the mesh of a whole box of cells: every polygon whose four cells lie in it.
///
/// The triangles are those that the chunks of the box and their seams give together.
///
/// # Errors
/// If the box is empty or too large, or the field is not finite at a lattice point.
pub fn contour_block(
    tape: &Tape,
    lattice: Lattice,
    block: &Block,
    scratch: &mut Scratch,
) -> Result<Mesh, ContourError> {
    if !scratch.find_surface(tape, lattice, block)? {
        return Ok(Mesh::new(lattice.world_from_voxel(block.min)));
    }
    Ok(whole_mesh(block, lattice, scratch))
}

/// Makes the mesh of a box of cells from samples alone, x fastest, for data that comes without a field.
///
/// `samples` covers the block's lattice points and [`HALO`] more on every side. Normals come from differences of the
/// samples, so that creases are blunted; contour a field where there is one.
///
/// # Errors
/// If the number of samples is wrong or one of them is not finite.
pub fn contour_samples(
    lattice: Lattice,
    block: &Block,
    samples: &[f32],
    scratch: &mut Scratch,
) -> Result<Mesh, ContourError> {
    scratch.signs.find(block, samples)?;
    scratch.crossings.from_samples(block, &scratch.signs, samples);
    scratch.vertices.find(None, block, &scratch.signs, &scratch.crossings);
    Ok(whole_mesh(block, lattice, scratch))
}

fn whole_mesh(block: &Block, lattice: Lattice, scratch: &Scratch) -> Mesh {
    let mut core = Core::new(block, scratch);
    core.emit(|cells| cells.iter().all(|&cell| is_own(block, cell)));
    let chunk = core.finish();
    let mut mesh = Mesh::new(lattice.world_from_voxel(block.min));
    let cell_size = lattice.cell_size() as f32;
    for vertex in &chunk.vertices {
        let place = Vec3::from_array(vertex.position) * cell_size;
        mesh.push_vertex(place, Vec3::from_array(vertex.normal), weald_mesh::MaterialId::default());
    }
    mesh.triangles = chunk.core;
    mesh
}

impl Scratch {
    /// Samples, crossings and vertices of a block; false where no sign changes.
    ///
    /// Where bounds show as much, nothing is sampled: sky and deep rock cost one interval evaluation. Elsewhere the
    /// tape is pruned to what reaches the block, so that the cost of a block does not depend on the size of the world.
    fn find_surface(&mut self, tape: &Tape, lattice: Lattice, block: &Block) -> Result<bool, ContourError> {
        let trace = tape.trace(block.surroundings(lattice));
        if trace.range().lo >= 0.0 || trace.range().hi < 0.0 {
            return Ok(false);
        }
        let pruned = trace.pruned();
        let tape = pruned.as_ref().unwrap_or(tape);
        let dims = block.padded_points();
        self.samples.resize(dims.iter().product(), 0.0);
        let grid = Grid { lattice, min: block.padded_min(), dims };
        tape.sample(&grid, &mut self.field, &mut self.samples);
        self.signs.find(block, &self.samples)?;
        let (signs, crossings) = (&self.signs, &mut self.crossings);
        crossings.find(tape, lattice, block, signs, &self.samples, &mut self.hermite);
        self.vertices.find(Some((tape, lattice)), block, signs, crossings);
        Ok(!self.signs.cells.is_empty())
    }

    /// The vertex numbered `number` of the cell at `place`, as seen from the block.
    fn vertex(&self, place: [usize; 3], number: usize, index: u8) -> Vertex {
        let local = place.map(|c| c - HALO);
        let position = self.vertices.places[number] + DVec3::from_array(local.map(|c| c as f64));
        Vertex {
            name: name_at(local, VertexKind::Loop(index)),
            position: position.as_vec3().to_array(),
            normal: self.vertices.normals[number].to_array(),
        }
    }
}

/// The polygons of one block, while they are made.
struct Core<'a> {
    block: &'a Block,
    scratch: &'a Scratch,
    /// For each vertex of the scratch its index among the block's own, or `u32::MAX`.
    own: Vec<u32>,
    vertices: Vec<Vertex>,
    added: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
    counts: ChunkCounts,
}

impl<'a> Core<'a> {
    fn new(block: &'a Block, scratch: &'a Scratch) -> Self {
        let (signs, found) = (&scratch.signs, &scratch.vertices);
        let mut own = vec![u32::MAX; found.places.len()];
        let mut vertices = Vec::new();
        let mut counts =
            ChunkCounts { adopted: found.adopted, borrowed: found.borrowed, ..Default::default() };
        for (number, cell) in signs.cells.iter().enumerate() {
            if is_own(block, cell.place()) {
                let count = loops(cell.mask).count;
                counts.cells += 1;
                counts.complex_cells += u32::from(count > 1);
                for index in 0..count {
                    let vertex = found.first[number] as usize + index as usize;
                    own[vertex] = vertices.len() as u32;
                    vertices.push(scratch.vertex(cell.place(), vertex, index));
                }
            }
        }
        Core { block, scratch, own, vertices, added: Vec::new(), triangles: Vec::new(), counts }
    }

    fn emit(&mut self, belongs: impl Fn(&[[usize; 3]; 4]) -> bool) {
        for owner in &self.scratch.signs.cells {
            if !is_own(self.block, owner.place()) {
                continue;
            }
            for axis in owned_crossings(owner.mask) {
                let cells = around(owner.place(), axis);
                if belongs(&cells) {
                    let found = cells.map(|cell| self.leaf(cell));
                    dual::polygon(self, axis, cells, found);
                }
            }
        }
    }

    fn leaf(&self, place: [usize; 3]) -> Leaf {
        let number = self.scratch.signs.cell(place).expect("a cell with a crossed edge is active");
        Leaf {
            mask: self.scratch.signs.cells[number].mask,
            first_vertex: self.scratch.vertices.first[number] as usize,
        }
    }

    fn finish(mut self) -> Chunk {
        if !self.added.is_empty() {
            self.merge_added();
        }
        Chunk {
            vertices: self.vertices,
            core: self.triangles,
            border: BorderTable::default(),
            counts: self.counts,
        }
    }

    /// Sorts the added vertices in among the others, each name once.
    fn merge_added(&mut self) {
        let own = self.vertices.len();
        let mut all: Vec<(VertexName, usize)> =
            self.vertices.iter().chain(&self.added).map(|v| v.name).zip(0..).collect();
        all.sort_unstable();
        let mut merged: Vec<Vertex> = Vec::with_capacity(all.len());
        let mut index_of = vec![0; all.len()];
        for (name, old) in all {
            if merged.last().is_none_or(|last| last.name != name) {
                merged.push(if old < own { self.vertices[old] } else { self.added[old - own] });
            }
            index_of[old] = merged.len() as u32 - 1;
        }
        for corner in self.triangles.iter_mut().flatten() {
            *corner = index_of[*corner as usize];
        }
        self.vertices = merged;
    }
}

impl Leaves for Core<'_> {
    type Id = u32;

    fn vertex(&self, place: [usize; 3], leaf: &Leaf, index: u8) -> (u32, DVec3) {
        let number = leaf.first_vertex + index as usize;
        let base = DVec3::from_array(place.map(|c| c as f64));
        (self.own[number], base + self.scratch.vertices.places[number])
    }

    fn crossing(&self, lower_end: [usize; 3], axis: Axis) -> (f32, Vec3) {
        let number = self.scratch.crossings.number(&self.scratch.signs, axis, lower_end);
        (self.scratch.crossings.t[number], self.scratch.crossings.normals[number])
    }

    fn add(&mut self, kind: VertexKind, lattice_point: [usize; 3], place: DVec3, normal: Vec3) -> u32 {
        self.counts.face_vertices += u32::from(matches!(kind, VertexKind::Face { .. }));
        let halo = DVec3::splat(HALO as f64);
        self.added.push(Vertex {
            name: name_at(lattice_point.map(|c| c - HALO), kind),
            position: (place - halo).as_vec3().to_array(),
            normal: normal.to_array(),
        });
        (self.vertices.len() + self.added.len() - 1) as u32
    }

    fn triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
    }

    fn note_fan(&mut self) {
        self.counts.fans += 1;
    }
}
