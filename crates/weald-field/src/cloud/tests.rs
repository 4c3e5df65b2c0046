//! Crowns of every kind, against all of them one after the other.

use fearless_simd::Simd;
use glam::Vec4;
use proptest::prelude::*;

use super::*;
use crate::algebra::{Dual, Lanes};
use crate::volumes::tests::{Block, Union, boxes, draws, holds_what_unions_promise, hull, places, scalars};

/// A cloud with the list that it was made of.
struct Known(Cloud, Vec<Crown>);

impl Known {
    fn new(blobs: &[Blob]) -> Self {
        let union = Cloud::new(DVec3::ZERO, blobs, ContentId::from(0)).expect("a good cloud");
        Known(union, blobs.iter().map(Crown::new).collect())
    }
}

impl Union for Known {
    fn scalars(&self, sweep: &mut Block<f32>) {
        self.0.sweep(sweep);
    }
    fn duals(&self, sweep: &mut Block<Dual>) {
        self.0.sweep(sweep);
    }
    #[inline(always)]
    fn lanes<S: Simd>(&self, sweep: &mut Block<Lanes<S>>) {
        self.0.sweep(sweep);
    }
    fn bounds(&self, at: [Enclosure; 3]) -> Enclosure {
        self.0.bounds(at)
    }
    fn pruned(&self, at: [Enclosure; 3]) -> Option<Self> {
        Some(Known(self.0.pruned(at)?, self.1.clone()))
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn brute(&self, place: [Dual; 3]) -> Dual {
        self.1.iter().map(|crown| crown.distance(place)).reduce(Algebra::min).expect("not empty")
    }
}

/// Round, long and flat ellipsoids, turned and not, and twins. `flat` is how many times longer than wide some are.
fn random(seed: u64, count: usize, flat: f32) -> Vec<Blob> {
    let mut draw = draws(seed);
    let mut blobs: Vec<Blob> = Vec::with_capacity(count);
    for i in 0..count {
        let centre = Vec3::new(draw(), draw(), draw()) * 60.0;
        let size = 0.2 + 4.0 * draw().abs();
        let turn = Quat::from_vec4(Vec4::new(draw(), draw(), draw(), 1.1 + draw()).normalize_or_zero());
        let blob = match (draw().abs() * 8.0) as u32 {
            0 => Blob { centre, radii: Vec3::splat(size), turn },
            1 => Blob { centre, radii: Vec3::new(size, size, size * flat), turn },
            2 => Blob { centre, radii: Vec3::new(size * flat, size, size * flat), turn },
            3 if i > 0 => blobs[i - 1],
            _ => Blob { centre, radii: Vec3::new(size, size, 1.5 * size), turn: Quat::IDENTITY },
        };
        blobs.push(blob);
    }
    blobs
}

#[test]
fn bad_ellipsoids_are_named() {
    let good = Blob { centre: Vec3::ZERO, radii: Vec3::ONE, turn: Quat::IDENTITY };
    let message = |blob: Blob| {
        Cloud::new(DVec3::ZERO, &[good, blob], ContentId::from(0)).expect_err("a bad cloud").to_string()
    };
    assert_eq!(
        message(Blob { centre: Vec3::X * f32::INFINITY, ..good }),
        "coordinate of part 1 of cloud is inf, but must be from -262144 to 262144"
    );
    assert_eq!(
        message(Blob { radii: Vec3::new(1.0, 1.0, 0.0), ..good }),
        "radius of part 1 of cloud is 0, but must be from 0.001 to 16384"
    );
    assert_eq!(
        message(Blob { radii: Vec3::new(1.0, 1.0, 101.0), ..good }),
        "radius of part 1 of cloud is 101, but must be at most 100 times the least radius"
    );
    assert_eq!(
        message(Blob { turn: Quat::from_xyzw(0.0, 0.0, 0.0, 0.5), ..good }),
        "length of turn of part 1 of cloud is 0.5, but must be 1"
    );
    let none = Cloud::new(DVec3::ZERO, &[], ContentId::from(0)).expect_err("an empty cloud").to_string();
    assert_eq!(none, "number of parts of cloud is 0, but must be from 1 to 2^24");
}

#[test]
fn turned_ellipsoids_end_where_they_should() {
    let turn = Quat::from_xyzw(0.0, 0.0, 0.5_f32.sqrt(), 0.5_f32.sqrt());
    let blob = Blob { centre: Vec3::X * 10.0, radii: Vec3::new(3.0, 1.0, 2.0), turn };
    let known = Known::new(&[blob]);
    let ends = [[10.0, 3.0, 0.0], [10.0, -3.0, 0.0], [11.0, 0.0, 0.0], [9.0, 0.0, 0.0], [10.0, 0.0, 2.0]];
    for value in scalars(&known, &ends).0 {
        assert!(value.abs() < 1e-5, "{value}");
    }
    let around = known.0.aabb();
    assert!((around.size() - DVec3::new(2.0, 6.0, 4.0)).length() < 1e-4, "{around:?}");
    assert_eq!(scalars(&known, &[[10.0, 0.0, 0.0]]).0, [-1.0]);
}

#[test]
fn boxes_clear_of_all_crowns_are_outside() {
    let known = Known::new(&random(7, 500, 3.0));
    let around = places(1, Vec3::new(300.0, 0.0, 0.0), Vec3::splat(100.0), 8);
    let bounds = known.bounds(hull(&around));
    assert!(bounds.lo() > 20.0 && bounds.hi() < 500.0, "{bounds:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_left_out_changes_no_bit(seed: u64, count in 1_usize..300, flat in 1.0..90.0_f32, at in boxes()) {
        holds_what_unions_promise(&Known::new(&random(seed, count, flat)), at, seed)?;
    }
}
