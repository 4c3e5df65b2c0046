//! The surface of a field, by dual contouring in chunks.
//!
//! One chunk goes through five stages, each a module:
//!
//! `samples ─block→ signs ─hermite→ crossings ─place→ vertices ─dual→ triangles ─seam, union→ Mesh`
//!
//! - [`block`]: samples on a box of the lattice, their signs as bit rows, the cells and edges where the sign changes.
//! - [`hermite`]: on each such edge the place of the surface and its normal (Hermite data, [Ju 2002]).
//! - [`place`]: one vertex for each loop of crossings on a cell's surface, at the constrained minimizer of its quadric
//!   ([`qef`]), or where a neighbour lost a corner.
//! - [`dual`]: one polygon for each edge with a sign change, cut into triangles that stay inside its envelope.
//! - [`chunk`], [`mod@seam`], [`mod@union`]: which polygons belong to a chunk alone, which need its neighbours' border tables,
//!   and how all of them become one closed mesh.
//!
//! - [`complex`], [`embed`]: the same surface over leaves of any sizes beside each other, without self-intersection.
//!
//! The rules that make any set of chunks fit together are contract 3 of the design: a polygon belongs to the cell on
//! the negative side of its edge in both directions across it; a vertex is named by its cell and its loop
//! ([`VertexName`]) and never found by its position; crossings on a face are paired by one rule that both cells see
//! ([`tables`]).
//!
//! [Ju 2002]: T. Ju, F. Losasso, S. Schaefer, J. Warren, Dual Contouring of Hermite Data, SIGGRAPH 2002.

pub mod block;
pub mod border;
mod calm;
pub mod cell;
pub mod chunk;
pub mod complex;
pub mod cut;
pub mod dual;
pub mod embed;
pub mod hermite;
pub mod name;
mod patch;
pub mod place;
pub mod qef;
pub mod seam;
pub mod tables;
pub mod thin;
pub mod union;

mod error;

pub use chunk::{Chunk, Scratch, contour_block, contour_chunk, contour_samples};
pub use cut::Cut;
pub use error::ContourError;
pub use name::{VertexKind, VertexName};
pub use patch::PatchError;
pub use seam::{Seam, SeamScratch, seam};
pub use thin::{ThinScratch, thin_features};
pub use union::{Piece, UnionError, union};

/// Changes whenever the same field gives other bytes than before, so that stored chunks are not mistaken for new ones.
pub const OUTPUT_VERSION: u32 = 1;
