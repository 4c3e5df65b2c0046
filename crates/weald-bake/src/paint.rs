//! Which material each vertex has.
//!
//! Of the terrain and the solids with a material of their own, the one whose own surface is nearest to the vertex wins;
//! of equals, the later solid. The terrain's material comes from the rules.

use glam::{DVec3, Vec3};
use weald_contour::chunk::Vertex;
use weald_field::{EvalScratch, Tape};
use weald_mesh::MaterialId;
use weald_space::{ChunkKey, Lattice, Lod};

use crate::recipe::Ground;

/// The materials of vertices whose positions count in a chunk's cells from its origin.
pub(crate) fn paint(
    ground: &Ground,
    lattice: Lattice,
    chunk: ChunkKey,
    vertices: &[Vertex],
    scratch: &mut EvalScratch,
) -> Vec<MaterialId> {
    let level = lattice.level(chunk.lod);
    let base = level.world_from_voxel(chunk.origin()).0;
    let place = |v: &Vertex| base + Vec3::from_array(v.position).as_dvec3() * level.cell_size();
    let places: Vec<DVec3> = vertices.iter().map(place).collect();
    let normals: Vec<Vec3> = vertices.iter().map(|v| Vec3::from_array(v.normal)).collect();
    materials_at(ground, (lattice, chunk.lod), &places, &normals, scratch)
}

/// The materials that surfaces of a level of the lattice have at places, in metres, by their unit normals.
pub(crate) fn materials_at(
    ground: &Ground,
    (lattice, lod): (Lattice, Lod),
    places: &[DVec3],
    normals: &[Vec3],
    scratch: &mut EvalScratch,
) -> Vec<MaterialId> {
    let mut materials = vec![0; places.len()];
    ground.rules.assign(places, normals, scratch, &mut materials);

    let mut nearest: Vec<Option<f32>> = vec![None; places.len()];
    for part in &ground.parts {
        let bounds = part.bounds_at(lattice, lod);
        let near: Vec<usize> = (0..places.len()).filter(|&i| bounds.contains(places[i])).collect();
        let unknown: Vec<usize> = near.iter().copied().filter(|&i| nearest[i].is_none()).collect();
        for (&i, distance) in unknown.iter().zip(distances(&ground.terrain.tape, places, &unknown, scratch)) {
            nearest[i] = Some(distance);
        }
        for (&i, distance) in near.iter().zip(distances(&part.tape, places, &near, scratch)) {
            if nearest[i].is_none_or(|least| distance <= least) {
                (nearest[i], materials[i]) = (Some(distance), part.material.0);
            }
        }
    }
    materials.into_iter().map(MaterialId).collect()
}

fn distances(tape: &Tape, places: &[DVec3], chosen: &[usize], scratch: &mut EvalScratch) -> Vec<f32> {
    let points: Vec<DVec3> = chosen.iter().map(|&i| places[i]).collect();
    let mut values = vec![0.0; points.len()];
    tape.values(&points, scratch, &mut values);
    values.into_iter().map(f32::abs).collect()
}
