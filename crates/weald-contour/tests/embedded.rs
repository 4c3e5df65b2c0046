//! One level: the surface does not meet itself, and few triangles are added for it (docs/tests.md: T15, T16).

mod leaves;

use glam::DVec3;
use leaves::{FIELDS, field};
use proptest::prelude::*;
use weald_contour::block::{Block, Signs};
use weald_contour::{Scratch, contour_block, contour_samples};
use weald_field::{EvalScratch, Expr, Grid, Tape};
use weald_mesh::check::check;
use weald_space::{Lattice, VoxelPos};
use weald_testkit::shape::half_spaces;

fn lattice() -> Lattice {
    Lattice::new(1.0).expect("a power of two")
}

/// Triangles of the surface, and polygons.
fn embedded(name: &str, expr: &Expr, side: usize) -> [usize; 2] {
    let tape = Tape::new(expr).expect("a small expression");
    let block = Block::new(VoxelPos::new(0, 0, 0), [side; 3]).expect("a small block");
    let mesh = contour_block(&tape, lattice(), &block, &mut Scratch::default()).expect("a finite field");
    let findings = check(&mesh);
    assert!(findings.is_clean() && findings.is_closed(), "{name} at {side}: {findings}");
    let grid = Grid { lattice: lattice(), min: block.padded_min(), dims: block.padded_points() };
    let mut samples = vec![0.0; grid.len()];
    tape.sample(&grid, &mut EvalScratch::default(), &mut samples);
    let mut signs = Signs::default();
    signs.find(&block, &samples).expect("finite samples");
    [mesh.triangles.len(), signs.edges.iter().map(|edges| edges.count()).sum()]
}

/// T15.
#[test]
fn surfaces_do_not_meet_themselves() {
    let plate = |side: f64| {
        let centre = DVec3::splat(0.5 * side) + DVec3::new(0.137, 0.271, -0.193);
        half_spaces(centre, [17.0, 31.0, 5.0], DVec3::new(0.31 * side, 0.27 * side, 0.2))
    };
    let mut all = [0; 2];
    for side in [16, 32, 48] {
        let mut shapes: Vec<(&str, Expr)> = FIELDS.iter().map(|name| (*name, field(name, side))).collect();
        shapes.push(("plate", plate(f64::from(side))));
        for (name, expr) in shapes {
            let [triangles, polygons] = embedded(name, &expr, side as usize);
            let added = 100.0 * (triangles as f64 / (2 * polygons) as f64 - 1.0);
            println!("{name} at {side}: {triangles} triangles, {added:.2} % added");
            all = [all[0] + triangles, all[1] + 2 * polygons];
        }
    }
    let added = 100.0 * (all[0] as f64 / all[1] as f64 - 1.0);
    println!("all: {added:.2} % added");
    assert!(added < 1.0, "{added} % of triangles are added");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Samples without any order: as many sheets in a cell as there can be.
    #[test]
    fn noise_does_not_meet_itself(seed: u64, scale in 0.1_f32..10.0) {
        let block = Block::new(VoxelPos::new(0, 0, 0), [9; 3]).expect("a small block");
        let points = block.padded_points();
        let mut state = seed | 1;
        let samples: Vec<f32> = (0..points.iter().product::<usize>())
            .map(|i| {
                let place = [i % points[0], i / points[0] % points[1], i / points[0] / points[1]];
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let wall = place.iter().any(|&c| c <= 2 || c >= points[0] - 3);
                let value = scale * ((state >> 40) as f32 / (1 << 24) as f32 - 0.5);
                if wall { value.abs() + 0.01 } else { value }
            })
            .collect();
        let mesh = contour_samples(lattice(), &block, &samples, &mut Scratch::default()).expect("finite");
        let findings = check(&mesh);
        prop_assert!(findings.is_clean() && findings.is_closed(), "{}", findings);
    }
}
