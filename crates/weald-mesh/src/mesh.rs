//! The indexed triangle mesh that every stage hands to the next.

use glam::Vec3;
use weald_space::WorldPos;

/// Index of a material in the world's list of materials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MaterialId(pub u8);

/// Triangles over shared vertices.
///
/// Vertices are joined by index alone: two vertices at one place are two vertices. A triangle's corners run
/// counter-clockwise when seen from outside.
///
/// Invariants, which [`Mesh::push_vertex`] keeps: `positions`, `normals` and `materials` have one
/// entry a vertex, and every index in `triangles` is less than their number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The place that `positions` count from, in the world's frame (z up).
    pub origin: WorldPos,
    /// Metres from `origin`.
    pub positions: Vec<Vec3>,
    /// Unit vectors that point outside.
    pub normals: Vec<Vec3>,
    /// The material at each vertex.
    pub materials: Vec<MaterialId>,
    /// Three vertex indices a triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// A mesh without vertices whose positions will count from `origin`.
    #[must_use]
    pub fn new(origin: WorldPos) -> Self {
        Mesh { origin, ..Mesh::default() }
    }

    /// Adds a vertex and returns its index.
    ///
    /// # Panics
    /// If the mesh already has 2³² - 1 vertices.
    pub fn push_vertex(&mut self, position: Vec3, normal: Vec3, material: MaterialId) -> u32 {
        let index = u32::try_from(self.positions.len()).expect("a mesh has fewer than 2^32 vertices");
        self.positions.push(position);
        self.normals.push(normal);
        self.materials.push(material);
        index
    }

    /// The corners of a triangle, in metres from the mesh's origin.
    #[must_use]
    pub fn corners(&self, triangle: [u32; 3]) -> [Vec3; 3] {
        triangle.map(|i| self.positions[i as usize])
    }
}
