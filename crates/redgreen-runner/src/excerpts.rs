//! The code around the places where something failed: an agent that begins anew has not read it yet.

use redgreen_model::execution::{Excerpt, Execution};
use redgreen_model::report::Location;
use redgreen_model::text::{MESSAGE_CHARS, clean_block};
use redgreen_workspace::Content;

use crate::trees::Trees;

/// So many places are shown.
const PLACES_MAX: usize = 3;
/// So many lines before a place and after it.
const AROUND: u32 = 4;
/// A larger file is no source.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The code around the places that are suspected, else around the first failing ones outside of tests. What cannot be
/// read is left out: it only helps.
pub(crate) fn around(
    trees: &Trees,
    execution: &Execution,
    suspects: &[(String, u32)],
) -> Vec<Excerpt> {
    let mut places: Vec<(String, u32)> = Vec::new();
    for place in suspects.iter().cloned().chain(failing(execution)) {
        let is_near =
            |known: &(String, u32)| known.0 == place.0 && known.1.abs_diff(place.1) <= AROUND;
        if places.len() < PLACES_MAX && !places.iter().any(is_near) {
            places.push(place);
        }
    }
    let paths: Vec<&str> = places.iter().map(|(file, _)| file.as_str()).collect();
    if paths.is_empty() {
        return Vec::new();
    }
    let read = trees.workspace.read_all(&execution.after.tree, &paths, FILE_BYTES_MAX);
    let contents = read.unwrap_or_default();
    let found = places.iter().zip(&contents).filter_map(|((file, line), content)| match content {
        Content::Bytes(bytes) => excerpt(file, *line, bytes),
        Content::TooLarge { .. } | Content::Absent => None,
    });
    found.collect()
}

/// The places of failures that are not in tests.
fn failing(execution: &Execution) -> Vec<(String, u32)> {
    let mut places: Vec<(String, u32)> = Vec::new();
    for run in &execution.checks {
        let of_tests = run.report.tests.iter().filter(|test| test.outcome.is_red());
        let of_tests = of_tests.filter_map(|test| test.failure.as_deref());
        for failure in run.report.errors.iter().chain(of_tests) {
            let is_own = |place: &&Location| {
                let test = failure.test_location.as_ref();
                !failure.in_tests && test.is_none_or(|test| test.file != place.file)
            };
            let Some(place) = failure.location.as_ref().filter(is_own) else { continue };
            let Some(line) = place.line.filter(|line| *line > 0) else { continue };
            places.push((place.file.clone(), line));
        }
    }
    places
}

fn excerpt(file: &str, line: u32, bytes: &[u8]) -> Option<Excerpt> {
    let text = String::from_utf8_lossy(bytes);
    let first = line.saturating_sub(AROUND).max(1);
    let skipped = usize::try_from(first - 1).ok()?;
    let count = usize::try_from(line - first + 1 + AROUND).ok()?;
    let lines: Vec<&str> = text.lines().skip(skipped).take(count).collect();
    let is_there = lines.len() > usize::try_from(line - first).ok()?;
    let text = clean_block(lines.join("\n").as_bytes(), MESSAGE_CHARS);
    is_there.then(|| Excerpt { file: file.to_owned(), first, line, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_with_its_neighbours_and_its_number() {
        let text: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let shown = excerpt("a.py", 2, text.as_bytes()).unwrap().shown();
        assert!(shown.starts_with("a.py:\n     1 line 1\n>    2 line 2\n"), "{shown}");
        assert!(shown.ends_with("     6 line 6\n"), "{shown}");
        assert_eq!(excerpt("a.py", 19, text.as_bytes()).unwrap().first, 15);
        assert_eq!(excerpt("a.py", 21, text.as_bytes()), None, "no such line");
    }
}
