//! Between two frames: what to make next, and what is drawn now.
//!
//! A [`Stream`] is told which cut is wanted and which chunks are made, and tells which cut is drawn. It makes nothing
//! itself, has no thread, reads no clock and knows no renderer; a host calls it between two frames:
//!
//! 1. [`Stream::want`] takes the [`Selection`] for the viewer;
//! 2. [`Stream::next_job`] says which chunk to make next, as often as a worker is free;
//! 3. [`Stream::ready`] takes what a worker has made: its size only, for the host keeps the mesh;
//! 4. [`Stream::advance`] says which meshes to show, to hide and to free, all at once.
//!
//! What is drawn ([`Stream::shown`]) is a cut of the whole region from the first moment that the roots are made: a
//! coarser chunk stands in until all that replaces it is there, finer ones until the coarser one is. Where the way is
//! long, the chunks of the levels between are made too and stand in for their part.
//!
//! # Edits
//! [`Stream::invalidate`] names the chunks that an edit touched. What was made of them and not shown is freed, what is
//! being made is refused when it comes; what is shown stays until all shown chunks that edits touched can be replaced,
//! and then they are replaced in one [`Stream::advance`], so that no seam joins the ground before an edit to the ground
//! after it (contract 5 of the design). A chunk that is edited again before it comes is refused again: who digs without
//! a pause names the next edit when the last is shown.
//!
//! # Memory
//! What is neither shown nor wanted is kept while the budget allows it; what has not been shown for longest goes first.
//! What is shown or wanted stays. Where even that exceeds the budget, further chunks are refused
//! ([`StreamError::OverBudget`]), only jobs that free memory or replace what was edited are given out, and the picture
//! rests as it is.

mod order;
mod swap;

use std::collections::BTreeMap;

use weald_space::ChunkKey;

use crate::cut::Cut;
use crate::region::{Region, span};
use crate::select::Selection;

/// Which making of a chunk: no two jobs of a stream have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(u64);

/// One making of a chunk: asked for as a job, then shown, hidden and freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// The chunk.
    pub chunk: ChunkKey,
    /// Which of its makings.
    pub version: Version,
}

/// What a host has to do with its meshes between two frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// To draw from now on.
    pub show: Vec<Piece>,
    /// To draw no more. Kept in memory unless they are in `free` too.
    pub hide: Vec<Piece>,
    /// To free: they will not be shown again.
    pub free: Vec<Piece>,
}

/// More memory is needed than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "what is shown and wanted needs {needed} bytes; the budget is {budget}: allow more error or fewer triangles"
)]
pub struct OverBudget {
    /// Bytes of what is shown, of what is wanted and made, and of the chunk that was refused.
    pub needed: u64,
    /// The budget.
    pub budget: u64,
}

/// Why a stream refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// The chunk was edited since the job was given out, or the job was never given out or is done: throw it away.
    #[error("{chunk} was made for version {version}, which nothing waits for", chunk = .0.chunk, version = .0.version.0)]
    Stale(Piece),
    /// There is no room: throw it away.
    #[error(transparent)]
    OverBudget(OverBudget),
    /// The cut tiles another region than the stream shows.
    #[error("the cut tiles another region than the stream")]
    OtherRegion,
}

#[derive(Clone, Copy, Debug)]
struct Mesh {
    version: Version,
    bytes: u64,
    triangles: u32,
    /// The frame in which it was last shown, or else the one in which it came.
    used: u64,
}

/// The chunks of one region on their way from wanted to shown.
#[derive(Clone, Debug)]
pub struct Stream {
    region: Region,
    budget: u64,
    wanted: Option<Selection>,
    shown: Option<Cut>,
    /// What is made and up to date, shown or not.
    made: BTreeMap<ChunkKey, Mesh>,
    /// What is shown and was edited since.
    outdated: BTreeMap<ChunkKey, Mesh>,
    in_flight: BTreeMap<ChunkKey, Version>,
    /// Jobs to give out, the most important last.
    queue: Vec<order::Job>,
    /// Bytes of `made` and `outdated`.
    bytes: u64,
    /// Bytes that the next swaps will free, counted on when a coarser chunk was taken in.
    promised: u64,
    over: Option<OverBudget>,
    free: Vec<Piece>,
    versions: u64,
    frame: u64,
}

impl Stream {
    /// A stream for a region, with the most bytes that its meshes may have together.
    #[must_use]
    pub fn new(region: Region, budget: u64) -> Self {
        Stream {
            region,
            budget,
            wanted: None,
            shown: None,
            made: BTreeMap::new(),
            outdated: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            queue: Vec::new(),
            bytes: 0,
            promised: 0,
            over: None,
            free: Vec::new(),
            versions: 0,
            frame: 0,
        }
    }

    /// Says which chunks are wanted from now on, and puts the jobs in order: first the roots until the region is
    /// covered, then what edits touched, then what refines the largest error on the screen.
    ///
    /// # Errors
    /// If the selection is for another region.
    pub fn want(&mut self, selection: Selection) -> Result<(), StreamError> {
        if selection.cut.region() != self.region {
            return Err(StreamError::OtherRegion);
        }
        if self.wanted.as_ref().is_none_or(|wanted| wanted.cut != selection.cut) {
            self.over = None;
        }
        self.wanted = Some(selection);
        self.promised = 0;
        self.put_in_order();
        Ok(())
    }

    /// The next chunk to make; `None` where nothing is to be made that is not being made already.
    pub fn next_job(&mut self) -> Option<Piece> {
        while let Some(job) = self.queue.pop() {
            if self.over.is_some() && !job.frees && !job.must {
                continue;
            }
            if self.made.contains_key(&job.chunk) || self.in_flight.contains_key(&job.chunk) {
                continue;
            }
            let version = Version(self.versions);
            self.versions += 1;
            self.in_flight.insert(job.chunk, version);
            return Some(Piece { chunk: job.chunk, version });
        }
        None
    }

    /// Takes a job back that will not be done. It will be given out again if it is still wanted.
    pub fn give_up(&mut self, job: Piece) {
        if self.in_flight.get(&job.chunk) == Some(&job.version) {
            self.in_flight.remove(&job.chunk);
        }
    }

    /// Takes in what was made: how many bytes it takes and how many triangles it has. A chunk without a surface has 0 of
    /// both.
    ///
    /// # Errors
    /// If nothing waits for this version any more, or there is no room even without all that is neither shown nor
    /// wanted. The host then throws the mesh away.
    pub fn ready(&mut self, piece: Piece, bytes: u64, triangles: u32) -> Result<(), StreamError> {
        let Piece { chunk, version } = piece;
        if self.in_flight.get(&chunk) != Some(&version) {
            return Err(StreamError::Stale(piece));
        }
        self.in_flight.remove(&chunk);
        // A coarser chunk may count on the memory of the finer ones that it will replace, and on nothing else: should it
        // come to nothing, it alone is dropped.
        let frees = if self.is_wanted(chunk) { self.bytes_within(chunk) } else { 0 };
        let more = if frees > 0 { self.promised + frees } else { 0 };
        let room = self.budget.saturating_add(more);
        if self.bytes.saturating_add(bytes) > room {
            self.make_room(bytes.saturating_sub(more));
        }
        let needed = self.bytes.saturating_add(bytes);
        if needed > room {
            let over = OverBudget { needed, budget: self.budget };
            self.over = Some(over);
            return Err(StreamError::OverBudget(over));
        }
        self.promised += frees;
        self.bytes += bytes;
        self.made.insert(chunk, Mesh { version, bytes, triangles, used: self.frame });
        Ok(())
    }

    /// Says that an edit touched these chunks: they, all that hold them and all that they hold must be made anew. Name
    /// the finest chunks that the edit reaches, with those whose borders their neighbours' seams read.
    pub fn invalidate(&mut self, edited: &[ChunkKey]) {
        let touched = |chunk: ChunkKey| edited.iter().any(|&key| key.holds(chunk) || chunk.holds(key));
        self.in_flight.retain(|&chunk, _| !touched(chunk));
        let Stream { made, outdated, shown, free, bytes, .. } = self;
        made.retain(|&chunk, mesh| {
            if !touched(chunk) {
                return true;
            }
            let is_drawn =
                shown.as_ref().is_some_and(|cut| cut.contains(chunk)) && !outdated.contains_key(&chunk);
            if is_drawn {
                outdated.insert(chunk, *mesh);
            } else {
                *bytes -= mesh.bytes;
                free.push(Piece { chunk, version: mesh.version });
            }
            false
        });
        self.put_in_order();
    }

    /// Goes on to the next frame: replaces what can be replaced, and frees what exceeds the budget.
    pub fn advance(&mut self) -> Change {
        self.frame += 1;
        let mut change = Change::default();
        self.swap(&mut change);
        self.promised = 0;
        if !change.hide.is_empty() {
            self.over = None;
        }
        if self.bytes > self.budget {
            self.make_room(0);
            self.drop_unshown();
        }
        change.free.append(&mut self.free);
        change
    }

    /// Whether the whole region is drawn: it is from the first [`Stream::advance`] after the roots were made.
    #[must_use]
    pub const fn covered(&self) -> bool {
        self.shown.is_some()
    }

    /// What is drawn now; `None` until the region is covered.
    #[must_use]
    pub const fn shown(&self) -> Option<&Cut> {
        self.shown.as_ref()
    }

    /// What is wanted: to be given to the next selection as the last one.
    #[must_use]
    pub const fn wanted(&self) -> Option<&Selection> {
        self.wanted.as_ref()
    }

    /// Whether all that is wanted is shown and no edit waits.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.outdated.is_empty() && self.shown.is_some() && self.shown.as_ref() == self.wanted_cut()
    }

    /// The making of a shown chunk that is drawn now.
    #[must_use]
    pub fn drawn(&self, chunk: ChunkKey) -> Option<Piece> {
        self.is_shown(chunk)
            .then(|| self.drawn_mesh(chunk))?
            .map(|mesh| Piece { chunk, version: mesh.version })
    }

    /// The triangles of a chunk that is in memory and up to date.
    #[must_use]
    pub fn triangles(&self, chunk: ChunkKey) -> Option<u32> {
        self.made.get(&chunk).map(|mesh| mesh.triangles)
    }

    /// The triangles that are drawn now.
    #[must_use]
    pub fn shown_triangles(&self) -> u64 {
        let shown = self.shown.iter().flat_map(|cut| cut.chunks());
        shown.filter_map(|&chunk| self.drawn_mesh(chunk)).map(|mesh| u64::from(mesh.triangles)).sum()
    }

    /// The bytes of all meshes that are kept, shown or not.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many jobs were given out and are not done.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Set while what is shown and wanted exceeds the budget.
    #[must_use]
    pub const fn over_budget(&self) -> Option<OverBudget> {
        self.over
    }

    fn wanted_cut(&self) -> Option<&Cut> {
        self.wanted.as_ref().map(|selection| &selection.cut)
    }

    fn is_shown(&self, chunk: ChunkKey) -> bool {
        self.shown.as_ref().is_some_and(|cut| cut.contains(chunk))
    }

    fn is_wanted(&self, chunk: ChunkKey) -> bool {
        self.wanted_cut().is_some_and(|cut| cut.contains(chunk))
    }

    /// The mesh of a shown chunk that is drawn: that from before an edit, until it is replaced.
    fn drawn_mesh(&self, chunk: ChunkKey) -> Option<&Mesh> {
        self.outdated.get(&chunk).or_else(|| self.made.get(&chunk))
    }

    /// Bytes of the shown chunks that lie within a coarser one, which they stand in for.
    fn bytes_within(&self, chunk: ChunkKey) -> u64 {
        let Some(shown) = self.shown.as_ref().filter(|cut| cut.is_split(chunk)) else { return 0 };
        let start = self.region.start(chunk).unwrap_or(0);
        let first = shown.index_at(start);
        let within = shown.starts()[first..].iter().take_while(|&&s| s < start + span(chunk.lod)).count();
        let drawn = shown.chunks()[first..first + within].iter().filter_map(|&c| self.drawn_mesh(c));
        drawn.map(|mesh| mesh.bytes).sum()
    }

    /// Whether a mesh that is not shown is waited for: its chunk is wanted, or will stand in for its part of what is
    /// wanted, or replaces what was edited.
    fn is_needed(&self, chunk: ChunkKey) -> bool {
        let stands_in = || {
            self.over.is_none()
                && self.wanted_cut().is_some_and(|cut| cut.is_split(chunk))
                && self.shown.as_ref().is_none_or(|cut| !cut.is_split(chunk))
        };
        self.is_wanted(chunk)
            || self.outdated.contains_key(&chunk)
            || self.shown.is_none() && chunk.lod == self.region.coarsest()
            || stands_in()
    }

    /// Frees meshes that are neither shown nor needed, until `bytes` more have room, and then a sixteenth of the budget
    /// beyond that, so that the search for them is rare.
    fn make_room(&mut self, bytes: u64) {
        let mut idle: Vec<(u64, ChunkKey)> = Vec::new();
        for (&chunk, mesh) in &self.made {
            // Where an edit waits the old mesh is shown, and the new one is needed.
            if !self.is_shown(chunk) && !self.is_needed(chunk) {
                idle.push((mesh.used, chunk));
            }
        }
        idle.sort_unstable();
        self.drop_until((self.budget - self.budget / 16).saturating_sub(bytes), &idle);
    }

    /// The last resort: frees meshes that are waited for but were never shown, so that the budget is kept.
    fn drop_unshown(&mut self) {
        if self.bytes <= self.budget {
            return;
        }
        self.over = Some(OverBudget { needed: self.bytes, budget: self.budget });
        let unshown =
            |&(&chunk, _): &(&ChunkKey, &Mesh)| !self.is_shown(chunk) || self.outdated.contains_key(&chunk);
        let mut unshown: Vec<(u64, ChunkKey)> =
            self.made.iter().filter(unshown).map(|(&chunk, mesh)| (mesh.used, chunk)).collect();
        unshown.sort_unstable();
        self.drop_until(self.budget, &unshown);
    }

    fn drop_until(&mut self, bytes: u64, least_used_first: &[(u64, ChunkKey)]) {
        for &(_, chunk) in least_used_first {
            if self.bytes <= bytes {
                return;
            }
            if let Some(mesh) = self.made.remove(&chunk) {
                self.bytes -= mesh.bytes;
                self.free.push(Piece { chunk, version: mesh.version });
            }
        }
    }
}
