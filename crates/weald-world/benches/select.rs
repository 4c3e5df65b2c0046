//! How long a selection takes: `cargo bench -p weald-world`.

use divan::Bencher;
use weald_space::{Lattice, Lod, WorldPos};
use weald_world::{Content, Region, SelectScratch, SelectSettings, Viewer, select};

fn main() {
    divan::main();
}

/// The error allowed, in pixels: 2 gives some thousand chunks, 1 some ten thousand. The last cut is one made 5 m away.
#[divan::bench(args = [2.0, 1.0, 0.7])]
fn anew_and_beside_the_last(bencher: Bencher, pixels: f64) {
    let lattice = Lattice::new(1.0).expect("a power of two");
    let region = Region::new(Lod::new(4).expect("a level"), [-16, -8, 0], [16, 8, 1]).expect("512 roots");
    let viewer = |x| Viewer { position: WorldPos::new(x, 3.0, 200.0), fov_y_deg: 60.0, height_px: 1080 };
    let settings = SelectSettings { pixels, max_triangles: u64::MAX, ..SelectSettings::default() };
    let content = |_| Content::Unknown;
    let mut scratch = SelectScratch::default();
    let mut run = |x, previous: Option<&_>| {
        select(region, lattice, &viewer(x), previous, &content, &settings, &mut scratch).expect("a viewer")
    };
    let last = run(0.0, None);
    println!("{} chunks", last.cut.chunks().len());
    bencher.bench_local(|| run(5.0, Some(&last)));
}
