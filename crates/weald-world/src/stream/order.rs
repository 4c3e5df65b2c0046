//! What to make next.

use std::cmp::Reverse;

use weald_space::{ChunkKey, Lod};

use super::Stream;
use crate::region::span;

/// A chunk to make, and why.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) chunk: ChunkKey,
    /// It covers the region, or replaces what was edited: it comes before all others.
    pub(super) must: bool,
    /// It replaces finer chunks, and so frees their memory.
    pub(super) frees: bool,
    /// The error of what stands in for it, in pixels.
    error_px: f64,
    start: u64,
}

impl Stream {
    /// Lists the chunks that are missing, the most important last.
    ///
    /// A wanted chunk is as important as the error on the screen of what stands in for it: its own, doubled for each
    /// level by which that is coarser, halved for each by which it is finer. Chunks of the levels between are as
    /// important as the most important one within, and come before it.
    pub(super) fn put_in_order(&mut self) {
        let mut queue = std::mem::take(&mut self.queue);
        queue.clear();
        self.missing_of_cut(&mut queue);
        for &chunk in self.outdated.keys() {
            let start = self.region.start(chunk).unwrap_or(0);
            queue.push(Job { chunk, must: true, frees: false, error_px: 0.0, start });
        }
        queue.retain(|job| !self.made.contains_key(&job.chunk) && !self.in_flight.contains_key(&job.chunk));
        queue.sort_unstable_by(|a, b| {
            let rank = |job: &Job| (job.chunk.lod, Reverse(job.start));
            (a.must.cmp(&b.must)).then(a.error_px.total_cmp(&b.error_px)).then_with(|| rank(a).cmp(&rank(b)))
        });
        self.queue = queue;
    }

    fn missing_of_cut(&self, queue: &mut Vec<Job>) {
        let Some(wanted) = &self.wanted else { return };
        let (cut, errors) = (&wanted.cut, &wanted.error_px);
        let mut shown_at = 0;
        for (i, (&chunk, &start)) in cut.chunks().iter().zip(cut.starts()).enumerate() {
            // Before anything is shown, something as coarse as can be stands in for the roots.
            let mut stand_in = self.region.coarsest().index() + 1;
            let covered = self.shown.is_some();
            if let Some(shown) = &self.shown {
                while shown.starts().get(shown_at + 1).is_some_and(|&next| next <= start) {
                    shown_at += 1;
                }
                stand_in = shown.chunks()[shown_at].lod.index();
            }
            if covered && stand_in == chunk.lod.index() {
                continue;
            }
            let scale = |lod: Lod| (1_i64 << stand_in) as f64 / lod.cells() as f64;
            // The levels between that start here.
            let mut between = chunk.lod;
            while let Some(lod) =
                between.coarser().filter(|lod| lod.index() < stand_in && start % span(*lod) == 0)
            {
                between = lod;
                let within = cut.starts()[i..].iter().take_while(|&&s| s < start + span(lod)).count();
                let mut most = None;
                for (part, error) in cut.chunks()[i..i + within].iter().zip(&errors[i..]) {
                    if !self.made.contains_key(part) {
                        let error = error * scale(part.lod);
                        most = Some(most.map_or(error, |most: f64| most.max(error)));
                    }
                }
                let root = !covered && lod == self.region.coarsest();
                if let Some(error_px) = most.or(root.then_some(0.0)) {
                    let chunk = self.region.chunk_at(start, lod);
                    queue.push(Job { chunk, must: root, frees: false, error_px, start });
                }
            }
            let root = !covered && chunk.lod == self.region.coarsest();
            let error_px = errors[i] * scale(chunk.lod);
            queue.push(Job { chunk, must: root, frees: stand_in < chunk.lod.index(), error_px, start });
        }
    }
}
