//! The ops of fields as formulas call them: numbers are folded in f64, the rest becomes an [`Expr`].

use std::ops::Range;

use weald_space::ops;

use super::error::Wrong;
use super::value::{Scalar, Value};
use crate::expr::Expr;
use crate::tape::Tape;

/// A leaf, checked at once so that an error knows its call.
pub(super) fn checked(leaf: Expr) -> Result<Value, Wrong> {
    Tape::new(&leaf)?;
    Ok(Value::Scalar(Scalar::Field(leaf)))
}

pub(super) fn power(a: &Scalar, exponent: f64) -> Result<Scalar, Wrong> {
    a.map(|a| ops::pow(a, exponent), |a| a.power(exponent as f32))
}

pub(super) fn wave(turns: &Scalar) -> Result<Scalar, Wrong> {
    turns.map(|turns| ops::sin_cos_deg(360.0 * (turns - turns.floor())).0, Expr::wave)
}

pub(super) fn clamp(a: &Scalar, low: f64, high: f64) -> Result<Scalar, Wrong> {
    a.map(|a| a.max(low).min(high), |a| a.clamp(low as f32, high as f32))
}

pub(super) fn mix(a: &Scalar, b: &Scalar, t: &Scalar) -> Result<Scalar, Wrong> {
    if let (Scalar::Number(a), Scalar::Number(b), Scalar::Number(t)) = (a, b, t) {
        return Scalar::number(a + (b - a) * t);
    }
    Ok(Scalar::Field(a.expr().mix(&b.expr(), &t.expr())))
}

pub(super) fn remap(a: &Scalar, from: Range<f64>, to: Range<f64>) -> Result<Scalar, Wrong> {
    let single = |range: &Range<f64>| range.start as f32..range.end as f32;
    a.map(
        |a| to.start + (a - from.start) * ((to.end - to.start) / (from.end - from.start)),
        |a| a.remap(single(&from), single(&to)),
    )
}

pub(super) fn smoothstep(a: &Scalar, low: f64, high: f64) -> Result<Scalar, Wrong> {
    let number = |a: f64| {
        let t = ((a - low) / (high - low)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    a.map(number, |a| a.smoothstep(low as f32, high as f32))
}
