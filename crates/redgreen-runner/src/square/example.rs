//! A test that is there, as the example to follow for one that is missing.

use redgreen_frameworks::ProjectFiles;
use redgreen_frameworks::sides::Addresses;
use redgreen_model::coverage::{CoverageFacts, ExampleTest};
use redgreen_model::execution::{CheckRun, Execution};
use redgreen_redact::redact;
use redgreen_syntax::{language_of, outline};

use crate::plan::PlannedCheck;

/// How many tests are looked at until one is found.
const LOOKED_AT_MAX: usize = 20;

/// The source of a test that comes nearest to what changed.
pub(super) fn example(
    facts: &CoverageFacts,
    checks: &[PlannedCheck],
    execution: &Execution,
    files: &dyn ProjectFiles,
) -> Option<ExampleTest> {
    let known = Addresses::new(files);
    let near: Vec<&String> = facts.functions.iter().flat_map(|function| &function.near).collect();
    let of_run = |run: &CheckRun| {
        let check = checks.iter().find(|check| check.name == run.check)?;
        let others = run.report.tests.iter().filter(|case| case.outcome.is_green());
        let mut ids = near.iter().copied().chain(others.map(|case| &case.id)).take(LOOKED_AT_MAX);
        ids.find_map(|id| {
            let address = known.address(run.framework, &check.settings.folder, id)?;
            let file = address.file?;
            let text = files.read(&file)?;
            let tests = outline(language_of(&file)?, &text).tests;
            let test = tests.iter().find(|test| test.path == address.path)?;
            let (first, last) = (test.line as usize, test.end_line as usize);
            let lines = text.lines().skip(first.saturating_sub(1)).take(last + 1 - first);
            let source = lines.collect::<Vec<_>>().join("\n");
            Some(ExampleTest { file, text: redact(&source).into_owned() })
        })
    };
    execution.checks.iter().find_map(of_run)
}
