//! Ids that come twice in one report get a number, the same in every run.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The ids that were given, by their hashes. Two ids with one hash cost one of them a number that
/// it would not have needed, and nothing else.
#[derive(Default)]
pub(crate) struct Unique {
    given: HashMap<u64, u32>,
}

impl Unique {
    /// Room for about this many ids.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { given: HashMap::with_capacity(count) }
    }

    /// The id, with `#2`, `#3` … where it was given before.
    pub(crate) fn id(&mut self, id: String) -> String {
        let earlier = self.given.entry(hash(id.as_bytes())).or_insert(0);
        *earlier += 1;
        if *earlier == 1 {
            return id;
        }
        let mut number = *earlier;
        loop {
            let numbered = format!("{id}#{number}");
            if let Entry::Vacant(free) = self.given.entry(hash(numbered.as_bytes())) {
                free.insert(1);
                self.given.insert(hash(id.as_bytes()), number);
                return numbered;
            }
            number += 1;
        }
    }
}

/// Eight bytes at a time: there may be hundreds of thousands of ids.
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let hash =
        words.iter().fold(bytes.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
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
