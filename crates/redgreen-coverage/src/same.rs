//! Which items of a sequence stand in an earlier version of it, too.

/// The most pairs that are compared; beyond that it is enough that an item is there at all.
const PAIRS_MAX: usize = 4_000_000;

/// For each item of `new`, the item of `old` that it is.
pub(crate) fn same<T: Eq>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let ahead = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old[ahead..], &new[ahead..]);
    let behind = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    let (old_rest, new_rest) =
        (&old_rest[..old_rest.len() - behind], &new_rest[..new_rest.len() - behind]);
    let between = match old_rest.len().saturating_mul(new_rest.len()) <= PAIRS_MAX {
        true => in_order(old_rest, new_rest),
        false => anywhere(old_rest, new_rest),
    };
    let mut matched: Vec<Option<usize>> = (0..ahead).map(Some).collect();
    matched.extend(between.into_iter().map(|at| at.map(|at| at + ahead)));
    matched.extend((old.len() - behind..old.len()).map(Some));
    matched
}

/// The longest common subsequence.
fn in_order<T: Eq>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            longest[at * width + to] = match old[at] == new[to] {
                true => longest[(at + 1) * width + to + 1] + 1,
                false => longest[(at + 1) * width + to].max(longest[at * width + to + 1]),
            };
        }
    }
    let mut matched = vec![None; new.len()];
    let (mut at, mut to) = (0, 0);
    while at < old.len() && to < new.len() {
        if old[at] == new[to] {
            matched[to] = Some(at);
            (at, to) = (at + 1, to + 1);
        } else if longest[(at + 1) * width + to] >= longest[at * width + to + 1] {
            at += 1;
        } else {
            to += 1;
        }
    }
    matched
}

/// For sequences that are too long: each item of the old one is taken once, whatever the order.
fn anywhere<T: Eq>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let mut next = 0;
    let found = new.iter().map(|item| {
        let at = old.get(next..)?.iter().position(|other| other == item)? + next;
        next = at + 1;
        Some(at)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_is_found_in_its_order() {
        let matched = |old: &str, new: &str| {
            let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
            same(&old, &new)
        };
        assert_eq!(matched("abc", "abc"), [Some(0), Some(1), Some(2)]);
        assert_eq!(matched("abc", "axbc"), [Some(0), None, Some(1), Some(2)]);
        assert_eq!(matched("abcd", "bxd"), [Some(1), None, Some(3)]);
        assert_eq!(matched("aab", "abab"), [Some(0), None, Some(1), Some(2)]);
        assert_eq!(matched("", "ab"), [None, None]);
        assert_eq!(matched("ab", ""), []);
    }

    #[test]
    fn long_sequences_have_an_end() {
        let old: Vec<u32> = (0..5_000).collect();
        let new: Vec<u32> = (0..5_000).map(|at| at * 2 + 1).collect();
        let matched = same(&old, &new);
        assert_eq!(matched.iter().flatten().count(), 2_500);
    }
}
