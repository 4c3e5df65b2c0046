//! The tags of a TIFF's first page, each checked to lie inside the file before anything relies on it.
//!
//! TIFF 6.0, section 2, and its 64-bit sibling BigTIFF. A count or an offset which the file cannot hold is found, and
//! named, before it is believed.

use crate::error::Fault;

pub(crate) const NEW_SUBFILE_TYPE: u16 = 254;
pub(crate) const IMAGE_WIDTH: u16 = 256;
pub(crate) const IMAGE_LENGTH: u16 = 257;
pub(crate) const BITS_PER_SAMPLE: u16 = 258;
pub(crate) const COMPRESSION: u16 = 259;
pub(crate) const PHOTOMETRIC: u16 = 262;
pub(crate) const STRIP_OFFSETS: u16 = 273;
pub(crate) const SAMPLES_PER_PIXEL: u16 = 277;
pub(crate) const ROWS_PER_STRIP: u16 = 278;
pub(crate) const STRIP_BYTE_COUNTS: u16 = 279;
pub(crate) const PLANAR_CONFIGURATION: u16 = 284;
pub(crate) const PREDICTOR: u16 = 317;
pub(crate) const TILE_WIDTH: u16 = 322;
pub(crate) const TILE_LENGTH: u16 = 323;
pub(crate) const TILE_OFFSETS: u16 = 324;
pub(crate) const TILE_BYTE_COUNTS: u16 = 325;
pub(crate) const SAMPLE_FORMAT: u16 = 339;
pub(crate) const MODEL_PIXEL_SCALE: u16 = 33550;
pub(crate) const MODEL_TIEPOINT: u16 = 33922;
pub(crate) const MODEL_TRANSFORMATION: u16 = 34264;
pub(crate) const GEO_KEY_DIRECTORY: u16 = 34735;
pub(crate) const GEO_DOUBLE_PARAMS: u16 = 34736;
pub(crate) const GEO_ASCII_PARAMS: u16 = 34737;
pub(crate) const GDAL_METADATA: u16 = 42112;
pub(crate) const GDAL_NODATA: u16 = 42113;

/// The most pages whose kind is looked at in search of a mask.
const MAX_PAGES: usize = 64;

/// The most numbers that a tag may list: eight million strips or tiles, at 100 posts each twice what a raster may have.
const MAX_LIST: u64 = 1 << 23;

/// The tags of one page.
pub(crate) struct Tags<'a> {
    file: File<'a>,
    entries: Vec<Entry>,
    next_page: u64,
}

#[derive(Clone, Copy)]
struct File<'a> {
    bytes: &'a [u8],
    big_endian: bool,
    big_tiff: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    tag: u16,
    kind: u16,
    count: u64,
    at: u64,
}

impl<'a> Tags<'a> {
    /// The tags of the first page.
    pub(crate) fn first_page(bytes: &'a [u8]) -> Result<Self, Fault> {
        let mut file = File { bytes, big_endian: bytes.starts_with(b"MM"), big_tiff: false };
        file.big_tiff = file.unsigned(2, 2, "the header")? == 43;
        let page = if file.big_tiff {
            if file.unsigned(4, 2, "the header")? != 8 || file.unsigned(6, 2, "the header")? != 0 {
                return Err(Fault::damaged("its BigTIFF header does not say that offsets have 8 bytes"));
            }
            file.unsigned(8, 8, "the header")?
        } else {
            file.unsigned(4, 4, "the header")?
        };
        Self::page_at(file, page)
    }

    fn page_at(file: File<'a>, page: u64) -> Result<Self, Fault> {
        const WHAT: &str = "the list of tags";
        let (head, each, pointer) = if file.big_tiff { (8, 20, 8) } else { (2, 12, 4) };
        let count = file.unsigned(page, head, WHAT)?;
        let first = page + head;
        let end = count.saturating_mul(each).saturating_add(first).saturating_add(pointer);
        file.check(end, || WHAT.to_owned())?;
        let mut entries = Vec::with_capacity(count as usize);
        for start in (0..count).map(|index| first + index * each) {
            let count = file.unsigned(start + 4, pointer, WHAT)?;
            let mut entry = Entry {
                tag: file.unsigned(start, 2, WHAT)? as u16,
                kind: file.unsigned(start + 2, 2, WHAT)? as u16,
                count,
                at: start + 4 + pointer,
            };
            if entry.length() > pointer {
                entry.at = file.unsigned(entry.at, pointer, WHAT)?;
            }
            entries.push(entry);
        }
        entries.sort_by_key(|entry| entry.tag);
        if let Some(twice) = entries.windows(2).find(|pair| pair[0].tag == pair[1].tag) {
            return Err(Fault::damaged(format_args!("tag {} is there twice", twice[0].tag)));
        }
        let next_page = file.unsigned(first + count * each, pointer, WHAT)?;
        Ok(Tags { file, entries, next_page })
    }

    /// Whether a later page of the file is a mask that tells which posts are valid.
    pub(crate) fn has_mask_page(&self) -> bool {
        let mut next = self.next_page;
        for _ in 0..MAX_PAGES {
            if next == 0 {
                return false;
            }
            let Ok(page) = Tags::page_at(self.file, next) else {
                return false;
            };
            if matches!(page.unsigned(NEW_SUBFILE_TYPE), Ok(Some(kind)) if kind & 4 != 0) {
                return true;
            }
            next = page.next_page;
        }
        false
    }

    fn entry(&self, tag: u16) -> Option<Entry> {
        self.entries.iter().copied().find(|entry| entry.tag == tag)
    }

    fn value_bytes(&self, entry: Entry) -> Result<&'a [u8], Fault> {
        let end = entry.at.saturating_add(entry.length());
        self.file.check(end, || format!("the value of tag {}", entry.tag))?;
        Ok(&self.file.bytes[entry.at as usize..end as usize])
    }

    /// Whether numbers of the file start with their highest byte.
    pub(crate) fn big_endian(&self) -> bool {
        self.file.big_endian
    }

    /// All whole numbers of a tag; none where the tag is absent.
    pub(crate) fn unsigned_list(&self, tag: u16) -> Result<Option<Vec<u64>>, Fault> {
        let Some(entry) = self.entry(tag) else {
            return Ok(None);
        };
        let unit = match entry.kind {
            1 | 3 | 4 | 13 | 16 | 18 => entry.unit() as usize,
            kind => return Err(wrong_type(tag, kind, "whole numbers")),
        };
        if entry.count > MAX_LIST {
            return Err(Fault::TooLarge { what: "numbers in one tag", found: entry.count, limit: MAX_LIST });
        }
        let numbers = self.value_bytes(entry)?.chunks_exact(unit);
        Ok(Some(numbers.map(|number| self.file.number(number)).collect()))
    }

    /// The only or first whole number of a tag.
    pub(crate) fn unsigned(&self, tag: u16) -> Result<Option<u64>, Fault> {
        match self.unsigned_list(tag)? {
            None => Ok(None),
            Some(list) => match list.first() {
                Some(first) => Ok(Some(*first)),
                None => Err(Fault::damaged(format_args!("tag {tag} has no value"))),
            },
        }
    }

    /// The whole number of a tag that must be there.
    pub(crate) fn required(&self, tag: u16) -> Result<u64, Fault> {
        self.unsigned(tag)?.ok_or_else(|| Fault::damaged(format_args!("tag {tag} is missing")))
    }

    /// All double-precision numbers of a tag.
    pub(crate) fn doubles(&self, tag: u16) -> Result<Option<Vec<f64>>, Fault> {
        let Some(entry) = self.entry(tag) else {
            return Ok(None);
        };
        if entry.kind != 12 {
            return Err(wrong_type(tag, entry.kind, "double-precision numbers"));
        }
        let numbers = self.value_bytes(entry)?.chunks_exact(8);
        Ok(Some(numbers.map(|number| f64::from_bits(self.file.number(number))).collect()))
    }

    /// The text of a tag up to its first NUL; bytes that are not UTF-8 are replaced.
    pub(crate) fn text(&self, tag: u16) -> Result<Option<String>, Fault> {
        let Some(entry) = self.entry(tag) else {
            return Ok(None);
        };
        if entry.kind != 2 {
            return Err(wrong_type(tag, entry.kind, "text"));
        }
        let bytes = self.value_bytes(entry)?;
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(Some(String::from_utf8_lossy(text).into_owned()))
    }
}

fn wrong_type(tag: u16, kind: u16, wanted: &str) -> Fault {
    Fault::damaged(format_args!("tag {tag} has values of type {kind} instead of {wanted}"))
}

impl Entry {
    /// Bytes of one value; types that are not known count as one byte.
    fn unit(self) -> u64 {
        match self.kind {
            3 | 8 => 2,
            4 | 9 | 11 | 13 => 4,
            5 | 10 | 12 | 16 | 17 | 18 => 8,
            _ => 1,
        }
    }

    fn length(self) -> u64 {
        self.count.saturating_mul(self.unit())
    }
}

impl File<'_> {
    fn check(&self, end: u64, what: impl FnOnce() -> String) -> Result<(), Fault> {
        let length = self.bytes.len() as u64;
        if end > length {
            return Err(Fault::Truncated { what: what(), needs: end, length });
        }
        Ok(())
    }

    fn unsigned(&self, at: u64, size: u64, what: &str) -> Result<u64, Fault> {
        let end = at.saturating_add(size);
        self.check(end, || what.to_owned())?;
        Ok(self.number(&self.bytes[at as usize..end as usize]))
    }

    fn number(&self, bytes: &[u8]) -> u64 {
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if self.big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
    }
}
