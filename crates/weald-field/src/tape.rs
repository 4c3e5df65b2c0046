//! From an expression to values.
//!
//! A [`Tape`] holds the terms of an expression, each once, constants folded, in an order in which each reads earlier
//! ones, and programs that run them. What depends on x and y only is evaluated once a column of a grid. The heights of
//! height surfaces, whose gradients are needed, are programs of their own, evaluated as duals once a column.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{BVec3, DVec3, Vec3};
use weald_space::{Aabb, Interval, Lattice, VoxelPos};

use crate::algebra::{Dual, Lanes};
use crate::error::FieldError;
use crate::expr::Expr;
use crate::heads::{Axes, Band, NoiseTable, Points};
use crate::op::Op;
use crate::program::{self, Bank, Place, Program};
use crate::prune::{RegionScratch, correction};
use crate::slices::{Heads, Stored, WIDEST};
use crate::term::{self, Term};
pub use crate::term::{MAX_READINGS, MAX_TERMS};
use crate::width::{Width, in_lanes, in_wide_lanes};

/// Points of a grid that are evaluated together. Enough to pay for the dispatch of an op, few enough that the registers
/// of a common program stay in the second cache: at 512, a register is 2 KiB.
const BAND: usize = 512;

/// Points elsewhere that are evaluated together.
pub(crate) const BLOCK: usize = 256;

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

    /// The coordinates of the points along each axis, in metres.
    pub(crate) fn places(&self) -> [Vec<f64>; 3] {
        let mut axes = Axes::default();
        self.axes(&mut axes);
        axes.0
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
    width: Width,
    axes: Axes,
    bank: Bank,
    height_bank: Bank,
    /// The planes of each band.
    planes: Vec<Vec<Vec<f32>>>,
    tables: Vec<NoiseTable>,
    height_tables: Vec<NoiseTable>,
}

impl EvalScratch {
    /// Scratch for evaluation at a width other than the machine's widest.
    #[must_use]
    pub fn with_width(width: Width) -> Self {
        EvalScratch { width, ..EvalScratch::default() }
    }
}

/// A compiled expression; a clone shares it.
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
pub struct Tape(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    terms: Vec<Term>,
    /// Terms that a height is made of.
    in_height: Vec<bool>,
    /// The programs of the heights. The planes of height number n are 2n and, for its correction, 2n + 1.
    heights: Vec<Program>,
    main: Program,
}

impl Tape {
    /// Compiles an expression.
    ///
    /// # Errors
    /// If a parameter is out of its range, a height depends on z, or there are more than [`MAX_TERMS`] terms.
    pub fn new(expr: &Expr) -> Result<Tape, FieldError> {
        Tape::from_terms(term::terms(expr)?)
    }

    fn from_terms(terms: Vec<Term>) -> Result<Tape, FieldError> {
        let reads = dependencies(&terms);
        let mut input_of: Vec<Option<u32>> = vec![None; terms.len()];
        let mut in_height = vec![false; terms.len()];
        let mut heights = Vec::new();
        for i in 0..terms.len() {
            if !matches!(terms[i].op, Op::Correction) {
                continue;
            }
            let height = terms[i].args()[0] as usize;
            if input_of[height].is_none() {
                check_height(&terms, &reads, height, &mut in_height)?;
                input_of[height] = Some(2 * heights.len() as u32);
                heights.push(Program::new(&terms, &reads, height, &vec![None; terms.len()]));
            }
            input_of[i] = input_of[height].map(|plane| plane + 1);
        }
        let main = Program::new(&terms, &reads, terms.len() - 1, &input_of);
        Ok(Tape(Arc::new(Inner { terms, in_height, heights, main })))
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
        match scratch.width {
            Width::Scalar => self.sample_with::<f32>((), grid, scratch, out),
            Width::Lanes(level) => in_lanes!(
                level,
                simd => self.sample_with::<Lanes<_>>(simd, grid, scratch, out),
                else { self.sample_with::<f32>((), grid, scratch, out) }
            ),
        }
    }

    fn sample_with<A: Stored>(
        &self,
        context: A::Context,
        grid: &Grid,
        scratch: &mut EvalScratch,
        out: &mut [f32],
    ) {
        let main = &self.0.main;
        let [nx, ny, _] = grid.dims;
        let EvalScratch { width, axes, bank, height_bank, planes, tables, height_tables } = scratch;
        let width = *width;
        grid.axes(axes);
        tables.clear();
        height_tables.clear();
        let bands = ny.div_ceil((BAND / nx).max(1));
        let rows = ny.div_ceil(bands);
        let rows_of = |band: usize| (band * rows).min(ny)..((band + 1) * rows).min(ny);
        main.prepare::<A>(bank, rows * nx);
        if planes.len() < bands {
            planes.resize_with(bands, Vec::new);
        }
        for (band, planes) in planes[..bands].iter_mut().enumerate() {
            let rows = rows_of(band);
            let (first, count) = (rows.start * nx, rows.len() * nx);
            make_planes::<A>(main, planes, count);
            let mut heads = Band { axes, rows: rows.clone(), level: 0, tables: height_tables };
            self.fill_height_values(width, count, &mut heads, height_bank, planes);
            let mut heads = Band { axes, rows, level: 0, tables };
            program::run::<A>(main.column_steps(), context, count, &mut heads, bank, planes);
            if main.point_steps().is_empty() {
                out[first..first + count].copy_from_slice(&root(main, bank, planes)[..count]);
            }
        }
        if main.point_steps().is_empty() {
            let (first, others) = out.split_at_mut(nx * ny);
            others.chunks_exact_mut(nx * ny).for_each(|level| level.copy_from_slice(first));
            return;
        }
        for (level, out) in out.chunks_exact_mut(nx * ny).enumerate() {
            for (band, planes) in planes[..bands].iter_mut().enumerate() {
                let rows = rows_of(band);
                let (first, count) = (rows.start * nx, rows.len() * nx);
                let mut heads = Band { axes, rows: rows.clone(), level, tables };
                program::run::<A>(main.point_steps(), context, count, &mut heads, bank, planes);
                out[first..first + count].copy_from_slice(&root(main, bank, planes)[..count]);
            }
        }
    }

    /// Evaluates the heights as duals, and fills their planes with values, and with the corrections.
    fn fill_height_values(
        &self,
        width: Width,
        count: usize,
        heads: &mut dyn Heads,
        bank: &mut Bank,
        planes: &mut [Vec<f32>],
    ) {
        if self.0.heights.is_empty() {
            return;
        }
        match width {
            Width::Scalar => self.fill_heights::<f32>((), count, heads, bank, planes, 1),
            Width::Lanes(level) => in_wide_lanes!(
                level,
                simd => self.fill_heights::<Lanes<_>>(simd, count, heads, bank, planes, 1),
                else { self.fill_heights::<f32>((), count, heads, bank, planes, 1) }
            ),
        }
    }

    /// Evaluates the heights as duals, and fills their planes with the first so many parts of each, and of the
    /// corrections, which have no gradient.
    fn fill_heights<N: Stored>(
        &self,
        context: N::Context,
        count: usize,
        heads: &mut dyn Heads,
        bank: &mut Bank,
        planes: &mut [Vec<f32>],
        parts: usize,
    ) {
        let stride = count.next_multiple_of(WIDEST);
        for (number, program) in self.0.heights.iter().enumerate() {
            program.prepare::<Dual<N>>(bank, count);
            program::run::<Dual<N>>(program.all_steps(), context, count, heads, bank, &mut []);
            let duals = root(program, bank, &[]);
            planes[2 * number][..parts * stride].copy_from_slice(&duals[..parts * stride]);
            let corrections = &mut planes[2 * number + 1][..parts * stride];
            corrections[stride..].fill(0.0);
            N::run(
                context,
                #[inline(always)]
                || {
                    for at in (0..count).step_by(N::LANES) {
                        let dual = Dual::<N>::load(context, duals, stride, at);
                        correction(dual).store(corrections, stride, at);
                    }
                },
            );
        }
    }

    /// Values at any points, in metres.
    ///
    /// # Panics
    /// If `out` does not have one entry a point.
    pub fn values(&self, points: &[DVec3], scratch: &mut EvalScratch, out: &mut [f32]) {
        assert_eq!(out.len(), points.len(), "one value a point");
        match scratch.width {
            Width::Scalar => self.values_with::<f32>((), points, scratch, out),
            Width::Lanes(level) => in_lanes!(
                level,
                simd => self.values_with::<Lanes<_>>(simd, points, scratch, out),
                else { self.values_with::<f32>((), points, scratch, out) }
            ),
        }
    }

    fn values_with<A: Stored>(
        &self,
        context: A::Context,
        points: &[DVec3],
        scratch: &mut EvalScratch,
        out: &mut [f32],
    ) {
        let (main, width) = (&self.0.main, scratch.width);
        let (bank, height_bank, planes) = scratch.banks();
        for (points, out) in points.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let count = points.len();
            main.prepare::<A>(bank, count);
            make_planes::<A>(main, planes, count);
            let mut heads = Points(points);
            self.fill_height_values(width, count, &mut heads, height_bank, planes);
            program::run::<A>(main.all_steps(), context, count, &mut heads, bank, planes);
            out.copy_from_slice(&root(main, bank, planes)[..count]);
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
        match scratch.width {
            Width::Scalar => self.duals_with::<f32>((), points, scratch, values, gradients),
            Width::Lanes(level) => in_wide_lanes!(
                level,
                simd => self.duals_with::<Lanes<_>>(simd, points, scratch, values, gradients),
                else { self.duals_with::<f32>((), points, scratch, values, gradients) }
            ),
        }
    }

    fn duals_with<N: Stored>(
        &self,
        context: N::Context,
        points: &[DVec3],
        scratch: &mut EvalScratch,
        values: &mut [f32],
        gradients: &mut [Vec3],
    ) {
        let main = &self.0.main;
        let (bank, height_bank, planes) = scratch.banks();
        let out = values.chunks_mut(BLOCK).zip(gradients.chunks_mut(BLOCK));
        for (points, (values, gradients)) in points.chunks(BLOCK).zip(out) {
            let count = points.len();
            let stride = count.next_multiple_of(WIDEST);
            main.prepare::<Dual<N>>(bank, count);
            make_planes::<Dual<N>>(main, planes, count);
            let mut heads = Points(points);
            self.fill_heights::<N>(context, count, &mut heads, height_bank, planes, 4);
            program::run::<Dual<N>>(main.all_steps(), context, count, &mut heads, bank, planes);
            let parts: Vec<&[f32]> = root(main, bank, planes).chunks(stride).collect();
            values.copy_from_slice(&parts[0][..count]);
            for (i, gradient) in gradients.iter_mut().enumerate() {
                *gradient = Vec3::new(parts[1][i], parts[2][i], parts[3][i]);
            }
        }
    }

    /// A range that holds every value inside the box.
    ///
    /// It holds what [`Tape::sample`] and [`Tape::values`] compute, rounding included: see [`crate::algebra`].
    #[must_use]
    pub fn bounds(&self, within: Aabb) -> Interval {
        RegionScratch::default().enclose(&self.0.terms, &self.0.in_height, within)
    }

    /// What this tape is over a box: its range, and which terms can matter there.
    #[must_use]
    pub fn trace(&self, within: Aabb) -> Trace<'_> {
        let mut scratch = RegionScratch::default();
        let range = scratch.enclose(&self.0.terms, &self.0.in_height, within);
        Trace { tape: self, range, scratch }
    }

    /// The range over a box, and the tape of what can matter there; none if all of it can: see [`Trace`].
    #[must_use]
    pub fn prune(&self, within: Aabb) -> (Interval, Option<Tape>) {
        let trace = self.trace(within);
        (trace.range, trace.pruned())
    }

    /// Appends bytes that are equal for tapes of equal expressions and different otherwise: what a pruned tape reads is
    /// all that a key needs. Starts with [`OUTPUT_VERSION`](crate::OUTPUT_VERSION).
    pub fn encode(&self, out: &mut Vec<u8>) {
        term::encode(&self.0.terms, out);
    }

    /// The names of the ops, and how many there are of each.
    #[must_use]
    pub fn ops(&self) -> BTreeMap<&'static str, usize> {
        let mut ops = BTreeMap::new();
        for term in &self.0.terms {
            *ops.entry(term.op.name()).or_insert(0) += 1;
        }
        ops
    }

    pub(crate) fn terms(&self) -> &[Term] {
        &self.0.terms
    }

    pub(crate) fn in_height(&self) -> &[bool] {
        &self.0.in_height
    }

    /// The number of steps that a full evaluation takes, heights included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.heights.iter().map(Program::len).sum::<usize>() + self.0.main.len()
    }

    /// Whether there is no step; never so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An interval evaluation of a tape over a box.
#[derive(Debug)]
pub struct Trace<'t> {
    tape: &'t Tape,
    range: Interval,
    scratch: RegionScratch,
}

impl Trace<'_> {
    /// A range that holds every value inside the box: see [`Tape::bounds`].
    #[must_use]
    pub fn range(&self) -> Interval {
        self.range
    }

    /// The tape of what can matter in the box; none if all of it can.
    ///
    /// The pruned tape has the bits of the whole one, gradients included, at every point of the box, and is shorter: it
    /// holds one side only of the minima, maxima and selections that are decided there, and what reaches the box of
    /// [`Segments`](crate::Segments) and [`Cloud`](crate::Cloud). Prune it again for a part of the box.
    #[must_use]
    pub fn pruned(&self) -> Option<Tape> {
        self.scratch.prune(&self.tape.0.terms).and_then(|terms| Tape::from_terms(terms).ok())
    }
}

impl EvalScratch {
    fn banks(&mut self) -> (&mut Bank, &mut Bank, &mut Vec<Vec<f32>>) {
        if self.planes.is_empty() {
            self.planes.push(Vec::new());
        }
        (&mut self.bank, &mut self.height_bank, &mut self.planes[0])
    }
}

/// Makes room for the planes of a program.
fn make_planes<A: Stored>(program: &Program, planes: &mut Vec<Vec<f32>>, count: usize) {
    let size = A::PARTS * count.next_multiple_of(WIDEST);
    if planes.len() < program.planes as usize {
        planes.resize_with(program.planes as usize, Vec::new);
    }
    for plane in &mut planes[..program.planes as usize] {
        if plane.len() < size {
            plane.resize(size, 0.0);
        }
    }
}

/// What a program that was run has made.
fn root<'b>(program: &Program, bank: &'b Bank, planes: &'b [Vec<f32>]) -> &'b [f32] {
    match program.root {
        Place::Register(number) => &bank.registers[number as usize],
        Place::Plane(number) => &planes[number as usize],
    }
}

/// Marks the terms of a height, none of which may depend on z.
fn check_height(
    terms: &[Term],
    reads: &[BVec3],
    height: usize,
    in_height: &mut [bool],
) -> Result<(), FieldError> {
    if reads[height].z {
        return Err(FieldError::HeightDependsOnZ);
    }
    let mut open = vec![height];
    while let Some(term) = open.pop() {
        if matches!(terms[term].op, Op::Correction) {
            return Err(FieldError::HeightInHeight);
        }
        if !in_height[term] {
            in_height[term] = true;
            open.extend(terms[term].args().iter().map(|&arg| arg as usize));
        }
    }
    Ok(())
}

/// The axes that each term depends on.
fn dependencies(terms: &[Term]) -> Vec<BVec3> {
    let mut reads: Vec<BVec3> = Vec::with_capacity(terms.len());
    for term in terms {
        let all = term.args().iter().fold(term.op.reads(), |all, &arg| all | reads[arg as usize]);
        reads.push(all);
    }
    reads
}
