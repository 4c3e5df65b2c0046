//! From a world file to artifacts.
//!
//! `Recipe ─plan→ Jobs ─run→ Artifacts ─put→ Store`
//!
//! - [`recipe`]: the world file, as written and resolved. Its errors tell file, line, column and path.
//! - [`plan`]: which jobs a region needs, in which order, and the name of each artifact: a hash of all that it is made
//!   of, so that a second bake makes only what changed.
//! - [`run`]: [`run_job`] makes one artifact, the same bytes on every machine.
//! - [`local`]: runs a plan on the threads of this machine.
//! - [`store`]: a folder of artifacts that is whole at every moment; [`artifact`] is what lies in it.
//! - [`manifest`], [`report`], [`verify`]: the folder of a bake, what it tells, and whether its mesh is a surface.
//! - [`chunk_list`], [`cut`]: what a program needs to show mixtures of levels of detail, and the mesh of one.
//! - [`preview`]: pictures without a GPU; [`inspect`]: what the field is at a place, and on a cut.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use weald_bake::local::{LocalOptions, bake};
//! use weald_bake::store::MemoryStore;
//! use weald_bake::{plan, recipe};
//!
//! let world = r##"World(
//!     version: 1, name: "hill", cell_size: 4.0, region: (min: (0, 0), max: (128, 128)),
//!     ground: (base: 0.0, solids: [
//!         (name: "hill", op: Add, at: World(64, 64, -10), shape: Sphere(radius: 40), blend: 20),
//!     ]),
//!     materials: [(name: "grass", color: "#6b8f3c")],
//!     surface: (default: "grass"),
//! )"##;
//! let recipe = recipe::parse("hill.ron".as_ref(), world)?;
//! let plan = plan::plan(&recipe, recipe.region)?;
//! let store = MemoryStore::default();
//! let options = LocalOptions { threads: None, cancel: &AtomicBool::new(false), progress: &|_| {} };
//! let outcome = bake(&recipe, &plan, &[&plan.scene], &store, &options)?;
//! assert_eq!(outcome.chunks.made, plan.chunks.len() as u64);
//! assert_eq!(bake(&recipe, &plan, &[&plan.scene], &store, &options)?.made(), 0, "all is in the store");
//! # Ok::<(), weald_bake::Error>(())
//! ```

pub mod artifact;
pub mod chunk_list;
pub mod cut;
pub mod error;
pub mod inspect;
pub mod job;
pub mod key;
pub mod local;
pub mod manifest;
pub mod plan;
pub mod preview;
pub mod recipe;
pub mod report;
pub mod run;
pub mod store;
pub mod verify;

mod paint;

pub use artifact::Artifact;
pub use error::Error;
pub use job::{Inputs, Job, View};
pub use key::JobKey;
pub use plan::{Plan, Planned};
pub use recipe::Recipe;
pub use run::run_job;
pub use store::Store;
