//! cargo test: the shims and `redgreen-frameworks/src/cargo`. One thread, so that what is in flight
//! is one test.

use crate::frameworks::model::{Case, ENDLESS, Model, RUN, Run, WANTED, Wanted, red, test};

pub const MODEL: Model = Model {
    framework: "cargo_test",
    command: "cargo test --offline -- --test-threads 1",
    prepare: |_| {},
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    flaky: "shop/tests/luck.rs::flaky",
    harmless_edit: ("src/lib.rs", "// changed"),
    absent: &[(Case::Subtests, "the harness has no subtests")],
};

const TOGETHER: Run = Run {
    tests: &[
        test(Case::Pass, "shop/tests/ends.rs::pass", "passed"),
        test(Case::Pass, "shop/doc::src/lib.rs - total", "passed"),
        red(
            Case::FailWithDiff,
            "shop/doc::src/lib.rs - first",
            "failed",
            Wanted {
                error_type: "panic",
                message: "assertion `left == right` failed",
                expected: Some("8"),
                actual: Some("7"),
                location: Some("src/lib.rs:12"),
                test_location: Some("src/lib.rs:12"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "shop/tests/ends.rs::fail_with_diff",
            "failed",
            Wanted {
                error_type: "panic",
                message: "the total of two prices",
                expected: Some("3"),
                actual: Some("4"),
                location: Some("tests/ends.rs:12"),
                test_location: Some("tests/ends.rs:12"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "shop/tests/ends.rs::fail_in_the_code",
            "failed",
            Wanted {
                error_type: "panic",
                message: "index out of bounds: the len is 0 but the index is 0",
                location: Some("src/lib.rs:16"),
                test_location: Some("tests/ends.rs"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "shop/tests/ends.rs::returns_an_error",
            "failed",
            Wanted {
                error_type: "Error",
                message: "no such price",
                location: Some("tests/ends.rs"),
                test_location: Some("tests/ends.rs"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInSetup,
            "shop/tests/ends.rs::error_in_setup",
            "failed",
            Wanted {
                error_type: "panic",
                message: "index out of bounds: the len is 0 but the index is 0",
                location: Some("src/lib.rs:16"),
                test_location: Some("tests/ends.rs"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInTeardown,
            "shop/tests/ends.rs::error_in_teardown",
            "failed",
            Wanted {
                error_type: "panic",
                message: "cannot clean up",
                location: Some("tests/ends.rs:31"),
                test_location: Some("tests/ends.rs:31"),
                ..WANTED
            },
        ),
        test(Case::Skip, "shop/tests/ends.rs::skip", "skipped"),
        // To the harness it has passed: it panicked as it should.
        test(Case::ExpectedFailure, "shop/tests/ends.rs::expected_failure", "passed"),
        red(
            Case::ExpectedFailure,
            "shop/tests/ends.rs::unexpected_pass",
            "failed",
            Wanted {
                error_type: "should_panic",
                message: "test did not panic as expected",
                location: Some("tests/ends.rs:54"),
                test_location: Some("tests/ends.rs:54"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "shop/tests/names.rs::parameters::one", "passed"),
        red(
            Case::Parameters,
            "shop/tests/names.rs::parameters::below_zero",
            "failed",
            Wanted {
                error_type: "panic",
                message: "a price below zero",
                location: Some("tests/names.rs:14"),
                test_location: Some("tests/names.rs:14"),
                ..WANTED
            },
        ),
        test(Case::UnicodeName, "shop/tests/names.rs::größe_日本", "passed"),
        test(Case::SameNameTwice, "shop::tests::twice", "passed"),
        test(Case::SameNameTwice, "shop/tests/names.rs::twice", "passed"),
        red(
            Case::SameNameTwice,
            "shop/tests/names.rs::inner::twice",
            "failed",
            Wanted {
                error_type: "panic",
                message: "assertion `left == right` failed",
                expected: Some("1"),
                actual: Some("2"),
                location: Some("tests/names.rs:30"),
                test_location: Some("tests/names.rs:30"),
                ..WANTED
            },
        ),
        test(Case::PrintsFakeResults, "shop/tests/odd.rs::prints_fake_results", "passed"),
        red(
            Case::ThrowsNonError,
            "shop/tests/odd.rs::throws_non_error",
            "failed",
            Wanted {
                error_type: "panic",
                message: "Box<dyn Any>",
                location: Some("tests/odd.rs:11"),
                test_location: Some("tests/odd.rs:11"),
                ..WANTED
            },
        ),
        // The thread is joined, and its end is what the test wants.
        test(Case::UnhandledElsewhere, "shop/tests/odd.rs::unhandled_in_a_thread", "passed"),
        // The harness's log has no times.
        test(Case::Slow, "shop/tests/odd.rs::slow", "passed"),
        red(
            Case::BigDiff,
            "shop/tests/odd.rs::big_diff",
            "failed",
            Wanted {
                error_type: "panic",
                message: "assertion `left == right` failed",
                expected: Some("[1, 2, 3, 4, 5, 6, …"),
                actual: Some("[0, 1, 2, 3, 4, 5, …"),
                location: Some("tests/odd.rs:29"),
                test_location: Some("tests/odd.rs:29"),
                ..WANTED
            },
        ),
    ],
    ..RUN
};

const CRASH: Run = Run {
    name: "crash",
    tests: &[
        test(Case::Crash, "shop/tests/crash.rs::a_before", "passed"),
        test(Case::Pass, "shop::tests::twice", "passed"),
        test(Case::Pass, "shop/doc::src/lib.rs - first", "passed"),
        test(Case::Pass, "shop/doc::src/lib.rs - total", "passed"),
    ],
    unfinished: &[(Case::Crash, "shop/tests/crash.rs::b_crash")],
    not_run: &["shop/tests/crash.rs::c_after"],
    errors: &[(
        Case::Crash,
        Wanted {
            kind: "runtime_error",
            error_type: "crash",
            message: "killed by signal 11 while shop/tests/crash.rs::b_crash was running",
            ..WANTED
        },
    )],
    ..RUN
};

const EXIT: Run = Run {
    name: "exit",
    verdict: "inconclusive",
    tests: &[
        test(Case::ExitZero, "shop/tests/exit.rs::a_before", "passed"),
        test(Case::Pass, "shop::tests::twice", "passed"),
        test(Case::Pass, "shop/doc::src/lib.rs - first", "passed"),
        test(Case::Pass, "shop/doc::src/lib.rs - total", "passed"),
    ],
    unfinished: &[(Case::ExitZero, "shop/tests/exit.rs::b_exit")],
    not_run: &["shop/tests/exit.rs::c_after"],
    ..RUN
};

const HANG: Run = Run {
    limit_seconds: Some(15),
    tests: &[
        test(Case::Hang, "shop/tests/hang.rs::a_before", "passed"),
        test(Case::Pass, "shop::tests::twice", "passed"),
    ],
    unfinished: &[(Case::Hang, "shop/tests/hang.rs::b_hang")],
    not_run: &["shop/tests/hang.rs::c_after"],
    ..ENDLESS
};

const BROKEN: Run = Run {
    name: "broken",
    errors: &[(
        Case::DoesNotBuild,
        Wanted {
            kind: "compile_error",
            error_type: "E0308",
            message: "mismatched types: expected `&str`, found `i32`",
            location: Some("tests/broken.rs:3"),
            ..WANTED
        },
    )],
    ..RUN
};
