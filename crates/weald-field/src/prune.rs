//! What a tape is over a box: its range, and the terms that can matter there.
//!
//! Interval evaluation shows which side of a minimum, a maximum or a selection is taken all over the box, and which
//! parts of a payload reach it (libfive's and fidget's "simplify", M. Keeter 2020). The pruned tape has the bits of the
//! whole one for every point of the box, gradients included: a side is left out only where the op would return the other
//! one unchanged.

use weald_space::{Aabb, Interval};

use crate::algebra::{Algebra, Dual, Enclosure};
use crate::once::{Once, fold};
use crate::op::Op;
use crate::term::{Term, reachable};

/// What is kept between evaluations over boxes.
#[derive(Debug, Default)]
pub(crate) struct RegionScratch {
    values: Vec<Enclosure>,
    duals: Vec<Option<Dual<Enclosure>>>,
}

impl RegionScratch {
    /// Evaluates all terms over a box; those marked as part of a height with gradients.
    pub(crate) fn enclose(&mut self, terms: &[Term], in_height: &[bool], within: Aabb) -> Interval {
        self.values.clear();
        self.duals.clear();
        for (term, &in_height) in terms.iter().zip(in_height) {
            let (value, dual) = if in_height {
                let dual = self.dual(term, within);
                (dual.value, Some(dual))
            } else {
                (self.value(term, within), None)
            };
            self.values.push(value);
            self.duals.push(dual);
        }
        self.values.last().map_or(Interval::ALL, |value| value.0)
    }

    fn value(&self, term: &Term, within: Aabb) -> Enclosure {
        let args = self.args(term, &self.values, Enclosure(Interval::ALL));
        if matches!(term.op, Op::Correction) {
            let height = self.duals[term.args()[0] as usize];
            return height.map_or(Enclosure::hull(0.0, 1.0), correction);
        }
        Once::value(&term.op, (), &args[..term.args().len()], within)
    }

    fn dual(&self, term: &Term, within: Aabb) -> Dual<Enclosure> {
        let anything = Enclosure(Interval::ALL);
        let mut args = [Dual::new(anything, [anything; 3]); 3];
        for (slot, &arg) in args.iter_mut().zip(term.args()) {
            *slot = self.duals[arg as usize].unwrap_or(*slot);
        }
        Once::value(&term.op, (), &args[..term.args().len()], within)
    }

    fn args<A: Copy>(&self, term: &Term, values: &[A], filler: A) -> [A; 3] {
        let mut args = [filler; 3];
        for (slot, &arg) in args.iter_mut().zip(term.args()) {
            *slot = values[arg as usize];
        }
        args
    }

    /// The terms that matter over the box of the last evaluation; none if all of them do.
    pub(crate) fn prune(&self, terms: &[Term]) -> Option<Vec<Term>> {
        let mut stands_for: Vec<u32> = (0..terms.len() as u32).collect();
        let mut pruned: Vec<Term> = Vec::with_capacity(terms.len());
        let mut changed = false;
        for (i, term) in terms.iter().enumerate() {
            let args: Vec<u32> = term.args().iter().map(|&arg| stands_for[arg as usize]).collect();
            let kept = match self.decide(term) {
                Decision::Keep => Term::new(term.op.clone(), &args),
                Decision::Argument(number) => {
                    changed = true;
                    stands_for[i] = args[number];
                    // Nothing reads this term any more.
                    Term::new(Op::Constant(0.0), &[])
                }
                Decision::Becomes(op) => {
                    changed = true;
                    Term::new(op, &args)
                }
            };
            let folded = folded(&kept, &pruned);
            changed |= folded.is_some();
            pruned.push(folded.unwrap_or(kept));
        }
        let root = *stands_for.last()?;
        changed.then(|| reachable(pruned, root as usize))
    }

    fn decide(&self, term: &Term) -> Decision {
        let arg = |number: usize| self.values[term.args()[number] as usize];
        let apart = |a: Enclosure, b: Enclosure, by: f32| b.lo() - a.hi() > by;
        match &term.op {
            Op::Min if arg(0).hi() <= arg(1).lo() => Decision::Argument(0),
            Op::Min if arg(1).hi() < arg(0).lo() => Decision::Argument(1),
            Op::Max if arg(0).lo() >= arg(1).hi() => Decision::Argument(0),
            Op::Max if arg(1).lo() > arg(0).hi() => Decision::Argument(1),
            // A little more than the radius: the rounded quotient must come out at 1 or above.
            Op::SmoothMin(radius) if apart(arg(0), arg(1), radius * WELL_BEYOND) => Decision::Argument(0),
            Op::SmoothMin(radius) if apart(arg(1), arg(0), radius * WELL_BEYOND) => Decision::Argument(1),
            Op::SmoothMax(radius) if apart(arg(1), arg(0), radius * WELL_BEYOND) => Decision::Argument(0),
            Op::SmoothMax(radius) if apart(arg(0), arg(1), radius * WELL_BEYOND) => Decision::Argument(1),
            Op::Select if arg(0).hi() < 0.0 => Decision::Argument(1),
            Op::Select if arg(0).lo() >= 0.0 => Decision::Argument(2),
            Op::Mix if arg(2).hi() <= 0.0 => Decision::Argument(0),
            Op::Mix if arg(2).lo() >= 1.0 => Decision::Argument(1),
            Op::Abs if arg(0).lo() > 0.0 => Decision::Argument(0),
            Op::Segments(segments) => match segments.pruned([arg(0), arg(1), arg(2)]) {
                Some(segments) => Decision::Becomes(Op::Segments(segments)),
                None => Decision::Keep,
            },
            Op::Cloud(cloud) => match cloud.pruned([arg(0), arg(1), arg(2)]) {
                Some(cloud) => Decision::Becomes(Op::Cloud(cloud)),
                None => Decision::Keep,
            },
            _ => Decision::Keep,
        }
    }
}

const WELL_BEYOND: f32 = 1.000_01;

enum Decision {
    Keep,
    /// The term has the value of this argument.
    Argument(usize),
    Becomes(Op),
}

/// The constant that a term of constants is.
fn folded(term: &Term, earlier: &[Term]) -> Option<Term> {
    if term.args().is_empty() || matches!(term.op, Op::Correction) {
        return None;
    }
    let constant = |&arg: &u32| match earlier[arg as usize].op {
        Op::Constant(value) => Some(value),
        _ => None,
    };
    let constants: Option<Vec<f32>> = term.args().iter().map(constant).collect();
    Some(Term::new(Op::Constant(fold(&term.op, &constants?)), &[]))
}

/// 1 / sqrt(1 + |gradient|²): the part of a vertical distance that lies across the surface.
#[inline(always)]
pub(crate) fn correction<N: Algebra>(height: Dual<N>) -> N {
    let one = height.value.like(1.0);
    one.divide(N::length([one, height.gradient[0], height.gradient[1]]))
}
