use std::path::Path;

use redgreen_model::execution::Ended;
use redgreen_model::report::FailureKind;

use super::*;
use crate::adapter::WorkTree;

fn read(command: &str, ended: Ended, stream: &str, console: &str) -> Report {
    Other.read(&RunMaterial {
        stream: stream.as_bytes(),
        console,
        command,
        ended: &ended,
        root: Path::new("/home/me/project"),
        folder: Path::new(""),
        work_tree: WorkTree::default(),
    })
}

#[test]
fn how_it_ended_decides_the_kind_and_the_log_explains() {
    let log = "compiling\nsrc/a.py:3:5: cannot do that bad thing\nalmost done\n";
    let exited = |code| Ended::Exited { code };
    let cases = [
        ("make test", exited(2), FailureKind::Unknown, "bad thing"),
        ("nosuch", exited(127), FailureKind::ToolingError, "exit code 127"),
        ("./not-executable", exited(126), FailureKind::ToolingError, "exit code 126"),
        ("ruff check .", exited(1), FailureKind::LintFailure, "bad thing"),
        ("python -m mypy src", exited(1), FailureKind::LintFailure, "bad thing"),
        ("cargo clippy", exited(101), FailureKind::LintFailure, "bad thing"),
        ("npx eslint .", exited(1), FailureKind::LintFailure, "bad thing"),
        ("echo ruff", exited(1), FailureKind::Unknown, "bad thing"),
        ("make test", Ended::Signalled { signal: 11 }, FailureKind::RuntimeError, "SIGSEGV"),
        ("make test", exited(139), FailureKind::RuntimeError, "SIGSEGV"),
        ("make test", exited(137), FailureKind::RuntimeError, "SIGKILL"),
        ("make test", Ended::TimedOut { limit_seconds: 3 }, FailureKind::Timeout, "limit of 3 s"),
        (
            "make test",
            Ended::NotStarted { reason: "no sh".into() },
            FailureKind::ToolingError,
            "no sh",
        ),
    ];
    for (command, ended, kind, text) in cases {
        let report = read(command, ended.clone(), "", log);
        assert_eq!(report.errors.len(), 1, "{command} {ended}");
        assert_eq!(report.errors[0].kind, kind, "{command} {ended}");
        let summary = report.errors[0].summary();
        assert!(summary.contains(text), "{summary}");
        assert!(!report.began && report.tests.is_empty());
        assert_eq!(report.errors[0].location.as_ref().unwrap().to_string(), "src/a.py:3");
    }
}

#[test]
fn a_log_of_a_known_program_names_what_failed() {
    let log = "F.\n======================================================================\n\
               FAIL: test_total (test_unit.TestPrice.test_total)\n\
               ----------------------------------------------------------------------\n\
               Traceback (most recent call last):\n  \
               File \"/home/me/project/test_unit.py\", line 9, in test_total\n    \
               self.assertEqual(4, 3)\nAssertionError: 4 != 3\n\n\
               ----------------------------------------------------------------------\n\
               Ran 2 tests in 0.007s\n\nFAILED (failures=1)\nmake: *** [Makefile:2: test] Error 1\n";
    let report = read("make test", Ended::Exited { code: 2 }, "", log);
    assert!(!report.began && !report.complete && report.tests.is_empty());
    let [failure] = report.errors.as_slice() else { panic!("{:?}", report.errors) };
    assert_eq!(failure.test.as_deref(), Some("test_unit.TestPrice.test_total"));
    assert_eq!(failure.kind, FailureKind::TestFailure);
    assert_eq!(failure.location.as_ref().unwrap().to_string(), "test_unit.py:9");
    assert_eq!((failure.expected.as_deref(), failure.actual.as_deref()), (Some("3"), Some("4")));
    let silent = read("make test", Ended::Exited { code: 0 }, "", log);
    assert_eq!(Report { diagnostics: Vec::new(), ..silent }, Report::default());
    let missing = read("nosuch", Ended::Exited { code: 127 }, "", log);
    assert_eq!(missing.errors[0].kind, FailureKind::ToolingError);
}

#[test]
fn findings_become_errors_at_their_place_also_behind_tests_that_passed() {
    let stream = "{\"event\":\"hello\",\"run\":\"r\"}\n\
                  {\"event\":\"end\",\"run\":\"r\",\"test\":\"t\",\"outcome\":\"passed\"}\n\
                  {\"event\":\"bye\",\"run\":\"r\",\"exit\":0}\n";
    let log =
        "tests/a.py::t FAILED\nsrc/a.ts(3,5): error TS2322: Type 'string' is not assignable.\n";
    let report = read("./t && npx tsc", Ended::Exited { code: 2 }, stream, log);
    let [error] = report.errors.as_slice() else { panic!("{:?}", report.errors) };
    assert_eq!((error.kind, error.error_type.as_str()), (FailureKind::LintFailure, "TS2322"));
    assert_eq!(error.location.as_ref().unwrap().to_string(), "src/a.ts:3");
    assert_eq!(error.test, None, "the runner knows its tests better than the log");
}

#[test]
fn text_never_makes_a_test() {
    let log = "12 passed in 0.01s\ntest a ... ok\nok 1 - b\n";
    let report = read("make test", Ended::Exited { code: 0 }, "", log);
    assert_eq!(Report { diagnostics: Vec::new(), ..report }, Report::default());
}

#[test]
fn a_shell_script_can_write_the_stream() {
    let stream = "{\"event\":\"hello\",\"run\":\"mine\",\"runner\":\"my-script\"}\n\
                  {\"event\":\"start\",\"run\":\"mine\",\"test\":\"adds\"}\n\
                  {\"event\":\"end\",\"run\":\"mine\",\"test\":\"adds\",\"outcome\":\"failed\"}\n\
                  {\"event\":\"bye\",\"run\":\"mine\",\"exit\":1}\n";
    let report = read("./run.sh", Ended::Exited { code: 1 }, stream, "error: whatever");
    assert!(report.began && report.complete);
    assert_eq!(report.counts().failed, 1);
    assert_eq!(report.errors, [], "the failed test explains the exit code");
}

#[test]
fn an_empty_log_still_makes_a_failure() {
    let report = read("false", Ended::Exited { code: 1 }, "", "");
    assert_eq!(report.errors[0].message, "exit code 1");
}

#[test]
fn a_death_names_the_test_in_flight() {
    let stream =
        "{\"event\":\"hello\",\"run\":\"r\"}\n{\"event\":\"start\",\"run\":\"r\",\"test\":\"t\"}\n";
    let report = read("./x", Ended::Signalled { signal: 9 }, stream, "");
    assert_eq!(report.errors[0].message, "died of SIGKILL while t was running");
    assert_eq!(report.unfinished, ["t"]);
}

/// What a runner printed makes no pass; it does tell what to write.
#[test]
fn a_runner_that_was_not_seen_says_what_to_write() {
    let cases = [
        ("make test", "======= 2 passed in 0.01s =======\n", "PYTHONPATH=src:$PYTHONPATH"),
        ("make test", "Ran 2 tests in 0.001s\n\nOK\n", "unittest ran without redgreen's listener"),
        (
            "npm test",
            "\n RUN  v0.34.6 /p\n\n Test Files  1 passed (1)\n      Tests  1 passed (1)\n",
            "vitest 0.34.6 ran without redgreen's module: vitest 1 to 5 is read",
        ),
        ("npm test", "Tests:       1 passed, 1 total\n", "jest 26 and newer is read"),
        ("npx ava", "  ✔ adds\n", "npx ava --tap > .cache/ava.tap"),
        ("npx playwright test", "  1 passed (1.0s)\n", "reports = [\"junit-playwright.xml\"]"),
        ("bazel test //...", "", "bazel-testlogs/**/test.xml"),
        ("deno test", "ok | 1 passed | 0 failed (1ms)\n", "--junit-path=junit-deno.xml"),
    ];
    for (command, console, wanted) in cases {
        let report = read(command, Ended::Exited { code: 0 }, "", console);
        assert!(!report.began && report.tests.is_empty(), "{command}");
        let first = report.diagnostics.first().map_or("", String::as_str);
        assert!(first.contains(wanted), "{command}: {first}");
    }
    let quiet = read("make test", Ended::Exited { code: 0 }, "", "all done\n");
    assert!(quiet.diagnostics.is_empty(), "{:?}", quiet.diagnostics);
}
