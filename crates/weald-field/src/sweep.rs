//! How an op is carried out: over slices of points, or once.
//!
//! An op says what it does to its arguments as a function generic over the algebra; a [`Sweep`] brings arguments and
//! function together, over as many points as there are. Ops that read more than their arguments (a place in f64, a
//! list of what is near) have a way of their own here.

use crate::algebra::{Algebra, Enclosure};

/// Carries out one op. The arguments are those of the step that is being run.
pub(crate) trait Sweep<A: Algebra> {
    /// An op without arguments.
    fn nullary(&mut self, op: impl Fn(A::Context) -> A);
    /// An op of one argument.
    fn unary(&mut self, op: impl Fn(A) -> A);
    /// An op of two arguments.
    fn binary(&mut self, op: impl Fn(A, A) -> A);
    /// An op of three arguments.
    fn ternary(&mut self, op: impl Fn([A; 3]) -> A);
    /// An op on a place (three arguments) that works out first what matters near there: `gather` lists it for a box
    /// that holds all places of a block, `op` is then called with that list for the places in it.
    fn gathered<T>(&mut self, gather: impl Fn([Enclosure; 3], &mut Vec<T>), op: impl Fn(&[T], [A; 3]) -> A);
}
