//! What a world file means.
//!
//! `bytes ─parse→ RecipeRaw ─version→ RecipeRaw ─resolve→ Recipe`: [`raw`] is the file as written, `resolve` looks up
//! names, checks ranges and builds fields. An error tells file, line, column and path ([`RecipeError`]).

pub mod error;
pub mod locate;
pub mod raw;
pub mod region;

mod check;
mod formulas;
mod materials;
mod parse;
mod resolve;
mod solids;
mod terrain;
pub mod version;

use std::path::PathBuf;

use weald_field::{Expr, MaterialRules, Tape};
use weald_mesh::MaterialId;
use weald_space::{Aabb, Lattice, Lod};

pub use error::{Extent, RecipeError, Spot, Wrong};
pub use formulas::{MAX_LIBRARIES, MAX_LIBRARY_BYTES};
pub use materials::Palette;
pub use parse::{MAX_BYTES, load, parse};
pub use region::Region;
pub use terrain::Terrain;

use crate::preview::{Camera, PictureSettings};

/// Parts of the surface further from a solid's own surface than its blend and this many cells never look like it.
const REACH_CELLS: f64 = 2.0;

/// A world, resolved: all that jobs read.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The world's name.
    pub name: String,
    /// The file that it was read from.
    pub file: PathBuf,
    /// The lattice.
    pub lattice: Lattice,
    /// The coarsest level of detail that is baked.
    pub coarsest: Lod,
    /// What is baked.
    pub region: Region,
    /// How the region grew to be tiled by chunks of the coarsest level, if it did.
    pub region_note: Option<String>,
    /// The ground.
    pub ground: Ground,
    /// The materials.
    pub palette: Palette,
    /// Where the picture is taken from, if the world file says so.
    pub camera: Option<Camera>,
    /// Size and light of pictures.
    pub picture: PictureSettings,
    /// What deserves attention, apart from the region.
    pub warnings: Vec<String>,
}

impl Recipe {
    /// Takes another region than the world file's: the smallest around this rectangle.
    ///
    /// # Errors
    /// If the rectangle is empty or too large, or the region leaves the elevation.
    pub fn take_region(&mut self, asked: Extent) -> Result<(), Wrong> {
        let (lattice, coarsest) = (self.lattice, self.coarsest);
        self.region = Region::around(asked, lattice, coarsest, self.ground.terrain.extent)?;
        self.region_note = self.region.note_of_growth(asked, lattice, coarsest);
        Ok(())
    }

    /// All that deserves attention.
    pub fn warnings(&self) -> impl Iterator<Item = &String> {
        self.warnings.iter().chain(&self.region_note)
    }
}

/// The ground as a field, and what its surface is made of.
#[derive(Clone, Debug)]
pub struct Ground {
    /// Terrain and solids, negative inside, in metres.
    pub expr: Expr,
    /// The same, compiled.
    pub tape: Tape,
    /// The terrain alone.
    pub terrain: Terrain,
    /// The solids that have a material of their own, in their order.
    pub parts: Vec<Part>,
    /// The materials of the terrain.
    pub rules: MaterialRules,
    /// Stands for the rules.
    pub rules_key: [u8; 32],
}

/// A solid with a material of its own.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its field as if it were alone.
    pub tape: Tape,
    /// Outside of this box nothing of the finest level looks like it.
    pub bounds: Aabb,
    /// Its material.
    pub material: MaterialId,
}

impl Part {
    /// Outside of this box nothing of a level looks like it: larger cells put vertices further from the surface.
    #[must_use]
    pub fn bounds_at(&self, lattice: Lattice, lod: Lod) -> Aabb {
        self.bounds.grow(REACH_CELLS * (lattice.level(lod).cell_size() - lattice.cell_size()))
    }
}
