//! Every op as a shader: valid WGSL, and near the tape on a card.

mod device;

use device::software;
use glam::DVec3;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use weald_field::wgsl::Shader;
use weald_field::{Basis, Domain, EvalScratch, Expr, Grid, NoiseSettings, Tape};
use weald_gpu::{Gpu, GpuOptions};
use weald_space::{Lattice, Seed, VoxelPos};
use weald_testkit::ops::ops;

/// How far a card may be from the tape, in metres.
const NEAR: f32 = 1e-4;

/// A world that is moved this far, in metres, looks the same.
const FAR: i64 = 10_000_000;

fn printed(field: &Expr) -> (Tape, Shader) {
    let tape = Tape::new(field).expect("the field is in order");
    let shader = Shader::new(&tape).expect("the field can be printed");
    (tape, shader)
}

fn grid(min: VoxelPos) -> Grid {
    let lattice = Lattice::new(0.5).expect("half a metre is a power of two");
    Grid { lattice, min, dims: [41, 39, 37] }
}

/// The values on the processor and on the card.
fn both(gpu: &Gpu, field: &Expr, grid: &Grid) -> Result<[Vec<f32>; 2], weald_gpu::GpuError> {
    let (tape, shader) = printed(field);
    let mut out = [vec![f32::NAN; grid.len()], vec![f32::NAN; grid.len()]];
    tape.sample(grid, &mut EvalScratch::default(), &mut out[0]);
    let prepared = gpu.prepare(&shader.source)?;
    gpu.sample(&prepared, grid, |piece| shader.tables(piece), &mut out[1])?;
    Ok(out)
}

#[test]
fn every_module_passes_the_validator_without_a_card() {
    for case in ops() {
        let (name, (_, shader)) = (case.name, printed(&case.expr));
        let module = naga::front::wgsl::parse_str(&shader.source)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&shader.source)));
        Validator::new(ValidationFlags::all(), Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&shader.source)));
    }
}

/// The fields that a card computes otherwise than the processor, each with its worst point. Tells the worst of those
/// that are near.
fn strays(gpu: &Gpu, far: i64) -> Vec<String> {
    let grid = grid(VoxelPos::new(-21 + 2 * far, -19 - 2 * far, -18));
    let mut strays = Vec::new();
    let mut worst = (0.0, "none");
    for case in ops() {
        let name = case.name;
        let moved = case.expr.translated(DVec3::new(far as f64, -far as f64, 0.0));
        let [tape, card] = match both(gpu, &moved, &grid) {
            Ok(values) => values,
            Err(error) => {
                strays.push(format!("{name}: {error}"));
                continue;
            }
        };
        let apart = |i: usize| (tape[i] - card[i]).abs();
        let wrong = (0..grid.len()).filter(|&i| apart(i).is_nan() || apart(i) > NEAR);
        let count = wrong.clone().count();
        let most = (0..grid.len()).map(apart).fold(0.0, f32::max);
        if most > worst.0 {
            worst = (most, name);
        }
        if let Some(i) = wrong.max_by(|&a, &b| apart(a).total_cmp(&apart(b))) {
            let place = [i % 41, i / 41 % 39, i / 41 / 39];
            strays.push(format!("{name}: {count} points, at {place:?} {} and not {}", card[i], tape[i]));
        }
    }
    println!("{}: {} is off by {:e} m", gpu.name(), worst.1, worst.0);
    strays
}

#[test]
fn on_a_card_every_op_is_near_the_tape() {
    let Some(gpu) = software(GpuOptions::default()) else { return };
    let strays = strays(&gpu, 0);
    assert!(strays.is_empty(), "{}", strays.join("\n"));
}

#[test]
fn on_a_card_every_op_is_near_the_tape_ten_thousand_kilometres_away() {
    let Some(gpu) = software(GpuOptions::default()) else { return };
    let strays = strays(&gpu, FAR);
    assert!(strays.is_empty(), "{}", strays.join("\n"));
}

/// At its lattice points value noise is the hash of the point and nothing else.
#[test]
fn hashes_are_equal_on_a_card() {
    let Some(gpu) = software(GpuOptions::default()) else { return };
    for far in [0, FAR] {
        let lattice = Lattice::new(4.0).expect("four metres are a power of two");
        let grid = Grid { lattice, min: VoxelPos::new(far - 11, -far, -7), dims: [33; 3] };
        for domain in [Domain::Plane, Domain::Space] {
            let (basis, seed) = (Basis::Value, Seed::new(11));
            let settings =
                NoiseSettings { basis, domain, wavelength: 4.0, octaves: 1, seed, ..Default::default() };
            let [tape, card] = both(&gpu, &Expr::noise(&settings), &grid).expect("the card samples");
            assert_eq!(tape, card, "{domain:?}");
            assert!(tape.iter().any(|value| *value != tape[0]), "{domain:?} is flat");
        }
    }
}

#[test]
fn a_grid_in_pieces_has_the_same_values() {
    let Some(whole) = software(GpuOptions::default()) else { return };
    let Some(cut) = software(GpuOptions { points_at_once: 300, ..Default::default() }) else { return };
    let grid = grid(VoxelPos::new(-3, -4, -5));
    for case in ops().into_iter().step_by(5) {
        let values = [&whole, &cut].map(|gpu| both(gpu, &case.expr, &grid).expect("the card samples"));
        assert_eq!(values[0][1], values[1][1], "{}", case.name);
    }
}
