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
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

use glam::DVec3;
use weald_space::Axis;

use crate::heightfield::Heightfield;
use crate::noise::{Noise, NoiseSettings};
use crate::solid::Solid;
use crate::term::{self, Kind, Leaf, Op};

/// A function of position: x east, y north, z up, in metres. As a solid it is negative inside.
#[derive(Clone)]
pub struct Expr(Arc<Node>);

pub(crate) struct Node {
    pub(crate) op: Op,
    args: [Option<Expr>; 2],
}

impl Node {
    pub(crate) fn args(&self) -> impl DoubleEndedIterator<Item = &Expr> {
        self.args.iter().flatten()
    }
}

impl Expr {
    fn from_op(op: Op, args: [Option<Expr>; 2]) -> Self {
        Expr(Arc::new(Node { op, args }))
    }

    fn leaf(origin: DVec3, kind: Kind) -> Self {
        Expr::from_op(Op::Leaf(Leaf::new(origin, kind)), [None, None])
    }

    fn unary(op: Op, a: &Expr) -> Self {
        Expr::from_op(op, [Some(a.clone()), None])
    }

    fn binary(op: Op, a: &Expr, b: &Expr) -> Self {
        Expr::from_op(op, [Some(a.clone()), Some(b.clone())])
    }

    fn coordinate(axis: Axis, origin: DVec3) -> Self {
        Expr::leaf(origin, Kind::Solid(Solid::Coordinate(axis)))
    }

    pub(crate) fn node(&self) -> &Node {
        &self.0
    }

    /// The same number everywhere.
    #[must_use]
    pub fn constant(value: f32) -> Self {
        Expr::from_op(Op::Constant(value), [None, None])
    }

    /// Metres to the east.
    #[must_use]
    pub fn x() -> Self {
        Expr::coordinate(Axis::X, DVec3::ZERO)
    }

    /// Metres to the north.
    #[must_use]
    pub fn y() -> Self {
        Expr::coordinate(Axis::Y, DVec3::ZERO)
    }

    /// Metres up. As a solid, the ground below height 0.
    #[must_use]
    pub fn z() -> Self {
        Expr::coordinate(Axis::Z, DVec3::ZERO)
    }

    /// The ball around `centre` with this radius in metres.
    #[must_use]
    pub fn sphere(centre: DVec3, radius: f64) -> Self {
        Expr::leaf(centre, Kind::Solid(Solid::Sphere { radius: radius as f32 }))
    }

    /// The box with these half sizes in metres, turned about z by degrees, counter-clockwise as seen from above.
    ///
    /// The distance is Euclidean, so edges stay sharp under subtraction and round under offsetting.
    #[must_use]
    pub fn cuboid(centre: DVec3, half_size: DVec3, turn_deg: f64) -> Self {
        Expr::leaf(centre, Kind::Solid(Solid::cuboid(half_size, turn_deg)))
    }

    /// The cylinder along `axis` (of any length but zero) with this radius and half height in metres.
    #[must_use]
    pub fn cylinder(centre: DVec3, axis: DVec3, radius: f64, half_height: f64) -> Self {
        Expr::leaf(centre, Kind::Solid(Solid::cylinder(axis, radius, half_height)))
    }

    /// The half-space behind a plane: `normal` (of any length but zero) points outside.
    #[must_use]
    pub fn plane(point: DVec3, normal: DVec3) -> Self {
        Expr::leaf(point, Kind::Solid(Solid::half_space(normal)))
    }

    /// Value or gradient noise, in layers: see [`NoiseSettings`].
    #[must_use]
    pub fn noise(settings: &NoiseSettings) -> Self {
        Expr::leaf(settings.origin, Kind::Noise(Noise::new(settings)))
    }

    /// The heights of a grid of posts, in metres: see [`Heightfield`].
    #[must_use]
    pub fn heightfield(field: Heightfield) -> Self {
        Expr::leaf(field.origin().extend(0.0), Kind::Heightfield(field))
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
        let above = Expr::coordinate(Axis::Z, DVec3::new(0.0, 0.0, base_z)) - height.clone();
        above * Expr::unary(Op::Correction, &height)
    }

    /// The distance from zero.
    #[must_use]
    pub fn abs(&self) -> Self {
        Expr::unary(Op::Abs, self)
    }

    /// The lesser of both.
    #[must_use]
    pub fn min(&self, other: &Expr) -> Self {
        Expr::binary(Op::Min, self, other)
    }

    /// The greater of both.
    #[must_use]
    pub fn max(&self, other: &Expr) -> Self {
        Expr::binary(Op::Max, self, other)
    }

    /// The minimum with its corner rounded where the two differ by less than `radius` metres; there it is lower, by at
    /// most `radius` / 4. Elsewhere it is exactly the minimum.
    #[must_use]
    pub fn smooth_min(&self, other: &Expr, radius: f64) -> Self {
        Expr::binary(Op::SmoothMin(radius as f32), self, other)
    }

    /// The maximum with its corner rounded where the two differ by less than `radius` metres; there it is higher, by at
    /// most `radius` / 4. Elsewhere it is exactly the maximum.
    #[must_use]
    pub fn smooth_max(&self, other: &Expr, radius: f64) -> Self {
        Expr::binary(Op::SmoothMax(radius as f32), self, other)
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
    /// Every leaf moves: coordinates, noise, heightfields and solids. Where `by` and the origins of the leaves are
    /// multiples of 2⁻¹⁶ m, the moved lattice has the same bits up to 10⁷ cells and beyond.
    #[must_use]
    pub fn translated(&self, by: DVec3) -> Self {
        let mut moved: Vec<Expr> = Vec::new();
        for term in term::terms(self) {
            let op = match term.op {
                Op::Leaf(leaf) => Op::Leaf(leaf.translated(by)),
                op => op,
            };
            let arg = |i: usize| term.args.get(i).map(|&a| moved[a as usize].clone());
            moved.push(Expr::from_op(op, [arg(0), arg(1)]));
        }
        moved.pop().unwrap_or_else(|| self.clone())
    }

    /// Appends bytes that are equal for equal expressions, however these share their parts, and different otherwise.
    /// Heightfields enter by their content id. Starts with [`OUTPUT_VERSION`](crate::OUTPUT_VERSION).
    pub fn encode(&self, out: &mut Vec<u8>) {
        term::encode(&term::terms(self), out);
    }

    fn encoded(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        bytes
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.encoded() == other.encoded()
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = term::terms(self);
        f.debug_list().entries(terms.iter().map(|term| (&term.op, &term.args))).finish()
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
        Expr::unary(Op::Neg, &self)
    }
}

macro_rules! operators {
    ($($trait:ident, $method:ident;)*) => {$(
        impl $trait for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::binary(Op::$trait, &self, &other)
            }
        }

        impl $trait<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                Expr::binary(Op::$trait, self, other)
            }
        }

        impl $trait<f32> for Expr {
            type Output = Expr;
            fn $method(self, other: f32) -> Expr {
                Expr::binary(Op::$trait, &self, &Expr::constant(other))
            }
        }

        impl $trait<Expr> for f32 {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::binary(Op::$trait, &Expr::constant(self), &other)
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
