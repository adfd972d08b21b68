//! Settings that turn hooks off, wherever those are installed and however well they are written.

use std::path::{Path, PathBuf};

use super::entries::value_of;
use super::json::{Comments, parse};
use super::{Scope, Settings, Surroundings, UserFile, file};

/// A setting that turns hooks off.
#[derive(Debug)]
pub struct Switch {
    /// The files that may have it, the strongest first.
    pub files: &'static [SwitchFile],
    /// The names that lead to it.
    pub names: &'static [&'static str],
    /// What turns the hooks off.
    pub off: Off,
}

/// A file that may have a switch.
#[derive(Debug)]
pub enum SwitchFile {
    /// The file that has the hooks, which it counts for alone.
    Own,
    /// A file of the project, from its root.
    Project(&'static str),
    /// A file of the user.
    User(UserFile),
}

/// What turns hooks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Off {
    /// This value, in the strongest file that has one.
    At(bool),
    /// This name in a list, in any file.
    Naming(&'static str),
}

/// A switch that was found to turn hooks off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchedOff {
    /// The file that has it.
    pub path: PathBuf,
    /// The setting's name, with dots where it is in others.
    pub key: String,
    /// What it is set to.
    pub value: String,
}

/// What keeps an agent from running the hooks of a scope, if anything does.
pub fn switched_off(
    settings: &Settings,
    around: &Surroundings,
    scope: Scope,
) -> Option<SwitchedOff> {
    settings.switches.iter().find_map(|switch| {
        let found = |file: &SwitchFile| switch.found_in(&file.path(settings, around, scope));
        let mut values = switch.files.iter().filter_map(found);
        match switch.off {
            Off::At(_) => values.next().filter(|(off, _)| *off),
            Off::Naming(_) => values.find(|(off, _)| *off),
        }
        .map(|(_, found)| found)
    })
}

impl SwitchFile {
    fn path(&self, settings: &Settings, around: &Surroundings, scope: Scope) -> PathBuf {
        match self {
            Self::Own => around.file(settings, scope),
            Self::Project(path) => around.root.join(path),
            Self::User(user) => around.user_file(user),
        }
    }
}

impl Switch {
    /// Whether a file's value turns the hooks off; nothing for a file that has none. What cannot be
    /// read turns nothing off: agents leave it out, too.
    fn found_in(&self, path: &Path) -> Option<(bool, SwitchedOff)> {
        let (off, value) = self.said_in(path, &file::read(path, None).ok()?.text?)?;
        Some((off, SwitchedOff { path: path.to_owned(), key: self.key(), value }))
    }

    /// The setting's name, with dots where it is in others.
    pub(super) fn key(&self) -> String {
        self.names.join(".")
    }

    /// Whether the text of a file turns the hooks off, and by which value.
    pub(super) fn said_in(&self, path: &Path, text: &str) -> Option<(bool, String)> {
        let document = if path.extension().is_some_and(|kind| kind == "toml") {
            serde_json::to_value(text.parse::<toml::Table>().ok()?).ok()?
        } else {
            value_of(text, &parse(text, Comments::Allowed).ok()?)
        };
        let value = self.names.iter().try_fold(&document, |value, name| value.get(name))?;
        let off = match self.off {
            Off::At(off) => value.as_bool()? == off,
            Off::Naming(name) => value.as_array()?.iter().any(|item| item == name),
        };
        Some((off, value.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;

    static SETTINGS: Settings = Settings {
        project: ".agent/hooks.json",
        user: UserFile { variable: None, folder: ".agent", file: "hooks.json" },
        form: Form::Plugin(str::to_owned),
        switches: &[
            Switch {
                files: &[
                    SwitchFile::Project(".agent/local.json"),
                    SwitchFile::User(UserFile {
                        variable: None,
                        folder: ".agent",
                        file: "user.json",
                    }),
                ],
                names: &["hooks", "enabled"],
                off: Off::At(false),
            },
            Switch { files: &[SwitchFile::Own], names: &["names"], off: Off::Naming("redgreen") },
        ],
    };

    fn look(files: &[(&str, &str)], scope: Scope) -> Option<(String, String)> {
        let folder = tempfile::tempdir().expect("a folder");
        let around = Surroundings {
            root: folder.path().join("root"),
            home: folder.path().join("home"),
            variables: std::collections::BTreeMap::new(),
        };
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let found = switched_off(&SETTINGS, &around, scope)?;
        let path = found.path.strip_prefix(folder.path()).expect("below").display().to_string();
        Some((path, format!("{}: {}", found.key, found.value)))
    }

    #[test]
    fn the_strongest_file_decides() {
        let off = "{\"hooks\": { /* not now */ \"enabled\": false}}";
        let on = "{\"hooks\": {\"enabled\": true}}";
        let (local, user) = ("root/.agent/local.json", "home/.agent/user.json");
        let found = |path: &str| Some((path.to_owned(), "hooks.enabled: false".to_owned()));
        assert_eq!(look(&[(local, off)], Scope::Project), found(local));
        assert_eq!(look(&[(user, off)], Scope::Project), found(user));
        assert_eq!(look(&[(user, off), (local, "{}")], Scope::User), found(user));
        assert_eq!(look(&[(user, off), (local, on)], Scope::Project), None);
        assert_eq!(look(&[(user, on), (local, off)], Scope::Project), found(local));
        for odd in ["", "{", "{\"hooks\": false}", "{\"hooks\": {\"enabled\": \"false\"}}"] {
            assert_eq!(look(&[(local, odd)], Scope::Project), None, "{odd}");
        }
    }

    #[test]
    fn a_file_of_hooks_turns_off_its_own() {
        let text = "{\"names\": [\"other\",\n \"redgreen\"]}";
        let path = "root/.agent/hooks.json";
        let found = Some((path.to_owned(), "names: [\"other\",\"redgreen\"]".to_owned()));
        assert_eq!(look(&[(path, text)], Scope::Project), found);
        assert_eq!(look(&[(path, text)], Scope::User), None);
        assert_eq!(look(&[(path, "{\"names\": [\"other\"]}")], Scope::Project), None);
    }
}
