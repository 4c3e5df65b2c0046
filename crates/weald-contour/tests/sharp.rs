//! Corners and edges stay sharp (docs/tests.md: T05, T06), and what is no number is refused (T20).

mod region;

use glam::DVec3;
use weald_contour::{ContourError, Scratch, contour_chunk};
use weald_field::{Expr, Tape};
use weald_mesh::Mesh;
use weald_mesh::check::check;
use weald_space::{ChunkKey, Lattice};
use weald_testkit::shape::{box_corners, corner_gap, half_spaces};

fn mesh_of(expr: &Expr) -> Mesh {
    let tape = Tape::new(expr).expect("a small expression");
    let lattice = Lattice::new(1.0).expect("one metre");
    region::contour(&tape, lattice, ChunkKey::new(0, 0, 0), 2).expect("a finite field").mesh()
}

/// T05: faces 0.37 of a cell beyond the lattice.
#[test]
fn an_axis_cube_keeps_its_corners_and_edges() {
    let (centre, half) = (DVec3::splat(32.0), DVec3::splat(12.37));
    let mesh = mesh_of(&Expr::cuboid(centre, half, 0.0));
    let corner = corner_gap(&mesh, &box_corners(centre, [0.0; 3], half));
    let edge = mesh
        .positions
        .iter()
        .filter_map(|p| {
            let d = (p.as_dvec3() - centre).abs() - half;
            let mut sides = [d.x.abs(), d.y.abs(), d.z.abs()];
            sides.sort_by(f64::total_cmp);
            // Vertices of cells that an edge of the cube passes, but no corner.
            (sides[1] < 0.7).then_some((sides[0] * sides[0] + sides[1] * sides[1]).sqrt())
        })
        .fold(0.0, f64::max);
    println!("T05: corner gap {corner:.6}, edge gap {edge:.6}");
    assert!(corner <= 1e-3, "corner gap {corner}");
    assert!(edge <= 1e-3, "edge gap {edge}");
}

/// T06: turned by 17, 31 and 5 degrees. Of cubes turned and placed at random one corner in thirty is still lost, and an edge
/// of this one has dents: see tests/known_issues.rs.
#[test]
fn a_turned_cube_keeps_its_corners() {
    let (angles, half) = ([17.0, 31.0, 5.0], DVec3::splat(11.3));
    let centre = DVec3::new(32.137, 32.271, 31.807);
    let mesh = mesh_of(&half_spaces(centre, angles, half));
    let corner = corner_gap(&mesh, &box_corners(centre, angles, half));
    println!("T06: corner gap {corner:.6}");
    assert!(corner <= 2e-3, "corner gap {corner}");
}

/// T20: distance to a box vanishes, or has no gradient, on the planes through its middle.
#[test]
fn medial_planes_and_flat_insides_give_no_nan() {
    let shell = Expr::cuboid(DVec3::splat(32.0), DVec3::splat(10.0), 0.0);
    let onion = (shell.abs() - 3.0).abs() - 1.0;
    let flat_inside = shell.max(&Expr::constant(-0.01));
    for expr in [shell, onion, flat_inside] {
        let mesh = mesh_of(&expr);
        assert!(!mesh.triangles.is_empty());
        let findings = check(&mesh);
        assert_eq!(findings.non_finite.count, 0);
        assert!(mesh.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-3), "a normal is no unit vector");
        assert_eq!(findings.boundary_edges.count + findings.non_manifold_edges.count, 0);
    }
    // Zero everywhere inside counts as outside everywhere: no surface, and no error.
    let nothing = Expr::cuboid(DVec3::splat(32.0), DVec3::splat(10.0), 0.0).max(&Expr::constant(0.0));
    assert!(mesh_of(&nothing).triangles.is_empty());
}

/// T20: the error names the lattice point.
#[test]
fn values_that_are_no_numbers_are_named_with_their_place() {
    let infinite = Expr::constant(f32::MAX) * Expr::sphere(DVec3::ZERO, 1.0) * 8.0;
    let tape = Tape::new(&infinite).unwrap();
    let lattice = Lattice::new(1.0).unwrap();
    let error = contour_chunk(&tape, lattice, ChunkKey::new(0, 0, 0), &mut Scratch::default()).unwrap_err();
    let ContourError::NotFinite { at, value } = error else { panic!("another error: {error}") };
    assert!(value.is_infinite());
    assert!(error.to_string().contains(&at.to_string()));
}
