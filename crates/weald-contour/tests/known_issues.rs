//! Known shortcomings. Each test asserts today's answer, so that an improvement is noticed and moves it elsewhere.

mod region;

use glam::{DVec3, Vec3};
use weald_field::{Expr, Tape};
use weald_mesh::Mesh;
use weald_mesh::check::check;
use weald_space::{ChunkKey, Lattice};
use weald_testkit::shape::{box_corners, corner_gap, facing_outward, half_spaces, turn};

/// A cut that leaves a wedge thinner than a cell: cells see only one of its faces, so the crease is blunt, and some
/// triangles along it face the wrong way (T14 asks for 99.9 %). Finer cells are the remedy until creases are followed
/// from cell to cell.
#[test]
fn a_wedge_thinner_than_a_cell_is_blunt() {
    let centre = DVec3::new(32.3, 31.6, 32.1);
    let wedge = Expr::cuboid(centre, DVec3::new(15.0, 12.0, 13.0), 31.0)
        .max(&-Expr::sphere(centre + DVec3::new(10.0, 9.0, 9.0), 9.3));
    let tape = Tape::new(&wedge).unwrap();
    let mesh = region::contour(&tape, Lattice::new(1.0).unwrap(), ChunkKey::new(0, 0, 0), 2).unwrap().mesh();
    let findings = check(&mesh);
    assert!(findings.is_closed() && findings.is_manifold());
    let outward = facing_outward(&tape, &mesh);
    println!("{:.3} % face outside", outward * 100.0);
    assert!((0.99..0.999).contains(&outward), "{outward} of the triangles face outside");
}

/// The largest distance from a vertex to the nearest face plane of the box.
fn plane_gap(mesh: &Mesh, centre: DVec3, angles: [f64; 3], half: DVec3) -> f64 {
    let axes = turn(angles);
    let off = |p: &Vec3| {
        let d = mesh.origin.0 + p.as_dvec3() - centre;
        (0..3).map(|i| (d.dot(axes[i]).abs() - half[i]).abs()).fold(f64::INFINITY, f64::min)
    };
    mesh.positions.iter().map(off).fold(0.0, f64::max)
}

/// T06 asks for vertices within 10⁻³ cells of the faces. Where an edge of the cube passes cells with two sheets side by
/// side, their faces get points so that no triangle meets another, and these dent the edge. Before such cells were
/// embedded the gap was 9·10⁻⁴, without a proof that nothing meets. Deciding for a group of such cells together what is
/// decided for a single one ([`calm`](../src/calm.rs), `keeps_to_itself`) is the remedy.
#[test]
fn an_edge_is_dented_where_cells_have_two_sheets_side_by_side() {
    let (angles, half) = ([17.0, 31.0, 5.0], DVec3::splat(11.3));
    let centre = DVec3::new(32.137, 32.271, 31.807);
    let tape = Tape::new(&half_spaces(centre, angles, half)).unwrap();
    let mesh = region::contour(&tape, Lattice::new(1.0).unwrap(), ChunkKey::new(0, 0, 0), 2).unwrap().mesh();
    let gap = plane_gap(&mesh, centre, angles, half);
    println!("plane gap {gap:.4}");
    assert!((0.17..0.18).contains(&gap), "the gap is {gap}");
}

/// Corners of cubes turned and placed at random. The others lie within 2·10⁻³ cells of a vertex; a lost one lies where
/// no cell sees all three faces, or where the one that does has another corner to give its vertex to.
#[test]
fn one_corner_in_thirty_is_lost() {
    let mut state = 7_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let lattice = Lattice::new(1.0).unwrap();
    let (mut corners, mut lost) = (0, 0);
    for _ in 0..60 {
        let angles = [random() * 90.0, random() * 90.0, random() * 90.0];
        let centre = DVec3::splat(32.0) + DVec3::new(random(), random(), random());
        let half = DVec3::splat(9.0 + 3.0 * random());
        let tape = Tape::new(&half_spaces(centre, angles, half)).unwrap();
        let mesh = region::contour(&tape, lattice, ChunkKey::new(0, 0, 0), 2).unwrap().mesh();
        for corner in box_corners(centre, angles, half) {
            corners += 1;
            lost += usize::from(corner_gap(&mesh, &[corner]) > 2e-3);
        }
    }
    println!("{lost} of {corners} corners are lost");
    assert_eq!(lost, 15, "of {corners} corners");
}
