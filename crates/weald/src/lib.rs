//! Voxel worlds, sharp and smooth: the façade and the guide.
//!
//! Each module is a crate of its own, in the order in which a world passes through them:
//!
//! | module | from what to what |
//! |---|---|
//! | [`space`] | where things are: metres, the lattice, chunks, random numbers by place |
//! | [`field`] | `Expr → Tape → values`: what is there |
//! | [`mesh`] | triangles, the checks on them, glTF |
//! | [`contour`] | `Tape → Chunk, Seam → Mesh`: the surface |
//! | [`terrain`] | `file → Elevation → LocalGrid`: elevation data |
//! | [`world`] | `Viewer → Cut → what is shown`: which chunks, at which level of detail |
//! | [`bake`] | `Recipe ─plan→ Jobs ─run→ Artifacts ─put→ Store`: all of it, from a world file |
//!
//! The [`guide`] explains them in reading order. A whole bake in memory:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use weald::bake::local::{LocalOptions, bake};
//! use weald::bake::store::MemoryStore;
//! use weald::bake::{manifest, plan, recipe};
//!
//! let world = r##"World(
//!     version: 1, name: "dune", cell_size: 2.0, region: (min: (0, 0), max: (64, 64)),
//!     ground: (base: 0.0, detail: [(name: "dunes", noise: (wavelength: 40, octaves: 2), amplitude: 6)]),
//!     materials: [(name: "sand", color: "#d8c08a")],
//!     surface: (default: "sand"),
//! )"##;
//! let recipe = recipe::parse("dune.ron".as_ref(), world)?;
//! let plan = plan::plan(&recipe, recipe.region)?;
//! let store = MemoryStore::default();
//! let options = LocalOptions { threads: None, cancel: &AtomicBool::new(false), progress: &|_| {} };
//! bake(&recipe, &plan, &[&plan.scene], &store, &options)?;
//! let glb = manifest::bytes_of(&plan.scene, &store)?;
//! assert!(glb.starts_with(b"glTF"));
//! # Ok::<(), weald::bake::Error>(())
//! ```
//!
//! What it cannot do yet is said in [`guide::guarantees`].

pub mod guide;

pub use weald_bake as bake;
pub use weald_contour as contour;
pub use weald_field as field;
pub use weald_mesh as mesh;
pub use weald_space as space;
pub use weald_terrain as terrain;
pub use weald_world as world;

/// The vectors of all interfaces; the same version as Bevy 0.19 has.
pub use glam;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
