//! Random cuts through the levels of a bake, each sewn and checked as a whole.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use weald_space::Lod;
use weald_world::Cut;

use super::{Verdict, judge};
use crate::cut::BakedChunks;
use crate::error::Error;
use crate::local::on_threads;

/// What was found in the mesh of a cut.
#[derive(Clone, Debug, PartialEq)]
pub struct CutVerdict {
    /// Chunks of the cut that hold a surface, by level from the finest.
    pub chunks: Vec<usize>,
    /// Leaves whose vertices had to be moved apart and could not.
    pub stuck: u64,
    /// What the check found.
    pub verdict: Verdict,
}

/// The verdicts of several cuts together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Each count with its name, over all cuts, and the most of one cut.
    pub lines: Vec<(&'static str, u64, u64)>,
    /// The place of the first cut with the most defects, if any has one.
    pub worst: Option<usize>,
}

impl CutVerdict {
    /// Every count with its name, as [`Verdict::lines`], after the size of the cut.
    #[must_use]
    pub fn lines(&self) -> Vec<(&'static str, usize)> {
        let findings = &self.verdict.findings;
        let mut lines = vec![
            ("chunks with a surface", self.chunks.iter().sum()),
            ("vertices", findings.vertices),
            ("triangles", findings.triangles),
            ("cells whose triangles may meet", self.stuck as usize),
        ];
        lines.extend(self.verdict.lines());
        lines
    }

    /// Defects of all kinds.
    #[must_use]
    pub fn defects(&self) -> usize {
        let found = self.verdict.findings.defects();
        self.verdict.open_inside + found.into_iter().map(|(_, count)| count).sum::<usize>()
    }
}

impl Totals {
    /// Sums verdicts up.
    #[must_use]
    pub fn of(verdicts: &[CutVerdict]) -> Self {
        let mut lines: Vec<(&'static str, u64, u64)> = Vec::new();
        let mut most = 0;
        let mut worst = None;
        for (at, verdict) in verdicts.iter().enumerate() {
            for (i, (what, count)) in verdict.lines().into_iter().enumerate() {
                let count = count as u64;
                match lines.get_mut(i) {
                    Some((_, sum, largest)) => (*sum, *largest) = (*sum + count, count.max(*largest)),
                    None => lines.push((what, count, count)),
                }
            }
            if verdict.defects() > most {
                (most, worst) = (verdict.defects(), Some(at));
            }
        }
        Totals { lines, worst }
    }
}

/// Checks a cut through the region of a bake.
///
/// # Errors
/// If border tables do not fit together.
pub fn verify_cut(baked: &BakedChunks, cut: &Cut) -> Result<CutVerdict, Error> {
    let sewn = baked.mesh_of(cut)?;
    let level = |vertex: u32| Lod::new(sewn.mesh.materials[vertex as usize].0).unwrap_or(Lod::COARSEST);
    let verdict = judge(&sewn.mesh, Some(baked.extent()), baked.lattice().cell_size(), level);
    Ok(CutVerdict { chunks: sewn.chunks, stuck: sewn.stuck, verdict })
}

/// Checks the random cuts with the numbers 0 to `count` - 1, in order, on this many threads; `None` takes one a core. Each
/// thread holds the mesh of one cut. `progress` hears how many are done, from any thread.
///
/// # Errors
/// If border tables do not fit together, a cut has too many chunks, or the check is stopped.
pub fn verify_random_cuts(
    baked: &BakedChunks,
    seed: u64,
    count: u32,
    threads: Option<NonZeroUsize>,
    cancel: &AtomicBool,
    progress: &(dyn Fn(u32) + Sync),
) -> Result<Vec<CutVerdict>, Error> {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let workers = threads.map_or_else(cores, NonZeroUsize::get).min(count as usize);
    let (next, done) = (AtomicU32::new(0), AtomicU32::new(0));
    let found: Mutex<Vec<(u32, Result<CutVerdict, Error>)>> = Mutex::default();
    let failed = AtomicBool::new(false);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count || cancel.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed) {
                return;
            }
            let verdict = baked.random_cut(seed, number).and_then(|cut| verify_cut(baked, &cut));
            failed.fetch_or(verdict.is_err(), Ordering::Relaxed);
            found.lock().unwrap_or_else(PoisonError::into_inner).push((number, verdict));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    // A pool of one thread for each worker: work within a cut then stays on it, and no worker takes up a second cut.
    let start = || on_threads(NonZeroUsize::new(1), work);
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..workers).map(|_| scope.spawn(start)).collect();
        started
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by_key(|&(number, _)| number);
    let verdicts = found.into_iter().map(|(_, verdict)| verdict).collect::<Result<Vec<_>, Error>>()?;
    if verdicts.len() < count as usize { Err(Error::Interrupted) } else { Ok(verdicts) }
}
