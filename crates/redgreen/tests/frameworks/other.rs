//! A runner that the workflow document has no name for: Python's unittest, which every machine with
//! Python has, through the listener in `redgreen-frameworks/src/unittest`.

use crate::frameworks::model::{Case, ENDLESS, Model, RUN, Run, Test, WANTED, Wanted, red, test};

pub const MODEL: Model = Model {
    framework: "other",
    command: "python -m unittest",
    prepare: |_| {},
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    flaky: "tests.test_flaky.Luck.test_flaky",
    harmless_edit: ("shop.py", "# changed"),
    absent: &[],
};

const TOGETHER: Run = Run {
    tests: &[
        test(Case::Pass, "tests.test_ends.Ends.test_pass", "passed"),
        red(
            Case::FailWithDiff,
            "tests.test_ends.Ends.test_fail_with_diff",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "{'total': 4} != {'total': 3}",
                expected: Some("{'total': 3}"),
                actual: Some("{'total': 4}"),
                location: Some("tests/test_ends.py:11"),
                test_location: Some("tests/test_ends.py:11"),
                ..WANTED
            },
        ),
        // unittest calls whatever is no failed assertion an error.
        red(
            Case::FailWithDiff,
            "tests.test_ends.Ends.test_fail_in_the_code",
            "errored",
            Wanted {
                error_type: "IndexError",
                message: "list index out of range",
                location: Some("shop.py:6"),
                test_location: Some("tests/test_ends.py:14"),
                ..RUNTIME
            },
        ),
        red(
            Case::ErrorInSetup,
            "tests.test_ends.BrokenSetUp.test_error_in_setup",
            "errored",
            Wanted {
                error_type: "IndexError",
                message: "list index out of range",
                location: Some("shop.py:6"),
                test_location: Some("tests/test_ends.py:31"),
                ..RUNTIME
            },
        ),
        red(
            Case::ErrorInTeardown,
            "tests.test_ends.BrokenTearDown.test_error_in_teardown",
            "errored",
            Wanted {
                error_type: "RuntimeError",
                message: "cannot clean up",
                location: Some("tests/test_ends.py:39"),
                test_location: Some("tests/test_ends.py:39"),
                ..RUNTIME
            },
        ),
        // One test, although unittest reports a failure and an error of it.
        red(
            Case::ErrorInTeardown,
            "tests.test_ends.BrokenTearDown.test_fails_and_error_in_teardown",
            "errored",
            Wanted {
                error_type: "AssertionError",
                message: "also: RuntimeError: cannot clean up",
                expected: Some("0"),
                actual: Some("1"),
                location: Some("tests/test_ends.py:45"),
                test_location: Some("tests/test_ends.py:45"),
                ..RUNTIME
            },
        ),
        test(Case::ErrorInTeardown, "tests.test_ends.BrokenClassEnd.test_fine", "passed"),
        test(Case::Skip, "tests.test_ends.Ends.test_skip", "skipped"),
        test(
            Case::ExpectedFailure,
            "tests.test_ends.Ends.test_expected_failure",
            "expected_failure",
        ),
        // unittest itself ends with a failure for it.
        red(
            Case::ExpectedFailure,
            "tests.test_ends.Ends.test_unexpected_pass",
            "failed",
            Wanted {
                error_type: "UnexpectedSuccess",
                message: "passed, although it was expected to fail",
                location: Some("tests/test_ends.py:24"),
                test_location: Some("tests/test_ends.py:24"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "tests.test_names.Parameters.test_price[1]", "passed"),
        red(
            Case::Parameters,
            "tests.test_names.Parameters.test_price[-1]",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "a price below zero",
                location: Some("tests/test_names.py:21"),
                test_location: Some("tests/test_names.py:21"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "tests.test_names.Parameters.test_price[a b]", "passed"),
        test(Case::Parameters, "tests.test_names.Parameters.test_price[x::y]", "passed"),
        test(
            Case::Parameters,
            "tests.test_names.Parameters.test_price[line\\nbreak]#486a830b",
            "passed",
        ),
        test(Case::Parameters, "tests.test_names.Parameters.test_price[prüft]", "passed"),
        test(Case::UnicodeName, "tests.test_names.Names.test_größe_日本", "passed"),
        test(Case::SameNameTwice, "tests.test_names.Names.test_twice", "passed"),
        red(
            Case::SameNameTwice,
            "tests.test_names.Twice.test_twice",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "2 != 1",
                expected: Some("1"),
                actual: Some("2"),
                location: Some("tests/test_names.py:16"),
                test_location: Some("tests/test_names.py:16"),
                ..WANTED
            },
        ),
        test(Case::SameNameTwice, "tests.test_twice.Twice.test_twice", "passed"),
        test(Case::PrintsFakeResults, "tests.test_odd.Odd.test_prints_fake_results", "passed"),
        red(
            Case::ThrowsNonError,
            "tests.test_odd.Odd.test_throws_non_error",
            "errored",
            Wanted {
                error_type: "NotAnError",
                message: "thrown",
                location: Some("tests/test_odd.py:17"),
                test_location: Some("tests/test_odd.py:17"),
                ..RUNTIME
            },
        ),
        // Python prints it and goes on.
        test(Case::UnhandledElsewhere, "tests.test_odd.Odd.test_unhandled_in_a_thread", "passed"),
        Test { at_least_ms: 290, ..test(Case::Slow, "tests.test_odd.Odd.test_slow", "passed") },
        red(
            Case::BigDiff,
            "tests.test_odd.Odd.test_big_diff",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "First differing element 0:",
                expected: Some("[1, 2, 3, 4, 5, 6, …"),
                actual: Some("[0, 1, 2, 3, 4, 5, …"),
                location: Some("tests/test_odd.py:28"),
                test_location: Some("tests/test_odd.py:28"),
                ..WANTED
            },
        ),
        red(
            Case::Subtests,
            "tests.test_odd.Odd.test_subtests",
            "failed",
            Wanted {
                error_type: "AssertionError",
                message: "[number] (number=1): 1 == 1 : one of them",
                location: Some("tests/test_odd.py:33"),
                test_location: Some("tests/test_odd.py:33"),
                ..WANTED
            },
        ),
    ],
    not_run: &["tests.test_ends.BrokenClass.test_never_set_up"],
    errors: &[
        (
            Case::ErrorInSetup,
            Wanted {
                error_type: "RuntimeError",
                message: "setUpClass (tests.test_ends.BrokenClass): no database",
                location: Some("tests/test_ends.py:51"),
                ..RUNTIME
            },
        ),
        (
            Case::ErrorInTeardown,
            Wanted {
                error_type: "RuntimeError",
                message: "tearDownClass (tests.test_ends.BrokenClassEnd): cannot drop the database",
                location: Some("tests/test_ends.py:60"),
                ..RUNTIME
            },
        ),
    ],
    ..RUN
};

const RUNTIME: Wanted = Wanted { kind: "runtime_error", ..WANTED };

const CRASH: Run = Run {
    name: "crash",
    complete: false,
    tests: &[test(Case::Crash, "tests.test_crash.Ends.test_1_before", "passed")],
    unfinished: &[(Case::Crash, "tests.test_crash.Ends.test_2_crash")],
    not_run: &["tests.test_crash.Ends.test_3_after"],
    errors: &[(
        Case::Crash,
        Wanted {
            error_type: "SIGSEGV",
            message: "died of SIGSEGV while tests.test_crash.Ends.test_2_crash was running",
            ..RUNTIME
        },
    )],
    ..RUN
};

const EXIT: Run = Run {
    name: "exit",
    verdict: "inconclusive",
    complete: false,
    tests: &[test(Case::ExitZero, "tests.test_exit.Ends.test_1_before", "passed")],
    unfinished: &[(Case::ExitZero, "tests.test_exit.Ends.test_2_exit")],
    not_run: &["tests.test_exit.Ends.test_3_after"],
    ..RUN
};

const HANG: Run = Run {
    limit_seconds: Some(8),
    tests: &[test(Case::Hang, "tests.test_hang.Ends.test_1_before", "passed")],
    unfinished: &[(Case::Hang, "tests.test_hang.Ends.test_2_hang")],
    not_run: &["tests.test_hang.Ends.test_3_after"],
    ..ENDLESS
};

const BROKEN: Run = Run {
    name: "broken",
    tests: &[test(Case::DoesNotBuild, "tests.test_fine.Fine.test_fine", "passed")],
    errors: &[(
        Case::DoesNotBuild,
        Wanted {
            kind: "compile_error",
            error_type: "SyntaxError",
            message: "invalid syntax",
            location: Some("tests/test_broken.py:5"),
            ..WANTED
        },
    )],
    ..RUN
};
