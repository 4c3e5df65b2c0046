//! Why an elevation file could not be used.

use std::fmt;
use std::io;

/// An elevation file could not be read: what is wrong, then which file.
#[derive(Debug, thiserror::Error)]
#[error("{fault}: {name}")]
pub struct ReadError {
    /// What is wrong.
    pub fault: Fault,
    /// The path or name that the reader was given.
    pub name: String,
}

/// What can be wrong with an elevation file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The operating system would not open or read it.
    #[error("cannot read the elevation file: {0}")]
    Io(#[source] io::Error),
    /// It holds no bytes at all.
    #[error("the elevation file is empty")]
    Empty,
    /// It, or the raster that it declares, is larger than [`ReadOptions`](crate::ReadOptions) allows.
    #[error("{found} {what} are more than the limit of {limit}")]
    TooLarge {
        /// What is counted: "bytes" or "posts" and where.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many may be.
        limit: u64,
    },
    /// Its first bytes belong to no format that is known here.
    #[error("not an elevation file that is read here (GeoTIFF, grey PNG): it begins with {begins}")]
    UnknownFormat {
        /// The first bytes, as text or as hexadecimal numbers.
        begins: String,
    },
    /// The format is known but has no reader yet.
    #[error("{format} files are not read yet (GeoTIFF and grey PNG are)")]
    FormatNotRead {
        /// The format's name.
        format: &'static str,
    },
    /// The format is read, but not this kind of it.
    #[error("{found} is not read (read are: {read})")]
    NotRead {
        /// What the file has.
        found: String,
        /// What it may have.
        read: &'static str,
    },
    /// The raster shows colours, so that its numbers are not heights as they stand.
    #[error(
        "{found} is a picture, not heights; heights packed in RGB are not read yet, convert them to one band of 16 or \
         32 bits, or name one band to read as it is"
    )]
    Colour {
        /// The kind of picture.
        found: String,
    },
    /// The file has no such band.
    #[error("band {band} was asked for, but there are bands 1 to {bands}")]
    NoSuchBand {
        /// The band that was asked for, counted from 1.
        band: u16,
        /// How many bands there are.
        bands: u16,
    },
    /// The file ends before something that it promises.
    #[error("the file is cut off: {what} ends at byte {needs}, the file at byte {length}")]
    Truncated {
        /// What should be there.
        what: String,
        /// Where that would end, in bytes.
        needs: u64,
        /// The file's length in bytes.
        length: u64,
    },
    /// The file ends in the middle of something whose length it does not tell.
    #[error("the file is cut off within {what}, at byte {length}")]
    CutOff {
        /// What is not whole.
        what: &'static str,
        /// The file's length in bytes.
        length: u64,
    },
    /// The contents contradict themselves or a checksum.
    #[error("the file is damaged: {what}")]
    Damaged {
        /// What does not hold.
        what: String,
    },
    /// The grid does not run east and north.
    #[error(
        "the grid is rotated by {angle_deg:.3}° (shear {shear_deg:.3}°); only grids along the axes are read, so \
         resample it first"
    )]
    Rotated {
        /// The direction of a row of posts, in degrees from the first axis, counter-clockwise.
        angle_deg: f64,
        /// By how much the angle between rows and columns differs from 90°, in degrees.
        shear_deg: f64,
    },
    /// The georeference cannot be used.
    #[error("the georeference cannot be used: {why}")]
    Georeference {
        /// What is wrong with it.
        why: String,
    },
}

impl Fault {
    pub(crate) fn damaged(what: impl fmt::Display) -> Self {
        Fault::Damaged { what: what.to_string() }
    }

    pub(crate) fn not_read(found: impl fmt::Display, read: &'static str) -> Self {
        Fault::NotRead { found: found.to_string(), read }
    }

    pub(crate) fn georeference(why: impl fmt::Display) -> Self {
        Fault::Georeference { why: why.to_string() }
    }

    pub(crate) fn named(self, name: &str) -> ReadError {
        ReadError { fault: self, name: name.to_owned() }
    }
}
