//! The square: builds the corners that differ, runs them, and gathers what the engine reads.
//!
//! ```text
//! sides (of the baseline) ─▶ mix ─▶ a corner's tree ─▶ view at the project's own path ─▶ execution
//! structure of the changed tests ──────────────────────────────────────────────────────▶ facts
//! ```

pub mod copy;
pub(crate) mod corner;
mod example;
mod hidden_files;
mod isolation;
mod listing;
mod meaning;
pub(crate) mod mix;
mod mutants;
pub(crate) mod outside;
mod packages;
mod store;
mod structure;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use redgreen_agents::AGENTS;
use redgreen_agents::settings::{facts_in_project, project_files};
use redgreen_engine::classes::Judged;
use redgreen_frameworks::sides::{Side, SideCheck, Sides};
use redgreen_frameworks::{Effect, Effects, ProjectFiles as _, silenced};
use redgreen_model::config::{Config, JudgeBy};
use redgreen_model::coverage::{ChangedFunction, CoverageFacts};
use redgreen_model::execution::{Ended, Execution, Purpose, TestId};
use redgreen_model::known::KNOWN_FILE;
use redgreen_model::reach::Reached;
use redgreen_model::square::{Corner, CornerSeen, SettingsChange, SquareFacts, TestEdit, Waiver};
use redgreen_model::text::{BLOCK_CHARS, LINE_CHARS, clean_block, clean_line};
use redgreen_model::tree::{CodeHash, FileChange, TreeHash, TreeState};
use redgreen_workspace::{Ignored, Workspace};
use uuid::Uuid;

use crate::checks::{CheckRunner, Order};
use crate::counting;
use crate::gate::trust;
use crate::ground::Ground;
use crate::memory::stranger;
use crate::plan::PlannedCheck;
use crate::session::SessionRecord;
use crate::square::corner::Room;
use crate::square::mix::{Mixed, TreeFiles, mix, mix_shared, side_changes};
use crate::square::structure::{Structure, Versions, in_other_files, structure};
use crate::trees::Trees;
use crate::{RunnerError, known};

pub use listing::{SidedFile, list_sides};
pub use store::{Declarations, declare, declared, waive, waived};

/// The configuration, which is the tests' side of redgreen itself.
pub(crate) const CONFIG_FILE: &str = "redgreen.toml";
/// A build folder that cargo may have outside of the work tree.
pub(crate) const CARGO_TARGET: &str = "CARGO_TARGET_DIR";

/// What is needed to look at the corners of a change.
pub(crate) struct Squarer<'square> {
    pub(crate) runner: &'square CheckRunner<'square>,
    pub(crate) checks: &'square [PlannedCheck],
    pub(crate) config: &'square Config,
    /// Where logs and streams go.
    pub(crate) folder: PathBuf,
    pub(crate) attempt: u32,
    pub(crate) time_left: Option<Duration>,
    /// What a person has waived.
    pub(crate) waived: &'square [Waiver],
    /// Since when a change outside of the tree counts; none where nobody is to look there.
    pub(crate) since: Option<SystemTime>,
    /// Whether it is looked there in any case, without all that can be taken away.
    pub(crate) bare: Option<outside::Bare>,
}

/// A change, and what was seen of its two ordinary corners.
pub(crate) struct Change<'square> {
    pub(crate) base: &'square TreeState,
    /// The tree that is judged.
    pub(crate) tree: &'square TreeState,
    /// The one in the work tree: mostly the same.
    pub(crate) there: &'square TreeHash,
    pub(crate) baseline: &'square Judged,
    pub(crate) run: &'square Judged,
    /// Full executions that were made beside the files that git ignores as they are now: a corner that is
    /// the tree of one of them has been seen already.
    pub(crate) at_hand: &'square [&'square Execution],
}

/// The sides of a project, by the rules of its baseline and by what its run and that of the change reached.
pub(crate) fn sides<'files>(
    files: &'files TreeFiles<'_>,
    checks: &[PlannedCheck],
    config: &Config,
    seen: (Reached, Reached),
) -> Sides<'files> {
    let checks: Vec<SideCheck<'_>> = checks
        .iter()
        .map(|check| SideCheck {
            framework: check.framework,
            folder: &check.settings.folder,
            command: &check.settings.command,
        })
        .collect();
    Sides::new(files, &checks, &config.tests.paths).watched(seen.0, seen.1)
}

fn paths_of(changes: &[FileChange]) -> impl Iterator<Item = &str> {
    changes.iter().map(|change| change.path.as_str())
}

/// What the run of a base and the last run of the change reached, where a judgement of it is kept.
pub fn reached(record: Option<&SessionRecord>) -> (Reached, Reached) {
    let of = |judged: Option<&Judged>| judged.map(|it| it.execution.reached()).unwrap_or_default();
    let state = record.map(|record| &record.state);
    let last = state.and_then(|it| it.attempts.iter().rev().find_map(|it| it.judged.as_ref()));
    (of(state.and_then(|it| it.baseline.as_ref())), of(last))
}

/// Takes out of what tests stand on what code reads, too. Of a file of which parts are shared, others may have changed.
fn shared_of(structure: &mut Structure, sides: &Sides<'_>, with_old: &Mixed) -> Vec<TestEdit> {
    let is_shared = |edit: &TestEdit| sides.side(&edit.file) == Side::Shared;
    let (mut shared, helpers): (Vec<TestEdit>, Vec<TestEdit>) =
        std::mem::take(&mut structure.helpers).into_iter().partition(is_shared);
    structure.helpers = helpers;
    if let Mixed::Tree { taken, .. } = with_old {
        shared.retain(|edit| taken.contains(&edit.file));
    }
    shared
}

impl Squarer<'_> {
    /// Looks at the corners of a change.
    pub(crate) fn look(&self, change: &Change<'_>) -> Result<SquareFacts, RunnerError> {
        let workspace = &self.runner.trees.workspace;
        let (base, tree) = (&change.base.tree, &change.tree.tree);
        let changes = self.runner.trees.changes(base, tree)?;
        let old = TreeFiles::new(workspace, base, &changes)?;
        let new = TreeFiles::new(workspace, tree, &changes)?;
        let seen = (change.baseline.execution.reached(), change.run.execution.reached());
        let sides = sides(&old, self.checks, self.config, seen).of_change(paths_of(&changes));
        let ignored = workspace.ignored()?;
        let referee = match self.unseen(&sides, &ignored, &old, tree)? {
            Some(reason) => Mixed::Refused(reason),
            None => mix(workspace, &sides, &changes, tree, base)?,
        };
        let proof = mix(workspace, &sides, &changes, base, tree)?;
        let edited = mix_shared(workspace, &sides, &changes, base, tree)?;
        let mut structure = self.structure(change, &sides, &changes, &old, &new, &edited)?;
        let with_old_shared = mix_shared(workspace, &sides, &changes, tree, base)?;
        let shared = shared_of(&mut structure, &sides, &with_old_shared);
        let changed = match &referee {
            Mixed::Tree { taken, .. } => side_changes(&sides, &changes, taken),
            Mixed::Refused(_) => Vec::new(),
        };
        let mut facts = SquareFacts {
            base: change.base.clone(),
            tree: change.tree.clone(),
            changed,
            referee: CornerSeen::Needless,
            proof: CornerSeen::Needless,
            edits: Vec::new(),
            intact: Vec::new(),
            helpers: Vec::new(),
            shared,
            with_old_shared: None,
            heirs: Vec::new(),
            change: match edited {
                Mixed::Tree { tree, .. } => tree.0,
                Mixed::Refused(_) => String::new(),
            },
            settings: self.settings(&old, &new),
            meaningful: meaning::is_meaningful(&sides, &changes, &old, &new),
            removes_code: meaning::removes_code(&sides, &changes),
            standing: Vec::new(),
            never_run: Vec::new(),
            beyond: self.beyond(change, &changes, (&old, &new)),
            unsure_before: self.unsure_before(change, &changes, &old, &new),
            silenced: silenced(&sides, &changes, &old, &new, is_linted(self.checks)),
            warnings: meaning::warnings(&sides, &changes, &old, &new),
            coverage: counting::facts(self.config, (&sides, &changes), (&old, &new), change.run),
            outside: None,
            declared: declared(Declarations::by(self.config, &workspace.state_path())),
            waived: self.waived.to_vec(),
        };
        facts.referee = self.referee(&referee, change)?;
        if !facts.shared.is_empty() {
            facts.with_old_shared = Some(self.referee(&with_old_shared, change)?);
        }
        self.ask_memory(&mut facts, change, &changes, &new)?;
        facts.proof = match ended_at_limit(&facts.referee) {
            // Nothing that it shows could make the change one that was seen to pass.
            Some(reason) => CornerSeen::Unseen { reason },
            None => self.proof(&proof, change, &structure)?,
        };
        facts.warnings.extend(outside::here::warnings(workspace.root(), &changes, &old, &new));
        if ended_at_limit(&facts.referee).is_none() {
            facts.outside = self.outside(change, &ignored)?;
        }
        facts.standing = self.standing(change, &facts.referee, &changes, &new);
        facts.never_run = self.never_run(change, &facts.referee, &sides, &changes, (&old, &new))?;
        facts.intact = self.not_run(&facts.referee, &structure, change, &old);
        if let Some(coverage) = &mut facts.coverage {
            self.try_mutants(coverage, change, &new)?;
            coverage.example = example::example(coverage, self.checks, &change.run.execution, &new);
        }
        (facts.edits, facts.helpers) = (structure.edits, structure.helpers);
        facts.heirs = structure.heirs;
        Ok(facts)
    }

    /// Code that asks the debug memory is judged without it.
    fn ask_memory(
        &self,
        facts: &mut SquareFacts,
        change: &Change<'_>,
        changes: &[FileChange],
        new: &TreeFiles<'_>,
    ) -> Result<(), RunnerError> {
        let location = &self.config.memory.location;
        if let Some(asked) = meaning::asks_memory(location, changes, new) {
            if let Some(reason) = self.only_with_memory(change, &asked)? {
                facts.referee = CornerSeen::Unseen { reason };
            }
            facts.warnings.push(asked);
        }
        Ok(())
    }

    /// Why the old tests cannot be put beside the new code, if so.
    fn unseen(
        &self,
        sides: &Sides<'_>,
        ignored: &[Ignored],
        old: &TreeFiles<'_>,
        tree: &TreeHash,
    ) -> Result<Option<String>, RunnerError> {
        let workspace = &self.runner.trees.workspace;
        let hidden = hidden_files::hidden_judge(workspace, ignored, sides, old).or_else(|| {
            let path = stranger(workspace.root(), &self.config.memory)?;
            Some(format!("{path} is in the folder of the debug memory, where code is not allowed"))
        });
        match hidden {
            Some(reason) => Ok(Some(reason)),
            None => hidden_files::other_text(workspace, tree, old),
        }
    }

    /// Red tests, then and now, that reach nothing of the change, as far as their source tells.
    fn beyond(
        &self,
        change: &Change<'_>,
        changes: &[FileChange],
        (old, new): (&TreeFiles<'_>, &TreeFiles<'_>),
    ) -> Vec<TestId> {
        let mut red = change.run.red.intersection(&change.baseline.red).peekable();
        if red.peek().is_none() {
            return Vec::new();
        }
        let changed: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
        let effects = Effects::new(old, new, &changed);
        let is_beyond = |test: &&TestId| {
            let check = self.checks.iter().find(|check| check.name == test.check);
            check.is_some_and(|check| {
                effects.on(check.framework, &check.settings.folder, &test.test) == Effect::No
            })
        };
        red.filter(is_beyond).cloned().collect()
    }

    /// Why it is not known what was red before; a loop that started its agent ran the old code before that.
    fn unsure_before(
        &self,
        change: &Change<'_>,
        changes: &[FileChange],
        old: &TreeFiles<'_>,
        new: &TreeFiles<'_>,
    ) -> Option<String> {
        let root = self.runner.trees.workspace.root();
        packages::unsure(root, changes, old, new, &change.baseline.execution)
    }

    /// Old tests that changed and that no corner ran, where the baseline did not come to its end.
    fn never_run(
        &self,
        change: &Change<'_>,
        referee: &CornerSeen,
        sides: &Sides,
        changes: &[FileChange],
        (old, new): (&TreeFiles<'_>, &TreeFiles<'_>),
    ) -> Result<Vec<TestEdit>, RunnerError> {
        let baseline = &change.baseline.execution;
        let cut = baseline.checks.iter().find(|run| run.required && !run.report.is_whole());
        let Some(check) = cut.map(|run| &run.check) else { return Ok(Vec::new()) };
        let checks = self.checks;
        let versions = Versions { checks, sides, changes, base: old, tests: new, tree: new };
        let mut corners = vec![baseline];
        if let CornerSeen::Ran { execution, .. } = referee {
            corners.push(&**execution);
        }
        Ok(structure::never_run(&versions, check, &corners))
    }

    /// Checks without a test in one of the old tests' corners, of which the run has tests in files that the change
    /// left alone.
    fn standing(
        &self,
        change: &Change<'_>,
        referee: &CornerSeen,
        changes: &[FileChange],
        new: &TreeFiles<'_>,
    ) -> Vec<String> {
        let referee = match referee {
            CornerSeen::Ran { execution, .. } => Some(&**execution),
            _ => None,
        };
        let corners = [Some(&change.baseline.execution), referee];
        let runs = corners.into_iter().flatten().flat_map(|execution| &execution.checks);
        let silent: Vec<&String> =
            runs.filter(|run| run.report.is_empty()).map(|run| &run.check).collect();
        if silent.is_empty() {
            return Vec::new();
        }
        let changed = changes.iter().map(|change| change.path.clone()).collect();
        let stand = in_other_files(self.checks, &change.run.execution, new, &changed);
        let mut checks: Vec<String> = stand.into_iter().map(|test| test.check).collect();
        checks.retain(|check| silent.contains(&check));
        checks.dedup();
        checks
    }

    /// What changed of the settings, but for a redgreen.toml that a person has trusted as it is now.
    fn settings(&self, old: &TreeFiles<'_>, new: &TreeFiles<'_>) -> Vec<SettingsChange> {
        let mut changes = settings(old, new);
        let workspace = &self.runner.trees.workspace;
        let is_trusted = |text: String| trust::are_rules_trusted(workspace, &text);
        changes.extend(self.list_changed(old, new));
        let is_known = || new.has(CONFIG_FILE) && new.read(CONFIG_FILE).is_some_and(is_trusted);
        if is_known() {
            changes.retain(|change| change.file != CONFIG_FILE);
        }
        changes
    }

    /// What only a person may put on the list of tests that are known to be red, where nobody did.
    fn list_changed(&self, old: &TreeFiles<'_>, new: &TreeFiles<'_>) -> Option<SettingsChange> {
        let read = |files: &TreeFiles<'_>| {
            files.has(KNOWN_FILE).then(|| files.read(KNOWN_FILE)).flatten().unwrap_or_default()
        };
        let (before, after) = (read(old), read(new));
        let (is_extended, problem) = known::is_extended(&before, &after);
        let vouched = || trust::is_list_trusted(&self.runner.trees.workspace, &after);
        (before != after && is_extended && !vouched()).then(|| SettingsChange {
            file: KNOWN_FILE.to_owned(),
            before: clean_block(before.as_bytes(), BLOCK_CHARS),
            after: clean_block(after.as_bytes(), BLOCK_CHARS),
            problem,
        })
    }

    fn structure(
        &self,
        change: &Change<'_>,
        sides: &Sides,
        changes: &[FileChange],
        old: &TreeFiles<'_>,
        new: &TreeFiles<'_>,
        edited: &Mixed,
    ) -> Result<Structure, RunnerError> {
        let workspace = &self.runner.trees.workspace;
        let tests = match edited {
            Mixed::Tree { tree, .. } => Some(TreeFiles::new(workspace, tree, changes)?),
            Mixed::Refused(_) => None,
        };
        let versions = Versions {
            checks: self.checks,
            sides,
            changes,
            base: old,
            tests: tests.as_ref().unwrap_or(new),
            tree: new,
        };
        Ok(structure(&versions, &change.baseline.execution, &change.run.execution))
    }

    /// New code, old tests; what was green and is not there goes once more.
    fn referee(&self, mixed: &Mixed, change: &Change<'_>) -> Result<CornerSeen, RunnerError> {
        let tree = match to_run(mixed) {
            Ok(tree) => tree,
            Err(seen) => return Ok(seen),
        };
        self.corner(Purpose::Referee, (tree, change), &[], |seen| {
            let red = |test: &TestId| outcome_is_red(seen, test);
            change.baseline.green.iter().filter(|test| red(test)).cloned().collect()
        })
    }

    /// Old code, new tests: only those that are new or changed can show anything.
    fn proof(
        &self,
        mixed: &Mixed,
        change: &Change<'_>,
        structure: &Structure,
    ) -> Result<CornerSeen, RunnerError> {
        let tree = match to_run(mixed) {
            Ok(tree) => tree,
            Err(seen) => return Ok(seen),
        };
        let only: Vec<TestId> = structure.fresh.iter().cloned().collect();
        if only.is_empty() && structure.helpers.is_empty() {
            return Ok(CornerSeen::Needless);
        }
        self.corner(Purpose::Proof, (tree, change), &only, |_| Vec::new())
    }

    /// Runs a corner, and what is to be seen twice once more.
    fn corner(
        &self,
        purpose: Purpose,
        (tree, change): (&TreeHash, &Change<'_>),
        only: &[TestId],
        again: impl Fn(&Execution) -> Vec<TestId>,
    ) -> Result<CornerSeen, RunnerError> {
        let trees = self.runner.trees;
        let (witness, events) = (self.runner.witness, self.runner.events);
        let recalled = match self.at_hand(change, tree)? {
            Some(execution) => Some(Execution { number: 0, purpose, ..execution.clone() }),
            None => witness.recall(events, (0, purpose), &corner::state_of(trees, tree)?, only),
        };
        if let Some(execution) = recalled.filter(|execution| again(execution).is_empty()) {
            return Ok(CornerSeen::Ran { execution: Box::new(execution), confirm: None });
        }
        let room = Room::new(self.runner.executor, &trees.workspace.state_dir()?)?;
        if let Some(reason) = self.unlike(&room, change)? {
            return Ok(CornerSeen::Unseen { reason });
        }
        let elsewhere = elsewhere(trees.workspace.root(), self.checks);
        let ground = match room.ground(trees, tree, change.there, &elsewhere)? {
            Ok(ground) => ground,
            Err(reason) => return Ok(CornerSeen::Unseen { reason }),
        };
        let execution = self.run_in(&ground, purpose, only)?;
        if let Some(reason) = not_started(&execution) {
            return Ok(CornerSeen::Unseen { reason });
        }
        let suspects = again(&execution);
        let confirm = match suspects.is_empty() {
            true => None,
            false => Some(Box::new(self.run_in(&ground, Purpose::Confirm, &suspects)?)),
        };
        Ok(CornerSeen::Ran { execution: Box::new(execution), confirm })
    }

    /// What was just seen of this tree: a change of the tests alone has no other old code. Not where it
    /// was seen in a copy, which is believed only if it is like the project.
    fn at_hand<'seen>(
        &self,
        change: &Change<'seen>,
        tree: &TreeHash,
    ) -> Result<Option<&'seen Execution>, RunnerError> {
        let Some(execution) = at_hand(change, tree) else { return Ok(None) };
        let in_the_work_tree = tree == change.there;
        let state_dir = self.runner.trees.workspace.state_dir()?;
        let believed =
            in_the_work_tree || !Room::new(self.runner.executor, &state_dir)?.has_copies();
        Ok(believed.then_some(execution))
    }

    fn run_in(
        &self,
        ground: &Ground,
        purpose: Purpose,
        only: &[TestId],
    ) -> Result<Execution, RunnerError> {
        self.runner.execute(&Order {
            number: 0,
            purpose,
            attempt: self.attempt,
            checks: self.checks,
            only,
            measure: &[],
            folder: self.folder.join(Uuid::now_v7().to_string()),
            earlier: Vec::new(),
            time_left: self.time_left,
            ground,
        })
    }

    /// Old tests that did not come out of the referee's run because something does not build with the new code or ended
    /// the run before them, or that are red there beside something that they stand on and that changed; as far as
    /// their own source is known to stand as it was.
    fn not_run(
        &self,
        seen: &CornerSeen,
        structure: &Structure,
        change: &Change<'_>,
        old: &TreeFiles<'_>,
    ) -> Vec<TestId> {
        let CornerSeen::Ran { execution, .. } = seen else { return Vec::new() };
        // An old test that ends the process takes those behind it along.
        let broken = |run: &&redgreen_model::execution::CheckRun| {
            matches!(run.ended, Ended::Exited { code } if code != 0)
                || matches!(run.ended, Ended::Signalled { .. })
        };
        let broken = execution.checks.iter().filter(broken);
        let broken: BTreeSet<&str> = broken.map(|run| run.check.as_str()).collect();
        let came = structure::ids_of(execution);
        let not_run = |test: &TestId| match came.contains(test) {
            true => !structure.helpers.is_empty() && outcome_is_red(execution, test),
            false => broken.contains(test.check.as_str()),
        };
        let baseline = &change.baseline.execution;
        let mut tests = structure::ids_of(baseline);
        tests.retain(not_run);
        if tests.is_empty() {
            return Vec::new();
        }
        let same = structure.edits.iter().filter(|edit| edit.same).map(|edit| edit.old.clone());
        let mut stand = in_other_files(self.checks, baseline, old, &structure.changed);
        stand.extend(same);
        tests.into_iter().filter(|test| stand.contains(test)).collect()
    }
}

/// Whether a check is judged by its exit code, as linters are.
fn is_linted(checks: &[PlannedCheck]) -> bool {
    checks.iter().any(|check| check.judge_by() == JudgeBy::ExitCode)
}

/// Why the text of the work tree, whose tree this is, is not what git keeps of it, in words.
pub fn other_text(
    workspace: &Workspace,
    tree: &TreeHash,
    base: &TreeHash,
) -> Result<Option<String>, RunnerError> {
    hidden_files::other_text(workspace, tree, &TreeFiles::new(workspace, base, &[])?)
}

/// Folders outside of the work tree that a build of the project writes into: what a corner builds
/// there must not be taken for what the work tree builds.
pub(crate) fn elsewhere(root: &Path, checks: &[PlannedCheck]) -> Vec<PathBuf> {
    let of_checks = checks.iter().filter_map(|check| check.settings.environment.get(CARGO_TARGET));
    let mut folders: Vec<PathBuf> = of_checks
        .map(PathBuf::from)
        .chain(std::env::var_os(CARGO_TARGET).map(PathBuf::from))
        .map(|folder| root.join(folder))
        .filter(|folder| folder.is_dir() && !folder.starts_with(root))
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

/// The tree of a corner, or what is seen of it without a run.
fn to_run(mixed: &Mixed) -> Result<&TreeHash, CornerSeen> {
    match mixed {
        Mixed::Refused(reason) => Err(CornerSeen::Unseen { reason: reason.clone() }),
        Mixed::Tree { taken, .. } if taken.is_empty() => Err(CornerSeen::Same),
        Mixed::Tree { tree, .. } => Ok(tree),
    }
}

/// Why another corner would run for nothing, where this one was ended at a limit.
fn ended_at_limit(seen: &CornerSeen) -> Option<String> {
    let CornerSeen::Ran { execution, .. } = seen else { return None };
    let mut required = execution.checks.iter().filter(|run| run.required);
    let limit = required.find_map(|run| run.ended.limit())?;
    Some(format!("not run, since {} was ended at its {limit}", Corner::Referee))
}

fn outcome_is_red(execution: &Execution, test: &TestId) -> bool {
    let run = execution.checks.iter().find(|run| run.check == test.check);
    run.and_then(|run| run.report.tests.iter().find(|case| case.id == test.test))
        .is_some_and(|case| case.outcome.is_red())
}

/// The execution of this tree among those that were just made.
fn at_hand<'square>(change: &Change<'square>, tree: &TreeHash) -> Option<&'square Execution> {
    let seen = |execution: &&&Execution| {
        execution.before.tree == *tree
            && !execution.is_disturbed()
            && not_started(execution).is_none()
    };
    change.at_hand.iter().find(seen).copied()
}

/// Why a corner could not be run at all.
pub(crate) fn not_started(execution: &Execution) -> Option<String> {
    use redgreen_model::execution::Ended;
    execution.checks.iter().find_map(|run| match &run.ended {
        Ended::NotStarted { reason } => Some(reason.clone()),
        Ended::Stopped | Ended::Lost => Some(run.ended.to_string()),
        _ => None,
    })
}

/// What changed of redgreen's own configuration, and of what decides whether agents run its hooks.
fn settings(old: &TreeFiles<'_>, new: &TreeFiles<'_>) -> Vec<SettingsChange> {
    let raw =
        |files: &TreeFiles<'_>, path: &str| files.has(path).then(|| files.read(path)).flatten();
    let change = |path: &str, before: &str, after: &str, problem| SettingsChange {
        file: path.to_owned(),
        before: clean_block(before.as_bytes(), BLOCK_CHARS),
        after: clean_block(after.as_bytes(), BLOCK_CHARS),
        problem,
    };
    let [before, after] = [old, new].map(|files| raw(files, CONFIG_FILE).unwrap_or_default());
    let mut changes = Vec::new();
    if before != after {
        changes.push(change(CONFIG_FILE, &before, &after, problem_in(&after)));
    }
    for agent in AGENTS {
        for path in project_files(agent) {
            let facts = |files| facts_in_project(agent, path, raw(files, path).as_deref());
            let (before, after) = (facts(old), facts(new));
            if before.loosened(&after).is_some() {
                let problem = after.unreadable().map(|problem| clean_line(problem, LINE_CHARS));
                changes.push(change(path, &before.to_string(), &after.to_string(), problem));
            }
        }
    }
    changes
}

/// What is wrong with the text of a configuration. What the change is judged by is the one before it,
/// so nobody else would say.
fn problem_in(text: &str) -> Option<String> {
    let errors = Config::parse_knowing(text, &redgreen_frameworks::frameworks()).err()?;
    let error = errors.first()?;
    let said = format!("{CONFIG_FILE}:{}:{}: {}", error.line(), error.column(), error.message);
    Some(clean_line(&said, LINE_CHARS))
}

/// Which change of each of these tests there is between a tree and the work tree: what a declaration
/// of it holds for.
pub fn changes_of(
    workspace: &Workspace,
    (config, checks): (&Config, &[PlannedCheck]),
    (base, record): (&TreeHash, Option<&SessionRecord>),
    tests: &[String],
) -> Result<Vec<TestChange>, RunnerError> {
    let tree = workspace.tree()?;
    let changes = workspace.changes(base, &tree, &redgreen_frameworks::file_role)?;
    let old = TreeFiles::new(workspace, base, &changes)?;
    let sides = sides(&old, checks, config, reached(record)).of_change(paths_of(&changes));
    let (now, whole) = match mix_shared(workspace, &sides, &changes, base, &tree)? {
        Mixed::Tree { tree, .. } => (tree.clone(), tree.0),
        Mixed::Refused(_) => (tree.clone(), String::new()),
    };
    let new = TreeFiles::new(workspace, &now, &changes)?;
    let versions =
        Versions { checks, sides: &sides, changes: &changes, base: &old, tests: &new, tree: &new };
    let known = structure::changes_of(&versions, tests);
    let here = TreeFiles::new(workspace, &tree, &changes)?;
    let silenced = silenced(&sides, &changes, &old, &here, is_linted(checks));
    let known = known.into_iter().zip(tests).map(|(known, name)| {
        let silenced = silenced.iter().find(|silenced| silenced.is_named(name));
        known.or_else(|| silenced.map(|silenced| silenced.change.clone()))
    });
    let any = whole != base.0;
    let change = |known: Option<String>| TestChange {
        any: any || known.is_some(),
        is_known: known.is_some(),
        change: known.unwrap_or_else(|| whole.clone()),
    };
    Ok(known.map(change).collect())
}

/// What changed in code at a place, `src/cart.py:12-14` or `src/cart.py`, each with its name and which change of it
/// there is.
pub fn changed_code(
    workspace: &Workspace,
    (config, checks): (&Config, &[PlannedCheck]),
    (base, record): (&TreeHash, Option<&SessionRecord>),
    place: &str,
) -> Result<Vec<ChangedFunction>, RunnerError> {
    let tree = workspace.tree()?;
    let changes = workspace.changes(base, &tree, &redgreen_frameworks::file_role)?;
    let old = TreeFiles::new(workspace, base, &changes)?;
    let new = TreeFiles::new(workspace, &tree, &changes)?;
    let sides = sides(&old, checks, config, reached(record)).of_change(paths_of(&changes));
    Ok(counting::at_place(place, config, (&sides, &changes), (&old, &new)))
}

/// What changed in code since a tree, and which of it ran by reports that other tools wrote.
pub fn reported_coverage(
    workspace: &Workspace,
    (config, checks): (&Config, &[PlannedCheck]),
    (base, record): (&TreeHash, Option<&SessionRecord>),
    reports: &[PathBuf],
) -> Result<CoverageFacts, RunnerError> {
    let tree = workspace.tree()?;
    let changes = workspace.changes(base, &tree, &redgreen_frameworks::file_role)?;
    let old = TreeFiles::new(workspace, base, &changes)?;
    let new = TreeFiles::new(workspace, &tree, &changes)?;
    let sides = sides(&old, checks, config, reached(record)).of_change(paths_of(&changes));
    counting::reported(workspace, config, (&sides, &changes), (&old, &new), reports)
}

/// Which change of a test there is.
pub struct TestChange {
    /// Whether the test was found in the source.
    pub is_known: bool,
    /// Whether anything at all has changed that judges.
    pub any: bool,
    /// The change; of the whole tests' side for one that was not.
    pub change: String,
}

/// Whether nothing that runs differs between two trees but comments and layout.
pub(crate) fn says_the_same(
    trees: &Trees,
    (checks, config): (&[PlannedCheck], &Config),
    before: &TreeHash,
    now: &TreeHash,
) -> Result<bool, RunnerError> {
    let changes = trees.changes(before, now)?;
    let old = TreeFiles::new(&trees.workspace, before, &changes)?;
    let new = TreeFiles::new(&trees.workspace, now, &changes)?;
    let none = (Reached::default(), Reached::default());
    let sides = sides(&old, checks, config, none).of_change(paths_of(&changes));
    let is_read =
        changes.iter().any(|change| change.path == CONFIG_FILE || change.path == KNOWN_FILE);
    Ok(!is_read && !meaning::is_meaningful(&sides, &changes, &old, &new))
}

/// The identity of the code in the work tree.
pub fn code_now(workspace: Workspace, config: &Config) -> Result<CodeHash, RunnerError> {
    Ok(Trees::new(workspace, config)?.now()?.code)
}
