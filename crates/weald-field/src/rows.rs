//! Evaluation along rows of the lattice, where y and z are fixed.
//!
//! What a leaf needs of one axis is tabled once a grid: the lattice cell, the fraction and its weight for noise, the
//! cell and Hermite's weights for heightfields. What it needs of z is worked out once a level, of y once a row, for each
//! lattice column (see [`crate::noise`] and [`crate::heightfield`]). A sample then costs a few operations, the
//! same as at a single point and in the same order, so the bits are the same too.

use crate::algebra::Pointwise;
use crate::heightfield::{Heightfield, Knot, PostSpot, Weights};
use crate::noise::{Corner, Line, Noise, Octave, Sheet, Spot, along, line};
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
                solid.lanes(|lane| [A::along(0, (xs[lane] - leaf.origin.x) as f32, 1.0), y, z], out);
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
    x: Columns,
    x_parts: Vec<A>,
    x_weights: Vec<A>,
    y: Columns,
    y_spots: Vec<Spot<A>>,
    z_spots: Vec<Spot<A>>,
    /// The functions at the lattice points below and above the level, x fastest, and the lattice level below.
    corners: [Vec<Corner>; 2],
    corners_of: Option<u32>,
    /// The level that the sheets are for.
    level: Option<usize>,
    sheets: Sheets<A>,
    line_x: Vec<A>,
    line_rest: Vec<A>,
}

/// The parts of sheets, apart, so that the arithmetic on them vectorizes.
#[derive(Debug)]
struct Sheets<A> {
    x: Vec<A>,
    y: Vec<A>,
    rest: Vec<A>,
}

impl<A: Pointwise> Sheets<A> {
    fn row(&self, first: usize, count: usize) -> impl Fn(usize) -> Sheet<A> {
        let [x, y, rest] = [&self.x, &self.y, &self.rest].map(|part| &part[first..][..count]);
        move |i| Sheet { x: x[i], y: y[i], rest: rest[i] }
    }
}

/// Samples blended together along x. What is tabled along x is filled up to whole groups with the last sample.
const GROUP: usize = 8;

impl<A: Pointwise> OctaveTable<A> {
    fn new(
        octave: &Octave,
        xs: impl Iterator<Item = f64>,
        ys: impl Iterator<Item = f64>,
        zs: impl Iterator<Item = f64>,
    ) -> Self {
        let mut x_spots: Vec<Spot<A>> = xs.map(|local| octave.spot(0, local)).collect();
        if let Some(&last) = x_spots.last() {
            x_spots.resize(x_spots.len().next_multiple_of(GROUP), last);
        }
        let y_spots: Vec<Spot<A>> = ys.map(|local| octave.spot(1, local)).collect();
        let columns = |spots: &[Spot<A>]| {
            let mut columns = Columns::default();
            spots.iter().for_each(|spot| columns.push(spot.cell as usize, u32::MAX as usize));
            columns
        };
        let x = columns(&x_spots);
        let count = x.cells.len();
        OctaveTable {
            y: columns(&y_spots),
            x_parts: x_spots.iter().map(|spot| spot.part).collect(),
            x_weights: x_spots.iter().map(|spot| spot.weight).collect(),
            x,
            y_spots,
            z_spots: zs.map(|local| octave.height_spot(local)).collect(),
            corners: [Vec::new(), Vec::new()],
            corners_of: None,
            level: None,
            sheets: Sheets { x: Vec::new(), y: Vec::new(), rest: Vec::new() },
            line_x: vec![A::constant(0.0); count],
            line_rest: vec![A::constant(0.0); count],
        }
    }

    fn add_row(&mut self, octave: &Octave, y: usize, z: usize, out: &mut [A]) {
        if self.level != Some(z) {
            self.raise(octave, z);
        }
        let count = self.x.cells.len();
        let near = self.y.left[y] as usize * count;
        let (near, far) = (self.sheets.row(near, count), self.sheets.row(near + count, count));
        let y = &self.y_spots[y];
        for (i, (x, rest)) in self.line_x.iter_mut().zip(&mut self.line_rest).enumerate() {
            let line = line(near(i), far(i), y);
            (*x, *rest) = (line.x, line.rest);
        }
        self.add_samples(octave.amplitude, out);
    }

    /// Blends the sheets of a level.
    fn raise(&mut self, octave: &Octave, z: usize) {
        self.level = Some(z);
        let z = &self.z_spots[z];
        if self.corners_of != Some(z.cell) {
            let climbed = self.corners_of == Some(z.cell.wrapping_sub(1));
            if climbed {
                self.corners.swap(0, 1);
            }
            self.corners_of = Some(z.cell);
            for (corners, above) in self.corners.iter_mut().zip([0, 1]).skip(usize::from(climbed)) {
                corners.clear();
                for &y in &self.y.cells {
                    let row = octave.row(y as u32, z.cell.wrapping_add(above));
                    corners.extend(self.x.cells.iter().map(|&x| octave.corner(row, x as u32)));
                }
            }
        }
        let sheets = &mut self.sheets;
        for part in [&mut sheets.x, &mut sheets.y, &mut sheets.rest] {
            part.clear();
        }
        for (below, above) in self.corners[0].iter().zip(&self.corners[1]) {
            let sheet = octave.sheet(below, above, z);
            sheets.x.push(sheet.x);
            sheets.y.push(sheet.y);
            sheets.rest.push(sheet.rest);
        }
    }

    /// Gathers the lines around a group of samples before it blends them, so that the blending vectorizes.
    fn add_samples(&self, amplitude: f32, out: &mut [A]) {
        let lefts = self.x.left.as_chunks::<GROUP>().0;
        let parts = self.x_parts.as_chunks::<GROUP>().0;
        let weights = self.x_weights.as_chunks::<GROUP>().0;
        for (out, ((left, part), weight)) in out.chunks_mut(GROUP).zip(lefts.iter().zip(parts).zip(weights)) {
            let mut lines = [[A::constant(0.0); GROUP]; 4];
            for i in 0..GROUP {
                let left = left[i] as usize;
                let (x, rest) = (&self.line_x[left..left + 2], &self.line_rest[left..left + 2]);
                (lines[0][i], lines[1][i]) = (x[0], rest[0]);
                (lines[2][i], lines[3][i]) = (x[1], rest[1]);
            }
            let mut sums = [A::constant(0.0); GROUP];
            for i in 0..GROUP {
                let near = Line { x: lines[0][i], rest: lines[1][i] };
                let far = Line { x: lines[2][i], rest: lines[3][i] };
                sums[i] = along(near, far, part[i], weight[i]) * amplitude;
            }
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = *out + sum;
            }
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
        PostTable { columns, x, y: ys.map(|local| field.spot(1, local)).collect(), knots: Vec::new() }
    }

    fn row(&mut self, field: &Heightfield, y: usize, out: &mut [A]) {
        let y = &self.y[y];
        self.knots.clear();
        self.knots.extend(self.columns.cells.iter().map(|&column| field.knot(column, y)));
        for ((out, &left), weights) in out.iter_mut().zip(&self.columns.left).zip(&self.x) {
            *out = weights.blend(self.knots[left as usize], self.knots[left as usize + 1]);
        }
    }
}
