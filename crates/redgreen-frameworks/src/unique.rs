//! Ids that come twice in one report get a number, the same in every run.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};

use memchr::memrchr;

type Keys = HashSet<u64, Seeded>;

/// A set of a group with more room than this is not used for the next one: emptying it costs as
/// much as its room.
const GROUP_ROOM: usize = 1_000;

/// The ids that were given, by their hashes. Two ids with one hash cost one of them a number that
/// it would not have needed, and nothing else.
///
/// Reports have the tests of one class together. So the ids are kept in groups, by what stands
/// before the last point, and a new id is looked for in a small set that stays near the processor.
/// Where a group comes back, or an id, one set of all ids takes over.
pub(crate) struct Unique {
    group: Group,
    /// The groups that were there, by their hashes.
    groups: Keys,
    /// The keys in the order in which they were given, as long as there is no set of all.
    given: Vec<u64>,
    all: Option<Keys>,
    /// The last number of those that were given more than once.
    repeated: HashMap<u64, u32>,
}

/// The ids that begin with the same words.
#[derive(Default)]
struct Group {
    /// All up to and with the last point; empty for ids without one.
    head: Vec<u8>,
    hash: u64,
    keys: Keys,
}

/// In the group of ids without a point, as if it had just been entered.
impl Default for Unique {
    fn default() -> Self {
        let hash = hash(b"", 0);
        Self {
            group: Group { hash, ..Group::default() },
            groups: Keys::from_iter([hash]),
            given: Vec::new(),
            all: None,
            repeated: HashMap::new(),
        }
    }
}

impl Unique {
    /// Room for about this many ids.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { given: Vec::with_capacity(count), ..Self::default() }
    }

    /// The id, with `#2`, `#3` … where it was given before.
    pub(crate) fn id(&mut self, id: String) -> String {
        if self.is_new(&id) { id } else { self.numbered(&id) }
    }

    /// Whether the id was not given before; from now on it was.
    #[inline]
    fn is_new(&mut self, id: &str) -> bool {
        let (head, tail) = split(id);
        self.is_new_in(head, tail)
    }

    /// The same for an id in two parts: up to and with its last point, and the rest.
    #[inline]
    pub(crate) fn is_new_in(&mut self, head: &[u8], tail: &[u8]) -> bool {
        if head != self.group.head {
            self.enter(head);
        }
        let key = hash(tail, self.group.hash);
        match &mut self.all {
            Some(all) => all.insert(key),
            None => {
                let new = self.group.keys.insert(key);
                if new {
                    self.given.push(key);
                }
                new
            }
        }
    }

    /// The id with the first number that is free.
    #[cold]
    fn numbered(&mut self, id: &str) -> String {
        self.all();
        let key = key(id);
        let mut number = self.repeated.get(&key).copied().unwrap_or(1);
        loop {
            number += 1;
            let numbered = format!("{id}#{number}");
            if self.is_new(&numbered) {
                self.repeated.insert(key, number);
                return numbered;
            }
        }
    }

    fn enter(&mut self, head: &[u8]) {
        self.group.head.clear();
        self.group.head.extend_from_slice(head);
        self.group.hash = hash(head, 0);
        if self.all.is_some() {
            return;
        }
        if self.group.keys.capacity() > GROUP_ROOM {
            self.group.keys = Keys::default();
        }
        self.group.keys.clear();
        if !self.groups.insert(self.group.hash) {
            self.all();
        }
    }

    /// From now on, one set for all.
    fn all(&mut self) {
        let given = std::mem::take(&mut self.given);
        self.all.get_or_insert_with(|| given.into_iter().collect());
    }
}

/// The words that a group shares, and the rest.
fn split(id: &str) -> (&[u8], &[u8]) {
    let id = id.as_bytes();
    id.split_at(memrchr(b'.', id).map_or(0, |point| point + 1))
}

fn key(id: &str) -> u64 {
    let (head, tail) = split(id);
    hash(tail, hash(head, 0))
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
        self.0 ^= hash(bytes, 0);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = folded(u128::from(key ^ self.0) * u128::from(self.0 | 1));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Eight bytes at a time, the last of them once more where they do not come out even: there may be
/// hundreds of thousands of ids.
fn hash(bytes: &[u8], seed: u64) -> u64 {
    const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
    const SECOND: u64 = 0xd6e8_feb8_6659_fd93;
    let mix = |hash: u64, word: u64| folded(u128::from(hash ^ word ^ FIRST) * u128::from(SECOND));
    let last = match bytes.last_chunk() {
        Some(last) => u64::from_le_bytes(*last),
        None => bytes.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)),
    };
    let (words, _) = bytes.as_chunks();
    let hash = mix(seed ^ bytes.len() as u64, last);
    words.iter().fold(hash, |hash, word| mix(hash, u64::from_le_bytes(*word)))
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

    /// As the words say it: the first number that nobody has, whatever the order.
    #[test]
    fn groups_that_come_back_change_nothing() {
        let orders: [fn(u32) -> String; 4] = [
            |index| format!("a.b{}.c{}", index / 300, index % 290),
            |index| format!("a.b{}.c{}", index % 7, index / 9),
            |index| format!("c{}", index % 1_500),
            |index| format!("a.b{}#{}", index % 5, index % 11),
        ];
        for order in orders {
            let (mut unique, mut given) = (Unique::default(), HashSet::new());
            for id in (0..3_000).map(order) {
                let numbered = |number| match number {
                    1 => id.clone(),
                    number => format!("{id}#{number}"),
                };
                let wanted = (1..).map(numbered).find(|id| !given.contains(id));
                assert_eq!(Some(unique.id(id.clone())), wanted);
                given.extend(wanted);
            }
        }
    }

    #[test]
    fn ids_without_a_point_are_a_group_that_may_come_back() {
        let mut unique = Unique::default();
        let given = ["c", "a.b", "c", "c"].map(|id| unique.id(id.to_owned()));
        assert_eq!(given, ["c", "a.b", "c#2", "c#3"]);
    }

    #[test]
    fn many_of_one_name_stay_quick() {
        let mut unique = Unique::default();
        let last = (0..100_000).map(|_| unique.id("same".to_owned())).last();
        assert_eq!(last.as_deref(), Some("same#100000"));
    }
}
