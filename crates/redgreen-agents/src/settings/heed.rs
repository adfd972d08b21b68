//! What decides whether an agent heeds redgreen's hooks, as facts that can be compared: redgreen's entries,
//! and what turns hooks off. Everything else in settings is nobody's business here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use redgreen_model::text::{LINE_CHARS, clean_line};
use serde::{Deserialize, Serialize};

use super::{Form, Settings, Surroundings, SwitchFile, UserFile, entries, file, plugin};
use crate::agent::Agent;

/// What one settings file says about redgreen's hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookFacts {
    /// redgreen's entries, each with its event.
    #[serde(default)]
    hooks: BTreeSet<(String, String)>,
    /// What turns hooks off, each with its value.
    #[serde(default)]
    off: BTreeMap<String, String>,
    /// Why its entries cannot be read.
    #[serde(default)]
    unreadable: Option<String>,
}

/// What all settings of an agent say about redgreen's hooks, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookState(BTreeMap<PathBuf, HookFacts>);

/// A settings file, wherever the project and the user's home are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Project(&'static str),
    User(UserFile),
}

/// The files of a project that bear on whether an agent runs redgreen's hooks.
pub fn project_files(agent: &Agent) -> Vec<&'static str> {
    let in_project = |place: Place| match place {
        Place::Project(path) => Some(path),
        Place::User(_) => None,
    };
    agent.settings.map(places).unwrap_or_default().into_iter().filter_map(in_project).collect()
}

/// What one of these files says; its text is `None` if it is not there.
pub fn facts_in_project(agent: &Agent, path: &'static str, text: Option<&str>) -> HookFacts {
    let facts = |settings| facts(agent, settings, Place::Project(path), text);
    agent.settings.map(facts).unwrap_or_default()
}

impl HookFacts {
    /// What has become of the hooks since, in words, if they are less than they were.
    pub fn loosened(&self, now: &Self) -> Option<String> {
        if let Some(problem) = now.unreadable.as_ref().filter(|_| !self.hooks.is_empty()) {
            return Some(format!("cannot be read any more: {problem}"));
        }
        if let Some((event, _)) = self.hooks.difference(&now.hooks).next() {
            let still = now.hooks.iter().any(|(other, _)| other == event);
            let word = if still { "is not as it was" } else { "is gone" };
            return Some(format!("redgreen's hook for {event} {word}"));
        }
        let new = |(key, _): &(&String, &String)| !self.off.contains_key(*key);
        let (key, value) = now.off.iter().find(new)?;
        Some(format!("`{key}`: {} turns hooks off", clean_line(value, LINE_CHARS)))
    }

    /// Why its entries cannot be read.
    pub fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }
}

impl fmt::Display for HookFacts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks = self.hooks.iter().map(|(event, entry)| format!("{event}: {entry}"));
        let off = self.off.iter().map(|(key, value)| format!("{key}: {value}"));
        formatter.write_str(&hooks.chain(off).collect::<Vec<_>>().join("\n"))
    }
}

impl HookState {
    /// Looks at all settings of an agent, in the project and of the user, and at those of the agents whose hooks
    /// it runs besides.
    pub fn look(agent: &Agent, around: &Surroundings) -> Self {
        let others = agent.hooks.map(|contract| contract.runs_hooks_of).unwrap_or_default();
        let others = others.iter().filter_map(|name| Agent::named(name));
        let all = std::iter::once(agent).chain(others);
        Self(all.flat_map(|agent| look(agent, around)).collect())
    }

    /// What has become of the hooks since, in words: each file with what is less than it was. Files that are
    /// judged elsewhere are left out.
    pub fn loosened(&self, now: &Self, elsewhere: impl Fn(&Path) -> bool) -> Vec<String> {
        let nothing = HookFacts::default();
        let of = |state: &'_ Self, path: &PathBuf| state.0.get(path).unwrap_or(&nothing).clone();
        let mut files: BTreeSet<&PathBuf> = self.0.keys().chain(now.0.keys()).collect();
        files.retain(|path| !elsewhere(path));
        let loosened = files.into_iter().filter_map(|path| {
            Some(format!("{}: {}", path.display(), of(self, path).loosened(&of(now, path))?))
        });
        loosened.collect()
    }
}

/// The settings of an agent that have something to say, each with that.
fn look(agent: &Agent, around: &Surroundings) -> Vec<(PathBuf, HookFacts)> {
    let Some(settings) = agent.settings else { return Vec::new() };
    let said = places(settings).into_iter().map(|place| {
        let path = match place {
            Place::Project(path) => around.root.join(path),
            Place::User(file) => around.user_file(&file),
        };
        // What cannot be read says nothing: that is no agent's doing.
        let text = file::read(&path, None).ok().and_then(|found| found.text);
        (path, facts(agent, settings, place, text.as_deref()))
    });
    said.filter(|(_, facts)| *facts != HookFacts::default()).collect()
}

/// The files that bear on an agent's hooks.
fn places(settings: &Settings) -> Vec<Place> {
    let mut places = vec![Place::Project(settings.project), Place::User(settings.user)];
    for file in settings.switches.iter().flat_map(|switch| switch.files) {
        let place = match file {
            SwitchFile::Own => continue,
            SwitchFile::Project(path) => Place::Project(path),
            SwitchFile::User(file) => Place::User(*file),
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn facts(agent: &Agent, settings: &Settings, place: Place, text: Option<&str>) -> HookFacts {
    let mut facts = HookFacts::default();
    let Some(text) = text else { return facts };
    let own = [Place::Project(settings.project), Place::User(settings.user)].contains(&place);
    if own {
        match &settings.form {
            Form::Entries(form) => match entries::own(text, agent.name, form) {
                Ok(own) => {
                    let own = own.into_iter().map(|(event, entry)| (event, entry.to_string()));
                    facts.hooks = own.collect();
                }
                Err(wrong) => facts.unreadable = Some(wrong.to_string()),
            },
            Form::Plugin(_) if plugin::is_own(text) => {
                facts.hooks.insert(("stop".to_owned(), text.to_owned()));
            }
            Form::Plugin(_) => {}
        }
    }
    let path = match place {
        Place::Project(path) => Path::new(path),
        Place::User(file) => Path::new(file.file),
    };
    for switch in settings.switches {
        let is_here = switch.files.iter().any(|file| match file {
            SwitchFile::Own => own,
            SwitchFile::Project(path) => place == Place::Project(path),
            SwitchFile::User(file) => place == Place::User(*file),
        });
        if let Some((true, value)) = switch.said_in(path, text).filter(|_| is_here) {
            facts.off.insert(switch.key(), value);
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::super::{Scope, install};
    use super::*;

    /// The settings of each agent as redgreen writes them, with more around it.
    fn installed(agent: &Agent) -> Option<(&'static str, String)> {
        let folder = tempfile::tempdir().expect("a folder");
        let around = Surroundings {
            root: folder.path().to_owned(),
            home: folder.path().join("home"),
            variables: BTreeMap::new(),
        };
        let settings = agent.settings?;
        let done = install(agent, settings, &around, Scope::Project, "/bin/redgreen");
        let text = std::fs::read_to_string(done.expect("installed").0).expect("text");
        Some((settings.project, text))
    }

    fn loosened(agent: &Agent, path: &'static str, before: &str, now: Option<&str>) -> String {
        let before = facts_in_project(agent, path, Some(before));
        before.loosened(&facts_in_project(agent, path, now)).unwrap_or_default()
    }

    #[test]
    fn what_is_not_about_the_hooks_of_redgreen_is_nobodys_business() {
        for agent in crate::AGENTS {
            let Some((path, text)) = installed(agent) else { continue };
            assert_eq!(loosened(agent, path, &text, Some(&text)), "", "{path}");
            let Ok(mut value) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
            value["permissions"] = serde_json::json!({"allow": ["Bash(make:*)"]});
            value["theme"] = serde_json::json!("dark");
            value["hooks"]["PreToolUse"] = serde_json::json!([{"hooks": [{"command": "lint"}]}]);
            let events = value["hooks"].as_object_mut().expect("events");
            for entries in events.values_mut().filter_map(serde_json::Value::as_array_mut) {
                entries.insert(0, serde_json::json!({"hooks": [{"command": "beep"}]}));
                // Beside redgreen's command in the same entry.
                let group = entries.last_mut().and_then(|it| it.get_mut("hooks")?.as_array_mut());
                group.into_iter().for_each(|it| it.push(serde_json::json!({"command": "boop"})));
            }
            // Another layout, too.
            assert_eq!(loosened(agent, path, &text, Some(&value.to_string())), "", "{path}");
        }
    }

    #[test]
    fn a_hook_that_is_gone_or_edited_or_cannot_be_read_is_less() {
        for agent in crate::AGENTS {
            let Some((path, text)) = installed(agent) else { continue };
            for now in [None, Some(""), Some("{}"), Some("{\"hooks\": {}}")] {
                let said = loosened(agent, path, &text, now);
                let is_said = said.ends_with("is gone") || said.contains("cannot be read any more");
                assert!(is_said, "{path}: {said}");
            }
            let others = [("600", "1"), ("\"type\"", "\"async\": true, \"type\""), ("stop", "x")];
            for (from, to) in others.into_iter().filter(|(from, _)| text.contains(from)) {
                let said = loosened(agent, path, &text, Some(&text.replace(from, to)));
                assert!(said.starts_with("redgreen's hook for "), "{path}: {from}: {said}");
            }
        }
        let settings = r#"{"hooks": {"Stop": [{"hooks": [{"command": "sh redgreen-hook.sh"}]}]}}"#;
        let path = ".claude/settings.json";
        let claude = Agent::named("claude").expect("claude");
        let said = loosened(claude, path, settings, Some("{\"hooks\": {\"Stop\": []}}"));
        assert_eq!(said, "redgreen's hook for Stop is gone", "somebody's own way of calling it");
    }

    #[test]
    fn a_switch_is_less_in_whichever_file_it_is() {
        let all = r#"{"disableAllHooks": true}"#;
        let features = "[features]\nhooks = false\n";
        for (agent, path, text) in [
            ("claude", ".claude/settings.json", all),
            ("claude", ".claude/settings.local.json", all),
            ("codex", ".codex/config.toml", features),
            ("codex", ".codex/config.toml", "[features]\ncodex_hooks = false\n"),
            ("gemini", ".gemini/settings.json", r#"{"hooksConfig": {"enabled": false}}"#),
            ("gemini", ".gemini/settings.json", r#"{"hooksConfig": {"disabled": ["redgreen"]}}"#),
            ("qwen", ".qwen/settings.json", all),
            ("copilot", ".github/hooks/redgreen.json", all),
            ("copilot", ".github/copilot/settings.json", all),
        ] {
            let agent = Agent::named(agent).expect(agent);
            let path = project_files(agent).into_iter().find(|file| *file == path).expect(path);
            let said = loosened(agent, path, "", Some(text));
            assert!(said.ends_with("turns hooks off"), "{path}: {said}");
            assert_eq!(loosened(agent, path, text, Some(text)), "", "it was so before");
            let on = text.replace("true", "false").replace("= false", "= true");
            let on = on.replace("enabled\": false", "enabled\": true").replace("redgreen", "other");
            assert_eq!(loosened(agent, path, "", Some(&on)), "", "{path}: {on}");
        }
    }

    #[test]
    fn the_settings_of_a_user_are_compared_where_no_tree_has_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let around = Surroundings {
            root: folder.path().join("root"),
            home: folder.path().join("home"),
            variables: BTreeMap::new(),
        };
        let claude = Agent::named("claude").expect("claude");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        };
        write("home/.claude/settings.json", "{\"permissions\": {}}");
        let before = HookState::look(claude, &around);
        let kept = serde_json::to_string(&before).expect("JSON");
        let before: HookState = serde_json::from_str(&kept).expect("a state");
        let less = |in_tree: bool| {
            let tree = |path: &Path| in_tree && path.starts_with(&around.root);
            before.loosened(&HookState::look(claude, &around), tree)
        };
        write("home/.claude/settings.json", "{\"permissions\": {\"allow\": [\"Bash\"]}}");
        assert_eq!(less(false), [""; 0]);
        write("root/.claude/settings.local.json", "{\"disableAllHooks\": true}");
        assert_eq!(less(false).len(), 1);
        assert_eq!(less(true), [""; 0]);
        write("home/.claude/settings.json", "{\"disableAllHooks\": true}");
        let said = less(true).concat();
        assert!(
            said.ends_with("home/.claude/settings.json: `disableAllHooks`: true turns hooks off"),
            "{said}"
        );
    }
}
