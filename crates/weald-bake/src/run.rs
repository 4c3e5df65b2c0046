//! Runs one job: the heart of every bake.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rayon::prelude::*;
use serde_json::json;
use weald_contour::union::{Piece, union};
use weald_contour::{SeamScratch, contour_chunk, seam};
use weald_field::EvalScratch;
use weald_mesh::Mesh;
use weald_mesh::gltf::{GlbLimits, GlbMeta, GltfError, Material, read_glb, write_glb};
use weald_space::{ChunkKey, VoxelPos};

use crate::artifact::{Artifact, ChunkArtifact, SceneArtifact, SceneCounts, SeamArtifact};
use crate::chunk_list::{ChunkList, ListedChunk};
use crate::error::{Error, PlanError};
use crate::job::{Inputs, Job, View};
use crate::paint::paint;
use crate::preview::{self, MaterialLook, PictureSettings, PreviewError, Scene, Sun};
use crate::recipe::{Recipe, Region};

/// What changes how a job is run, never what it makes.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Hears the share done of a job that takes long, from 0 to 1, and may stop it.
    pub progress: &'a (dyn Fn(f32) -> ControlFlow<()> + Sync),
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        RunOptions { progress: &|_| ControlFlow::Continue(()) }
    }
}

/// What jobs keep between them to spare work; it changes nothing that they make.
#[derive(Default)]
pub struct Scratch {
    contour: weald_contour::Scratch,
    seams: SeamScratch,
    eval: EvalScratch,
    scene: Option<(blake3::Hash, Scene)>,
}

/// Makes one artifact. The same recipe and job give the same bytes on every machine.
///
/// # Errors
/// If an input is missing, the field is not finite, the surface does not fit into a file or a picture, or the job is
/// stopped.
pub fn run_job(
    recipe: &Recipe,
    job: Job,
    inputs: &dyn Inputs,
    options: &RunOptions,
    scratch: &mut Scratch,
) -> Result<Artifact, Error> {
    Ok(match job {
        Job::Chunk(key) => {
            let ground = &recipe.ground;
            let chunk = contour_chunk(&ground.tape, recipe.lattice, key, &mut scratch.contour)
                .map_err(|source| Error::Contour { job, source })?;
            let materials = paint(ground, recipe.lattice, key, &chunk.vertices, &mut scratch.eval);
            Artifact::Chunk(ChunkArtifact { chunk, materials })
        }
        Job::Seam(key) => {
            let near = neighbours(job, inputs)?;
            let holder = |cell: VoxelPos| {
                let key = ChunkKey::containing(cell);
                near.get(&key).map(|near| (key, &near.chunk.border))
            };
            let seam =
                seam(&holder, key, &mut scratch.seams).map_err(|source| Error::Contour { job, source })?;
            let materials = paint(&recipe.ground, recipe.lattice, key, &seam.added, &mut scratch.eval);
            Artifact::Seam(SeamArtifact { seam, materials })
        }
        Job::Scene => Artifact::Scene(join(recipe, inputs)?),
        Job::ChunkList(region) => Artifact::ChunkList(list_chunks(recipe, region, inputs)?),
        Job::Picture(view) => {
            let Artifact::Scene(scene) = inputs.artifact(Job::Scene)? else {
                return Err(Error::Input { job, input: Job::Scene });
            };
            Artifact::Picture(picture(recipe, view, &scene.glb, options, scratch)?)
        }
    })
}

/// The chunks around a chunk, as far as they are part of the world. Where one is left out because it has no surface, no
/// crossed edge lies between it and the others, so that it makes no difference whether the world goes on there.
fn neighbours(job: Job, inputs: &dyn Inputs) -> Result<BTreeMap<ChunkKey, ChunkArtifact>, Error> {
    let mut near = BTreeMap::new();
    for listed in inputs.listed() {
        if let Job::Chunk(key) = listed {
            near.insert(key, chunk_of(inputs, job, key)?);
        }
    }
    Ok(near)
}

fn chunk_of(inputs: &dyn Inputs, job: Job, key: ChunkKey) -> Result<ChunkArtifact, Error> {
    match inputs.artifact(Job::Chunk(key))? {
        Artifact::Chunk(chunk) => Ok(chunk),
        _ => Err(Error::Input { job, input: Job::Chunk(key) }),
    }
}

fn seam_of(inputs: &dyn Inputs, key: ChunkKey) -> Result<SeamArtifact, Error> {
    match inputs.artifact(Job::Seam(key))? {
        Artifact::Seam(seam) => Ok(seam),
        _ => Err(Error::Input { job: Job::Scene, input: Job::Seam(key) }),
    }
}

/// Joins all chunks and seams to one mesh and writes it as a GLB file.
fn join(recipe: &Recipe, inputs: &dyn Inputs) -> Result<SceneArtifact, Error> {
    let chunk_keys = inputs.listed().into_iter().filter_map(|job| match job {
        Job::Chunk(key) => Some(key),
        _ => None,
    });
    let keys: Vec<ChunkKey> = chunk_keys.collect();
    let read = |&key: &ChunkKey| -> Result<_, Error> {
        Ok((chunk_of(inputs, Job::Scene, key)?, seam_of(inputs, key)?))
    };
    let parts = keys.par_iter().map(read).collect::<Result<Vec<_>, Error>>()?;
    let pieces: Vec<Piece> = keys
        .iter()
        .zip(&parts)
        .map(|(&key, (chunk, seam))| Piece {
            key,
            chunk: &chunk.chunk,
            chunk_materials: &chunk.materials,
            seam: &seam.seam,
            seam_materials: &seam.materials,
        })
        .collect();
    let mesh = union(recipe.lattice, middle(&keys), &pieces)?;
    let mut counts = SceneCounts {
        vertices: mesh.positions.len() as u64,
        triangles: mesh.triangles.len() as u64,
        seam_triangles: parts.iter().map(|(_, seam)| seam.seam.triangles.len() as u64).sum(),
        ..SceneCounts::default()
    };
    parts.iter().for_each(|(chunk, _)| counts.add(&chunk.chunk.counts));
    parts.iter().for_each(|(_, seam)| counts.add_seam(&seam.seam.counts));
    drop(parts);
    let meta = GlbMeta {
        name: recipe.name.clone(),
        extras: json!({ "weald": { "world": recipe.name, "cell_size": recipe.lattice.cell_size() } }),
        ..GlbMeta::default()
    };
    let glb = write_glb(&mesh, recipe.palette.materials(), &meta).map_err(|error| match error {
        GltfError::Empty => Error::Plan(PlanError::NoSurface),
        error => Error::Gltf(error),
    });
    Ok(SceneArtifact { counts, glb: glb? })
}

/// Lists the chunks that hold a surface.
fn list_chunks(recipe: &Recipe, region: Region, inputs: &dyn Inputs) -> Result<Vec<u8>, Error> {
    let read = |job: Job| -> Result<_, Error> {
        let Job::Chunk(key) = job else { return Ok(None) };
        let cells = chunk_of(inputs, Job::ChunkList(region), key)?.chunk.counts.cells;
        let artifact = inputs.key(job)?;
        Ok((cells > 0).then_some(ListedChunk { key, cells, artifact }))
    };
    let found: Vec<Option<ListedChunk>> =
        inputs.listed().into_par_iter().map(read).collect::<Result<_, Error>>()?;
    Ok(ChunkList::new(recipe, region, found.into_iter().flatten().collect()).to_json().into_bytes())
}

/// The origin of the chunk in the middle: positions of a mesh are exact near its origin.
fn middle(keys: &[ChunkKey]) -> VoxelPos {
    let range = |of: fn(&ChunkKey) -> i64| {
        let (low, high) = keys.iter().map(of).fold((i64::MAX, i64::MIN), |(l, h), c| (l.min(c), h.max(c)));
        if low > high { 0 } else { (low + high + 1).div_euclid(2) }
    };
    ChunkKey::new(range(|k| k.x), range(|k| k.y), range(|k| k.z)).origin()
}

fn picture(
    recipe: &Recipe,
    view: View,
    glb: &[u8],
    options: &RunOptions,
    scratch: &mut Scratch,
) -> Result<Vec<u8>, Error> {
    let hash = blake3::hash(glb);
    let scene = match scratch.scene.take() {
        Some((of, scene)) if of == hash => scene,
        _ => scene_from_glb(glb)?,
    };
    let settings = &recipe.picture;
    let progress = |share| (options.progress)(share);
    let picture = match view {
        View::Perspective => {
            let camera = recipe.camera.unwrap_or_else(|| preview::frame(scene.bounds()));
            preview::perspective(&scene, &camera, settings, &progress)
        }
        View::Plan => preview::plan(&scene, None, &plan_settings(&scene, settings), &progress),
    };
    scratch.scene = Some((hash, scene));
    let picture = picture.map_err(|error| match error {
        PreviewError::Cancelled => Error::Interrupted,
        error => Error::Picture(error),
    })?;
    Ok(picture.to_png())
}

/// Settings for a plan with about as many pixels as the picture, in the shape of the scene, lit as maps are.
#[must_use]
pub fn plan_settings(scene: &Scene, picture: &PictureSettings) -> PictureSettings {
    let size = scene.bounds().size().truncate().max(glam::DVec2::ONE);
    let pixels = f64::from(picture.width) * f64::from(picture.height);
    let pixels_per_metre = (pixels / (size.x * size.y)).sqrt();
    let side = |metres: f64| (metres * pixels_per_metre).round().clamp(1.0, preview::MAX_SIDE.into()) as u32;
    PictureSettings { width: side(size.x), height: side(size.y), sun: Sun::default(), ..*picture }
}

/// A baked GLB file, ready for pictures.
///
/// # Errors
/// If the bytes are no GLB file, or it holds nothing that can be shown.
pub fn scene_from_glb(glb: &[u8]) -> Result<Scene, Error> {
    let contents = read_glb(glb, &GlbLimits::default())?;
    let (mesh, looks): (Mesh, Vec<MaterialLook>) = (contents.mesh, looks_by_id(&contents.materials));
    Ok(Scene::new(&mesh, &looks)?)
}

/// The looks of materials, each at the place of its id; ids that the file does not use look like the first.
fn looks_by_id(materials: &[(weald_mesh::MaterialId, Material)]) -> Vec<MaterialLook> {
    let look = |material: &Material| {
        let [red, green, blue, _] = material.base_color;
        MaterialLook { base_color: [red, green, blue], roughness: material.roughness }
    };
    let Some((_, first)) = materials.first() else {
        return Vec::new();
    };
    let last = materials.iter().map(|(id, _)| usize::from(id.0)).max().unwrap_or(0);
    let mut looks = vec![look(first); last + 1];
    for (id, material) in materials {
        looks[usize::from(id.0)] = look(material);
    }
    looks
}
