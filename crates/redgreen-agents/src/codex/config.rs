//! Codex's `config.toml` as a text: tables are added at its end, and taken out again.

use std::fmt::Write as _;

use toml::Table;

use crate::settings::MARK;

/// The text with a table that trusts a project; `None` if it says something about the project, or
/// would not be TOML.
pub fn with_trusted_project(text: &str, root: &str) -> Option<String> {
    let table = text.parse::<Table>().ok()?;
    if table.get("projects").is_some_and(|projects| projects.get(root).is_some()) {
        return None;
    }
    added(text, &format!("[projects.{}]", quoted(root)), "trust_level", "trusted")
}

/// The text with a table that trusts a hook; `None` if that cannot be written into it.
pub fn with_trusted_hook(text: &str, key: &str, hash: &str) -> Option<String> {
    let table = text.parse::<Table>().ok()?;
    let state = table.get("hooks").and_then(|hooks| hooks.get("state"));
    let Some(old) = state.and_then(|state| state.get(key)) else {
        return added(text, &format!("[hooks.state.{}]", quoted(key)), "trusted_hash", hash);
    };
    // An older hash is replaced where it is.
    let old = quoted(old.get("trusted_hash")?.as_str()?);
    let replaced = text.replacen(&old, &quoted(hash), 1);
    (text.matches(&old).count() == 1 && replaced.parse::<Table>().is_ok()).then_some(replaced)
}

/// The text without the tables that redgreen has added for a file of hooks and a project.
pub fn without_own(text: &str, hooks_file: &str, project: Option<&str>) -> String {
    let key = quoted(hooks_file);
    let hook = format!("[hooks.state.{}:", key.trim_end_matches('"'));
    let project = project.map(|root| format!("[projects.{}]", quoted(root)));
    let is_own_header = |line: &str| {
        line.starts_with(&hook) || project.as_ref().is_some_and(|project| line == project)
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut left = String::new();
    let mut index = 0;
    while index < lines.len() {
        let own = |at: usize| {
            let header = lines.get(at).is_some_and(|line| is_own_header(line.trim_end()));
            let mark = format!("# {MARK}");
            header && lines.get(at + 1).is_some_and(|line| line.trim_end().ends_with(&mark))
        };
        if own(index) {
            // The line break before it came with it.
            let ending = if left.ends_with("\r\n") { 2 } else { usize::from(left.ends_with('\n')) };
            left.truncate(left.len() - ending);
            index += 2;
        } else {
            left.push_str(lines[index]);
            index += 1;
        }
    }
    left
}

/// A table at the end, after an empty line; at the beginning of what was nothing, without one.
fn added(text: &str, header: &str, name: &str, value: &str) -> Option<String> {
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let before = if text.is_empty() { "" } else { line };
    let value = quoted(value);
    let with = format!("{text}{before}{header}{line}{name} = {value} # {MARK}{line}");
    with.parse::<Table>().is_ok().then_some(with)
}

/// A text in double quotes, the one form that is found again.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            plain => quoted.push(plain),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: &[&str] = &[
        "",
        "\n",
        "# nothing yet",
        "model = \"m\"\n",
        "model = \"m\"",
        "model = \"m\"\r\n[features]\r\nhooks = true\r\n",
        "[projects.\"/other\"]\ntrust_level = \"trusted\"\n\n\n",
        "[hooks.state.\"/repo/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
    ];

    #[test]
    fn tables_are_added_and_taken_back_byte_for_byte() {
        for root in ["/repo", "/re \"po\"\\x", "/r'e"] {
            let file = format!("{root}/.codex/hooks.json");
            for text in TEXTS {
                let with = with_trusted_project(text, root).expect("added");
                let with =
                    with_trusted_hook(&with, &format!("{file}:stop:0:0"), "sha256:a").expect("a");
                let with =
                    with_trusted_hook(&with, &format!("{file}:session_start:1:0"), "sha256:b")
                        .expect("b");
                let table: Table = with.parse().expect("TOML");
                assert_eq!(table["projects"][root]["trust_level"].as_str(), Some("trusted"));
                let state = &table["hooks"]["state"];
                assert_eq!(
                    state[&format!("{file}:stop:0:0")]["trusted_hash"].as_str(),
                    Some("sha256:a")
                );
                assert_eq!(without_own(&with, &file, Some(root)), *text, "{with}");
                assert_eq!(without_own(text, &file, Some(root)), *text);
            }
        }
    }

    #[test]
    fn what_a_person_said_about_a_project_stays() {
        let text = "[projects.\"/repo\"]\ntrust_level = \"untrusted\"\n";
        assert_eq!(with_trusted_project(text, "/repo"), None);
        assert_eq!(without_own(text, "/repo/.codex/hooks.json", Some("/repo")), text);
    }

    #[test]
    fn a_new_hash_takes_the_place_of_the_old_one() {
        let text =
            with_trusted_hook("a = 1\n", "/r/.codex/hooks.json:stop:0:0", "sha256:old").expect("a");
        let newer =
            with_trusted_hook(&text, "/r/.codex/hooks.json:stop:0:0", "sha256:new").expect("b");
        assert_eq!(newer, text.replace("old", "new"));
        assert_eq!(without_own(&newer, "/r/.codex/hooks.json", None), "a = 1\n");
    }

    #[test]
    fn what_would_not_be_toml_is_not_written() {
        assert_eq!(with_trusted_hook("hooks = {}\n", "/r:stop:0:0", "sha256:a"), None);
        assert_eq!(with_trusted_hook("not toml", "/r:stop:0:0", "sha256:a"), None);
        assert_eq!(with_trusted_project("projects = {}\n", "/r"), None);
    }
}
