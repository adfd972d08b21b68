//! `deno test`.

use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::javascript::described;
use super::run::{Claimed, Run};
use super::tree::timed;
use super::words::{counts, duration_ms, place};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "deno",
    runs_tests: true,
    signs: Signs::first("rT"),
    begins: |line| running(line).is_some() || type_error(line).is_some(),
    reader: || Box::<Deno>::default(),
};

#[derive(Default)]
struct Deno {
    file: String,
    section: Section,
    owner: Option<(String, u32, String)>,
    block: Block,
    code: Option<(String, String)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Tests,
    Errors,
    Failures,
}

impl Reader for Deno {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if let Some(file) = running(line) {
            self.close(run);
            file.clone_into(&mut self.file);
            self.section = Section::Tests;
            run.started();
            return Taken::Mine;
        }
        if let Some((claimed, ms)) = last(line) {
            self.close(run);
            run.claims(claimed);
            run.took(ms);
            return Taken::Last;
        }
        if line == " ERRORS " || line == " FAILURES " {
            self.close(run);
            self.section = if line == " ERRORS " { Section::Errors } else { Section::Failures };
            return Taken::Mine;
        }
        if let Some((code, message)) = type_error(line) {
            self.close(run);
            self.code = Some((code.to_owned(), message.to_owned()));
            return Taken::Mine;
        }
        if line.starts_with("error: ") && self.section != Section::Errors {
            self.close(run);
            run.complete(true);
            return Taken::Mine;
        }
        match self.section {
            _ if self.code.is_some() => {
                self.block.push(line);
                Taken::Mine
            }
            Section::Tests => Taken::mine(self.test(line, run)),
            Section::Errors => {
                self.error(line, run);
                Taken::Mine
            }
            Section::Failures => Taken::mine(line.is_empty() || line.contains(" => ")),
        }
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl Deno {
    /// `adds ... FAILED (8ms)`; a step is indented, and reported with its test.
    fn test(&mut self, line: &str, run: &mut Run<'_>) -> bool {
        let Some((name, rest)) = line.rsplit_once(" ... ") else { return line.ends_with(" ...") };
        let (word, ms) = timed(rest);
        let outcome = match word.split(' ').next() {
            Some("ok") => TestOutcome::Passed,
            Some("FAILED") => TestOutcome::Failed,
            Some("ignored") => TestOutcome::Skipped,
            _ => return false,
        };
        if !name.starts_with(' ') {
            run.ended(&format!("{} > {name}", self.file), outcome, ms);
        }
        true
    }

    /// `adds => ./a_test.ts:3:6`, and the error below.
    fn error(&mut self, line: &str, run: &mut Run<'_>) {
        let header = line.rsplit_once(" => ").and_then(|(name, at)| Some((name, place(at)?)));
        match header {
            Some((name, (file, at, _))) if !line.starts_with(' ') => {
                self.close(run);
                let test = name.split(" ... ").next().unwrap_or(name);
                let file = file.trim_start_matches("./");
                self.owner = Some((file.to_owned(), at, format!("{file} > {test}")));
            }
            _ => self.block.push(line),
        }
    }

    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        if let Some((file, line, id)) = self.owner.take() {
            run.because(&id, TestOutcome::Failed, without_source(&text), Some((&file, Some(line))));
        }
        if let Some((code, message)) = self.code.take() {
            let mut record = described(&text);
            record.error_type = code;
            record.message = message;
            let at = record.frames.last().map(|frame| (frame.file.clone(), frame.line));
            run.error(
                FailureKind::CompileError,
                record,
                at.as_ref().map(|(file, line)| (file.as_str(), *line)),
            );
        }
    }
}

/// Deno prints the line of the source after the message, with a caret below.
fn without_source(text: &str) -> crate::stream::FailureRecord {
    let mut record = described(text);
    let lines: Vec<&str> = record.message.lines().collect();
    if let Some(at) = lines.iter().position(|line| line.trim() == "^") {
        record.message = lines.get(..at.saturating_sub(1)).unwrap_or_default().join("\n");
    }
    record
}

/// `running 5 tests from ./a_test.ts`
fn running(line: &str) -> Option<&str> {
    let (count, file) = line.strip_prefix("running ")?.split_once(" from ")?;
    (count.ends_with(" tests") || count.ends_with(" test")).then(|| file.trim_start_matches("./"))
}

/// `TS2322 [ERROR]: Type 'string' is not assignable to type 'number'.`
fn type_error(line: &str) -> Option<(&str, &str)> {
    line.split_once(" [ERROR]: ").filter(|(code, _)| code.starts_with("TS"))
}

/// `FAILED | 2 passed (1 step) | 3 failed (1 step) | 1 ignored (460ms)`
fn last(line: &str) -> Option<(Claimed, u64)> {
    let rest = line.strip_prefix("FAILED | ").or_else(|| line.strip_prefix("ok | "))?;
    let mut claimed = Claimed::default();
    for (count, word) in counts(rest) {
        match word {
            "passed" => claimed.passed = count,
            "failed" => claimed.red = count,
            "ignored" => claimed.skipped = count,
            _ => {}
        }
    }
    let time = rest.rsplit_once(" (").map_or("", |(_, time)| time.trim_end_matches(')'));
    Some((claimed, duration_ms(time).unwrap_or(0)))
}
