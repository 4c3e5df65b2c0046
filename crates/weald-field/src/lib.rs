//! What is there: fields as data, compiled to tapes and evaluated over slices.
//!
//! `Expr → Tape → values`. People write an [`Expr`]; it becomes a [`Tape`], which is evaluated over a lattice
//! ([`Tape::sample`]), at points ([`Tape::values`]), with exact gradients ([`Tape::duals`]) and over whole boxes
//! ([`Tape::bounds`]).
//!
//! - [`expr`]: what people write in Rust, [`formula`] as text. [`noise`], [`shape`], [`curve`], [`prism`], [`heightfield`],
//!   [`image`], [`segments`] and [`cloud`] are what its parts mean.
//! - [`algebra`]: the number systems; each op has one meaning, generic over them.
//! - [`tape`]: terms deduplicated and folded; what depends on x and y only is evaluated once a column.
//! - [`material`]: which material a vertex has, by height, slope and fields.
//!
//! A field is a signed distance where it can be one: **negative inside**, in metres; the union of two solids is their
//! minimum. The value is a pure function of the global position (contract 1): every leaf takes the difference to its
//! own origin in f64, which is exact on the lattice, and goes on in f32. So a world moved by any number of cells keeps
//! every bit.
//!
//! ```
//! use glam::DVec3;
//! use weald_field::{EvalScratch, Expr, Grid, Tape};
//! use weald_space::{Aabb, Lattice, VoxelPos};
//!
//! let ball = Expr::sphere(DVec3::new(0.0, 0.0, 8.0), 5.0);
//! let ground = Expr::z();
//! let tape = Tape::new(&ball.union(&ground))?;
//!
//! let grid = Grid { lattice: Lattice::new(1.0)?, min: VoxelPos::new(0, 0, 0), dims: [1, 1, 9] };
//! let mut out = [0.0; 9];
//! tape.sample(&grid, &mut EvalScratch::default(), &mut out);
//! assert_eq!((out[0], out[8]), (0.0, -5.0));
//!
//! let sky = tape.bounds(Aabb::new(DVec3::splat(20.0), DVec3::splat(30.0)));
//! assert!(sky.lo > 0.0, "nothing reaches this box");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod algebra;
pub mod cloud;
pub mod curve;
mod error;
pub mod expr;
pub mod formula;
mod heads;
pub mod heightfield;
pub mod image;
pub mod material;
pub mod noise;
mod once;
mod op;
mod posts;
pub mod prism;
mod program;
mod prune;
mod raster;
pub mod segments;
pub mod shape;
mod slices;
mod sweep;
pub mod tape;
mod term;
mod tiles;
mod volumes;
pub mod wgsl;
pub mod width;

pub use cloud::Cloud;
pub use curve::Curve;
pub use error::FieldError;
pub use expr::Expr;
pub use heightfield::{ContentId, Heightfield};
pub use image::Image;
pub use material::{MaterialIndex, MaterialRules, Rule};
pub use noise::{Basis, Domain, Fractal, NoiseSettings, WorleyKind};
pub use segments::Segments;
pub use tape::{EvalScratch, Grid, Tape, Trace};
pub use width::Width;

/// Raised whenever the same expression would give other bits, or other bytes in [`Expr::encode`].
pub const OUTPUT_VERSION: u32 = 2;
