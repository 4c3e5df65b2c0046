//! Where things are.
//!
//! - [`coord`]: positions in metres ([`WorldPos`]), points and cells of the one lattice ([`VoxelPos`], [`Lattice`]),
//!   and chunks of 32³ cells ([`ChunkKey`]) at levels of detail ([`Lod`]).
//! - [`bounds`]: boxes ([`Aabb`]) and ranges of values ([`Interval`]).
//! - [`seed`]: random numbers by label and position, never by order of drawing.
//! - [`ops`]: the only place that calls a sine, a power or a logarithm, so that every machine gets the same bits.
//!
//! The world's frame has x to the east, y to the north and z up, in metres.
//!
//! ```
//! use weald_space::{ChunkKey, Lattice, VoxelPos};
//!
//! let lattice = Lattice::new(4.0)?;
//! let voxel = VoxelPos::new(33, -1, 0);
//! let chunk = ChunkKey::containing(voxel);
//! assert_eq!((chunk.x, chunk.y, chunk.z), (1, -1, 0));
//! assert_eq!(lattice.world_from_voxel(voxel).to_array(), [132.0, -4.0, 0.0]);
//! # Ok::<(), weald_space::CellSizeError>(())
//! ```

pub mod bounds;
pub mod coord;
pub mod ops;
pub mod seed;

pub use bounds::{Aabb, Interval};
pub use coord::{Axis, CHUNK_CELLS, CellSizeError, ChunkKey, Lattice, Lod, VoxelPos, WorldPos};
pub use seed::Seed;
