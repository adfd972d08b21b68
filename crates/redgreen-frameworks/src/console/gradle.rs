//! Gradle's console, with the default and with more verbose logging of tests.

use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::java::{described, file_of};
use super::javascript::dedented;
use super::run::{Claimed, Run};
use super::words::{counts, duration_ms};
use crate::stream::FailureRecord;

pub(crate) const DIALECT: Dialect = Dialect {
    program: "gradle",
    runs_tests: true,
    signs: Signs { first: ">B0123456789", last: "D", places: &[] },
    begins: |line| {
        line.starts_with("> Task :")
            || finished(line).is_some()
            || test(line).is_some()
            || is_total(line)
    },
    reader: || Box::<Gradle>::default(),
};

#[derive(Default)]
struct Gradle {
    owner: Option<(TestOutcome, String)>,
    block: Block,
    tests_failed: bool,
    what: bool,
}

impl Reader for Gradle {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if let Some((success, ms)) = finished(line) {
            self.close(run);
            run.took(ms);
            run.complete(true);
            if success && self.seen_tests(run) {
                run.passed_unnamed(1, "test task", "test tasks");
            } else if !success {
                run.needs_error("the build failed, and the log does not say why");
            }
            return Taken::Last;
        }
        if let Some((id, outcome)) = test(line) {
            self.close(run);
            run.ended(&id, outcome, 0);
            self.owner = outcome.is_red().then_some((outcome, id));
            return Taken::Mine;
        }
        if let Some(task) = line.strip_prefix("> Task :") {
            self.close(run);
            if task.split(' ').next().is_some_and(|task| task.to_lowercase().ends_with("test")) {
                run.started();
            }
            return Taken::Mine;
        }
        if is_total(line) {
            self.close(run);
            self.totals(line, run);
            return Taken::Mine;
        }
        if self.what {
            self.what = false;
            if !self.tests_failed {
                let record = FailureRecord {
                    error_type: "Gradle".into(),
                    message: line.into(),
                    ..FailureRecord::default()
                };
                run.needs_failure(FailureKind::Unknown, record);
            }
            return Taken::Mine;
        }
        if line == "* What went wrong:" {
            self.close(run);
            self.what = true;
            return Taken::Mine;
        }
        if self.owner.is_some() && (line.is_empty() || line.starts_with("    ")) {
            self.block.push(line);
            return Taken::Mine;
        }
        self.close(run);
        Taken::Not
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl Gradle {
    fn seen_tests(&self, run: &Run<'_>) -> bool {
        run.has_started() && !run.names_tests()
    }

    /// `7 tests completed, 3 failed, 1 skipped`
    fn totals(&mut self, line: &str, run: &mut Run<'_>) {
        let mut claimed = Claimed::default();
        let mut total = 0;
        for (count, word) in counts(line) {
            match word {
                "test" | "tests" => total = count,
                "failed" => claimed.red = count,
                "skipped" => claimed.skipped = count,
                _ => {}
            }
        }
        claimed.passed = total.saturating_sub(claimed.red + claimed.skipped);
        self.tests_failed = claimed.red > 0;
        run.claims(claimed);
    }

    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let Some((outcome, id)) = self.owner.take() else { return };
        let lines: Vec<&str> = text.lines().collect();
        let class = id.split(" > ").next().unwrap_or("");
        let mut record = described(&dedented(&lines));
        let line = short_place(&mut record);
        let file = class.contains('.').then(|| file_of(class));
        run.because(&id, outcome, record, file.as_deref().map(|file| (file, line)));
    }
}

/// By default the failure is one line, `java.lang.AssertionError at PricesTest.java:11`: its line.
fn short_place(record: &mut FailureRecord) -> Option<u32> {
    let text = record.stack.as_deref()?.lines().next()?;
    let (name, place) = text.rsplit_once(" at ")?;
    let (file, line) = place.rsplit_once(':')?;
    if name.contains(' ') || !file.contains('.') {
        return None;
    }
    name.rsplit('.').next().unwrap_or(name).clone_into(&mut record.error_type);
    text.clone_into(&mut record.message);
    line.parse().ok()
}

/// `7 tests completed, 3 failed, 1 skipped`
fn is_total(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_digit())
        && (line.contains(" tests completed, ") || line.contains(" test completed, "))
}

/// `PricesTest > adds() FAILED`
fn test(line: &str) -> Option<(String, TestOutcome)> {
    let (name, word) = line.rsplit_once(' ')?;
    let outcome = match word {
        "PASSED" => TestOutcome::Passed,
        "FAILED" => TestOutcome::Failed,
        "SKIPPED" => TestOutcome::Skipped,
        _ => return None,
    };
    (name.contains(" > ") && !line.starts_with([' ', '>'])).then(|| (name.to_owned(), outcome))
}

/// `BUILD FAILED in 3s`
fn finished(line: &str) -> Option<(bool, u64)> {
    let (success, time) = match line.strip_prefix("BUILD SUCCESSFUL in ") {
        Some(time) => (true, time),
        None => (false, line.strip_prefix("BUILD FAILED in ")?),
    };
    Some((success, duration_ms(time)?))
}
