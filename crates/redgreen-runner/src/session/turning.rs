//! Which part of a change turned a test red: parts of it are put on the last tree on which the test passed, each in a
//! corner, and the red tests alone are run there.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use redgreen_engine::classes::Judged;
use redgreen_engine::parts::{Part, applied, parts, smallest};
use redgreen_engine::state::State;
use redgreen_model::event::Event;
use redgreen_model::execution::{CheckRun, Execution, Purpose, TestId, Turning};
use redgreen_model::report::TestCase;
use redgreen_model::tree::{ChangeKind, FileChange, FileRole, TreeHash};
use redgreen_workspace::{Content, TreeEdit};

use super::Session;
use crate::RunnerError;
use crate::checks::{CheckRunner, Order};
use crate::events::{EventSink, Events};
use crate::layout::fresh_folder;
use crate::plan::PlannedCheck;
use crate::square::corner::Room;
use crate::square::elsewhere;

/// It takes at most so many times as long as the suite did, within these bounds.
const TIMES_THE_SUITE: u32 = 3;
const BOX_MIN: Duration = Duration::from_secs(30);
const BOX_MAX: Duration = Duration::from_secs(60);
/// The most parts that are told apart.
const PARTS_MAX: usize = 64;
/// A longer diff, or a larger file, is nobody's small change.
const DIFF_BYTES_MAX: usize = 512 * 1024;
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Where these runs are written down, below the folder of the execution.
const FOLDER: &str = "parts";

/// What the parts of a change do is no news.
struct Quiet;

impl EventSink for Quiet {
    fn take(&self, _: &Event) {}
}

/// What is told apart: the tests, and the tree on which they do not pass any more.
struct Question<'session> {
    tests: Vec<TestId>,
    /// The errors that they fail with: parts that do not fit together bring others.
    errors: BTreeSet<&'session str>,
    red: &'session TreeHash,
    /// The files that are put together of parts, with what they were.
    files: Vec<(String, String)>,
    parts: Vec<Part>,
}

impl Session<'_> {
    /// The smallest part of the change that turned tests red, if there is more than one that could be it. `state` is
    /// what the loop makes of the execution.
    pub(super) fn turning(&self, state: &State, execution: &Execution) -> Option<Turning> {
        let question = self.question(state)?;
        let turned = self.told_apart(&question, execution);
        turned.unwrap_or_else(|error| {
            tracing::warn!(?error, "the parts of the change cannot be tried");
            None
        })
    }

    /// The last tree on which tests passed that are red now, and what has changed since.
    fn question<'state>(&self, state: &'state State) -> Option<Question<'state>> {
        let mut judged = state.attempts.iter().rev().filter_map(|it| it.judged.as_ref());
        let now = judged.next()?;
        let red: BTreeSet<&TestId> = now.red.iter().collect();
        let passed = |before: &Judged| -> Vec<TestId> {
            red.iter().copied().filter(|test| before.green.contains(test)).cloned().collect()
        };
        let (tests, green) = judged
            .chain(&state.baseline)
            .map(|before| (passed(before), before))
            .find(|(tests, _)| !tests.is_empty())?;
        let (green, red) = (&green.tree().tree, &now.tree().tree);
        let changes = self.trees.changes(green, red).ok()?;
        let files = self.told_apart_in(green, &changes)?;
        let diff = self.trees.workspace.diff(green, red, DIFF_BYTES_MAX).ok()?;
        let mut parts = parts(&diff);
        parts.retain(|part| files.iter().any(|(file, _)| *file == part.place.file));
        let of_tests = now.failures.iter();
        let of_tests = of_tests.filter(|it| it.test_id().is_some_and(|test| tests.contains(&test)));
        let errors = of_tests.map(|it| it.failure.error_type.as_str()).collect();
        let is_one = (2..=PARTS_MAX).contains(&parts.len()) && diff.len() < DIFF_BYTES_MAX;
        is_one.then_some(Question { tests, errors, red, files, parts })
    }

    /// The changed files of code, as they were: those that were there and still are. Everything else stays as it is now.
    fn told_apart_in(
        &self,
        green: &TreeHash,
        changes: &[FileChange],
    ) -> Option<Vec<(String, String)>> {
        let is_code = |change: &&FileChange| {
            change.role == FileRole::Code
                && change.kind == ChangeKind::Modified
                && !change.hunks.is_empty()
        };
        let paths: Vec<&str> =
            changes.iter().filter(is_code).map(|change| change.path.as_str()).collect();
        let contents = self.trees.workspace.read_all(green, &paths, FILE_BYTES_MAX).ok()?;
        let texts = paths.iter().zip(contents).filter_map(|(path, content)| match content {
            Content::Bytes(bytes) => Some(((*path).to_owned(), String::from_utf8(bytes).ok()?)),
            Content::Absent | Content::TooLarge { .. } => None,
        });
        Some(texts.collect())
    }

    fn told_apart(
        &self,
        question: &Question<'_>,
        execution: &Execution,
    ) -> Result<Option<Turning>, RunnerError> {
        let room = Room::new(&self.executor, &self.trees.workspace.state_dir()?)?;
        if room.has_copies() {
            return Ok(None); // What passes in the project may not pass in a copy of it.
        }
        let suite = self.state.executions().filter(|it| it.purpose != Purpose::Confirm);
        let suite = suite.map(|it| it.duration_ms).chain([execution.duration_ms]).max();
        let suite = Duration::from_millis(suite.unwrap_or_default());
        let limit = (suite * TIMES_THE_SUITE).clamp(BOX_MIN, BOX_MAX);
        let until = Instant::now() + self.time_left().map_or(limit, |left| left.min(limit));
        let folder = self.folder.execution(self.executions + 1).join(FOLDER);
        fresh_folder(&folder)?;
        let quiet = Events::open(&Quiet, &folder.join("events.jsonl"))?;
        let runner = CheckRunner { events: &quiet, ..self.check_runner() };
        let stage = Stage { session: self, runner: &runner, room: &room, question, folder, until };
        if stage.turns(&[])? != Some(false) {
            return Ok(None); // It is not the code that was told apart.
        }
        let count = question.parts.len();
        let found = smallest(count, |chosen| stage.turns(chosen))?;
        let parts = found.iter().filter_map(|at| question.parts.get(*at));
        let parts: Vec<_> = parts.map(|part| part.place.clone()).collect();
        let of = u32::try_from(count).unwrap_or(u32::MAX);
        let tests = question.tests.clone();
        Ok((parts.len() < count).then_some(Turning { tests, parts, of }))
    }
}

/// Where parts are tried.
struct Stage<'stage> {
    session: &'stage Session<'stage>,
    runner: &'stage CheckRunner<'stage>,
    room: &'stage Room,
    question: &'stage Question<'stage>,
    folder: std::path::PathBuf,
    until: Instant,
}

impl Stage<'_> {
    /// Whether some parts of the change turn a test red; none where there is no time left to see.
    fn turns(&self, chosen: &[usize]) -> Result<Option<bool>, RunnerError> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let (session, question) = (self.session, self.question);
        let chosen: Vec<&Part> = chosen.iter().filter_map(|at| question.parts.get(*at)).collect();
        let edits: Vec<TreeEdit> = question
            .files
            .iter()
            .map(|(path, old)| {
                let own: Vec<&Part> =
                    chosen.iter().copied().filter(|part| part.place.file == *path).collect();
                TreeEdit::Write { path: path.clone(), content: applied(old, &own).into_bytes() }
            })
            .collect();
        let workspace = &session.trees.workspace;
        let tree = workspace.edited_tree(question.red, &edits)?;
        let there = session.trees.last_seen()?.tree;
        let checks: Vec<PlannedCheck> = session.plan.checks.clone();
        let elsewhere = elsewhere(workspace.root(), &checks);
        let Ok(ground) = self.room.ground(&session.trees, &tree, &there, &elsewhere)? else {
            return Ok(None);
        };
        let execution = self.runner.execute(&Order {
            number: 0,
            purpose: Purpose::Mutant,
            attempt: 0,
            checks: &checks,
            only: &question.tests,
            measure: &[],
            folder: self.folder.join("run"),
            earlier: Vec::new(),
            time_left: Some(left),
            ground: &ground,
        })?;
        if Instant::now() >= self.until {
            return Ok(None);
        }
        Ok(Some(is_red(&execution, question)))
    }
}

/// Whether one of the tests ran and is red as it was.
fn is_red(execution: &Execution, question: &Question<'_>) -> bool {
    let same = |run: &CheckRun, seen: &TestCase| {
        let is_asked = |test: &TestId| test.check == run.check && test.test == seen.id;
        let error = seen.failure.as_ref().map(|failure| failure.error_type.as_str());
        seen.outcome.is_red()
            && question.tests.iter().any(is_asked)
            && error.is_some_and(|error| question.errors.contains(error))
    };
    execution.checks.iter().any(|run| run.report.tests.iter().any(|seen| same(run, seen)))
}
