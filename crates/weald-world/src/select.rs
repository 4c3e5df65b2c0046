//! Viewer → cut: how fine the ground must be, and where.
//!
//! A chunk of a level departs from the true ground by some length, its *geometric error*, which doubles with each level.
//! Seen from a distance it is so many pixels high on the screen; where that is too many, the chunk is split into its
//! eight children. This measure and the order of refinement, the worst first until a budget is spent, are those of
//! M. Duchaineau et al., "ROAMing Terrain: Real-time Optimally Adapting Meshes", IEEE Visualization 1997. Unlike theirs
//! a selection starts from the roots each time: ten thousand chunks take a few milliseconds, and the answer depends on
//! the viewer and on the last cut, never on the way that led there.
//!
//! What is behind the viewer counts like what is before: a head turns faster than chunks are made.
//!
//! # A border that does not flicker
//! A viewer who sways must not see chunks come and go. All is judged from a place, [`Selection::eye`], that stays until
//! the viewer is more than [`SelectSettings::margin`] away from it, and as if from the nearest place that the viewer can
//! reach meanwhile. So whatever happens within the margin switches each chunk once at most, with a spent budget too.
//! And a chunk that was split in the last cut counts `1 / (1 - hysteresis)` times, so that it is joined only further away
//! than where it was split: a viewer who walks to and fro over a border finds it moved.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use weald_space::{CHUNK_CELLS, ChunkKey, Lattice, Lod, WorldPos, ops};

use crate::cut::Cut;
use crate::region::Region;
use crate::tree::Tree;

/// Who looks, from where, at how many pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewer {
    /// The eye.
    pub position: WorldPos,
    /// The vertical angle of view in degrees, between 0 and 180.
    pub fov_y_deg: f64,
    /// The height of the picture in pixels, above 0.
    pub height_px: u32,
}

/// What is wanted of a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectSettings {
    /// A chunk is split where its error is higher than this on the screen, in pixels. Above 0. Half of it costs four
    /// times as many triangles.
    pub pixels: f64,
    /// The geometric error of a chunk, in its own cells. Above 0.
    pub error_cells: f64,
    /// The part of `pixels` by which the error must fall below it before children are joined: 0 to below 1.
    pub hysteresis: f64,
    /// How far the viewer may move before all is judged anew, in metres, at least 0.
    pub margin: f64,
    /// The finest level that is selected.
    pub finest: Lod,
    /// The most triangles in the cut. The roots are in the cut whatever they cost.
    pub max_triangles: u64,
    /// The most chunks in the cut, those without a surface too; likewise.
    pub max_chunks: usize,
    /// What a chunk is thought to cost of which nothing is known, in triangles.
    pub unknown_triangles: u32,
}

impl Default for SelectSettings {
    fn default() -> Self {
        SelectSettings {
            // Two pixels: the shift of an edge that is noticed while the picture moves, without morphing; at 1080 pixels
            // and 60 degrees the finest chunks of a 1 m lattice then reach 230 m.
            pixels: 2.0,
            // What a rough hillside needs. Noise of octaves that halve in length and height, as terrain is drawn, has
            // the same slope s in each; the octaves shorter than two cells are lost, 2h · s / 2π and its halves, 0.64 s
            // cells in all; of the octave of four cells the straight edges miss about 0.2 s. Five octaves with a total
            // slope of 0.65 have s = 0.3, so 0.25 cells. Dual contouring on smooth ground is ten times better (0.03
            // cells on a sphere of 16 cells); a building or a cliff can be a whole cell off, and a world of those wants
            // 0.5 to 1. Too small shows steps between levels, too large costs its square in triangles.
            error_cells: 0.25,
            // A tenth moves the border out by a ninth: 26 m at the 230 m of the finest level, so that walking about in a
            // place changes nothing, while the ring between costs at most a quarter more chunks. Near 0 each metre of a
            // walk makes chunks along the whole border; near a half the finest ring holds four times as many.
            hysteresis: 0.1,
            // A sway of a metre to each side spans two; the rest is for what a game adds to a place, as breathing and
            // steps. It makes each ring wider by as much: nothing beside 230 m, but with cells of 1/64 m, whose finest ring
            // is 3.7 m, three times as many of the finest chunks. Below 2 m a sway can cross it twice.
            margin: 2.5,
            finest: Lod::FINEST,
            // A guard and no goal: twice the 4 M that two pixels over rough hills ask for (`tests/flight.rs`), so that it
            // binds only where the ground folds, as in caves and towns.
            max_triangles: 8_000_000,
            max_chunks: 100_000,
            // A level sheet through a chunk has 32 · 32 cells of two triangles; a slope of 45 degrees has 1.4 as many.
            unknown_triangles: 2500,
        }
    }
}

/// What is known of a chunk before it is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing: it counts [`SelectSettings::unknown_triangles`].
    Unknown,
    /// No surface passes through it on any level, as when the bounds of the field exclude zero: it is split only where a
    /// neighbour asks for it.
    Empty,
    /// It was made and has this many triangles. 0 is not [`Content::Empty`]: a coarse lattice misses what is thin.
    Triangles(u32),
}

/// Why nothing can be selected.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SelectError {
    /// The eye is nowhere.
    #[error("the viewer is at ({x}, {y}, {z}) m; a position has finite coordinates")]
    Position {
        /// East, in metres.
        x: f64,
        /// North.
        y: f64,
        /// Up.
        z: f64,
    },
    /// No lens has this angle.
    #[error("the vertical angle of view is {0} degrees; it lies between 0 and 180, both excluded")]
    FieldOfView(f64),
    /// The picture has no lines.
    #[error("the picture is 0 pixels high")]
    NoPixels,
    /// A setting is out of its range.
    #[error("{name} is {value}; it is {range}")]
    Setting {
        /// Which setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
}

/// A cut for a viewer, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The chunks to show.
    pub cut: Cut,
    /// Where it was judged from: the viewer, or a place that the viewer has not gone far from since.
    pub eye: WorldPos,
    /// The height of each chunk's error on the screen, in pixels, in the order of the cut: the most that it has from
    /// anywhere within the margin of the eye. 0 where it is known to be empty.
    pub error_px: Vec<f64>,
    /// The triangles of the cut, as far as they are known.
    pub triangles: u64,
    /// Where a budget was spent before all was fine enough: the error of the first chunk that was not split for it, in
    /// pixels. `None` where all that should be split is.
    pub held_at_px: Option<f64>,
}

/// Memory that one selection leaves to the next.
#[derive(Clone, Debug, Default)]
pub struct SelectScratch {
    tree: Option<Tree>,
    /// What is known of each node of the tree.
    judged: Vec<Judged>,
    open: BinaryHeap<Candidate>,
    together: Vec<u32>,
    children: Vec<[Judged; 8]>,
    leaves: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Judged {
    /// As it is, and as it counts in the order of refinement.
    error_px: f64,
    priority: f64,
    triangles: u32,
    /// Whether the last cut split it.
    was_split: bool,
}

/// The worst comes first; of equals the coarser, then the one that starts first on the curve.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    priority: f64,
    lod: Lod,
    start: u64,
    node: u32,
}

impl Candidate {
    fn rank(&self) -> (Lod, Reverse<u64>) {
        (self.lod, Reverse(self.start))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority.total_cmp(&other.priority).then_with(|| self.rank().cmp(&other.rank()))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// The coarsest balanced cut that shows no error above [`SelectSettings::pixels`], or, where a budget does not allow it,
/// the one that the budget reaches by splitting the worst chunk first.
///
/// `previous` is the last selection for this viewer, of any region; without it there is no hysteresis. `content` tells
/// what is known of a chunk; with the same answers, the same viewer and itself as `previous`, a selection repeats itself.
///
/// # Errors
/// If the viewer or a setting is out of range.
pub fn select(
    region: Region,
    lattice: Lattice,
    viewer: &Viewer,
    previous: Option<&Selection>,
    content: &dyn Fn(ChunkKey) -> Content,
    settings: &SelectSettings,
    scratch: &mut SelectScratch,
) -> Result<Selection, SelectError> {
    let judge = Judge::new(lattice, viewer, previous, content, settings)?;
    let SelectScratch { tree: former, judged, open, together, children, leaves } = scratch;
    let mut tree = former.take().map_or_else(|| Tree::new(region), |former| former.again(region));
    judged.clear();
    open.clear();
    for root in 0..tree.len() as u32 {
        judged.push(judge.chunk(tree.key(root), true));
        open.extend(judge.candidate(&tree, root, &judged[root as usize]));
    }
    let mut spent: u64 = judged.iter().map(|root| u64::from(root.triangles)).sum();
    let mut held_at_px = None;
    while let Some(worst) = open.pop() {
        if !tree.is_leaf(worst.node) {
            continue;
        }
        tree.required(worst.node, together);
        children.clear();
        // What a split saves is not spent again, so that the order of splits cannot matter to the sum.
        let mut cost = 0;
        for &node in &*together {
            let eight = judge.children(tree.key(node), judged[node as usize].was_split);
            let sum: u64 = eight.iter().map(|child| u64::from(child.triangles)).sum();
            cost += sum.saturating_sub(u64::from(judged[node as usize].triangles));
            children.push(eight);
        }
        let chunks = tree.leaf_count() + 7 * together.len();
        if spent.saturating_add(cost) > settings.max_triangles || chunks > settings.max_chunks {
            held_at_px = Some(judged[worst.node as usize].error_px);
            break;
        }
        spent += cost;
        for (&node, eight) in together.iter().zip(&*children) {
            let first = tree.split(node);
            judged.extend_from_slice(eight);
            for (child, found) in (first..).zip(eight) {
                open.extend(judge.candidate(&tree, child, found));
            }
        }
    }
    tree.leaves(leaves);
    let error_px = leaves.iter().map(|&leaf| judged[leaf as usize].error_px).collect();
    let triangles = leaves.iter().map(|&leaf| u64::from(judged[leaf as usize].triangles)).sum();
    let cut = tree.cut_of(leaves);
    *former = Some(tree);
    Ok(Selection { cut, eye: judge.eye, error_px, triangles, held_at_px })
}

/// What the errors of chunks are on the screen of a viewer.
struct Judge<'a> {
    eye: WorldPos,
    cell: f64,
    /// Pixels of an error of one finest cell at a distance of one metre.
    scale: f64,
    previous: Option<&'a Cut>,
    content: &'a dyn Fn(ChunkKey) -> Content,
    settings: &'a SelectSettings,
}

impl<'a> Judge<'a> {
    fn new(
        lattice: Lattice,
        viewer: &Viewer,
        previous: Option<&'a Selection>,
        content: &'a dyn Fn(ChunkKey) -> Content,
        settings: &'a SelectSettings,
    ) -> Result<Self, SelectError> {
        let [x, y, z] = viewer.position.to_array();
        if !viewer.position.0.is_finite() {
            return Err(SelectError::Position { x, y, z });
        }
        let fov = viewer.fov_y_deg;
        let half_angle = (fov / 2.0).to_radians();
        let in_range = 0.0 < fov && fov < 180.0;
        if !in_range || half_angle <= 0.0 {
            return Err(SelectError::FieldOfView(fov));
        }
        if viewer.height_px == 0 {
            return Err(SelectError::NoPixels);
        }
        check(settings)?;
        let px_at_one_metre = f64::from(viewer.height_px) / (2.0 * ops::tan(half_angle));
        let cell = lattice.cell_size();
        let scale = px_at_one_metre * settings.error_cells * cell;
        let stays = |eye: &WorldPos| (viewer.position - *eye).length() <= settings.margin;
        let eye = previous.map(|last| last.eye).filter(stays).unwrap_or(viewer.position);
        Ok(Judge { eye, cell, scale, previous: previous.map(|last| &last.cut), content, settings })
    }

    fn chunk(&self, key: ChunkKey, parent_was_split: bool) -> Judged {
        let triangles = match (self.content)(key) {
            Content::Empty => None,
            Content::Unknown => Some(self.settings.unknown_triangles),
            Content::Triangles(count) => Some(count),
        };
        let was_split = parent_was_split && self.previous.is_some_and(|cut| cut.is_split(key));
        let Some(triangles) = triangles else {
            return Judged { error_px: 0.0, priority: 0.0, triangles: 0, was_split };
        };
        let distance = self.distance(key) - self.settings.margin;
        let at_one_metre = self.scale * key.lod.cells() as f64;
        // Nearer than a finest cell nothing can be told apart; an error stays finite, and the coarser comes first.
        let error_px = at_one_metre / distance.max(self.cell);
        let priority = if was_split { error_px / (1.0 - self.settings.hysteresis) } else { error_px };
        Judged { error_px, priority, triangles, was_split }
    }

    fn children(&self, key: ChunkKey, was_split: bool) -> [Judged; 8] {
        key.children().unwrap_or([key; 8]).map(|child| self.chunk(child, was_split))
    }

    /// From the eye to the box of a chunk, in metres; 0 within.
    fn distance(&self, key: ChunkKey) -> f64 {
        let side = self.cell * key.lod.cells() as f64 * CHUNK_CELLS as f64;
        let (place, eye) = ([key.x, key.y, key.z], self.eye.to_array());
        let mut squared = 0.0;
        for axis in 0..3 {
            let low = place[axis] as f64 * side - eye[axis];
            let high = eye[axis] - (place[axis] + 1) as f64 * side;
            let outside = low.max(high).max(0.0);
            squared += outside * outside;
        }
        squared.sqrt()
    }

    fn candidate(&self, tree: &Tree, node: u32, judged: &Judged) -> Option<Candidate> {
        let lod = tree.key(node).lod;
        let wanted = judged.priority > self.settings.pixels && lod > self.settings.finest;
        wanted.then(|| Candidate { priority: judged.priority, lod, start: tree.start(node), node })
    }
}

fn check(settings: &SelectSettings) -> Result<(), SelectError> {
    let SelectSettings { pixels, error_cells, hysteresis, margin, .. } = *settings;
    let above_zero = |value: f64| value.is_finite() && value > 0.0;
    let wrong = |name, value, range| Err(SelectError::Setting { name, value, range });
    if !above_zero(pixels) {
        return wrong("pixels", pixels, "a finite number above 0");
    }
    if !above_zero(error_cells) {
        return wrong("error_cells", error_cells, "a finite number above 0");
    }
    if !(0.0..1.0).contains(&hysteresis) {
        return wrong("hysteresis", hysteresis, "from 0 to below 1");
    }
    if !margin.is_finite() || margin < 0.0 {
        return wrong("margin", margin, "a finite number of metres from 0 on");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn viewer(x: f64, y: f64, z: f64) -> Viewer {
        Viewer { position: WorldPos::new(x, y, z), fov_y_deg: 60.0, height_px: 1080 }
    }

    fn region() -> Region {
        Region::new(Lod::new(4).expect("a level"), [-4, -4, 0], [4, 4, 1]).expect("64 roots")
    }

    fn run(viewer: &Viewer, settings: &SelectSettings) -> Result<Selection, SelectError> {
        let lattice = Lattice::new(1.0).expect("a power of two");
        let content = |_| Content::Triangles(2000);
        select(region(), lattice, viewer, None, &content, settings, &mut SelectScratch::default())
    }

    #[test]
    fn bad_viewers_and_settings_are_named() {
        let good = SelectSettings::default();
        assert!(matches!(run(&viewer(0.0, f64::NAN, 0.0), &good), Err(SelectError::Position { .. })));
        for fov_y_deg in [0.0, 180.0, -5.0, 400.0, f64::NAN, f64::INFINITY, 5e-324] {
            let answer = run(&Viewer { fov_y_deg, ..viewer(0.0, 0.0, 0.0) }, &good);
            assert!(matches!(answer, Err(SelectError::FieldOfView(_))), "{fov_y_deg}");
        }
        let answer = run(&Viewer { height_px: 0, ..viewer(0.0, 0.0, 0.0) }, &good);
        assert_eq!(answer, Err(SelectError::NoPixels));
        for (bad, wrong) in [
            (SelectSettings { pixels: 0.0, ..good }, "pixels"),
            (SelectSettings { error_cells: f64::NAN, ..good }, "error_cells"),
            (SelectSettings { hysteresis: 1.0, ..good }, "hysteresis"),
            (SelectSettings { margin: -1.0, ..good }, "margin"),
        ] {
            let answer = run(&viewer(0.0, 0.0, 0.0), &bad);
            assert!(matches!(answer, Err(SelectError::Setting { name, .. }) if name == wrong), "{wrong}");
        }
    }

    #[test]
    fn every_error_is_below_the_limit_and_no_chunk_is_finer_than_it_must() {
        let settings = SelectSettings { max_triangles: u64::MAX, ..SelectSettings::default() };
        let found = run(&viewer(10.0, -70.0, 300.0), &settings).expect("a good viewer");
        assert_eq!(found.held_at_px, None);
        assert!(found.cut.is_balanced());
        let lattice = Lattice::new(1.0).expect("a power of two");
        let content = |_| Content::Unknown;
        let viewer = viewer(10.0, -70.0, 300.0);
        let judge = Judge::new(lattice, &viewer, None, &content, &settings).expect("a good viewer");
        for (&chunk, &error_px) in found.cut.chunks().iter().zip(&found.error_px) {
            assert!(error_px <= settings.pixels || chunk.lod == Lod::FINEST, "{chunk}: {error_px} px");
            // With these settings the rings are wide enough that balance alone splits nothing.
            let parent = chunk.parent().filter(|&parent| found.cut.region().holds(parent));
            assert!(parent.is_none_or(|parent| judge.chunk(parent, false).error_px > settings.pixels));
        }
        assert_eq!(found.cut.levels(), (Lod::FINEST, Lod::new(4).expect("a level")));
    }

    #[test]
    fn a_budget_is_kept_and_spent_on_the_worst() {
        let free = run(&viewer(0.0, 0.0, 100.0), &SelectSettings::default()).expect("a good viewer");
        for max_triangles in [1, 200_000, 1_000_000, 3_000_000] {
            let settings = SelectSettings { max_triangles, ..SelectSettings::default() };
            let found = run(&viewer(0.0, 0.0, 100.0), &settings).expect("a good viewer");
            let held = found.held_at_px.expect("the budget does not allow all");
            assert!(found.triangles <= max_triangles.max(64 * 2000));
            assert!(found.cut.is_balanced() && found.triangles < free.triangles);
            let worst = found.cut.chunks().iter().zip(&found.error_px).filter(|(c, _)| c.lod > Lod::FINEST);
            let worst = worst.map(|(_, &error)| error).fold(0.0, f64::max);
            assert_eq!(worst, held, "what is worst is what the budget stopped at");
        }
        let settings = SelectSettings { max_chunks: 500, ..SelectSettings::default() };
        let found = run(&viewer(0.0, 0.0, 100.0), &settings).expect("a good viewer");
        assert!(found.cut.chunks().len() <= 500 && found.held_at_px.is_some());
    }

    #[test]
    fn what_is_empty_is_split_only_for_balance() {
        let lattice = Lattice::new(1.0).expect("a power of two");
        let ground = |key: ChunkKey| {
            let z = key.finest_origin().0.z;
            let top = z + CHUNK_CELLS * key.lod.cells();
            if z <= 40 && 40 < top { Content::Unknown } else { Content::Empty }
        };
        let settings = SelectSettings::default();
        let eye = viewer(0.0, 0.0, 45.0);
        let found = select(region(), lattice, &eye, None, &ground, &settings, &mut SelectScratch::default());
        let found = found.expect("a good viewer");
        assert!(found.cut.is_balanced());
        let above = found.cut.holder(ChunkKey::new(0, 0, 15)).expect("the sky is not split to the finest");
        assert!(above.lod >= Lod::new(2).expect("a level"), "{above}");
        assert_eq!(found.cut.holder(ChunkKey::new(0, 0, 1)).map(|c| c.lod), Some(Lod::FINEST));
    }
}
