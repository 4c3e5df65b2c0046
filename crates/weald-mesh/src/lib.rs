//! Triangles.

pub mod mesh;

pub use mesh::{MaterialId, Mesh};
