//! Where a program is evaluated: at lanes of points, along a row of the lattice, or over a box.

use crate::algebra::Algebra;
use crate::term::Leaf;

/// Gives the leaves of a program their values, one a lane.
pub(crate) trait Places<A: Algebra> {
    /// Fills `out` with the values of a leaf, which is the program's leaf number `index`.
    fn leaf(&mut self, index: usize, leaf: &Leaf, out: &mut [A]);
}
