//! Evaluation at any points.

use glam::DVec3;

use crate::algebra::Pointwise;
use crate::places::Places;
use crate::term::{Kind, Leaf};

/// Points evaluated together: enough to pay for the dispatch of an op, few enough that a program's registers stay in
/// the nearest cache.
pub(crate) const BLOCK: usize = 64;

/// Up to [`BLOCK`] points, in metres.
pub(crate) struct Points<'a>(pub(crate) &'a [DVec3]);

impl<A: Pointwise> Places<A> for Points<'_> {
    fn leaf(&mut self, _index: usize, leaf: &Leaf, out: &mut [A]) {
        let local = |lane: usize| (self.0[lane] - leaf.origin).to_array();
        match &leaf.kind {
            Kind::Solid(solid) => solid.lanes(|lane| coordinates(local(lane)), out),
            Kind::Noise(noise) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = noise.at(local(lane));
                }
            }
            Kind::Heightfield(field) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    let [x, y, _] = local(lane);
                    *out = field.at(x, y);
                }
            }
        }
    }
}

/// The coordinates of a place relative to a leaf's origin.
#[inline(always)]
pub(crate) fn coordinates<A: Pointwise>(local: [f64; 3]) -> [A; 3] {
    [A::along(0, local[0] as f32, 1.0), A::along(1, local[1] as f32, 1.0), A::along(2, local[2] as f32, 1.0)]
}
