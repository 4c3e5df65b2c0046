//! What a chunk shows to its neighbours.
//!
//! A seam is made from border tables alone, never from fields or from the inside of a chunk. A table holds the leaves of
//! the chunk's three outermost layers. The polygons that touch one of the two outer layers belong to seams: those of the
//! outermost because their leaves are shared with the neighbours, whatever the level of these, and those of the second
//! because what their leaves may do depends on the vertices of the first. The leaves of the third are read, and stay as
//! the chunk made them.

use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use weald_space::{Axis, CHUNK_CELLS};

use crate::block::{Block, HALO, Signs};
use crate::cell::CellEdge;
use crate::chunk::Found;
use crate::place::{is_own, lower_end};
use crate::tables::loops;

const SIDE: usize = CHUNK_CELLS as usize;

/// Layers of leaves, counted from the chunk's border, whose polygons belong to seams.
pub const SEAM_LAYERS: u8 = 2;

/// Layers of leaves in a border table. Of the next, it has those beside a leaf with several loops.
pub const TABLE_LAYERS: u8 = SEAM_LAYERS + 1;

/// Layers between a cell and the nearest side of its chunk: 0 for a cell on the border.
#[must_use]
pub fn layer(local: [u8; 3]) -> u8 {
    local.iter().map(|&c| c.min(SIDE as u8 - 1 - c)).min().unwrap_or(0)
}

/// A cell of a border table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct BorderCell {
    /// The cell, counted from the chunk's origin: x, y, z, each 0 to 31.
    pub local: [u8; 3],
    /// The signs at its corners.
    pub mask: u8,
    /// Its first vertex in the table; there is one for each loop of `mask`, in order.
    pub first_vertex: u32,
}

/// A vertex of a border table.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BorderVertex {
    /// In cells from the chunk's origin, where all chunks around have the same level.
    pub position: [f32; 3],
    /// The same without an empty cell of another chunk, or one on the border that a finer neighbour may fill. Equal to
    /// `position` unless the vertex lies outside of its own cell.
    pub own_position: [f32; 3],
    /// Unit vector that points outside.
    pub normal: [f32; 3],
    /// 1 where the vertex lies in an empty cell and does no harm there, as long as the chunks around are alike.
    pub calm: u32,
}

impl BorderVertex {
    /// Whether the vertex lies in an empty cell beside its own.
    #[must_use]
    pub fn is_borrowed(&self) -> bool {
        self.position != self.own_position
    }
}

/// A crossing of a border table.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BorderCrossing {
    /// The lower end of the edge, counted from the chunk's origin: x, y, z, each 0 to 32.
    pub local: [u8; 3],
    /// The axis along the edge, 0 to 2, and bit 2 where the lower end is inside.
    pub edge: u8,
    /// The place of the crossing along the edge, 0 to 1.
    pub t: f32,
    /// Unit vector that points outside.
    pub normal: [f32; 3],
}

impl BorderCrossing {
    /// The axis along the edge.
    #[must_use]
    pub fn axis(&self) -> Axis {
        Axis::ALL[usize::from(self.edge & 3) % 3]
    }

    /// Whether the lower end is inside.
    #[must_use]
    pub fn is_inside_low(&self) -> bool {
        self.edge & 4 != 0
    }
}

/// The leaves of a chunk's three outermost layers that the surface crosses, their vertices and their crossings; and those of the
/// fourth beside a leaf with several loops.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BorderTable {
    /// Ordered by z, y, x.
    pub cells: Vec<BorderCell>,
    /// The vertices of `cells`, in their order.
    pub vertices: Vec<BorderVertex>,
    /// Ordered by z, y, x, axis.
    pub crossings: Vec<BorderCrossing>,
}

/// The table of a chunk without a surface.
pub static EMPTY: BorderTable =
    BorderTable { cells: Vec::new(), vertices: Vec::new(), crossings: Vec::new() };

impl BorderTable {
    /// The cell with these coordinates, if the surface crosses it.
    #[must_use]
    pub fn cell(&self, local: [u8; 3]) -> Option<&BorderCell> {
        let key = |[x, y, z]: [u8; 3]| (z, y, x);
        let at = self.cells.binary_search_by_key(&key(local), |cell| key(cell.local)).ok()?;
        Some(&self.cells[at])
    }

    /// The crossing of the edge that starts at this lattice point, if there is one.
    #[must_use]
    pub fn crossing(&self, local: [u8; 3], axis: Axis) -> Option<&BorderCrossing> {
        let key = |[x, y, z]: [u8; 3], axis: u8| (z, y, x, axis);
        let wanted = key(local, axis as u8);
        let at = self.crossings.binary_search_by_key(&wanted, |c| key(c.local, c.edge & 3)).ok()?;
        Some(&self.crossings[at])
    }
}

/// Whether a cell of the layer below the table's touches one of the table with several loops, whose triangles reach it.
fn is_beside_complex(signs: &Signs, place: [usize; 3]) -> bool {
    let is_complex = |near: [usize; 3]| {
        let local = near.map(|c| (c - HALO) as u8);
        layer(local) < TABLE_LAYERS
            && signs.cell(near).is_some_and(|number| loops(signs.cells[number].mask).count > 1)
    };
    (0..27).any(|i| is_complex([place[0] + i % 3 - 1, place[1] + i / 3 % 3 - 1, place[2] + i / 9 - 1]))
}

/// Takes the table of a chunk from what contouring found.
pub(crate) fn border_table(block: &Block, found: &Found) -> BorderTable {
    let Found { signs, crossings, vertices, .. } = found;
    let mut table = BorderTable::default();
    let mut crossed: Vec<([usize; 3], Axis, bool)> = Vec::new();
    for (number, cell) in signs.cells.iter().enumerate() {
        let place = cell.place();
        if !is_own(block, place) {
            continue;
        }
        let local = place.map(|c| (c - HALO) as u8);
        let layer = layer(local);
        if layer > TABLE_LAYERS || (layer == TABLE_LAYERS && !is_beside_complex(signs, place)) {
            continue;
        }
        table.cells.push(BorderCell { local, mask: cell.mask.0, first_vertex: table.vertices.len() as u32 });
        let base = DVec3::from_array(local.map(f64::from));
        let first = vertices.first[number];
        for vertex in first..first + u32::from(loops(cell.mask).count) {
            let place = vertices.places[vertex as usize];
            let own_place = vertices.own_place(vertex).unwrap_or(place);
            table.vertices.push(BorderVertex {
                position: (base + place).as_vec3().to_array(),
                own_position: (base + own_place).as_vec3().to_array(),
                normal: vertices.normals[vertex as usize].to_array(),
                calm: found.is_calm(vertex).into(),
            });
        }
        let edges = (0..12).map(CellEdge::from_index).filter(|&edge| cell.mask.crosses(edge));
        let inside_low = |edge: CellEdge| cell.mask.inside(edge.low_corner());
        crossed.extend(edges.map(|edge| (lower_end(place, edge), edge.axis(), inside_low(edge))));
    }
    crossed.sort_unstable_by_key(|&([x, y, z], axis, _)| (z, y, x, axis));
    crossed.dedup();
    table.crossings.extend(crossed.into_iter().map(|(end, axis, inside_low)| {
        let number = crossings.number(signs, axis, end);
        BorderCrossing {
            local: end.map(|c| (c - HALO) as u8),
            edge: axis as u8 | u8::from(inside_low) << 2,
            t: crossings.t[number],
            normal: crossings.normals[number].to_array(),
        }
    }));
    table
}
