//! What a project tells pytest, by its own files.

use toml::{Table, Value};

use crate::adapter::ProjectFiles;
use crate::command::simple_commands;
use crate::sides::splice::ini;
use crate::sides::{ReachedCommand, joined};

/// Files that configure pytest in the order in which it looks, and their sections; none for TOML.
const FILES: &[(&str, Option<&str>)] = &[
    ("pytest.ini", Some("pytest")),
    (".pytest.ini", Some("pytest")),
    ("pytest.toml", None),
    (".pytest.toml", None),
    ("pyproject.toml", None),
    ("tox.ini", Some("pytest")),
    ("setup.cfg", Some("tool:pytest")),
];

/// The settings that decide what is a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// The folder of the file that they are from.
    pub(super) folder: String,
    pub(super) python_files: Vec<String>,
    pub(super) testpaths: Vec<String>,
    pub(super) pythonpath: Vec<String>,
    /// Arguments of the command, and those that are always added.
    pub(super) arguments: Vec<String>,
}

impl Settings {
    /// For a command that runs pytest.
    pub(super) fn of(command: &ReachedCommand, baseline: &dyn ProjectFiles) -> Self {
        let mut settings = Self { folder: command.folder.clone(), ..Self::default() };
        let mut folder = Some(command.folder.as_str());
        while let Some(here) = folder {
            if let Some(found) = Self::in_folder(here, baseline) {
                settings = found;
                break;
            }
            let above = here.rsplit_once('/').map_or("", |(above, _)| above);
            folder = (!here.is_empty()).then_some(above);
        }
        settings.arguments.extend(command.words.iter().skip(1).cloned());
        let overridden = |name: &str| {
            let assigned = settings.arguments.iter().find_map(|word| {
                word.trim_start_matches("-o").strip_prefix(name)?.strip_prefix('=')
            });
            assigned.map(words)
        };
        if let Some(python_files) = overridden("python_files") {
            settings.python_files = python_files;
        }
        settings
    }

    fn in_folder(folder: &str, baseline: &dyn ProjectFiles) -> Option<Self> {
        FILES.iter().find_map(|(name, section)| {
            let text = baseline.read(&joined(folder, name))?;
            let value = match section {
                Some(section) => {
                    let always = name.ends_with("pytest.ini");
                    if !always && !ini::has_section(&text, section) {
                        return None;
                    }
                    Box::new(move |key: &str| ini::value(&text, section, key))
                        as Box<dyn Fn(&str) -> Option<String>>
                }
                None => {
                    let table = text.parse::<Table>().ok()?;
                    let table = match *name {
                        "pyproject.toml" => {
                            let pytest = table.get("tool")?.get("pytest")?;
                            pytest.get("ini_options").unwrap_or(pytest).as_table()?.clone()
                        }
                        _ => {
                            table.get("pytest").and_then(Value::as_table).cloned().unwrap_or(table)
                        }
                    };
                    Box::new(move |key: &str| table.get(key).map(toml_words))
                }
            };
            let list = |key: &str| value(key).map(|text| words(&text)).unwrap_or_default();
            Some(Self {
                folder: folder.to_owned(),
                python_files: list("python_files"),
                testpaths: list("testpaths"),
                pythonpath: list("pythonpath"),
                arguments: list("addopts"),
            })
        })
    }

    /// The values of an option of the command line: `-p name`, `-pname`, `--option=value`.
    pub(super) fn options(&self, short: &str, long: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let mut before = "";
        for word in &self.arguments {
            let value = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
            let glued =
                word.strip_prefix(short).filter(|rest| !short.is_empty() && !rest.is_empty());
            if (before == short && !short.is_empty()) || before == long {
                found.push(word.as_str());
            } else if let Some(value) = value.or(glued.filter(|_| !word.starts_with("--"))) {
                found.push(value);
            }
            before = word;
        }
        found
    }
}

/// A list of words as settings write them: with quotes, on one line or several.
fn words(text: &str) -> Vec<String> {
    simple_commands(&text.replace(['\n', ','], " ")).into_iter().flatten().collect()
}

fn toml_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items
            .iter()
            .filter_map(Value::as_str)
            .map(|item| format!("'{}'", item.replace('\'', "")))
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    }
}
