//! Evaluating ops for tests: point by point, in lanes at each level, and in f64.

use std::ops::{Add, Mul, Neg, Sub};

use fearless_simd::{Level, dispatch};

use crate::algebra::{Algebra, Dual, Enclosure, Lanes, Simd};
use crate::sweep::Sweep;

/// What can be swept.
pub(crate) trait Swept {
    fn sweep<A: Algebra>(&self, sweep: &mut impl Sweep<A>);
}

/// Places, a box that holds them, and the values there.
struct Trial<A> {
    places: Vec<[A; 3]>,
    within: [Enclosure; 3],
    values: Vec<A>,
}

impl<A: Algebra> Sweep<A> for Trial<A> {
    fn nullary(&mut self, op: impl Fn(A::Context) -> A) {
        self.values = self.places.iter().map(|p| op(p[0].context())).collect();
    }
    fn unary(&mut self, op: impl Fn(A) -> A) {
        self.values = self.places.iter().map(|p| op(p[0])).collect();
    }
    fn binary(&mut self, op: impl Fn(A, A) -> A) {
        self.values = self.places.iter().map(|p| op(p[0], p[1])).collect();
    }
    fn ternary(&mut self, op: impl Fn([A; 3]) -> A) {
        self.values = self.places.iter().map(|&p| op(p)).collect();
    }
    fn gathered<T>(&mut self, gather: impl Fn([Enclosure; 3], &mut Vec<T>), op: impl Fn(&[T], [A; 3]) -> A) {
        let mut list = Vec::new();
        gather(self.within, &mut list);
        self.values = self.places.iter().map(|&p| op(&list, p)).collect();
    }
}

/// The least box that holds all places.
pub(crate) fn block(places: &[[f32; 3]]) -> [Enclosure; 3] {
    [0, 1, 2].map(|axis| {
        let along = places.iter().map(|p| p[axis]);
        Enclosure::hull(along.clone().fold(f32::INFINITY, f32::min), along.fold(f32::NEG_INFINITY, f32::max))
    })
}

/// The values at places of a block.
pub(crate) fn values_in<A: Algebra>(op: &impl Swept, places: &[[A; 3]], within: [Enclosure; 3]) -> Vec<A> {
    let mut trial = Trial { places: places.to_vec(), within, values: Vec::new() };
    op.sweep(&mut trial);
    trial.values
}

pub(crate) fn values(op: &impl Swept, places: &[[f32; 3]]) -> Vec<f32> {
    values_in(op, places, block(places))
}

pub(crate) fn value(op: &impl Swept, place: [f32; 3]) -> f32 {
    values(op, &[place])[0]
}

/// A place that knows how it moves.
pub(crate) fn moving(place: [f32; 3]) -> [Dual; 3] {
    let slope = |axis: usize| [0, 1, 2].map(|i| if i == axis { 1.0 } else { 0.0 });
    [0, 1, 2].map(|axis| Dual::new(place[axis], slope(axis)))
}

pub(crate) fn dual(op: &impl Swept, place: [f32; 3]) -> Dual {
    values_in(op, &[moving(place)], block(&[place]))[0]
}

/// The value in f64.
pub(crate) fn precise(op: &impl Swept, place: [f64; 3]) -> f64 {
    let near = place.map(|c| c as f32);
    values_in(op, &[place.map(Precise)], block(&[near]))[0].0
}

/// Asserts that lanes give the bits of the scalar, at each level that the machine has.
pub(crate) fn assert_lanes_have_its_bits(op: &impl Swept, places: &[[f32; 3]]) {
    let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let scalar = bits(values(op, places));
    for level in levels() {
        let lanes = dispatch!(level, simd => in_lanes(simd, op, places));
        assert_eq!(bits(lanes), scalar, "at {level:?}");
    }
}

fn levels() -> Vec<Level> {
    let top = Level::new();
    #[cfg(target_arch = "x86_64")]
    return [
        Some(top),
        top.as_avx2().map(Level::Avx2),
        top.as_sse4_2().map(Level::Sse4_2),
        top.as_sse2().map(Level::Sse2),
    ]
    .into_iter()
    .flatten()
    .collect();
    #[cfg(not(target_arch = "x86_64"))]
    vec![top]
}

fn in_lanes<S: Simd>(simd: S, op: &impl Swept, places: &[[f32; 3]]) -> Vec<f32> {
    let count = Lanes::<S>::COUNT;
    let mut padded = places.to_vec();
    padded.resize(places.len().next_multiple_of(count), places[0]);
    let lanes = |chunk: &[[f32; 3]]| {
        [0, 1, 2].map(|axis| Lanes::load(simd, &chunk.iter().map(|p| p[axis]).collect::<Vec<_>>()))
    };
    let all: Vec<[Lanes<S>; 3]> = padded.chunks(count).map(lanes).collect();
    let mut values = vec![0.0; padded.len()];
    for (lanes, chunk) in values_in(op, &all, block(places)).into_iter().zip(values.chunks_mut(count)) {
        lanes.store(chunk);
    }
    values.truncate(places.len());
    values
}

/// f64: what is computed, but for rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precise(pub(crate) f64);

macro_rules! operators {
    ($($trait:ident $method:ident $sign:tt),*) => {$(
        impl $trait for Precise {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Precise(self.0 $sign other.0)
            }
        }
    )*};
}

operators!(Add add +, Sub sub -, Mul mul *);

impl Neg for Precise {
    type Output = Self;
    fn neg(self) -> Self {
        Precise(-self.0)
    }
}

impl Add<f32> for Precise {
    type Output = Self;
    fn add(self, constant: f32) -> Self {
        Precise(self.0 + f64::from(constant))
    }
}

impl Mul<f32> for Precise {
    type Output = Self;
    fn mul(self, constant: f32) -> Self {
        Precise(self.0 * f64::from(constant))
    }
}

impl Algebra for Precise {
    type Context = ();

    fn constant((): (), value: f32) -> Self {
        Precise(value.into())
    }
    fn context(self) {}
    fn divide(self, by: Self) -> Self {
        Precise(self.0 / by.0)
    }
    fn min(self, other: Self) -> Self {
        if self.0 <= other.0 { self } else { other }
    }
    fn max(self, other: Self) -> Self {
        if self.0 >= other.0 { self } else { other }
    }
    fn abs(self) -> Self {
        Precise(self.0.abs())
    }
    fn floor(self) -> Self {
        Precise(self.0.floor())
    }
    fn root(self) -> Self {
        Precise(f64::max(0.0, self.0).sqrt())
    }
    fn wave(self) -> Self {
        Precise(weald_space::ops::sin(self.0 * std::f64::consts::TAU))
    }
    fn power(self, exponent: f32) -> Self {
        Precise(weald_space::ops::pow(self.0, exponent.into()))
    }
    fn length<const N: usize>(of: [Self; N]) -> Self {
        Precise(of.iter().map(|c| c.0 * c.0).sum::<f64>().sqrt())
    }
    fn choose(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        if a.0 <= b.0 { then } else { otherwise }
    }
}

/// The gradient by central differences in f64, and how much the differences to both sides disagree.
pub(crate) fn differences(op: &impl Swept, place: [f32; 3], step: f64) -> ([f64; 3], f64) {
    let place = place.map(f64::from);
    let middle = precise(op, place);
    let mut kink: f64 = 0.0;
    let gradient = [0, 1, 2].map(|axis| {
        let at = |by: f64| {
            let mut moved = place;
            moved[axis] += by;
            precise(op, moved)
        };
        let (before, after) = (middle - at(-step), at(step) - middle);
        kink = kink.max((after - before).abs() / step);
        (before + after) / (2.0 * step)
    });
    (gradient, kink)
}
