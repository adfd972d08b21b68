//! The commands in a project's CI files, read just well enough to see which suites they run, also through `make`,
//! `just`, tox and nox.

use redgreen_model::framework::FrameworkId;

use crate::adapter::{ProjectFiles, SuggestedCheck};
use crate::command::{program_name, simple_commands};
use crate::detect;

/// CI files at the root, and the folder of those of GitHub.
const FILES: &[&str] =
    &[".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".circleci/config.yml"];
const WORKFLOWS: &str = ".github/workflows/";
/// Keys whose value is a command, or begins a block of commands.
const COMMAND_KEYS: &[&str] = &["run:", "script:", "bash:", "command:"];
/// Programs that run the scripts of a `package.json`.
const MANAGERS: &[&str] = &["npm", "pnpm", "yarn", "bun", "npx"];
/// How deep a target of make is followed into others.
const DEPTH: usize = 3;

/// A command that CI runs.
pub(super) struct Run {
    /// The CI file.
    pub(super) file: String,
    /// Where it runs, from the root.
    pub(super) folder: String,
    pub(super) command: String,
    /// The framework that it runs, where that can be seen.
    pub(super) framework: Option<FrameworkId>,
    /// Whether it means the same outside of CI.
    pub(super) plain: bool,
}

impl Run {
    /// Whether this is how CI runs a check.
    pub(super) fn tests(&self, check: &SuggestedCheck) -> bool {
        let words = || simple_commands(&self.command).into_iter();
        let below = |word: &str| {
            let word = word.trim_start_matches("./");
            word == check.folder
                || word.strip_prefix(&check.folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let here = self.folder == check.folder
            || self.folder.is_empty() && words().flatten().any(|word| below(&word));
        let script = |words: &[String]| {
            let scripts = |word: &String| word == "t" || word.contains("test");
            words.split_first().is_some_and(|(program, rest)| {
                MANAGERS.contains(&program_name(program)) && rest.iter().any(scripts)
            })
        };
        let managed = |command: &str| simple_commands(command).iter().any(|words| script(words));
        here && (self.framework == Some(check.framework)
            || self.command == check.command
            || managed(&check.command) && managed(&self.command))
    }
}

/// Every command of CI that runs tests, as far as that can be seen.
pub(super) fn runs(project: &dyn ProjectFiles) -> Vec<Run> {
    let files = project.paths().iter().filter(|path| is_ci_file(path));
    let mut runs = Vec::new();
    for file in files {
        let Some(text) = project.read(file) else { continue };
        for (folder, command) in commands(&text) {
            // CI checks other things out as well, and works in them.
            if !is_there(project, &folder) {
                continue;
            }
            let framework =
                detect(&command).or_else(|| through_a_tool(project, &folder, &command, DEPTH));
            let plain = !command.contains(['$', '{', '`', '|', '>', '<', '*', '\\']);
            runs.push(Run { file: file.clone(), folder, command, framework, plain });
        }
    }
    runs
}

fn is_there(project: &dyn ProjectFiles, folder: &str) -> bool {
    let below = format!("{folder}/");
    folder.is_empty() || project.paths().iter().any(|path| path.starts_with(&below))
}

/// Whether a file says what CI does.
pub(crate) fn is_ci_file(path: &str) -> bool {
    let yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    FILES.contains(&path) || path.starts_with(WORKFLOWS) && yaml
}

/// The commands of a CI file with the folders they run in. YAML is read by its lines: a list item is a step.
pub(crate) fn commands(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut folder, mut step) = (String::new(), 0);
    // The commands of a block lie deeper than its key.
    let mut block: Option<(usize, bool)> = None;
    let mut moved = String::new();
    for line in text.replace("\\\n", " ").lines() {
        let mut indent = line.len() - line.trim_start().len();
        let mut rest = line.trim();
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        let item = rest.starts_with("- ");
        if block.is_some_and(|(key, list)| indent > key || list && item && indent == key) {
            add(&mut found, &folder, &mut moved, rest.trim_start_matches("- "));
            continue;
        }
        block = None;
        if let Some(item) = rest.strip_prefix("- ") {
            (folder, step, moved) = (String::new(), found.len(), String::new());
            rest = item.trim();
            indent += 2;
        }
        if let Some(value) = rest.strip_prefix("working-directory:") {
            folder = inside("", value);
            for (known, _) in found.iter_mut().skip(step) {
                *known = inside(&folder, known);
            }
            continue;
        }
        let value = COMMAND_KEYS.iter().find_map(|key| rest.strip_prefix(key)).map(str::trim);
        match value {
            Some("") => block = Some((indent, true)),
            Some("|" | ">" | "|-" | ">-" | "|+") => block = Some((indent, false)),
            Some(command) => add(&mut found, &folder, &mut moved, command),
            None => {}
        }
    }
    found
}

/// Adds one line of a script; a `cd` moves those after it.
fn add(found: &mut Vec<(String, String)>, folder: &str, moved: &mut String, line: &str) {
    let line = unquoted(line.trim());
    let (first, rest) = line.split_once("&&").unwrap_or((line, ""));
    if let Some(to) = first.trim().strip_prefix("cd ").filter(|to| !to.contains(['$', '{'])) {
        let to = inside(moved, to);
        match rest.trim() {
            "" => *moved = to,
            rest => found.push((inside(folder, &to), rest.to_owned())),
        }
        return;
    }
    found.push((inside(folder, moved), line.to_owned()));
}

/// A folder named in another one, from the root, without `.` and `..`.
fn inside(folder: &str, name: &str) -> String {
    let name = unquoted(name.trim());
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(name.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The framework that a command runs through make, just, tox or nox.
fn through_a_tool(
    project: &dyn ProjectFiles,
    folder: &str,
    command: &str,
    depth: usize,
) -> Option<FrameworkId> {
    let read = |names: &[&str]| names.iter().find_map(|name| project.read(&inside(folder, name)));
    simple_commands(command).iter().find_map(|words| {
        let (program, arguments) = words.split_first()?;
        let mut named = arguments.iter().filter(|word| !word.starts_with('-'));
        match program_name(program) {
            "make" | "gmake" => {
                let text = read(&["Makefile", "makefile", "GNUmakefile"])?;
                let target = named.next()?;
                recipe(&text, target, depth)
                    .iter()
                    .find_map(|line| detect(line).or_else(|| deeper(project, folder, line, depth)))
            }
            "just" => {
                let text = read(&["justfile", "Justfile", ".justfile"])?;
                let target = named.next()?;
                recipe(&text, target, depth).iter().find_map(|line| detect(line))
            }
            "tox" => {
                let text = read(&["tox.ini"])?;
                let line = |line: &str| detect(line.trim().trim_start_matches("commands =").trim());
                let named =
                    value_of(arguments, &["-e", "--env"]).map(|env| format!("testenv:{env}"));
                let own =
                    named.map(|section| section_of(&text, &section)).filter(|it| !it.is_empty());
                own.as_deref().unwrap_or(&text).lines().find_map(line)
            }
            "nox" => {
                let text = read(&["noxfile.py"])?;
                let named = value_of(arguments, &["-s", "--session", "--sessions"]);
                let own =
                    named.map(|session| function_of(&text, session)).filter(|it| !it.is_empty());
                let text = own.as_deref().unwrap_or(&text);
                let runs = |word: &str| text.contains(&format!("\"{word}\""));
                let known = [("pytest", crate::pytest::ID), ("unittest", crate::unittest::ID)];
                known.into_iter().find(|(word, _)| runs(word)).map(|(_, framework)| framework)
            }
            _ => None,
        }
    })
}

/// The word behind one of these switches.
fn value_of<'words>(words: &'words [String], switches: &[&str]) -> Option<&'words str> {
    let at = words.iter().position(|word| switches.contains(&word.as_str()))?;
    words.get(at + 1).map(String::as_str)
}

/// The lines of a section of an INI file; none where it has no such section.
fn section_of(text: &str, name: &str) -> String {
    let head = format!("[{name}]");
    let lines = text.lines().skip_while(|line| line.trim() != head).skip(1);
    lines.take_while(|line| !line.starts_with('[')).flat_map(|line| [line, "\n"]).collect()
}

/// The body of a Python function of a module; none where it has no such function.
fn function_of(text: &str, name: &str) -> String {
    let head = format!("def {name}(");
    let lines = text.lines().skip_while(|line| !line.starts_with(&head)).skip(1);
    let inside = |line: &&str| line.is_empty() || line.starts_with([' ', '\t', ')', '#']);
    lines.take_while(inside).flat_map(|line| [line, "\n"]).collect()
}

fn deeper(
    project: &dyn ProjectFiles,
    folder: &str,
    line: &str,
    depth: usize,
) -> Option<FrameworkId> {
    (depth > 0).then(|| through_a_tool(project, folder, line, depth - 1)).flatten()
}

/// The lines of a target of a Makefile or justfile, and of the targets that it needs.
pub(super) fn recipe(text: &str, target: &str, depth: usize) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| head(line, target).is_none());
    let Some(needs) = lines.next().and_then(|line| head(line, target)) else { return Vec::new() };
    let body = lines.take_while(|line| line.is_empty() || line.starts_with([' ', '\t']));
    let body = body.map(|line| line.trim().trim_start_matches(['@', '-', '+']).to_owned());
    let mut found: Vec<String> = body.filter(|line| !line.is_empty()).collect();
    if depth > 0 {
        found.extend(needs.split_whitespace().flat_map(|need| recipe(text, need, depth - 1)));
    }
    found
}

/// What stands behind the name of a target, where the line is its head.
fn head<'line>(line: &'line str, target: &str) -> Option<&'line str> {
    let (names, needs) = line.split_once(':')?;
    let assigned = needs.starts_with(['=', ':']) || names.starts_with([' ', '\t', '#']);
    (!assigned && names.split_whitespace().next() == Some(target)).then_some(needs)
}

/// Without the quotes around all of it.
fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('\'').or_else(|| inside('"')).unwrap_or(text)
}
