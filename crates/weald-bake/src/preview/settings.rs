//! What a picture is asked to look like.

use std::ops::RangeInclusive;

use glam::DVec3;
use weald_space::{Aabb, ops};

use super::PreviewError;

/// Longest side of a picture, pixels.
pub const MAX_SIDE: u32 = 16_384;
/// Most rays of one kind that a pixel may cast.
pub const MAX_RAYS: u32 = 1024;
/// Most triangles a scene may hold; so many take some 5 GiB.
pub const MAX_TRIANGLES: usize = 1 << 26;
/// Farthest place of a camera or a mesh from the world's origin, and of a vertex from that of its mesh, metres.
pub const FARTHEST: f64 = 1e8;
/// Usable vertical fields of view, degrees.
pub const FOV_DEG: RangeInclusive<f64> = 1.0..=150.0;

/// From where a perspective picture is taken, and to where. World metres, z up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The place of the eye.
    pub eye: DVec3,
    /// The place shown in the middle of the picture.
    pub target: DVec3,
    /// Angle between the upper and the lower border of the picture, degrees from 1 to 150.
    pub vertical_fov_deg: f64,
}

/// Where the sun stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Degrees clockwise from north: 90 is east.
    pub azimuth_deg: f64,
    /// Degrees above the horizon, from 1 to 90.
    pub elevation_deg: f64,
}

impl Default for Sun {
    /// From the north-west, as maps are lit by custom: relief lit from below the picture reads inside out.
    fn default() -> Self {
        Sun { azimuth_deg: 305.0, elevation_deg: 32.0 }
    }
}

impl Sun {
    /// The unit vector towards the sun.
    #[must_use]
    pub fn direction(self) -> DVec3 {
        let (azimuth, elevation) = (self.azimuth_deg.to_radians(), self.elevation_deg.to_radians());
        let level = ops::cos(elevation);
        DVec3::new(level * ops::sin(azimuth), level * ops::cos(azimuth), ops::sin(elevation))
    }
}

/// Everything that changes the bytes of a picture, apart from scene and viewpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureSettings {
    /// Pixels across, from 1 to [`MAX_SIDE`].
    pub width: u32,
    /// Pixels down, from 1 to [`MAX_SIDE`].
    pub height: u32,
    /// Where light and shadow come from.
    pub sun: Sun,
    /// Rays a pixel that ask how much of the sky is seen; 0 lights every place as if in the open. Most of the time goes
    /// here. They are gathered over 7 x 7 pixels, so 4 are smooth but for rough ground seen from near.
    pub sky_rays: u32,
    /// Rays a pixel towards the disk of the sun, where one alone cannot tell light from half-shadow; 0 casts no
    /// shadows at all.
    pub sun_rays: u32,
    /// Rays a pixel where something ends inside it, in place of one: 1 leaves edges jagged.
    pub edge_rays: u32,
    /// Distance at which haze hides 63 % of what lies behind, metres; `None` takes 3 diagonals of the scene and
    /// 8 times the eye's distance from it; infinity clears the air. A plan has no haze.
    pub haze_m: Option<f64>,
    /// Factor on all light before the tone curve, from 0.01 to 100.
    pub exposure: f64,
    /// Metres of height between the contour lines of a plan; `None` draws none.
    pub contour_lines_m: Option<f64>,
    /// Whether a plan bears a north arrow and a scale bar.
    pub legend: Legend,
}

/// Whether a plan bears a north arrow and a scale bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Legend {
    /// Both, where the picture is large enough for them (at least 200 pixels each way).
    #[default]
    Drawn,
    /// Neither.
    Omitted,
}

impl Default for PictureSettings {
    fn default() -> Self {
        PictureSettings {
            width: 1280,
            height: 720,
            sun: Sun::default(),
            sky_rays: 4,
            sun_rays: 8,
            edge_rays: 4,
            haze_m: None,
            exposure: 1.0,
            contour_lines_m: None,
            legend: Legend::Drawn,
        }
    }
}

impl PictureSettings {
    /// Whether every value lies in its range.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), PreviewError> {
        let PictureSettings { width, height, sun, sky_rays, sun_rays, edge_rays, haze_m, exposure, .. } =
            *self;
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return Err(PreviewError::Size { width, height });
        }
        for (setting, value) in [("sky_rays", sky_rays), ("sun_rays", sun_rays), ("edge_rays", edge_rays)] {
            if value > MAX_RAYS {
                return Err(PreviewError::Rays { setting, value });
            }
        }
        within("sun.azimuth_deg", sun.azimuth_deg, -360.0, 360.0)?;
        within("sun.elevation_deg", sun.elevation_deg, 1.0, 90.0)?;
        within("exposure", exposure, 0.01, 100.0)?;
        within("haze_m", haze_m.unwrap_or(1.0), 1.0, f64::INFINITY)?;
        within("contour_lines_m", self.contour_lines_m.unwrap_or(1.0), 0.001, 1e6)
    }
}

fn within(setting: &'static str, value: f64, least: f64, most: f64) -> Result<(), PreviewError> {
    if least <= value && value <= most {
        return Ok(());
    }
    Err(PreviewError::Setting { setting, value, least, most })
}

/// How one material looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialLook {
    /// Share of light sent back, by red, green and blue: linear, from 0 to 1.
    pub base_color: [f32; 3],
    /// From 0 (a mirror) to 1 (dull).
    pub roughness: f32,
}

/// A camera that shows the whole of `bounds` in a three-quarter view from the south-south-west, for pictures at
/// least 8 wide to 5 high. An empty or infinite box gives a camera that
/// [`perspective`](super::perspective) will refuse.
#[must_use]
pub fn frame(bounds: Aabb) -> Camera {
    const AZIMUTH_DEG: f64 = 28.0;
    const DOWN_DEG: f64 = 27.0;
    const FOV: f64 = 30.0;
    let (azimuth, down) = (f64::to_radians(AZIMUTH_DEG), f64::to_radians(DOWN_DEG));
    let ahead =
        DVec3::new(ops::cos(down) * ops::sin(azimuth), ops::cos(down) * ops::cos(azimuth), -ops::sin(down));
    let right = DVec3::new(ops::cos(azimuth), -ops::sin(azimuth), 0.0);
    let above = right.cross(ahead);
    let (tall, wide) = (ops::tan(f64::to_radians(FOV / 2.0)), ops::tan(f64::to_radians(FOV / 2.0)) * 1.6);
    let middle = bounds.centre();
    let mut target = middle;
    let mut back = 0.0_f64;
    // The eye's distance depends on where it aims, and the aim on how the corners spread up and down in the picture.
    for _ in 0..8 {
        let corners = std::array::from_fn::<DVec3, 8, _>(|i| {
            let pick = |axis: usize| {
                if i >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] }
            };
            DVec3::new(pick(0), pick(1), pick(2)) - target
        });
        back = corners.iter().fold(0.0, |back, c| {
            let need = (c.dot(right).abs() / wide).max(c.dot(above).abs() / tall);
            f64::max(back, need - c.dot(ahead))
        });
        let slopes = corners.map(|c| c.dot(above) / (c.dot(ahead) + back));
        let (low, high) =
            slopes.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &s| (l.min(s), h.max(s)));
        target += above * ((low + high) / 2.0 * back);
    }
    let margin = 1.03;
    Camera { eye: target - ahead * (back * margin), target, vertical_fov_deg: FOV }
}
