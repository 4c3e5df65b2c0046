//! The quadric of a loop: squared distance to the tangent planes at its crossings, and its minimizers.
//!
//! The error is that of [Ju 2002]. Solved with a Tikhonov term towards the mean crossing, whose weight is the number of
//! planes times a squared length: the expected quadric of planes with that much positional noise [Trettner, Kobbelt
//! 2020], which stays solvable on flat ground, where the classical matrix is singular. A vertex that must stay in its
//! cell is the true minimizer over the cell (faces, then edges and corners), not a clipped one.
//!
//! Lengths are in cells, places count from the cell's lowest corner.

use glam::DVec3;

/// The determinant of the mean of the normals' outer products: 1/27 where three planes at right angles are seen equally
/// often, 0 along a crease. One plane of a box seen once in twelve gives a fortieth of that.
const CORNER_DETERMINANT: f64 = 1e-3;

/// Summed squared distance to a set of planes, about the mean of the planes' points.
///
/// Invariant: the matrix is symmetric and positive semidefinite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quadric {
    /// xx, yy, zz, xy, xz, yz.
    matrix: [f64; 6],
    vector: DVec3,
    constant: f64,
    planes: f64,
    mean: DVec3,
}

impl Quadric {
    /// The quadric of the planes through `points` with these unit normals. There must be at least one.
    ///
    /// # Panics
    /// In debug builds, if there is none, or the numbers differ.
    #[must_use]
    pub fn new(points: &[DVec3], normals: &[DVec3]) -> Self {
        debug_assert!(!points.is_empty() && points.len() == normals.len());
        let planes = points.len() as f64;
        let mean = points.iter().sum::<DVec3>() / planes;
        let mut quadric = Quadric { planes, mean, ..Quadric::default() };
        for (point, n) in points.iter().zip(normals) {
            let distance = n.dot(*point - mean);
            let add = [n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.x * n.z, n.y * n.z];
            for (sum, add) in quadric.matrix.iter_mut().zip(add) {
                *sum += add;
            }
            quadric.vector += *n * distance;
            quadric.constant += distance * distance;
        }
        quadric
    }

    /// The mean of the points.
    #[must_use]
    pub fn mean(&self) -> DVec3 {
        self.mean
    }

    /// The mean squared distance of a place from the planes.
    #[must_use]
    pub fn error(&self, place: DVec3) -> f64 {
        let d = place - self.mean;
        let square = d.dot(self.times(d, 0.0));
        ((square - 2.0 * self.vector.dot(d) + self.constant) / self.planes).max(0.0)
    }

    /// Whether the planes meet in a point: three directions among their normals are well apart.
    #[must_use]
    pub fn is_corner(&self) -> bool {
        let [xx, yy, zz, xy, xz, yz] = self.matrix.map(|sum| sum / self.planes);
        xx * (yy * zz - yz * yz) + xy * (xz * yz - xy * zz) + xz * (xy * yz - xz * yy) > CORNER_DETERMINANT
    }

    /// The minimizer with the plane points blurred by `spread` cells, anywhere in space.
    #[must_use]
    pub fn minimizer(&self, spread: f64) -> DVec3 {
        let [xx, yy, zz, xy, xz, yz] = self.regularized(spread);
        let (c0, c1, c2) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
        let inverse_det = 1.0 / (xx * c0 + xy * c1 + xz * c2);
        let b = self.vector;
        let cross = xy * xz - xx * yz;
        let solved = DVec3::new(
            c0 * b.x + c1 * b.y + c2 * b.z,
            c1 * b.x + (xx * zz - xz * xz) * b.y + cross * b.z,
            c2 * b.x + cross * b.y + (xx * yy - xy * xy) * b.z,
        ) * inverse_det;
        self.mean + solved
    }

    /// The minimizer over the box from `low` to `high`: inside if it can be, else on a face, an edge or at a corner.
    #[must_use]
    pub fn minimizer_within(&self, spread: f64, low: DVec3, high: DVec3) -> DVec3 {
        let free = self.minimizer(spread);
        if free.cmpge(low).all() && free.cmple(high).all() {
            return free;
        }
        let [xx, yy, zz, xy, xz, yz] = self.regularized(spread);
        let a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let b = self.vector;
        let (low, high) = (low - self.mean, high - self.mean);
        let mut best = (f64::INFINITY, DVec3::ZERO);
        let mut consider = |d: DVec3| {
            let energy = d.dot(self.times(d, spread)) - 2.0 * b.dot(d);
            if energy < best.0 {
                best = (energy, d);
            }
        };
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            for side in [low[i], high[i]] {
                let (bj, bk) = (b[j] - a[j][i] * side, b[k] - a[k][i] * side);
                let det = a[j][j] * a[k][k] - a[j][k] * a[j][k];
                let (dj, dk) = ((bj * a[k][k] - bk * a[j][k]) / det, (bk * a[j][j] - bj * a[j][k]) / det);
                let mut d = DVec3::ZERO;
                d[i] = side;
                if (low[j]..=high[j]).contains(&dj) && (low[k]..=high[k]).contains(&dk) {
                    (d[j], d[k]) = (dj, dk);
                    consider(d);
                    continue;
                }
                for (fixed, free) in [(j, k), (k, j)] {
                    for edge in [low[fixed], high[fixed]] {
                        let rest = b[free] - a[free][i] * side - a[free][fixed] * edge;
                        d[fixed] = edge;
                        d[free] = (rest / a[free][free]).clamp(low[free], high[free]);
                        consider(d);
                    }
                }
            }
        }
        self.mean + best.1
    }

    fn regularized(&self, spread: f64) -> [f64; 6] {
        let weight = self.planes * spread * spread;
        let [xx, yy, zz, xy, xz, yz] = self.matrix;
        [xx + weight, yy + weight, zz + weight, xy, xz, yz]
    }

    fn times(&self, d: DVec3, spread: f64) -> DVec3 {
        let [xx, yy, zz, xy, xz, yz] = self.regularized(spread);
        DVec3::new(
            xx * d.x + xy * d.y + xz * d.z,
            xy * d.x + yy * d.y + yz * d.z,
            xz * d.x + yz * d.y + zz * d.z,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(v: DVec3) -> DVec3 {
        v.try_normalize().unwrap_or(DVec3::Z)
    }

    #[test]
    fn three_planes_meet_in_their_corner() {
        let corner = DVec3::new(0.3, 0.6, 0.2);
        let normals =
            [DVec3::new(1.0, 0.2, 0.0), DVec3::new(0.0, 1.0, -0.3), DVec3::new(0.1, 0.0, 1.0)].map(unit);
        let points = normals.map(|n| corner + n.any_orthonormal_vector() * 0.4);
        let quadric = Quadric::new(&points, &normals);
        assert!((quadric.minimizer(1e-3) - corner).length() < 1e-4);
        assert!(quadric.error(corner) < 1e-20);
    }

    #[test]
    fn flat_ground_keeps_the_vertex_at_the_mean_crossing() {
        let points = [DVec3::new(0.0, 0.0, 0.4), DVec3::new(1.0, 0.0, 0.4), DVec3::new(0.0, 1.0, 0.4)];
        let quadric = Quadric::new(&points, &[DVec3::Z; 3]);
        assert!((quadric.minimizer(0.1) - quadric.mean()).length() < 1e-12);
    }

    proptest! {
        #[test]
        fn no_point_of_the_box_beats_the_constrained_minimizer(
            planes in prop::collection::vec((prop::array::uniform3(0.0..1.0), prop::array::uniform3(-1.0..1.0)), 3..9),
            tries in prop::collection::vec(prop::array::uniform3(0.0..1.0), 40),
            spread in prop::sample::select(vec![0.1, 0.005, 1e-3]),
        ) {
            let points: Vec<DVec3> = planes.iter().map(|p| DVec3::from_array(p.0)).collect();
            let normals: Vec<DVec3> = planes.iter().map(|p| unit(DVec3::from_array(p.1))).collect();
            let quadric = Quadric::new(&points, &normals);
            let found = quadric.minimizer_within(spread, DVec3::ZERO, DVec3::ONE);
            prop_assert!(found.cmpge(DVec3::splat(-1e-12)).all() && found.cmple(DVec3::splat(1.0 + 1e-12)).all());
            let energy = |p: DVec3| {
                let d = p - quadric.mean();
                d.dot(quadric.times(d, spread)) - 2.0 * quadric.vector.dot(d)
            };
            for p in tries {
                prop_assert!(energy(found) <= energy(DVec3::from_array(p)) + 1e-9);
            }
        }
    }
}
