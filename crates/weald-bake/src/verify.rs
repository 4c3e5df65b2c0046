//! Whether a baked mesh is a surface: what `weald verify` prints and the report keeps.
//!
//! A region is cut out of a larger world, so its mesh ends at the region's border. Edges that end there, in the outermost
//! cells, are counted apart; every other open edge is a crack.

mod cuts;

use std::collections::BTreeMap;

use weald_mesh::Mesh;
use weald_mesh::check::{CheckSettings, Findings, check_with};
use weald_mesh::gltf::{GlbLimits, read_glb};
use weald_space::{CHUNK_CELLS, Lod};

pub use cuts::{CutVerdict, Totals, verify_cut, verify_random_cuts};

use crate::error::Error;
use crate::recipe::Extent;
use crate::report::ReportTile;

/// A vertex at the border lies in the outermost cell, or in the empty cell beside it that it borrowed.
const BORDER_CELLS: f64 = 2.0;

/// What was found in the mesh of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What the check found.
    pub findings: Findings,
    /// Open edges inside the region.
    pub open_inside: usize,
    /// Open edges on the region's border.
    pub open_on_border: usize,
    /// The chunks of the finest level in which triangles meet that should not, in order; none where the size of a cell is
    /// not known.
    pub tiles: Vec<ReportTile>,
}

impl Verdict {
    /// Whether nothing is wrong. Open edges on the border are not.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.open_inside == 0 && self.findings.is_clean()
    }

    /// Every count with its name; the second is the only one that may differ from zero.
    #[must_use]
    pub fn lines(&self) -> Vec<(&'static str, usize)> {
        let mut lines = vec![
            ("boundary edges inside the region", self.open_inside),
            ("boundary edges on the region's border", self.open_on_border),
        ];
        lines.extend(self.findings.defects());
        lines
    }
}

/// Checks the mesh of a GLB file; without a region every open edge lies inside.
///
/// # Errors
/// If the bytes are no GLB file.
pub fn verify_glb(glb: &[u8], region: Option<Extent>, cell_size: f64) -> Result<Verdict, Error> {
    Ok(verify(&read_glb(glb, &GlbLimits::default())?.mesh, region, cell_size))
}

/// Checks a mesh; without a region every open edge lies inside.
#[must_use]
pub fn verify(mesh: &Mesh, region: Option<Extent>, cell_size: f64) -> Verdict {
    judge(mesh, region, cell_size, |_| Lod::FINEST)
}

/// Checks a mesh whose vertices belong to cells of several levels; `cell_size` is that of the finest.
fn judge(mesh: &Mesh, region: Option<Extent>, cell_size: f64, level: impl Fn(u32) -> Lod) -> Verdict {
    let settings = CheckSettings { listed: usize::MAX, ..CheckSettings::default() };
    let findings = check_with(mesh, &settings);
    let place = |vertex: u32| mesh.origin.0 + mesh.positions[vertex as usize].as_dvec3();
    let on_border = |vertex: u32| {
        let reach = BORDER_CELLS * cell_size * level(vertex).cells() as f64;
        let place = place(vertex);
        region.is_some_and(|Extent { min, max }| {
            (0..2).any(|axis| place[axis] <= min[axis] + reach || place[axis] >= max[axis] - reach)
        })
    };
    let edges = &findings.boundary_edges.first;
    let open_on_border = edges.iter().filter(|edge| edge.iter().all(|&vertex| on_border(vertex))).count();
    let open_inside = findings.boundary_edges.count - open_on_border;

    let mut tiles: BTreeMap<[i64; 3], usize> = BTreeMap::new();
    let meeting = findings.self_intersections.iter().flat_map(|pairs| &pairs.first);
    for &[first, _] in meeting.filter(|_| cell_size > 0.0) {
        let chunk = (place(mesh.triangles[first as usize][0]) / (cell_size * CHUNK_CELLS as f64)).floor();
        let [x, y, z] = chunk.as_i64vec3().to_array();
        *tiles.entry([z, y, x]).or_default() += 1;
    }
    let tiles = tiles
        .into_iter()
        .map(|([z, y, x], self_intersections)| ReportTile { chunk: [x, y, z], self_intersections })
        .collect();
    Verdict { findings, open_inside, open_on_border, tiles }
}
