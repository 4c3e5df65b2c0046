//! Simplex noise: round kernels at the points of a body-centred lattice.
//!
//! Perlin's simplex noise ("Noise Hardware", SIGGRAPH 2001 course) sums, over the corners of the simplex around a place,
//! a gradient times a kernel that ends there. Its lattice in space is the body-centred cubic one, which K. Spencer's
//! OpenSimplex2 (github.com/KdotJPG/OpenSimplex2) takes as what it is: two cubic lattices, one in the middles of the
//! other's cells. So nothing is skewed, and a place far from the origin is as exact as any. Here, too; in the plane the
//! same is done with two square lattices, which together are a square lattice on its corner.
//!
//! *Which points count.* The kernel is (½ - d²)³ up to distance √½, where it ends with two continuous derivatives. Within
//! a cubic lattice seen from its nearest point, a place (x, y, z) has all |coordinates| up to ½. The neighbour along x
//! counts if (1 - |x|)² + y² + z² < ½. No two neighbours count at once: since (1 - |x|)² + x² ≥ ½ and likewise in y, the
//! sum of both conditions is never met; and one that differs along two axes is at √½ or more. The nearest point and its
//! neighbour along the axis of the greatest |coordinate| are all: four points in space and in the plane.

use super::Spot;
use super::hash::{fold, spread, steps};
use super::lattice::{plane_direction, space_direction};
use crate::algebra::Pointwise;

/// Cells of a cubic lattice in a wavelength: so many that a kernel ends one wavelength from its point, as that of
/// gradient noise does along an axis. In the plane it is also the distance of neighbours.
pub(super) const CELLS: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The square of the distance at which a kernel ends, in cells.
pub(super) const REACH: f32 = 0.5;

/// Bring the greatest value to 0.99.
pub(super) const SPACE_SCALE: f32 = 31.0;
pub(super) const PLANE_SCALE: f32 = 19.0;

/// A place along one axis of one of the lattices.
#[derive(Clone, Copy, Debug)]
struct Place<A: Pointwise> {
    /// The nearest lattice point, as hashes take it.
    nearest: A::Word,
    /// From there, -½ to ½.
    part: A,
    /// Towards the next nearest: -1 or 1.
    side: A,
}

/// The places in both lattices.
#[inline(always)]
fn places<A: Pointwise>(spot: Spot<A>) -> [Place<A>; 2] {
    let cell = spread(spot.cell);
    let up = (spot.part + 0.5).floor();
    [place(steps(cell, up), spot.part - up), place(cell, spot.part + -0.5)]
}

#[inline(always)]
fn place<A: Pointwise>(nearest: A::Word, part: A) -> Place<A> {
    Place { nearest, part, side: part.floor() * 2.0 + 1.0 }
}

impl<A: Pointwise> Place<A> {
    /// Seen from the lattice point that many steps on.
    #[inline(always)]
    fn from(&self, step: A) -> (A::Word, A) {
        (steps(self.nearest, step), self.part - step)
    }
}

/// Noise in space, by the hashes of the seeds of both lattices.
#[inline(always)]
pub(super) fn space<A: Pointwise>(context: A::Context, seeds: [A::Word; 2], spots: [Spot<A>; 3]) -> A {
    let [x, y, z] = spots;
    let (x, y, z) = (places(x), places(y), places(z));
    let corners = space_pair(context, seeds[0], [x[0], y[0], z[0]]);
    let middles = space_pair(context, seeds[1], [x[1], y[1], z[1]]);
    (corners + middles) * SPACE_SCALE
}

#[inline(always)]
fn space_pair<A: Pointwise>(context: A::Context, seed: A::Word, at: [Place<A>; 3]) -> A {
    let [x, y, z] = at;
    let zero = A::constant(context, 0.0);
    let (ax, ay, az) = (x.part.abs(), y.part.abs(), z.part.abs());
    let greatest = ax.max(ay).max(az);
    let step_x = A::choose(greatest, ax, x.side, zero);
    let step_y = A::choose(greatest, ax, zero, A::choose(greatest, ay, y.side, zero));
    let step_z = A::choose(greatest, ax, zero, A::choose(greatest, ay, zero, z.side));
    let nearest = space_kernel(context, seed, [x.from(zero), y.from(zero), z.from(zero)]);
    let next = space_kernel(context, seed, [x.from(step_x), y.from(step_y), z.from(step_z)]);
    nearest + next
}

#[inline(always)]
fn space_kernel<A: Pointwise>(context: A::Context, seed: A::Word, at: [(A::Word, A); 3]) -> A {
    let [(x, dx), (y, dy), (z, dz)] = at;
    let g: [A; 3] = space_direction(context, fold(fold(fold(seed, z), y), x));
    kernel(dx * dx + dy * dy + dz * dz) * (g[0] * dx + g[1] * dy + g[2] * dz)
}

/// Noise in the plane, by the hashes of the levels of both lattices.
#[inline(always)]
pub(super) fn plane<A: Pointwise>(context: A::Context, levels: [A::Word; 2], spots: [Spot<A>; 2]) -> A {
    let [x, y] = spots;
    let (x, y) = (places(x), places(y));
    let corners = plane_pair(context, levels[0], [x[0], y[0]]);
    let middles = plane_pair(context, levels[1], [x[1], y[1]]);
    (corners + middles) * PLANE_SCALE
}

#[inline(always)]
fn plane_pair<A: Pointwise>(context: A::Context, level: A::Word, at: [Place<A>; 2]) -> A {
    let [x, y] = at;
    let zero = A::constant(context, 0.0);
    let (ax, ay) = (x.part.abs(), y.part.abs());
    let step_x = A::choose(ay, ax, x.side, zero);
    let step_y = A::choose(ay, ax, zero, y.side);
    let nearest = plane_kernel(context, level, [x.from(zero), y.from(zero)]);
    let next = plane_kernel(context, level, [x.from(step_x), y.from(step_y)]);
    nearest + next
}

#[inline(always)]
fn plane_kernel<A: Pointwise>(context: A::Context, level: A::Word, at: [(A::Word, A); 2]) -> A {
    let [(x, dx), (y, dy)] = at;
    let g: [A; 2] = plane_direction(context, fold(fold(level, y), x));
    kernel(dx * dx + dy * dy) * (g[0] * dx + g[1] * dy)
}

#[inline(always)]
fn kernel<A: Pointwise>(square: A) -> A {
    let left = (-square + REACH).max(square.like(0.0));
    left * left * left
}
