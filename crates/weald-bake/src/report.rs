//! What a bake tells: counts, times, warnings, checks. It is the only output that differs from run to run.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::artifact::{Artifact, SceneCounts};
use crate::error::Error;
use crate::local::{Outcome, Tally};
use crate::manifest::{Manifest, file_of};
use crate::plan::Plan;
use crate::recipe::{Extent, Recipe};
use crate::store::{self, Artifacts, Found, StoreError};
use crate::verify::Verdict;

/// Name of the report in the folder of a bake.
pub const REPORT: &str = "report.json";

/// What a bake tells.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The keys of the outputs, as in the manifest that the report goes with.
    pub outputs: Vec<String>,
    /// Whether the mesh was checked and has no defect.
    pub sound: bool,
    /// The version of weald.
    pub weald: &'static str,
    /// Name of the world.
    pub world: String,
    /// The world file.
    pub file: String,
    /// Side of a cell in metres.
    pub cell_size: f64,
    /// Levels of detail.
    pub levels: u8,
    /// South-western and north-eastern corner of the region in metres, widened to whole chunks.
    pub region: [[f64; 2]; 2],
    /// What was read as elevation.
    pub elevation: Option<String>,
    /// What the scene was joined from.
    pub counts: SceneCounts,
    /// Jobs that were run, and those whose artifact was in the store.
    pub jobs: ReportJobs,
    /// How long it took.
    pub seconds: ReportSeconds,
    /// What deserves attention.
    pub warnings: Vec<String>,
    /// What was found damaged in the store and made anew.
    pub repaired: Vec<String>,
    /// What the check of the mesh found.
    pub checks: Vec<ReportCheck>,
    /// The chunks in which triangles meet that should not, in order.
    pub tiles: Vec<ReportTile>,
}

/// A chunk with defects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ReportTile {
    /// The chunk's x, y and z, in chunks.
    pub chunk: [i64; 3],
    /// Pairs of triangles that meet elsewhere than in the vertices they share; each counts where its first one begins.
    pub self_intersections: usize,
}

/// Jobs by kind.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReportJobs {
    /// Meshes of chunks.
    pub chunks: Tally,
    /// Seams.
    pub seams: Tally,
    /// Scene, list of chunks and pictures.
    pub outputs: Tally,
}

/// Seconds of each part.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ReportSeconds {
    /// Reading the world file and the elevation.
    pub load: f64,
    /// Listing the jobs.
    pub plan: f64,
    /// Running them.
    pub run: f64,
    /// Checking the mesh.
    pub check: f64,
    /// Threads that ran jobs.
    pub threads: usize,
}

/// A kind of defect and how many there are.
#[derive(Clone, Debug, Serialize)]
pub struct ReportCheck {
    /// What was looked for.
    pub what: String,
    /// How many were found.
    pub count: usize,
}

/// What a later bake asks an old report.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Past {
    /// The keys of the outputs that the report goes with.
    pub outputs: Vec<String>,
    /// Whether the mesh was checked and has no defect.
    pub sound: bool,
}

/// A report with more bytes is none.
const MAX_BYTES: u64 = 64 << 20;

/// The report of a folder, if it has one and that goes with the manifest.
#[must_use]
pub fn read(folder: &Path, manifest: &Manifest) -> Option<Past> {
    let mut bytes = Vec::new();
    fs::File::open(folder.join(REPORT)).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let past: Past = serde_json::from_slice(&bytes).ok()?;
    (past.outputs == keys(manifest)).then_some(past)
}

fn keys(manifest: &Manifest) -> Vec<String> {
    manifest.outputs.iter().map(|output| output.key.clone()).collect()
}

/// One line for each picture that cannot be taken.
pub fn refusals(outcome: &Outcome) -> impl Iterator<Item = String> + '_ {
    outcome.refused.iter().map(|(job, why)| {
        let file = file_of(*job).unwrap_or("picture");
        let field = why.camera_field().map_or_else(String::new, |field| format!(" ({field})"));
        format!("no {file} was made: {why}{field}")
    })
}

impl Report {
    /// Gathers the report of a bake.
    ///
    /// # Errors
    /// If the scene is not in the store.
    pub fn new(
        recipe: &Recipe,
        plan: &Plan,
        manifest: &Manifest,
        outcome: &Outcome,
        verdict: Option<&Verdict>,
        seconds: ReportSeconds,
        store: &dyn Artifacts,
    ) -> Result<Self, Error> {
        let Found::Whole(Artifact::Scene(scene)) = store.get(plan.scene.key)? else {
            return Err(Error::Input { job: plan.scene.job, input: plan.scene.job });
        };
        let Extent { min, max } = plan.region.extent(recipe.lattice);
        let Outcome { chunks, seams, outputs, repaired, .. } = outcome;
        let checks = verdict.map_or_else(Vec::new, Verdict::lines);
        Ok(Report {
            outputs: keys(manifest),
            sound: verdict.is_some_and(Verdict::is_sound),
            weald: env!("CARGO_PKG_VERSION"),
            world: recipe.name.clone(),
            file: recipe.file.display().to_string(),
            cell_size: recipe.lattice.cell_size(),
            levels: recipe.coarsest.index() + 1,
            region: [min, max],
            elevation: recipe.ground.terrain.import.clone(),
            counts: scene.counts,
            jobs: ReportJobs { chunks: *chunks, seams: *seams, outputs: *outputs },
            seconds,
            warnings: recipe.warnings().cloned().chain(refusals(outcome)).collect(),
            repaired: repaired.clone(),
            checks: checks
                .into_iter()
                .map(|(what, count)| ReportCheck { what: what.to_owned(), count })
                .collect(),
            tiles: verdict.map_or_else(Vec::new, |verdict| verdict.tiles.clone()),
        })
    }

    /// Writes the report into the folder of a bake.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), StoreError> {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        store::replace(&folder.join(REPORT), text.as_bytes())
    }
}
