//! Each op under each evaluator: lanes, gradients, enclosures, pruned tapes, grids.
//!
//! A line of the list at the end makes a test of each kind for an op; `weald_testkit::ops` has the expressions.

use glam::{DVec3, I64Vec3, Vec3};
use weald_field::{EvalScratch, Expr, Grid, Tape, Width};
use weald_space::{Aabb, Lattice, Seed, VoxelPos};
use weald_testkit::ops::ops;

/// Points near the origin, where lanes are compared with the scalar.
const NEAR_POINTS: usize = 1_000_000;
/// Points ten million metres out.
const FAR_POINTS: usize = 100_000;
const FAR: DVec3 = DVec3::new(1e7, -1e7, 1e7);
/// With all ops: more than ten million points in boxes.
const BOXES: usize = 1_500;
const POINTS_A_BOX: usize = 100;

fn expr(name: &str) -> Expr {
    ops().into_iter().find(|case| case.name == name).expect("an op of the test kit").expr
}

fn tape(expr: &Expr) -> Tape {
    Tape::new(expr).expect("a good expression")
}

/// The same points each time, those of an op unlike those of others.
fn points(name: &str, count: usize, around: DVec3) -> Vec<DVec3> {
    let mut draw = Seed::new(1).child(name).at(I64Vec3::ZERO, 0, 0);
    let mut coordinate = || draw.range(-9.0..9.0);
    (0..count).map(|_| around + DVec3::new(coordinate(), coordinate(), coordinate())).collect()
}

fn values(tape: &Tape, points: &[DVec3], width: Width) -> Vec<f32> {
    let mut values = vec![0.0; points.len()];
    tape.values(points, &mut EvalScratch::with_width(width), &mut values);
    values
}

fn duals(tape: &Tape, points: &[DVec3], width: Width) -> (Vec<f32>, Vec<Vec3>) {
    let (mut values, mut gradients) = (vec![0.0; points.len()], vec![Vec3::ZERO; points.len()]);
    tape.duals(points, &mut EvalScratch::with_width(width), &mut values, &mut gradients);
    (values, gradients)
}

fn assert_same_bits(a: &[f32], b: &[f32], points: &[DVec3], what: &str) {
    for ((a, b), point) in a.iter().zip(b).zip(points) {
        assert_eq!(a.to_bits(), b.to_bits(), "{what}: {a} is not {b} at {point}");
    }
}

fn parts(gradients: &[Vec3], axis: usize) -> Vec<f32> {
    gradients.iter().map(|gradient| gradient[axis]).collect()
}

/// Lanes have the bits of the scalar, near the origin and far from it, with gradients and without.
fn lanes(name: &str) {
    let near = expr(name);
    let far = near.translated(FAR);
    for (expr, count, around) in [(near, NEAR_POINTS, DVec3::ZERO), (far, FAR_POINTS, FAR)] {
        let (tape, points) = (tape(&expr), points(name, count, around));
        let reference = values(&tape, &points, Width::Scalar);
        let some = &points[..count / 10];
        let (dual_values, gradients) = duals(&tape, some, Width::Scalar);
        assert_same_bits(&reference[..some.len()], &dual_values, some, "value of a dual");
        for width in Width::all() {
            let what = format!("{name} at {width:?}");
            assert_same_bits(&values(&tape, &points, width), &reference, &points, &what);
            let (values, slopes) = duals(&tape, some, width);
            assert_same_bits(&values, &dual_values, some, &what);
            for axis in 0..3 {
                assert_same_bits(&parts(&slopes, axis), &parts(&gradients, axis), some, &what);
            }
        }
    }
}

/// Grids have the bits of points, at each width.
fn grids(name: &str) {
    let tape = tape(&expr(name));
    let lattice = Lattice::new(0.5).expect("a power of two");
    let grid = Grid { lattice, min: VoxelPos::new(-13, -9, -11), dims: [37, 19, 23] };
    let mut points = Vec::new();
    for z in 0..grid.dims[2] {
        for y in 0..grid.dims[1] {
            for x in 0..grid.dims[0] {
                let at = grid.min.0 + I64Vec3::new(x as i64, y as i64, z as i64);
                points.push(at.as_dvec3() * lattice.cell_size());
            }
        }
    }
    let reference = values(&tape, &points, Width::Scalar);
    for width in Width::all() {
        let mut sampled = vec![0.0; grid.len()];
        tape.sample(&grid, &mut EvalScratch::with_width(width), &mut sampled);
        assert_same_bits(&sampled, &reference, &points, &format!("{name} on a grid at {width:?}"));
    }
}

/// Gradients are derivatives: their mean over a short line is the difference of the values at its ends, to 1e-4 of the
/// steepest slope.
///
/// The mean is Boole's, of five gradients; its error is far below that where the field is smooth. Where it differs from
/// Simpson's, of three of them, there is a kink on the line, and the line does not count; neither do those across a step of
/// the floor or of nearest samples. Three of four must count. The two ops
/// with a height correction, whose change sideways their gradient leaves out, are compared along z.
fn gradients(name: &str) {
    let tape = tape(&expr(name));
    let at = points(name, 2_000, DVec3::ZERO);
    // Short lines where kinks and fine layers are dense, longer ones where rounding would show.
    let dense = (name.contains("noise") && !name.starts_with("rotated")) || name.contains("worley");
    let half = if dense || name == "prism" { 1.0 / 64.0 } else { 1.0 / 16.0 };
    let axes = if matches!(name, "height surface" | "ground") { 2..3 } else { 0..3 };
    let mut lines = 0;
    let mut counted = 0;
    for axis in axes {
        let along = |part: f64| -> (Vec<f32>, Vec<f32>) {
            let moved: Vec<DVec3> = at.iter().map(|p| p + DVec3::AXES[axis] * half * part).collect();
            let (values, gradients) = duals(&tape, &moved, Width::default());
            (values, parts(&gradients, axis))
        };
        let line = [-1.0, -0.5, 0.0, 0.5, 1.0].map(along);
        let steepest = line[2].1.iter().fold(1.0, |most, slope| f64::max(most, slope.abs().into()));
        let tolerance = 1e-4 * steepest;
        for i in 0..at.len() {
            lines += 1;
            let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|k: usize| f64::from(line[k].1[i]));
            let boole = (7.0 * (a + e) + 32.0 * (b + d) + 12.0 * c) / 90.0;
            let simpson = (a + 4.0 * c + e) / 6.0;
            if (boole - simpson).abs() > 0.25 * tolerance {
                continue;
            }
            let difference = (f64::from(line[4].0[i]) - f64::from(line[0].0[i])) / (2.0 * half);
            if matches!(name, "floor" | "image, nearest") && difference != 0.0 {
                continue;
            }
            counted += 1;
            let error = (boole - difference).abs();
            assert!(
                error < tolerance,
                "{name}: along axis {axis} at {} the gradient {boole} is not {difference}",
                at[i]
            );
        }
    }
    assert!(counted * 4 >= 3 * lines, "{name}: only {counted} of {lines} lines are without a kink");
}

/// Every value in a box lies in the range of the box, and the pruned tape has the bits of the whole one there.
fn boxes(name: &str) {
    let tape = tape(&expr(name));
    let mut draw = Seed::new(2).child(name).at(I64Vec3::ZERO, 0, 0);
    for number in 0..BOXES {
        let centre = DVec3::new(draw.range(-9.0..9.0), draw.range(-9.0..9.0), draw.range(-9.0..9.0));
        let scale = [0.01, 0.2, 2.0, 12.0][number % 4];
        // Every fifth box is thin along an axis.
        let mut size = DVec3::new(draw.range(0.0..scale), draw.range(0.0..scale), draw.range(0.0..scale));
        if number % 5 == 0 {
            size[number % 3] = 0.0;
        }
        let within = Aabb::new(centre - size * 0.5, centre + size * 0.5);
        let inside: Vec<DVec3> = (0..POINTS_A_BOX)
            .map(|i| match i {
                0 => within.min,
                1 => within.max,
                _ => within.min + size * DVec3::new(draw.f64(), draw.f64(), draw.f64()),
            })
            .map(|point| point.clamp(within.min, within.max))
            .collect();
        let found = values(&tape, &inside, Width::default());
        let trace = tape.trace(within);
        let range = trace.range();
        for (value, point) in found.iter().zip(&inside) {
            assert!(range.contains(*value), "{name}: {value} at {point} is not in {range:?} of {within:?}");
        }
        if let Some(pruned) = trace.pruned() {
            assert!(pruned.len() <= tape.len(), "{name}: a pruned tape is no longer than the whole one");
            assert_same_bits(&values(&pruned, &inside, Width::default()), &found, &inside, name);
            let (_, whole) = duals(&tape, &inside, Width::default());
            let (_, slopes) = duals(&pruned, &inside, Width::default());
            for axis in 0..3 {
                assert_same_bits(&parts(&slopes, axis), &parts(&whole, axis), &inside, name);
            }
        }
    }
}

macro_rules! conformance {
    ($($test:ident: $name:literal,)*) => {
        conformance!(@kind lanes $($test: $name,)*);
        conformance!(@kind grids $($test: $name,)*);
        conformance!(@kind gradients $($test: $name,)*);
        conformance!(@kind boxes $($test: $name,)*);

        #[test]
        fn every_op_is_listed() {
            let listed = [$($name),*];
            let names: Vec<&str> = ops().iter().map(|case| case.name).collect();
            assert_eq!(names, listed);
            assert!(listed.len() * BOXES * POINTS_A_BOX >= 10_000_000, "fewer points in boxes than promised");
        }
    };
    (@kind $kind:ident $($test:ident: $name:literal,)*) => {
        mod $kind {
            $(#[test]
            fn $test() {
                super::$kind($name);
            })*
        }
    };
}

conformance! {
    constant: "constant",
    x: "x",
    y: "y",
    z: "z",
    negation: "negation",
    abs: "abs",
    floor: "floor",
    sqrt: "sqrt",
    power_2: "power 2",
    power_3: "power 3",
    power_1_5: "power 1.5",
    power_1: "power -1",
    wave: "wave",
    curve: "curve",
    sum: "sum",
    difference_of_numbers: "difference of numbers",
    product: "product",
    quotient: "quotient",
    min: "min",
    max: "max",
    clamp: "clamp",
    smooth_min: "smooth min",
    smooth_max: "smooth max",
    mix: "mix",
    remap: "remap",
    smoothstep: "smoothstep",
    select: "select",
    union: "union",
    intersection: "intersection",
    difference: "difference",
    height_surface: "height surface",
    value_noise_in_the_plane: "value noise in the plane",
    value_noise: "value noise",
    gradient_noise_in_the_plane: "gradient noise in the plane",
    gradient_noise: "gradient noise",
    simplex_noise_in_the_plane: "simplex noise in the plane",
    simplex_noise: "simplex noise",
    worley_f1_in_the_plane: "worley F1 in the plane",
    worley_f1: "worley F1",
    worley_f2: "worley F2",
    worley_f2_f1: "worley F2 - F1",
    worley_f2_f1_in_the_plane: "worley F2 - F1 in the plane",
    ridged_noise: "ridged noise",
    billow_noise: "billow noise",
    domain_warp: "domain warp",
    sphere: "sphere",
    ellipsoid: "ellipsoid",
    axis_box: "box",
    turned_box: "turned box",
    rounded_box: "rounded box",
    capsule: "capsule",
    round_cone: "round cone",
    torus: "torus",
    cylinder: "cylinder",
    leaning_cylinder: "leaning cylinder",
    plane: "plane",
    prism: "prism",
    polyline: "polyline",
    translated: "translated",
    rotated: "rotated",
    rotated_noise: "rotated noise",
    scaled: "scaled",
    mirrored: "mirrored",
    mirrored_along_an_axis: "mirrored along an axis",
    repeated: "repeated",
    repeated_a_few_times: "repeated a few times",
    repeated_and_turned: "repeated and turned",
    twisted: "twisted",
    warped: "warped",
    heightfield: "heightfield",
    turned_heightfield: "turned heightfield",
    ground: "ground",
    image_nearest: "image, nearest",
    image_linear: "image, linear",
    image_cubic: "image, cubic",
    segments: "segments",
    segments_with_noise: "segments with noise",
    cloud: "cloud",
}
