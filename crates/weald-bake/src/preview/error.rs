//! What can be wrong with a request for a picture.

use super::field::MAX_CUT_SIDE;
use super::settings::{FARTHEST, FOV_DEG, MAX_RAYS, MAX_SIDE, MAX_TRIANGLES};

/// Why no picture was made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PreviewError {
    /// There is nothing to look at.
    #[error("the mesh has no triangles, so there is nothing to show")]
    NoTriangles,
    /// More triangles than the tree of boxes is meant to hold.
    #[error("the mesh has {triangles} triangles, more than the limit of {MAX_TRIANGLES}")]
    TooManyTriangles {
        /// Their number.
        triangles: usize,
    },
    /// `positions`, `normals` and `materials` of the mesh differ in length.
    #[error(
        "the mesh has {positions} positions but {normals} normals and {materials} materials; one of each \
         a vertex is needed"
    )]
    Ragged {
        /// Number of positions.
        positions: usize,
        /// Number of normals.
        normals: usize,
        /// Number of materials.
        materials: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are only {vertices}")]
    VertexIndex {
        /// Place in `Mesh::triangles`.
        triangle: usize,
        /// The index it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A position or a normal is infinite or not a number, or a position absurdly far away.
    #[error(
        "vertex {vertex} lies at {position:?} with normal {normal:?}; both must be finite, the place within {FARTHEST} m"
    )]
    VertexNotFinite {
        /// Its index.
        vertex: usize,
        /// Metres from the mesh's origin.
        position: [f32; 3],
        /// As the mesh has it.
        normal: [f32; 3],
    },
    /// The mesh's origin is infinite, not a number, or absurdly far away.
    #[error("the mesh's origin is ({}, {}, {}) m; each coordinate must be within {FARTHEST} m", at[0], at[1], at[2])]
    Origin {
        /// World metres.
        at: [f64; 3],
    },
    /// A vertex has a material whose look was not given.
    #[error("vertex {vertex} has material {material}, but looks were given for only {looks} materials")]
    UnknownMaterial {
        /// Its index.
        vertex: usize,
        /// Its material.
        material: u8,
        /// How many looks there are.
        looks: usize,
    },
    /// A colour or a roughness outside 0 to 1.
    #[error("the look of material {material} has {field} = {value}, which is not between 0 and 1")]
    Look {
        /// Place in the list of looks.
        material: usize,
        /// `base_color` or `roughness`.
        field: &'static str,
        /// The value.
        value: f32,
    },
    /// A side of the picture is zero or too long.
    #[error("a picture of {width} x {height} pixels was asked for; each side must be 1 to {MAX_SIDE}")]
    Size {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
    /// A setting lies outside its range.
    #[error("{setting} is {value}, which is not between {least} and {most}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// Its value.
        value: f64,
        /// The least allowed.
        least: f64,
        /// The greatest allowed.
        most: f64,
    },
    /// Too many rays a pixel.
    #[error("{setting} is {value}, more than the limit of {MAX_RAYS} rays a pixel")]
    Rays {
        /// Its name.
        setting: &'static str,
        /// Its value.
        value: u32,
    },
    /// The camera's eye or target is infinite, not a number, or absurdly far away.
    #[error("the camera's {field} is ({}, {}, {}) m; each coordinate must be within {FARTHEST} m", at[0], at[1], at[2])]
    CameraPlace {
        /// `eye` or `target`.
        field: &'static str,
        /// World metres.
        at: [f64; 3],
    },
    /// Eye and target are one point, so there is no direction to look in.
    #[error(
        "the camera looks nowhere: eye and target are both near ({}, {}, {}) m, less than {least} m apart",
        at[0], at[1], at[2]
    )]
    CameraLooksNowhere {
        /// The eye, world metres.
        at: [f64; 3],
        /// The least distance, metres.
        least: f64,
    },
    /// The opening angle is unusable.
    #[error(
        "the camera's vertical field of view is {degrees} degrees, which is not between {least} and {most}",
        least = FOV_DEG.start(), most = FOV_DEG.end()
    )]
    CameraFov {
        /// The angle.
        degrees: f64,
    },
    /// The eye is inside the ground.
    #[error(
        "the camera's eye ({}, {}, {}) m is inside the ground, whose surface is {depth} m above it",
        eye[0], eye[1], eye[2]
    )]
    CameraUnderGround {
        /// The eye, world metres.
        eye: [f64; 3],
        /// Metres up to the surface.
        depth: f64,
    },
    /// The area of a plan is empty or not finite.
    #[error(
        "the plan's area from ({}, {}) to ({}, {}) m is empty or not finite",
        min[0], min[1], max[0], max[1]
    )]
    PlanArea {
        /// South-west corner, world metres.
        min: [f64; 2],
        /// North-east corner, world metres.
        max: [f64; 2],
    },
    /// A side of a cut is zero or too long.
    #[error("a cut of {width} x {height} pixels was asked for; each side must be 1 to {MAX_CUT_SIDE}")]
    CutSize {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
    /// The area of a cut is empty or not finite.
    #[error(
        "the cut's area from ({}, {}) to ({}, {}) m is empty or not finite",
        min[0], min[1], max[0], max[1]
    )]
    CutArea {
        /// Lower left corner in the plane of the cut, metres.
        min: [f64; 2],
        /// Upper right corner, metres.
        max: [f64; 2],
    },
    /// The caller asked to stop.
    #[error("the picture was cancelled")]
    Cancelled,
}

impl PreviewError {
    /// The field of a world's camera that is wrong, if one is.
    #[must_use]
    pub fn camera_field(&self) -> Option<&'static str> {
        match self {
            PreviewError::CameraUnderGround { .. } | PreviewError::CameraPlace { field: "eye", .. } => {
                Some("camera.eye")
            }
            PreviewError::CameraPlace { .. } | PreviewError::CameraLooksNowhere { .. } => {
                Some("camera.target")
            }
            PreviewError::CameraFov { .. } => Some("camera.fov_deg"),
            _ => None,
        }
    }
}
