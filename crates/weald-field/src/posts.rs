//! What is worked out once of a grid of posts: slopes and twists at posts, and what holds in blocks of cells.
//!
//! The rules that these follow, and why they keep the surface between its posts, are told in [`crate::heightfield`].

use crate::algebra::Algebra;

/// What is kept of a post, one after the other: height, slope along x and along y, and twist, all per cell.
pub(crate) const NODE: usize = 4;

/// What holds in blocks of 2, 4, 8 … cells a side; the last level is one block.
pub(crate) struct Pyramid(Vec<Level>);

/// One level of the pyramid: what holds in blocks of 2, 4, 8 … cells a side.
struct Level {
    width: usize,
    height: usize,
    blocks: Vec<Block>,
}

/// The least and the greatest height, and the greatest slope along x and y (per cell), in a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) lo: f32,
    pub(crate) hi: f32,
    pub(crate) slope: [f32; 2],
}

impl Block {
    fn union(self, other: Block) -> Block {
        let slope = [0, 1].map(|i| Algebra::max(self.slope[i], other.slope[i]));
        Block { lo: Algebra::min(self.lo, other.lo), hi: Algebra::max(self.hi, other.hi), slope }
    }
}

/// The slope at a post with these differences to both sides: their mean, limited (see the module).
fn limited(before: f32, after: f32) -> f32 {
    if before * after <= 0.0 {
        return 0.0;
    }
    let limit = 1.5 * Algebra::min(f32::abs(before), f32::abs(after));
    ((before + after) * 0.5).clamp(-limit, limit)
}

/// Height, slopes and twist at each post, [`NODE`] numbers a post.
pub(crate) fn nodes(posts: &[f32], width: usize, height: usize) -> Vec<f32> {
    let post = |x: usize, y: usize| posts[y * width + x];
    let slope = |at: usize, last: usize, post: &dyn Fn(usize) -> f32| {
        let before = if at > 0 { post(at) - post(at - 1) } else { post(1) - post(0) };
        let after = if at < last { post(at + 1) - post(at) } else { before };
        limited(before, after)
    };
    let mut nodes = Vec::with_capacity(NODE * posts.len());
    for y in 0..height {
        for x in 0..width {
            let along_x = slope(x, width - 1, &|x| post(x, y));
            let along_y = slope(y, height - 1, &|y| post(x, y));
            let twist = twist(&post, [x, y], [width - 1, height - 1], [along_x, along_y]);
            nodes.extend([post(x, y), along_x, along_y, twist]);
        }
    }
    nodes
}

/// The twist by central differences, clamped so that the diagonal control points of all cells around stay within the
/// posts of their cells; 0 at the rim.
fn twist(post: &impl Fn(usize, usize) -> f32, at: [usize; 2], last: [usize; 2], slope: [f32; 2]) -> f32 {
    let [x, y] = at;
    if x == 0 || y == 0 || x == last[0] || y == last[1] {
        return 0.0;
    }
    let centre = post(x, y);
    let central = (post(x + 1, y + 1) + post(x - 1, y - 1) - post(x + 1, y - 1) - post(x - 1, y + 1)) * 0.25;
    let (mut least, mut most) = (f32::NEG_INFINITY, f32::INFINITY);
    for (to_x, to_y) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        let (next_x, next_y) = (x.wrapping_add_signed(to_x as isize), y.wrapping_add_signed(to_y as isize));
        let corners = [centre, post(next_x, y), post(x, next_y), post(next_x, next_y)];
        let lo = corners.into_iter().fold(f32::INFINITY, f32::min);
        let hi = corners.into_iter().fold(f32::NEG_INFINITY, f32::max);
        let without = centre + (to_x * slope[0] + to_y * slope[1]) / 3.0;
        let sign = to_x * to_y;
        let (a, b) = (9.0 * sign * (lo - without), 9.0 * sign * (hi - without));
        least = least.max(a.min(b));
        most = most.min(a.max(b));
    }
    central.max(least.min(0.0)).min(most.max(0.0))
}

/// What holds in one cell: from its 16 control points.
fn cell_block(nodes: &[f32], width: usize, x: usize, y: usize) -> Block {
    let mut points = [[0.0_f32; 4]; 4];
    for (corner_y, corner_x) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let [f, along_x, along_y, twist] = nodes.as_chunks::<NODE>().0[(y + corner_y) * width + x + corner_x];
        let (to_x, to_y) = (1.0 - 2.0 * corner_x as f32, 1.0 - 2.0 * corner_y as f32);
        let (s, t) = (to_x * along_x / 3.0, to_y * along_y / 3.0);
        let (edge_x, edge_y) = (3 * corner_x, 3 * corner_y);
        let (inner_x, inner_y) = (1 + corner_x, 1 + corner_y);
        points[edge_y][edge_x] = f;
        points[edge_y][inner_x] = f + s;
        points[inner_y][edge_x] = f + t;
        points[inner_y][inner_x] = f + s + t + to_x * to_y * twist / 9.0;
    }
    let mut block = Block { lo: f32::INFINITY, hi: f32::NEG_INFINITY, slope: [0.0; 2] };
    for row in 0..4 {
        for column in 0..4 {
            block.lo = block.lo.min(points[row][column]);
            block.hi = block.hi.max(points[row][column]);
            if column < 3 {
                block.slope[0] =
                    block.slope[0].max(3.0 * (points[row][column + 1] - points[row][column]).abs());
            }
            if row < 3 {
                block.slope[1] =
                    block.slope[1].max(3.0 * (points[row + 1][column] - points[row][column]).abs());
            }
        }
    }
    block
}

pub(crate) fn pyramid(nodes: &[f32], width: usize, height: usize) -> Pyramid {
    let halved = |width: usize, height: usize, read: &dyn Fn(usize, usize) -> Block| {
        let (half_width, half_height) = (width.div_ceil(2), height.div_ceil(2));
        let mut blocks = Vec::with_capacity(half_width * half_height);
        for y in 0..half_height {
            for x in 0..half_width {
                let mut block = read(2 * x, 2 * y);
                for (dx, dy) in [(1, 0), (0, 1), (1, 1)] {
                    block = block.union(read((2 * x + dx).min(width - 1), (2 * y + dy).min(height - 1)));
                }
                blocks.push(block);
            }
        }
        Level { width: half_width, height: half_height, blocks }
    };
    let mut levels = vec![halved(width - 1, height - 1, &|x, y| cell_block(nodes, width, x, y))];
    while let Some(last) = levels.last()
        && last.blocks.len() > 1
    {
        levels.push(halved(last.width, last.height, &|x, y| last.blocks[y * last.width + x]));
    }
    Pyramid(levels)
}

impl Pyramid {
    /// What holds in all cells from first to last along x and y, and perhaps some more around: read from the finest
    /// level where that is at most four blocks a side.
    pub(crate) fn query(&self, x: (usize, usize), y: (usize, usize)) -> Block {
        let mut shift = 1;
        let coarsest = self.0.len();
        while shift < coarsest && ((x.1 >> shift) - (x.0 >> shift) > 3 || (y.1 >> shift) - (y.0 >> shift) > 3)
        {
            shift += 1;
        }
        let level = &self.0[shift - 1];
        let read = |x: usize, y: usize| level.blocks[y * level.width + x];
        let mut block = read(x.0 >> shift, y.0 >> shift);
        for row in y.0 >> shift..=y.1 >> shift {
            for column in x.0 >> shift..=x.1 >> shift {
                block = block.union(read(column, row));
            }
        }
        block
    }
}
