//! Who signs what redgreen saw while it saw it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use redgreen_engine::evidence::{Circumstances, PassedTree, statements};
use redgreen_engine::judge::judge;
use redgreen_evidence::{Key, Seal, Store};
use redgreen_model::config::Config;
use redgreen_model::event::Event;
use redgreen_model::evidence::{EVIDENCE_VERSION, JudgedBy, Rules, SeenExecution};
use redgreen_model::execution::{Ended, Execution, Purpose, TestId};
use redgreen_model::tree::TreeState;
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::CodeType;
use redgreen_workspace::Workspace;

use super::{execution_rules, judged_by, key_folder, steering, verdict_rules};
use crate::RunnerError;
use crate::clock;
use crate::events::Events;
use crate::plan::PlannedCheck;

/// How a tree is judged, and whether what was seen before counts.
pub(crate) struct Ways<'ways> {
    pub(crate) checks: &'ways [PlannedCheck],
    pub(crate) config: &'ways Config,
    pub(crate) code_type: Option<CodeType>,
    /// Nothing that was seen before is used again.
    pub(crate) fresh: bool,
}

/// Signs what is seen in a work tree.
pub(crate) struct Witness {
    store: Store,
    key: Option<Key>,
    root: PathBuf,
    executed_by: Rules,
    judged_by: Rules,
    /// The rules of every kind of change.
    all_rules: BTreeSet<Rules>,
    fresh: bool,
}

impl Witness {
    /// A witness for a work tree. One without a key says so, and signs and remembers nothing.
    pub(crate) fn new(workspace: &Workspace, ways: &Ways<'_>, events: &Events<'_>) -> Self {
        let Ways { checks, config, code_type, fresh } = *ways;
        let key = key_folder(workspace.root())
            .and_then(|folder| Key::open_or_make(&folder).map_err(|error| error.to_string()));
        let key = match key {
            Ok(key) => Some(key),
            Err(problem) => {
                events.say(&Event::Notice { text: format!("no evidence is signed: {problem}") });
                None
            }
        };
        let kinds = CodeType::ALL.iter().map(|kind| Some(*kind)).chain([None]);
        Self {
            store: Store::new(&workspace.state_path()),
            key,
            root: workspace.root().to_owned(),
            executed_by: execution_rules(checks, config),
            judged_by: verdict_rules(checks, config, code_type),
            all_rules: kinds.map(|kind| verdict_rules(checks, config, kind)).collect(),
            fresh,
        }
    }

    /// Records an execution. One that is red takes back what was said of its tree. A first stage
    /// can do that, and nothing else: it is no evidence of anything, and is not kept.
    pub(crate) fn saw(&self, events: &Events<'_>, execution: &Execution, only: &[TestId]) {
        let Some(key) = &self.key else { return };
        let verdict = judge(execution, &BTreeSet::new()).verdict;
        let speaks = match execution.purpose {
            Purpose::Judge => matches!(verdict, Verdict::Failed | Verdict::Inconclusive),
            Purpose::First => verdict == Verdict::Failed,
            _ => false,
        };
        if speaks {
            let by_the_same = |by: &JudgedBy| self.all_rules.contains(&by.rules);
            self.store.withdraw(&key.public(), &execution.before.code, &by_the_same);
        }
        let reused = execution.checks.iter().any(|run| run.reused_from.is_some());
        if reused || matches!(execution.purpose, Purpose::First | Purpose::Clean | Purpose::Mutant)
        {
            // Not all of it was seen now, or it is of a tree that nobody will have.
            return;
        }
        let mut execution = execution.clone();
        for run in &mut execution.checks {
            // The log has it; nobody comes back for it.
            run.output_tail.clear();
        }
        let seen = SeenExecution {
            version: EVIDENCE_VERSION,
            by: self.by(key, &execution.before, &self.executed_by),
            only: only.to_vec(),
            verdict,
            at: clock::now(),
            execution,
        };
        if let Err(error) = self.store.keep_execution(key, &seen) {
            events.say(&Event::Notice { text: format!("this execution is not recorded: {error}") });
        }
    }

    /// An execution of this tree that was seen before, as if it had been made now: one that passed, or, for
    /// a baseline, one with red tests, which are then run once more like after any other.
    pub(crate) fn recall(
        &self,
        events: &Events<'_>,
        (number, purpose): (u64, Purpose),
        tree: &TreeState,
        only: &[TestId],
    ) -> Option<Execution> {
        let key = self.key.as_ref().filter(|_| !self.fresh)?;
        let by = self.by(key, tree, &self.executed_by);
        let looked = self.store.seen(&key.public(), (&tree.tree, only), &by);
        for text in looked.refused {
            events.say(&Event::Notice { text });
        }
        let seen = looked.found?;
        // The word of the record is not enough: it must be so by the rules of now.
        let outcome = match judge(&seen.execution, &BTreeSet::new()).verdict {
            Verdict::Passed => "seen to pass before",
            Verdict::Failed if purpose == Purpose::Baseline && tests_alone(&seen.execution) => {
                "seen to fail before"
            }
            _ => return None,
        };
        let what = match purpose {
            Purpose::Baseline => "the baseline",
            Purpose::Referee => "the old tests on the new code",
            Purpose::Proof => "the new tests on the old code",
            Purpose::Clean => "the tree in a fresh checkout",
            Purpose::Judge | Purpose::First | Purpose::Confirm | Purpose::Mutant => "this tree",
        };
        let text = format!("{what}: {outcome}, at {}", seen.at);
        events.say(&Event::Notice { text });
        let (before, after) = (tree.clone(), tree.clone());
        Some(Execution { number, purpose, before, after, wrote: Vec::new(), ..seen.execution })
    }

    /// One that keeps nothing.
    pub(crate) fn silent(self) -> Self {
        Self { key: None, ..self }
    }

    /// By what a tree is judged now.
    fn by(&self, key: &Key, tree: &TreeState, rules: &Rules) -> JudgedBy {
        judged_by(key, &self.root, &tree.tree, rules)
    }

    /// Whether there is a key.
    pub(crate) fn can_sign(&self) -> bool {
        self.key.is_some()
    }

    /// Seals what will be written, where there is a key. Somebody may come back to what `lasts`.
    pub(crate) fn seal(&self, seal: &Seal, path: &Path, lasts: bool) -> Result<(), RunnerError> {
        let Some(key) = &self.key else { return Ok(()) };
        let written = if lasts { seal.write(key, path) } else { seal.write_for_now(key, path) };
        written.map_err(RunnerError::file("write", path))
    }

    /// What is known to be as redgreen wrote it.
    pub(crate) fn sealed(&self, path: &Path) -> Option<Seal> {
        Seal::read(&self.key.as_ref()?.public(), path)
    }

    /// Signs that a tree passed.
    pub(crate) fn attest(&self, events: &Events<'_>, tree: &TreeState, passed: &PassedTree<'_>) {
        let Some(key) = &self.key else { return };
        let circumstances = Circumstances {
            by: self.by(key, tree, &self.judged_by),
            at: clock::now(),
            os: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            steering: steering(),
        };
        let (result, evidence) = statements(passed, circumstances);
        if let Err(error) = self.store.keep(key, tree, result, evidence) {
            let text = format!("the evidence of this verdict is not kept: {error}");
            events.say(&Event::Notice { text });
        }
    }
}

/// Whether all that is red in an execution is tests, which can be asked for once more by their names.
fn tests_alone(execution: &Execution) -> bool {
    execution.checks.iter().all(|run| {
        let Ended::Exited { code } = run.ended else { return false };
        let red = run.report.tests.iter().any(|test| test.outcome.is_red());
        run.report.complete && run.report.errors.is_empty() && (red || code == 0)
    })
}
