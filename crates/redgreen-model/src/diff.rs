//! The lines of a diff, and which of them tell most where something failed: what is bounded keeps those.

#[cfg(test)]
mod tests;

use crate::debug_memory::Failure;

/// What a line of a diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// It stands around what was changed.
    Same,
}

/// A line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its file, by the name that it has now.
    pub file: &'a str,
    /// What it is.
    pub kind: Kind,
    /// Its number before the change; for an added line that of the one whose place it took. 0 where nobody says.
    pub old: u32,
    /// Its number after the change; for a removed line that of the one that took its place.
    pub new: u32,
    /// The line with its sign.
    pub text: &'a str,
}

impl Line<'_> {
    /// Whether it was added or removed.
    pub fn is_change(&self) -> bool {
        self.kind != Kind::Same
    }
}

/// Before or after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before it.
    Old,
    /// After it.
    New,
}

/// Where the lines stand that are being read.
#[derive(Default)]
struct DiffCursor<'a> {
    file: &'a str,
    /// The next lines on both sides, and how many are left in the hunk.
    next: (u32, u32),
    left: (u32, u32),
    /// How many of the lines right before were removed and added.
    run: (u32, u32),
}

/// The lines of a unified diff; what is none is passed over.
pub fn lines(diff: &str) -> Vec<Line<'_>> {
    let mut cursor = DiffCursor::default();
    let all: Vec<&str> = diff.lines().collect();
    let mut lines = Vec::new();
    for (index, text) in all.iter().enumerate() {
        // A hunk that was cut ends where the next file begins, whatever its header says.
        if begins_file(&all[index..]) {
            cursor.left = (0, 0);
        }
        lines.extend(cursor.line(text));
    }
    lines
}

/// Whether the next lines can only be the headers of a file and its first hunk.
fn begins_file(lines: &[&str]) -> bool {
    let heads = ["--- ", "+++ ", "@@ -"];
    lines.len() >= heads.len() && lines.iter().zip(heads).all(|(line, head)| line.starts_with(head))
}

impl<'a> DiffCursor<'a> {
    fn line(&mut self, text: &'a str) -> Option<Line<'a>> {
        // In a hunk a line that begins with `--` may be content: its header says how many there are.
        let is_inside = self.left != (0, 0) && text.starts_with([' ', '+', '-', '\\']);
        if !is_inside {
            self.left = (0, 0);
            if let Some(hunk) = hunk(text) {
                (self.next, self.left) = hunk;
                self.run = (0, 0);
                return None;
            }
            if let Some(file) = file_of_header(text) {
                (self.file, self.next) = (file, (0, 0));
            }
            if ["--- ", "+++ ", "diff "].iter().any(|header| text.starts_with(header)) {
                self.run = (0, 0);
                return None;
            }
        }
        self.content(text)
    }

    fn content(&mut self, text: &'a str) -> Option<Line<'a>> {
        let kind = match text.bytes().next() {
            Some(b'+') => Kind::Added,
            Some(b'-') => Kind::Removed,
            Some(b' ') => Kind::Same,
            _ => return None,
        };
        // Removed and added lines stand side by side, as many as there are.
        let side_by_side = |next: u32, by: u32, run: u32| {
            if next == 0 { 0 } else { next.saturating_sub(run).saturating_add(by) }
        };
        let (removed, added) = self.run;
        let (old, new) = match kind {
            Kind::Same => self.next,
            Kind::Removed => (self.next.0, side_by_side(self.next.1, removed, added)),
            Kind::Added => (side_by_side(self.next.0, added, removed), self.next.1),
        };
        match kind {
            Kind::Same => self.run = (0, 0),
            Kind::Removed => self.run.0 += 1,
            Kind::Added => self.run.1 += 1,
        }
        let step = |next: &mut u32, left: &mut u32| {
            *next = if *next == 0 { 0 } else { next.saturating_add(1) };
            *left = left.saturating_sub(1);
        };
        if kind != Kind::Added {
            step(&mut self.next.0, &mut self.left.0);
        }
        if kind != Kind::Removed {
            step(&mut self.next.1, &mut self.left.1);
        }
        Some(Line { file: self.file, kind, old, new, text })
    }
}

/// The first lines of a hunk, and how many it has: `@@ -4,3 +4,4 @@`.
fn hunk(line: &str) -> Option<((u32, u32), (u32, u32))> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old, old_count), (new, new_count)) = (range(old)?, range(new)?);
    Some(((old.max(1), new.max(1)), (old_count, new_count)))
}

/// The file that a header names: the new one comes last, and counts where it is there.
fn file_of_header(line: &str) -> Option<&str> {
    let file = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ "))?.trim_end();
    let own = file.strip_prefix("a/").or_else(|| file.strip_prefix("b/")).unwrap_or(file);
    (own != "/dev/null").then_some(own)
}

/// What failures point to.
#[derive(Clone, Debug, Default)]
pub struct Focus<'a> {
    places: Vec<(Side, &'a str, Option<u32>)>,
    tests: Vec<&'a str>,
    stacks: Vec<&'a str>,
}

/// Endings of documents: they break nothing as a rule.
const DOCUMENTS: [&str; 5] = [".md", ".rst", ".txt", ".adoc", ".lock"];
/// As far away as can be.
const FAR: u32 = u32::MAX;

impl<'a> Focus<'a> {
    /// Adds what some failures point to, that were seen before a change or after it.
    #[must_use]
    pub fn and(mut self, side: Side, failures: impl IntoIterator<Item = &'a Failure>) -> Self {
        for failure in failures {
            self.tests.extend(failure.test_file.as_deref());
            self.stacks.extend(failure.stack_trace.as_deref());
            let place = failure.source_location.as_ref();
            let place = place.and_then(|place| Some((side, place.file.as_deref()?, place.line)));
            self.places.extend(place);
        }
        self
    }

    /// How near a line is to what failed, the nearest first: the code where it failed, by its lines; code that
    /// the stack names; code that the test is named after; the rest; the test that shows it; documents.
    pub fn nearness(&self, line: &Line<'_>) -> (u8, u32) {
        let rank = self.rank(line.file);
        let distance = |(side, file, place): &(Side, &str, Option<u32>)| {
            let number = if *side == Side::Old { line.old } else { line.new };
            match place {
                Some(place) if *file == line.file && number > 0 => place.abs_diff(number),
                _ => FAR,
            }
        };
        (rank, self.places.iter().map(distance).min().unwrap_or(FAR))
    }

    /// The same for a file.
    pub fn rank(&self, file: &str) -> u8 {
        if self.tests.contains(&file) {
            4
        } else if self.places.iter().any(|(_, place, _)| *place == file) {
            0
        } else if DOCUMENTS.iter().any(|ending| file.ends_with(ending)) {
            5
        } else if !file.is_empty() && self.stacks.iter().any(|stack| stack.contains(file)) {
            1
        } else if self.tests.iter().any(|test| is_named_after(test, file)) {
            2
        } else {
            3
        }
    }

    /// Whether a file is one of those that break nothing as a rule.
    pub fn is_document(&self, file: &str) -> bool {
        self.rank(file) == 5
    }
}

/// Whether `tests/test_cart.py` is named after `src/cart.py`.
fn is_named_after(test: &str, file: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let (test, file) = (name(test), name(file));
    let stem = file.split('.').next().unwrap_or_default();
    stem.len() > 2 && test.contains(stem)
}

/// In the place of lines that are left out.
const HUNK_CHARS: usize = 40;

/// A diff in at most about so many characters: the lines that are nearest to what failed, in hunks whose numbers are
/// right, and how many more there are.
pub fn bounded(diff: &str, focus: &Focus<'_>, chars_max: usize) -> String {
    if diff.chars().count() <= chars_max {
        return diff.to_owned();
    }
    let lines = lines(diff);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|index| focus.nearness(&lines[*index]));
    let mut left = chars_max.saturating_sub(HUNK_CHARS);
    let mut kept = vec![false; lines.len()];
    let mut files: Vec<&str> = Vec::new();
    for index in order {
        let line = &lines[index];
        let has_header = files.contains(&line.file);
        // A hunk's header where it does not go on from a line that is there.
        let goes_on = |beside: Option<usize>| beside.is_some_and(|it| kept.get(it) == Some(&true));
        let joins = goes_on(index.checked_sub(1)) || goes_on(Some(index + 1));
        let cost = line.text.chars().count()
            + 1
            + if joins { 0 } else { HUNK_CHARS }
            + if has_header { 0 } else { 2 * line.file.chars().count() + 14 };
        if cost > left {
            break;
        }
        left -= cost;
        kept[index] = true;
        if !has_header {
            files.push(line.file);
        }
    }
    written(&lines, &kept)
}

/// The lines that are kept, as a diff.
fn written(lines: &[Line<'_>], kept: &[bool]) -> String {
    let mut text = String::new();
    let mut file = None;
    let mut index = 0;
    while index < lines.len() {
        let length = |from: usize| {
            let here = |it: &usize| kept[*it] && lines[*it].file == lines[from].file;
            (from..lines.len()).take_while(here).count()
        };
        let length = length(index);
        if length == 0 {
            index += 1;
            continue;
        }
        let hunk = &lines[index..index + length];
        if file != Some(hunk[0].file) {
            file = Some(hunk[0].file);
            text.push_str(&format!("--- a/{0}\n+++ b/{0}\n", hunk[0].file));
        }
        let count = |kind: Kind| hunk.iter().filter(|line| line.kind != kind).count();
        let (old, new) = (count(Kind::Added), count(Kind::Removed));
        text.push_str(&format!("@@ -{},{old} +{},{new} @@\n", hunk[0].old, hunk[0].new));
        for line in hunk {
            text.push_str(line.text);
            text.push('\n');
        }
        index += length;
    }
    let more = kept.iter().filter(|is_kept| !**is_kept).count();
    text + &format!("[… {more} more lines …]\n")
}
