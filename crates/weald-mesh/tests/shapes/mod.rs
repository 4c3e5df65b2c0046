//! Meshes with known answers.

#![allow(dead_code, reason = "each test file uses some of them")]

use glam::{IVec3, Vec3};
use weald_mesh::{MaterialId, Mesh};
use weald_space::{WorldPos, ops};

/// A mesh over these places; normals point away from the centre of all.
pub(crate) fn mesh_of(positions: &[Vec3], triangles: &[[u32; 3]]) -> Mesh {
    let mut mesh = Mesh::new(WorldPos::new(0.0, 0.0, 0.0));
    let centre = positions.iter().sum::<Vec3>() / positions.len().max(1) as f32;
    for &position in positions {
        mesh.push_vertex(position, (position - centre).try_normalize().unwrap_or(Vec3::Z), MaterialId(0));
    }
    mesh.triangles = triangles.to_vec();
    mesh
}

/// The cube from 0 to 1, of volume 1 and area 6.
pub(crate) fn cube() -> Mesh {
    let positions: Vec<Vec3> = (0..8).map(|i| IVec3::new(i & 1, i >> 1 & 1, i >> 2 & 1).as_vec3()).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    mesh_of(&positions, &triangles)
}

/// The unit sphere: an octahedron whose triangles are quartered so many times.
pub(crate) fn sphere(quarterings: u32) -> Mesh {
    let mut positions = vec![Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let mut triangles =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..quarterings {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let between = positions[a as usize] + positions[b as usize];
                positions.push(between.normalize_or_zero());
                positions.len() as u32 - 1
            })
        };
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    mesh_of(&positions, &triangles)
}

/// A closed strip of `around` times `across` quads; `flip` mirrors it where it closes, which makes a torus a Klein
/// bottle.
pub(crate) fn ring(around: u32, across: u32, flip: bool) -> Mesh {
    let turn = |i: u32, n: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
    let mut positions = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (turn(i, around), turn(j, across));
            let radius = 3.0 + ops::cos(v);
            positions.push(Vec3::new(
                (radius * ops::cos(u)) as f32,
                (radius * ops::sin(u)) as f32,
                ops::sin(v) as f32,
            ));
        }
    }
    let at = |i: u32, j: u32| {
        let j = if i == around && flip { across - j % across } else { j };
        i % around * across + j % across
    };
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh_of(&positions, &triangles)
}

/// Moved by so many metres.
pub(crate) fn moved(mut mesh: Mesh, by: Vec3) -> Mesh {
    for position in &mut mesh.positions {
        *position += by;
    }
    mesh
}

/// Both, without anything shared.
pub(crate) fn both(mut first: Mesh, second: &Mesh) -> Mesh {
    first.append(second);
    first
}
