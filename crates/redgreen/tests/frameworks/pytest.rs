//! pytest: the plugin in `redgreen-frameworks/src/pytest`.

use crate::frameworks::model::{Case, ENDLESS, Model, RUN, Run, Test, WANTED, Wanted, red, test};

pub const MODEL: Model = Model {
    framework: "pytest",
    command: "python -m pytest -q",
    prepare: |_| {},
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    flaky: "tests/test_flaky.py::test_flaky",
    harmless_edit: ("shop.py", "# changed"),
    absent: &[],
};

const TOGETHER: Run = Run {
    tests: &[
        test(Case::Pass, "tests/test_ends.py::test_pass", "passed"),
        red(
            Case::FailWithDiff,
            "tests/test_ends.py::test_fail_with_diff",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "{'total': 4} != {'total': 3}",
                expected: Some("{'total': 3, 'currency': 'EUR'}"),
                actual: Some("{'total': 4, 'currency': 'EUR'}"),
                location: Some("tests/test_ends.py:11"),
                test_location: Some("tests/test_ends.py:11"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "tests/test_ends.py::test_fail_in_the_code",
            "failed",
            Wanted {
                error_type: "IndexError",
                message: "list index out of range",
                location: Some("shop.py:6"),
                test_location: Some("tests/test_ends.py:15"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInSetup,
            "tests/test_ends.py::test_error_in_setup",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "IndexError",
                message: "list index out of range",
                location: Some("shop.py:6"),
                test_location: Some("tests/test_ends.py:20"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInTeardown,
            "tests/test_ends.py::test_error_in_teardown",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "RuntimeError",
                message: "cannot clean up",
                location: Some("tests/test_ends.py:30"),
                test_location: Some("tests/test_ends.py:30"),
                ..WANTED
            },
        ),
        // One test, although pytest reports two phases of it.
        red(
            Case::ErrorInTeardown,
            "tests/test_ends.py::test_fails_and_error_in_teardown",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "AssertionError",
                message: "also in teardown: RuntimeError: cannot clean up",
                expected: Some("0"),
                actual: Some("1"),
                location: Some("tests/test_ends.py:38"),
                test_location: Some("tests/test_ends.py:38"),
            },
        ),
        test(Case::Skip, "tests/test_ends.py::test_skip", "skipped"),
        test(
            Case::ExpectedFailure,
            "tests/test_ends.py::test_expected_failure",
            "expected_failure",
        ),
        test(Case::ExpectedFailure, "tests/test_ends.py::test_unexpected_pass", "unexpected_pass"),
        red(
            Case::ExpectedFailure,
            "tests/test_ends.py::test_unexpected_pass_strict",
            "failed",
            Wanted {
                error_type: "Failure",
                message: "[XPASS(strict)] known",
                location: Some("tests/test_ends.py:56"),
                test_location: Some("tests/test_ends.py:56"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "tests/test_names.py::test_parameters[1]", "passed"),
        red(
            Case::Parameters,
            "tests/test_names.py::test_parameters[-1]",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "a price below zero",
                location: Some("tests/test_names.py:8"),
                test_location: Some("tests/test_names.py:8"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "tests/test_names.py::test_parameters[a b]", "passed"),
        test(Case::Parameters, "tests/test_names.py::test_parameters[x::y]", "passed"),
        // pytest itself escapes what is not ASCII in parameters.
        test(Case::Parameters, "tests/test_names.py::test_parameters[line\\nbreak]", "passed"),
        test(Case::Parameters, "tests/test_names.py::test_parameters[pr\\xfcft]", "passed"),
        test(Case::UnicodeName, "tests/test_names.py::test_größe_日本", "passed"),
        test(Case::SameNameTwice, "tests/test_names.py::test_twice", "passed"),
        red(
            Case::SameNameTwice,
            "tests/test_names.py::TestTwice::test_twice",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "assert 2 == 1",
                expected: Some("1"),
                actual: Some("2"),
                location: Some("tests/test_names.py:21"),
                test_location: Some("tests/test_names.py:21"),
                ..WANTED
            },
        ),
        test(Case::SameNameTwice, "tests/test_twice.py::test_twice", "passed"),
        test(Case::PrintsFakeResults, "tests/test_odd.py::test_prints_fake_results", "passed"),
        red(
            Case::ThrowsNonError,
            "tests/test_odd.py::test_throws_non_error",
            "failed",
            Wanted {
                error_type: "NotAnError",
                message: "thrown",
                location: Some("tests/test_odd.py:16"),
                test_location: Some("tests/test_odd.py:16"),
                ..WANTED
            },
        ),
        // pytest makes a warning of it.
        test(Case::UnhandledElsewhere, "tests/test_odd.py::test_unhandled_in_a_thread", "passed"),
        Test { at_least_ms: 290, ..test(Case::Slow, "tests/test_odd.py::test_slow", "passed") },
        red(
            Case::BigDiff,
            "tests/test_odd.py::test_big_diff",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "At index 0 diff: 0 != 1",
                expected: Some("[1, 2, 3, 4, 5, 6, …"),
                actual: Some("[0, 1, 2, 3, 4, 5, …"),
                location: Some("tests/test_odd.py:30"),
                test_location: Some("tests/test_odd.py:30"),
                ..WANTED
            },
        ),
        red(
            Case::Subtests,
            "tests/test_odd.py::test_subtests",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "number number=1: one of them",
                location: Some("tests/test_odd.py:36"),
                test_location: Some("tests/test_odd.py:36"),
                ..WANTED
            },
        ),
    ],
    ..RUN
};

const CRASH: Run = Run {
    name: "crash",
    complete: false,
    tests: &[test(Case::Crash, "tests/test_crash.py::test_before", "passed")],
    unfinished: &[(Case::Crash, "tests/test_crash.py::test_crash")],
    not_run: &["tests/test_crash.py::test_after"],
    errors: &[(
        Case::Crash,
        Wanted {
            kind: "runtime_error",
            error_type: "SIGSEGV",
            message: "died of SIGSEGV while tests/test_crash.py::test_crash was running",
            location: Some("tests/test_crash.py:10"),
            ..WANTED
        },
    )],
    ..RUN
};

const EXIT: Run = Run {
    name: "exit",
    verdict: "inconclusive",
    complete: false,
    tests: &[test(Case::ExitZero, "tests/test_exit.py::test_before", "passed")],
    unfinished: &[(Case::ExitZero, "tests/test_exit.py::test_exit")],
    not_run: &["tests/test_exit.py::test_after"],
    ..RUN
};

const HANG: Run = Run {
    limit_seconds: Some(8),
    tests: &[test(Case::Hang, "tests/test_hang.py::test_before", "passed")],
    unfinished: &[(Case::Hang, "tests/test_hang.py::test_hang")],
    not_run: &["tests/test_hang.py::test_after"],
    ..ENDLESS
};

const BROKEN: Run = Run {
    name: "broken",
    tests: &[test(Case::DoesNotBuild, "tests/test_fine.py::test_fine", "passed")],
    errors: &[(
        Case::DoesNotBuild,
        Wanted {
            kind: "compile_error",
            error_type: "SyntaxError",
            message: "invalid syntax",
            location: Some("tests/test_broken.py:4"),
            ..WANTED
        },
    )],
    ..RUN
};
