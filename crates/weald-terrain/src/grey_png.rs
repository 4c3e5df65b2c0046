//! Grey PNG of 8 or 16 bits, plain and interlaced, through the `png` crate.
//!
//! A PNG has no georeference; the `tRNS` grey level, where there is one, marks voids. The file is read to its end so
//! that a checksum which does not hold is an error even behind the last row.

use std::io::Cursor;

use png::{BitDepth, ColorType, DecodingError};

use crate::elevation::{Crs, Elevation, RowOrder, SampleType, Source, VerticalUnit};
use crate::error::Fault;
use crate::gather::Gather;
use crate::geotiff::plain_warnings;
use crate::read::ReadOptions;
use crate::report::Change;

const READ: &str = "grey PNG of 8 or 16 bits";

pub(crate) fn read(mut source: Source, bytes: &[u8], options: &ReadOptions) -> Result<Elevation, Fault> {
    let limits = png::Limits { bytes: usize::try_from(options.max_bytes).unwrap_or(usize::MAX) };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.ignore_checksums(false);
    let header = decoder.read_header_info().map_err(|error| fault(error, bytes))?;
    let (width, height) = (header.width as usize, header.height as usize);
    let posts = u64::from(header.width) * u64::from(header.height);
    if posts > options.max_posts {
        return Err(Fault::TooLarge { what: "posts", found: posts, limit: options.max_posts });
    }
    let sample = sample_type(header.bit_depth)?;
    let (band, bands) = band(header.color_type, options.band)?;
    let interlaced = header.interlaced;

    let mut reader = decoder.read_info().map_err(|error| fault(error, bytes))?;
    let needed = posts * u64::from(bands) * sample.bytes() as u64;
    if needed > options.max_bytes {
        return Err(Fault::TooLarge { what: "bytes of pixels", found: needed, limit: options.max_bytes });
    }
    let mut pixels = vec![0; needed as usize];
    let frame = reader.next_frame(&mut pixels).map_err(|error| fault(error, bytes))?;
    if (frame.width as usize, frame.height as usize) != (width, height) {
        return Err(Fault::damaged("its first frame does not fill the picture"));
    }
    reader.finish().map_err(|error| fault(error, bytes))?;

    let nodata = (bands == 1).then(|| reader.info().trns.as_deref().and_then(transparent_level)).flatten();
    let mut gather = Gather::new(width, height, RowOrder::NorthFirst, sample, nodata);
    let stride = usize::from(bands) * sample.bytes();
    let at = usize::from(band - 1) * sample.bytes();
    for (row, line) in pixels.chunks_exact(width * stride).enumerate() {
        let samples = line.chunks_exact(stride).map(|pixel| match sample {
            SampleType::U8 => u16::from(pixel[at]),
            _ => u16::from_be_bytes([pixel[at], pixel[at + 1]]),
        });
        gather.row(0, row, samples);
    }
    let gathered = gather.finish();

    source.format = format!("PNG, {}{}", sample.name(), if interlaced { ", interlaced" } else { "" });
    let mut changes = vec![Change::RowsFlipped];
    if bands > 1 {
        changes.push(Change::BandTaken { band, bands });
    }
    Ok(Elevation {
        width,
        height,
        sample,
        nodata,
        scaling: None,
        vertical_unit: VerticalUnit::Unknown,
        placement: None,
        spacing: options.spacing.unwrap_or(1.0),
        crs: Crs::None,
        stats: gathered.stats,
        quantization: gathered.quantization(sample, 1.0),
        warnings: plain_warnings(&gathered, sample, None, options),
        posts: gathered.posts,
        source,
        changes,
    })
}

fn sample_type(depth: BitDepth) -> Result<SampleType, Fault> {
    match depth {
        BitDepth::Eight => Ok(SampleType::U8),
        BitDepth::Sixteen => Ok(SampleType::U16),
        few => Err(Fault::not_read(format!("PNG of {} bits", few as u8), READ)),
    }
}

/// The band to read, counted from 1, and how many there are.
fn band(color: ColorType, asked: Option<u16>) -> Result<(u16, u16), Fault> {
    let (bands, picture) = match color {
        ColorType::Grayscale => (1, None),
        ColorType::GrayscaleAlpha => (2, None),
        ColorType::Rgb => (3, Some("RGB PNG")),
        ColorType::Rgba => (4, Some("RGBA PNG")),
        ColorType::Indexed => return Err(Fault::not_read("PNG with a palette", READ)),
    };
    match (asked, picture) {
        (None, Some(found)) => Err(Fault::Colour { found: found.to_owned() }),
        (None, None) => Ok((1, bands)),
        (Some(band), _) if (1..=bands).contains(&band) => Ok((band, bands)),
        (Some(band), _) => Err(Fault::NoSuchBand { band, bands }),
    }
}

fn transparent_level(trns: &[u8]) -> Option<f64> {
    match *trns {
        [level] => Some(f64::from(level)),
        [high, low] => Some(f64::from(u16::from_be_bytes([high, low]))),
        _ => None,
    }
}

fn fault(error: DecodingError, bytes: &[u8]) -> Fault {
    match error {
        DecodingError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            Fault::CutOff { what: "the picture", length: bytes.len() as u64 }
        }
        DecodingError::LimitsExceeded => {
            Fault::damaged("a part of the PNG declares more bytes than are allowed")
        }
        error => Fault::damaged(error),
    }
}
