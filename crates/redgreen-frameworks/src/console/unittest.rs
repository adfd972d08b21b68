//! Python's unittest, and the runners that print as it does (Django, nose2).

use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::python::described;
use super::run::{Claimed, Run};
use super::words::duration_ms;

pub(crate) const DIALECT: Dialect = Dialect {
    program: "unittest",
    runs_tests: true,
    signs: Signs { first: "REF", last: "kLRes'\"", places: &[] },
    begins: |line| {
        red_header(line).is_some()
            || ran(line).is_some()
            || ends(line) && verbose(line).is_some_and(|(_, word)| outcome(word).is_some())
    },
    reader: || Box::<Unittest>::default(),
};

/// The class that stands for a module that could not be imported.
const FAILED_IMPORT: &str = "_FailedTest";

#[derive(Default)]
struct Unittest {
    /// A test whose end is on a later line.
    begun: Option<String>,
    header: Option<(TestOutcome, String)>,
    /// How many rules of dashes were seen since the header.
    rules: usize,
    block: Block,
    ran: u64,
}

impl Reader for Unittest {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if is_rule(line, b'=') {
            self.close(run);
            return Taken::Mine;
        }
        if let Some((outcome, name)) = red_header(line).filter(|_| self.header.is_none()) {
            self.header = Some((outcome, name.to_owned()));
            self.rules = 0;
            return Taken::Mine;
        }
        if let Some((count, ms)) = ran(line) {
            self.close(run);
            self.ran = count;
            run.took(ms);
            return Taken::Mine;
        }
        if self.header.is_some() {
            if is_rule(line, b'-') {
                self.rules += 1;
            } else if self.rules == 1 {
                self.block.push(line);
            }
            return Taken::Mine;
        }
        if let Some(claimed) = self.last(line) {
            run.claims(claimed);
            return Taken::Last;
        }
        Taken::mine(is_rule(line, b'-') || self.verbose(line, run))
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl Unittest {
    /// `test_total (test_unit.TestPrice.test_total) ... FAIL`; with a description or with output,
    /// the end is on a later line.
    fn verbose(&mut self, line: &str, run: &mut Run<'_>) -> bool {
        if let Some((name, word)) = verbose(line) {
            match (outcome(word), id(name)) {
                (Some(outcome), Some(id)) => ended(&id, outcome, run),
                (None, Some(id)) => self.begun = Some(id),
                (_, None) => return false,
            }
            return true;
        }
        let described = line.ends_with(')') && !line.starts_with(' ');
        if let Some(id) = described.then(|| id(line)).flatten() {
            self.begun = Some(id);
            return true;
        }
        let Some(id) = &self.begun else { return false };
        let word = line.rsplit_once(" ... ").map_or(line, |(_, word)| word);
        let Some(outcome) = outcome(word) else { return false };
        ended(id, outcome, run);
        self.begun = None;
        true
    }

    /// `FAILED (failures=3, errors=3, skipped=1, expected failures=1)`, after the number of tests.
    fn last(&self, line: &str) -> Option<Claimed> {
        let rest = line
            .strip_prefix("OK")
            .or_else(|| line.strip_prefix("FAILED"))
            .or_else(|| line.strip_prefix("NO TESTS RAN"))?;
        let inner = rest.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        if inner.is_none() && !rest.is_empty() {
            return None;
        }
        let mut claimed = Claimed::default();
        for part in inner.unwrap_or("").split(", ") {
            let Some((word, count)) = part.split_once('=') else { continue };
            let count = count.parse().unwrap_or(0);
            match word {
                "failures" | "errors" | "unexpected successes" => claimed.red += count,
                _ => claimed.skipped += count,
            }
        }
        claimed.passed = self.ran.saturating_sub(claimed.red + claimed.skipped);
        Some(claimed)
    }

    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let Some((outcome, name)) = self.header.take() else { return };
        let record = described(&text);
        let around = name
            .split(' ')
            .next()
            .is_some_and(|name| name.starts_with("setUp") || name.starts_with("tearDown"));
        if name.contains(FAILED_IMPORT) {
            run.error(FailureKind::CompileError, record, None);
        } else if around {
            run.error(FailureKind::RuntimeError, record, None);
        } else if let Some(id) = id(&name) {
            let file = record.frames.first().map(|frame| frame.file.clone());
            run.because(&id, outcome, record, file.as_deref().map(|file| (file, None)));
        }
    }
}

fn ended(id: &str, outcome: TestOutcome, run: &mut Run<'_>) {
    let around = id
        .rsplit('.')
        .next()
        .is_some_and(|name| name.starts_with("setUp") || name.starts_with("tearDown"));
    if !id.contains(FAILED_IMPORT) && !around {
        run.ended(id, outcome, 0);
    }
}

fn is_rule(line: &str, byte: u8) -> bool {
    line.len() == 70 && line.bytes().all(|found| found == byte)
}

fn red_header(line: &str) -> Option<(TestOutcome, &str)> {
    let (outcome, name) = match line.strip_prefix("ERROR: ") {
        Some(name) => (TestOutcome::Errored, name),
        None => (TestOutcome::Failed, line.strip_prefix("FAIL: ")?),
    };
    id(name).map(|_| (outcome, name))
}

/// `Ran 8 tests in 0.007s`
fn ran(line: &str) -> Option<(u64, u64)> {
    let (count, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let time = rest.strip_prefix("tests in ").or_else(|| rest.strip_prefix("test in "))?;
    Some((count.parse().ok()?, duration_ms(time)?))
}

fn verbose(line: &str) -> Option<(&str, &str)> {
    if !(line.contains(" (") && line.contains(" ...")) {
        return None;
    }
    let (name, word) =
        line.split_once(" ... ").or_else(|| Some((line.strip_suffix(" ...")?, "")))?;
    name.contains(" (").then_some((name.trim_start(), word))
}

/// Whether the line ends as one of a test does.
fn ends(line: &str) -> bool {
    [" ok", " FAIL", " ERROR", " failure", " success", "'", "\""]
        .iter()
        .any(|end| line.ends_with(end))
}

/// The id of `test_a (module.Class.test_a) (i=1)`, and before Python 3.11 `test_a (module.Class)`.
fn id(text: &str) -> Option<String> {
    let text = text.trim();
    let (name, rest) = text.split_once(" (")?;
    let (class, more) = rest.split_once(')')?;
    let plain = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'.' | b'<' | b'>')
                    || byte >= 0x80
            })
    };
    if !plain(name) || !plain(class) || !class.contains('.') && class != "__main__" {
        return None;
    }
    let whole = class.strip_suffix(name).is_some_and(|head| head.ends_with('.'));
    Some(if whole { format!("{class}{more}") } else { format!("{class}.{name}{more}") })
}

fn outcome(word: &str) -> Option<TestOutcome> {
    match word {
        "ok" => Some(TestOutcome::Passed),
        "FAIL" => Some(TestOutcome::Failed),
        "ERROR" => Some(TestOutcome::Errored),
        "expected failure" => Some(TestOutcome::ExpectedFailure),
        "unexpected success" => Some(TestOutcome::Failed),
        _ => word.starts_with("skipped").then_some(TestOutcome::Skipped),
    }
}
