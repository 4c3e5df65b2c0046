//! What a world's field is at a place, and on a cut: for people who wonder why something is where it is.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use serde::Serialize;
use weald_field::{EvalScratch, Tape};
use weald_mesh::MaterialId;
use weald_space::{Aabb, Axis, CHUNK_CELLS, ChunkKey, Lod, WorldPos};

use crate::paint::materials_at;
use crate::preview::PreviewError;
use crate::preview::field::{Cut, CutSettings, Furniture, Plane, cut};
use crate::recipe::{Extent, Recipe};

/// A world's field at one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldReport {
    /// The place, in metres.
    pub place: [f64; 3],
    /// Whether it lies in the region that is baked, as seen from above.
    pub in_region: bool,
    /// Whether there is elevation here; none for a world without elevation. Beyond its edge the last posts go on.
    pub in_elevation: Option<bool>,
    /// The value in metres, negative inside.
    pub value: f32,
    /// Its change for each metre to the east, to the north and up.
    pub gradient: [f32; 3],
    /// The gradient's length: 1 where the value is a distance.
    pub gradient_length: f32,
    /// Height of the terrain above or below the place in metres, without solids; none where there is no terrain.
    pub terrain_height: Option<f64>,
    /// The material that a surface would have here, looking along the gradient.
    pub material: String,
    /// The ops that can matter at the place, and how many there are of each.
    pub ops: BTreeMap<&'static str, usize>,
    /// The steps of the tape that was pruned to the place.
    pub steps: usize,
    /// The steps of the whole tape.
    pub all_steps: usize,
    /// The cell that holds the place.
    pub cell: [i64; 3],
    /// The chunk that holds the cell.
    pub chunk: [i64; 3],
    /// A range that holds all values in the chunk: from, to.
    pub chunk_range: [f32; 2],
    /// The steps of the tape that was pruned to the chunk.
    pub chunk_steps: usize,
}

/// Tells what a world's field is at a place.
#[must_use]
pub fn inspect(recipe: &Recipe, place: DVec3) -> FieldReport {
    let (ground, lattice) = (&recipe.ground, recipe.lattice);
    let mut scratch = EvalScratch::default();
    let (mut value, mut gradient) = ([0.0], [Vec3::ZERO]);
    ground.tape.duals(&[place], &mut scratch, &mut value, &mut gradient);
    let gradient = gradient[0];
    let normal = gradient.try_normalize().unwrap_or(Vec3::Z);
    let material = materials_at(ground, (lattice, Lod::FINEST), &[place], &[normal], &mut scratch)[0];
    let at_place = pruned(&ground.tape, Aabb::new(place, place)).1;

    let cell = lattice.voxel_from_world(WorldPos(place));
    let chunk = ChunkKey::containing(cell);
    let low = lattice.world_from_voxel(chunk.origin()).0;
    let high = low + CHUNK_CELLS as f64 * lattice.cell_size();
    let (range, in_chunk) = pruned(&ground.tape, Aabb::new(low, high));
    let within =
        |extent: Extent| (0..2).all(|axis| (extent.min[axis]..=extent.max[axis]).contains(&place[axis]));
    FieldReport {
        place: place.to_array(),
        in_region: within(recipe.region.extent(lattice)),
        in_elevation: ground.terrain.extent.map(within),
        value: value[0],
        gradient: gradient.to_array(),
        gradient_length: gradient.length(),
        terrain_height: ground.terrain.height(place.truncate()),
        material: name(recipe, material),
        ops: at_place.ops(),
        steps: at_place.len(),
        all_steps: ground.tape.len(),
        cell: cell.0.to_array(),
        chunk: [chunk.x, chunk.y, chunk.z],
        chunk_range: range,
        chunk_steps: in_chunk.len(),
    }
}

/// The name of a material; of one that is not in the world's list, its number.
fn name(recipe: &Recipe, MaterialId(id): MaterialId) -> String {
    recipe
        .palette
        .materials()
        .get(usize::from(id))
        .map_or_else(|| id.to_string(), |material| material.name.clone())
}

/// The range of a field over a box, and its tape there.
fn pruned(tape: &Tape, within: Aabb) -> ([f32; 2], Tape) {
    let (range, pruned) = tape.prune(within);
    ([range.lo, range.hi], pruned.unwrap_or_else(|| tape.clone()))
}

/// Which cut through a world is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutRequest {
    /// The axis that the cut is across.
    pub axis: Axis,
    /// Where, in metres; none for the middle.
    pub at: Option<f64>,
    /// What of it is shown: metres to the right and upwards in the plane of the cut; none for the region.
    pub area: Option<Extent>,
    /// Pixels across and down; none for a width of 1200 and a height that fits.
    pub size: Option<(u32, u32)>,
}

/// Draws a cut through a world: see [`cut`].
///
/// The region is shown from side to side, and upwards where the terrain is, with a margin.
///
/// # Errors
/// If the area or the size of the picture is out of its range.
pub fn inspect_cut(recipe: &Recipe, request: CutRequest) -> Result<(Cut, Plane), PreviewError> {
    let region = recipe.region.extent(recipe.lattice);
    let heights = terrain_heights(recipe, region);
    let middle = match request.axis {
        Axis::Z => 0.5 * (heights[0] + heights[1]),
        axis => 0.5 * (region.min[axis.index()] + region.max[axis.index()]),
    };
    let plane = Plane {
        axis: request.axis,
        at: request.at.unwrap_or_else(|| whole_cells(middle, recipe.lattice.cell_size())),
    };
    let ends = plane.axes().map(|axis| match axis {
        Axis::Z => heights,
        axis => [region.min[axis.index()], region.max[axis.index()]],
    });
    let area = match request.area {
        Some(Extent { min, max }) => [min, max],
        None => [[ends[0][0], ends[1][0]], [ends[0][1], ends[1][1]]],
    };
    let (width, height) = request.size.unwrap_or_else(|| (WIDTH, height(area)));
    let title = format!("{}: cut at {} = {} m", recipe.name, axis_name(plane.axis), plane.at);
    let settings = CutSettings {
        plane,
        area,
        width,
        height,
        cell_size: recipe.lattice.cell_size(),
        furniture: Furniture::Figure,
        title,
    };
    Ok((cut(&recipe.ground.tape, &settings)?, plane))
}

/// The nearest whole number of cells.
fn whole_cells(metres: f64, cell_size: f64) -> f64 {
    (metres / cell_size).round() * cell_size
}

/// Pixels across, if nothing is said.
const WIDTH: u32 = 1200;

/// The name of an axis.
#[must_use]
pub fn axis_name(axis: Axis) -> &'static str {
    ["x", "y", "z"][axis.index()]
}

/// Pixels down that fit a width of [`WIDTH`], from 520 to 1200.
fn height(area: [[f64; 2]; 2]) -> u32 {
    // What stands around the panel takes so many pixels in each direction.
    const AROUND: [f64; 2] = [242.0, 140.0];
    let [min, max] = area;
    let tall = (max[1] - min[1]) / (max[0] - min[0]) * (f64::from(WIDTH) - AROUND[0]) + AROUND[1];
    if tall.is_finite() { tall.clamp(520.0, 1200.0) as u32 } else { WIDTH }
}

/// The heights between which the terrain of a region lies, with a margin of a quarter of them and some cells.
///
/// Looked up at a few places: a cut shows a little more than the ground, and need not show the highest rock.
fn terrain_heights(recipe: &Recipe, region: Extent) -> [f64; 2] {
    const PLACES: usize = 24;
    let along = |axis: usize, i: usize| {
        let part = (i as f64 + 0.5) / PLACES as f64;
        region.min[axis] + (region.max[axis] - region.min[axis]) * part
    };
    let places = (0..PLACES * PLACES).map(|i| glam::DVec2::new(along(0, i % PLACES), along(1, i / PLACES)));
    let heights = places.filter_map(|place| recipe.ground.terrain.height(place));
    let (low, high) =
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    let margin = 0.25 * (high - low) + 24.0 * recipe.lattice.cell_size();
    [low - margin, high + margin]
}
