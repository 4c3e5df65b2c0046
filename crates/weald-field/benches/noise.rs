//! What noise costs beside its peers, in the same run: `cargo bench -p weald-field --bench noise`.
//!
//! Five octaves over 64³ samples, lacunarity 2, gain 0.5, on one core: over a grid, at single points, and the peers with
//! the same frequencies. Times are the least of several; the ratio to `simdnoise` (simplex noise in AVX2) counts.

#![allow(missing_docs, reason = "a bench has no public items")]

use std::hint::black_box;
use std::time::Instant;

use fastnoise_lite::{FastNoiseLite, FractalType, NoiseType};
use glam::DVec3;
use simdnoise::NoiseBuilder;
use weald_field::{Basis, EvalScratch, Expr, Grid, NoiseSettings, Tape, Width, WorleyKind};
use weald_space::{Lattice, VoxelPos};

const SIDE: usize = 64;
const SAMPLES: usize = SIDE * SIDE * SIDE;
const OCTAVES: u8 = 5;

/// Millions of samples a second: the best of some runs.
fn speed(runs: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    SAMPLES as f64 / best * 1e-6
}

fn simdnoise(frequency: f32) -> f64 {
    let mut builder = NoiseBuilder::fbm_3d(SIDE, SIDE, SIDE);
    builder.with_octaves(OCTAVES).with_freq(frequency).with_lacunarity(2.0).with_gain(0.5);
    speed(9, || {
        black_box(builder.generate());
    })
}

fn fastnoise_lite(frequency: f32) -> f64 {
    let mut noise = FastNoiseLite::new();
    noise.set_noise_type(Some(NoiseType::Perlin));
    noise.set_fractal_type(Some(FractalType::FBm));
    noise.set_fractal_octaves(Some(OCTAVES.into()));
    noise.set_frequency(Some(frequency));
    let mut out = vec![0.0; SAMPLES];
    speed(3, || {
        for (i, out) in out.iter_mut().enumerate() {
            let at = [i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE].map(|c| c as f32);
            *out = noise.get_noise_3d(at[0], at[1], at[2]);
        }
        black_box(&out);
    })
}

/// Over a grid, and at single points.
fn weald(basis: Basis, wavelength: f64, width: Width) -> [f64; 2] {
    let settings = NoiseSettings { basis, wavelength, octaves: OCTAVES.into(), ..NoiseSettings::default() };
    let tape = Tape::new(&Expr::noise(&settings)).expect("a tape");
    let lattice = Lattice::new(1.0).expect("a lattice");
    let grid = Grid { lattice, min: VoxelPos::new(0, 0, 0), dims: [SIDE; 3] };
    let points: Vec<DVec3> = (0..SAMPLES)
        .map(|i| DVec3::from_array([i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE].map(|c| c as f64)))
        .collect();
    let (mut scratch, mut out) = (EvalScratch::with_width(width), vec![0.0; SAMPLES]);
    let over_grid = speed(9, || tape.sample(black_box(&grid), &mut scratch, &mut out));
    let at_points = speed(3, || tape.values(black_box(&points), &mut scratch, &mut out));
    [over_grid, at_points]
}

fn main() {
    println!("M samples/s of 5 octaves in space; x: times simdnoise; +: times fastnoise-lite");
    for wavelength in [4.0, 16.0, 50.0, 200.0] {
        let frequency = 1.0 / wavelength as f32;
        let (simd, lite) = (simdnoise(frequency), fastnoise_lite(frequency));
        println!("\nwavelength of {wavelength} cells: simdnoise {simd:.1}, fastnoise-lite {lite:.1}");
        for basis in [Basis::Gradient, Basis::Value, Basis::Simplex, Basis::Worley(WorleyKind::F1)] {
            for width in Width::all() {
                let [grid, points] = weald(basis, wavelength, width);
                println!(
                    "  {basis:?} {width:?}: grid {grid:.1} ({:.2} x, {:.1} +), points {points:.1} ({:.2} x, {:.1} +)",
                    grid / simd,
                    grid / lite,
                    points / simd,
                    points / lite,
                );
            }
        }
    }
}
