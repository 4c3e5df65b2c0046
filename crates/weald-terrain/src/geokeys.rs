//! The keys of a GeoTIFF: which coordinates it has (GeoTIFF 1.0, section 2.4; OGC 19-008r4, section 7).
//!
//! Only what the reader needs is read: kind of model, EPSG code, units, and whether a coordinate points to a pixel's
//! corner or to its middle. The parameters of projections are left to a later reader.

use crate::elevation::{Crs, Registration, VerticalUnit};
use crate::error::Fault;
use crate::tags::{self, Tags};

const MODEL_TYPE: u64 = 1024;
const RASTER_TYPE: u64 = 1025;
const CITATION: u64 = 1026;
const GEOGRAPHIC_TYPE: u64 = 2048;
const GEOGRAPHIC_CITATION: u64 = 2049;
const ANGULAR_UNITS: u64 = 2054;
const PROJECTED_TYPE: u64 = 3072;
const PROJECTED_CITATION: u64 = 3073;
const LINEAR_UNITS: u64 = 3076;
const LINEAR_UNIT_SIZE: u64 = 3077;
const VERTICAL_UNITS: u64 = 4099;
const USER_DEFINED: u64 = 32767;

/// What the keys say.
pub(crate) struct GeoKeys {
    pub crs: Crs,
    pub registration: Registration,
    pub citation: Option<String>,
    pub vertical_unit: Option<VerticalUnit>,
    /// The coordinates are projected, but their unit is not told.
    pub linear_unit_assumed: bool,
}

impl GeoKeys {
    pub(crate) fn of(tags: &Tags<'_>) -> Result<Self, Fault> {
        let directory = Directory::of(tags)?;
        let registration = match directory.code(RASTER_TYPE) {
            None | Some(1) => Registration::Area,
            Some(2) => Registration::Point,
            Some(other) => return Err(Fault::georeference(format_args!("its raster type is {other}"))),
        };
        let (geographic, projected) = (directory.code(GEOGRAPHIC_TYPE), directory.code(PROJECTED_TYPE));
        let model = match directory.code(MODEL_TYPE) {
            None | Some(0) if projected.is_some() => 1,
            None | Some(0) if geographic.is_some() => 2,
            model => model.unwrap_or(0),
        };
        let linear_unit = directory.linear_unit()?;
        let crs = match model {
            1 => Crs::Projected { epsg: epsg(projected), metres_per_unit: linear_unit.unwrap_or(1.0) },
            2 => {
                directory.check_degrees()?;
                Crs::Geographic { epsg: epsg(geographic) }
            }
            3 => return Err(Fault::georeference("its coordinates are geocentric, not a map")),
            _ => Crs::None,
        };
        let vertical_unit = match directory.code(VERTICAL_UNITS) {
            Some(9001) => Some(VerticalUnit::Metre),
            Some(9002) => Some(VerticalUnit::Foot),
            Some(9003) => Some(VerticalUnit::SurveyFoot),
            _ => None,
        };
        let citation = match model {
            1 => [CITATION, PROJECTED_CITATION, GEOGRAPHIC_CITATION],
            _ => [CITATION, GEOGRAPHIC_CITATION, PROJECTED_CITATION],
        };
        Ok(GeoKeys {
            linear_unit_assumed: model == 1 && linear_unit.is_none(),
            crs,
            registration,
            citation: citation.into_iter().find_map(|key| directory.text(key)),
            vertical_unit,
        })
    }
}

fn epsg(code: Option<u64>) -> Option<u16> {
    code.filter(|code| (1..USER_DEFINED).contains(code)).map(|code| code as u16)
}

#[derive(Default)]
struct Directory {
    keys: Vec<Key>,
    doubles: Vec<f64>,
    text: String,
}

#[derive(Clone, Copy)]
struct Key {
    id: u64,
    /// The tag that holds the value; 0 where it is `value` itself.
    location: u64,
    count: u64,
    value: u64,
}

impl Directory {
    fn of(tags: &Tags<'_>) -> Result<Self, Fault> {
        let Some(words) = tags.unsigned_list(tags::GEO_KEY_DIRECTORY)? else {
            return Ok(Directory::default());
        };
        let (Some(header), Some(words)) = (words.get(..4), words.get(4..)) else {
            return Err(Fault::georeference("its list of keys has no header"));
        };
        let count = header[3] as usize;
        let Some(words) = words.get(..count.saturating_mul(4)) else {
            let there = words.len() / 4;
            return Err(Fault::georeference(format_args!(
                "its list of keys has {there} of the {count} announced"
            )));
        };
        let keys = words.chunks_exact(4).map(|key| Key {
            id: key[0],
            location: key[1],
            count: key[2],
            value: key[3],
        });
        Ok(Directory {
            keys: keys.collect(),
            doubles: tags.doubles(tags::GEO_DOUBLE_PARAMS)?.unwrap_or_default(),
            text: tags.text(tags::GEO_ASCII_PARAMS)?.unwrap_or_default(),
        })
    }

    fn key(&self, id: u64, location: u16) -> Option<Key> {
        self.keys.iter().copied().find(|key| key.id == id && key.location == u64::from(location))
    }

    fn code(&self, id: u64) -> Option<u64> {
        self.key(id, 0).map(|key| key.value)
    }

    fn double(&self, id: u64) -> Option<f64> {
        let key = self.key(id, tags::GEO_DOUBLE_PARAMS)?;
        self.doubles.get(key.value as usize).copied()
    }

    /// The text of a key, without the bar that ends it.
    fn text(&self, id: u64) -> Option<String> {
        let key = self.key(id, tags::GEO_ASCII_PARAMS)?;
        let text = self.text.as_bytes().get(key.value as usize..)?;
        let text = &text[..text.len().min(key.count as usize)];
        let text = String::from_utf8_lossy(text);
        let text = text.trim_end_matches('|').trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Metres in one unit of projected coordinates; none where the keys do not tell.
    fn linear_unit(&self) -> Result<Option<f64>, Fault> {
        match self.code(LINEAR_UNITS) {
            None => Ok(None),
            Some(9001) => Ok(Some(1.0)),
            Some(9002) => Ok(Some(0.3048)),
            Some(9003) => Ok(Some(1200.0 / 3937.0)),
            Some(9036) => Ok(Some(1000.0)),
            Some(USER_DEFINED) => match self.double(LINEAR_UNIT_SIZE) {
                Some(metres) if metres.is_finite() && metres > 0.0 => Ok(Some(metres)),
                _ => Err(Fault::georeference(
                    "its unit of length is its own, but the size of that is not told",
                )),
            },
            Some(other) => Err(Fault::georeference(format_args!(
                "its unit of length is EPSG:{other}, which is not known"
            ))),
        }
    }

    fn check_degrees(&self) -> Result<(), Fault> {
        match self.code(ANGULAR_UNITS) {
            None | Some(9102 | 9122) => Ok(()),
            Some(other) => Err(Fault::georeference(format_args!(
                "its unit of angles is EPSG:{other}; only degrees are read"
            ))),
        }
    }
}
