//! What our own analysis is made from.

use redgreen_model::execution::Turning;
use redgreen_model::report::Location;
use redgreen_model::tree::{FileChange, FileRole};

use super::suspects::Candidate;
use crate::classes::Judged;
use crate::judge::CheckFailure;
use crate::state::{Attempt, State};

/// How many lines beside a place still belong to it: an edit moves what stands around it.
const LINES_AROUND: u32 = 3;

/// What our own analysis is made from.
pub struct Evidence<'state> {
    /// The attempt that was judged.
    pub attempt: u32,
    /// Its failures.
    pub failures: &'state [CheckFailure],
    /// What the attempt changed.
    pub changes: &'state [FileChange],
    /// The same as a diff.
    pub diff: &'state str,
    /// The run that judged it.
    pub judged: Option<&'state Judged>,
    /// The one before.
    pub before: Option<&'state Judged>,
    /// The attempts before it.
    pub earlier: &'state [Attempt],
    /// The latest attempt before that failed in the same tests with the same messages; 0 for the
    /// baseline.
    pub same_as: Option<u32>,
}

impl<'state> Evidence<'state> {
    /// What there is on the last attempt of a loop.
    pub(crate) fn of(state: &'state State) -> Option<Self> {
        let (attempt, earlier) = state.attempts.split_last()?;
        let judged = attempt.judged.as_ref()?;
        let signature = judged.failure_signature();
        let known = earlier.iter().rev();
        let known = known.filter_map(|earlier| Some((earlier.number, earlier.judged.as_ref()?)));
        let mut known = known.chain(state.baseline.as_ref().map(|baseline| (0, baseline)));
        let before = known.clone().next().map(|(_, judged)| judged);
        let same = known.find(|(_, earlier)| earlier.failure_signature() == signature);
        Some(Self {
            attempt: attempt.number,
            failures: &judged.failures,
            changes: &attempt.changes,
            diff: &attempt.diff,
            judged: Some(judged),
            before,
            earlier,
            same_as: same.map(|(number, _)| number),
        })
    }

    /// Whether one of the failing tests passed right before the attempt.
    pub(crate) fn was_green(&self) -> bool {
        let green = self.before.map(|before| &before.green);
        green.is_some_and(|green| {
            self.failures.iter().filter_map(CheckFailure::test_id).any(|test| green.contains(&test))
        })
    }

    /// Whether one of the failing tests passed before the work began, or in an earlier attempt.
    pub(crate) fn has_regressed(&self) -> bool {
        self.judged.is_some_and(|judged| !judged.classes.regressed.is_empty())
    }

    /// Whether code was changed, and not tests alone.
    pub(crate) fn changes_code(&self) -> bool {
        let earlier = self.earlier.iter().flat_map(|attempt| &attempt.changes);
        earlier.chain(self.changes).any(|change| change.role == FileRole::Code)
    }

    /// Whether a file is one of tests.
    pub(crate) fn is_test(&self, file: &str) -> bool {
        let of_failure = |it: &CheckFailure| {
            it.failure.test_location.as_ref().is_some_and(|place| place.file == file)
                || (it.failure.in_tests
                    && it.failure.location.as_ref().is_some_and(|place| place.file == file))
        };
        let of_change = |change: &FileChange| change.path == file && change.role == FileRole::Tests;
        self.failures.iter().any(of_failure) || self.changes.iter().any(of_change)
    }

    /// The part of the change that turned tests red, where that was tried.
    pub(crate) fn turning(&self) -> Option<&Turning> {
        let judged = self.judged?;
        judged.confirm.iter().chain([&judged.execution]).find_map(|run| run.turning.as_ref())
    }

    /// A changed file that cannot be read, and where.
    pub(crate) fn broken(&self) -> Option<Location> {
        let runs = self.judged?.execution.checks.iter();
        let files = runs.filter_map(|run| run.coverage.as_ref()).flat_map(|it| &it.files);
        let mut broken = files.filter_map(|(path, file)| Some((path, file.broken?)));
        broken.next().map(|(path, line)| Location {
            file: path.clone(),
            line: Some(line),
            function: None,
        })
    }

    /// The earlier analyses of the same failing tests.
    pub(crate) fn told(&self) -> impl Iterator<Item = &super::AcceptedAnalysis> {
        let failing = |test: &String| self.failures.iter().any(|it| it.name() == test);
        let told = |attempt: &'state Attempt| attempt.analysis.iter().chain(&attempt.ours);
        let analyses = self.earlier.iter().flat_map(told);
        analyses.filter(move |analysis| analysis.tests.iter().any(failing))
    }

    /// The attempt that edited a place because it was suspected, and that left the same tests failing.
    pub(crate) fn tried_at(&self, candidate: &Candidate) -> Option<u32> {
        let next =
            self.earlier.iter().skip(1).map(|attempt| (attempt.number, &attempt.changes[..]));
        let next = next.chain([(self.attempt, self.changes)]);
        let told = self.earlier.iter().map(|attempt| attempt.analysis.as_ref());
        let near = |place: &Location| {
            place.file == candidate.file
                && place.line.is_some_and(|line| line.abs_diff(candidate.first) <= LINES_AROUND)
        };
        told.zip(next).find_map(|(told, (attempt, changes))| {
            let place = told?.location.as_ref().filter(|place| near(place))?;
            let line = place.line?;
            let hunks = changes.iter().filter(|change| change.path == place.file);
            let mut hunks = hunks.flat_map(|change| &change.hunks);
            let beside = LINES_AROUND - 1;
            let edited = hunks.any(|hunk| {
                hunk.start <= line.saturating_add(beside)
                    && hunk.start.saturating_add(hunk.count).saturating_add(beside) > line
            });
            let line_is_it = line == candidate.first || candidate.holds(&place.file, line);
            (edited && line_is_it).then_some(attempt)
        })
    }
}
