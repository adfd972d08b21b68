//! Installed environments that git was not told to ignore: thousands of files that count as the project's code.

use std::collections::BTreeMap;

use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::TreeHash;
use redgreen_workspace::Workspace;

use crate::RunnerError;

/// What lies at the root of a Python environment.
const PYTHON: &str = "/pyvenv.cfg";
/// Where npm and its like install to.
const NODE: &str = "node_modules";

/// What a person should know of a tree, a line for each environment in it that nobody has committed.
pub fn not_ignored(workspace: &Workspace, tree: &TreeHash) -> Result<Vec<String>, RunnerError> {
    let paths = workspace.paths(tree)?;
    let found = environments(&paths);
    let head = match found.is_empty() {
        true => None,
        false => workspace.tree_of("HEAD")?,
    };
    let mut said = Vec::new();
    for (folder, files) in found {
        let Some(first) = files.first() else { continue };
        let is_committed = match &head {
            Some(head) => workspace.has(head, first)?,
            None => false,
        };
        if !is_committed {
            let folder = clean_line(folder, LINE_CHARS);
            said.push(format!(
                "{folder} is an installed environment that git does not ignore, so its {} files count as code of this project and are kept in git's objects: add a line `/{folder}/` to .gitignore",
                files.len()
            ));
        }
    }
    Ok(said)
}

/// The outermost environments among the files of a tree, which are in order, each with its files.
fn environments(paths: &[String]) -> BTreeMap<&str, Vec<&str>> {
    let of_python = paths.iter().filter_map(|path| path.strip_suffix(PYTHON));
    let of_node = paths.iter().filter_map(|path| {
        let at = path.match_indices(NODE).map(|(at, _)| at).find(|at| {
            let starts = *at == 0 || path[..*at].ends_with('/');
            starts && path[at + NODE.len()..].starts_with('/')
        })?;
        Some(&path[..at + NODE.len()])
    });
    let mut folders: Vec<&str> = of_python.chain(of_node).collect();
    folders.sort_unstable();
    folders.dedup();
    let is_in = |path: &str, folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    let mut outermost: Vec<&str> = Vec::new();
    for folder in folders {
        if !outermost.iter().any(|outer| is_in(folder, outer)) {
            outermost.push(folder);
        }
    }
    let files = |folder: &str| {
        paths.iter().map(String::as_str).filter(|path| is_in(path, folder)).collect()
    };
    outermost.into_iter().map(|folder| (folder, files(folder))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_known_by_what_is_in_them() {
        let paths = [
            ".venv/bin/python",
            ".venv/lib/python3.12/site-packages/a/node_modules/b.js",
            ".venv/pyvenv.cfg",
            "my_node_modules/a.js",
            "node_modules",
            "web/node_modules/a/index.js",
            "web/node_modules/a/node_modules/b/index.js",
        ];
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let found: Vec<(&str, usize)> =
            environments(&paths).into_iter().map(|(folder, files)| (folder, files.len())).collect();
        assert_eq!(found, [(".venv", 3), ("web/node_modules", 2)]);
    }
}
