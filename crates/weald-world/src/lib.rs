//! The ground that changes: which chunks to show, and how they come and go.
//!
//! - [`region`]: the part of the world that is shown, a box of *root* chunks of the coarsest level ([`Region`]).
//! - [`cut`]: chunks that tile a region, each at its own level ([`Cut`]): checked, looked up, balanced, drawn at random.
//! - [`mod@select`]: viewer → cut ([`select()`](select::select)): as fine as the screen shows, as coarse as a budget of triangles asks for.
//! - [`stream`]: what to make next, and what is drawn meanwhile ([`Stream`]): always the whole region, never a hole.
//!
//! Nothing here makes a triangle or knows a field: a chunk is a key, a size and a count.
//!
//! # The loop of a game
//! Each frame selects, hands jobs to free workers, takes in what they have made, and goes on. Here the worker is one line, and
//! the viewer walks for 300 frames and stands still:
//!
//! ```
//! use weald_space::{Lattice, Lod, WorldPos};
//! use weald_world::{Content, Region, SelectScratch, SelectSettings, Stream, Viewer, select};
//!
//! let lattice = Lattice::new(1.0)?;
//! let coarsest = Lod::new(3).ok_or("no such level")?;
//! let region = Region::new(coarsest, [-4, -4, 0], [4, 4, 1])?;
//! let mut stream = Stream::new(region, 256 << 20);
//! let (settings, mut scratch) = (SelectSettings::default(), SelectScratch::default());
//! for frame in 0..600 {
//!     let position = WorldPos::new(f64::from(frame.min(300)), 0.0, 40.0);
//!     let viewer = Viewer { position, fov_y_deg: 60.0, height_px: 1080 };
//!     let content = |chunk| stream.triangles(chunk).map_or(Content::Unknown, Content::Triangles);
//!     let last = stream.wanted();
//!     stream.want(select(region, lattice, &viewer, last, &content, &settings, &mut scratch)?)?;
//!     for _worker in 0..8 {
//!         let Some(job) = stream.next_job() else { break };
//!         let (bytes, triangles) = if job.chunk.z == 0 { (60_000, 2_000) } else { (0, 0) };
//!         stream.ready(job, bytes, triangles)?;
//!     }
//!     let change = stream.advance(); // draw change.show, stop drawing change.hide, delete change.free
//!     assert!(frame < 8 || stream.covered());
//! }
//! assert!(stream.is_settled());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cut;
pub mod region;
pub mod select;
pub mod stream;
mod tree;

pub use cut::{Cut, CutError, MAX_CHUNKS, random_cut};
pub use region::{MAX_ROOTS, Region, RegionError};
pub use select::{Content, SelectError, SelectScratch, SelectSettings, Selection, Viewer, select};
pub use stream::{Change, OverBudget, Piece, Stream, StreamError, Version};
