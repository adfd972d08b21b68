//! What real versions of go wrote with `-json`, and what it comes to.

use std::path::Path;

use redgreen_frameworks::Places;
use redgreen_frameworks::go::read_json;
use redgreen_model::report::{FailureKind, Report};

/// Builds that fail are reported beside the events.
const OLD: &[u8] = include_bytes!("go/go1.21.json");
/// They are events.
const NEW: &[u8] = include_bytes!("go/go1.26.json");

fn read(bytes: &[u8]) -> Report {
    read_json(bytes, Places { root: Path::new("/home/me/shop"), folder: Path::new("") })
}

fn outcomes(report: &Report) -> Vec<String> {
    let mut outcomes: Vec<String> =
        report.tests.iter().map(|test| format!("{} {:?}", test.id, test.outcome)).collect();
    outcomes.sort();
    outcomes
}

#[test]
fn versions_of_go_come_to_the_same() {
    let (old, new) = (read(OLD), read(NEW));
    assert_eq!(outcomes(&old), outcomes(&new));
    for (name, report) in [("1.21", &old), ("1.26", &new)] {
        let counts = report.counts();
        assert_eq!(
            (counts.total, counts.passed, counts.skipped),
            (22, 10, 1),
            "{name}: {report:#?}"
        );
        assert_eq!(report.unfinished, [""; 0], "{name}");
        let errors: Vec<String> = report
            .errors
            .iter()
            .map(|error| {
                let place = error.location.as_ref().map(ToString::to_string).unwrap_or_default();
                format!("{place} {}", error.message)
            })
            .collect();
        assert!(report.errors.iter().all(|error| error.kind == FailureKind::CompileError));
        // The words for this one have changed.
        let unused = errors.first().filter(|error| error.contains("declared and not used"));
        assert!(
            unused.is_some_and(|error| error.starts_with("broken/broken_test.go:6 ")),
            "{name}"
        );
        let mistyped = "broken/broken_test.go:6 cannot use 1 (untyped int constant) as string value in variable declaration";
        assert_eq!(errors.get(1..), Some(&[mistyped.to_owned()][..]), "{name}");
        let in_folder = report.tests.iter().find(|test| test.id.ends_with("/twice.TestTwice"));
        let failure = in_folder.and_then(|test| test.failure.as_ref()).expect("a failure");
        let place = failure.location.as_ref().map(ToString::to_string);
        assert_eq!(place.as_deref(), Some("twice/twice_test.go:6"), "{name}");
        let located = report.tests.iter().filter_map(|test| test.failure.as_ref());
        for failure in located.filter(|failure| failure.error_type == "panic") {
            assert!(failure.location.is_some() && failure.test_location.is_some(), "{failure:?}");
        }
    }
}

/// Wherever the file ends, what is read is not a run in which all is well.
#[test]
fn a_file_that_was_cut_is_never_green() {
    for bytes in [OLD, NEW] {
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
        for end in ends.step_by(5).flat_map(|at| [at.saturating_sub(9), at + 1]) {
            let report = read(bytes.get(..end).unwrap_or(bytes));
            let red = report.tests.iter().any(|test| test.outcome.is_red());
            let green = report.complete
                && !red
                && report.errors.is_empty()
                && report.unfinished.is_empty()
                && report.tests.iter().any(|test| test.outcome.is_green());
            assert!(!green, "cut at {end}: {report:#?}");
        }
    }
}
