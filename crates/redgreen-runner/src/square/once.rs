//! The square of any change, outside of a loop: the work tree, or another tree, against a revision.

use std::path::PathBuf;

use redgreen_engine::classes::{History, Judged, settle, suspects};
use redgreen_engine::evidence::{Compared, PassedTree};
use redgreen_engine::judge::judge;
use redgreen_engine::square::{Context, read, weigh};
use redgreen_model::config::Config;
use redgreen_model::event::Event;
use redgreen_model::execution::{Execution, Purpose, TestId};
use redgreen_model::square::{Square, SquareFacts};
use redgreen_model::tree::{TreeHash, TreeState};
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::CodeType;
use redgreen_workspace::Workspace;

use super::corner::{self, Room};
use super::{Change, Squarer, elsewhere, waived};
use crate::RunnerError;
use crate::checks::{CheckRunner, Order};
use crate::events::Events;
use crate::evidence::{Ways, Witness};
use crate::ground::Ground;
use crate::layout::{fresh_folder, write_whole};
use crate::plan::PlannedCheck;
use crate::session::Tools;
use crate::trees::Trees;

/// What to compare, and how.
pub struct Request<'request> {
    /// The tree to compare with.
    pub base: TreeHash,
    /// The tree to judge; none for what is in the work tree.
    pub tree: Option<TreeHash>,
    /// The rules: of the tree to compare with, where it has some.
    pub config: &'request Config,
    /// The checks.
    pub checks: &'request [PlannedCheck],
    /// The kind of change.
    pub code_type: Option<CodeType>,
    /// Whether nothing that was seen before is used again.
    pub fresh: bool,
    /// A name for the record.
    pub id: &'request str,
}

/// What came of it.
pub struct Squared {
    /// The run, as the square leaves it.
    pub judged: Judged,
    /// What the square shows.
    pub square: Square,
    /// What was seen.
    pub facts: SquareFacts,
    /// Old code, old tests.
    pub baseline: Judged,
    /// The record, on disk.
    pub record: PathBuf,
}

/// Runs the corners of the change from a revision to the tree that is judged.
pub fn execute(
    workspace: Workspace,
    request: &Request<'_>,
    tools: &Tools<'_>,
) -> Result<Squared, RunnerError> {
    crate::memory::require_own_folder(workspace.root(), &request.config.memory)?;
    let _lock = workspace.lock(&format!("redgreen square, run {}", request.id))?;
    let folder = workspace.state_dir()?.join("runs").join(request.id);
    fresh_folder(&folder)?;
    let events = Events::open(tools.display, &folder.join("events.jsonl"))?;
    let executor = tools.after_predecessor(&workspace, request.config, &events)?;
    let trees = Trees::new(workspace, request.config)?;
    let ways = Ways {
        checks: request.checks,
        config: request.config,
        code_type: request.code_type,
        fresh: request.fresh,
    };
    let witness = Witness::new(&trees.workspace, &ways, &events);
    let runner = CheckRunner {
        trees: &trees,
        executor: &executor,
        stop: tools.stop,
        events: &events,
        limits: &request.config.limits,
        program: &tools.program,
        witness: &witness,
    };
    let base = corner::state_of(&trees, &request.base)?;
    let there = trees.now()?;
    let steps =
        Steps { runner: &runner, checks: request.checks, folder: folder.clone(), there: &there };
    let tree = match &request.tree {
        Some(tree) => corner::state_of(&trees, tree)?,
        None => there.clone(),
    };
    let run = steps.run(&tree)?;
    let baseline = steps.baseline(&base, &tree, &run)?;
    let squarer = Squarer {
        runner: &runner,
        checks: request.checks,
        config: request.config,
        folder: folder.clone(),
        attempt: 0,
        time_left: None,
        waived: &waived(),
        by_person: true,
    };
    let change = Change {
        base: &base,
        tree: &tree,
        there: &there.tree,
        baseline: &baseline,
        run: &run,
        at_hand: &[&run.execution, &baseline.execution],
    };
    let facts = squarer.look(&change)?;
    let square = read(&Context {
        baseline: &baseline,
        run: &run,
        facts: &facts,
        code_type: request.code_type,
        task: false,
    });
    let mut judged = run;
    weigh(&mut judged, &square);
    events.say(&Event::Squared {
        attempt: 0,
        verdict: judged.verdict,
        square: Box::new(square.clone()),
    });
    if judged.verdict == Verdict::Passed {
        let compared = Compared { baseline: &baseline, facts: &facts, square: &square };
        let (code_type, compared) = (request.code_type, Some(compared));
        let passed = PassedTree { run: &judged, compared, code_type, session: None };
        witness.attest(&events, judged.ran_on(), &passed);
    }
    let record = folder.join("square.json");
    let text = serde_json::to_vec_pretty(&facts)
        .map_err(|error| RunnerError::Session(format!("cannot write the record: {error}")))?;
    write_whole(&record, &text)?;
    Ok(Squared { judged, square, facts, baseline, record })
}

struct Steps<'steps> {
    runner: &'steps CheckRunner<'steps>,
    checks: &'steps [PlannedCheck],
    folder: PathBuf,
    /// What is in the work tree.
    there: &'steps TreeState,
}

impl Steps<'_> {
    /// New code, new tests.
    fn run(&self, tree: &TreeState) -> Result<Judged, RunnerError> {
        if tree.tree == self.there.tree {
            return self.settled(&Ground::WorkTree, Purpose::Judge, "run", None);
        }
        self.aside(tree, Purpose::Judge, "run", None)
    }

    /// A tree that is not the one in the work tree.
    fn aside(
        &self,
        tree: &TreeState,
        purpose: Purpose,
        name: &str,
        known: Option<Execution>,
    ) -> Result<Judged, RunnerError> {
        let trees = self.runner.trees;
        let room = Room::new(self.runner.executor, &trees.workspace.state_dir()?)?;
        let elsewhere = elsewhere(trees.workspace.root(), self.checks);
        let ground = room.ground(trees, &tree.tree, &self.there.tree, &elsewhere)?;
        let ground = ground.map_err(|reason| {
            RunnerError::Session(format!("tree {} cannot be run: {reason}", tree.tree.short()))
        })?;
        self.settled(&ground, purpose, name, known)
    }

    fn execute(
        &self,
        ground: &Ground,
        purpose: Purpose,
        only: &[TestId],
        name: &str,
    ) -> Result<Execution, RunnerError> {
        self.runner.execute(&Order {
            number: 0,
            purpose,
            attempt: 0,
            checks: self.checks,
            only,
            folder: self.folder.join(name),
            earlier: Vec::new(),
            time_left: None,
            ground,
        })
    }

    /// A full execution, unless there is one, with the red ones once more.
    fn settled(
        &self,
        ground: &Ground,
        purpose: Purpose,
        name: &str,
        known: Option<Execution>,
    ) -> Result<Judged, RunnerError> {
        let history = History::default();
        let execution = known.map_or_else(|| self.execute(ground, purpose, &[], name), Ok)?;
        let judgement = judge(&execution, &history.ran_before);
        let again = suspects(&judgement, &history);
        let confirm = match again.is_empty() {
            true => None,
            false => {
                Some(self.execute(ground, Purpose::Confirm, &again, &format!("{name}-again"))?)
            }
        };
        Ok(settle(execution, judgement, confirm, &history))
    }

    /// Old code, old tests; the run itself where nothing differs.
    fn baseline(
        &self,
        base: &TreeState,
        tree: &TreeState,
        run: &Judged,
    ) -> Result<Judged, RunnerError> {
        if base.tree == tree.tree {
            return Ok(run.clone());
        }
        let runner = self.runner;
        let recalled = runner.witness.recall(runner.events, (0, Purpose::Baseline), base, &[]);
        if let Some(execution) = &recalled {
            let history = History::default();
            let judgement = judge(execution, &history.ran_before);
            if suspects(&judgement, &history).is_empty() {
                return Ok(settle(execution.clone(), judgement, None, &history));
            }
        }
        self.aside(base, Purpose::Baseline, "baseline", recalled)
    }
}
