//! Many words, looked for at once.
//!
//! Most of a text is passed over two bytes at a time: what stands at the second and third place tells
//! whether a word can begin here or next to here. It takes no time to make, which counts for a program
//! that is started for each end of an agent.

use std::cmp::Reverse;

/// The fewest bytes of a word.
pub(super) const BYTES_MIN: usize = 3;
/// How many bits of a byte are looked at: as many as tell letters from signs, the same for capitals.
const KIND_BITS: usize = 6;
/// How many kinds of pairs are distinguished.
const PAIRS: usize = 1 << (2 * KIND_BITS);

/// How far the next place can be at which a word begins, where nothing is known of the pair.
const FAR: u8 = 2;

/// Words to look for.
pub(super) struct Words {
    words: Vec<Vec<u8>>,
    folds_case: bool,
    /// How far the next place is at which a word can begin, by the pair after the first byte; zero
    /// where one can begin here.
    steps: [u8; PAIRS],
    /// Which kinds of bytes words begin with, a bit for each, by the same pair.
    firsts: [u32; PAIRS],
    /// The words by their second and third bytes, the longest first, each with its first byte.
    by_pair: Vec<(usize, u8, usize)>,
    /// Where the words of a pair begin there.
    starts: [u32; PAIRS],
}

impl Words {
    /// The words that are long enough.
    pub(super) fn new<W: AsRef<[u8]>>(words: impl Iterator<Item = W>, folds_case: bool) -> Self {
        let words: Vec<Vec<u8>> = words.map(|word| word.as_ref().to_vec()).collect();
        let (mut steps, mut firsts, mut starts) = ([FAR; PAIRS], [0; PAIRS], [0; PAIRS]);
        let mut by_pair = Vec::new();
        for (index, word) in words.iter().enumerate() {
            if let [first, second, third, ..] = word.as_slice() {
                let before = &mut steps[pair(*first, *second)];
                *before = 1.min(*before);
                steps[pair(*second, *third)] = 0;
                firsts[pair(*second, *third)] |= 1 << (kind(*first) & 31);
                by_pair.push((pair(*second, *third), kind(*first), index));
            }
        }
        let bytes = |index: usize| words.get(index).map_or(0, Vec::len);
        by_pair.sort_by_key(|(pair, _, index)| (*pair, Reverse(bytes(*index))));
        for (place, (pair, ..)) in by_pair.iter().enumerate().rev() {
            starts[*pair] = u32::try_from(place).unwrap_or(0);
        }
        Self { words, folds_case, steps, firsts, by_pair, starts }
    }

    /// The first place at or after another at which a word is.
    pub(super) fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut place = from;
        while let Some([first, second, third]) = text.get(place..place + BYTES_MIN) {
            let pair = pair(*second, *third);
            let step = self.steps[pair];
            if step > 0 {
                place += usize::from(step);
                continue;
            }
            let can_begin = self.firsts[pair] >> (kind(*first) & 31) & 1 == 1;
            if can_begin && self.at(text, place).next().is_some() {
                return Some(place);
            }
            place += 1;
        }
        None
    }

    /// The words that are at a place, the longest first.
    pub(super) fn at<'it>(
        &'it self,
        text: &'it [u8],
        place: usize,
    ) -> impl Iterator<Item = usize> + 'it {
        let begun = text.get(place..place + BYTES_MIN).and_then(|begun| begun.first_chunk());
        let begun = begun.map(|[first, second, third]| (pair(*second, *third), kind(*first)));
        let near = begun.into_iter().flat_map(|(pair, first)| self.of_kind(pair, first));
        near.filter(move |index| self.is_at(text, place, *index))
    }

    /// The words that begin with bytes of these kinds, the longest first.
    fn of_kind(&self, pair: usize, first: u8) -> impl Iterator<Item = usize> {
        let start = usize::try_from(self.starts[pair]).unwrap_or(usize::MAX);
        let words = self.by_pair.get(start..).unwrap_or_default();
        let same = words.iter().take_while(move |(other, ..)| *other == pair);
        same.filter(move |(_, other, _)| *other == first).map(|(.., index)| *index)
    }

    fn is_at(&self, text: &[u8], place: usize, index: usize) -> bool {
        let Some(word) = self.words.get(index) else { return false };
        let found = text.get(place..place + word.len());
        found.is_some_and(|found| match self.folds_case {
            true => found.eq_ignore_ascii_case(word),
            false => found == word,
        })
    }
}

/// What is distinguished of a byte.
fn kind(byte: u8) -> u8 {
    byte & 31 | byte >> 1 & 32
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(kind(first)) << KIND_BITS | usize::from(kind(second))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As if every word were compared at every place.
        #[test]
        fn the_first_and_longest_word_is_found(
            words in proptest::collection::vec("[abAB_]{3,5}", 0..6),
            text in "[abAB_]{0,40}",
            from in 0_usize..10,
            folds_case in any::<bool>(),
        ) {
            let looked_for = Words::new(words.iter(), folds_case);
            let found = looked_for.next(text.as_bytes(), from).map(|place| {
                (place, looked_for.at(text.as_bytes(), place).next().map(|word| words[word].len()))
            });
            let is_at = |place: usize, word: &str| {
                text.get(place..place + word.len()).is_some_and(|found| {
                    if folds_case { found.eq_ignore_ascii_case(word) } else { found == word }
                })
            };
            let longest = |place: usize| {
                let here = words.iter().filter(|word| is_at(place, word));
                here.map(String::len).max()
            };
            let wanted = (from..text.len()).find_map(|place| Some((place, Some(longest(place)?))));
            prop_assert_eq!(found, wanted);
        }
    }
}
