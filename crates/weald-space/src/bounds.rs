//! Boxes and ranges.

use glam::DVec3;

/// A box with sides along the axes, in metres. Empty where `min > max` on any axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The lowest corner.
    pub min: DVec3,
    /// The highest corner.
    pub max: DVec3,
}

impl Aabb {
    /// The box between two corners.
    #[must_use]
    pub const fn new(min: DVec3, max: DVec3) -> Self {
        Aabb { min, max }
    }

    /// The box that holds nothing; any union with it gives the other box.
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb::new(self.min.min(other.min), self.max.max(other.max))
    }

    /// The box with `by` metres more on every side.
    #[must_use]
    pub fn grow(self, by: f64) -> Aabb {
        Aabb::new(self.min - by, self.max + by)
    }

    /// Whether any point lies in both, borders included.
    #[must_use]
    pub fn meets(self, other: Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether the point lies inside or on the border.
    #[must_use]
    pub fn contains(self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Edge lengths in metres.
    #[must_use]
    pub fn size(self) -> DVec3 {
        self.max - self.min
    }

    /// The middle.
    #[must_use]
    pub fn centre(self) -> DVec3 {
        (self.min + self.max) * 0.5
    }
}

/// All values from `lo` to `hi`, both included. Never empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least value.
    pub lo: f32,
    /// The greatest value.
    pub hi: f32,
}

impl Interval {
    /// Everything: what is known when nothing is.
    pub const ALL: Interval = Interval { lo: f32::NEG_INFINITY, hi: f32::INFINITY };

    /// The values from `lo` to `hi`.
    ///
    /// # Panics
    /// In debug builds, if `lo > hi` or one of them is not a number.
    #[must_use]
    pub fn new(lo: f32, hi: f32) -> Self {
        debug_assert!(lo <= hi, "interval from {lo} to {hi}");
        Interval { lo, hi }
    }

    /// Just this value.
    #[must_use]
    pub const fn point(value: f32) -> Self {
        Interval { lo: value, hi: value }
    }

    /// Whether the value lies inside or on the border.
    #[must_use]
    pub fn contains(self, value: f32) -> bool {
        self.lo <= value && value <= self.hi
    }
}
