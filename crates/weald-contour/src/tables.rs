//! Loops of crossings on a cell's surface, for each of the 256 corner masks.
//!
//! On a face, the crossings that bound an inside arc of the face's perimeter are a pair (contract 3, rule 3): both
//! cells of the face see the same corners and so make the same pairs. Where all four edges of a face are crossed, each
//! of its two inside corners is cut off for itself. Each crossing lies on two faces of the cell, so the pairs join
//! the crossings to closed loops, and each loop gets one vertex, as in Dual Marching Cubes [Nielson 2004] and Manifold
//! Dual Contouring [Schaefer, Ju, Warren 2007].

use crate::cell::{CellEdge, CellMask, edge_between, face_corners};

/// No loop: the edge is not crossed.
pub const NO_LOOP: u8 = u8::MAX;

/// The loops of a cell with a given corner mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellLoops {
    /// How many loops there are: 0 to 4.
    pub count: u8,
    /// For each edge the loop that crosses it, or [`NO_LOOP`]. Loops are numbered by their lowest edge.
    pub of_edge: [u8; 12],
    /// Whether some face has two pairs: all its edges are crossed.
    pub has_face_of_two_pairs: bool,
}

impl CellLoops {
    /// The edges that a loop crosses, in ascending order.
    pub fn edges(&self, index: u8) -> impl Iterator<Item = CellEdge> + '_ {
        (0..12).filter(move |&e| self.of_edge[e] == index).map(CellEdge::from_index)
    }
}

/// The loops for each corner mask.
pub static LOOPS: [CellLoops; 256] = build_loops();

/// The loops of a cell.
#[must_use]
pub fn loops(mask: CellMask) -> &'static CellLoops {
    &LOOPS[mask.0 as usize]
}

/// Whether a cell has one loop, which passes no face twice.
#[must_use]
pub fn is_simple(mask: CellMask) -> bool {
    let found = loops(mask);
    found.count == 1 && !found.has_face_of_two_pairs
}

/// The pairs of crossings on one face: 0, 1 or 2.
const fn face_pairs(mask: CellMask, face: usize) -> ([(CellEdge, CellEdge); 2], usize) {
    let corners = face_corners(face);
    let mut pairs = [(CellEdge::from_index(0), CellEdge::from_index(0)); 2];
    let mut count = 0;
    let mut i = 0;
    while i < 4 {
        let next = (i + 1) % 4;
        if !mask.inside(corners[i]) && mask.inside(corners[next]) {
            let mut j = next;
            while mask.inside(corners[(j + 1) % 4]) {
                j = (j + 1) % 4;
            }
            pairs[count] =
                (edge_between(corners[i], corners[next]), edge_between(corners[j], corners[(j + 1) % 4]));
            count += 1;
        }
        i += 1;
    }
    (pairs, count)
}

const fn loops_of(mask: CellMask) -> CellLoops {
    let mut root = [NO_LOOP; 12];
    let mut edge = 0;
    while edge < 12 {
        if mask.crosses(CellEdge::from_index(edge)) {
            root[edge] = edge as u8;
        }
        edge += 1;
    }
    let mut face = 0;
    while face < 6 {
        let (pairs, count) = face_pairs(mask, face);
        let mut p = 0;
        while p < count {
            let (a, b) = (root[pairs[p].0.index()], root[pairs[p].1.index()]);
            let (keep, drop) = if a < b { (a, b) } else { (b, a) };
            let mut e = 0;
            while e < 12 {
                if root[e] == drop {
                    root[e] = keep;
                }
                e += 1;
            }
            p += 1;
        }
        face += 1;
    }
    let mut of_edge = [NO_LOOP; 12];
    let mut count = 0;
    let mut edge = 0;
    while edge < 12 {
        if root[edge] as usize == edge {
            let mut e = edge;
            while e < 12 {
                if root[e] as usize == edge {
                    of_edge[e] = count;
                }
                e += 1;
            }
            count += 1;
        }
        edge += 1;
    }
    let mut has_face_of_two_pairs = false;
    let mut face = 0;
    while face < 6 {
        has_face_of_two_pairs |= face_pairs(mask, face).1 == 2;
        face += 1;
    }
    CellLoops { count, of_edge, has_face_of_two_pairs }
}

const fn build_loops() -> [CellLoops; 256] {
    let mut table = [CellLoops { count: 0, of_edge: [NO_LOOP; 12], has_face_of_two_pairs: false }; 256];
    let mut mask = 0;
    while mask < 256 {
        table[mask] = loops_of(CellMask(mask as u8));
        mask += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crossed_edge_lies_on_exactly_one_loop() {
        for mask in 0..=255 {
            let (mask, found) = (CellMask(mask), loops(CellMask(mask)));
            for e in 0..12 {
                let edge = CellEdge::from_index(e);
                assert_eq!(found.of_edge[e] != NO_LOOP, mask.crosses(edge), "mask {mask:?} edge {e}");
                assert!(found.of_edge[e] == NO_LOOP || found.of_edge[e] < found.count);
            }
            for index in 0..found.count {
                assert!(found.edges(index).count() >= 3, "a loop passes at least three edges: mask {mask:?}");
            }
        }
    }

    #[test]
    fn separated_inside_corners_make_four_loops() {
        // Corners 0, 3, 5 and 6 share no edge.
        assert_eq!(loops(CellMask(0b0110_1001)).count, 4);
        assert_eq!(loops(CellMask(0)).count, 0);
        assert_eq!(loops(CellMask(1)).count, 1);
    }
}
