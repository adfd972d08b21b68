//! Workspaces of npm, yarn and pnpm: many packages below one manifest whose script tests them all.

use serde_json::Value;

use crate::adapter::ProjectFiles;

/// Where pnpm lists the packages.
const PNPM_LIST: &str = "pnpm-workspace.yaml";

/// The folders of a workspace's packages, as its root names them; none for a package by itself.
pub(super) fn members(project: &dyn ProjectFiles, root: &Value) -> Vec<String> {
    let list = &root["workspaces"];
    let list = list.as_array().or_else(|| list["packages"].as_array());
    let named = list.into_iter().flatten().filter_map(Value::as_str);
    let mut members: Vec<String> = named.map(str::to_owned).collect();
    if let Some(text) = project.read(PNPM_LIST) {
        members.extend(listed(&text));
    }
    members
}

/// Whether a folder is that of a package: the last pattern that fits decides.
pub(super) fn has(members: &[String], folder: &str) -> bool {
    let mut inside = false;
    for pattern in members {
        let (out, pattern) = match pattern.strip_prefix('!') {
            Some(pattern) => (true, pattern),
            None => (false, pattern.as_str()),
        };
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        let pattern: Vec<&str> = pattern.split('/').collect();
        if fits(&pattern, &folder.split('/').collect::<Vec<_>>()) {
            inside = !out;
        }
    }
    inside
}

/// The list below `packages:` in pnpm's file.
fn listed(text: &str) -> impl Iterator<Item = String> {
    let below = text.lines().skip_while(|line| line.trim_end() != "packages:").skip(1);
    below
        .map(str::trim)
        .take_while(|line| line.is_empty() || line.starts_with(['-', '#']))
        .filter_map(|line| {
            let pattern = line.strip_prefix('-')?.trim().trim_matches(['\'', '"']);
            (!pattern.is_empty()).then(|| pattern.to_owned())
        })
}

/// Whether the words of a path fit those of a pattern: `*` is within a word, `**` any number of words.
fn fits(pattern: &[&str], path: &[&str]) -> bool {
    // Which beginnings of the path the pattern fits so far.
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for word in pattern {
        let mut next = vec![false; path.len() + 1];
        if *word == "**" {
            let from = reached.iter().position(|reached| *reached).unwrap_or(reached.len());
            next.iter_mut().skip(from).for_each(|next| *next = true);
        } else {
            for (at, name) in path.iter().enumerate() {
                next[at + 1] = reached[at] && word_fits(word, name);
            }
        }
        reached = next;
    }
    reached.last().copied().unwrap_or(false)
}

fn word_fits(pattern: &str, word: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == word };
    let Some(mut rest) = word.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = tail.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_those_that_the_root_names() {
        let cases: [(&[&str], &str, bool); 12] = [
            (&["packages/*"], "packages/a", true),
            (&["./packages/*/"], "packages/a", true),
            (&["packages/*"], "packages/a/b", false),
            (&["packages/*"], "packages", false),
            (&["packages/**"], "packages/a/b", true),
            (&["**"], "a", true),
            (&["apps/web"], "apps/web", true),
            (&["apps/web"], "apps/webs", false),
            (&["apps/w*-x*"], "apps/web-xy", true),
            (&["apps/w*-x"], "apps/web-xy", false),
            (&["packages/*", "!packages/old"], "packages/old", false),
            (&[], "a", false),
        ];
        for (members, folder, wanted) in cases {
            let members: Vec<String> = members.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(has(&members, folder), wanted, "{members:?} {folder}");
        }
        let text = "catalog: x\npackages:\n  # all\n  - 'packages/*'\n\n  - \"apps/web\"\nother:\n  - no\n";
        assert_eq!(listed(text).collect::<Vec<_>>(), ["packages/*", "apps/web"]);
    }
}
