//! How many samples a second a card gives, beside the processor on one thread, for a few fields.
//!
//! `cargo run --release -p weald-gpu --example speed [PART OF THE CARD'S NAME]`

use std::time::Instant;

use glam::DVec3;
use weald_field::wgsl::Shader;
use weald_field::{EvalScratch, Expr, Grid, NoiseSettings, Tape};
use weald_gpu::{AdapterKind, Gpu, GpuOptions};
use weald_space::{Lattice, VoxelPos};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let gpu = Gpu::new(&GpuOptions { kind: AdapterKind::Any, name, ..Default::default() })?;
    println!("{}; in millions of samples a second, 128³ points", gpu.name());
    let noise = Expr::noise(&NoiseSettings { wavelength: 60.0, octaves: 5, ..Default::default() });
    let rock = Expr::cuboid(DVec3::splat(60.0), DVec3::new(40.0, 30.0, 20.0), 20.0);
    let fields = [
        ("ball", Expr::sphere(DVec3::splat(64.0), 50.0)),
        ("five octaves", noise.clone()),
        ("a rock in the ground", (Expr::z() - noise * 10.0).union(&rock)),
    ];
    let grid = Grid { lattice: Lattice::new(1.0)?, min: VoxelPos::new(0, 0, 0), dims: [128; 3] };
    let (mut scratch, mut out) = (EvalScratch::default(), vec![0.0; grid.len()]);
    for (name, field) in fields {
        let tape = Tape::new(&field)?;
        let shader = Shader::new(&tape)?;
        let begun = Instant::now();
        let prepared = gpu.prepare(&shader.source)?;
        let ready = begun.elapsed();
        let card = rate(grid.len(), || gpu.sample(&prepared, &grid, |piece| shader.tables(piece), &mut out))?;
        let processor = rate(grid.len(), || {
            tape.sample(&grid, &mut scratch, &mut out);
            Ok::<(), weald_gpu::GpuError>(())
        })?;
        println!("{name:>22}: card {card:7.1}, processor {processor:7.1}, prepared in {ready:.0?}");
    }
    Ok(())
}

/// Millions of points a second, the best of five.
fn rate<E>(points: usize, mut work: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begun = Instant::now();
        work()?;
        best = best.min(begun.elapsed().as_secs_f64());
    }
    Ok(points as f64 / best / 1e6)
}
