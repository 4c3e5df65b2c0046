//! Triangles: the indexed mesh, the checks on it, and glTF.
//!
//! [`Mesh`] is what contouring makes and what everything after it reads. [`check()`] says whether a mesh is closed,
//! manifold, oriented and free of self-intersection, by vertex indices and exact predicates alone. [`gltf`] writes a
//! mesh as binary glTF and reads it back with the same vertices shared.
//!
//! ```
//! use glam::Vec3;
//! use weald_mesh::{MaterialId, Mesh, check};
//! use weald_space::WorldPos;
//!
//! let mut mesh = Mesh::new(WorldPos::new(0.0, 0.0, 0.0));
//! for corner in [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z] {
//!     let outward = (corner - Vec3::splat(0.25)).normalize_or_zero();
//!     mesh.push_vertex(corner, outward, MaterialId(0));
//! }
//! mesh.triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
//!
//! let findings = check(&mesh);
//! assert!(findings.is_closed() && findings.is_clean(), "{findings}");
//! assert_eq!((findings.euler(), findings.genus()), (2, 0));
//! assert_eq!(findings.volume, 1.0 / 6.0);
//! ```

pub mod check;
pub mod gltf;
pub mod mesh;

pub use check::{CheckSettings, Findings, check, check_with};
pub use mesh::{MaterialId, Mesh};

/// Changes whenever the same mesh gives other bytes of a GLB file than before, so that stored files are not mistaken
/// for new ones.
pub const OUTPUT_VERSION: u32 = 1;
