//! An expression as a list of terms, each of which reads earlier ones.
//!
//! Equal terms are one term (value numbering), so the list is the same however the expression shared its parts, and
//! is what [`Expr::encode`](crate::Expr::encode) writes and what a tape is made from. Nothing here recurses: an
//! expression of a million terms in a row needs no deep stack.

use std::collections::HashMap;

use glam::{BVec3, DVec3};

use crate::error::FieldError;
use crate::expr::{Expr, Node};
use crate::heightfield::Heightfield;
use crate::noise::Noise;
use crate::solid::Solid;

/// What a term does with its arguments.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Constant(f32),
    Leaf(Leaf),
    Neg,
    Abs,
    /// 1 / sqrt(1 + |gradient|²) of the argument, with gradient zero.
    Correction,
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    SmoothMin(f32),
    SmoothMax(f32),
}

/// A function of the position relative to an origin.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// Zero on the axes that are not read, so that equal functions are equal.
    pub(crate) origin: DVec3,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Solid(Solid),
    Noise(Noise),
    Heightfield(Heightfield),
}

impl Leaf {
    pub(crate) fn new(origin: DVec3, kind: Kind) -> Self {
        let mut leaf = Leaf { origin, kind };
        leaf.origin = DVec3::select(leaf.reads(), origin, DVec3::ZERO);
        leaf
    }

    /// The axes that the value depends on.
    pub(crate) fn reads(&self) -> BVec3 {
        match &self.kind {
            Kind::Solid(solid) => solid.reads(),
            Kind::Noise(noise) => noise.reads(),
            Kind::Heightfield(_) => BVec3::new(true, true, false),
        }
    }

    pub(crate) fn translated(&self, by: DVec3) -> Leaf {
        Leaf::new(self.origin + by, self.kind.clone())
    }

    fn check(&self) -> Result<(), FieldError> {
        let name = match &self.kind {
            Kind::Solid(solid) => solid.check()?,
            Kind::Noise(noise) => noise.check()?,
            Kind::Heightfield(_) => "heightfield",
        };
        finite(name, "position", self.origin.to_array())
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put(out, self.origin.to_array());
        match &self.kind {
            Kind::Solid(solid) => solid.encode(out),
            Kind::Noise(noise) => noise.encode(out),
            Kind::Heightfield(field) => field.encode(out),
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

/// An op and the terms that it reads, all of them earlier in the list.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) op: Op,
    pub(crate) args: Vec<u32>,
}

impl Term {
    pub(crate) fn check(&self) -> Result<(), FieldError> {
        match &self.op {
            Op::Constant(value) => finite("constant", "value", [f64::from(*value)]),
            Op::SmoothMin(radius) => positive("smooth minimum", "radius", [f64::from(*radius)]),
            Op::SmoothMax(radius) => positive("smooth maximum", "radius", [f64::from(*radius)]),
            Op::Leaf(leaf) => leaf.check(),
            _ => Ok(()),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let code = match &self.op {
            Op::Constant(_) => 0,
            Op::Leaf(_) => 1,
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
        };
        out.push(code);
        match &self.op {
            Op::Constant(number) | Op::SmoothMin(number) | Op::SmoothMax(number) => {
                out.extend_from_slice(&number.to_le_bytes());
            }
            Op::Leaf(leaf) => leaf.encode(out),
            _ => {}
        }
        for arg in &self.args {
            out.extend_from_slice(&arg.to_le_bytes());
        }
    }
}

/// The distinct terms of an expression in order; the last one is its value.
pub(crate) fn terms(expr: &Expr) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut numbered: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut done: HashMap<*const Node, u32> = HashMap::new();
    let mut stack = vec![(expr, false)];
    while let Some((expr, args_are_done)) = stack.pop() {
        let node = expr.node();
        if done.contains_key(&std::ptr::from_ref(node)) {
            continue;
        }
        if !args_are_done {
            stack.push((expr, true));
            stack.extend(node.args().rev().map(|arg| (arg, false)));
            continue;
        }
        let args = node.args().map(|arg| done[&std::ptr::from_ref(arg.node())]).collect();
        let term = Term { op: node.op.clone(), args };
        let mut bytes = Vec::new();
        term.encode(&mut bytes);
        let number = *numbered.entry(bytes).or_insert_with(|| {
            terms.push(term);
            terms.len() as u32 - 1
        });
        done.insert(node, number);
    }
    // The root may equal an earlier term only if it is the earlier term, so it is the last of the list.
    terms
}

/// The bytes of a list of terms.
pub(crate) fn encode(terms: &[Term], out: &mut Vec<u8>) {
    out.extend_from_slice(&crate::OUTPUT_VERSION.to_le_bytes());
    out.extend_from_slice(&(terms.len() as u32).to_le_bytes());
    for term in terms {
        term.encode(out);
    }
}
