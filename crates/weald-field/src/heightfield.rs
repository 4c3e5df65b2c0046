//! Heights on a grid of posts, and the smooth surface between them.
//!
//! The surface is bicubic in each cell, with continuous slopes across cells. Slopes at posts are limited in the manner
//! of F. N. Fritsch and R. E. Carlson, "Monotone Piecewise Cubic Interpolation", SIAM J. Numer. Anal. 17 (1980), so
//! that it never rises above the highest nor sinks below the lowest of the four posts around a place. Theirs is a
//! condition on curves; on surfaces we need more, and prove it by control points:
//!
//! A post's slope along an axis (per cell) is the mean of the differences to both sides, but zero where these differ in
//! sign and at most 3/2 of the lesser. Then in each cell the Bézier control points beside a post, f ± s/3, lie between
//! the post and the middle to the next. The one diagonal to a post is f ± s/3 ± t/3 + twist/9: without twist it is at
//! most halfway between the two neighbours, if both slopes rise, or between the post and one of them. So twist 0 keeps
//! all control points between the least and the greatest post of the cell, and we take the twist that central
//! differences give, clamped to what keeps that so in the four cells around the post. A Bézier surface lies within
//! the range of its control points. ∎
//!
//! Planes are reproduced exactly. Beyond the outermost posts, heights continue level.

use std::fmt;
use std::sync::Arc;

use glam::DVec2;
use weald_space::Aabb;

use crate::algebra::{Algebra, Dual, Enclosure, Pointwise};
use crate::error::FieldError;
use crate::posts::{self, Node, Pyramid};
use crate::term::{finite, positive, put};

/// Names what a payload holds: equal ids promise equal content. A hash of it, as a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentId(pub [u8; 32]);

impl From<u64> for ContentId {
    fn from(id: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&id.to_le_bytes());
        ContentId(bytes)
    }
}

/// A grid of heights in metres, anchored in the world. Cheap to clone.
///
/// ```
/// use glam::DVec2;
/// use weald_field::{ContentId, Heightfield};
///
/// let posts = [0.0, 1.0, 2.0, 0.0, 1.0, 2.0].into();
/// let slope = Heightfield::new(DVec2::ZERO, DVec2::splat(30.0), 3, 2, posts, ContentId::from(1))?;
/// assert_eq!((slope.width(), slope.height(), slope.range()), (3, 2, (0.0, 2.0)));
/// # Ok::<(), weald_field::FieldError>(())
/// ```
#[derive(Clone)]
pub struct Heightfield {
    origin: DVec2,
    grid: Arc<PostGrid>,
}

struct PostGrid {
    step: DVec2,
    width: usize,
    height: usize,
    posts: Arc<[f32]>,
    /// Height, slope along x and y, and twist at each post, per cell.
    nodes: Vec<Node>,
    pyramid: Pyramid,
    id: ContentId,
}

impl Heightfield {
    /// Heights at posts `step` metres apart; the first post stands at `origin`, the others to the east of it, row 0
    /// being the southernmost.
    ///
    /// Keeps 16 bytes a post for slopes and 5 for bounds, beside the posts. `id` stands for step, size and posts in
    /// comparisons and keys.
    ///
    /// # Errors
    /// If there are not `width` · `height` posts, fewer than two along a side, one that is not finite, or a step that is
    /// not above zero.
    pub fn new(
        origin: DVec2,
        step: DVec2,
        width: usize,
        height: usize,
        posts: Arc<[f32]>,
        id: ContentId,
    ) -> Result<Self, FieldError> {
        finite("heightfield", "origin", origin.to_array())?;
        positive("heightfield", "step", step.to_array())?;
        for (name, size) in [("width", width), ("height", height)] {
            if !(2..=1 << 30).contains(&size) {
                let (value, limit) = (size as f64, "from 2 to 2^30 posts");
                return Err(FieldError::Parameter { op: "heightfield", name, value, limit });
            }
        }
        let (count, expected) = (posts.len(), width.saturating_mul(height));
        if count != expected {
            return Err(FieldError::PostCount { width, height, count, expected });
        }
        if let Some(i) = posts.iter().position(|post| !post.is_finite()) {
            return Err(FieldError::PostNotFinite { column: i % width, row: i / width, value: posts[i] });
        }
        let nodes = posts::nodes(&posts, width, height);
        let pyramid = posts::pyramid(&nodes, width, height);
        Ok(Heightfield {
            origin,
            grid: Arc::new(PostGrid { step, width, height, posts, nodes, pyramid, id }),
        })
    }

    /// The place of the first post, in metres.
    #[must_use]
    pub fn origin(&self) -> DVec2 {
        self.origin
    }

    /// Metres between posts along x and y.
    #[must_use]
    pub fn step(&self) -> DVec2 {
        self.grid.step
    }

    /// Posts from west to east.
    #[must_use]
    pub fn width(&self) -> usize {
        self.grid.width
    }

    /// Posts from south to north.
    #[must_use]
    pub fn height(&self) -> usize {
        self.grid.height
    }

    /// The heights, in rows from the south.
    #[must_use]
    pub fn posts(&self) -> &Arc<[f32]> {
        &self.grid.posts
    }

    /// What stands for the content.
    #[must_use]
    pub fn id(&self) -> ContentId {
        self.grid.id
    }

    /// The least and the greatest height.
    #[must_use]
    pub fn range(&self) -> (f32, f32) {
        let posts = self.grid.posts.iter().copied();
        (posts.clone().fold(f32::INFINITY, f32::min), posts.fold(f32::NEG_INFINITY, f32::max))
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.push(17);
        put(out, self.grid.step.to_array());
        out.extend_from_slice(&(self.grid.width as u64).to_le_bytes());
        out.extend_from_slice(&(self.grid.height as u64).to_le_bytes());
        out.extend_from_slice(&self.grid.id.0);
    }

    /// The cell that holds a coordinate relative to the origin, and the blending weights there.
    #[inline(always)]
    pub(crate) fn spot<A: Pointwise>(&self, axis: usize, local: f64) -> PostSpot<A> {
        let step = self.grid.step[axis];
        let last = [self.grid.width, self.grid.height][axis] - 1;
        let place = local / step;
        let clamped = place.clamp(0.0, last as f64);
        let cell = (clamped as usize).min(last - 1);
        let slope = if place == clamped { (1.0 / step) as f32 } else { 0.0 };
        PostSpot { cell, weights: Weights::new(A::along(axis, (clamped - cell as f64) as f32, slope)) }
    }

    /// Height and slope along x of the curve over a column of posts.
    #[inline(always)]
    pub(crate) fn knot<A: Pointwise>(&self, column: usize, y: &PostSpot<A>) -> Knot<A> {
        let at = y.cell * self.grid.width + column;
        let (near, far) = (&self.grid.nodes[at], &self.grid.nodes[at + self.grid.width]);
        let w = &y.weights;
        Knot {
            height: w.blend_constants(near[0], far[0], near[2], far[2]),
            slope: w.blend_constants(near[1], far[1], near[3], far[3]),
        }
    }

    /// The height at a place relative to the origin.
    pub(crate) fn at<A: Pointwise>(&self, x: f64, y: f64) -> A {
        let (x, y) = (self.spot::<A>(0, x), self.spot::<A>(1, y));
        x.weights.blend(self.knot(x.cell, &y), self.knot(x.cell + 1, &y))
    }

    /// A range for all heights and slopes inside a box relative to the origin.
    ///
    /// The margins cover the rounding of a blend, which is relative to the heights.
    pub(crate) fn dual_bounds(&self, within: Aabb) -> Dual<Enclosure> {
        let cells = |axis: usize, count: usize| {
            let last = (count - 2) as f64;
            let cell = |local: f64| (local / self.grid.step[axis]).floor().clamp(0.0, last) as usize;
            let (a, b) = (cell(within.min[axis]), cell(within.max[axis]));
            (a.min(b), a.max(b))
        };
        let block = self.grid.pyramid.query(cells(0, self.grid.width), cells(1, self.grid.height));
        let magnitude = Algebra::max(f32::abs(block.lo), f32::abs(block.hi));
        let margin = magnitude * 2e-6;
        let slope = |axis: usize| {
            let per_cell = f64::from(block.slope[axis]) * 1.0001 + f64::from(magnitude) * 4e-6;
            Enclosure::within((per_cell / self.grid.step[axis]) as f32)
        };
        Dual::new(
            Enclosure::hull(block.lo - margin, block.hi + margin),
            [slope(0), slope(1), Enclosure::constant(0.0)],
        )
    }
}

impl PartialEq for Heightfield {
    fn eq(&self, other: &Self) -> bool {
        let key = |field: &Heightfield| {
            let mut bytes = Vec::new();
            put(&mut bytes, field.origin.to_array());
            field.encode(&mut bytes);
            bytes
        };
        key(self) == key(other)
    }
}

impl fmt::Debug for Heightfield {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heightfield")
            .field("origin", &self.origin)
            .field("step", &self.grid.step)
            .field("width", &self.grid.width)
            .field("height", &self.grid.height)
            .field("id", &self.grid.id)
            .finish_non_exhaustive()
    }
}

/// A place along one axis of the posts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostSpot<A> {
    /// The post below.
    pub(crate) cell: usize,
    pub(crate) weights: Weights<A>,
}

/// The curve over a post: its height, and its slope along x per cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knot<A> {
    height: A,
    slope: A,
}

/// Hermite's weights: of the far height, and of the near and the far slope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights<A> {
    far: A,
    near_slope: A,
    far_slope: A,
}

impl<A: Pointwise> Weights<A> {
    #[inline(always)]
    fn new(t: A) -> Self {
        let (squared, rest) = (t * t, -t + 1.0);
        Weights {
            far: squared * (t * -2.0 + 3.0),
            near_slope: t * rest * rest,
            far_slope: squared * (t + -1.0),
        }
    }

    #[inline(always)]
    fn blend_constants(&self, near: f32, far: f32, near_slope: f32, far_slope: f32) -> A {
        self.far * (far - near) + self.near_slope * near_slope + self.far_slope * far_slope + near
    }

    #[inline(always)]
    pub(crate) fn blend(&self, near: Knot<A>, far: Knot<A>) -> A {
        let rise = far.height - near.height;
        rise * self.far + near.slope * self.near_slope + far.slope * self.far_slope + near.height
    }
}
