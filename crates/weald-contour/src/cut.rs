//! The leaves around a chunk, as the border tables of a cut show them.
//!
//! A cut tiles the world with chunks, each at its own level. Places count from the origin of the chunk whose seam is
//! made, rounded down to the coarsest lattice in reach, in cells of the finest level in reach.

use glam::{DVec3, I64Vec3, Vec3};
use weald_space::{Axis, CHUNK_CELLS, ChunkKey, Lod, VoxelPos};

use crate::border::{BorderCell, BorderTable, BorderVertex, SEAM_LAYERS, layer};
use crate::cell::{CellEdge, CellMask};
use crate::patch::{EdgeId, Hermite, Known, LeafId, Source, quadrants};
use crate::tables::loops;

const SIDE: i32 = CHUNK_CELLS as i32;

/// Levels that may lie between a chunk and those that its seam looks at. With more, a leaf would reach over several chunks
/// beside it.
pub const MOST_LEVELS_APART: u8 = 5;

/// A cut: for each of the world's finest cells the chunk that holds it, with its border table; `None` beyond the world.
pub type Cut<'a> = dyn Fn(VoxelPos) -> Option<(ChunkKey, &'a BorderTable)> + 'a;

/// A chunk of the cut, in the frame of the patch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near<'a> {
    pub(crate) key: ChunkKey,
    pub(crate) table: &'a BorderTable,
    /// Its lowest corner.
    pub(crate) min: [i32; 3],
    /// The side of its cells.
    pub(crate) cell: i32,
}

impl Near<'_> {
    fn holds(&self, cell: [i32; 3]) -> bool {
        (0..3).all(|axis| (0..SIDE * self.cell).contains(&(cell[axis] - self.min[axis])))
    }

    /// The cell of the chunk that holds a finest cell.
    fn local(&self, cell: [i32; 3]) -> [u8; 3] {
        std::array::from_fn(|axis| ((cell[axis] - self.min[axis]) / self.cell) as u8)
    }

    fn leaf(&self, local: [u8; 3]) -> LeafId {
        LeafId::new(self.point(local), self.cell)
    }

    /// The place of one of the chunk's lattice points.
    pub(crate) fn point(&self, local: [u8; 3]) -> [i32; 3] {
        std::array::from_fn(|axis| self.min[axis] + i32::from(local[axis]) * self.cell)
    }
}

/// The leaves of the chunks around one.
pub(crate) struct CutLeaves<'a> {
    cut: &'a Cut<'a>,
    /// The finest and the coarsest level that places can tell.
    unit: Lod,
    coarsest: Lod,
    /// What places count from, in the world's finest cells.
    origin: I64Vec3,
    near: Vec<Near<'a>>,
    /// Whether all chunks that touch the first are of its level, or beyond the world.
    is_uniform: bool,
    /// A chunk that was looked at and is finer or coarser than places can tell.
    too_far: Option<ChunkKey>,
}

impl<'a> CutLeaves<'a> {
    /// The leaves around a chunk, which is the first in [`CutLeaves::near`]; those that touch it follow. `None` if the cut
    /// does not have the chunk.
    pub(crate) fn new(cut: &'a Cut<'a>, key: ChunkKey) -> Option<Self> {
        let unit = Lod::new(key.lod.index().saturating_sub(MOST_LEVELS_APART)).unwrap_or(Lod::FINEST);
        let coarsest = Lod::new(key.lod.index() + MOST_LEVELS_APART).unwrap_or(Lod::COARSEST);
        let coarse_chunk = CHUNK_CELLS * coarsest.cells();
        let key_origin = key.finest_origin().0;
        let origin =
            I64Vec3::from_array(key_origin.to_array().map(|c| c.div_euclid(coarse_chunk) * coarse_chunk));
        let near = Vec::with_capacity(27);
        let mut leaves = CutLeaves { cut, unit, coarsest, origin, near, is_uniform: true, too_far: None };
        let own = leaves.chunk_at(leaves.in_patch(key_origin))?;
        if leaves.near[own].key != key {
            return None;
        }
        leaves.find_near(key);
        Some(leaves)
    }

    /// A chunk that was looked at and is too many levels away.
    pub(crate) fn too_far(&self) -> Option<ChunkKey> {
        self.too_far
    }

    fn in_patch(&self, place: I64Vec3) -> [i32; 3] {
        ((place - self.origin) >> self.unit.index()).to_array().map(|c| c as i32)
    }

    /// A place of the patch in the world's finest cells.
    pub(crate) fn finest_from_patch(&self, place: [i32; 3]) -> I64Vec3 {
        (I64Vec3::from_array(place.map(i64::from)) << self.unit.index()) + self.origin
    }

    /// The level of leaves and edges of this size.
    pub(crate) fn lod_of(&self, size: i32) -> Lod {
        Lod::new(self.unit.index() + size.trailing_zeros() as u8).unwrap_or(Lod::COARSEST)
    }

    pub(crate) fn near(&self) -> &[Near<'a>] {
        &self.near
    }

    /// Finds all chunks that touch the first.
    fn find_near(&mut self, key: ChunkKey) {
        for beside in key.surroundings() {
            self.find_within(key, beside);
        }
    }

    /// Finds the chunks that fill the cube of `cube` where it touches the chunk.
    fn find_within(&mut self, key: ChunkKey, cube: ChunkKey) {
        let mut open = vec![cube];
        while let Some(cube) = open.pop() {
            let Some(found) = self.chunk_at(self.in_patch(cube.finest_origin().0)) else { continue };
            let other = self.near[found].key;
            self.is_uniform &= other.lod == key.lod;
            if other.lod < cube.lod {
                let touching = |child: &ChunkKey| touch(*child, key);
                open.extend(cube.children().into_iter().flatten().filter(touching));
            }
        }
    }

    /// The number of the chunk that holds a finest cell.
    pub(crate) fn chunk_at(&mut self, cell: [i32; 3]) -> Option<usize> {
        if let Some(found) = self.near.iter().position(|near| near.holds(cell)) {
            return Some(found);
        }
        let (key, table) = (self.cut)(VoxelPos(self.finest_from_patch(cell)))?;
        if !(self.unit..=self.coarsest).contains(&key.lod) {
            self.too_far = Some(key);
            return None;
        }
        let min = self.in_patch(key.finest_origin().0);
        let steps = key.lod.index() - self.unit.index();
        self.near.push(Near { key, table, min, cell: 1 << steps });
        Some(self.near.len() - 1)
    }

    /// The chunk of a leaf and its cell there; `None` for one beyond the world.
    pub(crate) fn cell_of(&mut self, leaf: LeafId) -> Option<(usize, [u8; 3])> {
        let chunk = self.chunk_at(leaf.min())?;
        Some((chunk, self.near[chunk].local(leaf.min())))
    }

    fn border_cell(&mut self, leaf: LeafId) -> Option<(usize, BorderCell)> {
        let (chunk, local) = self.cell_of(leaf)?;
        Some((chunk, *self.near[chunk].table.cell(local)?))
    }

    /// The chunk with the smallest cells around an edge.
    fn finest_around(&mut self, low: [i32; 3], axis: Axis) -> Option<usize> {
        let mut finest: Option<usize> = None;
        for cell in quadrants(low, axis) {
            if let Some(chunk) = self.chunk_at(cell)
                && finest.is_none_or(|best| self.near[chunk].cell < self.near[best].cell)
            {
                finest = Some(chunk);
            }
        }
        finest
    }

    /// Adds the crossed edges of a chunk's table along a line of `size`, which starts at `low`.
    fn add_along(&self, chunk: usize, low: [i32; 3], axis: Axis, size: i32, edges: &mut Vec<EdgeId>) {
        let Near { table, min, cell, .. } = self.near[chunk];
        for step in 0..size / cell {
            let mut at = low;
            at[axis.index()] += step * cell;
            let local = std::array::from_fn(|axis| ((at[axis] - min[axis]) / cell) as u8);
            if table.crossing(local, axis).is_some() {
                edges.push(EdgeId::new(at, axis, cell));
            }
        }
    }

    /// Whether all chunks within some finest cells around a leaf are of its chunk's level, or beyond the world.
    fn is_alike_within(&mut self, leaf: LeafId, reach: i32) -> bool {
        let (min, size) = (leaf.min(), leaf.size());
        let low: [i32; 3] = min.map(|c| c - reach);
        let high: [i32; 3] = min.map(|c| c + size - 1 + reach);
        // No chunk in reach is smaller than the leaf, so that none is stepped over.
        let stops = |axis: usize| (low[axis]..high[axis]).step_by(size as usize).chain([high[axis]]);
        for z in stops(2) {
            for y in stops(1) {
                for x in stops(0) {
                    if self.chunk_at([x, y, z]).is_some_and(|chunk| self.near[chunk].cell != size) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether a leaf of another size touches the leaf.
    pub(crate) fn is_beside_others(&mut self, leaf: LeafId) -> bool {
        let Some((_, local)) = self.cell_of(leaf) else { return true };
        layer(local) == 0 && !(self.is_uniform && self.is_in_reach(leaf)) && !self.is_alike_within(leaf, 1)
    }

    /// Whether a leaf may have its vertex in an empty cell beside it: always in an inner layer, whose vertices stay in
    /// the chunk's inner layers; on the border only where no finer neighbour could fill the cell, and no coarser one
    /// swallows it.
    pub(crate) fn may_borrow(&mut self, leaf: LeafId, local: [u8; 3]) -> bool {
        layer(local) > 0 || self.is_alike_within(leaf, 2 * leaf.size())
    }

    /// Whether a leaf's vertex in an empty cell does no harm there. The chunk has looked at the cells within two as if
    /// its neighbours were like itself.
    pub(crate) fn is_calm(&mut self, leaf: LeafId, local: [u8; 3], vertex: &BorderVertex) -> bool {
        vertex.calm != 0 && (layer(local) >= SEAM_LAYERS || self.is_alike_within(leaf, 3 * leaf.size()))
    }

    /// Whether what surrounds the leaf touches the first chunk, so that `is_uniform` speaks of it.
    fn is_in_reach(&self, leaf: LeafId) -> bool {
        let Near { min, cell, .. } = self.near[0];
        (0..3).all(|axis| (-cell..=SIDE * cell).contains(&(leaf.min()[axis] - min[axis])))
    }

    /// Whether finer leaves touch a face or an edge of the leaf.
    fn is_beside_finer(&mut self, leaf: LeafId) -> bool {
        if !self.is_beside_others(leaf) {
            return false;
        }
        let (min, size) = (leaf.min(), leaf.size());
        let offsets = [-1, 0, size];
        for z in offsets {
            for y in offsets {
                for x in offsets {
                    let by = [x, y, z];
                    if !(1..=2).contains(&by.iter().filter(|&&c| c != 0).count()) {
                        continue;
                    }
                    let cell = std::array::from_fn(|axis| min[axis] + by[axis]);
                    if let Some(chunk) = self.chunk_at(cell)
                        && self.near[chunk].cell < size
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The leaf that holds a finest cell; beyond the world, `None`.
    fn leaf_at(&mut self, cell: [i32; 3]) -> Option<LeafId> {
        let chunk = self.chunk_at(cell)?;
        let near = &self.near[chunk];
        Some(near.leaf(near.local(cell)))
    }
}

/// Whether the closed boxes of two chunks touch.
fn touch(a: ChunkKey, b: ChunkKey) -> bool {
    let bounds =
        |key: ChunkKey| (key.finest_origin().0, key.finest_origin().0 + CHUNK_CELLS * key.lod.cells());
    let ((a_min, a_max), (b_min, b_max)) = (bounds(a), bounds(b));
    a_min.cmple(b_max).all() && b_min.cmple(a_max).all()
}

impl Source for CutLeaves<'_> {
    fn is_outside(&mut self, leaf: LeafId) -> bool {
        self.chunk_at(leaf.min()).is_none()
    }

    fn edges_of(&mut self, leaf: LeafId, edges: &mut Vec<EdgeId>) {
        let Some((chunk, local)) = self.cell_of(leaf) else { return };
        let Near { table, cell: size, .. } = self.near[chunk];
        let mask = table.cell(local).map_or(CellMask(0), |cell| CellMask(cell.mask));
        let min = leaf.min();
        let is_beside_others = self.is_beside_others(leaf);
        for edge in (0..12).map(CellEdge::from_index) {
            let corner = edge.low_corner();
            let low: [i32; 3] = std::array::from_fn(|axis| min[axis] + size * i32::from(corner >> axis & 1));
            if is_beside_others
                && let Some(finest) = self.finest_around(low, edge.axis())
                && self.near[finest].cell < size
            {
                self.add_along(finest, low, edge.axis(), size, edges);
            } else if mask.crosses(edge) {
                edges.push(EdgeId::new(low, edge.axis(), size));
            }
        }
        if !is_beside_others {
            return;
        }
        for across in Axis::ALL {
            for beyond in [false, true] {
                let mut cell = min;
                cell[across.index()] += if beyond { size } else { -1 };
                let Some(chunk) = self.chunk_at(cell).filter(|&chunk| self.near[chunk].cell < size) else {
                    continue;
                };
                let step = self.near[chunk].cell;
                let mut corner = min;
                corner[across.index()] += if beyond { size } else { 0 };
                let (u, v) = across.across();
                for (along, other) in [(u, v), (v, u)] {
                    for line in 1..size / step {
                        let mut low = corner;
                        low[other.index()] += line * step;
                        self.add_along(chunk, low, along, size, edges);
                    }
                }
            }
        }
    }

    fn around(&mut self, edge: EdgeId) -> [LeafId; 4] {
        let found = quadrants(edge.low(), edge.axis()).map(|cell| self.leaf_at(cell));
        let (u, v) = edge.axis().across();
        let beyond = |k: usize| {
            // The leaf before the border, next to this quadrant or else across the edge, mirrored.
            let Some(leaf) = [1, 3, 2].into_iter().find_map(|by| found[(k + by) % 4]) else {
                return LeafId::new([0; 3], 1);
            };
            let (mut min, size) = (leaf.min(), leaf.size());
            for (axis, is_high) in [(u, k == 1 || k == 2), (v, k >= 2)] {
                let at = edge.low()[axis.index()];
                min[axis.index()] = if is_high { at } else { at - 1 }.div_euclid(size) * size;
            }
            LeafId::new(min, size)
        };
        std::array::from_fn(|k| found[k].unwrap_or_else(|| beyond(k)))
    }

    fn hermite(&mut self, edge: EdgeId) -> Option<Hermite> {
        let low = edge.low();
        for cell in quadrants(low, edge.axis()) {
            let Some(chunk) = self.chunk_at(cell) else { continue };
            let near = self.near[chunk];
            if near.cell != edge.size() {
                continue;
            }
            let at = std::array::from_fn(|axis| ((low[axis] - near.min[axis]) / near.cell) as u8);
            if let Some(found) = near.table.crossing(at, edge.axis()) {
                return Some(Hermite {
                    inside_low: found.is_inside_low(),
                    t: found.t,
                    normal: Vec3::from_array(found.normal),
                });
            }
        }
        None
    }

    fn vertices(&mut self, leaf: LeafId, known: &mut Vec<Known>) -> bool {
        if self.is_beside_finer(leaf) {
            return false;
        }
        let Some((chunk, cell)) = self.border_cell(leaf) else { return true };
        let near = self.near[chunk];
        let base = DVec3::from_array(near.min.map(f64::from));
        let first = cell.first_vertex as usize;
        for vertex in &near.table.vertices[first..first + usize::from(loops(CellMask(cell.mask)).count)] {
            let borrows = vertex.is_borrowed() && self.may_borrow(leaf, cell.local);
            let place = if borrows { vertex.position } else { vertex.own_position };
            known.push(Known {
                place: base + Vec3::from_array(place).as_dvec3() * f64::from(near.cell),
                normal: Vec3::from_array(vertex.normal),
                borrowed: borrows && !self.is_calm(leaf, cell.local, vertex),
            });
        }
        true
    }

    fn may_be_complex(&mut self, leaf: LeafId) -> bool {
        if self.is_beside_finer(leaf) {
            return true;
        }
        self.border_cell(leaf).is_some_and(|(_, cell)| loops(CellMask(cell.mask)).count > 1)
    }
}
