//! Branches: a union of round cones, millions if need be.
//!
//! A segment is the hull of two balls ([`crate::shape`]); the value of the union is the least of their distances. What
//! is far is left out by a tree of boxes (`volumes.rs`), without changing a bit.
//!
//! *Noise on the radius.* It makes bark and burls: the radius grows and shrinks along a branch, by a part of itself that
//! is drawn at the nearest point of the axis. So cross-sections stay round, branches that meet in a point have the same
//! radius there, and nothing comes loose. The value is then no longer a distance, but close to one where the noise is
//! longer than the radius.
//!
//! *Bounds of one cone over a box.* Its distance is that to a convex body, so it is the greatest, over all unit
//! directions n, of n · p less the support of the body, which is the greater of n · c + r at both ends. Any n bounds it
//! from below; we take the one from the nearest ball to the middle of the box, and the corner of the box that is worst.
//! The distance to any ball of the hull bounds it from above; we take the nearest to the middle, and the farthest corner.
//! Noise moves both by no more than its greatest value times the radius.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use weald_space::{Aabb, Seed};

use crate::algebra::{Algebra, Enclosure, Pointwise};
use crate::error::FieldError;
use crate::heightfield::ContentId;
use crate::noise::{Noise, NoiseSettings};
use crate::shape::RoundCone;
use crate::sweep::Sweep;
use crate::term::{finite, put, require};
use crate::volumes::{
    AWAY, Around, Hull, MAX_PARTS, MOST_AWAY, Volume, Volumes, check_count, check_part, greater, lesser,
};

/// The greatest radius, in metres.
const MOST_RADIUS: f32 = 16_384.0;
const RADIUS: &str = "from 0 to 16384";

/// The hull of two balls: a piece of a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The centres of both balls, in metres from the origin of the union.
    pub ends: [Vec3; 2],
    /// Their radii in metres, 0 or more.
    pub radii: [f32; 2],
}

/// Noise on the radius of segments: gradient noise in space, each layer half as strong as the one before and twice as
/// fine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadiusNoise {
    /// The greatest change by the first layer, as a part of the radius: from 0, which is none, to 0.45.
    pub amplitude: f64,
    /// Distance between lattice points of the first layer, in metres.
    pub wavelength: f64,
    /// Number of layers, from 1 to 32.
    pub octaves: u32,
    /// What the lattice points draw from.
    pub seed: Seed,
}

impl Default for RadiusNoise {
    fn default() -> Self {
        RadiusNoise { amplitude: 0.0, wavelength: 1.0, octaves: 2, seed: Seed::new(0) }
    }
}

impl RadiusNoise {
    fn noise(&self) -> Result<Option<Noise>, FieldError> {
        let RadiusNoise { amplitude, wavelength, octaves, seed } = *self;
        let (op, limit) = ("segments", "from 0 to 0.45");
        require(op, "amplitude of the radius", [amplitude], |a| (0.0..=0.45).contains(&a), limit)?;
        let noise =
            Noise::new(&NoiseSettings { amplitude, wavelength, octaves, seed, ..NoiseSettings::default() });
        noise.check()?;
        Ok((amplitude > 0.0).then_some(noise))
    }
}

/// A union of segments, anchored in the world. Cheap to clone.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use weald_field::ContentId;
/// use weald_field::segments::{Segment, Segments};
///
/// let stem = Segment { ends: [Vec3::ZERO, Vec3::Z * 4.0], radii: [0.3, 0.2] };
/// let fork = |x: f32| Segment { ends: [Vec3::Z * 4.0, Vec3::new(x, 0.0, 7.0)], radii: [0.2, 0.1] };
/// let tree = [stem, fork(-2.0), fork(1.5)];
/// let tree = Segments::new(DVec3::new(100.0, 50.0, 0.0), &tree, ContentId::from(1))?;
/// assert_eq!((tree.len(), tree.aabb().min.z), (3, f64::from(-0.3_f32)));
/// # Ok::<(), weald_field::FieldError>(())
/// ```
#[derive(Clone)]
pub struct Segments {
    origin: DVec3,
    name: Name,
    /// Around the origin, with what it was made of.
    noise: Option<Arc<(Noise, RadiusNoise)>>,
    branches: Volumes<Branch>,
    /// Whether some were left out.
    is_pruned: bool,
}

/// What stands for the content in comparisons and keys.
#[derive(Clone, PartialEq)]
enum Name {
    Id(ContentId),
    Content(Arc<[u8]>),
}

impl Segments {
    /// The union of segments whose coordinates count from `origin`.
    ///
    /// Takes about 70 bytes a segment. `id` stands for the segments in comparisons and keys.
    ///
    /// # Errors
    /// If there is no segment or more than 2²⁴, a coordinate is not from -262144 to 262144 m, or a radius not from 0
    /// to 16384 m.
    pub fn new(origin: DVec3, segments: &[Segment], id: ContentId) -> Result<Self, FieldError> {
        Segments::named(origin, segments, RadiusNoise::default(), Name::Id(id))
    }

    /// The same with noise on the radii. `id` stands for the segments, but not for the noise.
    ///
    /// # Errors
    /// As in [`Segments::new`], or if the noise is not as it must be.
    pub fn with_noise(
        origin: DVec3,
        segments: &[Segment],
        noise: RadiusNoise,
        id: ContentId,
    ) -> Result<Self, FieldError> {
        Segments::named(origin, segments, noise, Name::Id(id))
    }

    /// The segments between these points, one after the other, each with its radius in metres.
    ///
    /// # Errors
    /// If there are fewer than two points, a radius is not above zero, or as in [`Segments::new`].
    pub fn polyline(points: &[(DVec3, f64)]) -> Result<Self, FieldError> {
        const OP: &str = "polyline";
        let count = points.len();
        require(
            OP,
            "number of points",
            [count as f64],
            |n| (2.0..=MAX_PARTS as f64).contains(&n),
            "from 2 to 2^24",
        )?;
        let origin = points[0].0;
        let mut bytes = Vec::with_capacity(32 * count);
        for (index, &(point, radius)) in points.iter().enumerate() {
            check_part(
                OP,
                "radius",
                index,
                [radius],
                |r| r > 0.0 && r <= f64::from(MOST_RADIUS),
                "more than 0 and up to 16384",
            )?;
            put(&mut bytes, (point - origin).to_array());
            put(&mut bytes, [radius]);
        }
        let ball = |(point, radius): (DVec3, f64)| ((point - origin).as_vec3(), radius as f32);
        let segment = |pair: &[(DVec3, f64)]| {
            let [(a, radius_a), (b, radius_b)] = [ball(pair[0]), ball(pair[1])];
            Segment { ends: [a, b], radii: [radius_a, radius_b] }
        };
        let segments: Vec<Segment> = points.windows(2).map(segment).collect();
        Segments::named(origin, &segments, RadiusNoise::default(), Name::Content(bytes.into()))
    }

    fn named(
        origin: DVec3,
        segments: &[Segment],
        radius_noise: RadiusNoise,
        name: Name,
    ) -> Result<Self, FieldError> {
        const OP: &str = "segments";
        finite(OP, "origin", origin.to_array())?;
        check_count(OP, segments.len())?;
        for (index, segment) in segments.iter().enumerate() {
            for end in segment.ends {
                let coordinates = end.to_array().map(f64::from);
                check_part(OP, "coordinate", index, coordinates, |c| c.abs() <= MOST_AWAY.into(), AWAY)?;
            }
            let radii = segment.radii.map(f64::from);
            check_part(OP, "radius", index, radii, |r| r >= 0.0 && r <= MOST_RADIUS.into(), RADIUS)?;
        }
        let noise = radius_noise.noise()?;
        let everywhere = Aabb::new(DVec3::splat(-1e12), DVec3::splat(1e12));
        let roughness = noise.as_ref().map_or(0.0, |noise| noise.bounds(everywhere).magnitude());
        let branches: Vec<Branch> = segments.iter().map(|segment| Branch::new(segment, roughness)).collect();
        let noise = noise.map(|noise| Arc::new((noise, radius_noise)));
        Ok(Segments { origin, name, noise, branches: Volumes::new(&branches), is_pruned: false })
    }

    /// What the coordinates count from, in metres.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The number of segments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.branches.len()
    }

    /// Whether there is no segment; never so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The box in which all of it lies, in metres.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.branches.hull().aabb(self.origin)
    }

    /// Appends bytes that are equal for equal unions and different otherwise, whatever their origins.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        match &self.name {
            Name::Id(id) => {
                out.push(0);
                out.extend_from_slice(&id.0);
            }
            Name::Content(bytes) => {
                out.push(1);
                out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                out.extend_from_slice(bytes);
            }
        }
        out.push(u8::from(self.noise.is_some()));
        if let Some(noise) = &self.noise {
            noise.0.encode(out);
        }
        self.branches.encode(self.is_pruned, out);
    }

    /// Every value over a box of places relative to the origin.
    pub(crate) fn bounds(&self, at: [Enclosure; 3]) -> Enclosure {
        self.branches.bounds(at)
    }

    /// The union of the segments that can decide the value somewhere in a box of places relative to the origin; nothing,
    /// if hardly any can be left out.
    pub(crate) fn pruned(&self, at: [Enclosure; 3]) -> Option<Self> {
        let branches = self.branches.pruned(at)?;
        Some(Segments { branches, is_pruned: true, ..self.clone() })
    }

    /// The value at places relative to the origin.
    #[inline(always)]
    pub(crate) fn sweep<A: Pointwise>(&self, sweep: &mut impl Sweep<A>) {
        match self.noise.as_deref() {
            None => self.sweep_with(
                sweep,
                #[inline(always)]
                |branch, place| branch.distance(place),
            ),
            Some((noise, _)) => {
                self.sweep_with(
                    sweep,
                    #[inline(always)]
                    |branch, place| branch.rough_distance(place, noise),
                );
            }
        }
    }

    #[inline(always)]
    fn sweep_with<A: Pointwise>(&self, sweep: &mut impl Sweep<A>, value: impl Fn(&Branch, [A; 3]) -> A) {
        sweep.gathered(
            |at, list| self.branches.gather(at, list),
            #[inline(always)]
            |list, place| {
                let mut least = place[0].like(f32::INFINITY);
                for candidate in list {
                    least = least.min(value(&candidate.volume, place));
                }
                least
            },
        );
    }
}

impl PartialEq for Segments {
    fn eq(&self, other: &Self) -> bool {
        let chosen = |segments: &Segments| segments.is_pruned.then(|| segments.branches.numbers());
        let noise = |segments: &Segments| segments.noise.as_deref().map(|(_, settings)| *settings);
        self.origin == other.origin
            && self.name == other.name
            && noise(self) == noise(other)
            && chosen(self) == chosen(other)
    }
}

impl fmt::Debug for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segments")
            .field("origin", &self.origin)
            .field("len", &self.len())
            .field("is_pruned", &self.is_pruned)
            .finish_non_exhaustive()
    }
}

/// A segment, prepared for evaluation.
#[derive(Clone, Copy, Debug)]
struct Branch {
    /// The centre of the first ball, relative to the origin.
    from: [f32; 3],
    cone: RoundCone,
    /// More than noise can add to the radius or take from it.
    rough: f32,
}

impl Branch {
    /// No value of the noise is greater than `roughness`.
    fn new(segment: &Segment, roughness: f32) -> Self {
        let [from, to] = segment.ends;
        let [radius_a, radius_b] = segment.radii;
        Branch {
            from: from.to_array(),
            cone: RoundCone::new((to - from).to_array(), segment.radii),
            rough: roughness * greater(radius_a, radius_b) * 1.000_01,
        }
    }

    #[inline(always)]
    fn local<A: Algebra>(&self, [x, y, z]: [A; 3]) -> [A; 3] {
        [x + -self.from[0], y + -self.from[1], z + -self.from[2]]
    }

    #[inline(always)]
    fn distance<A: Algebra>(&self, place: [A; 3]) -> A {
        self.cone.distance(self.local(place))
    }

    /// The distance with noise on the radius.
    #[inline(always)]
    fn rough_distance<A: Pointwise>(&self, place: [A; 3], noise: &Noise) -> A {
        let (distance, centre) = self.cone.nearest(self.local(place));
        let ([x, y, z], radius) = self.cone.ball(centre);
        let on_axis = [x + self.from[0], y + self.from[1], z + self.from[2]];
        let growth = noise.value(
            centre.context(),
            #[inline(always)]
            |octave, axis| noise.octaves()[octave].spot_from_place(axis, on_axis[axis]),
        );
        distance - radius * growth
    }
}

impl Volume for Branch {
    #[inline(always)]
    fn hull(&self) -> Hull {
        let [(a, radius_a), (b, radius_b)] = self.cone.ends();
        let from = self.from;
        Hull {
            min: [0, 1, 2].map(
                #[inline(always)]
                |i| from[i] + lesser(a[i] - radius_a, b[i] - radius_b) - self.rough,
            ),
            max: [0, 1, 2].map(
                #[inline(always)]
                |i| from[i] + greater(a[i] + radius_a, b[i] + radius_b) + self.rough,
            ),
            depth: greater(radius_a, radius_b) + self.rough,
            slope: 1.0,
        }
    }

    /// See the module.
    #[inline(always)]
    fn bounds(&self, around: &Around, limit: f32) -> Option<Enclosure> {
        if self.hull().least(around) > limit {
            return None;
        }
        let place = self.local(around.centre);
        let (distance, centre) = self.cone.nearest(place);
        if distance - around.radius - self.rough > limit {
            return None;
        }
        let (ball, radius) = self.cone.ball(centre);
        let from_ball = [0, 1, 2].map(|i| place[i] - ball[i]);
        let far = [0, 1, 2].map(|i| from_ball[i].abs() + around.half[i]);
        let hi = f32::length(far) - radius;
        let length = f32::length(from_ball);
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        let normal = from_ball.map(|part| part * scale);
        let dot = |v: [f32; 3]| normal[0] * v[0] + normal[1] * v[1] + normal[2] * v[2];
        let [(a, radius_a), (b, radius_b)] = self.cone.ends();
        let support = greater(dot(a) + radius_a, dot(b) + radius_b);
        let reach = normal.map(f32::abs);
        let reach = reach[0] * around.half[0] + reach[1] * around.half[1] + reach[2] * around.half[2];
        let lo = greater(dot(place) - reach - support, -greater(radius_a, radius_b));
        Some(Enclosure::hull(lo - self.rough, greater(lo, hi) + self.rough))
    }
}
