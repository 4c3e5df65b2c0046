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
    /// The error on the screen that it takes away, in pixels.
    error_px: f64,
    start: u64,
}

impl Stream {
    /// Lists the chunks that are missing, the most important last.
    ///
    /// A chunk is as important as the error on the screen of its parent, which it refines; so eight siblings, which can
    /// only be shown together, are made together, and a way of many levels is gone level by level, the nearest ground
    /// first. What joins finer chunks is half as important as its own error: the picture is good enough without it.
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
        let coarsest = self.region.coarsest();
        if self.shown.is_none() {
            // The order of roots among themselves is that of the curve: nothing is shown before the last of them.
            queue.extend(self.region.roots().map(|chunk| Job {
                chunk,
                must: true,
                frees: false,
                error_px: 0.0,
                start: self.region.start(chunk).unwrap_or(0),
            }));
        }
        let mut shown_at = 0;
        for (i, (&chunk, &start)) in cut.chunks().iter().zip(cut.starts()).enumerate() {
            let mut stand_in = coarsest;
            if let Some(shown) = &self.shown {
                while shown.starts().get(shown_at + 1).is_some_and(|&next| next <= start) {
                    shown_at += 1;
                }
                stand_in = shown.chunks()[shown_at].lod;
            }
            if stand_in < chunk.lod {
                queue.push(Job { chunk, must: false, frees: true, error_px: errors[i] / 2.0, start });
            }
            // The chunks that start here and are split on the way from what is shown to what is wanted.
            let mut split = chunk.lod;
            while let Some(lod) = split.coarser().filter(|&lod| lod <= stand_in && start % span(lod) == 0) {
                split = lod;
                let within = cut.starts()[i..].iter().take_while(|&&s| s < start + span(lod)).count();
                self.children(lod, &cut.chunks()[i..i + within], start, &errors[i..i + within], queue);
            }
        }
    }

    /// Adds the missing children of a chunk of level `lod` that is split into the wanted chunks.
    fn children(&self, lod: Lod, wanted: &[ChunkKey], start: u64, errors: &[f64], queue: &mut Vec<Job>) {
        // The error of a chunk is twice that of its worst child: its cells are twice as large, and it is as near.
        let scaled = wanted.iter().zip(errors).map(|(c, error)| error * (lod.cells() / c.lod.cells()) as f64);
        let error_px = scaled.fold(0.0, f64::max);
        let Some(finer) = lod.finer() else { return };
        let mut rest = wanted;
        for start in (0..8).map(|child| start + child * span(finer)) {
            let child = self.region.chunk_at(start, finer);
            let (within, others) = rest.split_at(rest.iter().take_while(|&&c| child.holds(c)).count());
            rest = others;
            // A level between is of no use where all that is wanted in it is there.
            if within.iter().any(|c| !self.made.contains_key(c)) {
                queue.push(Job { chunk: child, must: false, frees: false, error_px, start });
            }
        }
    }
}
