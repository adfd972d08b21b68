//! jest: the reporter in `redgreen-frameworks/src/jest`.

use crate::frameworks::model::{Case, ENDLESS, Model, RUN, Run, Test, WANTED, Wanted, red, test};

pub const MODEL: Model = Model {
    framework: "jest",
    command: "npm test",
    prepare: |project| project.link_packages("current"),
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    flaky: "tests/flaky.test.js > flaky",
    harmless_edit: ("shop.js", "// changed"),
    absent: &[(Case::Subtests, "a test has no parts with results of their own")],
};

const TOGETHER: Run = Run {
    tests: &[
        test(Case::Pass, "tests/ends.test.js > pass", "passed"),
        red(
            Case::FailWithDiff,
            "tests/ends.test.js > fail with diff",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "+   \"total\": 4",
                expected: Some("{ total: 3, currency: 'EUR' }"),
                actual: Some("{ total: 4, currency: 'EUR' }"),
                location: Some("tests/ends.test.js:9"),
                test_location: Some("tests/ends.test.js:9"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "tests/ends.test.js > fail in the code",
            "failed",
            Wanted {
                error_type: "TypeError",
                message: "Cannot read properties of undefined (reading 'name')",
                location: Some("shop.js:6"),
                test_location: Some("tests/ends.test.js:13"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInSetup,
            "tests/ends.test.js > error in setup > of each",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "TypeError",
                message: "Cannot read properties of undefined (reading 'name')",
                location: Some("shop.js:6"),
                test_location: Some("tests/ends.test.js:18"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInSetup,
            "tests/ends.test.js > error in setup > of all",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "TypeError",
                message: "Cannot read properties of undefined (reading 'name')",
                location: Some("shop.js:6"),
                test_location: Some("tests/ends.test.js:26"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInSetup,
            "tests/ends.test.js > error in setup > of all, too",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "TypeError",
                message: "Cannot read properties of undefined (reading 'name')",
                location: Some("shop.js:6"),
                test_location: Some("tests/ends.test.js:26"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInTeardown,
            "tests/ends.test.js > error in teardown > of each",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "AssertionError",
                message: "also: RangeError: cannot clean up",
                expected: Some("0"),
                actual: Some("1"),
                location: Some("tests/ends.test.js:40"),
                test_location: Some("tests/ends.test.js:40"),
            },
        ),
        test(Case::ErrorInTeardown, "tests/ends.test.js > error in teardown > of all", "passed"),
        test(Case::Skip, "tests/ends.test.js > skip", "skipped"),
        test(Case::Skip, "tests/ends.test.js > to do", "skipped"),
        test(Case::ExpectedFailure, "tests/ends.test.js > expected failure", "expected_failure"),
        red(
            Case::ExpectedFailure,
            "tests/ends.test.js > unexpected pass",
            "failed",
            Wanted {
                error_type: "Error",
                message: "Failing test passed even though it was supposed to fail",
                location: Some("tests/ends.test.js:62"),
                test_location: Some("tests/ends.test.js:62"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "tests/names.test.js > parameters 1", "passed"),
        red(
            Case::Parameters,
            "tests/names.test.js > parameters -1",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "Expected: not -1",
                expected: Some("not -1"),
                actual: Some("-1"),
                location: Some("tests/names.test.js:7"),
                test_location: Some("tests/names.test.js:7"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "tests/names.test.js > parameters a b", "passed"),
        test(Case::Parameters, "tests/names.test.js > parameters x > y", "passed"),
        test(Case::Parameters, "tests/names.test.js > parameters line\\nbreak#0b60ae53", "passed"),
        test(Case::Parameters, "tests/names.test.js > parameters prüft", "passed"),
        test(Case::UnicodeName, "tests/names.test.js > größe 日本", "passed"),
        test(Case::SameNameTwice, "tests/names.test.js > twice", "passed"),
        red(
            Case::SameNameTwice,
            "tests/names.test.js > in a group > twice",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "Expected: 1\nReceived: 2",
                expected: Some("1"),
                actual: Some("2"),
                location: Some("tests/names.test.js:18"),
                test_location: Some("tests/names.test.js:18"),
                ..WANTED
            },
        ),
        test(Case::SameNameTwice, "tests/names.test.js > in a group > twice #2", "passed"),
        test(Case::SameNameTwice, "tests/twice.test.js > twice", "passed"),
        test(Case::PrintsFakeResults, "tests/odd.test.js > prints fake results", "passed"),
        red(
            Case::ThrowsNonError,
            "tests/odd.test.js > throws a string",
            "failed",
            Wanted {
                error_type: "string",
                message: "thrown",
                location: Some("tests/odd.test.js:10"),
                test_location: Some("tests/odd.test.js:10"),
                ..WANTED
            },
        ),
        red(
            Case::ThrowsNonError,
            "tests/odd.test.js > throws nothing",
            "failed",
            Wanted {
                error_type: "undefined",
                message: "undefined",
                location: Some("tests/odd.test.js:14"),
                test_location: Some("tests/odd.test.js:14"),
                ..WANTED
            },
        ),
        red(
            Case::UnhandledElsewhere,
            "tests/odd.test.js > unhandled elsewhere",
            "failed",
            Wanted {
                error_type: "RangeError",
                message: "nobody waits",
                location: Some("tests/odd.test.js:19"),
                test_location: Some("tests/odd.test.js:19"),
                ..WANTED
            },
        ),
        Test { at_least_ms: 290, ..test(Case::Slow, "tests/odd.test.js > slow", "passed") },
        red(
            Case::BigDiff,
            "tests/odd.test.js > big diff",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "+   0,",
                expected: Some("[\n    1,   2,   3, …"),
                actual: Some("[\n    0,   1,   2, …"),
                location: Some("tests/odd.test.js:29"),
                test_location: Some("tests/odd.test.js:29"),
                ..WANTED
            },
        ),
    ],
    errors: &[(
        Case::ErrorInTeardown,
        Wanted {
            kind: "runtime_error",
            error_type: "RangeError",
            message: "cannot clean up",
            location: Some("tests/ends.test.js:46"),
            ..WANTED
        },
    )],
    ..RUN
};

const CRASH: Run = Run {
    name: "crash",
    complete: false,
    tests: &[test(Case::Crash, "tests/crash.test.js > before", "passed")],
    unfinished: &[(Case::Crash, "tests/crash.test.js > crash")],
    errors: &[(
        Case::Crash,
        Wanted {
            kind: "runtime_error",
            error_type: "SIGSEGV",
            message: "died of SIGSEGV while tests/crash.test.js > crash was running",
            ..WANTED
        },
    )],
    ..RUN
};

const EXIT: Run = Run {
    name: "exit",
    verdict: "inconclusive",
    complete: false,
    tests: &[test(Case::ExitZero, "tests/exit.test.js > before", "passed")],
    unfinished: &[(Case::ExitZero, "tests/exit.test.js > exit")],
    ..RUN
};

const HANG: Run = Run {
    limit_seconds: Some(12),
    tests: &[test(Case::Hang, "tests/hang.test.js > before", "passed")],
    unfinished: &[(Case::Hang, "tests/hang.test.js > hang")],
    ..ENDLESS
};

const BROKEN: Run = Run {
    name: "broken",
    tests: &[test(Case::DoesNotBuild, "tests/fine.test.js > fine", "passed")],
    errors: &[(
        Case::DoesNotBuild,
        Wanted {
            kind: "compile_error",
            error_type: "SyntaxError",
            message: "Unexpected token",
            location: Some("tests/broken.test.js:4"),
            ..WANTED
        },
    )],
    ..RUN
};
