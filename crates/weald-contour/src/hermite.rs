//! Hermite data: where the surface crosses the edges of the lattice, and its normal there.
//!
//! The root on each edge is bracketed by the edge's ends and found by the Illinois variant of false position, for all
//! edges of a block at once, so that the field is always evaluated over slices. Places on an edge are multiples of
//! 2⁻¹⁶ of it: they are added to a lattice position without rounding however far out that lies, which makes a chunk's
//! crossings independent of where the chunk is (contract 1).

use glam::{DVec3, I64Vec3, Vec3};
use weald_field::{EvalScratch, Tape};
use weald_space::{Axis, Lattice};

use crate::block::{Block, Signs};

/// Steps along an edge: crossings lie at multiples of one over this.
pub const EDGE_STEPS: i32 = 1 << 16;

/// Rounds of false position. A smooth field needs three or four; one with a crease on the edge, where the Illinois
/// step halves the bracket's larger value, came within 2⁻¹⁴ of the edge in nine. More rounds only cost the few edges
/// that have not converged.
const MAX_ROUNDS: usize = 12;

/// A bracket counts as solved where the field's value is below this part of the difference between the edge's ends.
/// On a field that is near to linear the place is then known to 2⁻¹⁴ of the edge, half a step of a vertex position.
const VALUE_TOLERANCE: f32 = 1.0 / 16384.0;

/// The crossings of a block, numbered axis by axis in the order of [`Signs::edges`].
#[derive(Clone, Debug, Default)]
pub struct Crossings {
    first: [usize; 3],
    /// The place along the edge, from 0 to 1.
    pub t: Vec<f32>,
    /// Unit vectors that point outside.
    pub normals: Vec<Vec3>,
}

/// What the search for roots keeps between blocks.
#[derive(Debug, Default)]
pub struct HermiteScratch {
    brackets: Vec<Bracket>,
    open: Vec<u32>,
    points: Vec<DVec3>,
    values: Vec<f32>,
    field: EvalScratch,
}

#[derive(Clone, Copy, Debug)]
struct Bracket {
    base: DVec3,
    axis: u8,
    low: i32,
    high: i32,
    at_low: f32,
    at_high: f32,
    tolerance: f32,
    best: i32,
    kept_low: bool,
    kept_high: bool,
}

impl Crossings {
    /// The number of the crossing on an edge that is crossed.
    #[must_use]
    pub fn number(&self, signs: &Signs, axis: Axis, place: [usize; 3]) -> usize {
        self.first[axis.index()] + signs.edges[axis.index()].rank(place)
    }

    fn reset(&mut self, signs: &Signs) {
        let counts = signs.edges.each_ref().map(|edges| edges.count());
        self.first = [0, counts[0], counts[0] + counts[1]];
        let total = counts.iter().sum();
        self.t.clear();
        self.t.resize(total, 0.0);
        self.normals.clear();
        self.normals.resize(total, Vec3::ZERO);
    }

    /// Finds the crossings of a field.
    pub fn find(
        &mut self,
        tape: &Tape,
        lattice: Lattice,
        block: &Block,
        signs: &Signs,
        samples: &[f32],
        scratch: &mut HermiteScratch,
    ) {
        self.reset(signs);
        scratch.open_brackets(lattice, block, signs, samples);
        for _ in 0..MAX_ROUNDS {
            if scratch.open.is_empty() {
                break;
            }
            scratch.narrow(tape, lattice);
        }
        scratch.points.clear();
        for (t, bracket) in self.t.iter_mut().zip(&scratch.brackets) {
            *t = bracket.best as f32 / EDGE_STEPS as f32;
            scratch.points.push(bracket.place(bracket.best, lattice));
        }
        scratch.values.resize(scratch.points.len(), 0.0);
        tape.duals(&scratch.points, &mut scratch.field, &mut scratch.values, &mut self.normals);
        for (normal, bracket) in self.normals.iter_mut().zip(&scratch.brackets) {
            *normal = bracket.unit_normal(*normal);
        }
    }

    /// Makes crossings from samples alone: linear along each edge, with normals from central differences.
    ///
    /// For grids that come without a field. Differences over whole cells blunt what is sharp.
    pub fn from_samples(&mut self, block: &Block, signs: &Signs, samples: &[f32]) {
        self.reset(signs);
        let points = block.padded_points();
        let strides = [1, points[0], points[0] * points[1]];
        let gradient = |place: [usize; 3]| {
            let at = place[0] + place[1] * strides[1] + place[2] * strides[2];
            let slope = |axis: usize| {
                let low = if place[axis] > 0 { at - strides[axis] } else { at };
                let high = if place[axis] + 1 < points[axis] { at + strides[axis] } else { at };
                (samples[high] - samples[low]) / ((high - low) / strides[axis]) as f32
            };
            Vec3::new(slope(0), slope(1), slope(2))
        };
        let mut next = 0;
        for axis in Axis::ALL {
            for place in signs.edges[axis.index()].iter() {
                let at = place[0] + place[1] * strides[1] + place[2] * strides[2];
                let (low, high) = (samples[at], samples[at + strides[axis.index()]]);
                let steps = (low / (low - high) * EDGE_STEPS as f32).round() as i32;
                let t = steps.clamp(0, EDGE_STEPS) as f32 / EDGE_STEPS as f32;
                let mut upper = place;
                upper[axis.index()] += 1;
                let slope = gradient(place) * (1.0 - t) + gradient(upper) * t;
                self.t[next] = t;
                self.normals[next] = unit_or_axis(slope, axis, low < 0.0);
                next += 1;
            }
        }
    }
}

impl HermiteScratch {
    fn open_brackets(&mut self, lattice: Lattice, block: &Block, signs: &Signs, samples: &[f32]) {
        let points = block.padded_points();
        let strides = [1, points[0], points[0] * points[1]];
        self.brackets.clear();
        self.open.clear();
        for (axis, edges) in signs.edges.iter().enumerate() {
            for place in edges.iter() {
                let at = place[0] + place[1] * strides[1] + place[2] * strides[2];
                let (at_low, at_high) = (samples[at], samples[at + strides[axis]]);
                let voxel = block.padded_min() + I64Vec3::from_array(place.map(|c| c as i64));
                let tolerance = VALUE_TOLERANCE * (at_high - at_low).abs();
                let mut bracket = Bracket {
                    base: lattice.world_from_voxel(voxel).0,
                    axis: axis as u8,
                    low: 0,
                    high: EDGE_STEPS,
                    at_low,
                    at_high,
                    tolerance,
                    best: if at_low.abs() <= at_high.abs() { 0 } else { EDGE_STEPS },
                    kept_low: false,
                    kept_high: false,
                };
                if at_low.abs() > tolerance && at_high.abs() > tolerance {
                    bracket.best = bracket.guess();
                    self.open.push(self.brackets.len() as u32);
                }
                self.brackets.push(bracket);
            }
        }
    }

    fn narrow(&mut self, tape: &Tape, lattice: Lattice) {
        self.points.clear();
        self.points.extend(self.open.iter().map(|&i| {
            let bracket = &self.brackets[i as usize];
            bracket.place(bracket.best, lattice)
        }));
        self.values.resize(self.points.len(), 0.0);
        tape.values(&self.points, &mut self.field, &mut self.values);
        let mut kept = 0;
        for slot in 0..self.open.len() {
            let number = self.open[slot];
            if self.brackets[number as usize].narrow(self.values[slot]) {
                self.open[kept] = number;
                kept += 1;
            }
        }
        self.open.truncate(kept);
    }
}

impl Bracket {
    fn place(&self, steps: i32, lattice: Lattice) -> DVec3 {
        let mut place = self.base;
        place[self.axis as usize] += f64::from(steps) / f64::from(EDGE_STEPS) * lattice.cell_size();
        place
    }

    fn guess(&self) -> i32 {
        let part = self.at_low / (self.at_low - self.at_high);
        let steps = self.low + ((self.high - self.low) as f32 * part).round() as i32;
        steps.clamp(self.low + 1, self.high - 1)
    }

    /// Takes the value at `best`, and moves `best` to the next place to look at. False where the search is over.
    fn narrow(&mut self, value: f32) -> bool {
        if value.abs() <= self.tolerance || value.is_nan() {
            return false;
        }
        if (value < 0.0) == (self.at_low < 0.0) {
            (self.low, self.at_low) = (self.best, value);
            if self.kept_high {
                self.at_high *= 0.5;
            }
            (self.kept_high, self.kept_low) = (true, false);
        } else {
            (self.high, self.at_high) = (self.best, value);
            if self.kept_low {
                self.at_low *= 0.5;
            }
            (self.kept_low, self.kept_high) = (true, false);
        }
        if self.high - self.low <= 1 {
            return false;
        }
        self.best = self.guess();
        true
    }

    fn unit_normal(&self, gradient: Vec3) -> Vec3 {
        unit_or_axis(gradient, Axis::ALL[self.axis as usize], self.at_low < 0.0)
    }
}

/// A gradient can vanish or be undefined at a crossing (the middle of a solid, a kink); the edge's own direction, from
/// inside to outside, is then as good as any.
fn unit_or_axis(gradient: Vec3, axis: Axis, inside_at_low: bool) -> Vec3 {
    gradient.try_normalize().unwrap_or_else(|| {
        let mut along = Vec3::ZERO;
        along[axis.index()] = if inside_at_low { 1.0 } else { -1.0 };
        along
    })
}
