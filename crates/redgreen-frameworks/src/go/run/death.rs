//! Packages whose end is not that of their tests: the process died under them, or outside of them, or
//! never came to them.

use std::collections::BTreeMap;

use redgreen_model::report::{FailureKind, TestOutcome};

use super::outside::ErrorLocation;
use super::{GoRun, OpenTest};
use crate::go::event::GoEvent;
use crate::go::failure::{Explanation, FailedTest, function};
use crate::go::trace::Trace;
use crate::go::transcript::Transcript;
use crate::stream::StreamEvent;

/// What a test binary says to a flag of go's that is none.
const UNKNOWN_FLAG: &str = "flag provided but not defined: ";
/// How many tests are named in a sentence.
const NAMED_TESTS: usize = 8;

impl GoRun {
    /// A package that passed and whose tests never began, although go had some to run: `TestMain` did
    /// not run them. They are skipped, under its name.
    pub(super) fn package_passed(&mut self, event: &GoEvent) {
        let Some(package) = self.packages.get(&event.package) else { return };
        let text = package.output.text();
        let ran = text.lines().any(|line| line.starts_with("ok  \t"));
        if package.began || !ran || text.contains("no tests to run") {
            return;
        }
        let message = format!("{} exited with 0 and had not begun a test", event.package);
        self.out.push(StreamEvent::Note { run: self.run.clone(), message });
        self.out.push(StreamEvent::End {
            run: self.run.clone(),
            test: self.modules.test_id(&event.package, "TestMain"),
            outcome: TestOutcome::Skipped,
            ms: None,
            failure: None,
            file: None,
            line: None,
        });
    }

    /// What the end of a package that failed says beyond its tests.
    pub(super) fn package_failed(&mut self, event: &GoEvent) {
        let Some(package) = self.packages.get_mut(&event.package) else { return };
        let open = std::mem::take(&mut package.open);
        let output = std::mem::take(&mut package.output);
        let text = output.text();
        if text.contains("[build failed]") || text.contains("[setup failed]") {
            self.owes_build |= !self.explained.contains(&event.failed_build);
        } else if open.values().any(OpenTest::is_running) {
            if !package.died {
                self.process_died(&event.package, &open, &output);
            }
        } else if !package.red {
            self.failed_outside(&event.package, &output);
        }
    }

    /// The process died under its tests.
    fn process_died(
        &mut self,
        package: &str,
        open: &BTreeMap<String, OpenTest>,
        output: &Transcript,
    ) {
        let running: Vec<&str> = open
            .iter()
            .filter(|(_, test)| test.is_running())
            .map(|(name, _)| name.as_str())
            .collect();
        let printed = || open.values().map(|test| &test.output).chain([output]);
        let text = printed().find_map(Transcript::trace);
        let trace = text.and_then(Trace::read);
        let how = printed().map(Transcript::last_line).find(|line| is_how(line)).unwrap_or("died");
        let guilty = guilty(package, &running, trace.as_ref());
        if guilty.is_empty() {
            let names: Vec<String> = running
                .iter()
                .take(NAMED_TESTS)
                .map(|name| self.modules.test_id(package, name))
                .collect();
            let said = trace.as_ref().map_or(how, |trace| trace.message.as_str());
            let message = format!(
                "the test binary died ({said}) while one of {} tests was running: {}",
                running.len(),
                names.join(", ")
            );
            self.error(FailureKind::RuntimeError, "crash", &message, text.unwrap_or(""));
        }
        let folder = self.modules.package_folder(package);
        for name in guilty {
            let Some(test) = open.get(name) else { continue };
            let failed = FailedTest { package, folder: &folder, name, output: &test.output };
            let mut explained = match &trace {
                Some(trace) => failed.of_trace(trace),
                None => Explanation::of_death(how),
            };
            let printed = text.map_or_else(|| test.output.text(), str::to_owned);
            explained.failure.stack = Some(printed);
            self.end(failed, TestOutcome::Errored, None, Some(explained));
        }
    }

    /// `TestMain`, an `init` function, or what runs after the tests.
    fn failed_outside(&mut self, package: &str, output: &Transcript) {
        let trace = output.trace().and_then(Trace::read);
        let text = output.text();
        if let Some(flag) = text.lines().next().filter(|line| line.starts_with(UNKNOWN_FLAG)) {
            self.error(FailureKind::ToolingError, "go", flag, "");
            return;
        }
        let own = |line: &&str| line.starts_with("FAIL") || *line == "PASS" || line.is_empty();
        let how = text.lines().rfind(|line| is_how(line));
        let last = || text.lines().rfind(|line| !own(line));
        let how = how.or_else(last).unwrap_or("no reason was given");
        let message = match &trace {
            Some(trace) => format!("{package} failed outside of its tests: {}", trace.message),
            None => format!("{package} failed outside of its tests: {how}"),
        };
        let error_type = trace.as_ref().map_or("exit", |trace| trace.error_type.as_str());
        let frames = trace.as_ref().map(|trace| trace.frames("")).unwrap_or_default();
        let place = ErrorLocation { frames, ..ErrorLocation::default() };
        self.outside(FailureKind::RuntimeError, error_type, &message, &text, place);
    }
}

/// The tests whose fault it is that the process died, where that can be known: those that ran when the
/// time was up, the one whose goroutine it was, or the only one.
fn guilty<'run>(package: &str, running: &[&'run str], trace: Option<&Trace>) -> Vec<&'run str> {
    let timed_out = trace.and_then(|trace| trace.timed_out.as_ref());
    let suspects: Vec<&str> = running
        .iter()
        .copied()
        .filter(|name| match (timed_out, trace) {
            (Some(names), _) => names.iter().any(|known| known == name),
            (None, Some(trace)) => trace.is_of(&function(package, name)),
            (None, None) => false,
        })
        .collect();
    match suspects.as_slice() {
        [_] => suspects,
        [_, ..] if timed_out.is_some() => suspects,
        _ if timed_out.is_some() || running.len() == 1 => running.to_vec(),
        _ => Vec::new(),
    }
}

/// How a process ended, as go says it.
fn is_how(line: &str) -> bool {
    line.starts_with("exit status ") || line.starts_with("signal: ")
}
