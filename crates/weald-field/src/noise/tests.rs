//! What holds for every kind of noise.

use fearless_simd::{Level, dispatch};
use glam::DVec3;
use proptest::prelude::*;
use weald_space::{Aabb, Seed};

use super::*;
use crate::algebra::{Algebra, Dual, Lanes, Simd, WordLanes};

const BASES: [Basis; 6] = [
    Basis::Value,
    Basis::Gradient,
    Basis::Simplex,
    Basis::Worley(WorleyKind::F1),
    Basis::Worley(WorleyKind::F2),
    Basis::Worley(WorleyKind::F2MinusF1),
];
const FRACTALS: [Fractal; 3] = [Fractal::Fbm, Fractal::Ridged, Fractal::Billow];

/// Every kind, with this wavelength and number of layers.
fn kinds(wavelength: f64, octaves: u32) -> impl Iterator<Item = Noise> {
    let domains = [Domain::Plane, Domain::Space];
    let kinds = BASES.into_iter().flat_map(move |basis| {
        domains.into_iter().flat_map(move |domain| FRACTALS.map(|fractal| (basis, domain, fractal)))
    });
    kinds.map(move |(basis, domain, fractal)| {
        Noise::new(&NoiseSettings { basis, fractal, domain, wavelength, octaves, ..Default::default() })
    })
}

fn single(basis: Basis, domain: Domain, fractal: Fractal) -> Noise {
    let wavelength = 1.0;
    Noise::new(&NoiseSettings { basis, fractal, domain, wavelength, octaves: 1, ..Default::default() })
}

fn spot<A: Pointwise>(octave: &Octave, context: A::Context, axis: usize, local: f64) -> Spot<A> {
    let (cell, part) = octave.split(axis, local);
    let part = A::along(A::constant(context, part), axis, octave.frequency() as f32);
    Spot { cell: A::word(context, cell), part }
}

fn at<A: Pointwise<Context = ()>>(noise: &Noise, local: DVec3) -> A {
    noise.value((), |octave, axis| spot(&noise.octaves()[octave], (), axis, local[axis]))
}

/// The levels that this machine has.
fn levels() -> Vec<Level> {
    let best = Level::new();
    let mut levels = vec![best];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(best.as_avx2().map(Level::Avx2));
        levels.extend(best.as_sse4_2().map(Level::Sse4_2));
        levels.extend(best.as_sse2().map(Level::Sse2));
    }
    levels
}

#[inline(always)]
fn in_lanes<S: Simd>(simd: S, noise: &Noise, places: &[DVec3], out: &mut [f32]) {
    let load = |octave: usize, axis: usize, places: &[DVec3]| {
        let (cells, parts): (Vec<u32>, Vec<f32>) =
            places.iter().map(|place| noise.octaves()[octave].split(axis, place[axis])).unzip();
        Spot { cell: WordLanes::load(simd, &cells), part: Lanes::load(simd, &parts) }
    };
    let count = Lanes::<S>::COUNT;
    for (places, out) in places.chunks_exact(count).zip(out.chunks_exact_mut(count)) {
        noise
            .value::<Lanes<S>>(
                simd,
                #[inline(always)]
                |octave, axis| load(octave, axis, places),
            )
            .store(out);
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Places near and far, on lattice points and off.
fn places(count: usize) -> Vec<DVec3> {
    let seed = Seed::new(5);
    (0..count as i64)
        .map(|i| {
            let mut draw = seed.at(glam::I64Vec3::new(i, 0, 0), 0, 0);
            let far = [0.0, 1e4, 1e7][i as usize % 3];
            let place = DVec3::from_array([0; 3].map(|_| draw.range(-50.0..50.0) + far));
            if i % 7 == 0 { place.round() } else { place }
        })
        .collect()
}

/// Places without a grid.
fn scattered(count: i64) -> impl Iterator<Item = DVec3> {
    let seed = Seed::new(6);
    (0..count).map(move |i| {
        let mut draw = seed.at(glam::I64Vec3::new(i, 0, 0), 0, 0);
        DVec3::from_array([0; 3].map(|_| draw.range(-1e3..1e3)))
    })
}

#[test]
fn lanes_have_the_bits_of_the_scalar_at_every_level() {
    let places = places(1024);
    for noise in kinds(7.3, 3) {
        let expected: Vec<f32> = places.iter().map(|&place| at(&noise, place)).collect();
        for level in levels() {
            let mut out = vec![0.0; places.len()];
            dispatch!(level, simd => in_lanes(simd, &noise, &places, &mut out));
            assert_eq!(bits(&out), bits(&expected), "{level:?} {noise:?}");
        }
    }
}

#[test]
fn rows_have_the_bits_of_single_points_at_every_level_in_any_order() {
    for wavelength in [0.4, 3.7, 40.0] {
        for noise in kinds(wavelength, 2) {
            let axis =
                |count: usize, from: f64| -> Vec<f64> { (0..count).map(|i| from + i as f64).collect() };
            let (xs, ys, zs) = (axis(21, 1e7), axis(9, -4.5), axis(5, 0.25));
            for level in levels() {
                let mut rows = NoiseRows::new(&noise, &xs, &ys, &zs);
                for (ys_asked, z) in [(0..9, 0), (3..5, 4), (0..9, 1), (8..9, 1), (0..9, 3), (2..9, 2)] {
                    let mut out = vec![f32::NAN; ys_asked.len() * xs.len()];
                    dispatch!(level, simd => rows.fill(simd, &noise, ys_asked.clone(), z, &mut out));
                    for (i, y) in ys_asked.enumerate() {
                        for (x, value) in out[i * xs.len()..][..xs.len()].iter().enumerate() {
                            let expected: f32 = at(&noise, DVec3::new(xs[x], ys[y], zs[z]));
                            assert_eq!(value.to_bits(), expected.to_bits(), "{level:?} {noise:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for noise in kinds(1.0, 1) {
        let (mut wrong, count) = (0, 600);
        for place in places(count).into_iter().map(|place| place % 40.0) {
            let dual: Dual = at(&noise, place);
            assert_eq!(dual.value.to_bits(), at::<f32>(&noise, place).to_bits());
            let step = 1e-3;
            for axis in 0..3 {
                let mut by = DVec3::ZERO;
                by[axis] = step;
                let change =
                    f64::from(at::<f32>(&noise, place + by)) - f64::from(at::<f32>(&noise, place - by));
                let slope = change / (2.0 * step);
                // Folds and the borders of Worley's cells have two slopes.
                if (slope - f64::from(dual.gradient[axis])).abs() > 1e-2 {
                    wrong += 1;
                }
            }
        }
        let folded =
            noise.settings.fractal != Fractal::Fbm || matches!(noise.settings.basis, Basis::Worley(_));
        assert!(wrong <= if folded { 3 * count / 50 } else { 0 }, "{wrong} gradients are wrong of {noise:?}");
    }
}

#[test]
fn nothing_is_infinite_or_not_a_number_wherever_it_is() {
    let far = [0.0, 0.5, -1.0, 1e9, -1e16, 1e300, f64::MAX, f64::MIN_POSITIVE];
    for noise in kinds(0.3, 4) {
        for x in far {
            for y in far {
                let dual: Dual = at(&noise, DVec3::new(x, y, -x));
                assert!(
                    dual.value.is_finite() && dual.gradient.iter().all(|g| g.is_finite()),
                    "{noise:?} {x} {y}"
                );
            }
        }
        for x in [0.0, -3.0, 1e9, -1e30, f32::MAX] {
            let value: Dual = noise.value((), |octave, axis| {
                noise.octaves()[octave].spot_from_place(axis, Dual::along(Dual::constant((), x), axis, 1.0))
            });
            assert!(value.value.is_finite() && value.gradient.iter().all(|g| g.is_finite()), "{noise:?} {x}");
        }
    }
}

#[test]
fn a_frame_that_is_not_turned_and_a_move_give_the_place_moved_to() {
    for noise in kinds(9.0, 3) {
        for place in places(90).into_iter().map(|place| place % 40.0) {
            let expected: f32 = at(&noise, place);
            let by = DVec3::new(-13.25, 4.5, 0.125);
            let framed: f32 = noise
                .value((), |octave, axis| noise.octaves()[octave].spot_from_place(axis, place[axis] as f32));
            let moved: f32 = noise.value((), |octave, axis| {
                let octave = &noise.octaves()[octave];
                octave.moved(spot(octave, (), axis, place[axis] - by[axis]), by[axis] as f32)
            });
            assert!((framed - expected).abs() < 2e-4, "{framed} {expected} {noise:?}");
            assert!((moved - expected).abs() < 2e-4, "{moved} {expected} {noise:?}");
        }
    }
}

#[test]
fn noise_uses_its_range_and_has_no_bias() {
    for (basis, domain, mean, deviation) in [
        (Basis::Value, Domain::Plane, 0.0, 0.35..0.5),
        (Basis::Value, Domain::Space, 0.0, 0.3..0.45),
        (Basis::Gradient, Domain::Plane, 0.0, 0.25..0.45),
        (Basis::Gradient, Domain::Space, 0.0, 0.2..0.35),
        (Basis::Simplex, Domain::Plane, 0.0, 0.25..0.5),
        (Basis::Simplex, Domain::Space, 0.0, 0.2..0.5),
        (Basis::Worley(WorleyKind::F1), Domain::Plane, 0.415, 0.15..0.25),
        (Basis::Worley(WorleyKind::F1), Domain::Space, 0.509, 0.1..0.25),
        (Basis::Worley(WorleyKind::F2), Domain::Plane, 0.7, 0.1..0.25),
        (Basis::Worley(WorleyKind::F2), Domain::Space, 0.715, 0.1..0.25),
        (Basis::Worley(WorleyKind::F2MinusF1), Domain::Plane, 0.285, 0.15..0.25),
        (Basis::Worley(WorleyKind::F2MinusF1), Domain::Space, 0.206, 0.1..0.25),
    ] {
        let noise = single(basis, domain, Fractal::Fbm);
        let values: Vec<f64> = scattered(40_000).map(|place| at::<f32>(&noise, place).into()).collect();
        let average = values.iter().sum::<f64>() / values.len() as f64;
        let spread =
            (values.iter().map(|v| (v - average) * (v - average)).sum::<f64>() / values.len() as f64).sqrt();
        assert!((average - mean).abs() < 0.01, "{basis:?} in the {domain:?} has mean {average}");
        assert!(deviation.contains(&spread), "{basis:?} in the {domain:?} has deviation {spread}");
    }
}

#[test]
fn noise_leans_to_no_axis() {
    for basis in BASES {
        for domain in [Domain::Plane, Domain::Space] {
            let noise = single(basis, domain, Fractal::Fbm);
            let mut squares = [0.0; 3];
            for place in scattered(40_000) {
                let dual: Dual = at(&noise, place);
                for axis in 0..3 {
                    squares[axis] += f64::from(dual.gradient[axis] * dual.gradient[axis]);
                }
            }
            let ratio = |axis: usize| (squares[axis] / squares[0] - 1.0).abs();
            assert!(ratio(1) < 0.05, "{basis:?} in the {domain:?}: {squares:?}");
            assert!(domain == Domain::Plane || ratio(2) < 0.05, "{basis:?} in the {domain:?}: {squares:?}");
        }
    }
}

#[test]
fn what_is_out_of_range_is_named() {
    let check = |settings: NoiseSettings| Noise::new(&settings).check().map_err(|error| error.to_string());
    let usual = NoiseSettings::default();
    assert_eq!(check(usual), Ok("noise"));
    for (settings, message) in [
        (
            NoiseSettings { wavelength: 0.0, ..usual },
            "wavelength of noise is 0, but must be more than 0 and finite",
        ),
        (NoiseSettings { octaves: 33, ..usual }, "octaves of noise is 33, but must be from 1 to 32"),
        (NoiseSettings { gain: f64::NAN, ..usual }, "gain of noise is NaN, but must be finite"),
        (
            NoiseSettings { lacunarity: 1e60, ..usual },
            "frequency of the last octave of noise is inf, but must be more than 0 and finite",
        ),
        (
            NoiseSettings { gain: 1e20, ..usual },
            "amplitude of the last octave of noise is inf, but must be finite",
        ),
    ] {
        assert_eq!(check(settings), Err(message.to_owned()));
    }
}

proptest! {
    #[test]
    fn splitting_is_exact(local in -1e9..1e9_f64, wavelength in 0.01..1e3_f64) {
        let octave = Noise::new(&NoiseSettings { wavelength, octaves: 1, ..Default::default() }).octaves()[0];
        let (cell, part) = octave.split(0, local);
        let place = local * octave.frequency() + octave.split(0, 0.0).1 as f64;
        let whole = place.floor();
        prop_assert!((0.0..=1.0).contains(&part));
        let off = (f64::from(part) + f64::from(cell.wrapping_sub(whole as i64 as u32) as i32) - (place - whole)).abs();
        prop_assert!(off < 1e-6 + place.abs() * 1e-15, "off by {off}");
    }

    #[test]
    fn values_and_gradients_in_a_box_are_within_its_bounds(
        min in prop::array::uniform3(-1e3..1e3_f64),
        size in prop::array::uniform3(0.0..1.0_f64),
        at_far in any::<bool>(),
        scale in 0.001..20.0_f64,
        parts in prop::collection::vec(prop::array::uniform3(0.0..=1.0_f64), 40),
    ) {
        let min = DVec3::from_array(min) + if at_far { 1e7 } else { 0.0 };
        let size = DVec3::from_array(size) * scale;
        let within = Aabb::new(min, min + size);
        for noise in kinds(8.0, 3) {
            let (bounds, duals) = (noise.bounds(within), noise.dual_bounds(within));
            for part in &parts {
                let dual: Dual = at(&noise, (min + size * DVec3::from_array(*part)).min(within.max));
                prop_assert!(bounds.0.contains(dual.value), "{} in {bounds:?} of {noise:?}", dual.value);
                prop_assert!(duals.value.0.contains(dual.value));
                for axis in 0..3 {
                    let slope = dual.gradient[axis];
                    prop_assert!(duals.gradient[axis].0.contains(slope), "{slope} in {duals:?} of {noise:?}");
                }
            }
        }
    }
}
