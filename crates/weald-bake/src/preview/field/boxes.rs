//! The boxes in which pruning sees a field, and the field's values in them.
//!
//! The plane of the cut runs through cubes of the lattice. A cube in which the field's bounds exclude zero is decided;
//! any other is cut into eight, of which the four on the plane are looked at, each with the tape that was pruned to the
//! cube around it. That is how a bake finds its chunks and an octree its leaves.

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use weald_field::{EvalScratch, Tape};
use weald_space::{Aabb, Axis};

use super::Plane;

/// What the bounds of a field say about a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Inside,
    Outside,
    Open,
}

/// A box that is not cut any further.
pub(super) struct Leaf {
    /// Its lower left corner in the plane, and its side, in metres.
    pub(super) low: DVec2,
    pub(super) side: f64,
    pub(super) verdict: Verdict,
    tape: Tape,
}

/// The part of a plane that is looked at, and how it is divided into pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) plane: Plane,
    /// Upper left corner in the plane, metres.
    pub(super) corner: DVec2,
    pub(super) metres_per_pixel: f64,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// A rectangle of pixels.
#[derive(Clone, Debug)]
pub(super) struct Pixels {
    pub(super) columns: std::ops::Range<usize>,
    pub(super) rows: std::ops::Range<usize>,
}

impl Window {
    pub(super) fn low(&self) -> DVec2 {
        self.corner - DVec2::Y * (self.height as f64 * self.metres_per_pixel)
    }

    pub(super) fn high(&self) -> DVec2 {
        self.corner + DVec2::X * (self.width as f64 * self.metres_per_pixel)
    }

    /// Pixels from the upper left corner to a place.
    pub(super) fn pixel(&self, place: DVec2) -> DVec2 {
        DVec2::new(place.x - self.corner.x, self.corner.y - place.y) / self.metres_per_pixel
    }

    /// The pixels whose middles lie in a box, each in one box only.
    pub(super) fn pixels(&self, leaf: &Leaf) -> Pixels {
        let (a, b) = (self.pixel(leaf.low), self.pixel(leaf.low + leaf.side));
        let clamped = |v: f64, end: usize| v.clamp(0.0, end as f64) as usize;
        let column = |v: f64| clamped((v - 0.5).ceil(), self.width);
        let row = |v: f64| clamped((v - 0.5).floor() + 1.0, self.height);
        Pixels { columns: column(a.x)..column(b.x), rows: row(b.y)..row(a.y) }
    }

    fn place(&self, column: usize, row: usize) -> DVec3 {
        let right = (column as f64 + 0.5) * self.metres_per_pixel;
        let down = (row as f64 + 0.5) * self.metres_per_pixel;
        self.plane.place(self.corner + DVec2::new(right, -down))
    }
}

/// The boxes of the window, down to a side of `least` metres.
pub(super) fn boxes(tape: &Tape, window: &Window, least: f64) -> Vec<Leaf> {
    let (low, high) = (window.low(), window.high());
    let mut side = least;
    while side * 3.0 < (high - low).max_element() {
        side *= 2.0;
    }
    let first = (low / side).floor();
    let count = ((high / side).ceil() - first).max(DVec2::ONE);
    let roots: Vec<DVec2> = (0..count.y as usize)
        .flat_map(|y| (0..count.x as usize).map(move |x| (first + DVec2::new(x as f64, y as f64)) * side))
        .collect();
    let leaves = |&root: &DVec2| {
        let mut found = Vec::new();
        divide(tape, root, side, window, least, &mut found);
        found
    };
    roots.par_iter().flat_map_iter(leaves).collect()
}

fn divide(tape: &Tape, low: DVec2, side: f64, window: &Window, least: f64, found: &mut Vec<Leaf>) {
    if !(low.cmplt(window.high()).all() && (low + side).cmpgt(window.low()).all()) {
        return;
    }
    let (range, pruned) = tape.prune(cube(window.plane, low, side));
    let tape = pruned.as_ref().unwrap_or(tape);
    let verdict = match (range.hi < 0.0, range.lo >= 0.0) {
        (true, _) => Verdict::Inside,
        (_, true) => Verdict::Outside,
        _ => Verdict::Open,
    };
    if verdict != Verdict::Open || side <= least {
        found.push(Leaf { low, side, verdict, tape: tape.clone() });
        return;
    }
    let half = 0.5 * side;
    for corner in [DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE] {
        divide(tape, low + corner * half, half, window, least, found);
    }
}

/// The cube of the lattice over a square of the plane.
fn cube(plane: Plane, low: DVec2, side: f64) -> Aabb {
    let mut min = plane.place(low);
    min[plane.axis.index()] = (plane.at / side).floor() * side;
    Aabb::new(min, min + side)
}

/// The values of all pixels, row by row from the top, each from the tape of its box.
pub(super) fn values(leaves: &[Leaf], window: &Window) -> Vec<f32> {
    let evaluate = |scratch: &mut EvalScratch, leaf: &Leaf| {
        let Pixels { columns, rows } = window.pixels(leaf);
        let places = |row| columns.clone().map(move |column| window.place(column, row));
        let places: Vec<DVec3> = rows.flat_map(places).collect();
        let mut values = vec![0.0; places.len()];
        leaf.tape.values(&places, scratch, &mut values);
        values
    };
    let of_leaves: Vec<Vec<f32>> = leaves.par_iter().map_init(EvalScratch::default, evaluate).collect();
    let mut all = vec![f32::NAN; window.width * window.height];
    for (leaf, values) in leaves.iter().zip(of_leaves) {
        let Pixels { columns, rows } = window.pixels(leaf);
        if columns.is_empty() {
            continue;
        }
        for (row, values) in rows.zip(values.chunks_exact(columns.len())) {
            let start = row * window.width;
            all[start + columns.start..start + columns.end].copy_from_slice(values);
        }
    }
    all
}

impl Plane {
    /// The axes to the right and upwards.
    #[must_use]
    pub fn axes(self) -> [Axis; 2] {
        match self.axis {
            Axis::X => [Axis::Y, Axis::Z],
            Axis::Y => [Axis::X, Axis::Z],
            Axis::Z => [Axis::X, Axis::Y],
        }
    }

    /// The place in the world, from metres to the right and upwards.
    #[must_use]
    pub fn place(self, in_plane: DVec2) -> DVec3 {
        let mut place = DVec3::splat(self.at);
        for (axis, metres) in self.axes().into_iter().zip(in_plane.to_array()) {
            place[axis.index()] = metres;
        }
        place
    }
}
