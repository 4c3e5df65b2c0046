//! Bakes that are interrupted, repeated, damaged, and run on several threads.

mod small;

use std::fs;

use small::{bake_some, planned, world};
use weald_bake::store::{Artifacts, Found, MemoryStore, Store, StoreOptions};
use weald_bake::{Artifact, Error};

const NEVER: u64 = u64::MAX;

#[test]
fn an_interrupted_bake_goes_on_to_the_same_bytes() {
    let recipe = world();
    let plan = planned(&recipe);
    let whole = MemoryStore::default();
    bake_some(&recipe, &plan, &whole, 1, NEVER).unwrap();
    let whole = whole.into_inner();
    let jobs = whole.len() as u64;
    assert_eq!(jobs, 2 * plan.chunks.len() as u64 + 4);

    for stop_after in (0..=jobs).step_by(3) {
        let store = MemoryStore::default();
        let stopped = bake_some(&recipe, &plan, &store, 1, stop_after);
        assert!(matches!(stopped, Err(Error::Interrupted)), "after {stop_after} of {jobs}: {stopped:?}");
        let kept = plan.chunks.iter().chain(&plan.seams).chain([&plan.scene, &plan.list]);
        let kept = kept.chain(&plan.pictures);
        let kept = kept.filter(|planned| store.get(planned.key).unwrap() != Found::Nothing).count() as u64;
        let again = bake_some(&recipe, &plan, &store, 1, NEVER).unwrap();
        assert_eq!(again.made() + kept, jobs, "every job was run once (stopped after {stop_after})");
        assert_eq!(store.into_inner(), whole, "stopped after {stop_after}");
    }
}

#[test]
fn a_second_bake_runs_nothing() {
    let recipe = world();
    let plan = planned(&recipe);
    let store = MemoryStore::default();
    assert!(bake_some(&recipe, &plan, &store, 2, NEVER).unwrap().made() > 0);
    let again = bake_some(&recipe, &plan, &store, 2, NEVER).unwrap();
    assert_eq!((again.made(), again.outputs.reused), (0, 4));
    assert_eq!(again.chunks.reused, plan.chunks.len() as u64, "the list names chunks that are there");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let recipe = world();
    let plan = planned(&recipe);
    let baked = [1, 2, 8].map(|threads| {
        let store = MemoryStore::default();
        bake_some(&recipe, &plan, &store, threads, NEVER).unwrap();
        store.into_inner()
    });
    assert!(baked[0] == baked[1] && baked[1] == baked[2]);
}

#[test]
fn a_damaged_store_is_told_and_mended() {
    let recipe = world();
    let plan = planned(&recipe);
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), StoreOptions::default()).unwrap();
    bake_some(&recipe, &plan, &store, 2, NEVER).unwrap();
    let bytes = |key| match store.get(key).unwrap() {
        Found::Whole(artifact) => artifact.encode(),
        other => panic!("{other:?}"),
    };
    let (scene, chunk) = (bytes(plan.scene.key), bytes(plan.chunks[1].key));

    for key in [plan.scene.key, plan.chunks[1].key] {
        let name = key.to_string();
        let file = folder.path().join(&name[..2]).join(&name);
        let mut damaged = fs::read(&file).unwrap();
        damaged.truncate(damaged.len() / 2);
        fs::write(&file, damaged).unwrap();
    }
    let again = bake_some(&recipe, &plan, &store, 2, NEVER).unwrap();
    assert_eq!((again.chunks.made, again.seams.made, again.outputs.made), (1, 0, 1));
    assert_eq!(again.repaired.len(), 2, "{:?}", again.repaired);
    assert_eq!((bytes(plan.scene.key), bytes(plan.chunks[1].key)), (scene, chunk));
}

#[test]
fn the_baked_mesh_is_closed_but_for_the_border_of_its_region() {
    let recipe = world();
    let plan = planned(&recipe);
    let store = MemoryStore::default();
    bake_some(&recipe, &plan, &store, 2, NEVER).unwrap();
    let Found::Whole(Artifact::Scene(scene)) = store.get(plan.scene.key).unwrap() else { panic!("no scene") };
    assert!(scene.counts.chunks > 4 && scene.counts.seam_triangles > 0);
    let region = plan.region.extent(recipe.lattice);
    let verdict = weald_bake::verify::verify_glb(&scene.glb, Some(region), 2.0).unwrap();
    assert!(verdict.is_sound(), "{:?}", verdict.lines());
    assert!(verdict.open_on_border > 100, "{:?}", verdict.lines());
    let without = weald_bake::verify::verify_glb(&scene.glb, None, 2.0).unwrap();
    assert_eq!(without.open_inside, verdict.open_on_border);
}
