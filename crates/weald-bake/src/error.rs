//! What can go wrong in a bake.

use weald_contour::ContourError;
use weald_contour::union::UnionError;
use weald_mesh::gltf::GltfError;
use weald_world::{CutError, RegionError, SelectError};

use crate::chunk_list::ChunkListError;
use crate::job::Job;
use crate::preview::PreviewError;
use crate::recipe::{RecipeError, Wrong};
use crate::store::StoreError;

/// Why a bake did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The world file is wrong, or the elevation that it names cannot be read.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The region asked for cannot be baked.
    #[error("{0} (--region)")]
    Region(Box<Wrong>),
    /// The surface does not fit into a plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The store or an output cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The field has no surface that can be followed.
    #[error("{source} ({job})")]
    Contour {
        /// The job.
        job: Job,
        /// Why.
        source: ContourError,
    },
    /// Chunks and seams do not fit together.
    #[error("{0}")]
    Union(#[from] UnionError),
    /// The mesh cannot be written to a GLB file, or read from it.
    #[error("{0}")]
    Gltf(#[from] GltfError),
    /// A picture cannot be taken.
    #[error("{0}")]
    Picture(#[from] PreviewError),
    /// The list of chunks cannot be used.
    #[error(transparent)]
    ChunkList(#[from] ChunkListError),
    /// The region has too many chunks of the coarsest level.
    #[error(transparent)]
    Roots(#[from] RegionError),
    /// A cut has too many chunks.
    #[error(transparent)]
    Cut(#[from] CutError),
    /// No cut can be chosen for a viewer.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// An input of a job is not there, though it was made before.
    #[error("{input} is missing or damaged, which {job} needs; bake again to make it anew")]
    Input {
        /// The job.
        job: Job,
        /// Its input.
        input: Job,
    },
    /// It was asked to stop.
    #[error("interrupted; what was made is kept and the next bake goes on from there")]
    Interrupted,
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        why: String,
    },
}

/// Why the surface does not fit into a plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// There is nothing to bake.
    #[error("the region holds no surface: the field has one sign everywhere in it")]
    NoSurface,
    /// The surface goes up or down without end.
    #[error(
        "the surface leaves the heights from -{limit} m to {limit} m; close it with a solid, or keep less"
    )]
    TooHigh {
        /// The limit in metres.
        limit: f64,
    },
    /// There are too many chunks.
    #[error("the surface runs through more than {limit} chunks; take a smaller region or larger cells")]
    TooManyChunks {
        /// The limit.
        limit: usize,
    },
}
