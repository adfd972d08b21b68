//! Settings of linters and type checkers that let more pass than before. Formats are not read, only their words: a key,
//! and what stands behind it.

use std::collections::BTreeSet;

use crate::roles::name_of;

/// Files that hold nothing but such settings.
const FILES: &[&str] = &[
    ".flake8",
    "ruff.toml",
    ".ruff.toml",
    "mypy.ini",
    ".mypy.ini",
    ".pylintrc",
    "pylintrc",
    "pyrightconfig.json",
    ".bandit",
    "biome.json",
    "biome.jsonc",
    ".oxlintrc.json",
    ".stylelintrc",
    ".stylelintrc.json",
    ".golangci.yml",
    ".golangci.yaml",
    ".golangci.toml",
    "clippy.toml",
    ".clippy.toml",
    ".rubocop.yml",
    "checkstyle.xml",
    ".clang-tidy",
    ".eslintignore",
    "phpstan.neon",
];
/// Beginnings of the names of such files.
const BEGINNINGS: &[&str] = &[".eslintrc", "eslint.config."];
/// Files of which some sections are such settings, and how the names of those begin.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "pyproject.toml",
        &[
            "tool.ruff",
            "tool.mypy",
            "tool.pyright",
            "tool.basedpyright",
            "tool.pylint",
            "tool.flake8",
            "tool.bandit",
            "tool.ty",
            "tool.pyrefly",
        ],
    ),
    ("setup.cfg", &["flake8", "mypy", "pylint", "pycodestyle"]),
    ("tox.ini", &["flake8", "mypy", "pylint", "pycodestyle"]),
    ("Cargo.toml", &["lints", "workspace.lints"]),
];
/// Keys whose values let something pass.
const LOOSE: &[&str] = &["ignore", "exclude", "disable", "skip", "suppress", "allow_", "omit"];
/// Keys whose values ask for something.
const STRICT: &[&str] =
    &["select", "enable", "strict", "warn_", "disallow_", "check_", "no_implicit", "noImplicit"];
/// Values that switch something off.
const OFF: &[&str] = &["off", "false", "False", "no", "none", "allow", "0"];
/// Values that switch something on.
const ON: &[&str] =
    &["true", "True", "yes", "error", "warn", "warning", "deny", "forbid", "2", "1"];

/// A key with one of its values.
type Setting = (String, String);

/// Globs of the files that hold nothing but such settings.
pub(crate) fn globs() -> impl Iterator<Item = String> {
    let begin = BEGINNINGS.iter().map(|beginning| format!("**/{beginning}*"));
    FILES.iter().map(|name| format!("**/{name}")).chain(begin)
}

/// Whether a file has settings of linters.
pub(super) fn has_settings(path: &str) -> bool {
    let name = name_of(path);
    is_whole(name) || SECTIONS.iter().any(|(file, _)| *file == name)
}

/// The settings that let more pass than before.
pub(super) fn looser(path: &str, old: &str, new: &str) -> Vec<String> {
    let name = name_of(path);
    let (old, new) = (settings(name, old), settings(name, new));
    let added = new.difference(&old).filter(|(key, value)| {
        let before = old.iter().any(|(known, value)| known == key && ON.contains(&value.as_str()));
        let off = OFF.contains(&value.as_str()) && (before || !is_loose(key) && is_known(value));
        (is_loose(key) && !OFF.contains(&value.as_str())) || (off && !is_loose(key))
    });
    let gone = old.difference(&new).filter(|(key, value)| {
        let count =
            |settings: &BTreeSet<Setting>| settings.iter().filter(|(it, _)| it == key).count();
        let replaced = count(&new) >= count(&old);
        let whole = ON.contains(&value.as_str()) && !new.iter().any(|(known, _)| known == key);
        let strict = STRICT.iter().any(|word| key.contains(word)) && !is_loose(key);
        strict
            && (whole
                || !(replaced || ON.contains(&value.as_str()) || OFF.contains(&value.as_str())))
    });
    let added = added.map(|(key, value)| format!("{key}: {value}"));
    added.chain(gone.map(|(key, value)| format!("without {key}: {value}"))).collect()
}

/// `off` and `allow` say so of any rule; `false` only of one that was on.
fn is_known(value: &str) -> bool {
    matches!(value, "off" | "allow")
}

fn is_loose(key: &str) -> bool {
    // `disallow_any`, and `warn_unused_ignores`, which asks for less of them.
    !["disallow", "warn_"].iter().any(|word| key.contains(word))
        && LOOSE.iter().any(|word| key.contains(word))
}

fn is_whole(name: &str) -> bool {
    FILES.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// The settings in the sections that are read.
fn settings(name: &str, text: &str) -> BTreeSet<Setting> {
    let wanted = SECTIONS.iter().find(|(file, _)| *file == name).map(|(_, sections)| *sections);
    let (mut found, mut key, mut section) = (BTreeSet::new(), String::new(), String::new());
    let ini = name.ends_with(".cfg") || name.ends_with(".ini") || name == ".flake8";
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line);
        let trimmed = line.trim();
        if trimmed.starts_with(['#', ';']) || trimmed.starts_with("//") {
            continue;
        }
        let header = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let header =
            header.filter(|header| !header.contains([',', '"', '\'']) && !line.starts_with(' '));
        if let Some(header) = header {
            section = header.trim_matches(['[', ']']).to_owned();
            continue;
        }
        let is_wanted = |begins: &&[&str]| begins.iter().any(|begin| section.starts_with(begin));
        if wanted.as_ref().is_some_and(|begins| !is_wanted(begins)) {
            continue;
        }
        if name == ".eslintignore" {
            found.insert(("ignore".to_owned(), trimmed.to_owned()));
            continue;
        }
        for (word, is_key) in words(line, ini) {
            if is_key {
                key = format!("{section}.{word}");
            } else {
                found.insert((key.clone(), word));
            }
        }
    }
    found.retain(|(_, value)| !value.is_empty());
    found
}

/// The words of a line, and which of them are keys.
fn words(line: &str, ini: bool) -> Vec<(String, bool)> {
    let part = |letter: char| letter.is_alphanumeric() || "_-./*@$".contains(letter);
    let mut found: Vec<(String, bool)> = Vec::new();
    let mut word = String::new();
    for letter in line.chars().chain([' ']) {
        if part(letter) {
            word.push(letter);
            continue;
        }
        let ends_a_key = letter == '=' || (letter == ':' && !ini);
        if !word.is_empty() {
            found.push((std::mem::take(&mut word), false));
        }
        if ends_a_key && let Some(last) = found.last_mut() {
            last.1 = true;
        }
    }
    found.retain(|(word, _)| word != "-");
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_let_more_pass_are_seen() {
        for (path, old, new) in [
            (
                ".flake8",
                "[flake8]\nmax-line-length = 88\n",
                "[flake8]\nmax-line-length = 88\nextend-ignore = E501\n",
            ),
            ("setup.cfg", "[flake8]\nignore = E501\n", "[flake8]\nignore =\n    E501,\n    F841\n"),
            (
                "setup.cfg",
                "[flake8]\nignore = E501\n",
                "[flake8]\nignore = E501\nper-file-ignores =\n    a.py: F401\n",
            ),
            ("mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\nstrict = False\n"),
            ("mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\n"),
            ("mypy.ini", "[mypy]\n", "[mypy]\nignore_errors = True\n"),
            (
                "pyproject.toml",
                "[tool.ruff]\nselect = [\"E\", \"F\"]\n",
                "[tool.ruff]\nselect = [\"E\"]\nx = 1\n[tool.ruff.lint]\nignore = [\"F401\"]\n",
            ),
            (
                "pyproject.toml",
                "[tool.mypy]\ndisallow_untyped_defs = true\n",
                "[tool.mypy]\ndisallow_untyped_defs = false\n",
            ),
            (
                ".eslintrc.json",
                "{\"rules\": {\"no-undef\": \"error\"}}",
                "{\"rules\": {\"no-undef\": \"off\"}}",
            ),
            (
                "eslint.config.js",
                "export default [{ rules: {} }];",
                "export default [{ rules: { 'no-undef': 'off' } }];",
            ),
            (
                ".golangci.yml",
                "linters:\n  enable:\n    - errcheck\n",
                "linters:\n  enable:\n    - errcheck\n  disable:\n    - govet\n",
            ),
            ("Cargo.toml", "[lints.clippy]\nall = \"deny\"\n", "[lints.clippy]\nall = \"allow\"\n"),
            (".eslintignore", "dist\n", "dist\nsrc/cart.js\n"),
        ] {
            assert!(!looser(path, old, new).is_empty(), "{path} {new}");
        }
    }

    #[test]
    fn settings_that_let_no_more_pass_are_left_alone() {
        for (path, old, new) in [
            (".flake8", "[flake8]\nmax-line-length = 88\n", "[flake8]\nmax-line-length = 100\n"),
            (".flake8", "[flake8]\nignore = E501, W291\n", "[flake8]\nignore = E501\n"),
            (
                ".flake8",
                "[flake8]\nignore = E501, W291\n",
                "[flake8]\nignore =\n    W291,\n    E501\n",
            ),
            ("mypy.ini", "[mypy]\n", "[mypy]\nstrict = True\n"),
            ("mypy.ini", "[mypy]\nignore_errors = True\n", "[mypy]\nignore_errors = False\n"),
            ("pyproject.toml", "", "[tool.mypy]\nwarn_unused_ignores = true\n"),
            (
                "pyproject.toml",
                "[tool.ruff]\nselect = [\"E\"]\n",
                "[tool.ruff]\nselect = [\"E\", \"F\"]\n",
            ),
            (
                "pyproject.toml",
                "[project]\nversion = \"1\"\n",
                "[project]\nversion = \"2\"\nignore = [\"x\"]\n",
            ),
            (
                "pyproject.toml",
                "[tool.ruff]\ntarget = \"py38\"\n",
                "[tool.ruff]\ntarget = \"py310\"\n",
            ),
            (
                ".eslintrc.json",
                "{\"rules\": {\"no-undef\": \"off\"}}",
                "{\"rules\": {\"no-undef\": \"error\"}}",
            ),
            (
                ".eslintrc.json",
                "{\"rules\": {\"quotes\": \"error\"}}",
                "{\"rules\": {\"quotes\": [\"error\", \"single\"]}}",
            ),
            (".golangci.yml", "version: 1\n", "version: 2\nlinters:\n  enable:\n    - errcheck\n"),
            (
                "Cargo.toml",
                "[dependencies]\nall = \"1\"\n",
                "[dependencies]\nall = \"2\"\nallow = \"1\"\n",
            ),
            ("setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = a\nexclude = b\n"),
        ] {
            assert_eq!(looser(path, old, new), Vec::<String>::new(), "{path} {new}");
        }
    }
}
