//! What a tree says that it needs: its manifests and lock files, and whatever else of it installs packages.

use std::cell::OnceCell;

use redgreen_model::tree::TreeHash;
use redgreen_workspace::{Content, Workspace};

use crate::RunnerError;
use crate::plan::PlannedCheck;

/// The most bytes of a manifest that are read.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Names of files that name packages.
const NAMES: [&str; 22] = [
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "bun.lock",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "Pipfile.lock",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "pixi.toml",
    "pixi.lock",
    "tox.ini",
    "noxfile.py",
    "Makefile",
    "Dockerfile",
    ".gitlab-ci.yml",
];

/// The manifests of a tree, which are read when the first package is asked for.
pub(super) struct Manifests<'tree> {
    pub(super) workspace: &'tree Workspace,
    pub(super) tree: &'tree TreeHash,
    pub(super) checks: &'tree [PlannedCheck],
    pub(super) read: OnceCell<Named>,
}

impl Manifests<'_> {
    /// The words of them. What cannot be read names everything: nobody is held for it.
    pub(super) fn named(&self) -> &Named {
        self.read.get_or_init(|| {
            Named::of(self.workspace, self.tree, self.checks)
                .unwrap_or_else(|_| Named { all: true, ..Named::default() })
        })
    }
}

/// The words of all manifests of a tree.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Whether every package counts as named.
    all: bool,
    texts: Vec<String>,
    patches: Vec<String>,
}

impl Named {
    /// Reads the manifests of a tree. What the checks run is named, too.
    fn of(
        workspace: &Workspace,
        tree: &TreeHash,
        checks: &[PlannedCheck],
    ) -> Result<Self, RunnerError> {
        let paths = workspace.paths(tree)?;
        let manifests: Vec<&str> =
            paths.iter().map(String::as_str).filter(|path| is_manifest(path)).collect();
        let mut texts: Vec<String> =
            checks.iter().map(|check| plain(&check.settings.command)).collect();
        for content in workspace.read_all(tree, &manifests, BYTES_MAX)? {
            if let Content::Bytes(bytes) = content {
                texts.push(plain(&String::from_utf8_lossy(&bytes)));
            }
        }
        let patches = paths.iter().filter(|path| path.contains("patches/"));
        Ok(Self { all: false, texts, patches: patches.cloned().collect() })
    }

    /// Whether a package is named.
    pub(super) fn has(&self, name: &str) -> bool {
        if self.all {
            return true;
        }
        let name = plain(name);
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
        let stands = |text: &str, at: usize| {
            let before = text.get(..at).and_then(|it| it.chars().next_back());
            let after = text.get(at + name.len()..).and_then(|it| it.chars().next());
            !part(before) && !part(after)
        };
        !name.is_empty()
            && self
                .texts
                .iter()
                .any(|text| text.match_indices(&name).any(|(at, _)| stands(text, at)))
    }

    /// Whether the project keeps a patch of a package.
    pub(super) fn is_patched(&self, name: &str) -> bool {
        let name = name.replace('/', "+");
        self.patches
            .iter()
            .any(|path| path.rsplit('/').next().is_some_and(|file| file.starts_with(name.as_str())))
    }
}

/// A name as all spellings of it are compared: small, with one kind of dash.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '-' | '_' | '.' if plain.ends_with('-') => {}
            '-' | '_' | '.' => plain.push('-'),
            c => plain.extend(c.to_lowercase()),
        }
    }
    plain
}

fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = name.ends_with(".txt") || name.ends_with(".in");
    let listed = text && (path.contains("requirement") || path.contains("constraint"));
    let yaml = name.ends_with(".yml") || name.ends_with(".yaml");
    let conda = yaml && (name.starts_with("environment") || name.starts_with("conda"));
    NAMES.contains(&name) || listed || conda || (yaml && path.starts_with(".github/workflows/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_named_however_it_is_spelt_and_not_by_a_part_of_a_word() {
        let named = |text: &str| Named { texts: vec![plain(text)], ..Named::default() };
        for (text, name) in [
            ("typing_extensions>=4", "typing-extensions"),
            ("Zope.Interface", "zope-interface"),
            ("\"node_modules/@types/node\": {", "@types/node"),
            ("requests[socks]==2", "requests"),
        ] {
            assert!(named(text).has(name), "{name} in {text}");
        }
        for (text, name) in [("pytest-cov", "pytest"), ("httpx2", "httpx"), ("", "a"), ("a", "")] {
            assert!(!named(text).has(name), "{name} in {text}");
        }
        let patched = Named { patches: vec!["patches/@a+b+1.0.0.patch".to_owned()], ..named("") };
        assert!(patched.is_patched("@a/b") && !patched.is_patched("b"));
    }

    #[test]
    fn manifests_are_known_by_their_names() {
        for path in [
            "requirements/dev.txt",
            "requirements-dev.txt",
            "web/package.json",
            ".github/workflows/ci.yml",
            "environment.yml",
        ] {
            assert!(is_manifest(path), "{path}");
        }
        for path in ["notes.txt", "src/environment.py", "docs/a.yml", "README.md"] {
            assert!(!is_manifest(path), "{path}");
        }
    }
}
