//! Ops over slices of points, a few lanes at a time.

use std::ops::Range;

use fearless_simd::Level;
use glam::{DVec2, DVec3};
use weald_space::Axis;

use crate::algebra::{Dual, Enclosure, Lanes, Pointwise, Simd};
use crate::cloud::Cloud;
use crate::curve::Curve;
use crate::noise::{Noise, Octave, Spot};
use crate::op::{Machine, Raster};
use crate::prism::Prism;
use crate::raster::{RasterAxis, RasterSpot};
use crate::segments::Segments;
use crate::shape::Shape;
use crate::sweep::Sweep;
use crate::tiles::{self, Tile, along_curve, tiles};
use crate::width::in_wide_lanes;

/// Slices are filled up to a multiple of this many points, which the widest lanes divide.
pub(crate) const WIDEST: usize = 16;

/// Points for which places are split at once.
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
    /// Writes words.
    fn store_words(words: Self::Word, to: &mut [u32]);
    /// The level of the lanes; none for one point at a time, or with gradients.
    fn level(_context: Self::Context) -> Option<Level> {
        None
    }
}

/// Where the points of a slice are.
pub(crate) trait Heads {
    /// Points in a row, if they lie in rows; else 0.
    fn row_len(&self) -> usize {
        0
    }
    /// The places of all points along an axis, as [`Op::Coordinate`](crate::op::Op::Coordinate) means it.
    fn coordinates(&mut self, axis: usize, origin: f64, period: f64, out: &mut [f32]);
    /// The cells and parts of some of the points along an axis.
    fn split(&mut self, points: Range<usize>, split: &Split, cells: &mut [u32], parts: &mut [f32]);
    /// Fills the slice with noise by rows of a grid; false if there are none.
    fn noise_by_rows(&mut self, level: Level, noise: &Noise, base: DVec3, out: &mut [f32]) -> bool;
}

/// How places along an axis fall into cells.
pub(crate) struct Split<'a> {
    pub(crate) axis: usize,
    pub(crate) origin: f64,
    pub(crate) of: Cells<'a>,
    pub(crate) level: Option<Level>,
}

/// What the cells are of.
pub(crate) enum Cells<'a> {
    Octave(&'a Octave),
    Raster(RasterAxis),
}

impl Split<'_> {
    /// Splits places.
    pub(crate) fn each(&self, places: impl Iterator<Item = f64>, cells: &mut [u32], parts: &mut [f32]) {
        match self.level {
            Some(level) => in_wide_lanes!(
                level,
                simd => simd.vectorize(
                    #[inline(always)]
                    || self.each_inlined(places, cells, parts)
                ),
                else { self.each_inlined(places, cells, parts) }
            ),
            None => self.each_inlined(places, cells, parts),
        }
    }

    #[inline(always)]
    fn each_inlined(&self, places: impl Iterator<Item = f64>, cells: &mut [u32], parts: &mut [f32]) {
        let out = cells.iter_mut().zip(parts);
        match &self.of {
            Cells::Octave(octave) => {
                for ((cell, part), place) in out.zip(places) {
                    (*cell, *part) = octave.split(self.axis, place - self.origin);
                }
            }
            Cells::Raster(axis) => {
                for ((cell, part), place) in out.zip(places) {
                    (*cell, *part) = axis.split(place - self.origin);
                }
            }
        }
    }
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
    #[inline(always)]
    fn store_words(words: u32, to: &mut [u32]) {
        to[0] = words;
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
    #[inline(always)]
    fn store_words(words: Self::Word, to: &mut [u32]) {
        words.store(&mut to[..Self::LANES]);
    }
    fn level(simd: S) -> Option<Level> {
        Some(simd.level())
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
    #[inline(always)]
    fn store_words(words: N::Word, to: &mut [u32]) {
        N::store_words(words, to);
    }
    fn level(context: N::Context) -> Option<Level> {
        N::level(context)
    }
}

/// What splitting places into cells and parts keeps.
#[derive(Debug, Default)]
pub(crate) struct SplitScratch {
    cells: Vec<u32>,
    parts: Vec<f32>,
}

impl SplitScratch {
    fn make_room(&mut self, slots: usize, parts: usize) {
        self.cells.resize(self.cells.len().max(slots * BLOCK), 0);
        self.parts.resize(self.parts.len().max(slots * parts * BLOCK), 0.0);
    }

    fn slot(&mut self, number: usize, parts: usize) -> (&mut [u32], &mut [f32]) {
        let size = parts * BLOCK;
        (&mut self.cells[number * BLOCK..][..BLOCK], &mut self.parts[number * size..][..size])
    }

    #[inline(always)]
    fn raster_spot<A: Stored>(
        &self,
        context: A::Context,
        axis: usize,
        at: usize,
        slope: f32,
    ) -> RasterSpot<A> {
        let (cells, parts) = self.at(axis, A::PARTS);
        let part = A::load_level(context, &parts[at..]);
        RasterSpot { cell: A::load_words(context, &cells[at..]), part: A::along(part, axis, slope) }
    }

    #[inline(always)]
    fn at(&self, number: usize, parts: usize) -> (&[u32], &[f32]) {
        let size = parts * BLOCK;
        (&self.cells[number * BLOCK..][..BLOCK], &self.parts[number * size..][..size])
    }
}

#[inline(always)]
fn load_three<A: Stored>(context: A::Context, args: &[&[f32]; 3], stride: usize, at: usize) -> [A; 3] {
    [
        A::load(context, args[0], stride, at),
        A::load(context, args[1], stride, at),
        A::load(context, args[2], stride, at),
    ]
}

/// Carries out one op over slices.
pub(crate) struct Slices<'a, A: Stored> {
    pub(crate) context: A::Context,
    pub(crate) args: [&'a [f32]; 3],
    /// How many of the arguments there are.
    pub(crate) arity: usize,
    pub(crate) out: &'a mut [f32],
    /// Points.
    pub(crate) count: usize,
    /// Points filled up to a multiple of [`WIDEST`].
    pub(crate) stride: usize,
    pub(crate) heads: &'a mut dyn Heads,
    pub(crate) splits: &'a mut SplitScratch,
}

impl<A: Stored> Slices<'_, A> {
    /// Each number of the result from the place that it has in the slices.
    #[inline(always)]
    fn each(&mut self, op: impl Fn(&[&[f32]; 3], usize) -> A) {
        let (args, stride, points) = (self.args, self.stride, self.count.next_multiple_of(A::LANES));
        let out = &mut *self.out;
        A::run(
            self.context,
            #[inline(always)]
            || {
                for at in (0..points).step_by(A::LANES) {
                    op(&args, at).store(out, stride, at);
                }
            },
        );
    }
}

/// The least and the greatest value in a tile.
fn range(values: &[f32], tile: Tile) -> Enclosure {
    let (mut lo, mut hi) = (f32::INFINITY, f32::NEG_INFINITY);
    for &value in tile.runs().flat_map(|run| &values[run]) {
        if value.is_nan() {
            return Enclosure(weald_space::Interval::ALL);
        }
        lo = if value < lo { value } else { lo };
        hi = if value > hi { value } else { hi };
    }
    Enclosure::hull(lo, hi)
}

impl<A: Stored> Sweep<A> for Slices<'_, A> {
    #[inline(always)]
    fn nullary(&mut self, op: impl Fn(A::Context) -> A) {
        let context = self.context;
        self.each(
            #[inline(always)]
            |_, _| op(context),
        );
    }
    #[inline(always)]
    fn unary(&mut self, op: impl Fn(A) -> A) {
        let (context, stride) = (self.context, self.stride);
        self.each(
            #[inline(always)]
            |args, at| op(A::load(context, args[0], stride, at)),
        );
    }
    #[inline(always)]
    fn binary(&mut self, op: impl Fn(A, A) -> A) {
        let (context, stride) = (self.context, self.stride);
        self.each(
            #[inline(always)]
            |args, at| op(A::load(context, args[0], stride, at), A::load(context, args[1], stride, at)),
        );
    }
    #[inline(always)]
    fn ternary(&mut self, op: impl Fn([A; 3]) -> A) {
        let (context, stride) = (self.context, self.stride);
        self.each(
            #[inline(always)]
            |args, at| op(load_three(context, args, stride, at)),
        );
    }
    #[inline(always)]
    fn gathered<T>(&mut self, gather: impl Fn([Enclosure; 3], &mut Vec<T>), op: impl Fn(&[T], [A; 3]) -> A) {
        let Slices { context, stride, count, args, out, splits, .. } = self;
        let (context, stride, count, row_len) = (*context, *stride, *count, self.heads.row_len());
        let is_sorted = row_len == 0 && (tiles::BLOCK + 1..=1 << 16).contains(&count);
        let SplitScratch { cells: order, parts } = &mut **splits;
        if is_sorted {
            along_curve(args.map(|arg| &arg[..count]), order);
            parts.clear();
            for from in args.iter().flat_map(|arg| arg[..A::PARTS * stride].chunks_exact(stride)) {
                parts.extend(order.iter().map(|&point| from[point as usize]));
                parts.resize(parts.len() + stride - count, 0.0);
            }
            parts.resize(parts.len() + A::PARTS * stride, 0.0);
        }
        let (sorted, results) = parts.split_at_mut(if is_sorted { 3 * A::PARTS * stride } else { 0 });
        let part = |number: usize| &sorted[number * A::PARTS * stride..][..A::PARTS * stride];
        let places = if is_sorted { [part(0), part(1), part(2)] } else { *args };
        let values = if is_sorted { &mut *results } else { &mut **out };
        let mut list = Vec::new();
        for tile in tiles(count, row_len, A::LANES) {
            list.clear();
            gather([range(places[0], tile), range(places[1], tile), range(places[2], tile)], &mut list);
            let (values, list) = (&mut *values, &list[..]);
            A::run(
                context,
                #[inline(always)]
                || {
                    for run in tile.runs() {
                        let last = run.end.saturating_sub(A::LANES).max(run.start);
                        for at in run.step_by(A::LANES) {
                            let at = at.min(last);
                            op(list, load_three(context, &places, stride, at)).store(values, stride, at);
                        }
                    }
                },
            );
        }
        if is_sorted {
            for (out, values) in out.chunks_exact_mut(stride).zip(results.chunks_exact(stride)) {
                order.iter().zip(values).for_each(|(&point, &value)| out[point as usize] = value);
            }
        }
    }
}

impl<A: Stored> Machine<A> for Slices<'_, A> {
    fn coordinate(&mut self, axis: Axis, origin: f64, period: f64) {
        let (axis, stride) = (axis.index(), self.stride);
        let (values, slopes) = self.out.split_at_mut(stride);
        self.heads.coordinates(axis, origin, period, &mut values[..self.count]);
        for (number, slopes) in slopes.chunks_mut(stride).enumerate() {
            slopes.fill(if number == axis { 1.0 } else { 0.0 });
        }
    }

    fn noise(&mut self, noise: &Noise, base: Option<DVec3>) {
        if let (Some(base), Some(level), 0, 1) = (base, A::level(self.context), self.arity, A::PARTS)
            && self.heads.noise_by_rows(level, noise, base, &mut self.out[..self.count])
        {
            return;
        }
        let (context, stride) = (self.context, self.stride);
        let octaves = noise.octaves();
        let level = A::level(context);
        let axes = if noise.reads().z { 3 } else { 2 };
        let mut splits = std::mem::take(self.splits);
        splits.make_room(octaves.len() * axes, A::PARTS);
        for start in (0..self.count).step_by(BLOCK) {
            let points = start..self.count.min(start + BLOCK);
            for (number, octave) in octaves.iter().enumerate() {
                for axis in 0..axes {
                    let slot = splits.slot(number * axes + axis, A::PARTS);
                    let split =
                        base.map(|base| Split { axis, origin: base[axis], of: Cells::Octave(octave), level });
                    self.spots(octave, axis, points.clone(), split, slot);
                }
            }
            let (out, splits) = (&mut *self.out, &splits);
            A::run(
                context,
                #[inline(always)]
                || {
                    for at in points.step_by(A::LANES) {
                        let value = noise.value(
                            context,
                            #[inline(always)]
                            |octave, axis| {
                                let (cells, parts) = splits.at(octave * axes + axis, A::PARTS);
                                Spot {
                                    cell: A::load_words(context, &cells[at - start..]),
                                    part: A::load(context, parts, BLOCK, at - start),
                                }
                            },
                        );
                        value.store(out, stride, at);
                    }
                },
            );
        }
        *self.splits = splits;
    }

    fn raster(&mut self, raster: &Raster, base: Option<DVec2>) {
        let (context, stride) = (self.context, self.stride);
        let Some(base) = base else {
            return self.binary(
                #[inline(always)]
                |x, y| raster.at_place(context, [x, y]),
            );
        };
        let axes = [raster.axis(0), raster.axis(1)];
        let level = A::level(context);
        let mut splits = std::mem::take(self.splits);
        splits.make_room(2, A::PARTS);
        for start in (0..self.count).step_by(BLOCK) {
            let points = start..self.count.min(start + BLOCK);
            for axis in 0..2 {
                let split = Split { axis, origin: base[axis], of: Cells::Raster(axes[axis]), level };
                let (cells, parts) = splits.slot(axis, A::PARTS);
                self.heads.split(points.clone(), &split, cells, &mut parts[..BLOCK]);
            }
            let (out, splits) = (&mut *self.out, &splits);
            A::run(
                context,
                #[inline(always)]
                || {
                    for at in points.step_by(A::LANES) {
                        let x = splits.raster_spot::<A>(context, 0, at - start, axes[0].slope());
                        let y = splits.raster_spot::<A>(context, 1, at - start, axes[1].slope());
                        raster.at_spots(context, x, y).store(out, stride, at);
                    }
                },
            );
        }
        *self.splits = splits;
    }

    fn curve(&mut self, curve: &Curve) {
        self.unary(
            #[inline(always)]
            |a| curve.apply(a),
        );
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

impl<A: Stored> Slices<'_, A> {
    /// The spots of some points in the lattice of an octave, along one axis: from their own places, which are split in
    /// f64 and moved by the argument if there is one, or from the argument alone.
    fn spots(
        &mut self,
        octave: &Octave,
        axis: usize,
        points: Range<usize>,
        split: Option<Split>,
        (cells, parts): (&mut [u32], &mut [f32]),
    ) {
        let (context, stride, start) = (self.context, self.stride, points.start);
        let has_base = split.is_some();
        if let Some(split) = split {
            let heads = &mut *self.heads;
            let (values, slopes) = parts.split_at_mut(BLOCK);
            heads.split(points.clone(), &split, cells, values);
            for (number, slopes) in slopes.chunks_mut(BLOCK).enumerate() {
                slopes.fill(if number == axis { octave.frequency() as f32 } else { 0.0 });
            }
        }
        if self.arity == 0 {
            return;
        }
        let arg = self.args[axis];
        A::run(
            context,
            #[inline(always)]
            || {
                for at in points.step_by(A::LANES) {
                    let arg = A::load(context, arg, stride, at);
                    let spot = if has_base {
                        let cell = A::load_words(context, &cells[at - start..]);
                        let part = A::load(context, parts, BLOCK, at - start);
                        octave.moved(Spot { cell, part }, arg)
                    } else {
                        octave.spot_from_place(axis, arg)
                    };
                    A::store_words(spot.cell, &mut cells[at - start..]);
                    spot.part.store(parts, BLOCK, at - start);
                }
            },
        );
    }
}
