//! RSpec: the listener in `redgreen-frameworks/src/rspec`.

use crate::frameworks::model::{Case, ENDLESS, Model, RUN, Run, Test, WANTED, Wanted, red, test};

pub const MODEL: Model = Model {
    framework: "rspec",
    command: "rspec",
    prepare: |_| {},
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    flaky: "spec/flaky_spec.rb > flaky > is flaky",
    harmless_edit: ("lib/shop.rb", "# changed"),
    absent: &[(Case::Subtests, "an example has no parts with results of their own")],
};

const NOT_MET: &str = "RSpec::Expectations::ExpectationNotMetError";

const TOGETHER: Run = Run {
    tests: &[
        test(Case::Pass, "spec/ends_spec.rb > Shop > passes", "passed"),
        red(
            Case::FailWithDiff,
            "spec/ends_spec.rb > Shop > fails with diff",
            "failed",
            Wanted {
                error_type: NOT_MET,
                message: "+:total => 4,",
                expected: Some("{:currency=>\"EUR\", :total=>3}"),
                actual: Some("{:currency=>\"EUR\", :total=>4}"),
                location: Some("spec/ends_spec.rb:7"),
                test_location: Some("spec/ends_spec.rb:7"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "spec/ends_spec.rb > Shop > fails in the code",
            "failed",
            Wanted {
                location: Some("lib/shop.rb:7"),
                test_location: Some("spec/ends_spec.rb:11"),
                ..IN_THE_CODE
            },
        ),
        red(
            Case::ErrorInSetup,
            "spec/ends_spec.rb > Shop > error in setup > of each",
            "errored",
            Wanted {
                kind: "runtime_error",
                location: Some("lib/shop.rb:7"),
                test_location: Some("spec/ends_spec.rb:15"),
                ..IN_THE_CODE
            },
        ),
        red(
            Case::ErrorInSetup,
            "spec/ends_spec.rb > Shop > error in setup of all > one",
            "errored",
            IN_A_CONTEXT,
        ),
        red(
            Case::ErrorInSetup,
            "spec/ends_spec.rb > Shop > error in setup of all > another",
            "errored",
            IN_A_CONTEXT,
        ),
        red(
            Case::ErrorInTeardown,
            "spec/ends_spec.rb > Shop > error in teardown > of each",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "RangeError",
                message: "cannot clean up",
                location: Some("spec/ends_spec.rb:29"),
                test_location: Some("spec/ends_spec.rb:29"),
                ..WANTED
            },
        ),
        test(
            Case::ErrorInTeardown,
            "spec/ends_spec.rb > Shop > error in teardown > of all",
            "passed",
        ),
        test(Case::Skip, "spec/ends_spec.rb > Shop > skip", "skipped"),
        test(Case::Skip, "spec/ends_spec.rb > Shop > skips itself", "skipped"),
        test(Case::Skip, "spec/ends_spec.rb > Shop > to do", "skipped"),
        test(Case::ExpectedFailure, "spec/ends_spec.rb > Shop > is pending", "expected_failure"),
        red(
            Case::ExpectedFailure,
            "spec/ends_spec.rb > Shop > is pending and passes",
            "failed",
            Wanted {
                error_type: "RSpec::Core::Pending::PendingExampleFixedError",
                message: "Expected example to fail since it is pending, but it passed.",
                location: Some("spec/ends_spec.rb:53"),
                test_location: Some("spec/ends_spec.rb:53"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "spec/ends_spec.rb > Shop > has two failures",
            "failed",
            Wanted {
                error_type: NOT_MET,
                message: "also: RSpec::Expectations::ExpectationNotMetError: expected: 1",
                expected: Some("0"),
                actual: Some("1"),
                location: Some("spec/ends_spec.rb:59"),
                test_location: Some("spec/ends_spec.rb:59"),
                ..WANTED
            },
        ),
        red(
            Case::FailWithDiff,
            "spec/ends_spec.rb > Shop > expects a call",
            "failed",
            Wanted {
                error_type: "RSpec::Mocks::MockExpectationError",
                message: "received: 0 times",
                location: Some("spec/ends_spec.rb:64"),
                test_location: Some("spec/ends_spec.rb:64"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "spec/names_spec.rb > names > parameters 1", "passed"),
        red(
            Case::Parameters,
            "spec/names_spec.rb > names > parameters -1",
            "failed",
            Wanted {
                error_type: NOT_MET,
                message: "expected: value != -1",
                expected: Some("value != -1"),
                actual: Some("-1"),
                location: Some("spec/names_spec.rb:8"),
                test_location: Some("spec/names_spec.rb:8"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "spec/names_spec.rb > names > parameters a b", "passed"),
        test(Case::Parameters, "spec/names_spec.rb > names > parameters x > y", "passed"),
        test(
            Case::Parameters,
            "spec/names_spec.rb > names > parameters line\\nbreak#456ed5c6",
            "passed",
        ),
        test(Case::Parameters, "spec/names_spec.rb > names > parameters prüft", "passed"),
        test(Case::UnicodeName, "spec/names_spec.rb > names > größe 日本", "passed"),
        test(Case::SameNameTwice, "spec/names_spec.rb > names > twice", "passed"),
        red(
            Case::SameNameTwice,
            "spec/names_spec.rb > names > in a group > twice",
            "failed",
            Wanted {
                error_type: NOT_MET,
                message: "expected: 1\n     got: 2",
                expected: Some("1"),
                actual: Some("2"),
                location: Some("spec/names_spec.rb:19"),
                test_location: Some("spec/names_spec.rb:19"),
                ..WANTED
            },
        ),
        test(Case::SameNameTwice, "spec/names_spec.rb > names > in a group > twice #2", "passed"),
        test(Case::SameNameTwice, "spec/twice_spec.rb > names > twice", "passed"),
        test(
            Case::Parameters,
            "spec/names_spec.rb > names > behaves like a price > is above 2",
            "passed",
        ),
        red(
            Case::Parameters,
            "spec/names_spec.rb > names > is above 1",
            "failed",
            Wanted {
                error_type: NOT_MET,
                message: "expected: > 1\n     got:   1",
                expected: Some("> 1"),
                actual: Some("1"),
                location: Some("spec/names_spec.rb:2"),
                test_location: Some("spec/names_spec.rb:2"),
                ..WANTED
            },
        ),
        // Their descriptions are made by their matchers when they have run.
        test(Case::SameNameTwice, "spec/names_spec.rb > names > without a name > it", "passed"),
        red(
            Case::SameNameTwice,
            "spec/names_spec.rb > names > without a name > it #2",
            "failed",
            Wanted {
                error_type: NOT_MET,
                message: "expected: 2\n     got: 1",
                expected: Some("2"),
                actual: Some("1"),
                location: Some("spec/names_spec.rb:33"),
                test_location: Some("spec/names_spec.rb:33"),
                ..WANTED
            },
        ),
        test(Case::PrintsFakeResults, "spec/odd_spec.rb > odd > prints fake results", "passed"),
        red(
            Case::ThrowsNonError,
            "spec/odd_spec.rb > odd > throws a symbol",
            "failed",
            Wanted {
                error_type: "UncaughtThrowError",
                message: "uncaught throw :thrown",
                location: Some("spec/odd_spec.rb:8"),
                test_location: Some("spec/odd_spec.rb:8"),
                ..WANTED
            },
        ),
        red(
            Case::ThrowsNonError,
            "spec/odd_spec.rb > odd > raises no error",
            "failed",
            Wanted {
                error_type: "Exception",
                message: "beyond StandardError",
                location: Some("spec/odd_spec.rb:12"),
                test_location: Some("spec/odd_spec.rb:12"),
                ..WANTED
            },
        ),
        // RSpec does not hear of other threads.
        test(Case::UnhandledElsewhere, "spec/odd_spec.rb > odd > fails in a thread", "passed"),
        Test { at_least_ms: 290, ..test(Case::Slow, "spec/odd_spec.rb > odd > is slow", "passed") },
        red(
            Case::BigDiff,
            "spec/odd_spec.rb > odd > has a big diff",
            "failed",
            Wanted {
                error_type: NOT_MET,
                message: "expected: [1, 2, 3,",
                expected: Some("[1, 2, 3,…"),
                actual: Some("[0, 1, 2,…"),
                location: Some("spec/odd_spec.rb:24"),
                test_location: Some("spec/odd_spec.rb:24"),
                ..WANTED
            },
        ),
        // RSpec calls it passed.
        red(
            Case::ThrowsNonError,
            "spec/odd_spec.rb > odd > leaves before its end",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "NotCalled",
                message: "its block did not run to its end",
                location: Some("spec/odd_spec.rb:29"),
                test_location: Some("spec/odd_spec.rb:29"),
                ..WANTED
            },
        ),
    ],
    errors: &[(
        Case::ErrorInTeardown,
        Wanted {
            kind: "runtime_error",
            error_type: "RangeError",
            message: "cannot clean up\nAn error occurred in an `after(:context)` hook",
            location: Some("spec/ends_spec.rb:35"),
            ..WANTED
        },
    )],
    ..RUN
};

const IN_THE_CODE: Wanted =
    Wanted { error_type: "NoMethodError", message: "undefined method `fetch' for nil", ..WANTED };

const IN_A_CONTEXT: Wanted = Wanted {
    kind: "runtime_error",
    location: Some("lib/shop.rb:7"),
    test_location: Some("spec/ends_spec.rb:21"),
    ..IN_THE_CODE
};

const CRASH: Run = Run {
    name: "crash",
    complete: false,
    tests: &[test(Case::Crash, "spec/crash_spec.rb > crash > before", "passed")],
    unfinished: &[(Case::Crash, "spec/crash_spec.rb > crash > crashes")],
    not_run: &["spec/crash_spec.rb > crash > after"],
    errors: &[(
        Case::Crash,
        Wanted {
            kind: "runtime_error",
            error_type: "SIGABRT",
            message: "died of SIGABRT while spec/crash_spec.rb > crash > crashes was running",
            ..WANTED
        },
    )],
    ..RUN
};

const EXIT: Run = Run {
    name: "exit",
    verdict: "inconclusive",
    complete: false,
    tests: &[test(Case::ExitZero, "spec/exit_spec.rb > exit > before", "passed")],
    unfinished: &[(Case::ExitZero, "spec/exit_spec.rb > exit > exits")],
    not_run: &["spec/exit_spec.rb > exit > after"],
    ..RUN
};

const HANG: Run = Run {
    limit_seconds: Some(12),
    tests: &[test(Case::Hang, "spec/hang_spec.rb > hang > before", "passed")],
    unfinished: &[(Case::Hang, "spec/hang_spec.rb > hang > hangs")],
    not_run: &["spec/hang_spec.rb > hang > after"],
    ..ENDLESS
};

// RSpec loads every file and runs none if one of them cannot be loaded.
const BROKEN: Run = Run {
    name: "broken",
    errors: &[
        (
            Case::DoesNotBuild,
            Wanted {
                kind: "compile_error",
                error_type: "SyntaxError",
                message: "syntax error, unexpected ')'",
                location: Some("spec/broken_spec.rb:3"),
                ..WANTED
            },
        ),
        (
            Case::DoesNotBuild,
            Wanted {
                kind: "compile_error",
                error_type: "LoadError",
                message: "cannot load such file -- no/such/file",
                location: Some("spec/missing_spec.rb:1"),
                ..WANTED
            },
        ),
    ],
    ..RUN
};
