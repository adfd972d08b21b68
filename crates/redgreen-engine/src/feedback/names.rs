//! Many names in few characters, each still readable: `tests/test_a.py::test_{1..50}`.
//!
//! The notation is the shell's: `{a, b}` for alternatives and `{1..5}` for a range. A name that has
//! such characters itself is written as a JSON string, alone.

use std::collections::HashSet;

/// What makes a name impossible to fold: it would look like a fold itself.
const RESERVED: &[&str] = &["{", "}", ", ", "..", "\"", "\n"];
/// Where a name has its parts.
const SEPARATORS: &[&str] = &["::", " > ", " › ", "/", "."];
/// From this many numbers in a row on, they are written as a range.
const RANGE: usize = 3;
/// The most names that are looked at; no budget has room for more.
const NAMES_MAX: usize = 2_000;

/// The names that fit into so many characters, folded, a line each; and how many are left out.
pub(super) fn fitting(names: &[&str], chars: usize) -> (Vec<String>, usize) {
    let mut seen = HashSet::new();
    let different: Vec<&str> = names.iter().copied().filter(|name| seen.insert(*name)).collect();
    let mut count = different.len().min(NAMES_MAX);
    while count > 0 {
        let lines = folded(different.get(..count).unwrap_or_default());
        if lines.iter().map(|line| line.chars().count() + 1).sum::<usize>() <= chars {
            return (lines, different.len() - count);
        }
        count = if count > 20 { count * 4 / 5 } else { count - 1 };
    }
    (Vec::new(), different.len())
}

/// The names, those with a common beginning in one line. Every name can be read from them.
fn folded(names: &[&str]) -> Vec<String> {
    let mut heads: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut index = std::collections::HashMap::new();
    for name in names {
        let head_end = if is_reserved(name) { name.len() } else { head_end(name) };
        let (head, tail) = name.split_at(head_end);
        // A name that cannot be folded is a head of its own.
        let at = *index.entry((head, is_reserved(name))).or_insert_with(|| {
            heads.push((head, Vec::new()));
            heads.len() - 1
        });
        if let Some((_, tails)) = heads.get_mut(at) {
            tails.push(tail);
        }
    }
    heads.into_iter().map(|(head, tails)| line(head, &tails)).collect()
}

fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|characters| name.contains(characters))
}

/// Where the last part of a name begins: its parameters if it has any.
fn head_end(name: &str) -> usize {
    let last = |text: &str| {
        SEPARATORS
            .iter()
            .filter_map(|separator| Some(text.rfind(separator)? + separator.len()))
            .max()
    };
    let parameters = name.strip_suffix(']').and_then(|name| {
        let from = name.rfind("::").unwrap_or(0);
        Some(from + name.get(from..)?.find('[')? + 1)
    });
    parameters.or_else(|| last(name)).unwrap_or(0)
}

fn line(head: &str, tails: &[&str]) -> String {
    match tails {
        [tail] if is_reserved(head) => quoted(&format!("{head}{tail}")),
        [tail] => format!("{head}{tail}"),
        _ => {
            let (before, after) = common(tails);
            let middles: Vec<&str> =
                tails.iter().filter_map(|tail| tail.get(before..tail.len() - after)).collect();
            let first = tails.first().copied().unwrap_or_default();
            let start = first.get(..before).unwrap_or_default();
            let end = first.get(first.len() - after..).unwrap_or_default();
            format!("{head}{start}{{{}}}{end}", alternatives(&middles).join(", "))
        }
    }
}

fn quoted(name: &str) -> String {
    serde_json::to_string(name).unwrap_or_default()
}

/// How many bytes all begin and end with, up to the border of a word, and leaving something over.
fn common(tails: &[&str]) -> (usize, usize) {
    let first = tails.first().copied().unwrap_or_default();
    let shared =
        |same: &dyn Fn(&str) -> usize| tails.iter().map(|tail| same(tail)).min().unwrap_or(0);
    let start = shared(&|tail| {
        first
            .char_indices()
            .zip(tail.chars())
            .find(|((_, one), other)| one != other)
            .map_or_else(|| first.len().min(tail.len()), |((at, _), _)| at)
    });
    let is_border = |character: char| !character.is_alphanumeric();
    let before = first
        .get(..start)
        .and_then(|start| start.char_indices().rfind(|(_, character)| is_border(*character)))
        .map_or(0, |(at, character)| at + character.len_utf8());
    let rest = |text: &str| text.len() - before;
    let end = shared(&|tail| {
        let most = rest(first).min(rest(tail));
        first
            .chars()
            .rev()
            .zip(tail.chars().rev())
            .take_while(|(one, other)| one == other)
            .map(|(one, _)| one.len_utf8())
            .scan(0, |sum, length| {
                *sum += length;
                Some(*sum)
            })
            .take_while(|sum| *sum <= most)
            .last()
            .unwrap_or(0)
    });
    let after = first
        .get(first.len() - end..)
        .and_then(|end| end.char_indices().find(|(_, character)| is_border(*character)))
        .map_or(0, |(at, _)| end - at);
    let shortest = tails.iter().map(|tail| tail.len()).min().unwrap_or(0);
    if before + after < shortest { (before, after) } else { (0, 0) }
}

/// Numbers as ranges, everything else as it is.
fn alternatives(middles: &[&str]) -> Vec<String> {
    let as_they_are = || middles.iter().map(|middle| (*middle).to_owned()).collect();
    let widths: HashSet<usize> = middles.iter().map(|middle| middle.len()).collect();
    let padded = middles.iter().any(|middle| middle.len() > 1 && middle.starts_with('0'));
    let digits = |middle: &&str| middle.bytes().all(|byte| byte.is_ascii_digit());
    if !middles.iter().all(digits) || (padded && widths.len() > 1) {
        return as_they_are();
    }
    let numbers: Option<Vec<u64>> = middles.iter().map(|middle| middle.parse().ok()).collect();
    let Some(mut numbers) = numbers else { return as_they_are() };
    numbers.sort_unstable();
    let width = if padded { widths.into_iter().next().unwrap_or(0) } else { 0 };
    ranges(&numbers, width)
}

fn ranges(numbers: &[u64], width: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = numbers;
    while let Some(first) = rest.first() {
        let follow = rest.iter().zip(*first..).take_while(|(number, wanted)| **number == *wanted);
        let length = follow.count().max(1);
        let (run, after) = rest.split_at(length.min(rest.len()));
        match run {
            [first, .., last] if run.len() >= RANGE => {
                found.push(format!("{first:0width$}..{last:0width$}"))
            }
            _ => found.extend(run.iter().map(|number| format!("{number:0width$}"))),
        }
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All names in the lines, by the rules of the notation alone.
    fn unfolded(lines: &[String]) -> Vec<String> {
        let mut names = Vec::new();
        for line in lines {
            if line.starts_with('"') {
                names.push(serde_json::from_str(line).unwrap());
                continue;
            }
            let Some((head, rest)) = line.split_once('{') else {
                names.push(line.clone());
                continue;
            };
            let (inside, end) = rest.split_once('}').unwrap();
            for middle in inside.split(", ") {
                match middle.split_once("..") {
                    Some((first, last)) => {
                        let width = if first.starts_with('0') { first.len() } else { 0 };
                        let (first, last): (u64, u64) =
                            (first.parse().unwrap(), last.parse().unwrap());
                        names.extend(
                            (first..=last).map(|number| format!("{head}{number:0width$}{end}")),
                        );
                    }
                    None => names.push(format!("{head}{middle}{end}")),
                }
            }
        }
        names
    }

    #[test]
    fn names_with_a_common_beginning_share_it() {
        let cases: [(&[&str], &[&str]); 9] = [
            (
                &["tests/test_a.py::test_1", "tests/test_a.py::test_2"],
                &["tests/test_a.py::test_{1, 2}"],
            ),
            (&["a::t_1", "a::t_3", "a::t_2", "a::t_9"], &["a::t_{1..3, 9}"]),
            (&["a::t_01", "a::t_02", "a::t_03"], &["a::t_{01..03}"]),
            (&["a.py::t[1-x]", "a.py::t[2-x]", "a.py::u"], &["a.py::t[{1, 2}-x]", "a.py::u"]),
            (
                &["cart.test.js > get > pear", "cart.test.js > get > plum"],
                &["cart.test.js > get > {pear, plum}"],
            ),
            (
                &["x.org/cart.TestA/one", "x.org/cart.TestA/two", "x.org/cart.TestB"],
                &["x.org/cart.TestA/{one, two}", "x.org/cart.TestB"],
            ),
            (&["a::same", "a::same"], &["a::same"]),
            (&["a::b{c}", "a::b, d", "a::\"e"], &["\"a::b{c}\"", "\"a::b, d\"", "\"a::\\\"e\""]),
            (&["a::b", "a::b_c"], &["a::{b, b_c}"]),
        ];
        for (names, wanted) in cases {
            let (lines, left_out) = fitting(names, 10_000);
            assert_eq!(lines, wanted, "{names:?}");
            assert_eq!(left_out, 0);
        }
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let names: Vec<String> =
            (0..100).map(|number| format!("{}{}", "x".repeat(50), number * 7)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (lines, left_out) = fitting(&names, 1_000);
        assert!(lines.join("\n").len() <= 1_000);
        assert_eq!(unfolded(&lines).len() + left_out, 100);
        assert!(left_out < 90, "{left_out}");
        assert_eq!(fitting(&names, 3), (vec![], 100));
    }

    proptest! {
        #[test]
        fn every_name_is_recovered(names in proptest::collection::vec(
            prop_oneof!["[ab0-9_:./\\[\\]{},\" é]{0,12}", "t::[a-c]_[0-9]{1,2}", "f[0-9]{1,3}\\[[0-9]\\]"], 0..30)
        ) {
            let all: Vec<&str> = names.iter().map(String::as_str).collect();
            let (lines, left_out) = fitting(&all, usize::MAX);
            prop_assert_eq!(left_out, 0);
            let mut found = unfolded(&lines);
            found.sort();
            let mut wanted = names.clone();
            wanted.sort();
            wanted.dedup();
            prop_assert_eq!(found, wanted);
        }
    }
}
