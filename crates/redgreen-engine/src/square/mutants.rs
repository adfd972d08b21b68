//! What mutants say of tests: whether one was noticed, and whether what a function does is noticed at all.

use std::collections::BTreeSet;

use redgreen_model::coverage::ChangedFunction;
use redgreen_model::error_class::ErrorClass;
use redgreen_model::execution::{Ended, Execution, TestId};
use redgreen_model::mutants::{Fate, MutantKind, TriedMutant};
use redgreen_model::report::FailureKind;
use redgreen_model::square::Warning;
use redgreen_model::verdict::Verdict;

use crate::judge::{CheckFailure, judge};

/// From so many mutants on that nobody noticed it is not one that nobody could notice.
pub const SURVIVORS_MIN: usize = 3;

/// With so many more that nobody noticed it is no accident that nobody notices a function that answers at once.
const MORE_MIN: usize = 2;

/// What became of the tests with a mutant in a file. `red` are those that are red without it; `tests` are those that were
/// asked for, where not all were.
pub fn fate(execution: &Execution, file: &str, red: &BTreeSet<TestId>, tests: &[TestId]) -> Fate {
    let judged = judge(execution, &BTreeSet::new());
    let limited = |ended: &Ended| matches!(ended, Ended::TimedOut { .. });
    let ended = || execution.checks.iter().filter(|run| run.required).map(|run| &run.ended);
    if ended().any(|it| matches!(it, Ended::NotStarted { .. } | Ended::Stopped | Ended::Lost)) {
        return Fate::Unknown;
    }
    if ended().any(limited) {
        return Fate::Noticed; // It goes on for ever.
    }
    let all_there = tests.iter().all(|test| judged.green.contains(test) || red.contains(test));
    if judged.verdict == Verdict::Passed || (judged.red.is_subset(red) && !judged.red.is_empty()) {
        return if all_there { Fate::Survived } else { Fate::Unknown };
    }
    let new = judged.failures.iter().filter(|it| !it.test_id().is_some_and(|it| red.contains(&it)));
    let new: Vec<&CheckFailure> = new.collect();
    match new.is_empty() || new.iter().all(|failure| is_nonsense(failure, file)) {
        true => Fate::Nonsense,
        false => Fate::Noticed,
    }
}

/// Whether the edited code itself is at fault: it does not build, or what it works with is not there.
fn is_nonsense(found: &CheckFailure, file: &str) -> bool {
    let failure = &found.failure;
    let in_file = failure.location.as_ref().is_some_and(|place| place.file == file);
    let of_types = matches!(
        failure.error_class,
        ErrorClass::TypeError | ErrorClass::ReferenceError | ErrorClass::SyntaxError
    );
    failure.kind == FailureKind::CompileError || (in_file && of_types)
}

/// Whether tests run a function and none of them notices what it does.
///
/// One that gives something and could answer at once is; and one of which no small edit was noticed, if there are
/// enough that tell. That a test notices when nothing at all is given says little beside that: `is not None` does, too.
pub fn is_hollow(function: &ChangedFunction) -> bool {
    let untried = |it: &TriedMutant| it.kind.tells() && it.fate == Fate::Unknown;
    let is_accident =
        function.mutants.iter().any(untried) && survivors_that_tell(function) < MORE_MIN;
    let survives = survives_at_once(function) && !is_accident;
    (survives || survives_enough(function)) && !is_noticed(function)
}

/// Whether it looks hollow by one mutant alone, so that more are tried.
pub fn looks_hollow(function: &ChangedFunction) -> bool {
    survives_at_once(function) && survivors_that_tell(function) < MORE_MIN && !is_noticed(function)
}

/// Whether no test notices that a function answers at once; where nothing is what is wanted, none could.
pub fn survives_at_once(function: &ChangedFunction) -> bool {
    let at_once = |it: &TriedMutant| it.kind == MutantKind::AtOnce && it.fate == Fate::Survived;
    function.mutants.iter().any(at_once)
}

fn survivors_that_tell(function: &ChangedFunction) -> usize {
    function.mutants.iter().filter(|it| it.kind.tells() && it.fate == Fate::Survived).count()
}

/// Whether it is known by now whether a function is hollow.
pub fn is_settled(function: &ChangedFunction) -> bool {
    is_noticed(function) || survives_enough(function)
}

fn is_noticed(function: &ChangedFunction) -> bool {
    function.mutants.iter().any(|it| it.fate == Fate::Noticed && it.kind != MutantKind::AtOnce)
}

fn survives_enough(function: &ChangedFunction) -> bool {
    let survived =
        function.mutants.iter().filter(|it| it.fate == Fate::Survived && it.kind.tells());
    let places: BTreeSet<(u32, MutantKind)> =
        survived.map(|it| (statement_at(function, it.line), it.kind)).collect();
    places.len() >= SURVIVORS_MIN
}

/// The line where the statement of a line begins: the numbers of one table say the same.
pub fn statement_at(function: &ChangedFunction, line: u32) -> u32 {
    let around = function.statements.iter().filter(|it| (it.first..=it.last).contains(&line));
    around.map(|it| it.first).max().unwrap_or(line)
}

/// The edits that no test notices.
pub fn survivors(function: &ChangedFunction) -> Vec<TriedMutant> {
    function.mutants.iter().filter(|it| it.fate == Fate::Survived).cloned().collect()
}

/// A word on a function of which no edit was noticed, though too few were tried to say that none would be.
pub(super) fn unnoticed(function: &ChangedFunction) -> Option<Warning> {
    let survived = |it: &&TriedMutant| it.fate == Fate::Survived && it.kind.tells();
    let first = function.mutants.iter().find(survived)?;
    let is_open = !is_hollow(function) && !is_noticed(function);
    is_open.then(|| Warning {
        what: "is run by tests, and none of them notices this edit".to_owned(),
        file: function.file.clone(),
        line: first.line,
        text: first.diff.lines().map(str::trim).collect::<Vec<_>>().join(" → "),
        certain: false,
    })
}
