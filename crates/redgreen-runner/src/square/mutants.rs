//! Tries small edits of what changed, each in a corner, and looks whether a test notices.
//!
//! After a pass that is done for as long as the suite took, and a minute at most, and only until it is known of each
//! function whether tests notice what it does. Where somebody asked for a number of them, all those are tried.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use redgreen_engine::square::mutants::{
    SURVIVORS_MIN, fate, is_settled, looks_hollow, statement_at, survives_at_once,
};
use redgreen_frameworks::{
    Effect, Effects, FATES_ENDING, MUTANTS_VARIABLE, ManyMutants, OneMutant, ProjectFiles as _,
    fates, tries_many,
};
use redgreen_model::config::Mutants;
use redgreen_model::coverage::{ChangedFunction, ChangedStatement, CoverageFacts, FileCoverage};
use redgreen_model::event::Event;
use redgreen_model::execution::{CheckRun, Ended, Execution, Purpose, TestId};
use redgreen_model::mutants::{Fate, MutantKind, TriedMutant};
use redgreen_redact::redact;
use redgreen_syntax::{Mutant, language_of, mutants};
use redgreen_workspace::TreeEdit;

use super::corner::Room;
use super::mix::TreeFiles;
use super::{Change, Squarer, elsewhere};
use crate::RunnerError;
use crate::checks::{CheckRunner, Order};
use crate::events::{EventSink, Events};
use crate::ground::Ground;
use crate::layout::{fresh_folder, write_whole};
use crate::plan::PlannedCheck;
use crate::tail::while_looking;

/// The least time for it: a suite may take less than starting its runner does.
const BOX_MIN: Duration = Duration::from_secs(3);
/// The most.
const BOX_MAX: Duration = Duration::from_secs(60);
/// With a mutant the tests may take so many times as long as without, and [`BOX_MIN`] longer; then it goes on for ever.
const TIMES_AS_LONG: u32 = 5;
/// A function of which so many say nothing is left alone.
const OF_FUNCTION_MAX: usize = 12;
/// The same for a whole change.
const OF_CHANGE_MAX: usize = 300;
/// So many more runs of what looks hollow are made when the time is up: nobody is held by accident.
const MORE_RUNS: usize = 2;
/// Where what happens with mutants is written down, below the folder of a look at the square.
const FOLDER: &str = "mutants";

/// How long it may go on, and how many may be tried.
struct Limits {
    until: Option<Instant>,
    left: usize,
    /// Whether one has been tried: the first one is, whatever it takes.
    begun: bool,
    /// The runs that are left for what looks hollow, once the time is up.
    more: usize,
    /// Whether all are tried, and not only until it is known whether a function is hollow.
    all: bool,
}

impl Limits {
    fn of(wanted: Mutants, suite: Duration) -> Self {
        match wanted {
            Mutants::AtMost(number) => {
                Self { until: None, left: number as usize, begun: false, more: 0, all: true }
            }
            _ => {
                let until = Instant::now() + suite.clamp(BOX_MIN, BOX_MAX);
                Self {
                    until: Some(until),
                    left: OF_CHANGE_MAX,
                    begun: false,
                    more: MORE_RUNS,
                    all: false,
                }
            }
        }
    }

    /// Whether there is one more run for a function that looks hollow, though the time is up.
    fn takes_one_more(&mut self) -> bool {
        let is_one = self.more > 0;
        self.more = self.more.saturating_sub(1);
        is_one
    }

    /// The time that is left; none where it is not bounded.
    fn time(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    fn allows(&self, takes: Duration) -> bool {
        let in_time = self.time().is_none_or(|time| !time.is_zero() && takes <= time);
        self.left > 0 && (in_time || !self.begun)
    }
}

/// What red tests a mutant leaves behind is no news.
struct Quiet;

impl EventSink for Quiet {
    fn take(&self, _: &Event) {}
}

/// Where mutants are tried.
struct Stage<'stage> {
    runner: CheckRunner<'stage>,
    change: &'stage Change<'stage>,
    room: Room,
    /// The checks that have tests.
    checks: Vec<PlannedCheck>,
    suite: Duration,
}

impl Stage<'_> {
    /// What takes longer than that goes on for ever.
    fn for_ever(&self) -> Duration {
        self.suite * TIMES_AS_LONG + BOX_MIN
    }
}

/// A mutant that may be tried.
struct Candidate {
    /// Which of the changed functions it edits.
    function: usize,
    file: String,
    /// The line where the edited statement begins.
    statement: u32,
    /// The whole file with the edit.
    text: String,
    /// The tests that may notice; none for all.
    tests: Vec<TestId>,
    tried: TriedMutant,
}

impl Candidate {
    fn one_of_many(&self, number: usize, root: &Path) -> OneMutant {
        OneMutant {
            mutant: number,
            group: self.function,
            place: format!("{} {:?}", self.statement, self.tried.kind),
            file: root.join(&self.file).to_string_lossy().into_owned(),
            text: self.text.clone(),
            tests: self.tests.iter().map(|test| test.test.clone()).collect(),
            tells: self.tried.kind.tells(),
            clears: self.tried.kind != MutantKind::AtOnce,
        }
    }
}

impl Squarer<'_> {
    /// Tries mutants of the functions that changed and that tests run.
    pub(super) fn try_mutants(
        &self,
        facts: &mut CoverageFacts,
        change: &Change<'_>,
        new: &TreeFiles<'_>,
    ) -> Result<(), RunnerError> {
        let wanted = self.config.coverage.mutants;
        if wanted == Mutants::OFF || !facts.functions.iter().any(is_run) {
            return Ok(());
        }
        let room = Room::new(self.runner.executor, &self.runner.trees.workspace.state_dir()?)?;
        if self.unlike(&room, change)?.is_some() {
            return Ok(()); // What fails there says nothing.
        }
        let run = &change.run.execution;
        let has_tests = |check: &&PlannedCheck| {
            run.checks.iter().any(|it| it.check == check.name && !it.report.tests.is_empty())
        };
        let checks: Vec<PlannedCheck> = self.checks.iter().filter(has_tests).cloned().collect();
        let suite = Duration::from_millis(run.duration_ms);
        let mut limits = Limits::of(wanted, suite);
        let (purpose, attempt) = (Purpose::Mutant, self.attempt);
        self.runner.events.say(&Event::ExecutionStarted { number: 0, purpose, attempt, only: 0 });
        fresh_folder(&self.folder.join(FOLDER))?;
        let quiet = Events::open(&Quiet, &self.folder.join(FOLDER).join("events.jsonl"))?;
        let runner = CheckRunner { events: &quiet, ..*self.runner };
        let stage = Stage { runner, change, room, checks, suite };
        let functions = facts.functions.iter().enumerate().filter(|(_, it)| is_run(it));
        let mut found: Vec<Candidate> = functions
            .flat_map(|(at, function)| self.candidates((at, function), &stage, new, &limits))
            .take(limits.left)
            .collect();
        let of = found.len() as u64;
        let tell = |tried: u64, unnoticed: u64| {
            self.runner.events.say(&Event::MutantsTried { tried, of, unnoticed });
        };
        self.try_many(&mut found, &stage, &limits, &tell)?;
        let mut tried = found.iter().filter(|it| it.tried.fate != Fate::Unknown).count() as u64;
        let mut unnoticed =
            found.iter().filter(|it| it.tried.fate == Fate::Survived).count() as u64;
        for candidate in found {
            let is_new = candidate.tried.fate == Fate::Unknown;
            let function = &mut facts.functions[candidate.function];
            if !limits.all && is_settled(function) {
                continue;
            }
            let before = function.mutants.len();
            self.try_one(function, candidate, &stage, &mut limits)?;
            let fate = function.mutants.get(before).map_or(Fate::Unknown, |it| it.fate);
            if is_new && fate != Fate::Unknown {
                (tried, unnoticed) = (tried + 1, unnoticed + u64::from(fate == Fate::Survived));
                tell(tried, unnoticed);
            }
        }
        Ok(())
    }

    /// The mutants of a function, in the order in which they are tried.
    fn candidates(
        &self,
        (at, function): (usize, &ChangedFunction),
        stage: &Stage<'_>,
        new: &TreeFiles<'_>,
        limits: &Limits,
    ) -> Vec<Candidate> {
        let (Some(language), Some(text)) = (language_of(&function.file), new.read(&function.file))
        else {
            return Vec::new();
        };
        let ran = |line: u32, column: u32| {
            let at = |it: &&ChangedStatement| (it.first, it.column) == (line, column);
            function.statements.iter().find(at).is_some_and(|it| it.ran == Some(true))
        };
        let whole = function.is_new.then_some(function.line);
        let max = if limits.all { limits.left } else { OF_FUNCTION_MAX };
        let mut found = mutants(language, &text, &ran, (whole, max));
        let reaching = self.reaching(&function.file, stage, new);
        if !stage.checks.iter().any(|check| tries_many(check.framework, &function.file)) {
            // There may be time for one run alone: this one says most.
            found.sort_by_key(|mutant| mutant.kind != MutantKind::AtOnce);
        }
        let candidate = |mutant: Mutant| Candidate {
            function: at,
            file: function.file.clone(),
            statement: statement_at(function, mutant.line),
            text: mutant.applied(&text),
            tests: tests_of(function, &mutant, stage.change).unwrap_or_else(|| reaching.clone()),
            tried: TriedMutant {
                kind: mutant.kind,
                line: mutant.line,
                diff: redact(&mutant.diff(&text)).into_owned(),
                fate: Fate::Unknown,
            },
        };
        found.into_iter().map(candidate).collect()
    }

    fn try_one(
        &self,
        function: &mut ChangedFunction,
        mut candidate: Candidate,
        stage: &Stage<'_>,
        limits: &mut Limits,
    ) -> Result<(), RunnerError> {
        if candidate.tried.fate == Fate::Unknown {
            // What some tests take is not known before; all of them take as long as they did.
            let takes = if candidate.tests.is_empty() { stage.suite } else { Duration::ZERO };
            let is_open = looks_hollow(function) && candidate.tried.kind.tells();
            let is_allowed = limits.allows(takes) || (is_open && limits.takes_one_more());
            if !is_allowed {
                if survives_at_once(function) {
                    // It is not known whether it would be noticed.
                    function.mutants.push(candidate.tried);
                }
                return Ok(());
            }
            limits.begun = true;
            candidate.tried.fate = self.fate_of(&candidate, stage, limits)?;
        }
        limits.left = limits.left.saturating_sub(1);
        function.mutants.push(candidate.tried);
        Ok(())
    }

    /// Tries those of them at once for which there is a framework that does so: it has to start only once.
    fn try_many(
        &self,
        candidates: &mut [Candidate],
        stage: &Stage<'_>,
        limits: &Limits,
        tell: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<(), RunnerError> {
        let (trees, change) = (self.runner.trees, stage.change);
        for check in &stage.checks {
            let alone = stage.checks.len() == 1;
            let is_for = |it: &Candidate| {
                let known =
                    !it.tests.is_empty() && it.tests.iter().all(|test| test.check == check.name);
                tries_many(check.framework, &it.file) && (known || (alone && it.tests.is_empty()))
            };
            let root = trees.workspace.root();
            let own = candidates.iter().enumerate().filter(|(_, it)| is_for(it));
            let wanted = ManyMutants {
                mutants: own.map(|(at, it)| it.one_of_many(at, root)).collect(),
                seconds: limits.time().map(|time| time.as_secs_f64()),
                seconds_each: stage.for_ever().as_secs_f64(),
                all: limits.all,
                enough: SURVIVORS_MIN,
            };
            if wanted.mutants.len() < 2 || stage.room.has_copies() {
                continue; // One is as quick by itself; and in a copy the files have other paths.
            }
            let elsewhere = elsewhere(root, self.checks);
            let tree = &change.tree.tree;
            let Ok(ground) = stage.room.ground(trees, tree, change.there, &elsewhere)? else {
                return Ok(());
            };
            let asked = self.folder.join(FOLDER).join(format!("{}.json", check.name));
            let said = asked.with_extension(format!("json{FATES_ENDING}"));
            let text = serde_json::to_vec(&wanted)
                .map_err(|error| RunnerError::Session(format!("cannot write mutants: {error}")))?;
            write_whole(&asked, &text)?;
            let mut check = check.clone();
            let path = asked.to_string_lossy().into_owned();
            check.settings.environment.insert(MUTANTS_VARIABLE.to_owned(), path);
            let time = limits.time().map(|time| time + stage.suite + BOX_MIN);
            let mut told = 0;
            let look = || {
                let text = fs::read_to_string(&said).unwrap_or_default();
                let (tried, unnoticed) =
                    fates(&text).fold((0, 0), |(tried, unnoticed), (_, fate)| {
                        (tried + 1, unnoticed + u64::from(fate == Fate::Survived))
                    });
                if tried > told {
                    told = tried;
                    tell(tried, unnoticed);
                }
            };
            while_looking(look, || self.execute((&[check], &[]), time, &ground, stage))?;
            let said = fs::read_to_string(&said).unwrap_or_default();
            for (at, fate) in fates(&said) {
                if let Some(candidate) = candidates.get_mut(at) {
                    candidate.tried.fate = fate;
                }
            }
        }
        Ok(())
    }

    fn execute(
        &self,
        (checks, only): (&[PlannedCheck], &[TestId]),
        time_left: Option<Duration>,
        ground: &Ground,
        stage: &Stage<'_>,
    ) -> Result<Execution, RunnerError> {
        stage.runner.execute(&Order {
            number: 0,
            purpose: Purpose::Mutant,
            attempt: self.attempt,
            checks,
            only,
            measure: &[],
            folder: self.folder.join(FOLDER).join("run"),
            earlier: Vec::new(),
            time_left,
            ground,
        })
    }

    /// Runs the tests with a file as it is edited.
    fn fate_of(
        &self,
        candidate: &Candidate,
        stage: &Stage<'_>,
        limits: &Limits,
    ) -> Result<Fate, RunnerError> {
        let (trees, change) = (self.runner.trees, stage.change);
        let Candidate { file, tests, .. } = candidate;
        let content = candidate.text.clone().into_bytes();
        let edit = TreeEdit::Write { path: file.clone(), content };
        let tree = trees.workspace.edited_tree(&change.tree.tree, &[edit])?;
        let elsewhere = elsewhere(trees.workspace.root(), self.checks);
        let Ok(ground) = stage.room.ground(trees, &tree, change.there, &elsewhere)? else {
            return Ok(Fate::Unknown);
        };
        let for_ever = stage.for_ever();
        // One that has begun may come to its end, if it takes about what it should.
        let end = |time: Duration| for_ever.min(time + stage.suite * 2 + BOX_MIN);
        let time = limits.time().map_or(for_ever, end);
        let execution = self.execute((&stage.checks, tests), Some(time), &ground, stage)?;
        let cut = |run: &CheckRun| matches!(run.ended, Ended::TimedOut { .. });
        Ok(match fate(&execution, file, &change.run.red, tests) {
            // Its time was not up, ours was.
            Fate::Noticed if time < for_ever && execution.checks.iter().any(cut) => Fate::Unknown,
            fate => fate,
        })
    }

    /// The tests whose files can notice a file; none for all.
    fn reaching(&self, file: &str, stage: &Stage<'_>, new: &TreeFiles<'_>) -> Vec<TestId> {
        let edited = [file.to_owned()];
        let effects = Effects::new(new, new, &edited);
        let can = |test: &&TestId| {
            let check = stage.checks.iter().find(|check| check.name == test.check);
            check.is_some_and(|check| {
                effects.on(check.framework, &check.settings.folder, &test.test) != Effect::No
            })
        };
        let green = &stage.change.run.green;
        let reaching: Vec<TestId> = green.iter().filter(can).cloned().collect();
        if reaching.len() == green.len() { Vec::new() } else { reaching }
    }
}

/// Whether tests run something of what changed in a function.
fn is_run(function: &ChangedFunction) -> bool {
    !function.function.is_empty() && function.statements.iter().any(|it| it.ran == Some(true))
}

/// The tests that run what a mutant edits, where that is known.
fn tests_of(
    function: &ChangedFunction,
    mutant: &Mutant,
    change: &Change<'_>,
) -> Option<Vec<TestId>> {
    let whole = matches!(mutant.kind, MutantKind::AtOnce | MutantKind::NoEffect);
    let edited = |it: &&ChangedStatement| whole || (it.first..=it.last).contains(&mutant.line);
    let mut tests = BTreeSet::new();
    for run in change.run.execution.checks.iter().filter(|run| run.required) {
        let files = run.coverage.iter().filter_map(|coverage| coverage.files.get(&function.file));
        for file in files {
            let lines = function.statements.iter().filter(edited);
            let of_line = |it: &ChangedStatement| ran_by(file, it.first);
            tests.extend(lines.flat_map(of_line).map(|test| TestId::new(&run.check, test)));
        }
    }
    (!tests.is_empty()).then(|| tests.into_iter().collect())
}

fn ran_by(file: &FileCoverage, line: u32) -> &[String] {
    file.tests.get(&line).map_or(&[], Vec::as_slice)
}
