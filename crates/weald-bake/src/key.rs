//! Names of artifacts, made from all that they are made of.

use std::fmt;

/// The name of an artifact: a hash of the job, of the part of the recipe that the job reads, of the versions of the
/// code that runs it, and of the names of its inputs (contract 7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobKey(pub [u8; 32]);

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JobKey({self})")
    }
}

/// Collects what a key is made of. Every entry is written with its length, so that no two lists of entries run
/// together to the same bytes.
#[derive(Clone, Debug)]
pub struct KeyHasher(blake3::Hasher);

impl KeyHasher {
    /// Starts a key of this domain, such as `chunk`.
    #[must_use]
    pub fn new(domain: &str) -> Self {
        let mut hasher = KeyHasher(blake3::Hasher::new_derive_key("weald 2026 job key"));
        hasher.bytes(domain.as_bytes());
        hasher
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a whole number.
    pub fn int(&mut self, value: i64) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Adds a number by its bits.
    pub fn number(&mut self, value: f64) -> &mut Self {
        self.bytes(&value.to_bits().to_le_bytes())
    }

    /// Adds the key of an input, or that there is none.
    pub fn input(&mut self, key: Option<JobKey>) -> &mut Self {
        self.bytes(key.as_ref().map_or(&[], |key| &key.0))
    }

    /// The key.
    #[must_use]
    pub fn finish(&self) -> JobKey {
        JobKey(*self.0.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_do_not_run_together() {
        let split = KeyHasher::new("a").bytes(b"bc").bytes(b"").finish();
        let other = KeyHasher::new("a").bytes(b"b").bytes(b"c").finish();
        assert_ne!(split, other);
        assert_ne!(KeyHasher::new("a").input(None).finish(), KeyHasher::new("a").finish());
    }
}
