//! What a bake makes, in which order, from what.
//!
//! A plan is a pure function of the recipe and the region. Chunks without a surface are left out: an octree of boxes is
//! descended, and where the bounds of the field over a box exclude zero, no chunk in it needs to be made. On the way the
//! tape is pruned to what reaches each box: its bytes name what a chunk is made from.

use std::collections::BTreeMap;

use glam::{DVec3, I64Vec3};
use weald_contour::block::READ_CELLS;
use weald_field::Tape;
use weald_space::{Aabb, CHUNK_CELLS, ChunkKey};

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
    let found = crossed_chunks(recipe, region)?;
    let chunks: Vec<Planned> = found.iter().map(plan_chunk).collect();
    let by_key: BTreeMap<ChunkKey, JobKey> =
        found.iter().zip(&chunks).map(|(found, chunk)| (found.chunk, chunk.key)).collect();
    let seams: Vec<Planned> = found.iter().map(|found| plan_seam(found, &by_key)).collect();
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

/// A chunk that the surface may cross, and what stands for all that its jobs read of the ground.
struct Found {
    chunk: ChunkKey,
    ground: [u8; 32],
}

impl Found {
    fn key(&self, kind: &str) -> KeyHasher {
        let mut key = versioned(kind, &[weald_field::OUTPUT_VERSION, weald_contour::OUTPUT_VERSION]);
        key.bytes(&self.ground).int(self.chunk.x).int(self.chunk.y).int(self.chunk.z);
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

/// The chunks of the region whose surroundings the surface may cross, in order.
fn crossed_chunks(recipe: &Recipe, region: Region) -> Result<Vec<Found>, PlanError> {
    let side = CHUNK_CELLS as f64 * recipe.lattice.cell_size();
    let layers = (HIGH / side).ceil() as i64;
    let low = I64Vec3::new(region.min[0], region.min[1], -layers);
    let high = I64Vec3::new(region.max[0], region.max[1], layers);
    let reach = READ_CELLS * recipe.lattice.cell_size();
    let mut search = Search { recipe, side, reach, found: Vec::new() };
    search.descend(&recipe.ground.tape, low, high)?;
    search.found.sort_unstable_by_key(|found| found.chunk);
    let outermost = |found: &Found| found.chunk.z == -layers || found.chunk.z == layers - 1;
    match search.found.as_slice() {
        [] => Err(PlanError::NoSurface),
        found if found.iter().any(outermost) => Err(PlanError::TooHigh { limit: HIGH }),
        _ => Ok(search.found),
    }
}

struct Search<'a> {
    recipe: &'a Recipe,
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
            let chunk = ChunkKey::new(low.x, low.y, low.z);
            self.found.push(Found { chunk, ground: ground_key(self.recipe, tape, within) });
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

/// Stands for all that chunks and seams read of the ground in a box, where its tape is pruned to `tape`.
///
/// What does not reach the box is left out, so that a solid that is moved changes the names of the chunks at its old and
/// its new place only.
fn ground_key(recipe: &Recipe, tape: &Tape, within: Aabb) -> [u8; 32] {
    let ground = &recipe.ground;
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
    let parts: Vec<&Part> = ground.parts.iter().filter(|part| part.bounds.meets(within)).collect();
    if !parts.is_empty() {
        add(&here(&ground.terrain.tape));
    }
    for part in &parts {
        add(&here(&part.tape));
    }
    for part in &parts {
        let (min, max) = (part.bounds.min.to_array(), part.bounds.max.to_array());
        min.iter().chain(&max).for_each(|&edge| {
            key.number(edge);
        });
        key.int(part.material.0.into());
    }
    key.finish().0
}
