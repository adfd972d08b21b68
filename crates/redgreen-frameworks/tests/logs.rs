//! Logs of real programs, each with a table of what must be read from it.
//!
//! `logs/TOOL/NAME.log` is what the program printed, with paths of nobody's machine;
//! `logs/TOOL/NAME.expected` says what is in it, written from the log and the project that made it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use redgreen_frameworks::{Places, console};
use redgreen_model::report::{Failure, TestOutcome};

fn logs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let entries = |folder: &Path| {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let mut logs: Vec<PathBuf> = entries(&folder)
        .iter()
        .flat_map(|tool| entries(tool))
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .collect();
    logs.sort();
    logs
}

/// The runs of a log as a table.
fn table(bytes: &[u8]) -> String {
    tabulated(bytes, true)
}

fn tabulated(bytes: &[u8], with_lanes: bool) -> String {
    let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
    let mut table = String::new();
    for run in console::read(bytes, places, None) {
        assert!(!run.report.began, "a log never makes a run begin");
        let lane =
            run.lane.filter(|_| with_lanes).map(|lane| format!(" of {lane}")).unwrap_or_default();
        let end = if run.report.complete { "complete" } else { "cut" };
        writeln!(table, "{}{lane}: {end}", run.program).unwrap();
        for test in &run.report.tests {
            writeln!(table, "  {:9} {}", word(test.outcome), test.id).unwrap();
            if let Some(failure) = &test.failure {
                describe(failure, &mut table);
            }
        }
        for error in &run.report.errors {
            writeln!(table, "  {}", error.kind).unwrap();
            describe(error, &mut table);
        }
        for note in &run.report.diagnostics {
            writeln!(table, "  note: {note}").unwrap();
        }
    }
    table
}

fn word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "FAILED",
        TestOutcome::Errored => "ERROR",
        TestOutcome::Skipped => "skipped",
        TestOutcome::ExpectedFailure => "xfailed",
        TestOutcome::UnexpectedPass => "xpassed",
    }
}

fn describe(failure: &Failure, table: &mut String) {
    let first = failure.message.lines().next().unwrap_or("");
    writeln!(table, "      {}: {first}", failure.error_type).unwrap();
    let line = |value: &String| value.replace('\n', "\\n");
    if let Some(actual) = &failure.actual {
        writeln!(table, "      actual {}", line(actual)).unwrap();
    }
    if let Some(expected) = &failure.expected {
        writeln!(table, "      expected {}", line(expected)).unwrap();
    }
    if let Some(place) = failure.location.as_ref().or(failure.test_location.as_ref()) {
        writeln!(table, "      at {place}").unwrap();
    }
}

#[test]
fn every_log_says_what_its_table_says() {
    let mut wrong = String::new();
    for log in logs() {
        let expected = fs::read_to_string(log.with_extension("expected")).unwrap_or_default();
        let found = table(&fs::read(&log).unwrap());
        if found != expected {
            writeln!(wrong, "=== {}\n--- read\n{found}--- wanted\n{expected}", log.display())
                .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What CI systems, terminals and programs that run programs put around each line of a log.
type Wrapping = (&'static str, fn(&str) -> String);

const WRAPPINGS: &[Wrapping] = &[
    ("GitHub Actions", |line| format!("2026-01-02T03:04:05.1234567Z {line}\n")),
    ("GitHub's client", |line| {
        format!("build\tRun the tests\t2026-01-02T03:04:05.1234567Z {line}\n")
    }),
    ("GitLab", |line| format!("2026-01-02T03:04:05.123456Z 00O {line}\n")),
    ("Jenkins", |line| format!("[2026-01-02T03:04:05.678Z] {line}\n")),
    ("Windows", |line| format!("{line}\r\n")),
    ("colours", |line| format!("\u{1b}[1m{line}\u{1b}[0m\n")),
    ("redraws", |line| match line {
        "" => "\n".to_owned(),
        line => format!("\u{1b}[2K 10%\r 50%\r{line}\n"),
    }),
    ("docker compose", |line| format!("api-1  | {line}\n")),
    ("turborepo", |line| format!("@shop/web:test: {line}\n")),
    ("pnpm", |line| format!("packages/web test: {line}\n")),
    ("lerna", |line| format!("web: {line}\n")),
    ("job and step", |line| format!("build | test | {line}\n")),
    ("compose in GitHub", |line| {
        format!("2026-01-02T03:04:05.1234567Z \u{1b}[36mapi-1  |\u{1b}[0m {line}\r\n")
    }),
];

#[test]
fn what_is_put_around_each_line_changes_nothing() {
    let mut wrong = String::new();
    for log in logs() {
        let text = String::from_utf8(fs::read(&log).unwrap()).unwrap();
        let plain = tabulated(text.as_bytes(), false);
        for (name, wrap) in WRAPPINGS {
            let wrapped: String = text.lines().map(wrap).collect();
            let found = tabulated(wrapped.as_bytes(), false);
            if found != plain {
                writeln!(
                    wrong,
                    "=== {} in {name}\n--- read\n{found}--- wanted\n{plain}",
                    log.display()
                )
                .unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_run_of_a_long_log_has_its_own_result() {
    let (mut all, mut expected) = (String::new(), String::new());
    for log in logs() {
        let text = fs::read_to_string(&log).unwrap();
        write!(all, "##[group]Run {}\n$ make test\nnoise of a step\n{text}", log.display())
            .unwrap();
        expected += &tabulated(text.as_bytes(), true);
    }
    assert_eq!(tabulated(all.as_bytes(), true), expected);
}

#[test]
fn runs_that_follow_each_other_without_a_mark_are_distinguished() {
    let all = logs();
    let mut wrong = String::new();
    for pair in all.windows(2) {
        let [first, second] = pair else { continue };
        if first.parent() == second.parent() {
            // A program without a banner that runs again is one that was tried again.
            continue;
        }
        let texts = [first, second].map(|log| fs::read_to_string(log).unwrap());
        let expected: String = texts.iter().map(|text| tabulated(text.as_bytes(), true)).collect();
        let found = tabulated(texts.concat().as_bytes(), true);
        if found != expected {
            writeln!(
                wrong,
                "=== {} then {}\n--- read\n{found}--- wanted\n{expected}",
                first.display(),
                second.display()
            )
            .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_log_that_is_cut_anywhere_is_read_without_a_pass() {
    for log in logs() {
        let bytes = fs::read(&log).unwrap();
        let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
        for cut in (0..bytes.len()).step_by(97) {
            for run in console::read(&bytes[..cut], places, None) {
                assert!(!run.report.began, "{} cut at {cut}", log.display());
            }
        }
    }
}

/// Runs in which everything passes, as different programs print them.
const GREEN: &[&str] = &[
    "============================= test session starts ==============================\ncollected 2 items\n\ntest_a.py ..                                                             [100%]\n\n============================== 2 passed in 0.01s ===============================\n",
    "PASS test/a.test.js\n  ✓ adds (2 ms)\n\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\nSnapshots:   0 total\nTime:        0.5 s\nRan all test suites.\n",
    " RUN  v3.2.4 /home/me/project\n\n ✓ test/a.test.js (1 test) 2ms\n\n Test Files  1 passed (1)\n      Tests  1 passed (1)\n   Start at  10:00:00\n   Duration  300ms\n\n",
    "\n> shop@1.0.0 test\n> mocha\n\n\n  cart\n    ✔ adds\n\n\n  1 passing (3ms)\n\n",
    "     Running tests/a.rs (target/debug/deps/a-0123456789abcdef)\n\nrunning 1 test\ntest adds ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n",
    "=== RUN   TestAdds\n--- PASS: TestAdds (0.00s)\nPASS\nok  \texample.org/shop\t0.002s\n",
    "test_a (tests.test_a.Ends.test_a) ... ok\n\n----------------------------------------------------------------------\nRan 1 test in 0.000s\n\nOK\n",
    "✔ adds (1.5ms)\nℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 50\n",
    "TAP version 13\nok 1 - adds\n1..1\n",
];

fn failures(log: &str) -> Vec<String> {
    let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
    let runs = console::read(log.as_bytes(), places, None);
    assert!(!runs.is_empty(), "{log}");
    let errors = runs.iter().flat_map(|run| &run.report.errors);
    errors.map(|error| format!("{}: {}", error.error_type, error.message)).collect()
}

#[test]
fn a_job_that_fails_after_its_tests_passed_is_red() {
    let lines = "ERROR: Coverage for lines (50%) does not meet global threshold (90%)";
    let total = "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%";
    let made = "make: *** [Makefile:2: test] Error 2";
    let coverage = |text: &str| format!("CoverageThreshold: {text}");
    let failed = |text: &str| format!("JobFailed: {text}");
    let ends: [(String, String); 10] = [
        (
            "##[error]Process completed with exit code 1.".to_owned(),
            failed("Process completed with exit code 1."),
        ),
        (made.to_owned(), failed(made)),
        ("Segmentation fault (core dumped)".to_owned(), failed("Segmentation fault (core dumped)")),
        (
            "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\nnpm ERR! shop@1.0.0 test: `run`"
                .to_owned(),
            failed("npm ERR! code ELIFECYCLE"),
        ),
        ("npm error code 1\nnpm error path /home/me".to_owned(), failed("npm error code 1")),
        (lines.to_owned(), coverage(lines)),
        (format!("{total}\n{made}"), coverage(&format!("{total}\n{made}"))),
        (
            " › 1 snapshot obsolete.\nnpm error code 1".to_owned(),
            "ObsoleteSnapshots: › 1 snapshot obsolete.\nnpm error code 1".to_owned(),
        ),
        // No word of a failure.
        (" › 1 snapshot obsolete.".to_owned(), String::new()),
        ("##[error]Process completed with exit code 0.".to_owned(), String::new()),
    ];
    for green in GREEN {
        assert_eq!(failures(green), [""; 0], "{green}");
        for (end, wanted) in &ends {
            let wanted: Vec<&String> =
                Some(wanted).into_iter().filter(|it| !it.is_empty()).collect();
            let log = format!("{green}{end}\n");
            assert_eq!(failures(&log).iter().collect::<Vec<_>>(), wanted, "{log}");
            let stamped: String =
                log.lines().map(|line| format!("2026-01-02T03:04:05.6789012Z {line}\n")).collect();
            assert_eq!(failures(&stamped).iter().collect::<Vec<_>>(), wanted, "{stamped}");
        }
    }
}

#[test]
fn what_tests_print_and_what_is_red_already_is_no_end_of_a_job() {
    let printed = "PASS test/a.test.js\n  ✓ adds (2 ms)\nnpm ERR! code ELIFECYCLE\nSegmentation fault\nPASS test/b.test.js\n  ✓ breaks (2 ms)\n\nTest Suites: 2 passed, 2 total\nTests:       2 passed, 2 total\nTime:        0.5 s\nRan all test suites.\n";
    assert_eq!(failures(printed), [""; 0]);
    // The same tests once more are a run that goes on, too.
    let again = "PASS test/a.test.js\n  ✓ adds (2 ms)\nSegmentation fault\nPASS test/a.test.js\n  ✓ adds (2 ms)\n";
    assert_eq!(failures(again), [""; 0]);
    // pytest-cov speaks before the summary.
    let fails = "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%\n";
    let (head, summary) = GREEN[0].split_once("\n\n==").unwrap();
    assert_eq!(failures(&format!("{head}\n{fails}=={summary}")).len(), 1);
    // The red run explains the end, though another one follows it.
    let red = "=== RUN   TestAdds\n    a_test.go:7: wrong\n--- FAIL: TestAdds (0.00s)\nFAIL\nFAIL\texample.org/shop\t0.002s\nFAIL\n";
    let end = "make: *** [Makefile:2: test] Error 2\n";
    assert_eq!(failures(&format!("{red}{}{end}", GREEN[0])), [""; 0]);
    // A second job, after one that failed.
    let wanted = ["JobFailed: make: *** [Makefile:2: test] Error 2"];
    assert_eq!(failures(&format!("{red}{end}{}{end}", GREEN[0])), wanted);
    assert_eq!(failures(&format!("{}{end}{}", GREEN[0], GREEN[5])), wanted);
    assert_eq!(failures(&format!("{end}{}", GREEN[0])), [""; 0]);
}

/// The last words of CI systems and build tools, none of which a later green run makes good.
const LAST_WORDS: &[&str] = &[
    "Done. Your build exited with 1.",
    "The operation was canceled.",
    "ERROR: Job failed: exit code 1",
    "Finished: ABORTED",
    "The build has been terminated",
    "[INFO] BUILD FAILURE",
    "BUILD FAILED in 3s",
];

#[test]
fn the_last_word_on_a_job_counts_wherever_it_stands() {
    for word in LAST_WORDS {
        for green in GREEN {
            for log in [format!("{green}{word}\n"), format!("{word}\n{green}")] {
                assert!(!all_pass(&log), "{log}");
            }
        }
    }
}

#[test]
fn a_green_job_stays_green_whatever_is_said_beside_it() {
    for word in [
        "Done. Your build exited with 0.",
        "Job succeeded",
        "Finished: SUCCESS",
        "[INFO] BUILD SUCCESS",
        "warning: 3 deprecated calls",
        "make: [Makefile:2: lint] Error 1 (ignored)",
        "The command \"npm test\" exited with 0.",
    ] {
        for green in GREEN {
            assert!(all_pass(&format!("{green}{word}\n")), "{green}{word}");
        }
    }
    // An installation that failed once and was tried again.
    assert!(all_pass(&format!("npm ERR! network timeout\n{}", GREEN[0])));
}

#[test]
fn counts_of_one_module_say_nothing_of_the_next() {
    let module = "[INFO] Scanning for projects...\n[INFO] Results:\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n[INFO] Building second 1.0\n";
    assert!(!all_pass(module));
    assert!(all_pass(&format!("{module}[INFO] BUILD SUCCESS\n")));
}

#[test]
fn packages_without_tests_to_run_are_no_pass() {
    assert!(!all_pass("ok  \texample.org/shop\t0.002s [no tests to run]\n"));
    assert!(all_pass("ok  \texample.org/shop\t0.002s\n"));
}

#[test]
fn a_test_outside_of_the_plan_is_no_pass() {
    assert!(!all_pass("TAP version 13\n1..2\nok 1 - a\nok 5 - b\n"));
    assert!(all_pass("TAP version 13\n1..2\nok 2 - a\nok 1 - b\n"));
}

/// Whether every run of the log passed, as `redgreen parse` counts it.
fn all_pass(log: &str) -> bool {
    let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
    let runs = console::read(log.as_bytes(), places, None);
    assert!(!runs.is_empty(), "{log}");
    runs.iter().all(|run| {
        let executed =
            run.unnamed_passes > 0 || run.report.tests.iter().any(|test| test.outcome.executed());
        let red = run.report.tests.iter().any(|test| test.outcome.is_red());
        run.report.complete && executed && !red && run.report.errors.is_empty()
    })
}
