//! Any signs at the lattice points give a closed manifold (docs/tests.md: T04).

use weald_contour::block::{Block, HALO};
use weald_contour::{Scratch, contour_samples};
use weald_mesh::Mesh;
use weald_mesh::check::{CheckSettings, check_with};
use weald_space::{Lattice, VoxelPos};

const POINTS: usize = 4;

/// The mesh of 4³ samples in the midst of empty space.
fn mesh_of(values: &[f32; POINTS * POINTS * POINTS], scratch: &mut Scratch) -> Mesh {
    let block = Block::new(VoxelPos::new(0, 0, 0), [POINTS + 1; 3]).expect("a small block");
    let [nx, ny, nz] = block.padded_points();
    let mut samples = vec![0.7; nx * ny * nz];
    for (i, &value) in values.iter().enumerate() {
        let [x, y, z] = [i % POINTS, i / POINTS % POINTS, i / POINTS / POINTS].map(|c| c + HALO + 1);
        samples[(z * ny + y) * nx + x] = value;
    }
    contour_samples(Lattice::new(1.0).expect("one metre"), &block, &samples, scratch).expect("finite samples")
}

fn assert_closed(mesh: &Mesh, what: &str) {
    let findings = check_with(mesh, &CheckSettings { self_intersections: false, listed: 0 });
    assert_eq!(findings.boundary_edges.count, 0, "{what}: boundary edges");
    assert_eq!(findings.non_manifold_edges.count, 0, "{what}: non-manifold edges");
    assert_eq!(findings.non_manifold_vertices.count, 0, "{what}: non-manifold vertices");
    assert_eq!(findings.misoriented_edges.count, 0, "{what}: misoriented edges");
    assert_eq!(findings.repeated_index.count + findings.duplicates.count, 0, "{what}: bad triangles");
}

#[test]
fn each_of_the_256_corner_masks_is_closed() {
    let mut scratch = Scratch::default();
    for mask in 0..256_usize {
        let mut values = [0.9; POINTS * POINTS * POINTS];
        for corner in 0..8 {
            if mask >> corner & 1 != 0 {
                let [x, y, z] = [1 + (corner & 1), 1 + (corner >> 1 & 1), 1 + (corner >> 2)];
                values[(z * POINTS + y) * POINTS + x] = -0.6;
            }
        }
        let mesh = mesh_of(&values, &mut scratch);
        assert_eq!(mesh.triangles.is_empty(), mask == 0);
        assert_closed(&mesh, &format!("mask {mask:08b}"));
    }
}

#[test]
fn a_hundred_thousand_random_sign_grids_are_closed() {
    let mut scratch = Scratch::default();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for grid in 0..100_000 {
        // From one point in eight inside to seven in eight.
        let inside = 1 + grid % 7;
        let mut values = [0.0; POINTS * POINTS * POINTS];
        for value in &mut values {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let size = 0.1 + (state >> 40) as f32 / (1 << 24) as f32;
            *value = if state % 8 < inside { -size } else { size };
        }
        assert_closed(&mesh_of(&values, &mut scratch), &format!("grid {grid}: {values:?}"));
    }
}
