//! Bakes of several levels of detail, and cuts through them.

mod small;

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use small::{bake_some, planned, world_with, world_with_levels};
use weald_bake::chunk_list::ChunkList;
use weald_bake::cut::BakedChunks;
use weald_bake::store::{Artifacts, Found, MemoryStore};
use weald_bake::verify::{Totals, verify_cut, verify_random_cuts};
use weald_bake::{Artifact, Job, JobKey, Plan, Planned, Recipe};
use weald_space::{ChunkKey, Lod};
use weald_world::Cut;

/// blake3 of the coarser chunks of the small world and of its list of chunks, in the order of its plan; see `golden.rs`.
const GOLDEN: &str = "7dfc1d7e3f0095d930d7a8da41af0ac43322d2eb5c04d487c387e80b6065ec3a";

fn world() -> Recipe {
    world_with_levels("version", "version")
}

/// The world, baked once for all tests that only look at it.
static BAKED: LazyLock<(Recipe, Plan, MemoryStore)> = LazyLock::new(|| {
    let recipe = world();
    let plan = planned(&recipe);
    let store = baked(&recipe, &plan, 2);
    (recipe, plan, store)
});

fn baked(recipe: &Recipe, plan: &Plan, threads: usize) -> MemoryStore {
    let store = MemoryStore::default();
    bake_some(recipe, plan, &store, threads, u64::MAX).expect("the bake is not interrupted");
    store
}

fn artifact(store: &MemoryStore, planned: &Planned) -> Artifact {
    match store.get(planned.key).expect("the store is in memory") {
        Found::Whole(artifact) => artifact,
        other => panic!("{}: {other:?}", planned.job),
    }
}

fn list(store: &MemoryStore, plan: &Plan) -> ChunkList {
    let Artifact::ChunkList(json) = artifact(store, &plan.list) else { panic!("no list") };
    ChunkList::from_json(&json).expect("the list is in order")
}

fn chunk_of(planned: &Planned) -> ChunkKey {
    match planned.job {
        Job::Chunk(key) => key,
        other => panic!("{other} is no chunk"),
    }
}

#[test]
fn one_hash_holds_the_coarser_levels_on_1_2_and_8_threads() {
    let recipe = world();
    let plan = planned(&recipe);
    for threads in [1, 2, 8] {
        let store = baked(&recipe, &plan, threads);
        let mut hasher = blake3::Hasher::new();
        for made in &plan.coarser {
            hasher.update(&artifact(&store, made).encode());
        }
        // Keys of chunks change with versions of code, so of the list only what lies before them counts.
        for listed in list(&store, &plan).chunks {
            hasher.update(format!("{} {}\n", listed.key, listed.cells).as_bytes());
        }
        assert_eq!(hasher.finalize().to_hex().as_str(), GOLDEN, "on {threads} threads");
    }
}

#[test]
fn coarser_levels_change_no_finest_chunk_no_seam_and_no_scene() {
    let wide = "min: (-256, -256), max: (256, 256)";
    let one = planned(&world_with("min: (-64, -64), max: (128, 64)", wide));
    let three = planned(&world());
    assert!(one.coarser.is_empty() && !three.coarser.is_empty());
    assert_eq!((&one.chunks, &one.seams, &one.scene), (&three.chunks, &three.seams, &three.scene));
    assert_eq!(one.pictures, three.pictures);
    assert_ne!(one.list.key, three.list.key);
}

#[test]
fn chunks_of_each_level_cover_those_of_the_finer_ones() {
    let plan = planned(&world());
    let keys: Vec<ChunkKey> = plan.chunks.iter().chain(&plan.coarser).map(chunk_of).collect();
    assert!(keys.is_sorted_by(|a, b| a < b));
    let top = Lod::new(2).expect("a level");
    for key in keys.iter().filter(|key| key.lod < top) {
        assert!(keys.binary_search(&key.parent().expect("a level above")).is_ok(), "{key}");
    }
    assert_eq!(keys.iter().map(|key| key.lod).max(), Some(top));
}

#[test]
fn no_two_jobs_of_several_levels_share_a_key() {
    let Plan { chunks, coarser, seams, scene, list, pictures, .. } = planned(&world());
    let all = chunks.iter().chain(&coarser).chain(&seams).chain([&scene, &list]).chain(&pictures);
    let mut keys: Vec<JobKey> = all.map(|planned| planned.key).collect();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

#[test]
fn a_change_of_the_ground_renames_the_coarser_chunks_that_read_it_and_no_others() {
    let wide = |from: &str, to: &str| {
        let mut recipe = world_with_levels(from, to);
        let extent = weald_bake::recipe::Extent { min: [-1024.0, -256.0], max: [1024.0, 256.0] };
        recipe.take_region(extent).expect("a small region");
        planned(&recipe)
    };
    let (small, large) = (wide("radius: 15", "radius: 15"), wide("radius: 15", "radius: 15.25"));
    assert_eq!(small.coarser.len(), large.coarser.len());
    let renamed: Vec<ChunkKey> = small
        .coarser
        .iter()
        .zip(&large.coarser)
        .filter(|(a, b)| a.key != b.key)
        .map(|(a, _)| chunk_of(a))
        .collect();
    // The ball spans 15.25 m and 4 m of blend around x = -20 m, and it matters where the rock is not deeper than the ball is
    // far: hills of 17 m reach up, and the deepest chunk that is made reaches one chunk and three cells down.
    for key in &renamed {
        let cell = 2.0 * key.lod.cells() as f64;
        let (low, high) = (key.x as f64 * 32.0 * cell, (key.x + 1) as f64 * 32.0 * cell);
        let reach = 35.0 * cell + 17.0 + 24.0;
        assert!(low - reach <= -20.0 && -20.0 <= high + reach, "{key} was renamed");
    }
    let levels = [1, 2].map(|level| renamed.iter().filter(|key| key.lod.index() == level).count());
    assert!(levels[0] > 0 && levels[1] > 0, "{levels:?}");
    assert!(small.coarser.len() >= 2 * renamed.len());
    assert_ne!(small.list.key, large.list.key);
}

#[test]
fn the_list_names_what_the_store_has() {
    let (_, plan, store) = &*BAKED;
    let list = list(store, plan);
    assert_eq!(
        (list.world.as_str(), list.coarsest, list.region),
        ("small", Lod::new(2).unwrap(), plan.region)
    );
    let made: Vec<(ChunkKey, u32, JobKey)> = plan
        .chunks
        .iter()
        .chain(&plan.coarser)
        .map(|planned| match artifact(store, planned) {
            Artifact::Chunk(chunk) => (chunk_of(planned), chunk.chunk.counts.cells, planned.key),
            other => panic!("{other:?}"),
        })
        .filter(|&(_, cells, _)| cells > 0)
        .collect();
    let listed: Vec<_> = list.chunks.iter().map(|c| (c.key, c.cells, c.artifact)).collect();
    assert_eq!(listed, made);
}

/// T02, a part of it: the levels of a baked world.
#[test]
fn twenty_random_cuts_are_closed() {
    let (_, plan, store) = &*BAKED;
    let chunks = BakedChunks::read(&list(store, plan), store).expect("all is there");
    let check = |threads: usize, count: u32| {
        let never = AtomicBool::new(false);
        verify_random_cuts(&chunks, 5, count, threads.try_into().ok(), &never, &|_| ())
            .expect("tables of one field")
    };
    let verdicts = check(2, 20);
    let totals = Totals::of(&verdicts);
    assert_eq!(totals.worst, None, "{:?}", totals.lines);
    let mixed = |levels: &[usize]| levels.iter().filter(|&&chunks| chunks > 0).count() == 3;
    assert!(verdicts.iter().filter(|verdict| mixed(&verdict.chunks)).count() > 10);
    assert!(verdicts.iter().all(|verdict| verdict.verdict.open_on_border > 10), "a region has a border");
    assert!(check(1, 5) == verdicts[..5]);
    let stopped = verify_random_cuts(&chunks, 5, 20, None, &AtomicBool::new(true), &|_| ());
    assert!(matches!(stopped, Err(weald_bake::Error::Interrupted)));
}

#[test]
fn the_finest_cut_is_the_scene_and_a_missing_chunk_is_a_hole() {
    let (_, plan, store) = &*BAKED;
    let mut list = list(store, plan);
    let chunks = BakedChunks::read(&list, store).expect("all is there");
    let mut finest = chunks.region().roots().collect::<Vec<_>>();
    while finest[0].lod > Lod::FINEST {
        finest = finest.iter().flat_map(|key| key.children().expect("coarser")).collect();
    }
    let cut = Cut::new(chunks.region(), finest).expect("it tiles the region");
    let verdict = verify_cut(&chunks, &cut).expect("tables of one field");
    assert_eq!(verdict.defects(), 0, "{:?}", verdict.lines());
    let Artifact::Scene(scene) = artifact(store, &plan.scene) else { panic!("no scene") };
    let findings = &verdict.verdict.findings;
    let found = (findings.vertices as u64, findings.triangles as u64);
    assert_eq!(found, (scene.counts.vertices, scene.counts.triangles));

    let middle = list.chunks.iter().position(|chunk| chunk.key == ChunkKey::new(1, -2, 0));
    list.chunks.remove(middle.expect("the ground runs through it"));
    let holed = BakedChunks::read(&list, store).expect("all that is listed is there");
    let found = verify_cut(&holed, &cut);
    assert!(found.map_or(true, |verdict| verdict.verdict.open_inside > 0));
}

#[test]
fn a_chunk_that_is_gone_is_made_anew_with_the_list() {
    let (recipe, plan, whole) = &*BAKED;
    let Plan { chunks, coarser, seams, scene, list, pictures, .. } = plan;
    let gone = &coarser[1];
    let store = MemoryStore::default();
    let all = chunks.iter().chain(coarser).chain(seams).chain([scene, list]).chain(pictures);
    for planned in all.filter(|&planned| planned != gone) {
        store.put(planned.key, &artifact(whole, planned)).expect("the store is in memory");
    }
    let again = bake_some(recipe, plan, &store, 2, u64::MAX).expect("the bake is not interrupted");
    assert_eq!((again.chunks.made, again.seams.made, again.outputs.made), (1, 0, 0));
    assert_eq!(artifact(&store, gone), artifact(whole, gone));
}
