//! The list of chunks: what a program needs to stream the store of a bake.
//!
//! `chunks.json` names every chunk that holds a surface, of every level of detail, with the artifact that is its mesh and
//! border table. A program chooses a cut, reads the chunks of it, and makes the seams between them
//! ([`weald_contour::seam()`]); chunks that are not listed are empty.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde::Deserialize;
use weald_space::{CHUNK_CELLS, ChunkKey, Lattice, Lod};

use crate::key::JobKey;
use crate::manifest::ManifestRegion;
use crate::recipe::{Extent, Recipe, Region};

/// Changes whenever the same chunks give another list than before.
pub const OUTPUT_VERSION: u32 = 1;
/// What the list says of itself.
const FORMAT: &str = "weald chunks 1";
/// A list with more bytes is none: eight million chunks have some 130 bytes each.
const MAX_BYTES: u64 = 1 << 30;

/// The chunks of a bake that hold a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkList {
    /// Name of the world.
    pub world: String,
    /// The finest lattice.
    pub lattice: Lattice,
    /// The coarsest level.
    pub coarsest: Lod,
    /// What was baked, in finest chunks; those of the coarsest level tile it.
    pub region: Region,
    /// Ordered by level, z, y, x.
    pub chunks: Vec<ListedChunk>,
}

/// A chunk with a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedChunk {
    /// Where it is.
    pub key: ChunkKey,
    /// Cells that the surface crosses. In a cut a chunk shows about two triangles for each.
    pub cells: u32,
    /// Its artifact in the store.
    pub artifact: JobKey,
}

/// The list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChunkListError {
    /// The file cannot be read.
    #[error("cannot read the list of chunks: {0}")]
    Read(io::Error),
    /// It has too many bytes.
    #[error("the list of chunks has {MAX_BYTES} bytes or more, must be below")]
    TooLarge,
    /// It is no such list.
    #[error("this is no list of chunks: {0}")]
    Syntax(String),
    /// A value is out of its range.
    #[error("{what} of the list of chunks is {value}, must be {expected}")]
    Value {
        /// Which.
        what: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// Chunks are out of order, or one is listed twice.
    #[error("the list of chunks is out of order at {0}")]
    Order(ChunkKey),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    format: String,
    world: String,
    cell_size: f64,
    chunk_cells: i64,
    levels: u8,
    region: ManifestRegion,
    chunks: Vec<RawChunk>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawChunk {
    level: u8,
    x: i64,
    y: i64,
    z: i64,
    cells: u32,
    key: String,
}

impl ChunkList {
    /// The list of a recipe's chunks, which are in order.
    pub(crate) fn new(recipe: &Recipe, region: Region, chunks: Vec<ListedChunk>) -> Self {
        let Recipe { name, lattice, coarsest, .. } = recipe;
        ChunkList { world: name.clone(), lattice: *lattice, coarsest: *coarsest, region, chunks }
    }

    /// The list as JSON, a chunk a line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Extent { min, max } = self.region.extent(self.lattice);
        let mut text = String::new();
        let levels = self.coarsest.index() + 1;
        let cell_size = self.lattice.cell_size();
        let _ = write!(
            text,
            "{{\n  \"format\": \"{FORMAT}\",\n  \"world\": {},\n  \"cell_size\": {cell_size},\n  \"chunk_cells\": \
             {CHUNK_CELLS},\n  \"levels\": {levels},\n  \"region\": {{ \"min\": {min:?}, \"max\": {max:?} }},\n  \
             \"chunks\": [",
            serde_json::Value::from(self.world.as_str()),
        );
        for (i, ListedChunk { key, cells, artifact }) in self.chunks.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let ChunkKey { lod, x, y, z } = *key;
            let _ = write!(
                text,
                "{comma}\n    {{ \"level\": {}, \"x\": {x}, \"y\": {y}, \"z\": {z}, \"cells\": {cells}, \"key\": \
                 \"{artifact}\" }}",
                lod.index()
            );
        }
        text += "\n  ]\n}\n";
        text
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no list of chunks.
    pub fn read(file: &Path) -> Result<Self, ChunkListError> {
        let mut bytes = Vec::new();
        let opened = File::open(file).map_err(ChunkListError::Read)?;
        opened.take(MAX_BYTES).read_to_end(&mut bytes).map_err(ChunkListError::Read)?;
        if bytes.len() as u64 == MAX_BYTES {
            return Err(ChunkListError::TooLarge);
        }
        ChunkList::from_json(&bytes)
    }

    /// The list with this JSON.
    ///
    /// # Errors
    /// If it is none. Any bytes may be given.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ChunkListError> {
        let raw: Raw =
            serde_json::from_slice(bytes).map_err(|error| ChunkListError::Syntax(error.to_string()))?;
        let Raw { format, world, cell_size, chunk_cells, levels, region, chunks } = raw;
        check("format", &format, format == FORMAT, FORMAT)?;
        check("chunk_cells", chunk_cells, chunk_cells == CHUNK_CELLS, "32")?;
        let coarsest = levels.checked_sub(1).and_then(Lod::new);
        let coarsest = coarsest.ok_or_else(|| wrong("levels", levels, "from 1 to 17"))?;
        let lattice = Lattice::new(cell_size)
            .map_err(|_| wrong("cell_size", cell_size, "a power of two from 1/256 to 1024"))?;
        let region = whole_chunks(region, lattice, coarsest)?;
        let mut listed = Vec::with_capacity(chunks.len());
        for RawChunk { level, x, y, z, cells, key } in chunks {
            let lod = Lod::new(level).filter(|&lod| lod <= coarsest);
            let lod = lod.ok_or_else(|| wrong("level", level, "below the number of levels"))?;
            for value in [x, y, z] {
                check("place", value, value.unsigned_abs() < FAR, "below 2^40 chunks")?;
            }
            let hash = blake3::Hash::from_hex(&key);
            let hash = hash.map_err(|_| wrong("key", &key, "64 hexadecimal digits"))?;
            let key = ChunkKey::at_level(lod, x, y, z);
            if listed.last().is_some_and(|last: &ListedChunk| last.key >= key) {
                return Err(ChunkListError::Order(key));
            }
            listed.push(ListedChunk { key, cells, artifact: JobKey(*hash.as_bytes()) });
        }
        Ok(ChunkList { world, lattice, coarsest, region, chunks: listed })
    }
}

/// No chunk lies further from the origin, in chunks.
const FAR: u64 = 1 << 40;

/// A region in metres as one in finest chunks.
fn whole_chunks(region: ManifestRegion, lattice: Lattice, coarsest: Lod) -> Result<Region, ChunkListError> {
    let side = CHUNK_CELLS as f64 * lattice.level(coarsest).cell_size();
    let ManifestRegion { min, max } = region;
    for (low, high) in min.into_iter().zip(max) {
        for edge in [low, high] {
            let chunks = edge / side;
            check("region", edge, chunks == chunks.floor(), "a multiple of the coarsest chunk's side")?;
            check("region", edge, chunks.abs() < FAR as f64 / 65_536.0, "nearer to the origin")?;
        }
        check("region", low, low < high, "below its other end")?;
    }
    let chunks = |edge: f64| (edge / side) as i64 * coarsest.cells();
    Ok(Region { min: min.map(chunks), max: max.map(chunks) })
}

fn wrong(what: &'static str, value: impl ToString, expected: &'static str) -> ChunkListError {
    ChunkListError::Value { what, value: value.to_string(), expected }
}

fn check(
    what: &'static str,
    value: impl ToString,
    holds: bool,
    expected: &'static str,
) -> Result<(), ChunkListError> {
    if holds { Ok(()) } else { Err(wrong(what, value, expected)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyHasher;

    fn list() -> ChunkList {
        let chunk = |level, x, z| ListedChunk {
            key: ChunkKey::at_level(Lod::new(level).unwrap(), x, -2, z),
            cells: 9,
            artifact: KeyHasher::new("test").int(x).finish(),
        };
        ChunkList {
            world: "hill".to_owned(),
            lattice: Lattice::new(0.5).unwrap(),
            coarsest: Lod::new(2).unwrap(),
            region: Region { min: [-4, 0], max: [8, 4] },
            chunks: vec![chunk(0, -3, 0), chunk(0, 2, 0), chunk(2, -1, -1)],
        }
    }

    #[test]
    fn a_list_comes_back_from_its_text() {
        let named = "a \"quoted\" name\u{7f}\u{1}\n of \u{200b}".to_owned();
        for list in [list(), ChunkList { chunks: vec![], ..list() }, ChunkList { world: named, ..list() }] {
            assert_eq!(ChunkList::from_json(list.to_json().as_bytes()).unwrap(), list);
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let text = list().to_json();
        for (from, to) in [
            ("weald chunks 1", "weald chunks 2"),
            ("\"levels\": 3", "\"levels\": 0"),
            ("\"levels\": 3", "\"levels\": 2"),
            ("0.5", "0.3"),
            ("32", "16"),
            ("[-64.0", "[-63.0"),
            ("[-64.0", "[6400.0"),
            ("[-64.0", "[1e300"),
            ("\"x\": -3", "\"x\": 3"),
            ("\"x\": -3", "\"x\": -3000000000000000"),
            ("\"key\": \"", "\"key\": \"g"),
            ("\"cells\": 9", "\"cells\": -9"),
            ("\"cells\": 9", "\"size\": 9"),
            ("]\n}", ""),
        ] {
            assert!(text.contains(from), "{text}");
            let changed = text.replacen(from, to, 1);
            assert!(ChunkList::from_json(changed.as_bytes()).is_err(), "{from} to {to}");
        }
        assert!(ChunkList::from_json(b"\xff").is_err());
    }
}
