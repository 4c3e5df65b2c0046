//! Broken worlds, for a few seconds; `cargo run --example fuzz_world -- 600` goes on for longer.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../examples/fuzz_world.rs"]
mod fuzz_world;

use std::time::Duration;

#[test]
fn no_world_makes_the_resolver_panic_or_take_memory_without_end() {
    let outcome = fuzz_world::fuzz(Duration::from_secs(5), 1).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(outcome.cases > 0, "nothing was tried: {outcome:?}");
}
