//! From a place in the picture to a ray.

use glam::{DVec2, DVec3};
use weald_space::{Aabb, ops};

use super::PreviewError;
use super::scene::{Ray, Scene};
use super::settings::{Camera, FARTHEST, FOV_DEG};

/// Least distance of eye and target, metres.
const NEAREST_TARGET: f64 = 1e-3;

/// A projection. All places are relative to the scene's origin.
pub(super) enum View {
    /// All rays from one eye. `right` and `up` reach from the middle to the border of the picture, at distance 1.
    Perspective { eye: DVec3, ahead: DVec3, right: DVec3, up: DVec3 },
    /// All rays straight down; `corner` is the north-west one, at the rays' height.
    Plan { corner: DVec3, metres_per_pixel: f64 },
}

/// A view onto a picture of a certain size.
pub(super) struct Screen {
    pub(super) view: View,
    /// Pixels across and down.
    pub(super) size: [f64; 2],
}

impl Screen {
    /// The view of a camera.
    pub(super) fn perspective(scene: &Scene, camera: &Camera, size: [u32; 2]) -> Result<Self, PreviewError> {
        let Camera { eye, target, vertical_fov_deg } = *camera;
        for (field, at) in [("eye", eye), ("target", target)] {
            if !(at.abs().max_element() <= FARTHEST && at.is_finite()) {
                return Err(PreviewError::CameraPlace { field, at: at.to_array() });
            }
        }
        if !FOV_DEG.contains(&vertical_fov_deg) {
            return Err(PreviewError::CameraFov { degrees: vertical_fov_deg });
        }
        let ahead = (target - eye)
            .try_normalize()
            .filter(|_| eye.distance(target) >= NEAREST_TARGET)
            .ok_or(PreviewError::CameraLooksNowhere { at: eye.to_array(), least: NEAREST_TARGET })?;
        let size = size.map(f64::from);
        let tall = ops::tan(vertical_fov_deg.to_radians() / 2.0);
        // Straight down or up, north is above, as on a map.
        let right =
            ahead.cross(DVec3::Z).try_normalize().filter(|_| ahead.z.abs() < 1.0 - 1e-12).unwrap_or(DVec3::X);
        let up = right.cross(ahead);
        let view = View::Perspective {
            eye: eye - scene.origin,
            ahead,
            right: right * (tall * size[0] / size[1]),
            up: up * tall,
        };
        let screen = Screen { view, size };
        screen.check_eye(scene, eye)?;
        Ok(screen)
    }

    /// The plan of `area` (world metres), enlarged about its middle to the shape of the picture.
    pub(super) fn plan(scene: &Scene, area: Aabb, size: [u32; 2]) -> Result<Self, PreviewError> {
        let (min, max) = (area.min.truncate(), area.max.truncate());
        let usable = min.is_finite() && max.is_finite() && min.cmplt(max).all();
        if !usable || min.abs().max(max.abs()).max_element() > FARTHEST {
            return Err(PreviewError::PlanArea { min: min.to_array(), max: max.to_array() });
        }
        let size = size.map(f64::from);
        let metres_per_pixel = ((max.x - min.x) / size[0]).max((max.y - min.y) / size[1]);
        let half = DVec2::from(size) * metres_per_pixel / 2.0;
        let middle = (min + max) / 2.0 - scene.origin.truncate();
        let top = scene.bounds.max.z + scene.bounds.size().max_element() * 0.01 + 1.0;
        let corner = DVec3::new(middle.x - half.x, middle.y + half.y, top);
        Ok(Screen { view: View::Plan { corner, metres_per_pixel }, size })
    }

    /// The ray through a place in the picture: pixels from the left and from the top, whole numbers at the borders.
    pub(super) fn ray(&self, x: f64, y: f64) -> (DVec3, DVec3) {
        match self.view {
            View::Perspective { eye, ahead, right, up } => {
                let across = 2.0 * x / self.size[0] - 1.0;
                let above = 1.0 - 2.0 * y / self.size[1];
                (eye, (ahead + right * across + up * above).normalize_or_zero())
            }
            View::Plan { corner, metres_per_pixel } => {
                (corner + DVec3::new(x, -y, 0.0) * metres_per_pixel, -DVec3::Z)
            }
        }
    }

    /// Metres that a pixel spans at a distance from the eye, across the ray.
    pub(super) fn footprint(&self, distance: f32) -> f32 {
        match self.view {
            View::Perspective { up, .. } => distance * (2.0 * up.length() / self.size[1]) as f32,
            View::Plan { metres_per_pixel, .. } => metres_per_pixel as f32,
        }
    }

    fn check_eye(&self, scene: &Scene, world_eye: DVec3) -> Result<(), PreviewError> {
        let View::Perspective { eye, .. } = self.view else {
            return Ok(());
        };
        if !scene.bounds.contains(eye) {
            return Ok(());
        }
        match scene.cast(Ray { from: eye.as_vec3(), dir: glam::Vec3::Z }) {
            Some(hit) if hit.face.z > 0.0 => {
                let depth = f64::from(hit.distance);
                Err(PreviewError::CameraUnderGround { eye: world_eye.to_array(), depth })
            }
            _ => Ok(()),
        }
    }
}

/// The part of a ray that can meet the box: the distances of entry (0 from inside) and exit. In f64, so that an eye far
/// away loses nothing.
pub(super) fn clip(from: DVec3, dir: DVec3, bounds: Aabb) -> Option<f64> {
    let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        if dir[axis].abs() < 1e-300 {
            if from[axis] < bounds.min[axis] || from[axis] > bounds.max[axis] {
                return None;
            }
            continue;
        }
        let (a, b) =
            ((bounds.min[axis] - from[axis]) / dir[axis], (bounds.max[axis] - from[axis]) / dir[axis]);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    (enter <= leave).then_some(enter)
}
