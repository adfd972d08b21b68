//! Report files of a run, in whatever format they are, as one report beside that of the stream.

use redgreen_model::execution::Ended;
use redgreen_model::report::Report;

use crate::adapter::{ReportFile, RunMaterial};
use crate::unique::Unique;
use crate::{ctrf, junit, tap};

/// What a shell adds to a signal's number to make an exit code.
const SHELL_SIGNAL_BASE: i32 = 128;
/// How much of a file is looked at to tell its format, in bytes.
const HEAD_BYTES: usize = 4096;

/// A format that report files have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// JUnit XML.
    Junit,
    /// The Common Test Report Format.
    Ctrf,
    /// The Test Anything Protocol.
    Tap,
}

/// The format of a report, by its beginning; none for what is no report.
pub fn report_format(bytes: &[u8]) -> Option<ReportFormat> {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return Some(ReportFormat::Junit);
    }
    let head = String::from_utf8_lossy(head);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    if head.starts_with('<') {
        return Some(ReportFormat::Junit);
    }
    if ctrf::is_ctrf(head) {
        return Some(ReportFormat::Ctrf);
    }
    tap::is_tap(head).then_some(ReportFormat::Tap)
}

/// The report of the stream with what the report files of this run say.
pub(crate) fn with_report_files(stream: Report, material: &RunMaterial<'_>) -> Report {
    let files = material.work_tree.reports;
    if files.is_empty() {
        return stream;
    }
    let mut report = read_all(files, material);
    // A file may be whole although its writer was stopped before the next one.
    report.complete &=
        matches!(material.ended, Ended::Exited { code } if *code <= SHELL_SIGNAL_BASE);
    if stream == Report::default() { report } else { joined(stream, report) }
}

fn read_all(files: &[ReportFile], material: &RunMaterial<'_>) -> Report {
    let mut of_junit = Vec::new();
    let mut reports = Vec::new();
    for file in files {
        let mut report = match report_format(&file.bytes) {
            Some(ReportFormat::Junit) => {
                of_junit.push(file);
                continue;
            }
            Some(ReportFormat::Ctrf) => ctrf::read(&file.bytes, material.places()),
            Some(ReportFormat::Tap) => tap::read(&file.bytes, material.places()),
            None => {
                let said = "neither JUnit XML nor CTRF nor TAP";
                Report { diagnostics: vec![said.to_owned()], ..Report::default() }
            }
        };
        for diagnostic in &mut report.diagnostics {
            *diagnostic = format!("{}: {diagnostic}", file.path);
        }
        reports.push(report);
    }
    if !of_junit.is_empty() {
        reports.push(junit::read_files(&of_junit, material));
    }
    // A file that cannot be read may be the one with the failures.
    let complete = reports.iter().all(|report| report.complete);
    let all = reports.into_iter().reduce(joined).unwrap_or_default();
    Report { complete, ..all }
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
