//! From the world file as written to a recipe: names looked up, ranges checked, fields built.

use weald_field::{Expr, Tape};
use weald_space::{Lattice, Lod, Seed};

use super::error::{Extent, RecipeError, Source, Wrong};
use super::formulas::Formulas;
use super::raw::{CameraRaw, RecipeRaw};
use super::region::Region;
use super::terrain::Terrain;
use super::{Ground, Part, REACH_CELLS, Recipe, materials, solids, terrain};
use crate::preview::{Camera, FOV_DEG, PictureSettings, Sun};

/// Most levels of detail: a cell of the eighth is 128 of the finest wide. A hill of 40 cells that a world was made for is
/// gone by then, and a chunk of the next level would be 8,192 cells wide, more than most worlds.
const MAX_LEVELS: u8 = 8;

/// Resolves a world file.
pub(super) fn resolve(source: &Source, raw: RecipeRaw) -> Result<Recipe, RecipeError> {
    let mut warnings = Vec::new();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !(1..=64).contains(&raw.name.len()) || !raw.name.chars().all(is_name) {
        let expected = "a name of 1 to 64 letters, digits, '-' and '_'";
        return Err(source.error("name", Wrong::Value { value: format!("{:?}", raw.name), expected }));
    }
    let lattice = Lattice::new(raw.cell_size).map_err(|error| source.error("cell_size", error.into()))?;
    let coarsest = resolve_levels(source, raw.levels)?;
    let seed = Seed::new(raw.seed);
    let palette = materials::resolve(source, &raw.materials)?;
    let base = terrain::base(source, &raw.ground, raw.anchor, &mut warnings)?;
    let mut formulas = Formulas::new(source, &raw, seed, base.names())?;
    let (rules, rules_key) = materials::rules(source, &raw.surface, &palette, &mut formulas, seed)?;
    let terrain = terrain::resolve(source, &raw.ground, base, &mut formulas, seed)?;
    let (solids, cell_size) = (&raw.ground.solids, lattice.cell_size());
    let solids =
        solids::resolve(source, solids, &terrain, &palette, &mut formulas, cell_size, &mut warnings)?;
    let (region, region_note) = resolve_region(source, &raw, lattice, coarsest, terrain.extent)?;
    let camera = raw.camera.map(|camera| resolve_camera(source, camera, &terrain)).transpose()?;
    let picture = resolve_picture(source, &raw)?;

    let expr = solids.iter().fold(terrain.expr.clone(), |ground, solid| solid.apply(&ground));
    let tape = compile(source, &expr)?;
    let mut parts = Vec::new();
    for solid in &solids {
        let Some(material) = solid.material else { continue };
        let reach = solid.blend + REACH_CELLS * lattice.cell_size();
        parts.push(Part { tape: compile(source, &solid.expr)?, bounds: solid.bounds.grow(reach), material });
    }
    let ground = Ground { tape, terrain, parts, rules, rules_key: rules_key.finish().0, expr };
    Ok(Recipe {
        name: raw.name,
        file: source.file.clone(),
        lattice,
        coarsest,
        region,
        region_note,
        ground,
        palette,
        camera,
        picture,
        warnings,
    })
}

fn compile(source: &Source, expr: &Expr) -> Result<Tape, RecipeError> {
    Tape::new(expr).map_err(|error| source.error("ground", error.into()))
}

/// The coarsest of so many levels of detail.
fn resolve_levels(source: &Source, levels: u32) -> Result<Lod, RecipeError> {
    source.number("levels", levels.into(), 1.0..=MAX_LEVELS.into(), "")?;
    Ok(Lod::new(levels as u8 - 1).unwrap_or(Lod::FINEST))
}

fn resolve_region(
    source: &Source,
    raw: &RecipeRaw,
    lattice: Lattice,
    coarsest: Lod,
    elevation: Option<Extent>,
) -> Result<(Region, Option<String>), RecipeError> {
    let wrong = |wrong| source.error("region", wrong);
    let Some(region) = raw.region else {
        return Ok((Region::middle(lattice, coarsest, elevation).map_err(wrong)?, None));
    };
    let asked = Extent { min: region.min.into(), max: region.max.into() };
    let region = Region::around(asked, lattice, coarsest, elevation).map_err(wrong)?;
    Ok((region, region.note_of_growth(asked, lattice, coarsest)))
}

fn resolve_camera(source: &Source, raw: CameraRaw, terrain: &Terrain) -> Result<Camera, RecipeError> {
    let eye = solids::place(source, "camera.eye", raw.eye, terrain)?;
    let target = solids::place(source, "camera.target", raw.target, terrain)?;
    let vertical_fov_deg = source.number("camera.fov_deg", raw.fov_deg, FOV_DEG, "°")?;
    if eye.distance(target) < 0.001 {
        let value = "the same place as the eye".to_owned();
        return Err(source.error("camera.target", Wrong::Value { value, expected: "a place to look at" }));
    }
    Ok(Camera { eye, target, vertical_fov_deg })
}

fn resolve_picture(source: &Source, raw: &RecipeRaw) -> Result<PictureSettings, RecipeError> {
    let sun = Sun {
        azimuth_deg: source.turn("sun.azimuth_deg", raw.sun.azimuth_deg)?,
        elevation_deg: source.number("sun.elevation_deg", raw.sun.elevation_deg, 1.0..=90.0, "°")?,
    };
    let (width, height) = raw.picture.size;
    for (i, side) in [width, height].into_iter().enumerate() {
        source.number(&format!("picture.size[{i}]"), side.into(), 16.0..=8192.0, " pixels")?;
    }
    Ok(PictureSettings { width, height, sun, ..PictureSettings::default() })
}
