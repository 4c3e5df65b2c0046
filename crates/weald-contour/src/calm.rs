//! Vertices in empty cells that do no harm.
//!
//! A vertex that lies in an empty cell beside its own may see its neighbours past the faces of its cell, and then its
//! polygons can run into others. Where they do not, by exact tests against every triangle that could be met, the vertex is
//! *calm*: its polygons stay plain, and a corner that was borrowed stays sharp. Else they are embedded as a patch, which
//! bends them over those faces. Decided vertex by vertex, it depends on the cells within two of the vertex' own and on
//! nothing else.

use glam::DVec3;
use weald_mesh::check::triangles_meet;
use weald_space::Axis;

use crate::block::Block;
use crate::cell::{CellEdge, CellMask};
use crate::chunk::Found;
use crate::dual::{best_diagonal, point_on_edge};
use crate::place::{is_own, lower_end};
use crate::tables::is_simple;

type Triangle = ([u32; 3], [DVec3; 3]);

/// Lists the calm ones, in ascending order, among the vertices of a block's own cells that lie in empty cells.
pub(crate) fn calm_vertices(block: &Block, found: &Found) -> Vec<u32> {
    let vertices = &found.vertices;
    let is_calm_own = |vertex: u32| {
        let cell = vertices.first.partition_point(|&first| first <= vertex) - 1;
        is_own(block, found.signs.cells[cell].place()) && is_calm(found, cell)
    };
    vertices.own_places.iter().map(|&(vertex, _)| vertex).filter(|&vertex| is_calm_own(vertex)).collect()
}

fn is_calm(found: &Found, cell: usize) -> bool {
    let own = edges_of(found, cell);
    let mut near: Vec<([usize; 3], Axis)> = Vec::new();
    let mut triangles: Vec<Triangle> = Vec::new();
    for &(low, axis) in &own {
        let Some(cells) = around(found, low, axis) else { return false };
        if !add_triangles(found, low, axis, cells, &mut triangles) {
            return false;
        }
        for cell in cells {
            near.extend(edges_of(found, cell));
        }
    }
    let count = triangles.len();
    near.sort_unstable();
    near.dedup();
    near.retain(|edge| !own.contains(edge));
    for (low, axis) in near {
        let Some(cells) = around(found, low, axis) else { return false };
        add_triangles(found, low, axis, cells, &mut triangles);
    }
    let meets = |i: usize, j: usize| {
        let (one, other) = (&triangles[i], &triangles[j]);
        one.0 != other.0 && triangles_meet(one.0, one.1, other.0, other.1)
    };
    !(0..count).any(|i| (i + 1..triangles.len()).any(|j| meets(i, j)))
}

/// The crossed edges of a cell, by their lower ends.
fn edges_of(found: &Found, cell: usize) -> Vec<([usize; 3], Axis)> {
    let cell = &found.signs.cells[cell];
    let crossed = (0..12).map(CellEdge::from_index).filter(|&edge| cell.mask.crosses(edge));
    crossed.map(|edge| (lower_end(cell.place(), edge), edge.axis())).collect()
}

/// The numbers of the four cells around an edge, as [`dual`](crate::dual) numbers them; `None` if one of them has several
/// sheets, or lies beyond the block.
fn around(found: &Found, low: [usize; 3], axis: Axis) -> Option<[usize; 4]> {
    let (u, v) = axis.across();
    let mut numbers = [0; 4];
    for (number, (du, dv)) in numbers.iter_mut().zip([(1, 1), (0, 1), (0, 0), (1, 0)]) {
        let mut place = low;
        place[u.index()] = place[u.index()].checked_sub(du)?;
        place[v.index()] = place[v.index()].checked_sub(dv)?;
        let dims = found.signs.cell_dims();
        if (0..3).any(|axis| place[axis] >= dims[axis]) {
            return None;
        }
        *number = found.signs.cell(place)?;
        let mask: CellMask = found.signs.cells[*number].mask;
        if !is_simple(mask) {
            return None;
        }
    }
    Some(numbers)
}

fn corners(found: &Found, cells: [usize; 4]) -> [(u32, DVec3); 4] {
    cells.map(|cell| {
        let vertex = found.vertices.first[cell];
        let base = DVec3::from_array(found.signs.cells[cell].at.map(f64::from));
        (vertex, base + found.vertices.places[vertex as usize])
    })
}

/// Adds the triangles of a polygon: two, or where neither diagonal stays in the envelope, which makes it false, the four of
/// a fan.
fn add_triangles(
    found: &Found,
    low: [usize; 3],
    axis: Axis,
    cells: [usize; 4],
    triangles: &mut Vec<Triangle>,
) -> bool {
    let corners = corners(found, cells);
    let base = DVec3::from_array(low.map(|c| c as f64));
    let number = found.crossings.number(&found.signs, axis, low);
    let t = found.crossings.t[number];
    let mut add = |three: [(u32, DVec3); 3]| {
        triangles.push((three.map(|(vertex, _)| vertex), three.map(|(_, place)| place)));
    };
    if let Some(d) = best_diagonal(axis, f64::from(t), corners.map(|(_, place)| place - base)) {
        let [a, b, c, e] = std::array::from_fn(|i| corners[(d + i) % 4]);
        add([a, b, c]);
        add([a, c, e]);
        return true;
    }
    // No vertex has this number: they count from 0.
    let centre = (u32::MAX - number as u32, base + point_on_edge(axis, t));
    for k in 0..4 {
        add([centre, corners[k], corners[(k + 1) % 4]]);
    }
    false
}
