//! A raster of samples over the plan: masks, densities, painted heights.
//!
//! Between samples the value is that of the nearest, or linear along x and along y, or the smooth surface that
//! a heightfield has ([`crate::heightfield`]), which stays between its samples too. What is beyond the rim is made of
//! samples that are added around it, so that looking a place up is the same everywhere.

use std::fmt;
use std::sync::Arc;

use glam::DVec2;
use weald_space::Aabb;

use crate::algebra::{Dual, Enclosure, Pointwise, Table, Word, each};
use crate::error::FieldError;
use crate::heightfield::ContentId;
use crate::posts::{self, Block, Pyramid};
use crate::raster::{CellRange, RasterAxis, RasterSpot, clamped};
use crate::term::{finite, positive, put, require};

/// The most samples that an image may have.
pub const MAX_SAMPLES: usize = 1 << 28;

/// What is between samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// The nearest sample; the value jumps halfway.
    Nearest,
    /// Linear along x and along y; the slope jumps at samples.
    #[default]
    Linear,
    /// Smooth, without overshooting.
    Cubic,
}

/// What is beyond the rim.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Edge {
    /// The samples of the rim go on.
    #[default]
    Clamp,
    /// This value, from one step beyond the rim; unless the filter is [`Filter::Nearest`], it fades over that step.
    Constant(f32),
    /// The image again: one step after the last sample comes the first.
    Repeat,
}

/// How an image is looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImageSettings {
    /// What is between samples.
    pub filter: Filter,
    /// What is beyond the rim.
    pub edge: Edge,
}

/// A grid of numbers, anchored in the world. Cheap to clone.
///
/// ```
/// use glam::DVec2;
/// use weald_field::ContentId;
/// use weald_field::image::{Image, ImageSettings};
///
/// let mask = [0.0, 1.0, 1.0, 0.0];
/// let mask = Image::new(DVec2::ZERO, DVec2::splat(2.0), 2, 2, &mask, ImageSettings::default(), ContentId::from(1))?;
/// assert_eq!((mask.width(), mask.height()), (2, 2));
/// # Ok::<(), weald_field::FieldError>(())
/// ```
#[derive(Clone)]
pub struct Image {
    origin: DVec2,
    grid: Arc<Grid>,
}

struct Grid {
    step: DVec2,
    width: usize,
    height: usize,
    settings: ImageSettings,
    axes: [RasterAxis; 2],
    /// Samples, or what posts keep, if the filter is cubic; with what was added around them.
    table: Vec<f32>,
    pyramid: Pyramid,
    id: ContentId,
}

/// Samples that are added on each side: a cubic cell knows its neighbours.
const PADDING: u32 = 2;

impl Image {
    /// Samples `step` metres apart; the first lies at `origin`, the others to the east of it, row 0 being the
    /// southernmost.
    ///
    /// Keeps 9 bytes a sample, or 21 if the filter is cubic. `id` stands for step, size, samples and settings in
    /// comparisons and keys.
    ///
    /// # Errors
    /// If there are not `width` · `height` samples, fewer than two along a side, more than [`MAX_SAMPLES`], one that is
    /// not finite, or a step that is not above zero.
    pub fn new(
        origin: DVec2,
        step: DVec2,
        width: usize,
        height: usize,
        samples: &[f32],
        settings: ImageSettings,
        id: ContentId,
    ) -> Result<Self, FieldError> {
        const OP: &str = "image";
        finite(OP, "origin", origin.to_array())?;
        positive(OP, "step", step.to_array())?;
        let is_size = |size: f64| (2.0..=MAX_SAMPLES as f64).contains(&size);
        require(OP, "width", [width as f64], is_size, "from 2 to 2^28 samples")?;
        require(OP, "height", [height as f64], is_size, "from 2 to 2^28 samples")?;
        let (count, expected) = (samples.len(), width.saturating_mul(height));
        let is_full = |_: f64| count == expected;
        require(OP, "number of samples", [count as f64], is_full, "width times height")?;
        let fits = |count: f64| count <= MAX_SAMPLES as f64;
        require(OP, "number of samples", [count as f64], fits, "at most 2^28")?;
        if let Edge::Constant(value) = settings.edge {
            finite(OP, "edge", [value.into()])?;
        }
        if let Some(i) = samples.iter().position(|sample| !sample.is_finite()) {
            return Err(FieldError::PostNotFinite { column: i % width, row: i / width, value: samples[i] });
        }
        let axes = [RasterAxis::new(step.x, width), RasterAxis::new(step.y, height)];
        let axes = axes.map(|axis| match settings.edge {
            Edge::Clamp => axis,
            Edge::Constant(_) => axis.padded(PADDING),
            Edge::Repeat => axis.repeated().padded(PADDING),
        });
        let samples = extended(samples, [width, height], settings.edge, axes);
        let columns = axes[0].samples();
        let (table, pyramid) = match settings.filter {
            Filter::Cubic => {
                let nodes = posts::nodes(&samples, columns, axes[1].samples());
                let pyramid = pyramid(axes, |x, y| posts::cell_block(&nodes, columns, x, y));
                (nodes, pyramid)
            }
            Filter::Linear | Filter::Nearest => {
                let corner = |x: usize, y: usize| samples[y * columns + x];
                let cell = |x: usize, y: usize| {
                    Block::of_corners([
                        corner(x, y),
                        corner(x + 1, y),
                        corner(x, y + 1),
                        corner(x + 1, y + 1),
                    ])
                };
                let pyramid = pyramid(axes, cell);
                (samples, pyramid)
            }
        };
        Ok(Image { origin, grid: Arc::new(Grid { step, width, height, settings, axes, table, pyramid, id }) })
    }

    /// The place of the first sample, in metres.
    #[must_use]
    pub fn origin(&self) -> DVec2 {
        self.origin
    }

    /// Metres between samples along x and y.
    #[must_use]
    pub fn step(&self) -> DVec2 {
        self.grid.step
    }

    /// Samples from west to east.
    #[must_use]
    pub fn width(&self) -> usize {
        self.grid.width
    }

    /// Samples from south to north.
    #[must_use]
    pub fn height(&self) -> usize {
        self.grid.height
    }

    /// How it is looked up.
    #[must_use]
    pub fn settings(&self) -> ImageSettings {
        self.grid.settings
    }

    /// What stands for the content.
    #[must_use]
    pub fn id(&self) -> ContentId {
        self.grid.id
    }

    /// Appends bytes that are equal for equal images and different otherwise, whatever their origins.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put(out, self.grid.step.to_array());
        out.extend_from_slice(&(self.grid.width as u64).to_le_bytes());
        out.extend_from_slice(&(self.grid.height as u64).to_le_bytes());
        let ImageSettings { filter, edge } = self.grid.settings;
        let (edge, constant) = match edge {
            Edge::Clamp => (0, 0.0),
            Edge::Constant(value) => (1, value),
            Edge::Repeat => (2, 0.0),
        };
        out.extend([filter as u8, edge]);
        put(out, [f64::from(constant)]);
        out.extend_from_slice(&self.grid.id.0);
    }

    /// The samples along an axis (0 or 1): where [`Image::value`] takes its spots from.
    #[inline(always)]
    pub(crate) fn axis(&self, axis: usize) -> RasterAxis {
        self.grid.axes[axis]
    }

    /// The value at spots along both axes.
    #[inline(always)]
    pub(crate) fn value<A: Pointwise>(&self, context: A::Context, x: RasterSpot<A>, y: RasterSpot<A>) -> A {
        let width = self.grid.axes[0].samples() as u32;
        let table = &self.grid.table;
        match self.grid.settings.filter {
            Filter::Cubic => posts::value(context, table, width, x, y),
            Filter::Linear => {
                let (along_x, along_y) = (clamped(x.part), clamped(y.part));
                let first = y.cell.times(width).plus(x.cell);
                let [a, b, c, d] = each(
                    [0, 1, width, width + 1],
                    #[inline(always)]
                    |offset| A::lookup(context, Table(table), first.plus_constant(offset)),
                );
                A::mix(A::mix(a, c, along_y), A::mix(b, d, along_y), along_x)
            }
            Filter::Nearest => {
                let number = nearest(y).times(width).plus(nearest(x));
                A::lookup(context, Table(table), number)
            }
        }
    }

    /// A range for all values and slopes inside a box relative to the origin, whether places there are split in f64 or
    /// in f32.
    pub(crate) fn dual_bounds(&self, within: Aabb) -> Dual<Enclosure> {
        let cells = |axis: usize| self.grid.axes[axis].cells_between(within.min[axis], within.max[axis]);
        let (x, y) = (cells(0), cells(1));
        let query = |x: CellRange, y: CellRange| self.grid.pyramid.query(x, y);
        let mut block = query(x.0, y.0);
        let more = [(x.1, Some(y.0)), (Some(x.0), y.1), (x.1, y.1)];
        for (x, y) in more.into_iter().filter_map(|(x, y)| x.zip(y)) {
            block = block.union(query(x, y));
        }
        if self.grid.settings.filter == Filter::Nearest {
            block.slope = [0.0; 2];
        }
        block.dual_bounds(self.grid.step)
    }
}

/// The number of the nearest sample.
#[inline(always)]
fn nearest<A: Pointwise>(spot: RasterSpot<A>) -> A::Word {
    spot.cell.plus((clamped(spot.part) + 0.5).floor().to_word())
}

/// The samples with what is added around them.
fn extended(samples: &[f32], [width, height]: [usize; 2], edge: Edge, axes: [RasterAxis; 2]) -> Vec<f32> {
    let padding = if edge == Edge::Clamp { 0 } else { PADDING as usize };
    let inside = |at: usize, size: usize| (padding..padding + size).contains(&at);
    let wrapped = |at: usize, size: usize| (at + padding * size - padding) % size;
    let sample = |x: usize, y: usize| match edge {
        Edge::Constant(value) if !inside(x, width) || !inside(y, height) => value,
        _ => samples[wrapped(y, height) * width + wrapped(x, width)],
    };
    let [columns, rows] = axes.map(RasterAxis::samples);
    (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))).map(|(x, y)| sample(x, y)).collect()
}

fn pyramid(axes: [RasterAxis; 2], cell: impl Fn(usize, usize) -> Block) -> Pyramid {
    posts::pyramid(axes[0].samples() - 1, axes[1].samples() - 1, cell)
}

impl PartialEq for Image {
    fn eq(&self, other: &Self) -> bool {
        let key = |image: &Image| {
            let mut bytes = Vec::new();
            put(&mut bytes, image.origin.to_array());
            image.encode(&mut bytes);
            bytes
        };
        key(self) == key(other)
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("origin", &self.origin)
            .field("step", &self.grid.step)
            .field("width", &self.grid.width)
            .field("height", &self.grid.height)
            .field("settings", &self.grid.settings)
            .field("id", &self.grid.id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Lanes;
    use fearless_simd::{Level, Simd, dispatch};
    use proptest::prelude::*;

    const STEP: DVec2 = DVec2::new(3.0, 5.0);

    fn image(width: usize, samples: &[f32], filter: Filter, edge: Edge) -> Image {
        let settings = ImageSettings { filter, edge };
        let height = samples.len() / width;
        Image::new(DVec2::ZERO, STEP, width, height, samples, settings, ContentId::from(0))
            .expect("a good image")
    }

    fn at<A: Pointwise>(image: &Image, context: A::Context, place: [f64; 2]) -> A {
        let spot = |axis: usize| {
            let samples = image.axis(axis);
            let (cell, part) = samples.split(place[axis]);
            let part = A::along(A::constant(context, part), axis, samples.slope());
            RasterSpot { cell: A::word(context, cell), part }
        };
        image.value(context, spot(0), spot(1))
    }

    #[inline(always)]
    fn lane_values<S: Simd>(simd: S, image: &Image, places: &[[f32; 2]]) -> Vec<f32> {
        let mut out = Vec::new();
        for places in places.chunks_exact(Lanes::<S>::COUNT) {
            let spots = [0, 1].map(|axis| {
                let values: Vec<f32> = places.iter().map(|place| place[axis]).collect();
                image.axis(axis).spot(Lanes::load(simd, &values))
            });
            let mut values = [0.0; 16];
            image.value(simd, spots[0], spots[1]).store(&mut values[..places.len()]);
            out.extend(&values[..places.len()]);
        }
        out
    }

    fn filters() -> impl Strategy<Value = Filter> {
        prop_oneof![Just(Filter::Nearest), Just(Filter::Linear), Just(Filter::Cubic)]
    }

    fn edges() -> impl Strategy<Value = Edge> {
        prop_oneof![Just(Edge::Clamp), Just(Edge::Constant(-7.0)), Just(Edge::Repeat)]
    }

    #[test]
    fn bad_images_are_refused() {
        let make = |step: f64, width, samples: &[f32], edge| {
            let settings = ImageSettings { filter: Filter::Cubic, edge };
            Image::new(DVec2::ZERO, DVec2::splat(step), width, 2, samples, settings, ContentId::from(0))
                .expect_err("a bad image")
                .to_string()
        };
        assert_eq!(
            make(1.0, 2, &[0.0, 1.0, f32::NAN, 2.0], Edge::Clamp),
            "post at column 0, row 1 (row 0 is the southernmost) is NaN, but must be finite"
        );
        assert_eq!(
            make(0.0, 2, &[0.0; 4], Edge::Clamp),
            "step of image is 0, but must be more than 0 and finite"
        );
        assert_eq!(
            make(1.0, 1, &[0.0; 2], Edge::Clamp),
            "width of image is 1, but must be from 2 to 2^28 samples"
        );
        assert_eq!(
            make(1.0, 3, &[0.0; 4], Edge::Clamp),
            "number of samples of image is 4, but must be width times height"
        );
        assert_eq!(
            make(1.0, 2, &[0.0; 4], Edge::Constant(f32::INFINITY)),
            "edge of image is inf, but must be finite"
        );
    }

    #[test]
    fn beyond_the_rim_is_what_the_edge_says() {
        let samples = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let look = |filter, edge, x: f64, y: f64| {
            at::<f32>(&image(3, &samples, filter, edge), (), [x * 3.0, y * 5.0])
        };
        for filter in [Filter::Nearest, Filter::Linear, Filter::Cubic] {
            assert_eq!(look(filter, Edge::Clamp, -9.0, 0.0), 1.0);
            assert_eq!(look(filter, Edge::Clamp, 40.0, 40.0), 6.0);
            assert_eq!(look(filter, Edge::Constant(-7.0), -1.0, 0.0), -7.0);
            assert_eq!(look(filter, Edge::Constant(-7.0), 1.0, 90.0), -7.0);
            assert_eq!(look(filter, Edge::Constant(-7.0), 1.0, 1.0), 5.0);
            assert_eq!(look(filter, Edge::Repeat, 3.0, 0.0), 1.0);
            assert_eq!(look(filter, Edge::Repeat, -1.0, 3.0), 6.0);
        }
        assert_eq!(look(Filter::Linear, Edge::Repeat, 2.5, 0.0), 2.0);
        assert_eq!(look(Filter::Linear, Edge::Constant(-7.0), -0.5, 0.0), -3.0);
        assert_eq!(look(Filter::Nearest, Edge::Clamp, 0.49, 0.51), 4.0);
    }

    proptest! {
        #[test]
        fn samples_are_met(samples in proptest::collection::vec(-9.0..9.0_f32, 12), filter in filters(), edge in edges()) {
            let image = image(4, &samples, filter, edge);
            for (i, &sample) in samples.iter().enumerate() {
                let place = [(i % 4) as f64 * 3.0, (i / 4) as f64 * 5.0];
                prop_assert!((at::<f32>(&image, (), place) - sample).abs() < 1e-5);
            }
        }

        #[test]
        fn lanes_have_the_bits_of_the_scalar(samples in proptest::collection::vec(-9.0..9.0_f32, 12), filter in filters(), edge in edges(), places in proptest::collection::vec([-40.0..40.0_f32, -40.0..40.0], 16)) {
            let image = image(4, &samples, filter, edge);
            let expected: Vec<u32> = places.iter().map(|place| {
                let spots = [0, 1].map(|axis| image.axis(axis).spot(place[axis]));
                image.value::<f32>((), spots[0], spots[1]).to_bits()
            }).collect();
            let best = Level::new();
            let levels = [Some(best), best.as_avx2().map(Level::Avx2), best.as_sse4_2().map(Level::Sse4_2), best.as_sse2().map(Level::Sse2)];
            for level in levels.into_iter().flatten() {
                let values = dispatch!(level, simd => lane_values(simd, &image, &places));
                prop_assert_eq!(&values.into_iter().map(f32::to_bits).collect::<Vec<_>>(), &expected);
            }
        }

        #[test]
        fn places_in_f32_give_what_places_in_f64_give(samples in proptest::collection::vec(-9.0..9.0_f32, 12), cubic: bool, edge in edges(), place in [-40.0..40.0_f32, -40.0..40.0]) {
            let image = image(4, &samples, if cubic { Filter::Cubic } else { Filter::Linear }, edge);
            let spots = [0, 1].map(|axis| image.axis(axis).spot(place[axis]));
            let from_numbers = image.value::<f32>((), spots[0], spots[1]);
            prop_assert!((from_numbers - at::<f32>(&image, (), place.map(f64::from))).abs() < 1e-3);
        }

        #[test]
        fn bounds_hold_values_and_slopes(samples in proptest::collection::vec(-9.0..9.0_f32, 35), filter in filters(), edge in edges(), a in [-99.0..99.0_f64, -99.0..99.0], size in [0.0..30.0_f64, 0.0..30.0], inside in proptest::collection::vec([0.0..1.0_f64, 0.0..1.0], 50)) {
            let image = image(7, &samples, filter, edge);
            let corner = DVec2::from_array(a);
            let within = Aabb::new(corner.extend(0.0), (corner + DVec2::from_array(size)).extend(0.0));
            let bounds = image.dual_bounds(within);
            for part in inside {
                let place = [0, 1].map(|axis| a[axis] + size[axis] * part[axis]);
                let from_place: Dual = at(&image, (), place);
                let spots = [0, 1].map(|axis| image.axis(axis).spot(Dual::<f32>::along(Dual::level(place[axis] as f32), axis, 1.0)));
                for value in [from_place, image.value((), spots[0], spots[1])] {
                    prop_assert!(bounds.value.0.contains(value.value), "{:?} not in {:?}", value, bounds);
                    for axis in 0..3 {
                        prop_assert!(bounds.gradient[axis].0.contains(value.gradient[axis]), "{:?} not in {:?}", value, bounds);
                    }
                }
            }
        }

        #[test]
        fn smooth_images_stay_between_their_samples(samples in proptest::collection::vec(-9.0..9.0_f32, 20), edge in edges(), place in [-40.0..40.0_f64, -40.0..40.0]) {
            let value: f32 = at(&image(5, &samples, Filter::Cubic, edge), (), place);
            let beyond = if let Edge::Constant(value) = edge { value } else { samples[0] };
            let lo = samples.iter().copied().fold(beyond, f32::min);
            let hi = samples.iter().copied().fold(beyond, f32::max);
            prop_assert!(lo - 1e-4 <= value && value <= hi + 1e-4);
        }
    }
}
