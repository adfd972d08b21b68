//! The list of tests that are known to be red: which of it counts, and what leaves it.

use redgreen_engine::classes::Judged;
use redgreen_engine::known::cause;
use redgreen_engine::state::State;
use redgreen_model::execution::TestId;
use redgreen_model::known::{KNOWN_FILE, KnownTest, added, parse, to_toml};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::TreeHash;
use redgreen_workspace::Workspace;

use crate::RunnerError;
use crate::gate::base::Base;
use crate::gate::trust;
use crate::layout::write_whole;

/// The longest list that is read.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The list in the work tree; what is wrong with it is an error.
pub fn of_work_tree(workspace: &Workspace) -> Result<Vec<KnownTest>, RunnerError> {
    let text = match std::fs::read_to_string(workspace.root().join(KNOWN_FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RunnerError::file("read", KNOWN_FILE)(error)),
    };
    parse(&text).map_err(|problem| RunnerError::Configuration(format!("{KNOWN_FILE}: {problem}")))
}

/// What counts of the list in a tree: all of it where a person has vouched for it as it is, else what the tree before
/// had as well.
pub(crate) fn listed(
    workspace: &Workspace,
    base: Option<&TreeHash>,
    tree: &TreeHash,
) -> Result<Vec<KnownTest>, RunnerError> {
    let Some(text) = text_in(workspace, tree)? else { return Ok(Vec::new()) };
    let before = match base {
        Some(base) => base.clone(),
        None => Base::of(workspace)?.tree,
    };
    let old = match before == *tree {
        true => text.clone(),
        false => text_in(workspace, &before)?.unwrap_or_default(),
    };
    let (old, new) = (parse(&old).unwrap_or_default(), parse(&text));
    Ok(match new {
        // A list that cannot be read is said to be changed, and the one before it counts.
        Err(_) => old,
        Ok(new) if trust::is_list_trusted(workspace, &text) => new,
        Ok(new) => new.into_iter().filter(|known| old.contains(known)).collect(),
    })
}

fn text_in(workspace: &Workspace, tree: &TreeHash) -> Result<Option<String>, RunnerError> {
    let bytes = workspace.read(tree, KNOWN_FILE, BYTES_MAX)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether a list has something that only a person may add, and what is wrong with it.
pub(crate) fn is_extended(old: &str, new: &str) -> (bool, Option<String>) {
    let old = parse(old).unwrap_or_default();
    match parse(new) {
        Ok(new) => (added(&old, &new).next().is_some(), None),
        Err(problem) => (true, Some(clean_line(&format!("{KNOWN_FILE}: {problem}"), LINE_CHARS))),
    }
}

/// Takes tests off the list; nothing where none is on it. What a person vouched for stays vouched for.
pub fn take_off(workspace: &Workspace, tests: &[TestId]) -> Result<Vec<KnownTest>, RunnerError> {
    let known = of_work_tree(workspace)?;
    let (gone, left): (Vec<KnownTest>, Vec<KnownTest>) =
        known.iter().cloned().partition(|known| tests.contains(&known.id()));
    if gone.is_empty() {
        return Ok(gone);
    }
    let vouched = trust::is_list_trusted(workspace, &raw(workspace));
    let ids: Vec<TestId> = gone.iter().map(KnownTest::id).collect();
    trust::forget_known(workspace, &ids)?;
    write(workspace, &left)?;
    if vouched {
        trust::trust_list(workspace, &raw(workspace), "redgreen")?;
    }
    Ok(gone)
}

/// A person's list.
pub fn put(workspace: &Workspace, known: &[KnownTest], by: &str) -> Result<(), RunnerError> {
    write(workspace, known)?;
    trust::trust_list(workspace, &raw(workspace), by)
}

fn write(workspace: &Workspace, known: &[KnownTest]) -> Result<(), RunnerError> {
    write_whole(&workspace.root().join(KNOWN_FILE), to_toml(known).as_bytes())
}

fn raw(workspace: &Workspace) -> String {
    std::fs::read_to_string(workspace.root().join(KNOWN_FILE)).unwrap_or_default()
}

/// What passes now although it was known to be red leaves the list. In words, where something did.
pub(crate) fn settle(workspace: &Workspace, state: &State) -> Result<Option<String>, RunnerError> {
    let healed: Vec<TestId> = state.healed().into_iter().map(KnownTest::id).collect();
    if healed.is_empty() {
        return Ok(None);
    }
    let gone = take_off(workspace, &healed)?;
    let names: Vec<&str> = gone.iter().map(|known| known.test.as_str()).collect();
    Ok((!names.is_empty()).then(|| {
        format!(
            "no longer known to be red, since it passes: {}; {KNOWN_FILE} was changed, commit it as well",
            clean_line(&names.join(", "), LINE_CHARS)
        )
    }))
}

/// A red test of a run, as it would be listed; none where it was not seen to fail by itself, twice.
pub fn entry(
    run: &Judged,
    test: &TestId,
    (reason, by, day): (&str, &str, &str),
) -> Option<KnownTest> {
    let of_it = run.failures.iter().filter(|it| it.test_id().as_ref() == Some(test));
    let mut causes: Vec<String> = of_it.clone().map(cause).collect();
    causes.sort();
    causes.dedup();
    let first = of_it.clone().next().filter(|_| run.red.contains(test))?;
    Some(KnownTest {
        check: test.check.clone(),
        test: test.test.clone(),
        reason: clean_line(reason, LINE_CHARS),
        by: by.to_owned(),
        since: day.to_owned(),
        message: clean_line(&first.failure.summary(), LINE_CHARS),
        causes,
    })
}
