//! Chunks and seams together are one closed surface (docs/tests.md: T01, T03 at one level, T09, T13, T14, T21, T27,
//! T28).

mod region;

use glam::DVec3;
use proptest::prelude::*;
use region::Region;
use weald_contour::block::Block;
use weald_contour::{Scratch, VertexKind, contour_block};
use weald_field::{Domain, Expr, NoiseSettings, Tape};
use weald_mesh::Mesh;
use weald_mesh::check::{Findings, check};
use weald_space::{ChunkKey, Lattice, Seed};
use weald_testkit::shape::{facing_outward, half_spaces, torus, turn};

fn lattice(cell_size: f64) -> Lattice {
    Lattice::new(cell_size).expect("a power of two")
}

fn tape(expr: &Expr) -> Tape {
    Tape::new(expr).expect("a small expression")
}

fn eight_chunks(expr: &Expr) -> Region {
    region::contour(&tape(expr), lattice(1.0), ChunkKey::new(0, 0, 0), 2).expect("a finite field")
}

fn assert_closed(findings: &Findings) {
    assert_eq!(findings.boundary_edges.count, 0, "boundary edges: {findings}");
    assert_eq!(findings.non_manifold_edges.count, 0, "non-manifold edges: {findings}");
    assert_eq!(findings.non_manifold_vertices.count, 0, "non-manifold vertices: {findings}");
    assert_eq!(findings.misoriented_edges.count, 0, "misoriented edges: {findings}");
    assert_eq!(findings.duplicates.count, 0, "duplicate triangles: {findings}");
    assert_eq!(findings.zero_area.count, 0, "triangles without area: {findings}");
    assert_eq!(findings.repeated_index.count, 0, "triangles that name a vertex twice: {findings}");
    assert_eq!(findings.non_finite.count, 0, "vertices that are nowhere: {findings}");
}

fn assert_embedded(findings: &Findings) {
    assert_closed(findings);
    assert_eq!(findings.self_intersections.as_ref().map(|list| list.count), Some(0), "{findings}");
}

/// T01.
#[test]
fn a_sphere_around_the_corner_of_eight_chunks_is_closed() {
    for centre in [DVec3::splat(32.0), DVec3::new(32.37, 31.91, 32.04)] {
        let findings = check(&eight_chunks(&Expr::sphere(centre, 20.3)).mesh());
        assert_embedded(&findings);
        assert_eq!((findings.euler(), findings.components.count), (2, 1));
    }
}

/// T09: a torus, two tori that share their material (genus 2), and two that are linked.
#[test]
fn tori_have_the_handles_that_they_should() {
    let centre = DVec3::new(32.2, 31.7, 32.4);
    let one = torus(centre, DVec3::Z, 15.3, 5.1);
    let findings = check(&eight_chunks(&one).mesh());
    assert_embedded(&findings);
    assert_eq!((findings.euler(), findings.genus(), findings.components.count), (0, 1, 1));

    let (left, right) = (centre - DVec3::X * 12.3, centre + DVec3::X * 12.3);
    let double = torus(left, DVec3::Z, 12.1, 4.1).min(&torus(right, DVec3::Z, 12.1, 4.1));
    let findings = check(&eight_chunks(&double).mesh());
    assert_embedded(&findings);
    assert_eq!((findings.euler(), findings.genus(), findings.components.count), (-2, 2, 1));

    let across = torus(centre + DVec3::X * 7.2, DVec3::Y, 12.3, 3.1);
    let linked = torus(centre - DVec3::X * 7.2, DVec3::Z, 12.3, 3.1).min(&across);
    let findings = check(&eight_chunks(&linked).mesh());
    assert_embedded(&findings);
    assert_eq!((findings.euler(), findings.genus(), findings.components.count), (0, 2, 2));
}

/// T13: volume and area at a radius of 16 cells, within half a per cent.
#[test]
fn volume_and_area_are_those_of_the_shape() {
    use std::f64::consts::PI;
    let centre = DVec3::new(32.3, 31.6, 32.1);
    let half = DVec3::new(13.0, 16.0, 11.0);
    let solids = [
        (Expr::sphere(centre, 16.0), 4.0 / 3.0 * PI * 4096.0, 4.0 * PI * 256.0),
        (
            Expr::cuboid(centre, half, 23.0),
            8.0 * 13.0 * 16.0 * 11.0,
            8.0 * (13.0 * 16.0 + 16.0 * 11.0 + 11.0 * 13.0),
        ),
        (
            Expr::cylinder(centre, DVec3::new(0.3, 0.2, 1.0), 16.0, 10.0),
            PI * 256.0 * 20.0,
            2.0 * PI * 16.0 * 36.0,
        ),
        (torus(centre, DVec3::Z, 16.0, 7.0), 2.0 * PI * PI * 16.0 * 49.0, 4.0 * PI * PI * 16.0 * 7.0),
    ];
    for (solid, volume, area) in solids {
        let findings = check(&eight_chunks(&solid).mesh());
        assert_closed(&findings);
        let (volume_error, area_error) = (findings.volume / volume - 1.0, findings.area / area - 1.0);
        println!("volume {volume_error:+.5}, area {area_error:+.5}");
        assert!(findings.volume > 0.0);
        assert!(volume_error.abs() < 0.005, "volume off by {volume_error}");
        assert!(area_error.abs() < 0.005, "area off by {area_error}");
    }
}

/// T14: triangles face outside.
#[test]
fn triangles_face_the_way_the_field_grows() {
    let centre = DVec3::new(32.3, 31.6, 32.1);
    // Cut where the faces meet, so that the cut leaves no wedge thinner than a cell: see tests/known_issues.rs.
    let (half, axes) = (DVec3::new(15.0, 12.0, 13.0), turn([31.0, 0.0, 0.0]));
    let corner = centre + axes[0] * half.x + axes[1] * half.y + axes[2] * half.z;
    let carved = Expr::cuboid(centre, half, 31.0).max(&-Expr::sphere(corner, 9.3)).min(&Expr::cylinder(
        centre,
        DVec3::Z,
        4.2,
        21.0,
    ));
    for solid in [Expr::sphere(centre, 16.0), torus(centre, DVec3::X, 16.0, 7.0), carved] {
        let (tape, mesh) = (tape(&solid), eight_chunks(&solid).mesh());
        assert_closed(&check(&mesh));
        let outward = facing_outward(&tape, &mesh);
        println!("{:.3} % face outside", outward * 100.0);
        assert!(outward >= 0.999, "only {outward} of the triangles face outside");
    }
}

/// T21: a plane that lies exactly on lattice points, along every axis, gives one sheet.
#[test]
fn a_plane_on_the_lattice_gives_one_sheet() {
    for normal in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
        for at in [31.0, 32.0, 16.0] {
            let slab = Expr::plane(DVec3::splat(at), normal);
            let findings = check(&eight_chunks(&slab).mesh());
            assert_eq!(findings.components.count, 1, "{normal} at {at}");
            assert_eq!(findings.euler(), 1, "one disc");
            assert_eq!(findings.zero_area.count + findings.repeated_index.count, 0);
            assert_eq!(findings.non_manifold_edges.count + findings.non_manifold_vertices.count, 0);
            // 64 cells across, less the outermost layer whose neighbours are not there: 63 quads a side.
            assert_eq!(findings.triangles, 2 * 63 * 63);
        }
    }
    let cube = Expr::cuboid(DVec3::splat(32.0), DVec3::splat(12.0), 0.0);
    let findings = check(&eight_chunks(&cube).mesh());
    assert_embedded(&findings);
    assert_eq!((findings.euler(), findings.components.count), (2, 1));
}

/// Triangles as places and normals, in an order that does not depend on how the mesh was put together.
fn geometry(mesh: &Mesh) -> Vec<[[u32; 6]; 3]> {
    let mut triangles: Vec<[[u32; 6]; 3]> = mesh
        .triangles
        .iter()
        .map(|t| {
            let corners = t.map(|i| {
                let (p, n) = (mesh.positions[i as usize], mesh.normals[i as usize]);
                [p.x, p.y, p.z, n.x, n.y, n.z].map(f32::to_bits)
            });
            let first = (0..3).min_by_key(|&i| corners[i]).expect("three corners");
            std::array::from_fn(|i| corners[(first + i) % 3])
        })
        .collect();
    triangles.sort_unstable();
    triangles
}

fn assert_chunks_equal_one_block(expr: &Expr) {
    let tape = tape(expr);
    let lattice = lattice(0.5);
    let first = ChunkKey::new(-1, 2, 0);
    let region = region::contour(&tape, lattice, first, 2).expect("a finite field");
    let joined = region.mesh();
    let block = Block::new(first.origin(), [64; 3]).expect("a small block");
    let whole = contour_block(&tape, lattice, &block, &mut Scratch::default()).expect("a finite field");
    // T28: the same triangles, bit for bit.
    assert!(geometry(&joined) == geometry(&whole), "chunks and block differ");
    // T27: no polygon twice, and the same area.
    let mut triangles = geometry(&joined);
    let count = triangles.len();
    triangles.dedup();
    assert_eq!(triangles.len(), count, "a polygon was made twice");
    let (a, b) = (check(&joined).area, check(&whole).area);
    assert!((a - b).abs() <= 1e-6 * b, "areas {a} and {b}");
}

/// T27 and T28 on shapes that cross every border, sharp ones with lost corners among them.
#[test]
fn chunks_and_seams_are_one_big_grid_cut_apart() {
    let centre = DVec3::new(0.3, 47.8, 15.9);
    assert_chunks_equal_one_block(&Expr::sphere(centre, 10.1));
    assert_chunks_equal_one_block(&half_spaces(centre, [17.0, 31.0, 5.0], DVec3::new(9.1, 8.2, 10.3)));
    let rough = weald_testkit::world::rough_ground(3, 15.0);
    assert_chunks_equal_one_block(&rough);
    let pierced = rough
        .min(&half_spaces(centre, [12.0, 40.0, 70.0], DVec3::new(8.0, 6.0, 9.0)))
        .max(&-Expr::cylinder(centre, DVec3::new(1.0, 0.3, 0.2), 3.1, 30.0));
    assert_chunks_equal_one_block(&pierced);
}

/// Noise as fine as the lattice: leaves with several loops, ambiguous faces and face vertices on every border, so that
/// seams and the union must make them as one block does.
#[test]
fn chunks_and_seams_agree_on_noise_as_fine_as_the_lattice() {
    let noise = |seed| {
        Expr::noise(&NoiseSettings {
            domain: Domain::Space,
            wavelength: 0.8,
            octaves: 1,
            amplitude: 1.0,
            seed: Seed::new(seed),
            ..NoiseSettings::default()
        })
    };
    let mut face_vertices = 0;
    for seed in 0..3 {
        let cloud = (noise(seed) + 0.02).max(&Expr::sphere(DVec3::new(0.3, 47.8, 15.9), 9.0));
        assert_chunks_equal_one_block(&cloud);
        let region =
            region::contour(&tape(&cloud), lattice(0.5), ChunkKey::new(-1, 2, 0), 2).expect("finite");
        let kinds = region.seams.values().flat_map(|seam| &seam.added).map(|vertex| vertex.name.kind());
        face_vertices += kinds.filter(|kind| matches!(kind, VertexKind::Face { .. })).count();
        let findings = check(&region.mesh());
        assert_closed(&findings);
    }
    assert!(face_vertices > 0, "no seam needed a face vertex");
}

fn solids() -> impl Strategy<Value = Expr> {
    let centre = prop::array::uniform3(26.0..38.0).prop_map(DVec3::from_array);
    let sphere = (centre.clone(), 1.5..20.0).prop_map(|(c, r)| Expr::sphere(c, r));
    let cuboid = (centre.clone(), prop::array::uniform3(0.0..90.0), prop::array::uniform3(1.5..12.0))
        .prop_map(|(c, angles, half)| half_spaces(c, angles, DVec3::from_array(half)));
    let ring = (centre, prop::array::uniform3(-1.0..1.0), 6.0..14.0, 1.5..5.0).prop_map(
        |(c, axis, major, minor)| {
            let axis = DVec3::from_array(axis).try_normalize().unwrap_or(DVec3::Z);
            torus(c, axis, major, minor)
        },
    );
    prop_oneof![sphere, cuboid, ring]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// T03, at one level of detail.
    #[test]
    fn a_thousand_solids_are_closed(solid in solids()) {
        let findings = check(&eight_chunks(&solid).mesh());
        prop_assert!(findings.triangles > 0);
        prop_assert_eq!(findings.boundary_edges.count, 0);
        prop_assert_eq!(findings.non_manifold_edges.count + findings.non_manifold_vertices.count, 0);
        prop_assert_eq!(findings.misoriented_edges.count + findings.zero_area.count, 0);
    }
}
