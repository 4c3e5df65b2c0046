//! Whether a baked mesh is a surface: what `weald verify` prints and the report keeps.
//!
//! A region is cut out of a larger world, so its mesh ends at the region's border. Edges that end there, in the outermost
//! cells, are counted apart; every other open edge is a crack.

use weald_mesh::Mesh;
use weald_mesh::check::{CheckSettings, Findings, check_with};
use weald_mesh::gltf::{GlbLimits, read_glb};

use crate::error::Error;
use crate::recipe::Extent;

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
    let settings = CheckSettings { listed: usize::MAX, ..CheckSettings::default() };
    let findings = check_with(mesh, &settings);
    let reach = BORDER_CELLS * cell_size;
    let on_border = |vertex: u32| {
        let place = mesh.origin.0 + mesh.positions[vertex as usize].as_dvec3();
        region.is_some_and(|Extent { min, max }| {
            (0..2).any(|axis| place[axis] <= min[axis] + reach || place[axis] >= max[axis] - reach)
        })
    };
    let edges = &findings.boundary_edges.first;
    let open_on_border = edges.iter().filter(|edge| edge.iter().all(|&vertex| on_border(vertex))).count();
    let open_inside = findings.boundary_edges.count - open_on_border;
    Verdict { findings, open_inside, open_on_border }
}
