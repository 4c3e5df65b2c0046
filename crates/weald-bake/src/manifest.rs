//! The folder of a bake: what is in it, and how it got there.
//!
//! `manifest.json` names the world and every output with its hash. It is written first, so that a folder which holds
//! any output holds a manifest: a folder without one, and without a store, is somebody else's and is left alone.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::artifact::Artifact;
use crate::error::Error;
use crate::job::{Job, View};
use crate::plan::{Plan, Planned};
use crate::recipe::Recipe;
use crate::store::{self, Artifacts, Found, Store, StoreError};

/// Name of the manifest in the folder of a bake.
pub const MANIFEST: &str = "manifest.json";
/// Name of the store in the folder of a bake.
pub const STORE: &str = "store";
/// Name of the mesh in the folder of a bake.
pub const SCENE: &str = "world.glb";
/// Name of the list of chunks in the folder of a bake.
pub const CHUNK_LIST: &str = "chunks.json";
/// Names of the pictures in the folder of a bake.
const PICTURES: [&str; 2] = ["preview.png", "plan.png"];
/// All files that artifacts become.
const OUTPUTS: [&str; 4] = [SCENE, CHUNK_LIST, PICTURES[0], PICTURES[1]];
/// What the manifest says of itself.
const FORMAT: &str = "weald bake 1";
/// A manifest with more bytes is none.
const MAX_BYTES: u64 = 1 << 20;

/// What a folder holds. It depends on world and region only, so it is the same on every machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// `weald bake 1`.
    pub format: String,
    /// The version of weald that made it.
    pub weald: String,
    /// Name of the world.
    pub world: String,
    /// Side of a cell in metres.
    pub cell_size: f64,
    /// The region in metres, in whole chunks.
    pub region: ManifestRegion,
    /// The outputs.
    pub outputs: Vec<Output>,
}

/// A rectangle of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestRegion {
    /// South-western corner in metres.
    pub min: [f64; 2],
    /// North-eastern corner in metres.
    pub max: [f64; 2],
}

/// A file of a bake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Its name in the folder.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// The blake3 hash of its bytes.
    pub blake3: String,
    /// The name of its artifact in the store.
    pub key: String,
}

/// The file that holds the artifact of a job; chunks and seams have none.
#[must_use]
pub fn file_of(job: Job) -> Option<&'static str> {
    match job {
        Job::Scene => Some(SCENE),
        Job::ChunkList(_) => Some(CHUNK_LIST),
        Job::Picture(View::Perspective) => Some(PICTURES[0]),
        Job::Picture(View::Plan) => Some(PICTURES[1]),
        Job::Chunk(_) | Job::Seam(_) => None,
    }
}

/// Refuses a folder that holds something else than a bake.
///
/// # Errors
/// If it does, or is no folder.
pub fn claim(folder: &Path) -> Result<(), StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(source) => {
            return Err(StoreError::Write { path: folder.to_owned(), source });
        }
    };
    let ours = Store::is_at(&folder.join(STORE))
        || read(folder).is_some()
        || entries.flatten().all(|entry| is_beginning(&entry));
    if ours { Ok(()) } else { Err(StoreError::NotOurs { path: folder.to_owned() }) }
}

/// Whether this is what a bake leaves that was ended before it had a store.
fn is_beginning(entry: &fs::DirEntry) -> bool {
    let unborn_store = || entry.file_name() == STORE && store::is_blank(&entry.path()).unwrap_or(false);
    store::is_half_written(entry) || unborn_store()
}

/// The manifest of a folder, if it has one.
#[must_use]
pub fn read(folder: &Path) -> Option<Manifest> {
    let mut bytes = Vec::new();
    fs::File::open(folder.join(MANIFEST)).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let manifest: Manifest = serde_json::from_slice(&bytes).ok()?;
    (manifest.format == FORMAT).then_some(manifest)
}

/// Writes the manifest and the outputs that differ from what is in the folder; returns the names of what it wrote.
/// Outputs of the bake before that are not made any more are removed.
///
/// # Errors
/// If an artifact is not in the store, or a file cannot be written.
pub fn write(
    folder: &Path,
    recipe: &Recipe,
    plan: &Plan,
    wanted: &[&Planned],
    store: &dyn Artifacts,
) -> Result<(Manifest, Vec<PathBuf>), Error> {
    let mut files: Vec<(Output, Vec<u8>)> = Vec::new();
    for planned in wanted {
        let Some(file) = file_of(planned.job) else {
            continue;
        };
        let bytes = bytes_of(planned, store)?;
        let hash = blake3::hash(&bytes).to_string();
        let output = Output {
            file: file.to_owned(),
            bytes: bytes.len() as u64,
            blake3: hash,
            key: planned.key.to_string(),
        };
        files.push((output, bytes));
    }
    let extent = plan.region.extent(recipe.lattice);
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        weald: env!("CARGO_PKG_VERSION").to_owned(),
        world: recipe.name.clone(),
        cell_size: recipe.lattice.cell_size(),
        region: ManifestRegion { min: extent.min, max: extent.max },
        outputs: files.iter().map(|(output, _)| output.clone()).collect(),
    };
    let mut text = serde_json::to_string_pretty(&manifest).unwrap_or_default();
    text.push('\n');
    remove_former(folder, &manifest);
    let mut written = Vec::new();
    write_if_other(&folder.join(MANIFEST), text.as_bytes(), &mut written)?;
    for (output, bytes) in &files {
        write_if_other(&folder.join(&output.file), bytes, &mut written)?;
    }
    Ok((manifest, written))
}

/// Removes the outputs of the bake that was here before which this one does not make, unless somebody changed them.
fn remove_former(folder: &Path, manifest: &Manifest) {
    let makes = |file: &str| manifest.outputs.iter().any(|output| output.file == file);
    let former = read(folder).map_or_else(Vec::new, |former| former.outputs);
    for name in OUTPUTS {
        for output in former.iter().filter(|output| output.file == name && !makes(name)) {
            let file = folder.join(&output.file);
            if fs::read(&file).is_ok_and(|bytes| blake3::hash(&bytes).to_string() == output.blake3) {
                let _ = fs::remove_file(&file);
            }
        }
    }
}

/// The bytes of the file that a scene, a list of chunks or a picture becomes.
///
/// # Errors
/// If the artifact is not in the store.
pub fn bytes_of(planned: &Planned, store: &dyn Artifacts) -> Result<Vec<u8>, Error> {
    match store.get(planned.key)? {
        Found::Whole(Artifact::Scene(scene)) => Ok(scene.glb),
        Found::Whole(Artifact::Picture(png)) => Ok(png),
        Found::Whole(Artifact::ChunkList(json)) => Ok(json),
        _ => Err(Error::Input { job: planned.job, input: planned.job }),
    }
}

fn write_if_other(file: &Path, bytes: &[u8], written: &mut Vec<PathBuf>) -> Result<(), StoreError> {
    let same_length = fs::metadata(file).is_ok_and(|meta| meta.len() == bytes.len() as u64);
    if same_length && fs::read(file).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    store::replace(file, bytes)?;
    written.push(file.to_owned());
    Ok(())
}
