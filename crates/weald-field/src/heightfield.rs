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

use crate::algebra::{Dual, Enclosure, Pointwise};
use crate::error::FieldError;
use crate::posts::{self, Pyramid};
use crate::raster::{RasterAxis, RasterSpot};
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

/// The most posts that a heightfield may have: as many as 32 bits can number what is kept of them.
pub const MAX_POSTS: usize = 1 << 30;

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
    axes: [RasterAxis; 2],
    nodes: Vec<f32>,
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
    /// If there are not `width` · `height` posts, fewer than two along a side, more than [`MAX_POSTS`], one that is not
    /// finite, or a step that is not above zero.
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
        if count > MAX_POSTS {
            let (value, limit) = (count as f64, "at most 2^30");
            return Err(FieldError::Parameter { op: "heightfield", name: "number of posts", value, limit });
        }
        if let Some(i) = posts.iter().position(|post| !post.is_finite()) {
            return Err(FieldError::PostNotFinite { column: i % width, row: i / width, value: posts[i] });
        }
        let nodes = posts::nodes(&posts, width, height);
        let pyramid = posts::pyramid(width - 1, height - 1, |x, y| posts::cell_block(&nodes, width, x, y));
        let axes = [RasterAxis::new(step.x, width), RasterAxis::new(step.y, height)];
        Ok(Heightfield {
            origin,
            grid: Arc::new(PostGrid { step, width, height, axes, posts, nodes, pyramid, id }),
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

    /// The posts along an axis (0 or 1): where [`Heightfield::value`] takes its spots from.
    #[inline(always)]
    pub(crate) fn axis(&self, axis: usize) -> RasterAxis {
        self.grid.axes[axis]
    }

    /// The height at spots along both axes.
    #[inline(always)]
    pub(crate) fn value<A: Pointwise>(&self, context: A::Context, x: RasterSpot<A>, y: RasterSpot<A>) -> A {
        posts::value(context, &self.grid.nodes, self.grid.width as u32, x, y)
    }

    /// A range for all heights and slopes inside a box relative to the origin, whether places there are split in f64 or
    /// in f32.
    pub(crate) fn dual_bounds(&self, within: Aabb) -> Dual<Enclosure> {
        let cells = |axis: usize| self.grid.axes[axis].cells_between(within.min[axis], within.max[axis]).0;
        self.grid.pyramid.query(cells(0), cells(1)).dual_bounds(self.grid.step)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Lanes;
    use crate::posts::{NODE, nodes};
    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    fn spot<A: Pointwise>(
        context: A::Context,
        (cell, part): (u32, f32),
        axis: usize,
        slope: f32,
    ) -> RasterSpot<A> {
        let part = A::along(A::constant(context, part), axis, slope);
        RasterSpot { cell: A::word(context, cell), part }
    }

    fn at<A: Pointwise>(field: &Heightfield, context: A::Context, place: DVec2) -> A {
        let axis = |axis: usize| {
            let posts = field.axis(axis);
            spot(context, posts.split(place[axis]), axis, posts.slope())
        };
        field.value(context, axis(0), axis(1))
    }

    fn random_field(seed: u64, width: usize, height: usize, step: DVec2) -> Heightfield {
        let mut draw = weald_space::Seed::new(seed).at(glam::I64Vec3::ZERO, 0, 0);
        let posts: Vec<f32> = (0..width * height).map(|_| (draw.normal() * 1000.0) as f32).collect();
        Heightfield::new(DVec2::ZERO, step, width, height, posts.into(), ContentId::from(seed))
            .expect("a good field")
    }

    /// The surface straight from its definition, in the order of operations that baked worlds rely on.
    fn by_definition(field: &Heightfield, place: DVec2) -> f32 {
        let nodes = nodes(field.posts(), field.width(), field.height());
        let mut spots = [(0, 0.0); 2];
        for axis in 0..2 {
            let last = [field.width(), field.height()][axis] - 1;
            let clamped = (place[axis] / field.step()[axis]).clamp(0.0, last as f64);
            let cell = (clamped as usize).min(last - 1);
            spots[axis] = (cell, (clamped - cell as f64) as f32);
        }
        let curve = |t: f32, [near, far, near_slope, far_slope]: [f32; 4]| {
            let (squared, rest) = (t * t, -t + 1.0);
            squared * (t * -2.0 + 3.0) * (far - near)
                + t * rest * rest * near_slope
                + squared * (t + -1.0) * far_slope
                + near
        };
        let [(cell_x, x), (cell_y, y)] = spots;
        let knot = |column: usize| {
            let first = (cell_y * field.width() + column) * NODE;
            let (near, far) = (&nodes[first..], &nodes[first + field.width() * NODE..]);
            (curve(y, [near[0], far[0], near[2], far[2]]), curve(y, [near[1], far[1], near[3], far[3]]))
        };
        let (near, far) = (knot(cell_x), knot(cell_x + 1));
        curve(x, [near.0, far.0, near.1, far.1])
    }

    fn level_values(level: Level, field: &Heightfield, places: &[[f32; 2]]) -> Vec<f32> {
        dispatch!(level, simd => lane_values(simd, field, places))
    }

    #[inline(always)]
    fn lane_values<S: fearless_simd::Simd>(simd: S, field: &Heightfield, places: &[[f32; 2]]) -> Vec<f32> {
        let mut out = Vec::new();
        for places in places.chunks_exact(Lanes::<S>::COUNT) {
            let coordinate = |axis: usize| {
                let values: Vec<f32> = places.iter().map(|place| place[axis]).collect();
                Lanes::load(simd, &values)
            };
            let spots = [0, 1].map(|axis| field.axis(axis).spot(coordinate(axis)));
            let mut values = [0.0; 16];
            field.value(simd, spots[0], spots[1]).store(&mut values[..places.len()]);
            out.extend(&values[..places.len()]);
        }
        out
    }

    proptest! {
        #[test]
        fn values_are_those_of_the_definition(seed: u64, width in 2_usize..9, height in 2_usize..9, x in -9.0..40.0_f64, y in -9.0..40.0_f64) {
            let field = random_field(seed, width, height, DVec2::new(3.0, 5.0));
            let place = DVec2::new(x, y);
            let value: f32 = at(&field, (), place);
            prop_assert_eq!(value.to_bits(), by_definition(&field, place).to_bits());
            let dual: Dual = at(&field, (), place);
            prop_assert_eq!(dual.value.to_bits(), value.to_bits());
        }

        #[test]
        fn lanes_have_the_bits_of_the_scalar(seed: u64, places in proptest::collection::vec([-9.0..40.0_f32, -9.0..40.0], 16)) {
            let field = random_field(seed, 7, 6, DVec2::new(3.0, 5.0));
            let expected: Vec<u32> = places.iter().map(|place| {
                let spots = [0, 1].map(|axis| field.axis(axis).spot(place[axis]));
                field.value::<f32>((), spots[0], spots[1]).to_bits()
            }).collect();
            let level = Level::new();
            for level in [Some(level), level.as_avx2().map(Level::Avx2), level.as_sse4_2().map(Level::Sse4_2), level.as_sse2().map(Level::Sse2)].into_iter().flatten() {
                let values: Vec<u32> = level_values(level, &field, &places).into_iter().map(f32::to_bits).collect();
                prop_assert_eq!(&values, &expected);
            }
        }

        #[test]
        fn gradients_are_differences(seed: u64, x in -2.0..20.0_f64, y in -2.0..20.0_f64) {
            let field = random_field(seed, 7, 6, DVec2::new(3.0, 5.0));
            let place = DVec2::new(x, y);
            let dual: Dual = at(&field, (), place);
            for axis in 0..2 {
                let step = 0.005 * if axis == 0 { DVec2::X } else { DVec2::Y };
                let difference = (at::<f32>(&field, (), place + step) - at::<f32>(&field, (), place - step)) / 0.01;
                let fits = (dual.gradient[axis] - difference).abs() < 8.0 + 0.02 * difference.abs();
                // Slopes end at the rim.
                let rim = [(0.0, 18.0), (0.0, 25.0)][axis];
                let at_rim = (place[axis] - rim.0).abs() < 0.01 || (place[axis] - rim.1).abs() < 0.01;
                prop_assert!(fits || at_rim, "{} is not {}", dual.gradient[axis], difference);
            }
        }

        #[test]
        fn bounds_hold_values_and_slopes(seed: u64, a in [-9.0..60.0_f32, -9.0..60.0], size in [0.0..9.0_f32, 0.0..9.0], inside in proptest::collection::vec([0.0..1.0_f32, 0.0..1.0], 50)) {
            let field = random_field(seed, 17, 13, DVec2::new(3.0, 5.0));
            let ranges = [0, 1].map(|axis| Enclosure::hull(a[axis], a[axis] + size[axis]));
            let far = |axis: usize| f64::from(ranges[axis].hi());
            let within = Aabb::new(DVec2::new(a[0].into(), a[1].into()).extend(0.0), DVec2::new(far(0), far(1)).extend(0.0));
            for part in inside {
                let place = [0, 1].map(|axis| (a[axis] + size[axis] * part[axis]).min(ranges[axis].hi()));
                let spot = |axis: usize| {
                    let posts = field.axis(axis);
                    posts.spot(Dual::<f32>::along(Dual::level(place[axis]), axis, 1.0))
                };
                let from_numbers = field.value((), spot(0), spot(1));
                let from_place: Dual = at(&field, (), DVec2::new(place[0].into(), place[1].into()));
                let bounds = field.dual_bounds(within);
                for value in [from_numbers, from_place] {
                    prop_assert!(bounds.value.0.contains(value.value), "{:?} not in {:?}", value, bounds);
                    for axis in 0..3 {
                        prop_assert!(bounds.gradient[axis].0.contains(value.gradient[axis]), "{:?} not in {:?}", value, bounds);
                    }
                }
            }
        }
    }
}
