//! Faces, and the pairs of crossings on each.

use weald_space::Axis;

use super::{ABSENT, BESIDE, Complex, ComplexError, CrossedEdge, Face, Leaf, Pair};

/// A crossing on the perimeter of a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnPerimeter {
    /// The leaf on the lower side of the face, and that on the upper.
    leaves: [u32; 2],
    /// How far along the perimeter its edge starts, in finest cells.
    along: i32,
    edge: u32,
    side: u8,
    /// Whether the walk comes from the inside.
    leaves_inside: bool,
}

impl Complex {
    pub(super) fn find_pairs(&mut self) -> Result<(), ComplexError> {
        self.walk_perimeters();
        let Complex { leaves, edges, faces, pairs, pair_of_side, perimeter, .. } = self;
        pair_of_side.clear();
        pair_of_side.resize(edges.len(), [ABSENT; 4]);
        for around in perimeter.chunk_by(|a, b| a.leaves == b.leaves) {
            let first = around[0];
            let Some(mut face) = face_at(leaves, &edges[first.edge as usize], first.side.into()) else {
                continue;
            };
            let number = faces.len() as u32;
            face.first_pair = pairs.len() as u32;
            // Where the walk starts inside, the arc around its start comes first.
            let starts_inside = usize::from(first.leaves_inside);
            for i in 0..around.len() {
                let enters = &around[(i + around.len() - starts_inside) % around.len()];
                let exits = &around[(i + around.len() - starts_inside + 1) % around.len()];
                if enters.leaves_inside || !exits.leaves_inside {
                    continue;
                }
                for end in [enters, exits] {
                    pair_of_side[end.edge as usize][end.side as usize] = pairs.len() as u32;
                }
                pairs.push(Pair { face: number, ends: [enters.edge, exits.edge], side: enters.side });
            }
            face.end_pair = pairs.len() as u32;
            if 2 * face.pairs().len() != around.len() {
                let (min, size) = (face.min, face.size);
                return Err(ComplexError::Unpaired { min, size, crossings: around.len() });
            }
            faces.push(face);
        }
        Ok(())
    }

    /// Gathers the crossings of each face in the order of its perimeter: by the lower leaf in one pass, then, of the
    /// dozen that each has, by the upper one and along.
    fn walk_perimeters(&mut self) {
        let Complex { leaves, edges, perimeter, gathered, end_of_leaf, .. } = self;
        gathered.clear();
        end_of_leaf.clear();
        end_of_leaf.resize(leaves.len(), 0);
        for (number, edge) in (0..).zip(edges.iter()) {
            for side in 0..4 {
                if let Some(face) = face_at(leaves, edge, side) {
                    gathered.push(on_perimeter(&face, number, edge, side as u8));
                    end_of_leaf[face.low as usize] += 1;
                }
            }
        }
        let Some(&blank) = gathered.first() else {
            perimeter.clear();
            return;
        };
        let mut next = 0;
        for count in end_of_leaf.iter_mut() {
            (*count, next) = (next, next + *count);
        }
        perimeter.clear();
        perimeter.resize(gathered.len(), blank);
        for crossing in gathered.iter() {
            let slot = &mut end_of_leaf[crossing.leaves[0] as usize];
            perimeter[*slot as usize] = *crossing;
            *slot += 1;
        }
        let mut start = 0;
        for &end in end_of_leaf.iter() {
            let of_leaf = &mut perimeter[start as usize..end as usize];
            of_leaf.sort_unstable_by_key(|crossing| (crossing.leaves[1], crossing.along));
            start = end;
        }
    }
}

/// The face at a side of an edge, as yet without pairs; none where one leaf fills both quadrants, where the patch ends, or
/// between two leaves that are not complete.
fn face_at(leaves: &[Leaf], edge: &CrossedEdge, side: usize) -> Option<Face> {
    let [low, high] = BESIDE[side].map(|quadrant| edge.around[quadrant]);
    if low == high || low == ABSENT || high == ABSENT {
        return None;
    }
    let (below, above) = (&leaves[low as usize], &leaves[high as usize]);
    if !below.complete && !above.complete {
        return None;
    }
    let (u, v) = edge.axis.across();
    let axis: Axis = if side.is_multiple_of(2) { u } else { v };
    let smaller = if below.size <= above.size { below } else { above };
    let mut min = smaller.min;
    min[axis.index()] = edge.low[axis.index()];
    Some(Face { low, high, axis, min, size: smaller.size, first_pair: 0, end_pair: 0 })
}

fn on_perimeter(face: &Face, number: u32, edge: &CrossedEdge, side: u8) -> OnPerimeter {
    let (u, v) = face.axis.across();
    let (u, v, size) = (u.index(), v.index(), face.size);
    // Counter-clockwise from the lowest corner, once round: 4 sizes.
    let along = |point: [i32; 3]| {
        let (x, y) = (point[u] - face.min[u], point[v] - face.min[v]);
        if y == 0 && x < size {
            x
        } else if x == size && y < size {
            size + y
        } else if y == size && x > 0 {
            2 * size + (size - x)
        } else {
            3 * size + (size - y)
        }
    };
    let mut high = edge.low;
    high[edge.axis.index()] += edge.size;
    let (at_low, at_high) = (along(edge.low), along(high));
    let upward = (at_low + edge.size) % (4 * size) == at_high;
    OnPerimeter {
        leaves: [face.low, face.high],
        along: if upward { at_low } else { at_high },
        edge: number,
        side,
        leaves_inside: edge.inside_low == upward,
    }
}
