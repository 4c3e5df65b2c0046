//! What a field costs: `cargo bench -p weald-field`.

#![allow(missing_docs, reason = "a bench has no public items")]

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use glam::{DVec2, DVec3, Vec3};
use weald_field::{Basis, ContentId, Domain, EvalScratch, Expr, Grid, Heightfield, NoiseSettings, Tape};
use weald_space::{Aabb, Lattice, VoxelPos};

fn main() {
    divan::main();
}

fn terrain() -> Tape {
    let posts: Vec<f32> =
        (0..128 * 128).map(|i| ((i % 128) as f32 - 40.0) * 2.0 + (i * 7919 % 31) as f32).collect();
    let step = DVec2::splat(30.0);
    let field =
        Heightfield::new(DVec2::ZERO, step, 128, 128, posts.into(), ContentId::from(1)).expect("a grid");
    let detail =
        NoiseSettings { domain: Domain::Plane, wavelength: 60.0, octaves: 4, ..NoiseSettings::default() };
    let height = Expr::heightfield(field) + Expr::noise(&detail);
    Tape::new(&Expr::height_surface(height, 0.0)).expect("a tape")
}

fn noise(basis: Basis, wavelength_in_cells: f64) -> Tape {
    let settings = NoiseSettings { basis, wavelength: wavelength_in_cells * 4.0, ..NoiseSettings::default() };
    Tape::new(&Expr::noise(&settings)).expect("a tape")
}

fn solids() -> Tape {
    let mut all = Expr::z();
    for i in 0..8 {
        let at = DVec3::new(f64::from(i) * 16.0, 64.0, 40.0);
        all = all.union(&Expr::cuboid(at, DVec3::splat(10.0), f64::from(i) * 20.0));
        all = all.difference(&Expr::sphere(at + DVec3::ONE * 6.0, 7.0));
    }
    Tape::new(&all).expect("a tape")
}

fn sample(bencher: Bencher, tape: &Tape, side: usize) {
    let lattice = Lattice::new(4.0).expect("a lattice");
    let grid = Grid { lattice, min: VoxelPos::new(32, 64, 0), dims: [side; 3] };
    let (mut scratch, mut out) = (EvalScratch::default(), vec![0.0; grid.len()]);
    bencher.counter(ItemsCount::new(grid.len())).bench_local(|| {
        tape.sample(black_box(&grid), &mut scratch, &mut out);
        out[0]
    });
}

#[divan::bench(args = [37, 64])]
fn sample_terrain(bencher: Bencher, side: usize) {
    sample(bencher, &terrain(), side);
}

#[divan::bench(args = [4, 16, 27, 64])]
fn sample_gradient_noise_of_5_octaves(bencher: Bencher, wavelength_in_cells: u32) {
    sample(bencher, &noise(Basis::Gradient, wavelength_in_cells.into()), 64);
}

#[divan::bench]
fn sample_value_noise_of_5_octaves(bencher: Bencher) {
    sample(bencher, &noise(Basis::Value, 27.0), 64);
}

#[divan::bench]
fn sample_16_solids(bencher: Bencher) {
    sample(bencher, &solids(), 37);
}

fn points() -> Vec<DVec3> {
    (0..4096).map(|i| DVec3::new(f64::from(i % 64), f64::from(i / 64), f64::from(i)) * 0.77).collect()
}

#[divan::bench(args = ["terrain", "noise", "solids"])]
fn duals_at_4096_points(bencher: Bencher, field: &str) {
    let tape = match field {
        "terrain" => terrain(),
        "noise" => noise(Basis::Gradient, 27.0),
        _ => solids(),
    };
    let points = points();
    let (mut values, mut gradients) = (vec![0.0; points.len()], vec![Vec3::ZERO; points.len()]);
    let mut scratch = EvalScratch::default();
    bencher.counter(ItemsCount::new(points.len())).bench_local(|| {
        tape.duals(black_box(&points), &mut scratch, &mut values, &mut gradients);
        values[0]
    });
}

#[divan::bench(args = ["terrain", "noise", "solids"])]
fn bounds_of_a_chunk(bencher: Bencher, field: &str) {
    let tape = match field {
        "terrain" => terrain(),
        "noise" => noise(Basis::Gradient, 27.0),
        _ => solids(),
    };
    let chunk = Aabb::new(DVec3::splat(128.0), DVec3::splat(256.0));
    bencher.bench_local(|| tape.bounds(black_box(chunk)));
}
