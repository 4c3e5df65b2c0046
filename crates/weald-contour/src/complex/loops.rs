//! Loops: the pairs of a leaf's faces, joined.
//!
//! Edges are visited in the order of their ranks, so that the loops of a leaf are found in the order of their first
//! edges, and each is walked from there, first over the face that comes last of the leaf's in counter-clockwise order
//! around that edge. None of this depends on how leaves and edges are numbered.

use super::{ABSENT, Complex, ComplexError, CrossedEdge, Leaf, Loop};

impl Complex {
    pub(super) fn find_loops(&mut self) -> Result<(), ComplexError> {
        let Complex { leaves, edges, pairs, pair_of_side, loop_of_quadrant, .. } = self;
        let (order, first_loop) = (&self.order, &mut self.first_loop);
        let (found, ring_edges, ring_pairs) = (&mut self.found, &mut self.ring_edges, &mut self.ring_pairs);
        found.clear();
        ring_edges.clear();
        ring_pairs.clear();
        loop_of_quadrant.clear();
        loop_of_quadrant.resize(edges.len(), [ABSENT; 4]);
        // For now the number of loops of each leaf.
        first_loop.clear();
        first_loop.resize(leaves.len() + 1, 0);
        for &start in order {
            for quadrant in 0..4 {
                let leaf = edges[start as usize].around[quadrant];
                let open = loop_of_quadrant[start as usize][quadrant] == ABSENT;
                if !open || leaf == ABSENT || !leaves[leaf as usize].complete {
                    continue;
                }
                let number = found.len() as u32;
                let first = ring_edges.len() as u32;
                let error = open_loop(&leaves[leaf as usize]);
                let [_, mut out] = ways(&edges[start as usize], leaf, pair_of_side[start as usize]);
                let mut at = start;
                loop {
                    for k in 0..4 {
                        if edges[at as usize].around[k] == leaf {
                            loop_of_quadrant[at as usize][k] = number;
                        }
                    }
                    let pair = pairs.get(out as usize).ok_or(error)?;
                    ring_edges.push(at);
                    ring_pairs.push(out);
                    at = if pair.ends[0] == at { pair.ends[1] } else { pair.ends[0] };
                    if at == start {
                        break;
                    }
                    let [one, other] = ways(&edges[at as usize], leaf, pair_of_side[at as usize]);
                    out = if one == out { other } else { one };
                    if ring_edges.len() - first as usize > edges.len() {
                        return Err(error);
                    }
                }
                let len = ring_edges.len() as u32 - first;
                found.push(Loop { leaf, index: first_loop[leaf as usize], first, len });
                first_loop[leaf as usize] += 1;
            }
        }
        self.sort_loops();
        Ok(())
    }

    /// Sorts the loops by leaf.
    fn sort_loops(&mut self) {
        let mut next = 0;
        for count in &mut self.first_loop {
            (*count, next) = (next, next + *count);
        }
        self.slot.clear();
        self.slot.extend(self.found.iter().map(|found| self.first_loop[found.leaf as usize] + found.index));
        self.loops.clear();
        self.loops.resize(self.found.len(), Loop { leaf: ABSENT, index: 0, first: 0, len: 0 });
        for (found, &slot) in self.found.iter().zip(&self.slot) {
            self.loops[slot as usize] = *found;
        }
        for number in self.loop_of_quadrant.iter_mut().flatten().filter(|number| **number != ABSENT) {
            *number = self.slot[*number as usize];
        }
    }
}

/// The pairs on the two faces of a leaf that meet in an edge: that before the leaf's quadrants, then that after them.
fn ways(edge: &CrossedEdge, leaf: u32, pair_of_side: [u32; 4]) -> [u32; 2] {
    let mut ways = [ABSENT; 2];
    for k in 0..4 {
        let next = (k + 1) % 4;
        match (edge.around[k] == leaf, edge.around[next] == leaf) {
            (false, true) => ways[0] = pair_of_side[k],
            (true, false) => ways[1] = pair_of_side[k],
            _ => {}
        }
    }
    ways
}

fn open_loop(leaf: &Leaf) -> ComplexError {
    ComplexError::OpenLoop { min: leaf.min, size: leaf.size }
}
