//! The terrain: elevation, a plain or a formula, with layers.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DVec2, DVec3};
use weald_field::{
    Basis, ContentId, Domain, EvalScratch, Expr, FieldError, Heightfield, NoiseSettings, Tape,
};
use weald_space::{Aabb, Seed};
use weald_terrain::{Anchor, GeoreferenceSettings, LocalGrid, ReadOptions, VoidPolicy, georeference, read};

use super::check::{HIGH, snap};
use super::error::{Extent, RecipeError, Source, Wrong};
use super::formulas::Formulas;
use super::raw::{
    AnchorRaw, DetailRaw, ElevationRaw, GroundRaw, NoiseKindRaw, NoiseRaw, NoiseSpaceRaw, VoidsRaw,
};

/// The terrain as a field, without solids.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// Negative below ground, in metres.
    pub expr: Expr,
    /// The same, compiled.
    pub tape: Tape,
    /// Where there is elevation; `None` on a plain, which has no end.
    pub extent: Option<Extent>,
    /// The surface lies between these heights in metres, unless noise in space makes overhangs beyond them.
    pub heights: (f64, f64),
    /// Whether a formula makes it, so that only bounds tell where the surface may be.
    pub(super) is_formula: bool,
    /// What was found on reading the elevation, as text.
    pub import: Option<String>,
}

impl Terrain {
    /// The height of the highest ground at a place of the plan, in metres.
    #[must_use]
    pub fn height(&self, plan: DVec2) -> Option<f64> {
        let mut scratch = EvalScratch::default();
        let mut inside = |z: f64| {
            let mut value = [0.0];
            self.tape.values(&[plan.extend(z)], &mut scratch, &mut value);
            value[0] < 0.0
        };
        let found = if self.is_formula { self.descend(plan, &mut inside) } else { self.scan(&mut inside) };
        let (mut below, mut above) = found?;
        while above - below > 1.0 / 65_536.0 {
            let middle = 0.5 * (below + above);
            if inside(middle) { below = middle } else { above = middle }
        }
        Some(below)
    }

    /// A height inside the ground and one above it, by steps from the top.
    fn scan(&self, inside: &mut impl FnMut(f64) -> bool) -> Option<(f64, f64)> {
        const STEPS: usize = 512;
        let (low, high) = self.heights;
        let step = (high - low) / STEPS as f64;
        let top = (0..=STEPS).map(|i| high - i as f64 * step).find(|&z| inside(z))?;
        Some((top, top + step))
    }

    /// A height inside the ground and one above it, by bounds: the sky costs little, and as a rule nothing thicker than
    /// the finest step is missed. Where bounds say little for long, steps become coarse, so that no formula takes more
    /// than a moment.
    fn descend(&self, plan: DVec2, inside: &mut impl FnMut(f64) -> bool) -> Option<(f64, f64)> {
        const FINEST: f64 = 0.25;
        const PATIENCE: usize = 4096;
        const COARSE: f64 = 64.0;
        let mut open = vec![self.heights];
        let mut seen = 0;
        while let Some((low, high)) = open.pop() {
            seen += 1;
            let bounds = self.tape.bounds(Aabb::new(plan.extend(low), plan.extend(high)));
            if bounds.lo >= 0.0 {
                continue;
            }
            let middle = 0.5 * (low + high);
            if high - low > if seen < PATIENCE { FINEST } else { COARSE } {
                open.extend([(low, middle), (middle, high)]);
            } else if let Some(found) = [middle, low].into_iter().find(|&z| inside(z)) {
                return Some((found, high));
            }
        }
        None
    }
}

/// What the terrain rests on, before layers.
#[derive(Debug)]
pub(super) struct Base {
    /// Its height over `base_z`, if it is not a formula.
    height: Option<Expr>,
    base_z: f64,
    extent: Option<Extent>,
    heights: (f64, f64),
    import: Option<String>,
}

impl Base {
    /// The fields that the terrain gives to formulas.
    pub(super) fn names(&self) -> BTreeMap<String, Expr> {
        let elevation = self.height.iter().filter(|_| self.extent.is_some());
        elevation.map(|height| ("elevation".to_owned(), height.clone())).collect()
    }
}

/// Resolves elevation or plain.
pub(super) fn base(
    source: &Source,
    raw: &GroundRaw,
    anchor: Option<AnchorRaw>,
    warnings: &mut Vec<String>,
) -> Result<Base, RecipeError> {
    match (&raw.elevation, raw.base, &raw.density) {
        (Some(elevation), None, _) => {
            let (field, import) = load(source, elevation, anchor, warnings)?;
            let last = field.step() * DVec2::new((field.width() - 1) as f64, (field.height() - 1) as f64);
            let extent = Extent { min: field.origin().to_array(), max: (field.origin() + last).to_array() };
            let (low, high) = field.range();
            let (extent, import) = (Some(extent), Some(import));
            let height = Some(Expr::heightfield(field));
            Ok(Base { height, base_z: 0.0, extent, heights: (low.into(), high.into()), import })
        }
        (None, Some(base), None) => {
            let base_z = source.metres("ground.base", base, -HIGH..=HIGH)?;
            let height = Some(Expr::constant(0.0));
            Ok(Base { height, base_z, extent: None, heights: (base_z, base_z), import: None })
        }
        (None, None, Some(_)) => {
            Ok(Base { height: None, base_z: 0.0, extent: None, heights: (0.0, 0.0), import: None })
        }
        (elevation, base, _) => {
            let other = if elevation.is_some() || base.is_none() { "elevation" } else { "density" };
            let both = if base.is_some() { ", not both" } else { "" };
            Err(source.error("ground", Wrong::EitherOr { one: other, other: "base", both }))
        }
    }
}

/// Resolves the layers, and the formula in place of elevation or plain.
pub(super) fn resolve(
    source: &Source,
    raw: &GroundRaw,
    base: Base,
    formulas: &mut Formulas,
    seed: Seed,
) -> Result<Terrain, RecipeError> {
    let Base { height, base_z, extent, mut heights, import } = base;
    let mut layers = Layers { height: height.unwrap_or_else(|| Expr::constant(0.0)), in_space: None };
    let density = raw.density.as_ref().map(|formula| formulas.field("ground.density", "density", formula));
    let density = density.transpose()?;
    let list = "ground.detail";
    source.count(list, "layers", raw.detail.len(), 0..=64)?;
    source.distinct(list, raw.detail.iter().map(|layer| layer.name.as_str()))?;
    let mut is_formula = density.is_some();
    for (i, raw) in raw.detail.iter().enumerate() {
        match detail(source, &format!("{list}[{i}]"), raw, formulas, seed.child("detail"))? {
            Detail::Noise(settings) => {
                let reach = 2.0 * total_amplitude(&settings) + 1.0;
                heights = (heights.0 - reach, heights.1 + reach);
                layers.add(Expr::noise(&settings), settings.domain == Domain::Plane && density.is_none());
            }
            Detail::Formula(field) => {
                is_formula = true;
                let is_height = density.is_none() && is_flat(&field);
                layers.add(field, is_height);
            }
        }
    }
    let Layers { height, in_space } = layers;
    let surface = density.unwrap_or_else(|| Expr::height_surface(height, base_z));
    let expr = in_space.map_or(surface.clone(), |sum| surface - sum);
    let tape = Tape::new(&expr).map_err(|error| source.error("ground", error.into()))?;
    heights = if is_formula { (-HIGH, HIGH) } else { (heights.0 - 1.0, heights.1 + 1.0) };
    Ok(Terrain { expr, tape, extent, heights, is_formula, import })
}

/// Layers that raise the ground: as heights, or as what is taken from the field.
struct Layers {
    height: Expr,
    in_space: Option<Expr>,
}

impl Layers {
    fn add(&mut self, layer: Expr, is_height: bool) {
        let Layers { height, in_space } = self;
        if is_height {
            *height = height.clone() + layer;
        } else {
            *in_space = Some(in_space.take().map_or(layer.clone(), |sum| sum + layer));
        }
    }
}

/// A layer as it is written: noise, or a formula.
pub(super) enum Detail {
    /// Noise with its amplitude.
    Noise(NoiseSettings),
    /// A formula.
    Formula(Expr),
}

/// Resolves a layer. Its noise draws from the seed's child of its name.
pub(super) fn detail(
    source: &Source,
    path: &str,
    DetailRaw { name, noise: raw, amplitude, field }: &DetailRaw,
    formulas: &mut Formulas,
    seed: Seed,
) -> Result<Detail, RecipeError> {
    match (raw, amplitude, field) {
        (Some(raw), Some(amplitude), None) => {
            let amplitude = source.number(&format!("{path}.amplitude"), *amplitude, 0.0..=5000.0, " m")?;
            noise(source, &format!("{path}.noise"), raw, amplitude, seed.child(name)).map(Detail::Noise)
        }
        (None, None, Some(formula)) => {
            let label = format!("detail {name}");
            formulas.field(&format!("{path}.field"), &label, formula).map(Detail::Formula)
        }
        (raw, amplitude, field) => {
            let both = if field.is_some() { ", not both" } else { "" };
            let (one, other) = match (raw, amplitude) {
                (Some(_), None) if field.is_none() => ("amplitude", "field"),
                (None, Some(_)) if field.is_some() => ("amplitude", "field"),
                _ => ("noise", "field"),
            };
            Err(source.error(path, Wrong::EitherOr { one, other, both }))
        }
    }
}

/// Whether a field depends on x and y only.
fn is_flat(field: &Expr) -> bool {
    let surface = Tape::new(&Expr::height_surface(field.clone(), 0.0));
    !matches!(surface, Err(FieldError::HeightDependsOnZ))
}

/// Resolves a noise.
pub(super) fn noise(
    source: &Source,
    path: &str,
    raw: &NoiseRaw,
    amplitude: f64,
    seed: Seed,
) -> Result<NoiseSettings, RecipeError> {
    let NoiseRaw { kind, space, wavelength, octaves, gain } = *raw;
    Ok(NoiseSettings {
        basis: match kind {
            NoiseKindRaw::Gradient => Basis::Gradient,
            NoiseKindRaw::Value => Basis::Value,
        },
        domain: match space {
            NoiseSpaceRaw::Plane => Domain::Plane,
            NoiseSpaceRaw::Space => Domain::Space,
        },
        origin: DVec3::ZERO,
        wavelength: source.number(&format!("{path}.wavelength"), wavelength, 0.01..=1e6, " m")?,
        octaves: source.number(&format!("{path}.octaves"), octaves.into(), 1.0..=16.0, "")? as u32,
        gain: source.number(&format!("{path}.gain"), gain, 0.0..=1.0, "")?,
        amplitude,
        seed,
        ..NoiseSettings::default()
    })
}

/// No sum of all octaves is further from zero than this.
fn total_amplitude(settings: &NoiseSettings) -> f64 {
    let NoiseSettings { amplitude, gain, octaves, basis, domain, .. } = *settings;
    let (sum, _) = (0..octaves).fold((0.0, amplitude), |(sum, layer), _| (sum + layer, layer * gain));
    // What a layer of amplitude 1 reaches, as weald-field proves it.
    let layer: f32 = match (basis, domain) {
        (Basis::Gradient, Domain::Space) => 1.05,
        (Basis::Gradient, Domain::Plane) => 1.0,
        _ => 1.0 + 1e-5,
    };
    sum * f64::from(layer)
}

fn load(
    source: &Source,
    raw: &ElevationRaw,
    anchor: Option<AnchorRaw>,
    warnings: &mut Vec<String>,
) -> Result<(Heightfield, String), RecipeError> {
    let path = "ground.elevation";
    let ElevationRaw { file, spacing, vertical_scale, offset, voids } = raw;
    let scale = source.number(&format!("{path}.vertical_scale"), *vertical_scale, 0.001..=1000.0, "")?;
    let offset = source.number(&format!("{path}.offset"), *offset, -HIGH..=HIGH, " m")?;
    if let Some(spacing) = spacing {
        source.number(&format!("{path}.spacing"), *spacing, 0.001..=100_000.0, " m")?;
    }
    let options = ReadOptions { spacing: *spacing, ..ReadOptions::default() };
    let elevation = read(&source.beside(file), &options)
        .map_err(|error| source.error(&format!("{path}.file"), error.into()))?;
    let anchor = match anchor {
        Some(AnchorRaw { lon, lat }) => Anchor::Degrees {
            lon: source.number("anchor.lon", lon, -180.0..=360.0, "°")?,
            lat: source.number("anchor.lat", lat, -89.0..=89.0, "°")?,
        },
        None => Anchor::Centre,
    };
    let voids = match voids {
        VoidsRaw::Refuse => VoidPolicy::Refuse,
        VoidsRaw::Fill => VoidPolicy::Fill,
    };
    let local = georeference(&elevation, &GeoreferenceSettings { anchor, voids })
        .map_err(|error| source.error(path, error.into()))?;
    warnings.extend(elevation.warnings.iter().map(|warning| format!("{file}: {warning}")));
    let mut import = elevation.report().to_string();
    if let Some(metres) = local.distortion {
        import += &format!(
            "  map       flat around the anchor, off by up to {metres:.1} m at the edge of the file\n"
        );
    }
    if local.filled > 0 {
        import += &format!("  filled    {} voids\n", local.filled);
    }
    let field = heightfield(local.grid, scale, offset);
    Ok((field.map_err(|error| source.error(path, error.into()))?, import))
}

fn heightfield(grid: LocalGrid, scale: f64, offset: f64) -> Result<Heightfield, weald_field::FieldError> {
    let LocalGrid { origin, step, width, height, mut posts } = grid;
    if (scale, offset) != (1.0, 0.0) {
        posts.iter_mut().for_each(|post| *post = (f64::from(*post) * scale + offset) as f32);
    }
    let posts: Arc<[f32]> = posts.into();
    let mut hasher = blake3::Hasher::new_derive_key("weald 2026 heightfield");
    for number in [step.x, step.y, width as f64, height as f64] {
        hasher.update(&number.to_le_bytes());
    }
    hasher.update(bytemuck::cast_slice::<f32, u8>(&posts));
    let id = ContentId(*hasher.finalize().as_bytes());
    Heightfield::new(DVec2::new(snap(origin.x), snap(origin.y)), step, width, height, posts, id)
}
