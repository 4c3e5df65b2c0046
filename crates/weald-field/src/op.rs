//! What a term does with its arguments.
//!
//! Each op is carried out by one line of [`Op::carry_out`], generic over the algebra: there is nothing to add for an
//! evaluator, and nothing to forget.

use std::sync::Arc;

use glam::{BVec3, DVec2, DVec3};
use weald_space::{Aabb, Axis};

use crate::algebra::{Algebra, Dual, Enclosure, Pointwise};
use crate::cloud::Cloud;
use crate::curve::Curve;
use crate::error::FieldError;
use crate::heightfield::Heightfield;
use crate::image::Image;
use crate::noise::Noise;
use crate::prism::Prism;
use crate::raster::{RasterAxis, RasterSpot};
use crate::segments::Segments;
use crate::shape::Shape;
use crate::sweep::Sweep;

/// What a term does with its arguments.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Constant(f32),
    /// The place along an axis from an origin in metres; with a period above zero, from the nearest of the places that
    /// lie whole periods from the origin. Both in f64, then rounded once.
    Coordinate {
        axis: Axis,
        origin: f64,
        period: f64,
    },
    Neg,
    Abs,
    Floor,
    Root,
    Wave,
    Power(f32),
    Wrap(f32),
    Curve(Arc<Curve>),
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    SmoothMin(f32),
    SmoothMax(f32),
    /// The second argument where the first is below zero, else the third.
    Select,
    /// The first argument where the third is 0, the second where it is 1.
    Mix,
    /// A distance to a shape around the origin of the place that the arguments are.
    Shape(Shape),
    Prism(Prism),
    Segments(Segments),
    Cloud(Cloud),
    /// Noise at the place relative to `base` plus the arguments, if there are any.
    Noise {
        noise: Arc<Noise>,
        base: Option<DVec3>,
    },
    /// A raster at the place relative to `base`, or at the two arguments.
    Raster {
        raster: Raster,
        base: Option<DVec2>,
    },
    /// 1 / sqrt(1 + |gradient|²) of the argument, with gradient zero. Not carried out: the tape evaluates its argument
    /// as a program of its own.
    Correction,
}

/// A raster that is looked up.
#[derive(Clone, Debug)]
pub(crate) enum Raster {
    Heights(Heightfield),
    Image(Image),
}

impl Raster {
    /// The samples along x or y.
    #[inline]
    pub(crate) fn axis(&self, axis: usize) -> RasterAxis {
        match self {
            Raster::Heights(of) => of.axis(axis),
            Raster::Image(of) => of.axis(axis),
        }
    }

    /// The value at a place relative to its origin.
    #[inline(always)]
    pub(crate) fn at_place<A: Pointwise>(&self, context: A::Context, [x, y]: [A; 2]) -> A {
        self.at_spots(context, self.axis(0).spot(x), self.axis(1).spot(y))
    }

    #[inline(always)]
    pub(crate) fn at_spots<A: Pointwise>(
        &self,
        context: A::Context,
        x: RasterSpot<A>,
        y: RasterSpot<A>,
    ) -> A {
        match self {
            Raster::Heights(of) => of.value(context, x, y),
            Raster::Image(of) => of.value(context, x, y),
        }
    }

    /// A range for all values and slopes inside a box relative to the origin.
    pub(crate) fn dual_bounds(&self, within: Aabb) -> Dual<Enclosure> {
        match self {
            Raster::Heights(of) => of.dual_bounds(within),
            Raster::Image(of) => of.dual_bounds(within),
        }
    }
}

/// Carries out the ops that need more than their arguments, or that have enclosures of their own.
pub(crate) trait Machine<A: Algebra>: Sweep<A> {
    fn coordinate(&mut self, axis: Axis, origin: f64, period: f64);
    fn noise(&mut self, noise: &Noise, base: Option<DVec3>);
    fn raster(&mut self, raster: &Raster, base: Option<DVec2>);
    fn curve(&mut self, curve: &Curve);
    fn shape(&mut self, shape: &Shape);
    fn prism(&mut self, prism: &Prism);
    fn segments(&mut self, segments: &Segments);
    fn cloud(&mut self, cloud: &Cloud);
}

impl Op {
    /// Does what the op means.
    #[rustfmt::skip]
    pub(crate) fn carry_out<A: Algebra>(&self, machine: &mut impl Machine<A>) {
        match self {
            &Op::Constant(value) => machine.nullary(#[inline(always)] |context| A::constant(context, value)),
            &Op::Coordinate { axis, origin, period } => machine.coordinate(axis, origin, period),
            Op::Neg => machine.unary(#[inline(always)] |a| -a),
            Op::Abs => machine.unary(#[inline(always)] |a| a.abs()),
            Op::Floor => machine.unary(#[inline(always)] |a| a.floor()),
            Op::Root => machine.unary(#[inline(always)] |a| a.root()),
            Op::Wave => machine.unary(#[inline(always)] |a| a.wave()),
            &Op::Power(exponent) => machine.unary(#[inline(always)] |a| a.power(exponent)),
            &Op::Wrap(period) => machine.unary(#[inline(always)] |a| a.wrap(period)),
            Op::Curve(curve) => machine.curve(curve),
            Op::Add => machine.binary(#[inline(always)] |a, b| a + b),
            Op::Sub => machine.binary(#[inline(always)] |a, b| a - b),
            Op::Mul => machine.binary(#[inline(always)] |a, b| a * b),
            Op::Div => machine.binary(#[inline(always)] |a, b| a.divide(b)),
            Op::Min => machine.binary(#[inline(always)] |a, b| a.min(b)),
            Op::Max => machine.binary(#[inline(always)] |a, b| a.max(b)),
            &Op::SmoothMin(radius) => machine.binary(#[inline(always)] |a, b| a.smooth_min(b, radius)),
            &Op::SmoothMax(radius) => machine.binary(#[inline(always)] |a, b| -(-a).smooth_min(-b, radius)),
            Op::Select => machine.ternary(#[inline(always)] |[condition, then, otherwise]| A::choose(condition.like(0.0), condition, otherwise, then)),
            Op::Mix => machine.ternary(#[inline(always)] |[a, b, t]| A::mix(a, b, t)),
            Op::Shape(shape) => machine.shape(shape),
            Op::Prism(prism) => machine.prism(prism),
            Op::Segments(segments) => machine.segments(segments),
            Op::Cloud(cloud) => machine.cloud(cloud),
            Op::Noise { noise, base } => machine.noise(noise, *base),
            Op::Raster { raster, base } => machine.raster(raster, *base),
            Op::Correction => debug_assert!(false, "a correction is an input"),
        }
    }

    /// The axes that the op reads by itself, besides its arguments.
    pub(crate) fn reads(&self) -> BVec3 {
        match self {
            Op::Coordinate { axis, .. } => BVec3::new(*axis == Axis::X, *axis == Axis::Y, *axis == Axis::Z),
            Op::Noise { noise, base: Some(_) } => noise.reads(),
            Op::Raster { base: Some(_), .. } => BVec3::new(true, true, false),
            _ => BVec3::FALSE,
        }
    }

    /// Checks the parameters.
    pub(crate) fn check(&self) -> Result<(), FieldError> {
        match self {
            Op::Constant(value) => finite("constant", "value", [f64::from(*value)]),
            Op::Coordinate { origin, period, .. } => {
                finite("place", "position", [*origin])?;
                require("repeat", "period", [*period], |p| p >= 0.0 && p.is_finite(), "0 or more and finite")
            }
            Op::Power(exponent) => {
                let limit = "from -64 to 64";
                require("power", "exponent", [f64::from(*exponent)], |e| e.abs() <= 64.0, limit)
            }
            Op::Wrap(period) => positive("repeat", "period", [f64::from(*period)]),
            Op::SmoothMin(radius) => positive("smooth minimum", "radius", [f64::from(*radius)]),
            Op::SmoothMax(radius) => positive("smooth maximum", "radius", [f64::from(*radius)]),
            Op::Shape(shape) => shape.check().map(|_| ()),
            Op::Noise { noise, base } => {
                let name = noise.check()?;
                finite(name, "position", base.unwrap_or_default().to_array())
            }
            Op::Raster { base, .. } => finite("raster", "position", base.unwrap_or_default().to_array()),
            _ => Ok(()),
        }
    }

    /// Appends bytes that are equal for equal ops and different otherwise.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.code());
        match self {
            Op::Constant(number)
            | Op::Power(number)
            | Op::Wrap(number)
            | Op::SmoothMin(number)
            | Op::SmoothMax(number) => out.extend_from_slice(&number.to_le_bytes()),
            Op::Coordinate { axis, origin, period } => {
                out.push(*axis as u8);
                put(out, [*origin, *period]);
            }
            Op::Curve(curve) => curve.encode(out),
            Op::Shape(shape) => shape.encode(out),
            Op::Prism(prism) => prism.encode(out),
            Op::Segments(segments) => segments.encode(out),
            Op::Cloud(cloud) => cloud.encode(out),
            Op::Noise { noise, base } => {
                out.push(u8::from(base.is_some()));
                put(out, base.unwrap_or_default().to_array());
                noise.encode(out);
            }
            Op::Raster { raster, base } => {
                out.push(u8::from(base.is_some()));
                put(out, base.unwrap_or_default().to_array());
                match raster {
                    Raster::Heights(heights) => heights.encode(out),
                    Raster::Image(image) => image.encode(out),
                }
            }
            _ => {}
        }
    }

    fn code(&self) -> u8 {
        match self {
            Op::Constant(_) => 0,
            Op::Coordinate { .. } => 1,
            Op::Neg => 2,
            Op::Abs => 3,
            Op::Correction => 4,
            Op::Add => 5,
            Op::Sub => 6,
            Op::Mul => 7,
            Op::Div => 8,
            Op::Min => 9,
            Op::Max => 10,
            Op::SmoothMin(_) => 11,
            Op::SmoothMax(_) => 12,
            Op::Floor => 13,
            Op::Root => 14,
            Op::Wave => 15,
            Op::Power(_) => 16,
            Op::Wrap(_) => 17,
            Op::Curve(_) => 18,
            Op::Select => 19,
            Op::Mix => 20,
            Op::Shape(_) => 21,
            Op::Prism(_) => 22,
            Op::Segments(_) => 23,
            Op::Cloud(_) => 24,
            Op::Noise { .. } => 25,
            Op::Raster { .. } => 26,
        }
    }

    /// What people call the op.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Op::Constant(_) => "constant",
            Op::Coordinate { .. } => "coordinate",
            Op::Neg => "negation",
            Op::Abs => "abs",
            Op::Floor => "floor",
            Op::Root => "root",
            Op::Wave => "wave",
            Op::Power(_) => "power",
            Op::Wrap(_) => "repeat",
            Op::Curve(_) => "curve",
            Op::Add => "sum",
            Op::Sub => "difference",
            Op::Mul => "product",
            Op::Div => "quotient",
            Op::Min => "min",
            Op::Max => "max",
            Op::SmoothMin(_) => "smooth min",
            Op::SmoothMax(_) => "smooth max",
            Op::Select => "select",
            Op::Mix => "mix",
            Op::Shape(shape) => shape.name(),
            Op::Prism(_) => "prism",
            Op::Segments(_) => "segments",
            Op::Cloud(_) => "cloud",
            Op::Noise { .. } => "noise",
            Op::Raster { raster: Raster::Heights(_), .. } => "heightfield",
            Op::Raster { raster: Raster::Image(_), .. } => "image",
            Op::Correction => "height correction",
        }
    }
}

/// Appends numbers in little-endian order.
pub(crate) fn put<const N: usize>(out: &mut Vec<u8>, numbers: [f64; N]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

pub(crate) fn finite<const N: usize>(
    op: &'static str,
    name: &'static str,
    values: [f64; N],
) -> Result<(), FieldError> {
    require(op, name, values, f64::is_finite, "finite")
}

pub(crate) fn positive<const N: usize>(
    op: &'static str,
    name: &'static str,
    values: [f64; N],
) -> Result<(), FieldError> {
    require(op, name, values, |v| v > 0.0 && v.is_finite(), "more than 0 and finite")
}

pub(crate) fn require<const N: usize>(
    op: &'static str,
    name: &'static str,
    values: [f64; N],
    holds: impl Fn(f64) -> bool,
    limit: &'static str,
) -> Result<(), FieldError> {
    match values.into_iter().find(|&value| !holds(value)) {
        Some(value) => Err(FieldError::Parameter { op, name, value, limit }),
        None => Ok(()),
    }
}
