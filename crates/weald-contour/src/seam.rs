//! Polygons that touch a border cell, made from border tables.
//!
//! The seam of a chunk holds every polygon whose owner lies in the chunk and that has a border cell among its four.
//! Its cells lie in the chunk and its seven neighbours on the max side; their border tables are all that is read.

use glam::{DVec3, Vec3};
use weald_space::{Axis, CHUNK_CELLS, ChunkKey};

use crate::cell::CellMask;
use crate::chunk::{BorderTable, Vertex};
use crate::dual::{self, Leaf, Leaves, around, edge_in_cell, name_at, owned_crossings};
use crate::error::ContourError;
use crate::name::{VertexKind, VertexName};

const SIDE: usize = CHUNK_CELLS as usize;

/// The polygons that a chunk owns and that touch a border cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seam {
    /// Vertices that belong to no cell: on faces and edges. Ordered by name.
    pub added: Vec<Vertex>,
    /// Triangles over vertices named from the chunk that owns the seam, counter-clockwise from outside.
    pub triangles: Vec<[VertexName; 3]>,
}

/// Makes the seam of the first of eight chunks, ordered as [`ChunkKey::with_max_side`] lists them.
///
/// A chunk that is not part of the world (beyond the region, or empty) is `None`; polygons that would need one of its
/// cells are left out.
///
/// # Errors
/// If a table lacks a cell that another shows to be crossed, or an edge is crossed in one and not in another: the
/// tables were made from different fields.
pub fn seam(tables: [Option<&BorderTable>; 8], key: ChunkKey) -> Result<Seam, ContourError> {
    let mut made = Sewing { tables, seam: Seam::default() };
    let Some(own) = tables[0] else {
        return Ok(Seam::default());
    };
    for owner in &own.cells {
        let place = owner.local.map(usize::from);
        for axis in owned_crossings(CellMask(owner.mask)) {
            let cells = around(place, axis);
            let touches_border = cells.iter().flatten().any(|&c| c == 0 || c >= SIDE - 1);
            if !touches_border || cells.iter().any(|&cell| made.table(cell).is_none()) {
                continue;
            }
            let mut found = [Leaf { mask: CellMask(0), first_vertex: 0 }; 4];
            for (k, leaf) in found.iter_mut().enumerate() {
                let seen = made.leaf(cells[k]).filter(|leaf| leaf.mask.crosses(edge_in_cell(axis)[k]));
                *leaf = seen.ok_or_else(|| ContourError::BordersDisagree {
                    cell: key.origin() + glam::I64Vec3::from_array(cells[k].map(|c| c as i64)),
                })?;
            }
            dual::polygon(&mut made, axis, cells, found);
        }
    }
    made.seam.added.sort_by_key(|vertex| vertex.name);
    made.seam.added.dedup_by_key(|vertex| vertex.name);
    Ok(made.seam)
}

struct Sewing<'a> {
    tables: [Option<&'a BorderTable>; 8],
    seam: Seam,
}

/// Which of the eight chunks holds a cell.
fn chunk_of(place: [usize; 3]) -> usize {
    place.iter().enumerate().map(|(axis, &c)| usize::from(c >= SIDE) << axis).sum()
}

impl<'a> Sewing<'a> {
    fn table(&self, place: [usize; 3]) -> Option<&'a BorderTable> {
        self.tables[chunk_of(place)]
    }

    fn leaf(&self, place: [usize; 3]) -> Option<Leaf> {
        let cells = &self.table(place)?.cells;
        let local = place.map(|c| (c % SIDE) as u8);
        let key = |[x, y, z]: [u8; 3]| (z, y, x);
        let at = cells.binary_search_by_key(&key(local), |cell| key(cell.local)).ok()?;
        Some(Leaf { mask: CellMask(cells[at].mask), first_vertex: cells[at].first_vertex as usize })
    }
}

impl Leaves for Sewing<'_> {
    type Id = VertexName;

    fn vertex(&self, place: [usize; 3], leaf: &Leaf, index: u8) -> (VertexName, DVec3) {
        let base = DVec3::from_array(place.map(|c| (c / SIDE * SIDE) as f64));
        let table = self.table(place).expect("a leaf comes from a table");
        let vertex = &table.vertices[leaf.first_vertex + index as usize];
        let position = Vec3::from_array(vertex.position).as_dvec3();
        (name_at(place, VertexKind::Loop(index)), base + position)
    }

    fn crossing(&self, lower_end: [usize; 3], axis: Axis) -> (f32, Vec3) {
        // An edge between chunks is in the tables of all of them; the first that has it will do.
        let local = |place: [usize; 3], chunk: usize| -> Option<[u8; 3]> {
            let mut local = [0; 3];
            for axis in 0..3 {
                local[axis] = u8::try_from(place[axis].checked_sub((chunk >> axis & 1) * SIDE)?).ok()?;
            }
            local.iter().all(|&c| usize::from(c) <= SIDE).then_some(local)
        };
        let key = |[x, y, z]: [u8; 3], axis: u8| (z, y, x, axis);
        for (chunk, table) in self.tables.iter().enumerate() {
            if let (Some(table), Some(local)) = (table, local(lower_end, chunk)) {
                let wanted = key(local, axis as u8);
                if let Ok(at) = table.crossings.binary_search_by_key(&wanted, |c| key(c.local, c.axis)) {
                    let found = &table.crossings[at];
                    return (found.t, Vec3::from_array(found.normal));
                }
            }
        }
        unreachable!("every crossed edge of a border cell is in its table")
    }

    fn add(&mut self, kind: VertexKind, lattice_point: [usize; 3], place: DVec3, normal: Vec3) -> VertexName {
        let name = name_at(lattice_point, kind);
        self.seam.added.push(Vertex {
            name,
            position: place.as_vec3().to_array(),
            normal: normal.to_array(),
        });
        name
    }

    fn triangle(&mut self, corners: [VertexName; 3]) {
        self.seam.triangles.push(corners);
    }
}
