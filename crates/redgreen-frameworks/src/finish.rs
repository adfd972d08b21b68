//! The last step of reading, the same for every report whoever made it: each failure gets its
//! place, its class and its fingerprint.

use redgreen_model::report::{Failure, Report};

use crate::classify::error_class;
use crate::fingerprint::fingerprint;
use crate::place::Places;

/// The project that a report is about.
#[derive(Clone, Copy)]
pub struct Project<'project> {
    /// Where it is.
    pub places: Places<'project>,
    /// The text of a file, by its path from the root of the work tree; none where it cannot be
    /// read. Only names the function around a line, for languages whose failures do not.
    pub source: &'project dyn Fn(&str) -> Option<String>,
}

/// Completes every failure of a report. Doing it twice changes nothing.
#[must_use]
pub fn finish(mut report: Report, project: &Project<'_>) -> Report {
    for test in &mut report.tests {
        if let Some(failure) = &mut test.failure {
            complete(failure, project);
        }
    }
    for failure in &mut report.errors {
        complete(failure, project);
    }
    report
}

fn complete(failure: &mut Failure, project: &Project<'_>) {
    failure.error_class = error_class(failure);
    failure.fingerprint = fingerprint(failure, project.places);
}
