//! Where the test of an id is, among hundreds of thousands.
//!
//! Each entry is eight bytes: half a digest of the id, and the place of the test. The ids themselves are
//! where the tests are, so that nothing is stored twice. Eight entries are what the processor fetches
//! at once, and compared at once: an id that is new is told by one look at memory in nearly every
//! case. In a large log that look is most of the work, so several ids are looked for together where
//! that is possible ([`Index::approach`]).

use std::hint::black_box;

/// How many entries the processor fetches at once.
const ENTRIES_A_LINE: usize = 8;
/// How many lines there are at first.
const FIRST_LINES: usize = 8;
/// How many entries of a line are used on average before there are more lines.
const USED_A_LINE: usize = 6;

/// The places of tests by their ids.
#[derive(Default)]
pub(super) struct Index {
    lines: Vec<Line>,
    used: usize,
}

/// Entries that are fetched at once; those that are used come first.
#[derive(Clone, Default)]
#[repr(align(64))]
struct Line {
    halves: [u32; ENTRIES_A_LINE],
    /// One more than the place of the test; an entry without one is free.
    places: [u32; ENTRIES_A_LINE],
}

impl Line {
    /// The place of the id with this digest.
    fn find(&self, half: HalfDigest, is: impl Fn(usize) -> bool) -> Option<usize> {
        // Without a branch for each: in most lines there is none.
        if !self.halves.iter().fold(false, |any, known| any | (*known == half.0)) {
            return None;
        }
        let mut same = self.halves.iter().zip(&self.places).filter(|(known, _)| **known == half.0);
        same.find_map(|(_, place)| (*place as usize).checked_sub(1).filter(|place| is(*place)))
    }

    /// Whether there was room for one more entry.
    fn add(&mut self, half: HalfDigest, place: u32) -> bool {
        let used: usize = self.places.iter().map(|place| usize::from(*place != 0)).sum();
        match (self.halves.get_mut(used), self.places.get_mut(used)) {
            (Some(free_half), Some(free_place)) => {
                (*free_half, *free_place) = (half.0, place);
                true
            }
            _ => false,
        }
    }

    fn is_full(&self) -> bool {
        self.places.last().is_some_and(|place| *place != 0)
    }
}

impl Index {
    /// The place of the id with this digest; `is` tells whether the test at a place has it.
    pub fn find(&self, half: HalfDigest, is: impl Fn(usize) -> bool) -> Option<usize> {
        self.probe(half, is).ok()
    }

    /// Looks at the entries of ids that are looked for next. These looks do not wait for each other,
    /// as those of one id after the other would: afterwards all of them are near the processor.
    pub fn approach(&self, digests: &[HalfDigest]) {
        let mask = self.lines.len().wrapping_sub(1);
        let look =
            |half: &HalfDigest| self.lines.get(half.0 as usize & mask).is_some_and(Line::is_full);
        black_box(digests.iter().fold(false, |seen, half| seen ^ look(half)));
    }

    /// The place of the id with this digest, where it has one; else it gets the one that is given.
    pub fn find_or_add(
        &mut self,
        half: HalfDigest,
        place: usize,
        is: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if self.used >= self.lines.len() * USED_A_LINE {
            self.grow();
        }
        match self.probe(half, is) {
            Ok(known) => Some(known),
            Err(free) => {
                let place = u32::try_from(place + 1).unwrap_or(0);
                let added = self.lines.get_mut(free).is_some_and(|line| line.add(half, place));
                self.used += usize::from(added);
                None
            }
        }
    }

    /// The place of the id with this digest, or the line that has an entry free for it.
    fn probe(&self, half: HalfDigest, is: impl Fn(usize) -> bool) -> Result<usize, usize> {
        let mask = self.lines.len().wrapping_sub(1);
        let mut at = half.0 as usize & mask;
        while let Some(line) = self.lines.get(at) {
            if let Some(place) = line.find(half, &is) {
                return Ok(place);
            }
            if !line.is_full() {
                break;
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    fn grow(&mut self) {
        let size = (self.lines.len() * 2).max(FIRST_LINES);
        let old = std::mem::replace(&mut self.lines, vec![Line::default(); size]);
        for line in old {
            for (half, place) in line.halves.into_iter().zip(line.places) {
                if place == 0 {
                    break;
                }
                let mut at = half as usize & (size - 1);
                while self.lines.get_mut(at).is_some_and(|line| !line.add(HalfDigest(half), place))
                {
                    at = (at + 1) & (size - 1);
                }
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
