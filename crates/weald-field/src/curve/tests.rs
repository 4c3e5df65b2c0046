use proptest::prelude::*;

use super::*;
use crate::algebra::Dual;
use crate::shape::trial::{self, Swept};
use crate::sweep::Sweep;

impl Swept for Curve {
    fn sweep<A: Algebra>(&self, sweep: &mut impl Sweep<A>) {
        sweep.ternary(|[x, _, _]| self.apply(x));
    }
}

/// From gaps and heights.
fn knots() -> impl Strategy<Value = Vec<(f64, f64)>> {
    (-50.0..50.0, prop::collection::vec((0.01..20.0, -100.0..100.0), 2..=64)).prop_map(|(start, steps)| {
        let mut x = start;
        let place = |&(gap, y): &(f64, f64)| {
            x += gap;
            (x, y)
        };
        steps.iter().map(place).collect()
    })
}

fn given() -> impl Strategy<Value = Curve> {
    (knots(), prop::collection::vec(-5.0..5.0, 64)).prop_map(|(knots, slopes)| {
        let knots: Vec<_> = knots.into_iter().zip(slopes).map(|((x, y), slope)| (x, y, slope)).collect();
        Curve::with_slopes(&knots).unwrap()
    })
}

fn curves() -> impl Strategy<Value = Curve> {
    prop_oneof![
        knots().prop_map(|knots| Curve::new(&knots).unwrap()),
        knots().prop_map(|knots| Curve::extended(&knots).unwrap()),
        given(),
    ]
}

/// A place within or beyond the knots.
fn along(curve: &Curve, part: f32) -> f32 {
    let (first, last) = (curve.pieces[0].knot, curve.pieces[curve.pieces.len() - 1].knot);
    first + (last - first) * part
}

fn slope(curve: &Curve, at: f32) -> f32 {
    curve.apply(Dual::new(at, [1.0, 0.0, 0.0])).gradient[0]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_curve_passes_its_knots_and_stays_between_neighbours(knots in knots(), parts in prop::collection::vec(0.0_f64..1.0, 40)) {
        for curve in [Curve::new(&knots).unwrap(), Curve::extended(&knots).unwrap()] {
            for &(x, y) in &knots {
                prop_assert!((curve.apply(x as f32) - y as f32).abs() < 1e-3, "{} at {}", y, x);
            }
            for (pair, part) in knots.windows(2).zip(parts.iter().cycle()) {
                let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
                let value = f64::from(curve.apply((x0 + (x1 - x0) * part) as f32));
                prop_assert!(value >= y0.min(y1) - 1e-3 && value <= y0.max(y1) + 1e-3, "{} between {} and {}", value, y0, y1);
            }
        }
    }

    #[test]
    fn a_curve_through_rising_knots_rises(
        gaps in prop::collection::vec((0.1..5.0, 0.0..5.0), 2..=20),
        parts in prop::collection::vec(-0.1_f32..1.1, 100),
    ) {
        let (mut x, mut y) = (0.0, 0.0);
        let rise = |&(gap, step): &(f64, f64)| {
            (x, y) = (x + gap, y + step);
            (x, y)
        };
        let curve = Curve::new(&gaps.iter().map(rise).collect::<Vec<_>>()).unwrap();
        for part in parts {
            prop_assert!(slope(&curve, along(&curve, part)) >= -1e-4);
        }
    }

    #[test]
    fn neither_a_curve_nor_its_slope_jumps(curve in curves()) {
        for pair in curve.pieces.windows(2) {
            let [c0, c1, c2, c3] = pair[0].coefficients.map(f64::from);
            let width = f64::from(pair[1].knot) - f64::from(pair[0].knot);
            let [value, slope, ..] = pair[1].coefficients.map(f64::from);
            let terms = [c0, c1 * width, c2 * width * width, c3 * width * width * width];
            let size = terms.into_iter().map(f64::abs).sum::<f64>() + value.abs();
            prop_assert!((terms.into_iter().sum::<f64>() - value).abs() <= 1e-6 * size, "{} at {:?}", value, pair);
            let terms = [c1, 2.0 * c2 * width, 3.0 * c3 * width * width];
            let size = terms.into_iter().map(f64::abs).sum::<f64>() + slope.abs();
            prop_assert!((terms.into_iter().sum::<f64>() - slope).abs() <= 1e-6 * size, "{} at {:?}", slope, pair);
        }
    }

    #[test]
    fn slopes_are_differences(curve in curves(), part in -0.2_f32..1.2) {
        let at = [along(&curve, part), 0.0, 0.0];
        let (differences, kink) = trial::differences(&curve, at, 1e-6);
        let own = f64::from(trial::dual(&curve, at).gradient[0]);
        prop_assert!((own - differences[0]).abs() < 1e-4 * (1.0 + own.abs()) + kink, "{} is not {}", own, differences[0]);
    }

    #[test]
    fn bounds_hold_every_value_and_little_else(curve in curves(), ends in [-0.2_f32..1.2, -0.2_f32..1.2]) {
        let within = Enclosure::hull(along(&curve, ends[0]), along(&curve, ends[1]));
        let bounds = curve.bounds(within);
        let (mut least, mut greatest) = (f32::INFINITY, f32::NEG_INFINITY);
        let inner = curve.pieces.iter().map(|p| p.knot).filter(|&knot| within.0.contains(knot));
        let even = (0..=2000).map(|i| within.lo() + (within.hi() - within.lo()) * (i as f32 / 2000.0));
        for at in inner.chain(even.map(|at| at.clamp(within.lo(), within.hi()))) {
            let value = curve.apply(at);
            prop_assert!(bounds.0.contains(value), "{} is not in {:?}", value, bounds);
            (least, greatest) = (least.min(value), greatest.max(value));
        }
        let slack = 0.02 * (greatest - least) + 1e-3 * (1.0 + bounds.magnitude());
        prop_assert!(bounds.lo() > least - slack && bounds.hi() < greatest + slack, "{:?} for {} to {}", bounds, least, greatest);
    }

    #[test]
    fn lanes_have_the_bits_of_the_scalar(curve in curves(), parts in prop::collection::vec(-0.2_f32..1.2, 1..40)) {
        let places: Vec<_> = parts.into_iter().map(|part| [along(&curve, part), 0.0, 0.0]).collect();
        trial::assert_lanes_have_its_bits(&curve, &places);
    }
}

#[test]
fn a_curve_is_level_beyond_its_knots_and_an_extended_one_straight() {
    let knots = [(0.0, 1.0), (1.0, 3.0), (2.0, 4.0)];
    let level = Curve::new(&knots).unwrap();
    assert_eq!([-7.0, 0.0, 1.0, 2.0, 9.0].map(|x| level.apply(x)), [1.0, 1.0, 3.0, 4.0, 4.0]);
    assert_eq!([slope(&level, -1.0), slope(&level, 3.0)], [0.0, 0.0]);
    let straight = Curve::extended(&knots).unwrap();
    assert_eq!([-1.0, 0.0, 1.0, 2.0, 4.0].map(|x| straight.apply(x)), [-1.0, 1.0, 3.0, 4.0, 6.0]);
    let everything = Enclosure(weald_space::Interval::ALL);
    assert_eq!(straight.bounds(everything), everything);
    let bounds = level.bounds(everything);
    assert!(bounds.lo() > 0.999 && bounds.hi() < 4.001, "{bounds:?}");
}

#[test]
fn two_knots_make_a_smooth_step_or_a_line() {
    let knots = [(0.0, 0.0), (2.0, 1.0)];
    let places = [0.0, 0.5, 1.0, 1.5, 2.0];
    let step = Curve::new(&knots).unwrap();
    assert_eq!(places.map(|x| step.apply(x)), [0.0, 0.15625, 0.5, 0.84375, 1.0]);
    let line = Curve::extended(&knots).unwrap();
    assert_eq!(places.map(|x| line.apply(x)), places.map(|x| 0.5 * x));
}

#[test]
fn slopes_given_by_hand_are_kept() {
    let curve = Curve::with_slopes(&[(0.0, 0.0, 2.0), (1.0, 0.0, -2.0)]).unwrap();
    assert_eq!([0.0, 0.5, 1.0, 2.0].map(|x| curve.apply(x)), [0.0, 0.5, 0.0, -2.0]);
    assert_eq!([slope(&curve, 0.0), slope(&curve, 0.5), slope(&curve, 1.0)], [2.0, 0.0, -2.0]);
}

#[test]
fn knots_that_make_no_curve_are_named() {
    let many: Vec<(f64, f64)> = (0..65).map(|i| (f64::from(i), 0.0)).collect();
    let wrong = [
        (&[(0.0, 0.0)][..], "number of knots of curve is 1, but must be from 2 to 64"),
        (&many, "number of knots of curve is 65, but must be from 2 to 64"),
        (&[(0.0, 0.0), (f64::NAN, 1.0)], "x of part 1 of curve is NaN, but must be finite"),
        (&[(0.0, f64::NEG_INFINITY), (1.0, 0.0)], "y of part 0 of curve is -inf, but must be finite"),
        (
            &[(0.0, 0.0), (1.0, 1.0), (1.0, 2.0)],
            "x of part 2 of curve is 1, but must be more than the x of the part before",
        ),
        (
            &[(1e7, 0.0), (1e7 + 0.25, 1.0)],
            "x of part 1 of curve is 10000000.25, but must be more than the x of the part before",
        ),
        (&[(0.0, 0.0), (1e-30, 1.0)], "steepness of curve is inf, but must be finite"),
    ];
    for (knots, message) in wrong {
        assert_eq!(Curve::new(knots).map_err(|error| error.to_string()), Err(message.to_owned()));
    }
}

#[test]
fn different_curves_have_different_bytes() {
    let bytes = |curve: Curve| {
        let mut out = Vec::new();
        curve.encode(&mut out);
        out
    };
    let knots = [(0.0, 1.0), (1.0, 3.0)];
    let level = bytes(Curve::new(&knots).unwrap());
    assert_ne!(level, bytes(Curve::extended(&knots).unwrap()));
    assert_ne!(level, bytes(Curve::new(&[(0.0, 1.0), (1.0, 3.5)]).unwrap()));
    assert_eq!(level, bytes(Curve::with_slopes(&[(0.0, 1.0, 0.0), (1.0, 3.0, 0.0)]).unwrap()));
}
