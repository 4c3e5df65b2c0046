//! Reads a file of elevations, told apart by its first bytes and never by its suffix.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::elevation::{Elevation, Source};
use crate::error::{Fault, ReadError};
use crate::{geotiff, grey_png};

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadOptions {
    /// The band to read, counted from 1. None takes the first, and refuses pictures in colour.
    pub band: Option<u16>,
    /// Metres between posts of a file without a georeference. None takes 1 m, with a warning. Kept in
    /// [`Elevation::spacing`].
    pub spacing: Option<f64>,
    /// The most posts that a raster may have; refused before anything is allocated for them.
    pub max_posts: u64,
    /// The most bytes that a file, or one compressed part of it when unpacked, may have.
    pub max_bytes: u64,
}

impl Default for ReadOptions {
    /// The first band, at most 400 million posts (20,000 × 20,000) and 2 GiB.
    fn default() -> Self {
        ReadOptions { band: None, spacing: None, max_posts: 400_000_000, max_bytes: 2 << 30 }
    }
}

/// Reads the elevation file at `path`.
///
/// # Errors
/// If the file cannot be opened, is of no format that is read, is cut off or damaged, declares more than `options`
/// allow, or lies on a rotated grid. See [`Fault`].
pub fn read(path: &Path, options: &ReadOptions) -> Result<Elevation, ReadError> {
    let name = path.display().to_string();
    let bytes = file_bytes(path, options.max_bytes).map_err(|fault| fault.named(&name))?;
    read_bytes(&name, &bytes, options)
}

/// Reads an elevation file that is already in memory; `name` is only used in reports and errors.
///
/// # Errors
/// As [`read()`], but for opening the file.
pub fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Elevation, ReadError> {
    decode(name, bytes, options).map_err(|fault| fault.named(name))
}

fn file_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Fault> {
    let file = File::open(path).map_err(Fault::Io)?;
    let length = file.metadata().map_err(Fault::Io)?.len();
    let too_large = |found| Fault::TooLarge { what: "bytes", found, limit: max_bytes };
    if length > max_bytes {
        return Err(too_large(length));
    }
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(Fault::Io)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

fn decode(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Elevation, Fault> {
    let source = Source { name: name.to_owned(), format: String::new(), citation: None };
    if let Some(spacing) = options.spacing.filter(|spacing| !spacing.is_finite() || *spacing <= 0.0) {
        return Err(Fault::georeference(format_args!("a spacing of {spacing} m is not a positive number")));
    }
    match bytes {
        [] => Err(Fault::Empty),
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => geotiff::read(source, bytes, options),
        [0x89, b'P', b'N', b'G', ..] => grey_png::read(source, bytes, options),
        _ => Err(match known_format(bytes) {
            Some(format) => Fault::FormatNotRead { format },
            None => Fault::UnknownFormat { begins: beginning(bytes) },
        }),
    }
}

/// The name of a format that is recognized but not read.
fn known_format(bytes: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 15] = [
        (b"\x76\x2f\x31\x01", "OpenEXR"),
        (b"PK\x03\x04", "zip"),
        (b"\x1f\x8b", "gzip"),
        (b"Lerc2 ", "LERC"),
        (b"CntZImage ", "LERC 1"),
        (b"\xff\xd8\xff", "JPEG"),
        (b"\x89HDF\r\n\x1a\n", "HDF5 or NetCDF 4"),
        (b"CDF\x01", "NetCDF"),
        (b"CDF\x02", "NetCDF"),
        (b"\x00\x00\x00\x0cjP  ", "JPEG 2000"),
        (b"DSAA", "Surfer grid"),
        (b"DSBB", "Surfer grid"),
        (b"RIFF", "WebP"),
        (b"BM", "BMP"),
        (b"EHFA_HEADER_TAG", "Erdas Imagine"),
    ];
    if let Some((_, format)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return Some(format);
    }
    if is_ascii_grid(bytes) {
        return Some("ESRI ASCII grid");
    }
    let srtm_sides = [1201, 3601];
    srtm_sides.iter().any(|side| bytes.len() == side * side * 2).then_some("SRTM .hgt")
}

/// Whether the first word is a header key of an ESRI ASCII grid.
fn is_ascii_grid(bytes: &[u8]) -> bool {
    const KEYS: [&str; 8] =
        ["ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize", "nodata_value"];
    let start = bytes.trim_ascii_start();
    let end = start.iter().position(u8::is_ascii_whitespace).unwrap_or(start.len());
    KEYS.iter().any(|key| start[..end].eq_ignore_ascii_case(key.as_bytes()))
}

/// The first bytes for an error: as text where they are text, else as hexadecimal numbers.
fn beginning(bytes: &[u8]) -> String {
    let first = &bytes[..bytes.len().min(12)];
    if first.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        format!("{:?}", String::from_utf8_lossy(first))
    } else {
        let numbers: Vec<String> = first.iter().map(|byte| format!("{byte:02x}")).collect();
        numbers.join(" ")
    }
}
