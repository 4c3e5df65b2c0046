//! The indexed triangle mesh that every stage hands to the next.

use glam::{DVec3, Vec3};
use weald_space::{Aabb, WorldPos};

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

    /// Adds the vertices and triangles of another mesh after those of this one, and returns the index that the
    /// other's first vertex got. No vertices are joined.
    ///
    /// Positions are moved by the difference of the origins, in f64, and rounded to f32: bits stay as they are where
    /// the origins agree.
    ///
    /// # Panics
    /// If the two have more than 2³² - 1 vertices together.
    pub fn append(&mut self, other: &Mesh) -> u32 {
        let together = self.positions.len() + other.positions.len();
        assert!(u32::try_from(together).is_ok(), "a mesh has fewer than 2^32 vertices");
        let first = self.positions.len() as u32;
        let shift = other.origin - self.origin;
        if shift == DVec3::ZERO {
            self.positions.extend_from_slice(&other.positions);
        } else {
            self.positions.extend(other.positions.iter().map(|p| (p.as_dvec3() + shift).as_vec3()));
        }
        self.normals.extend_from_slice(&other.normals);
        self.materials.extend_from_slice(&other.materials);
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|i| first + i)));
        first
    }

    /// Drops the vertices that no triangle uses, and returns how many. The others keep their order.
    pub fn compact(&mut self) -> usize {
        let before = self.positions.len();
        let mut used = vec![false; before];
        for &vertex in self.triangles.iter().flatten() {
            used[vertex as usize] = true;
        }
        let mut kept = 0;
        let new_index: Vec<u32> = used
            .iter()
            .map(|&used| {
                kept += u32::from(used);
                kept.wrapping_sub(1)
            })
            .collect();
        let keep = |index: usize| used[index];
        retain_by_index(&mut self.positions, keep);
        retain_by_index(&mut self.normals, keep);
        retain_by_index(&mut self.materials, keep);
        for vertex in self.triangles.iter_mut().flatten() {
            *vertex = new_index[*vertex as usize];
        }
        before - self.positions.len()
    }

    /// The box of the vertices in the world's frame, in metres; [`Aabb::EMPTY`] of a mesh without any. Positions that
    /// are not finite are left out.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let finite = self.positions.iter().filter(|p| p.is_finite());
        let (low, high) =
            finite.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)));
        if low.x > high.x {
            return Aabb::EMPTY;
        }
        Aabb::new(self.origin.0 + low.as_dvec3(), self.origin.0 + high.as_dvec3())
    }
}

fn retain_by_index<T>(items: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        keep(index - 1)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle_at(x: f64) -> Mesh {
        let mut mesh = Mesh::new(WorldPos::new(x, 0.0, 0.0));
        for (id, corner) in (0..).zip([Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE]) {
            mesh.push_vertex(corner, Vec3::Z, MaterialId(id));
        }
        mesh.triangles = vec![[0, 1, 3]];
        mesh
    }

    #[test]
    fn appending_keeps_places_in_the_world() {
        let mut mesh = triangle_at(10.0);
        let first = mesh.append(&triangle_at(30.0));
        assert_eq!(first, 4);
        assert_eq!(mesh.triangles, [[0, 1, 3], [4, 5, 7]]);
        assert_eq!(mesh.positions[5], Vec3::new(21.0, 0.0, 0.0));
        assert_eq!(mesh.bounds(), Aabb::new(DVec3::new(10.0, 0.0, 0.0), DVec3::new(31.0, 1.0, 1.0)));
    }

    #[test]
    fn compacting_drops_only_what_no_triangle_uses() {
        let mut mesh = triangle_at(0.0);
        assert_eq!(mesh.compact(), 1);
        assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::ONE]);
        assert_eq!(mesh.materials, [MaterialId(0), MaterialId(1), MaterialId(3)]);
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
        assert_eq!(mesh.compact(), 0);
    }

    #[test]
    fn bounds_leave_out_what_is_not_finite() {
        let mut mesh = Mesh::new(WorldPos::new(5.0, 0.0, 0.0));
        assert_eq!(mesh.bounds(), Aabb::EMPTY);
        mesh.push_vertex(Vec3::new(f32::NAN, 0.0, 0.0), Vec3::Z, MaterialId(0));
        assert_eq!(mesh.bounds(), Aabb::EMPTY);
        mesh.push_vertex(Vec3::ONE, Vec3::Z, MaterialId(0));
        assert_eq!(mesh.bounds().min, DVec3::new(6.0, 1.0, 1.0));
    }
}
