//! Any module of the printed shape runs: in pieces, with equal integers, and with errors that say what is wrong.

mod device;

use device::software;
use weald_field::Grid;
use weald_field::wgsl::Tables;
use weald_gpu::{Gpu, GpuError, GpuOptions, Prepared};
use weald_space::{Lattice, VoxelPos};

const HASH: &str = include_str!("hash.wgsl");

fn grid(dims: [usize; 3]) -> Grid {
    Grid {
        lattice: Lattice::new(1.0).expect("a metre is a power of two"),
        min: VoxelPos::new(-7, 3, 100),
        dims,
    }
}

fn tables(grid: &Grid) -> Tables {
    let min = grid.min.0.to_array().map(|place| place as u32);
    Tables { floats: Vec::new(), ints: min.to_vec(), dims: grid.dims.map(|length| length as u32) }
}

fn hash([x, y, z]: [u32; 3]) -> u32 {
    let mut hash = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ z.wrapping_mul(0xc2b2_ae3d);
    hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
    hash = (hash ^ hash >> 12).wrapping_mul(0x297a_2d39);
    (hash ^ hash >> 15) >> 8
}

fn hashes(grid: &Grid) -> Vec<f32> {
    let [x, y, z] = grid.dims.map(|length| length as i64);
    let place = |i: i64| (grid.min + VoxelPos::new(i % x, i / x % y, i / x / y).0).0.to_array();
    (0..x * y * z).map(|i| hash(place(i).map(|place| place as u32)) as f32).collect()
}

fn sampled(gpu: &Gpu, prepared: &Prepared, grid: &Grid) -> Vec<f32> {
    let mut out = vec![f32::NAN; grid.len()];
    gpu.sample(prepared, grid, tables, &mut out).expect("the card samples");
    out
}

#[test]
fn integers_are_equal_however_a_grid_is_cut() {
    for points_at_once in [usize::MAX, 1_000, 100, 7, 1] {
        let Some(gpu) = software(GpuOptions { points_at_once, ..Default::default() }) else { return };
        let prepared = gpu.prepare(HASH).unwrap();
        for dims in [[1, 1, 1], [13, 1, 1], [5, 7, 3], [64, 1, 2], [0, 4, 4]] {
            let grid = grid(dims);
            assert_eq!(sampled(&gpu, &prepared, &grid), hashes(&grid), "{dims:?} by {points_at_once}");
        }
    }
}

#[test]
fn more_workgroups_than_a_row_of_them_holds_are_all_run() {
    let Some(gpu) = software(GpuOptions { points_at_once: usize::MAX, ..Default::default() }) else { return };
    let wide = grid([180, 160, 150]);
    assert!(wide.len() / 64 > 65_535, "one row of workgroups would do");
    assert_eq!(sampled(&gpu, &gpu.prepare(HASH).unwrap(), &wide), hashes(&wide));
}

#[test]
fn a_module_that_is_wrong_is_named_by_its_line() {
    let Some(gpu) = software(GpuOptions::default()) else { return };
    let line = 1 + HASH.lines().position(|line| line.contains("var hash")).unwrap() as u32;
    for wrong in ["var hash = at.w;", "var hash = ;", "var hash = at.x ^ 2i;"] {
        let source: Vec<&str> =
            HASH.lines().map(|line| if line.contains("var hash") { wrong } else { line }).collect();
        let error = gpu.prepare(&source.join("\n")).unwrap_err();
        let GpuError::Module { line: told, text, message } = &error else { panic!("{error:?}") };
        assert_eq!((*told, text.as_str()), (line, wrong), "{error}");
        assert!(!message.is_empty() && !error.to_string().contains('\n'), "{error}");
    }
    gpu.prepare(HASH).unwrap();
}

#[test]
fn a_module_without_the_entry_point_is_refused() {
    let Some(gpu) = software(GpuOptions::default()) else { return };
    let error = gpu.prepare(&HASH.replace("fn sample", "fn simple")).unwrap_err();
    assert!(matches!(&error, GpuError::Invalid { message, .. } if message.contains("sample")), "{error}");
}

#[test]
fn what_is_above_the_limits_is_refused_with_its_size() {
    let Some(gpu) = software(GpuOptions::default()) else { return };
    let prepared = gpu.prepare(HASH).unwrap();
    let one = grid([1; 3]);
    let large = |piece: &Grid| Tables { floats: vec![0.0; 1 << 26], ..tables(piece) };
    let error = gpu.sample(&prepared, &one, large, &mut [0.0]).unwrap_err();
    assert!(matches!(error, GpuError::AboveLimit { what: "floats", bytes: 268_435_456, .. }), "{error}");

    let error = gpu.sample(&prepared, &one, tables, &mut [0.0; 2]).unwrap_err();
    assert_eq!(error, GpuError::Room { points: 1, room: 2 });
    assert_eq!(sampled(&gpu, &prepared, &one), hashes(&one), "the card goes on");
}

#[test]
fn a_card_that_is_not_there_is_told_with_those_that_are() {
    let options = GpuOptions { name: "Voodoo 7".into(), ..Default::default() };
    let error = Gpu::new(&options).unwrap_err();
    assert!(matches!(error, GpuError::NoAdapter { .. }), "{error}");
    let text = error.to_string();
    assert!(text.starts_with("no graphics adapter is a card by "), "{text}");
    assert!(text.contains("with \"Voodoo 7\" in its name; there "), "{text}");

    let nothing = GpuOptions { backends: weald_gpu::Backends::empty(), ..Default::default() };
    let error = Gpu::new(&nothing).unwrap_err().to_string();
    assert_eq!(error, "no graphics adapter is a card by no interface that is built in; there is none at all");
}

#[test]
fn a_card_that_was_given_back_is_lost() {
    let Some(gpu) = software(GpuOptions::default()) else { return };
    let prepared = gpu.prepare(HASH).unwrap();
    gpu.give_back();
    let error = gpu.sample(&prepared, &grid([4; 3]), tables, &mut [0.0; 64]).unwrap_err();
    assert!(matches!(error, GpuError::Lost { .. }), "{error}");
    assert!(matches!(gpu.prepare(&HASH.replace("15u", "16u")), Err(GpuError::Lost { .. })));
}

#[test]
fn a_card_that_takes_too_long_is_silent() {
    let patience = std::time::Duration::from_nanos(1);
    let Some(gpu) = software(GpuOptions { patience, ..Default::default() }) else { return };
    let prepared = gpu.prepare(HASH).unwrap();
    let large = grid([150; 3]);
    let error = gpu.sample(&prepared, &large, tables, &mut vec![0.0; large.len()]).unwrap_err();
    assert!(matches!(error, GpuError::Silent { .. }), "{error}");
}

#[test]
fn threads_take_turns_on_one_card() {
    let Some(gpu) = software(GpuOptions { points_at_once: 200, ..Default::default() }) else { return };
    let prepared = gpu.prepare(HASH).unwrap();
    std::thread::scope(|scope| {
        for height in 1..5 {
            let (gpu, prepared) = (&gpu, &prepared);
            scope.spawn(move || {
                let grid = grid([11, 9, height]);
                for _ in 0..10 {
                    assert_eq!(sampled(gpu, prepared, &grid), hashes(&grid));
                }
            });
        }
    });
}
