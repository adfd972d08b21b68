//! The gate before a push: each commit that goes, against what the other side has.

use std::io::Read as _;

use redgreen_workspace::Workspace;

use super::{Arguments, tree};
use crate::context;
use crate::failure::{Ending, Failure};

/// The most bytes that git can have to say of a push.
const BYTES_MAX: u64 = 1024 * 1024;

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let mut input = String::new();
    std::io::stdin()
        .take(BYTES_MAX)
        .read_to_string(&mut input)
        .map_err(|error| Failure::usage(format!("cannot read what is pushed: {error}")))?;
    for line in input.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, local, _, remote] = words[..] else {
            return Err(Failure::usage(format!(
                "`{line}` is not a line that git gives to a pre-push hook"
            ))
            .hint("expected: <local ref> <local object> <remote ref> <remote object>"));
        };
        if is_nothing(local) {
            continue; // A branch is deleted.
        }
        let workspace = context::workspace()?;
        let missing = || Failure::usage(format!("there is no commit {local}"));
        let pushed = workspace.tree_of(local)?.ok_or_else(missing)?;
        let name = before(&workspace, local, remote)?;
        let base = workspace.tree_of(&name)?.unwrap_or_else(|| pushed.clone());
        match tree::judge(workspace, arguments, ((name, base), Some(pushed)), false)? {
            Ending::Green => {}
            ending => return Ok(ending),
        }
    }
    Ok(Ending::Green)
}

/// What the other side has: the commit that it named, or where the first commit that it has not begins.
fn before(workspace: &Workspace, local: &str, remote: &str) -> Result<String, Failure> {
    if !is_nothing(remote) && workspace.tree_of(remote)?.is_some() {
        return Ok(remote.to_owned());
    }
    let first = workspace.first_unpushed(local)?;
    Ok(format!("{}~1", first.as_deref().unwrap_or(local)))
}

fn is_nothing(object: &str) -> bool {
    object.bytes().all(|digit| digit == b'0')
}
