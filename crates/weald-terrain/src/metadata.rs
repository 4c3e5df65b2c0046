//! What GDAL writes about a band beside the posts: scale, offset, unit (tag 42112, a small XML text).

use crate::elevation::{Scaling, VerticalUnit};

/// The metadata of one band.
#[derive(Debug, PartialEq)]
pub(crate) struct BandMetadata {
    pub scaling: Option<Scaling>,
    /// The unit of heights, or its name where that is not known.
    pub unit: Option<Result<VerticalUnit, String>>,
}

impl BandMetadata {
    /// Reads the items of a band, counted from 1. Items that are not understood are left out, as GDAL does.
    pub(crate) fn of(xml: &str, band: u16) -> Self {
        let sample = (band - 1).to_string();
        let (mut scale, mut offset, mut unit) = (None, None, None);
        for item in xml.split("<Item").skip(1) {
            let Some((attributes, rest)) = item.split_once('>') else {
                continue;
            };
            if attribute(attributes, "sample") != Some(&sample) {
                continue;
            }
            let text = rest.split('<').next().unwrap_or_default().trim();
            match attribute(attributes, "role") {
                Some("scale") => scale = text.parse::<f64>().ok().filter(|value| value.is_finite()),
                Some("offset") => offset = text.parse::<f64>().ok().filter(|value| value.is_finite()),
                Some("unittype") if !text.is_empty() => unit = Some(vertical_unit(text)),
                _ => {}
            }
        }
        let scaling = Scaling { scale: scale.unwrap_or(1.0), offset: offset.unwrap_or(0.0) };
        let scaling = (scaling != Scaling { scale: 1.0, offset: 0.0 }).then_some(scaling);
        BandMetadata { scaling, unit }
    }
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    attributes.match_indices(name).find_map(|(at, _)| {
        let before = attributes[..at].chars().next_back();
        let value = attributes[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        before.is_some_and(char::is_whitespace).then(|| value[1..].split(quote).next())?
    })
}

fn vertical_unit(name: &str) -> Result<VerticalUnit, String> {
    match name.to_ascii_lowercase().as_str() {
        "m" | "metre" | "metres" | "meter" | "meters" => Ok(VerticalUnit::Metre),
        "ft" | "foot" | "feet" => Ok(VerticalUnit::Foot),
        "us-ft" | "ft-us" | "us survey foot" | "us survey feet" | "sft" => Ok(VerticalUnit::SurveyFoot),
        _ => Err(name.chars().take(40).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_belong_to_their_band() {
        let xml = r#"<GDALMetadata>
            <Item name="SCALE" sample="0" role="scale">0.5</Item>
            <Item name="OFFSET" sample="1" role="offset">-10</Item>
            <Item name="UNITTYPE" sample='1' role='unittype'>ft</Item>
            <Item name="scale" role="scale">7</Item></GDALMetadata>"#;
        let first = BandMetadata::of(xml, 1);
        assert_eq!(first, BandMetadata { scaling: Some(Scaling { scale: 0.5, offset: 0.0 }), unit: None });
        let second = BandMetadata::of(xml, 2);
        assert_eq!(second.scaling, Some(Scaling { scale: 1.0, offset: -10.0 }));
        assert_eq!(second.unit, Some(Ok(VerticalUnit::Foot)));
        assert_eq!(BandMetadata::of(xml, 3), BandMetadata { scaling: None, unit: None });
    }

    #[test]
    fn torn_metadata_gives_nothing() {
        for xml in [
            "",
            "<Item",
            "<Item sample=\"0\" role=\"scale\"",
            "<Item sample=\"0\" role=\"scale\">x",
            "é<Item é>",
        ] {
            assert_eq!(BandMetadata::of(xml, 1), BandMetadata { scaling: None, unit: None }, "{xml}");
        }
    }
}
