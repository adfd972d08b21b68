//! An answer at a glance: the work tree looks exactly as it did when it was found to be verified, so all
//! that is left to look for is the signed evidence. No git, no plan, one `lstat` for each file.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_files::write_cache;
use redgreen_model::evidence::Rules;
use redgreen_model::tree::TreeHash;
use redgreen_workspace::{Glance, Workspace, likely_root};
use serde::{Deserialize, Serialize};

use super::record::{Guest, Record, began_at, folder_outside};
use super::{SeenPass, base, verified_by};
use crate::evidence::{KeptEvidence, REDGREEN, verdict_rules};
use crate::plan::Plan;

/// The version of what is kept.
const VERSION: u32 = 2;
/// The file's name, beside the records of the work tree.
const FILE: &str = "glance";
/// The most bases that are remembered for one tree: one for each session, and those of people.
const ANSWERS_MAX: usize = 32;

/// Against what a tree is to be verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Against {
    /// What people had: a person asks, and names nothing.
    Head,
    /// The same, for a session that was let go with this tree.
    Tree(TreeHash),
}

/// What is known while the work tree looks like this.
#[derive(Serialize, Deserialize)]
struct KeptGlance {
    version: u32,
    root: PathBuf,
    redgreen: String,
    tree: TreeHash,
    answers: Vec<Verification>,
}

/// By which rules, and against what, the tree was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Verification {
    against: Against,
    base: TreeHash,
    rules: Rules,
}

/// Whether the work tree of a folder is verified against its HEAD, as far as a glance can tell.
pub fn verified_at_a_glance(start: &Path) -> Option<(TreeHash, SeenPass)> {
    let start = start.canonicalize().ok()?;
    look(likely_root(&start)?)?.verified(&Against::Head)
}

/// Whether an agent's session has nothing to do here: the tree is the very one that it was last let go
/// with, and is verified. Then the agent rests.
pub fn nothing_to_do(start: &Path, guest: &Guest) -> bool {
    settled(start, guest).is_some()
}

fn settled(start: &Path, guest: &Guest) -> Option<()> {
    let start = start.canonicalize().ok()?;
    let root = likely_root(&start)?;
    began_at(guest).is_none_or(|began| began == root).then_some(())?;
    let record = Record::open(root, guest).ok()?;
    let tree = record.settled_at()?;
    let known = look(root).filter(|known| known.tree == *tree)?;
    known.verified(&Against::Tree(tree.clone()))?;
    base::rests_at_a_glance(root, guest, tree).ok()
}

impl KeptGlance {
    fn verified(&self, against: &Against) -> Option<(TreeHash, SeenPass)> {
        let answer = self.answers.iter().find(|answer| answer.against == *against)?;
        base::last_known(&self.root).is_none_or(|base| base == answer.base).then_some(())?;
        let evidence = KeptEvidence::of(&self.root);
        let mut refused = Vec::new();
        let seen = verified_by(&evidence, &answer.rules, &self.tree, &answer.base, &mut refused)?;
        // What is not believed has to be reported, and that is not done here.
        refused.is_empty().then(|| (self.tree.clone(), seen))
    }
}

/// What is known of a work tree that still looks the same.
fn look(root: &Path) -> Option<KeptGlance> {
    let bytes = fs::read(path(root)?).ok()?;
    let (known, glance) = split(&bytes)?;
    let known: KeptGlance = serde_json::from_slice(known).ok()?;
    let fits = known.version == VERSION && known.root == root && known.redgreen == REDGREEN;
    (fits && Glance::still_holds(root, glance)).then_some(known)
}

/// Keeps that a tree was found to be verified. Where that cannot be done, the next answer takes longer.
pub fn remember(
    workspace: &Workspace,
    plan: &Plan,
    tree: &TreeHash,
    against: Against,
    base: &TreeHash,
) {
    let rules = verdict_rules(&plan.checks, &plan.config, plan.code_type);
    let answer = Verification { against, base: base.clone(), rules };
    let _ = keep(workspace, tree, answer);
}

fn keep(workspace: &Workspace, tree: &TreeHash, answer: Verification) -> Option<()> {
    let root = workspace.root();
    let path = path(root)?;
    let glance = workspace.glance(&[root.join("redgreen.toml")]).ok()??;
    // Only what is hashed after the glance is what the glance was of.
    (workspace.tree().ok()? == *tree).then_some(())?;
    let before = look(root).filter(|known| known.tree == *tree);
    let mut answers = before.map(|known| known.answers).unwrap_or_default();
    answers.retain(|known| known.against != answer.against);
    answers.truncate(ANSWERS_MAX - 1);
    answers.insert(0, answer);
    let known = KeptGlance {
        version: VERSION,
        root: root.to_owned(),
        redgreen: REDGREEN.to_owned(),
        tree: tree.clone(),
        answers,
    };
    let known = serde_json::to_vec(&known).ok()?;
    let length = u32::try_from(known.len()).ok()?.to_le_bytes();
    fs::create_dir_all(path.parent()?).ok()?;
    write_cache(&path, &[&length[..], &known, glance.as_bytes()].concat()).ok()
}

fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

/// Where it is kept; nowhere, if that would be in the work tree.
fn path(root: &Path) -> Option<PathBuf> {
    Some(folder_outside(root)?.join(FILE))
}
