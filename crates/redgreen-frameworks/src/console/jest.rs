//! jest.

use redgreen_model::report::{FailureKind, TestOutcome};

use super::aftermath::{Sign, sign};
use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::javascript::described;
use super::run::{Claimed, Run};
use super::tree::{Tree, leaf};
use super::words::{counts, duration_ms, indent};
use crate::stream::FailureRecord;

pub(crate) const DIALECT: Dialect = Dialect {
    program: "jest",
    runs_tests: true,
    signs: Signs::first("PFT"),
    begins: |line| file(line).is_some() || tests(line).is_some(),
    reader: || Box::<Jest>::default(),
};

/// The extensions of the files that jest runs.
const EXTENSIONS: [&str; 8] = [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"];

#[derive(Default)]
struct Jest {
    file: String,
    tree: Tree,
    title: String,
    block: Block,
    in_block: bool,
    ended: bool,
}

impl Reader for Jest {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if let Some(file) = file(line) {
            self.close(run);
            file.clone_into(&mut self.file);
            self.tree.clear();
            run.started();
            return Taken::Mine;
        }
        if let Some(title) = line.strip_prefix("  ● ") {
            self.close(run);
            self.in_block = true;
            title.clone_into(&mut self.title);
            return Taken::Mine;
        }
        if let Some(claimed) = tests(line) {
            self.close(run);
            run.claims(claimed);
            self.ended = true;
            return Taken::Mine;
        }
        if line.starts_with("Test Suites: ")
            || line.starts_with("Snapshots: ")
            || line.starts_with("Summary of all failing tests")
        {
            self.close(run);
            return Taken::Mine;
        }
        if self.in_block && (line.is_empty() || line.starts_with(' ')) {
            self.block.push(line);
            return Taken::Mine;
        }
        self.outside(line, run)
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl Jest {
    fn outside(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        self.close(run);
        if let Some(time) = line.strip_prefix("Time:") {
            run.took(duration_ms(time.split(',').next().unwrap_or("")).unwrap_or(0));
            return Taken::mine(self.ended);
        }
        if line.starts_with("Ran all test suites") {
            return if self.ended { Taken::Last } else { Taken::Mine };
        }
        if sign(line) == Some(Sign::Coverage) {
            let record = FailureRecord {
                error_type: "CoverageThreshold".into(),
                message: line.into(),
                ..FailureRecord::default()
            };
            run.error(FailureKind::Unknown, record, None);
            return Taken::Mine;
        }
        Taken::mine(self.verbose(line, run))
    }

    /// The tree below the line of a file.
    fn verbose(&mut self, line: &str, run: &mut Run<'_>) -> bool {
        if self.file.is_empty() || !line.starts_with("  ") {
            return false;
        }
        if let Some(leaf) = leaf(line) {
            let name = leaf
                .name
                .strip_prefix("skipped ")
                .filter(|_| leaf.outcome == TestOutcome::Skipped)
                .unwrap_or(leaf.name);
            let path = self.tree.path(leaf.indent, name);
            run.ended(&format!("{} > {path}", self.file), leaf.outcome, leaf.duration_ms);
            return true;
        }
        if let Some(name) = line.trim_start().strip_prefix("✎ todo ") {
            let path = self.tree.path(indent(line), name);
            run.ended(&format!("{} > {path}", self.file), TestOutcome::Skipped, 0);
            return true;
        }
        if line.len() > 2 {
            self.tree.suite(indent(line), line.trim());
        }
        true
    }

    fn close(&mut self, run: &mut Run<'_>) {
        if !std::mem::take(&mut self.in_block) {
            return;
        }
        let text = self.block.take();
        match self.title.as_str() {
            "Console" => {}
            "Test suite failed to run" => {
                let record = described(&text);
                let line = record
                    .frames
                    .iter()
                    .find(|frame| frame.file.ends_with(self.file.as_str()))
                    .and_then(|frame| frame.line);
                run.error(FailureKind::CompileError, record, Some((&self.file, line)));
            }
            title => {
                let id = format!("{} > {}", self.file, title.replace(" › ", " > "));
                run.because(&id, TestOutcome::Failed, described(&text), Some((&self.file, None)));
            }
        }
    }
}

/// The file of `FAIL src/a.test.js (5.2 s)`.
fn file(line: &str) -> Option<&str> {
    let line = line.trim_ascii_start();
    let rest = line.strip_prefix("PASS ").or_else(|| line.strip_prefix("FAIL "))?.trim_start();
    let file = rest.split_once(" (").map_or(rest, |(file, _)| file).trim_end();
    let file = file.rsplit_once(' ').map_or(file, |(_, file)| file);
    (EXTENSIONS.iter().any(|extension| file.ends_with(extension)) && !rest.contains(" > "))
        .then_some(file)
}

/// `Tests:       3 failed, 1 skipped, 2 passed, 6 total`
fn tests(line: &str) -> Option<Claimed> {
    let rest = line.strip_prefix("Tests: ")?.trim_start();
    rest.ends_with(" total").then_some(())?;
    let mut claimed = Claimed::default();
    for (count, word) in counts(rest) {
        match word {
            "passed" => claimed.passed = count,
            "failed" => claimed.red = count,
            "skipped" | "todo" => claimed.skipped += count,
            _ => {}
        }
    }
    Some(claimed)
}
