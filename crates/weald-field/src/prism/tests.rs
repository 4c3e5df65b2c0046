use proptest::prelude::*;

use super::*;
use crate::algebra::Dual;
use crate::shape::trial::{self, Swept};

impl Swept for Prism {
    fn sweep<A: Algebra>(&self, sweep: &mut impl Sweep<A>) {
        Prism::sweep(self, sweep);
    }
}

/// Round about a centre, with radii that jump: sharp corners, outward and inward.
fn stars() -> impl Strategy<Value = Vec<DVec2>> {
    (prop::collection::vec(0.1_f64..20.0, 3..200), 0.0_f64..1.0).prop_map(|(radii, turn)| {
        let count = radii.len() as f64;
        let point = |(i, &radius): (usize, &f64)| {
            let (sine, cosine) = weald_space::ops::sin_cos((i as f64 + turn) / count * std::f64::consts::TAU);
            DVec2::new(cosine, sine) * radius
        };
        radii.iter().enumerate().map(point).collect()
    })
}

/// Towers on a wall, with all corners on whole numbers: many that lie on the same lines.
fn battlements() -> impl Strategy<Value = Vec<DVec2>> {
    prop::collection::vec(1_u8..6, 2..60).prop_map(|heights| {
        let mut points = vec![DVec2::ZERO];
        for (i, &height) in heights.iter().enumerate() {
            points.push(DVec2::new(i as f64, height.into()));
            points.push(DVec2::new(i as f64 + 1.0, height.into()));
        }
        points.push(DVec2::new(heights.len() as f64, 0.0));
        points
    })
}

fn outlines() -> impl Strategy<Value = Vec<DVec2>> {
    (prop_oneof![stars(), battlements()], any::<bool>()).prop_map(|(mut points, turned)| {
        if turned {
            points.reverse();
        }
        points
    })
}

fn prisms() -> impl Strategy<Value = Prism> {
    (outlines(), 0.1_f64..10.0).prop_map(|(points, half)| Prism::new(&points, -half..half).unwrap().1)
}

/// Places anywhere, and places on the lines of the corners.
fn place(prism: &Prism, [x, y, z]: [f32; 3], picks: [usize; 2]) -> [f32; 3] {
    let corners = &prism.0.corners;
    let pick = |pick: usize, axis: usize, own: f32| match pick % 3 {
        0 => corners[pick / 3 % corners.len()][axis],
        _ => own * prism.0.reach,
    };
    [pick(picks[0], 0, x), pick(picks[1], 1, y), z * 12.0]
}

fn places() -> impl Strategy<Value = Vec<([f32; 3], [usize; 2])>> {
    let place = ([-1.5_f32..1.5, -1.5_f32..1.5, -1.5_f32..1.5], [0_usize..1000, 0_usize..1000]);
    prop::collection::vec(place, 1..40)
}

/// The distance to all edges, and the sign by the winding number with exact sides.
fn outline_in_f64(prism: &Prism, at: [f32; 2]) -> f64 {
    let corners = &prism.0.corners;
    let (mut nearest, mut winding) = (f64::INFINITY, 0);
    let point = DVec2::new(at[0].into(), at[1].into());
    for i in 0..corners.len() {
        let [a, b] =
            [i, (i + 1) % corners.len()].map(|i| DVec2::new(corners[i][0].into(), corners[i][1].into()));
        let along = (point - a).dot(b - a) / (b - a).length_squared();
        nearest = nearest.min(point.distance(a + (b - a) * along.clamp(0.0, 1.0)));
        let coord = |p: DVec2| robust::Coord { x: p.x, y: p.y };
        let side = robust::orient2d(coord(a), coord(b), coord(point));
        if a.y <= point.y && b.y > point.y && side > 0.0 {
            winding += 1;
        } else if b.y <= point.y && a.y > point.y && side < 0.0 {
            winding -= 1;
        }
    }
    if winding == 0 { nearest } else { -nearest }
}

const EVERYWHERE: [Enclosure; 3] = [Enclosure(weald_space::Interval::ALL); 3];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_distance_is_that_to_the_nearest_edge(prism in prisms(), places in places()) {
        for (at, picks) in places {
            let [x, y, z] = place(&prism, at, picks);
            let outline = outline_in_f64(&prism, [x, y]);
            let exact = from_faces([outline as f32, z.abs() - prism.0.half_height]);
            let value = trial::value(&prism, [x, y, z]);
            prop_assert!((value - exact).abs() < 2e-5, "{} is not {} at {:?}", value, exact, [x, y, z]);
        }
    }

    #[test]
    fn what_a_block_leaves_out_changes_no_bit(prism in prisms(), places in places(), shrink in 0.0_f32..1.0) {
        let all: Vec<_> = places.iter().map(|&(at, picks)| place(&prism, at, picks)).collect();
        let toward = |p: [f32; 3]| [0, 1, 2].map(|i| all[0][i] + (p[i] - all[0][i]) * shrink * shrink);
        let places: Vec<_> = all.iter().map(|&p| toward(p)).chain([all[0]]).collect();
        let moving: Vec<_> = places.iter().map(|&p| trial::moving(p)).collect();
        let whole = trial::values_in(&prism, &moving, EVERYWHERE);
        let block = trial::values_in(&prism, &moving, trial::block(&places));
        for (i, &place) in places.iter().enumerate() {
            let single = trial::dual(&prism, place);
            for other in [block[i], single] {
                let bits = |d: Dual| [d.value, d.gradient[0], d.gradient[1], d.gradient[2]].map(f32::to_bits);
                prop_assert_eq!(bits(whole[i]), bits(other), "{:?}: {:?} is not {:?}", place, other, whole[i]);
            }
        }
    }

    #[test]
    fn lanes_have_the_bits_of_the_scalar(prism in prisms(), places in places()) {
        let places: Vec<_> = places.iter().map(|&(at, picks)| place(&prism, at, picks)).collect();
        trial::assert_lanes_have_its_bits(&prism, &places);
    }

    #[test]
    fn gradients_are_differences(prism in prisms(), places in places()) {
        for (at, picks) in places {
            let place = place(&prism, at, picks);
            let Dual { gradient, .. } = trial::dual(&prism, place);
            prop_assert!(gradient.iter().all(|g| g.is_finite()));
            let (differences, kink) = trial::differences(&prism, place, 1e-6);
            if kink > 1e-4 {
                continue;
            }
            for (own, difference) in gradient.into_iter().zip(differences) {
                prop_assert!((f64::from(own) - difference).abs() < 1e-3, "{} is not {} at {:?}", own, difference, place);
            }
        }
    }

    #[test]
    fn bounds_hold_every_value(prism in prisms(), places in places(), half in [0.0_f32..4.0, 0.0_f32..4.0, 0.0_f32..4.0]) {
        let middle = place(&prism, places[0].0, places[0].1);
        let at = [0, 1, 2].map(|i| Enclosure::hull(middle[i] - half[i], middle[i] + half[i]));
        let bounds = prism.bounds(at);
        for (part, _) in &places {
            let place = [0, 1, 2].map(|i| f32::clamp(middle[i] + half[i] * part[i], at[i].lo(), at[i].hi()));
            let value = trial::value(&prism, place);
            prop_assert!(bounds.0.contains(value), "{} is not in {:?}", value, bounds);
        }
        let distance = trial::value(&prism, middle).abs();
        let half_diagonal = (half[0] * half[0] + half[1] * half[1] + half[2] * half[2]).sqrt();
        prop_assert!(distance < 1.01 * half_diagonal + 1e-3 || bounds.lo() > 0.0 || bounds.hi() < 0.0, "{:?}", bounds);
    }

    #[test]
    fn neither_direction_nor_repeated_points_matter(points in outlines(), start in 0_usize..100, at in [-25.0_f32..25.0, -25.0_f32..25.0, -3.0_f32..3.0]) {
        let value = |points: &[DVec2]| trial::value(&Prism::new(points, 0.0..2.0).unwrap().1, at);
        let expected = value(&points);
        let backward: Vec<_> = points.iter().rev().copied().collect();
        prop_assert!((value(&backward) - expected).abs() < 1e-5);
        let mut turned = points.clone();
        turned.rotate_left(start % points.len());
        prop_assert!((value(&turned) - expected).abs() < 1e-5);
        let repeated: Vec<_> = points.iter().flat_map(|&p| [p, p]).chain([points[0]]).collect();
        prop_assert_eq!(value(&repeated), expected);
    }

    #[test]
    fn an_outline_that_crosses_itself_is_refused(points in stars(), pick in 0_usize..200) {
        prop_assume!(points.len() > 3);
        // Two edges that follow each other but one, made to cross.
        let first = pick % points.len();
        let mut points = points;
        points.rotate_left(first);
        let ([a, b], [c, d]) = ([points[0], points[1]], [points[2], points[3]]);
        let apart = |[p, q]: [DVec2; 2], [r, s]: [DVec2; 2]| (q - p).perp_dot(r - p) * (q - p).perp_dot(s - p) < -1e-6;
        prop_assume!(apart([a, c], [b, d]) && apart([b, d], [a, c]));
        points.swap(1, 2);
        prop_assert!(Prism::new(&points, 0.0..1.0).is_err());
    }
}

fn points(coordinates: &[[f64; 2]]) -> Vec<DVec2> {
    coordinates.iter().map(|&c| DVec2::from(c)).collect()
}

#[test]
fn a_rectangle_is_a_box() {
    let (origin, prism) =
        Prism::new(&points(&[[1.0, 2.0], [5.0, 2.0], [5.0, 8.0], [1.0, 8.0]]), -1.0..3.0).unwrap();
    assert_eq!(origin, DVec3::new(3.0, 5.0, 1.0));
    let cuboid = crate::shape::Shape::Cuboid { half: [2.0, 3.0, 2.0] };
    for i in 0..1000 {
        let place = [7, 11, 13].map(|step| ((i * step) % 41) as f32 * 0.25 - 5.0);
        let [own, other] = [trial::value(&prism, place), trial::value(&cuboid, place)];
        assert!((own - other).abs() < 1e-6, "{own} is not {other} at {place:?}");
    }
}

#[test]
fn walls_have_their_normals_on_them() {
    let (_, prism) =
        Prism::new(&points(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]), -1.0..1.0).unwrap();
    assert_eq!(trial::dual(&prism, [1.0, 0.5, 0.0]), Dual::new(0.0, [1.0, 0.0, 0.0]));
    assert_eq!(trial::dual(&prism, [0.5, -1.0, 0.0]), Dual::new(0.0, [0.0, -1.0, 0.0]));
    assert_eq!(trial::dual(&prism, [0.5, 0.5, 1.0]), Dual::new(0.0, [0.0, 0.0, 1.0]));
}

#[test]
fn outlines_that_make_no_prism_are_named() {
    let square = points(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    let error = |points: &[DVec2], z| Prism::new(points, z).unwrap_err().to_string();
    assert_eq!(error(&square[..2], 0.0..1.0), "number of points of prism is 2, but must be from 3 to 4096");
    assert_eq!(
        error(&points(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), 0.0..1.0),
        "number of distinct points of prism is 2, but must be 3 or more"
    );
    assert_eq!(
        error(&points(&[[0.0, 0.0], [1.0, 0.0], [1.0, f64::NAN]]), 0.0..1.0),
        "coordinate of part 2 of prism is NaN, but must be finite and within 1e12"
    );
    assert_eq!(
        error(&square, 1.0..1.0),
        "height above the bottom of prism is 0, but must be more than 0 and finite"
    );
    assert_eq!(error(&square, f64::NAN..1.0), "height of prism is NaN, but must be finite");
}

#[test]
fn edges_that_meet_are_named() {
    let meeting = |coordinates: &[[f64; 2]]| Prism::new(&points(coordinates), 0.0..1.0).unwrap_err();
    let crossing = meeting(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]);
    assert_eq!(crossing, FieldError::OutlineMeets { first: 0, second: 2 });
    assert_eq!(
        crossing.to_string(),
        "edges 0 and 2 of prism meet (each counted by the point that it starts from), but its outline must not touch itself"
    );
    // A spike, two squares that touch in a corner, a corner on an edge, an edge run through twice.
    let spike = meeting(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [2.0, 0.5], [0.0, 0.5]]);
    assert_eq!(spike, FieldError::OutlineMeets { first: 1, second: 2 });
    let touching = meeting(&[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 2.0], [1.0, 1.0], [0.0, 2.0]]);
    assert_eq!(touching, FieldError::OutlineMeets { first: 0, second: 3 });
    let on_edge = meeting(&[[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 0.0], [0.0, 2.0]]);
    assert_eq!(on_edge, FieldError::OutlineMeets { first: 0, second: 2 });
    let flat = meeting(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]);
    assert_eq!(flat, FieldError::OutlineMeets { first: 1, second: 2 });
    // Repeated points keep their numbers.
    let repeated = meeting(&[[0.0, 0.0], [0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]);
    assert_eq!(repeated, FieldError::OutlineMeets { first: 1, second: 3 });
}

#[test]
fn the_most_points_are_taken_and_few_of_them_matter_nearby() {
    let count = 4096;
    let round = |i: usize| {
        let (sine, cosine) = weald_space::ops::sin_cos(i as f64 / f64::from(count) * std::f64::consts::TAU);
        let radius = if i.is_multiple_of(2) { 100.0 } else { 99.0 };
        DVec2::new(cosine, sine) * radius
    };
    let outline: Vec<DVec2> = (0..count as usize).map(round).collect();
    let (_, prism) = Prism::new(&outline, 0.0..10.0).unwrap();
    let mut parts = Vec::new();
    prism.0.gather([Enclosure::hull(95.0, 96.0), Enclosure::hull(3.0, 4.0)], &mut parts);
    assert!(parts.len() < 60, "{} parts", parts.len());
    let value = trial::value(&prism, [0.0, 0.0, 0.0]);
    assert!((value + 5.0).abs() < 1e-4, "{value}");
}

#[test]
fn different_prisms_have_different_bytes() {
    let bytes = |coordinates: &[[f64; 2]], height: f64| {
        let mut out = Vec::new();
        Prism::new(&points(coordinates), 0.0..height).unwrap().1.encode(&mut out);
        out
    };
    let one = bytes(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], 1.0);
    assert_ne!(one, bytes(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], 2.0));
    assert_ne!(one, bytes(&[[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]], 1.0));
}
