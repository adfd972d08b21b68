//! Ids that come twice in one report get a number, the same in every run.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};

/// The ids that were given, by their hashes. Two ids with one hash cost one of them a number that
/// it would not have needed, and nothing else.
#[derive(Default)]
pub(crate) struct Unique {
    given: HashSet<u64, Seeded>,
    /// The last number of those that were given more than once.
    repeated: HashMap<u64, u32>,
}

impl Unique {
    /// Room for about this many ids.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self {
            given: HashSet::with_capacity_and_hasher(count, Seeded::default()),
            ..Self::default()
        }
    }

    /// The id, with `#2`, `#3` … where it was given before.
    pub(crate) fn id(&mut self, id: String) -> String {
        let key = hash(id.as_bytes());
        if self.given.insert(key) {
            return id;
        }
        let mut number = self.repeated.get(&key).copied().unwrap_or(1);
        loop {
            number += 1;
            let numbered = format!("{id}#{number}");
            if self.given.insert(hash(numbered.as_bytes())) {
                self.repeated.insert(key, number);
                return numbered;
            }
        }
    }
}

/// Keys are hashes already; a seed keeps anybody from making them meet in one place of the table.
#[derive(Clone)]
struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0_u64) | 1)
    }
}

impl BuildHasher for Seeded {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        self.clone()
    }
}

impl Hasher for Seeded {
    fn write(&mut self, bytes: &[u8]) {
        self.0 ^= hash(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = folded(u128::from(key ^ self.0) * u128::from(self.0 | 1));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Eight bytes at a time: there may be hundreds of thousands of ids.
fn hash(bytes: &[u8]) -> u64 {
    const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
    const SECOND: u64 = 0xd6e8_feb8_6659_fd93;
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |hash: u64, word: u64| folded(u128::from(hash ^ word ^ FIRST) * u128::from(SECOND));
    let hash =
        words.iter().fold(bytes.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let last = rest.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte));
    mix(hash, last)
}

#[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
fn folded(product: u128) -> u64 {
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_gets_a_number_that_nobody_has() {
        let mut unique = Unique::default();
        let given = ["a", "a#2", "a", "b", "a", "a", "a#2"].map(|id| unique.id(id.to_owned()));
        assert_eq!(given, ["a", "a#2", "a#3", "b", "a#4", "a#5", "a#2#2"]);
    }

    #[test]
    fn many_of_one_name_stay_quick() {
        let mut unique = Unique::default();
        let last = (0..100_000).map(|_| unique.id("same".to_owned())).last();
        assert_eq!(last.as_deref(), Some("same#100000"));
    }
}
