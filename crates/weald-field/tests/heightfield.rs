//! The surface between posts: smooth, exact on planes, and never beyond its posts.

use glam::{DVec2, DVec3, I64Vec3, Vec2Swizzles};
use proptest::prelude::*;
use weald_field::{ContentId, EvalScratch, Expr, FieldError, Heightfield, Tape};
use weald_space::{Aabb, Seed};

fn field(step: DVec2, width: usize, posts: Vec<f32>) -> Heightfield {
    let height = posts.len() / width;
    Heightfield::new(DVec2::ZERO, step, width, height, posts.into(), ContentId::from(0))
        .expect("a good field")
}

fn heights(field: &Heightfield, points: &[DVec2]) -> Vec<f32> {
    let points: Vec<DVec3> = points.iter().map(|p| p.extend(7.0)).collect();
    let mut out = vec![0.0; points.len()];
    let tape = Tape::new(&Expr::heightfield(field.clone())).expect("a good field");
    tape.values(&points, &mut EvalScratch::default(), &mut out);
    out
}

fn random_posts(seed: u64, count: usize, rough: bool) -> Vec<f32> {
    let mut draw = Seed::new(seed).at(I64Vec3::ZERO, 0, 0);
    let level = |value: f64| {
        if rough { value.round() * 100.0 } else { value * 1000.0 }
    };
    (0..count).map(|_| level(draw.normal()) as f32).collect()
}

#[test]
fn planes_are_reproduced() {
    let posts = (0..30).map(|i| 3.0 * (i % 6) as f32 - 2.0 * (i / 6) as f32).collect();
    let field = field(DVec2::new(10.0, 4.0), 6, posts);
    for i in 0..500 {
        let at = DVec2::new(f64::from(i % 25) * 2.0, f64::from(i / 25) * 0.8);
        let expected = 0.3 * at.x - 0.5 * at.y;
        assert!((f64::from(heights(&field, &[at])[0]) - expected).abs() < 1e-5);
    }
}

#[test]
fn heights_continue_level_beyond_the_outermost_posts() {
    let field = field(DVec2::splat(2.0), 3, vec![0.0, 1.0, 5.0, 2.0, 3.0, 4.0]);
    let at = [(-9.0, -9.0), (99.0, 0.0), (99.0, 2.0), (4.0, 99.0), (0.0, 2.0)].map(DVec2::from);
    assert_eq!(heights(&field, &at), [0.0, 5.0, 4.0, 4.0, 2.0]);
}

#[test]
fn bad_posts_are_refused() {
    let make = |step: DVec2, width, height, posts: Vec<f32>| {
        Heightfield::new(DVec2::ZERO, step, width, height, posts.into(), ContentId::from(0))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        make(DVec2::ONE, 2, 2, vec![0.0, 1.0, 2.0, f32::NAN]),
        "post at column 1, row 1 (row 0 is the southernmost) is NaN, but must be finite"
    );
    assert_eq!(
        make(DVec2::ONE, 1, 4, vec![0.0; 4]),
        "width of heightfield is 1, but must be from 2 to 2^30 posts"
    );
    assert_eq!(
        make(DVec2::new(1.0, 0.0), 2, 2, vec![0.0; 4]),
        "step of heightfield is 0, but must be more than 0 and finite"
    );
    assert_eq!(
        make(DVec2::ONE, 2, 3, vec![0.0; 4]),
        "heightfield of 2 by 3 posts has 4 posts, but must have 6"
    );
    let huge =
        Heightfield::new(DVec2::ZERO, DVec2::ONE, 1 << 30, 1 << 30, vec![0.0; 4].into(), ContentId::from(0));
    assert!(matches!(huge, Err(FieldError::PostCount { .. })));
}

#[test]
fn comparison_goes_by_content_id_and_place() {
    let with = |origin: f64, id: u64| {
        Heightfield::new(DVec2::splat(origin), DVec2::ONE, 2, 2, vec![0.0; 4].into(), ContentId::from(id))
            .unwrap()
    };
    assert_eq!(with(0.0, 1), with(0.0, 1));
    assert_ne!(with(0.0, 1), with(0.0, 2));
    assert_ne!(Expr::heightfield(with(0.0, 1)), Expr::heightfield(with(1.0, 1)));
    assert_eq!(Expr::heightfield(with(0.0, 1)).translated(DVec3::ONE), Expr::heightfield(with(1.0, 1)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_surface_stays_between_the_four_posts_around(seed: u64, width in 2_usize..9, rows in 2_usize..9, rough: bool) {
        let posts = random_posts(seed, width * rows, rough);
        let field = field(DVec2::splat(3.0), width, posts.clone());
        for y in 0..rows - 1 {
            for x in 0..width - 1 {
                let around = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| posts[(y + dy) * width + x + dx]);
                let lo = around.into_iter().fold(f32::INFINITY, f32::min);
                let hi = around.into_iter().fold(f32::NEG_INFINITY, f32::max);
                let inside: Vec<DVec2> = (0..100)
                    .map(|i| DVec2::new(x as f64 + f64::from(i % 10) / 9.0, y as f64 + f64::from(i / 10) / 9.0) * 3.0)
                    .collect();
                for height in heights(&field, &inside) {
                    let slack = 2e-6 * lo.abs().max(hi.abs());
                    prop_assert!(lo - slack <= height && height <= hi + slack, "{} outside {}..{}", height, lo, hi);
                }
            }
        }
    }

    #[test]
    fn the_surface_and_its_slopes_are_continuous_across_cells(seed: u64, at in 0.0..1.0_f64, post in 1_usize..5, along_x: bool) {
        let field = field(DVec2::ONE, 6, random_posts(seed, 36, false));
        let (across, step) = (post as f64, 1e-7);
        let point = |offset: f64| {
            let p = DVec2::new(across + offset, 2.0 + at);
            if along_x { p } else { p.yx() }.extend(0.0)
        };
        let tape = Tape::new(&Expr::heightfield(field)).unwrap();
        let (mut values, mut gradients) = ([0.0; 2], [glam::Vec3::ZERO; 2]);
        tape.duals(&[point(-step), point(step)], &mut EvalScratch::default(), &mut values, &mut gradients);
        prop_assert!((values[0] - values[1]).abs() < 0.01);
        prop_assert!((gradients[0] - gradients[1]).length() < 0.05, "{:?}", gradients);
    }

    #[test]
    fn bounds_are_sound_and_at_most_a_few_cells_wider_than_asked(seed: u64, a in [0.0..60.0_f64, 0.0..60.0], b in [0.0..60.0_f64, 0.0..60.0]) {
        let posts = random_posts(seed, 64 * 64, false);
        let field = field(DVec2::ONE, 64, posts.clone());
        let (a, b) = (DVec2::from_array(a), DVec2::from_array(b));
        let (min, max) = (a.min(b), a.max(b));
        let within = Aabb::new(min.extend(0.0), max.extend(1.0));
        let bounds = Tape::new(&Expr::heightfield(field.clone())).unwrap().bounds(within);
        let points: Vec<DVec2> = (0..400)
            .map(|i| min + (max - min) * DVec2::new(f64::from(i % 20), f64::from(i / 20)) / 19.0)
            .collect();
        for height in heights(&field, &points) {
            prop_assert!(bounds.contains(height));
        }
        let margin = (max - min).max_element() + 4.0;
        let (mut lo, mut hi) = (f32::INFINITY, f32::NEG_INFINITY);
        for (i, &post) in posts.iter().enumerate() {
            let at = DVec2::new((i % 64) as f64, (i / 64) as f64);
            if (at - min).min_element() >= -margin && (max - at).min_element() >= -margin {
                (lo, hi) = (lo.min(post), hi.max(post));
            }
        }
        prop_assert!(bounds.lo >= lo - 0.1 && bounds.hi <= hi + 0.1, "{:?} but posts {}..{}", bounds, lo, hi);
    }
}
