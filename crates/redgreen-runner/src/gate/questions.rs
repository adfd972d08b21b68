//! What can be said of a tree without running anything: the questions of the gate, in their order, for whoever asks.

use redgreen_engine::input::Weight;
use redgreen_evidence::{Bundle, PublicKey};
use redgreen_model::evidence::{Rules, TestsResult};
use redgreen_model::gate::Answer;
use redgreen_model::tree::{FileChange, TreeHash};
use redgreen_workspace::Workspace;

use super::{record, trees};
use crate::RunnerError;
use crate::evidence::{KeptEvidence, execution_rules, steered_apart, steering, verdict_rules};
use crate::plan::Plan;
use crate::square::other_text;

/// The most tests that are named in a line.
const NAMED_MAX: usize = 5;

/// A tree that was seen to pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenPass {
    /// When, in words.
    pub why: String,
    /// What a person should know of it.
    pub remarks: Vec<String>,
}

/// May this tree be returned, as a change of that one?
pub struct Question<'asked> {
    /// The work tree.
    pub workspace: &'asked Workspace,
    /// By what it is judged.
    pub plan: &'asked Plan,
    /// The tree.
    pub tree: &'asked TreeHash,
    /// The tree before the change.
    pub base: &'asked TreeHash,
}

/// Evidence that was made somewhere else.
pub enum Elsewhere {
    /// There is none.
    None,
    /// A file of it, and the key that it must be signed with.
    Exported {
        /// What the evidence is called.
        name: String,
        /// The evidence, as it is exported.
        evidence: Vec<u8>,
        /// The key.
        key: Box<PublicKey>,
        /// Whether the tree to judge is one that git has, and not what lies in the work tree.
        is_kept: bool,
    },
}

/// What was found without a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Signed evidence of exactly this.
    Seen(SeenPass),
    /// Evidence from elsewhere.
    SeenElsewhere(String),
    /// Nothing that runs was changed: documents, or what tools leave.
    Idle(Weight),
    /// Somebody's word that it need not be run.
    Skipped(String),
}

/// What is known, and what was there and is not believed.
pub struct Lookup {
    /// What was found.
    pub found: Option<Found>,
    /// What is not believed, in words.
    pub refused: Vec<String>,
}

impl Found {
    /// What the gate says of it.
    pub fn answer(&self) -> Answer {
        match self {
            Self::Seen(SeenPass { why, remarks }) => {
                Answer::Allow { why: why.clone(), remarks: remarks.clone() }
            }
            Self::SeenElsewhere(why) => Answer::allow(why),
            Self::Idle(_) => Answer::allow("nothing that runs was changed"),
            Self::Skipped(why) => {
                Answer::Allow { why: "let go without a run".to_owned(), remarks: vec![why.clone()] }
            }
        }
    }
}

impl Question<'_> {
    /// What is known of the tree.
    pub fn lookup(&self, elsewhere: &Elsewhere) -> Result<Lookup, RunnerError> {
        let mut refused = Vec::new();
        let found = match self.verified(&mut refused)? {
            Some(seen) => Some(Found::Seen(seen)),
            None => match self.seen_elsewhere(elsewhere, &mut refused)? {
                Some(why) => Some(Found::SeenElsewhere(why)),
                None => match self.idle()? {
                    Some(weight) => Some(Found::Idle(weight)),
                    None => self.skipped()?.map(Found::Skipped),
                },
            },
        };
        let (tree, base) = (self.tree.short(), self.base.short());
        tracing::info!(tree, base, ?found, ?refused, "known without a run");
        Ok(Lookup { found, refused })
    }

    /// Whether there is signed evidence of exactly this, and git keeps the text that is there.
    fn verified(&self, refused: &mut Vec<String>) -> Result<Option<SeenPass>, RunnerError> {
        let Self { workspace, plan, tree, base } = *self;
        let evidence = KeptEvidence::of(workspace.root());
        let mut seen = verified_by(&evidence, &self.rules(), tree, base, refused);
        if seen.is_none() && tree == base {
            let executed = execution_rules(&plan.checks, &plan.config);
            seen = evidence.ran_green(tree, &executed).map(|at| SeenPass {
                why: format!("nothing was changed, and it was seen to pass at {at}"),
                remarks: Vec::new(),
            });
        }
        if seen.is_some()
            && let Some(problem) = other_text(workspace, tree, base)?
        {
            refused.push(problem);
            return Ok(None);
        }
        Ok(seen)
    }

    /// Why evidence that came from elsewhere says that the tree passed. Whoever signed it saw the text that git
    /// keeps, and not the one that lies here.
    fn seen_elsewhere(
        &self,
        elsewhere: &Elsewhere,
        refused: &mut Vec<String>,
    ) -> Result<Option<String>, RunnerError> {
        let Elsewhere::Exported { name, evidence, key, is_kept } = elsewhere else {
            return Ok(None);
        };
        if !is_kept && other_text(self.workspace, self.tree, self.base)?.is_some() {
            return Ok(None);
        }
        let rules = self.rules();
        let (bundles, mut wrong) = Bundle::read_all(evidence, key);
        let here = steering();
        for bundle in &bundles {
            let apart = steered_apart(&bundle.evidence.environment.steering, &here).join(", ");
            let compared = bundle.evidence.base.as_ref().map(|base| &base.tree);
            wrong.push(match bundle {
                bundle if bundle.tree.tree != *self.tree => "it is about another tree".to_owned(),
                bundle if bundle.evidence.rules != rules => {
                    "it was judged by other rules".to_owned()
                }
                _ if compared != Some(self.base) => "it compares with another tree".to_owned(),
                bundle if !bundle.evidence.result.is_pass() => "it did not pass".to_owned(),
                bundle if bundle.evidence.not_in_a_fresh_checkout().is_some() => {
                    bundle.evidence.not_in_a_fresh_checkout().unwrap_or_default()
                }
                _ if !apart.is_empty() => {
                    format!("it was made with other values of these variables: {apart}")
                }
                _ => return Ok(Some(format!("seen to pass at {}, signed", bundle.evidence.at))),
            });
        }
        refused.push(format!("{name}: not believed: {}", wrong.join("; ")));
        Ok(None)
    }

    /// What the change weighs, where something changed, and nothing that runs or is read by what runs.
    pub(super) fn idle(&self) -> Result<Option<Weight>, RunnerError> {
        let trees = trees(self.workspace, self.plan)?;
        let changes = trees.changes(self.base, self.tree)?;
        let weight = trees.weight(&changes, self.base, self.tree)?;
        if weight == Weight::Documents && self.is_read(&changes) {
            return Ok(None);
        }
        Ok((!changes.is_empty() && weight != Weight::Runs).then_some(weight))
    }

    /// Whether a file of the project was seen to open one of these, by whatever name, when the base was run.
    fn is_read(&self, changes: &[FileChange]) -> bool {
        let executed = execution_rules(&self.plan.checks, &self.plan.config);
        let reached = KeptEvidence::of(self.workspace.root()).reached(self.base, &executed);
        changes.iter().any(|change| reached.is_opened(&change.path))
    }

    /// Somebody's word that this tree need not be run, in words.
    fn skipped(&self) -> Result<Option<String>, RunnerError> {
        let code = trees(self.workspace, self.plan)?.code_of(self.tree)?;
        let may = self.plan.config.gate.agent_may_skip;
        let skip = record::skipped(self.workspace.root(), &code, may);
        Ok(skip.map(|skip| format!("skipped by {}: {}", skip.by, skip.reason)))
    }

    /// Nothing was edited since the session began: what is said of it, and of what was red when it last ran.
    pub(super) fn nothing_edited(&self) -> String {
        let executed = execution_rules(&self.plan.checks, &self.plan.config);
        let red = KeptEvidence::of(self.workspace.root()).last_red(self.tree, &executed);
        let mut words =
            "redgreen: nothing was edited in this session, so nothing was run".to_owned();
        if !red.is_empty() {
            let shown: Vec<&str> = red.iter().take(NAMED_MAX).map(String::as_str).collect();
            let more = red.len().saturating_sub(shown.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            words.push_str(&format!(
                "; these tests were red when this tree ran last: {}{more}",
                shown.join(", ")
            ));
        }
        words
    }

    /// Whether the tree was seen to pass, whatever it was compared with.
    pub fn passed_alone(&self) -> bool {
        let evidence = KeptEvidence::of(self.workspace.root());
        evidence.passed_alone(self.tree, &self.rules()).found.is_some()
    }

    fn rules(&self) -> Rules {
        verdict_rules(&self.plan.checks, &self.plan.config, self.plan.code_type)
    }
}

pub(super) fn verified_by(
    evidence: &KeptEvidence,
    rules: &Rules,
    tree: &TreeHash,
    base: &TreeHash,
    refused: &mut Vec<String>,
) -> Option<SeenPass> {
    let looked = if tree == base {
        evidence.passed_alone(tree, rules) // Where nothing changed there is nothing to compare.
    } else {
        evidence.passed_tree(tree, rules, Some(base))
    };
    refused.extend(looked.refused);
    let verdict = looked.found.map(|kept| kept.verdict).filter(|verdict| !verdict.unlooked)?;
    let warned = verdict.result == TestsResult::Warned;
    let remark =
        "something about it was declared, waived or doubtful; see `redgreen evidence show`";
    Some(SeenPass {
        why: format!("seen to pass at {}", verdict.at),
        remarks: warned.then(|| remark.to_owned()).into_iter().collect(),
    })
}
