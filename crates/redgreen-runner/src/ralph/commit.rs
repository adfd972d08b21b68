//! An item that is done becomes a commit, with its evidence as a note.

use std::fmt::Write as _;

use jiff::Timestamp;
use redgreen_engine::ralph::Iteration;
use redgreen_model::event::Event;
use redgreen_model::plan_file::Item;
use redgreen_model::text::{bound_end, clean_line};
use redgreen_model::tree::TreeHash;
use redgreen_workspace::{CommitOrder, Head};

use super::Outer;
use crate::RunnerError;
use crate::evidence::KeptEvidence;

/// The most characters of a commit's first line.
const SUBJECT_CHARS: usize = 72;

impl Outer<'_> {
    /// Commits what an item did. Done again after a crash, it makes the same commit.
    pub(super) fn commit(
        &self,
        item: usize,
        tree: &TreeHash,
        at: &str,
    ) -> Result<String, RunnerError> {
        let _lock = self.workspace.lock("redgreen ralph")?;
        let (rules, state) = (self.rules(), &self.record.state);
        let last = state.last_of(item);
        let message = message(rules.items.get(item), last, &rules.id, item, tree);
        let green = &state.green.head;
        let on = Head { branch: green.branch.clone(), commit: green.commit.clone() };
        let keep_as = format!("{}/head", self.last_session());
        let order =
            CommitOrder { tree, on: &on, message: &message, at: &git_time(at), keep_as: &keep_as };
        let commit = self.workspace.commit(&order)?;
        if let Some(evidence) = self.evidence(tree) {
            self.workspace.add_note(&commit, &evidence)?;
        } else {
            let text = "there is no evidence of this commit: nothing that runs was changed, or it could not be signed";
            self.events.say(&Event::Notice { text: text.to_owned() });
        }
        Ok(commit)
    }

    /// What is signed of a tree, as `redgreen evidence export` prints it.
    fn evidence(&self, tree: &TreeHash) -> Option<String> {
        let kept = KeptEvidence::of(self.workspace.root());
        let (bundles, _) = kept.store().bundles(&kept.key()?.public(), tree);
        let envelopes = bundles.iter().flat_map(|bundle| &bundle.envelopes);
        let lines: Vec<String> = envelopes.filter_map(|envelope| envelope.to_line().ok()).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// A time in the form in which every version of git reads it.
fn git_time(at: &str) -> String {
    let seconds = at.parse::<Timestamp>().map_or(0, Timestamp::as_second);
    format!("@{seconds} +0000")
}

fn message(
    item: Option<&Item>,
    last: Option<&Iteration>,
    outer_loop: &str,
    index: usize,
    tree: &TreeHash,
) -> String {
    let task = item.map(|item| item.task.as_str()).unwrap_or_default();
    let (title, rest) = task.split_once('\n').unwrap_or((task, ""));
    let mut text = bound_end(&clean_line(title, usize::MAX), SUBJECT_CHARS);
    text.push('\n');
    // What did not fit into the first line is not lost.
    let body = if title.chars().count() > SUBJECT_CHARS { task } else { rest }.trim();
    if !body.is_empty() {
        let _ = write!(text, "\n{body}\n");
    }
    let _ = writeln!(text, "\nRedgreen-Loop: {outer_loop}\nRedgreen-Item: {}", index + 1);
    if let Some(last) = last {
        let _ = writeln!(text, "Redgreen-Session: {}", last.result.session);
    }
    let _ = writeln!(text, "Redgreen-Tree: {tree}");
    text
}
