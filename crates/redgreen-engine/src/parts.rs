//! A change in parts, and the fewest of them that turn a test red (delta debugging): "this hunk".

use redgreen_model::diff::{Kind, lines};
use redgreen_model::execution::ChangePart;
use redgreen_model::tree::LineRange;

/// A part of a change: lines that stand together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it is in the new file.
    pub place: ChangePart,
    /// The lines of the old file that it takes away; where it only adds, the line before which it does.
    old: LineRange,
    /// What it brings.
    added: Vec<String>,
}

/// The parts of a unified diff, in order.
pub fn parts(diff: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut ends: Option<(&str, u32, u32)> = None;
    for line in lines(diff) {
        if line.kind == Kind::Same || line.old == 0 || line.new == 0 {
            ends = None;
            continue;
        }
        let goes_on = ends.is_some_and(|(file, old, new)| {
            file == line.file
                && line.old <= old.saturating_add(1)
                && line.new <= new.saturating_add(1)
        });
        if !goes_on {
            parts.push(Part {
                place: ChangePart {
                    file: line.file.to_owned(),
                    lines: LineRange { start: line.new, count: 0 },
                },
                old: LineRange { start: line.old, count: 0 },
                added: Vec::new(),
            });
        }
        let Some(part) = parts.last_mut() else { continue };
        match line.kind {
            Kind::Removed => part.old.count += 1,
            _ => {
                part.place.lines.count += 1;
                part.added.push(line.text.get(1..).unwrap_or_default().to_owned());
            }
        }
        ends = Some((line.file, line.old, line.new));
    }
    parts.into_iter().flat_map(Part::line_by_line).collect()
}

impl Part {
    /// As many lines as before: each for itself.
    fn line_by_line(self) -> Vec<Self> {
        let count = u32::try_from(self.added.len()).unwrap_or(u32::MAX);
        if self.old.count != count || count < 2 {
            return vec![self];
        }
        let one = |(at, line): (u32, String)| Self {
            place: ChangePart {
                file: self.place.file.clone(),
                lines: LineRange { start: self.place.lines.start + at, count: 1 },
            },
            old: LineRange { start: self.old.start + at, count: 1 },
            added: vec![line],
        };
        (0..).zip(self.added.iter().cloned()).map(one).collect()
    }
}

/// The old file with some parts of its change.
pub fn applied(old: &str, parts: &[&Part]) -> String {
    let mut text = String::new();
    let mut number = 0;
    let add = |text: &mut String, number: u32| {
        for part in parts.iter().filter(|part| part.old.start == number) {
            part.added.iter().for_each(|line| {
                text.push_str(line);
                text.push('\n');
            });
        }
    };
    for line in old.split_inclusive('\n') {
        number += 1;
        add(&mut text, number);
        if parts.iter().any(|part| part.old.contains(number)) {
            continue;
        }
        text.push_str(line);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let after = parts.iter().map(|part| part.old.start).filter(|start| *start > number);
    let after: std::collections::BTreeSet<u32> = after.collect();
    after.into_iter().for_each(|start| add(&mut text, start));
    text
}

/// The fewest of so many parts with which it turns red, where all of them together do. `turns` says whether some of
/// them do; none where there is no time to see: then it is the best so far. Halves first, then what is left without
/// one piece, ever finer.
pub fn smallest<E>(
    count: usize,
    mut turns: impl FnMut(&[usize]) -> Result<Option<bool>, E>,
) -> Result<Vec<usize>, E> {
    let mut left: Vec<usize> = (0..count).collect();
    let mut pieces = 2;
    while left.len() > 1 {
        let size = left.len().div_ceil(pieces);
        let chunks: Vec<Vec<usize>> = left.chunks(size).map(<[usize]>::to_vec).collect();
        let without = |chunk: &Vec<usize>| -> Vec<usize> {
            left.iter().copied().filter(|part| !chunk.contains(part)).collect()
        };
        // With two pieces, what is left without one is the other.
        let rest: Vec<Vec<usize>> =
            if chunks.len() > 2 { chunks.iter().map(without).collect() } else { Vec::new() };
        let mut found = None;
        for (is_piece, tried) in
            chunks.iter().map(|it| (true, it)).chain(rest.iter().map(|it| (false, it)))
        {
            match turns(tried)? {
                None => return Ok(left),
                Some(true) => {
                    found = Some((is_piece, tried.clone()));
                    break;
                }
                Some(false) => {}
            }
        }
        match found {
            Some((is_piece, smaller)) => {
                pieces = if is_piece { 2 } else { (pieces - 1).max(2) };
                left = smaller;
            }
            None if pieces >= left.len() => break,
            None => pieces = (pieces * 2).min(left.len()),
        }
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "a\nb\nc\nd\ne\n";
    const NEW: &str = "a\nB1\nB2\nc\ne\nf\n";
    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1,5 +1,6 @@\n a\n-b\n+B1\n+B2\n c\n-d\n e\n+f\n";

    #[test]
    fn a_diff_is_taken_apart_and_put_together_again() {
        let parts = parts(DIFF);
        let places: Vec<(u32, u32)> =
            parts.iter().map(|it| (it.place.lines.start, it.place.lines.count)).collect();
        assert_eq!(places, [(2, 2), (5, 0), (6, 1)]);
        let all: Vec<&Part> = parts.iter().collect();
        assert_eq!(applied(OLD, &all), NEW);
        assert_eq!(applied(OLD, &[]), OLD);
        assert_eq!(applied(OLD, &[&parts[0]]), "a\nB1\nB2\nc\nd\ne\n");
        assert_eq!(applied(OLD, &[&parts[1]]), "a\nb\nc\ne\n");
        assert_eq!(applied(OLD, &[&parts[2]]), "a\nb\nc\nd\ne\nf\n");
    }

    #[test]
    fn lines_that_took_the_place_of_lines_are_told_apart() {
        let parts = parts("--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n a\n-b\n-c\n+B\n+C\n d\n");
        assert_eq!(parts.len(), 2);
        assert_eq!(applied("a\nb\nc\nd\n", &[&parts[1]]), "a\nb\nC\nd\n");
        assert_eq!(applied("a\nb\nc\nd\n", &[&parts[0], &parts[1]]), "a\nB\nC\nd\n");
    }

    #[test]
    fn the_fewest_are_found_whatever_they_are() {
        for culprits in [vec![0], vec![6], vec![2, 5], vec![0, 3, 7]] {
            let mut runs = 0;
            let found = smallest(8, |tried| {
                runs += 1;
                Ok::<_, ()>(Some(culprits.iter().all(|it| tried.contains(it))))
            });
            assert_eq!(found, Ok(culprits.clone()));
            assert!(culprits.len() > 1 || runs <= 6, "{runs} runs for one");
        }
    }

    #[test]
    fn without_time_it_is_the_best_so_far() {
        let mut left = 1;
        let found = smallest(4, |tried| {
            left -= 1;
            Ok::<_, ()>((left >= 0).then(|| tried.contains(&0)))
        });
        assert_eq!(found, Ok(vec![0, 1]));
    }
}
