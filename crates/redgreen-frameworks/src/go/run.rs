//! From the events of `go test -json` to the report stream.
//!
//! go makes its events from what the test binary prints, and so has none for the end of a test whose
//! process dies. If the process exits with 0, it even takes the end of the package for that of the
//! test: a pass whose last line is the package's own is not believed.

mod death;
mod outside;

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::report::{FailureKind, TestOutcome};

use super::build::{build_errors, tool_error};
use super::event::{Action, GoEvent, is_framing};
use super::failure::{Explanation, FailedTest, bounded};
use super::identity::Modules;
use super::trace::Trace;
use super::transcript::Transcript;
use crate::stream::StreamEvent;

/// How many slashes of a part's name are looked at for the test it is a part of.
const SLASHES_MAX: usize = 64;

/// One `go test`, while it goes on.
#[derive(Debug, Default)]
pub struct GoRun {
    run: String,
    modules: Modules,
    packages: BTreeMap<String, Package>,
    builds: BTreeMap<String, Transcript>,
    /// Builds whose errors are reported.
    explained: BTreeSet<String>,
    /// A build failed, and its errors are on standard error.
    owes_build: bool,
    red: bool,
    out: Vec<StreamEvent>,
}

/// A package whose tests run.
#[derive(Debug, Default)]
struct Package {
    open: BTreeMap<String, OpenTest>,
    output: Transcript,
    red: bool,
    over: bool,
    /// A test has already said how the process died.
    died: bool,
    /// A test has begun.
    began: bool,
}

/// A test that has begun.
#[derive(Debug, Default)]
struct OpenTest {
    output: Transcript,
    paused: bool,
    has_parts: bool,
    open_parts: usize,
    /// The last of its parts that is red, and whether it said why.
    red_part: Option<(String, bool)>,
}

impl OpenTest {
    fn is_running(&self) -> bool {
        self.open_parts == 0 && !self.paused
    }

    /// Whether it printed more than go does for it.
    fn said_why(&self) -> bool {
        let gos_own = |line: &str| is_framing(line) || line.trim_start().starts_with("--- ");
        !self.output.text().lines().all(gos_own)
    }
}

impl GoRun {
    /// A run with an id for its events.
    pub fn new(run: String, modules: Modules) -> Self {
        Self { run, modules, ..Self::default() }
    }

    /// What an event means.
    pub fn take(&mut self, event: &GoEvent) -> Vec<StreamEvent> {
        match event.action {
            Action::BuildOutput => {
                self.builds.entry(event.import_path.clone()).or_default().push(&event.output);
            }
            Action::BuildFail => self.build_failed(&event.import_path),
            _ if event.package.is_empty() => {}
            _ if event.test.is_empty() => self.of_package(event),
            _ => self.of_test(event),
        }
        std::mem::take(&mut self.out)
    }

    /// What is left to say when go has ended, with its exit code and what it printed beside events.
    pub fn finish(&mut self, code: i32, text: &str) -> Vec<StreamEvent> {
        let open: Vec<String> = self
            .packages
            .iter()
            .filter(|(_, package)| !package.over)
            .map(|(name, _)| name.clone())
            .collect();
        for package in open {
            let message = format!("go ended before the tests of {package} did");
            self.error(FailureKind::RuntimeError, "crash", &message, "");
        }
        // Before Go 1.22 the package of a build that failed has no event.
        self.owes_build |= text.lines().any(is_build_failure);
        let silent = code != 0 && !self.red;
        let tool = tool_error(text).filter(|_| silent);
        if self.owes_build || tool.is_some() || silent && text.contains(".go:") {
            let errors = match tool {
                Some(error) => vec![error],
                None => build_errors(text),
            };
            if errors.is_empty() {
                self.error(FailureKind::CompileError, "build", "go could not build the tests", "");
            }
            for error in errors {
                self.build_error(error, text);
            }
        }
        std::mem::take(&mut self.out)
    }

    fn of_package(&mut self, event: &GoEvent) {
        let package = self.packages.entry(event.package.clone()).or_default();
        match event.action {
            // The same package again is another `go test` in the same file.
            Action::Start => *package = Package::default(),
            Action::Output if event.is_framing() => {}
            Action::Output => package.output.push(&event.output),
            Action::Pass | Action::Skip | Action::Fail => {
                package.over = true;
                self.close_groups(&event.package);
                match event.action {
                    Action::Fail => self.package_failed(event),
                    Action::Pass => self.package_passed(event),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn of_test(&mut self, event: &GoEvent) {
        match event.action {
            Action::Run => self.test_began(&event.package, &event.test),
            Action::Pause | Action::Cont => {
                let paused = event.action == Action::Pause;
                if let Some(test) = self.open_test(&event.package, &event.test) {
                    test.paused = paused;
                }
                let id = self.modules.test_id(&event.package, &event.test);
                self.out.push(if paused { self.paused(id, false) } else { self.start(id) });
            }
            Action::Output => match self.open_test(&event.package, &event.test) {
                Some(test) => {
                    test.output.push(&event.output);
                    if has_figures(&event.test, &event.output, &test.output) {
                        self.test_ended(event, TestOutcome::Passed);
                    }
                }
                None => {
                    let package = self.packages.entry(event.package.clone()).or_default();
                    package.output.push(&event.output);
                }
            },
            Action::Pass | Action::Bench => self.test_ended(event, TestOutcome::Passed),
            Action::Skip => self.test_ended(event, TestOutcome::Skipped),
            Action::Fail => self.test_ended(event, TestOutcome::Failed),
            _ => {}
        }
    }

    fn open_test(&mut self, package: &str, test: &str) -> Option<&mut OpenTest> {
        self.packages.get_mut(package)?.open.get_mut(test)
    }

    fn test_began(&mut self, package: &str, test: &str) {
        if let Some(parent) = self.parent(package, test)
            && let Some(open) = self.open_test(package, &parent)
        {
            open.has_parts = true;
            open.open_parts += 1;
            if open.open_parts == 1 {
                let event = self.paused(self.modules.test_id(package, &parent), true);
                self.out.push(event);
            }
        }
        let known = self.packages.entry(package.to_owned()).or_default();
        known.began = true;
        known.open.insert(test.to_owned(), OpenTest::default());
        let event = self.start(self.modules.test_id(package, test));
        self.out.push(event);
    }

    /// The innermost open test that this one is a part of; names of parts may have slashes.
    fn parent(&self, package: &str, test: &str) -> Option<String> {
        let open = &self.packages.get(package)?.open;
        let mut name = test;
        for _ in 0..SLASHES_MAX {
            name = name.rsplit_once('/')?.0;
            if open.contains_key(name) {
                return Some(name.to_owned());
            }
        }
        None
    }

    fn test_ended(&mut self, event: &GoEvent, outcome: TestOutcome) {
        let (package, name) = (event.package.as_str(), event.test.as_str());
        let known = self.packages.entry(package.to_owned()).or_default();
        let last = known.open.get(name).map_or("", |test| test.output.last_line());
        if outcome == TestOutcome::Passed && last.starts_with(&format!("ok  \t{package}\t")) {
            // The process exited with 0 in the middle of the test.
            known.over = true;
            let message = format!("the process ended with 0 before {name} did");
            self.out.push(StreamEvent::Note { run: self.run.clone(), message });
            return;
        }
        let test = known.open.remove(name).unwrap_or_default();
        let folder = self.modules.package_folder(package);
        let failed = FailedTest { package, folder: &folder, name, output: &test.output };
        let red_by_itself = outcome.is_red() && self.is_red_by_itself(failed, &test);
        if !test.has_parts || red_by_itself {
            let ms = Some(event.milliseconds());
            self.end(failed, outcome, ms, None);
        } else {
            let event = self.paused(self.modules.test_id(package, name), true);
            self.out.push(event);
        }
        self.part_ended(package, name, outcome, &test);
    }

    /// A test whose parts are red is red because of them. The trace of a part that died is printed
    /// under its parent: it is the part's.
    fn is_red_by_itself(&mut self, test: FailedTest<'_>, open: &OpenTest) -> bool {
        let Some((part, said_why)) = &open.red_part else { return true };
        let Some(trace) = test.output.trace().and_then(Trace::read) else { return false };
        if *said_why {
            return true;
        }
        let mut explained = test.of_trace(&trace);
        explained.failure.stack = test.output.trace().map(str::to_owned);
        let (file, line) = explained.place.unzip();
        self.out.push(StreamEvent::Failure {
            run: self.run.clone(),
            test: self.modules.test_id(test.package, part),
            failure: bounded(explained.failure),
            file,
            line,
        });
        if let Some(package) = self.packages.get_mut(test.package) {
            package.died = true;
        }
        false
    }

    fn part_ended(&mut self, package: &str, name: &str, outcome: TestOutcome, test: &OpenTest) {
        let Some(parent) = self.parent(package, name) else { return };
        let Some(open) = self.open_test(package, &parent) else { return };
        open.open_parts = open.open_parts.saturating_sub(1);
        if outcome.is_red() {
            let own = || Some((name.to_owned(), test.said_why()));
            open.red_part = test.red_part.clone().or_else(own);
        }
        if open.open_parts == 0 {
            let event = self.start(self.modules.test_id(package, &parent));
            self.out.push(event);
        }
    }

    /// A benchmark whose parts are over has no end of its own.
    fn close_groups(&mut self, package: &str) {
        let Some(known) = self.packages.get_mut(package) else { return };
        let is_group = |name: &str, test: &OpenTest| {
            name.starts_with("Benchmark") && test.has_parts && test.is_running()
        };
        let groups: BTreeSet<String> = known
            .open
            .iter()
            .filter(|(name, test)| is_group(name, test))
            .map(|(name, _)| name.clone())
            .collect();
        known.open.retain(|name, _| !groups.contains(name));
        for name in groups {
            let event = self.paused(self.modules.test_id(package, &name), true);
            self.out.push(event);
        }
    }

    /// Writes the end of a test; a red one is explained by its output, if nothing else does.
    fn end(
        &mut self,
        test: FailedTest<'_>,
        outcome: TestOutcome,
        ms: Option<u64>,
        given: Option<Explanation>,
    ) {
        let mut end = (None, None, None);
        if outcome.is_red() {
            let explained = given.unwrap_or_else(|| test.explain());
            let (file, line) = explained.place.unzip();
            end = (Some(bounded(explained.failure)), file, line);
            self.red = true;
            if let Some(package) = self.packages.get_mut(test.package) {
                package.red = true;
                package.died |= explained.died;
            }
        }
        let (failure, file, line) = end;
        self.out.push(StreamEvent::End {
            run: self.run.clone(),
            test: self.modules.test_id(test.package, test.name),
            outcome,
            ms,
            failure,
            file,
            line,
        });
    }

    fn start(&self, test: String) -> StreamEvent {
        StreamEvent::Start { run: self.run.clone(), test, file: None, line: None }
    }

    fn paused(&self, test: String, parts: bool) -> StreamEvent {
        StreamEvent::Paused { run: self.run.clone(), test, parts }
    }
}

/// `FAIL\tPACKAGE [build failed]`
fn is_build_failure(line: &str) -> bool {
    line.starts_with("FAIL\t")
        && (line.contains("[build failed]") || line.contains("[setup failed]"))
}

/// Whether a benchmark has just printed its figures: go has no other end of one that did not fail.
fn has_figures(test: &str, piece: &str, output: &Transcript) -> bool {
    let figures = || output.last_line().strip_prefix(test).is_some_and(|rest| rest.contains('\t'));
    test.starts_with("Benchmark") && piece.ends_with('\n') && figures()
}

#[cfg(test)]
mod tests;
