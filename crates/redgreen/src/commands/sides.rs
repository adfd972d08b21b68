//! `redgreen sides`

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Args;
use redgreen_frameworks::Side;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::TreeHash;
use redgreen_runner::square::{SidedFile, list_sides, reached};
use redgreen_runner::{judge, plan};
use redgreen_workspace::Workspace;
use serde_json::json;

use super::square::rules_of;
use crate::context;
use crate::display;
use crate::failure::{Ending, Failure};

/// The revision whose rules count where none is named.
const HEAD: &str = "HEAD";
/// What is shown then, as it is called.
const WORK_TREE: &str = "the work tree";
/// How many files of one rule are named.
const NAMED: usize = 8;

/// Show which files judge the code, and why
///
/// If a change edits one of these files, it is also judged with the old one. Set with `tests.paths` in
/// redgreen.toml.
#[derive(Args)]
pub struct Arguments {
    /// The revision whose files and rules are shown, in place of the work tree with the rules of HEAD
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Print every file with its side and reason, as JSON
    #[arg(long)]
    json: bool,
    /// Only these files and folders
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let named = arguments.base.as_deref();
    let base = tree(&workspace, named.unwrap_or(HEAD))?;
    let rules = rules_of(&workspace, &base, named.unwrap_or(HEAD))?;
    let (tree, name) = match named {
        Some(name) => (base.clone(), name),
        None => (workspace.tree()?, WORK_TREE),
    };
    let config = context::configuration_of(workspace.root(), rules, None, None)?;
    let checks = plan::planned_checks(&config)?;
    let record = judge::last_against(workspace.root(), &workspace.state_path(), &base);
    let (seen, _) = reached(record.as_ref());
    let mut files = list_sides(&workspace, &base, &tree, (&config, &checks), seen)?;
    let asked = |file: &SidedFile| {
        arguments.paths.is_empty() || arguments.paths.iter().any(|path| lies_in(&file.path, path))
    };
    files.retain(asked);
    if files.is_empty() && !arguments.paths.is_empty() {
        let what = format!("not in {name}: {}", arguments.paths.join(", "));
        return Err(Failure::usage(what).hint("paths are from the root of the work tree"));
    }
    if arguments.json {
        let file = |file: &SidedFile| {
            json!({
                "path": file.path,
                "side": file.side.as_str(),
                "reason": file.reason,
                "parts": file.parts,
            })
        };
        let files: Vec<_> = files.iter().map(file).collect();
        display::json_line(&json!({
            "result": "sides",
            "base": name,
            "tree": tree,
            "files": files,
        }));
    } else {
        display::result(&shown(&files, name, !arguments.paths.is_empty()));
    }
    Ok(Ending::Green)
}

/// The tree of the revision. A repository without a commit has only its work tree.
fn tree(workspace: &Workspace, base: &str) -> Result<TreeHash, Failure> {
    match workspace.tree_of(base)? {
        Some(tree) => Ok(tree),
        None if base == HEAD => Ok(workspace.tree()?),
        None => Err(Failure::usage(format!("there is no revision {base}"))
            .hint("name one that is there: --base main, --base HEAD~3")),
    }
}

fn lies_in(file: &str, path: &str) -> bool {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let rest = file.strip_prefix(path);
    path == "." || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// How many of each side; then each rule with its files.
fn shown(files: &[SidedFile], base: &str, all: bool) -> String {
    let count = |side: Side| files.iter().filter(|file| file.side == side).count();
    let mut text = format!(
        "{base}: {} on the tests' side, {} mixed, {} code, {} neither\n",
        count(Side::Tests),
        count(Side::Mixed),
        count(Side::Code),
        count(Side::Inert),
    );
    for (side, title) in [
        (Side::Tests, "the tests' side"),
        (Side::Mixed, "parts of these are the tests' side"),
        (Side::Shared, "code and tests both read these"),
        (Side::Code, "code"),
        (Side::Inert, "neither"),
    ] {
        // Code is most of a project, and shown where it is asked for.
        if all || matches!(side, Side::Tests | Side::Mixed | Side::Shared) {
            write_side(&mut text, files.iter().filter(|file| file.side == side), title);
        }
    }
    text.trim_end().to_owned()
}

fn write_side<'file>(
    text: &mut String,
    files: impl Iterator<Item = &'file SidedFile>,
    title: &str,
) {
    let mut by_reason: BTreeMap<&str, Vec<&SidedFile>> = BTreeMap::new();
    for file in files {
        by_reason.entry(&file.reason).or_default().push(file);
    }
    if by_reason.is_empty() {
        return;
    }
    let mut reasons: Vec<(&str, Vec<&SidedFile>)> = by_reason.into_iter().collect();
    reasons.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    // Writing to a string does not fail.
    let _ = writeln!(text, "\n{title}");
    for (reason, files) in reasons {
        let _ = writeln!(text, "  {} ({})", clean_line(reason, LINE_CHARS), files.len());
        if let Some(parts) = files.first().map(|file| file.parts).filter(|parts| !parts.is_empty())
        {
            let _ = writeln!(text, "    of it: {}", parts.join(", "));
        }
        for file in files.iter().take(NAMED) {
            let _ = writeln!(text, "    {}", clean_line(&file.path, LINE_CHARS));
        }
        if files.len() > NAMED {
            let _ = writeln!(text, "    and {} more: --json has all", files.len() - NAMED);
        }
    }
}
