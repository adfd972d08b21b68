//! Seeded bugs in real projects, run by the real frameworks in three folders, with lines shifted, in
//! another order and at another time: a bug has one fingerprint everywhere, and no other bug has it.
//!
//! A bug is recognised by the word `bug_NAME` in its test, its function or its file; `bug_NAME__MORE` is
//! the same bug, seen by another test.

mod pairs;
mod suite;

use std::io::Write as _;

use suite::{Check, Seen, Suite};

const SUITES: &[Suite] = &[
    Suite {
        fixture: "pytest",
        checks: &[Check {
            command: "ORDER=$ORDER python -m pytest -q --continue-on-collection-errors",
            folder: ".",
        }],
        comment: "# ",
        packages: None,
        bugs: 36,
    },
    Suite {
        fixture: "cargo_test",
        checks: &[
            Check { command: "cargo test --offline -- --test-threads $ORDER", folder: "." },
            Check { command: "cargo test --offline --lib", folder: "broken_types" },
            Check { command: "cargo test --offline --lib", folder: "broken_names" },
        ],
        comment: "// ",
        packages: None,
        bugs: 33,
    },
    Suite {
        fixture: "jest",
        checks: &[Check { command: "npm test -- --randomize --seed=$ORDER", folder: "." }],
        comment: "// ",
        packages: Some("current"),
        bugs: 33,
    },
    Suite {
        fixture: "go_test",
        checks: &[Check { command: "go test -shuffle=$ORDER ./...", folder: "." }],
        comment: "// ",
        packages: None,
        bugs: 28,
    },
];

/// What sort of thing some of the bugs are, as the real frameworks report them.
const SORTS: &[(&str, &str, &str)] = &[
    ("pytest/bug_first", "test_failure", "RuntimeError"),
    ("pytest/bug_list", "test_failure", "AssertionError"),
    ("pytest/bug_label", "test_failure", "TypeError"),
    ("pytest/bug_no_owner", "test_failure", "ReferenceError"),
    ("pytest/bug_price", "test_failure", "ValidationError"),
    ("pytest/bug_port", "test_failure", "NetworkError"),
    ("pytest/bug_no_error", "test_failure", "AssertionError"),
    ("pytest/bug_missing_module", "compile_error", "ReferenceError"),
    ("pytest/bug_syntax", "compile_error", "SyntaxError"),
    ("cargo_test/bug_average", "test_failure", "RuntimeError"),
    ("cargo_test/bug_cart_get", "test_failure", "TypeError"),
    ("cargo_test/bug_price", "test_failure", "ValidationError"),
    ("cargo_test/bug_text", "test_failure", "AssertionError"),
    ("cargo_test/bug_no_panic", "test_failure", "AssertionError"),
    ("cargo_test/bug_mismatched", "compile_error", "TypeError"),
    ("cargo_test/bug_no_name", "compile_error", "ReferenceError"),
    ("jest/bug_first", "test_failure", "TypeError"),
    ("jest/bug_pay", "test_failure", "ReferenceError"),
    ("jest/bug_list", "test_failure", "AssertionError"),
    ("jest/bug_token", "test_failure", "RuntimeError"),
    ("jest/bug_never", "timeout", "TimeoutError"),
    ("jest/bug_missing_module", "compile_error", "ReferenceError"),
    ("jest/bug_syntax", "compile_error", "SyntaxError"),
    ("go_test/bug_number", "test_failure", "AssertionError"),
    ("go_test/bug_pointer", "test_failure", "TypeError"),
    ("go_test/bug_index", "test_failure", "RuntimeError"),
    ("go_test/bug_mismatched", "compile_error", "TypeError"),
    ("go_test/bug_no_name", "compile_error", "ReferenceError"),
];

#[test]
fn each_bug_has_one_fingerprint_and_no_other_bug_has_it() {
    let seen: Vec<Seen> = std::thread::scope(|scope| {
        let runs: Vec<_> = SUITES.iter().map(|suite| scope.spawn(|| suite.play())).collect();
        runs.into_iter().flat_map(|run| run.join().expect("a suite that was played")).collect()
    });
    let pairs = pairs::count(&seen);
    let bugs: usize = SUITES.iter().map(|suite| suite.bugs).sum();
    let _ = writeln!(
        std::io::stderr(),
        "fingerprints: {bugs} bugs of {} frameworks, {} failures at {} places; {pairs}",
        SUITES.len(),
        seen.len(),
        suite::PLACES.len(),
    );
    let unsorted: Vec<String> = SORTS.iter().flat_map(|sort| differing(&seen, sort)).collect();
    assert!(unsorted.is_empty(), "of another sort:\n{}", unsorted.join("\n"));
    assert_eq!(pairs.wrong.count(), 0, "one fingerprint for two bugs:\n{}", pairs.wrong);
    assert!(pairs.recall() >= 0.98, "two fingerprints for one bug:\n{}", pairs.missed);
}

/// The failures of a bug that are not of the sort that they should be; a bug that is not there is
/// one.
fn differing(seen: &[Seen], (bug, kind, class): &(&str, &str, &str)) -> Vec<String> {
    let of_it: Vec<&Seen> = seen.iter().filter(|seen| seen.bug == *bug).collect();
    let other =
        of_it.iter().filter(|seen| (seen.kind.as_str(), seen.class.as_str()) != (*kind, *class));
    match of_it.len() {
        0 => vec![format!("{bug} was not seen")],
        _ => other.map(|seen| format!("{seen}: {}", seen.class)).collect(),
    }
}
