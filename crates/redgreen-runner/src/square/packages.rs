//! What is installed belongs to no tree: where the change asks for other packages, the old code runs with the new ones,
//! and what is red then may have been green before.

use std::path::Path;

use redgreen_frameworks::{ProjectFiles, is_version_bump};
use redgreen_model::execution::Execution;
use redgreen_model::tree::FileChange;
use serde_json::Value;

/// The parts of `package.json` that say what is installed.
const PACKAGE_KEYS: [&str; 5] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "overrides"];
/// Manifests of Python, of which other parts say other things: lines that a change adds or takes away count if they
/// look like a requirement.
const PYTHON_MANIFESTS: [&str; 4] = ["pyproject.toml", "setup.cfg", "setup.py", "Pipfile"];

/// Why it is not known what was red before a change, in words. What ran before the change came did so with what was
/// installed then.
pub(crate) fn unsure(
    root: &Path,
    changes: &[FileChange],
    old: &dyn ProjectFiles,
    new: &dyn ProjectFiles,
    baseline: &Execution,
) -> Option<String> {
    let asks = |path: &str| asks_for_other_packages(path, old.read(path), new.read(path));
    let manifest = changes.iter().map(|change| change.path.as_str()).find(|path| asks(path))?;
    let came = std::fs::metadata(root.join(manifest)).and_then(|metadata| metadata.modified());
    let came = came.ok().and_then(|time| jiff::Timestamp::try_from(time).ok());
    let ran = baseline.started_at.parse::<jiff::Timestamp>().ok();
    let ran_before = came.zip(ran).is_some_and(|(came, ran)| ran < came);
    (!ran_before).then(|| {
        format!("{manifest} asks for other packages now, but the old code ran with those that are installed")
    })
}

fn asks_for_other_packages(path: &str, old: Option<String>, new: Option<String>) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (Some(old), Some(new)) = (old, new) else { return is_list(name) };
    match name {
        "package.json" => {
            let of = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
            let (old, new) = (of(&old), of(&new));
            PACKAGE_KEYS.iter().any(|key| old[*key] != new[*key])
        }
        name if PYTHON_MANIFESTS.contains(&name) => requirements(&old) != requirements(&new),
        name => is_list(name) && old != new && !is_version_bump(path, &old, &new),
    }
}

/// Files that hold nothing but what is installed, for languages that install beside the tree and not by it.
fn is_list(name: &str) -> bool {
    const LOCKS: [&str; 10] = [
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "uv.lock",
        "poetry.lock",
        "pdm.lock",
        "Pipfile.lock",
        "pixi.lock",
    ];
    let listed =
        name.ends_with(".txt") && (name.contains("requirements") || name.contains("constraints"));
    LOCKS.contains(&name) || listed
}

/// The lines of a manifest that look like a requirement: a name and a comparison, or a quoted version.
fn requirements(text: &str) -> Vec<&str> {
    let compares = |line: &str| {
        ["==", ">=", "<=", "~=", "!=", ">", "<", "^"].iter().any(|it| line.contains(it))
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '[']));
    lines.filter(|line| compares(line) && !line.starts_with("version")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_packages_are_distinguished_from_other_changes() {
        let asks = |path: &str, old: &str, new: &str| {
            asks_for_other_packages(path, Some(old.to_owned()), Some(new.to_owned()))
        };
        let package =
            r#"{"version":"1","scripts":{"test":"jest"},"devDependencies":{"jest":"29"}}"#;
        assert!(asks("web/package.json", package, &package.replace("29", "30")));
        assert!(!asks("web/package.json", package, &package.replace("\"1\"", "\"2\"")));
        assert!(
            asks("package-lock.json", "{}", "{ }") && asks("requirements-dev.txt", "a", "a==2")
        );
        assert!(!asks("package-lock.json", "{\"version\":\"1\"}", "{\"version\":\"2\"}"));
        let python = "[project]\nversion = \"1.0\"\ndependencies = [\n  \"attrs>=20\",\n]\n[tool.x]\nwidth = 88\n";
        assert!(asks("pyproject.toml", python, &python.replace("20", "21")));
        assert!(!asks("pyproject.toml", python, &python.replace("1.0", "1.1").replace("88", "99")));
        assert!(!asks("src/a.py", "a >= 1", "a >= 2") && !asks("Cargo.lock", "a", "b"));
    }
}
