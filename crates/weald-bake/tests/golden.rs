//! The bytes of a bake, held by one hash for 1, 2 and 8 threads.
//!
//! A hash that moves means other bytes for the same world: raise the `OUTPUT_VERSION` of the crate that makes them, so
//! that no store mixes old and new, and bless the hash with a line in CHANGELOG.md.

mod small;

use small::{bake_some, planned, world};
use weald_bake::store::{Artifacts, Found, MemoryStore};

/// blake3 of all artifacts of the small world, in the order of its plan.
const GOLDEN: &str = "d0e6492e26faf42d5f054f4ce4592d04a5eb7d1c7a68dcb5d1b1d1291241c721";

#[test]
fn one_hash_holds_the_bake_on_1_2_and_8_threads() {
    let recipe = world();
    let plan = planned(&recipe);
    for threads in [1, 2, 8] {
        let store = MemoryStore::default();
        bake_some(&recipe, &plan, &store, threads, u64::MAX).expect("the bake is not interrupted");
        let mut hasher = blake3::Hasher::new();
        for made in plan.chunks.iter().chain(&plan.seams).chain([&plan.scene]).chain(&plan.pictures) {
            let Found::Whole(artifact) = store.get(made.key).expect("the store is in memory") else {
                panic!("{:?} was not made", made.job)
            };
            hasher.update(&artifact.encode());
        }
        assert_eq!(hasher.finalize().to_hex().as_str(), GOLDEN, "on {threads} threads");
    }
}
