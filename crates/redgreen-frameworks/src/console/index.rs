//! Where the test of an id is, among hundreds of thousands.
//!
//! Each entry is eight bytes: half a digest of the id, and the place of the test. The ids themselves are
//! where the tests are, so that nothing is stored twice, and an id that is new is told by one look at
//! memory in nearly every case. In a large log that look is most of the work, so several ids are
//! looked for together where that is possible ([`Index::approach`]).

use std::hint::black_box;

/// An entry that is free.
const FREE: u64 = 0;
/// How many entries there are at first.
const FIRST_ENTRIES: usize = 64;

/// How many entries the processor fetches at once.
const ENTRIES_A_LINE: usize = 8;

/// The places of tests by their ids.
#[derive(Default)]
pub(super) struct Index {
    entries: Vec<u64>,
    used: usize,
}

impl Index {
    /// The place of the id with this digest; `is` tells whether the test at a place has it.
    pub fn find(&self, half: HalfDigest, is: impl Fn(usize) -> bool) -> Option<usize> {
        self.probe(half, is).ok()
    }

    /// Looks at the entries of ids that are looked for next. These looks do not wait for each other,
    /// as those of one id after the other would: afterwards all of them are near the processor.
    pub fn approach(&self, digests: &[HalfDigest]) {
        let mask = self.entries.len().wrapping_sub(1);
        let look = |at: usize| self.entries.get(at & mask).copied().unwrap_or(FREE);
        let seen = digests.iter().map(|half| half.0 as usize).fold(0, |seen, at| {
            // The search may go on in the next line of the cache.
            seen ^ look(at) ^ look(at + ENTRIES_A_LINE)
        });
        black_box(seen);
    }

    /// The place of the id with this digest, where it has one; else it gets the one that is given.
    pub fn find_or_add(
        &mut self,
        half: HalfDigest,
        place: usize,
        is: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if self.used >= self.entries.len() / 4 * 3 {
            self.grow();
        }
        match self.probe(half, is) {
            Ok(known) => Some(known),
            Err(free) => {
                if let Some(entry) = self.entries.get_mut(free) {
                    *entry = u64::from(half.0) << 32 | (place as u64 + 1) & u64::from(u32::MAX);
                    self.used += 1;
                }
                None
            }
        }
    }

    /// The place of the id with this digest, or the entry that is free for it.
    fn probe(&self, half: HalfDigest, is: impl Fn(usize) -> bool) -> Result<usize, usize> {
        let mask = self.entries.len().wrapping_sub(1);
        let mut at = half.0 as usize & mask;
        while let Some(&entry) = self.entries.get(at) {
            if entry == FREE {
                return Err(at);
            }
            let place = (entry & u64::from(u32::MAX)) as usize - 1;
            if entry >> 32 == u64::from(half.0) && is(place) {
                return Ok(place);
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    fn grow(&mut self) {
        let size = (self.entries.len() * 2).max(FIRST_ENTRIES);
        let old = std::mem::replace(&mut self.entries, vec![FREE; size]);
        for entry in old.into_iter().filter(|entry| *entry != FREE) {
            let half = (entry >> 32) as usize;
            let mut at = half & (size - 1);
            while self.entries.get(at).is_some_and(|taken| *taken != FREE) {
                at = (at + 1) & (size - 1);
            }
            if let Some(free) = self.entries.get_mut(at) {
                *free = entry;
            }
        }
    }
}

/// Half of a digest of an id.
#[derive(Clone, Copy)]
pub(super) struct HalfDigest(u32);

impl HalfDigest {
    /// Over words of eight bytes, the last of them once more where they do not come out even.
    pub fn of(id: &str) -> Self {
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let id = id.as_bytes();
        let last = match id.last_chunk() {
            Some(last) => u64::from_le_bytes(*last),
            None => id.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(MIX).rotate_left(29);
        let (words, _) = id.as_chunks();
        let first = mix(id.len() as u64, last);
        let hash = words.iter().fold(first, |hash, word| mix(hash, u64::from_le_bytes(*word)));
        Self((hash.wrapping_mul(MIX) >> 32) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_the_place_that_it_got_first() {
        let ids: Vec<String> = (0..10_000).map(|number| format!("module::test_{number}")).collect();
        let mut index = Index::default();
        for round in 0..2 {
            for (place, id) in ids.iter().enumerate() {
                let found =
                    index.find_or_add(HalfDigest::of(id), place, |at| ids.get(at) == Some(id));
                assert_eq!(found, (round == 1).then_some(place), "{id}");
            }
        }
        assert_eq!(index.find(HalfDigest::of("another"), |_| false), None);
        assert_eq!(Index::default().find(HalfDigest::of("x"), |_| true), None);
    }

    #[test]
    fn ids_that_share_a_digest_stay_two() {
        let mut index = Index::default();
        let digest = HalfDigest::of("the same");
        for place in 0..100 {
            index.approach(&[digest]);
            assert_eq!(index.find_or_add(digest, place, |_| false), None);
        }
        assert_eq!(index.find(digest, |place| place == 77), Some(77));
    }
}
