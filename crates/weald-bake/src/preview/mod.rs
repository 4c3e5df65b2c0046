//! Pictures of a mesh without a GPU.
//!
//! Rays against a tree of boxes: one a pixel to the scene, from there some to the sun, for soft shadows, and some to
//! the sky, for the shade of valleys and corners. [`Scene::new`] prepares a mesh, [`perspective`] shows it from a
//! [`Camera`], [`plan`] from straight above with north at the top. [`field`] draws cuts through fields.
//!
//! Equal scenes and settings give equal bytes, on any machine and any number of threads: transcendentals come from
//! [`weald_space::ops`], no pixel depends on the order of work, and random turns are functions of the pixel.

use std::ops::ControlFlow;

use glam::Vec3;
use weald_space::Aabb;

mod cut;
mod error;
pub mod field;
mod legend;
mod levels;
mod light;
mod pattern;
mod picture;
mod render;
mod scene;
mod settings;
mod tone;
mod view;

#[cfg(test)]
mod tests;

pub use error::PreviewError;
pub use levels::{LevelRow, draw_level_key, level_looks};
pub use picture::Picture;
pub use scene::Scene;
pub use settings::{
    Camera, FARTHEST, FOV_DEG, Legend, MAX_RAYS, MAX_SIDE, MAX_TRIANGLES, MaterialLook, PictureSettings, Sun,
    frame,
};

use render::Shot;
pub(crate) use tone::linear_from_srgb;
use view::{Screen, View};

/// Changes whenever the same scene and settings give other pixels than before, so that stored pictures are not mistaken
/// for new ones.
pub const OUTPUT_VERSION: u32 = 1;

/// Colour around the ground on a plan, linear.
const PAPER: Vec3 = Vec3::new(0.86, 0.85, 0.81);

/// The scene as `camera` sees it, under a sky, in hazy air.
///
/// `progress` hears the share done, from 0 to 1, in the calling thread, about every 64 rows; if it breaks, so does the
/// picture.
///
/// # Errors
/// If a setting or the camera is out of range, the eye is inside the ground, or `progress` breaks.
pub fn perspective(
    scene: &Scene,
    camera: &Camera,
    settings: &PictureSettings,
    progress: &dyn Fn(f32) -> ControlFlow<()>,
) -> Result<Picture, PreviewError> {
    settings.check()?;
    let screen = Screen::perspective(scene, camera, [settings.width, settings.height])?;
    let haze = settings.haze_m.unwrap_or_else(|| {
        let bounds = scene.bounds();
        let gap = camera.eye.distance(camera.eye.clamp(bounds.min, bounds.max));
        3.0 * bounds.size().length().max(1.0) + 8.0 * gap
    });
    render::render(&shot(scene, screen, settings, haze, None), progress)
}

/// The scene from straight above, north up, lit as by [`perspective`] but without haze.
///
/// Shows `area` (world metres; its heights do not count), or all of the scene, in the middle of the picture and as
/// large as fits. What lies beside the ground is left as paper. `progress` is as for [`perspective`].
///
/// # Errors
/// If a setting is out of range, the area is empty or not finite, or `progress` breaks.
pub fn plan(
    scene: &Scene,
    area: Option<Aabb>,
    settings: &PictureSettings,
    progress: &dyn Fn(f32) -> ControlFlow<()>,
) -> Result<Picture, PreviewError> {
    settings.check()?;
    let area = area.unwrap_or_else(|| scene.bounds());
    let screen = Screen::plan(scene, area, [settings.width, settings.height])?;
    let shot = shot(scene, screen, settings, f64::INFINITY, Some(PAPER));
    let mut picture = render::render(&shot, progress)?;
    if let (View::Plan { metres_per_pixel, .. }, Legend::Drawn) = (&shot.screen.view, settings.legend) {
        legend::draw(&mut picture, *metres_per_pixel);
    }
    Ok(picture)
}

fn shot<'a>(
    scene: &'a Scene,
    screen: Screen,
    settings: &'a PictureSettings,
    haze: f64,
    paper: Option<Vec3>,
) -> Shot<'a> {
    let cut_height = (scene.bounds.size().z) as f32;
    Shot {
        scene,
        screen,
        light: light::Light::new(settings.sun, haze.is_finite().then_some(haze), cut_height),
        settings,
        tone: tone::Tone::new(settings.exposure),
        paper,
        sky: pattern::Disk::new(settings.sky_rays),
        sun: pattern::Disk::new(settings.sun_rays),
    }
}
