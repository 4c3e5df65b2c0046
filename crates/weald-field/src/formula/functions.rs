//! Coordinates, arithmetic and the joining of solids.

use super::builtin::Limit::{Any, NotNegative};
use super::builtin::ParameterKind::{Condition as Test, Field, Number, Pair, Points};
use super::builtin::{Args, Fallback, Parameter, ParameterKind, Signature, Usage};
use super::error::Wrong;
use super::ops;
use super::value::{Condition, Scalar, Value};
use crate::curve::Curve;
use crate::expr::Expr;

const fn must(name: &'static str, kind: ParameterKind) -> Parameter {
    Parameter { name, kind, default: None }
}

const A: Parameter = must("a", Field);
const B: Parameter = must("b", Field);
const BLEND: Parameter =
    Parameter { name: "blend", kind: Number(NotNegative), default: Some(Fallback::Number(0.0)) };
const LOW: Parameter = must("low", Number(Any));
const HIGH: Parameter = must("high", Number(Any));

/// The names of this module.
pub(super) const SIGNATURES: &[Signature] = &[
    constant("x", "metres to the east", |_| Ok(field(Expr::x()))),
    constant("y", "metres to the north", |_| Ok(field(Expr::y()))),
    constant("z", "metres up", |_| Ok(field(Expr::z()))),
    constant("pi", "half the circumference of the unit circle", |_| Ok(Value::number(std::f64::consts::PI))),
    constant("true", "yes", |_| Ok(Value::Flag(true))),
    constant("false", "no", |_| Ok(Value::Flag(false))),
    function("abs", &[A], "the distance from zero", |args| unary(args, f64::abs, Expr::abs)),
    function("floor", &[A], "the next whole number below", |args| unary(args, f64::floor, Expr::floor)),
    function("sqrt", &[A], "the square root; a field's is 0 below 0", |args| {
        unary(args, f64::sqrt, Expr::sqrt)
    }),
    function("sin", &[A], "the sine of degrees", |args| turned(args, 0.0)),
    function("cos", &[A], "the cosine of degrees", |args| turned(args, 0.25)),
    function("wave", &[A], "the sine of whole turns: one wave from 0 to 1", |args| {
        Ok(Value::Scalar(ops::wave(args.scalar(0))?))
    }),
    function("pow", &[A, must("exponent", Number(Any))], "a power; a ^ 2 is pow(a, 2)", |args| {
        Ok(Value::Scalar(ops::power(args.scalar(0), args.number(1))?))
    }),
    variadic("min", 1, &[], "the least", |args| fold(args, |a, b| a.zip(b, f64::min, Expr::min))),
    variadic("max", 1, &[], "the greatest", |args| fold(args, |a, b| a.zip(b, f64::max, Expr::max))),
    function("clamp", &[A, LOW, HIGH], "the nearest value from low to high", |args| {
        let range = ordered(args, 1)?;
        Ok(Value::Scalar(ops::clamp(args.scalar(0), range.start, range.end)?))
    }),
    function("mix", &[A, B, must("t", Field)], "from a, where t is 0, to b, where t is 1", |args| {
        Ok(Value::Scalar(ops::mix(args.scalar(0), args.scalar(1), args.scalar(2))?))
    }),
    function(
        "remap",
        &[A, must("from", Pair), must("to", Pair)],
        "the line that leads the ends of `from` to the ends of `to`",
        |args| Ok(Value::Scalar(ops::remap(args.scalar(0), args.span(1), args.span(2))?)),
    ),
    function("smoothstep", &[A, LOW, HIGH], "0 below low, 1 above high, smooth between", |args| {
        let range = ordered(args, 1)?;
        Ok(Value::Scalar(ops::smoothstep(args.scalar(0), range.start, range.end)?))
    }),
    function(
        "curve",
        &[A, must("points", Points { size: 2, extra: false, least: 2 })],
        "the smooth curve through the points (from, to), level beyond the outermost",
        |args| {
            let points: Vec<(f64, f64)> = args.points(1).iter().map(|p| (p[0], p[1])).collect();
            Ok(field(args.field(0).curve(&Curve::new(&points)?)))
        },
    ),
    function(
        "if",
        &[must("condition", Test), must("then", Field), must("otherwise", Field)],
        "one value where the condition holds, another elsewhere",
        |args| {
            let (then, otherwise) = (args.scalar(1), args.scalar(2));
            Ok(match args.condition(0) {
                Condition::Known(true) => Value::Scalar(then.clone()),
                Condition::Known(false) => Value::Scalar(otherwise.clone()),
                Condition::Negative(below) => field(Expr::select(below, &then.expr(), &otherwise.expr())),
            })
        },
    ),
    function(
        "smooth_min",
        &[A, B, must("radius", Number(NotNegative))],
        "the lesser, rounded where both differ by less than radius",
        |args| smooth(args, Expr::min, Expr::smooth_min),
    ),
    function(
        "smooth_max",
        &[A, B, must("radius", Number(NotNegative))],
        "the greater, rounded where both differ by less than radius",
        |args| smooth(args, Expr::max, Expr::smooth_max),
    ),
    variadic("union", 1, &[BLEND], "all of these solids, inner edges rounded over `blend` metres", |args| {
        blended(args, Expr::union, Expr::smooth_union)
    }),
    variadic("intersection", 1, &[BLEND], "what the solids have in common, edges rounded", |args| {
        blended(args, Expr::intersection, Expr::smooth_intersection)
    }),
    variadic("difference", 1, &[BLEND], "the first solid without the others, new edges rounded", |args| {
        blended(args, Expr::difference, Expr::smooth_difference)
    }),
    function(
        "ground",
        &[
            must("height", Field),
            Parameter { name: "base", kind: Number(Any), default: Some(Fallback::Number(0.0)) },
        ],
        "all below a height, which depends on x and y only, as a solid",
        |args| Ok(field(Expr::height_surface(args.field(0), args.number(1)))),
    ),
];

type Build = fn(&Args) -> Result<Value, Wrong>;

const fn constant(name: &'static str, doc: &'static str, build: Build) -> Signature {
    Signature { name, usage: Usage::Constant, params: &[], doc, build }
}

const fn function(
    name: &'static str,
    params: &'static [Parameter],
    doc: &'static str,
    build: Build,
) -> Signature {
    Signature { name, usage: Usage::Function, params, doc, build }
}

const fn variadic(
    name: &'static str,
    least: usize,
    params: &'static [Parameter],
    doc: &'static str,
    build: Build,
) -> Signature {
    Signature { name, usage: Usage::Variadic(least), params, doc, build }
}

fn field(expr: Expr) -> Value {
    Value::Scalar(Scalar::Field(expr))
}

fn unary(args: &Args, number: fn(f64) -> f64, of_field: fn(&Expr) -> Expr) -> Result<Value, Wrong> {
    Ok(Value::Scalar(args.scalar(0).map(number, of_field)?))
}

/// The sine of degrees, ahead by a part of a turn.
fn turned(args: &Args, ahead: f64) -> Result<Value, Wrong> {
    let ahead = ahead as f32;
    let turns =
        args.scalar(0).map(|a| a / 360.0 + f64::from(ahead), |a| a.clone() * (1.0 / 360.0) + ahead)?;
    Ok(Value::Scalar(ops::wave(&turns)?))
}

/// The range from argument `i` to the next.
fn ordered(args: &Args, i: usize) -> Result<std::ops::Range<f64>, Wrong> {
    let (low, high) = (args.number(i), args.number(i + 1));
    if low < high {
        return Ok(low..high);
    }
    Err(Wrong::Type {
        subject: "`high`".to_owned(),
        wanted: format!("more than `low`, which is {low}"),
        found: high.to_string(),
    })
}

fn fold(args: &Args, join: impl Fn(&Scalar, &Scalar) -> Result<Scalar, Wrong>) -> Result<Value, Wrong> {
    let (first, rest) = args.rest.split_first().expect("the call has at least one argument");
    rest.iter().try_fold(first.clone(), |all, one| join(&all, one)).map(Value::Scalar)
}

fn smooth(
    args: &Args,
    sharp: fn(&Expr, &Expr) -> Expr,
    rounded: fn(&Expr, &Expr, f64) -> Expr,
) -> Result<Value, Wrong> {
    Ok(field(join(&args.field(0), &args.field(1), args.number(2), sharp, rounded)))
}

fn blended(
    args: &Args,
    sharp: fn(&Expr, &Expr) -> Expr,
    rounded: fn(&Expr, &Expr, f64) -> Expr,
) -> Result<Value, Wrong> {
    let blend = args.number(0);
    let all = args.rest.iter().map(Scalar::expr).reduce(|a, b| join(&a, &b, blend, sharp, rounded));
    Ok(field(all.expect("the call has at least one argument")))
}

fn join(
    a: &Expr,
    b: &Expr,
    radius: f64,
    sharp: fn(&Expr, &Expr) -> Expr,
    rounded: fn(&Expr, &Expr, f64) -> Expr,
) -> Expr {
    if radius > 0.0 { rounded(a, b, radius) } else { sharp(a, b) }
}
