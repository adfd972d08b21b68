//! Report files of a run, in whatever format they are, as one report beside that of the stream.

use redgreen_model::execution::Ended;
use redgreen_model::report::Report;

use crate::adapter::{ReportFile, RunMaterial};
use crate::junit;
use crate::unique::Unique;

/// What a shell adds to a signal's number to make an exit code.
const SHELL_SIGNAL_BASE: i32 = 128;

/// The report of the stream with what the report files of this run say.
pub(crate) fn with_report_files(stream: Report, material: &RunMaterial<'_>) -> Report {
    let files = material.work_tree.reports;
    if files.is_empty() {
        return stream;
    }
    let all: Vec<&ReportFile> = files.iter().collect();
    let mut report = junit::read_files(&all, material);
    // A file may be whole although its writer was stopped before the next one.
    report.complete &=
        matches!(material.ended, Ended::Exited { code } if *code <= SHELL_SIGNAL_BASE);
    if said_nothing(&stream) { report } else { joined(stream, report) }
}

fn said_nothing(stream: &Report) -> bool {
    !stream.began && stream.tests.is_empty() && stream.errors.is_empty()
}

/// Both at once: a command that runs two frameworks.
fn joined(mut first: Report, second: Report) -> Report {
    let mut unique = Unique::default();
    for test in &first.tests {
        unique.id(test.id.clone());
    }
    first.complete = (first.complete || !first.began) && (second.complete || !second.began);
    first.began |= second.began;
    for mut test in second.tests {
        test.id = unique.id(test.id);
        if let Some(failure) = &mut test.failure {
            failure.test = Some(test.id.clone());
        }
        first.tests.push(test);
    }
    first.unfinished.extend(second.unfinished);
    first.not_run.extend(second.not_run);
    first.errors.extend(second.errors);
    first.diagnostics.extend(second.diagnostics);
    first
}
