//! How a TIFF stores its posts: the size and type of samples, and the strips or tiles that hold them.
//!
//! Everything is compared with the limits and with the file's length here, before a pixel is decoded.

use crate::elevation::SampleType;
use crate::error::Fault;
use crate::read::ReadOptions;
use crate::tags::{self, Tags};

const READ_COMPRESSIONS: &str = "uncompressed, PackBits, LZW, Deflate";
const READ_SAMPLES: &str = "integers of 8, 16 and 32 bits, floats of 16, 32 and 64 bits";

/// The layout of the first page of a TIFF.
pub(crate) struct Layout {
    pub width: usize,
    pub height: usize,
    pub sample: SampleType,
    pub compression: Compression,
    pub predictor: u64,
    pub tiled: bool,
    /// The band that is read, counted from 1, and how many there are.
    pub band: u16,
    pub bands: u16,
    /// Bands that lie together in one block: all, or 1 where each band has its own blocks.
    pub bands_in_block: usize,
    pub block_width: usize,
    pub block_height: usize,
    pub blocks_across: usize,
    /// The blocks that hold the band, in order of rows, then columns.
    pub blocks: Vec<Block>,
}

/// One strip or tile.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    /// Its number in the file.
    pub index: u32,
    /// Where it starts in the file, in bytes.
    pub at: u64,
    /// Its length there, in bytes; 0 where it holds no data.
    pub length: u64,
}

/// How blocks are compressed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    PackBits,
    Lzw,
    Deflate,
}

impl Compression {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Compression::None => "uncompressed",
            Compression::PackBits => "PackBits",
            Compression::Lzw => "LZW",
            Compression::Deflate => "Deflate",
        }
    }
}

impl Layout {
    pub(crate) fn of(tags: &Tags<'_>, file_length: u64, options: &ReadOptions) -> Result<Self, Fault> {
        let (width, height) = (tags.required(tags::IMAGE_WIDTH)?, tags.required(tags::IMAGE_LENGTH)?);
        let posts = width.saturating_mul(height);
        if width == 0 || height == 0 {
            return Err(Fault::damaged(format_args!("it declares {width} × {height} posts")));
        }
        if posts > options.max_posts {
            return Err(Fault::TooLarge { what: "posts", found: posts, limit: options.max_posts });
        }
        let compression = compression(tags.unsigned(tags::COMPRESSION)?.unwrap_or(1))?;
        let bands = tags.unsigned(tags::SAMPLES_PER_PIXEL)?.unwrap_or(1);
        let bands = u16::try_from(bands).ok().filter(|bands| *bands > 0);
        let bands = bands.ok_or_else(|| Fault::damaged("its number of bands is not between 1 and 65535"))?;
        let band = band(tags.required(tags::PHOTOMETRIC)?, bands, options.band)?;
        let sample = sample_type(tags, bands)?;
        let predictor = predictor(tags.unsigned(tags::PREDICTOR)?.unwrap_or(1), sample)?;
        let planar = match tags.unsigned(tags::PLANAR_CONFIGURATION)?.unwrap_or(1) {
            1 => false,
            2 => true,
            other => {
                return Err(Fault::damaged(format_args!("its planar configuration is {other}")));
            }
        };
        let tiled = tags.unsigned_list(tags::TILE_OFFSETS)?.is_some();
        let (block_width, block_height) = block_size(tags, tiled, width, height)?;
        let bands_in_block = if planar { 1 } else { usize::from(bands) };
        let across = width.div_ceil(block_width);
        let mut layout = Layout {
            width: width as usize,
            height: height as usize,
            sample,
            compression,
            predictor,
            tiled,
            band,
            bands,
            bands_in_block,
            block_width: block_width as usize,
            block_height: block_height as usize,
            blocks_across: across as usize,
            blocks: Vec::new(),
        };
        let unpacked = layout.block_bytes(block_height as usize);
        if unpacked > options.max_bytes {
            let what = if tiled { "bytes of one tile" } else { "bytes of one strip" };
            return Err(Fault::TooLarge { what, found: unpacked, limit: options.max_bytes });
        }
        let in_plane = across * height.div_ceil(block_height);
        layout.blocks = blocks(tags, &layout, in_plane, planar)?;
        layout.check_blocks(file_length)?;
        Ok(layout)
    }

    /// Bytes of this many rows of a whole block when it is unpacked.
    pub(crate) fn block_bytes(&self, rows: usize) -> u64 {
        let row = self.block_width as u64 * self.bands_in_block as u64 * self.sample.bytes() as u64;
        row.saturating_mul(rows as u64)
    }

    /// What a block is called in errors.
    pub(crate) fn block_name(&self, block: Block) -> String {
        format!("{} {}", if self.tiled { "tile" } else { "strip" }, block.index)
    }

    /// The column and file row of the first post of the block at this place in the list.
    pub(crate) fn block_origin(&self, place: usize) -> (usize, usize) {
        (place % self.blocks_across * self.block_width, place / self.blocks_across * self.block_height)
    }

    /// The rows that the block at this place in the list stores: all in a tile, those of the raster in a strip.
    pub(crate) fn stored_rows(&self, place: usize) -> usize {
        let (_, first_row) = self.block_origin(place);
        if self.tiled { self.block_height } else { self.block_height.min(self.height - first_row) }
    }

    fn check_blocks(&self, file_length: u64) -> Result<(), Fault> {
        for (place, block) in self.blocks.iter().enumerate() {
            let end = block.at.saturating_add(block.length);
            if end > file_length {
                return Err(Fault::Truncated {
                    what: self.block_name(*block),
                    needs: end,
                    length: file_length,
                });
            }
            let (_, first_row) = self.block_origin(place);
            let rows =
                if self.tiled { self.block_height } else { self.block_height.min(self.height - first_row) };
            let needs = self.block_bytes(rows);
            if self.compression == Compression::None && block.length != 0 && block.length < needs {
                let name = self.block_name(*block);
                let found = block.length;
                return Err(Fault::damaged(format_args!(
                    "{name} has {found} bytes of the {needs} that its posts need"
                )));
            }
        }
        Ok(())
    }
}

fn compression(code: u64) -> Result<Compression, Fault> {
    let other = match code {
        1 => return Ok(Compression::None),
        5 => return Ok(Compression::Lzw),
        8 | 32946 => return Ok(Compression::Deflate),
        32773 => return Ok(Compression::PackBits),
        2..=4 => "fax",
        6 | 7 => "JPEG (which changes heights)",
        34712 => "JPEG 2000",
        34887 => "LERC",
        34925 => "LZMA",
        50000 => "Zstandard",
        50001 => "WebP",
        50002 => "JPEG XL",
        _ => {
            return Err(Fault::not_read(format!("TIFF with compression {code}"), READ_COMPRESSIONS));
        }
    };
    Err(Fault::not_read(format!("TIFF with {other} compression"), READ_COMPRESSIONS))
}

/// The band to read, counted from 1.
fn band(photometric: u64, bands: u16, asked: Option<u16>) -> Result<u16, Fault> {
    let picture = match photometric {
        0 | 1 => None,
        2 => Some("RGB TIFF"),
        3 => return Err(Fault::not_read("TIFF with a palette", "one band of numbers")),
        4 => {
            return Err(Fault::not_read("TIFF whose first page is a mask", "one band of numbers"));
        }
        5 => Some("CMYK TIFF"),
        6 => Some("YCbCr TIFF"),
        8..=10 => Some("CIE Lab TIFF"),
        other => {
            return Err(Fault::not_read(format!("TIFF of photometric kind {other}"), "grey"));
        }
    };
    match (asked, picture) {
        (None, Some(found)) => Err(Fault::Colour { found: found.to_owned() }),
        (None, None) => Ok(1),
        (Some(band), _) if (1..=bands).contains(&band) => Ok(band),
        (Some(band), _) => Err(Fault::NoSuchBand { band, bands }),
    }
}

fn sample_type(tags: &Tags<'_>, bands: u16) -> Result<SampleType, Fault> {
    let bits = same(tags, tags::BITS_PER_SAMPLE, 1, bands)?;
    let format = same(tags, tags::SAMPLE_FORMAT, 1, bands)?;
    let kind = match (format, bits) {
        (1, 8) => return Ok(SampleType::U8),
        (1, 16) => return Ok(SampleType::U16),
        (1, 32) => return Ok(SampleType::U32),
        (2, 8) => return Ok(SampleType::I8),
        (2, 16) => return Ok(SampleType::I16),
        (2, 32) => return Ok(SampleType::I32),
        (3, 16) => return Ok(SampleType::F16),
        (3, 32) => return Ok(SampleType::F32),
        (3, 64) => return Ok(SampleType::F64),
        (1, _) => "unsigned integers",
        (2, _) => "signed integers",
        (3, _) => "floats",
        (4, _) => "undefined samples",
        (5 | 6, _) => "complex numbers",
        _ => "samples of an unknown kind",
    };
    Err(Fault::not_read(format!("TIFF with {kind} of {bits} bits"), READ_SAMPLES))
}

/// The value of a tag that every band must share.
fn same(tags: &Tags<'_>, tag: u16, default: u64, bands: u16) -> Result<u64, Fault> {
    let Some(list) = tags.unsigned_list(tag)? else {
        return Ok(default);
    };
    if list.len() != 1 && list.len() != usize::from(bands) {
        return Err(Fault::damaged(format_args!("tag {tag} has {} values for {bands} bands", list.len())));
    }
    match list.first() {
        Some(first) if list.iter().all(|value| value == first) => Ok(*first),
        Some(_) => Err(Fault::not_read("TIFF with bands of different types", "bands of one type")),
        None => Err(Fault::damaged(format_args!("tag {tag} has no value"))),
    }
}

fn predictor(code: u64, sample: SampleType) -> Result<u64, Fault> {
    match code {
        1 | 2 => Ok(code),
        3 if !sample.is_integer() => Ok(code),
        3 => Err(Fault::damaged(format_args!(
            "its predictor is for floats, its samples are {}",
            sample.name()
        ))),
        other => Err(Fault::not_read(format!("TIFF with predictor {other}"), "predictors 1, 2 and 3")),
    }
}

fn block_size(tags: &Tags<'_>, tiled: bool, width: u64, height: u64) -> Result<(u64, u64), Fault> {
    let (across, down) = if tiled {
        (tags.required(tags::TILE_WIDTH)?, tags.required(tags::TILE_LENGTH)?)
    } else {
        (width, tags.unsigned(tags::ROWS_PER_STRIP)?.unwrap_or(height).min(height))
    };
    let fits = |side: u64| side > 0 && side <= u64::from(u32::MAX);
    if fits(across) && fits(down) {
        return Ok((across, down));
    }
    Err(Fault::damaged(format_args!("its strips or tiles have {across} × {down} posts")))
}

fn blocks(tags: &Tags<'_>, layout: &Layout, in_plane: u64, planar: bool) -> Result<Vec<Block>, Fault> {
    let (offsets_tag, lengths_tag) = if layout.tiled {
        (tags::TILE_OFFSETS, tags::TILE_BYTE_COUNTS)
    } else {
        (tags::STRIP_OFFSETS, tags::STRIP_BYTE_COUNTS)
    };
    let list =
        |tag| tags.unsigned_list(tag)?.ok_or_else(|| Fault::damaged(format_args!("tag {tag} is missing")));
    let (offsets, lengths) = (list(offsets_tag)?, list(lengths_tag)?);
    let expected = in_plane.saturating_mul(if planar { u64::from(layout.bands) } else { 1 });
    if offsets.len() as u64 != expected || lengths.len() as u64 != expected {
        return Err(Fault::damaged(format_args!(
            "it lists {} offsets and {} lengths for {expected} strips or tiles",
            offsets.len(),
            lengths.len(),
        )));
    }
    let skip = if planar { in_plane as usize * usize::from(layout.band - 1) } else { 0 };
    let all = offsets.into_iter().zip(lengths).enumerate();
    let of_band = all.skip(skip).take(in_plane as usize);
    Ok(of_band.map(|(index, (at, length))| Block { index: index as u32, at, length }).collect())
}
