//! The world file as it is written.
//!
//! A world file is RON, in metres and degrees, x to the east, y to the north, z up. These types say what may stand in
//! it and what is left out by default; nothing is looked up or checked against anything else here. [`schema`] prints
//! them as a JSON Schema for editors.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use weald_field::formula::signatures;

/// The version of the world file that this release writes.
pub const VERSION: u32 = 1;

/// A world.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "World", deny_unknown_fields)]
pub struct RecipeRaw {
    /// Version of the world file: 1.
    pub version: u32,
    /// Name of the world: 1 to 64 letters, digits, `-` and `_`. The default output folder is `bakes/<name>`.
    pub name: String,
    /// Seed of all random numbers.
    #[serde(default)]
    pub seed: u64,
    /// Side of a cell in metres: a power of two, such as 0.5, 1, 2, 4.
    pub cell_size: f64,
    /// The part of the world that is baked. Default: the middle of the elevation, at most 4,096 m wide.
    #[serde(default)]
    pub region: Option<RegionRaw>,
    /// Levels of detail that are baked: 1 to 8. Cells of each are twice as large as those of the one before. Default: 1.
    #[serde(default = "one_level")]
    pub levels: u32,
    /// The place on Earth at x = 0, y = 0. Default: the middle of the elevation.
    #[serde(default)]
    pub anchor: Option<AnchorRaw>,
    /// Files of formulas by name that this file uses. A relative path counts from the folder of this file.
    #[serde(default, rename = "use")]
    pub uses: Vec<String>,
    /// Formulas by name, as `"hills": "fbm(300, flat: true) * 40"` or, with parameters, `"rock(size)": "sphere(size)"`.
    #[serde(default)]
    pub fields: FieldsRaw,
    /// The ground.
    pub ground: GroundRaw,
    /// Materials, 1 to 255.
    pub materials: Vec<MaterialRaw>,
    /// Which material the terrain has where.
    pub surface: SurfaceRaw,
    /// Where the picture is taken from. Default: from the south-south-west, so that the region fills the picture.
    #[serde(default)]
    pub camera: Option<CameraRaw>,
    /// The sun.
    #[serde(default)]
    pub sun: SunRaw,
    /// The picture.
    #[serde(default)]
    pub picture: PictureRaw,
}

const fn one_level() -> u32 {
    1
}

/// A file of formulas by name, which worlds use.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Fields", deny_unknown_fields)]
pub struct LibraryRaw {
    /// Files of formulas that this one uses. A relative path counts from the folder of this file.
    #[serde(default, rename = "use")]
    pub uses: Vec<String>,
    /// Formulas by name.
    #[serde(default)]
    pub fields: FieldsRaw,
}

/// Formulas by name: a map, whose entries stay in their order, and keep a name that occurs twice, so that it is found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldsRaw(pub Vec<(String, String)>);

impl<'de> Deserialize<'de> for FieldsRaw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = FieldsRaw;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from names to formulas")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FieldsRaw, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(FieldsRaw(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

impl Serialize for FieldsRaw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, formula)| (name, formula)))
    }
}

impl JsonSchema for FieldsRaw {
    fn schema_name() -> Cow<'static, str> {
        "Formulas".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<serde_json::Value> = signatures()
            .map(|name| serde_json::json!({ "written": name.to_string(), "description": name.doc }))
            .collect();
        json_schema!({
            "description": "Formulas by name; a name may have parameters, as in `rock(size, height: 3)`. \
                            `x-names` lists what formulas may call.",
            "type": "object",
            "additionalProperties": { "type": "string" },
            "x-names": names,
        })
    }
}

/// A rectangle of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Region", deny_unknown_fields)]
pub struct RegionRaw {
    /// South-western corner (x, y) in metres.
    pub min: (f64, f64),
    /// North-eastern corner (x, y) in metres.
    pub max: (f64, f64),
}

/// A place on Earth.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Anchor", deny_unknown_fields)]
pub struct AnchorRaw {
    /// Longitude in degrees, east positive.
    pub lon: f64,
    /// Latitude in degrees, north positive.
    pub lat: f64,
}

/// The ground: elevation, a plain or a formula, then detail, then solids in their order.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Ground", deny_unknown_fields)]
pub struct GroundRaw {
    /// Heights from a raster file, which formulas know as `elevation`. Either this or `base`.
    #[serde(default)]
    pub elevation: Option<ElevationRaw>,
    /// Height of a plain in metres. Either this or `elevation`.
    #[serde(default)]
    pub base: Option<f64>,
    /// A formula that is negative below ground, in place of `base` and of what `elevation` makes alone.
    #[serde(default)]
    pub density: Option<String>,
    /// Layers that are added to the ground.
    #[serde(default)]
    pub detail: Vec<DetailRaw>,
    /// Solids that are added to the ground or cut out of it, one after the other.
    #[serde(default)]
    pub solids: Vec<SolidRaw>,
}

/// Heights from a raster file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Elevation", deny_unknown_fields)]
pub struct ElevationRaw {
    /// GeoTIFF or grey PNG. A relative path counts from the folder of this file.
    pub file: String,
    /// Metres between the posts of a file without a georeference.
    #[serde(default)]
    pub spacing: Option<f64>,
    /// Heights are multiplied by this.
    #[serde(default = "one")]
    pub vertical_scale: f64,
    /// Metres that are added to the scaled heights.
    #[serde(default)]
    pub offset: f64,
    /// What is done about posts without a height.
    #[serde(default)]
    pub voids: VoidsRaw,
}

/// What is done about posts without a height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Voids")]
pub enum VoidsRaw {
    /// They are an error that counts them.
    #[default]
    Refuse,
    /// They get the heights of a membrane through the posts around them.
    Fill,
}

/// A layer: noise with its amplitude, or a formula.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Detail", deny_unknown_fields)]
pub struct DetailRaw {
    /// Name of the layer; its random numbers come from the seed and this name.
    pub name: String,
    /// The noise. Either this and `amplitude`, or `field`.
    #[serde(default)]
    pub noise: Option<NoiseRaw>,
    /// The first octave moves the ground by up to this many metres.
    #[serde(default)]
    pub amplitude: Option<f64>,
    /// A formula in metres, which raises the ground. If it depends on z, it makes overhangs.
    #[serde(default)]
    pub field: Option<String>,
}

/// Noise: a sum of octaves, each of half the wavelength of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Noise", deny_unknown_fields)]
pub struct NoiseRaw {
    /// How one octave is made.
    #[serde(default)]
    pub kind: NoiseKindRaw,
    /// Whether it varies with height.
    #[serde(default)]
    pub space: NoiseSpaceRaw,
    /// Metres from one lattice point of the first octave to the next.
    pub wavelength: f64,
    /// Number of octaves, 1 to 16.
    #[serde(default = "one_octave")]
    pub octaves: u32,
    /// Each octave is this much stronger than the one before, 0 to 1.
    #[serde(default = "half")]
    pub gain: f64,
}

/// How one octave of noise is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "NoiseKind")]
pub enum NoiseKindRaw {
    /// Between random slopes at the lattice points.
    #[default]
    Gradient,
    /// Between random values at the lattice points.
    Value,
}

/// What noise varies with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "NoiseSpace")]
pub enum NoiseSpaceRaw {
    /// With x and y only.
    #[default]
    Plane,
    /// With x, y and z; makes overhangs.
    Space,
}

/// A solid and what is done with it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Solid", deny_unknown_fields)]
pub struct SolidRaw {
    /// Name of the solid.
    pub name: String,
    /// What is done with it.
    pub op: SolidOpRaw,
    /// Where the origin of its shape lies.
    pub at: PlaceRaw,
    /// Degrees by which the shape is turned about the vertical through `at`, counter-clockwise from above.
    #[serde(default)]
    pub turn_deg: f64,
    /// The shape, in metres from `at`.
    pub shape: ShapeRaw,
    /// Metres over which its edge with what was there before is rounded; 0 for a sharp edge.
    #[serde(default)]
    pub blend: f64,
    /// Material of its surface. Default: that of the terrain around it.
    #[serde(default)]
    pub material: Option<String>,
}

/// What is done with a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "SolidOp")]
pub enum SolidOpRaw {
    /// The solid is added to what is there.
    Add,
    /// The solid is cut out of what is there.
    Cut,
    /// Only what lies in the solid stays.
    Keep,
}

/// A place in the world.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Place")]
pub enum PlaceRaw {
    /// x, y, z in metres.
    World(f64, f64, f64),
    /// x, y, and metres above the ground (with its detail, without solids).
    Ground(f64, f64, f64),
}

/// A shape. Positions are in metres from the origin of the solid; all angles default to 0.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Shape", deny_unknown_fields)]
pub enum ShapeRaw {
    /// A box.
    Box {
        /// Its middle.
        #[serde(default)]
        at: (f64, f64, f64),
        /// Edge lengths in metres.
        size: (f64, f64, f64),
        /// Degrees by which it is turned about the vertical, counter-clockwise from above.
        #[serde(default)]
        turn_deg: f64,
    },
    /// A ball.
    Sphere {
        /// Its middle.
        #[serde(default)]
        at: (f64, f64, f64),
        /// Radius in metres.
        radius: f64,
    },
    /// A cylinder, upright unless tilted.
    Cylinder {
        /// Its middle.
        #[serde(default)]
        at: (f64, f64, f64),
        /// Radius in metres.
        radius: f64,
        /// From one end to the other, in metres.
        length: f64,
        /// Degrees by which its upper end leans to the north: 90 lays it down.
        #[serde(default)]
        tilt_deg: f64,
        /// Degrees by which the tilted cylinder is turned about the vertical, counter-clockwise from above.
        #[serde(default)]
        turn_deg: f64,
    },
    /// All below a plane.
    Below {
        /// A point of the plane.
        #[serde(default)]
        at: (f64, f64, f64),
        /// Degrees by which the plane falls to the north; 0 is level.
        #[serde(default)]
        slope_deg: f64,
        /// Degrees by which the sloping plane is turned about the vertical, counter-clockwise from above.
        #[serde(default)]
        turn_deg: f64,
    },
    /// All of these.
    Union {
        /// The parts, at least one.
        of: Vec<ShapeRaw>,
        /// Metres over which inner edges are rounded.
        #[serde(default)]
        blend: f64,
    },
    /// What these have in common.
    Intersection {
        /// The parts, at least one.
        of: Vec<ShapeRaw>,
        /// Metres over which edges are rounded.
        #[serde(default)]
        blend: f64,
    },
    /// One shape without others.
    Difference {
        /// The shape that is cut.
        from: Box<ShapeRaw>,
        /// What is cut out of it.
        cut: Vec<ShapeRaw>,
        /// Metres over which new edges are rounded.
        #[serde(default)]
        blend: f64,
    },
    /// A formula that is negative inside, in metres from the origin of the solid.
    Field(String),
}

/// A material.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Material", deny_unknown_fields)]
pub struct MaterialRaw {
    /// Name, by which rules and solids call it.
    pub name: String,
    /// Colour as `#rrggbb` (sRGB).
    pub color: String,
    /// 0 for a mirror, 1 for chalk.
    #[serde(default = "rough")]
    pub roughness: f64,
}

/// Which material the terrain has where: that of the first rule that holds.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Surface", deny_unknown_fields)]
pub struct SurfaceRaw {
    /// Material where no rule holds.
    pub default: String,
    /// Rules, first to last.
    #[serde(default)]
    pub rules: Vec<RuleRaw>,
}

/// A rule holds where all its conditions do.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Rule", deny_unknown_fields)]
pub struct RuleRaw {
    /// The material where the rule holds.
    pub material: String,
    /// From this height to that, in metres.
    #[serde(default)]
    pub height: Option<(f64, f64)>,
    /// Noise that moves the borders of `height` up and down.
    #[serde(default)]
    pub border: Option<DetailRaw>,
    /// From this slope to that, in degrees: 0 is flat ground, 90 a wall, 180 a ceiling.
    #[serde(default)]
    pub slope_deg: Option<(f64, f64)>,
    /// Where a noise lies above a threshold.
    #[serde(default)]
    pub noise: Option<RuleNoiseRaw>,
    /// Where a formula lies in a range.
    #[serde(default)]
    pub field: Option<RuleFieldRaw>,
}

/// Where a formula lies in a range.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "RuleField", deny_unknown_fields)]
pub struct RuleFieldRaw {
    /// The formula.
    pub of: String,
    /// The rule holds where the formula is this or greater. Default: no limit.
    #[serde(default)]
    pub above: Option<f64>,
    /// The rule holds where the formula is less than this. Default: no limit.
    #[serde(default)]
    pub below: Option<f64>,
}

/// Where a noise lies above a threshold.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "RuleNoise", deny_unknown_fields)]
pub struct RuleNoiseRaw {
    /// Name of the noise; its random numbers come from the seed and this name.
    pub name: String,
    /// The noise, whose first octave runs from -1 to 1.
    pub noise: NoiseRaw,
    /// The rule holds where the noise is this or greater.
    pub above: f64,
}

/// Where the picture is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Camera", deny_unknown_fields)]
pub struct CameraRaw {
    /// Where it stands.
    pub eye: PlaceRaw,
    /// What it looks at.
    pub target: PlaceRaw,
    /// Angle of view from the bottom of the picture to its top, in degrees.
    #[serde(default = "view_deg")]
    pub fov_deg: f64,
}

/// The sun.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Sun", deny_unknown_fields)]
pub struct SunRaw {
    /// Degrees from north, clockwise.
    pub azimuth_deg: f64,
    /// Degrees above the horizon.
    pub elevation_deg: f64,
}

impl Default for SunRaw {
    fn default() -> Self {
        SunRaw { azimuth_deg: 300.0, elevation_deg: 35.0 }
    }
}

/// The picture.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Picture", deny_unknown_fields)]
pub struct PictureRaw {
    /// Width and height in pixels.
    pub size: (u32, u32),
}

impl Default for PictureRaw {
    fn default() -> Self {
        PictureRaw { size: (1600, 900) }
    }
}

fn one() -> f64 {
    1.0
}

fn half() -> f64 {
    0.5
}

fn rough() -> f64 {
    0.9
}

fn view_deg() -> f64 {
    50.0
}

fn one_octave() -> u32 {
    1
}

/// The JSON Schema of a file of formulas.
#[must_use]
pub fn library_schema() -> serde_json::Value {
    schemars::schema_for!(LibraryRaw).to_value()
}

/// The JSON Schema of the world file.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(RecipeRaw).to_value()
}
