//! `weald bake`: load, plan, run, write, print.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use weald::bake::local::{LocalOptions, Outcome, bake};
use weald::bake::plan::{Plan, Planned, plan};
use weald::bake::recipe::{self, Recipe};
use weald::bake::report::{self, REPORT, Report, ReportSeconds};
use weald::bake::store::{Store, StoreOptions};
use weald::bake::verify::{Verdict, verify_glb};
use weald::bake::{Error, manifest};
use weald::space::Lod;

use crate::args::Bake;
use crate::exit::{self, Failure};
use crate::print::{grouped, line};
use crate::progress::{Bar, cancel_on_ctrl_c};
use crate::world::{describe, warn};

/// Bakes a world into a folder.
pub(crate) fn run(args: &Bake, quiet: bool) -> Result<u8, Failure> {
    let mut clock = Clock::start();
    let mut recipe = recipe::load(&args.world)?;
    if let Some(asked) = args.region {
        recipe.take_region(asked).map_err(|wrong| Error::Region(Box::new(wrong)))?;
    }
    let folder = args.out.clone().unwrap_or_else(|| default_folder(&recipe));
    manifest::claim(&folder)?;
    let load = clock.lap();
    let plan = plan(&recipe, recipe.region).map_err(Error::from)?;
    let planned = clock.lap();

    let max_bytes = args.store_limit.map(|mib| u64::from(mib) << 20);
    let store = Store::open(&folder.join(manifest::STORE), StoreOptions { max_bytes })?;
    let wanted = wanted(&plan, args.no_pictures);
    let cancel = cancel_on_ctrl_c();
    let bar = Bar::new(quiet);
    let options =
        LocalOptions { threads: args.jobs, cancel: &cancel, progress: &|progress| bar.show(progress) };
    let outcome = bake(&recipe, &plan, &wanted, &store, &options)?;
    drop(bar);
    let ran = clock.lap();

    warn(report::refusals(&outcome));
    let taken: Vec<&Planned> = wanted
        .into_iter()
        .filter(|planned| outcome.refused.iter().all(|&(job, _)| job != planned.job))
        .collect();
    let (manifest, written) = manifest::write(&folder, &recipe, &plan, &taken, &store)?;
    if outcome.made() == 0
        && written.is_empty()
        && let Some(past) = report::read(&folder, &manifest)
    {
        say(quiet, &format!("{} is baked already; nothing to do ({})", recipe.name, folder.display()));
        return ending(past.sound, &folder);
    }
    let glb = manifest::bytes_of(&plan.scene, &store)?;
    let verdict = verify_glb(&glb, Some(plan.region.extent(recipe.lattice)), recipe.lattice.cell_size())?;
    if cancel.load(Ordering::Relaxed) {
        return Err(Error::Interrupted.into());
    }
    let seconds = ReportSeconds {
        load,
        plan: planned,
        run: ran,
        check: clock.lap(),
        threads: args.jobs.map_or_else(default_threads, |jobs| jobs.get()),
    };
    let report = Report::new(&recipe, &plan, &manifest, &outcome, Some(&verdict), seconds, &store)?;
    report.write(&folder)?;
    if !quiet {
        warn(recipe.warnings());
        summary(&recipe, &plan, &outcome, &verdict, &report);
        let names = written.iter().map(PathBuf::as_path).chain([Path::new(REPORT)]);
        let names: Vec<_> =
            names.filter_map(|path| path.file_name()).map(|name| name.to_string_lossy()).collect();
        line(&format!("wrote {} in {}", names.join(", "), folder.display()));
    }
    ending(verdict.is_sound(), &folder)
}

/// How a bake ends whose outputs are all written.
fn ending(sound: bool, folder: &Path) -> Result<u8, Failure> {
    if sound {
        return Ok(exit::OK);
    }
    let message = format!("the mesh has defects: see `weald verify` ({})", folder.display());
    Err(Failure::new(exit::DEFECTS, message))
}

/// Where a world is baked if nothing else is said.
pub(crate) fn default_folder(recipe: &Recipe) -> PathBuf {
    Path::new("bakes").join(&recipe.name)
}

fn wanted(plan: &Plan, no_pictures: bool) -> Vec<&Planned> {
    let pictures = plan.pictures.iter().filter(|_| !no_pictures);
    [&plan.scene, &plan.list].into_iter().chain(pictures).collect()
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn say(quiet: bool, text: &str) {
    if !quiet {
        line(text);
    }
}

fn summary(recipe: &Recipe, plan: &Plan, outcome: &Outcome, verdict: &Verdict, report: &Report) {
    line(&describe(recipe, plan.region.extent(recipe.lattice)));
    let Outcome { chunks, seams, outputs, repaired, .. } = outcome;
    let made = grouped(outcome.made());
    let reused = grouped(chunks.reused + seams.reused + outputs.reused);
    line(&format!("{made} jobs run, {reused} found in the store"));
    for what in repaired {
        line(&format!("made anew: {what}"));
    }
    let counts = &report.counts;
    line(&format!(
        "{} triangles, {} vertices, {} chunks with a surface",
        grouped(counts.triangles),
        grouped(counts.vertices),
        grouped(counts.chunks)
    ));
    if recipe.coarsest > Lod::FINEST {
        let (coarser, levels) = (grouped(plan.coarser.len() as u64), recipe.coarsest.index());
        line(&format!("{coarser} chunks of {levels} coarser levels"));
    }
    if verdict.is_sound() {
        line("the mesh has no defect");
    }
    let ReportSeconds { load, plan, run, check, threads } = report.seconds;
    line(&format!(
        "{:.1} s ({run:.1} s on {threads} threads, {check:.1} s for the check)",
        load + plan + run + check
    ));
}

/// Measures one thing after the other.
struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Clock(Instant::now())
    }

    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let lap = now.duration_since(std::mem::replace(&mut self.0, now));
        lap.as_secs_f64()
    }
}
