//! Edges, and the triangles on both sides of each.
//!
//! A *half-edge* is a triangle's side in its direction; the half-edge at `3 t + k` runs from corner `k` of triangle
//! `t` to the next. All half-edges are put into the bucket of their lower vertex, which costs one pass to count and
//! one to fill, and each bucket, of about six, is sorted by the higher vertex.

use super::components::Components;
use super::{Findings, Sound};

/// The twin of a half-edge whose edge has not just two triangles.
pub(super) const NO_TWIN: u32 = u32::MAX;

pub(super) struct Edges {
    /// For each half-edge the other one of its edge, where there are two.
    pub(super) twins: Vec<u32>,
    /// Whether each vertex ends an edge of more than two triangles.
    pub(super) pinched: Vec<bool>,
}

/// Pairs the half-edges and notes which edges are out of order.
pub(super) fn pair(
    sound: &Sound,
    vertices: usize,
    components: &mut Components,
    findings: &mut Findings,
    listed: usize,
) -> Edges {
    let triangles = &sound.triangles[..];
    let (starts, mut buckets) = bucket_half_edges(triangles, vertices);
    let mut edges = Edges { twins: vec![NO_TWIN; 3 * triangles.len()], pinched: vec![false; vertices] };
    let mut copies = Vec::new();
    for low in 0..vertices as u32 {
        let bucket = &mut buckets[starts[low as usize] as usize..starts[low as usize + 1] as usize];
        bucket.sort_unstable();
        for edge in bucket.chunk_by(|a, b| a.0 == b.0) {
            let high = edge[0].0;
            let component = components.of(low);
            component.edges += 1;
            match *edge {
                [(_, a), (_, b)] => {
                    edges.twins[a as usize] = b;
                    edges.twins[b as usize] = a;
                    if from(triangles, a) == from(triangles, b) {
                        component.closed = false;
                        findings.misoriented_edges.add([low, high], listed);
                    }
                }
                [(_, half)] => {
                    component.closed = false;
                    let start = from(triangles, half);
                    findings.boundary_edges.add([start, low + high - start], listed);
                }
                _ => {
                    component.closed = false;
                    findings.non_manifold_edges.add([low, high], listed);
                    edges.pinched[low as usize] = true;
                    edges.pinched[high as usize] = true;
                }
            }
            find_copies(triangles, edge, &mut copies);
        }
    }
    copies.sort_unstable();
    for index in copies {
        findings.duplicates.add(sound.in_mesh(index), listed);
    }
    edges
}

/// Where each vertex's bucket starts, and the half-edges as (higher vertex, half-edge).
fn bucket_half_edges(triangles: &[[u32; 3]], vertices: usize) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut starts = vec![0u32; vertices + 1];
    let sides = |[a, b, c]: [u32; 3]| [(a, b), (b, c), (c, a)];
    for &triangle in triangles {
        for (a, b) in sides(triangle) {
            starts[a.min(b) as usize] += 1;
        }
    }
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut buckets = vec![(0, 0); 3 * triangles.len()];
    for (index, &triangle) in (0u32..).zip(triangles) {
        for (side, (a, b)) in (0u32..).zip(sides(triangle)) {
            let place = &mut starts[a.min(b) as usize];
            *place -= 1;
            buckets[*place as usize] = (a.max(b), 3 * index + side);
        }
    }
    (starts, buckets)
}

/// Gathers the triangles at an edge that have the same third vertex as one before them.
///
/// Equal triangles meet at three edges; they are counted where the third vertex is the highest.
fn find_copies(triangles: &[[u32; 3]], edge: &[(u32, u32)], copies: &mut Vec<u32>) {
    let third = |half: u32| triangles[half as usize / 3][(half as usize + 2) % 3];
    if let [(high, a), (_, b)] = *edge {
        if third(a) == third(b) && third(a) > high {
            copies.push(a.max(b) / 3);
        }
    } else if edge.len() > 2 {
        let mut thirds: Vec<(u32, u32)> = edge.iter().map(|&(_, half)| (third(half), half / 3)).collect();
        thirds.sort_unstable();
        let high = edge[0].0;
        copies.extend(thirds.windows(2).filter(|w| w[0].0 == w[1].0 && w[1].0 > high).map(|w| w[1].1));
    }
}

/// The vertex that a half-edge starts from.
fn from(triangles: &[[u32; 3]], half: u32) -> u32 {
    triangles[half as usize / 3][half as usize % 3]
}
