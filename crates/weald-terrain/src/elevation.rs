//! A raster of elevations as the file has it: posts, where they are, and what is known about them.

use glam::DVec2;

use crate::report::{Change, Warning};

/// A grid of elevation posts in the units of the file that it came from.
///
/// Invariant: `posts` has `width · height` entries. Row 0 is the southernmost and each row runs from west to east, so
/// that the post in column `x` and row `y` is `posts[y * width + x]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Elevation {
    /// Posts in a row, at least 1.
    pub width: usize,
    /// Rows, at least 1.
    pub height: usize,
    /// The samples before [`Elevation::scaling`], NaN where there is none.
    ///
    /// 64-bit floats and 32-bit integers are rounded to the nearest f32: at 4,000 m that is an eighth of a millimetre at most.
    pub posts: Vec<f32>,
    /// The kind of number in the file.
    pub sample: SampleType,
    /// The value that marks a void, if the file names one.
    pub nodata: Option<f64>,
    /// From a sample to a height; none means that they are the same.
    pub scaling: Option<Scaling>,
    /// The unit of heights, if the file tells.
    pub vertical_unit: VerticalUnit,
    /// Where the posts are, in the units of `crs`; none where the file is not georeferenced.
    pub placement: Option<Placement>,
    /// Metres between posts where `placement` is none, as [`ReadOptions`](crate::ReadOptions) gave it.
    pub spacing: f64,
    /// The kind of coordinates in `placement`.
    pub crs: Crs,
    /// Counts and extremes of the samples, before rounding and before scaling.
    pub stats: Stats,
    /// How finely heights are stepped.
    pub quantization: Quantization,
    /// Where it came from.
    pub source: Source,
    /// What is different in memory from what the file says.
    pub changes: Vec<Change>,
    /// What deserves attention.
    pub warnings: Vec<Warning>,
}

impl Elevation {
    /// The height of a post in the file's vertical unit: the sample after scaling, NaN for a void.
    ///
    /// # Panics
    /// If there is no such post.
    #[must_use]
    pub fn height_at(&self, x: usize, y: usize) -> f32 {
        assert!(x < self.width, "column {x} of {}", self.width);
        let raw = self.posts[y * self.width + x];
        self.scaling.map_or(raw, |scaling| scaling.height(raw))
    }

    /// Affine map from pixels to file coordinates in the usual order `[a, b, c, d, e, f]`: the corner of the pixel in
    /// file column `i` and file row `j` is at `(a·i + b·j + c, d·i + e·j + f)`. None without a georeference.
    ///
    /// File rows are counted as the file stores them, so `e` is negative where the first row is the northernmost.
    #[must_use]
    pub fn file_from_pixel_corner(&self) -> Option<[f64; 6]> {
        let Placement { origin, step, row_order, .. } = self.placement?;
        let last = origin.y + (self.height - 1) as f64 * step.y;
        let (first_row, along_rows) = match row_order {
            RowOrder::NorthFirst => (last, -step.y),
            RowOrder::SouthFirst => (origin.y, step.y),
        };
        Some([step.x, 0.0, origin.x - 0.5 * step.x, 0.0, along_rows, first_row - 0.5 * along_rows])
    }
}

/// The file that an elevation came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path or name that was read.
    pub name: String,
    /// The format, such as `GeoTIFF, i16, Deflate, predictor 2, strips`.
    pub format: String,
    /// The coordinate system's name as the file gives it.
    pub citation: Option<String>,
}

/// Where the posts lie, in the units of the file's coordinate system (degrees, metres or feet).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The post in the south-west corner, column 0 of row 0. It is the middle of its pixel, whatever `registration` says.
    pub origin: DVec2,
    /// From a post to the next one east and the next one north; both are positive.
    pub step: DVec2,
    /// What the file's own coordinates point to.
    pub registration: Registration,
    /// In which order the file stores its rows.
    pub row_order: RowOrder,
}

/// What the coordinates written in a file point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Registration {
    /// A corner of a pixel, whose middle is the post (`PixelIsArea`).
    Area,
    /// The post itself (`PixelIsPoint`).
    Point,
}

/// The order of rows in a file. In memory the first is always the southernmost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowOrder {
    /// The first row is the northernmost, as in a picture.
    NorthFirst,
    /// The first row is the southernmost.
    SouthFirst,
}

/// The coordinate reference system of a file, as far as this crate tells them apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Crs {
    /// Longitude and latitude in degrees.
    Geographic {
        /// The code in the EPSG register.
        epsg: Option<u16>,
    },
    /// Coordinates on a map.
    Projected {
        /// The code in the EPSG register.
        epsg: Option<u16>,
        /// Metres in one unit of the coordinates.
        metres_per_unit: f64,
    },
    /// The file does not tell.
    None,
}

impl Crs {
    /// The code in the EPSG register, if the file names one.
    #[must_use]
    pub fn epsg(&self) -> Option<u16> {
        match self {
            Crs::Geographic { epsg } | Crs::Projected { epsg, .. } => *epsg,
            Crs::None => None,
        }
    }
}

/// The kind of number that a file stores for a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of the number types")]
pub enum SampleType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F16,
    F32,
    F64,
}

impl SampleType {
    /// How the type is written: `u8`, `f32` and so on.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SampleType::U8 => "u8",
            SampleType::I8 => "i8",
            SampleType::U16 => "u16",
            SampleType::I16 => "i16",
            SampleType::U32 => "u32",
            SampleType::I32 => "i32",
            SampleType::F16 => "f16",
            SampleType::F32 => "f32",
            SampleType::F64 => "f64",
        }
    }

    /// Bytes of one sample.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            SampleType::U8 | SampleType::I8 => 1,
            SampleType::U16 | SampleType::I16 | SampleType::F16 => 2,
            SampleType::U32 | SampleType::I32 | SampleType::F32 => 4,
            SampleType::F64 => 8,
        }
    }

    /// Whether samples are whole numbers.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        !matches!(self, SampleType::F16 | SampleType::F32 | SampleType::F64)
    }
}

/// From the sample in a file to a height: `scale · sample + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Heights in one step of the sample.
    pub scale: f64,
    /// The height of sample 0.
    pub offset: f64,
}

impl Scaling {
    /// The height of a sample; NaN stays NaN.
    #[must_use]
    pub fn height(self, sample: f32) -> f32 {
        (f64::from(sample) * self.scale + self.offset) as f32
    }
}

/// The unit of heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum VerticalUnit {
    /// The file does not tell; taken as metres.
    #[default]
    Unknown,
    /// Metres.
    Metre,
    /// International feet of 0.3048 m.
    Foot,
    /// United States survey feet of 1200/3937 m.
    SurveyFoot,
}

impl VerticalUnit {
    /// Metres in one unit.
    #[must_use]
    pub const fn metres(self) -> f64 {
        match self {
            VerticalUnit::Unknown | VerticalUnit::Metre => 1.0,
            VerticalUnit::Foot => 0.3048,
            VerticalUnit::SurveyFoot => 1200.0 / 3937.0,
        }
    }
}

/// Counts and extremes over all samples of a raster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stats {
    /// The least sample that is not void; NaN where all are.
    pub min: f64,
    /// The greatest sample that is not void; NaN where all are.
    pub max: f64,
    /// The mean of the samples that are not void, summed in f64 in the order of the file; NaN where all are void.
    pub mean: f64,
    /// Posts with a sample.
    pub valid: usize,
    /// Posts without one: nodata, NaN, infinite, or in a part of the file that holds no data.
    pub void: usize,
}

/// How finely a raster tells heights apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantization {
    /// Floating point: as fine as the numbers.
    Continuous,
    /// Whole numbers.
    Stepped {
        /// The height of one step, in the file's vertical unit.
        step: f64,
        /// How many different levels occur; counted for 8 and 16 bits.
        levels: Option<usize>,
    },
}
