//! CTest with GoogleTest: the shims and `redgreen-frameworks/src/ctest`. A program does not say what it is going to run: a
//! test that it never came to is not known.

use crate::frameworks::model::{Case, ENDLESS, Model, RUN, Run, WANTED, Wanted, red, test};

pub const MODEL: Model = Model {
    framework: "ctest",
    command: crate::common::ctest::COMMAND,
    prepare: |project| project.prepare_ctest(),
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    flaky: "flaky_test::Luck.Flaky",
    harmless_edit: ("shop.h", "// changed"),
    absent: &[
        (Case::ExpectedFailure, "GoogleTest has no tests that are expected to fail"),
        (Case::Subtests, "GoogleTest has no tests in tests"),
    ],
};

/// A failed assertion.
const fn failed(message: &'static str, place: &'static str) -> Wanted {
    Wanted {
        error_type: "Failure",
        message,
        location: Some(place),
        test_location: Some(place),
        ..WANTED
    }
}

/// A program that ended in the middle of a test.
const fn ended(message: &'static str) -> Wanted {
    Wanted { kind: "runtime_error", error_type: "crash", message, ..WANTED }
}

const TOGETHER: Run = Run {
    tests: &[
        test(Case::Pass, "ends_test::Ends.Pass", "passed"),
        red(
            Case::FailWithDiff,
            "ends_test::Ends.FailWithDiff",
            "failed",
            Wanted {
                expected: Some("3"),
                actual: Some("4"),
                ..failed("two prices", "tests/ends_test.cpp:13")
            },
        ),
        red(
            Case::FailWithDiff,
            "ends_test::Ends.FailInTheCode",
            "failed",
            Wanted { error_type: "exception", message: "vector::_M_range_check", ..WANTED },
        ),
        red(
            Case::ErrorInSetup,
            "ends_test::SetsUp.ErrorInSetup",
            "failed",
            failed("cannot set up", "tests/ends_test.cpp:19"),
        ),
        red(
            Case::ErrorInTeardown,
            "ends_test::CleansUp.ErrorInTeardown",
            "failed",
            failed("cannot clean up", "tests/ends_test.cpp:25"),
        ),
        test(Case::Skip, "ends_test::Ends.Skip", "skipped"),
        test(Case::Skip, "ends_test::Ends.Off", "skipped"),
        test(Case::Parameters, "ends_test::Some/Prices.Positive/0", "passed"),
        red(
            Case::Parameters,
            "ends_test::Some/Prices.Positive/1",
            "failed",
            Wanted {
                expected: Some("(GetParam()) > (0)"),
                actual: Some("-1 vs 0"),
                ..failed("actual: -1 vs 0", "tests/ends_test.cpp:36")
            },
        ),
        test(Case::UnicodeName, "ends_test::Größe.Prüft", "passed"),
        test(Case::PrintsFakeResults, "ends_test::Ends.PrintsFakeResults", "passed"),
        red(
            Case::ThrowsNonError,
            "ends_test::Ends.ThrowsNonError",
            "failed",
            Wanted { error_type: "exception", message: "Unknown C++ exception", ..WANTED },
        ),
        crate::frameworks::model::Test {
            at_least_ms: 300,
            ..test(Case::Slow, "ends_test::Ends.Slow", "passed")
        },
        red(
            Case::BigDiff,
            "ends_test::Ends.BigDiff",
            "failed",
            Wanted {
                expected: Some("\"aaaa…"),
                actual: Some("\"bbbb…"),
                ..failed("Expected equality", "tests/ends_test.cpp:53")
            },
        ),
        red(
            Case::SameNameTwice,
            "twice_test::Ends.Pass",
            "failed",
            Wanted {
                expected: Some("\"a\""),
                actual: Some("\"b\""),
                ..failed("Expected equality", "tests/twice_test.cpp:3")
            },
        ),
        test(Case::Pass, "listed::Listed.Passes", "passed"),
        test(Case::Skip, "listed::Listed.Off", "skipped"),
        red(
            Case::PrintsFakeResults,
            "listed::Listed.FailsAndPrintsThatItIsSkipped",
            "failed",
            failed("it is not", "listed.cpp:12"),
        ),
        test(Case::Pass, "plain", "passed"),
        red(
            Case::FailWithDiff,
            "plain-red",
            "failed",
            Wanted {
                error_type: "TestFailed",
                message: "tests/plain.sh:3: assertion failed",
                location: Some("tests/plain.sh:3"),
                ..WANTED
            },
        ),
        test(Case::Skip, "left-out", "skipped"),
        red(
            Case::Hang,
            "too-slow",
            "errored",
            Wanted {
                kind: "timeout",
                error_type: "Timeout",
                message: "ctest ended it at its time limit",
                ..WANTED
            },
        ),
        red(
            Case::DoesNotBuild,
            "missing",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "TestFailed",
                message: "Unable to find executable: /no/such/program",
                ..WANTED
            },
        ),
        red(
            Case::UnhandledElsewhere,
            "elsewhere_test::Elsewhere.Unhandled",
            "errored",
            ended("the program died of SIGABRT while this test ran"),
        ),
    ],
    ..RUN
};

const CRASH: Run = Run {
    name: "crash",
    tests: &[
        test(Case::Crash, "crash_test::Ends.Before", "passed"),
        red(
            Case::Crash,
            "crash_test::Ends.InTheMiddle",
            "errored",
            ended("the program died of SIGSEGV while this test ran"),
        ),
    ],
    ..RUN
};

const EXIT: Run = Run {
    name: "exit",
    tests: &[
        test(Case::ExitZero, "exit_test::Ends.Before", "passed"),
        red(
            Case::ExitZero,
            "exit_test::Ends.InTheMiddle",
            "errored",
            ended("the program ended with status 0 while this test ran"),
        ),
    ],
    ..RUN
};

const HANG: Run = Run {
    limit_seconds: Some(15),
    tests: &[test(Case::Hang, "hang_test::Ends.Before", "passed")],
    unfinished: &[(Case::Hang, "hang_test::Ends.InTheMiddle")],
    ..ENDLESS
};

const BROKEN: Run = Run {
    name: "broken",
    complete: false,
    errors: &[(
        Case::DoesNotBuild,
        Wanted {
            kind: "compile_error",
            error_type: "error",
            message: "‘nothing’ was not declared in this scope",
            location: Some("tests/broken_test.cpp:5"),
            ..WANTED
        },
    )],
    ..RUN
};
