//! From what is shown towards what is wanted, where that is made.

use std::ops::Range;

use weald_space::ChunkKey;

use super::{Change, Piece, Stream};
use crate::cut::Cut;
use crate::region::span;

/// Shown chunks that leave, and what takes their place: both tile the same stretch of the curve.
#[derive(Clone, Debug)]
struct Swap {
    /// Places in the shown cut.
    leave: Range<usize>,
    enter: Vec<ChunkKey>,
    /// Whether a chunk that leaves was edited.
    edited: bool,
}

impl Stream {
    /// Replaces what can be replaced. What edits touched goes together or not at all.
    pub(super) fn swap(&mut self, change: &mut Change) {
        if self.shown.is_none() {
            return self.cover(change);
        }
        let (Some(shown), Some(wanted)) = (self.shown.take(), self.wanted.take()) else { return };
        let mut swaps = self.swaps(&shown, &wanted.cut);
        let edits_go = self.edits_can_go(&shown, &swaps);
        swaps.retain(|swap| edits_go || !swap.edited);
        for swap in &swaps {
            for &chunk in &shown.chunks()[swap.leave.clone()] {
                self.hide(chunk, change);
            }
        }
        if edits_go {
            self.renew(change);
        }
        for &chunk in swaps.iter().flat_map(|swap| &swap.enter) {
            change.show.extend(self.made.get(&chunk).map(|mesh| Piece { chunk, version: mesh.version }));
        }
        self.shown = Some(if swaps.is_empty() { shown } else { replaced(&shown, &swaps) });
        self.wanted = Some(wanted);
    }

    /// Shows the roots, once all are made.
    fn cover(&mut self, change: &mut Change) {
        let made = self
            .region
            .roots()
            .map(|chunk| self.made.get(&chunk).map(|mesh| Piece { chunk, version: mesh.version }));
        if let Some(pieces) = made.collect::<Option<Vec<_>>>() {
            change.show.extend(pieces);
            self.shown = Some(Cut::coarsest(self.region));
        }
    }

    /// All swaps that bring the shown cut nearer to the wanted one and whose chunks are made.
    fn swaps(&self, shown: &Cut, wanted: &Cut) -> Vec<Swap> {
        let mut swaps = Vec::new();
        let (mut s, mut w) = (0, 0);
        while let (Some(&at), Some(&goal)) = (shown.chunks().get(s), wanted.chunks().get(w)) {
            // Both start at the same place of the curve.
            let end = shown.starts()[s] + span(at.lod.max(goal.lod));
            let until = |cut: &Cut, from: usize| {
                from + cut.starts()[from..].iter().take_while(|&&start| start < end).count()
            };
            let (shown_end, wanted_end) = (until(shown, s), until(wanted, w));
            let mut enter = Vec::new();
            if goal.lod < at.lod {
                self.refine(at, &wanted.chunks()[w..wanted_end], &mut enter);
            } else if goal.lod > at.lod && self.made.contains_key(&goal) {
                enter.push(goal);
            }
            if !enter.is_empty() {
                let leave = s..shown_end;
                let edited = shown.chunks()[leave.clone()].iter().any(|c| self.outdated.contains_key(c));
                swaps.push(Swap { leave, enter, edited });
            }
            (s, w) = (shown_end, wanted_end);
        }
        swaps
    }

    /// Tiles a chunk with made chunks that are finer, but no finer than wanted; leaves nothing where that cannot be. At
    /// most as deep as there are levels.
    fn refine(&self, chunk: ChunkKey, wanted: &[ChunkKey], enter: &mut Vec<ChunkKey>) {
        let before = enter.len();
        let mut rest = wanted;
        for child in chunk.children().into_iter().flatten() {
            let within = rest.iter().take_while(|&&goal| child.holds(goal)).count();
            let (goals, others) = rest.split_at(within);
            rest = others;
            let so_far = enter.len();
            if goals.len() > 1 {
                self.refine(child, goals, enter);
            }
            if enter.len() == so_far {
                if !self.made.contains_key(&child) {
                    enter.truncate(before);
                    return;
                }
                enter.push(child);
            }
        }
    }

    /// Whether every shown chunk that was edited leaves, or has been made anew.
    fn edits_can_go(&self, shown: &Cut, swaps: &[Swap]) -> bool {
        let leaves = |chunk: ChunkKey| {
            let at = self.region.start(chunk).map(|start| shown.index_at(start));
            let swap = at.map(|at| (at, swaps.partition_point(|swap| swap.leave.end <= at)));
            swap.is_some_and(|(at, i)| swaps.get(i).is_some_and(|swap| swap.leave.contains(&at)))
        };
        self.outdated.keys().all(|&chunk| self.made.contains_key(&chunk) || leaves(chunk))
    }

    /// Takes a chunk out of the picture; what was made of it before an edit is of no use any more.
    fn hide(&mut self, chunk: ChunkKey, change: &mut Change) {
        if let Some(old) = self.outdated.remove(&chunk) {
            let piece = Piece { chunk, version: old.version };
            self.bytes -= old.bytes;
            self.free.push(piece);
            change.hide.push(piece);
        } else if let Some(mesh) = self.made.get_mut(&chunk) {
            mesh.used = self.frame;
            change.hide.push(Piece { chunk, version: mesh.version });
        }
    }

    /// Shows the new making of all shown chunks that were edited.
    fn renew(&mut self, change: &mut Change) {
        while let Some((&chunk, _)) = self.outdated.first_key_value() {
            self.hide(chunk, change);
            change.show.extend(self.made.get(&chunk).map(|mesh| Piece { chunk, version: mesh.version }));
        }
    }
}

/// The shown cut after the swaps.
fn replaced(shown: &Cut, swaps: &[Swap]) -> Cut {
    let mut chunks = Vec::with_capacity(shown.chunks().len() + 8 * swaps.len());
    let mut kept = 0;
    for swap in swaps {
        chunks.extend_from_slice(&shown.chunks()[kept..swap.leave.start]);
        chunks.extend_from_slice(&swap.enter);
        kept = swap.leave.end;
    }
    chunks.extend_from_slice(&shown.chunks()[kept..]);
    Cut::along_curve(shown.region(), chunks)
}
