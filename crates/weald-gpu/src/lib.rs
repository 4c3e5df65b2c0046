//! Fields on the graphics card: the shaders that weald-field prints, run with wgpu.
//!
//! `Tape → Shader → Prepared → values`. A [`Gpu`] is an adapter that was found and opened ([`GpuOptions`]); it prepares a
//! printed module ([`Gpu::prepare`]) and samples grids with it ([`Gpu::sample`]). A [`Sampler`] does so for a tape, and
//! goes over to the processor when the card is absent, lost or refuses.
//!
//! The processor is the reference. A card may fuse a multiplication with an addition and rounds quotients as it likes, so
//! its values are near and never equal: they serve previews, and no baked byte is made of them.
//!
//! ```
//! use std::sync::Arc;
//!
//! use glam::DVec3;
//! use weald_field::{EvalScratch, Expr, Grid, Tape};
//! use weald_gpu::{Backend, Gpu, GpuOptions, Sampler};
//! use weald_space::{Lattice, VoxelPos};
//!
//! let tape = Tape::new(&Expr::sphere(DVec3::ZERO, 5.0))?;
//! // A machine without a card is no reason to stop.
//! let gpu = Gpu::new(&GpuOptions::default()).map(Arc::new);
//! if let Err(error) = &gpu {
//!     println!("no card: {error}");
//! }
//! let mut sampler = Sampler::new(tape, gpu.ok());
//!
//! let grid = Grid { lattice: Lattice::new(1.0)?, min: VoxelPos::new(-8, -8, -8), dims: [17; 3] };
//! let mut out = vec![0.0; grid.len()];
//! let backend = sampler.sample(&grid, &mut EvalScratch::default(), &mut out);
//! assert_eq!(backend == Backend::Cpu, sampler.gpu().is_none());
//! assert!((out[grid.len() / 2] + 5.0).abs() < 1e-4, "the middle of the ball");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapter;
mod error;
mod gpu;
mod pieces;
mod run;
mod sampler;

pub use adapter::{AdapterKind, GpuOptions};
pub use error::GpuError;
pub use gpu::{Gpu, Prepared};
pub use sampler::{Backend, Sampler};
pub use wgpu::{AdapterInfo, Backends, PowerPreference};
