//! Places on a grid of samples, and Hermite's curve between them.
//!
//! A place along an axis is the number of the sample below and the part of the way to the next. It is found in f64 from
//! a coordinate relative to the grid's origin, or in f32 from a number that the field computed.

use crate::algebra::{Algebra, Pointwise};

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
    /// Samples that were added before the one at the origin.
    before: u32,
    /// Cells between samples, the added ones too: one less than there are samples, and at least one.
    cells: u32,
    /// Samples until the first one comes again; 0 if it does not.
    period: u32,
}

impl RasterAxis {
    /// `samples`, two or more, that lie `step` metres apart.
    pub(crate) fn new(step: f64, samples: usize) -> Self {
        RasterAxis { step, before: 0, cells: samples as u32 - 1, period: 0 }
    }

    /// The same with so many more samples at both ends.
    pub(crate) fn padded(self, by: u32) -> Self {
        RasterAxis { before: self.before + by, cells: self.cells + 2 * by, ..self }
    }

    /// The same again and again: after the last sample comes the first.
    pub(crate) fn repeated(self) -> Self {
        RasterAxis { period: self.cells + 1, ..self }
    }

    /// Samples, the added ones too.
    pub(crate) fn samples(self) -> usize {
        self.cells as usize + 1
    }

    /// The slope of a part: cells per metre.
    #[inline(always)]
    pub(crate) fn slope(self) -> f32 {
        (1.0 / self.step) as f32
    }

    /// The cell that holds a coordinate relative to the origin, or is nearest to it, and the part.
    #[inline(always)]
    pub(crate) fn split(self, local: f64) -> (u32, f32) {
        let mut place = local / self.step;
        if self.period > 0 {
            let period = f64::from(self.period);
            place -= (place / period).floor() * period;
        }
        if self.before > 0 {
            place += f64::from(self.before);
        }
        let cell = (place.max(0.0) as u32).min(self.cells - 1);
        (cell, (place.clamp(-1.0, f64::from(self.cells) + 1.0) - f64::from(cell)) as f32)
    }

    /// The spot of a coordinate that was computed in f32.
    #[inline(always)]
    pub(crate) fn spot<A: Pointwise>(self, at: A) -> RasterSpot<A> {
        let mut place = at * self.slope();
        if self.period > 0 {
            let period = self.period as f32;
            place = place - (place * (1.0 / period)).floor() * period;
        }
        if self.before > 0 {
            place = place + self.before as f32;
        }
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

    /// The cells that [`RasterAxis::split`] and [`RasterAxis::spot`] find between two coordinates: one run of them, and
    /// another if they go over the end of a period.
    ///
    /// Places in f32 are off by up to three roundings, which the slack covers.
    pub(crate) fn cells_between(self, lo: f64, hi: f64) -> (CellRange, Option<CellRange>) {
        let (lo, hi) = (f64::min(lo, hi) / self.step, f64::max(lo, hi) / self.step);
        let slack = 1e-6 + 4e-7 * f64::max(lo.abs(), hi.abs());
        let (lo, hi) = ((lo - slack).floor(), (hi + slack).floor());
        let last = self.cells as usize - 1;
        let before = f64::from(self.before);
        if self.period == 0 {
            let cell = |place: f64| ((place + before).max(0.0) as usize).min(last);
            return ((cell(lo), cell(hi)), None);
        }
        let period = f64::from(self.period);
        if hi - lo >= period || (hi - lo).is_nan() {
            return ((0, last), None);
        }
        let first = lo - (lo / period).floor() * period;
        // The cells beside those of the period are read where its ends are rounded across.
        let cell = |place: f64| ((place + before) as usize).min(last);
        if first + (hi - lo) < period {
            return ((cell(first), cell(first + (hi - lo))), None);
        }
        ((cell(first), cell(period)), Some((cell(0.0), cell(first + (hi - lo) - period))))
    }
}

/// The numbers of a first and a last cell.
pub(crate) type CellRange = (usize, usize);

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
    use proptest::prelude::*;

    #[test]
    fn no_number_leads_beyond_the_last_cell() {
        for cells in [1, 2, 7, (1 << 24) + 2, (1 << 25) - 1, (1 << 29) - 1] {
            let plain = RasterAxis::new(0.5, cells + 1);
            for axis in [plain, plain.padded(2), plain.repeated(), plain.repeated().padded(2)] {
                for at in [f32::NEG_INFINITY, -1e9, -1.0, 0.0, 1.0, 1e9, f32::INFINITY, f32::NAN] {
                    assert!((axis.spot(at).cell as usize) < axis.samples() - 1, "{at} on {axis:?}");
                    let (cell, part) = axis.split(at.into());
                    assert!(
                        (cell as usize) < axis.samples() - 1 && (part.is_nan() || part.abs() <= 2.0),
                        "{at} on {axis:?}"
                    );
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_cells_of_places_are_among_those_between(
            at in -3000.0..3000.0_f32, size in 0.0..60.0_f32, part in 0.0..1.0_f32, step in 0.1..5.0_f64,
            samples in 2_usize..20, kind in 0..4,
        ) {
            let plain = RasterAxis::new(step, samples);
            let axis = match kind {
                0 => plain,
                1 => plain.padded(2),
                _ => plain.repeated().padded(2),
            };
            let (first, second) = axis.cells_between(at.into(), (at + size).into());
            let place = (at + size * part).min(at + size);
            for cell in [axis.spot(place).cell as usize, axis.split(place.into()).0 as usize] {
                let holds = |range: CellRange| (range.0..=range.1).contains(&cell);
                prop_assert!(holds(first) || second.is_some_and(holds), "{} not in {:?}, {:?}", cell, first, second);
            }
        }

        #[test]
        fn places_are_found_again_a_period_on(at in 0.0..40.0_f64, turns in -3..3_i32) {
            let axis = RasterAxis::new(2.0, 5).repeated().padded(2);
            let (cell, part) = axis.split(at + f64::from(turns) * 10.0);
            let place = f64::from(cell) - 2.0 + f64::from(part);
            let away = (place * 2.0 - at) / 10.0;
            prop_assert!((away - away.round()).abs() < 1e-6);
        }
    }
}
