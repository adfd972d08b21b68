//! What a project has its own coverage tool leave out, by its configuration as it was before a change: coverage.py, nyc,
//! c8, jest and vitest.

#[cfg(test)]
mod tests;

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;
use serde_json::Value;

use crate::change::MARKS;

/// coverage.py's configuration, the first that there is first, and what stands before the names of its sections.
const PYTHON: &[(&str, &str)] =
    &[(".coveragerc", ""), ("setup.cfg", "coverage:"), ("tox.ini", "coverage:")];
/// The configuration of nyc and c8, where it has a file of its own.
const NODE: &[&str] = &[".nycrc", ".nycrc.json", ".c8rc", ".c8rc.json"];
/// How the names of files begin that are configuration in a program's form, and the list in them that leaves out.
const PROGRAMS: &[(&str, Option<&str>, &str, Form)] = &[
    ("jest.config.", None, "coveragePathIgnorePatterns", Form::Pattern),
    ("vitest.config.", Some("coverage"), "exclude", Form::Glob),
    ("vite.config.", Some("coverage"), "exclude", Form::Glob),
];
/// Where jest's patterns begin that are for its own folder.
const JEST_ROOT: &str = "<rootDir>";

/// How a list names files.
#[derive(Clone, Copy)]
enum Form {
    Glob,
    /// A regular expression of the path.
    Pattern,
}

/// Files and lines that the project's own tool does not count.
#[derive(Clone, Debug, Default)]
pub struct Exclusions {
    globs: Vec<GlobMatcher>,
    /// For the path from the root, with a `/` before it.
    patterns: Vec<Regex>,
    /// For lines of Python.
    lines: Vec<Regex>,
}

impl Exclusions {
    /// Reads the configuration at the root of a project. What cannot be read leaves nothing out.
    #[must_use]
    pub fn read(paths: &[String], text: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut found = Self::default();
        found.python(text);
        let json = |text: String| serde_json::from_str::<Value>(&text).ok();
        for name in NODE.iter().filter(|name| paths.iter().any(|path| path == *name)) {
            found.node(text(name).and_then(json).as_ref());
        }
        if let Some(manifest) = text("package.json").and_then(json) {
            found.node(manifest.get("nyc"));
            found.node(manifest.get("c8"));
            let jest = manifest.get("jest").and_then(|it| it.get("coveragePathIgnorePatterns"));
            strings(jest).for_each(|it| found.leave_out(Form::Pattern, &it));
        }
        for (start, around, list, form) in PROGRAMS {
            for path in paths.iter().filter(|path| path.starts_with(start)) {
                let text = text(path).unwrap_or_default();
                let within = around.map_or(Some(text.as_str()), |key| behind_key(&text, key));
                let listed = within.and_then(|within| behind_key(within, list)).map(literals);
                listed.unwrap_or_default().iter().for_each(|it| found.leave_out(*form, it));
            }
        }
        found
    }

    /// Whether nothing of a file is counted.
    #[must_use]
    pub fn has_file(&self, path: &str) -> bool {
        let framed = format!("/{path}");
        self.globs.iter().any(|glob| glob.is_match(path) || glob.is_match(&framed))
            || self.patterns.iter().any(|pattern| pattern.is_match(&framed))
    }

    /// Whether what a line begins is not counted. A mark in it says the same, and is judged by itself.
    #[must_use]
    pub fn has_line(&self, path: &str, line: &str) -> bool {
        path.ends_with(".py")
            && !MARKS.iter().any(|mark| line.contains(mark))
            && self.lines.iter().any(|pattern| pattern.is_match(line))
    }

    /// Whether lines are left out at all.
    pub(crate) fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    fn leave_out(&mut self, form: Form, text: &str) {
        match form {
            Form::Glob => {
                // A folder is left out with what is in it.
                let plain = text.trim_start_matches("./").trim_end_matches('/');
                for glob in [plain.to_owned(), format!("{plain}/**")] {
                    let glob = GlobBuilder::new(&glob).literal_separator(true).build();
                    self.globs.extend(glob.map(|glob| glob.compile_matcher()));
                }
            }
            Form::Pattern => {
                let pattern = text.replacen(JEST_ROOT, "^", 1);
                self.patterns.extend(Regex::new(&pattern));
            }
        }
    }

    fn node(&mut self, settings: Option<&Value>) {
        let listed = strings(settings.and_then(|settings| settings.get("exclude")));
        listed.for_each(|it| self.leave_out(Form::Glob, &it));
    }

    fn python(&mut self, text: &dyn Fn(&str) -> Option<String>) {
        for (name, before) in PYTHON {
            let Some(text) = text(name) else { continue };
            let value = |section: &str, key| ini(&text, &format!("[{before}{section}]"), key);
            if text.lines().any(|line| line.trim_start().starts_with(&format!("[{before}"))) {
                let omitted = [value("run", "omit"), value("report", "omit")].concat();
                let also = [value("report", "exclude_lines"), value("report", "exclude_also")];
                return self.of_coverage_py(&omitted, &also.concat());
            }
        }
        let Some(manifest) = text("pyproject.toml").and_then(|it| it.parse::<toml::Table>().ok())
        else {
            return;
        };
        let tool = manifest.get("tool").and_then(|it| it.get("coverage"));
        let list = |section: &str, key: &str| -> Vec<String> {
            let listed = tool.and_then(|it| it.get(section)?.get(key)?.as_array());
            listed.into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
        };
        let omitted = [list("run", "omit"), list("report", "omit")].concat();
        let also = [list("report", "exclude_lines"), list("report", "exclude_also")].concat();
        self.of_coverage_py(&omitted, &also);
    }

    fn of_coverage_py(&mut self, omitted: &[String], lines: &[String]) {
        // Its `*` goes over separators.
        let globs =
            omitted.iter().map(|glob| GlobBuilder::new(glob.trim_start_matches("./")).build());
        self.globs.extend(globs.filter_map(Result::ok).map(|glob| glob.compile_matcher()));
        self.lines.extend(lines.iter().filter_map(|line| Regex::new(line).ok()));
    }
}

fn strings(list: Option<&Value>) -> impl Iterator<Item = String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned)
}

/// The lines of a value in a file of sections.
fn ini(text: &str, section: &str, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut is_here, mut is_value) = (false, false);
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        let value = match line.split_once('=') {
            _ if line.starts_with('[') => {
                (is_here, is_value) = (line.trim_end() == section, false);
                continue;
            }
            // A value goes on as long as lines are indented.
            _ if line.starts_with([' ', '\t']) => line,
            Some((name, value)) => {
                is_value = is_here && name.trim() == key;
                value
            }
            None => continue,
        };
        let values = value.split(if key == "omit" { ',' } else { '\n' }).map(str::trim);
        found.extend(values.filter(|it| is_value && !it.is_empty()).map(str::to_owned));
    }
    found
}

/// What stands behind a key of an object in a program.
fn behind_key<'text>(text: &'text str, key: &str) -> Option<&'text str> {
    text.match_indices(key).find_map(|(at, _)| {
        let rest = text.get(at + key.len()..)?.trim_start_matches(['"', '\'']).trim_start();
        rest.strip_prefix(':')
    })
}

/// The texts of a list in a program.
fn literals(text: &str) -> Vec<String> {
    let Some(list) = text.trim_start().strip_prefix('[') else { return Vec::new() };
    let mut found = Vec::new();
    let mut rest = list;
    while let Some(at) = rest.find(['"', '\'', '`', ']']) {
        let (_, behind) = rest.split_at(at);
        let mark = behind.chars().next().unwrap_or(']');
        let Some(inner) = behind.strip_prefix(mark).filter(|_| mark != ']') else { break };
        let Some(end) = inner.find(mark) else { break };
        found.push(inner.get(..end).unwrap_or_default().replace("\\\\", "\\"));
        rest = inner.get(end + 1..).unwrap_or_default();
    }
    found
}
