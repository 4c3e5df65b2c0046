//! What an import found, what it changed, and what deserves attention.

use std::fmt;

use crate::elevation::{
    Crs, Elevation, Placement, Quantization, Registration, RowOrder, SampleType, Scaling, Source, Stats,
    VerticalUnit,
};

/// All that is known about an imported raster but its posts. `Display` prints it as a few lines of text.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportReport {
    /// Where it came from.
    pub source: Source,
    /// Posts in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Counts and extremes of the samples, before scaling.
    pub stats: Stats,
    /// From a sample to a height.
    pub scaling: Option<Scaling>,
    /// The unit of heights.
    pub vertical_unit: VerticalUnit,
    /// How finely heights are stepped.
    pub quantization: Quantization,
    /// Where the posts are.
    pub placement: Option<Placement>,
    /// The kind of coordinates in `placement`.
    pub crs: Crs,
    /// What is different in memory from what the file says.
    pub changes: Vec<Change>,
    /// What the reader of the report should know.
    pub warnings: Vec<Warning>,
}

impl Elevation {
    /// The report of this import.
    #[must_use]
    pub fn report(&self) -> ImportReport {
        ImportReport {
            source: self.source.clone(),
            width: self.width,
            height: self.height,
            stats: self.stats,
            scaling: self.scaling,
            vertical_unit: self.vertical_unit,
            quantization: self.quantization,
            placement: self.placement,
            crs: self.crs.clone(),
            changes: self.changes.clone(),
            warnings: self.warnings.clone(),
        }
    }
}

/// Something that is different in memory from what the file says.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Rows came from north to south; the first row is now the southernmost.
    RowsFlipped,
    /// Samples of this type were rounded to f32.
    Rounded(SampleType),
    /// One band of several was taken.
    BandTaken {
        /// The band, counted from 1.
        band: u16,
        /// How many there are.
        bands: u16,
    },
}

/// Something that is not wrong but deserves attention.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// There are posts without a height.
    Voids(usize),
    /// There are samples that are infinite; they count as voids.
    Infinite(usize),
    /// Eight bits give terraces.
    Terraced {
        /// How many different levels occur.
        levels: usize,
    },
    /// There is no georeference and no spacing was given; posts are taken to be 1 m apart.
    NoGeoreference,
    /// The unit of projected coordinates is not told; taken as metres.
    LinearUnitAssumed,
    /// There are coordinates, but no coordinate system; they are taken as metres.
    NoCrs,
    /// The reader was told a spacing, but the file has a georeference, which is used.
    SpacingIgnored,
    /// The file has a mask of valid posts, which is not read.
    MaskIgnored,
    /// The vertical pixel scale is negative; its amount is used, with rows from north to south.
    NegativeScale,
    /// Parts of the file hold no data; their posts are voids.
    Sparse {
        /// Strips or tiles without data.
        parts: usize,
    },
    /// The heights are in a unit that is not known here; taken as metres.
    UnknownUnit(String),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::RowsFlipped => write!(f, "rows turned to run from south to north"),
            Change::Rounded(from) => write!(f, "samples rounded from {} to f32", from.name()),
            Change::BandTaken { band, bands } => write!(f, "band {band} of {bands} taken"),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Voids(count) => write!(f, "{count} posts are void"),
            Warning::Infinite(count) => write!(f, "{count} samples are infinite and count as voids"),
            Warning::Terraced { levels } => write!(f, "8-bit samples: terraced, {levels} levels"),
            Warning::NoGeoreference => write!(f, "no georeference: posts are taken to be 1 m apart"),
            Warning::LinearUnitAssumed => {
                write!(f, "the unit of the coordinates is not told: taken as metres")
            }
            Warning::NoCrs => write!(f, "no coordinate system is named: coordinates are taken as metres"),
            Warning::SpacingIgnored => {
                write!(f, "the spacing given is not used: the file has a georeference")
            }
            Warning::MaskIgnored => write!(f, "the file's mask of valid posts is not read"),
            Warning::NegativeScale => {
                write!(f, "negative vertical pixel scale: its amount is used, with rows from north to south")
            }
            Warning::Sparse { parts } => {
                write!(f, "{parts} strips or tiles hold no data: their posts are void")
            }
            Warning::UnknownUnit(unit) => write!(f, "heights in \"{unit}\" are taken as metres"),
        }
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source { name, format, citation } = &self.source;
        writeln!(f, "{name}: {format}")?;
        writeln!(f, "  size      {} × {} posts", self.width, self.height)?;
        write_range(f, self.stats, self.scaling, self.vertical_unit)?;
        writeln!(f, "  voids     {} of {} posts", self.stats.void, self.width * self.height)?;
        write_placement(f, self.placement.as_ref(), &self.crs, citation.as_deref())?;
        if let Quantization::Stepped { step, levels } = self.quantization {
            write!(f, "  steps     of {step}")?;
            match levels {
                Some(levels) => writeln!(f, ", {levels} levels")?,
                None => writeln!(f)?,
            }
        }
        for change in &self.changes {
            writeln!(f, "  changed   {change}")?;
        }
        for warning in &self.warnings {
            writeln!(f, "  warning   {warning}")?;
        }
        Ok(())
    }
}

fn write_range(
    f: &mut fmt::Formatter<'_>,
    stats: Stats,
    scaling: Option<Scaling>,
    unit: VerticalUnit,
) -> fmt::Result {
    if stats.valid == 0 {
        return writeln!(f, "  range     no post has a height");
    }
    let Stats { min, max, mean, .. } = stats;
    write!(f, "  range     {min} to {max}, mean {mean:.3}")?;
    if let Some(Scaling { scale, offset }) = scaling {
        write!(f, " (as stored; heights are {scale} × that + {offset})")?;
    }
    let unit = match unit {
        VerticalUnit::Unknown => ", unit not told",
        VerticalUnit::Metre => " m",
        VerticalUnit::Foot => " ft",
        VerticalUnit::SurveyFoot => " US survey ft",
    };
    writeln!(f, "{unit}")
}

fn write_placement(
    f: &mut fmt::Formatter<'_>,
    placement: Option<&Placement>,
    crs: &Crs,
    citation: Option<&str>,
) -> fmt::Result {
    let kind = match crs {
        Crs::Geographic { .. } => "degrees",
        Crs::Projected { .. } => "projected",
        Crs::None => "no coordinate system",
    };
    write!(f, "  place     {kind}")?;
    if let Some(epsg) = crs.epsg() {
        write!(f, ", EPSG:{epsg}")?;
    }
    if let Some(citation) = citation {
        write!(f, " ({citation})")?;
    }
    let Some(Placement { origin, step, registration, row_order }) = placement else {
        return writeln!(f, ", not georeferenced");
    };
    let registration = match registration {
        Registration::Area => "pixel is area",
        Registration::Point => "pixel is point",
    };
    let order = match row_order {
        RowOrder::NorthFirst => "north row first",
        RowOrder::SouthFirst => "south row first",
    };
    writeln!(f, ", {registration}, {order}")?;
    writeln!(f, "  posts     from ({}, {}), {} × {} apart", origin.x, origin.y, step.x, step.y)
}
