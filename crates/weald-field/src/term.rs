//! An expression as a list of terms, each of which reads earlier ones.
//!
//! Lowering carries the transforms out: every leaf gets the place that it is read at, as three terms, or as a position
//! in f64 where only translations stand above it. Equal terms are one term (value numbering) and terms of constants are
//! constants, so the list is the same however the expression shared its parts. It is what
//! [`Tape::encode`](crate::Tape::encode) writes and what a tape runs. Nothing here recurses: an expression of a million
//! terms in a row needs no deep stack.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DMat3, DVec3, Vec3};
use weald_space::Axis;

use crate::error::FieldError;
use crate::expr::{Expr, Kind, Node, Transform, Value};
use crate::once::fold;
use crate::op::Op;
pub(crate) use crate::op::{finite, positive, put, require};

/// The most distinct terms that a tape may have.
pub const MAX_TERMS: usize = 1 << 18;

/// How often parts of an expression may be read, each part counted once for each place that transforms read it at: two
/// copies of two copies of a part are read at four. A hundred bytes or so are kept of each.
pub const MAX_READINGS: usize = 1 << 20;

/// An op and the terms that it reads, all of them earlier in the list.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) op: Op,
    args: [u32; 3],
    arity: u8,
}

impl Term {
    pub(crate) fn new(op: Op, args: &[u32]) -> Self {
        let mut all = [0; 3];
        all[..args.len()].copy_from_slice(args);
        Term { op, args: all, arity: args.len() as u8 }
    }

    pub(crate) fn args(&self) -> &[u32] {
        &self.args[..usize::from(self.arity)]
    }

    fn encode(&self, out: &mut Vec<u8>) {
        self.op.encode(out);
        out.push(self.arity);
        for arg in self.args() {
            out.extend_from_slice(&arg.to_le_bytes());
        }
    }
}

/// The distinct terms of an expression in order; the last one is its value.
///
/// # Errors
/// If a parameter is out of its range, there are more than [`MAX_TERMS`] terms, or more than [`MAX_READINGS`] readings.
pub(crate) fn terms(expr: &Expr) -> Result<Vec<Term>, FieldError> {
    let mut lowering = Lowering::default();
    let root = lowering.lower(expr)?;
    Ok(reachable(lowering.terms, root as usize))
}

/// Keeps the terms that the root reads, in their order.
pub(crate) fn reachable(terms: Vec<Term>, root: usize) -> Vec<Term> {
    let mut needed = vec![false; root + 1];
    needed[root] = true;
    for i in (0..=root).rev() {
        if needed[i] {
            terms[i].args().iter().for_each(|&arg| needed[arg as usize] = true);
        }
    }
    let mut number = vec![0; root + 1];
    let mut kept = Vec::new();
    for (i, mut term) in terms.into_iter().take(root + 1).enumerate() {
        if needed[i] {
            number[i] = kept.len() as u32;
            let arity = usize::from(term.arity);
            term.args[..arity].iter_mut().for_each(|arg| *arg = number[*arg as usize]);
            kept.push(term);
        }
    }
    kept
}

/// The bytes of a list of terms.
pub(crate) fn encode(terms: &[Term], out: &mut Vec<u8>) {
    out.extend_from_slice(&crate::OUTPUT_VERSION.to_le_bytes());
    out.extend_from_slice(&(terms.len() as u32).to_le_bytes());
    for term in terms {
        term.encode(out);
    }
}

/// How the place that a part of the expression is read at comes from the place that the whole is read at: this place if
/// `head`, plus the anchor, plus the offset.
#[derive(Clone, Debug)]
struct Frame {
    head: bool,
    anchor: DVec3,
    offset: Option<[u32; 3]>,
}

impl Frame {
    fn key(&self) -> Vec<u8> {
        let mut key = vec![u8::from(self.head), u8::from(self.offset.is_some())];
        put(&mut key, self.anchor.to_array());
        self.offset.unwrap_or_default().iter().for_each(|term| key.extend_from_slice(&term.to_le_bytes()));
        key
    }
}

type Place<'e> = (&'e Expr, u32);

enum Task<'e> {
    /// Lowers an expression in a frame.
    Visit(Place<'e>),
    /// Its arguments are done.
    Finish(Place<'e>, &'e Value),
    /// What its transform reads is done.
    Enter(Place<'e>, &'e Transform),
    /// The one has the value of the other.
    Same(Place<'e>, Place<'e>),
}

#[derive(Default)]
struct Lowering {
    terms: Vec<Term>,
    numbered: HashMap<Vec<u8>, u32>,
    frames: Vec<Frame>,
    framed: HashMap<Vec<u8>, u32>,
    done: HashMap<(*const Node, u32), u32>,
}

impl Lowering {
    fn lower(&mut self, expr: &Expr) -> Result<u32, FieldError> {
        let world = self.frame(Frame { head: true, anchor: DVec3::ZERO, offset: None });
        let mut tasks = vec![Task::Visit((expr, world))];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(place) if self.done.contains_key(&key(place)) => {}
                Task::Visit(_) if self.done.len() >= MAX_READINGS => {
                    return Err(FieldError::TooManyReadings { limit: MAX_READINGS });
                }
                Task::Visit(place @ (expr, frame)) => {
                    let node = expr.node();
                    let (next, skipped) = match &node.kind {
                        Kind::Transform(transform) => (Task::Enter(place, transform), 1),
                        Kind::Value(value) => (Task::Finish(place, value), 0),
                    };
                    tasks.push(next);
                    let first = tasks.len();
                    tasks.extend(node.args().skip(skipped).map(|arg| Task::Visit((arg, frame))));
                    tasks[first..].reverse();
                }
                Task::Finish(place, value) => {
                    let term = self.value(place, value)?;
                    self.done.insert(key(place), term);
                }
                Task::Enter(place, transform) => {
                    let inner = self.enter(place, transform)?;
                    tasks.push(Task::Same(place, inner));
                    tasks.push(Task::Visit(inner));
                }
                Task::Same(place, inner) => {
                    self.done.insert(key(place), self.done[&key(inner)]);
                }
            }
        }
        Ok(self.done[&key((expr, world))])
    }

    fn frame(&mut self, frame: Frame) -> u32 {
        let frames = &mut self.frames;
        *self.framed.entry(frame.key()).or_insert_with(|| {
            frames.push(frame);
            frames.len() as u32 - 1
        })
    }

    fn term(&mut self, op: Op, args: &[u32]) -> Result<u32, FieldError> {
        op.check()?;
        let mut term = Term::new(op, args);
        let constants: Vec<f32> = args
            .iter()
            .filter_map(|&arg| match self.terms[arg as usize].op {
                Op::Constant(value) => Some(value),
                _ => None,
            })
            .collect();
        // Noise with a base reads the place as well, whatever shifts it.
        let reads_more = matches!(term.op, Op::Correction | Op::Noise { base: Some(_), .. });
        if !args.is_empty() && constants.len() == args.len() && !reads_more {
            term = Term::new(Op::Constant(fold(&term.op, &constants)), &[]);
        }
        let mut bytes = Vec::new();
        term.encode(&mut bytes);
        if let Some(&number) = self.numbered.get(&bytes) {
            return Ok(number);
        }
        if self.terms.len() == MAX_TERMS {
            return Err(FieldError::TooManyTerms { limit: MAX_TERMS });
        }
        self.terms.push(term);
        let number = self.terms.len() as u32 - 1;
        self.numbered.insert(bytes, number);
        Ok(number)
    }

    fn constant(&mut self, value: f64) -> Result<u32, FieldError> {
        self.term(Op::Constant(value as f32), &[])
    }

    /// The term of an expression that is no transform, once its arguments are done.
    fn value(&mut self, (expr, frame): Place, value: &Value) -> Result<u32, FieldError> {
        match value {
            Value::Op(op) => {
                let args: Vec<u32> = expr.node().args().map(|arg| self.done[&key((arg, frame))]).collect();
                self.term(op.clone(), &args)
            }
            Value::Coordinate(axis, origin) => self.coordinate(frame, *axis, *origin),
            Value::Placed(origin, op) => {
                finite(op.name(), "position", origin.to_array())?;
                let place = self.place(frame, *origin)?;
                self.term(op.clone(), &place)
            }
            Value::Noise(origin, noise) => {
                let reads_z = noise.reads().z;
                let origin = if reads_z { *origin } else { origin.truncate().extend(0.0) };
                let (base, args) = self.based(frame, origin)?;
                let base = base.map(|base| if reads_z { base } else { base.truncate().extend(0.0) });
                let args = if reads_z || args.is_empty() { args } else { args[..2].to_vec() };
                self.term(Op::Noise { noise: Arc::clone(noise), base }, &args)
            }
            Value::Raster(origin, raster) => {
                let Frame { head, anchor, offset } = self.frames[frame as usize].clone();
                if head && offset.is_none() {
                    let base = Some(*origin - anchor.truncate());
                    return self.term(Op::Raster { raster: raster.clone(), base }, &[]);
                }
                let place = self.place(frame, origin.extend(0.0))?;
                self.term(Op::Raster { raster: raster.clone(), base: None }, &place[..2])
            }
        }
    }

    /// A place relative to an origin, as a position in f64, terms, or the sum of both.
    fn based(&mut self, frame: u32, origin: DVec3) -> Result<(Option<DVec3>, Vec<u32>), FieldError> {
        let Frame { head, anchor, offset } = self.frames[frame as usize].clone();
        match (head, offset) {
            (true, offset) => Ok((Some(origin - anchor), offset.map_or(Vec::new(), |o| o.to_vec()))),
            (false, _) => Ok((None, self.place(frame, origin)?.to_vec())),
        }
    }

    fn place(&mut self, frame: u32, origin: DVec3) -> Result<[u32; 3], FieldError> {
        let mut place = [0; 3];
        for axis in Axis::ALL {
            place[axis.index()] = self.coordinate(frame, axis, origin[axis.index()])?;
        }
        Ok(place)
    }

    fn coordinate(&mut self, frame: u32, axis: Axis, origin: f64) -> Result<u32, FieldError> {
        let Frame { head, anchor, offset } = self.frames[frame as usize].clone();
        let from = origin - anchor[axis.index()];
        let head = match head {
            true => Some(self.term(Op::Coordinate { axis, origin: from, period: 0.0 }, &[])?),
            false => None,
        };
        match (head, offset.map(|offset| offset[axis.index()])) {
            (Some(head), None) => Ok(head),
            (Some(head), Some(offset)) => self.term(Op::Add, &[head, offset]),
            (None, Some(offset)) if from == 0.0 => Ok(offset),
            (None, Some(offset)) => {
                finite("place", "position", [from])?;
                let back = self.constant(-from)?;
                self.term(Op::Add, &[offset, back])
            }
            (None, None) => self.constant(-from),
        }
    }

    /// The frame that the transformed part is read in.
    fn enter<'e>(
        &mut self,
        (expr, frame): Place<'e>,
        transform: &Transform,
    ) -> Result<Place<'e>, FieldError> {
        let mut args = expr.node().args();
        let inner = args.next().unwrap_or(expr);
        let entered = match transform {
            Transform::Translate(by) => {
                finite("translation", "distance", by.to_array())?;
                let outer = self.frames[frame as usize].clone();
                Frame { anchor: outer.anchor - *by, ..outer }
            }
            Transform::Warp => {
                let by: Vec<u32> = args.map(|arg| self.done[&key((arg, frame))]).collect();
                let outer = self.frames[frame as usize].clone();
                let mut offset = [by[0], by[1], by[2]];
                if let Some(before) = outer.offset {
                    for axis in 0..3 {
                        offset[axis] = self.term(Op::Add, &[before[axis], by[axis]])?;
                    }
                }
                Frame { offset: Some(offset), ..outer }
            }
            Transform::Linear { what, about, inverse } => {
                let [op, name, limit] = *what;
                require(op, name, inverse.to_cols_array(), f64::is_finite, limit)?;
                let place = self.place(frame, *about)?;
                Frame { head: false, anchor: *about, offset: Some(self.linear(*inverse, place)?) }
            }
            Transform::Mirror { point, normal } => {
                let place = self.place(frame, *point)?;
                Frame { head: false, anchor: *point, offset: Some(self.mirrored(place, *normal)?) }
            }
            Transform::Repeat { about, period, count } => {
                let mut offset = [0; 3];
                for axis in Axis::ALL {
                    let i = axis.index();
                    let limit = count.map(|count| count[i]);
                    offset[i] = self.repeated(frame, axis, about[i], period[i], limit)?;
                }
                Frame { head: false, anchor: *about, offset: Some(offset) }
            }
            Transform::Twist { about, axis, turns_per_metre } => {
                finite("twist", "rate", [*turns_per_metre])?;
                let place = self.place(frame, *about)?;
                let offset = self.twisted(place, *axis, *turns_per_metre)?;
                Frame { head: false, anchor: *about, offset: Some(offset) }
            }
        };
        Ok((inner, self.frame(entered)))
    }

    /// A matrix times a place.
    fn linear(&mut self, matrix: DMat3, place: [u32; 3]) -> Result<[u32; 3], FieldError> {
        let mut out = [0; 3];
        for (row, out) in out.iter_mut().enumerate() {
            *out = self.weighted(matrix.row(row).as_vec3(), place)?;
        }
        Ok(out)
    }

    /// The sum of the coordinates of a place, each times its weight; zeros are left out.
    fn weighted(&mut self, weights: Vec3, place: [u32; 3]) -> Result<u32, FieldError> {
        let mut sum = None;
        for (weight, coordinate) in weights.to_array().into_iter().zip(place) {
            if weight == 0.0 {
                continue;
            }
            let part = if weight == 1.0 {
                coordinate
            } else {
                let weight = self.term(Op::Constant(weight), &[])?;
                self.term(Op::Mul, &[coordinate, weight])?
            };
            sum = Some(match sum {
                Some(sum) => self.term(Op::Add, &[sum, part])?,
                None => part,
            });
        }
        match sum {
            Some(sum) => Ok(sum),
            None => self.constant(0.0),
        }
    }

    /// Places behind a plane through the origin are moved to their mirror image.
    fn mirrored(&mut self, place: [u32; 3], normal: DVec3) -> Result<[u32; 3], FieldError> {
        let mut out = place;
        if let Some(axis) = (0..3).find(|&axis| normal[axis] == 1.0) {
            out[axis] = self.term(Op::Abs, &[place[axis]])?;
            return Ok(out);
        }
        let height = self.weighted(normal.as_vec3(), place)?;
        let zero = self.constant(0.0)?;
        let behind = self.term(Op::Min, &[height, zero])?;
        for axis in 0..3 {
            let factor = self.constant(-2.0 * normal[axis])?;
            let shift = self.term(Op::Mul, &[behind, factor])?;
            out[axis] = self.term(Op::Add, &[place[axis], shift])?;
        }
        Ok(out)
    }

    fn repeated(
        &mut self,
        frame: u32,
        axis: Axis,
        about: f64,
        period: f64,
        limit: Option<u32>,
    ) -> Result<u32, FieldError> {
        let limit_text = "0 or more and finite";
        require("repeat", "period", [period], |p| p >= 0.0 && p.is_finite(), limit_text)?;
        let Frame { head, anchor, offset } = self.frames[frame as usize].clone();
        if period > 0.0 && head && offset.is_none() && limit.is_none() {
            let origin = about - anchor[axis.index()];
            return self.term(Op::Coordinate { axis, origin, period }, &[]);
        }
        let place = self.coordinate(frame, axis, about)?;
        if period == 0.0 {
            return Ok(place);
        }
        let Some(limit) = limit else {
            return self.term(Op::Wrap(period as f32), &[place]);
        };
        let (rate, half) = (self.constant(1.0 / period)?, self.constant(0.5)?);
        let (least, most) = (self.constant(-f64::from(limit))?, self.constant(limit.into())?);
        let period = self.constant(period)?;
        let cells = self.term(Op::Mul, &[place, rate])?;
        let cells = self.term(Op::Add, &[cells, half])?;
        let cell = self.term(Op::Floor, &[cells])?;
        let cell = self.term(Op::Max, &[cell, least])?;
        let cell = self.term(Op::Min, &[cell, most])?;
        let centre = self.term(Op::Mul, &[cell, period])?;
        self.term(Op::Sub, &[place, centre])
    }

    /// Turns a place about an axis, the further the farther along it.
    fn twisted(&mut self, place: [u32; 3], axis: Axis, rate: f64) -> Result<[u32; 3], FieldError> {
        let [along, a, b] = [0, 1, 2].map(|i| (axis.index() + i) % 3);
        // Read backwards: the place is turned back by what its height has been turned.
        let rate = self.constant(-rate)?;
        let quarter = self.constant(0.25)?;
        let turns = self.term(Op::Mul, &[place[along], rate])?;
        let sine = self.term(Op::Wave, &[turns])?;
        let ahead = self.term(Op::Add, &[turns, quarter])?;
        let cosine = self.term(Op::Wave, &[ahead])?;
        let product = |lowering: &mut Self, i: usize, by: u32| lowering.term(Op::Mul, &[place[i], by]);
        let (a_cosine, a_sine) = (product(self, a, cosine)?, product(self, a, sine)?);
        let (b_cosine, b_sine) = (product(self, b, cosine)?, product(self, b, sine)?);
        let mut out = place;
        out[a] = self.term(Op::Sub, &[a_cosine, b_sine])?;
        out[b] = self.term(Op::Add, &[b_cosine, a_sine])?;
        Ok(out)
    }
}

fn key((expr, frame): Place) -> (*const Node, u32) {
    (std::ptr::from_ref(expr.node()), frame)
}
