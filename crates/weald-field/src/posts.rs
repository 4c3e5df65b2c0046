//! What is worked out once of a grid of posts: slopes and twists at posts, and what holds in blocks of cells.
//!
//! The rules that these follow, and why they keep the surface between its posts, are told in [`crate::heightfield`].

use glam::DVec2;

use crate::algebra::{Algebra, Dual, Enclosure, Pointwise, Table, Word, each};
use crate::raster::{RasterSpot, Weights, clamped};

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
    /// What holds in a cell of a surface that is linear along x and along y, from its corners in rows.
    pub(crate) fn of_corners([a, b, c, d]: [f32; 4]) -> Block {
        let (lo, hi) = ([b, c, d].into_iter().fold(a, f32::min), [b, c, d].into_iter().fold(a, f32::max));
        Block {
            lo,
            hi,
            slope: [f32::max((b - a).abs(), (d - c).abs()), f32::max((c - a).abs(), (d - b).abs())],
        }
    }

    /// A range for heights and slopes, in metres. The margins cover the rounding of a blend, which is relative to the
    /// heights.
    pub(crate) fn dual_bounds(self, step: DVec2) -> Dual<Enclosure> {
        let magnitude = Algebra::max(f32::abs(self.lo), f32::abs(self.hi));
        let margin = magnitude * 2e-6;
        let slope = |axis: usize| {
            let per_cell = f64::from(self.slope[axis]) * 1.0001 + f64::from(magnitude) * 4e-6;
            Enclosure::within((per_cell / step[axis]) as f32)
        };
        let value = Enclosure::hull(self.lo - margin, self.hi + margin);
        Dual::new(value, [slope(0), slope(1), Enclosure::hull(0.0, 0.0)])
    }

    pub(crate) fn union(self, other: Block) -> Block {
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

/// The height at spots along both axes: curves along y over the columns on both sides, and one along x between.
#[inline(always)]
pub(crate) fn value<A: Pointwise>(
    context: A::Context,
    nodes: &[f32],
    width: u32,
    x: RasterSpot<A>,
    y: RasterSpot<A>,
) -> A {
    let (along_x, along_y) = (Weights::new(clamped(x.part)), Weights::new(clamped(y.part)));
    let first = y.cell.times(width).plus(x.cell).times(NODE as u32);
    let (height, slope) = (0, 1);
    along_x.blend(
        curve(context, nodes, width, first, height, along_y),
        curve(context, nodes, width, first.plus_constant(NODE as u32), height, along_y),
        curve(context, nodes, width, first, slope, along_y),
        curve(context, nodes, width, first.plus_constant(NODE as u32), slope, along_y),
    )
}

/// The height (part 0) or the slope along x (part 1) on a curve along y, from what is kept of the posts at both ends.
#[inline(always)]
fn curve<A: Pointwise>(
    context: A::Context,
    nodes: &[f32],
    width: u32,
    first: A::Word,
    part: u32,
    along: Weights<A>,
) -> A {
    let far = first.plus_constant(width * NODE as u32);
    let numbers = [
        first.plus_constant(part),
        far.plus_constant(part),
        first.plus_constant(part + 2),
        far.plus_constant(part + 2),
    ];
    let [near, far, near_slope, far_slope] = each(
        numbers,
        #[inline(always)]
        |number| A::lookup(context, Table(nodes), number),
    );
    along.blend(near, far, near_slope, far_slope)
}

/// What holds in one cell: from its 16 control points.
pub(crate) fn cell_block(nodes: &[f32], width: usize, x: usize, y: usize) -> Block {
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

/// The pyramid over so many cells; `cell` tells what holds in one of them.
pub(crate) fn pyramid(width: usize, height: usize, cell: impl Fn(usize, usize) -> Block) -> Pyramid {
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
    let mut levels = vec![halved(width, height, &cell)];
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
