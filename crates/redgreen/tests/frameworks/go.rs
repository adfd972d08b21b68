//! go test: the shim and `redgreen-frameworks/src/go`. What panics takes its process with it, so it
//! has a package of its own. go does not say what it is going to run: a test that a dying process
//! never came to is not known.

use crate::frameworks::model::{Case, ENDLESS, Model, RUN, Run, WANTED, Wanted, red, test};

pub const MODEL: Model = Model {
    framework: "go_test",
    command: "go test ./...",
    prepare: |_| {},
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    flaky: "example.org/shop.TestFlaky",
    harmless_edit: ("shop.go", "// changed"),
    absent: &[(Case::ExpectedFailure, "testing has no tests that are expected to fail")],
};

const TOGETHER: Run = Run {
    tests: &[
        test(Case::Pass, "example.org/shop.TestPass", "passed"),
        test(Case::Pass, "example.org/shop.FuzzTotal/seed#0", "passed"),
        red(
            Case::FailWithDiff,
            "example.org/shop.TestFailWithDiff",
            "failed",
            Wanted {
                error_type: "FAIL",
                message: "Total(1, 3) = 4, want 3",
                expected: Some("3"),
                actual: Some("4"),
                location: Some("ends_test.go:18"),
                test_location: Some("ends_test.go:18"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "example.org/shop.ExampleTotal",
            "failed",
            Wanted {
                error_type: "example",
                message: "the output of ExampleTotal is not what its comment says",
                expected: Some("4"),
                actual: Some("3"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "example.org/shop/code.TestFailInTheCode/no_prices",
            "failed",
            Wanted {
                error_type: "panic",
                message: "runtime error: index out of range [0] with length 0",
                location: Some("shop.go:15"),
                test_location: Some("code/code_test.go:11"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInSetup,
            "example.org/shop.TestErrorInSetup",
            "failed",
            Wanted {
                error_type: "FAIL",
                message: "cannot set up",
                location: Some("ends_test.go:23"),
                test_location: Some("ends_test.go:23"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInTeardown,
            "example.org/shop.TestErrorInTeardown",
            "failed",
            Wanted {
                error_type: "FAIL",
                message: "cannot clean up",
                location: Some("ends_test.go:32"),
                test_location: Some("ends_test.go:32"),
                ..WANTED
            },
        ),
        test(Case::Skip, "example.org/shop.TestSkip", "skipped"),
        test(Case::Parameters, "example.org/shop.TestParameters/price_1", "passed"),
        red(
            Case::Parameters,
            "example.org/shop.TestParameters/price_-1",
            "failed",
            Wanted {
                error_type: "FAIL",
                message: "a price below zero: -1",
                location: Some("ends_test.go:44"),
                test_location: Some("ends_test.go:44"),
                ..WANTED
            },
        ),
        // go itself writes spaces as underscores, and what cannot be printed as an escape.
        test(Case::UnicodeName, "example.org/shop.TestGröße_日本/prüft_\\x1b[31m", "passed"),
        test(Case::SameNameTwice, "example.org/shop.TestTwice/same", "passed"),
        test(Case::SameNameTwice, "example.org/shop.TestTwice/same#01", "passed"),
        red(
            Case::SameNameTwice,
            "example.org/shop/twice.TestTwice",
            "failed",
            Wanted {
                error_type: "FAIL",
                message: "got \"a\"; want \"b\"",
                expected: Some("\"b\""),
                actual: Some("\"a\""),
                location: Some("twice/twice_test.go:6"),
                test_location: Some("twice/twice_test.go:6"),
                ..WANTED
            },
        ),
        test(Case::PrintsFakeResults, "example.org/shop.TestPrintsFakeResults", "passed"),
        red(
            Case::ThrowsNonError,
            "example.org/shop/thrown.TestThrowsNonError",
            "failed",
            Wanted {
                error_type: "panic",
                message: "(thrown.odd) 0x",
                location: Some("thrown/thrown_test.go:8"),
                test_location: Some("thrown/thrown_test.go:8"),
                ..WANTED
            },
        ),
        red(
            Case::UnhandledElsewhere,
            "example.org/shop/elsewhere.TestUnhandledElsewhere",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "panic",
                message: "runtime error: index out of range [0] with length 0",
                location: Some("shop.go:15"),
                test_location: Some("elsewhere/elsewhere_test.go:10"),
                ..WANTED
            },
        ),
        crate::frameworks::model::Test {
            at_least_ms: 300,
            ..test(Case::Slow, "example.org/shop.TestSlow", "passed")
        },
        red(
            Case::BigDiff,
            "example.org/shop.TestBigDiff",
            "failed",
            Wanted {
                error_type: "FAIL",
                message: "got [0 1 2 3 4 5",
                expected: Some("[1 2 3 4 5 6…"),
                actual: Some("[0 1 2 3 4 5…"),
                location: Some("ends_test.go:77"),
                test_location: Some("ends_test.go:77"),
                ..WANTED
            },
        ),
        red(
            Case::Subtests,
            "example.org/shop.TestSubtests/outer/inner",
            "failed",
            Wanted {
                error_type: "FAIL",
                message: "an inner one is wrong",
                location: Some("ends_test.go:83"),
                test_location: Some("ends_test.go:83"),
                ..WANTED
            },
        ),
        test(Case::Subtests, "example.org/shop.TestSubtests/outer/other", "passed"),
        test(Case::Subtests, "example.org/shop.TestSubtestsAndItself/part", "passed"),
        red(
            Case::Subtests,
            "example.org/shop.TestSubtestsAndItself",
            "failed",
            Wanted {
                error_type: "FAIL",
                message: "not the part",
                location: Some("ends_test.go:93"),
                test_location: Some("ends_test.go:93"),
                ..WANTED
            },
        ),
    ],
    ..RUN
};

const CRASH: Run = Run {
    name: "crash",
    tests: &[
        test(Case::Crash, "example.org/shop.TestABefore", "passed"),
        red(
            Case::Crash,
            "example.org/shop.TestBCrash",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "crash",
                message: "the test binary ended while this test ran: signal: killed",
                ..WANTED
            },
        ),
    ],
    ..RUN
};

const EXIT: Run = Run {
    name: "exit",
    complete: false,
    tests: &[test(Case::ExitZero, "example.org/shop.TestABefore", "passed")],
    unfinished: &[(Case::ExitZero, "example.org/shop.TestBExit")],
    errors: &[(
        Case::ExitZero,
        Wanted {
            kind: "unknown",
            error_type: "exit code 1",
            message: "while example.org/shop.TestBExit was running\nredgreen: a test binary ended with status 0 before its tests did",
            ..WANTED
        },
    )],
    ..RUN
};

const HANG: Run = Run {
    limit_seconds: Some(15),
    tests: &[test(Case::Hang, "example.org/shop.TestABefore", "passed")],
    unfinished: &[(Case::Hang, "example.org/shop.TestBHang")],
    ..ENDLESS
};

const BROKEN: Run = Run {
    name: "broken",
    errors: &[(
        Case::DoesNotBuild,
        Wanted {
            kind: "compile_error",
            error_type: "build",
            message: "cannot use Total(1) (value of type int) as string value",
            location: Some("broken_test.go:6"),
            ..WANTED
        },
    )],
    ..RUN
};
