//! Materials by name, and the rules that give them to the terrain.

use std::ops::Range;

use weald_field::{Expr, FieldError, MaterialIndex, MaterialRules, Rule};
use weald_mesh::{MaterialId, gltf};
use weald_space::Seed;

use super::check::HIGH;
use super::error::{RecipeError, Source, Wrong};
use super::formulas::Formulas;
use super::raw::{MaterialRaw, RuleFieldRaw, RuleRaw, SurfaceRaw};
use super::terrain::{self, Detail};
use crate::key::KeyHasher;
use crate::preview::linear_from_srgb;

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

/// Linear red, green and blue of `#rrggbb`.
fn linear_color(text: &str) -> Option<[f32; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let mut linear = [0.0; 3];
    for (i, channel) in linear.iter_mut().enumerate() {
        let byte = u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok()?;
        *channel = linear_from_srgb(byte) as f32;
    }
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(linear)
}

/// Resolves the rules; the key stands for all that they depend on.
pub(super) fn rules(
    source: &Source,
    raw: &SurfaceRaw,
    palette: &Palette,
    formulas: &mut Formulas,
    seed: Seed,
) -> Result<(MaterialRules, KeyHasher), RecipeError> {
    let list = "surface.rules";
    source.count(list, "rules", raw.rules.len(), 0..=256)?;
    let default = palette.find(source, "surface.default", &raw.default)?;
    let one = |(i, rule): (usize, &RuleRaw)| {
        let same = raw.rules[..i].iter().filter(|other| other.material == rule.material).count();
        let label = format!("rule {} {same}", rule.material);
        resolve_rule(source, &format!("{list}[{i}]"), rule, palette, &mut *formulas, &label, seed)
    };
    let rules = raw.rules.iter().enumerate().map(one).collect::<Result<Vec<Rule>, RecipeError>>()?;
    let mut key = KeyHasher::new("material rules");
    key.int(default.0.into());
    for (i, rule) in rules.iter().enumerate() {
        let added = add_rule(&mut key, rule);
        added.map_err(|error| source.error(&format!("{list}[{i}]"), error.into()))?;
    }
    let rules = MaterialRules::new(rules, MaterialIndex(default.0));
    Ok((rules.map_err(|error| source.error("surface", error.into()))?, key))
}

fn resolve_rule(
    source: &Source,
    path: &str,
    raw: &RuleRaw,
    palette: &Palette,
    formulas: &mut Formulas,
    label: &str,
    seed: Seed,
) -> Result<Rule, RecipeError> {
    let RuleRaw { material, height, border, slope_deg, noise, field } = raw;
    let material = palette.find(source, &format!("{path}.material"), material)?;
    let mut rule = Rule::always(MaterialIndex(material.0));
    if let Some(height) = height {
        let (low, high) = source.span(&format!("{path}.height"), *height, -HIGH..=HIGH, " m")?;
        rule.height = low..high;
    }
    if let Some(border) = border {
        let path = format!("{path}.border");
        rule.border = Some(match terrain::detail(source, &path, border, formulas, seed.child("border"))? {
            Detail::Noise(noise) => Expr::noise(&noise),
            Detail::Formula(field) => field,
        });
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
    if let Some(raw) = field {
        let field = in_range(source, &format!("{path}.field"), raw, formulas, label)?;
        rule.noise = Some(match rule.noise {
            None => field,
            Some(noise) => both(noise, field),
        });
    }
    Ok(rule)
}

/// A formula, and the values that it must have.
fn in_range(
    source: &Source,
    path: &str,
    RuleFieldRaw { of, above, below }: &RuleFieldRaw,
    formulas: &mut Formulas,
    label: &str,
) -> Result<(Expr, Range<f32>), RecipeError> {
    let end = |name: &str, value: &Option<f64>, open: f64| match value {
        Some(value) => source.number(&format!("{path}.{name}"), *value, -1e6..=1e6, ""),
        None => Ok(open),
    };
    let low = end("above", above, f64::NEG_INFINITY)?;
    let high = end("below", below, f64::INFINITY)?;
    if low >= high {
        return Err(source.error(path, Wrong::EmptyRange { low, high }));
    }
    if above.is_none() && below.is_none() {
        return Err(source.error(path, Wrong::EitherOr { one: "above", other: "below", both: "" }));
    }
    Ok((formulas.field(&format!("{path}.of"), label, of)?, low as f32..high as f32))
}

/// Where both fields have their values: a field that is not negative there.
fn both(a: (Expr, Range<f32>), b: (Expr, Range<f32>)) -> (Expr, Range<f32>) {
    let ends = [a, b].into_iter().flat_map(|(field, Range { start, end })| {
        let over = start.is_finite().then(|| field.clone() - start);
        let under = end.is_finite().then(|| Expr::constant(end) - field);
        [over, under].into_iter().flatten()
    });
    let least = ends.reduce(|a, b| a.min(&b)).unwrap_or_else(|| Expr::constant(0.0));
    (least, 0.0..f32::INFINITY)
}

fn add_rule(key: &mut KeyHasher, rule: &Rule) -> Result<(), FieldError> {
    let Rule { material, height, slope, noise, border } = rule;
    key.int(material.0.into());
    [height.start, height.end, slope.start, slope.end].iter().for_each(|&end| {
        key.number(end);
    });
    let mut bytes = Vec::new();
    if let Some((expr, range)) = noise {
        expr.encode(&mut bytes)?;
        key.number(range.start.into()).number(range.end.into());
    }
    key.bytes(&bytes);
    bytes.clear();
    if let Some(expr) = border {
        expr.encode(&mut bytes)?;
    }
    key.bytes(&bytes);
    Ok(())
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
