//! The mesh of one chunk, and what it shows to its neighbours.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};
use weald_field::{EvalScratch, Grid, Tape};
use weald_mesh::Mesh;
use weald_space::{Axis, CHUNK_CELLS, ChunkKey, Lattice, Lod};

use crate::block::{Block, HALO, Signs};
use crate::border::{BorderTable, SEAM_LAYERS, border_table, layer};
use crate::calm::calm_vertices;
use crate::cell::CellEdge;
use crate::dual::{around, best_diagonal, owned_crossings, point_on_edge};
use crate::embed::{Corner, Counts};
use crate::error::ContourError;
use crate::hermite::{Crossings, HermiteScratch};
use crate::name::{VertexKind, VertexName};
use crate::patch::{EdgeId, Hermite, Known, LeafId, Patch, PatchCorner, PatchError, Source, quadrants};
use crate::place::{Vertices, is_own};
use crate::tables::{is_simple, loops};

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
    /// Pairs with a vertex of their own on a face.
    pub face_vertices: u32,
    /// Cells whose vertices had to be moved apart and could not: their triangles may meet.
    pub stuck: u32,
}

/// The mesh of one chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chunk {
    /// All vertices of the chunk's own cells and of its core, ordered by name.
    pub vertices: Vec<Vertex>,
    /// Polygons that touch none of the two outermost layers of cells: triangles over `vertices`, counter-clockwise from outside.
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
    found: Found,
    hermite: HermiteScratch,
    field: EvalScratch,
    patch: Patch,
}

/// What a block's samples and field tell: where signs change, the crossings there, and the vertices of the cells.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) signs: Signs,
    pub(crate) crossings: Crossings,
    pub(crate) vertices: Vertices,
    /// Of the block's own vertices in empty cells those that do no harm there, in ascending order.
    calm: Vec<u32>,
    /// The level that names tell.
    lod: Lod,
}

/// Makes the mesh of one chunk of a field that is negative inside. `lattice` is the world's finest: the chunk's own is that
/// of its level.
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
    if !scratch.find_surface(tape, lattice.level(key.lod), &block)? {
        return Ok(Chunk::default());
    }
    let Scratch { found, patch, .. } = scratch;
    found.lod = key.lod;
    let is_of_core =
        |cell: [usize; 3]| is_own(&block, cell) && layer(cell.map(|c| (c - HALO) as u8)) >= SEAM_LAYERS;
    let mut core = Core::new(&block, found);
    core.emit(patch, |cells| cells.iter().all(|&cell| is_of_core(cell)))?;
    let mut chunk = core.finish();
    chunk.border = border_table(&block, found);
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
    whole_mesh(block, lattice, scratch)
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
    let Found { signs, crossings, vertices, .. } = &mut scratch.found;
    signs.find(block, samples)?;
    crossings.from_samples(block, signs, samples);
    vertices.find(None, block, signs, crossings);
    scratch.found.calm = calm_vertices(block, &scratch.found);
    whole_mesh(block, lattice, scratch)
}

fn whole_mesh(block: &Block, lattice: Lattice, scratch: &mut Scratch) -> Result<Mesh, ContourError> {
    let Scratch { found, patch, .. } = scratch;
    found.lod = Lod::FINEST;
    let mut core = Core::new(block, found);
    core.emit(patch, |cells| cells.iter().all(|&cell| is_own(block, cell)))?;
    let chunk = core.finish();
    let mut mesh = Mesh::new(lattice.world_from_voxel(block.min));
    let cell_size = lattice.cell_size() as f32;
    for vertex in &chunk.vertices {
        let place = Vec3::from_array(vertex.position) * cell_size;
        mesh.push_vertex(place, Vec3::from_array(vertex.normal), weald_mesh::MaterialId::default());
    }
    mesh.triangles = chunk.core;
    Ok(mesh)
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
        let Found { signs, crossings, vertices, .. } = &mut self.found;
        signs.find(block, &self.samples)?;
        crossings.find(tape, lattice, block, signs, &self.samples, &mut self.hermite);
        vertices.find(Some((tape, lattice)), block, signs, crossings);
        self.found.calm = calm_vertices(block, &self.found);
        Ok(!self.found.signs.cells.is_empty())
    }
}

impl Found {
    /// Whether a vertex lies in an empty cell and may do harm there.
    fn is_astray(&self, vertex: u32) -> bool {
        self.vertices.own_place(vertex).is_some() && !self.is_calm(vertex)
    }

    /// Whether a vertex in an empty cell is known to do no harm there.
    pub(crate) fn is_calm(&self, vertex: u32) -> bool {
        self.calm.binary_search(&vertex).is_ok()
    }

    /// The name of a vertex at a lattice point of the padded block.
    fn name(&self, at: [i32; 3], kind: VertexKind) -> VertexName {
        let finest = self.lod.cells() as i32;
        VertexName::new(self.lod, at.map(|c| (c - HALO as i32) * finest), kind)
    }

    /// The vertex numbered `number` of the cell at `place`, as seen from the block.
    fn vertex(&self, place: [usize; 3], number: usize, index: u16) -> Vertex {
        let local = place.map(|c| c - HALO);
        let position = self.vertices.places[number] + DVec3::from_array(local.map(|c| c as f64));
        Vertex {
            name: self.name(place.map(|c| c as i32), VertexKind::Loop(index)),
            position: position.as_vec3().to_array(),
            normal: self.vertices.normals[number].to_array(),
        }
    }
}

/// The polygons of one block, while they are made.
struct Core<'a> {
    block: &'a Block,
    found: &'a Found,
    /// For each vertex found its index among the block's own, or `u32::MAX`.
    own: Vec<u32>,
    vertices: Vec<Vertex>,
    added: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
    wanted: Vec<EdgeId>,
    counts: ChunkCounts,
}

impl<'a> Core<'a> {
    fn new(block: &'a Block, found: &'a Found) -> Self {
        let Found { signs, vertices: places, .. } = found;
        let mut own = vec![u32::MAX; places.places.len()];
        let mut vertices = Vec::new();
        let mut counts =
            ChunkCounts { adopted: places.adopted, borrowed: places.borrowed, ..Default::default() };
        for (number, cell) in signs.cells.iter().enumerate() {
            if is_own(block, cell.place()) {
                let count = loops(cell.mask).count;
                counts.cells += 1;
                counts.complex_cells += u32::from(count > 1);
                for index in 0..count {
                    let vertex = places.first[number] as usize + index as usize;
                    own[vertex] = vertices.len() as u32;
                    vertices.push(found.vertex(cell.place(), vertex, index.into()));
                }
            }
        }
        let (added, triangles, wanted) = (Vec::new(), Vec::new(), Vec::new());
        Core { block, found, own, vertices, added, triangles, wanted, counts }
    }

    /// Makes the polygons that belong, by their four cells.
    fn emit(
        &mut self,
        patch: &mut Patch,
        belongs: impl Fn(&[[usize; 3]; 4]) -> bool,
    ) -> Result<(), ContourError> {
        for owner in &self.found.signs.cells {
            if !is_own(self.block, owner.place()) {
                continue;
            }
            for axis in owned_crossings(owner.mask) {
                let cells = around(owner.place(), axis);
                if belongs(&cells) {
                    self.polygon(axis, cells);
                }
            }
        }
        if self.wanted.is_empty() { Ok(()) } else { self.take_patch(patch) }
    }

    /// Makes a polygon between four simple cells, or leaves it to the patch.
    fn polygon(&mut self, axis: Axis, cells: [[usize; 3]; 4]) {
        let Found { signs, crossings, vertices, .. } = self.found;
        let lower = cells[2];
        let mut numbers = [0; 4];
        let mut places = [DVec3::ZERO; 4];
        for k in 0..4 {
            let number = signs.cell(cells[k]).expect("a cell with a crossed edge is active");
            let vertex = vertices.first[number];
            if !is_simple(signs.cells[number].mask) || self.found.is_astray(vertex) {
                self.wanted.push(EdgeId::new(lower.map(|c| c as i32), axis, 1));
                return;
            }
            let from: [f64; 3] = std::array::from_fn(|i| cells[k][i] as f64 - lower[i] as f64);
            numbers[k] = self.own[vertex as usize];
            places[k] = DVec3::from_array(from) + vertices.places[vertex as usize];
        }
        let crossing = crossings.number(signs, axis, lower);
        let t = crossings.t[crossing];
        let inside_low = signs.is_inside(lower);
        let triangles = &mut self.triangles;
        let mut emit = |[a, b, c]: [u32; 3]| triangles.push(if inside_low { [a, b, c] } else { [a, c, b] });
        if let Some(d) = best_diagonal(axis, f64::from(t), places) {
            let [a, b, c, e] = std::array::from_fn(|i| numbers[(d + i) % 4]);
            emit([a, b, c]);
            emit([a, c, e]);
            return;
        }
        let centre = (self.vertices.len() + self.added.len()) as u32;
        for k in 0..4 {
            emit([centre, numbers[k], numbers[(k + 1) % 4]]);
        }
        self.counts.fans += 1;
        let low = lower.map(|c| c as i32);
        let place = DVec3::from_array(low.map(f64::from)) + point_on_edge(axis, t);
        self.add(low, VertexKind::Edge { axis }, place, crossings.normals[crossing]);
    }

    /// Makes the polygons that touch a special leaf.
    fn take_patch(&mut self, patch: &mut Patch) -> Result<(), ContourError> {
        self.wanted.sort_unstable();
        let at = self.block.min;
        let broken = |source: PatchError| ContourError::Patch { at, source };
        let mut leaves = BlockLeaves { block: self.block, found: self.found };
        patch.rebuild(&mut leaves, &self.wanted).map_err(broken)?;
        if patch.unsettled() > 0 {
            return Err(ContourError::Unsettled { at, polygons: patch.unsettled() });
        }
        for &triangle in patch.triangles() {
            let mut corners = [0; 3];
            for (number, corner) in corners.iter_mut().zip(triangle) {
                *number = self.patch_vertex(patch, corner);
            }
            self.triangles.push(corners);
        }
        let Counts { fans, face_points, stuck, .. } = patch.counts();
        self.counts.fans += fans;
        self.counts.face_vertices += face_points;
        self.counts.stuck += stuck;
        Ok(())
    }

    fn patch_vertex(&mut self, patch: &Patch, corner: Corner) -> u32 {
        let (corner, place, normal) = patch.corner(corner);
        match corner {
            PatchCorner::Loop { leaf, index, new } => {
                let cell = leaf.min().map(|c| c as usize);
                let number = self.found.signs.cell(cell).expect("a leaf with a loop is active");
                let vertex = self.own[self.found.vertices.first[number] as usize + usize::from(index)];
                if new {
                    let halo = DVec3::splat(HALO as f64);
                    self.vertices[vertex as usize].position = (place - halo).as_vec3().to_array();
                }
                vertex
            }
            PatchCorner::Edge(edge) => {
                self.add(edge.low(), VertexKind::Edge { axis: edge.axis() }, place, normal)
            }
            PatchCorner::Face(edge, side) => {
                self.add(edge.low(), VertexKind::Face { axis: edge.axis(), side }, place, normal)
            }
        }
    }

    /// Adds a vertex that belongs to no cell, at a place of the padded block.
    fn add(&mut self, at: [i32; 3], kind: VertexKind, place: DVec3, normal: Vec3) -> u32 {
        let halo = DVec3::splat(HALO as f64);
        self.added.push(Vertex {
            name: self.found.name(at, kind),
            position: (place - halo).as_vec3().to_array(),
            normal: normal.to_array(),
        });
        (self.vertices.len() + self.added.len() - 1) as u32
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

/// The cells of a padded block, as leaves. The world ends with the block itself, as it does for seams at the border of a
/// region: what vertices of the halo would be is not known to them.
struct BlockLeaves<'a> {
    block: &'a Block,
    found: &'a Found,
}

impl BlockLeaves<'_> {
    fn cell(&self, leaf: LeafId) -> Option<usize> {
        let signs = &self.found.signs;
        let place = inside(leaf.min(), signs.cell_dims())?;
        signs.cell(place)
    }
}

fn inside(at: [i32; 3], dims: [usize; 3]) -> Option<[usize; 3]> {
    let mut place = [0; 3];
    for axis in 0..3 {
        place[axis] = usize::try_from(at[axis]).ok().filter(|&c| c < dims[axis])?;
    }
    Some(place)
}

impl Source for BlockLeaves<'_> {
    fn is_outside(&mut self, leaf: LeafId) -> bool {
        inside(leaf.min(), self.found.signs.cell_dims()).is_none_or(|place| !is_own(self.block, place))
    }

    fn edges_of(&mut self, leaf: LeafId, edges: &mut Vec<EdgeId>) {
        let Some(number) = self.cell(leaf) else { return };
        let mask = self.found.signs.cells[number].mask;
        for edge in (0..12).map(CellEdge::from_index).filter(|&edge| mask.crosses(edge)) {
            let corner = edge.low_corner();
            let low = std::array::from_fn(|axis| leaf.min()[axis] + i32::from(corner >> axis & 1));
            edges.push(EdgeId::new(low, edge.axis(), 1));
        }
    }

    fn around(&mut self, edge: EdgeId) -> [LeafId; 4] {
        quadrants(edge.low(), edge.axis()).map(|cell| LeafId::new(cell, 1))
    }

    fn hermite(&mut self, edge: EdgeId) -> Option<Hermite> {
        let Found { signs, crossings, .. } = self.found;
        let edges = &signs.edges[edge.axis().index()];
        let place = inside(edge.low(), edges.dims()).filter(|&place| edges.contains(place))?;
        let number = crossings.number(signs, edge.axis(), place);
        let inside_low = signs.is_inside(place);
        Some(Hermite { inside_low, t: crossings.t[number], normal: crossings.normals[number] })
    }

    fn vertices(&mut self, leaf: LeafId, known: &mut Vec<Known>) -> bool {
        let Some(number) = self.cell(leaf) else { return true };
        let Found { signs, vertices, .. } = self.found;
        let base = DVec3::from_array(leaf.min().map(f64::from));
        let first = vertices.first[number];
        for vertex in first..first + u32::from(loops(signs.cells[number].mask).count) {
            known.push(Known {
                place: base + vertices.places[vertex as usize],
                normal: vertices.normals[vertex as usize],
                borrowed: self.found.is_astray(vertex),
            });
        }
        true
    }

    fn may_be_complex(&mut self, leaf: LeafId) -> bool {
        self.cell(leaf).is_some_and(|number| loops(self.found.signs.cells[number].mask).count > 1)
    }
}
