use proptest::prelude::*;

use super::trial::{self, Swept};
use super::*;
use crate::algebra::Dual;

impl Swept for Shape {
    fn sweep<A: Algebra>(&self, sweep: &mut impl Sweep<A>) {
        Shape::sweep(self, sweep);
    }
}

fn size() -> impl Strategy<Value = f32> {
    0.05_f32..20.0
}

fn sizes() -> impl Strategy<Value = [f32; 3]> {
    [size(), size(), size()]
}

fn coordinates(far: f32) -> impl Strategy<Value = [f32; 3]> {
    [-far..far, -far..far, -far..far]
}

fn shapes() -> impl Strategy<Value = Shape> {
    prop_oneof![
        size().prop_map(|radius| Shape::Sphere { radius }),
        sizes().prop_map(|radii| Shape::Ellipsoid { radii }),
        exact_shapes(),
    ]
}

/// Those whose distance is Euclidean.
fn exact_shapes() -> impl Strategy<Value = Shape> {
    let rounded = (sizes(), 0.0_f32..=1.0).prop_map(|(half, part)| {
        let rounding = part * half.into_iter().fold(f32::INFINITY, f32::min);
        Shape::RoundedCuboid { half, rounding }
    });
    prop_oneof![
        size().prop_map(|radius| Shape::Sphere { radius }),
        sizes().prop_map(|half| Shape::Cuboid { half }),
        rounded,
        (coordinates(20.0), [0.0_f32..10.0, 0.0_f32..10.0])
            .prop_map(|(to, radii)| Shape::RoundCone { to, radii }),
        (coordinates(20.0), size()).prop_map(|(to, r)| Shape::RoundCone { to, radii: [r, r] }),
        (size(), 0.0_f32..=1.0).prop_map(|(major, part)| Shape::Torus { major, minor: major * part + 1e-3 }),
        (size(), size()).prop_map(|(radius, half_height)| Shape::Cylinder { radius, half_height }),
    ]
}

/// A box around a place.
fn around(middle: [f32; 3], half: [f32; 3]) -> [Enclosure; 3] {
    [0, 1, 2].map(|axis| Enclosure::hull(middle[axis] - half[axis], middle[axis] + half[axis]))
}

fn norm(v: [f32; 3]) -> f32 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn lanes_have_the_bits_of_the_scalar(shape in shapes(), places in prop::collection::vec(coordinates(40.0), 1..40)) {
        trial::assert_lanes_have_its_bits(&shape, &places);
    }

    #[test]
    fn gradients_are_differences(shape in shapes(), places in prop::collection::vec(coordinates(30.0), 20)) {
        for place in places {
            let Dual { value, gradient } = trial::dual(&shape, place);
            prop_assert_eq!(value.to_bits(), trial::value(&shape, place).to_bits());
            let (differences, kink) = trial::differences(&shape, place, 1e-5);
            if kink > 1e-3 {
                continue;
            }
            for (own, difference) in gradient.into_iter().zip(differences) {
                prop_assert!((f64::from(own) - difference).abs() < 1e-4, "{:?} at {:?}: {} is not {}", shape, place, own, difference);
            }
        }
    }

    #[test]
    fn bounds_hold_every_value(
        shape in shapes(),
        middle in coordinates(30.0),
        half in [0.0_f32..8.0, 0.0_f32..8.0, 0.0_f32..8.0],
        parts in prop::collection::vec(coordinates(1.0), 100),
    ) {
        let at = around(middle, half);
        let bounds = shape.bounds(at);
        for part in parts {
            let place = [0, 1, 2].map(|i| {
                f32::clamp(middle[i] + half[i] * part[i], at[i].lo(), at[i].hi())
            });
            let value = trial::value(&shape, place);
            prop_assert!(bounds.0.contains(value), "{:?} over {:?}: {} is not in {:?}", shape, at, value, bounds);
        }
    }

    #[test]
    fn the_sign_of_a_box_away_from_the_surface_is_decided(shape in shapes(), middle in coordinates(40.0), part in coordinates(1.0)) {
        let distance = match shape {
            // Inside, the distance to first order is too great: what is less is the distance to a smaller ellipsoid.
            Shape::Ellipsoid { radii } => {
                let norm = norm([0, 1, 2].map(|i| middle[i] / radii[i]));
                let least = radii.into_iter().fold(f32::INFINITY, f32::min);
                if norm < 1.0 { (1.0 - norm) * least } else { trial::value(&shape, middle) }
            }
            _ => trial::value(&shape, middle).abs(),
        };
        // Half a diagonal reaches from the middle to the corners, and a whole one more is clear.
        let half = 0.99 * distance / (3.0 * norm(part).max(1e-3));
        let bounds = shape.bounds(around(middle, part.map(|c| c.abs() * half)));
        prop_assume!(distance > 1e-3);
        prop_assert!(bounds.lo() > 0.0 || bounds.hi() < 0.0, "{:?}: {:?} at {:?}, {} away", shape, bounds, middle, distance);
    }

    #[test]
    fn a_distance_leads_to_the_surface_and_no_nearer_point_is_on_it(
        shape in exact_shapes(),
        place in coordinates(30.0),
        steps in prop::collection::vec(coordinates(1.0), 60),
    ) {
        let Dual { value, gradient } = trial::dual(&shape, place);
        let foot = [0, 1, 2].map(|i| place[i] - value * gradient[i]);
        let (_, kink) = trial::differences(&shape, place, 1e-4);
        if kink < 1e-2 {
            prop_assert!(trial::value(&shape, foot).abs() < 1e-4, "{:?} at {:?}: the foot is {} away", shape, place, trial::value(&shape, foot));
        }
        for step in steps {
            let scale = value.abs() * 0.999 / norm(step).max(1.0);
            let near = [0, 1, 2].map(|i| place[i] + step[i] * scale);
            prop_assert!(trial::value(&shape, near) * value >= -1e-6, "{:?} at {:?}, {}: {:?} is across", shape, place, value, near);
        }
    }

    #[test]
    fn outside_an_ellipsoid_no_point_nearer_than_its_value_is_inside(
        radii in sizes(),
        place in coordinates(30.0),
        steps in prop::collection::vec(coordinates(1.0), 60),
    ) {
        let shape = Shape::Ellipsoid { radii };
        let value = trial::value(&shape, place);
        for step in steps {
            let scale = value * 0.9999 / norm(step).max(1e-3);
            let near = [0, 1, 2].map(|i| place[i] + step[i] * scale);
            prop_assert!(value <= 0.0 || trial::value(&shape, near) > 0.0);
        }
    }

    #[test]
    fn an_ellipsoid_has_unit_normals_and_is_a_ball_if_its_radii_are_equal(radii in sizes(), place in coordinates(1.0)) {
        prop_assume!(norm(place) > 1e-2);
        let k = norm(place);
        let surface = [0, 1, 2].map(|i| place[i] / k * radii[i]);
        let gradient = trial::dual(&Shape::Ellipsoid { radii }, surface).gradient;
        prop_assert!((norm(gradient) - 1.0).abs() < 2e-3, "{:?} has length {}", gradient, norm(gradient));
        let place = place.map(|c| c * 30.0);
        let ball = Shape::Ellipsoid { radii: [radii[0]; 3] };
        let difference = trial::value(&ball, place) - trial::value(&Shape::Sphere { radius: radii[0] }, place);
        prop_assert!(difference.abs() < 1e-4);
    }

    #[test]
    fn a_round_cone_is_the_union_of_the_balls_along_its_axis(
        to in coordinates(20.0),
        radii in [0.0_f32..15.0, 0.0_f32..15.0],
        place in coordinates(40.0),
    ) {
        let ball = |t: f64| {
            let from = [0, 1, 2].map(|i| f64::from(place[i]) - t * f64::from(to[i]));
            let [a, b] = radii.map(f64::from);
            (from[0] * from[0] + from[1] * from[1] + from[2] * from[2]).sqrt() - a + t * (a - b)
        };
        // The distance along the axis is convex.
        let (mut lo, mut hi) = (0.0, 1.0);
        for _ in 0..100 {
            let (left, right) = (lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0);
            if ball(left) < ball(right) { hi = right } else { lo = left }
        }
        let least = ball(lo).min(ball(0.0)).min(ball(1.0));
        let value = f64::from(trial::value(&Shape::RoundCone { to, radii }, place));
        prop_assert!((value - least).abs() < 2e-5, "{} is not {}", value, least);
    }

    #[test]
    fn degenerate_places_have_finite_values_and_gradients(shape in shapes(), picks in [0_usize..9, 0_usize..9, 0_usize..9]) {
        let scale = match shape {
            Shape::Sphere { radius } => [radius; 3],
            Shape::Ellipsoid { radii } => radii,
            Shape::Cuboid { half } | Shape::RoundedCuboid { half, .. } => half,
            Shape::RoundCone { to, .. } => to,
            Shape::Torus { major, .. } => [major; 3],
            Shape::Cylinder { radius, half_height } => [radius, radius, half_height],
        };
        let place = [0, 1, 2].map(|i| {
            [0.0, -0.0, 1e-40, 1e-22, -1e-15, 0.5 * scale[i], scale[i], -scale[i], 1e7][picks[i]]
        });
        let Dual { value, gradient } = trial::dual(&shape, place);
        prop_assert!(value.is_finite() && gradient.iter().all(|g| g.is_finite()), "{:?} at {:?}: {} {:?}", shape, place, value, gradient);
        if !matches!(shape, Shape::Ellipsoid { .. }) {
            // Where squares are a few units of the least subnormal, a length may come out up to 1.22 times too short (three
            // squares of 0.49, 0.49 and 0.51 units make one unit), and a cone takes a length of a length.
            prop_assert!(norm(gradient) < 1.5, "{:?} at {:?} has gradient {:?}", shape, place, gradient);
        }
    }
}

#[test]
fn one_ball_of_a_round_cone_may_hold_the_other() {
    let value = |to, radii, place| trial::value(&Shape::RoundCone { to, radii }, place);
    assert_eq!(value([1.0, 0.0, 0.0], [3.0, 1.0], [5.0, 0.0, 0.0]), 2.0);
    assert_eq!(value([1.0, 0.0, 0.0], [1.0, 3.0], [5.0, 0.0, 0.0]), 1.0);
    assert_eq!(value([1.0, 0.0, 0.0], [1.0, 2.0], [5.0, 0.0, 0.0]), 2.0);
    assert_eq!(value([0.0; 3], [1.0, 3.0], [0.0, 5.0, 0.0]), 2.0);
    assert_eq!(value([0.0; 3], [2.0, 0.0], [0.0, 5.0, 0.0]), 3.0);
}

#[test]
fn a_balls_centre_and_an_ellipsoids_are_as_deep_as_the_least_radius() {
    assert_eq!(trial::value(&Shape::Sphere { radius: 2.0 }, [0.0; 3]), -2.0);
    let shape = Shape::Ellipsoid { radii: [3.0, 1.5, 7.0] };
    assert_eq!(trial::dual(&shape, [0.0; 3]), Dual::new(-1.5, [0.0; 3]));
    let near = trial::value(&shape, [1e-4, 1e-4, 1e-4]);
    assert!((near + 1.5).abs() < 1e-3, "{near} beside the centre");
}

#[test]
fn faces_have_their_normals_on_them() {
    let cuboid = Shape::Cuboid { half: [1.0, 2.0, 3.0] };
    assert_eq!(trial::dual(&cuboid, [1.0, 0.5, 0.25]), Dual::new(0.0, [1.0, 0.0, 0.0]));
    assert_eq!(trial::dual(&cuboid, [0.5, -2.0, 0.25]), Dual::new(0.0, [0.0, -1.0, 0.0]));
    let cylinder = Shape::Cylinder { radius: 1.0, half_height: 3.0 };
    assert_eq!(trial::dual(&cylinder, [0.5, 0.0, 3.0]), Dual::new(0.0, [0.0, 0.0, 1.0]));
}

#[test]
fn parameters_out_of_range_are_named() {
    let wrong = [
        (Shape::Sphere { radius: 0.0 }, "radius of sphere is 0, but must be more than 0 and finite"),
        (Shape::Sphere { radius: f32::NAN }, "radius of sphere is NaN, but must be more than 0 and finite"),
        (
            Shape::Ellipsoid { radii: [1.0, 2e9, 1.0] },
            "radius of ellipsoid is 2000000000, but must be from 1e-6 to 1e9",
        ),
        (
            Shape::Cuboid { half: [1.0, -1.0, 1.0] },
            "half size of box is -1, but must be more than 0 and finite",
        ),
        (
            Shape::RoundedCuboid { half: [1.0, 0.5, 1.0], rounding: 0.75 },
            "rounding of rounded box is 0.75, but must be from 0 to the least half size",
        ),
        (
            Shape::round_cone([1.0, 0.0, f32::INFINITY], [1.0, 2.0]),
            "length of round cone is inf, but must be finite",
        ),
        (Shape::round_cone([1.0; 3], [-1.0; 2]), "radius of capsule is -1, but must be 0 or more and finite"),
        (
            Shape::Torus { major: 1.0, minor: f32::INFINITY },
            "minor radius of torus is inf, but must be more than 0 and finite",
        ),
        (
            Shape::Cylinder { radius: 1.0, half_height: -0.0 },
            "half height of cylinder is -0, but must be more than 0 and finite",
        ),
    ];
    for (shape, message) in wrong {
        assert_eq!(shape.check().map_err(|error| error.to_string()), Err(message.to_owned()));
    }
    assert_eq!(Shape::RoundedCuboid { half: [1.0; 3], rounding: 1.0 }.check(), Ok("rounded box"));
}

#[test]
fn different_shapes_have_different_bytes() {
    let shapes = [
        Shape::Sphere { radius: 1.0 },
        Shape::Sphere { radius: 2.0 },
        Shape::Ellipsoid { radii: [1.0; 3] },
        Shape::Cuboid { half: [1.0; 3] },
        Shape::RoundedCuboid { half: [1.0; 3], rounding: 0.5 },
        Shape::round_cone([1.0; 3], [1.0, 2.0]),
        Shape::Torus { major: 1.0, minor: 1.0 },
        Shape::Cylinder { radius: 1.0, half_height: 1.0 },
    ];
    let bytes: std::collections::BTreeSet<Vec<u8>> = shapes
        .iter()
        .map(|shape| {
            let mut out = Vec::new();
            shape.encode(&mut out);
            out
        })
        .collect();
    assert_eq!(bytes.len(), shapes.len());
}
