//! Cuts as a whole.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glam::DVec3;
use proptest::prelude::*;
use weald_field::{EvalScratch, Expr, NoiseSettings, Tape};

use super::*;

fn hills() -> Tape {
    let noise = NoiseSettings { wavelength: 9.0, octaves: 3, amplitude: 3.0, ..NoiseSettings::default() };
    let ball = Expr::sphere(DVec3::new(2.0, -1.0, 0.5), 3.0);
    Tape::new(&(Expr::z() - Expr::noise(&noise)).smooth_union(&ball, 1.0)).unwrap()
}

fn small(axis: Axis, at: f64) -> CutSettings {
    let plane = Plane { axis, at };
    CutSettings { plane, width: 360, height: 270, title: "hills".to_owned(), ..CutSettings::default() }
}

/// The window and boxes of a cut.
fn looked_at(tape: &Tape, settings: &CutSettings) -> (Window, Vec<Leaf>) {
    let window = Layout::new(settings).window(settings);
    let leaves = boxes::boxes(tape, &window, 0.5);
    (window, leaves)
}

#[test]
fn every_pixel_lies_in_one_box_and_has_the_value_of_its_place() {
    let tape = hills();
    for (axis, at) in [(Axis::X, 0.3), (Axis::Y, -2.0), (Axis::Z, 0.25)] {
        let (window, leaves) = looked_at(&tape, &small(axis, at));
        let mut times = vec![0; window.width * window.height];
        for leaf in &leaves {
            let pixels = window.pixels(leaf);
            for row in pixels.rows {
                pixels.columns.clone().for_each(|column| times[row * window.width + column] += 1);
            }
        }
        assert!(times.iter().all(|&n| n == 1));
        let values = boxes::values(&leaves, &window);
        let places: Vec<DVec3> = (0..values.len())
            .map(|i| {
                let (column, row) = ((i % window.width) as f64, (i / window.width) as f64);
                let down = glam::DVec2::new(column + 0.5, -(row + 0.5)) * window.metres_per_pixel;
                window.plane.place(window.corner + down)
            })
            .collect();
        let mut expected = vec![0.0; places.len()];
        tape.values(&places, &mut EvalScratch::default(), &mut expected);
        assert!(values.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn decided_boxes_are_as_they_say() {
    let tape = hills();
    let (window, leaves) = looked_at(&tape, &small(Axis::Y, 0.0));
    let values = boxes::values(&leaves, &window);
    assert!(leaves.iter().any(|leaf| leaf.verdict == Verdict::Open));
    for leaf in leaves.iter().filter(|leaf| leaf.verdict != Verdict::Open) {
        let pixels = window.pixels(leaf);
        for row in pixels.rows {
            for column in pixels.columns.clone() {
                let is_inside = values[row * window.width + column] < 0.0;
                assert_eq!(is_inside, leaf.verdict == Verdict::Inside);
            }
        }
    }
}

#[test]
fn a_cut_is_the_same_on_any_number_of_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| cut(&hills(), &small(Axis::Z, 0.0)).unwrap())
    };
    assert!(on(1) == on(3));
}

#[test]
fn wrong_cuts_are_refused() {
    let refused = |change: fn(&mut CutSettings)| {
        let mut settings = small(Axis::Z, 0.0);
        change(&mut settings);
        cut(&hills(), &settings).unwrap_err()
    };
    let too_wide = refused(|s| s.width = 4097);
    assert_eq!(too_wide.to_string(), "a cut of 4097 x 270 pixels was asked for; each side must be 1 to 4096");
    assert!(matches!(refused(|s| s.height = 0), PreviewError::CutSize { height: 0, .. }));
    assert!(matches!(refused(|s| s.area = [[0.0; 2], [0.0, 5.0]]), PreviewError::CutArea { .. }));
    assert!(matches!(refused(|s| s.area[1][0] = f64::NAN), PreviewError::CutArea { .. }));
    assert!(matches!(refused(|s| s.area[1][0] = 1e9), PreviewError::Setting { .. }));
    assert!(matches!(refused(|s| s.plane.at = f64::INFINITY), PreviewError::Setting { .. }));
    assert!(matches!(refused(|s| s.cell_size = 0.0), PreviewError::Setting { setting: "cell_size", .. }));
}

#[test]
fn a_field_without_a_surface_or_a_change_is_drawn_too() {
    for value in [0.0, -3.5, 1e20, f32::MAX] {
        let tape = Tape::new(&Expr::constant(value)).unwrap();
        let drawn = cut(&tape, &small(Axis::Z, 0.0)).unwrap();
        assert_eq!((drawn.least, drawn.greatest, drawn.decided), (value, value, 1.0));
    }
}

#[test]
fn a_body_has_a_picture_and_nothing_has_none() {
    let settings = SolidSettings { width: 60, height: 40, ..SolidSettings::default() };
    let ball = Tape::new(&Expr::sphere(DVec3::ZERO, 5.0)).unwrap();
    let picture = solid(&ball, &settings).unwrap();
    assert_ne!(picture.pixel(30, 18), picture.pixel(2, 2));
    let nothing = Tape::new(&Expr::constant(1.0)).unwrap();
    assert_eq!(solid(&nothing, &settings), Err(SolidError::Picture(PreviewError::NoTriangles)));
}

#[test]
fn a_reduced_picture_has_the_means() {
    let picture = Picture { width: 2, height: 2, rgb8: vec![0, 0, 0, 10, 0, 0, 20, 0, 4, 30, 0, 4] };
    assert_eq!(reduced(&picture, 2), Picture { width: 1, height: 1, rgb8: vec![15, 0, 2] });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_size_and_place_can_be_drawn(
        (width, height) in (1_u32..300, 1_u32..300),
        middle in prop::array::uniform2(-1e7..1e7_f64),
        size in prop::array::uniform2(0.01..1e6_f64),
        at in -1e6..1e6_f64,
    ) {
        let area = [[middle[0] - size[0], middle[1] - size[1]], [middle[0] + size[0], middle[1] + size[1]]];
        let settings = CutSettings { area, width, height, ..small(Axis::X, at) };
        let drawn = cut(&hills(), &settings).unwrap();
        prop_assert_eq!(drawn.picture.rgb8.len(), 3 * (width * height) as usize);
        prop_assert!(drawn.least <= drawn.greatest && (0.0..=1.0).contains(&drawn.decided));
    }
}
