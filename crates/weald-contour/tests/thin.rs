//! Features thinner than a cell are found or reported, never lost in silence (docs/tests.md: T10).

use glam::DVec3;
use proptest::prelude::*;
use weald_contour::block::Block;
use weald_contour::{Scratch, ThinScratch, contour_block, thin_features};
use weald_field::{Expr, Tape};
use weald_space::{Lattice, VoxelPos};

/// Triangles, and cells that are listed.
fn found(expr: &Expr) -> (usize, usize) {
    let tape = Tape::new(expr).expect("a small expression");
    let lattice = Lattice::new(1.0).expect("a power of two");
    let block = Block::new(VoxelPos::new(0, 0, 0), [32; 3]).expect("a small block");
    let mesh = contour_block(&tape, lattice, &block, &mut Scratch::default()).expect("a finite field");
    let thin = thin_features(&tape, lattice, &block, &mut ThinScratch::default()).expect("a finite field");
    (mesh.triangles.len(), thin.len())
}

#[test]
fn plates_thinner_than_a_cell_are_found_or_listed() {
    let plate = |z: f64| Expr::cuboid(DVec3::new(16.1, 15.8, z), DVec3::new(10.3, 9.2, 0.2), 0.0);
    let (triangles, listed) = found(&plate(16.0));
    assert!(triangles > 500 && listed == 0, "on the lattice: {triangles} triangles, {listed} cells");
    let (triangles, listed) = found(&plate(16.5));
    assert!(triangles == 0 && listed > 300, "between its points: {triangles} triangles, {listed} cells");
}

#[test]
fn thick_solids_and_empty_blocks_list_nothing() {
    assert_eq!(found(&Expr::sphere(DVec3::splat(16.2), 9.7)).1, 0);
    assert_eq!(found(&Expr::sphere(DVec3::splat(200.0), 9.7)), (0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_small_ball_is_found_or_listed(x in 4.0..28.0, y in 4.0..28.0, z in 4.0..28.0, radius in 0.05..0.9) {
        let (triangles, listed) = found(&Expr::sphere(DVec3::new(x, y, z), radius));
        prop_assert!(triangles + listed > 0);
    }
}
