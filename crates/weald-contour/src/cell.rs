//! The numbering of a cell's corners, edges and faces.
//!
//! Corner `i` lies on the max side in x where bit 0 of `i` is set, in y for bit 1, in z for bit 2. Edge `4a + u + 2v`
//! runs along axis `a`; `u` and `v` say on which side it lies along the two axes across `a`, in cyclic order. Face
//! `2a + side` lies across axis `a`.

use weald_space::Axis;

/// An edge of a cell, 0 to 11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellEdge(u8);

impl CellEdge {
    /// The edge along `axis` that lies on side `u` and `v` of the two axes across.
    #[must_use]
    pub const fn new(axis: Axis, u: bool, v: bool) -> Self {
        CellEdge(axis as u8 * 4 + u as u8 + 2 * v as u8)
    }

    /// The edge with this number.
    ///
    /// # Panics
    /// If `index > 11`.
    #[must_use]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < 12, "a cell has 12 edges");
        CellEdge(index as u8)
    }

    /// 0 to 11.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The axis along which the edge runs.
    #[must_use]
    pub const fn axis(self) -> Axis {
        match self.0 / 4 {
            0 => Axis::X,
            1 => Axis::Y,
            _ => Axis::Z,
        }
    }

    /// The corner at the edge's lower end; the upper one has the axis' bit set as well.
    #[must_use]
    pub const fn low_corner(self) -> u8 {
        let (u, v) = self.axis().across();
        (self.0 & 1) << u as u8 | (self.0 >> 1 & 1) << v as u8
    }

    /// The corner at the edge's upper end.
    #[must_use]
    pub const fn high_corner(self) -> u8 {
        self.low_corner() | 1 << self.axis() as u8
    }
}

/// The signs at a cell's corners: bit `i` is set where corner `i` lies inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellMask(pub u8);

impl CellMask {
    /// Whether the corner lies inside.
    #[must_use]
    pub const fn inside(self, corner: u8) -> bool {
        self.0 >> corner & 1 != 0
    }

    /// Whether the sign changes along the edge.
    #[must_use]
    pub const fn crosses(self, edge: CellEdge) -> bool {
        self.inside(edge.low_corner()) != self.inside(edge.high_corner())
    }
}

/// The corners of face `2 * axis + side`, in cyclic order.
#[must_use]
pub const fn face_corners(face: usize) -> [u8; 4] {
    let axis = match face / 2 {
        0 => Axis::X,
        1 => Axis::Y,
        _ => Axis::Z,
    };
    let (u, v) = axis.across();
    let (base, u, v) = ((face as u8 & 1) << axis as u8, 1 << u as u8, 1 << v as u8);
    [base, base | u, base | u | v, base | v]
}

/// The edge between two corners that differ in one bit.
///
/// # Panics
/// If they do not.
#[must_use]
pub const fn edge_between(a: u8, b: u8) -> CellEdge {
    let mut i = 0;
    while i < 12 {
        let edge = CellEdge(i);
        let (low, high) = (edge.low_corner(), edge.high_corner());
        if low == a && high == b || low == b && high == a {
            return edge;
        }
        i += 1;
    }
    panic!("these corners share no edge")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_joins_two_corners_that_differ_in_its_axis() {
        for i in 0..12 {
            let edge = CellEdge::from_index(i);
            assert_eq!(edge.low_corner() ^ edge.high_corner(), 1 << edge.axis().index());
            assert_eq!(edge_between(edge.low_corner(), edge.high_corner()), edge);
        }
    }

    #[test]
    fn corners_of_a_face_are_neighbours_in_their_order() {
        for face in 0..6 {
            let corners = face_corners(face);
            for i in 0..4 {
                assert_eq!((corners[i] ^ corners[(i + 1) % 4]).count_ones(), 1);
            }
        }
    }
}
