//! From an expression to values.
//!
//! A [`Tape`] holds the terms of an expression, each once, constants folded, in an order in which each reads earlier
//! ones. Those that depend on x and y only come first and are evaluated once a column of a grid. The heights of height
//! surfaces, whose gradients are needed, are programs of their own, evaluated as duals once a column.

use glam::{BVec3, DVec3, Vec3};
use weald_space::{Aabb, Interval, Lattice, VoxelPos};

use crate::algebra::{Algebra, Dual, Enclosure, Pointwise};
use crate::error::FieldError;
use crate::expr::Expr;
use crate::places::Places;
use crate::points::{BLOCK, Points};
use crate::region::Region;
use crate::rows::{Axes, Row, Table};
use crate::term::{self, Leaf, Op, Term};

/// The most distinct terms that a tape may have.
pub const MAX_TERMS: usize = 1 << 18;

/// A block of lattice points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The lattice.
    pub lattice: Lattice,
    /// The lowest point.
    pub min: VoxelPos,
    /// Points along x, y and z.
    pub dims: [usize; 3],
}

impl Grid {
    /// The number of points.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.dims[0] * self.dims[1] * self.dims[2]
    }

    /// Whether there is no point.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn axes(&self, axes: &mut Axes) {
        for (axis, places) in axes.0.iter_mut().enumerate() {
            places.clear();
            let first = self.min.0[axis];
            places.extend((0..self.dims[axis] as i64).map(|i| (first + i) as f64 * self.lattice.cell_size()));
        }
    }
}

/// What evaluation needs beside the tape; reuse it to spare allocations. It carries nothing from one call to the next.
#[derive(Debug, Default)]
pub struct EvalScratch {
    axes: Axes,
    scalars: Vec<f32>,
    duals: Vec<Dual>,
    heights: Vec<Dual>,
    scalar_inputs: Inputs<f32>,
    dual_inputs: Inputs<Dual>,
    planes: Vec<f32>,
    scalar_tables: Vec<Table<f32>>,
    dual_tables: Vec<Vec<Table<Dual>>>,
}

/// The heights that a program reads and their corrections, slot by slot, lane by lane.
#[derive(Debug)]
struct Inputs<A> {
    heights: Vec<A>,
    corrections: Vec<A>,
}

impl<A> Default for Inputs<A> {
    fn default() -> Self {
        Inputs { heights: Vec::new(), corrections: Vec::new() }
    }
}

impl<A: Algebra> Inputs<A> {
    fn clear(&mut self) {
        self.heights.clear();
        self.corrections.clear();
    }

    /// Adds the next slot: what `read` makes of each height and its correction.
    fn push<N: Algebra>(
        &mut self,
        heights: &[Dual<N>],
        height: impl Fn(Dual<N>) -> A,
        constant: impl Fn(N) -> A,
    ) {
        self.heights.extend(heights.iter().map(|&h| height(h)));
        self.corrections.extend(heights.iter().map(|&h| constant(correction(h))));
    }
}

/// 1 / sqrt(1 + |gradient|²): the part of a vertical distance that lies across the surface.
fn correction<N: Algebra>(height: Dual<N>) -> N {
    let one = N::constant(1.0);
    one.divide(N::length([one, height.gradient[0], height.gradient[1]]))
}

/// A compiled expression.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use weald_field::{EvalScratch, Expr, Tape};
///
/// let ball = Tape::new(&Expr::sphere(DVec3::ZERO, 2.0))?;
/// let (mut values, mut gradients) = ([0.0], [Vec3::ZERO]);
/// ball.duals(&[DVec3::X * 3.0], &mut EvalScratch::default(), &mut values, &mut gradients);
/// assert_eq!((values[0], gradients[0]), (1.0, Vec3::X));
/// # Ok::<(), weald_field::FieldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tape {
    heights: Vec<Program>,
    main: Program,
}

impl Tape {
    /// Compiles an expression.
    ///
    /// # Errors
    /// If a parameter is out of its range, a height depends on z, or there are more than [`MAX_TERMS`] terms.
    pub fn new(expr: &Expr) -> Result<Tape, FieldError> {
        let mut terms = term::terms(expr);
        if terms.len() > MAX_TERMS {
            return Err(FieldError::TooManyTerms { limit: MAX_TERMS });
        }
        for term in &terms {
            term.check()?;
        }
        fold_constants(&mut terms);
        let reads = dependencies(&terms);
        let mut slot_of: Vec<Option<u32>> = vec![None; terms.len()];
        let mut heights = Vec::new();
        for term in terms.iter().filter(|term| matches!(term.op, Op::Correction)) {
            let height = term.args[0] as usize;
            if reads[height].z {
                return Err(FieldError::HeightDependsOnZ);
            }
            if slot_of[height].is_none() {
                slot_of[height] = Some(heights.len() as u32);
                heights.push(Program::new(&terms, &reads, height, &vec![None; terms.len()]));
            }
        }
        Ok(Tape { heights, main: Program::new(&terms, &reads, terms.len() - 1, &slot_of) })
    }

    /// Values at lattice points, x fastest, then y, then z. The bits do not depend on how a grid is cut into pieces, and
    /// are those of [`Tape::values`] at the same points.
    ///
    /// # Panics
    /// If `out` does not have one entry a point.
    pub fn sample(&self, grid: &Grid, scratch: &mut EvalScratch, out: &mut [f32]) {
        assert_eq!(out.len(), grid.len(), "one value a point of the grid");
        if grid.is_empty() {
            return;
        }
        grid.axes(&mut scratch.axes);
        scratch.scalar_tables = tables(&self.main, &scratch.axes);
        scratch.dual_tables = self.heights.iter().map(|height| tables(height, &scratch.axes)).collect();
        self.sample_columns(grid, scratch);
        self.sample_rows(grid, scratch, out);
    }

    /// Evaluates what depends on x and y only, and keeps what is read later as planes.
    fn sample_columns(&self, grid: &Grid, scratch: &mut EvalScratch) {
        let [nx, ny, _] = grid.dims;
        let program = &self.main;
        scratch.planes.clear();
        scratch.planes.resize(program.kept.len() * nx * ny, 0.0);
        scratch.scalars.clear();
        scratch.scalars.resize(program.steps.len() * nx, 0.0);
        for y in 0..ny {
            scratch.scalar_inputs.clear();
            for (height, tables) in self.heights.iter().zip(&mut scratch.dual_tables) {
                let mut row = Row { axes: &scratch.axes, y, z: 0, tables };
                let values = height.run(nx, &Inputs::default(), &mut row, &mut scratch.duals);
                scratch.scalar_inputs.push(values, |h| h.value, |c| c);
            }
            let mut row = Row { axes: &scratch.axes, y, z: 0, tables: &mut scratch.scalar_tables };
            let columns = 0..program.columns;
            program.run_steps(columns, nx, &scratch.scalar_inputs, &mut row, &mut scratch.scalars);
            for (plane, &kept) in scratch.planes.chunks_exact_mut(nx * ny).zip(&program.kept) {
                plane[y * nx..][..nx].copy_from_slice(&scratch.scalars[kept as usize * nx..][..nx]);
            }
        }
    }

    fn sample_rows(&self, grid: &Grid, scratch: &mut EvalScratch, out: &mut [f32]) {
        let [nx, ny, _] = grid.dims;
        let program = &self.main;
        scratch.scalar_inputs.clear();
        for (number, out) in out.chunks_exact_mut(nx).enumerate() {
            let (y, z) = (number % ny, number / ny);
            for (plane, &kept) in scratch.planes.chunks_exact(nx * ny).zip(&program.kept) {
                scratch.scalars[kept as usize * nx..][..nx].copy_from_slice(&plane[y * nx..][..nx]);
            }
            let mut row = Row { axes: &scratch.axes, y, z, tables: &mut scratch.scalar_tables };
            let rest = program.columns..program.steps.len();
            program.run_steps(rest, nx, &scratch.scalar_inputs, &mut row, &mut scratch.scalars);
            out.copy_from_slice(&scratch.scalars[program.root * nx..][..nx]);
        }
    }

    /// Values at any points, in metres.
    ///
    /// # Panics
    /// If `out` does not have one entry a point.
    pub fn values(&self, points: &[DVec3], scratch: &mut EvalScratch, out: &mut [f32]) {
        assert_eq!(out.len(), points.len(), "one value a point");
        for (points, out) in points.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            scratch.scalar_inputs.clear();
            for height in &self.heights {
                let values =
                    height.run(points.len(), &Inputs::default(), &mut Points(points), &mut scratch.duals);
                scratch.scalar_inputs.push(values, |h| h.value, |c| c);
            }
            let (inputs, regs) = (&scratch.scalar_inputs, &mut scratch.scalars);
            out.copy_from_slice(self.main.run(points.len(), inputs, &mut Points(points), regs));
        }
    }

    /// Values, and their gradients per metre by forward-mode duals. The values have the bits of [`Tape::values`].
    ///
    /// Where two solids tie, the gradient is that of one of them; where all are level, such as in the very centre of a
    /// ball, it is zero. It is finite wherever the value is.
    ///
    /// # Panics
    /// If `values` or `gradients` does not have one entry a point.
    pub fn duals(
        &self,
        points: &[DVec3],
        scratch: &mut EvalScratch,
        values: &mut [f32],
        gradients: &mut [Vec3],
    ) {
        assert_eq!(values.len(), points.len(), "one value a point");
        assert_eq!(gradients.len(), points.len(), "one gradient a point");
        let out = values.chunks_mut(BLOCK).zip(gradients.chunks_mut(BLOCK));
        for (points, (values, gradients)) in points.chunks(BLOCK).zip(out) {
            scratch.dual_inputs.clear();
            for height in &self.heights {
                let heights =
                    height.run(points.len(), &Inputs::default(), &mut Points(points), &mut scratch.heights);
                scratch.dual_inputs.push(heights, |h| h, Dual::constant);
            }
            let (inputs, regs) = (&scratch.dual_inputs, &mut scratch.duals);
            let duals = self.main.run(points.len(), inputs, &mut Points(points), regs);
            for ((value, gradient), dual) in values.iter_mut().zip(gradients).zip(duals) {
                (*value, *gradient) = (dual.value, Vec3::from_array(dual.gradient));
            }
        }
    }

    /// A range that holds every value inside the box.
    ///
    /// It holds what [`Tape::sample`] and [`Tape::values`] compute, rounding included: see [`crate::algebra`].
    #[must_use]
    pub fn bounds(&self, within: Aabb) -> Interval {
        let mut inputs = Inputs::<Enclosure>::default();
        for height in &self.heights {
            let mut regs = Vec::<Dual<Enclosure>>::new();
            let heights = height.run(1, &Inputs::default(), &mut Region(within), &mut regs);
            inputs.push(heights, |h| h.value, |c| c);
        }
        self.main.run(1, &inputs, &mut Region(within), &mut Vec::<Enclosure>::new())[0].0
    }

    /// The number of steps that a full evaluation takes, heights included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heights.iter().map(|program| program.steps.len()).sum::<usize>() + self.main.steps.len()
    }

    /// Whether there is no step; never so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What each leaf of a program needs of a grid.
fn tables<A: Pointwise>(program: &Program, axes: &Axes) -> Vec<Table<A>> {
    program.leaves.iter().map(|leaf| Table::new(leaf, axes)).collect()
}

/// Replaces terms of constants by constants.
fn fold_constants(terms: &mut [Term]) {
    for i in 0..terms.len() {
        let constants: Vec<f32> = terms[i]
            .args
            .iter()
            .filter_map(|&arg| match terms[arg as usize].op {
                Op::Constant(value) => Some(value),
                _ => None,
            })
            .collect();
        let folds = !constants.is_empty() && constants.len() == terms[i].args.len();
        if !folds || matches!(terms[i].op, Op::Correction) {
            continue;
        }
        let mut out = [0.0];
        let second = constants.get(1).unwrap_or(&constants[0]);
        arithmetic(&terms[i].op, [&constants[..1], std::slice::from_ref(second)], &mut out);
        terms[i] = Term { op: Op::Constant(out[0]), args: Vec::new() };
    }
}

/// The axes that each term depends on.
fn dependencies(terms: &[Term]) -> Vec<BVec3> {
    let mut reads: Vec<BVec3> = Vec::with_capacity(terms.len());
    for term in terms {
        let own = if let Op::Leaf(leaf) = &term.op { leaf.reads() } else { BVec3::FALSE };
        reads.push(term.args.iter().fold(own, |all, &arg| all | reads[arg as usize]));
    }
    reads
}

/// Steps in order, each with a register of its own.
#[derive(Clone, Debug)]
struct Program {
    steps: Vec<Step>,
    leaves: Vec<Leaf>,
    /// The first so many steps depend on x and y only.
    columns: usize,
    /// Of those, the ones that later steps read, or that are the result.
    kept: Vec<u32>,
    root: usize,
}

#[derive(Clone, Debug)]
enum Step {
    Leaf(u32),
    /// A height evaluated before, by its slot.
    Height(u32),
    Correction(u32),
    Arithmetic(Op, [u32; 2]),
}

impl Program {
    /// The program for one of the terms. Terms with a slot are read from there.
    fn new(terms: &[Term], reads: &[BVec3], root: usize, slot_of: &[Option<u32>]) -> Self {
        let is_input = |i: usize| slot_of[i].is_some() || matches!(terms[i].op, Op::Correction);
        let mut needed = vec![false; terms.len()];
        needed[root] = true;
        for i in (0..=root).rev().filter(|&i| !is_input(i)) {
            if needed[i] {
                terms[i].args.iter().for_each(|&arg| needed[arg as usize] = true);
            }
        }
        let order = |of_columns: bool| (0..=root).filter(move |&i| reads[i].z != of_columns);
        let mut program =
            Program { steps: Vec::new(), leaves: Vec::new(), columns: 0, kept: Vec::new(), root: 0 };
        let mut register = vec![0; terms.len()];
        for i in order(true).chain(order(false)).filter(|&i| needed[i]) {
            register[i] = program.steps.len() as u32;
            let args = &terms[i].args;
            let arg = |k: usize| args.get(k).or(args.first()).map_or(0, |&arg| register[arg as usize]);
            let step = match (slot_of[i], &terms[i].op) {
                (Some(slot), _) => Step::Height(slot),
                (None, Op::Correction) => Step::Correction(slot_of[args[0] as usize].unwrap_or(0)),
                (None, Op::Leaf(leaf)) => {
                    program.leaves.push(leaf.clone());
                    Step::Leaf(program.leaves.len() as u32 - 1)
                }
                (None, op) => Step::Arithmetic(op.clone(), [arg(0), arg(1)]),
            };
            program.steps.push(step);
            program.columns += usize::from(!reads[i].z);
        }
        program.root = register[root] as usize;
        program.keep();
        program
    }

    fn keep(&mut self) {
        let mut kept = vec![false; self.columns];
        let later = self.steps[self.columns..].iter().filter_map(|step| match step {
            Step::Arithmetic(_, args) => Some(*args),
            _ => None,
        });
        for register in later.flatten().map(|arg| arg as usize).chain([self.root]) {
            if register < self.columns {
                kept[register] = true;
            }
        }
        self.kept = (0..self.columns as u32).filter(|&i| kept[i as usize]).collect();
    }

    /// Evaluates everything and returns the result of each lane.
    fn run<'r, A: Algebra>(
        &self,
        lanes: usize,
        inputs: &Inputs<A>,
        places: &mut impl Places<A>,
        regs: &'r mut Vec<A>,
    ) -> &'r [A] {
        regs.clear();
        regs.resize(self.steps.len() * lanes, A::constant(0.0));
        self.run_steps(0..self.steps.len(), lanes, inputs, places, regs);
        &regs[self.root * lanes..][..lanes]
    }

    fn run_steps<A: Algebra>(
        &self,
        range: std::ops::Range<usize>,
        lanes: usize,
        inputs: &Inputs<A>,
        places: &mut impl Places<A>,
        regs: &mut [A],
    ) {
        for number in range {
            let (before, rest) = regs.split_at_mut(number * lanes);
            let out = &mut rest[..lanes];
            match &self.steps[number] {
                Step::Leaf(index) => places.leaf(*index as usize, &self.leaves[*index as usize], out),
                Step::Height(slot) => out.copy_from_slice(&inputs.heights[*slot as usize * lanes..][..lanes]),
                Step::Correction(slot) => {
                    out.copy_from_slice(&inputs.corrections[*slot as usize * lanes..][..lanes]);
                }
                Step::Arithmetic(op, args) => {
                    let arg =
                        |arg: u32| before.get(arg as usize * lanes..).map_or(&[][..], |lane| &lane[..lanes]);
                    arithmetic(op, if let Op::Constant(_) = op { [&[], &[]] } else { args.map(arg) }, out);
                }
            }
        }
    }
}

/// The meaning of the ops that read other terms, for each lane.
fn arithmetic<A: Algebra>(op: &Op, [a, b]: [&[A]; 2], out: &mut [A]) {
    match *op {
        Op::Constant(value) => out.fill(A::constant(value)),
        Op::Neg => map(a, out, |a| -a),
        Op::Abs => map(a, out, A::abs),
        Op::Add => zip(a, b, out, |a, b| a + b),
        Op::Sub => zip(a, b, out, |a, b| a - b),
        Op::Mul => zip(a, b, out, |a, b| a * b),
        Op::Div => zip(a, b, out, A::divide),
        Op::Min => zip(a, b, out, A::min),
        Op::Max => zip(a, b, out, A::max),
        Op::SmoothMin(radius) => zip(a, b, out, |a, b| a.smooth_min(b, radius)),
        Op::SmoothMax(radius) => zip(a, b, out, |a, b| -(-a).smooth_min(-b, radius)),
        Op::Leaf(_) | Op::Correction => debug_assert!(false, "{op:?} is a step of its own"),
    }
}

#[inline(always)]
fn map<A: Algebra>(a: &[A], out: &mut [A], with: impl Fn(A) -> A) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = with(a);
    }
}

#[inline(always)]
fn zip<A: Algebra>(a: &[A], b: &[A], out: &mut [A], with: impl Fn(A, A) -> A) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = with(a, b);
    }
}
