//! Many words, looked for at once.
//!
//! Most of a text is passed over two bytes at a time: what stands at the second and third place tells
//! whether a word can begin here or next to here. It takes no time to make, which counts for a program
//! that is started for each end of an agent.

use std::cmp::Reverse;

/// The fewest bytes of a word.
const BYTES_MIN: usize = 3;
/// How many kinds of pairs are told apart: five bits of each byte, the same for capitals.
const PAIRS: usize = 1 << 10;

/// How far the next place can be at which a word begins, where nothing is known of the pair.
const FAR: u8 = 2;

/// Words to look for.
pub(super) struct Words {
    words: Vec<Vec<u8>>,
    folds_case: bool,
    /// How far the next place is at which a word can begin, by the pair after the first byte; zero
    /// where one can begin here.
    steps: [u8; PAIRS],
    /// The words by their second and third bytes, the longest first, each with its first byte.
    by_pair: Vec<(usize, u8, usize)>,
    /// Where the words of a pair begin there.
    starts: [u16; PAIRS],
}

impl Words {
    /// The words that are long enough. Where two begin at one place, the longer one is found.
    pub(super) fn new<W: AsRef<[u8]>>(words: impl Iterator<Item = W>, folds_case: bool) -> Self {
        let words: Vec<Vec<u8>> = words.map(|word| word.as_ref().to_vec()).collect();
        let (mut steps, mut starts) = ([FAR; PAIRS], [0; PAIRS]);
        let mut by_pair = Vec::new();
        for (index, word) in words.iter().enumerate() {
            if let [first, second, third, ..] = word.as_slice() {
                let before = &mut steps[pair(*first, *second)];
                *before = 1.min(*before);
                steps[pair(*second, *third)] = 0;
                by_pair.push((pair(*second, *third), kind(*first), index));
            }
        }
        let bytes = |index: usize| words.get(index).map_or(0, Vec::len);
        by_pair.sort_by_key(|(pair, _, index)| (*pair, Reverse(bytes(*index))));
        for (place, (pair, ..)) in by_pair.iter().enumerate().rev() {
            starts[*pair] = u16::try_from(place).unwrap_or(0);
        }
        Self { words, folds_case, steps, by_pair, starts }
    }

    /// The first word at or after a place: where it is, and which one.
    pub(super) fn next(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let mut place = from;
        while let Some([first, second, third]) = text.get(place..place + BYTES_MIN) {
            let pair = pair(*second, *third);
            let step = self.steps[pair];
            if step > 0 {
                place += usize::from(step);
                continue;
            }
            if let Some(word) = self.longest_at(text, place, (pair, kind(*first))) {
                return Some((place, word));
            }
            place += 1;
        }
        None
    }

    fn longest_at(&self, text: &[u8], place: usize, begun: (usize, u8)) -> Option<usize> {
        let (pair, first) = begun;
        let words = self.by_pair.get(usize::from(self.starts[pair])..)?;
        let same = words.iter().take_while(|(other, ..)| *other == pair);
        let mut near = same.filter(|(_, other, _)| *other == first).map(|(.., index)| *index);
        near.find(|index| self.words.get(*index).is_some_and(|word| self.is_at(text, place, word)))
    }

    fn is_at(&self, text: &[u8], place: usize, word: &[u8]) -> bool {
        let found = text.get(place..place + word.len());
        found.is_some_and(|found| match self.folds_case {
            true => found.eq_ignore_ascii_case(word),
            false => found == word,
        })
    }
}

/// What is told apart of a byte.
fn kind(byte: u8) -> u8 {
    byte & 31
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(kind(first)) << 5 | usize::from(kind(second))
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
            let found = Words::new(words.iter(), folds_case).next(text.as_bytes(), from);
            let is_at = |place: usize, word: &str| {
                text.get(place..place + word.len()).is_some_and(|found| {
                    if folds_case { found.eq_ignore_ascii_case(word) } else { found == word }
                })
            };
            let longest = |place: usize| {
                let here = words.iter().filter(|word| is_at(place, word));
                here.map(String::len).max()
            };
            let wanted = (from..text.len()).find_map(|place| Some((place, longest(place)?)));
            prop_assert_eq!(found.map(|(place, word)| (place, words[word].len())), wanted);
        }
    }
}
