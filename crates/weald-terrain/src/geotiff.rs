//! GeoTIFF: posts through the `tiff` crate, georeference through its tags.
//!
//! Three things differ from what that crate gives by itself. The photometric kind is hidden from it, because heights
//! are numbers and must not be inverted where a file says that white is zero. The checksum of Deflate blocks is
//! verified, because a damaged block must be an error and never a plausible height. And all that a file declares is
//! compared with its length and with the limits first ([`crate::layout`]).

use std::io::{self, Read, Seek, SeekFrom};

use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::{TiffError, TiffFormatError};

use crate::elevation::{Crs, Elevation, Placement, RowOrder, SampleType, Source, VerticalUnit};
use crate::error::Fault;
use crate::gather::{Gather, Gathered};
use crate::geokeys::GeoKeys;
use crate::layout::{Block, Compression, Layout};
use crate::metadata::BandMetadata;
use crate::placement;
use crate::read::ReadOptions;
use crate::report::{Change, Warning};
use crate::tags::{self, Tags};

pub(crate) fn read(mut source: Source, bytes: &[u8], options: &ReadOptions) -> Result<Elevation, Fault> {
    let tags = Tags::first_page(bytes)?;
    let layout = Layout::of(&tags, bytes.len() as u64, options)?;
    let keys = GeoKeys::of(&tags)?;
    let placed = placement::of(&tags, layout.height, keys.registration)?;
    let nodata = nodata(&tags)?;
    let metadata = BandMetadata::of(&tags.text(tags::GDAL_METADATA)?.unwrap_or_default(), layout.band);

    let row_order = placed.map_or(RowOrder::NorthFirst, |(placement, _)| placement.row_order);
    let gather = Gather::new(layout.width, layout.height, row_order, layout.sample, nodata);
    let gathered = decode(&tags, &layout, bytes, options, nodata, gather)?;

    let mut warnings = plain_warnings(
        &gathered,
        layout.sample,
        placed.map(|(placement, _)| placement),
        options,
    );
    let sparse = layout.blocks.iter().filter(|block| block.length == 0).count();
    if sparse > 0 {
        warnings.push(Warning::Sparse { parts: sparse });
    }
    if tags.has_mask_page() {
        warnings.push(Warning::MaskIgnored);
    }
    if placed.is_some_and(|(_, negative_scale)| negative_scale) {
        warnings.push(Warning::NegativeScale);
    }
    if placed.is_some() && keys.crs == Crs::None {
        warnings.push(Warning::NoCrs);
    }
    if keys.linear_unit_assumed {
        warnings.push(Warning::LinearUnitAssumed);
    }
    let vertical_unit = match (metadata.unit, keys.vertical_unit) {
        (Some(Ok(unit)), _) | (None, Some(unit)) => unit,
        (Some(Err(unknown)), _) => {
            warnings.push(Warning::UnknownUnit(unknown));
            VerticalUnit::Unknown
        }
        (None, None) => VerticalUnit::Unknown,
    };
    source.format = format_name(&layout);
    source.citation = keys.citation;
    Ok(Elevation {
        width: layout.width,
        height: layout.height,
        sample: layout.sample,
        nodata,
        scaling: metadata.scaling,
        vertical_unit,
        placement: placed.map(|(placement, _)| placement),
        spacing: options.spacing.unwrap_or(1.0),
        crs: keys.crs,
        stats: gathered.stats,
        quantization: gathered.quantization(
            layout.sample,
            metadata.scaling.map_or(1.0, |scaling| scaling.scale),
        ),
        posts: gathered.posts,
        source,
        changes: changes(&layout, row_order),
        warnings,
    })
}

/// The warnings that any format can give.
pub(crate) fn plain_warnings(
    gathered: &Gathered,
    sample: SampleType,
    placement: Option<Placement>,
    options: &ReadOptions,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if gathered.stats.void > 0 {
        warnings.push(Warning::Voids(gathered.stats.void));
    }
    if gathered.infinite > 0 {
        warnings.push(Warning::Infinite(gathered.infinite));
    }
    if let (1, Some(levels)) = (sample.bytes(), gathered.levels) {
        warnings.push(Warning::Terraced { levels });
    }
    match (placement, options.spacing) {
        (None, None) => warnings.push(Warning::NoGeoreference),
        (Some(_), Some(_)) => warnings.push(Warning::SpacingIgnored),
        (None, Some(_)) | (Some(_), None) => {}
    }
    warnings
}

fn changes(layout: &Layout, row_order: RowOrder) -> Vec<Change> {
    let mut changes = Vec::new();
    if row_order == RowOrder::NorthFirst {
        changes.push(Change::RowsFlipped);
    }
    if matches!(layout.sample, SampleType::F64 | SampleType::U32 | SampleType::I32) {
        changes.push(Change::Rounded(layout.sample));
    }
    if layout.bands > 1 {
        changes.push(Change::BandTaken {
            band: layout.band,
            bands: layout.bands,
        });
    }
    changes
}

fn format_name(layout: &Layout) -> String {
    let sample = layout.sample.name();
    let compression = layout.compression.name();
    let blocks = if layout.tiled { "tiles" } else { "strips" };
    match layout.predictor {
        1 => format!("GeoTIFF, {sample}, {compression}, {blocks}"),
        predictor => format!("GeoTIFF, {sample}, {compression}, predictor {predictor}, {blocks}"),
    }
}

fn nodata(tags: &Tags<'_>) -> Result<Option<f64>, Fault> {
    let Some(text) = tags.text(tags::GDAL_NODATA)? else {
        return Ok(None);
    };
    let text = text.trim();
    if text.trim_start_matches(['-', '+']).eq_ignore_ascii_case("nan") {
        return Ok(Some(f64::NAN));
    }
    match text.parse() {
        Ok(value) => Ok(Some(value)),
        Err(_) => Err(Fault::damaged(format_args!(
            "its nodata value is {text:?}, which is not a number"
        ))),
    }
}

fn decode(
    tags: &Tags<'_>,
    layout: &Layout,
    bytes: &[u8],
    options: &ReadOptions,
    nodata: Option<f64>,
    mut gather: Gather,
) -> Result<Gathered, Fault> {
    let mut decoder = Decoder::new(Grey::new(tags, bytes)?).map_err(|error| fault(error, "its tags"))?;
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(options.max_bytes).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    decoder = decoder.with_limits(limits);
    for (place, block) in layout.blocks.iter().enumerate() {
        let name = layout.block_name(*block);
        if block.length == 0 {
            if nodata.is_none() {
                let what = format!("{name} holds no data, and no nodata value is named for it");
                return Err(Fault::Damaged { what });
            }
            continue;
        }
        if layout.compression == Compression::Deflate {
            verify_deflate(layout, *block, bytes)?;
        }
        let (columns, _) = decoder.chunk_data_dimensions(block.index);
        let samples = decoder
            .read_chunk(block.index)
            .map_err(|error| fault(error, &name))?;
        take_block(&mut gather, layout, place, columns as usize, &samples)?;
    }
    Ok(gather.finish())
}

fn take_block(
    gather: &mut Gather,
    layout: &Layout,
    place: usize,
    columns: usize,
    samples: &DecodingResult,
) -> Result<(), Fault> {
    match (samples, layout.sample) {
        (DecodingResult::U8(samples), SampleType::U8) => take_rows(gather, layout, place, columns, samples),
        (DecodingResult::I8(samples), SampleType::I8) => take_rows(gather, layout, place, columns, samples),
        (DecodingResult::U16(samples), SampleType::U16) => take_rows(gather, layout, place, columns, samples),
        (DecodingResult::I16(samples), SampleType::I16) => take_rows(gather, layout, place, columns, samples),
        (DecodingResult::U32(samples), SampleType::U32) => take_rows(gather, layout, place, columns, samples),
        (DecodingResult::I32(samples), SampleType::I32) => take_rows(gather, layout, place, columns, samples),
        (DecodingResult::F16(samples), SampleType::F16) => take_rows(gather, layout, place, columns, samples),
        (DecodingResult::F32(samples), SampleType::F32) => take_rows(gather, layout, place, columns, samples),
        (DecodingResult::F64(samples), SampleType::F64) => take_rows(gather, layout, place, columns, samples),
        _ => {
            return Err(Fault::damaged(
                "its tags contradict each other about the type of samples",
            ));
        }
    }
    Ok(())
}

fn take_rows<T: Copy + Into<f64>>(
    gather: &mut Gather,
    layout: &Layout,
    place: usize,
    columns: usize,
    samples: &[T],
) {
    let (x, first_row) = layout.block_origin(place);
    let bands = layout.bands_in_block;
    let skip = if bands > 1 {
        usize::from(layout.band - 1)
    } else {
        0
    };
    let rows = samples
        .chunks_exact(columns * bands)
        .take(layout.height - first_row);
    for (row, line) in rows.enumerate() {
        gather.row(x, first_row + row, line.iter().skip(skip).step_by(bands).copied());
    }
}

/// Unpacks a block only to compare its checksum, which the decoder does not reach.
fn verify_deflate(layout: &Layout, block: Block, bytes: &[u8]) -> Result<(), Fault> {
    // A last strip may be stored whole; more than twice of what is declared is not read.
    let most = layout.block_bytes(layout.block_height).saturating_mul(2);
    let stored = &bytes[block.at as usize..(block.at + block.length) as usize];
    let mut unpacked = flate2::read::ZlibDecoder::new(stored).take(most);
    match io::copy(&mut unpacked, &mut io::sink()) {
        Ok(length) if length == most => {
            let name = layout.block_name(block);
            Err(Fault::damaged(format_args!(
                "{name} unpacks to {most} bytes or more, twice what it declares"
            )))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(Fault::damaged(format_args!(
            "{} cannot be unpacked: {error}",
            layout.block_name(block)
        ))),
    }
}

fn fault(error: TiffError, what: &str) -> Fault {
    match error {
        TiffError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Fault::damaged(format_args!("{what} holds fewer bytes than its posts need"))
        }
        TiffError::FormatError(TiffFormatError::CompressedDataCorrupt(why)) => {
            Fault::damaged(format_args!("{what} cannot be unpacked: {why}"))
        }
        TiffError::IoError(error) => Fault::damaged(format_args!("{what} cannot be unpacked: {error}")),
        error => Fault::damaged(format_args!("{what}: {error}")),
    }
}

/// The file's bytes, but with "black is zero" for the photometric kind.
struct Grey<'a> {
    bytes: &'a [u8],
    /// Where the photometric kind is written, and what is read there instead.
    at: usize,
    black_is_zero: Vec<u8>,
    position: u64,
}

impl<'a> Grey<'a> {
    fn new(tags: &Tags<'_>, bytes: &'a [u8]) -> Result<Self, Fault> {
        let (at, size) = tags
            .position(tags::PHOTOMETRIC)
            .ok_or_else(|| Fault::damaged(format_args!("tag {} is missing", tags::PHOTOMETRIC)))?;
        let mut black_is_zero = vec![0; size as usize];
        let least = if bytes.starts_with(b"MM") {
            black_is_zero.len() - 1
        } else {
            0
        };
        black_is_zero[least] = 1;
        Ok(Grey {
            bytes,
            at: at as usize,
            black_is_zero,
            position: 0,
        })
    }
}

impl Read for Grey<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(self.position)
            .unwrap_or(usize::MAX)
            .min(self.bytes.len());
        let end = start.saturating_add(buffer.len()).min(self.bytes.len());
        buffer[..end - start].copy_from_slice(&self.bytes[start..end]);
        for (offset, byte) in self.black_is_zero.iter().enumerate() {
            let at = self.at + offset;
            if (start..end).contains(&at) {
                buffer[at - start] = *byte;
            }
        }
        self.position += (end - start) as u64;
        Ok(end - start)
    }
}

impl Seek for Grey<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => (self.bytes.len() as u64).checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
