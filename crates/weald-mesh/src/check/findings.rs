//! The answer of a check.

use std::fmt;

use super::components::{Component, Components};

/// A count with the first of what was counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed<T> {
    /// How many there are.
    pub count: usize,
    /// The first of them, as many as the settings allow.
    pub first: Vec<T>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Listed { count: 0, first: Vec::new() }
    }
}

impl<T> Listed<T> {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn add(&mut self, item: T, listed: usize) {
        self.count += 1;
        if self.first.len() < listed {
            self.first.push(item);
        }
    }
}

/// What a check found.
///
/// Vertices and triangles are named by their place in the mesh. An edge is in exactly one state: between two
/// triangles that traverse it in opposite directions (in order, and not listed), or *boundary*, or *misoriented*, or
/// *non-manifold*.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Vertices of the mesh.
    pub vertices: usize,
    /// Triangles of the mesh.
    pub triangles: usize,
    /// Vertices that a sound triangle uses.
    pub used_vertices: usize,
    /// Triangles whose three indices differ and name vertices of the mesh.
    pub sound_triangles: usize,
    /// Different edges of the sound triangles.
    pub edges: usize,
    /// Vertices whose position is not finite.
    pub non_finite: Listed<u32>,
    /// Triangles with an index that is no vertex of the mesh.
    pub out_of_range: Listed<u32>,
    /// Degenerate triangles that name a vertex twice.
    pub repeated_index: Listed<u32>,
    /// Degenerate triangles of three vertices that lie on one line, exactly.
    pub zero_area: Listed<u32>,
    /// Triangles over the same three vertices as one before them, in whatever order.
    pub duplicates: Listed<u32>,
    /// Edges of one triangle, in its direction.
    pub boundary_edges: Listed<[u32; 2]>,
    /// Edges of two triangles that both traverse it in the same direction, lower index first.
    pub misoriented_edges: Listed<[u32; 2]>,
    /// Edges of more than two triangles, lower index first.
    pub non_manifold_edges: Listed<[u32; 2]>,
    /// Vertices whose triangles form neither one cycle nor one open fan.
    pub non_manifold_vertices: Listed<u32>,
    /// Pairs of triangles that meet elsewhere than in the vertices they share, lower index first; contact counts.
    /// `None` where the settings did not ask. Triangles with a vertex that is not finite have no place to meet in.
    pub self_intersections: Option<Listed<[u32; 2]>>,
    /// Parts that share no vertex, in the order of their lowest vertices.
    pub components: Listed<Component>,
    /// Components that are closed: every edge in order and every vertex manifold.
    pub closed_components: usize,
    /// Signed volume in cubic metres, positive where the triangles face outward. Of a mesh that is not closed it is
    /// that of the cones from the mesh's origin over its triangles.
    pub volume: f64,
    /// Area in square metres.
    pub area: f64,
    handles: usize,
}

impl Findings {
    pub(super) fn new(vertices: usize, triangles: usize) -> Self {
        Findings { vertices, triangles, ..Findings::default() }
    }

    pub(super) fn take_components(&mut self, components: Components, listed: usize) {
        for component in components.parts {
            self.used_vertices += component.vertices;
            self.edges += component.edges;
            self.sound_triangles += component.triangles;
            if component.closed {
                self.closed_components += 1;
                self.handles += component.genus().unwrap_or(0);
            }
            self.components.add(component, listed);
        }
    }

    /// The Euler characteristic: used vertices less edges plus sound triangles.
    #[must_use]
    pub fn euler(&self) -> i64 {
        self.used_vertices as i64 - self.edges as i64 + self.sound_triangles as i64
    }

    /// The genera of the closed components, summed.
    #[must_use]
    pub fn genus(&self) -> usize {
        self.handles
    }

    /// Whether every edge lies between two triangles that traverse it in opposite directions.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.boundary_edges.is_empty()
            && self.misoriented_edges.is_empty()
            && self.non_manifold_edges.is_empty()
    }

    /// Whether no edge has more than two triangles and every vertex has one cycle or one open fan of them.
    #[must_use]
    pub fn is_manifold(&self) -> bool {
        self.non_manifold_edges.is_empty() && self.non_manifold_vertices.is_empty()
    }

    /// Whether nothing is wrong, apart from boundary edges: all indices and positions usable, no degenerate and no
    /// duplicate triangle, manifold, oriented, and without self-intersection where that was looked for.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.defects().iter().all(|&(_, count)| count == 0)
    }

    /// Each kind of defect with its count, in a fixed order; boundary edges are none.
    #[must_use]
    pub fn defects(&self) -> Vec<(&'static str, usize)> {
        let mut defects = vec![
            ("non-finite vertices", self.non_finite.count),
            ("triangles with an index out of range", self.out_of_range.count),
            ("triangles with a repeated index", self.repeated_index.count),
            ("triangles without area", self.zero_area.count),
            ("duplicate triangles", self.duplicates.count),
            ("misoriented edges", self.misoriented_edges.count),
            ("non-manifold edges", self.non_manifold_edges.count),
            ("non-manifold vertices", self.non_manifold_vertices.count),
        ];
        if let Some(pairs) = &self.self_intersections {
            defects.push(("self-intersecting pairs", pairs.count));
        }
        defects
    }
}

/// One line a figure, for people.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: &dyn fmt::Display| writeln!(f, "{name:<38} {value}");
        line("vertices", &self.vertices)?;
        line("triangles", &self.triangles)?;
        line("components", &self.components.count)?;
        line("closed components", &self.closed_components)?;
        line("Euler characteristic", &self.euler())?;
        line("genus of closed components", &self.genus())?;
        line("area, m²", &self.area)?;
        line("volume, m³", &self.volume)?;
        line("boundary edges", &self.boundary_edges.count)?;
        for (name, count) in self.defects() {
            line(name, &count)?;
        }
        if self.self_intersections.is_none() {
            line("self-intersecting pairs", &"not looked for")?;
        }
        Ok(())
    }
}
