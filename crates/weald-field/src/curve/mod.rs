//! Curves: functions of one number, drawn through knots.
//!
//! Between two knots the curve is a cubic with given slopes at its ends (Hermite). Where slopes are not given they are
//! those of Fritsch and Carlson (1980, "Monotone piecewise cubic interpolation"), so that the curve rises where the knots
//! rise, falls where they fall, and never leaves the range of two neighbours. At the outermost knots it arrives level,
//! and goes on level; or, if it is extended, it goes on straight with the slope of its outermost piece.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::algebra::{Algebra, Enclosure, each};
use crate::error::FieldError;
use crate::term::{finite, put, require};

const NAME: &str = "curve";

/// A smooth function of one number: a piecewise cubic through knots.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What is before the first knot, between two knots each, and after the last one; in rising order.
    pieces: Arc<[Piece]>,
}

/// A cubic in the distance from a knot.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    /// Where the piece starts, unless it is the first; and where its distance is zero.
    knot: f32,
    /// Of the powers 0 to 3.
    coefficients: [f32; 4],
}

/// A place that a curve passes, with a slope.
#[derive(Clone, Copy)]
struct Knot {
    x: f64,
    y: f64,
    slope: f64,
}

/// The slopes at the ends of a curve.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Level,
    Straight,
}

impl Curve {
    /// The fewest and the most knots.
    pub const KNOTS: [usize; 2] = [2, 64];

    /// The monotone curve through knots (x, y), level beyond the outermost.
    ///
    /// # Errors
    /// If there are fewer than 2 or more than 64 knots, if one is not finite, or if they do not rise in x (in f32).
    pub fn new(knots: &[(f64, f64)]) -> Result<Self, FieldError> {
        let knots = checked(knots.iter().map(|&(x, y)| Knot { x, y, slope: 0.0 }))?;
        Curve::from_knots(&monotone(knots, End::Level), End::Level)
    }

    /// The monotone curve through knots (x, y), straight beyond the outermost, with the slope that it has there.
    ///
    /// # Errors
    /// As [`Curve::new`].
    pub fn extended(knots: &[(f64, f64)]) -> Result<Self, FieldError> {
        let knots = checked(knots.iter().map(|&(x, y)| Knot { x, y, slope: 0.0 }))?;
        Curve::from_knots(&monotone(knots, End::Straight), End::Straight)
    }

    /// The curve through knots (x, y, slope), straight beyond the outermost, with the slope given there: so without kinks.
    ///
    /// # Errors
    /// As [`Curve::new`], or if a slope is not finite.
    pub fn with_slopes(knots: &[(f64, f64, f64)]) -> Result<Self, FieldError> {
        let knots = checked(knots.iter().map(|&(x, y, slope)| Knot { x, y, slope }))?;
        Curve::from_knots(&knots, End::Straight)
    }

    fn from_knots(knots: &[Knot], end: End) -> Result<Self, FieldError> {
        let straight = |knot: &Knot| {
            let slope = if end == End::Straight { knot.slope } else { 0.0 };
            Piece { knot: knot.x as f32, coefficients: [knot.y as f32, slope as f32, 0.0, 0.0] }
        };
        let mut pieces = vec![straight(&knots[0])];
        pieces.extend(knots.windows(2).map(|pair| between(pair[0], pair[1])));
        pieces.push(straight(&knots[knots.len() - 1]));
        for piece in &pieces {
            finite(NAME, "steepness", piece.coefficients.map(f64::from))?;
        }
        Ok(Curve { pieces: pieces.into() })
    }

    /// Appends bytes that are equal for equal curves and different otherwise.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.pieces.len() as u32).to_le_bytes());
        for piece in self.pieces.iter() {
            put(out, [piece.knot.into()]);
            put(out, piece.coefficients.map(f64::from));
        }
    }

    /// The curve at a number.
    #[inline(always)]
    pub(crate) fn apply<A: Algebra>(&self, at: A) -> A {
        let first = &self.pieces[0];
        let mut knot = at.like(first.knot);
        let mut coefficients = each(
            first.coefficients,
            #[inline(always)]
            |c| at.like(c),
        );
        for piece in &self.pieces[1..] {
            let start = at.like(piece.knot);
            knot = A::choose(start, at, start, knot);
            for (chosen, &own) in coefficients.iter_mut().zip(&piece.coefficients) {
                *chosen = A::choose(start, at, at.like(own), *chosen);
            }
        }
        let along = at - knot;
        let [c0, c1, c2, c3] = coefficients;
        ((c3 * along + c2) * along + c1) * along + c0
    }

    /// Every value of the curve over a range.
    ///
    /// In each piece that the range meets, the extremes of the cubic are those at its ends and where its slope is zero.
    /// They are found in f64; the margin is 16 roundings to f32 of the greatest number on the way.
    pub(crate) fn bounds(&self, within: Enclosure) -> Enclosure {
        let mut hull: Option<Enclosure> = None;
        for (i, piece) in self.pieces.iter().enumerate() {
            let start = if i == 0 { f32::NEG_INFINITY } else { piece.knot };
            let end = self.pieces.get(i + 1).map_or(f32::INFINITY, |next| next.knot);
            let (lo, hi) = (f32::max(start, within.lo()), f32::min(end, within.hi()));
            if lo <= hi {
                let over = piece.bounds(f64::from(lo - piece.knot), f64::from(hi - piece.knot));
                hull = Some(hull.map_or(over, |hull| {
                    Enclosure::hull(f32::min(hull.lo(), over.lo()), f32::max(hull.hi(), over.hi()))
                }));
            }
        }
        hull.unwrap_or(Enclosure(weald_space::Interval::ALL))
    }
}

impl Piece {
    /// Every value over a range of distances from the knot.
    fn bounds(&self, lo: f64, hi: f64) -> Enclosure {
        let [c0, c1, c2, c3] = self.coefficients.map(f64::from);
        if [c1, c2, c3] == [0.0; 3] {
            return Enclosure::hull(c0 as f32, c0 as f32);
        }
        let value =
            |t: f64| if c2 == 0.0 && c3 == 0.0 { c1 * t + c0 } else { ((c3 * t + c2) * t + c1) * t + c0 };
        let (mut least, mut greatest) = (f64::min(value(lo), value(hi)), f64::max(value(lo), value(hi)));
        // The roots of the slope, without cancellation (Press et al. 2007, §5.6).
        let root = (c2 * c2 - 3.0 * c3 * c1).sqrt();
        let half = -(c2 + root.copysign(c2));
        for level in [half / (3.0 * c3), c1 / half] {
            if level > lo && level < hi {
                least = f64::min(least, value(level));
                greatest = f64::max(greatest, value(level));
            }
        }
        let far = f64::max(lo.abs(), hi.abs());
        let size = c0.abs() + (c1.abs() + (c2.abs() + c3.abs() * far) * far) * far;
        let margin = if size.is_finite() { 1e-6 * size } else { 0.0 };
        Enclosure::hull((least - margin) as f32, (greatest + margin) as f32)
    }
}

/// The cubic between two knots.
fn between(from: Knot, to: Knot) -> Piece {
    let width = to.x - from.x;
    let secant = (to.y - from.y) / width;
    let square = (3.0 * secant - 2.0 * from.slope - to.slope) / width;
    let cube = (from.slope + to.slope - 2.0 * secant) / (width * width);
    Piece { knot: from.x as f32, coefficients: [from.y, from.slope, square, cube].map(|c| c as f32) }
}

/// The knots, if they are as they must be, where they lie in f32.
fn checked(knots: impl ExactSizeIterator<Item = Knot>) -> Result<Vec<Knot>, FieldError> {
    let [fewest, most] = Curve::KNOTS;
    let count = knots.len();
    let holds = |count: f64| count >= fewest as f64 && count <= most as f64;
    require(NAME, "number of knots", [count as f64], holds, "from 2 to 64")?;
    let knots: Vec<Knot> = knots.collect();
    let wrong = |index, name, value, limit| Err(FieldError::Part { op: NAME, index, name, value, limit });
    for (index, knot) in knots.iter().enumerate() {
        for (name, value) in [("x", knot.x), ("y", knot.y), ("slope", knot.slope)] {
            if !(value as f32).is_finite() {
                return wrong(index, name, value, "finite");
            }
        }
        if index > 0 && knot.x as f32 <= knots[index - 1].x as f32 {
            return wrong(index, "x", knot.x, "more than the x of the part before");
        }
    }
    Ok(knots.into_iter().map(|knot| Knot { x: f64::from(knot.x as f32), ..knot }).collect())
}

/// Gives each knot the slope of Fritsch and Carlson.
///
/// First the mean of the slopes of both sides, zero where these differ in sign; then, in each piece, both slopes are
/// scaled down to the circle of radius 3 around zero, in units of the piece's own, inside which the cubic is monotone.
fn monotone(mut knots: Vec<Knot>, end: End) -> Vec<Knot> {
    let secants: Vec<f64> =
        knots.windows(2).map(|pair| (pair[1].y - pair[0].y) / (pair[1].x - pair[0].x)).collect();
    let last = knots.len() - 1;
    for i in 0..=last {
        knots[i].slope = match (i, end) {
            (0, End::Straight) => secants[0],
            (i, End::Straight) if i == last => secants[last - 1],
            (i, End::Level) if i == 0 || i == last => 0.0,
            _ if secants[i - 1] * secants[i] <= 0.0 => 0.0,
            _ => 0.5 * (secants[i - 1] + secants[i]),
        };
    }
    for (i, &secant) in secants.iter().enumerate() {
        if secant == 0.0 {
            (knots[i].slope, knots[i + 1].slope) = (0.0, 0.0);
            continue;
        }
        let (before, after) = (knots[i].slope / secant, knots[i + 1].slope / secant);
        let square = before * before + after * after;
        if square > 9.0 {
            let scale = 3.0 / square.sqrt();
            knots[i].slope *= scale;
            knots[i + 1].slope *= scale;
        }
    }
    knots
}
