//! Places on a grid of samples, and Hermite's curve between them.
//!
//! A place along an axis is the number of the sample below and the part of the way to the next. It is found in f64 from
//! a coordinate relative to the grid's origin, or in f32 from a number that the field computed.

use crate::algebra::{Algebra, Enclosure, Pointwise};

/// A place along one axis of a raster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RasterSpot<A: Pointwise> {
    /// The number of the sample below.
    pub(crate) cell: A::Word,
    /// The way from there to the next sample, which is 1. Beyond the rim it goes on below 0 or above 1; whoever reads
    /// it clamps it, and with it the slope.
    pub(crate) part: A,
}

/// Samples in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RasterAxis {
    /// Metres between samples.
    step: f64,
    /// Cells between samples: one less than there are samples, and at least one.
    cells: u32,
}

impl RasterAxis {
    /// `samples`, two or more, that lie `step` metres apart.
    pub(crate) fn new(step: f64, samples: usize) -> Self {
        RasterAxis { step, cells: samples as u32 - 1 }
    }

    /// Metres between samples.
    pub(crate) fn step(self) -> f64 {
        self.step
    }

    /// The slope of a part: cells per metre.
    #[inline(always)]
    pub(crate) fn slope(self) -> f32 {
        (1.0 / self.step) as f32
    }

    /// The cell that holds a coordinate relative to the first sample, or is nearest to it, and the part.
    #[inline(always)]
    pub(crate) fn split(self, local: f64) -> (u32, f32) {
        let place = local / self.step;
        let cell = self.cell(place);
        (cell, (place.clamp(-1.0, f64::from(self.cells) + 1.0) - f64::from(cell)) as f32)
    }

    #[inline(always)]
    fn cell(self, place: f64) -> u32 {
        (place.max(0.0) as u32).min(self.cells - 1)
    }

    /// The spot of a coordinate that was computed in f32.
    #[inline(always)]
    pub(crate) fn spot<A: Pointwise>(self, at: A) -> RasterSpot<A> {
        let place = at * self.slope();
        let cell = place.max(at.like(0.0)).floor().min(at.like(self.last_cell()));
        RasterSpot { cell: cell.to_word(), part: place - cell }
    }

    /// The number of the last cell, or the nearest below it that f32 can tell.
    #[inline(always)]
    fn last_cell(self) -> f32 {
        let last = self.cells - 1;
        let rounded = last as f32;
        if rounded as u32 > last { rounded.next_down() } else { rounded }
    }

    /// The first and the last cell that [`RasterAxis::split`] finds between two coordinates.
    pub(crate) fn cells_between(self, lo: f64, hi: f64) -> (usize, usize) {
        let (a, b) = (self.cell(lo / self.step), self.cell(hi / self.step));
        (a.min(b) as usize, a.max(b) as usize)
    }

    /// The first and the last cell that [`RasterAxis::spot`] finds for these numbers.
    pub(crate) fn cells_within(self, at: Enclosure) -> (usize, usize) {
        let cell = |at: f32| self.spot(at).cell as usize;
        (cell(at.lo()), cell(at.hi()))
    }
}

/// Hermite's weights: of the far value, and of the near and the far slope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights<A> {
    far: A,
    near_slope: A,
    far_slope: A,
}

/// A part that ends, with its slope, where its cell does.
#[inline(always)]
pub(crate) fn clamped<A: Algebra>(part: A) -> A {
    part.max(part.like(0.0)).min(part.like(1.0))
}

impl<A: Algebra> Weights<A> {
    #[inline(always)]
    pub(crate) fn new(t: A) -> Self {
        let (squared, rest) = (t * t, -t + 1.0);
        Weights {
            far: squared * (t * -2.0 + 3.0),
            near_slope: t * rest * rest,
            far_slope: squared * (t + -1.0),
        }
    }

    /// The curve between two values with these slopes.
    #[inline(always)]
    pub(crate) fn blend(&self, near: A, far: A, near_slope: A, far_slope: A) -> A {
        self.far * (far - near) + self.near_slope * near_slope + self.far_slope * far_slope + near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_leads_beyond_the_last_cell() {
        for cells in [1, 2, 7, (1 << 24) + 2, (1 << 25) - 1, (1 << 30) - 1] {
            let axis = RasterAxis::new(0.5, cells + 1);
            for at in [f32::NEG_INFINITY, -1.0, 0.0, 1.0, 1e9, f32::INFINITY, f32::NAN] {
                assert!((axis.spot(at).cell as usize) < cells, "{at} among {cells} cells");
                let (cell, part) = axis.split(at.into());
                assert!((cell as usize) < cells && !(part.abs() > 2.0), "{at} among {cells} cells");
            }
        }
    }
}
