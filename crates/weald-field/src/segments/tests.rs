//! Branches of every kind, against all of them one after the other.

use fearless_simd::Simd;
use proptest::prelude::*;

use super::*;
use crate::algebra::{Dual, Lanes};
use crate::volumes::tests::{Block, Union, boxes, draws, holds_what_unions_promise, hull, places, scalars};

/// Segments with the list that they were made of.
struct Known(Segments, Vec<Branch>);

impl Known {
    fn new(segments: &[Segment]) -> Self {
        Known::rough(segments, RadiusNoise::default())
    }

    fn rough(segments: &[Segment], noise: RadiusNoise) -> Self {
        let union =
            Segments::with_noise(DVec3::ZERO, segments, noise, ContentId::from(0)).expect("good segments");
        Known(union, segments.iter().map(|segment| Branch::new(segment, 0.0)).collect())
    }
}

impl Union for Known {
    fn scalars(&self, sweep: &mut Block<f32>) {
        self.0.sweep(sweep);
    }
    fn duals(&self, sweep: &mut Block<Dual>) {
        self.0.sweep(sweep);
    }
    #[inline(always)]
    fn lanes<S: Simd>(&self, sweep: &mut Block<Lanes<S>>) {
        self.0.sweep(sweep);
    }
    fn bounds(&self, at: [Enclosure; 3]) -> Enclosure {
        self.0.bounds(at)
    }
    fn pruned(&self, at: [Enclosure; 3]) -> Option<Self> {
        Some(Known(self.0.pruned(at)?, self.1.clone()))
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn brute(&self, place: [Dual; 3]) -> Dual {
        let value = |branch: &Branch| match self.0.noise.as_deref() {
            None => branch.distance(place),
            Some((noise, _)) => branch.rough_distance(place, noise),
        };
        self.1.iter().map(value).reduce(Algebra::min).expect("not empty")
    }
}

/// Segments of all kinds: long and short, balls, tips, one ball in the other, twins, and many at one place.
fn random(seed: u64, count: usize) -> Vec<Segment> {
    let mut draw = draws(seed);
    let mut point = |scale: f32| Vec3::new(draw(), draw(), draw()) * scale;
    let mut segments: Vec<Segment> = Vec::with_capacity(count);
    for i in 0..count {
        let start = point(60.0);
        let [length, kind, thick] = point(1.0).abs().to_array();
        let radius = 0.05 + 2.0 * thick * thick;
        let segment = match (kind * 10.0) as u32 {
            0 => Segment { ends: [start; 2], radii: [radius, 0.5 * radius] },
            1 => Segment { ends: [start, start + point(20.0)], radii: [0.0, radius] },
            2 => Segment { ends: [start, start + point(0.1)], radii: [radius, 0.1] },
            3 if i > 0 => segments[i - 1],
            4 if i > 0 => Segment { ends: [segments[0].ends[1], start], radii: [radius; 2] },
            5 => Segment { ends: [start, start + Vec3::X * radius], radii: [radius * 1.999, radius] },
            _ => Segment { ends: [start, start + point(1.0 + 12.0 * length)], radii: [radius, 0.6 * radius] },
        };
        segments.push(segment);
    }
    segments
}

fn stick(a: Vec3, b: Vec3, radius: f32) -> Segment {
    Segment { ends: [a, b], radii: [radius; 2] }
}

#[test]
fn bad_segments_are_named() {
    let message = |segments: &[Segment]| {
        Segments::new(DVec3::ZERO, segments, ContentId::from(0)).expect_err("bad segments").to_string()
    };
    let good = stick(Vec3::ZERO, Vec3::X, 1.0);
    assert_eq!(message(&[]), "number of parts of segments is 0, but must be from 1 to 2^24");
    assert_eq!(
        message(&[good, stick(Vec3::ZERO, Vec3::X * 3e5, 1.0)]),
        "coordinate of part 1 of segments is 300000, but must be from -262144 to 262144"
    );
    assert_eq!(
        message(&[good, good, stick(Vec3::NAN, Vec3::X, 1.0)]),
        "coordinate of part 2 of segments is NaN, but must be from -262144 to 262144"
    );
    assert_eq!(
        message(&[stick(Vec3::ZERO, Vec3::X, -1.0)]),
        "radius of part 0 of segments is -1, but must be from 0 to 16384"
    );
    let polyline =
        |points: &[(DVec3, f64)]| Segments::polyline(points).expect_err("a bad polyline").to_string();
    assert_eq!(
        polyline(&[(DVec3::ZERO, 1.0)]),
        "number of points of polyline is 1, but must be from 2 to 2^24"
    );
    assert_eq!(
        polyline(&[(DVec3::ZERO, 1.0), (DVec3::X, 0.0)]),
        "radius of part 1 of polyline is 0, but must be more than 0 and up to 16384"
    );
}

#[test]
fn a_polyline_is_the_union_of_its_pieces_wherever_it_lies() {
    let points = [(DVec3::ZERO, 1.0), (DVec3::X * 4.0, 0.5), (DVec3::new(4.0, 3.0, 0.0), 0.5)];
    let far = DVec3::new(1e7, -3e6, 512.0);
    let line = Segments::polyline(&points).expect("a good polyline");
    let moved =
        Segments::polyline(&points.map(|(point, radius)| (point + far, radius))).expect("a good polyline");
    let bytes = |segments: &Segments| {
        let mut bytes = Vec::new();
        segments.encode(&mut bytes);
        bytes
    };
    assert_eq!((line.len(), moved.origin()), (2, far));
    assert_eq!(bytes(&line), bytes(&moved));
    assert_ne!(line, moved);
    let known = Known(line, Vec::new());
    let values = scalars(&known, &[[0.0, 3.0, 0.0], [4.0, 5.0, 0.0], [2.0, 0.0, 0.0]]).0;
    assert!((values[1] - 1.5).abs() < 1e-6 && values[0] > 1.9 && values[2] < -0.5, "{values:?}");
}

#[test]
fn subsets_differ_from_the_whole_by_what_is_left_out() {
    let known = Known::new(&random(5, 400));
    let at = |x: f32| {
        [0, 1, 2].map(|axis| if axis == 0 { Enclosure::hull(x, x + 4.0) } else { Enclosure::hull(0.0, 4.0) })
    };
    let (a, b) = (known.0.pruned(at(0.0)).expect("a subset"), known.0.pruned(at(40.0)).expect("a subset"));
    assert_eq!(a, known.0.pruned(at(0.0)).expect("a subset"));
    assert!(a != b && a != known.0 && a.len() < 100);
    let bytes = [&a, &b, &known.0].map(|segments| {
        let mut bytes = Vec::new();
        segments.encode(&mut bytes);
        bytes
    });
    assert!(bytes[0] != bytes[1] && bytes[0] != bytes[2]);
}

#[test]
fn boxes_clear_of_all_branches_are_outside_and_few_branches_reach_a_block() {
    let segments = random(7, 2000);
    let known = Known::new(&segments);
    let around: Vec<[f32; 3]> = places(1, Vec3::new(300.0, 0.0, 0.0), Vec3::splat(100.0), 8);
    let bounds = known.bounds(hull(&around));
    assert!(bounds.lo() > 100.0 && bounds.hi() < 400.0, "{bounds:?}");
    let mut looked_at = 0;
    for seed in 0..100 {
        let mut draw = draws(seed);
        let block = places(seed, Vec3::new(draw(), draw(), draw()) * 50.0, Vec3::splat(1.0), 8);
        looked_at += scalars(&known, &block).1;
    }
    assert!(looked_at < 100 * 20, "{looked_at} parts in 100 blocks");
}

#[test]
fn values_are_distances() {
    let segments = random(11, 50);
    let known = Known::new(&segments);
    for place in places(2, Vec3::ZERO, Vec3::splat(70.0), 300) {
        let at = Vec3::from_array(place).as_dvec3();
        let distance = |segment: &Segment| {
            let [a, b] = segment.ends.map(|end| end.as_dvec3());
            let [radius_a, radius_b] = segment.radii.map(f64::from);
            let ball = |t: f64| at.distance(a.lerp(b, t)) - (radius_a + (radius_b - radius_a) * t);
            let (mut lo, mut hi) = (0.0, 1.0);
            for _ in 0..100 {
                let (near, far) = ((2.0 * lo + hi) / 3.0, (lo + 2.0 * hi) / 3.0);
                if ball(near) < ball(far) { hi = far } else { lo = near }
            }
            ball(lo).min(ball(0.0)).min(ball(1.0))
        };
        let exact = segments.iter().map(distance).fold(f64::INFINITY, f64::min);
        let value = scalars(&known, &[place]).0[0];
        assert!((f64::from(value) - exact).abs() < 2e-4, "{value} is not {exact}");
    }
}

#[test]
fn noise_makes_branches_thicker_and_thinner_along_them_and_leaves_them_round() {
    let noise = RadiusNoise { amplitude: 0.3, wavelength: 1.5, octaves: 1, seed: Seed::new(4) };
    let known = Known::rough(&[stick(Vec3::ZERO, Vec3::Z * 40.0, 2.0)], noise);
    let mut radii = Vec::new();
    for i in 1..160 {
        let z = i as f32 * 0.25;
        let ring = [[3.0, 0.0, z], [0.0, 3.0, z], [-3.0, 0.0, z], [1.8, 2.4, z]];
        let values = scalars(&known, &ring).0;
        assert!(values.iter().all(|value| (value - values[0]).abs() < 1e-5), "{values:?} at {z}");
        radii.push(3.0 - values[0]);
    }
    let (thin, thick) = radii.iter().fold((9.0_f32, 0.0_f32), |(lo, hi), &r| (lo.min(r), hi.max(r)));
    assert!(thin > 1.37 && thin < 1.85 && thick > 2.15 && thick < 2.63, "{thin} to {thick}");
    let refused = Segments::with_noise(
        DVec3::ZERO,
        &[stick(Vec3::ZERO, Vec3::Z, 1.0)],
        RadiusNoise { amplitude: 0.5, ..noise },
        ContentId::from(0),
    );
    assert_eq!(
        refused.expect_err("too rough").to_string(),
        "amplitude of the radius of segments is 0.5, but must be from 0 to 0.45"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_left_out_changes_no_bit(seed: u64, count in 1_usize..400, at in boxes()) {
        holds_what_unions_promise(&Known::new(&random(seed, count)), at, seed)?;
    }

    #[test]
    fn what_is_left_out_changes_no_bit_of_rough_branches(
        seed: u64, count in 1_usize..100, amplitude in 0.01..0.45_f64, at in boxes(),
    ) {
        let noise = RadiusNoise { amplitude, wavelength: 0.7, octaves: 2, seed: Seed::new(seed) };
        holds_what_unions_promise(&Known::rough(&random(seed, count), noise), at, seed)?;
    }

    #[test]
    fn what_is_left_out_changes_no_bit_where_nearly_all_is_equally_far(seed: u64, count in 1_usize..100, at in boxes()) {
        let mut draw = draws(seed);
        let segments: Vec<Segment> = (0..count)
            .map(|_| {
                let direction = Vec3::new(draw(), draw(), draw()).normalize_or_zero();
                stick(direction * 30.0, direction * 50.0, 0.5)
            })
            .collect();
        holds_what_unions_promise(&Known::new(&segments), (at.0 * 0.01, at.1 * 0.05), seed)?;
    }
}
