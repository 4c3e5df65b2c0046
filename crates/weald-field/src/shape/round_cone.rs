//! The hull of two balls: the primitive of branches, capsules and polylines.
//!
//! The hull is the union of balls whose centres lie on a segment and whose radii fall linearly along it, so the distance
//! is the least, over the segment, of the distance to the centre less the radius there. The point of the axis where it is
//! taken lies where the cone's normal through the place meets the axis, clamped to the segment (the distance is that of
//! Quilez, "round cone"; choosing the ball instead of the region makes one formula of his three). The distance is exact,
//! inside too. Where one ball holds the other, the hull is that ball.

use crate::algebra::{Algebra, Enclosure};

/// Where the cone is so blunt that less than this part of its squared length is left between the balls, one of them
/// counts as holding the other. What is cut off is below 5e-10 of the distance of the centres, less than f32 resolves;
/// nearer to zero the normal of the cone gets lost in the rounding of its lean.
const LEAST_OPENING: f64 = 1e-9;

/// The hull of two balls, one of them around the origin, prepared for evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RoundCone {
    /// Of unit length; zero if both centres are the same.
    axis: [f32; 3],
    /// Where along the axis centres of balls on the border lie, in metres from the origin.
    centres: [f32; 2],
    /// How far along the axis a normal of the cone falls behind for each metre away from it.
    lean: f32,
    /// At the origin, in metres.
    radius: f32,
    /// How much smaller the balls get for each metre along the axis.
    taper: f32,
}

impl RoundCone {
    /// The ball of the first radius around the origin, the ball of the second one around `to`, and what is between them;
    /// all in metres and finite, radii from 0.
    pub(crate) fn new(to: [f32; 3], radii: [f32; 2]) -> Self {
        let to = to.map(f64::from);
        let [first, second] = radii.map(f64::from);
        let square = to[0] * to[0] + to[1] * to[1] + to[2] * to[2];
        let length = square.sqrt();
        let axis = if length > 0.0 { to.map(|t| (t / length) as f32) } else { [0.0; 3] };
        let fall = first - second;
        let ball = |centre: f64, radius: f32| RoundCone {
            axis,
            centres: [centre as f32; 2],
            lean: 0.0,
            radius,
            taper: 0.0,
        };
        let opening = square - fall * fall;
        if opening > LEAST_OPENING * square {
            let (lean, taper) = ((fall / opening.sqrt()) as f32, (fall / length) as f32);
            RoundCone { axis, centres: [0.0, length as f32], lean, radius: radii[0], taper }
        } else if fall >= 0.0 {
            ball(0.0, radii[0])
        } else {
            ball(length, radii[1])
        }
    }

    /// The distance at a place.
    #[inline(always)]
    pub(crate) fn distance<A: Algebra>(&self, place: [A; 3]) -> A {
        self.nearest(place).0
    }

    /// The distance at a place, and the centre of the nearest ball, in metres along the axis.
    #[inline(always)]
    pub(crate) fn nearest<A: Algebra>(&self, [x, y, z]: [A; 3]) -> (A, A) {
        let along = x * self.axis[0] + y * self.axis[1] + z * self.axis[2];
        let across =
            A::length([x - along * self.axis[0], y - along * self.axis[1], z - along * self.axis[2]]);
        let foot = along - across * self.lean;
        let centre = foot.max(foot.like(self.centres[0])).min(foot.like(self.centres[1]));
        (A::length([across, along - centre]) + centre * self.taper + -self.radius, centre)
    }

    /// The ball with its centre so many metres along the axis: where that is, and its radius.
    #[inline(always)]
    pub(crate) fn ball<A: Algebra>(&self, centre: A) -> ([A; 3], A) {
        let [x, y, z] = self.axis;
        ([centre * x, centre * y, centre * z], centre * -self.taper + self.radius)
    }

    /// The balls at both ends.
    #[inline(always)]
    pub(crate) fn ends(&self) -> [([f32; 3], f32); 2] {
        [self.ball(self.centres[0]), self.ball(self.centres[1])]
    }

    /// Every distance over a box of places.
    ///
    /// The generic enclosure forgets that the terms of the distance move together; see [`super::lipschitz`].
    pub(crate) fn bounds(&self, at: [Enclosure; 3]) -> Enclosure {
        let size = self.radius + f32::max(self.centres[0], self.centres[1]);
        super::lipschitz(at, size, |place| self.distance(place)).intersect(self.distance(at))
    }
}
