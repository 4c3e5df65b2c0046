//! Materials by name, and the rules that give them to the terrain.

use weald_field::{Expr, MaterialIndex, MaterialRules, Rule};
use weald_mesh::{MaterialId, gltf};
use weald_space::{Seed, ops};

use super::check::HIGH;
use super::error::{RecipeError, Source, Wrong};
use super::raw::{MaterialRaw, RuleRaw, SurfaceRaw};
use super::terrain;
use crate::key::KeyHasher;

/// The materials of a world, by their [`MaterialId`].
#[derive(Clone, Debug)]
pub struct Palette {
    materials: Vec<gltf::Material>,
}

impl Palette {
    /// The materials as they are written to files, by their ids.
    #[must_use]
    pub fn materials(&self) -> &[gltf::Material] {
        &self.materials
    }

    /// The material of this name.
    pub(super) fn find(&self, source: &Source, path: &str, name: &str) -> Result<MaterialId, RecipeError> {
        let found = self.materials.iter().position(|material| material.name == name);
        found.map(|i| MaterialId(i as u8)).ok_or_else(|| {
            let known: Vec<&str> = self.materials.iter().map(|material| material.name.as_str()).collect();
            source.error(path, Wrong::NoSuchMaterial { name: name.to_owned(), known: known.join(", ") })
        })
    }
}

/// Resolves the list of materials.
pub(super) fn resolve(source: &Source, raw: &[MaterialRaw]) -> Result<Palette, RecipeError> {
    let list = "materials";
    source.count(list, "materials", raw.len(), 1..=255)?;
    source.distinct(list, raw.iter().map(|material| material.name.as_str()))?;
    let one = |(i, MaterialRaw { name, color, roughness }): (usize, &MaterialRaw)| {
        let path = format!("{list}[{i}].color");
        let [red, green, blue] = linear_color(color).ok_or_else(|| {
            source.error(
                &path,
                Wrong::Value { value: format!("{color:?}"), expected: "a colour as \"#rrggbb\"" },
            )
        })?;
        let roughness = source.number(&format!("{list}[{i}].roughness"), *roughness, 0.0..=1.0, "")?;
        let base_color = [red, green, blue, 1.0];
        Ok(gltf::Material { name: name.clone(), base_color, roughness: roughness as f32, metallic: 0.0 })
    };
    let materials = raw.iter().enumerate().map(one).collect::<Result<_, RecipeError>>()?;
    Ok(Palette { materials })
}

/// Linear red, green and blue of `#rrggbb`, by the transfer function of IEC 61966-2-1.
fn linear_color(text: &str) -> Option<[f32; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let mut linear = [0.0; 3];
    for (i, channel) in linear.iter_mut().enumerate() {
        let byte = u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok()?;
        let s = f64::from(byte) / 255.0;
        *channel = if s <= 0.04045 { s / 12.92 } else { ops::pow((s + 0.055) / 1.055, 2.4) } as f32;
    }
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(linear)
}

/// Resolves the rules; the key stands for all that they depend on.
pub(super) fn rules(
    source: &Source,
    raw: &SurfaceRaw,
    palette: &Palette,
    seed: Seed,
) -> Result<(MaterialRules, KeyHasher), RecipeError> {
    let list = "surface.rules";
    source.count(list, "rules", raw.rules.len(), 0..=256)?;
    let default = palette.find(source, "surface.default", &raw.default)?;
    let one = |(i, rule)| resolve_rule(source, &format!("{list}[{i}]"), rule, palette, seed);
    let rules = raw.rules.iter().enumerate().map(one).collect::<Result<Vec<Rule>, RecipeError>>()?;
    let mut key = KeyHasher::new("material rules");
    key.int(default.0.into());
    rules.iter().for_each(|rule| add_rule(&mut key, rule));
    let rules = MaterialRules::new(rules, MaterialIndex(default.0));
    Ok((rules.map_err(|error| source.error("surface", error.into()))?, key))
}

fn resolve_rule(
    source: &Source,
    path: &str,
    raw: &RuleRaw,
    palette: &Palette,
    seed: Seed,
) -> Result<Rule, RecipeError> {
    let RuleRaw { material, height, border, slope_deg, noise } = raw;
    let material = palette.find(source, &format!("{path}.material"), material)?;
    let mut rule = Rule::always(MaterialIndex(material.0));
    if let Some(height) = height {
        let (low, high) = source.span(&format!("{path}.height"), *height, -HIGH..=HIGH, " m")?;
        rule.height = low..high;
    }
    if let Some(border) = border {
        let path = format!("{path}.border");
        let amplitude = source.number(&format!("{path}.amplitude"), border.amplitude, 0.0..=5000.0, " m")?;
        let seed = seed.child("border").child(&border.name);
        let noise = terrain::noise(source, &format!("{path}.noise"), &border.noise, amplitude, seed)?;
        rule.border = Some(Expr::noise(&noise));
    }
    if let Some(slope) = slope_deg {
        let (low, high) = source.span(&format!("{path}.slope_deg"), *slope, 0.0..=180.0, "°")?;
        rule.slope = low..high;
    }
    if let Some(noise) = noise {
        let path = format!("{path}.noise");
        let above = source.number(&format!("{path}.above"), noise.above, -100.0..=100.0, "")? as f32;
        let seed = seed.child("rule").child(&noise.name);
        let noise = terrain::noise(source, &format!("{path}.noise"), &noise.noise, 1.0, seed)?;
        rule.noise = Some((Expr::noise(&noise), above..f32::INFINITY));
    }
    Ok(rule)
}

fn add_rule(key: &mut KeyHasher, rule: &Rule) {
    let Rule { material, height, slope, noise, border } = rule;
    key.int(material.0.into());
    [height.start, height.end, slope.start, slope.end].iter().for_each(|&end| {
        key.number(end);
    });
    let mut bytes = Vec::new();
    if let Some((expr, range)) = noise {
        expr.encode(&mut bytes);
        key.number(range.start.into()).number(range.end.into());
    }
    key.bytes(&bytes);
    bytes.clear();
    if let Some(expr) = border {
        expr.encode(&mut bytes);
    }
    key.bytes(&bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_made_linear() {
        assert_eq!(linear_color("#000000"), Some([0.0; 3]));
        assert_eq!(linear_color("#ffffff"), Some([1.0; 3]));
        let [grey, ..] = linear_color("#808080").unwrap();
        assert!((grey - 0.2158605).abs() < 1e-6, "{grey}");
    }

    #[test]
    fn what_is_no_colour_is_refused() {
        for bad in ["", "#", "000000", "#12345", "#1234567", "#12345g", "#+1+1+1", "#é1234"] {
            assert_eq!(linear_color(bad), None, "{bad}");
        }
    }
}
