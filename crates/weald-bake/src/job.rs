//! Jobs: what can be made, each by itself.

use std::fmt;

use weald_space::ChunkKey;

use crate::artifact::Artifact;
use crate::error::Error;
use crate::key::JobKey;
use crate::recipe::Region;

/// Something that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Job {
    /// The mesh of a chunk.
    Chunk(ChunkKey),
    /// What joins a chunk to its neighbours.
    Seam(ChunkKey),
    /// The region as one mesh, in a GLB file.
    Scene,
    /// The list of all chunks with a surface, of every level.
    ChunkList(Region),
    /// A picture of the scene.
    Picture(View),
}

/// How a picture looks at the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum View {
    /// From the camera.
    Perspective,
    /// From straight above, north up.
    Plan,
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Job::Chunk(key) => write!(f, "{key}"),
            Job::Seam(key) => write!(f, "seam of {key}"),
            Job::Scene => write!(f, "scene"),
            Job::ChunkList(_) => write!(f, "list of chunks"),
            Job::Picture(View::Perspective) => write!(f, "picture"),
            Job::Picture(View::Plan) => write!(f, "plan"),
        }
    }
}

/// What a job may read: the artifacts of other jobs.
pub trait Inputs: Sync {
    /// The jobs whose artifacts may be read, in the plan's order.
    fn listed(&self) -> Vec<Job>;

    /// The name of the artifact of a listed job.
    ///
    /// # Errors
    /// If the job is not listed.
    fn key(&self, job: Job) -> Result<JobKey, Error>;

    /// The artifact of a listed job.
    ///
    /// # Errors
    /// If the job is not listed, or its artifact is missing or damaged.
    fn artifact(&self, job: Job) -> Result<Artifact, Error>;
}
