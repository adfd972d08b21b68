//! Seeded bugs in real projects, run by the real frameworks in three folders, with lines shifted, in
//! another order and at another time: a bug has one fingerprint everywhere, and no other bug has it.
//!
//! A bug is told by the word `bug_NAME` in its test, its function or its file; `bug_NAME__MORE` is
//! the same bug, seen by another test.

#![allow(clippy::expect_used, reason = "a test that cannot go on should say so at once")]

#[path = "../common/mod.rs"]
mod common;

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
    assert_eq!(pairs.wrong.count(), 0, "one fingerprint for two bugs:\n{}", pairs.wrong);
    assert!(pairs.recall() >= 0.98, "two fingerprints for one bug:\n{}", pairs.missed);
}
