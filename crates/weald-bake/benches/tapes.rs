//! What the tape of the example world costs, and what pruning saves.
//!
//! `cargo bench -p weald-bake --bench tapes [-- tape | capsules | chunks]`: one thread; each figure is the least of several runs, and each ratio is of
//! two figures of the same run.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use glam::{DVec3, I64Vec3};
use weald_bake::recipe;
use weald_contour::contour_chunk;
use weald_field::segments::Segment;
use weald_field::{ContentId, EvalScratch, Expr, Grid, Segments, Tape, Width};
use weald_space::{Aabb, CHUNK_CELLS, ChunkKey, Lattice, Seed};

/// The least time of some runs, in seconds.
fn least(runs: usize, mut run: impl FnMut()) -> f64 {
    let once = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min)
}

/// The least times of two things, run in turns, so that what else the machine does meets both.
fn least_in_turns(runs: usize, mut one: impl FnMut(), mut other: impl FnMut()) -> [f64; 2] {
    let mut best = [f64::INFINITY; 2];
    for _ in 0..runs {
        best = [best[0].min(least(1, &mut one)), best[1].min(least(1, &mut other))];
    }
    best
}

fn main() {
    let world = Path::new("../../worlds/valley.ron");
    let recipe = recipe::load(world).expect("the example world");
    let (tape, lattice) = (&recipe.ground.tape, recipe.lattice);
    let height = recipe.ground.terrain.height(glam::DVec2::new(600.0, -900.0)).unwrap_or(0.0);
    let side = CHUNK_CELLS as f64 * lattice.cell_size();
    let chunk_at = |x: f64, y: f64, z: f64| {
        ChunkKey::new((x / side).floor() as i64, (y / side).floor() as i64, (z / side).floor() as i64)
    };
    let only = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let is_asked = |part: &str| only.as_deref().is_none_or(|only| only == part);
    if is_asked("tape") {
        world_tape(tape, lattice, chunk_at(600.0, -900.0, height));
    }
    if is_asked("capsules") {
        capsules();
    }
    if !is_asked("chunks") {
        return;
    }
    chunks(tape, lattice, chunk_at(600.0, -900.0, height), chunk_at(120.0, -140.0, 480.0));
    nothing(tape, lattice, chunk_at(600.0, -900.0, 4_000.0), "sky");
    nothing(tape, lattice, chunk_at(600.0, -900.0, -4_000.0), "deep rock");
}

fn around(key: ChunkKey, lattice: Lattice) -> Grid {
    Grid { lattice, min: key.origin() + I64Vec3::splat(-2), dims: [37; 3] }
}

/// The world's whole tape at scattered points and over a chunk, one point at a time and in lanes.
fn world_tape(tape: &Tape, lattice: Lattice, key: ChunkKey) {
    println!("the example world's tape, {} steps, M samples/s", tape.len());
    let mut draw = Seed::new(3).at(I64Vec3::ZERO, 0, 0);
    let points: Vec<DVec3> = (0..20_000)
        .map(|_| DVec3::new(draw.range(-2e3..2e3), draw.range(-2e3..2e3), draw.range(200.0..700.0)))
        .collect();
    let grid = around(key, lattice);
    let mut reference = None;
    for width in Width::all() {
        let mut scratch = EvalScratch::with_width(width);
        let mut values = vec![0.0; points.len()];
        let at_points = least(15, || tape.values(black_box(&points), &mut scratch, &mut values));
        let mut samples = vec![0.0; grid.len()];
        let on_grid = least(15, || tape.sample(black_box(&grid), &mut scratch, &mut samples));
        let rates = [points.len() as f64 / at_points / 1e6, grid.len() as f64 / on_grid / 1e6];
        let [of_points, of_grid] = *reference.get_or_insert(rates);
        println!(
            "  {width:?}: points {:.2} ({:.1} x the scalar), 37^3 grid {:.1} ({:.1} x)",
            rates[0],
            rates[0] / of_points,
            rates[1],
            rates[1] / of_grid
        );
    }
}

/// Field to mesh, where only terrain reaches the chunk, and where the keep does.
fn chunks(tape: &Tape, lattice: Lattice, terrain: ChunkKey, keep: ChunkKey) {
    for (what, key) in [("terrain alone", terrain), ("the keep", keep)] {
        let mut scratch = weald_contour::Scratch::default();
        let grid = around(key, lattice);
        let min = grid.min.0.as_dvec3() * lattice.cell_size();
        let within = Aabb::new(min, min + DVec3::splat(36.0 * lattice.cell_size()));
        let pruned = tape.prune(within).1.map_or(tape.len(), |tape| tape.len());
        let seconds = least(15, || {
            black_box(contour_chunk(tape, lattice, key, &mut scratch).expect("a finite field"));
        });
        println!("chunk, {what}: {pruned} of {} steps, field to mesh {:.2} ms", tape.len(), seconds * 1e3);
    }
}

/// A chunk that nothing reaches.
fn nothing(tape: &Tape, lattice: Lattice, key: ChunkKey, what: &str) {
    let mut scratch = weald_contour::Scratch::default();
    let seconds = least(50, || {
        for _ in 0..100 {
            black_box(contour_chunk(tape, lattice, key, &mut scratch).expect("a finite field"));
        }
    });
    println!("chunk of {what}: {:.2} us", seconds / 100.0 * 1e6);
}

/// A chunk that some 20 of 10,000 random capsules reach, beside a tape of those alone. Reached is what is nearest to a
/// sample of the chunk: no more and no less decides its values.
fn capsules() {
    let lattice = Lattice::new(1.0).expect("a power of two");
    let key = ChunkKey::new(0, 0, 0);
    let grid = around(key, lattice);
    let min = grid.min.0.as_dvec3();
    let within = Aabb::new(min, min + DVec3::splat(36.0));
    let mut draw = Seed::new(9).at(I64Vec3::ZERO, 0, 0);
    let mut point = |reach: f64| {
        DVec3::new(draw.range(-reach..reach), draw.range(-reach..reach), draw.range(-reach..reach))
    };
    let all: Vec<(DVec3, DVec3)> = (0..10_000)
        .map(|_| {
            let a = point(210.0) + 16.0;
            (a, a + point(8.0))
        })
        .collect();
    let union = |ends: &[(DVec3, DVec3)], id: u64| {
        let segments: Vec<Segment> = ends
            .iter()
            .map(|(a, b)| Segment { ends: [a.as_vec3(), b.as_vec3()], radii: [1.5, 1.5] })
            .collect();
        let segments = Segments::new(DVec3::ZERO, &segments, ContentId::from(id)).expect("good capsules");
        Tape::new(&Expr::segments(segments)).expect("a good expression")
    };
    let near = nearest(&all, &grid);
    let (many, few) = (union(&all, 1), union(&near, 2));
    let field = || {
        let (mut scratch, mut samples) = (EvalScratch::default(), vec![0.0; grid.len()]);
        move |tape: &Tape| {
            let pruned = tape.trace(within).pruned();
            pruned.as_ref().unwrap_or(tape).sample(&grid, &mut scratch, &mut samples);
            black_box(&samples);
        }
    };
    let (mut of_many, mut of_few) = (field(), field());
    let [whole, alone] = least_in_turns(60, || of_many(&many), || of_few(&few));
    let count = format!("chunk that {} of {} capsules reach", near.len(), all.len());
    println!(
        "{count}: pruned and sampled in {:.3} ms, with those alone {:.3} ms, {:.2} x",
        whole * 1e3,
        alone * 1e3,
        whole / alone
    );
    let mesh = || {
        let mut scratch = weald_contour::Scratch::default();
        move |tape: &Tape| {
            black_box(contour_chunk(tape, lattice, key, &mut scratch).expect("a finite field"));
        }
    };
    let (mut of_many, mut of_few) = (mesh(), mesh());
    let [whole, alone] = least_in_turns(60, || of_many(&many), || of_few(&few));
    println!(
        "{count}: field to mesh {:.3} ms, with those alone {:.3} ms, {:.2} x",
        whole * 1e3,
        alone * 1e3,
        whole / alone
    );
    let trace = least(50, || {
        black_box(many.trace(within).range());
    });
    println!("  interval trace of all {:.1} us", trace * 1e6);
}

/// The capsules that are nearest to some sample of a grid.
fn nearest(all: &[(DVec3, DVec3)], grid: &Grid) -> Vec<(DVec3, DVec3)> {
    let mut is_nearest = vec![false; all.len()];
    for number in 0..grid.len() {
        let [nx, ny, _] = grid.dims;
        let [x, y, z] = [number % nx, number / nx % ny, number / (nx * ny)];
        if [x, y, z].iter().any(|c| c % 2 == 1) {
            continue;
        }
        let at = (grid.min.0 + I64Vec3::new(x as i64, y as i64, z as i64)).as_dvec3();
        let distance = |&(a, b): &(DVec3, DVec3)| {
            let along = ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            at.distance_squared(a.lerp(b, along))
        };
        let least = all.iter().map(distance).enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
        is_nearest[least.map_or(0, |(number, _)| number)] = true;
    }
    all.iter().zip(is_nearest).filter_map(|(&ends, is_nearest)| is_nearest.then_some(ends)).collect()
}
