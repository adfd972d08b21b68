//! Old tests that no single new one answers for: taken apart, or put into others.

use std::collections::{BTreeMap, BTreeSet};

use super::{Matched, Outlined};
use crate::outline::TestItem;

/// The new tests that together ask all that an old one asked, as indices of file and test; none where
/// something is missing. A new test that is another old one answers with what came to it only, and
/// only where the old one's values came, too. `ran` says of a new test whether it was seen at all.
pub fn parts_of(
    old: &TestItem,
    (before, after): (&[Outlined], &[Outlined]),
    matched: &[Matched],
    ran: impl Fn((usize, usize)) -> bool,
) -> Vec<(usize, usize)> {
    let mut missing: BTreeSet<&str> = live(old).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for (at, file) in after.iter().enumerate() {
        for (index, test) in file.outline.tests.iter().enumerate() {
            let place = (at, index);
            if test.skipped || !live(test).any(|it| missing.contains(it)) || !ran(place) {
                continue;
            }
            let came = came_to(test, place, before, matched);
            let holds = |literal: &String| test.literals.binary_search(literal).is_ok();
            let taken = matched.iter().any(|pair| pair.new == place);
            let is_part = came.iter().any(|it| missing.contains(it))
                && (!taken || old.literals.iter().all(holds));
            if is_part {
                missing.retain(|it| !came.contains(it));
                parts.push(place);
            }
        }
    }
    if missing.is_empty() { parts } else { Vec::new() }
}

/// What a test asks when it runs.
fn live(test: &TestItem) -> impl Iterator<Item = &str> {
    test.assertions.iter().filter(|it| it.is_live()).map(|it| it.text.as_str())
}

/// What a new test asks that the old ones which became it did not.
fn came_to<'new>(
    test: &'new TestItem,
    place: (usize, usize),
    before: &[Outlined],
    matched: &[Matched],
) -> BTreeSet<&'new str> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let olds = matched.iter().filter(|pair| pair.new == place).map(|pair| pair.old);
    let olds = olds.filter_map(|(file, index)| before.get(file)?.outline.tests.get(index));
    for text in olds.flat_map(live) {
        *known.entry(text).or_default() += 1;
    }
    let came = live(test).filter(|text| match known.get_mut(text) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    came.collect()
}

#[cfg(test)]
mod tests {
    use super::super::{TestFile, match_tests};
    use super::*;

    /// What each old test without a match is put together of.
    fn parts_found(old: &str, new: &str) -> Vec<String> {
        let outlined = |source| vec![TestFile { path: "t.py", source }.outlined()];
        let (old, new) = (outlined(old), outlined(new));
        let matched = match_tests(&old, &new);
        let tests = old[0].outline.tests.iter().enumerate();
        tests
            .filter(|(at, _)| !matched.iter().any(|pair| pair.old == (0, *at)))
            .map(|(_, test)| {
                let parts = parts_of(test, (&old, &new), &matched, |_| true);
                let names = parts.iter().map(|part| new[0].outline.tests[part.1].path.join("::"));
                format!("{} -> {}", test.path.join("::"), names.collect::<Vec<_>>().join(" "))
            })
            .collect()
    }

    const TWO: &str = "def test_a():\n    x = f(1)\n    assert x == 2\n\ndef test_b():\n    y = g('b')\n    assert y == 5\n";

    #[test]
    fn a_test_may_be_taken_apart() {
        let old = "def test_both():\n    assert f(1) == 2\n    assert g(2) == 3\n";
        let new = "def test_f():\n    assert f(1) == 2\n\ndef test_g():\n    assert g(2) == 3\n";
        assert_eq!(parts_found(old, new), ["test_both -> test_f test_g"]);
        let less = "def test_f():\n    assert f(1) == 2\n\ndef test_g():\n    assert g(2) > 0\n";
        assert_eq!(parts_found(old, less), ["test_both -> "]);
    }

    #[test]
    fn a_test_may_be_put_into_another() {
        let merged =
            "def test_a():\n    x = f(1)\n    assert x == 2\n    y = g('b')\n    assert y == 5\n";
        assert_eq!(parts_found(TWO, merged), ["test_b -> test_a"]);
        let both = merged.replace("test_a", "test_all");
        assert_eq!(parts_found(TWO, &both), ["test_a -> test_all", "test_b -> test_all"]);
    }

    #[test]
    fn what_another_test_asked_all_along_is_no_answer() {
        let old = "def test_a():\n    x = f(1)\n    assert x == 2\n\ndef test_b():\n    x = f(1) + 0\n    assert x == 2\n";
        let new = "def test_a():\n    x = f(1) + 0 - 0\n    assert x == 2\n";
        assert_eq!(parts_found(old, new), ["test_b -> "]);
        let other_value =
            "def test_a():\n    x = f(1)\n    assert x == 2\n    y = g('c')\n    assert y == 5\n";
        assert_eq!(parts_found(TWO, other_value), ["test_b -> "]);
        let dead = "def test_a():\n    x = f(1)\n    assert x == 2\n    return\n    y = g('b')\n    assert y == 5\n";
        assert_eq!(parts_found(TWO, dead), ["test_b -> "]);
    }
}
