//! Self-intersection, against all pairs by whole numbers and against plain floating point.

mod shapes;

use glam::Vec3;
use proptest::prelude::*;
use shapes::{both, cube, mesh_of, moved, ring, sphere};
use weald_mesh::{CheckSettings, Mesh, check, check_with};

/// The finest step of the whole-number lattice on which the slow test places vertices.
const STEP: f32 = 1.0 / 1_048_576.0;

type P = [i64; 3];

fn found_pairs(mesh: &Mesh) -> Vec<[u32; 2]> {
    let settings = CheckSettings { listed: usize::MAX, ..CheckSettings::default() };
    let pairs = check_with(mesh, &settings).self_intersections.unwrap_or_default();
    assert_eq!(pairs.count, pairs.first.len());
    pairs.first
}

/// Every pair, without boxes, by whole numbers.
fn all_pairs(places: &[P], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for i in 0..triangles.len() {
        for j in i + 1..triangles.len() {
            if whole::triangles_meet(places, triangles[i], triangles[j]) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

fn on_lattice(places: &[P], triangles: &[[u32; 3]]) -> Mesh {
    let positions: Vec<Vec3> = places.iter().map(|p| Vec3::from_array(p.map(|x| x as f32 * STEP))).collect();
    mesh_of(&positions, triangles)
}

/// The same questions answered on whole numbers, triangles with area only.
mod whole {
    use super::P;

    fn minus(a: P, b: P) -> [i128; 3] {
        [0, 1, 2].map(|k| i128::from(a[k] - b[k]))
    }

    fn side(a: P, b: P, c: P, d: P) -> i128 {
        let ([b0, b1, b2], [c0, c1, c2], [d0, d1, d2]) = (minus(b, a), minus(c, a), minus(d, a));
        let volume = b0 * (c1 * d2 - c2 * d1) + b1 * (c2 * d0 - c0 * d2) + b2 * (c0 * d1 - c1 * d0);
        volume.signum()
    }

    fn area(a: P, b: P, c: P, k: usize) -> i128 {
        let (b, c) = (minus(b, a), minus(c, a));
        let (u, v) = ((k + 1) % 3, (k + 2) % 3);
        b[u] * c[v] - b[v] * c[u]
    }

    pub(super) fn has_area(a: P, b: P, c: P) -> bool {
        (0..3).any(|k| area(a, b, c, k) != 0)
    }

    fn widest(a: P, b: P, c: P) -> usize {
        (0..3).max_by_key(|&k| area(a, b, c, k).abs()).unwrap_or(0)
    }

    fn same_sign(s: [i128; 3]) -> bool {
        s.iter().all(|&x| x >= 0) || s.iter().all(|&x| x <= 0)
    }

    fn cross_in_plane(k: usize, a: P, b: P, c: P, d: P) -> bool {
        let turn = |a, b, c| area(a, b, c, k).signum();
        let (p, q, r, s) = (turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b));
        if p * q > 0 || r * s > 0 {
            return false;
        }
        if p == 0 && q == 0 {
            return (0..3)
                .filter(|&i| i != k)
                .all(|i| a[i].min(b[i]) <= c[i].max(d[i]) && c[i].min(d[i]) <= a[i].max(b[i]));
        }
        true
    }

    pub(super) fn segment_meets(p: P, q: P, [a, b, c]: [P; 3]) -> bool {
        let (sp, sq) = (side(a, b, c, p), side(a, b, c, q));
        if sp * sq > 0 {
            return false;
        }
        if sp == 0 && sq == 0 {
            let k = widest(a, b, c);
            let holds = |x: P| same_sign([area(a, b, x, k), area(b, c, x, k), area(c, a, x, k)]);
            return holds(p)
                || holds(q)
                || [(a, b), (b, c), (c, a)].iter().any(|&(x, y)| cross_in_plane(k, p, q, x, y));
        }
        same_sign([side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)])
    }

    pub(super) fn triangles_meet(places: &[P], s: [u32; 3], t: [u32; 3]) -> bool {
        let at = |i: u32| places[i as usize];
        let (s_at, t_at) = (s.map(at), t.map(at));
        let shared: Vec<u32> = s.iter().copied().filter(|v| t.contains(v)).collect();
        let opposite = |tri: [u32; 3], v: u32| {
            let k = tri.iter().position(|&w| w == v).unwrap_or(0);
            (at(tri[(k + 1) % 3]), at(tri[(k + 2) % 3]))
        };
        match shared[..] {
            [] => (0..3).any(|k| {
                segment_meets(s_at[k], s_at[(k + 1) % 3], t_at)
                    || segment_meets(t_at[k], t_at[(k + 1) % 3], s_at)
            }),
            [v] => {
                let ((a, b), (c, d)) = (opposite(s, v), opposite(t, v));
                segment_meets(a, b, t_at) || segment_meets(c, d, s_at)
            }
            [e, g] => {
                let apex =
                    |tri: [u32; 3]| tri.iter().copied().find(|v| !shared.contains(v)).map_or([0; 3], at);
                let (e, g, a, b) = (at(e), at(g), apex(s), apex(t));
                let k = widest(e, g, a);
                side(e, g, a, b) == 0 && area(e, g, a, k).signum() * area(e, g, b, k).signum() > 0
            }
            _ => true,
        }
    }
}

/// The plain floating-point test of a segment against a triangle, which is right away from contact.
fn roughly_meets(s: [Vec3; 3], t: [Vec3; 3]) -> bool {
    let [x, y, z] = t.map(Vec3::as_dvec3);
    (0..3).any(|k| {
        let (p, q) = (s[k].as_dvec3(), s[(k + 1) % 3].as_dvec3());
        let (d, e, f) = (q - p, y - x, z - x);
        let h = d.cross(f);
        let det = e.dot(h);
        if det.abs() < 1e-14 {
            return false;
        }
        let w = p - x;
        let (u, c) = (w.dot(h) / det, w.cross(e));
        let (v, along) = (d.dot(c) / det, f.dot(c) / det);
        u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&along)
    })
}

fn soup(places: usize, triangles: usize, reach: i64) -> impl Strategy<Value = (Vec<P>, Vec<[u32; 3]>)> {
    let place = prop::array::uniform3(-reach..=reach);
    let corners = prop::array::uniform3(0..places as u32);
    (prop::collection::vec(place, places), prop::collection::vec(corners, 1..triangles)).prop_map(
        |(places, mut triangles)| {
            let at = |i: u32| places[i as usize];
            triangles.retain(|&[a, b, c]| whole::has_area(at(a), at(b), at(c)));
            (places, triangles)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_crowded_soup_agrees_with_all_pairs((places, triangles) in soup(12, 24, 3)) {
        prop_assert_eq!(found_pairs(&on_lattice(&places, &triangles)), all_pairs(&places, &triangles));
    }

    #[test]
    fn a_wide_soup_agrees_with_all_pairs((places, triangles) in soup(60, 80, 8_000_000)) {
        prop_assert_eq!(found_pairs(&on_lattice(&places, &triangles)), all_pairs(&places, &triangles));
    }

    #[test]
    fn a_thin_soup_agrees_with_all_pairs(
        (mut places, triangles) in soup(40, 60, 4_000_000), lift in 0i64..3, axis in 0usize..3,
    ) {
        places.iter_mut().for_each(|p| p[axis] = p[axis].rem_euclid(lift + 1));
        let at = |i: u32| places[i as usize];
        let triangles: Vec<_> =
            triangles.into_iter().filter(|&[a, b, c]| whole::has_area(at(a), at(b), at(c))).collect();
        prop_assert_eq!(found_pairs(&on_lattice(&places, &triangles)), all_pairs(&places, &triangles));
    }

    #[test]
    fn floating_point_agrees_on_pairs_without_a_common_vertex((places, triangles) in soup(45, 40, 8_000_000)) {
        let mesh = on_lattice(&places, &triangles);
        let apart = |s: [u32; 3], t: [u32; 3]| s.iter().all(|v| !t.contains(v));
        let mut rough = Vec::new();
        for i in 0..triangles.len() {
            for j in i + 1..triangles.len() {
                let (s, t) = (triangles[i], triangles[j]);
                let (s_at, t_at) = (mesh.corners(s), mesh.corners(t));
                if apart(s, t) && (roughly_meets(s_at, t_at) || roughly_meets(t_at, s_at)) {
                    rough.push([i as u32, j as u32]);
                }
            }
        }
        let mut exact = found_pairs(&mesh);
        exact.retain(|&[i, j]| apart(triangles[i as usize], triangles[j as usize]));
        prop_assert_eq!(exact, rough);
    }

    #[test]
    fn a_triangle_without_area_is_the_segment_it_covers(
        a in prop::array::uniform3(-4i64..=4), b in prop::array::uniform3(-4i64..=4),
        t in prop::array::uniform3(prop::array::uniform3(-8i64..=8)), order in 0usize..3,
    ) {
        prop_assume!(whole::has_area(t[0], t[1], t[2]));
        let (a, b) = (a.map(|x| 2 * x), b.map(|x| 2 * x));
        let middle = [0, 1, 2].map(|k| (a[k] + b[k]) / 2);
        let mut thin = [a, middle, b];
        thin.rotate_left(order);
        let places = [thin[0], thin[1], thin[2], t[0], t[1], t[2]];
        let found = found_pairs(&on_lattice(&places, &[[0, 1, 2], [3, 4, 5]]));
        prop_assert_eq!(!found.is_empty(), whole::segment_meets(a, b, t));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_shaken_sphere_agrees_with_all_pairs(
        shakes in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 66), strength in 0.0f32..0.6,
    ) {
        let mesh = sphere(2);
        prop_assert_eq!(mesh.positions.len(), shakes.len());
        let places: Vec<P> = mesh.positions.iter().zip(&shakes).map(|(p, s)| {
            (*p + Vec3::from_array(*s) * strength).to_array().map(|x| (x / STEP).round() as i64)
        }).collect();
        let shaken = on_lattice(&places, &mesh.triangles);
        let expected = all_pairs(&places, &mesh.triangles);
        prop_assert_eq!(found_pairs(&shaken), expected);
    }
}

#[test]
fn shaking_a_sphere_makes_it_cut_itself_and_calming_it_does_not() {
    let mut shaken = sphere(3);
    assert!(found_pairs(&shaken).is_empty());
    let calm = shaken.clone();
    for (index, place) in (0u32..).zip(&mut shaken.positions) {
        let push = (index.wrapping_mul(2_654_435_761) >> 16) as f32 / 65_536.0;
        let other = (index.wrapping_mul(2_246_822_519) >> 16) as f32 / 65_536.0;
        *place += Vec3::new(push, other, push - other) * 0.4;
    }
    assert!(found_pairs(&shaken).len() > 50);
    assert!(found_pairs(&calm).is_empty());
}

#[test]
fn cubes_that_overlap_meet_and_cubes_apart_do_not() {
    assert!(!found_pairs(&both(cube(), &moved(cube(), Vec3::new(0.5, 0.25, 0.125)))).is_empty());
    assert!(found_pairs(&both(cube(), &moved(cube(), Vec3::X * 1.001))).is_empty());
}

#[test]
fn contact_counts() {
    let floor = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0];
    let tip = |at: Vec3| [at, at + Vec3::new(0.0, 1.0, 1.0), at + Vec3::new(1.0, 0.0, 1.0)];
    let pairs = |t: [Vec3; 3]| found_pairs(&mesh_of(&[floor, t].concat(), &[[0, 1, 2], [3, 4, 5]])).len();
    assert_eq!(pairs(tip(Vec3::new(1.0, 1.0, 0.0))), 1, "a tip on the inside");
    assert_eq!(pairs(tip(Vec3::new(2.0, 0.0, 0.0))), 1, "a tip on an edge");
    assert_eq!(pairs(tip(Vec3::ZERO)), 1, "a tip on a vertex");
    assert_eq!(pairs(tip(Vec3::new(1.0, 1.0, f32::MIN_POSITIVE))), 0, "a tip just above");
    assert_eq!(pairs(tip(Vec3::new(2.0, -1e-38, 0.0))), 0, "a tip just beside");
}

#[test]
fn a_fold_onto_a_neighbour_is_found_and_a_flat_neighbour_is_not() {
    let places = |apex: Vec3| [Vec3::ZERO, Vec3::X, Vec3::new(0.3, 1.0, 0.0), apex];
    let count = |apex: Vec3| found_pairs(&mesh_of(&places(apex), &[[0, 1, 2], [1, 0, 3]])).len();
    assert_eq!(count(Vec3::new(0.6, 0.2, 0.0)), 1);
    assert_eq!(count(Vec3::new(0.6, -0.2, 0.0)), 0);
    assert_eq!(count(Vec3::new(0.6, 0.2, 1e-20)), 0);
}

#[test]
fn coplanar_triangles_around_one_vertex_are_told_apart() {
    let places = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y, Vec3::new(2.0, 0.5, 0.0)];
    let count = |t: [u32; 3]| found_pairs(&mesh_of(&places, &[[0, 1, 2], t])).len();
    assert_eq!(count([0, 3, 2]), 0, "neighbours in a fan");
    assert_eq!(count([0, 4, 3]), 1, "an overlapping fan");
}

#[test]
fn a_triangle_without_area_touches_only_what_it_covers() {
    let line = [Vec3::ZERO, Vec3::X * 2.0, Vec3::X];
    let count =
        |other: [Vec3; 3]| found_pairs(&mesh_of(&[line, other].concat(), &[[0, 1, 2], [3, 4, 5]])).len();
    assert_eq!(count([Vec3::X * 1.5, Vec3::X * 3.0, Vec3::X * 2.5]), 1, "overlapping on one line");
    assert_eq!(count([Vec3::X * 2.5, Vec3::X * 4.0, Vec3::X * 3.0]), 0, "apart on one line");
    assert_eq!(count([Vec3::new(0.5, -1.0, 0.0), Vec3::new(0.5, 1.0, 0.0), Vec3::X * 0.5]), 1, "across");
    assert_eq!(
        count([Vec3::new(0.5, -1.0, 0.5), Vec3::new(0.5, 1.0, 0.5), Vec3::new(0.5, 0.0, 0.5)]),
        0,
        "above"
    );
}

#[test]
fn a_torus_is_embedded_and_a_klein_bottle_is_not() {
    assert!(found_pairs(&ring(24, 12, false)).is_empty());
    assert!(!found_pairs(&ring(24, 12, true)).is_empty());
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let mesh = both(ring(150, 60, false), &moved(ring(150, 60, false), Vec3::new(0.4, 0.3, 0.2)));
    let settings = CheckSettings { listed: 40, ..CheckSettings::default() };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| check_with(&mesh, &settings))
    };
    let alone = on(1);
    assert!(alone.self_intersections.as_ref().is_some_and(|pairs| pairs.count > 40));
    assert_eq!(alone, on(2));
    assert_eq!(alone, on(8));
    assert_eq!(alone, check_with(&mesh, &settings));
    assert_eq!(check(&mesh).self_intersections.map(|p| p.count), alone.self_intersections.map(|p| p.count));
}
