//! What people write: expressions of position.
//!
//! An [`Expr`] is data: it can be cloned cheaply, compared, printed, encoded and moved. Parts may be shared. Nothing is
//! checked until a [`Tape`](crate::Tape) is made from it, whose error then names the op and the parameter.
//!
//! ```
//! use glam::DVec3;
//! use weald_field::Expr;
//!
//! let house = Expr::cuboid(DVec3::new(10.0, 20.0, 3.0), DVec3::new(4.0, 6.0, 3.0), 30.0);
//! let door = Expr::cuboid(DVec3::new(10.0, 14.0, 1.0), DVec3::new(0.5, 2.0, 1.0), 30.0);
//! let ground = Expr::height_surface(Expr::x() * 0.1, 0.0);
//! let world = house.difference(&door).union(&ground);
//! assert_eq!(world, world.clone());
//! ```

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Range, Sub};
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec2, DVec3};
use weald_space::{Axis, ops};

use crate::cloud::Cloud;
use crate::curve::Curve;
use crate::error::FieldError;
use crate::heightfield::Heightfield;
use crate::image::Image;
use crate::noise::{Noise, NoiseSettings};
use crate::op::{Op, Raster};
use crate::prism::Prism;
use crate::segments::Segments;
use crate::shape::Shape;
use crate::term;

/// A function of position: x east, y north, z up, in metres. As a solid it is negative inside.
#[derive(Clone)]
pub struct Expr(Arc<Node>);

pub(crate) struct Node {
    pub(crate) kind: Kind,
    args: [Option<Expr>; 4],
}

/// What a part of an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Value(Value),
    /// The first argument, read elsewhere.
    Transform(Transform),
}

/// A part with a value of its own, which becomes a term.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// An op on the arguments.
    Op(Op),
    /// The place along an axis, from an origin.
    Coordinate(Axis, f64),
    /// An op on the place, from an origin.
    Placed(DVec3, Op),
    Noise(DVec3, Arc<Noise>),
    Raster(DVec2, Raster),
}

/// Where a transformed expression reads its argument, for a place that is asked for.
#[derive(Clone, Debug)]
pub(crate) enum Transform {
    /// At the place less this.
    Translate(DVec3),
    /// At the place plus the other arguments.
    Warp,
    /// At `about` plus a matrix times the place from there.
    Linear { what: What, about: DVec3, inverse: DMat3 },
    /// At the place or its mirror image, whichever is on the side that the normal points to.
    Mirror { point: DVec3, normal: DVec3 },
    /// At the place less whole periods.
    Repeat { about: DVec3, period: DVec3, count: Option<[u32; 3]> },
    /// At the place turned back.
    Twist { about: DVec3, axis: Axis, turns_per_metre: f64 },
}

/// What people call a linear map, its parameter, and what that must be.
pub(crate) type What = [&'static str; 3];

const TURN: What = ["turn", "angle", "finite"];
const ROTATION: What = ["rotation", "axis or angle", "finite, and the axis other than zero"];
const DIRECTION: What = ["solid", "axis or normal", "a finite vector other than zero"];
const SCALE: What = ["scale", "factor", "finite and other than zero"];

impl Node {
    pub(crate) fn args(&self) -> impl Iterator<Item = &Expr> {
        self.args.iter().flatten()
    }
}

impl Expr {
    fn from_kind<const N: usize>(kind: Kind, args: [&Expr; N]) -> Self {
        let mut all = [None, None, None, None];
        for (slot, arg) in all.iter_mut().zip(args) {
            *slot = Some(arg.clone());
        }
        Expr(Arc::new(Node { kind, args: all }))
    }

    fn of_value<const N: usize>(value: Value, args: [&Expr; N]) -> Self {
        Expr::from_kind(Kind::Value(value), args)
    }

    fn op<const N: usize>(op: Op, args: [&Expr; N]) -> Self {
        Expr::of_value(Value::Op(op), args)
    }

    fn placed(origin: DVec3, op: Op) -> Self {
        Expr::of_value(Value::Placed(origin, op), [])
    }

    fn shape(origin: DVec3, shape: Shape) -> Self {
        Expr::placed(origin, Op::Shape(shape))
    }

    fn transformed(&self, transform: Transform) -> Self {
        Expr::from_kind(Kind::Transform(transform), [self])
    }

    /// Read at `about` plus the inverse of a turn.
    fn turned(&self, what: What, about: DVec3, turn: DMat3) -> Self {
        self.transformed(Transform::Linear { what, about, inverse: turn.transpose() })
    }

    pub(crate) fn node(&self) -> &Node {
        &self.0
    }

    /// The same number everywhere.
    #[must_use]
    pub fn constant(value: f32) -> Self {
        Expr::op(Op::Constant(value), [])
    }

    /// Metres to the east.
    #[must_use]
    pub fn x() -> Self {
        Expr::of_value(Value::Coordinate(Axis::X, 0.0), [])
    }

    /// Metres to the north.
    #[must_use]
    pub fn y() -> Self {
        Expr::of_value(Value::Coordinate(Axis::Y, 0.0), [])
    }

    /// Metres up. As a solid, the ground below height 0.
    #[must_use]
    pub fn z() -> Self {
        Expr::of_value(Value::Coordinate(Axis::Z, 0.0), [])
    }

    /// The ball around `centre` with this radius in metres.
    #[must_use]
    pub fn sphere(centre: DVec3, radius: f64) -> Self {
        Expr::shape(centre, Shape::Sphere { radius: radius as f32 })
    }

    /// The ellipsoid around `centre` with these half axes in metres.
    ///
    /// The value is zero on it and a distance to first order: see [`crate::shape`].
    #[must_use]
    pub fn ellipsoid(centre: DVec3, radii: DVec3) -> Self {
        Expr::shape(centre, Shape::Ellipsoid { radii: radii.as_vec3().to_array() })
    }

    /// The box with these half sizes in metres, turned about z by degrees, counter-clockwise as seen from above.
    ///
    /// The distance is Euclidean, so edges stay sharp under subtraction and round under offsetting.
    #[must_use]
    pub fn cuboid(centre: DVec3, half_size: DVec3, turn_deg: f64) -> Self {
        let shape = Shape::Cuboid { half: half_size.as_vec3().to_array() };
        Expr::shape(centre, shape).turned_about_z(centre, turn_deg)
    }

    /// The box with these half sizes, its edges and corners rounded by a radius, all in metres, turned as
    /// [`Expr::cuboid`].
    #[must_use]
    pub fn rounded_cuboid(centre: DVec3, half_size: DVec3, rounding: f64, turn_deg: f64) -> Self {
        let shape = Shape::RoundedCuboid { half: half_size.as_vec3().to_array(), rounding: rounding as f32 };
        Expr::shape(centre, shape).turned_about_z(centre, turn_deg)
    }

    /// All points within `radius` metres of the line from `a` to `b`.
    #[must_use]
    pub fn capsule(a: DVec3, b: DVec3, radius: f64) -> Self {
        Expr::round_cone(a, b, radius, radius)
    }

    /// The hull of two balls: around `a` with radius `radius_a` and around `b` with radius `radius_b`, in metres.
    #[must_use]
    pub fn round_cone(a: DVec3, b: DVec3, radius_a: f64, radius_b: f64) -> Self {
        Expr::shape(a, Shape::round_cone((b - a).as_vec3().to_array(), [radius_a as f32, radius_b as f32]))
    }

    /// The torus around `centre`: all points within `minor` metres of the circle of radius `major` about `axis` (of any
    /// length but zero).
    #[must_use]
    pub fn torus(centre: DVec3, axis: DVec3, major: f64, minor: f64) -> Self {
        let shape = Shape::Torus { major: major as f32, minor: minor as f32 };
        Expr::shape(centre, shape).stood_on(centre, axis)
    }

    /// The cylinder along `axis` (of any length but zero) with this radius and half height in metres.
    #[must_use]
    pub fn cylinder(centre: DVec3, axis: DVec3, radius: f64, half_height: f64) -> Self {
        let shape = Shape::Cylinder { radius: radius as f32, half_height: half_height as f32 };
        Expr::shape(centre, shape).stood_on(centre, axis)
    }

    /// The half-space behind a plane: `normal` (of any length but zero) points outside.
    #[must_use]
    pub fn plane(point: DVec3, normal: DVec3) -> Self {
        Expr::of_value(Value::Coordinate(Axis::Z, point.z), []).stood_on(point, normal)
    }

    /// The simple polygon `outline` in the plane, in metres, from the height `z.start` to `z.end`: see [`Prism`].
    ///
    /// # Errors
    /// If the outline has fewer than three points or too many, crosses itself, or the heights are not in order.
    pub fn prism(outline: &[DVec2], z: Range<f64>) -> Result<Self, FieldError> {
        let (origin, prism) = Prism::new(outline, z)?;
        Ok(Expr::placed(origin, Op::Prism(prism)))
    }

    /// The union of round cones through these points, each with its radius in metres: see [`Segments`].
    ///
    /// # Errors
    /// If there are fewer than two points, or one of the numbers is not finite or a radius not above zero.
    pub fn polyline(points: &[(DVec3, f64)]) -> Result<Self, FieldError> {
        Segments::polyline(points).map(Expr::segments)
    }

    /// A union of round cones: see [`Segments`].
    #[must_use]
    pub fn segments(segments: Segments) -> Self {
        Expr::placed(segments.origin(), Op::Segments(segments))
    }

    /// A union of ellipsoids: see [`Cloud`].
    #[must_use]
    pub fn cloud(cloud: Cloud) -> Self {
        Expr::placed(cloud.origin(), Op::Cloud(cloud))
    }

    /// Noise in layers: see [`NoiseSettings`].
    #[must_use]
    pub fn noise(settings: &NoiseSettings) -> Self {
        Expr::of_value(Value::Noise(settings.origin, Arc::new(Noise::new(settings))), [])
    }

    /// The heights of a grid of posts, in metres: see [`Heightfield`].
    #[must_use]
    pub fn heightfield(field: Heightfield) -> Self {
        Expr::of_value(Value::Raster(field.origin(), Raster::Heights(field)), [])
    }

    /// The samples of an image over the plan: see [`Image`].
    #[must_use]
    pub fn image(image: Image) -> Self {
        Expr::of_value(Value::Raster(image.origin(), Raster::Image(image)), [])
    }

    /// The ground below the surface z = `base_z` + `height`(x, y), as a field close to a distance:
    /// (z - `base_z` - H) / sqrt(1 + |grad H|²).
    ///
    /// The divisor turns the vertical distance into the distance from the tangent plane. It is evaluated once a column,
    /// by dual numbers. Gradients take it as constant, which is exact on the surface, where the numerator is zero, and
    /// makes them unit vectors everywhere.
    ///
    /// `height` may depend on x and y only; a tape says so otherwise.
    #[must_use]
    pub fn height_surface(height: Expr, base_z: f64) -> Self {
        let above = Expr::of_value(Value::Coordinate(Axis::Z, base_z), []) - height.clone();
        above * Expr::op(Op::Correction, [&height])
    }

    /// The distance from zero.
    #[must_use]
    pub fn abs(&self) -> Self {
        Expr::op(Op::Abs, [self])
    }

    /// The greatest whole number that is not greater. Its gradient is zero.
    #[must_use]
    pub fn floor(&self) -> Self {
        Expr::op(Op::Floor, [self])
    }

    /// The square root; of numbers below zero, zero.
    #[must_use]
    pub fn sqrt(&self) -> Self {
        Expr::op(Op::Root, [self])
    }

    /// This to a constant power. Powers that are no whole numbers take numbers below zero as zero.
    #[must_use]
    pub fn power(&self, exponent: f32) -> Self {
        Expr::op(Op::Power(exponent), [self])
    }

    /// The sine of this many turns: from -1 to 1, again and again with period 1.
    #[must_use]
    pub fn wave(&self) -> Self {
        Expr::op(Op::Wave, [self])
    }

    /// A curve over this: see [`Curve`].
    #[must_use]
    pub fn curve(&self, curve: &Curve) -> Self {
        Expr::op(Op::Curve(Arc::new(curve.clone())), [self])
    }

    /// This, but at least `lo` and at most `hi`.
    #[must_use]
    pub fn clamp(&self, lo: f32, hi: f32) -> Self {
        self.max(&Expr::constant(lo)).min(&Expr::constant(hi))
    }

    /// This where `t` is 0 or less, `other` where it is 1 or more, and on the line through both between.
    #[must_use]
    pub fn mix(&self, other: &Expr, t: &Expr) -> Self {
        Expr::op(Op::Mix, [self, other, t])
    }

    /// The line through `to.start` where this is `from.start` and `to.end` where it is `from.end`. An empty `from`
    /// gives infinite slopes, which a tape refuses.
    #[must_use]
    pub fn remap(&self, from: Range<f32>, to: Range<f32>) -> Self {
        let slope = (to.end - to.start) / (from.end - from.start);
        (self.clone() - from.start) * slope + to.start
    }

    /// 0 up to `lo`, 1 from `hi`, and 3t² - 2t³ between, where t runs from 0 to 1.
    #[must_use]
    pub fn smoothstep(&self, lo: f32, hi: f32) -> Self {
        let t = self.remap(lo..hi, 0.0..1.0).clamp(0.0, 1.0);
        t.power(2.0) * (3.0 - t * 2.0)
    }

    /// `then` where `condition` is below zero, such as inside of a solid, else `otherwise`.
    #[must_use]
    pub fn select(condition: &Expr, then: &Expr, otherwise: &Expr) -> Self {
        Expr::op(Op::Select, [condition, then, otherwise])
    }

    /// The lesser of both.
    #[must_use]
    pub fn min(&self, other: &Expr) -> Self {
        Expr::op(Op::Min, [self, other])
    }

    /// The greater of both.
    #[must_use]
    pub fn max(&self, other: &Expr) -> Self {
        Expr::op(Op::Max, [self, other])
    }

    /// The minimum with its corner rounded where the two differ by less than `radius` metres; there it is lower, by at
    /// most `radius` / 4. Elsewhere it is exactly the minimum.
    #[must_use]
    pub fn smooth_min(&self, other: &Expr, radius: f64) -> Self {
        Expr::op(Op::SmoothMin(radius as f32), [self, other])
    }

    /// The maximum with its corner rounded where the two differ by less than `radius` metres; there it is higher, by at
    /// most `radius` / 4. Elsewhere it is exactly the maximum.
    #[must_use]
    pub fn smooth_max(&self, other: &Expr, radius: f64) -> Self {
        Expr::op(Op::SmoothMax(radius as f32), [self, other])
    }

    /// What is in one solid or the other.
    #[must_use]
    pub fn union(&self, other: &Expr) -> Self {
        self.min(other)
    }

    /// What is in both solids.
    #[must_use]
    pub fn intersection(&self, other: &Expr) -> Self {
        self.max(other)
    }

    /// What is in this solid and not in the other.
    #[must_use]
    pub fn difference(&self, other: &Expr) -> Self {
        self.max(&-other.clone())
    }

    /// The union with a fillet: see [`Expr::smooth_min`].
    #[must_use]
    pub fn smooth_union(&self, other: &Expr, radius: f64) -> Self {
        self.smooth_min(other, radius)
    }

    /// The intersection with rounded edges: see [`Expr::smooth_max`].
    #[must_use]
    pub fn smooth_intersection(&self, other: &Expr, radius: f64) -> Self {
        self.smooth_max(other, radius)
    }

    /// The difference with rounded edges: see [`Expr::smooth_max`].
    #[must_use]
    pub fn smooth_difference(&self, other: &Expr, radius: f64) -> Self {
        self.smooth_max(&-other.clone(), radius)
    }

    /// The same function elsewhere: `e.translated(by)` has at `p + by` what `e` has at `p`.
    ///
    /// Exact: every leaf takes the difference to its moved origin in f64. Where `by` and the origins of the leaves are
    /// multiples of 2⁻¹⁶ m, the moved lattice has the same bits up to 10⁷ cells and beyond.
    #[must_use]
    pub fn translated(&self, by: DVec3) -> Self {
        self.transformed(Transform::Translate(by))
    }

    /// The same function turned by degrees about an axis (of any length but zero) through a point, counter-clockwise
    /// as seen from the end of the axis.
    ///
    /// The place from `about` is turned in f32, so what is rotated should lie within some kilometres of there.
    #[must_use]
    pub fn rotated(&self, about: DVec3, axis: DVec3, deg: f64) -> Self {
        let axis = axis.normalize_or(DVec3::NAN);
        if axis == DVec3::Z {
            return self.turned_about_z(about, deg);
        }
        let (sine, cosine) = ops::sin_cos_deg(deg * 0.5);
        let turn = DQuat::from_vec4((axis * sine).extend(cosine));
        self.turned(ROTATION, about, DMat3::from_quat(turn))
    }

    /// The same solid, `factor` times as large, with `about` where it was. Distances grow with it.
    #[must_use]
    pub fn scaled(&self, about: DVec3, factor: f64) -> Self {
        let inverse = DMat3::from_diagonal(DVec3::splat(1.0 / factor));
        self.transformed(Transform::Linear { what: SCALE, about, inverse }) * factor as f32
    }

    /// The part on the side of a plane that `normal` (of any length but zero) points to, and its mirror image on the
    /// other side.
    #[must_use]
    pub fn mirrored(&self, point: DVec3, normal: DVec3) -> Self {
        self.transformed(Transform::Mirror { point, normal: normal.normalize_or(DVec3::NAN) })
    }

    /// The part around `about` again and again, `period` metres apart along each axis; where a period is 0, not along
    /// that axis. With a `count`, only so many times to either side.
    ///
    /// Distances are those to the copy of the place's own cell: what is repeated should keep within its cell, and be
    /// alike on both sides of it.
    #[must_use]
    pub fn repeated(&self, about: DVec3, period: DVec3, count: Option<[u32; 3]>) -> Self {
        self.transformed(Transform::Repeat { about, period, count })
    }

    /// The same function turned about an axis through a point, by `deg_per_metre` more with each metre along it.
    ///
    /// A twist stretches: distances are no longer Euclidean, by up to sqrt(1 + (r · rate)²) at the distance r from the
    /// axis, with the rate in radians a metre.
    #[must_use]
    pub fn twisted(&self, about: DVec3, axis: Axis, deg_per_metre: f64) -> Self {
        self.transformed(Transform::Twist { about, axis, turns_per_metre: deg_per_metre / 360.0 })
    }

    /// This function read elsewhere: at the place plus (dx, dy, dz) metres, which are functions of the place.
    #[must_use]
    pub fn warped(&self, [dx, dy, dz]: [&Expr; 3]) -> Self {
        Expr::from_kind(Kind::Transform(Transform::Warp), [self, dx, dy, dz])
    }

    fn turned_about_z(&self, about: DVec3, deg: f64) -> Self {
        let (sine, cosine) = ops::sin_cos_deg(deg);
        if (sine, cosine) == (0.0, 1.0) {
            return self.clone();
        }
        let turn = DMat3::from_cols(DVec3::new(cosine, sine, 0.0), DVec3::new(-sine, cosine, 0.0), DVec3::Z);
        self.turned(TURN, about, turn)
    }

    /// Turned so that z points along an axis.
    fn stood_on(&self, about: DVec3, axis: DVec3) -> Self {
        let axis = axis.normalize_or(DVec3::NAN);
        if axis == DVec3::Z {
            return self.clone();
        }
        // The shortest turn; a solid of revolution does not tell which.
        let side = if axis.z.abs() < 0.9 { DVec3::Z } else { DVec3::X };
        let x = side.cross(axis).normalize_or(DVec3::NAN);
        self.turned(DIRECTION, about, DMat3::from_cols(x, axis.cross(x), axis))
    }

    /// Appends bytes that are equal for equal expressions, however these share their parts, and different otherwise.
    /// Rasters and payloads enter by their content id. Starts with [`OUTPUT_VERSION`](crate::OUTPUT_VERSION).
    ///
    /// # Errors
    /// As [`Tape::new`](crate::Tape::new).
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), FieldError> {
        term::encode(&term::terms(self)?, out);
        Ok(())
    }

    fn encoded(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes).ok().map(|()| bytes)
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        let bytes = self.encoded();
        Arc::ptr_eq(&self.0, &other.0) || (bytes.is_some() && bytes == other.encoded())
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match term::terms(self) {
            Ok(terms) => f.debug_list().entries(terms.iter().map(|term| (&term.op, term.args()))).finish(),
            Err(error) => write!(f, "Expr({error})"),
        }
    }
}

/// Takes long chains apart one by one: dropping them term within term would need a stack as deep as the chain.
impl Drop for Expr {
    fn drop(&mut self) {
        let mut rest: Vec<Expr> = Vec::new();
        let take = |expr: &mut Expr, rest: &mut Vec<Expr>| {
            if let Some(node) = Arc::get_mut(&mut expr.0) {
                rest.extend(node.args.iter_mut().filter_map(Option::take));
            }
        };
        take(self, &mut rest);
        while let Some(mut expr) = rest.pop() {
            take(&mut expr, &mut rest);
        }
    }
}

impl From<f32> for Expr {
    fn from(value: f32) -> Self {
        Expr::constant(value)
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::op(Op::Neg, [&self])
    }
}

macro_rules! operators {
    ($($trait:ident, $method:ident;)*) => {$(
        impl $trait for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::op(Op::$trait, [&self, &other])
            }
        }

        impl $trait<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                Expr::op(Op::$trait, [self, other])
            }
        }

        impl $trait<f32> for Expr {
            type Output = Expr;
            fn $method(self, other: f32) -> Expr {
                Expr::op(Op::$trait, [&self, &Expr::constant(other)])
            }
        }

        impl $trait<Expr> for f32 {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::op(Op::$trait, [&Expr::constant(self), &other])
            }
        }
    )*};
}

operators! {
    Add, add;
    Sub, sub;
    Mul, mul;
    Div, div;
}
