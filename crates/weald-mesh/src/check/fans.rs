//! Vertices, and the fans of triangles around them.
//!
//! Around a vertex of a surface the triangles form one cycle, or at a boundary one open fan. The walk goes from
//! triangle to triangle across the edges of two triangles, whichever way they are oriented, and so visits each corner
//! of the mesh once; a vertex at which a second walk has to begin is not manifold.

use super::Findings;
use super::components::Components;
use super::edges::{Edges, NO_TWIN};

/// Finds the vertices whose triangles do not form one fan.
pub(super) fn walk(
    triangles: &[[u32; 3]],
    edges: Edges,
    components: &mut Components,
    findings: &mut Findings,
    listed: usize,
) {
    let Edges { twins, pinched: mut many } = edges;
    let mut any = vec![false; many.len()];
    let mut seen = vec![false; twins.len()];
    for corner in 0..twins.len() as u32 {
        if seen[corner as usize] {
            continue;
        }
        let vertex = triangles[corner as usize / 3][corner as usize % 3];
        many[vertex as usize] |= any[vertex as usize];
        any[vertex as usize] = true;
        seen[corner as usize] = true;
        for mut side in [corner, before(corner)] {
            while let Some((next, far_side)) = cross(triangles, &twins, vertex, side) {
                if std::mem::replace(&mut seen[next as usize], true) {
                    break;
                }
                side = far_side;
            }
        }
    }
    for (vertex, _) in (0u32..).zip(&many).filter(|&(_, &many)| many) {
        components.of(vertex).closed = false;
        findings.non_manifold_vertices.add(vertex, listed);
    }
}

/// The corner at `vertex` of the triangle across a side that ends there, and the other side of that corner.
fn cross(triangles: &[[u32; 3]], twins: &[u32], vertex: u32, side: u32) -> Option<(u32, u32)> {
    let twin = twins[side as usize];
    if twin == NO_TWIN {
        return None;
    }
    if triangles[twin as usize / 3][twin as usize % 3] == vertex {
        Some((twin, before(twin)))
    } else {
        let corner = after(twin);
        Some((corner, corner))
    }
}

fn after(half: u32) -> u32 {
    if half % 3 == 2 { half - 2 } else { half + 1 }
}

fn before(half: u32) -> u32 {
    if half.is_multiple_of(3) { half + 2 } else { half - 1 }
}
