//! The words of the tables.

use std::collections::BTreeSet;

/// The cases that every framework has to show, or say why it cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Case {
    Pass,
    FailWithDiff,
    ErrorInSetup,
    ErrorInTeardown,
    Skip,
    ExpectedFailure,
    Parameters,
    UnicodeName,
    SameNameTwice,
    PrintsFakeResults,
    ThrowsNonError,
    UnhandledElsewhere,
    Crash,
    ExitZero,
    Hang,
    DoesNotBuild,
    Slow,
    BigDiff,
    Flaky,
    Subtests,
}

impl Case {
    const ALL: [Self; 20] = [
        Self::Pass,
        Self::FailWithDiff,
        Self::ErrorInSetup,
        Self::ErrorInTeardown,
        Self::Skip,
        Self::ExpectedFailure,
        Self::Parameters,
        Self::UnicodeName,
        Self::SameNameTwice,
        Self::PrintsFakeResults,
        Self::ThrowsNonError,
        Self::UnhandledElsewhere,
        Self::Crash,
        Self::ExitZero,
        Self::Hang,
        Self::DoesNotBuild,
        Self::Slow,
        Self::BigDiff,
        Self::Flaky,
        Self::Subtests,
    ];
}

/// Everything about one framework.
pub struct Model {
    /// Its name in `redgreen.toml`, and its folder in `fixtures`.
    pub framework: &'static str,
    /// The command of the check.
    pub command: &'static str,
    /// Makes what is no file of the fixture, such as links to installed packages.
    pub prepare: fn(&crate::common::Project),
    /// The runs.
    pub runs: &'static [Run],
    /// The id of the flaky test in the run `flaky`, which fails when `../agent/outcomes` begins with
    /// another letter than `P` and takes the letter away, beside a test that passes.
    pub flaky: &'static str,
    /// A file of that run, and what an agent appends to it to have changed something.
    pub harmless_edit: (&'static str, &'static str),
    /// Cases that this framework cannot have, and why.
    pub absent: &'static [(Case, &'static str)],
}

/// One execution, and what must be in its record.
pub struct Run {
    /// Its name, and its folder in the fixture.
    pub name: &'static str,
    /// The time limit in seconds, where it needs one.
    pub limit_seconds: Option<u32>,
    /// The verdict.
    pub verdict: &'static str,
    /// Whether the framework came to its end.
    pub complete: bool,
    /// Every test that ended.
    pub tests: &'static [Test],
    /// Every test that started and did not end.
    pub unfinished: &'static [(Case, &'static str)],
    /// Every test that was collected and did not start.
    pub not_run: &'static [&'static str],
    /// Every failure outside of a test.
    pub errors: &'static [(Case, Wanted)],
}

/// A run that comes to its end with failures, to begin with.
pub const RUN: Run = Run {
    name: "together",
    limit_seconds: None,
    verdict: "failed",
    complete: true,
    tests: &[],
    unfinished: &[],
    not_run: &[],
    errors: &[],
};

/// A run whose last test never ends, to begin with: its limit ended it, and the unfinished test was running.
pub const ENDLESS: Run = Run {
    name: "hang",
    complete: false,
    errors: &[(Case::Hang, Wanted { kind: "timeout", error_type: "Timeout", ..WANTED })],
    ..RUN
};

/// One test that ended.
pub struct Test {
    pub case: Case,
    pub id: &'static str,
    pub outcome: &'static str,
    /// At least this many milliseconds.
    pub at_least_ms: u64,
    /// Why it is red.
    pub failure: Option<Wanted>,
}

/// What a failure must say.
pub struct Wanted {
    pub kind: &'static str,
    pub error_type: &'static str,
    /// A part of the message.
    pub message: &'static str,
    /// All of it, or its beginning and `…`; the same for `actual`.
    pub expected: Option<&'static str>,
    pub actual: Option<&'static str>,
    /// `file:line` in the project's own code.
    pub location: Option<&'static str>,
    /// `file:line` in the test.
    pub test_location: Option<&'static str>,
}

/// A failure that says nothing, to begin with.
pub const WANTED: Wanted = Wanted {
    kind: "test_failure",
    error_type: "",
    message: "",
    expected: None,
    actual: None,
    location: None,
    test_location: None,
};

/// A test without a failure.
pub const fn test(case: Case, id: &'static str, outcome: &'static str) -> Test {
    Test { case, id, outcome, at_least_ms: 0, failure: None }
}

/// A test that is red.
pub const fn red(case: Case, id: &'static str, outcome: &'static str, failure: Wanted) -> Test {
    Test { case, id, outcome, at_least_ms: 0, failure: Some(failure) }
}

/// All twenty cases are in the runs that are played, or have a reason not to be.
pub fn assert_every_case(model: &Model, played: &[&str]) {
    let runs: Vec<&str> = model.runs.iter().map(|run| run.name).collect();
    assert_eq!(runs, played, "{}: the runs of the table, and those played", model.framework);
    let mut seen = BTreeSet::from([Case::Flaky]);
    for run in model.runs {
        seen.extend(run.tests.iter().map(|test| test.case));
        seen.extend(run.unfinished.iter().map(|(case, _)| *case));
        seen.extend(run.errors.iter().map(|(case, _)| *case));
    }
    for (case, why) in model.absent {
        assert!(why.len() > 10, "{case:?} needs a reason");
        assert!(seen.insert(*case), "{case:?} is there and absent");
    }
    let missing: Vec<Case> = Case::ALL.into_iter().filter(|case| !seen.contains(case)).collect();
    assert!(missing.is_empty(), "{}: no {missing:?}", model.framework);
}
