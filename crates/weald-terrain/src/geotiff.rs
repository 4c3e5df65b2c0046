//! GeoTIFF: posts from its blocks, georeference from its tags.
//!
//! Photometric kinds are not applied: heights are numbers and are not inverted where a file says that white is zero.
//! All that a file declares is compared with its length and with the limits before posts are allocated
//! ([`crate::layout`]).

use crate::block;
use crate::elevation::{Crs, Elevation, Placement, RowOrder, SampleType, Source, VerticalUnit};
use crate::error::Fault;
use crate::gather::{Gather, Gathered};
use crate::geokeys::GeoKeys;
use crate::layout::Layout;
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
    let gathered = decode(&layout, bytes, tags.big_endian(), nodata, gather)?;

    let mut warnings =
        plain_warnings(&gathered, layout.sample, placed.map(|(placement, _)| placement), options);
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
        quantization: gathered
            .quantization(layout.sample, metadata.scaling.map_or(1.0, |scaling| scaling.scale)),
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
        changes.push(Change::BandTaken { band: layout.band, bands: layout.bands });
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
        Err(_) => Err(Fault::damaged(format_args!("its nodata value is {text:?}, which is not a number"))),
    }
}

fn decode(
    layout: &Layout,
    bytes: &[u8],
    big_endian: bool,
    nodata: Option<f64>,
    mut gather: Gather,
) -> Result<Gathered, Fault> {
    for (place, stored) in layout.blocks.iter().enumerate() {
        if stored.length > 0 {
            block::decode(layout, place, bytes, big_endian, &mut gather)?;
        } else if nodata.is_none() {
            let name = layout.block_name(*stored);
            return Err(Fault::damaged(format_args!(
                "{name} holds no data, and no nodata value is named for it"
            )));
        }
    }
    Ok(gather.finish())
}
