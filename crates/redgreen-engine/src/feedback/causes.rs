//! Failures by their cause: each cause is reported once, with every test that shows it.

use std::collections::HashMap;

use redgreen_model::error_class::ErrorClass;
use redgreen_model::report::FailureKind;
use redgreen_model::text::{LINE_CHARS, bound_end, bound_middle};

use super::items::{FailureItem, PRE_EXISTING};
use super::names::fitting;

/// The most characters of one line about a cause.
const SUMMARY_CHARS: usize = 160;

/// How many tests are so many that what they have in common explains them.
const SEVERAL: usize = 3;
/// How many changed files can explain something.
const CHANGED_MAX: usize = 3;

/// How much may be said.
pub(super) struct Room<'room> {
    /// The most causes that are shown in full; of the others there is a line each.
    pub(super) shown_max: usize,
    /// How many characters all of it takes; names come first.
    pub(super) chars: usize,
    /// The least and the most of what one cause says.
    pub(super) detail_min: usize,
    pub(super) detail_max: usize,
    /// The most lines about further causes.
    pub(super) summaries_max: usize,
    /// Where all of it is.
    pub(super) whole: &'room str,
}

/// One cause.
pub(super) struct Cause<'items> {
    items: Vec<&'items FailureItem>,
}

impl<'items> Cause<'items> {
    /// The first failure speaks for all.
    fn example(&self) -> Option<&'items FailureItem> {
        self.items.first().copied()
    }

    /// What to look at first: what hides everything else, then what breaks in the code, then what
    /// comes out wrong. What was there before comes last.
    fn rank(&self) -> (bool, u8, std::cmp::Reverse<usize>) {
        let old = self.items.iter().all(|item| item.class == PRE_EXISTING);
        let urgency = self.example().map_or(u8::MAX, |item| match item.kind {
            FailureKind::CompileError | FailureKind::ToolingError => 0,
            FailureKind::RuntimeError | FailureKind::Timeout => 1,
            FailureKind::TestFailure if item.error_class != ErrorClass::AssertionError => 1,
            FailureKind::TestFailure => 2,
            FailureKind::LintFailure | FailureKind::Unknown => 3,
        });
        (old, urgency, std::cmp::Reverse(self.items.len()))
    }

    /// What several tests fail for that were left alone themselves, in a line: what was changed beside them, where
    /// that is little enough to look at.
    fn changed_elsewhere(&self, changed: &[String]) -> String {
        let own = |file: &String| self.items.iter().any(|item| item.is_in(file));
        if self.items.len() < SEVERAL || changed.len() > CHANGED_MAX || changed.iter().any(own) {
            return String::new();
        }
        match changed {
            [] => String::new(),
            [file] => format!("changed, and common to all of them: {file}\n"),
            files => format!("changed, but none of their own files: {}\n", files.join(", ")),
        }
    }

    /// The tests, a line for those of one class that begin alike.
    fn names(&self, budget: &mut usize, whole: &str) -> String {
        let mut classes: Vec<String> = Vec::new();
        for item in &self.items {
            let class = class_of(item);
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        let mut text = String::new();
        for class in classes {
            let of_class = self.items.iter().filter(|item| class_of(item) == class);
            let names: Vec<&str> = of_class.map(|item| item.test.as_str()).collect();
            let (lines, left_out) = fitting(&names, *budget);
            match lines.as_slice() {
                [line] if left_out == 0 => text.push_str(&format!("- {line} ({class})\n")),
                _ => {
                    text.push_str(&format!("({class})\n"));
                    lines.iter().for_each(|line| text.push_str(&format!("- {line}\n")));
                }
            }
            if left_out > 0 {
                text.push_str(&format!("- and {left_out} more, all in {whole}\n"));
            }
            *budget = budget
                .saturating_sub(lines.iter().map(|line| line.chars().count() + 1).sum::<usize>());
        }
        text
    }
}

/// How a test stands, and since when where that is not the last attempt.
fn class_of(item: &FailureItem) -> String {
    match item.since_attempt {
        Some(attempt) if item.is_earlier => format!("{}, since attempt {attempt}", item.class),
        _ => item.class.to_owned(),
    }
}

/// How many characters the names of all tests take.
pub(super) fn names_chars(causes: &[Cause<'_>]) -> usize {
    names_of(causes, causes.len().min(1), NAMES_ROOM)
}

/// The same where so many causes have lists of their own.
fn names_of(causes: &[Cause<'_>], shown: usize, most: usize) -> usize {
    let mut budget = most;
    let (own, rest) = causes.split_at(shown.min(causes.len()));
    let lists = own.iter().map(|cause| cause.names(&mut budget, "")).collect::<String>();
    let rest = together(rest).map_or_else(String::new, |rest| rest.names(&mut budget, ""));
    (lists.chars().count() + rest.chars().count()).min(most)
}

/// Causes of which only the names are told.
fn together<'items>(causes: &[Cause<'items>]) -> Option<Cause<'items>> {
    let items: Vec<&FailureItem> = causes.iter().flat_map(|it| it.items.iter().copied()).collect();
    (!items.is_empty()).then_some(Cause { items })
}

/// The causes of failures, the most important first.
pub(super) fn causes(failures: &[FailureItem]) -> Vec<Cause<'_>> {
    let mut found: Vec<Cause<'_>> = Vec::new();
    let mut index: HashMap<Key<'_>, usize> = HashMap::new();
    for item in failures {
        let keys = [Some(Key::said(item)), Key::place(item)];
        let known = keys.iter().flatten().find_map(|key| index.get(key).copied());
        let at = known.unwrap_or(found.len());
        if at == found.len() {
            found.push(Cause { items: Vec::new() });
        }
        for key in keys.into_iter().flatten() {
            index.entry(key).or_insert(at);
        }
        if let Some(cause) = found.get_mut(at) {
            cause.items.push(item);
        }
    }
    found.sort_by_key(Cause::rank);
    found
}

/// What two failures of one cause have in common.
#[derive(PartialEq, Eq, Hash)]
enum Key<'item> {
    Fingerprint(&'item str),
    /// Without a fingerprint, the same words are the same cause, but for the name of the test.
    Words(&'item str, ErrorClass, bool, String),
    /// The same error at the same line, whatever the values.
    Place(&'item str, &'item str, u32),
}

impl<'item> Key<'item> {
    fn said(item: &'item FailureItem) -> Self {
        match item.fingerprint.as_str() {
            "" => {
                let words = item.message.replace(&item.test, "…");
                let is_old = item.class == PRE_EXISTING;
                Self::Words(&item.error_type, item.error_class, is_old, words)
            }
            fingerprint => Self::Fingerprint(fingerprint),
        }
    }

    fn place(item: &'item FailureItem) -> Option<Self> {
        let place = item.location.as_ref()?;
        Some(Self::Place(&item.error_type, &place.file, place.line?))
    }
}

/// More than any report has room for.
const NAMES_ROOM: usize = 100_000;
/// What stands above the names of a cause, and around them.
const HEADING_CHARS: usize = 50;

/// The blocks of text that tell the causes, each to be fenced.
/// `changed` are the files that were changed.
pub(super) fn blocks(causes: &[Cause<'_>], changed: &[String], room: &Room<'_>) -> Vec<String> {
    let names_max = room.chars.saturating_sub(room.detail_min + HEADING_CHARS);
    let detail_min = room.detail_min + HEADING_CHARS;
    // Where names take the room, fewer causes are told in full.
    let shown = (2..=causes.len().min(room.shown_max)).rev();
    let mut fitting = shown
        .filter(|shown| names_of(causes, *shown, names_max) + shown * detail_min <= room.chars);
    let shown = fitting.next().unwrap_or(1).min(causes.len());
    let (own, rest) = causes.split_at(shown);
    let rest_names = together(rest).map_or(0, |_| {
        names_of(causes, shown, names_max).saturating_sub(names_of(own, shown, names_max))
    });
    let mut budget = names_max.saturating_sub(rest_names);
    let mut left = room.chars.saturating_sub(rest_names);
    let names: Vec<String> = own.iter().map(|it| it.names(&mut budget, room.whole)).collect();
    budget += rest_names;
    let own_names: usize = names.iter().map(|names| names.chars().count()).sum();
    let detail = left.saturating_sub(own_names) / shown.max(1);
    let detail = detail.saturating_sub(HEADING_CHARS).clamp(room.detail_min, room.detail_max);
    let mut blocks: Vec<String> = Vec::new();
    for (number, (cause, names)) in own.iter().zip(names).enumerate() {
        let Some(example) = cause.example() else { continue };
        let said = in_full(example, detail);
        let elsewhere = cause.changed_elsewhere(changed);
        let heading = format!("cause {} of {}, seen in:", number + 1, causes.len());
        let block = format!("{heading}\n{names}{elsewhere}{said}");
        left = left.saturating_sub(block.chars().count());
        blocks.push(block);
    }
    // A line of its own for each of the others, as far as there is room.
    let lines_max = room.summaries_max.min(left / SUMMARY_CHARS).min(rest.len());
    let (summed_up, more) = rest.split_at(lines_max);
    let lines: Vec<String> = summed_up
        .iter()
        .enumerate()
        .filter_map(|(number, cause)| {
            let summary = in_a_line(cause.example()?);
            let names = cause.names(&mut budget, room.whole);
            Some(format!("cause {}: {summary}\n{names}", shown + number + 1))
        })
        .collect();
    if !lines.is_empty() {
        blocks.push(lines.concat());
    }
    if let Some(more) = together(more) {
        blocks.push(format!("of other causes:\n{}", more.names(&mut budget, room.whole)));
    }
    blocks
}

fn in_a_line(item: &FailureItem) -> String {
    let first = item.message.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    let place = item.location.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    format!("{}{place}", bound_end(&format!("{}: {first}", item.error_type), SUMMARY_CHARS))
}

/// A failure with so many characters of what it says.
fn in_full(item: &FailureItem, chars: usize) -> String {
    let mut text = format!(
        "kind: {}\nerror: {}\n{}\n",
        item.kind,
        bound_end(&item.error_type, LINE_CHARS),
        bound_middle(&item.message, chars / 4)
    );
    for (name, value) in [("expected", &item.expected), ("actual", &item.actual)] {
        if let Some(value) = value {
            text.push_str(&format!("{name}: {}\n", bound_middle(value, chars / 8)));
        }
    }
    for (name, place) in [("location", &item.location), ("test location", &item.test_location)] {
        if let Some(place) = place {
            let function = place.function.as_deref().map(|name| format!(" in {name}"));
            let function = bound_end(&function.unwrap_or_default(), SUMMARY_CHARS);
            text.push_str(&format!("{name}: {place}{function}\n"));
        }
    }
    if !item.stack.is_empty() {
        text.push_str(&format!("\n{}\n", bound_middle(&item.stack, chars * 2 / 5)));
    }
    text
}

#[cfg(test)]
mod tests {
    use redgreen_model::report::Location;

    use super::*;

    fn item(test: &str, message: &str) -> FailureItem {
        FailureItem {
            check: "unit".to_owned(),
            test: test.to_owned(),
            class: "new",
            since_attempt: None,
            is_earlier: false,
            kind: FailureKind::TestFailure,
            error_type: "gone".to_owned(),
            error_class: ErrorClass::default(),
            fingerprint: String::new(),
            message: message.to_owned(),
            expected: None,
            actual: None,
            location: None,
            test_location: None,
            stack: String::new(),
        }
    }

    fn told(items: &[FailureItem], changed: &[&str]) -> String {
        let changed: Vec<String> = changed.iter().map(|file| (*file).to_owned()).collect();
        let room = Room {
            shown_max: 5,
            chars: 4_000,
            detail_min: 300,
            detail_max: 3_000,
            summaries_max: 60,
            whole: "all.json",
        };
        blocks(&causes(items), &changed, &room).join("\n")
    }

    #[test]
    fn the_same_words_about_many_tests_are_one_cause_and_the_file_they_share_is_named() {
        let gone = |test: &str| item(test, &format!("{test}: it is gone: declare '{test}'"));
        let items: Vec<FailureItem> =
            (0..900).map(|number| gone(&format!("spec/a_spec.rb > {number}"))).collect();
        let text = told(&items, &["Rakefile"]);
        assert!(text.starts_with("cause 1 of 1, seen in:"), "{text}");
        assert!(text.contains("changed, and common to all of them: Rakefile\n"), "{text}");
        let own = told(&items, &["spec/a_spec.rb", "Rakefile"]);
        assert!(!own.contains("changed, "), "their own file was changed: {own}");
        let few = told(&items[..2], &["Rakefile"]);
        assert!(!few.contains("changed, "), "two may fail for anything: {few}");
    }

    #[test]
    fn one_error_at_one_line_is_one_cause_whatever_the_values() {
        let at = |test: &str, line: u32, value: u32| {
            let mut failure = item(test, &format!("assert {value} == 3"));
            failure.fingerprint = format!("1:{value}");
            let file = "shop.py".to_owned();
            failure.location = Some(Location { file, line: Some(line), function: None });
            failure
        };
        let here: Vec<FailureItem> = (1..5).map(|value| at("t", 7, value)).collect();
        assert_eq!(causes(&here).len(), 1);
        assert_eq!(causes(&[at("t", 7, 1), at("u", 8, 2)]).len(), 2);
        assert_eq!(
            causes(&[at("t", 7, 1), at("u", 8, 1)]).len(),
            1,
            "the same cause in two places"
        );
    }
}
