//! Each defect is provoked, and absent from the repaired twin.

mod shapes;

use glam::Vec3;
use proptest::prelude::*;
use shapes::{both, cube, mesh_of, moved, ring, sphere};
use weald_mesh::{CheckSettings, Findings, Mesh, check, check_with};

/// The findings of a closed mesh without defects.
fn closed(mesh: &Mesh) -> Findings {
    let findings = check(mesh);
    assert!(findings.is_clean() && findings.is_closed() && findings.is_manifold(), "{findings}");
    assert_eq!(findings.closed_components, findings.components.count);
    findings
}

#[test]
fn a_cube_is_closed_and_measures_one() {
    let findings = closed(&cube());
    assert_eq!((findings.euler(), findings.genus(), findings.components.count), (2, 0, 1));
    assert_eq!((findings.edges, findings.volume, findings.area), (18, 1.0, 6.0));
}

#[test]
fn a_sphere_converges_to_its_volume_and_area() {
    let ball = std::f64::consts::PI * 4.0 / 3.0;
    let mut last = f64::INFINITY;
    for quarterings in 0..6 {
        let findings = closed(&sphere(quarterings));
        assert_eq!((findings.euler(), findings.genus()), (2, 0));
        let (volume_gap, area_gap) = (ball - findings.volume, 3.0 * ball - findings.area);
        assert!(0.0 < volume_gap && volume_gap < last, "{volume_gap} after {last}");
        assert!(0.0 < area_gap && area_gap < 3.0 * last, "{area_gap} after {last}");
        last = 0.5 * volume_gap;
    }
}

#[test]
fn a_torus_has_one_handle() {
    let findings = closed(&ring(40, 24, false));
    assert_eq!((findings.euler(), findings.genus(), findings.components.count), (0, 1, 1));
    let exact = 2.0 * std::f64::consts::PI * std::f64::consts::PI * 3.0;
    assert!((findings.volume / exact - 1.0).abs() < 0.02, "{} for {exact}", findings.volume);
}

#[test]
fn components_are_told_apart() {
    let two = both(ring(20, 10, false), &moved(sphere(2), Vec3::Z * 9.0));
    let findings = closed(&two);
    assert_eq!((findings.components.count, findings.euler(), findings.genus()), (2, 2, 1));
    let parts = &findings.components.first;
    assert_eq!(parts.iter().map(|c| c.genus()).collect::<Vec<_>>(), [Some(1), Some(0)]);
    assert_eq!(parts.iter().map(|c| c.first_vertex).collect::<Vec<_>>(), [0, 200]);
    assert_eq!(parts.iter().map(|c| c.volume).sum::<f64>().to_bits(), {
        let alone = [check(&ring(20, 10, false)).volume, check(&moved(sphere(2), Vec3::Z * 9.0)).volume];
        alone.iter().sum::<f64>().to_bits()
    });
}

#[test]
fn linked_tori_are_two_of_one_handle_each() {
    let mut other = ring(20, 10, false);
    for p in &mut other.positions {
        *p = Vec3::new(p.x + 3.0, p.z, -p.y);
    }
    let findings = closed(&both(ring(20, 10, false), &other));
    assert_eq!((findings.components.count, findings.genus(), findings.euler()), (2, 2, 0));
}

#[test]
fn a_missing_triangle_leaves_three_boundary_edges() {
    let mut mesh = cube();
    let gone = mesh.triangles.remove(4);
    let findings = check(&mesh);
    assert_eq!(findings.boundary_edges.count, 3);
    let mut around: Vec<[u32; 2]> = (0..3).map(|k| [gone[(k + 1) % 3], gone[k]]).collect();
    around.sort_unstable();
    let mut found = findings.boundary_edges.first.clone();
    found.sort_unstable();
    assert_eq!(found, around, "boundary edges run along the triangles that are there");
    assert!(!findings.is_closed() && findings.is_manifold() && findings.is_clean());
    assert_eq!((findings.closed_components, findings.components.first[0].genus()), (0, None));
    mesh.triangles.push(gone);
    closed(&mesh);
}

#[test]
fn a_flipped_triangle_is_misoriented_at_its_edges() {
    let mut mesh = sphere(2);
    mesh.triangles[17].swap(0, 1);
    let findings = check(&mesh);
    assert_eq!((findings.misoriented_edges.count, findings.boundary_edges.count), (3, 0));
    assert!(findings.is_manifold() && !findings.is_closed() && !findings.is_clean());
    mesh.triangles[17].swap(0, 1);
    closed(&mesh);
}

#[test]
fn a_mesh_turned_inside_out_has_negative_volume() {
    let mut mesh = cube();
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let findings = closed(&mesh);
    assert_eq!(findings.volume, -1.0);
}

#[test]
fn a_klein_bottle_has_no_boundary_and_no_orientation() {
    let bottle = check(&ring(12, 8, true));
    assert_eq!((bottle.euler(), bottle.boundary_edges.count, bottle.misoriented_edges.count), (0, 0, 8));
    assert!(bottle.is_manifold() && !bottle.is_closed());
    assert_eq!((bottle.closed_components, bottle.genus()), (0, 0));
    let torus = check(&ring(12, 8, false));
    assert_eq!((torus.misoriented_edges.count, torus.genus()), (0, 1));
}

#[test]
fn two_cubes_at_one_vertex_are_a_bow_tie() {
    let apart = both(cube(), &moved(cube(), Vec3::ONE));
    let mut tied = apart.clone();
    for vertex in tied.triangles.iter_mut().flatten().filter(|v| **v == 8) {
        *vertex = 7;
    }
    let findings = check(&tied);
    assert_eq!(findings.non_manifold_vertices.first, [7]);
    assert_eq!((findings.components.count, findings.closed_components, findings.euler()), (1, 0, 3));
    assert!(findings.is_closed() && !findings.is_manifold() && !findings.is_clean());

    let findings = check(&apart);
    assert!(findings.is_manifold() && findings.closed_components == 2);
    let touching = findings.self_intersections.map(|pairs| pairs.count);
    assert!(touching > Some(0), "apart by index, but the places touch: {touching:?}");
    closed(&both(cube(), &moved(cube(), Vec3::splat(1.5))));
}

#[test]
fn open_fans_that_meet_in_a_vertex_are_a_bow_tie() {
    let places = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y];
    let tied = check(&mesh_of(&places, &[[0, 1, 2], [0, 3, 4]]));
    assert_eq!(tied.non_manifold_vertices.first, [0]);
    let fan = check(&mesh_of(&places, &[[0, 1, 2], [0, 2, 3], [0, 3, 4]]));
    assert!(fan.is_manifold() && fan.is_clean(), "{fan}");
}

#[test]
fn a_fin_makes_an_edge_non_manifold() {
    let mut mesh = cube();
    let fin = mesh.push_vertex(Vec3::new(-1.0, 0.5, -1.0), Vec3::Z, Default::default());
    mesh.triangles.push([0, 2, fin]);
    let findings = check(&mesh);
    assert_eq!(findings.non_manifold_edges.first, [[0, 2]]);
    assert_eq!(findings.non_manifold_vertices.first, [0, 2]);
    assert_eq!(findings.boundary_edges.count, 2);
    mesh.triangles.pop();
    closed(&mesh);
}

#[test]
fn two_sheets_through_one_edge_make_it_non_manifold() {
    let mut mesh = both(cube(), &moved(cube(), Vec3::new(1.0, 1.0, 0.0)));
    for vertex in mesh.triangles.iter_mut().flatten() {
        *vertex = match *vertex {
            8 => 3,
            12 => 7,
            other => other,
        };
    }
    let findings = check(&mesh);
    assert_eq!(findings.non_manifold_edges.first, [[3, 7]]);
    assert_eq!(findings.non_manifold_vertices.first, [3, 7]);
    assert!(findings.boundary_edges.is_empty());
}

#[test]
fn repeated_indices_are_degenerate_and_join_nothing() {
    let mut mesh = cube();
    mesh.triangles.insert(3, [0, 5, 0]);
    let findings = check(&mesh);
    assert_eq!(findings.repeated_index.first, [3]);
    assert_eq!((findings.sound_triangles, findings.euler()), (12, 2));
    assert!(findings.is_closed() && !findings.is_clean());
    mesh.triangles.remove(3);
    closed(&mesh);
}

#[test]
fn triangles_without_area_are_found_exactly() {
    // 0.1 and 0.3 are not on the line through 0 and (0.7, 2.1) once rounded, though an epsilon would say so.
    let nearly = [Vec3::ZERO, Vec3::new(0.1, 0.3, 0.0), Vec3::new(0.7, 2.1, 0.0)];
    let exactly = [Vec3::ZERO, Vec3::new(0.125, 0.375, 0.0), Vec3::new(0.875, 2.625, 0.0)];
    let same = [Vec3::ONE, Vec3::ONE, Vec3::ZERO];
    let far = [Vec3::ZERO, Vec3::new(1e30, 1e30, 1e30), Vec3::new(1e-30, 1e-30, 2e-30)];
    let all = [[0, 1, 2]];
    assert!(check(&mesh_of(&nearly, &all)).zero_area.is_empty());
    assert_eq!(check(&mesh_of(&exactly, &all)).zero_area.first, [0]);
    assert_eq!(check(&mesh_of(&same, &all)).zero_area.first, [0]);
    assert!(check(&mesh_of(&far, &all)).zero_area.is_empty());
}

#[test]
fn duplicates_are_found_in_any_order_of_corners() {
    let mut mesh = cube();
    let [a, b, c] = mesh.triangles[5];
    mesh.triangles.extend([[b, c, a], [c, b, a]]);
    let findings = check(&mesh);
    assert_eq!(findings.duplicates.first, [12, 13]);
    assert_eq!(findings.self_intersections.map(|pairs| pairs.first), Some(vec![[5, 12], [5, 13], [12, 13]]));
    mesh.triangles.truncate(13);
    assert_eq!(check(&mesh).duplicates.first, [12]);
    mesh.triangles.truncate(12);
    closed(&mesh);
}

#[test]
fn two_copies_on_both_sides_are_duplicates_though_closed() {
    let places = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let findings = check(&mesh_of(&places, &[[0, 1, 2], [2, 1, 0]]));
    assert!(findings.is_closed());
    assert_eq!(findings.duplicates.first, [1]);
    assert!(check(&mesh_of(&places, &[[0, 1, 2]])).duplicates.is_empty());
}

#[test]
fn places_that_are_not_finite_and_indices_out_of_range_are_found() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut mesh = cube();
        mesh.positions[6].y = bad;
        let findings = check(&mesh);
        assert_eq!(findings.non_finite.first, [6]);
        assert!(findings.is_closed() && !findings.is_clean());
        assert!(findings.volume.is_finite() && findings.area.is_finite());
    }
    let mut mesh = cube();
    mesh.triangles.insert(0, [0, 8, 1]);
    mesh.triangles.push([u32::MAX, 0, 1]);
    let findings = check(&mesh);
    assert_eq!(findings.out_of_range.first, [0, 13]);
    assert!(findings.is_closed() && !findings.is_clean());
}

#[test]
fn places_are_those_of_the_whole_mesh_where_triangles_were_left_out() {
    let mut mesh = both(cube(), &moved(cube(), Vec3::splat(0.5)));
    let expected = check(&mesh).self_intersections.map(|pairs| pairs.first).unwrap_or_default();
    assert!(!expected.is_empty());
    mesh.triangles.insert(0, [1, 1, 2]);
    let found = check(&mesh).self_intersections.map(|pairs| pairs.first);
    assert_eq!(found, Some(expected.iter().map(|pair| pair.map(|t| t + 1)).collect()));
}

#[test]
fn lists_are_capped_and_counts_are_not() {
    let mesh = ring(12, 8, true);
    let settings = CheckSettings { self_intersections: false, listed: 3 };
    let findings = check_with(&mesh, &settings);
    assert_eq!((findings.misoriented_edges.count, findings.misoriented_edges.first.len()), (8, 3));
    assert_eq!(findings.self_intersections, None);
    assert_eq!(findings.misoriented_edges.first[..], check(&mesh).misoriented_edges.first[..3]);
}

#[test]
fn an_empty_mesh_has_nothing_wrong() {
    let findings = check(&Mesh::default());
    assert!(findings.is_clean() && findings.is_closed());
    assert_eq!((findings.components.count, findings.volume, findings.area), (0, 0.0, 0.0));
}

/// Counts by the definitions, over all pairs, with none of the checker's data structures.
fn by_definition(mesh: &Mesh) -> (usize, usize, usize, usize, usize) {
    let sound: Vec<[u32; 3]> =
        mesh.triangles.iter().copied().filter(|[a, b, c]| a != b && b != c && c != a).collect();
    let vertices = mesh.positions.len() as u32;
    let uses =
        |a: u32, b: u32| sound.iter().filter(|t| (0..3).any(|k| t[k] == a && t[(k + 1) % 3] == b)).count();
    let (mut boundary, mut misoriented, mut crowded) = (0, 0, 0);
    for low in 0..vertices {
        for high in low + 1..vertices {
            match (uses(low, high), uses(high, low)) {
                (0, 0) | (1, 1) => {}
                (1, 0) | (0, 1) => boundary += 1,
                (2, 0) | (0, 2) => misoriented += 1,
                _ => crowded += 1,
            }
        }
    }
    let bad_vertices = (0..vertices).filter(|&v| !link_is_a_path_or_a_cycle(&sound, v)).count();
    let sorted = |t: &[u32; 3]| {
        let mut t = *t;
        t.sort_unstable();
        t
    };
    let copies = (0..sound.len()).filter(|&i| (0..i).any(|j| sorted(&sound[i]) == sorted(&sound[j]))).count();
    (boundary, misoriented, crowded, bad_vertices, copies)
}

fn link_is_a_path_or_a_cycle(triangles: &[[u32; 3]], vertex: u32) -> bool {
    let link: Vec<[u32; 2]> = triangles
        .iter()
        .filter_map(|t| t.iter().position(|&v| v == vertex).map(|k| [t[(k + 1) % 3], t[(k + 2) % 3]]))
        .collect();
    let Some(&[start, _]) = link.first() else {
        return true;
    };
    let degree = |v: u32| link.iter().flatten().filter(|&&w| w == v).count();
    let mut reached = vec![start];
    for _ in 0..link.len() {
        for &[a, b] in &link {
            for (from, to) in [(a, b), (b, a)] {
                if reached.contains(&from) && !reached.contains(&to) {
                    reached.push(to);
                }
            }
        }
    }
    link.iter().flatten().all(|&v| degree(v) <= 2 && reached.contains(&v))
}

proptest! {
    #[test]
    fn topology_agrees_with_its_definition(
        triangles in prop::collection::vec(prop::array::uniform3(0u32..7), 0..14),
    ) {
        let places: Vec<Vec3> = (0..7).map(|i| Vec3::new(i as f32, (i * i) as f32, (i * i * i) as f32)).collect();
        let mesh = mesh_of(&places, &triangles);
        let found = check(&mesh);
        let counts = (
            found.boundary_edges.count,
            found.misoriented_edges.count,
            found.non_manifold_edges.count,
            found.non_manifold_vertices.count,
            found.duplicates.count,
        );
        prop_assert_eq!(counts, by_definition(&mesh));
        let summed: i64 = found.components.first.iter().map(|c| c.euler()).sum();
        prop_assert_eq!(found.euler(), summed);
    }

    #[test]
    fn the_order_of_triangles_changes_no_count(
        order in Just((0..128usize).collect::<Vec<_>>()).prop_shuffle(),
        turns in prop::collection::vec(0usize..3, 128),
        gone in 0usize..20,
    ) {
        let mesh = sphere(2);
        let mut shuffled = mesh.clone();
        let kept = order.iter().skip(gone);
        shuffled.triangles = kept.map(|&i| {
            let mut t = mesh.triangles[i];
            t.rotate_left(turns[i]);
            t
        }).collect();
        let mut sorted = shuffled.clone();
        sorted.triangles.sort_unstable_by_key(|t| { let mut k = *t; k.sort_unstable(); k });
        let (a, b) = (check(&shuffled), check(&sorted));
        prop_assert_eq!(a.boundary_edges.count, b.boundary_edges.count);
        prop_assert_eq!(&a.non_manifold_vertices, &b.non_manifold_vertices);
        prop_assert_eq!(a.components.count, b.components.count);
        prop_assert_eq!(a.euler(), b.euler());
        prop_assert!(a.defects() == b.defects());
        prop_assert!((a.volume - b.volume).abs() < 1e-12);
    }
}
