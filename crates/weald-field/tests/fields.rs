//! What must hold for every op: the same bits by every way of asking, gradients that are derivatives, and bounds that
//! hold.

use glam::{DVec2, DVec3, Vec3};
use proptest::prelude::*;
use weald_field::{
    Basis, ContentId, Domain, EvalScratch, Expr, FieldError, Grid, Heightfield, NoiseSettings, Tape,
};
use weald_space::{Aabb, Lattice, Seed, VoxelPos};

const CELL: f64 = 0.5;

fn lattice() -> Lattice {
    Lattice::new(CELL).expect("a power of two")
}

/// A multiple of 2⁻¹⁶ m, as the origins of a world that can be moved without rounding.
fn anchor() -> impl Strategy<Value = DVec3> {
    [-1_000_000_i64..1_000_000, -1_000_000_i64..1_000_000, -1_000_000_i64..1_000_000]
        .prop_map(|units| DVec3::from_array(units.map(|u| u as f64 / 65536.0)))
}

fn noise(domain: impl Strategy<Value = Domain>) -> impl Strategy<Value = Expr> {
    let basis = prop_oneof![Just(Basis::Value), Just(Basis::Gradient)];
    (anchor(), basis, domain, 0.3..20.0, 1_u32..5, any::<u64>()).prop_map(
        |(origin, basis, domain, wavelength, octaves, seed)| {
            let seed = Seed::new(seed);
            Expr::noise(&NoiseSettings {
                basis,
                domain,
                origin,
                wavelength,
                octaves,
                amplitude: 2.0,
                seed,
                ..NoiseSettings::default()
            })
        },
    )
}

fn posts() -> impl Strategy<Value = Heightfield> {
    (2_usize..9, 2_usize..9, anchor(), 1_u32..64, any::<u64>()).prop_map(
        |(width, height, origin, step, seed)| {
            let mut draw = Seed::new(seed).at(glam::I64Vec3::ZERO, 0, 0);
            let posts: Vec<f32> = (0..width * height).map(|_| (draw.f32() * 16.0).round() - 3.0).collect();
            let step = DVec2::new(step as f64, step as f64 + 1.0) / 8.0;
            Heightfield::new(origin.truncate(), step, width, height, posts.into(), ContentId::from(seed))
                .expect("good posts")
        },
    )
}

fn height() -> impl Strategy<Value = Expr> {
    (posts(), noise(Just(Domain::Plane)), 0.0_f32..1.0).prop_map(|(field, noise, slope)| {
        Expr::heightfield(field) + noise + Expr::x() * slope + (Expr::y() * 0.25).abs()
    })
}

fn leaf() -> impl Strategy<Value = Expr> {
    let size = 0.5_f64..8.0;
    prop_oneof![
        (-4.0_f32..4.0).prop_map(Expr::constant),
        anchor().prop_map(|by| (Expr::x() + Expr::y() * 0.5 - Expr::z()).translated(by)),
        (anchor(), size.clone()).prop_map(|(centre, radius)| Expr::sphere(centre, radius)),
        (anchor(), size.clone(), -180.0..180.0, any::<bool>()).prop_map(|(centre, size, turn, straight)| {
            let turn = if straight { 90.0 } else { turn };
            Expr::cuboid(centre, DVec3::new(size, 2.0, 1.5), turn)
        }),
        (anchor(), size.clone(), -1.0..1.0).prop_map(|(centre, size, tilt)| {
            Expr::cylinder(centre, DVec3::new(tilt, 0.0, 1.0), size, 3.0)
        }),
        (anchor(), -1.0..1.0, -1.0..1.0).prop_map(|(point, x, y)| Expr::plane(point, DVec3::new(x, y, 1.0))),
        noise(prop_oneof![Just(Domain::Plane), Just(Domain::Space)]),
        (height(), -8..8_i32).prop_map(|(height, base)| Expr::height_surface(height, f64::from(base))),
        posts().prop_map(Expr::heightfield),
    ]
}

fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(4, 12, 2, |inner| {
        (inner.clone(), inner, 0..11, 0.1_f64..6.0).prop_map(|(a, b, op, radius)| match op {
            0 => -a,
            1 => a.abs(),
            2 => a + b,
            3 => a - b,
            4 => a * b,
            5 => a / (b.abs() + 0.5),
            6 => a.union(&b),
            7 => a.intersection(&b),
            8 => a.difference(&b),
            9 => a.smooth_union(&b, radius),
            _ => a.smooth_difference(&b, radius),
        })
    })
}

fn sample(tape: &Tape, min: VoxelPos, dims: [usize; 3]) -> Vec<f32> {
    let grid = Grid { lattice: lattice(), min, dims };
    let mut out = vec![0.0; grid.len()];
    tape.sample(&grid, &mut EvalScratch::default(), &mut out);
    out
}

fn points(min: VoxelPos, dims: [usize; 3]) -> Vec<DVec3> {
    let at = |x, y, z| lattice().world_from_voxel(min + glam::I64Vec3::new(x, y, z)).0;
    let [nx, ny, nz] = dims.map(|n| n as i64);
    (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| at(x, y, z)))).collect()
}

fn values(tape: &Tape, points: &[DVec3]) -> Vec<f32> {
    let mut out = vec![0.0; points.len()];
    tape.values(points, &mut EvalScratch::default(), &mut out);
    out
}

fn duals(tape: &Tape, points: &[DVec3]) -> (Vec<f32>, Vec<Vec3>) {
    let (mut values, mut gradients) = (vec![0.0; points.len()], vec![Vec3::ZERO; points.len()]);
    tape.duals(points, &mut EvalScratch::default(), &mut values, &mut gradients);
    (values, gradients)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn corner() -> impl Strategy<Value = VoxelPos> {
    (-40_i64..40, -40_i64..40, -40_i64..40).prop_map(|(x, y, z)| VoxelPos::new(x, y, z))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn grids_points_and_duals_give_the_same_bits(expr in expr(), min in corner(), dims in [1_usize..9, 1_usize..6, 1_usize..6]) {
        let tape = Tape::new(&expr).unwrap();
        let points = points(min, dims);
        let sampled = sample(&tape, min, dims);
        prop_assert_eq!(bits(&sampled), bits(&values(&tape, &points)));
        let (duals, gradients) = duals(&tape, &points);
        prop_assert_eq!(bits(&sampled), bits(&duals));
        for (value, gradient) in duals.iter().zip(gradients) {
            prop_assert!(!value.is_finite() || gradient.is_finite(), "value {} has gradient {}", value, gradient);
        }
    }

    #[test]
    fn a_grid_in_pieces_gives_the_same_bits(expr in expr(), min in corner(), cut in [1_usize..7, 1_usize..5, 1_usize..5]) {
        let tape = Tape::new(&expr).unwrap();
        let dims = [8, 6, 6];
        let whole = sample(&tape, min, dims);
        for piece in 0..8 {
            let upper = [piece & 1, piece >> 1 & 1, piece >> 2 & 1];
            let start: [usize; 3] = std::array::from_fn(|i| upper[i] * cut[i]);
            let size: [usize; 3] = std::array::from_fn(|i| if upper[i] == 1 { dims[i] - cut[i] } else { cut[i] });
            let min = min + glam::I64Vec3::from_array(start.map(|s| s as i64));
            let part = sample(&tape, min, size);
            for (number, value) in part.iter().enumerate() {
                let [x, y, z] = [number % size[0], number / size[0] % size[1], number / size[0] / size[1]];
                let at = start[0] + x + dims[0] * (start[1] + y + dims[1] * (start[2] + z));
                prop_assert_eq!(value.to_bits(), whole[at].to_bits());
            }
        }
    }

    #[test]
    fn a_world_moved_by_ten_million_cells_keeps_its_bits(expr in expr(), min in corner(), signs in [-1_i64..=1, -1_i64..=1, -1_i64..=1]) {
        let offset = glam::I64Vec3::from_array(signs) * 10_000_000;
        let moved = expr.translated(offset.as_dvec3() * CELL);
        let dims = [7, 5, 4];
        let here = sample(&Tape::new(&expr).unwrap(), min, dims);
        let there = sample(&Tape::new(&moved).unwrap(), min + offset, dims);
        prop_assert_eq!(bits(&here), bits(&there));
        prop_assert_eq!(moved.translated(offset.as_dvec3() * -CELL), expr);
    }

    #[test]
    fn no_value_leaves_the_bounds_of_its_box(expr in expr(), centre in anchor(), size in [0.0_f64..12.0, 0.0_f64..12.0, 0.0_f64..12.0], small: bool, seed: u64) {
        let tape = Tape::new(&expr).unwrap();
        let size = DVec3::from_array(size) * if small { 0.05 } else { 1.0 };
        let within = Aabb::new(centre - size * 0.5, centre + size * 0.5);
        let bounds = tape.bounds(within);
        let mut draw = Seed::new(seed).at(glam::I64Vec3::ZERO, 0, 0);
        let inside: Vec<DVec3> = (0..300)
            .map(|i| match i {
                0 => within.min,
                1 => within.max,
                _ => within.min + within.size() * DVec3::new(draw.f64(), draw.f64(), draw.f64()),
            })
            .map(|p| p.clamp(within.min, within.max))
            .collect();
        for (value, point) in values(&tape, &inside).into_iter().zip(inside) {
            prop_assert!(bounds.contains(value), "{} at {} is not in {:?} of {:?}", value, point, bounds, within);
        }
    }

    #[test]
    fn equal_expressions_have_equal_bytes_and_others_have_not(a in expr(), b in expr()) {
        let encode = |expr: &Expr| { let mut bytes = Vec::new(); expr.encode(&mut bytes).unwrap(); bytes };
        prop_assert_eq!(encode(&a), encode(&a.translated(DVec3::ZERO)));
        prop_assert_ne!(encode(&(a.clone() - Expr::x())), encode(&(a.clone() + Expr::x())));
        prop_assert_ne!(encode(&a), encode(&(a.translated(DVec3::ONE) + Expr::x())));
        prop_assert_eq!(a == b, encode(&a) == encode(&b));
    }
}

/// Compares the gradient of a smooth field with differences of a field in exact steps, away from kinks.
fn gradient_error(expr: &Expr, point: DVec3, step: f64) -> f32 {
    let tape = Tape::new(expr).expect("a good expression");
    let (_, gradients) = duals(&tape, &[point]);
    let sides: Vec<DVec3> =
        DVec3::AXES.iter().flat_map(|&axis| [point + axis * step, point - axis * step]).collect();
    let around = values(&tape, &sides);
    let slope = |axis: usize| (around[2 * axis] - around[2 * axis + 1]) / (2.0 * step) as f32;
    (gradients[0] - Vec3::new(slope(0), slope(1), slope(2))).length()
}

#[test]
fn gradients_are_derivatives() {
    let mut draw = Seed::new(5).at(glam::I64Vec3::ZERO, 0, 0);
    let settings =
        |basis, domain| NoiseSettings { basis, domain, wavelength: 7.0, octaves: 3, ..Default::default() };
    let bumps: Vec<f32> = (0..64).map(|i| ((i * 7) % 13) as f32 * 0.3).collect();
    let field =
        Heightfield::new(DVec2::splat(-8.0), DVec2::new(2.5, 3.0), 8, 8, bumps.into(), ContentId::from(1));
    let field = Expr::heightfield(field.unwrap());
    let ball = Expr::sphere(DVec3::new(0.3, -0.2, 0.1), 2.0);
    let smooth = [
        ball.clone(),
        Expr::cylinder(DVec3::ZERO, DVec3::new(0.3, 0.1, 1.0), 2.0, 900.0),
        Expr::plane(DVec3::ZERO, DVec3::new(1.0, 2.0, -1.0)),
        Expr::noise(&settings(Basis::Value, Domain::Plane)),
        Expr::noise(&settings(Basis::Value, Domain::Space)),
        Expr::noise(&settings(Basis::Gradient, Domain::Plane)),
        Expr::noise(&settings(Basis::Gradient, Domain::Space)),
        field,
        Expr::x() * Expr::y() - Expr::z() / (Expr::x() * Expr::x() + 1.0),
        ball.smooth_union(&Expr::sphere(DVec3::new(20.0, 0.0, 0.0), 3.0), 400.0),
    ];
    for expr in &smooth {
        for _ in 0..200 {
            let point = DVec3::new(draw.range(-6.0..6.0), draw.range(-6.0..6.0), draw.range(-6.0..6.0));
            if point.length() < 0.5 {
                continue;
            }
            let error = gradient_error(expr, point, 1.0 / 256.0);
            assert!(error < 4e-3, "off by {error} at {point} in {expr:?}");
        }
    }
}

#[test]
fn a_height_surface_is_as_steep_as_a_distance() {
    let height = Expr::noise(&NoiseSettings { domain: Domain::Plane, amplitude: 40.0, ..Default::default() });
    let tape = Tape::new(&Expr::height_surface(height.clone(), 100.0)).unwrap();
    let heights = Tape::new(&height).unwrap();
    let columns: Vec<DVec3> = (0..500).map(|i| DVec3::new(i as f64 * 3.7, i as f64 * 1.3, 0.0)).collect();
    let at: Vec<DVec3> =
        columns.iter().zip(values(&heights, &columns)).map(|(p, h)| p.with_z(100.0 + f64::from(h))).collect();
    let (values, gradients) = duals(&tape, &at);
    for (value, gradient) in values.iter().zip(gradients) {
        assert!(value.abs() < 1e-5);
        assert!((gradient.length() - 1.0).abs() < 1e-5);
        assert!(gradient.z > 0.0, "outside is above");
    }
}

#[test]
fn a_box_has_finite_gradients_on_its_medial_planes_edges_and_in_its_centre() {
    let half = DVec3::new(2.0, 3.0, 4.0);
    let mut points = Vec::new();
    for x in [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0] {
        for y in [-4.0, -3.0, -2.0, 0.0, 2.0, 3.0, 4.0] {
            points.extend([-5.0, -4.0, -3.0, 0.0, 3.0, 4.0, 5.0].map(|z| DVec3::new(x, y, z)));
        }
    }
    let cube = Tape::new(&Expr::cuboid(DVec3::ZERO, half, 0.0)).unwrap();
    let (values, gradients) = duals(&cube, &points);
    for ((point, value), gradient) in points.iter().zip(values).zip(gradients) {
        let q = point.abs() - half;
        let distance = q.max(DVec3::ZERO).length() + q.max_element().min(0.0);
        assert!((f64::from(value) - distance).abs() < 1e-6, "{value} is not {distance} at {point}");
        assert!(gradient.is_finite());
        assert!((gradient.length() - 1.0).abs() < 1e-5, "gradient {gradient} at {point}");
        if *point != DVec3::ZERO {
            assert!(gradient.as_dvec3().dot(*point) >= 0.0, "gradient {gradient} points inside at {point}");
        }
    }
}

#[test]
fn solids_have_a_finite_gradient_in_their_centre() {
    let solids = [
        Expr::sphere(DVec3::ONE, 2.0),
        Expr::cylinder(DVec3::ONE, DVec3::Z, 2.0, 1.0),
        Expr::cylinder(DVec3::ONE, DVec3::Z, 1.0, 2.0),
        Expr::sphere(DVec3::ONE, 2.0).smooth_union(&Expr::sphere(DVec3::ONE, 2.0), 1.0),
    ];
    for solid in solids {
        let (value, gradient) = duals(&Tape::new(&solid).unwrap(), &[DVec3::ONE]);
        assert!(value[0] < 0.0 && gradient[0].is_finite(), "{value:?} {gradient:?}");
    }
}

#[test]
fn smooth_solids_are_the_sharp_ones_outside_their_radius() {
    let (a, b) = (Expr::plane(DVec3::ZERO, DVec3::X), Expr::plane(DVec3::ZERO, DVec3::Y));
    let points: Vec<DVec3> = (-40..40)
        .flat_map(|x| (-40..40).map(move |y| DVec3::new(f64::from(x), f64::from(y), 0.0) * 0.25))
        .collect();
    let radius = 3.0;
    let sharp = values(&Tape::new(&a.union(&b)).unwrap(), &points);
    let smooth = values(&Tape::new(&a.smooth_union(&b, radius)).unwrap(), &points);
    let mut rounded = 0;
    for ((point, sharp), smooth) in points.iter().zip(sharp).zip(smooth) {
        if (point.x - point.y).abs() >= radius {
            assert_eq!(sharp.to_bits(), smooth.to_bits());
        } else {
            assert!(smooth < sharp && smooth >= sharp - radius as f32 / 4.0);
            rounded += 1;
        }
    }
    assert!(rounded > 0);
}

#[test]
fn shared_parts_are_evaluated_once_and_long_chains_need_no_stack() {
    let mut doubled = Expr::x();
    for _ in 0..200 {
        doubled = doubled.clone() * 0.5 + doubled * 0.5;
    }
    assert!(Tape::new(&doubled).unwrap().len() < 700);
    let mut chain = Expr::z();
    for i in 0..100_000 {
        chain = chain.min(&Expr::constant(i as f32));
    }
    let tape = Tape::new(&chain).unwrap();
    assert_eq!(values(&tape, &[DVec3::ZERO]), [0.0]);
    for i in 0..200_000 {
        chain = chain.max(&Expr::constant(-1.0 - i as f32));
    }
    assert_eq!(
        Tape::new(&chain).unwrap_err(),
        FieldError::TooManyTerms { limit: weald_field::tape::MAX_TERMS }
    );
}

/// Forty doublings read the constant at 2⁴⁰ places, though it is one term.
#[test]
fn copies_of_copies_are_counted_before_they_are_made() {
    let mut copies = Expr::constant(1.0);
    for doubling in 0..40_u64 {
        copies = copies.translated(DVec3::X * (1_u64 << doubling) as f64).union(&copies);
    }
    assert_eq!(
        Tape::new(&copies).expect_err("too many readings"),
        FieldError::TooManyReadings { limit: weald_field::tape::MAX_READINGS }
    );
}

#[test]
fn constants_are_folded_and_equal_terms_joined() {
    let folded = (Expr::constant(2.0) + 3.0) * Expr::x() + (Expr::constant(2.0) + 3.0) * Expr::x();
    assert_eq!(Tape::new(&folded).unwrap().len(), 4);
}

#[test]
fn wrong_parameters_are_named() {
    let noise = |settings: NoiseSettings| Expr::noise(&settings);
    let wrong = [
        (Expr::sphere(DVec3::ZERO, -1.0), "radius of sphere is -1, but must be more than 0 and finite"),
        (Expr::sphere(DVec3::NAN, 1.0), "position of sphere is NaN, but must be finite"),
        (
            Expr::cuboid(DVec3::ZERO, DVec3::ZERO, 0.0),
            "half size of box is 0, but must be more than 0 and finite",
        ),
        (Expr::cuboid(DVec3::ZERO, DVec3::ONE, f64::NAN), "angle of turn is NaN, but must be finite"),
        (
            Expr::cylinder(DVec3::ZERO, DVec3::ZERO, 1.0, 1.0),
            "axis or normal of solid is NaN, but must be a finite vector other than zero",
        ),
        (
            Expr::plane(DVec3::ZERO, DVec3::ZERO),
            "axis or normal of solid is NaN, but must be a finite vector other than zero",
        ),
        (
            Expr::x().smooth_min(&Expr::y(), 0.0),
            "radius of smooth minimum is 0, but must be more than 0 and finite",
        ),
        (Expr::constant(f32::INFINITY), "value of constant is inf, but must be finite"),
        (
            noise(NoiseSettings { octaves: 0, ..Default::default() }),
            "octaves of noise is 0, but must be from 1 to 32",
        ),
        (
            noise(NoiseSettings { octaves: 1_000_000, ..Default::default() }),
            "octaves of noise is 1000000, but must be from 1 to 32",
        ),
        (
            noise(NoiseSettings { wavelength: 0.0, ..Default::default() }),
            "wavelength of noise is 0, but must be more than 0 and finite",
        ),
        (
            Expr::height_surface(Expr::z(), 0.0),
            "the height of a height surface depends on z, but may depend on x and y only",
        ),
    ];
    for (expr, message) in wrong {
        assert_eq!(Tape::new(&expr).unwrap_err().to_string(), message);
    }
}

#[test]
fn points_that_are_not_numbers_do_no_harm() {
    let expr = Expr::height_surface(
        Expr::noise(&NoiseSettings { domain: Domain::Plane, ..Default::default() }),
        0.0,
    )
    .union(&Expr::noise(&NoiseSettings::default()));
    let tape = Tape::new(&expr).unwrap();
    let odd = [DVec3::NAN, DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::splat(1e300)];
    assert_eq!(values(&tape, &odd).len(), odd.len());
    for a in odd {
        for b in odd {
            let bounds = tape.bounds(Aabb::new(a, b));
            assert!(bounds.lo <= bounds.hi);
        }
    }
    assert!(tape.bounds(Aabb::EMPTY).lo <= tape.bounds(Aabb::EMPTY).hi);
}

#[test]
fn sky_and_deep_rock_are_known_from_their_bounds() {
    let height = Expr::noise(&NoiseSettings { domain: Domain::Plane, amplitude: 20.0, ..Default::default() });
    let tape = Tape::new(&Expr::height_surface(height, 0.0)).unwrap();
    let chunk = |z: f64| Aabb::new(DVec3::new(0.0, 0.0, z), DVec3::new(32.0, 32.0, z + 32.0));
    assert!(tape.bounds(chunk(64.0)).lo > 0.0);
    assert!(tape.bounds(chunk(-96.0)).hi < 0.0);
}

/// Thin boxes are the hardest: the value may change along one axis as fast as the bound of the slope allows.
#[test]
fn noise_stays_within_the_bounds_of_thin_boxes() {
    let mut draw = Seed::new(11).at(glam::I64Vec3::ZERO, 0, 0);
    for basis in [Basis::Value, Basis::Gradient] {
        for domain in [Domain::Plane, Domain::Space] {
            let settings = NoiseSettings { basis, domain, wavelength: 1.0, octaves: 1, ..Default::default() };
            let tape = Tape::new(&Expr::noise(&settings)).unwrap();
            let mut tightest = f32::INFINITY;
            for i in 0..30_000 {
                let min =
                    DVec3::new(draw.range(-500.0..500.0), draw.range(-500.0..500.0), draw.range(-50.0..50.0));
                let max = min + DVec3::AXES[i % 3] * draw.range(0.0..0.5);
                let bounds = tape.bounds(Aabb::new(min, max));
                for value in values(&tape, &[min, max]) {
                    assert!(
                        bounds.contains(value),
                        "{value} not in {bounds:?} of {min}..{max}, {basis:?} {domain:?}"
                    );
                    if bounds.hi - bounds.lo > 0.05 {
                        tightest = tightest
                            .min((value - bounds.lo).min(bounds.hi - value) / (bounds.hi - bounds.lo));
                    }
                }
            }
            assert!(tightest < 0.2, "no value comes near its bounds: {tightest} for {basis:?} {domain:?}");
        }
    }
}
