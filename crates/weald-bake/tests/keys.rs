//! What a key depends on, and what it does not.

mod small;

use small::{WORLD, planned, world, world_with};
use weald_bake::recipe;
use weald_bake::{Job, JobKey, Plan, Planned};

fn keys(jobs: &[Planned]) -> Vec<JobKey> {
    jobs.iter().map(|planned| planned.key).collect()
}

/// Which keys differ: of any chunk, of any seam, of the scene, of the picture, of the plan.
fn changed(a: &Plan, b: &Plan) -> [bool; 5] {
    [
        keys(&a.chunks) != keys(&b.chunks),
        keys(&a.seams) != keys(&b.seams),
        a.scene.key != b.scene.key,
        a.pictures[0].key != b.pictures[0].key,
        a.pictures[1].key != b.pictures[1].key,
    ]
}

#[test]
fn the_same_world_has_the_same_keys() {
    assert_eq!(planned(&world()), planned(&world()));
}

#[test]
fn each_change_renames_what_depends_on_it_and_nothing_else() {
    let all = [true; 5];
    let base = planned(&world());
    for (from, to, expected) in [
        ("World(150, -200, 120)", "World(150, -210, 120)", [false, false, false, true, false]),
        ("azimuth_deg: 240", "azimuth_deg: 200", [false, false, false, true, false]),
        ("size: (48, 32)", "size: (48, 33)", [false, false, false, true, true]),
        ("#857d72", "#867d72", [false, false, true, true, true]),
        ("slope_deg: (30, 180)", "slope_deg: (31, 180)", all),
        ("seed: 7", "seed: 8", all),
        ("amplitude: 14", "amplitude: 14.5", all),
        ("radius: 15", "radius: 15.25", all),
        ("turn_deg: 20", "turn_deg: 21", all),
        (", material: \"stone\",", ",", all),
        ("version: 1,", "version: 1, /* a remark */", [false; 5]),
    ] {
        assert_eq!(changed(&base, &planned(&world_with(from, to))), expected, "{from} to {to}");
    }
}

#[test]
fn a_shifted_region_keeps_the_chunks_that_it_shares() {
    let base = planned(&world());
    let shifted = planned(&world_with("min: (-64, -64), max: (128, 64)", "min: (0, -64), max: (192, 64)"));
    assert_ne!(base.scene.key, shifted.scene.key);
    let shared: Vec<&Planned> =
        base.chunks.iter().filter(|a| shifted.chunks.iter().any(|b| a.job == b.job)).collect();
    assert!(!shared.is_empty() && shared.len() < base.chunks.len());
    assert!(shared.iter().all(|a| shifted.chunks.contains(a)));
}

#[test]
fn a_solid_renames_the_chunks_that_it_reaches_and_no_others() {
    let wide = "min: (-512, -64), max: (512, 64)";
    let of = |radius: &str| {
        let text = WORLD.replace("min: (-64, -64), max: (128, 64)", wide).replace("radius: 15", radius);
        planned(&recipe::parse("wide.ron".as_ref(), &text).expect("the world is in order"))
    };
    let (small, large) = (of("radius: 15"), of("radius: 15.25"));
    assert_eq!(small.chunks.len(), large.chunks.len());
    let renamed: Vec<&Planned> =
        small.chunks.iter().zip(&large.chunks).filter(|(a, b)| a.key != b.key).map(|(a, _)| a).collect();
    assert!(!renamed.is_empty(), "the ball reaches a chunk");
    // Two columns hold the ball, and in those beside them the rock lies deeper than the ball is far.
    let columns = renamed.iter().map(|planned| match planned.job {
        Job::Chunk(key) => key.x,
        other => panic!("{other} is no chunk"),
    });
    assert!(columns.clone().all(|x| (-3..=2).contains(&x)), "{:?}", columns.collect::<Vec<_>>());
    assert!(small.chunks.len() >= 3 * renamed.len());
}

#[test]
fn no_two_jobs_share_a_key() {
    let Plan { chunks, seams, scene, pictures, .. } = planned(&world());
    let mut all = keys(&chunks);
    all.extend(keys(&seams));
    all.extend([scene.key]);
    all.extend(keys(&pictures));
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}
