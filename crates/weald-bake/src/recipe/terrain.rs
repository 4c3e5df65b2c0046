//! The terrain: elevation or a plain, with layers of noise.

use std::sync::Arc;

use glam::{DVec2, DVec3};
use weald_field::{Basis, ContentId, Domain, EvalScratch, Expr, Heightfield, NoiseSettings, Tape};
use weald_space::Seed;
use weald_terrain::{Anchor, GeoreferenceSettings, LocalGrid, ReadOptions, VoidPolicy, georeference, read};

use super::check::{HIGH, snap};
use super::error::{Extent, RecipeError, Source, Wrong};
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
    /// What was found on reading the elevation, as text.
    pub import: Option<String>,
}

impl Terrain {
    /// The height of the highest ground at a place of the plan, in metres.
    #[must_use]
    pub fn height(&self, plan: DVec2) -> Option<f64> {
        const STEPS: usize = 512;
        let (low, high) = self.heights;
        let step = (high - low) / STEPS as f64;
        let mut scratch = EvalScratch::default();
        let mut inside = |z: f64| {
            let mut value = [0.0];
            self.tape.values(&[plan.extend(z)], &mut scratch, &mut value);
            value[0] < 0.0
        };
        let top = (0..=STEPS).map(|i| high - i as f64 * step).find(|&z| inside(z))?;
        let (mut below, mut above) = (top, top + step);
        while above - below > 1.0 / 65_536.0 {
            let middle = 0.5 * (below + above);
            if inside(middle) { below = middle } else { above = middle }
        }
        Some(below)
    }
}

/// Resolves elevation or plain, and the layers of noise.
pub(super) fn resolve(
    source: &Source,
    raw: &GroundRaw,
    anchor: Option<AnchorRaw>,
    seed: Seed,
    warnings: &mut Vec<String>,
) -> Result<Terrain, RecipeError> {
    let (mut height, base, extent, mut heights, import) = match (&raw.elevation, raw.base) {
        (Some(elevation), None) => {
            let (field, import) = load(source, elevation, anchor, warnings)?;
            let last = field.step() * DVec2::new((field.width() - 1) as f64, (field.height() - 1) as f64);
            let extent = Extent { min: field.origin().to_array(), max: (field.origin() + last).to_array() };
            let (low, high) = field.range();
            (Expr::heightfield(field), 0.0, Some(extent), (low.into(), high.into()), Some(import))
        }
        (None, Some(base)) => {
            let base = source.metres("ground.base", base, -HIGH..=HIGH)?;
            (Expr::constant(0.0), base, None, (base, base), None)
        }
        (elevation, _) => {
            let wrong = Wrong::EitherOr {
                one: "elevation",
                other: "base",
                both: if elevation.is_some() { ", not both" } else { "" },
            };
            return Err(source.error("ground", wrong));
        }
    };
    let list = "ground.detail";
    source.count(list, "layers", raw.detail.len(), 0..=64)?;
    source.distinct(list, raw.detail.iter().map(|layer| layer.name.as_str()))?;
    let mut in_space: Option<Expr> = None;
    for (i, DetailRaw { name, noise: raw, amplitude }) in raw.detail.iter().enumerate() {
        let amplitude = source.number(&format!("{list}[{i}].amplitude"), *amplitude, 0.0..=5000.0, " m")?;
        let settings =
            noise(source, &format!("{list}[{i}].noise"), raw, amplitude, seed.child("detail").child(name))?;
        let reach = 2.0 * total_amplitude(&settings) + 1.0;
        heights = (heights.0 - reach, heights.1 + reach);
        let layer = Expr::noise(&settings);
        match settings.domain {
            Domain::Plane => height = height + layer,
            Domain::Space => in_space = Some(in_space.map_or(layer.clone(), |sum| sum + layer)),
        }
    }
    let surface = Expr::height_surface(height, base);
    let expr = in_space.map_or(surface.clone(), |sum| surface - sum);
    let tape = Tape::new(&expr).map_err(|error| source.error("ground", error.into()))?;
    heights = (heights.0 - 1.0, heights.1 + 1.0);
    Ok(Terrain { expr, tape, extent, heights, import })
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
    sum * f64::from(domain.bound(basis))
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
