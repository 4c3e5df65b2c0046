//! One evaluation of each op: over a whole box, or as a name.

use glam::{DVec2, DVec3};
use weald_space::{Aabb, Axis, Interval};

use crate::algebra::{Algebra, Dual, Enclosure};
use crate::cloud::Cloud;
use crate::curve::Curve;
use crate::noise::Noise;
use crate::op::{Machine, Op, Raster};
use crate::prism::Prism;
use crate::segments::Segments;
use crate::shape::Shape;
use crate::sweep::Sweep;

/// Carries out one op on one value each.
pub(crate) struct Once<'a, A: Algebra, P> {
    pub(crate) context: A::Context,
    /// The arguments.
    pub(crate) args: &'a [A],
    /// Where it is evaluated.
    pub(crate) place: P,
    pub(crate) out: A,
}

impl<'a, A: Algebra, P> Once<'a, A, P> {
    /// The value of an op.
    pub(crate) fn value(op: &Op, context: A::Context, args: &'a [A], place: P) -> A
    where
        Self: Machine<A>,
    {
        let mut once = Once { context, args, place, out: A::constant(context, 0.0) };
        op.carry_out(&mut once);
        once.out
    }

    fn three(&self) -> [A; 3] {
        [self.args[0], self.args[1], self.args[2]]
    }
}

/// All values that a number of an algebra can stand for.
pub(crate) trait Hull<A> {
    fn hull(&self, of: A) -> Enclosure;
}

impl<A: Algebra, P: Hull<A>> Sweep<A> for Once<'_, A, P> {
    fn nullary(&mut self, op: impl Fn(A::Context) -> A) {
        self.out = op(self.context);
    }
    fn unary(&mut self, op: impl Fn(A) -> A) {
        self.out = op(self.args[0]);
    }
    fn binary(&mut self, op: impl Fn(A, A) -> A) {
        self.out = op(self.args[0], self.args[1]);
    }
    fn ternary(&mut self, op: impl Fn([A; 3]) -> A) {
        self.out = op(self.three());
    }
    fn gathered<T>(&mut self, gather: impl Fn([Enclosure; 3], &mut Vec<T>), op: impl Fn(&[T], [A; 3]) -> A) {
        let mut list = Vec::new();
        gather(self.three().map(|arg| self.place.hull(arg)), &mut list);
        self.out = op(&list, self.three());
    }
}

/// No place: for ops of constants.
pub(crate) struct Nowhere;

impl Hull<f32> for Nowhere {
    fn hull(&self, of: f32) -> Enclosure {
        Enclosure::hull(of, of)
    }
}

/// The value of an op on constants.
pub(crate) fn fold(op: &Op, args: &[f32]) -> f32 {
    match op {
        // What has a place of its own is no function of constants; and what is looked up is not worth it.
        Op::Noise { base: None, noise } => {
            let spot = |octave: usize, axis: usize| noise.octaves()[octave].spot_from_place(axis, args[axis]);
            noise.value((), spot)
        }
        Op::Raster { base: None, raster } => raster.at_place((), [args[0], args[1]]),
        _ => Once::value(op, (), args, Nowhere),
    }
}

impl Machine<f32> for Once<'_, f32, Nowhere> {
    fn coordinate(&mut self, _axis: Axis, _origin: f64, _period: f64) {
        debug_assert!(false, "a coordinate is no constant");
    }
    fn noise(&mut self, _noise: &Noise, _base: Option<DVec3>) {
        debug_assert!(false, "noise at a constant place is folded by itself");
    }
    fn raster(&mut self, _raster: &Raster, _base: Option<DVec2>) {
        debug_assert!(false, "a raster at a constant place is folded by itself");
    }
    fn curve(&mut self, curve: &Curve) {
        self.out = curve.apply(self.args[0]);
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

impl Hull<Enclosure> for Aabb {
    fn hull(&self, of: Enclosure) -> Enclosure {
        of
    }
}

impl Hull<Dual<Enclosure>> for Aabb {
    fn hull(&self, of: Dual<Enclosure>) -> Enclosure {
        of.value
    }
}

/// The places in a box along an axis, as [`Op::Coordinate`] rounds them.
///
/// Both the difference and the cast to f32 are rounded monotonely, so the ends hold what any point in the box would get.
fn coordinate(within: &Aabb, axis: Axis, origin: f64, period: f64) -> Enclosure {
    let (lo, hi) = (within.min[axis.index()] - origin, within.max[axis.index()] - origin);
    if period > 0.0 {
        let cell = |local: f64| (local / period + 0.5).floor();
        if cell(lo) != cell(hi) {
            return Enclosure::within((0.5 * period) as f32);
        }
        return Enclosure::hull(wrapped(lo, period) as f32, wrapped(hi, period) as f32);
    }
    Enclosure::hull(lo as f32, hi as f32)
}

/// The distance from the nearest multiple of a period.
#[inline(always)]
pub(crate) fn wrapped(local: f64, period: f64) -> f64 {
    if period > 0.0 { local - period * (local / period + 0.5).floor() } else { local }
}

/// The box of places that an op with a place of its own is read at, relative to its origin.
///
/// Arguments are scaled and split in f32; `rounding` is more than that moves a place by, for arguments up to a size.
fn places<const N: usize>(
    within: &Aabb,
    base: Option<[f64; N]>,
    args: &[Enclosure],
    rounding: impl Fn(f64) -> f64,
) -> Aabb {
    let mut places = Aabb::new(DVec3::ZERO, DVec3::ZERO);
    if let Some(base) = base {
        for axis in 0..N {
            let (a, b) = (within.min[axis] - base[axis], within.max[axis] - base[axis]);
            (places.min[axis], places.max[axis]) = (a.min(b), a.max(b));
        }
    }
    for (axis, arg) in args.iter().enumerate() {
        let margin = rounding(arg.magnitude().into());
        places.min[axis] += f64::from(arg.lo()) - margin;
        places.max[axis] += f64::from(arg.hi()) + margin;
    }
    places
}

/// A raster over a box, or over what was computed.
fn raster_bounds(raster: &Raster, within: &Aabb, base: Option<DVec2>, args: &[Enclosure]) -> Dual<Enclosure> {
    // Three roundings, of numbers up to the argument.
    let rounding = |metres: f64| metres * 4e-7;
    raster.dual_bounds(places(within, base.map(|base| base.to_array()), args, rounding))
}

impl Machine<Enclosure> for Once<'_, Enclosure, Aabb> {
    fn coordinate(&mut self, axis: Axis, origin: f64, period: f64) {
        self.out = coordinate(&self.place, axis, origin, period);
    }
    fn noise(&mut self, noise: &Noise, base: Option<DVec3>) {
        self.out = noise.bounds(places(&self.place, base.map(|base| base.to_array()), self.args, |metres| {
            noise.rounding(metres)
        }));
    }
    fn raster(&mut self, raster: &Raster, base: Option<DVec2>) {
        self.out = raster_bounds(raster, &self.place, base, self.args).value;
    }
    fn curve(&mut self, curve: &Curve) {
        self.out = curve.bounds(self.args[0]);
    }
    fn shape(&mut self, shape: &Shape) {
        self.out = shape.bounds(self.three());
    }
    fn prism(&mut self, prism: &Prism) {
        self.out = prism.bounds(self.three());
    }
    fn segments(&mut self, segments: &Segments) {
        self.out = segments.bounds(self.three());
    }
    fn cloud(&mut self, cloud: &Cloud) {
        self.out = cloud.bounds(self.three());
    }
}

impl Once<'_, Dual<Enclosure>, Aabb> {
    fn values(&self) -> Vec<Enclosure> {
        self.args.iter().map(|arg| arg.value).collect()
    }

    /// The chain rule: what a function of places does, for places that change with the point.
    fn chain(&self, of_places: Dual<Enclosure>, base: bool) -> Dual<Enclosure> {
        if self.args.is_empty() {
            return of_places;
        }
        let zero = Enclosure::constant((), 0.0);
        let mut gradient = [zero; 3];
        for (axis, slope) in gradient.iter_mut().enumerate() {
            for (number, arg) in self.args.iter().enumerate() {
                let own = if base && number == axis { 1.0 } else { 0.0 };
                *slope = *slope + of_places.gradient[number] * (arg.gradient[axis] + own);
            }
        }
        Dual::new(of_places.value, gradient)
    }
}

const ANY_GRADIENT: [Enclosure; 3] = [Enclosure(Interval::ALL); 3];

impl Machine<Dual<Enclosure>> for Once<'_, Dual<Enclosure>, Aabb> {
    fn coordinate(&mut self, axis: Axis, origin: f64, period: f64) {
        let value = coordinate(&self.place, axis, origin, period);
        let mut gradient = [Enclosure::constant((), 0.0); 3];
        gradient[axis.index()] = Enclosure::constant((), 1.0);
        self.out = Dual::new(value, gradient);
    }
    fn noise(&mut self, noise: &Noise, base: Option<DVec3>) {
        let places = places(&self.place, base.map(|base| base.to_array()), &self.values(), |metres| {
            noise.rounding(metres)
        });
        self.out = self.chain(noise.dual_bounds(places), base.is_some());
    }
    fn raster(&mut self, raster: &Raster, base: Option<DVec2>) {
        let bounds = raster_bounds(raster, &self.place, base, &self.values());
        self.out = self.chain(bounds, base.is_some());
    }
    fn curve(&mut self, curve: &Curve) {
        let generic = curve.apply(self.args[0]);
        self.out = Dual::new(curve.bounds(self.args[0].value), generic.gradient);
    }
    fn shape(&mut self, shape: &Shape) {
        shape.sweep(self);
        self.out.value = shape.bounds(self.three().map(|arg| arg.value));
    }
    fn prism(&mut self, prism: &Prism) {
        self.out = Dual::new(prism.bounds(self.three().map(|arg| arg.value)), ANY_GRADIENT);
    }
    fn segments(&mut self, segments: &Segments) {
        self.out = Dual::new(segments.bounds(self.three().map(|arg| arg.value)), ANY_GRADIENT);
    }
    fn cloud(&mut self, cloud: &Cloud) {
        self.out = Dual::new(cloud.bounds(self.three().map(|arg| arg.value)), ANY_GRADIENT);
    }
}
