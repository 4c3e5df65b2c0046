//! A mesh as binary glTF 2.0 (GLB), written and read back.
//!
//! glTF is y-up and counts in f32; the world is z-up and its origin f64. So the place (x, y, z) is written as
//! (x, z, -y), which turns nothing inside out, and the mesh's origin becomes the translation of its node, in the
//! JSON's double precision, while positions stay relative to it. Node translations are read as f64 too.
//!
//! All triangles of one material make one primitive, and all primitives share the vertex attributes: vertices are
//! written once, unused ones as well, in the mesh's order. So whatever holds of the mesh by vertex index holds of
//! the file, and a reader can check the true union. Each vertex's own material is kept in the attribute `_MATERIAL`,
//! which viewers pass over.
//!
//! The same mesh gives the same bytes everywhere: the JSON is printed with sorted keys.
//!
//! ```
//! # use glam::Vec3;
//! # use weald_mesh::{MaterialId, Mesh, gltf};
//! # use weald_space::WorldPos;
//! let mut mesh = Mesh::new(WorldPos::new(500_000.125, 4_600_000.5, 0.0));
//! for corner in [Vec3::ZERO, Vec3::X, Vec3::Y] {
//!     mesh.push_vertex(corner, Vec3::Z, MaterialId(0));
//! }
//! mesh.triangles = vec![[0, 1, 2]];
//! let grass = gltf::Material { name: "grass".into(), base_color: [0.1, 0.3, 0.05, 1.0], ..Default::default() };
//!
//! let bytes = gltf::write_glb(&mesh, &[grass.clone()], &gltf::GlbMeta::default())?;
//! let read = gltf::read_glb(&bytes, &gltf::GlbLimits::default())?;
//! assert_eq!(read.mesh, mesh);
//! assert_eq!(read.materials, [(MaterialId(0), grass)]);
//! # Ok::<(), gltf::GltfError>(())
//! ```

mod error;
mod json;
mod read;
mod write;

use serde_json::Value;

use crate::{MaterialId, Mesh};

pub use error::GltfError;
pub use read::read_glb;
pub use write::{write_glb, write_glb_to};

/// The look of a surface: glTF's metallic-roughness model without textures.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// What people call it.
    pub name: String,
    /// Linear red, green, blue and opacity, each from 0 to 1.
    pub base_color: [f32; 4],
    /// 0 is a mirror, 1 is chalk.
    pub roughness: f32,
    /// 0 is a dielectric, 1 a metal.
    pub metallic: f32,
}

impl Default for Material {
    fn default() -> Self {
        Material { name: String::new(), base_color: [0.5, 0.5, 0.5, 1.0], roughness: 1.0, metallic: 0.0 }
    }
}

/// What a file says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct GlbMeta {
    /// The program that made it, without a version: equal meshes give equal bytes from release to release.
    pub generator: String,
    /// Name of the node and of the mesh.
    pub name: String,
    /// An object to keep under `asset.extras`, or null for none.
    pub extras: Value,
    /// Whether to write each vertex's material, at four bytes a vertex. Without it a reader knows the materials of
    /// triangles alone.
    pub vertex_materials: bool,
}

impl Default for GlbMeta {
    fn default() -> Self {
        GlbMeta {
            generator: "weald".into(),
            name: "mesh".into(),
            extras: Value::Null,
            vertex_materials: true,
        }
    }
}

/// What a file held.
#[derive(Clone, Debug, PartialEq)]
pub struct GlbContents {
    /// The union of the primitives. Its triangles are grouped by material, in the order of the file.
    pub mesh: Mesh,
    /// The materials of the primitives, by their ids, ascending.
    pub materials: Vec<(MaterialId, Material)>,
    /// What the file says about itself.
    pub meta: GlbMeta,
}

/// How much of a file that comes from elsewhere is read before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlbLimits {
    /// Bytes of the JSON chunk, which takes several times its size in memory.
    pub json_bytes: usize,
    /// Vertices of the mesh, at 25 bytes each.
    pub vertices: usize,
    /// Triangles of the mesh, at 12 bytes each.
    pub triangles: usize,
}

impl Default for GlbLimits {
    fn default() -> Self {
        GlbLimits { json_bytes: 16 << 20, vertices: 100_000_000, triangles: 200_000_000 }
    }
}

/// Name of the attribute with each vertex's material, as the file spells it.
const VERTEX_MATERIAL: &str = "_MATERIAL";

/// Key under a material's `extras` with the id it has in the world.
const MATERIAL_ID: &str = "weald_material";
