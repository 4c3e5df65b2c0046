//! Crowns: a union of ellipsoids, millions if need be.
//!
//! The value of one is the distance to first order that an ellipsoid has ([`crate::shape`]), that of the union is the
//! least of them. What is far is left out by a tree of boxes (`volumes.rs`), without changing a bit.
//!
//! *Bounds of one ellipsoid over a box.* Outside, its value f is at most the distance d. And it is at least
//! 2 l g / (l² + g²) times that, with l the least and g the greatest radius: from p the surface is no farther than along
//! the ray to the centre, d ≤ |p| (1 - 1 / k₀), and f = k₀ (k₀ - 1) / k₁, so f / d ≥ k₀² / (k₁ |p|), which is
//! (p · A p) / (|A p| |p|) for A = diag(1 / r²). That is least as Kantorovich says. The distance itself is bounded as that
//! to a convex body: from below by the support in one direction, from above by one of its points.

#[cfg(test)]
mod tests;

use std::fmt;

use glam::{DMat3, DVec3, Quat, Vec3};
use weald_space::Aabb;

use crate::algebra::{Algebra, Enclosure, Pointwise, each};
use crate::error::FieldError;
use crate::heightfield::ContentId;
use crate::shape::Ellipsoid;
use crate::sweep::Sweep;
use crate::term::finite;
use crate::volumes::{AWAY, Around, Hull, MOST_AWAY, Volume, Volumes, check_count, check_part};

/// The greatest radius may be this many times the least: values of flatter ones lose all digits to rounding.
const MOST_FLAT: f32 = 100.0;

/// An ellipsoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blob {
    /// In metres from the origin of the union.
    pub centre: Vec3,
    /// Along its own axes, in metres.
    pub radii: Vec3,
    /// Turns its own axes to those of the world.
    pub turn: Quat,
}

/// A union of ellipsoids, anchored in the world. Cheap to clone.
///
/// ```
/// use glam::{DVec3, Quat, Vec3};
/// use weald_field::ContentId;
/// use weald_field::cloud::{Blob, Cloud};
///
/// let crown = Blob { centre: Vec3::Z * 6.0, radii: Vec3::new(2.0, 2.0, 3.0), turn: Quat::IDENTITY };
/// let cloud = Cloud::new(DVec3::new(100.0, 50.0, 0.0), &[crown], ContentId::from(1))?;
/// assert_eq!(cloud.aabb().size().z.round(), 6.0);
/// # Ok::<(), weald_field::FieldError>(())
/// ```
#[derive(Clone)]
pub struct Cloud {
    origin: DVec3,
    id: ContentId,
    crowns: Volumes<Crown>,
    /// Whether some were left out.
    is_pruned: bool,
}

impl Cloud {
    /// The union of ellipsoids whose coordinates count from `origin`.
    ///
    /// Takes about 100 bytes an ellipsoid. `id` stands for them in comparisons and keys.
    ///
    /// # Errors
    /// If there is no ellipsoid or more than 2²⁴, a coordinate is not from -262144 to 262144 m, a radius not from 0.001
    /// to 16384 m or more than 100 times another of the same ellipsoid, or a turn not of length 1.
    pub fn new(origin: DVec3, blobs: &[Blob], id: ContentId) -> Result<Self, FieldError> {
        const OP: &str = "cloud";
        finite(OP, "origin", origin.to_array())?;
        check_count(OP, blobs.len())?;
        for (index, blob) in blobs.iter().enumerate() {
            let numbers = |v: Vec3| v.to_array().map(f64::from);
            check_part(OP, "coordinate", index, numbers(blob.centre), |c| c.abs() <= MOST_AWAY.into(), AWAY)?;
            let is_radius = |r: f64| (0.001..=16_384.0).contains(&r);
            check_part(OP, "radius", index, numbers(blob.radii), is_radius, "from 0.001 to 16384")?;
            let most = f64::from(blob.radii.min_element()) * f64::from(MOST_FLAT);
            let limit = "at most 100 times the least radius";
            check_part(OP, "radius", index, numbers(blob.radii), |r| r <= most, limit)?;
            let length = f64::from(blob.turn.length());
            check_part(OP, "length of turn", index, [length], |l| (l - 1.0).abs() <= 1e-3, "1")?;
        }
        let crowns: Vec<Crown> = blobs.iter().map(Crown::new).collect();
        Ok(Cloud { origin, id, crowns: Volumes::new(&crowns), is_pruned: false })
    }

    /// What the coordinates count from, in metres.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The number of ellipsoids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.crowns.len()
    }

    /// Whether there is no ellipsoid; never so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A box in which all of it lies, in metres.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.crowns.hull().aabb(self.origin)
    }

    /// Appends bytes that are equal for equal unions and different otherwise, whatever their origins.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.0);
        self.crowns.encode(self.is_pruned, out);
    }

    /// Every value over a box of places relative to the origin.
    pub(crate) fn bounds(&self, at: [Enclosure; 3]) -> Enclosure {
        self.crowns.bounds(at)
    }

    /// The union of the ellipsoids that can decide the value somewhere in a box of places relative to the origin;
    /// nothing, if hardly any can be left out.
    pub(crate) fn pruned(&self, at: [Enclosure; 3]) -> Option<Self> {
        let crowns = self.crowns.pruned(at)?;
        Some(Cloud { crowns, is_pruned: true, ..self.clone() })
    }

    /// The value at places relative to the origin.
    #[inline(always)]
    pub(crate) fn sweep<A: Pointwise>(&self, sweep: &mut impl Sweep<A>) {
        sweep.gathered(
            |at, list| self.crowns.gather(at, list),
            #[inline(always)]
            |list, place| {
                let mut least = place[0].like(f32::INFINITY);
                for candidate in list {
                    least = least.min(candidate.volume.distance(place));
                }
                least
            },
        );
    }
}

impl PartialEq for Cloud {
    fn eq(&self, other: &Self) -> bool {
        let chosen = |cloud: &Cloud| cloud.is_pruned.then(|| cloud.crowns.numbers());
        self.origin == other.origin && self.id == other.id && chosen(self) == chosen(other)
    }
}

impl fmt::Debug for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cloud")
            .field("origin", &self.origin)
            .field("len", &self.len())
            .field("is_pruned", &self.is_pruned)
            .finish_non_exhaustive()
    }
}

/// An ellipsoid, prepared for evaluation.
#[derive(Clone, Copy, Debug)]
struct Crown {
    centre: [f32; 3],
    /// Its own axes, in the world.
    axes: [[f32; 3]; 3],
    radii: [f32; 3],
    ellipsoid: Ellipsoid,
}

impl Crown {
    fn new(blob: &Blob) -> Self {
        let turn = DMat3::from_quat(blob.turn.as_dquat().normalize());
        Crown {
            centre: blob.centre.to_array(),
            axes: [turn.x_axis, turn.y_axis, turn.z_axis].map(|axis| axis.as_vec3().to_array()),
            radii: blob.radii.to_array(),
            ellipsoid: Ellipsoid::new(blob.radii.to_array()),
        }
    }

    /// The place in the frame of the ellipsoid.
    #[inline(always)]
    fn local<A: Algebra>(&self, [x, y, z]: [A; 3]) -> [A; 3] {
        let (x, y, z) = (x + -self.centre[0], y + -self.centre[1], z + -self.centre[2]);
        each(
            self.axes,
            #[inline(always)]
            |a| x * a[0] + y * a[1] + z * a[2],
        )
    }

    #[inline(always)]
    fn distance<A: Algebra>(&self, place: [A; 3]) -> A {
        self.ellipsoid.distance(self.local(place))
    }

    /// Outside, no value is less than this times the distance.
    #[inline(always)]
    fn slope(&self) -> f32 {
        let radii = Vec3::from_array(self.radii);
        let (least, greatest) = (radii.min_element(), radii.max_element());
        2.0 * least * greatest / (least * least + greatest * greatest)
    }
}

impl Volume for Crown {
    /// See the module.
    fn hull(&self) -> Hull {
        let reach = [0, 1, 2].map(|i| {
            let part = |axis: usize| self.axes[axis][i] * self.radii[axis];
            f32::length([part(0), part(1), part(2)]) * 1.000_001
        });
        Hull {
            min: [0, 1, 2].map(|i| self.centre[i] - reach[i]),
            max: [0, 1, 2].map(|i| self.centre[i] + reach[i]),
            depth: Vec3::from_array(self.radii).max_element(),
            slope: self.slope(),
        }
    }

    /// See the module. Where the box may reach the ellipsoid, the generic enclosure is good.
    fn bounds(&self, around: &Around, limit: f32) -> Option<Enclosure> {
        let place = self.local(around.centre);
        let normal = Vec3::from_array([0, 1, 2].map(|i| place[i] / (self.radii[i] * self.radii[i])));
        let normal = normal.normalize_or_zero().to_array();
        let support = f32::length([0, 1, 2].map(|i| normal[i] * self.radii[i]));
        let in_world = [0, 1, 2].map(|j| (0..3).fold(0.0, |sum, i| sum + self.axes[i][j] * normal[i]));
        let reach = (0..3).fold(0.0, |sum, j| sum + in_world[j].abs() * around.half[j]);
        let nearest = (0..3).fold(-support - reach, |sum, i| sum + normal[i] * place[i]);
        if nearest * self.slope() > limit.max(0.0) {
            return None;
        }
        let foot =
            [0, 1, 2].map(|i| place[i] - normal[i] * self.radii[i] * self.radii[i] / support.max(1e-9));
        let farthest = f32::length(foot) + around.radius;
        if nearest > 0.0 {
            let lo = nearest * self.slope();
            return Some(Enclosure::hull(lo, f32::max(lo, farthest)));
        }
        let generic = self.distance(around.at());
        Some(Enclosure::hull(generic.lo(), f32::max(generic.lo(), f32::min(generic.hi(), farthest))))
    }
}
