//! Over cells of one size, polygons that are not strict are those of a block, bit for bit.

use glam::{DVec3, I64Vec3};
use weald_contour::block::{Block, HALO, Signs};
use weald_contour::complex::{Complex, CrossedEdge, Leaf};
use weald_contour::dual::{around, edge_in_cell, owned_crossings};
use weald_contour::embed::{Embedding, Given, Role};
use weald_contour::hermite::Crossings;
use weald_contour::place::Vertices;
use weald_contour::{Scratch, contour_block};
use weald_field::{Domain, EvalScratch, Expr, Grid, NoiseSettings, Tape};
use weald_space::{Lattice, Seed, VoxelPos};
use weald_testkit::shape::half_spaces;

const SIDE: usize = 24;

type Triangles = Vec<[[u32; 3]; 3]>;

/// Triangles by the bits of their places, in an order of their own.
fn sorted(triangles: impl Iterator<Item = [DVec3; 3]>) -> Triangles {
    let mut sorted: Triangles = triangles
        .map(|corners| {
            let bits = corners.map(|p| p.as_vec3().to_array().map(f32::to_bits));
            let first = (0..3).min_by_key(|&i| bits[i]).expect("three corners");
            std::array::from_fn(|i| bits[(first + i) % 3])
        })
        .collect();
    sorted.sort_unstable();
    sorted
}

fn assert_equal_to_block(solid: &Expr) -> Embedding {
    let tape = Tape::new(solid).expect("a small expression");
    let lattice = Lattice::new(1.0).expect("one metre");
    let block = Block::new(VoxelPos::new(0, 0, 0), [SIDE; 3]).expect("a small block");
    let mesh = contour_block(&tape, lattice, &block, &mut Scratch::default()).expect("a finite field");

    let mut samples = vec![0.0; block.padded_points().iter().product()];
    let grid = Grid { lattice, min: block.padded_min(), dims: block.padded_points() };
    tape.sample(&grid, &mut EvalScratch::default(), &mut samples);
    let (mut signs, mut crossings) = (Signs::default(), Crossings::default());
    signs.find(&block, &samples).expect("a finite field");
    crossings.find(&tape, lattice, &block, &signs, &samples, &mut Default::default());
    let mut vertices = Vertices::default();
    vertices.find(Some((&tape, lattice)), &block, &signs, &crossings);

    let whole = |place: [usize; 3]| place.map(|c| c as i32);
    let leaves: Vec<Leaf> = signs
        .cells
        .iter()
        .map(|cell| Leaf { min: whole(cell.place()), size: 1, complete: true, beyond: false })
        .collect();
    let mut edges = Vec::new();
    for cell in &signs.cells {
        for axis in owned_crossings(cell.mask) {
            let cells = around(cell.place(), axis);
            let number = crossings.number(&signs, axis, cells[2]);
            let around =
                cells.map(|place| signs.cell(place).expect("the solid lies inside the block") as u32);
            let inside_low = signs.cells[around[2] as usize].mask.inside(edge_in_cell(axis)[2].low_corner());
            let (t, normal) = (crossings.t[number], crossings.normals[number]);
            edges.push(CrossedEdge { axis, low: whole(cells[2]), size: 1, around, inside_low, t, normal });
        }
    }
    let mut complex = Complex::default();
    complex.rebuild(&leaves, &edges).expect("one field");
    assert_eq!(complex.loops().len(), vertices.places.len());
    let (mut places, mut borrowed) = (Vec::new(), Vec::new());
    for found in complex.loops() {
        let vertex = vertices.first[found.leaf as usize] + found.index;
        let place = vertices.places[vertex as usize];
        places.push(Some(DVec3::from_array(leaves[found.leaf as usize].min.map(f64::from)) + place));
        borrowed.push(place.cmplt(DVec3::ZERO).any() || place.cmpgt(DVec3::ONE).any());
    }
    let mut embedding = Embedding::default();
    let roles = vec![Role { strict: false, emit: true }; edges.len()];
    embedding.rebuild(
        &complex,
        &Given { places: &places, borrowed: &borrowed, core: &vec![false; leaves.len()], roles: &roles },
    );
    assert!(embedding.unsettled.is_empty());

    let halo = DVec3::splat(HALO as f64);
    let place = |corner| embedding.place(corner).expect("a corner has a place") - halo;
    let embedded = sorted(embedding.triangles.iter().map(|triangle| triangle.map(place)));
    let of_block = sorted(mesh.triangles.iter().map(|&t| mesh.corners(t).map(|p| p.as_dvec3())));
    assert!(!of_block.is_empty());
    assert!(embedded == of_block, "{} and {} triangles", embedded.len(), of_block.len());
    embedding
}

#[test]
fn plain_polygons_over_equal_cells_are_those_of_a_block() {
    let centre = DVec3::new(12.3, 11.8, 12.1);
    assert_equal_to_block(&Expr::sphere(centre, 9.1));
    assert_equal_to_block(&half_spaces(centre, [17.0, 31.0, 5.0], DVec3::new(6.1, 5.2, 7.3)));
    let mut face_points = 0;
    for seed in 0..3 {
        let noise = Expr::noise(&NoiseSettings {
            domain: Domain::Space,
            wavelength: 1.6,
            octaves: 1,
            amplitude: 1.0,
            origin: I64Vec3::ZERO.as_dvec3(),
            seed: Seed::new(seed),
            ..NoiseSettings::default()
        });
        let cloud = (noise + 0.02).max(&Expr::sphere(centre, 9.0));
        face_points += assert_equal_to_block(&cloud).counts.face_points;
    }
    assert!(face_points > 0, "no face vertex was needed");
}
