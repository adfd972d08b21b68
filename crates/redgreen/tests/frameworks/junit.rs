//! JUnit 5 under Maven: the reports of Surefire, in `redgreen-frameworks/src/junit`.

use crate::frameworks::model::{Case, ENDLESS, Model, RUN, Run, Test, WANTED, Wanted, red, test};

pub const MODEL: Model = Model {
    framework: "junit",
    command: "mvn -B test",
    prepare: |project| project.prepare_maven(),
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    flaky: "shop.FlakyTest.flaky",
    harmless_edit: ("src/main/java/shop/Shop.java", "// changed"),
    absent: &[(Case::ExpectedFailure, "JUnit has no tests that are declared to fail")],
};

const TOGETHER: Run = Run {
    tests: &[
        test(Case::Pass, "shop.EndsTest.pass", "passed"),
        red(
            Case::FailWithDiff,
            "shop.EndsTest.failWithDiff",
            "failed",
            Wanted {
                error_type: "AssertionFailedError",
                message: "expected: <total: 3\nEUR> but was: <total: 4\nEUR>",
                expected: Some("total: 3\nEUR"),
                actual: Some("total: 4\nEUR"),
                location: Some("src/test/java/shop/EndsTest.java:18"),
                test_location: Some("src/test/java/shop/EndsTest.java:18"),
                ..WANTED
            },
        ),
        // Surefire calls every exception that is no failed assertion an error.
        red(
            Case::FailWithDiff,
            "shop.EndsTest.failInTheCode",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "IndexOutOfBoundsException",
                message: "Index 0 out of bounds for length 0",
                location: Some("src/main/java/shop/Shop.java:11"),
                test_location: Some("src/test/java/shop/EndsTest.java:23"),
                ..WANTED
            },
        ),
        test(Case::Skip, "shop.EndsTest.skip", "skipped"),
        red(
            Case::ErrorInSetup,
            "shop.SetupTest.errorInSetup",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "IndexOutOfBoundsException",
                message: "Index 0 out of bounds for length 0",
                location: Some("src/main/java/shop/Shop.java:11"),
                test_location: Some("src/test/java/shop/SetupTest.java:9"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInTeardown,
            "shop.TeardownTest.errorInTeardown",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "IllegalStateException",
                message: "cannot clean up",
                location: Some("src/test/java/shop/TeardownTest.java:12"),
                test_location: Some("src/test/java/shop/TeardownTest.java:12"),
                ..WANTED
            },
        ),
        red(
            Case::ErrorInTeardown,
            "shop.TeardownTest.failsAndErrorInTeardown",
            "failed",
            Wanted {
                error_type: "AssertionFailedError",
                message: "expected: <0> but was: <1>",
                expected: Some("0"),
                actual: Some("1"),
                location: Some("src/test/java/shop/TeardownTest.java:20"),
                test_location: Some("src/test/java/shop/TeardownTest.java:20"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "shop.NamesTest.parameters(String)[1]", "passed"),
        red(
            Case::Parameters,
            "shop.NamesTest.parameters(String)[2]",
            "failed",
            Wanted {
                error_type: "AssertionFailedError",
                message: "a price below zero",
                expected: Some("not equal"),
                actual: Some("<-1>"),
                location: Some("src/test/java/shop/NamesTest.java:20"),
                test_location: Some("src/test/java/shop/NamesTest.java:20"),
                ..WANTED
            },
        ),
        test(Case::Parameters, "shop.NamesTest.parameters(String)[3]", "passed"),
        test(Case::Parameters, "shop.NamesTest.parameters(String)[4]", "passed"),
        test(Case::Parameters, "shop.NamesTest.parameters(String)[5]", "passed"),
        test(Case::UnicodeName, "shop.NamesTest.größe_日本", "passed"),
        test(Case::SameNameTwice, "shop.NamesTest.twice", "passed"),
        red(
            Case::SameNameTwice,
            "shop.NamesTest$Inner.twice",
            "failed",
            Wanted {
                error_type: "AssertionFailedError",
                message: "expected: <1> but was: <2>",
                expected: Some("1"),
                actual: Some("2"),
                location: Some("src/test/java/shop/NamesTest.java:35"),
                test_location: Some("src/test/java/shop/NamesTest.java:35"),
                ..WANTED
            },
        ),
        test(Case::Subtests, "shop.NamesTest.subtests()[1]", "passed"),
        red(
            Case::Subtests,
            "shop.NamesTest.subtests()[2]",
            "failed",
            Wanted {
                error_type: "AssertionFailedError",
                message: "expected: not equal but was: <1>",
                expected: Some("not equal"),
                actual: Some("<1>"),
                location: Some("src/test/java/shop/NamesTest.java:42"),
                test_location: Some("src/test/java/shop/NamesTest.java:42"),
                ..WANTED
            },
        ),
        test(Case::Subtests, "shop.NamesTest.subtests()[3]", "passed"),
        test(Case::PrintsFakeResults, "shop.OddTest.printsFakeResults", "passed"),
        red(
            Case::ThrowsNonError,
            "shop.OddTest.throwsNonError",
            "errored",
            Wanted {
                kind: "runtime_error",
                error_type: "NotAnError",
                message: "thrown",
                location: Some("src/test/java/shop/OddTest.java:26"),
                test_location: Some("src/test/java/shop/OddTest.java:26"),
                ..WANTED
            },
        ),
        // The JVM prints it, and nobody else minds.
        test(Case::UnhandledElsewhere, "shop.OddTest.unhandledInAThread", "passed"),
        Test { at_least_ms: 290, ..test(Case::Slow, "shop.OddTest.slow", "passed") },
        red(
            Case::BigDiff,
            "shop.OddTest.bigDiff",
            "failed",
            Wanted {
                error_type: "AssertionFailedError",
                message: "characters left out",
                expected: Some("1\n2\n3\n4\n5\n…"),
                actual: Some("0\n1\n2\n3\n4\n…"),
                location: Some("src/test/java/shop/OddTest.java:43"),
                test_location: Some("src/test/java/shop/OddTest.java:43"),
                ..WANTED
            },
        ),
    ],
    ..RUN
};

const CRASH: Run = Run {
    name: "crash",
    complete: false,
    tests: &[test(Case::Crash, "shop.BeforeTest.before", "passed")],
    // Surefire writes nothing about a class before it is done: the class is what is known.
    unfinished: &[(Case::Crash, "shop.CrashTest")],
    errors: &[(
        Case::Crash,
        Wanted {
            kind: "runtime_error",
            error_type: "ForkedVmEnded",
            message: "Process Exit Code: 137",
            ..WANTED
        },
    )],
    ..RUN
};

// Surefire notices it by itself.
const EXIT: Run = Run {
    name: "exit",
    complete: false,
    tests: &[test(Case::ExitZero, "shop.BeforeTest.before", "passed")],
    unfinished: &[(Case::ExitZero, "shop.ExitTest")],
    errors: &[(
        Case::ExitZero,
        Wanted {
            kind: "runtime_error",
            error_type: "ForkedVmEnded",
            message: "Process Exit Code: 0",
            ..WANTED
        },
    )],
    ..RUN
};

const HANG: Run = Run {
    limit_seconds: Some(40),
    tests: &[test(Case::Hang, "shop.BeforeTest.before", "passed")],
    unfinished: &[(Case::Hang, "shop.HangTest")],
    ..ENDLESS
};

const BROKEN: Run = Run {
    name: "broken",
    complete: false,
    errors: &[(
        Case::DoesNotBuild,
        Wanted {
            kind: "compile_error",
            error_type: "CompileError",
            message: "incompatible types",
            location: Some("src/main/java/shop/Broken.java:4"),
            ..WANTED
        },
    )],
    ..RUN
};
