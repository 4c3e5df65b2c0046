//! Lines of equal value, by marching squares over the samples of a cut.

use glam::Vec2;

/// A row-major grid of values, one a pixel.
#[derive(Clone, Copy)]
pub(super) struct Samples<'a> {
    pub(super) values: &'a [f32],
    pub(super) width: usize,
}

/// More lines than this through one pixel would be a blot; none of them is drawn.
const DENSEST: f32 = 1.0;

impl Samples<'_> {
    fn height(&self) -> usize {
        self.values.len() / self.width
    }

    /// Calls `draw` with each piece of the line where the value is zero. Places are in pixels; the first sample lies at
    /// (0.5, 0.5).
    pub(super) fn zero(&self, draw: impl FnMut([Vec2; 2])) {
        self.each(|low, high| (low < 0.0 && high >= 0.0).then_some(0.0), draw);
    }

    /// The same for all multiples of `step` but zero.
    pub(super) fn multiples(&self, step: f32, draw: impl FnMut([Vec2; 2])) {
        let level = |low: f32, high: f32| {
            let (first, last) = ((low / step).floor() + 1.0, (high / step).floor());
            (last >= first && last - first < DENSEST && first != 0.0).then_some(first * step)
        };
        self.each(level, draw);
    }

    /// Walks over all squares of four samples; `level` names the value to follow, if there is one between the least and
    /// the greatest sample of a square.
    fn each(&self, level: impl Fn(f32, f32) -> Option<f32>, mut draw: impl FnMut([Vec2; 2])) {
        for y in 1..self.height() {
            let (above, below) = (&self.values[(y - 1) * self.width..], &self.values[y * self.width..]);
            for x in 1..self.width {
                let corners = [above[x - 1], above[x], below[x], below[x - 1]];
                let low = corners.into_iter().fold(f32::INFINITY, f32::min);
                let high = corners.into_iter().fold(f32::NEG_INFINITY, f32::max);
                if !(low.is_finite() && high.is_finite()) {
                    continue;
                }
                if let Some(level) = level(low, high) {
                    let origin = Vec2::new(x as f32 - 0.5, y as f32 - 0.5);
                    square(corners.map(|v| v - level), origin, &mut draw);
                }
            }
        }
    }
}

/// The pieces in one square, whose corners run around it from the first sample.
fn square(corners: [f32; 4], origin: Vec2, draw: &mut impl FnMut([Vec2; 2])) {
    const AT: [Vec2; 4] = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
    let mut crossings = [Vec2::ZERO; 4];
    let mut count = 0;
    for i in 0..4 {
        let (a, b) = (corners[i], corners[(i + 1) % 4]);
        if (a < 0.0) != (b < 0.0) {
            crossings[count] = origin + AT[i].lerp(AT[(i + 1) % 4], a / (a - b));
            count += 1;
        }
    }
    let [a, b, c, d] = crossings;
    // With four crossings, the middle tells which corners are joined.
    let joined = (corners.iter().sum::<f32>() < 0.0) == (corners[0] < 0.0);
    match count {
        2 => draw([a, b]),
        4 if joined => {
            draw([a, b]);
            draw([c, d]);
        }
        4 => {
            draw([d, a]);
            draw([b, c]);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zero_line_of_a_disk_is_its_circle() {
        let value = |i: usize| {
            let place = Vec2::new((i % 40) as f32 + 0.5, (i / 40) as f32 + 0.5);
            place.distance(Vec2::splat(20.0)) - 12.0
        };
        let values: Vec<f32> = (0..1600).map(value).collect();
        let mut length = 0.0;
        Samples { values: &values, width: 40 }.zero(|[a, b]| {
            assert!((a.distance(Vec2::splat(20.0)) - 12.0).abs() < 0.02);
            length += a.distance(b);
        });
        assert!((length - std::f32::consts::TAU * 12.0).abs() < 0.2, "{length}");
    }

    #[test]
    fn a_saddle_is_cut_into_two_lines_that_do_not_cross() {
        for middle in [-0.5, 0.5] {
            let values = [1.0 + middle, -1.0 + middle, -1.0 + middle, 1.0 + middle];
            let mut pieces = Vec::new();
            Samples { values: &values, width: 2 }.zero(|piece| pieces.push(piece));
            assert_eq!(pieces.len(), 2);
            let [[a, b], [c, d]] = [pieces[0], pieces[1]];
            let side = |p: Vec2| (b - a).perp_dot(p - a);
            assert!(side(c) * side(d) > 0.0, "{pieces:?}");
        }
    }

    #[test]
    fn lines_too_dense_to_see_are_left_out() {
        let values = [0.1, 3.5, 0.1, 3.5];
        let count = |step: f32| {
            let mut count = 0;
            Samples { values: &values, width: 2 }.multiples(step, |_| count += 1);
            count
        };
        assert_eq!((count(1.0), count(3.0)), (0, 1));
    }
}
