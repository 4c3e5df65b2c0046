//! What a frame costs: `cargo bench -p weald-world`.

use divan::Bencher;
use weald_space::{Lattice, Lod, WorldPos};
use weald_world::{Content, Region, SelectScratch, SelectSettings, Selection, Stream, Viewer, select};

fn main() {
    divan::main();
}

fn region() -> Region {
    Region::new(Lod::new(4).expect("a level"), [-16, -8, 0], [16, 8, 1]).expect("512 roots")
}

fn selection(pixels: f64, x: f64, last: Option<&Selection>, scratch: &mut SelectScratch) -> Selection {
    let lattice = Lattice::new(1.0).expect("a power of two");
    let viewer = Viewer { position: WorldPos::new(x, 3.0, 200.0), fov_y_deg: 60.0, height_px: 1080 };
    let settings = SelectSettings { pixels, max_triangles: u64::MAX, ..SelectSettings::default() };
    select(region(), lattice, &viewer, last, &|_| Content::Unknown, &settings, scratch).expect("a viewer")
}

/// The error allowed, in pixels, and so the count of chunks; the last selection is one made 5 m away.
#[divan::bench(args = [2.0, 1.5, 1.0])]
fn select_beside_the_last(bencher: Bencher, pixels: f64) {
    let mut scratch = SelectScratch::default();
    let last = selection(pixels, 0.0, None, &mut scratch);
    println!("{} chunks", last.cut.chunks().len());
    bencher.bench_local(|| selection(pixels, 5.0, Some(&last), &mut scratch));
}

/// To and fro by 40 m between two selections whose chunks are all made: wanted, and shown at once.
#[divan::bench(args = [2.0, 1.5])]
fn want_and_advance(bencher: Bencher, pixels: f64) {
    let mut scratch = SelectScratch::default();
    let ends = [0.0, 40.0].map(|x| selection(pixels, x, None, &mut scratch));
    let mut stream = Stream::new(region(), u64::MAX);
    for end in [&ends[0], &ends[1], &ends[0], &ends[1]] {
        while stream.shown() != Some(&end.cut) {
            stream.want(end.clone()).expect("the same region");
            while let Some(job) = stream.next_job() {
                stream.ready(job, 1, 1).expect("room");
            }
            stream.advance();
        }
    }
    let mut frame = 0;
    bencher.bench_local(|| {
        frame += 1;
        stream.want(ends[frame % 2].clone()).expect("the same region");
        stream.advance().show.len()
    });
}
