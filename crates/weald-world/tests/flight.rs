//! Flights over ground that is made at a fixed rate: never a hole, never more memory than allowed, and no flicker.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;
use weald_space::{CHUNK_CELLS, ChunkKey, Lattice, Lod, WorldPos, ops};
use weald_world::{
    Content, Cut, Piece, Region, SelectScratch, SelectSettings, Selection, Stream, Viewer, select,
};

const FRAMES_PER_SECOND: usize = 60;

fn lod(level: u8) -> Lod {
    Lod::new(level).expect("a level")
}

fn viewer(position: [f64; 3]) -> Viewer {
    let [x, y, z] = position;
    Viewer { position: WorldPos::new(x, y, z), fov_y_deg: 60.0, height_px: 1080 }
}

/// Hills between 40 and 320 m, in metres.
fn height(x: f64, y: f64) -> f64 {
    180.0 + 100.0 * ops::sin(x / 700.0) * ops::cos(y / 900.0) + 40.0 * ops::sin(x / 130.0 + y / 170.0)
}

/// Whether the surface may pass through a chunk of a lattice of 1 m: exact but for the slope, which is bounded.
fn content(chunk: ChunkKey) -> Content {
    let side = (CHUNK_CELLS * chunk.lod.cells()) as f64;
    let [x, y, z] = chunk.finest_origin().0.as_dvec3().to_array();
    let middle = height(x + side / 2.0, y + side / 2.0);
    let slope = 100.0 / 700.0 + 40.0 / 130.0 + 100.0 / 900.0 + 40.0 / 170.0;
    let spread = slope * side / 2.0;
    if middle + spread < z || middle - spread > z + side { Content::Empty } else { Content::Triangles(2400) }
}

/// What a flight has shown.
#[derive(Debug, Default)]
struct Log {
    frames: usize,
    wants: usize,
    made: usize,
    most_bytes: u64,
    most_chunks: usize,
    most_triangles: u64,
    refused: usize,
    /// Frames from wanted to shown, where something coarser stood in. What is to be joined can wait: it is fine already.
    waits: Vec<usize>,
    /// Chunks that replaced finer ones.
    joined: usize,
    /// Wanted, and wanted no more before they were shown.
    given_up: usize,
}

/// A stream with a worker that makes so many chunks a second; empty ones cost it nothing.
struct Flight {
    stream: Stream,
    settings: SelectSettings,
    scratch: SelectScratch,
    budget: u64,
    chunks_per_second: f64,
    credit: f64,
    making: VecDeque<Piece>,
    /// Since when, and whether something coarser stands in.
    waiting: BTreeMap<ChunkKey, (usize, bool)>,
    log: Log,
}

impl Flight {
    fn new(region: Region, budget: u64, chunks_per_second: f64, settings: SelectSettings) -> Self {
        Flight {
            stream: Stream::new(region, budget),
            settings,
            scratch: SelectScratch::default(),
            budget,
            chunks_per_second,
            credit: 0.0,
            making: VecDeque::new(),
            waiting: BTreeMap::new(),
            log: Log::default(),
        }
    }

    fn look(&mut self, region: Region, position: [f64; 3]) {
        let lattice = Lattice::new(1.0).expect("a power of two");
        let last = self.stream.wanted();
        let selection =
            select(region, lattice, &viewer(position), last, &content, &self.settings, &mut self.scratch);
        let selection = selection.expect("a good viewer");
        self.log.most_chunks = self.log.most_chunks.max(selection.cut.chunks().len());
        self.log.most_triangles = self.log.most_triangles.max(selection.triangles);
        let (cut, shown) = (&selection.cut, self.stream.shown());
        let before = self.waiting.len();
        self.waiting.retain(|&chunk, _| cut.contains(chunk));
        self.log.given_up += before - self.waiting.len();
        for &chunk in cut.chunks() {
            if shown.is_none_or(|shown| !shown.contains(chunk)) {
                let coarse = shown.is_none_or(|shown| !shown.is_split(chunk));
                self.waiting.entry(chunk).or_insert((self.log.frames, coarse));
            }
        }
        self.log.wants += 1;
        self.stream.want(selection).expect("the same region");
    }

    /// What was begun in the last frame is done in this one.
    fn frame(&mut self) {
        while let Some(piece) = self.making.pop_front() {
            let (bytes, triangles) = match content(piece.chunk) {
                Content::Triangles(count) => (u64::from(count) * 40, count),
                _ => (0, 0),
            };
            self.log.made += usize::from(bytes > 0);
            self.log.refused += usize::from(self.stream.ready(piece, bytes, triangles).is_err());
        }
        self.credit += self.chunks_per_second / FRAMES_PER_SECOND as f64;
        while self.credit >= 1.0 {
            let Some(job) = self.stream.next_job() else {
                self.credit = 0.0;
                break;
            };
            self.credit -= if content(job.chunk) == Content::Empty { 0.0 } else { 1.0 };
            self.making.push_back(job);
        }
        let was_covered = self.stream.covered();
        let change = self.stream.advance();
        assert!(self.stream.covered() || !was_covered, "a hole in frame {}", self.log.frames);
        assert!(self.stream.bytes() <= self.budget, "{} bytes", self.stream.bytes());
        self.log.most_bytes = self.log.most_bytes.max(self.stream.bytes());
        if let Some(shown) = self.stream.shown()
            && !(change.show.is_empty() && change.hide.is_empty())
        {
            let again = Cut::new(shown.region(), shown.chunks().iter().copied());
            assert_eq!(again.as_ref(), Ok(shown), "not a tiling in frame {}", self.log.frames);
            let Log { frames, waits, joined, .. } = &mut self.log;
            self.waiting.retain(|&chunk, &mut (since, coarse)| {
                let seen = shown.contains(chunk);
                waits.extend((seen && coarse).then_some(*frames - since));
                *joined += usize::from(seen && !coarse);
                !seen
            });
        }
        self.log.frames += 1;
    }

    fn wait_p(&mut self, part: f64) -> f64 {
        self.log.waits.sort_unstable();
        let last = self.log.waits.len().saturating_sub(1);
        let at = (last as f64 * part) as usize;
        self.log.waits.get(at).map_or(0.0, |&frames| frames as f64 / FRAMES_PER_SECOND as f64)
    }
}

/// So many seconds at 100 m/s, 40 m above hills, over 16 km × 8 km × 512 m.
fn fly(seconds: usize, budget: u64, chunks_per_second: f64, settings: SelectSettings) -> Flight {
    let region = Region::new(lod(4), [0, 0, 0], [32, 16, 1]).expect("512 roots");
    let mut flight = Flight::new(region, budget, chunks_per_second, settings);
    let place = |seconds: f64| {
        let (x, y) = (3000.0 + 100.0 * seconds, 4000.0 + 800.0 * ops::sin(seconds / 20.0));
        [x, y, height(x, y) + 40.0]
    };
    // Hover until all is there, or for a quarter of a minute.
    for _ in 0..15 * FRAMES_PER_SECOND {
        if flight.log.frames.is_multiple_of(6) {
            flight.look(region, place(0.0));
        }
        flight.frame();
        if flight.stream.is_settled() {
            break;
        }
    }
    println!("covered and settled after {} frames: {}", flight.log.frames, flight.stream.is_settled());
    flight.log.waits.clear();
    flight.waiting.clear();
    flight.log.made = 0;
    for frame in 0..seconds * FRAMES_PER_SECOND {
        if frame % 6 == 0 {
            flight.look(region, place(frame as f64 / FRAMES_PER_SECOND as f64));
        }
        flight.frame();
        assert!(flight.stream.covered(), "a hole in the flight");
    }
    println!(
        "{} chunks/s, {} MB: wait p50 {:.3} s, p99 {:.3} s, most {:.3} s of {} (and {} joined); {} passed by; {} made, {} refused; \
         at most {} chunks, {} M triangles, {} MB; over budget {:?}",
        chunks_per_second,
        budget >> 20,
        flight.wait_p(0.5),
        flight.wait_p(0.99),
        flight.wait_p(1.0),
        flight.log.waits.len(),
        flight.log.joined,
        flight.log.given_up,
        flight.log.made,
        flight.log.refused,
        flight.log.most_chunks,
        flight.log.most_triangles / 1_000_000,
        flight.log.most_bytes >> 20,
        flight.stream.over_budget(),
    );
    flight
}

#[test]
fn a_flight_leaves_no_hole_and_keeps_its_budget() {
    // 2.5 ms a chunk: at two pixels the flight asks for 183 chunks a second.
    let mut flight = fly(100, 1 << 30, 400.0, SelectSettings::default());
    assert_eq!(flight.log.refused, 0);
    assert!(flight.wait_p(0.99) <= 0.25, "{} s", flight.wait_p(0.99));
}

#[test]
fn a_worker_that_barely_keeps_up_shows_all_some_seconds_late() {
    let mut flight = fly(40, 1 << 30, 200.0, SelectSettings::default());
    assert_eq!(flight.log.refused, 0);
    assert!(flight.wait_p(0.5) <= 0.5 && flight.wait_p(0.99) <= 5.0, "{} s", flight.wait_p(0.99));
}

#[test]
fn a_starved_flight_is_coarse_but_whole() {
    // Too few chunks a second, and less memory than what is wanted.
    let flight = fly(40, 128 << 20, 40.0, SelectSettings::default());
    assert!(flight.log.given_up > 0, "the worker kept up: this is no test");
    let (finest, _) = flight.stream.shown().expect("it was covered").levels();
    assert!(finest <= lod(1), "what is near is made first: {finest}");
}

fn split_chunks(cut: &Cut) -> Vec<ChunkKey> {
    let mut split = Vec::new();
    for &chunk in cut.chunks() {
        let mut inner = chunk;
        while let Some(parent) = inner.parent().filter(|&parent| cut.region().holds(parent)) {
            split.push(parent);
            inner = parent;
        }
    }
    split.sort_unstable();
    split.dedup();
    split
}

/// Sways for a minute along a direction by a metre to each side, and counts how often each chunk is split or joined. The
/// answer depends on the last cut and the place alone, so once a whole period changes nothing, none will.
fn switches(
    lattice: Lattice,
    region: Region,
    middle: [f64; 3],
    direction: [f64; 3],
    first: Option<Selection>,
    settings: &SelectSettings,
) -> BTreeMap<ChunkKey, usize> {
    let mut scratch = SelectScratch::default();
    let mut counts = BTreeMap::new();
    let mut last = first;
    let content = |_| Content::Unknown;
    for _second in 0..60 {
        let mut changed = false;
        for phase in 0..12 {
            let sway = ops::sin(f64::from(phase) / 12.0 * std::f64::consts::TAU);
            let place = std::array::from_fn(|axis| middle[axis] + direction[axis] * sway);
            let found =
                select(region, lattice, &viewer(place), last.as_ref(), &content, settings, &mut scratch);
            let found = found.expect("a good viewer");
            if let Some(last) = last.as_ref().filter(|last| last.cut != found.cut) {
                changed = true;
                let (was, is) = (split_chunks(&last.cut), split_chunks(&found.cut));
                let toggled = was.iter().filter(|c| is.binary_search(c).is_err());
                for &chunk in toggled.chain(is.iter().filter(|c| was.binary_search(c).is_err())) {
                    *counts.entry(chunk).or_insert(0) += 1;
                }
            }
            last = Some(found);
        }
        if !changed {
            break;
        }
    }
    counts
}

#[test]
fn without_hysteresis_the_same_sway_flickers() {
    let lattice = Lattice::new(1.0).expect("a power of two");
    let region = Region::new(lod(3), [-3, -3, 0], [3, 3, 1]).expect("36 roots");
    let calm = SelectSettings::default();
    let nervous = SelectSettings { hysteresis: 0.0, margin: 0.0, ..calm };
    // Level 1 is split nearer than 233.8 m, and chunks of it start at each 64 m.
    let middle = [64.0 - 233.8, 10.0, 40.0];
    let most = |settings| {
        let counts = switches(lattice, region, middle, [1.0, 0.0, 0.0], None, settings);
        counts.values().copied().max().unwrap_or(0)
    };
    // Pacing ten times as far is beyond the margin, but within the hysteresis of a tenth of 234 m.
    let pacing = |settings| {
        let counts = switches(lattice, region, middle, [10.0, 0.0, 0.0], None, settings);
        counts.values().copied().max().unwrap_or(0)
    };
    assert!(most(&calm) <= 1 && pacing(&calm) == 1);
    assert!(pacing(&SelectSettings { hysteresis: 0.0, ..calm }) >= 100);
    assert!(most(&nervous) >= 100, "{}", most(&nervous));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn swaying_on_a_border_switches_each_chunk_once_at_most(
        level in 1_u8..=3, cell in prop::sample::select(vec![1.0 / 64.0, 0.25, 1.0, 4.0]),
        place in prop::array::uniform3(0.0..1.0_f64), direction in prop::array::uniform3(-1.0..1.0_f64),
        from_within: bool, off in -1.0..1.0_f64, triangles in prop::sample::select(vec![300_000, u64::MAX]),
    ) {
        let lattice = Lattice::new(cell).expect("a power of two");
        let region = Region::new(lod(3), [-3, -3, 0], [3, 3, 1]).expect("36 roots");
        let settings = SelectSettings { max_triangles: triangles, ..SelectSettings::default() };
        let length = ops::sqrt(direction.iter().map(|d| d * d).sum());
        prop_assume!(length > 1e-3);
        let direction = direction.map(|d| d / length);
        // Where a chunk of the level is on the edge of being split, or of being joined if it was split before.
        let px_at_one_metre = 1080.0 / (2.0 * ops::tan(30.0_f64.to_radians()));
        let cells = lod(level).cells() as f64;
        let splits_at = px_at_one_metre * settings.error_cells * cell * cells / settings.pixels;
        let side = cell * 32.0 * cells;
        let chunk = place.map(|p| ((p * 8.0).floor() - 4.0) * side);
        let distance = if from_within { splits_at / (1.0 - settings.hysteresis) } else { splits_at } + settings.margin;
        let middle = [chunk[0] - distance + off, chunk[1] + place[1] * side, (chunk[2] + side).max(0.0)];
        let nearer = [middle[0] + 0.3 * distance, middle[1], middle[2]];
        let first = from_within.then(|| {
            let content = |_| Content::Unknown;
            let found = select(region, lattice, &viewer(nearer), None, &content, &settings, &mut SelectScratch::default());
            found.expect("a good viewer")
        });
        let counts = switches(lattice, region, middle, direction, first, &settings);
        let most = counts.values().copied().max().unwrap_or(0);
        prop_assert!(most <= 1, "{} switches: {:?}", most, counts.iter().find(|(_, n)| **n == most));
    }

    #[test]
    fn a_selection_repeats_itself_and_is_balanced(
        level in 0_u8..=4, min in prop::array::uniform3(-3_i64..3), size in prop::array::uniform3(1_i64..5),
        place in prop::array::uniform3(-600.0..600.0_f64), moved in prop::array::uniform3(-60.0..60.0_f64),
        pixels in 0.7..30.0_f64, triangles in prop::sample::select(vec![0, 100_000, 1_000_000, u64::MAX]), seed: u64,
    ) {
        let lattice = Lattice::new(0.5).expect("a power of two");
        let max = std::array::from_fn(|axis| min[axis] + size[axis]);
        let region = Region::new(lod(level), min, max).expect("a small box");
        let settings =
            SelectSettings { pixels, max_triangles: triangles, max_chunks: 4000, ..SelectSettings::default() };
        // What is known is random, but the same whenever it is asked for.
        let content = |chunk: ChunkKey| {
            let at = glam::I64Vec3::new(chunk.x, chunk.y, chunk.z);
            match weald_space::Seed::new(seed).at(at, u32::from(chunk.lod.index()), 0).below(5_000) {
                0..1000 => Content::Empty,
                1000..2000 => Content::Unknown,
                count => Content::Triangles(count),
            }
        };
        let mut scratch = SelectScratch::default();
        let mut run = |place: [f64; 3], last: Option<&Selection>| -> Selection {
            select(region, lattice, &viewer(place), last, &content, &settings, &mut scratch).expect("a viewer")
        };
        let before = run(place, None);
        let there = std::array::from_fn(|axis| place[axis] + moved[axis]);
        let found = run(there, Some(&before));
        prop_assert_eq!(&run(there, Some(&found)), &found, "not the same again");
        prop_assert_eq!(&run(place, None), &before, "what went before in the scratch counts");
        for selection in [&before, &found] {
            prop_assert!(selection.cut.is_balanced());
            let again = Cut::new(region, selection.cut.chunks().iter().copied());
            prop_assert_eq!(again.as_ref(), Ok(&selection.cut));
            prop_assert_eq!(selection.error_px.len(), selection.cut.chunks().len());
            let roots: u64 = region.roots().map(|root| match content(root) {
                Content::Empty => 0,
                Content::Unknown => u64::from(settings.unknown_triangles),
                Content::Triangles(count) => u64::from(count),
            }).sum();
            prop_assert!(selection.triangles <= triangles.max(roots));
        }
    }
}
