//! Random numbers by label and position.

/// A seed.
#[derive(Clone, Copy, Debug)]
pub struct Seed(u64);
