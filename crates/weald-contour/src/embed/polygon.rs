//! The triangles of each polygon.

use glam::DVec3;

use super::{Around, Corner, Embedding, Side, around};
use crate::complex::{Complex, CrossedEdge, lattice_point};
use crate::dual::{ENVELOPE_MARGIN, best_diagonal};

/// Places, counted from an edge's lower end, as parts of its length; exact.
pub(super) fn in_edge<const N: usize>(edge: &CrossedEdge, places: [DVec3; N]) -> [DVec3; N] {
    let low = lattice_point(edge.low, [0; 3]);
    places.map(|place| (place - low) / f64::from(edge.size))
}

/// Whether the edge passes through the inside of the triangle of three vertices around it, and between its ends. Places
/// are those of [`in_edge`].
pub(super) fn pierced(edge: &CrossedEdge, places: [DVec3; 3]) -> bool {
    let (u, v) = edge.axis.across();
    let [i, j, l] = places.map(|p| DVec3::new(p[u.index()], p[v.index()], p[edge.axis.index()]));
    let cross = |p: DVec3, q: DVec3| p.x * q.y - p.y * q.x;
    let (of_l, of_i, of_j) = (cross(i, j), cross(j, l), cross(l, i));
    let height = (of_l * l.z + of_i * i.z + of_j * j.z) / (of_l + of_i + of_j);
    of_l > 0.0 && of_i > 0.0 && of_j > 0.0 && height > ENVELOPE_MARGIN && height < 1.0 - ENVELOPE_MARGIN
}

impl Embedding {
    pub(super) fn make_triangles(&mut self, complex: &Complex, wanted: &[bool]) {
        self.triangles.clear();
        self.owners.clear();
        self.unsettled.clear();
        for edge in (0..wanted.len()).filter(|&edge| wanted[edge]) {
            if self.make_polygon(complex, edge).is_none() {
                self.unsettled.push(edge as u32);
            }
        }
    }

    /// Makes the triangles of one polygon; `None`, and no triangle, if it is not to be told.
    fn make_polygon(&mut self, complex: &Complex, number: usize) -> Option<()> {
        let Around { loops, sides: edge_sides, count } = around(complex, number)?;
        let edge = &complex.edges()[number];
        let mut places = [DVec3::ZERO; 4];
        let mut pairs = [0; 4];
        let mut all_dual = true;
        for k in 0..count {
            places[k] = self.places[loops[k] as usize]?;
            pairs[k] = complex.pair_of_side(number)[edge_sides[k]] as usize;
            match self.sides[pairs[k]] {
                Side::Dual => {}
                Side::Unsettled => return None,
                _ => all_dual = false,
            }
        }
        let corners = loops.map(Corner::Loop);
        if all_dual {
            if count == 3 {
                let [a, b, c, _] = places;
                if pierced(edge, in_edge(edge, [a, b, c])) {
                    self.emit(number, edge, [corners[0], corners[1], corners[2]]);
                    return Some(());
                }
            } else if let Some(d) = best_diagonal(edge.axis, f64::from(edge.t), in_edge(edge, places)) {
                let [a, b, c, e] = std::array::from_fn(|i| corners[(d + i) % 4]);
                self.emit(number, edge, [a, b, c]);
                self.emit(number, edge, [a, c, e]);
                return Some(());
            }
        }
        self.counts.fans += 1;
        let centre = Corner::Edge(number as u32);
        for k in 0..count {
            let (from, to) = (corners[k], corners[(k + 1) % count]);
            let middle = match self.sides[pairs[k]] {
                Side::Dual | Side::Unsettled => {
                    self.emit(number, edge, [centre, from, to]);
                    continue;
                }
                Side::Point(_) => Corner::Pair(pairs[k] as u32),
                Side::Chord => {
                    let [first, other] = complex.pairs()[pairs[k]].ends;
                    // One triangle on each side of the face, for both polygons together.
                    if first as usize != number {
                        continue;
                    }
                    Corner::Edge(other)
                }
            };
            self.emit(number, edge, [centre, from, middle]);
            self.emit(number, edge, [centre, middle, to]);
        }
        Some(())
    }

    fn emit(&mut self, number: usize, edge: &CrossedEdge, [a, b, c]: [Corner; 3]) {
        self.triangles.push(if edge.inside_low { [a, b, c] } else { [a, c, b] });
        self.owners.push(number as u32);
    }
}
