//! Evaluation over a whole box.

use weald_space::Aabb;

use crate::algebra::{Algebra, Dual, Enclosure};
use crate::places::Places;
use crate::term::{Kind, Leaf};

/// A box, in metres; programs have one lane over it.
pub(crate) struct Region(pub(crate) Aabb);

impl Region {
    fn around(&self, leaf: &Leaf) -> Aabb {
        let (a, b) = (self.0.min - leaf.origin, self.0.max - leaf.origin);
        Aabb::new(a.min(b), a.max(b))
    }
}

/// The coordinates in a box relative to a leaf's origin. Both the difference and the cast to f32 are rounded monotonely,
/// so they hold the coordinates that any point in the box would get.
fn coordinates(local: Aabb) -> [Enclosure; 3] {
    [0, 1, 2].map(|axis| Enclosure::hull(local.min[axis] as f32, local.max[axis] as f32))
}

impl Places<Enclosure> for Region {
    fn leaf(&mut self, _index: usize, leaf: &Leaf, out: &mut [Enclosure]) {
        let local = self.around(leaf);
        match &leaf.kind {
            Kind::Solid(solid) => solid.lanes(|_| coordinates(local), out),
            Kind::Noise(noise) => out.fill(noise.bounds(local)),
            Kind::Heightfield(field) => out.fill(field.dual_bounds(local).value),
        }
    }
}

impl Places<Dual<Enclosure>> for Region {
    fn leaf(&mut self, _index: usize, leaf: &Leaf, out: &mut [Dual<Enclosure>]) {
        let local = self.around(leaf);
        match &leaf.kind {
            Kind::Solid(solid) => {
                let coordinates = coordinates(local);
                let dual = |axis: usize| {
                    let mut gradient = [Enclosure::constant(0.0); 3];
                    gradient[axis] = Enclosure::constant(1.0);
                    Dual::new(coordinates[axis], gradient)
                };
                solid.lanes(|_| [dual(0), dual(1), dual(2)], out);
            }
            Kind::Noise(noise) => out.fill(noise.dual_bounds(local)),
            Kind::Heightfield(field) => out.fill(field.dual_bounds(local)),
        }
    }
}
