//! What a bake makes, in which order, from what.
//!
//! A plan is a pure function of the recipe and the region. Chunks without a surface are left out: an octree of boxes is
//! descended, and where the bounds of the field over a box exclude zero, no chunk in it needs to be made. On the way the
//! tape is pruned to what reaches each box: its bytes name what a chunk is made from.

use std::collections::BTreeMap;

use glam::{DVec3, I64Vec3};
use weald_contour::block::READ_CELLS;
use weald_field::Tape;
use weald_space::{Aabb, CHUNK_CELLS, ChunkKey, Lod};

use crate::chunk_list;
use crate::error::PlanError;
use crate::job::{Job, View};
use crate::key::{JobKey, KeyHasher};
use crate::preview::{self, Camera, PictureSettings, Sun};
use crate::recipe::{Part, Recipe, Region};

/// Changes whenever this crate makes other bytes from the same chunks and seams than before.
pub const OUTPUT_VERSION: u32 = 1;
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

/// What a bake makes. Chunks come before seams, these before the scene and the list of chunks, and pictures last.
///
/// The scene is that of the finest level. The chunks of coarser levels are kept for programs that show mixtures of them:
/// their seams depend on the mixture, and are made there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The region, in whole chunks.
    pub region: Region,
    /// Those of the finest level, ordered by z, y, x.
    pub chunks: Vec<Planned>,
    /// Those of the coarser levels, ordered by level, z, y, x.
    pub coarser: Vec<Planned>,
    /// One for each chunk of the finest level, in the same order.
    pub seams: Vec<Planned>,
    /// The mesh of the region.
    pub scene: Planned,
    /// The list of the chunks of all levels.
    pub list: Planned,
    /// The pictures: perspective and plan.
    pub pictures: [Planned; 2],
}

/// Lists the jobs of a bake of the region, which chunks of the recipe's coarsest level must tile: see [`Region::around`].
///
/// # Errors
/// If the region holds no surface, or one without end.
pub fn plan(recipe: &Recipe, region: Region) -> Result<Plan, PlanError> {
    let found = crossed_chunks(recipe, region, Lod::FINEST)?;
    if found.is_empty() {
        return Err(PlanError::NoSurface);
    }
    let mut coarser = Vec::new();
    for lod in (1..=recipe.coarsest.index()).filter_map(Lod::new) {
        // A coarse chunk holds all of its finer ones, so that it is found wherever they are.
        coarser.extend(crossed_chunks(recipe, region, lod)?.iter().map(plan_chunk));
    }
    let chunks: Vec<Planned> = found.iter().map(plan_chunk).collect();
    let by_key: BTreeMap<ChunkKey, JobKey> =
        found.iter().zip(&chunks).map(|(found, chunk)| (found.chunk, chunk.key)).collect();
    let seams: Vec<Planned> = found.iter().map(|found| plan_seam(found, &by_key)).collect();
    let scene = plan_scene(recipe, region, &chunks, &seams);
    let list = plan_list(recipe, region, &chunks, &coarser);
    let pictures = [View::Perspective, View::Plan].map(|view| plan_picture(recipe, view, &scene));
    Ok(Plan { region, chunks, coarser, seams, scene, list, pictures })
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

/// A chunk that the surface may cross, and what stands for all that its jobs read of the ground.
struct Found {
    chunk: ChunkKey,
    ground: [u8; 32],
}

impl Found {
    fn key(&self, kind: &str) -> KeyHasher {
        let mut key = versioned(kind, &[weald_field::OUTPUT_VERSION, weald_contour::OUTPUT_VERSION]);
        let ChunkKey { lod, x, y, z } = self.chunk;
        key.bytes(&self.ground).int(lod.index().into()).int(x).int(y).int(z);
        key
    }
}

fn plan_chunk(found: &Found) -> Planned {
    Planned { job: Job::Chunk(found.chunk), key: found.key("chunk").finish(), inputs: Vec::new() }
}

fn plan_seam(found: &Found, chunks: &BTreeMap<ChunkKey, JobKey>) -> Planned {
    let mut key = found.key("seam");
    let mut inputs = Vec::new();
    for near in found.chunk.surroundings() {
        let input = chunks.get(&near).copied();
        key.input(input);
        inputs.extend(input.map(|input| (Job::Chunk(near), input)));
    }
    Planned { job: Job::Seam(found.chunk), key: key.finish(), inputs }
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

fn plan_list(recipe: &Recipe, region: Region, chunks: &[Planned], coarser: &[Planned]) -> Planned {
    let mut key = versioned("chunk list", &[chunk_list::OUTPUT_VERSION]);
    key.bytes(recipe.name.as_bytes()).number(recipe.lattice.cell_size()).int(recipe.coarsest.index().into());
    region.min.iter().chain(&region.max).for_each(|&edge| {
        key.int(edge);
    });
    let inputs: Vec<(Job, JobKey)> =
        chunks.iter().chain(coarser).map(|planned| (planned.job, planned.key)).collect();
    inputs.iter().for_each(|&(_, input)| {
        key.input(Some(input));
    });
    Planned { job: Job::ChunkList(region), key: key.finish(), inputs }
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

/// The chunks of a level in the region whose surroundings the surface may cross, in order.
fn crossed_chunks(recipe: &Recipe, region: Region, lod: Lod) -> Result<Vec<Found>, PlanError> {
    let cell_size = recipe.lattice.level(lod).cell_size();
    let side = CHUNK_CELLS as f64 * cell_size;
    // One layer more than the heights need, so that a surface within them reaches no outermost chunk.
    let layers = (HIGH / side).ceil() as i64 + 1;
    let min = region.min.map(|c| c.div_euclid(lod.cells()));
    let max = region.max.map(|c| -(-c).div_euclid(lod.cells()));
    let low = I64Vec3::new(min[0], min[1], -layers);
    let high = I64Vec3::new(max[0], max[1], layers);
    let reach = READ_CELLS * cell_size;
    let mut search = Search { recipe, lod, side, reach, found: Vec::new() };
    search.descend(&recipe.ground.tape, low, high)?;
    search.found.sort_unstable_by_key(|found| found.chunk);
    let outermost = |found: &Found| found.chunk.z == -layers || found.chunk.z == layers - 1;
    if search.found.iter().any(outermost) {
        return Err(PlanError::TooHigh { limit: HIGH });
    }
    Ok(search.found)
}

struct Search<'a> {
    recipe: &'a Recipe,
    lod: Lod,
    /// Side of a chunk in metres.
    side: f64,
    /// Metres around a chunk in which it reads the field.
    reach: f64,
    found: Vec<Found>,
}

impl Search<'_> {
    /// Finds the chunks from `low` to before `high`, where the tape is what can matter there.
    fn descend(&mut self, tape: &Tape, low: I64Vec3, high: I64Vec3) -> Result<(), PlanError> {
        let metres = |chunk: I64Vec3| -> DVec3 { chunk.as_dvec3() * self.side };
        let within = Aabb::new(metres(low), metres(high)).grow(self.reach);
        let trace = tape.trace(within);
        if trace.range().lo >= 0.0 || trace.range().hi < 0.0 {
            return Ok(());
        }
        let pruned = trace.pruned();
        let tape = pruned.as_ref().unwrap_or(tape);
        let size = high - low;
        if size == I64Vec3::ONE {
            let chunk = ChunkKey::at_level(self.lod, low.x, low.y, low.z);
            self.found.push(Found { chunk, ground: ground_key(self.recipe, self.lod, tape, within) });
            return match self.found.len() {
                count if count > MAX_CHUNKS => Err(PlanError::TooManyChunks { limit: MAX_CHUNKS }),
                _ => Ok(()),
            };
        }
        let longest = (0..3).max_by_key(|&axis| size[axis]).unwrap_or(0);
        let (mut low_of_upper, mut high_of_lower) = (low, high);
        low_of_upper[longest] = low[longest] + size[longest] / 2;
        high_of_lower[longest] = low_of_upper[longest];
        self.descend(tape, low, high_of_lower)?;
        self.descend(tape, low_of_upper, high)
    }
}

/// Stands for all that chunks and seams of a level read of the ground in a box, where its tape is pruned to `tape`.
///
/// What does not reach the box is left out, so that a solid that is moved changes the names of the chunks at its old and
/// its new place only.
fn ground_key(recipe: &Recipe, lod: Lod, tape: &Tape, within: Aabb) -> [u8; 32] {
    let ground = &recipe.ground;
    let bounds = |part: &Part| part.bounds_at(recipe.lattice, lod);
    let mut key = KeyHasher::new("ground");
    key.number(recipe.lattice.cell_size()).bytes(&ground.rules_key);
    let mut bytes = Vec::new();
    let mut add = |tape: &Tape| {
        bytes.clear();
        tape.encode(&mut bytes);
        key.bytes(&bytes);
    };
    let here = |tape: &Tape| tape.trace(within).pruned().unwrap_or_else(|| tape.clone());
    add(tape);
    let parts: Vec<&Part> = ground.parts.iter().filter(|part| bounds(part).meets(within)).collect();
    if !parts.is_empty() {
        add(&here(&ground.terrain.tape));
    }
    for part in &parts {
        add(&here(&part.tape));
    }
    for part in &parts {
        let Aabb { min, max } = bounds(part);
        let (min, max) = (min.to_array(), max.to_array());
        min.iter().chain(&max).for_each(|&edge| {
            key.number(edge);
        });
        key.int(part.material.0.into());
    }
    key.finish().0
}
