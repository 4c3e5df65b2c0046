//! Evaluation along rows of the lattice, where y and z are fixed.
//!
//! What a leaf needs of one axis is tabled once a grid: the lattice cell, the fraction and its weight for noise, the
//! cell and Hermite's weights for heightfields. What it needs of y and z is worked out once a row and lattice column,
//! as a line or a knot (see [`crate::noise`] and [`crate::heightfield`]). A sample then costs a few operations, the
//! same as at a single point and in the same order, so the bits are the same too.

use crate::algebra::Pointwise;
use crate::heightfield::{Heightfield, Knot, PostSpot, Weights};
use crate::noise::{Corner, Line, Noise, Octave, Spot, along};
use crate::places::Places;
use crate::term::{Kind, Leaf};

/// The coordinates of a grid's points along each axis, in metres.
#[derive(Debug, Default)]
pub(crate) struct Axes(pub(crate) [Vec<f64>; 3]);

/// One row of a grid: the y and the z of it, by their numbers.
pub(crate) struct Row<'a, A> {
    pub(crate) axes: &'a Axes,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) tables: &'a mut [Table<A>],
}

/// What one leaf needs of a grid.
#[derive(Debug)]
pub(crate) enum Table<A> {
    Nothing,
    Noise(Vec<OctaveTable<A>>),
    Posts(PostTable<A>),
}

impl<A: Pointwise> Table<A> {
    pub(crate) fn new(leaf: &Leaf, axes: &Axes) -> Self {
        let local = |axis: usize| axes.0[axis].iter().map(move |at| at - leaf.origin[axis]);
        match &leaf.kind {
            Kind::Solid(_) => Table::Nothing,
            Kind::Noise(noise) => {
                let table = |octave: &Octave| OctaveTable::new(octave, local(0), local(1), local(2));
                Table::Noise(noise.octaves().iter().map(table).collect())
            }
            Kind::Heightfield(field) => Table::Posts(PostTable::new(field, local(0), local(1))),
        }
    }
}

impl<A: Pointwise> Places<A> for Row<'_, A> {
    fn leaf(&mut self, index: usize, leaf: &Leaf, out: &mut [A]) {
        match (&leaf.kind, &mut self.tables[index]) {
            (Kind::Noise(noise), Table::Noise(tables)) => noise_row(noise, tables, self.y, self.z, out),
            (Kind::Heightfield(field), Table::Posts(table)) => table.row(field, self.y, out),
            (Kind::Solid(solid), _) => {
                let [xs, ys, zs] = &self.axes.0;
                let y = A::along(1, (ys[self.y] - leaf.origin.y) as f32, 1.0);
                let z = A::along(2, (zs[self.z] - leaf.origin.z) as f32, 1.0);
                solid.lanes(
                    |lane| [A::along(0, (xs[lane] - leaf.origin.x) as f32, 1.0), y, z],
                    out,
                );
            }
            _ => debug_assert!(false, "the tables are those of another program"),
        }
    }
}

/// For each sample of a row, the pair of neighbouring columns that it lies between: number `left` and the next.
#[derive(Debug, Default)]
struct Columns {
    cells: Vec<usize>,
    left: Vec<u32>,
}

impl Columns {
    /// Adds a sample between the columns `cell` and `cell + 1`, of a lattice that counts up to `wrap`.
    fn push(&mut self, cell: usize, wrap: usize) {
        let next = cell.wrapping_add(1) & wrap;
        match self.cells[..] {
            [.., before, last] if before == cell && last == next => {}
            [.., last] if last == cell => self.cells.push(next),
            _ => self.cells.extend([cell, next]),
        }
        self.left.push(self.cells.len() as u32 - 2);
    }
}

/// One layer of noise over a grid.
#[derive(Debug)]
pub(crate) struct OctaveTable<A> {
    columns: Columns,
    x: Vec<(A, A)>,
    y: Vec<Spot<A>>,
    z: Vec<Spot<A>>,
    corners: Vec<[Corner; 4]>,
    corners_of: Option<(u32, u32)>,
    lines: Vec<Line<A>>,
}

impl<A: Pointwise> OctaveTable<A> {
    fn new(
        octave: &Octave,
        xs: impl Iterator<Item = f64>,
        ys: impl Iterator<Item = f64>,
        zs: impl Iterator<Item = f64>,
    ) -> Self {
        let mut columns = Columns::default();
        let mut x = Vec::new();
        for local in xs {
            let spot = octave.spot::<A>(0, local);
            columns.push(spot.cell as usize, u32::MAX as usize);
            x.push((spot.part, spot.weight));
        }
        OctaveTable {
            columns,
            x,
            y: ys.map(|local| octave.spot(1, local)).collect(),
            z: zs.map(|local| octave.height_spot(local)).collect(),
            corners: Vec::new(),
            corners_of: None,
            lines: Vec::new(),
        }
    }

    fn add_row(&mut self, octave: &Octave, y: usize, z: usize, out: &mut [A]) {
        let (y, z) = (&self.y[y], &self.z[z]);
        if self.corners_of != Some((y.cell, z.cell)) {
            self.corners_of = Some((y.cell, z.cell));
            self.corners.clear();
            let columns = self.columns.cells.iter();
            self.corners
                .extend(columns.map(|&x| octave.corners(x as u32, y.cell, z.cell)));
        }
        self.lines.clear();
        self.lines
            .extend(self.corners.iter().map(|corners| octave.line(corners, y, z)));
        for ((out, &left), &(part, weight)) in out.iter_mut().zip(&self.columns.left).zip(&self.x) {
            let (near, far) = (self.lines[left as usize], self.lines[left as usize + 1]);
            *out = *out + along(near, far, part, weight) * octave.amplitude;
        }
    }
}

fn noise_row<A: Pointwise>(noise: &Noise, tables: &mut [OctaveTable<A>], y: usize, z: usize, out: &mut [A]) {
    out.fill(A::constant(0.0));
    for (octave, table) in noise.octaves().iter().zip(tables) {
        table.add_row(octave, y, z, out);
    }
}

/// A heightfield over a grid.
#[derive(Debug)]
pub(crate) struct PostTable<A> {
    columns: Columns,
    x: Vec<Weights<A>>,
    y: Vec<PostSpot<A>>,
    knots: Vec<Knot<A>>,
}

impl<A: Pointwise> PostTable<A> {
    fn new(field: &Heightfield, xs: impl Iterator<Item = f64>, ys: impl Iterator<Item = f64>) -> Self {
        let mut columns = Columns::default();
        let mut x = Vec::new();
        for local in xs {
            let spot = field.spot::<A>(0, local);
            columns.push(spot.cell, usize::MAX);
            x.push(spot.weights);
        }
        PostTable {
            columns,
            x,
            y: ys.map(|local| field.spot(1, local)).collect(),
            knots: Vec::new(),
        }
    }

    fn row(&mut self, field: &Heightfield, y: usize, out: &mut [A]) {
        let y = &self.y[y];
        self.knots.clear();
        self.knots
            .extend(self.columns.cells.iter().map(|&column| field.knot(column, y)));
        for ((out, &left), weights) in out.iter_mut().zip(&self.columns.left).zip(&self.x) {
            *out = weights.blend(self.knots[left as usize], self.knots[left as usize + 1]);
        }
    }
}
