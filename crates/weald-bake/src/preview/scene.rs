//! A mesh made ready for rays.
//!
//! Triangles are sorted along a Morton curve and packed by four; parry's binned tree of boxes holds the packs. Against
//! one leaf a triangle this quarters the tree and tests four triangles in one go.

use glam::{DVec3, Vec3};
use parry3d::bounding_volume::Aabb as TreeBox;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::Ray as TreeRay;
use rayon::prelude::*;
use weald_mesh::Mesh;
use weald_space::Aabb;

use super::PreviewError;
use super::cut;
use super::settings::{FARTHEST, MAX_TRIANGLES, MaterialLook};

/// Triangles a pack.
const LANES: usize = 4;
/// Materials of a mesh; one more number is kept for cut ground.
const MOST_LOOKS: usize = 255;
/// How far beyond its edges a triangle still stops a ray, as a share of the triangle, so that rounding leaves no
/// pinholes between neighbours. A hundred times the rounding of the weights, and far below a pixel for any triangle
/// that is not a thousand pixels long.
const EDGE_TOLERANCE: f32 = 1e-5;
/// The vertex's own normal is used up to the first of these cosines to the triangle's, the triangle's from the second
/// on, a mixture between. 20 and 28 degrees: rounded ground stays smooth, edges of buildings stay sharp.
const SMOOTH_COS: [f32; 2] = [0.940, 0.883];

/// A mesh made ready for rays: its triangles in a tree of boxes, and the looks of its materials.
///
/// Where the mesh has open edges, as a region cut out of a world has, walls fall from them to a little below the lowest
/// point. By the layout it takes about 80 bytes a triangle, and half as much again while
/// it is built.
pub struct Scene {
    pub(super) origin: DVec3,
    /// Of the mesh with its walls, relative to `origin`.
    pub(super) bounds: Aabb,
    /// Of the mesh alone, relative to `origin`.
    ground: Aabb,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    materials: Vec<u8>,
    triangles: Vec<[u32; 3]>,
    packs: Vec<Pack>,
    tree: Bvh,
    looks: Vec<MaterialLook>,
    cut_material: u8,
}

/// Four triangles, each as a corner and the two edges that leave it; by coordinate, then lane.
#[derive(Clone, Copy, Default)]
struct Pack {
    corner: [[f32; LANES]; 3],
    edge1: [[f32; LANES]; 3],
    edge2: [[f32; LANES]; 3],
}

/// A half-line. `dir` has unit length.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    /// Metres from the scene's origin.
    pub(super) from: Vec3,
    pub(super) dir: Vec3,
}

/// Where a ray meets the scene.
pub(super) struct Hit {
    /// Metres along the ray.
    pub(super) distance: f32,
    /// Metres from the scene's origin.
    pub(super) place: Vec3,
    /// The triangle's normal, outwards.
    pub(super) face: Vec3,
    /// The normal to light with: smooth where the surface is.
    pub(super) normal: Vec3,
    /// Where to start rays to the light: on the smooth surface, so that facets do not shade themselves.
    pub(super) lifted: Vec3,
    /// Blended over the corners.
    pub(super) look: MaterialLook,
    pub(super) on_cut: bool,
}

impl Scene {
    /// Prepares a mesh. `looks[i]` is the look of material `i`.
    ///
    /// # Errors
    /// If the mesh is empty, has more than [`MAX_TRIANGLES`] triangles, is not consistent or not finite, or if a
    /// material has no look or a look a value outside 0 to 1.
    pub fn new(mesh: &Mesh, looks: &[MaterialLook]) -> Result<Scene, PreviewError> {
        check_mesh(mesh, looks.len().min(MOST_LOOKS))?;
        check_looks(looks)?;
        let cut_material = looks.len().min(MOST_LOOKS) as u8;
        let ground = bounds_of(&mesh.positions);
        let mut scene = Scene {
            origin: mesh.origin.0,
            bounds: ground,
            ground,
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            materials: mesh.materials.iter().map(|m| m.0).collect(),
            triangles: mesh.triangles.clone(),
            packs: Vec::new(),
            tree: Bvh::new(),
            looks: looks.to_vec(),
            cut_material,
        };
        scene.looks.truncate(MOST_LOOKS);
        scene.looks.push(MaterialLook { base_color: [0.30, 0.235, 0.175], roughness: 1.0 });
        scene.add_walls();
        scene.bounds = bounds_of(&scene.positions);
        scene.sort_triangles();
        scene.build_tree();
        Ok(scene)
    }

    /// The box around the mesh, in world metres, without the walls below its cut edges.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::new(self.ground.min + self.origin, self.ground.max + self.origin)
    }

    /// The first triangle that the ray meets.
    pub(super) fn cast(&self, ray: Ray) -> Option<Hit> {
        let nearest = |pack: u32, limit: f32| self.packs[pack as usize].meet(ray, limit).map(|m| m.distance);
        let (pack, _) = self.tree.cast_ray(&tree_ray(ray), f32::MAX, nearest)?;
        let meet = self.packs[pack as usize].meet(ray, f32::MAX)?;
        Some(self.hit(ray, pack as usize * LANES + meet.lane, meet))
    }

    /// Whether the ray meets anything. A meeting at distance 0 ends the search: nothing can be nearer.
    pub(super) fn blocks(&self, ray: Ray) -> bool {
        let any = |pack: u32, limit: f32| self.packs[pack as usize].meet(ray, limit).map(|_| 0.0);
        self.tree.cast_ray(&tree_ray(ray), f32::MAX, any).is_some()
    }

    /// Distance by which to start rays off a surface: well above the rounding of positions.
    pub(super) fn clearance(&self) -> f32 {
        let far = self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
        (far * 2e-6) as f32
    }

    fn add_walls(&mut self) {
        let edges = cut::open_edges(&self.positions, &self.triangles);
        let size = self.ground.size();
        let bottom = (self.ground.min.z - 0.03 * size.x.max(size.y)) as f32;
        for ends in edges {
            let Some((corners, normal)) = cut::wall(ends.map(|v| self.positions[v as usize]), bottom) else {
                continue;
            };
            let first = self.positions.len() as u32;
            self.positions.extend(corners);
            self.normals.extend([normal; 4]);
            self.materials.extend([self.cut_material; 4]);
            self.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }

    fn sort_triangles(&mut self) {
        let low = self.bounds.min.as_vec3();
        let scale = Vec3::splat(1023.0) / self.bounds.size().as_vec3().max(Vec3::splat(f32::MIN_POSITIVE));
        let key = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| self.positions[v as usize]);
            let cell = ((a + b + c) / 3.0 - low) * scale.min(Vec3::splat(1e30));
            let [x, y, z] = cell.to_array().map(|v| spread_bits(v as u32));
            x | y << 1 | z << 2
        };
        let mut keyed: Vec<(u32, u32)> =
            self.triangles.par_iter().enumerate().map(|(i, t)| (key(t), i as u32)).collect();
        keyed.par_sort_unstable();
        self.triangles = keyed.par_iter().map(|&(_, i)| self.triangles[i as usize]).collect();
    }

    fn build_tree(&mut self) {
        let pad = self.clearance() * 0.1;
        let (positions, triangles) = (&self.positions, &self.triangles);
        let (packs, boxes): (Vec<Pack>, Vec<TreeBox>) = triangles
            .par_chunks(LANES)
            .map(|few| {
                let mut pack = Pack::default();
                let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
                for (lane, t) in few.iter().enumerate() {
                    let corners = t.map(|v| positions[v as usize]);
                    pack.set(lane, corners);
                    low = corners.iter().fold(low, |l, c| l.min(*c));
                    high = corners.iter().fold(high, |h, c| h.max(*c));
                }
                (pack, TreeBox::new(tree_vector(low - pad), tree_vector(high + pad)))
            })
            .unzip();
        self.packs = packs;
        self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    }

    fn hit(&self, ray: Ray, triangle: usize, meet: Meet) -> Hit {
        let corners = self.triangles[triangle].map(|v| v as usize);
        let [a, b, c] = corners.map(|v| self.positions[v]);
        let weights = [1.0 - meet.u - meet.v, meet.u, meet.v];
        let face = (b - a).cross(c - a).try_normalize().unwrap_or(-ray.dir);
        let place = a * weights[0] + b * weights[1] + c * weights[2];
        let (mut normal, mut lifted) = (Vec3::ZERO, Vec3::ZERO);
        let (mut color, mut roughness) = (Vec3::ZERO, 0.0);
        for (&vertex, weight) in corners.iter().zip(weights) {
            let own = corner_normal(self.normals[vertex], face);
            normal += own * weight;
            let below = (place - self.positions[vertex]).dot(own).min(0.0);
            lifted += (place - own * below) * weight;
            let look = self.looks[usize::from(self.materials[vertex])];
            color += Vec3::from(look.base_color) * weight;
            roughness += look.roughness * weight;
        }
        Hit {
            distance: meet.distance,
            place,
            face,
            normal: normal.try_normalize().unwrap_or(face),
            lifted,
            look: MaterialLook { base_color: color.to_array(), roughness },
            on_cut: self.materials[corners[0]] == self.cut_material,
        }
    }
}

/// The normal to use at a corner whose vertex has `normal`, in a triangle with normal `face`.
fn corner_normal(normal: Vec3, face: Vec3) -> Vec3 {
    let [smooth, sharp] = SMOOTH_COS;
    let share = ((normal.dot(face) - sharp) / (smooth - sharp)).clamp(0.0, 1.0);
    (face + (normal - face) * share).try_normalize().unwrap_or(face)
}

/// Where a pack is met: the lane, the distance, and the weights of the lane's second and third corner.
#[derive(Clone, Copy)]
struct Meet {
    lane: usize,
    distance: f32,
    u: f32,
    v: f32,
}

impl Pack {
    fn set(&mut self, lane: usize, [a, b, c]: [Vec3; 3]) {
        for axis in 0..3 {
            self.corner[axis][lane] = a[axis];
            self.edge1[axis][lane] = (b - a)[axis];
            self.edge2[axis][lane] = (c - a)[axis];
        }
    }

    /// The nearest of the four triangles, from either side, if nearer than `limit` (Möller and Trumbore 1997). Lanes without a
    /// triangle have a determinant of 0; no comparison with the result of its inverse is true.
    #[inline]
    fn meet(&self, ray: Ray, limit: f32) -> Option<Meet> {
        let ([dx, dy, dz], [ox, oy, oz]) = (ray.dir.to_array(), ray.from.to_array());
        let (c, e, f) = (&self.corner, &self.edge1, &self.edge2);
        let (mut distance, mut us, mut vs) = ([f32::INFINITY; LANES], [0.0; LANES], [0.0; LANES]);
        for i in 0..LANES {
            let px = dy * f[2][i] - dz * f[1][i];
            let py = dz * f[0][i] - dx * f[2][i];
            let pz = dx * f[1][i] - dy * f[0][i];
            let inverse = 1.0 / (e[0][i] * px + e[1][i] * py + e[2][i] * pz);
            let (sx, sy, sz) = (ox - c[0][i], oy - c[1][i], oz - c[2][i]);
            let u = (sx * px + sy * py + sz * pz) * inverse;
            let qx = sy * e[2][i] - sz * e[1][i];
            let qy = sz * e[0][i] - sx * e[2][i];
            let qz = sx * e[1][i] - sy * e[0][i];
            let v = (dx * qx + dy * qy + dz * qz) * inverse;
            let t = (f[0][i] * qx + f[1][i] * qy + f[2][i] * qz) * inverse;
            let inside = (u >= -EDGE_TOLERANCE) & (v >= -EDGE_TOLERANCE) & (u + v <= 1.0 + EDGE_TOLERANCE);
            distance[i] = if inside & (t > 0.0) & (t < limit) { t } else { f32::INFINITY };
            us[i] = u;
            vs[i] = v;
        }
        let lane = (1..LANES).fold(0, |best, i| if distance[i] < distance[best] { i } else { best });
        (distance[lane] < limit).then(|| Meet { lane, distance: distance[lane], u: us[lane], v: vs[lane] })
    }
}

/// Puts two zeros between each of the lowest ten bits.
fn spread_bits(value: u32) -> u32 {
    let mut x = value.min(1023);
    x = (x | x << 16) & 0x0300_00ff;
    x = (x | x << 8) & 0x0300_f00f;
    x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

fn tree_vector(v: Vec3) -> Vector {
    Vector::from_array(v.to_array())
}

fn tree_ray(ray: Ray) -> TreeRay {
    TreeRay::new(tree_vector(ray.from), tree_vector(ray.dir))
}

fn bounds_of(positions: &[Vec3]) -> Aabb {
    let (low, high) =
        positions.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    Aabb::new(low.as_dvec3(), high.as_dvec3())
}

fn check_mesh(mesh: &Mesh, looks: usize) -> Result<(), PreviewError> {
    let Mesh { positions, normals, materials, triangles, .. } = mesh;
    if triangles.is_empty() {
        return Err(PreviewError::NoTriangles);
    }
    if !(mesh.origin.0.is_finite() && mesh.origin.0.abs().max_element() <= FARTHEST) {
        return Err(PreviewError::Origin { at: mesh.origin.to_array() });
    }
    if triangles.len() > MAX_TRIANGLES {
        return Err(PreviewError::TooManyTriangles { triangles: triangles.len() });
    }
    let vertices = positions.len();
    if normals.len() != vertices || materials.len() != vertices {
        let (normals, materials) = (normals.len(), materials.len());
        return Err(PreviewError::Ragged { positions: vertices, normals, materials });
    }
    for (triangle, t) in triangles.iter().enumerate() {
        if let Some(&vertex) = t.iter().find(|&&v| v as usize >= vertices) {
            return Err(PreviewError::VertexIndex { triangle, vertex, vertices });
        }
    }
    for (vertex, (position, normal)) in positions.iter().zip(normals).enumerate() {
        if !(position.abs().max_element() <= FARTHEST as f32 && position.is_finite() && normal.is_finite()) {
            let (position, normal) = (position.to_array(), normal.to_array());
            return Err(PreviewError::VertexNotFinite { vertex, position, normal });
        }
    }
    match materials.iter().position(|m| usize::from(m.0) >= looks) {
        None => Ok(()),
        Some(vertex) => Err(PreviewError::UnknownMaterial { vertex, material: materials[vertex].0, looks }),
    }
}

fn check_looks(looks: &[MaterialLook]) -> Result<(), PreviewError> {
    for (material, look) in looks.iter().enumerate() {
        let color = look.base_color.map(|value| ("base_color", value));
        for (field, value) in color.into_iter().chain([("roughness", look.roughness)]) {
            if !(0.0..=1.0).contains(&value) {
                return Err(PreviewError::Look { material, field, value });
            }
        }
    }
    Ok(())
}
