//! A field as a lit body on a slab: what an op makes, at a glance.

use glam::{DVec3, Vec3};
use weald_contour::block::Block;
use weald_contour::{ContourError, contour_block};
use weald_field::Tape;
use weald_mesh::{MaterialId, Mesh};
use weald_space::{Aabb, Lattice, VoxelPos, WorldPos};

use super::super::{
    Camera, Legend, MaterialLook, Picture, PictureSettings, PreviewError, Scene, Sun, frame, perspective,
};

/// What a picture of a body shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidSettings {
    /// The lowest corner of the cube that is looked at, in metres.
    pub low: DVec3,
    /// The side of the cube in metres.
    pub side: f64,
    /// Metres a cell: a power of two.
    pub cell_size: f64,
    /// Pixels across and down.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Colour of the body: linear, from 0 to 1.
    pub color: [f32; 3],
}

impl Default for SolidSettings {
    fn default() -> Self {
        SolidSettings {
            low: DVec3::splat(-8.0),
            side: 16.0,
            cell_size: 0.25,
            width: 220,
            height: 160,
            color: [0.52, 0.25, 0.115],
        }
    }
}

/// Why a body cannot be shown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolidError {
    /// The cell has no size that a lattice can have.
    #[error(transparent)]
    Cell(#[from] weald_space::CellSizeError),
    /// The surface cannot be followed.
    #[error(transparent)]
    Contour(#[from] ContourError),
    /// The picture cannot be taken.
    #[error(transparent)]
    Picture(#[from] PreviewError),
}

const SLAB: MaterialLook = MaterialLook { base_color: [0.60, 0.60, 0.58], roughness: 0.95 };
const BODY_ROUGHNESS: f32 = 0.55;

/// Shows the inside of a field within a cube, on a slab below its lowest point, in a three-quarter view.
///
/// # Errors
/// If the cube is too large for its cells, the field is not finite in it or has no surface there, or a setting of the
/// picture is out of its range.
pub fn solid(tape: &Tape, settings: &SolidSettings) -> Result<Picture, SolidError> {
    let lattice = Lattice::new(settings.cell_size)?;
    let first = (settings.low / settings.cell_size).floor();
    let cells = (settings.side / settings.cell_size).ceil().max(0.0) as usize;
    let block = Block::new(VoxelPos::new(first.x as i64, first.y as i64, first.z as i64), [cells; 3])?;
    let mut mesh = contour_block(tape, lattice, &block, &mut weald_contour::Scratch::default())?;
    let body = mesh.bounds();
    if mesh.triangles.is_empty() {
        return Err(PreviewError::NoTriangles.into());
    }
    let slab = slab(body, mesh.origin);
    let shown = Aabb::new(body.min.with_z(slab.bounds().max.z), body.max);
    mesh.append(&slab);
    let looks = [MaterialLook { base_color: settings.color, roughness: BODY_ROUGHNESS }, SLAB];
    let scene = Scene::new(&mesh, &looks)?;
    let look = PictureSettings {
        width: settings.width,
        height: settings.height,
        sun: Sun { azimuth_deg: 250.0, elevation_deg: 48.0 },
        sky_rays: 8,
        sun_rays: 4,
        edge_rays: 6,
        haze_m: Some(f64::INFINITY),
        legend: Legend::Omitted,
        ..PictureSettings::default()
    };
    let camera = camera(shown, f64::from(settings.width) / f64::from(settings.height));
    Ok(perspective(&scene, &camera, &look, &|_| std::ops::ControlFlow::Continue(()))?)
}

/// Bodies seldom fill their boxes: so much nearer than a view of the whole box. A cube then still keeps a margin.
const CLOSER: f64 = 0.97;

/// A view of a box in a picture of some shape.
fn camera(shown: Aabb, aspect: f64) -> Camera {
    let Camera { eye, target, vertical_fov_deg } = frame(shown);
    // The frame is for pictures at least 8 wide to 5 high.
    let back = (1.6 / aspect).max(1.0) * CLOSER;
    Camera { eye: target + (eye - target) * back, target, vertical_fov_deg }
}

/// A flat block of stone below a body, wide enough for its shadow.
fn slab(body: Aabb, origin: WorldPos) -> Mesh {
    let size = body.size();
    let wide = size.truncate().max_element().max(size.z) * 16.0;
    let middle = body.centre();
    let top = body.min.z - 0.004 * size.max_element();
    let low = DVec3::new(middle.x - wide, middle.y - wide, top - 0.01 * wide) - origin.0;
    let high = DVec3::new(middle.x + wide, middle.y + wide, top) - origin.0;
    let mut mesh = Mesh::new(origin);
    for axis in 0..3 {
        for (end, sign) in [(low, -1.0_f32), (high, 1.0)] {
            let mut normal = Vec3::ZERO;
            normal[axis] = sign;
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let corner = |a: DVec3, b: DVec3| {
                let mut place = end;
                (place[u], place[v]) = (a[u], b[v]);
                place.as_vec3()
            };
            let corners = [corner(low, low), corner(high, low), corner(high, high), corner(low, high)];
            let [a, b, c, d] = corners.map(|place| mesh.push_vertex(place, normal, MaterialId(1)));
            let faces = if sign > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
            mesh.triangles.extend(faces);
        }
    }
    mesh
}
