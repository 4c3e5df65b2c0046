//! Walls under the cut edges of a region.
//!
//! A region is a sheet cut out of a larger world. Seen from outside, its underside would show; so the sheet is set on
//! walls that fall from its open edges to one depth, as a block of ground sawn out of the world.

use glam::Vec3;

use super::pattern::hash;

/// Directed edges of triangles that face upwards, whose other side has no triangle, in the order of the triangles.
///
/// In a closed mesh each vertex has the same successors as predecessors over all its triangles. The difference of their
/// scrambled sums is 0 there, and differs, but for one chance in 2³², at a vertex of an open edge. Only edges between
/// two such vertices are then sorted, which is far cheaper than sorting all. Of those, vertices at one place count as
/// one: a box with its own corners for each side has no open edge.
pub(super) fn open_edges(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut balance = vec![0_u32; positions.len()];
    for &triangle in triangles {
        for i in 0..3 {
            let [from, to] = edge(triangle, i);
            balance[from as usize] = balance[from as usize].wrapping_add(hash(to));
            balance[to as usize] = balance[to as usize].wrapping_sub(hash(from));
        }
    }
    let open = |e: [u32; 2]| e.iter().all(|&v| balance[v as usize] != 0);
    let edges =
        || triangles.iter().flat_map(|&t| (0..3).map(move |i| (t, edge(t, i)))).filter(|&(_, e)| open(e));
    let place = |v: u32| positions[v as usize].to_array().map(f32::to_bits);
    let mut present: Vec<_> = edges().map(|(_, e)| e.map(place)).collect();
    present.sort_unstable();
    edges()
        .filter(|&(t, [from, to])| {
            faces_up(positions, t) && present.binary_search(&[place(to), place(from)]).is_err()
        })
        .map(|(_, e)| e)
        .collect()
}

fn edge(triangle: [u32; 3], i: usize) -> [u32; 2] {
    [triangle[i], triangle[(i + 1) % 3]]
}

fn faces_up(positions: &[Vec3], triangle: [u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|v| positions[v as usize]);
    (b - a).cross(c - a).z > 0.0
}

/// The wall below an open edge: four corners, counter-clockwise from outside, and its outward normal. `None` for an
/// edge that is vertical.
pub(super) fn wall([from, to]: [Vec3; 2], bottom: f32) -> Option<([Vec3; 4], Vec3)> {
    let along = to - from;
    let normal = Vec3::new(along.y, -along.x, 0.0).try_normalize()?;
    Some(([from.with_z(bottom), to.with_z(bottom), to, from], normal))
}
