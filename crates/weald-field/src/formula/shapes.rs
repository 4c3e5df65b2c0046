//! Solids by name.

use glam::{DVec2, DVec3};

use super::builtin::Limit::{Any, NotNegative, Positive};
use super::builtin::ParameterKind::{Number, Point, Points};
use super::builtin::{Args, Fallback, Parameter, ParameterKind, Signature, Usage};
use super::error::Wrong;
use super::ops::checked;
use super::value::Value;
use crate::error::FieldError;
use crate::expr::Expr;

const fn must(name: &'static str, kind: ParameterKind) -> Parameter {
    Parameter { name, kind, default: None }
}

const fn number(name: &'static str, value: f64) -> Parameter {
    Parameter { name, kind: Number(Any), default: Some(Fallback::Number(value)) }
}

const fn point(name: &'static str, value: [f64; 3]) -> Parameter {
    Parameter { name, kind: Point, default: Some(Fallback::Point(value)) }
}

const RADIUS: Parameter = must("radius", Number(Positive));
const AT: Parameter = point("at", [0.0; 3]);
const AXIS: Parameter = point("axis", [0.0, 0.0, 1.0]);
const TURN: Parameter = number("turn", 0.0);
const FROM: Parameter = must("from", Point);
const TO: Parameter = must("to", Point);

/// The names of this module. Lengths are in metres, turns in degrees, counter-clockwise as seen from above.
pub(super) const SIGNATURES: &[Signature] = &[
    shape("sphere", &[RADIUS, AT], "a ball around `at`", |args| {
        checked(Expr::sphere(args.point(1), args.number(0)))
    }),
    shape("ellipsoid", &[must("radii", Point), AT], "a ball with a radius for each axis", |args| {
        checked(Expr::ellipsoid(args.point(1), positive(args, "ellipsoid", "radii")?))
    }),
    shape("box", &[must("size", Point), AT, TURN], "a box around `at` with these edges", |args| {
        checked(Expr::cuboid(args.point(1), 0.5 * positive(args, "box", "size")?, args.number(2)))
    }),
    shape(
        "rounded_box",
        &[must("size", Point), must("rounding", Number(NotNegative)), AT, TURN],
        "a box with edges rounded by `rounding` metres",
        |args| {
            let half = 0.5 * positive(args, "rounded_box", "size")?;
            checked(Expr::rounded_cuboid(args.point(2), half, args.number(1), args.number(3)))
        },
    ),
    shape("capsule", &[FROM, TO, RADIUS], "all within a distance of a segment", |args| {
        checked(Expr::capsule(args.point(0), args.point(1), args.number(2)))
    }),
    shape(
        "round_cone",
        &[FROM, TO, must("from_radius", Number(NotNegative)), must("to_radius", Number(NotNegative))],
        "two balls and the cone around them",
        |args| checked(Expr::round_cone(args.point(0), args.point(1), args.number(2), args.number(3))),
    ),
    shape(
        "torus",
        &[must("major", Number(Positive)), must("minor", Number(Positive)), AT, AXIS],
        "a ring of radius `major` about an axis, `minor` thick to each side",
        |args| checked(Expr::torus(args.point(2), args.point(3), args.number(0), args.number(1))),
    ),
    shape(
        "cylinder",
        &[RADIUS, must("length", Number(Positive)), AT, AXIS],
        "a cylinder around `at`, from one end to the other `length` metres",
        |args| checked(Expr::cylinder(args.point(2), args.point(3), args.number(0), 0.5 * args.number(1))),
    ),
    shape("plane", &[point("normal", [0.0, 0.0, 1.0]), AT], "all behind a plane through `at`", |args| {
        checked(Expr::plane(args.point(1), args.point(0)))
    }),
    shape(
        "prism",
        &[
            must("points", Points { size: 2, extra: false, least: 3 }),
            must("bottom", Number(Any)),
            must("top", Number(Any)),
        ],
        "what stands on a polygon, from the height `bottom` to `top`",
        |args| {
            let points: Vec<DVec2> = args.points(0).iter().map(|p| DVec2::new(p[0], p[1])).collect();
            checked(Expr::prism(&points, args.number(1)..args.number(2))?)
        },
    ),
    shape(
        "polyline",
        &[must("points", Points { size: 3, extra: true, least: 2 }), number("radius", 1.0)],
        "all within a distance of a line through points; a fourth number is a point's own radius",
        |args| {
            let radius = args.number(1);
            let one = |p: &Vec<f64>| (DVec3::new(p[0], p[1], p[2]), p.get(3).copied().unwrap_or(radius));
            checked(Expr::polyline(&args.points(0).iter().map(one).collect::<Vec<_>>())?)
        },
    ),
];

const fn shape(
    name: &'static str,
    params: &'static [Parameter],
    doc: &'static str,
    build: fn(&Args) -> Result<Value, Wrong>,
) -> Signature {
    Signature { name, usage: Usage::Function, params, doc, build }
}

/// Three numbers above zero.
fn positive(args: &Args, op: &'static str, name: &'static str) -> Result<DVec3, Wrong> {
    let sizes = args.point(0);
    match sizes.to_array().into_iter().find(|&size| size <= 0.0) {
        Some(value) => Err(FieldError::Parameter { op, name, value, limit: "more than 0" }.into()),
        None => Ok(sizes),
    }
}
