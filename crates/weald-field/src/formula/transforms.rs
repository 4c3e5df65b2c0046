//! Methods: a field moved, turned, repeated or bent.

use glam::DVec3;
use weald_space::Axis;

use super::builtin::Limit::{Any, Positive};
use super::builtin::ParameterKind::{Counts, Field, Number, Point, Word};
use super::builtin::{Args, Fallback, Parameter, Signature, Usage};
use super::error::Wrong;
use super::value::{Scalar, Value};
use crate::error::FieldError;
use crate::expr::Expr;

const fn point(name: &'static str, default: Option<Fallback>) -> Parameter {
    Parameter { name, kind: Point, default }
}

const fn turn(name: &'static str) -> Parameter {
    Parameter { name, kind: Number(Any), default: Some(Fallback::Number(0.0)) }
}

const fn shift(name: &'static str) -> Parameter {
    Parameter { name, kind: Field, default: Some(Fallback::Number(0.0)) }
}

const ABOUT: Parameter = point("about", Some(Fallback::Point([0.0; 3])));

/// The names of this module. Lengths are in metres, turns in degrees, counter-clockwise as seen from the axis's end.
pub(super) const SIGNATURES: &[Signature] = &[
    method("at", &[point("by", None)], "the field moved by an offset", |args| {
        field(args.receiver().translated(args.point(0)))
    }),
    method(
        "rotate",
        &[turn("x"), turn("y"), turn("z"), ABOUT],
        "the field turned about the axes through `about`: first x, then y, then z",
        rotate,
    ),
    method(
        "scale",
        &[Parameter { name: "factor", kind: Number(Positive), default: None }, ABOUT],
        "the field made larger, as seen from `about`",
        |args| field(args.receiver().scaled(args.point(1), args.number(0))),
    ),
    method(
        "mirror",
        &[point("normal", Some(Fallback::Point([1.0, 0.0, 0.0]))), ABOUT],
        "the half that `normal` points to, and its image in the plane through `about`",
        |args| {
            direction(args, "mirror", "normal")?;
            field(args.receiver().mirrored(args.point(1), args.point(0)))
        },
    ),
    method(
        "repeat",
        &[
            point("period", None),
            Parameter { name: "count", kind: Counts, default: Some(Fallback::Nothing) },
            ABOUT,
        ],
        "copies of what lies around `about`: `count` to either side, or without end; a period of 0 is none along that axis",
        |args| {
            let count = args.given(1).map(|count| count.map(|n| n as u32));
            field(args.receiver().repeated(args.point(2), args.point(0), count))
        },
    ),
    method(
        "twist",
        &[
            Parameter { name: "turn", kind: Number(Any), default: None },
            Parameter { name: "axis", kind: Word(&["x", "y", "z"]), default: Some(Fallback::Word("z")) },
            ABOUT,
        ],
        "the field turned about an axis through `about`, by `turn` more with each metre along it",
        |args| {
            let axis = match args.word(1) {
                "x" => Axis::X,
                "y" => Axis::Y,
                _ => Axis::Z,
            };
            field(args.receiver().twisted(args.point(2), axis, args.number(0)))
        },
    ),
    method(
        "warp",
        &[shift("x"), shift("y"), shift("z")],
        "the field read at a place that other fields shift, by metres along each axis",
        |args| field(args.receiver().warped([&args.field(0), &args.field(1), &args.field(2)])),
    ),
];

const fn method(
    name: &'static str,
    params: &'static [Parameter],
    doc: &'static str,
    build: fn(&Args) -> Result<Value, Wrong>,
) -> Signature {
    Signature { name, usage: Usage::Method, params, doc, build }
}

fn field(expr: Expr) -> Result<Value, Wrong> {
    Ok(Value::Scalar(Scalar::Field(expr)))
}

fn rotate(args: &Args) -> Result<Value, Wrong> {
    let about = args.point(3);
    let turned = |field: Expr, (i, axis)| match args.number(i) {
        0.0 => field,
        turn => field.rotated(about, axis, turn),
    };
    field([DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate().fold(args.receiver().clone(), turned))
}

/// A vector other than zero.
fn direction(args: &Args, op: &'static str, name: &'static str) -> Result<(), Wrong> {
    let limit = "a vector other than zero";
    if args.point(0) == DVec3::ZERO {
        return Err(FieldError::Parameter { op, name, value: 0.0, limit }.into());
    }
    Ok(())
}
