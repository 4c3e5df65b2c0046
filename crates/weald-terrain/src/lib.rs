//! Elevation: raster files read and georeferenced to metres.
//!
//! `file → Elevation → LocalGrid`: [`read()`] decodes a file into posts in the file's own coordinates, row 0 in the south
//! and voids as NaN; [`georeference()`] brings them to local metres around an anchor, with no voids left.
//!
//! Read are GeoTIFF (strips and tiles; uncompressed, PackBits, LZW, Deflate; predictors 1, 2 and 3; integers of 8, 16
//! and 32 bits, floats of 16, 32 and 64; either byte order; BigTIFF) and grey PNG (8 and 16 bits, plain and interlaced).
//! Every other file is refused with an error that names what it is. A file that is cut off or damaged is an error and
//! never a plausible height, as far as the file can tell: uncompressed samples and LZW carry no checksum.
//!
//! ```
//! use std::path::Path;
//! use weald_terrain::{GeoreferenceSettings, ReadOptions, georeference, read};
//!
//! # let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds/data/jacksboro.tif");
//! # /*
//! let file = Path::new("worlds/data/jacksboro.tif");
//! # */
//! # let file = file.as_path();
//! let elevation = read(file, &ReadOptions::default())?;
//! assert_eq!((elevation.width, elevation.height), (403, 344));
//! assert_eq!((elevation.stats.min, elevation.stats.max), (236.0, 1076.0));
//! println!("{}", elevation.report());
//!
//! let local = georeference(&elevation, &GeoreferenceSettings::default())?;
//! let step = local.grid.step;
//! assert!((step.x - 74.5).abs() < 0.1 && (step.y - 92.5).abs() < 0.1, "posts of 3 arc-seconds, in metres: {step}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod elevation;
mod ellipsoid;
mod error;
mod gather;
mod geokeys;
mod georeference;
mod geotiff;
mod grey_png;
mod layout;
mod metadata;
mod placement;
mod read;
mod report;
mod tags;
mod voids;

pub use elevation::{
    Crs, Elevation, Placement, Quantization, Registration, RowOrder, SampleType, Scaling, Source, Stats,
    VerticalUnit,
};
pub use error::{Fault, ReadError};
pub use georeference::{
    Anchor, GeoreferenceError, GeoreferenceSettings, Georeferenced, LocalGrid, georeference,
};
pub use read::{ReadOptions, read, read_bytes};
pub use report::{Change, ImportReport, Warning};
pub use voids::VoidPolicy;
