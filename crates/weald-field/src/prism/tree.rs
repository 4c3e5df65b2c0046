//! A tree over the edges of an outline.
//!
//! Edges that follow each other are near each other, so halving the list gives boxes that are as good as sorted ones,
//! and each node is a chain of edges: which part of a chain a ray crosses is told, for a chain to one side of it, by
//! where the chain starts and ends.

/// The most edges of a leaf.
const LEAF: usize = 4;

/// Bounding boxes of ranges of edges. Edge `i` goes from corner `i` to the next one.
#[derive(Debug)]
pub(super) struct Tree {
    count: usize,
    /// The children of `i` are `2 i + 1` and `2 i + 2`.
    boxes: Vec<Rect>,
}

/// A rectangle along the axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rect {
    pub(super) min: [f32; 2],
    pub(super) max: [f32; 2],
}

/// A chain of edges, and what bounds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    node: usize,
    /// The first edge, and the one after the last.
    pub(super) edges: [usize; 2],
    pub(super) rect: Rect,
}

impl Rect {
    pub(super) fn around(points: impl Iterator<Item = [f32; 2]>) -> Self {
        let mut rect = Rect { min: [f32::INFINITY; 2], max: [f32::NEG_INFINITY; 2] };
        for point in points {
            for axis in 0..2 {
                rect.min[axis] = f32::min(rect.min[axis], point[axis]);
                rect.max[axis] = f32::max(rect.max[axis], point[axis]);
            }
        }
        rect
    }

    /// The squared distance of a point.
    pub(super) fn square_distance(&self, point: [f64; 2]) -> f64 {
        let mut sum = 0.0;
        for axis in 0..2 {
            let (below, above) =
                (f64::from(self.min[axis]) - point[axis], point[axis] - f64::from(self.max[axis]));
            let apart = f64::max(0.0, f64::max(below, above));
            sum += apart * apart;
        }
        sum
    }
}

impl Tree {
    pub(super) fn new(corners: &[[f32; 2]]) -> Self {
        let count = corners.len();
        let mut tree = Tree { count, boxes: Vec::new() };
        tree.fill(0, [0, count], corners);
        tree
    }

    fn fill(&mut self, node: usize, [first, end]: [usize; 2], corners: &[[f32; 2]]) {
        if self.boxes.len() <= node {
            let nothing = Rect::around(std::iter::empty());
            self.boxes.resize(node + 1, nothing);
        }
        self.boxes[node] = Rect::around((first..=end).map(|i| corners[i % corners.len()]));
        if end - first > LEAF {
            let middle = first.midpoint(end);
            self.fill(2 * node + 1, [first, middle], corners);
            self.fill(2 * node + 2, [middle, end], corners);
        }
    }

    pub(super) fn root(&self) -> Chain {
        Chain { node: 0, edges: [0, self.count], rect: self.boxes[0] }
    }

    /// Both halves of a chain, in order; nothing, if it is a leaf.
    pub(super) fn halves(&self, chain: Chain) -> Option<[Chain; 2]> {
        let [first, end] = chain.edges;
        if end - first <= LEAF {
            return None;
        }
        let middle = first.midpoint(end);
        let half = |node: usize, edges| Chain { node, edges, rect: self.boxes[node] };
        Some([half(2 * chain.node + 1, [first, middle]), half(2 * chain.node + 2, [middle, end])])
    }

    /// Visits the edges of all leaves that meet the box of a segment.
    pub(super) fn overlapping(&self, segment: [[f32; 2]; 2], visit: &mut impl FnMut(usize)) {
        let rect = Rect::around(segment.into_iter());
        let mut chains = vec![self.root()];
        while let Some(chain) = chains.pop() {
            if (0..2).any(|i| chain.rect.min[i] > rect.max[i] || chain.rect.max[i] < rect.min[i]) {
                continue;
            }
            match self.halves(chain) {
                Some([before, after]) => chains.extend([after, before]),
                None => (chain.edges[0]..chain.edges[1]).for_each(&mut *visit),
            }
        }
    }
}
