//! A small world, and ways to bake it in memory.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use weald_bake::Error;
use weald_bake::local::{LocalOptions, Outcome, Progress, bake};
use weald_bake::plan::{Plan, plan};
use weald_bake::recipe::{self, Recipe};
use weald_bake::store::Artifacts;

/// A hill with a hut and a hole in it, 3 x 2 chunks in plan; its pictures are tiny.
pub(crate) const WORLD: &str = r##"World(
    version: 1, name: "small", seed: 7, cell_size: 2.0,
    region: (min: (-64, -64), max: (128, 64)),
    ground: (
        base: 3.0,
        detail: [(name: "hills", noise: (wavelength: 90, octaves: 3), amplitude: 14)],
        solids: [
            (name: "hut", op: Add, at: World(40, 0, 12), turn_deg: 20, material: "stone",
             shape: Box(size: (30, 24, 30))),
            (name: "hole", op: Cut, at: World(-20, 10, 6), blend: 4, shape: Sphere(radius: 15)),
        ],
    ),
    materials: [(name: "grass", color: "#6f8f3f"), (name: "rock", color: "#857d72"), (name: "stone", color: "#b9ad98")],
    surface: (default: "grass", rules: [(material: "rock", slope_deg: (30, 180))]),
    camera: (eye: World(150, -200, 120), target: World(20, 0, 0)),
    sun: (azimuth_deg: 240, elevation_deg: 35),
    picture: (size: (48, 32)),
)"##;

/// The world with a part of its text replaced.
pub(crate) fn world_with(from: &str, to: &str) -> Recipe {
    assert!(WORLD.contains(from), "the world has no {from}");
    recipe::parse("small.ron".as_ref(), &WORLD.replace(from, to)).expect("the world is in order")
}

pub(crate) fn world() -> Recipe {
    world_with("version", "version")
}

/// The world with three levels of detail, on 2 x 2 chunks of the coarsest.
pub(crate) const WITH_LEVELS: [(&str, &str); 2] = [
    ("seed: 7,", "seed: 7, levels: 3,"),
    ("min: (-64, -64), max: (128, 64)", "min: (-256, -256), max: (256, 256)"),
];

/// The world with three levels of detail, and with a part of its text replaced.
pub(crate) fn world_with_levels(from: &str, to: &str) -> Recipe {
    assert!(WORLD.contains(from), "the world has no {from}");
    let text = WITH_LEVELS.iter().fold(WORLD.replace(from, to), |text, (from, to)| text.replace(from, to));
    recipe::parse("small.ron".as_ref(), &text).expect("the world is in order")
}

pub(crate) fn planned(recipe: &Recipe) -> Plan {
    plan(recipe, recipe.region).expect("the world has a surface")
}

/// Bakes all outputs; stops when this many jobs have been run.
pub(crate) fn bake_some(
    recipe: &Recipe,
    plan: &Plan,
    store: &dyn Artifacts,
    threads: usize,
    stop_after: u64,
) -> Result<Outcome, Error> {
    let (cancel, heard) = (AtomicBool::new(stop_after == 0), AtomicU64::new(0));
    let progress = |_: Progress| {
        if heard.fetch_add(1, Ordering::Relaxed) + 1 >= stop_after {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let options = LocalOptions { threads: threads.try_into().ok(), cancel: &cancel, progress: &progress };
    let wanted = [&plan.scene, &plan.list, &plan.pictures[0], &plan.pictures[1]];
    bake(recipe, plan, &wanted, store, &options)
}
