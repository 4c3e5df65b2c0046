//! Runs a plan on this machine.
//!
//! Asked for outputs, it goes from the end to the beginning: what the store has whole is not made, and what only serves
//! to make it is not looked at. Then it goes forward: chunks, seams, scene, list, pictures, each on all threads. What is made
//! is put into the store at once and dropped, so that memory does not grow with the region until the scene is joined,
//! and so that a bake that is stopped at any moment goes on from there. No artifact depends on the order.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::artifact::Artifact;
use crate::error::Error;
use crate::job::{Inputs, Job};
use crate::key::JobKey;
use crate::plan::{Plan, Planned};
use crate::preview::PreviewError;
use crate::recipe::Recipe;
use crate::run::{RunOptions, Scratch, run_job};
use crate::store::{Artifacts, Found};

/// What changes how a bake is run, never what it makes.
#[derive(Clone, Copy)]
pub struct LocalOptions<'a> {
    /// Threads; `None` takes one a core.
    pub threads: Option<NonZeroUsize>,
    /// Set it from anywhere to stop the bake after the jobs that are running.
    pub cancel: &'a AtomicBool,
    /// Hears how far the bake is, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// How far a bake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being made.
    pub stage: Stage,
    /// Jobs of this stage that are done.
    pub jobs_done: u64,
    /// Jobs of this stage.
    pub jobs: u64,
    /// Work done, in parts of about equal time.
    pub work_done: u64,
    /// All the work.
    pub work: u64,
}

/// A part of a bake, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Meshes of chunks.
    Chunks,
    /// Seams between them.
    Seams,
    /// One mesh.
    Scene,
    /// The list of all chunks.
    ChunkList,
    /// Pictures of it.
    Pictures,
}

/// Counts of jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Jobs that were run.
    pub made: u64,
    /// Jobs whose artifact was in the store.
    pub reused: u64,
}

/// What a bake did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Chunks; none are counted where only a scene or pictures were wanted, and the scene was in the store.
    pub chunks: Tally,
    /// Seams; none are counted where the scene was in the store.
    pub seams: Tally,
    /// Scene, list of chunks and pictures.
    pub outputs: Tally,
    /// What was found damaged in the store and made anew, in order of the names of the files.
    pub repaired: Vec<String>,
    /// Pictures that cannot be taken, and why: the rest of the bake does without them.
    pub refused: Vec<(Job, PreviewError)>,
}

impl Outcome {
    /// How many jobs were run.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.chunks.made + self.seams.made + self.outputs.made
    }
}

/// Sees to it that the store has the artifacts of `wanted` (the scene, the list of chunks, pictures), which are parts of the
/// plan. Where the list is wanted, so are the chunks of all levels that it may name.
///
/// # Errors
/// If a job other than a picture fails, the store cannot be written or read, or the bake is stopped. What was made until then is kept.
pub fn bake(
    recipe: &Recipe,
    plan: &Plan,
    wanted: &[&Planned],
    store: &dyn Artifacts,
    options: &LocalOptions,
) -> Result<Outcome, Error> {
    let mut work =
        Work { recipe, store, options, repaired: Mutex::default(), done: AtomicU64::new(0), total: 0 };
    let missing = work.missing(wanted)?;
    let is_picture = |planned: &&Planned| matches!(planned.job, Job::Picture(_));
    let pictures: Vec<&Planned> = missing.iter().copied().filter(is_picture).collect();
    let wants_list = wanted.contains(&&plan.list);
    let need_scene = missing.contains(&&plan.scene) || (!pictures.is_empty() && !work.has(&plan.scene)?);
    let scene = need_scene.then_some(&plan.scene);
    let list = missing.contains(&&plan.list).then_some(&plan.list);
    let reused = (wanted.len() - missing.len()) as u64;

    let finest = plan.chunks.iter().filter(|_| need_scene || wants_list);
    let coarser = plan.coarser.iter().filter(|_| wants_list);
    let chunks: Vec<&Planned> = finest.chain(coarser).collect();
    let seams: Vec<&Planned> = plan.seams.iter().filter(|_| need_scene).collect();
    let all = chunks.iter().chain(&seams).chain(&scene).chain(&list).chain(&pictures);
    work.total = all.map(|planned| weight(recipe, plan, planned.job)).sum();
    let work = work;
    on_threads(options.threads, || {
        let chunks = work.many(plan, Stage::Chunks, &chunks)?;
        let seams = work.many(plan, Stage::Seams, &seams)?;
        let mut scratch = Scratch::default();
        work.few(plan, Stage::Scene, scene.as_slice(), &mut scratch)?;
        work.few(plan, Stage::ChunkList, list.as_slice(), &mut scratch)?;
        let refused = work.few(plan, Stage::Pictures, &pictures, &mut scratch)?;
        let made = (pictures.len() + scene.iter().len() + list.iter().len() - refused.len()) as u64;
        let outputs = Tally { made, reused };
        let mut repaired = work.repaired.lock().unwrap_or_else(PoisonError::into_inner).clone();
        repaired.sort_unstable();
        repaired.dedup();
        Ok(Outcome { chunks, seams, outputs, repaired, refused })
    })?
}

/// Runs something on this many threads; `None` takes one a core.
///
/// # Errors
/// If the threads cannot be started.
pub fn on_threads<T: Send>(
    threads: Option<NonZeroUsize>,
    run: impl FnOnce() -> T + Send,
) -> Result<T, Error> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::Threads { threads, why: error.to_string() })?;
    Ok(pool.install(run))
}

/// About how long a job takes beside others; only the estimate rests on it. The unit is a tenth of a millisecond on one
/// core of 2.5 GHz.
fn weight(recipe: &Recipe, plan: &Plan, job: Job) -> u64 {
    let chunks = plan.chunks.len() as u64;
    let coarser = plan.coarser.len() as u64;
    match job {
        Job::Chunk(_) => 20,
        Job::Seam(_) => 10,
        Job::Scene => 5 * chunks,
        Job::ChunkList(_) => chunks + coarser,
        Job::Picture(_) => {
            u64::from(recipe.picture.width) * u64::from(recipe.picture.height) / 20 + 10 * chunks
        }
    }
}

struct Work<'a> {
    recipe: &'a Recipe,
    store: &'a dyn Artifacts,
    options: &'a LocalOptions<'a>,
    repaired: Mutex<Vec<String>>,
    done: AtomicU64,
    total: u64,
}

impl Work<'_> {
    /// Those that the store does not have whole.
    fn missing<'a>(&self, wanted: &[&'a Planned]) -> Result<Vec<&'a Planned>, Error> {
        let mut missing = Vec::new();
        for &planned in wanted {
            if !self.has(planned)? {
                missing.push(planned);
            }
        }
        Ok(missing)
    }

    fn has(&self, planned: &Planned) -> Result<bool, Error> {
        Ok(match self.store.get(planned.key)? {
            Found::Whole(_) => true,
            Found::Nothing => false,
            Found::Damaged { file, why } => {
                let text = format!("{}: {why} ({})", planned.job, file.display());
                self.repaired.lock().unwrap_or_else(PoisonError::into_inner).push(text);
                false
            }
        })
    }

    /// Makes what is missing of many short jobs, on all threads.
    fn many(&self, plan: &Plan, stage: Stage, jobs: &[&Planned]) -> Result<Tally, Error> {
        let (made, reused) = (AtomicU64::new(0), AtomicU64::new(0));
        jobs.par_iter().try_for_each_init(Scratch::default, |scratch, &planned| {
            self.go_on()?;
            let kept = self.has(planned)?;
            if !kept {
                self.make(planned, &RunOptions::default(), scratch)?;
            }
            let counter = if kept { &reused } else { &made };
            counter.fetch_add(1, Ordering::Relaxed);
            let weight = weight(self.recipe, plan, planned.job);
            (self.options.progress)(Progress {
                stage,
                jobs_done: made.load(Ordering::Relaxed) + reused.load(Ordering::Relaxed),
                jobs: jobs.len() as u64,
                work_done: self.done.fetch_add(weight, Ordering::Relaxed) + weight,
                work: self.total,
            });
            Ok::<(), Error>(())
        })?;
        Ok(Tally { made: made.into_inner(), reused: reused.into_inner() })
    }

    /// Makes a few long jobs, one after the other, each on all threads. Returns the pictures that cannot be taken.
    fn few(
        &self,
        plan: &Plan,
        stage: Stage,
        jobs: &[&Planned],
        scratch: &mut Scratch,
    ) -> Result<Vec<(Job, PreviewError)>, Error> {
        let mut refused = Vec::new();
        for (jobs_done, planned) in jobs.iter().enumerate() {
            self.go_on()?;
            let weight = weight(self.recipe, plan, planned.job);
            let before = self.done.load(Ordering::Relaxed);
            let progress = |share: f32| {
                let (jobs_done, jobs) = (jobs_done as u64, jobs.len() as u64);
                let work_done = before + (f64::from(share) * weight as f64) as u64;
                (self.options.progress)(Progress { stage, jobs_done, jobs, work_done, work: self.total });
                if self.go_on().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            let _ = progress(0.0);
            match self.make(planned, &RunOptions { progress: &progress }, scratch) {
                Err(Error::Picture(why)) => refused.push((planned.job, why)),
                made => made?,
            }
            self.done.store(before + weight, Ordering::Relaxed);
        }
        Ok(refused)
    }

    fn make(&self, planned: &Planned, options: &RunOptions, scratch: &mut Scratch) -> Result<(), Error> {
        let inputs = Stored { planned, store: self.store };
        let artifact = run_job(self.recipe, planned.job, &inputs, options, scratch)?;
        Ok(self.store.put(planned.key, &artifact)?)
    }

    fn go_on(&self) -> Result<(), Error> {
        if self.options.cancel.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// The inputs of a planned job, from a store.
#[derive(Clone, Copy)]
pub struct Stored<'a> {
    /// The job.
    pub planned: &'a Planned,
    /// Where its inputs are.
    pub store: &'a dyn Artifacts,
}

impl Inputs for Stored<'_> {
    fn listed(&self) -> Vec<Job> {
        self.planned.inputs.iter().map(|&(job, _)| job).collect()
    }

    fn key(&self, job: Job) -> Result<JobKey, Error> {
        let inputs = &self.planned.inputs;
        // Eight inputs of a seam are searched in order; the many of a scene are listed in order of their jobs.
        let at = match inputs.len() {
            ..=8 => inputs.iter().position(|&(listed, _)| listed == job),
            _ => inputs.binary_search_by_key(&job, |&(listed, _)| listed).ok(),
        };
        let missing = Error::Input { job: self.planned.job, input: job };
        at.map(|at| inputs[at].1).ok_or(missing)
    }

    fn artifact(&self, job: Job) -> Result<Artifact, Error> {
        match self.store.get(self.key(job)?)? {
            Found::Whole(artifact) => Ok(artifact),
            Found::Nothing | Found::Damaged { .. } => Err(Error::Input { job: self.planned.job, input: job }),
        }
    }
}
