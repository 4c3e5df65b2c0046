//! The values of all ops as hashes: the same at each width and however many threads share a grid.
//!
//! `WEALD_BLESS=1` writes them anew; a change belongs into the change log, and raises `OUTPUT_VERSION`.

use std::fmt::Write as _;
use std::path::PathBuf;

use weald_field::{EvalScratch, Grid, Tape, Width};
use weald_space::{Lattice, VoxelPos};
use weald_testkit::ops::ops;

const DIMS: [usize; 3] = [40, 24, 32];

/// FNV-1a over the bits, for its few lines: nobody attacks these.
fn hash(values: &[f32]) -> u64 {
    let bytes = values.iter().flat_map(|value| value.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Samples a grid in slabs, as many at a time as there are threads.
fn sample(tape: &Tape, width: Width, threads: usize) -> Vec<f32> {
    let lattice = Lattice::new(0.5).expect("a power of two");
    let mut values = vec![0.0; DIMS.iter().product()];
    let slab = DIMS[2].div_ceil(threads);
    std::thread::scope(|scope| {
        for (number, out) in values.chunks_mut(DIMS[0] * DIMS[1] * slab).enumerate() {
            scope.spawn(move || {
                let min = VoxelPos::new(-20, -12, -16 + (number * slab) as i64);
                let dims = [DIMS[0], DIMS[1], out.len() / (DIMS[0] * DIMS[1])];
                tape.sample(&Grid { lattice, min, dims }, &mut EvalScratch::with_width(width), out);
            });
        }
    });
    values
}

#[test]
fn all_ops_have_the_values_that_are_written_down() {
    let mut found = String::new();
    for case in ops() {
        let tape = Tape::new(&case.expr).expect("a good expression");
        let reference = hash(&sample(&tape, Width::Scalar, 1));
        for width in Width::all() {
            for threads in [1, 2, 8] {
                let here = hash(&sample(&tape, width, threads));
                assert_eq!(here, reference, "{} on {threads} threads at {width:?}", case.name);
            }
        }
        let _ = writeln!(found, "{reference:016x} {}", case.name);
    }
    let path = PathBuf::from("tests/golden.txt");
    if std::env::var_os("WEALD_BLESS").is_some() {
        std::fs::write(&path, &found).expect("golden values can be written");
    }
    let written = std::fs::read_to_string(&path).expect("golden values");
    for (found, written) in found.lines().zip(written.lines()) {
        assert_eq!(found, written, "an op has other values than before");
    }
    assert_eq!(found.lines().count(), written.lines().count(), "ops were added or removed");
}
