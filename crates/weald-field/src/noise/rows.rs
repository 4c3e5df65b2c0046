//! Noise over the rows of a grid, with the bits that single points give.
//!
//! Places along each axis are split once. Value and gradient noise then keep, for each row of lattice points that the
//! grid meets, what is left after blending along x (see [`super::lattice`]): sheets for two levels of the lattice, and
//! lines for one level of the grid. They are made when a row first needs them. A sample costs one blend, across y.
//! Other noise is evaluated for as many samples of a row at once as there are lanes.

use std::ops::Range;

use super::lattice::{self, Place};
use super::{Basis, Domain, Noise, Octave, Spot};
use crate::algebra::{Algebra, Lanes, Pointwise, Simd, WordLanes, each};

/// What is kept along x is filled up to whole groups of this many samples, the most lanes that a machine has.
const GROUP: usize = 16;

/// What noise needs of a grid.
#[derive(Debug)]
pub(crate) struct NoiseRows {
    samples: usize,
    octaves: Vec<OctaveRows>,
    /// The rows that are being summed up, each filled up to whole lanes.
    sums: Vec<f32>,
}

impl NoiseRows {
    /// For samples at these coordinates relative to the noise's origin.
    pub(crate) fn new(noise: &Noise, xs: &[f64], ys: &[f64], zs: &[f64]) -> Self {
        let octaves = noise.octaves().iter().map(|octave| OctaveRows::new(octave, xs, ys, zs)).collect();
        NoiseRows { samples: xs.len(), octaves, sums: Vec::new() }
    }

    /// The values at level `z` in the rows `ys`, by their numbers: `out[(y - ys.start) * xs.len() + x]`.
    #[inline(always)]
    pub(crate) fn fill<S: Simd>(
        &mut self,
        simd: S,
        noise: &Noise,
        ys: Range<usize>,
        z: usize,
        out: &mut [f32],
    ) {
        if self.samples == 0 {
            return;
        }
        let filled_up = self.samples.next_multiple_of(Lanes::<S>::COUNT);
        self.sums.clear();
        self.sums.resize(ys.len() * filled_up, 0.0);
        for (octave, rows) in noise.octaves().iter().zip(&mut self.octaves) {
            rows.add(simd, octave, ys.clone(), z, filled_up, &mut self.sums);
        }
        for (out, sums) in out.chunks_exact_mut(self.samples).zip(self.sums.chunks_exact(filled_up)) {
            out.copy_from_slice(&sums[..self.samples]);
        }
    }
}

/// Places along an axis.
#[derive(Debug)]
struct Spots {
    cells: Vec<u32>,
    parts: Vec<f32>,
}

impl Spots {
    fn new(octave: &Octave, axis: usize, coordinates: &[f64]) -> Self {
        let (cells, parts) = coordinates.iter().map(|&local| octave.split(axis, local)).unzip();
        Spots { cells, parts }
    }

    /// Repeats the last place up to whole groups.
    fn fill_up(mut self) -> Self {
        if let (Some(&cell), Some(&part)) = (self.cells.last(), self.parts.last()) {
            let count = self.cells.len().next_multiple_of(GROUP);
            self.cells.resize(count, cell);
            self.parts.resize(count, part);
        }
        self
    }

    /// The same spot in each lane.
    #[inline(always)]
    fn splat<S: Simd>(&self, simd: S, number: usize) -> Spot<Lanes<S>> {
        Spot { cell: Lanes::word(simd, self.cells[number]), part: Lanes::constant(simd, self.parts[number]) }
    }

    /// The spots from a number on.
    #[inline(always)]
    fn load<S: Simd>(&self, simd: S, from: usize) -> Spot<Lanes<S>> {
        let lanes = from..from + Lanes::<S>::COUNT;
        Spot {
            cell: WordLanes::load(simd, &self.cells[lanes.clone()]),
            part: Lanes::load(simd, &self.parts[lanes]),
        }
    }

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, from: usize) -> Place<Lanes<S>> {
        Place::new(self.load(simd, from))
    }
}

/// What is kept for each row of lattice points.
#[derive(Debug, Default)]
struct Kept {
    /// The level that it is kept for.
    levels: Vec<Option<u32>>,
    /// Samples of a row, filled up.
    length: usize,
    /// One or more numbers for each sample of a row: all first ones, then all second ones, and so on.
    numbers: Vec<f32>,
}

impl Kept {
    fn new(rows: usize, length: usize, numbers: usize) -> Self {
        Kept { levels: vec![None; rows], length, numbers: vec![0.0; rows * length * numbers] }
    }

    /// Whether what is kept for a row is not for this level; from now on it is.
    fn renew(&mut self, row: usize, level: u32) -> bool {
        self.levels[row].replace(level) != Some(level)
    }

    /// The first numbers of a row, and the second ones, and so on.
    #[inline(always)]
    fn row<const N: usize>(&self, row: usize, samples: usize) -> [&[f32]; N] {
        let length = self.length;
        let row = &self.numbers[row * N * length..][..N * length];
        let mut numbers: [&[f32]; N] = [&[]; N];
        for i in 0..N {
            numbers[i] = &row[i * length..][..samples];
        }
        numbers
    }

    /// Fills a row, group by group of samples.
    #[inline(always)]
    fn fill<S: Simd, const N: usize>(
        &mut self,
        row: usize,
        samples: usize,
        of_group: impl Fn(usize) -> [Lanes<S>; N],
    ) {
        let length = self.length;
        let row = &mut self.numbers[row * N * length..][..N * length];
        for from in (0..samples).step_by(Lanes::<S>::COUNT) {
            let numbers = of_group(from);
            for i in 0..N {
                numbers[i].store(&mut row[i * length + from..][..Lanes::<S>::COUNT]);
            }
        }
    }
}

#[inline(always)]
fn load<S: Simd, const N: usize>(simd: S, row: [&[f32]; N], from: usize) -> [Lanes<S>; N] {
    each(
        row,
        #[inline(always)]
        |numbers| Lanes::load(simd, &numbers[from..][..Lanes::<S>::COUNT]),
    )
}

/// One layer over a grid.
#[derive(Debug)]
struct OctaveRows {
    x: Spots,
    y: Spots,
    z: Spots,
    /// The rows of lattice points that the grid's lie between, from south to north.
    lattice: Vec<u32>,
    /// For each row of the grid, the number of the lattice's below; the next one is above.
    below: Vec<u32>,
    /// For levels of the lattice with even and with odd numbers.
    sheets: [Kept; 2],
    lines: Kept,
}

impl OctaveRows {
    fn new(octave: &Octave, xs: &[f64], ys: &[f64], zs: &[f64]) -> Self {
        let x = Spots::new(octave, 0, xs).fill_up();
        let y = Spots::new(octave, 1, ys);
        let z = Spots::new(octave, 2, if octave.domain == Domain::Plane { &[] } else { zs });
        let (lattice, below) = rows_around(&y.cells);
        let [sheet, line] = match (octave.basis, octave.domain) {
            (Basis::Value, Domain::Plane) => [0, 1],
            (Basis::Value, Domain::Space) => [1, 1],
            (Basis::Gradient, Domain::Plane) => [0, 2],
            (Basis::Gradient, Domain::Space) => [3, 2],
            (Basis::Simplex | Basis::Worley(_), _) => [0, 0],
        };
        let kept = |numbers: usize| Kept::new(lattice.len(), x.cells.len(), numbers);
        OctaveRows { sheets: [kept(sheet), kept(sheet)], lines: kept(line), x, y, z, lattice, below }
    }

    /// Adds the layer's values in some rows, each of so many samples.
    #[inline(always)]
    fn add<S: Simd>(
        &mut self,
        simd: S,
        octave: &Octave,
        ys: Range<usize>,
        z: usize,
        samples: usize,
        sums: &mut [f32],
    ) {
        for (y, sums) in ys.zip(sums.chunks_exact_mut(samples)) {
            match octave.basis {
                Basis::Value => {
                    self.raise(simd, octave, y, z, samples);
                    self.add_values(simd, octave, y, sums);
                }
                Basis::Gradient => {
                    self.raise(simd, octave, y, z, samples);
                    self.add_slopes(simd, octave, y, sums);
                }
                Basis::Simplex | Basis::Worley(_) => self.add_each(simd, octave, y, z, sums),
            }
        }
    }

    #[inline(always)]
    fn add_values<S: Simd>(&self, simd: S, octave: &Octave, y: usize, sums: &mut [f32]) {
        let below = self.below[y] as usize;
        let near: [_; 1] = self.lines.row(below, sums.len());
        let far: [_; 1] = self.lines.row(below + 1, sums.len());
        let y = Place::new(self.y.splat(simd, y));
        for (group, sums) in sums.chunks_exact_mut(Lanes::<S>::COUNT).enumerate() {
            let from = group * Lanes::<S>::COUNT;
            let layer = lattice::value_across(load(simd, near, from)[0], load(simd, far, from)[0], &y);
            octave.add(Lanes::load(simd, sums), layer).store(sums);
        }
    }

    #[inline(always)]
    fn add_slopes<S: Simd>(&self, simd: S, octave: &Octave, y: usize, sums: &mut [f32]) {
        let below = self.below[y] as usize;
        let (near, far) = (self.lines.row(below, sums.len()), self.lines.row(below + 1, sums.len()));
        let y = Place::new(self.y.splat(simd, y));
        for (group, sums) in sums.chunks_exact_mut(Lanes::<S>::COUNT).enumerate() {
            let from = group * Lanes::<S>::COUNT;
            let layer = lattice::slope_across(load(simd, near, from), load(simd, far, from), &y);
            octave.add(Lanes::load(simd, sums), layer).store(sums);
        }
    }

    #[inline(always)]
    fn add_each<S: Simd>(&self, simd: S, octave: &Octave, y: usize, z: usize, sums: &mut [f32]) {
        let y = self.y.splat(simd, y);
        for (group, sums) in sums.chunks_exact_mut(Lanes::<S>::COUNT).enumerate() {
            let x = self.x.load(simd, group * Lanes::<S>::COUNT);
            let layer = match octave.domain {
                Domain::Plane => octave.scattered_in_plane(simd, [x, y]),
                Domain::Space => octave.scattered_in_space(simd, [x, y, self.z.splat(simd, z)]),
            };
            octave.add(Lanes::load(simd, sums), layer).store(sums);
        }
    }

    /// Makes the lines on both sides of a row of the grid.
    #[inline(always)]
    fn raise<S: Simd>(&mut self, simd: S, octave: &Octave, y: usize, z: usize, samples: usize) {
        let below = self.below[y] as usize;
        for row in below..below + 2 {
            match octave.domain {
                Domain::Plane => self.lay_line(simd, octave, row, samples),
                Domain::Space => self.raise_line(simd, octave, row, z, samples),
            }
        }
    }

    /// Makes the line of a row of lattice points in the plane.
    #[inline(always)]
    fn lay_line<S: Simd>(&mut self, simd: S, octave: &Octave, row: usize, samples: usize) {
        let OctaveRows { x, lattice: rows, lines, .. } = self;
        if !lines.renew(row, 0) {
            return;
        }
        let hash = Lanes::word(simd, octave.row(rows[row], 0));
        if octave.basis == Basis::Value {
            lines.fill(
                row,
                samples,
                #[inline(always)]
                |from| [lattice::value(simd, hash, &x.place(simd, from))],
            );
        } else {
            lines.fill(
                row,
                samples,
                #[inline(always)]
                |from| lattice::flat_line(simd, hash, &x.place(simd, from)),
            );
        }
    }

    /// Makes the line of a row of lattice points in space, for a level of the grid.
    #[inline(always)]
    fn raise_line<S: Simd>(&mut self, simd: S, octave: &Octave, row: usize, z: usize, samples: usize) {
        if !self.lines.renew(row, z as u32) {
            return;
        }
        let cell = self.z.cells[z];
        for level in [cell, cell.wrapping_add(1)] {
            self.lay_sheet(simd, octave, row, level, samples);
        }
        let OctaveRows { z: zs, sheets: [even, odd], lines, .. } = self;
        let (low, high) = if cell & 1 == 0 { (even, odd) } else { (odd, even) };
        let z = Place::new(zs.splat(simd, z));
        if octave.basis == Basis::Value {
            let (low, high): ([_; 1], [_; 1]) = (low.row(row, samples), high.row(row, samples));
            lines.fill(
                row,
                samples,
                #[inline(always)]
                |from| [lattice::value_across(load(simd, low, from)[0], load(simd, high, from)[0], &z)],
            );
        } else {
            let (low, high) = (low.row(row, samples), high.row(row, samples));
            lines.fill(
                row,
                samples,
                #[inline(always)]
                |from| lattice::line(load(simd, low, from), load(simd, high, from), &z),
            );
        }
    }

    /// Makes the sheet of a row of lattice points on a level of the lattice.
    #[inline(always)]
    fn lay_sheet<S: Simd>(&mut self, simd: S, octave: &Octave, row: usize, level: u32, samples: usize) {
        let OctaveRows { x, lattice: rows, sheets, .. } = self;
        let sheets = &mut sheets[(level & 1) as usize];
        if !sheets.renew(row, level) {
            return;
        }
        let hash = Lanes::word(simd, octave.row(rows[row], level));
        if octave.basis == Basis::Value {
            sheets.fill(
                row,
                samples,
                #[inline(always)]
                |from| [lattice::value(simd, hash, &x.place(simd, from))],
            );
        } else {
            sheets.fill(
                row,
                samples,
                #[inline(always)]
                |from| lattice::sheet(simd, hash, &x.place(simd, from)),
            );
        }
    }
}

/// The rows of lattice points on both sides of places in these cells, and for each place the number of that below; that
/// above is the next one.
fn rows_around(cells: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut rows, mut below) = (Vec::new(), Vec::new());
    for &cell in cells {
        let next = cell.wrapping_add(1);
        match rows[..] {
            [.., before, last] if before == cell && last == next => {}
            [.., last] if last == cell => rows.push(next),
            _ => rows.extend([cell, next]),
        }
        below.push(rows.len() as u32 - 2);
    }
    (rows, below)
}
