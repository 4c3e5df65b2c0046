//! What can be wrong with a world file, and where.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::locate;

/// A world file could not be used: what is wrong, then file, line, column and path.
#[derive(Debug)]
pub struct RecipeError {
    /// What is wrong.
    pub wrong: Box<Wrong>,
    /// The world file.
    pub file: PathBuf,
    /// Where in its text, if it was read.
    pub spot: Option<Box<Spot>>,
}

/// A place in a world file's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The whole text.
    pub text: Arc<str>,
    /// The bytes that are meant.
    pub bytes: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The path of the value, such as `ground.solids[2].shape.radius`; empty for the world as a whole.
    pub path: String,
}

impl Spot {
    /// The place of the value at `path`.
    #[must_use]
    pub fn of_path(text: &Arc<str>, path: &str) -> Self {
        let bytes = locate::span_of(text, path);
        let (line, column) = locate::line_column(text, bytes.start);
        Spot { text: Arc::clone(text), bytes, line, column, path: path.to_owned() }
    }

    /// The place of these bytes.
    #[must_use]
    pub fn of_bytes(text: &Arc<str>, bytes: Range<usize>) -> Self {
        let (line, column) = locate::line_column(text, bytes.start);
        let path = locate::path_at(text, bytes.start);
        Spot { text: Arc::clone(text), bytes, line, column, path }
    }
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.wrong, self.file.display())?;
        if let Some(Spot { line, column, path, .. }) = self.spot.as_deref() {
            write!(f, ":{line}:{column}")?;
            if !path.is_empty() {
                write!(f, ", {path}")?;
            }
        }
        f.write_str(")")
    }
}

impl std::error::Error for RecipeError {}

/// What can be wrong with a world file.
#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    /// It cannot be read.
    #[error("cannot read the world file: {0}")]
    Unreadable(io::Error),
    /// It is too large.
    #[error("the world file has more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// It is no text.
    #[error("the world file is not UTF-8 text from byte {at} on")]
    NotText {
        /// The first byte that is none.
        at: usize,
    },
    /// It is no RON, or has a field or a type that a world has not.
    #[error("{message}")]
    Syntax {
        /// What the deserializer says.
        message: String,
    },
    /// Its version is not read here.
    #[error("the world file has version {found}, and this release reads 1 to {latest}")]
    Version {
        /// The version found.
        found: String,
        /// The latest known.
        latest: u32,
    },
    /// A file of formulas cannot be read.
    #[error("cannot read the formulas of {}: {error}", .file.display())]
    UnreadableLibrary {
        /// The file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of formulas that uses itself.
    #[error("the file uses itself: {}", .circle.join(" -> "))]
    UseCycle {
        /// The files on the circle, the first one again at the end.
        circle: Vec<String>,
    },
    /// Too many files of formulas.
    #[error("more than {limit} files of formulas are used")]
    TooManyLibraries {
        /// How many may be.
        limit: usize,
    },
    /// The files of formulas are too large.
    #[error("the files of formulas have more than {limit} bytes together")]
    LibrariesTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// A formula is wrong.
    #[error("{wrong}{}", called(.calls))]
    Formula {
        /// What is wrong.
        wrong: weald_field::formula::Wrong,
        /// The calls that led to the function in which it is, as `file:line:column`, innermost first.
        calls: Vec<String>,
    },
    /// A number is out of its range, or none.
    #[error("{value}{unit} is not from {low} to {high}{unit}")]
    Number {
        /// The value.
        value: f64,
        /// The least that may be.
        low: f64,
        /// The greatest that may be.
        high: f64,
        /// The unit with a space before it, or nothing.
        unit: &'static str,
    },
    /// A value is wrong in another way than out of range.
    #[error("{value} is not {expected}")]
    Value {
        /// The value.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A list has too few or too many entries.
    #[error("{count} {what} are given, must be from {low} to {high}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// The least number.
        low: usize,
        /// The greatest number.
        high: usize,
    },
    /// A name is used that nothing has.
    #[error("there is no material \"{name}\"; there are: {known}")]
    NoSuchMaterial {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Two things have one name.
    #[error("the name \"{name}\" is already that of {first}")]
    SameName {
        /// The name.
        name: String,
        /// The path of the first.
        first: String,
    },
    /// Two fields exclude each other, or one of them is needed.
    #[error("give either `{one}` or `{other}`{both}")]
    EitherOr {
        /// One field.
        one: &'static str,
        /// The other field.
        other: &'static str,
        /// `, not both` where both are given, else nothing.
        both: &'static str,
    },
    /// A range ends before it begins.
    #[error("the range runs from {low} to {high}: it must begin below its end")]
    EmptyRange {
        /// Where it begins.
        low: f64,
        /// Where it ends.
        high: f64,
    },
    /// The cell size makes no lattice.
    #[error("{0}")]
    CellSize(#[from] weald_space::CellSizeError),
    /// The elevation file cannot be read.
    #[error("{0}")]
    Elevation(#[from] weald_terrain::ReadError),
    /// The elevation cannot be brought to metres around the anchor.
    #[error("{0}")]
    Georeference(#[from] weald_terrain::GeoreferenceError),
    /// The region is larger than the elevation.
    #[error(
        "the region {region} (widened to whole chunks: {widened}) leaves the elevation, which reaches {elevation}; \
         {margin} m must stay around it"
    )]
    OutsideElevation {
        /// The region asked for.
        region: Extent,
        /// The region in whole chunks.
        widened: Extent,
        /// Where there is elevation.
        elevation: Extent,
        /// Metres of elevation that must lie around the region.
        margin: f64,
    },
    /// The ground has no surface where one is needed.
    #[error("there is no ground at x = {x} m, y = {y} m")]
    NoGround {
        /// Metres east.
        x: f64,
        /// Metres north.
        y: f64,
    },
    /// The field refuses what was built.
    #[error("{0}")]
    Field(#[from] weald_field::FieldError),
}

fn called(calls: &[String]) -> String {
    calls.iter().map(|call| format!(", called at {call}")).collect()
}

/// A rectangle of the plan in metres, for messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// South-western corner.
    pub min: [f64; 2],
    /// North-eastern corner.
    pub max: [f64; 2],
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x0, y0], [x1, y1]) = (self.min, self.max);
        write!(f, "from ({x0:.1}, {y0:.1}) to ({x1:.1}, {y1:.1})")
    }
}

/// The world file and its text, which errors point into.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) file: PathBuf,
    pub(super) text: Arc<str>,
}

impl Source {
    /// An error about the value at `path`.
    pub(super) fn error(&self, path: &str, wrong: Wrong) -> RecipeError {
        self.refuse(wrong, Spot::of_path(&self.text, path))
    }

    /// An error about these bytes of the text.
    pub(super) fn error_at(&self, bytes: Range<usize>, wrong: Wrong) -> RecipeError {
        self.refuse(wrong, Spot::of_bytes(&self.text, bytes))
    }

    /// An error about this place in the text.
    pub(super) fn refuse(&self, wrong: Wrong, spot: Spot) -> RecipeError {
        RecipeError { wrong: Box::new(wrong), file: self.file.clone(), spot: Some(Box::new(spot)) }
    }

    /// A path in the world file, seen from its folder.
    pub(super) fn beside(&self, file: &str) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("")).join(file)
    }
}
