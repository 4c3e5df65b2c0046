//! What a bake makes, in which order, from what.
//!
//! A plan is a pure function of the recipe and the region. Chunks without a surface are left out: an octree of boxes is
//! descended, and where the bounds of the field over a box exclude zero, no chunk in it needs to be made.

use std::collections::BTreeMap;

use glam::{DVec3, I64Vec3};
use weald_field::Tape;
use weald_space::{Aabb, CHUNK_CELLS, ChunkKey, Lattice};

use crate::error::PlanError;
use crate::job::{Job, View};
use crate::key::{JobKey, KeyHasher};
use crate::preview::{self, Camera, PictureSettings, Sun};
use crate::recipe::{Recipe, Region};

/// Changes whenever this crate makes other bytes from the same chunks and seams than before.
pub const OUTPUT_VERSION: u32 = 1;
/// A chunk is empty if the field has one sign in it and this many cells around it. It samples two cells around itself
/// and searches for roots between its samples only; the third is to spare.
const REACH_CELLS: f64 = 3.0;
/// Surfaces higher or deeper than this are refused, in metres.
const HIGH: f64 = 20_000.0;
/// Most chunks of a plan; four million take some 2 GiB to list.
const MAX_CHUNKS: usize = 4_000_000;

/// A job with its name and the names of what it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The job.
    pub job: Job,
    /// The name of its artifact.
    pub key: JobKey,
    /// The artifacts that it reads.
    pub inputs: Vec<(Job, JobKey)>,
}

/// What a bake makes. Chunks come before seams, these before the scene, and pictures last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The region, in whole chunks.
    pub region: Region,
    /// Ordered by z, y, x.
    pub chunks: Vec<Planned>,
    /// One for each chunk, in the same order.
    pub seams: Vec<Planned>,
    /// The mesh of the region.
    pub scene: Planned,
    /// The pictures: perspective and plan.
    pub pictures: [Planned; 2],
}

/// Lists the jobs of a bake of the region.
///
/// # Errors
/// If the region holds no surface, or one without end.
pub fn plan(recipe: &Recipe, region: Region) -> Result<Plan, PlanError> {
    let keys = crossed_chunks(&recipe.ground.tape, recipe.lattice, region)?;
    let chunks: Vec<Planned> = keys.iter().map(|&key| plan_chunk(recipe, key)).collect();
    let by_key: BTreeMap<ChunkKey, JobKey> = keys.iter().copied().zip(chunks.iter().map(|c| c.key)).collect();
    let seams: Vec<Planned> = keys.iter().map(|&key| plan_seam(recipe, key, &by_key)).collect();
    let scene = plan_scene(recipe, region, &chunks, &seams);
    let pictures = [View::Perspective, View::Plan].map(|view| plan_picture(recipe, view, &scene));
    Ok(Plan { region, chunks, seams, scene, pictures })
}

/// The key of a kind of job, with the versions of the code that runs it.
fn versioned(kind: &str, versions: &[u32]) -> KeyHasher {
    let mut key = KeyHasher::new(kind);
    key.int(OUTPUT_VERSION.into());
    versions.iter().for_each(|&version| {
        key.int(version.into());
    });
    key
}

fn plan_chunk(recipe: &Recipe, chunk: ChunkKey) -> Planned {
    let mut key = versioned("chunk", &[weald_field::OUTPUT_VERSION, weald_contour::OUTPUT_VERSION]);
    key.bytes(&recipe.ground.key).int(chunk.x).int(chunk.y).int(chunk.z);
    Planned { job: Job::Chunk(chunk), key: key.finish(), inputs: Vec::new() }
}

fn plan_seam(recipe: &Recipe, chunk: ChunkKey, chunks: &BTreeMap<ChunkKey, JobKey>) -> Planned {
    let mut key = versioned("seam", &[weald_field::OUTPUT_VERSION, weald_contour::OUTPUT_VERSION]);
    key.bytes(&recipe.ground.key).int(chunk.x).int(chunk.y).int(chunk.z);
    let mut inputs = Vec::new();
    for near in chunk.with_max_side() {
        let input = chunks.get(&near).copied();
        key.input(input);
        inputs.extend(input.map(|input| (Job::Chunk(near), input)));
    }
    Planned { job: Job::Seam(chunk), key: key.finish(), inputs }
}

fn plan_scene(recipe: &Recipe, region: Region, chunks: &[Planned], seams: &[Planned]) -> Planned {
    let mut key = versioned("scene", &[weald_contour::OUTPUT_VERSION, weald_mesh::OUTPUT_VERSION]);
    key.bytes(recipe.name.as_bytes()).number(recipe.lattice.cell_size());
    region.min.iter().chain(&region.max).for_each(|&edge| {
        key.int(edge);
    });
    for material in recipe.palette.materials() {
        key.bytes(material.name.as_bytes())
            .number(material.roughness.into())
            .number(material.metallic.into());
        material.base_color.iter().for_each(|&channel| {
            key.number(channel.into());
        });
    }
    let inputs: Vec<(Job, JobKey)> =
        chunks.iter().chain(seams).map(|planned| (planned.job, planned.key)).collect();
    inputs.iter().for_each(|&(_, input)| {
        key.input(Some(input));
    });
    Planned { job: Job::Scene, key: key.finish(), inputs }
}

fn plan_picture(recipe: &Recipe, view: View, scene: &Planned) -> Planned {
    let mut key = versioned("picture", &[preview::OUTPUT_VERSION]);
    key.int(view as i64).input(Some(scene.key));
    match view {
        View::Perspective => {
            add_settings(&mut key, &recipe.picture);
            add_camera(&mut key, recipe.camera.as_ref());
        }
        View::Plan => add_settings(&mut key, &PictureSettings { sun: Sun::default(), ..recipe.picture }),
    }
    Planned { job: Job::Picture(view), key: key.finish(), inputs: vec![(scene.job, scene.key)] }
}

fn add_settings(key: &mut KeyHasher, settings: &PictureSettings) {
    let PictureSettings {
        width,
        height,
        sun: Sun { azimuth_deg, elevation_deg },
        sky_rays,
        sun_rays,
        edge_rays,
        haze_m,
        exposure,
        contour_lines_m,
        legend,
    } = *settings;
    for count in [width, height, sky_rays, sun_rays, edge_rays] {
        key.int(count.into());
    }
    for number in [azimuth_deg, elevation_deg, exposure] {
        key.number(number);
    }
    for optional in [haze_m, contour_lines_m] {
        key.bytes(&optional.map_or_else(Vec::new, |number| number.to_le_bytes().to_vec()));
    }
    key.int(legend as i64);
}

fn add_camera(key: &mut KeyHasher, camera: Option<&Camera>) {
    key.int(camera.is_some().into());
    if let Some(Camera { eye, target, vertical_fov_deg }) = camera {
        eye.to_array().iter().chain(&target.to_array()).chain([vertical_fov_deg]).for_each(|&number| {
            key.number(number);
        });
    }
}

/// The chunks of the region whose surroundings the surface may cross.
fn crossed_chunks(tape: &Tape, lattice: Lattice, region: Region) -> Result<Vec<ChunkKey>, PlanError> {
    let side = CHUNK_CELLS as f64 * lattice.cell_size();
    let layers = (HIGH / side).ceil() as i64;
    let low = I64Vec3::new(region.min[0], region.min[1], -layers);
    let high = I64Vec3::new(region.max[0], region.max[1], layers);
    let mut search = Search { tape, side, reach: REACH_CELLS * lattice.cell_size(), found: Vec::new() };
    search.descend(low, high)?;
    search.found.sort_unstable();
    let outermost = |key: &ChunkKey| key.z == -layers || key.z == layers - 1;
    match search.found.as_slice() {
        [] => Err(PlanError::NoSurface),
        found if found.iter().any(outermost) => Err(PlanError::TooHigh { limit: HIGH }),
        _ => Ok(search.found),
    }
}

struct Search<'a> {
    tape: &'a Tape,
    /// Side of a chunk in metres.
    side: f64,
    /// Metres around a chunk that it samples.
    reach: f64,
    found: Vec<ChunkKey>,
}

impl Search<'_> {
    /// Finds the chunks from `low` to before `high`.
    fn descend(&mut self, low: I64Vec3, high: I64Vec3) -> Result<(), PlanError> {
        let metres = |chunk: I64Vec3| -> DVec3 { chunk.as_dvec3() * self.side };
        let range = self.tape.bounds(Aabb::new(metres(low), metres(high)).grow(self.reach));
        if range.lo >= 0.0 || range.hi < 0.0 {
            return Ok(());
        }
        let size = high - low;
        if size == I64Vec3::ONE {
            self.found.push(ChunkKey::new(low.x, low.y, low.z));
            return match self.found.len() {
                count if count > MAX_CHUNKS => Err(PlanError::TooManyChunks { limit: MAX_CHUNKS }),
                _ => Ok(()),
            };
        }
        let longest = (0..3).max_by_key(|&axis| size[axis]).unwrap_or(0);
        let (mut low_of_upper, mut high_of_lower) = (low, high);
        low_of_upper[longest] = low[longest] + size[longest] / 2;
        high_of_lower[longest] = low_of_upper[longest];
        self.descend(low, high_of_lower)?;
        self.descend(low_of_upper, high)
    }
}
