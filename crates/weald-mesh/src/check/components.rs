//! The parts of a mesh that share no vertex, and what each measures.

use glam::{DVec3, Vec3};

use super::{Findings, Sound, corners, exact};

/// One part of a mesh: the sound triangles that hang together by vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Its lowest vertex.
    pub first_vertex: u32,
    /// Its vertices.
    pub vertices: usize,
    /// Its edges.
    pub edges: usize,
    /// Its triangles.
    pub triangles: usize,
    /// Whether each of its edges lies between two triangles in opposite directions and each vertex is manifold.
    pub closed: bool,
    /// Signed volume in cubic metres, as in [`Findings::volume`].
    pub volume: f64,
    /// Area in square metres.
    pub area: f64,
}

impl Component {
    /// The Euler characteristic.
    #[must_use]
    pub fn euler(&self) -> i64 {
        self.vertices as i64 - self.edges as i64 + self.triangles as i64
    }

    /// The number of handles, of a closed component.
    #[must_use]
    pub fn genus(&self) -> Option<usize> {
        self.closed.then(|| usize::try_from((2 - self.euler()) / 2).unwrap_or(0))
    }
}

/// The component of a vertex that no sound triangle uses.
const UNUSED: u32 = u32::MAX;

pub(super) struct Components {
    pub(super) parts: Vec<Component>,
    /// The component of each vertex, or `UNUSED`.
    of_vertex: Vec<u32>,
}

impl Components {
    pub(super) fn of(&mut self, vertex: u32) -> &mut Component {
        &mut self.parts[self.of_vertex[vertex as usize] as usize]
    }
}

/// Finds the components by disjoint sets over the vertices, in which the lowest vertex stands for its set.
pub(super) fn label(triangles: &[[u32; 3]], vertices: usize) -> Components {
    let mut parents: Vec<u32> = vec![UNUSED; vertices];
    for &triangle in triangles {
        for vertex in triangle {
            let parent = &mut parents[vertex as usize];
            if *parent == UNUSED {
                *parent = vertex;
            }
        }
        let [a, b, c] = triangle.map(|vertex| root(&mut parents, vertex));
        let lowest = a.min(b).min(c);
        for set in [a, b, c] {
            parents[set as usize] = lowest;
        }
    }
    let mut parts: Vec<Component> = Vec::new();
    for vertex in 0..vertices {
        // A parent is lower than its child, so it holds its component's number by now.
        let parent = parents[vertex];
        if parent == UNUSED {
            continue;
        }
        if parent as usize == vertex {
            parents[vertex] = parts.len() as u32;
            parts.push(Component::starting_at(parent));
        } else {
            parents[vertex] = parents[parent as usize];
        }
        parts[parents[vertex] as usize].vertices += 1;
    }
    Components { parts, of_vertex: parents }
}

impl Component {
    fn starting_at(first_vertex: u32) -> Self {
        Component { first_vertex, vertices: 0, edges: 0, triangles: 0, closed: true, volume: 0.0, area: 0.0 }
    }
}

fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        let grandparent = parents[parents[vertex as usize] as usize];
        parents[vertex as usize] = grandparent;
        vertex = grandparent;
    }
    vertex
}

/// Sums areas and volumes in the order of the triangles, in f64, and finds the triangles without area.
pub(super) fn measure(
    positions: &[Vec3],
    sound: &Sound,
    components: &mut Components,
    findings: &mut Findings,
    listed: usize,
) {
    for (index, &triangle) in (0u32..).zip(sound.triangles.iter()) {
        let component = components.of(triangle[0]);
        component.triangles += 1;
        let places = corners(positions, triangle);
        if !places.iter().all(|place| place.is_finite()) {
            continue;
        }
        let [a, b, c] = places.map(Vec3::as_dvec3);
        let area = 0.5 * (b - a).cross(c - a).length();
        let box_volume = a.dot(DVec3::cross(b, c));
        component.area += area;
        component.volume += box_volume;
        findings.area += area;
        findings.volume += box_volume;
        if exact::on_one_line(a, b, c) {
            findings.zero_area.add(sound.in_mesh(index), listed);
        }
    }
    // A cone over a triangle is a sixth of the box along its edges.
    findings.volume /= 6.0;
    for component in &mut components.parts {
        component.volume /= 6.0;
    }
}
