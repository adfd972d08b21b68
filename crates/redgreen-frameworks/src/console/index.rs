//! Where the test of an id is, among hundreds of thousands.
//!
//! Each entry is eight bytes: half a digest of the id, and the place of the test. The ids themselves are
//! where the tests are, so that nothing is stored twice, and an id that is new is told by one look at
//! memory in nearly every case.

/// An entry that is free.
const FREE: u64 = 0;
/// How many entries there are at first.
const FIRST_ENTRIES: usize = 64;

/// The places of tests by their ids.
#[derive(Default)]
pub(super) struct Index {
    entries: Vec<u64>,
    used: usize,
}

impl Index {
    /// The place of an id; `is` tells whether the test at a place has it.
    pub fn find(&self, id: &str, is: impl Fn(usize) -> bool) -> Option<usize> {
        self.probe(half_digest(id), is).ok()
    }

    /// The place of an id, where it has one; else it gets the one that is given.
    pub fn find_or_add(
        &mut self,
        id: &str,
        place: usize,
        is: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if self.used * 2 >= self.entries.len() {
            self.grow();
        }
        let half = half_digest(id);
        match self.probe(half, is) {
            Ok(known) => Some(known),
            Err(free) => {
                if let Some(entry) = self.entries.get_mut(free) {
                    *entry = u64::from(half) << 32 | (place as u64 + 1) & u64::from(u32::MAX);
                    self.used += 1;
                }
                None
            }
        }
    }

    /// The place of the id with this digest, or the entry that is free for it.
    fn probe(&self, half: u32, is: impl Fn(usize) -> bool) -> Result<usize, usize> {
        let mask = self.entries.len().wrapping_sub(1);
        let mut at = half as usize & mask;
        while let Some(&entry) = self.entries.get(at) {
            if entry == FREE {
                return Err(at);
            }
            let place = (entry & u64::from(u32::MAX)) as usize - 1;
            if entry >> 32 == u64::from(half) && is(place) {
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

/// Half of a digest over words of eight bytes.
fn half_digest(id: &str) -> u32 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = id.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(MIX).rotate_left(29);
    let all = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    let hash = all.fold(id.len() as u64, mix).wrapping_mul(MIX);
    (hash >> 32) as u32
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
                let found = index.find_or_add(id, place, |at| ids.get(at) == Some(id));
                assert_eq!(found, (round == 1).then_some(place), "{id}");
            }
        }
        assert_eq!(index.find("another", |_| false), None);
        assert_eq!(Index::default().find("x", |_| true), None);
    }

    #[test]
    fn ids_that_share_a_digest_stay_two() {
        let mut index = Index::default();
        let same = |_: usize| false;
        for place in 0..100 {
            assert_eq!(index.find_or_add("the same", place, same), None);
        }
        assert_eq!(index.find("the same", |place| place == 77), Some(77));
    }
}
