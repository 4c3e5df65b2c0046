//! Steps in order, with registers allotted to what they make.
//!
//! Steps that depend on x and y only come first. What later steps read of them is kept in planes; everything else lives
//! in a register from the step that makes it to the last that reads it.

use glam::BVec3;

use crate::op::Op;
use crate::slices::{Heads, Slices, SplitScratch, Stored, WIDEST};
use crate::term::Term;

/// A number for each point of a slice, by where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Register(u32),
    Plane(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    op: Op,
    args: [Place; 3],
    arity: u8,
    out: Place,
}

/// The steps that make one term of a list.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    steps: Vec<Step>,
    /// The first so many steps depend on x and y only.
    pub(crate) columns: usize,
    registers: u32,
    /// Planes: first those that are filled from outside, then those that the column steps fill.
    pub(crate) planes: u32,
    pub(crate) root: Place,
}

/// Registers and planes of a program: a slice each.
#[derive(Debug, Default)]
pub(crate) struct Bank {
    pub(crate) registers: Vec<Vec<f32>>,
    splits: SplitScratch,
}

impl Program {
    /// The program for one of the terms. Terms with an input are read from the plane of that number.
    pub(crate) fn new(terms: &[Term], reads: &[BVec3], root: usize, input_of: &[Option<u32>]) -> Self {
        let inputs = input_of.iter().flatten().max().map_or(0, |&last| last + 1);
        let mut needed = vec![false; root + 1];
        needed[root] = true;
        for i in (0..=root).rev() {
            if needed[i] && input_of[i].is_none() {
                terms[i].args().iter().for_each(|&arg| needed[arg as usize] = true);
            }
        }
        let runs = |i: &usize| needed[*i] && input_of[*i].is_none();
        let columns: Vec<usize> = (0..=root).filter(runs).filter(|&i| !reads[i].z).collect();
        let rest: Vec<usize> = (0..=root).filter(runs).filter(|&i| reads[i].z).collect();

        let mut place: Vec<Option<Place>> = input_of.iter().map(|input| input.map(Place::Plane)).collect();
        let mut planes = inputs;
        if !rest.is_empty() {
            let read_later = rest.iter().flat_map(|&i| terms[i].args()).map(|&arg| arg as usize);
            for i in read_later.filter(|&i| !reads[i].z) {
                if place[i].is_none() {
                    place[i] = Some(Place::Plane(planes));
                    planes += 1;
                }
            }
        }
        let mut program = Program {
            steps: Vec::new(),
            columns: columns.len(),
            registers: 0,
            planes,
            root: Place::Plane(0),
        };
        program.allot(terms, &columns, root, &mut place);
        program.allot(terms, &rest, root, &mut place);
        program.root = place[root].unwrap_or(Place::Plane(0));
        program
    }

    /// Adds the steps of some terms, and gives each that has no place a register until it is read for the last time.
    fn allot(&mut self, terms: &[Term], order: &[usize], root: usize, place: &mut [Option<Place>]) {
        let mut last_read = vec![0; root + 1];
        for (step, &i) in order.iter().enumerate() {
            terms[i].args().iter().for_each(|&arg| last_read[arg as usize] = step);
        }
        last_read[root] = usize::MAX;
        let mut free: Vec<u32> = (0..self.registers).rev().collect();
        for (step, &i) in order.iter().enumerate() {
            let out = place[i].unwrap_or_else(|| {
                Place::Register(free.pop().unwrap_or_else(|| {
                    self.registers += 1;
                    self.registers - 1
                }))
            });
            place[i] = Some(out);
            let mut args = [out; 3];
            for (slot, &arg) in args.iter_mut().zip(terms[i].args()) {
                *slot = place[arg as usize].unwrap_or(out);
            }
            let arity = terms[i].args().len() as u8;
            self.steps.push(Step { op: terms[i].op.clone(), args, arity, out });
            let mut ended: Vec<u32> = terms[i].args().to_vec();
            ended.sort_unstable();
            ended.dedup();
            for arg in ended.into_iter().filter(|&arg| last_read[arg as usize] == step) {
                if let Some(Place::Register(register)) = place[arg as usize] {
                    free.push(register);
                }
            }
        }
    }

    /// The number of steps.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The steps that depend on x and y only.
    pub(crate) fn column_steps(&self) -> &[Step] {
        &self.steps[..self.columns]
    }

    /// The other steps.
    pub(crate) fn point_steps(&self) -> &[Step] {
        &self.steps[self.columns..]
    }

    /// All steps.
    pub(crate) fn all_steps(&self) -> &[Step] {
        &self.steps
    }

    /// Makes room for the registers.
    pub(crate) fn prepare<A: Stored>(&self, bank: &mut Bank, count: usize) {
        let size = A::PARTS * count.next_multiple_of(WIDEST);
        if bank.registers.len() < self.registers as usize {
            bank.registers.resize_with(self.registers as usize, Vec::new);
        }
        for register in &mut bank.registers[..self.registers as usize] {
            if register.len() < size {
                register.resize(size, 0.0);
            }
        }
    }
}

/// Runs steps for some points.
pub(crate) fn run<A: Stored>(
    steps: &[Step],
    context: A::Context,
    count: usize,
    heads: &mut dyn Heads,
    bank: &mut Bank,
    planes: &mut [Vec<f32>],
) {
    let stride = count.next_multiple_of(WIDEST);
    let size = A::PARTS * stride;
    for step in steps {
        let mut out = match step.out {
            Place::Register(number) => std::mem::take(&mut bank.registers[number as usize]),
            Place::Plane(number) => std::mem::take(&mut planes[number as usize]),
        };
        let arity = usize::from(step.arity);
        let mut args: [&[f32]; 3] = [&[]; 3];
        for (slot, arg) in args.iter_mut().zip(&step.args[..arity]) {
            *slot = match *arg {
                Place::Register(number) => &bank.registers[number as usize][..size],
                Place::Plane(number) => &planes[number as usize][..size],
            };
        }
        let mut slices: Slices<A> = Slices {
            context,
            args,
            arity,
            out: &mut out[..size],
            count,
            stride,
            heads: &mut *heads,
            splits: &mut bank.splits,
        };
        step.op.carry_out(&mut slices);
        match step.out {
            Place::Register(number) => bank.registers[number as usize] = out,
            Place::Plane(number) => planes[number as usize] = out,
        }
    }
}
