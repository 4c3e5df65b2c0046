//! Where the points of a slice are: anywhere, or on a lattice.

use std::ops::Range;

use fearless_simd::{Level, Simd};
use glam::DVec3;

use crate::noise::{Noise, NoiseRows};
use crate::once::wrapped;
use crate::slices::{Heads, Split};
use crate::width::in_lanes;

/// Any points, in metres.
pub(crate) struct Points<'a>(pub(crate) &'a [DVec3]);

impl Heads for Points<'_> {
    fn coordinates(&mut self, axis: usize, origin: f64, period: f64, out: &mut [f32]) {
        for (out, point) in out.iter_mut().zip(self.0) {
            *out = wrapped(point[axis] - origin, period) as f32;
        }
    }

    fn split(&mut self, points: Range<usize>, split: &Split, cells: &mut [u32], parts: &mut [f32]) {
        split.each(self.0[points].iter().map(|point| point[split.axis]), cells, parts);
    }

    fn noise_by_rows(&mut self, _level: Level, _noise: &Noise, _base: DVec3, _out: &mut [f32]) -> bool {
        false
    }
}

/// The coordinates of a grid's points along each axis, in metres.
#[derive(Debug, Default)]
pub(crate) struct Axes(pub(crate) [Vec<f64>; 3]);

/// Some rows of a level of a grid, x fastest.
pub(crate) struct Band<'a> {
    pub(crate) axes: &'a Axes,
    pub(crate) rows: Range<usize>,
    pub(crate) level: usize,
    pub(crate) tables: &'a mut Vec<NoiseTable>,
}

/// What one noise keeps of a grid.
#[derive(Debug)]
pub(crate) struct NoiseTable {
    /// Which noise: its address, as long as the grid is evaluated.
    noise: usize,
    base: DVec3,
    rows: NoiseRows,
}

impl Band<'_> {
    /// The coordinate of a point along an axis.
    #[inline(always)]
    fn at(&self, axis: usize, point: usize) -> f64 {
        let width = self.axes.0[0].len();
        let number = match axis {
            0 => point % width,
            1 => self.rows.start + point / width,
            _ => self.level,
        };
        self.axes.0[axis][number]
    }
}

impl Heads for Band<'_> {
    fn row_len(&self) -> usize {
        self.axes.0[0].len()
    }

    fn coordinates(&mut self, axis: usize, origin: f64, period: f64, out: &mut [f32]) {
        let width = self.axes.0[0].len();
        let of = |place: f64| wrapped(place - origin, period) as f32;
        match axis {
            0 => {
                let (first, rest) = out.split_at_mut(width);
                for (out, &place) in first.iter_mut().zip(&self.axes.0[0]) {
                    *out = of(place);
                }
                rest.chunks_exact_mut(width).for_each(|row| row.copy_from_slice(first));
            }
            1 => {
                for (row, &place) in out.chunks_exact_mut(width).zip(&self.axes.0[1][self.rows.clone()]) {
                    row.fill(of(place));
                }
            }
            _ => out.fill(of(self.axes.0[2][self.level])),
        }
    }

    fn split(&mut self, points: Range<usize>, split: &Split, cells: &mut [u32], parts: &mut [f32]) {
        // Piece by piece of a row: along it the places differ, across it they are the same.
        let width = self.axes.0[0].len();
        let mut done = 0;
        while done < points.len() {
            let first = points.start + done;
            let piece = (width - first % width).min(points.len() - done);
            let (cells, parts) = (&mut cells[done..done + piece], &mut parts[done..done + piece]);
            if split.axis == 0 {
                let places = &self.axes.0[0][first % width..][..piece];
                split.each(places.iter().copied(), cells, parts);
            } else {
                let place = self.at(split.axis, first);
                split.each(std::iter::once(place), &mut cells[..1], &mut parts[..1]);
                cells.fill(cells[0]);
                parts.fill(parts[0]);
            }
            done += piece;
        }
    }

    fn noise_by_rows(&mut self, level: Level, noise: &Noise, base: DVec3, out: &mut [f32]) -> bool {
        let address = std::ptr::from_ref(noise) as usize;
        let same = |table: &NoiseTable| table.noise == address && table.base == base;
        let number = self.tables.iter().position(same).unwrap_or_else(|| {
            let local = |axis: usize| -> Vec<f64> {
                self.axes.0[axis].iter().map(|place| place - base[axis]).collect()
            };
            let rows = NoiseRows::new(noise, &local(0), &local(1), &local(2));
            self.tables.push(NoiseTable { noise: address, base, rows });
            self.tables.len() - 1
        });
        let (table, rows, z) = (&mut self.tables[number].rows, self.rows.clone(), self.level);
        in_lanes!(
            level,
            simd => simd.vectorize(
                #[inline(always)]
                || table.fill(simd, noise, rows, z, out)
            ),
            else { return false }
        );
        true
    }
}
