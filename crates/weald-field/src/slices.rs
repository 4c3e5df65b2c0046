//! Ops over slices of points, a few lanes at a time.

use std::ops::Range;

use glam::{DVec2, DVec3};
use weald_space::Axis;

use crate::algebra::{Dual, Enclosure, Lanes, Pointwise, Simd};
use crate::cloud::Cloud;
use crate::curve::Curve;
use crate::noise::{Noise, Spot};
use crate::once::wrapped;
use crate::op::{Machine, Raster};
use crate::prism::Prism;
use crate::raster::{RasterAxis, RasterSpot};
use crate::segments::Segments;
use crate::shape::Shape;
use crate::sweep::Sweep;

/// Slices are filled up to a multiple of this many points, which the widest lanes divide.
pub(crate) const WIDEST: usize = 16;

/// Points for which places are split and lists gathered at once.
const BLOCK: usize = 64;

/// Numbers that are kept in slices, each part in a slice of its own.
pub(crate) trait Stored: Pointwise {
    /// Parts of a number: one, or a value and three derivatives.
    const PARTS: usize;
    /// Points at once.
    const LANES: usize;

    /// Runs a function compiled for the lanes.
    fn run<R>(context: Self::Context, function: impl FnOnce() -> R) -> R;
    /// The number at a place of a slice whose parts lie `stride` apart.
    fn load(context: Self::Context, from: &[f32], stride: usize, at: usize) -> Self;
    /// Writes the number there.
    fn store(self, to: &mut [f32], stride: usize, at: usize);
    /// A value without gradient.
    fn load_level(context: Self::Context, from: &[f32]) -> Self;
    /// Words.
    fn load_words(context: Self::Context, from: &[u32]) -> Self::Word;
    /// Fills the slice with noise, if there is a faster way than point by point.
    fn noise_by_rows(
        _context: Self::Context,
        _heads: &mut impl Heads,
        _noise: &Noise,
        _base: DVec3,
        _out: &mut [f32],
    ) -> bool {
        false
    }
}

/// Where the points of a slice are.
pub(crate) trait Heads {
    /// What `of` gives for the coordinate of each point along an axis.
    fn fill(&mut self, axis: usize, of: impl Fn(f64) -> f32, out: &mut [f32]);
    /// What `of` gives for the coordinates of some of the points.
    fn split(
        &mut self,
        axis: usize,
        points: Range<usize>,
        of: impl Fn(f64) -> (u32, f32),
        cells: &mut [u32],
        parts: &mut [f32],
    );
    /// See [`Stored::noise_by_rows`].
    fn noise_by_rows<S: Simd>(&mut self, simd: S, noise: &Noise, base: DVec3, out: &mut [f32]) -> bool;
}

impl Stored for f32 {
    const PARTS: usize = 1;
    const LANES: usize = 1;

    #[inline(always)]
    fn run<R>((): (), function: impl FnOnce() -> R) -> R {
        function()
    }
    #[inline(always)]
    fn load((): (), from: &[f32], _stride: usize, at: usize) -> Self {
        from[at]
    }
    #[inline(always)]
    fn store(self, to: &mut [f32], _stride: usize, at: usize) {
        to[at] = self;
    }
    #[inline(always)]
    fn load_level((): (), from: &[f32]) -> Self {
        from[0]
    }
    #[inline(always)]
    fn load_words((): (), from: &[u32]) -> u32 {
        from[0]
    }
}

impl<S: Simd> Stored for Lanes<S> {
    const PARTS: usize = 1;
    const LANES: usize = Lanes::<S>::COUNT;

    #[inline(always)]
    fn run<R>(simd: S, function: impl FnOnce() -> R) -> R {
        simd.vectorize(function)
    }
    #[inline(always)]
    fn load(simd: S, from: &[f32], _stride: usize, at: usize) -> Self {
        Lanes::load(simd, &from[at..at + Self::LANES])
    }
    #[inline(always)]
    fn store(self, to: &mut [f32], _stride: usize, at: usize) {
        Lanes::store(self, &mut to[at..at + Self::LANES]);
    }
    #[inline(always)]
    fn load_level(simd: S, from: &[f32]) -> Self {
        Lanes::load(simd, &from[..Self::LANES])
    }
    #[inline(always)]
    fn load_words(simd: S, from: &[u32]) -> Self::Word {
        Self::Word::load(simd, &from[..Self::LANES])
    }
    fn noise_by_rows(
        simd: S,
        heads: &mut impl Heads,
        noise: &Noise,
        base: DVec3,
        out: &mut [f32],
    ) -> bool {
        heads.noise_by_rows(simd, noise, base, out)
    }
}

impl<N: Stored> Stored for Dual<N> {
    const PARTS: usize = 4;
    const LANES: usize = N::LANES;

    #[inline(always)]
    fn run<R>(context: N::Context, function: impl FnOnce() -> R) -> R {
        N::run(context, function)
    }
    #[inline(always)]
    fn load(context: N::Context, from: &[f32], stride: usize, at: usize) -> Self {
        let part = |number: usize| N::load(context, from, stride, number * stride + at);
        Dual::new(part(0), [part(1), part(2), part(3)])
    }
    #[inline(always)]
    fn store(self, to: &mut [f32], stride: usize, at: usize) {
        self.value.store(to, stride, at);
        for (number, slope) in self.gradient.into_iter().enumerate() {
            slope.store(to, stride, (number + 1) * stride + at);
        }
    }
    #[inline(always)]
    fn load_level(context: N::Context, from: &[f32]) -> Self {
        Dual::level(N::load_level(context, from))
    }
    #[inline(always)]
    fn load_words(context: N::Context, from: &[u32]) -> N::Word {
        N::load_words(context, from)
    }
}

/// What splitting places into cells and parts keeps.
#[derive(Debug, Default)]
pub(crate) struct SplitScratch {
    cells: Vec<u32>,
    parts: Vec<f32>,
}

/// Carries out one op over slices.
pub(crate) struct Slices<'a, A: Stored, H> {
    pub(crate) context: A::Context,
    pub(crate) args: [&'a [f32]; 3],
    /// How many of the arguments there are.
    pub(crate) arity: usize,
    pub(crate) out: &'a mut [f32],
    /// Points.
    pub(crate) count: usize,
    /// Points filled up to a multiple of [`WIDEST`].
    pub(crate) stride: usize,
    pub(crate) heads: &'a mut H,
    pub(crate) splits: &'a mut SplitScratch,
}

impl<A: Stored, H: Heads> Slices<'_, A, H> {
    /// Each number of the result from the place that it has in the slices.
    #[inline(always)]
    fn each(&mut self, op: impl Fn(&[&[f32]; 3], usize) -> A) {
        let (args, stride, points) = (self.args, self.stride, self.count.next_multiple_of(A::LANES));
        let out = &mut *self.out;
        A::run(self.context, #[inline(always)] || {
            for at in (0..points).step_by(A::LANES) {
                op(&args, at).store(out, stride, at);
            }
        });
    }

    /// The least and the greatest value of an argument at some of the points.
    fn range(&self, arg: usize, points: Range<usize>) -> Enclosure {
        let (mut lo, mut hi) = (f32::INFINITY, f32::NEG_INFINITY);
        for &value in &self.args[arg][points] {
            if value.is_nan() {
                return Enclosure(weald_space::Interval::ALL);
            }
            lo = if value < lo { value } else { lo };
            hi = if value > hi { value } else { hi };
        }
        Enclosure::hull(lo, hi)
    }
}

impl<A: Stored, H: Heads> Sweep<A> for Slices<'_, A, H> {
    #[inline(always)]
    fn nullary(&mut self, op: impl Fn(A::Context) -> A) {
        let context = self.context;
        self.each(#[inline(always)] |_, _| op(context));
    }
    #[inline(always)]
    fn unary(&mut self, op: impl Fn(A) -> A) {
        let (context, stride) = (self.context, self.stride);
        self.each(#[inline(always)] |args, at| op(A::load(context, args[0], stride, at)));
    }
    #[inline(always)]
    fn binary(&mut self, op: impl Fn(A, A) -> A) {
        let (context, stride) = (self.context, self.stride);
        self.each(#[inline(always)] |args, at| {
            op(A::load(context, args[0], stride, at), A::load(context, args[1], stride, at))
        });
    }
    #[inline(always)]
    fn ternary(&mut self, op: impl Fn([A; 3]) -> A) {
        let (context, stride) = (self.context, self.stride);
        self.each(#[inline(always)] |args, at| op(args.map(|arg| A::load(context, arg, stride, at))));
    }
    #[inline(always)]
    fn gathered<T>(
        &mut self,
        gather: impl Fn([Enclosure; 3], &mut Vec<T>),
        op: impl Fn(&[T], [A; 3]) -> A,
    ) {
        let (context, stride, args) = (self.context, self.stride, self.args);
        let mut list = Vec::new();
        for start in (0..self.count).step_by(BLOCK) {
            let end = self.count.min(start + BLOCK);
            list.clear();
            gather([0, 1, 2].map(|arg| self.range(arg, start..end)), &mut list);
            let (out, list) = (&mut *self.out, &list[..]);
            A::run(context, #[inline(always)] || {
                for at in (start..end).step_by(A::LANES) {
                    op(list, args.map(|arg| A::load(context, arg, stride, at))).store(out, stride, at);
                }
            });
        }
    }
}

impl<A: Stored, H: Heads> Machine<A> for Slices<'_, A, H> {
    fn coordinate(&mut self, axis: Axis, origin: f64, period: f64) {
        let axis = axis.index();
        let stride = self.stride;
        let (values, slopes) = self.out.split_at_mut(stride);
        self.heads.fill(axis, |place| wrapped(place - origin, period) as f32, &mut values[..self.count]);
        if A::PARTS > 1 {
            for (number, slopes) in slopes.chunks_mut(stride).enumerate() {
                slopes.fill(if number == axis { 1.0 } else { 0.0 });
            }
        }
    }

    fn noise(&mut self, noise: &Noise, base: Option<DVec3>) {
        let (context, stride, args) = (self.context, self.stride, self.args);
        let octaves = noise.octaves();
        match base {
            Some(base) if self.arity == 0 => {
                let out = &mut self.out[..self.count];
                if !A::noise_by_rows(context, self.heads, noise, base, out) {
                    self.noise_at_heads(noise, base, #[inline(always)] |_, _, _, spot| spot);
                }
            }
            Some(base) => {
                self.noise_at_heads(noise, base, #[inline(always)] |octave, axis, at, spot| {
                    octaves[octave].moved(spot, A::load(context, args[axis], stride, at))
                });
            }
            None => self.each(#[inline(always)] |args, at| {
                noise.value(context, #[inline(always)] |octave, axis| {
                    octaves[octave].spot_from_place(axis, A::load(context, args[axis], stride, at))
                })
            }),
        }
    }

    fn raster(&mut self, raster: &Raster, base: Option<DVec2>) {
        let context = self.context;
        let Some(base) = base else {
            // Which raster it is, is asked for each lane; such rasters are rare.
            return self.binary(#[inline(always)] |x, y| raster.at_place(context, [x, y]));
        };
        match raster {
            Raster::Heights(heights) => {
                let axes = [heights.axis(0), heights.axis(1)];
                self.raster_at_heads(axes, base, #[inline(always)] |x, y| heights.value(context, x, y));
            }
            Raster::Image(image) => {
                let axes = [image.axis(0), image.axis(1)];
                self.raster_at_heads(axes, base, #[inline(always)] |x, y| image.value(context, x, y));
            }
        }
    }

    fn curve(&mut self, curve: &Curve) {
        self.unary(#[inline(always)] |a| curve.apply(a));
    }
    fn shape(&mut self, shape: &Shape) {
        shape.sweep(self);
    }
    fn prism(&mut self, prism: &Prism) {
        prism.sweep(self);
    }
    fn segments(&mut self, segments: &Segments) {
        segments.sweep(self);
    }
    fn cloud(&mut self, cloud: &Cloud) {
        cloud.sweep(self);
    }
}

impl<A: Stored, H: Heads> Slices<'_, A, H> {
    /// Noise at the points' own places, which are split in f64; `moved` may move each of them on.
    #[inline(always)]
    fn noise_at_heads(
        &mut self,
        noise: &Noise,
        base: DVec3,
        moved: impl Fn(usize, usize, usize, Spot<A>) -> Spot<A>,
    ) {
        let (context, stride) = (self.context, self.stride);
        let octaves = noise.octaves();
        let axes = if noise.reads().z { 3 } else { 2 };
        let SplitScratch { cells, parts } = &mut *self.splits;
        cells.resize(octaves.len() * axes * BLOCK, 0);
        parts.resize(octaves.len() * axes * BLOCK, 0.0);
        for start in (0..self.count).step_by(BLOCK) {
            let points = start..self.count.min(start + BLOCK);
            for (octave, (cells, parts)) in octaves
                .iter()
                .zip(cells.chunks_exact_mut(axes * BLOCK).zip(parts.chunks_exact_mut(axes * BLOCK)))
            {
                for axis in 0..axes {
                    let here = axis * BLOCK..(axis + 1) * BLOCK;
                    let (cells, parts) = (&mut cells[here.clone()], &mut parts[here]);
                    let (heads, points) = (&mut *self.heads, points.clone());
                    A::run(context, #[inline(always)] || {
                        heads.split(
                            axis,
                            points,
                            #[inline(always)] |place| octave.split(axis, place - base[axis]),
                            cells,
                            parts,
                        );
                    });
                }
            }
            let (out, cells, parts) = (&mut *self.out, &cells[..], &parts[..]);
            A::run(context, #[inline(always)] || {
                for at in points.step_by(A::LANES) {
                    let value = noise.value(context, #[inline(always)] |octave, axis| {
                        let from = (octave * axes + axis) * BLOCK + at - start;
                        let part = A::load_level(context, &parts[from..]);
                        let slope = octaves[octave].frequency() as f32;
                        let spot = Spot {
                            cell: A::load_words(context, &cells[from..]),
                            part: A::along(part, axis, slope),
                        };
                        moved(octave, axis, at, spot)
                    });
                    value.store(out, stride, at);
                }
            });
        }
    }

    /// A raster at the points' own places, which are split in f64.
    #[inline(always)]
    fn raster_at_heads(
        &mut self,
        axes: [RasterAxis; 2],
        base: DVec2,
        value: impl Fn(RasterSpot<A>, RasterSpot<A>) -> A,
    ) {
        let (context, stride) = (self.context, self.stride);
        let SplitScratch { cells, parts } = &mut *self.splits;
        cells.resize(2 * BLOCK, 0);
        parts.resize(2 * BLOCK, 0.0);
        for start in (0..self.count).step_by(BLOCK) {
            let points = start..self.count.min(start + BLOCK);
            for axis in 0..2 {
                let here = axis * BLOCK..(axis + 1) * BLOCK;
                let (cells, parts) = (&mut cells[here.clone()], &mut parts[here]);
                let split = |place: f64| axes[axis].split(place - base[axis]);
                self.heads.split(axis, points.clone(), split, cells, parts);
            }
            let (out, cells, parts) = (&mut *self.out, &cells[..], &parts[..]);
            A::run(context, #[inline(always)] || {
                for at in points.step_by(A::LANES) {
                    let [x, y] = [0, 1].map(#[inline(always)] |axis| {
                        let from = axis * BLOCK + at - start;
                        let part = A::load_level(context, &parts[from..]);
                        let cell = A::load_words(context, &cells[from..]);
                        RasterSpot { cell, part: A::along(part, axis, axes[axis].slope()) }
                    });
                    value(x, y).store(out, stride, at);
                }
            });
        }
    }
}
