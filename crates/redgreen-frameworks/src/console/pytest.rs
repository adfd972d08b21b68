//! pytest, quiet or verbose, with or without xdist, in every style of traceback.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use memchr::memmem::Finder;
use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::python::described;
use super::run::{Claimed, Run};
use super::words::{counts, duration_ms, typed};
use crate::stream::FailureRecord;

pub(crate) const DIALECT: Dialect = Dialect {
    program: "pytest",
    runs_tests: true,
    signs: Signs { first: "=0123456789[", last: "]DRLS)", places: &[] },
    begins,
    reader: || Box::<Pytest>::default(),
};

/// The words for outcomes, in verbose lines and in the summary.
const OUTCOMES: [(&str, TestOutcome); 6] = [
    ("PASSED", TestOutcome::Passed),
    ("FAILED", TestOutcome::Failed),
    ("ERROR", TestOutcome::Errored),
    ("SKIPPED", TestOutcome::Skipped),
    ("XFAIL", TestOutcome::ExpectedFailure),
    ("XPASS", TestOutcome::UnexpectedPass),
];
/// The words that the last line counts.
const COUNTED: [&str; 11] = [
    "passed",
    "failed",
    "error",
    "errors",
    "skipped",
    "xfailed",
    "xpassed",
    "deselected",
    "warning",
    "warnings",
    "rerun",
];

#[derive(Default)]
struct Pytest {
    section: Section,
    heading: String,
    block: Block,
    pending: Vec<Pending>,
    named: BTreeSet<String>,
    begun: bool,
    stopped: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Progress,
    Red,
    Summary,
    Other,
}

/// A failure whose test is known by its short name only.
struct Pending {
    heading: String,
    text: String,
}

fn begins(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'=') => title(line).is_some_and(|title| {
            matches!(
                title,
                "test session starts" | "short test summary info" | "FAILURES" | "ERRORS"
            ) || last_counts(title).is_some()
        }),
        Some(b'0'..=b'9') if last_counts(line).is_some() => true,
        _ => verbose(line).is_some(),
    }
}

impl Reader for Pytest {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if let Some(title) = title(line) {
            return self.titled(title, run);
        }
        if line.starts_with('!') && line.ends_with('!') {
            self.stopped |= line.contains("KeyboardInterrupt") || line.contains("outcomes.Exit");
            return Taken::Mine;
        }
        if line.starts_with(|first: char| first.is_ascii_digit())
            && let Some((claimed, ms)) = last_counts(line)
        {
            return self.last(claimed, ms, run);
        }
        match self.section {
            Section::Progress => self.progress(line, run),
            Section::Red => {
                self.red(line);
                Taken::Mine
            }
            Section::Summary => self.summary(line, run),
            Section::Other => Taken::Not,
        }
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close();
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for id in &self.named {
            let short = id.split_once("::").map_or(id.as_str(), |(_, short)| short);
            by_name.entry(short).or_default().push(id);
        }
        for pending in &self.pending {
            explain(pending, &mut by_name, run);
        }
    }
}

impl Pytest {
    fn titled(&mut self, title: &str, run: &mut Run<'_>) -> Taken {
        self.close();
        match title {
            "test session starts" => {
                let again = std::mem::replace(&mut self.begun, true);
                run.started();
                return Taken::mine(!again);
            }
            "FAILURES" | "ERRORS" => {
                self.section = Section::Red;
                self.heading.clear();
            }
            "short test summary info" => self.section = Section::Summary,
            _ => match last_counts(title) {
                Some((claimed, ms)) => return self.last(claimed, ms, run),
                None => self.section = Section::Other,
            },
        }
        Taken::Mine
    }

    fn last(&mut self, claimed: Claimed, ms: u64, run: &mut Run<'_>) -> Taken {
        run.claims(claimed);
        run.took(ms);
        run.complete(!self.stopped);
        Taken::Last
    }

    /// `a.py::test PASSED [ 10%]`, or `[gw0] [ 10%] PASSED a.py::test`.
    fn progress(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        let Some((id, outcome)) = verbose(line) else { return Taken::Not };
        if outcome == TestOutcome::Errored && run.outcome_of(id) == Some(TestOutcome::Passed) {
            // The call passed, and the tear-down failed: one test.
            run.listed(id, outcome);
        } else {
            run.ended(id, outcome, 0);
        }
        if outcome.is_red() {
            self.named.insert(id.to_owned());
        }
        Taken::Mine
    }

    fn red(&mut self, line: &str) {
        match heading(line) {
            Some(heading) => {
                self.close();
                heading.clone_into(&mut self.heading);
                self.block.push("");
            }
            None => self.block.push(line),
        }
    }

    fn close(&mut self) {
        if self.section == Section::Red && !self.block.is_empty() {
            let text = self.block.take();
            // With `--tb=line` there are no headings, and nothing tells whose line it is.
            if !self.heading.is_empty() {
                self.pending.push(Pending { heading: self.heading.clone(), text });
            }
        }
    }

    fn summary(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        let found = OUTCOMES.iter().find_map(|(word, outcome)| {
            Some((line.strip_prefix(word)?.strip_prefix(' ')?, *outcome))
        });
        let Some((rest, outcome)) = found else { return Taken::Not };
        let (id, message) = split_message(rest);
        if id.contains("::") {
            run.listed(id, outcome);
            if outcome.is_red() {
                self.named.insert(id.to_owned());
                run.because(id, outcome, said(message), Some((file_of(id), None)));
            }
        } else if outcome.is_red() && !self.pending.iter().any(|block| block.heading.ends_with(id))
        {
            run.error(FailureKind::CompileError, said(message), Some((id, None)));
        }
        Taken::Mine
    }
}

/// The middle of `==== FAILURES ====`.
fn title(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('=')?.trim_start_matches('=').strip_prefix(' ')?;
    Some(inner.trim_end().strip_suffix('=')?.trim_end_matches('=').trim_end())
}

/// The middle of `____ test_total ____`.
fn heading(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('_')?.trim_start_matches('_').strip_prefix(' ')?;
    let inner = inner.trim_end().strip_suffix('_')?.trim_end_matches('_').trim_end();
    (!inner.is_empty() && !inner.starts_with("_ ") && inner != "_").then_some(inner)
}

/// `5 failed, 3 passed in 0.22s`, with what it counts.
fn last_counts(text: &str) -> Option<(Claimed, u64)> {
    let (counted, time) = text.rsplit_once(" in ")?;
    let ms = duration_ms(time.split(" (").next()?)?;
    let mut claimed = Claimed::default();
    if counted == "no tests ran" {
        return Some((claimed, ms));
    }
    for part in counted.split(", ") {
        let (count, word) = counts(part).next()?;
        let whole = part.split(' ').count() == 2;
        if !whole || !COUNTED.contains(&word) {
            return None;
        }
        match word {
            "passed" | "xpassed" => claimed.passed += count,
            "failed" | "error" | "errors" => claimed.red += count,
            "skipped" | "xfailed" => claimed.skipped += count,
            _ => {}
        }
    }
    Some((claimed, ms))
}

fn verbose(line: &str) -> Option<(&str, TestOutcome)> {
    if let Some(worker) = line.strip_prefix("[gw") {
        let (_, rest) = worker.split_once("%] ")?;
        let (word, id) = rest.split_once(' ')?;
        return outcome(word).filter(|_| id.contains("::")).map(|outcome| (id.trim_end(), outcome));
    }
    let text = line.trim_ascii_end();
    // Most lines are other lines, and recognised by their last byte alone.
    if line.starts_with(' ')
        || !matches!(text.as_bytes().last()?, b']' | b'D' | b'R' | b'L' | b'S' | b')')
    {
        return None;
    }
    static TEST: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(".py::"));
    TEST.find(line.as_bytes())?;
    let text = match text.strip_suffix("%]").and_then(|text| text.rsplit_once('[')) {
        Some((text, percent)) if percent.trim().bytes().all(|byte| byte.is_ascii_digit()) => text,
        _ => text,
    };
    let text = text.trim_ascii_end();
    if let Some((id, word)) = text.rsplit_once(' ')
        && let Some(outcome) = outcome(word)
    {
        return Some((id, outcome));
    }
    [" SKIPPED (", " XFAIL (", " XPASS ("].iter().find_map(|word| {
        let at = text.find(word)?;
        Some((text.get(..at)?, outcome(word.trim_matches([' ', '(']))?))
    })
}

fn outcome(word: &str) -> Option<TestOutcome> {
    OUTCOMES.iter().find(|(known, _)| *known == word).map(|(_, outcome)| *outcome)
}

/// The id and the message of `a.py::test[x - y] - message`.
fn split_message(text: &str) -> (&str, &str) {
    let bracket = text.find('[').filter(|at| text.find(" - ").is_none_or(|dash| *at < dash));
    let from = bracket.and_then(|_| text.find("] - ")).map_or(0, |at| at + 1);
    match text.get(from..).and_then(|rest| rest.find(" - ")) {
        Some(at) => {
            (text.get(..from + at).unwrap_or(text), text.get(from + at + 3..).unwrap_or(""))
        }
        None => (text, ""),
    }
}

fn file_of(id: &str) -> &str {
    id.split_once("::").map_or(id, |(file, _)| file)
}

fn said(message: &str) -> FailureRecord {
    let (error_type, message) = typed(message).unwrap_or(("AssertionError", message));
    FailureRecord {
        error_type: error_type.to_owned(),
        message: message.to_owned(),
        ..FailureRecord::default()
    }
}

/// Gives the failure to its test: the one of that name whose file is in the traceback.
fn explain(pending: &Pending, by_name: &mut HashMap<&str, Vec<&str>>, run: &mut Run<'_>) {
    let heading = pending.heading.as_str();
    let record = described(&pending.text);
    if let Some(file) = heading.strip_prefix("ERROR collecting ") {
        let line = record
            .frames
            .iter()
            .rev()
            .find(|frame| frame.file.ends_with(file))
            .and_then(|frame| frame.line);
        run.error(FailureKind::CompileError, record, Some((file, line)));
        return;
    }
    let around = ["ERROR at setup of ", "ERROR at teardown of "]
        .iter()
        .find_map(|words| heading.strip_prefix(words));
    let (name, outcome) = match around {
        Some(name) => (name, TestOutcome::Errored),
        None => (heading, TestOutcome::Failed),
    };
    let short = match name.split_once('[') {
        Some((base, parameters)) => format!("{}[{parameters}", base.replace('.', "::")),
        None => name.replace('.', "::"),
    };
    let in_traceback =
        |id: &&str| record.frames.iter().any(|frame| frame.file.ends_with(file_of(id)));
    let candidates = by_name.get_mut(short.as_str());
    let known = candidates.and_then(|ids| {
        let at = ids.iter().position(in_traceback).unwrap_or(0);
        (at < ids.len()).then(|| ids.remove(at))
    });
    let made = || {
        let file = record.frames.first().map_or("", |frame| frame.file.as_str());
        format!("{file}::{short}")
    };
    let id = known.map_or_else(made, str::to_owned);
    if heading.starts_with("ERROR at teardown") && run.outcome_of(&id) != Some(TestOutcome::Failed)
    {
        run.claims_fewer_passes(1);
    }
    let file = file_of(&id).to_owned();
    run.because(&id, outcome, record, Some((&file, None)));
}
