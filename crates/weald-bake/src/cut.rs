//! The chunks of a bake, and the mesh of a cut through their levels of detail.
//!
//! `store ─read→ BakedChunks ─seams, union→ CutMesh`. Nothing here reads the recipe: what a program that streams a store
//! does for a cut is done here for all of it at once, to check it and to take pictures of it.

use glam::{DVec2, DVec3, I64Vec3};
use rayon::prelude::*;
use weald_contour::border::{self, BorderTable};
use weald_contour::cut::MOST_LEVELS_APART;
use weald_contour::{Chunk, ContourError, Piece, Seam, SeamScratch, seam, union};
use weald_mesh::{MaterialId, Mesh};
use weald_space::{CHUNK_CELLS, ChunkKey, Lattice, Lod, Seed, VoxelPos, WorldPos, ops};
use weald_world::{Content, Cut, Region, SelectScratch, SelectSettings, Viewer, random_cut, select};

use crate::artifact::Artifact;
use crate::chunk_list::{ChunkList, ListedChunk};
use crate::error::Error;
use crate::job::Job;
use crate::preview::LevelRow;
use crate::recipe::Extent;
use crate::store::{Artifacts, Found};

/// Chances to split a chunk that random cuts are drawn with: at the lower one three of four chunks of the coarsest
/// level stay whole, at the upper one nearly all is of the finest. Cuts of one chance would all look alike, with nearly
/// as many chunks of each level.
const SPLIT: std::ops::Range<f64> = 0.25..0.9;

/// The viewer of [`BakedChunks::cut_for`]: a usual angle of view and a usual screen.
const FOV_DEG: f64 = 60.0;
const HEIGHT_PX: u32 = 1080;
/// How far from a viewer the coarsest level begins where nothing else is asked for, as a share of the region's diagonal. From
/// the middle the corners then show it: of 4 x 4 coarsest chunks, the nearest corner of an outermost
/// one is 0.25 diagonals away at the corners of the region and 0.18 at its sides. With more a picture of a small region lacks
/// levels; with less the finest shrink to a dot.
const COARSEST_BEYOND: f64 = 0.22;

/// All chunks of a bake that hold a surface, read once and shared by all cuts.
pub struct BakedChunks {
    lattice: Lattice,
    coarsest: Lod,
    extent: Extent,
    region: Region,
    /// Ascending.
    keys: Vec<ChunkKey>,
    chunks: Vec<Chunk>,
    /// The chunks of every level that hold a surface or a chunk that does, ascending.
    reached: Vec<ChunkKey>,
}

/// The mesh of a cut, joined from its chunks and seams.
#[derive(Clone, Debug)]
pub struct CutMesh {
    /// The mesh; the material of a vertex is the number of its level.
    pub mesh: Mesh,
    /// Chunks of each level that hold a surface, from the finest.
    pub chunks: Vec<usize>,
    /// Leaves whose vertices had to be moved apart and could not.
    pub stuck: u64,
}

impl CutMesh {
    /// What a picture's key tells of each level that is shown.
    #[must_use]
    pub fn key(&self, lattice: Lattice) -> Vec<LevelRow> {
        let shown = (0_u8..).zip(&self.chunks).filter(|&(_, &chunks)| chunks > 0);
        let row = |(level, chunks): (u8, &usize)| {
            let cell = lattice.level(Lod::new(level).unwrap_or(Lod::COARSEST)).cell_size();
            let s = if *chunks == 1 { "" } else { "s" };
            LevelRow { level, text: format!("level {level}: cells of {cell} m, {chunks} chunk{s}") }
        };
        shown.map(row).collect()
    }
}

impl BakedChunks {
    /// Reads all listed chunks.
    ///
    /// # Errors
    /// If one of them is missing or damaged, or they lie too far apart for a cut.
    pub fn read(list: &ChunkList, store: &dyn Artifacts) -> Result<Self, Error> {
        let read = |listed: &ListedChunk| match store.get(listed.artifact)? {
            Found::Whole(Artifact::Chunk(chunk)) => Ok(chunk.chunk),
            _ => Err(Error::Input { job: Job::ChunkList(list.region), input: Job::Chunk(listed.key) }),
        };
        let chunks = list.chunks.par_iter().map(read).collect::<Result<Vec<Chunk>, Error>>()?;
        let keys: Vec<ChunkKey> = list.chunks.iter().map(|listed| listed.key).collect();
        let coarsest = list.coarsest;
        let mut reached = keys.clone();
        for &key in &keys {
            let coarser = std::iter::successors(key.parent(), |parent| parent.parent());
            reached.extend(coarser.take_while(|parent| parent.lod <= coarsest));
        }
        reached.sort_unstable();
        reached.dedup();
        let roots = reached.iter().filter(|key| key.lod == coarsest).map(|key| key.z);
        let (low, high) = roots.fold((i64::MAX, i64::MIN), |(l, h), z| (l.min(z), h.max(z)));
        let corner = |plan: [i64; 2], z: i64| {
            let [x, y] = plan.map(|c| c.div_euclid(coarsest.cells()));
            [x, y, z]
        };
        let (low, high) = if low > high { (0, 0) } else { (low, high) };
        let region = Region::new(coarsest, corner(list.region.min, low), corner(list.region.max, high + 1))?;
        let extent = list.region.extent(list.lattice);
        Ok(BakedChunks { lattice: list.lattice, coarsest, extent, region, keys, chunks, reached })
    }

    /// The coarsest level.
    #[must_use]
    pub fn coarsest(&self) -> Lod {
        self.coarsest
    }

    /// The finest lattice.
    #[must_use]
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// What was baked, in metres.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// What cuts tile: the region, as high as its chunks are.
    #[must_use]
    pub fn region(&self) -> Region {
        self.region
    }

    /// A random cut: equal for an equal seed and number. Each number has its own chance to split a chunk.
    ///
    /// Chunks that touch may be of any two levels, as far as seams can join them; where a bake has more levels than that,
    /// the cut is balanced.
    ///
    /// # Errors
    /// If it would have too many chunks.
    pub fn random_cut(&self, seed: u64, number: u32) -> Result<Cut, Error> {
        const CHANCE: u32 = 0;
        let seed = Seed::new(seed).child("random cuts");
        let chance = seed.at(I64Vec3::ZERO, number, CHANCE).range(SPLIT);
        let cut = random_cut(seed.child(&number.to_string()), self.region, Lod::FINEST, chance)?;
        Ok(if self.coarsest.index() > MOST_LEVELS_APART { cut.balanced()? } else { cut })
    }

    /// The cut that a viewer is shown who stands at `eye`, in metres, or on the surface in the middle of the region, and
    /// who bears an error of so many pixels. Where none are given it is as many as [`SelectSettings`] do, or more, so that the
    /// coarsest level shows too.
    ///
    /// # Errors
    /// If the eye or the pixels are out of range.
    pub fn cut_for(&self, eye: Option<DVec3>, pixels: Option<f64>) -> Result<Cut, Error> {
        let mut settings = SelectSettings::default();
        settings.pixels = pixels.unwrap_or_else(|| settings.pixels.max(self.telling_pixels(&settings)));
        let position = WorldPos(eye.unwrap_or_else(|| self.surface_middle()));
        let viewer = Viewer { position, fov_y_deg: FOV_DEG, height_px: HEIGHT_PX };
        let content = |key: ChunkKey| match self.keys.binary_search(&key) {
            Ok(at) => Content::Triangles(2 * self.chunks[at].counts.cells),
            Err(_) if self.reached.binary_search(&key).is_ok() => Content::Triangles(0),
            Err(_) => Content::Empty,
        };
        let mut scratch = SelectScratch::default();
        let selected = select(self.region, self.lattice, &viewer, None, &content, &settings, &mut scratch)?;
        Ok(selected.cut)
    }

    /// An error at which the coarsest level is shown from [`COARSEST_BEYOND`] on.
    fn telling_pixels(&self, settings: &SelectSettings) -> f64 {
        let Extent { min, max } = self.extent;
        let distance = COARSEST_BEYOND * (DVec2::from(max) - DVec2::from(min)).length();
        let error = settings.error_cells * self.lattice.level(self.coarsest).cell_size();
        let px_at_one_metre = f64::from(HEIGHT_PX) / (2.0 * ops::tan((FOV_DEG / 2.0).to_radians()));
        px_at_one_metre * error / distance
    }

    /// The middle of the plan, in the highest finest chunk there that holds a surface.
    fn surface_middle(&self) -> DVec3 {
        let side = self.lattice.cell_size() * CHUNK_CELLS as f64;
        let Extent { min, max } = self.extent;
        let middle = (DVec2::from(min) + DVec2::from(max)) * 0.5;
        let [x, y] = (middle / side).floor().as_i64vec2().to_array();
        let column = self.keys.iter().filter(|key| key.lod == Lod::FINEST && (key.x, key.y) == (x, y));
        let top = column.map(|key| key.z).max().unwrap_or(0);
        middle.extend((top as f64 + 0.5) * side)
    }

    fn chunk(&self, key: ChunkKey) -> Option<&Chunk> {
        self.keys.binary_search(&key).ok().map(|at| &self.chunks[at])
    }

    fn table(&self, key: ChunkKey) -> &BorderTable {
        self.chunk(key).map_or(&border::EMPTY, |chunk| &chunk.border)
    }

    /// The seams of the cut's chunks, in their order.
    ///
    /// # Errors
    /// If border tables do not fit together.
    pub fn sew(&self, cut: &Cut) -> Result<Vec<Seam>, Error> {
        let holder = |cell: VoxelPos| {
            let key = cut.holder(ChunkKey::containing(cell))?;
            Some((key, self.table(key)))
        };
        let sew = |scratch: &mut SeamScratch, &key: &ChunkKey| match seam(&holder, key, scratch) {
            Ok(seam) => Ok(seam),
            Err(source) => Err(seam_error(key, source)),
        };
        cut.chunks().par_iter().map_init(SeamScratch::default, sew).collect()
    }

    /// The mesh of a cut through the region of these chunks.
    ///
    /// # Errors
    /// If border tables do not fit together.
    pub fn mesh_of(&self, cut: &Cut) -> Result<CutMesh, Error> {
        let seams = self.sew(cut)?;
        let empty = Chunk::default();
        let chunks: Vec<&Chunk> = cut.chunks().iter().map(|&key| self.chunk(key).unwrap_or(&empty)).collect();
        let longest = chunks.iter().map(|chunk| chunk.vertices.len());
        let longest = longest.chain(seams.iter().map(|seam| seam.added.len())).max().unwrap_or(0);
        let materials: Vec<Vec<MaterialId>> =
            (0..=self.coarsest.index()).map(|level| vec![MaterialId(level); longest]).collect();
        let mut of_seams: Vec<MaterialId> = Vec::new();
        let mut ends = Vec::with_capacity(seams.len());
        for seam in &seams {
            of_seams.extend(seam.added.iter().map(|vertex| MaterialId(vertex.name.lod().index())));
            ends.push(of_seams.len());
        }
        let mut counts = vec![0; materials.len()];
        let mut pieces = Vec::with_capacity(seams.len());
        for (i, (&key, seam)) in cut.chunks().iter().zip(&seams).enumerate() {
            let level = usize::from(key.lod.index());
            let chunk = chunks[i];
            counts[level] += usize::from(chunk.counts.cells > 0);
            pieces.push(Piece {
                key,
                chunk,
                chunk_materials: &materials[level][..chunk.vertices.len()],
                seam,
                seam_materials: &of_seams[ends[i] - seam.added.len()..ends[i]],
            });
        }
        let mesh = union(self.lattice, self.middle(), &pieces)?;
        let of_seams = seams.iter().map(|seam| seam.counts.stuck);
        let stuck = of_seams.chain(chunks.iter().map(|chunk| chunk.counts.stuck)).map(u64::from).sum();
        Ok(CutMesh { mesh, chunks: counts, stuck })
    }

    /// A lattice point in the middle of the region: positions of a mesh are exact near its origin.
    fn middle(&self) -> VoxelPos {
        let bounds = self.region.bounds(self.lattice);
        let middle = (bounds.min + bounds.max) * 0.5 / (self.lattice.cell_size() * CHUNK_CELLS as f64);
        VoxelPos(middle.floor().as_i64vec3() * CHUNK_CELLS)
    }
}

fn seam_error(key: ChunkKey, source: ContourError) -> Error {
    Error::Contour { job: Job::Seam(key), source }
}
