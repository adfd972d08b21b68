//! Where the test of an id is, among hundreds of thousands.
//!
//! Each entry is eight bytes: half a digest of the id, and the place of the test. The ids themselves are
//! where the tests are, so that nothing is stored twice. Eight entries are what the processor fetches
//! at once, and compared at once: an id that is new is recognised by one look at memory in nearly every
//! case. In a large log that look is most of the work, so ids are looked for together where that is
//! possible, by the region of the index that they are in ([`Index::add_all`]).

/// How many entries the processor fetches at once.
const ENTRIES_A_LINE: usize = 8;
/// How many lines there are at first.
const FIRST_LINES: usize = 8;
/// How many entries of a line are used on average before there are more lines.
const USED_A_LINE: usize = 6;
/// How many lines stay near the processor while others are not looked at.
const LINES_A_REGION: usize = 1024;

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
        // One after the other: what was just written cannot be read together yet.
        let free = self.places.iter().position(|place| *place == 0);
        let Some(free) = free else { return false };
        (self.halves[free], self.places[free]) = (half.0, place);
        true
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

    /// Gives each of these ids the next place, from the first one on, but those that have one. These
    /// are returned in order: the place that would have been theirs, and the one that they have.
    pub fn add_all(
        &mut self,
        digests: &[HalfDigest],
        first: usize,
        is_same: impl Fn(usize, usize) -> bool,
    ) -> Vec<(usize, usize)> {
        self.reserve(digests.len());
        let mut known = Vec::new();
        for (half, at) in self.by_region(digests) {
            let place = first + at as usize;
            let found = self.find_or_add(half, place, |known| is_same(known, place));
            known.extend(found.map(|found| (place, found)));
        }
        known.sort_unstable();
        known
    }

    /// The digests, each with its position, those of one region of the index after those of another;
    /// where they are too few for that, as they come.
    fn by_region(&self, digests: &[HalfDigest]) -> Vec<(HalfDigest, u32)> {
        let mask = self.lines.len().wrapping_sub(1);
        let region = |half: &HalfDigest| (half.0 as usize & mask) / LINES_A_REGION;
        let mut sorted: Vec<(HalfDigest, u32)> = digests.iter().copied().zip(0..).collect();
        let regions = self.lines.len() / LINES_A_REGION;
        if regions < 2 || digests.len() < regions {
            return sorted;
        }
        let mut begins = vec![0; regions + 1];
        for half in digests {
            begins[region(half) + 1] += 1;
        }
        let mut before = 0;
        for begin in &mut begins {
            before += *begin;
            *begin = before;
        }
        for (half, at) in digests.iter().zip(0..) {
            let next = &mut begins[region(half)];
            sorted[*next] = (*half, at);
            *next += 1;
        }
        sorted
    }

    /// The place of the id with this digest, where it has one; else it gets the one that is given.
    pub fn find_or_add(
        &mut self,
        half: HalfDigest,
        place: usize,
        is: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if self.used >= self.lines.len() * USED_A_LINE {
            self.reserve(1);
        }
        match self.probe(half, is) {
            Ok(known) => Some(known),
            Err(free) => {
                let added =
                    self.lines.get_mut(free).is_some_and(|line| line.add(half, stored(place)));
                self.used += usize::from(added);
                None
            }
        }
    }

    /// The test of an id is at another place from now on.
    pub fn moved(&mut self, half: HalfDigest, from: usize, to: usize) {
        let mask = self.lines.len().wrapping_sub(1);
        let mut at = half.0 as usize & mask;
        while let Some(line) = self.lines.get_mut(at) {
            if let Some(place) = line.places.iter_mut().find(|place| **place == stored(from)) {
                *place = stored(to);
                return;
            }
            if !line.is_full() {
                return;
            }
            at = (at + 1) & mask;
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

    /// Makes room for more entries.
    fn reserve(&mut self, more: usize) {
        let wanted = (self.used + more).div_ceil(USED_A_LINE).next_power_of_two();
        if wanted <= self.lines.len() {
            return;
        }
        let size = wanted.max(FIRST_LINES);
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

/// A place as it is in an entry; one that is too large for that is not found again.
fn stored(place: usize) -> u32 {
    u32::try_from(place + 1).unwrap_or(u32::MAX)
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
    fn ids_that_are_added_together_have_the_place_that_the_first_of_them_got() {
        let ids: Vec<String> = (0..50_000).map(|number| format!("{}", number % 40_000)).collect();
        let digests: Vec<HalfDigest> = ids.iter().map(|id| HalfDigest::of(id)).collect();
        let mut index = Index::default();
        let same = |one: usize, other: usize| ids[one] == ids[other];
        let (early, late) = digests.split_at(30_000);
        assert_eq!(index.add_all(early, 0, same), []);
        let repeated: Vec<(usize, usize)> = (40_000..50_000).map(|at| (at, at - 40_000)).collect();
        assert_eq!(index.add_all(late, 30_000, same), repeated);
        index.moved(digests[35_000], 35_000, 77_777);
        assert_eq!(index.find(digests[35_000], |_| true), Some(77_777));
        assert_eq!(index.find(digests[34_999], |place| place == 34_999), Some(34_999));
    }

    #[test]
    fn ids_that_share_a_digest_stay_two() {
        let mut index = Index::default();
        let digest = HalfDigest::of("the same");
        for place in 0..100 {
            assert_eq!(index.find_or_add(digest, place, |_| false), None);
        }
        assert_eq!(index.find(digest, |place| place == 77), Some(77));
    }
}
