//! The tree of chunks of a region, grown from its roots.

use weald_space::ChunkKey;

use crate::cut::Cut;
use crate::region::{Region, span};

const NO_CHILDREN: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    key: ChunkKey,
    start: u64,
    first_child: u32,
}

/// Chunks and which of them are split. The roots come first, along the curve; children lie together, behind their
/// parent.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    region: Region,
    nodes: Vec<Node>,
    leaves: usize,
}

impl Tree {
    pub(crate) fn new(region: Region) -> Self {
        Tree::reusing(region, Vec::new())
    }

    /// The same in the memory of a former tree.
    pub(crate) fn again(self, region: Region) -> Self {
        Tree::reusing(region, self.nodes)
    }

    fn reusing(region: Region, mut nodes: Vec<Node>) -> Self {
        nodes.clear();
        let step = span(region.coarsest());
        nodes.extend(region.roots().enumerate().map(|(i, key)| Node {
            key,
            start: i as u64 * step,
            first_child: NO_CHILDREN,
        }));
        Tree { region, leaves: nodes.len(), nodes }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn leaf_count(&self) -> usize {
        self.leaves
    }

    pub(crate) fn key(&self, node: u32) -> ChunkKey {
        self.nodes[node as usize].key
    }

    pub(crate) fn start(&self, node: u32) -> u64 {
        self.nodes[node as usize].start
    }

    pub(crate) fn is_leaf(&self, node: u32) -> bool {
        self.nodes[node as usize].first_child == NO_CHILDREN
    }

    /// The node of a chunk, if the region holds it and its parent is split.
    pub(crate) fn find(&self, chunk: ChunkKey) -> Option<u32> {
        let mut node = self.region.root_of(chunk)? as u32;
        for level in (chunk.lod.index()..self.region.coarsest().index()).rev() {
            let first = self.nodes[node as usize].first_child;
            if first == NO_CHILDREN {
                return None;
            }
            let steps = level - chunk.lod.index();
            let bit = |c: i64| (c >> steps & 1) as u32;
            node = first + (bit(chunk.x) | bit(chunk.y) << 1 | bit(chunk.z) << 2);
        }
        Some(node)
    }

    /// Splits a leaf that is not of the finest level; its first child.
    pub(crate) fn split(&mut self, node: u32) -> u32 {
        let first = self.nodes.len() as u32;
        let Node { key, start, .. } = self.nodes[node as usize];
        for (i, key) in key.children().into_iter().flatten().enumerate() {
            let start = start + i as u64 * span(key.lod);
            self.nodes.push(Node { key, start, first_child: NO_CHILDREN });
        }
        self.nodes[node as usize].first_child = first;
        self.leaves += 7;
        first
    }

    /// Writes what must be split for this leaf of a balanced tree to be split and the tree to stay balanced: coarser
    /// ones first, the leaf itself last.
    ///
    /// The children of a chunk touch all its 26 neighbours, so all of those must exist: the chunks that would be their
    /// parents, at most seven besides its own, must be split. In a balanced tree these exist already, one level coarser,
    /// and the same holds for them; so the search ends at the roots at the latest.
    pub(crate) fn required(&self, leaf: u32, together: &mut Vec<u32>) {
        together.clear();
        together.push(leaf);
        let mut next = 0;
        while next < together.len() {
            let key = self.key(together[next]);
            next += 1;
            let Some(parent) = key.parent().filter(|parent| parent.lod <= self.region.coarsest()) else {
                continue;
            };
            let outwards = [key.x, key.y, key.z].map(|c| if c & 1 == 0 { -1 } else { 1 });
            for side in 1..8 {
                let by = std::array::from_fn(|axis| if side >> axis & 1 == 1 { outwards[axis] } else { 0 });
                if let Some(found) = self.find(parent.offset(by))
                    && self.is_leaf(found)
                    && !together.contains(&found)
                {
                    together.push(found);
                }
            }
        }
        together.sort_by_key(|&node| std::cmp::Reverse(self.key(node).lod));
    }

    /// Writes the leaves along the curve.
    pub(crate) fn leaves(&self, found: &mut Vec<u32>) {
        found.clear();
        found.reserve(self.leaves);
        let mut open = Vec::with_capacity(8 * 17);
        for root in 0..self.region.root_count() as u32 {
            open.push(root);
            while let Some(node) = open.pop() {
                match self.nodes[node as usize].first_child {
                    NO_CHILDREN => found.push(node),
                    first => open.extend((first..first + 8).rev()),
                }
            }
        }
    }

    /// The cut of the leaves.
    pub(crate) fn cut(&self) -> Cut {
        let mut leaves = Vec::new();
        self.leaves(&mut leaves);
        self.cut_of(&leaves)
    }

    /// The cut of the leaves, as [`Tree::leaves`] lists them.
    pub(crate) fn cut_of(&self, leaves: &[u32]) -> Cut {
        let starts = leaves.iter().map(|&node| self.start(node)).collect();
        let chunks = leaves.iter().map(|&node| self.key(node)).collect();
        Cut::from_parts(self.region, starts, chunks)
    }
}
