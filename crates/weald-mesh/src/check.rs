//! What can be wrong with a mesh, and what it measures.
//!
//! Everything rests on vertex indices and exact predicates: two vertices at one place are two vertices, and nothing
//! is joined or forgiven within a tolerance. A mesh that passes is a surface; one that fails is told where.
//!
//! The triangles that topology and intersection are asked of are the *sound* ones: those whose three indices differ
//! and name vertices of the mesh. The others are counted and listed, never passed over in silence.
//!
//! Cost: time and memory linear in the number of triangles, but for self-intersection, which sorts, and whose time
//! grows with the number of pairs whose boxes meet. The findings are the same on any number of threads.

mod components;
mod contact;
mod edges;
mod exact;
mod fans;
mod findings;
mod pairs;

use std::borrow::Cow;

use glam::Vec3;

use crate::Mesh;

pub use components::Component;
pub use contact::triangles_meet;
pub use findings::{Findings, Listed};

/// How much a check looks at and lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckSettings {
    /// Whether to look for triangles that meet where they should not. It costs more than all else together.
    pub self_intersections: bool,
    /// The most entries that a list of findings keeps. Counts are exact whatever it is.
    pub listed: usize,
}

impl Default for CheckSettings {
    fn default() -> Self {
        CheckSettings { self_intersections: true, listed: 1000 }
    }
}

/// Checks a mesh with the default settings: everything, and lists of at most 1,000 entries.
///
/// # Panics
/// If the mesh has more than 2³² / 3 triangles.
#[must_use]
pub fn check(mesh: &Mesh) -> Findings {
    check_with(mesh, &CheckSettings::default())
}

/// Checks a mesh.
///
/// # Panics
/// If the mesh has more than 2³² / 3 triangles.
#[must_use]
pub fn check_with(mesh: &Mesh, settings: &CheckSettings) -> Findings {
    let Mesh { positions, triangles, .. } = mesh;
    let listed = settings.listed;
    assert!(triangles.len() <= (u32::MAX / 3) as usize, "a mesh has at most 2^32 / 3 triangles");

    let mut findings = Findings::new(positions.len(), triangles.len());
    for (vertex, position) in (0u32..).zip(positions) {
        if !position.is_finite() {
            findings.non_finite.add(vertex, listed);
        }
    }
    let sound = Sound::of(triangles, positions.len(), &mut findings, listed);
    let mut components = components::label(&sound.triangles, positions.len());
    components::measure(positions, &sound, &mut components, &mut findings, listed);
    let edges = edges::pair(&sound, positions.len(), &mut components, &mut findings, listed);
    fans::walk(&sound.triangles, edges, &mut components, &mut findings, listed);
    if settings.self_intersections {
        findings.self_intersections = Some(pairs::meeting(positions, &sound, listed));
    }
    findings.take_components(components, listed);
    findings
}

/// The triangles that can be asked about topology: three different indices, all of them vertices of the mesh.
struct Sound<'a> {
    triangles: Cow<'a, [[u32; 3]]>,
    /// The place of each sound triangle in the mesh, where some were left out.
    in_mesh: Option<Vec<u32>>,
}

impl<'a> Sound<'a> {
    fn of(triangles: &'a [[u32; 3]], vertices: usize, findings: &mut Findings, listed: usize) -> Self {
        let mut bad = Vec::new();
        for (index, &[a, b, c]) in (0u32..).zip(triangles) {
            if [a, b, c].iter().any(|&i| i as usize >= vertices) {
                findings.out_of_range.add(index, listed);
                bad.push(index);
            } else if a == b || b == c || c == a {
                findings.repeated_index.add(index, listed);
                bad.push(index);
            }
        }
        if bad.is_empty() {
            return Sound { triangles: Cow::Borrowed(triangles), in_mesh: None };
        }
        let mut bad = bad.into_iter().peekable();
        let kept: Vec<u32> =
            (0..triangles.len() as u32).filter(|&index| bad.next_if_eq(&index).is_none()).collect();
        let triangles = kept.iter().map(|&index| triangles[index as usize]).collect();
        Sound { triangles: Cow::Owned(triangles), in_mesh: Some(kept) }
    }

    /// The place in the mesh of the sound triangle at `index`.
    fn in_mesh(&self, index: u32) -> u32 {
        self.in_mesh.as_ref().map_or(index, |kept| kept[index as usize])
    }
}

/// The corners of a triangle whose indices are in range.
fn corners(positions: &[Vec3], triangle: [u32; 3]) -> [Vec3; 3] {
    triangle.map(|i| positions[i as usize])
}
