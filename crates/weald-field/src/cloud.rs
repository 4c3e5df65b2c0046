//! Crowns: a union of ellipsoids, millions if need be.
//!
//! The value of one is the distance to first order that an ellipsoid has ([`crate::shape`]), that of the union is the
//! least of them. What is far is left out by a tree of boxes ([`crate::volumes`]), without changing a bit.

#[cfg(test)]
mod tests;

use std::fmt;

use glam::{DMat3, DVec3, Quat, Vec3};
use weald_space::Aabb;

use crate::algebra::{Algebra, Enclosure, Pointwise};
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
/// use weald_field::{Blob, Cloud, ContentId};
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
                let mut least = list[0].volume.distance(place);
                for candidate in &list[1..] {
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

    #[inline(always)]
    fn distance<A: Algebra>(&self, [x, y, z]: [A; 3]) -> A {
        let (x, y, z) = (x + -self.centre[0], y + -self.centre[1], z + -self.centre[2]);
        self.ellipsoid.distance(self.axes.map(
            #[inline(always)]
            |a| x * a[0] + y * a[1] + z * a[2],
        ))
    }
}

impl Volume for Crown {
    /// Outside, the value is the scaled norm less one, which grows at least by one over the greatest radius a metre,
    /// times at least the least radius. Inside it is no deeper than is proven in [`crate::shape`].
    fn hull(&self) -> Hull {
        let radii = Vec3::from_array(self.radii);
        let (least, greatest) = (radii.min_element(), radii.max_element());
        let reach = [0, 1, 2].map(|i| {
            let part = |axis: usize| self.axes[axis][i] * radii[axis];
            f32::length([part(0), part(1), part(2)]) * 1.000_001
        });
        Hull {
            min: [0, 1, 2].map(|i| self.centre[i] - reach[i]),
            max: [0, 1, 2].map(|i| self.centre[i] + reach[i]),
            depth: greatest,
            slope: least / greatest,
        }
    }

    /// The generic enclosure: in the frame of the ellipsoid each coordinate enters once.
    fn bounds(&self, around: &Around) -> Enclosure {
        self.distance(around.at())
    }
}
