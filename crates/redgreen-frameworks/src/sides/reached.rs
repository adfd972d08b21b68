//! What a test command runs: itself, and what the scripts, targets and tasks that it names run.

use std::collections::BTreeSet;

use serde_json::Value;

use super::splice::make;
use super::{Rule, SideCheck, file_in};
use crate::ADAPTERS;
use crate::adapter::ProjectFiles;
use crate::command::{program_name, simple_commands};
use crate::roles::{extension, name_of, split};

/// How deep a script that runs a script is followed.
const DEPTH: usize = 5;
/// The most commands that are looked at.
const COMMANDS: usize = 500;
/// What a script reads into itself (`. ./lib.sh`) may well be what is tested, and is not followed.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh"];
const INTERPRETERS: &[&str] =
    &["node", "deno", "bun", "tsx", "ts-node", "ruby", "perl", "php", "Rscript"];
const MANAGERS: &[&str] = &["npm", "pnpm", "yarn", "bun", "turbo", "nx", "lerna", "run-s", "run-p"];
/// Options whose value is a file that steers a tool, whichever it is.
const STEERING: &[&str] = &["--config", "--settings", "--init-script", "--rcfile", "--config-file"];
/// Options of runners that name code.
const ABOUT_CODE: &[&str] =
    &["--cov", "--collectCoverage", "--include", "--exclude", "--omit", "--source", "--ignore"];
/// Files with parts that are code; what of them judges is known by their kind.
const MANIFESTS: &[&str] = &[
    "package.json",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "Cargo.toml",
    "pom.xml",
    "tsconfig.json",
    "go.mod",
];

/// Whether a program's arguments are tests and what steers them, if they are files.
fn is_runner(name: &str) -> bool {
    ADAPTERS.iter().any(|adapter| adapter.runners().contains(&name))
}

/// A command that is run, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachedCommand {
    /// The folder from the root of the work tree; empty for the root.
    pub folder: String,
    /// The program and its arguments.
    pub words: Vec<String>,
}

/// All that a check runs.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// The commands, the outermost first.
    pub(crate) commands: Vec<ReachedCommand>,
    /// Files that are run or that steer a runner.
    files: BTreeSet<String>,
    /// Files with targets, and the targets that are asked for.
    targets: Vec<(String, BTreeSet<String>)>,
}

impl Reached {
    /// Follows the command of a check through the files of the baseline.
    pub(crate) fn by(check: &SideCheck<'_>, baseline: &dyn ProjectFiles) -> Self {
        let mut reached = Self::default();
        let mut open = vec![(check.path(""), check.command.to_owned(), DEPTH)];
        while let Some((folder, text, depth)) = open.pop() {
            let mut folder = folder.trim_end_matches('/').to_owned();
            for words in simple_commands(&text) {
                if let [cd, to] = words.as_slice()
                    && matches!(cd.as_str(), "cd" | "pushd")
                {
                    folder = joined(&folder, to);
                    continue;
                }
                if reached.commands.len() >= COMMANDS {
                    return reached;
                }
                let command = ReachedCommand { folder: folder.clone(), words };
                let more = reached.follow(&command, baseline);
                if depth > 0 {
                    open.extend(more.into_iter().map(|(folder, text)| (folder, text, depth - 1)));
                }
                reached.commands.push(command);
            }
        }
        reached
    }

    /// What the rules are that follow from the command alone.
    pub(crate) fn rules(&self) -> Vec<Rule> {
        let judges = |path: &String| !MANIFESTS.contains(&name_of(path));
        let run = self.files.iter().filter(|path| judges(path));
        let mut rules: Vec<Rule> = run
            .map(|path| Rule::tests(globset::escape(path), "the test command runs it"))
            .collect();
        for (path, goals) in &self.targets {
            let reason = format!("{}: how tests are run", name_of(path));
            rules.push(Rule::mixed(globset::escape(path), &make::mixture(goals.clone()), reason));
        }
        rules
    }

    /// Notes the files of one command, and gives the commands that it runs.
    fn follow(
        &mut self,
        command: &ReachedCommand,
        baseline: &dyn ProjectFiles,
    ) -> Vec<(String, String)> {
        let ReachedCommand { folder, words } = command;
        let Some((program, arguments)) = words.split_first() else { return Vec::new() };
        let name = program_name(program);
        let python = name.starts_with("python") || name.starts_with("pypy");
        let mut more = Vec::new();
        if program.contains('/') {
            more.extend(self.script(folder, program, baseline));
        }
        if SHELLS.contains(&name) || INTERPRETERS.contains(&name) || python {
            let script = arguments.iter().find(|word| !word.starts_with('-'));
            more.extend(script.and_then(|script| self.script(folder, script, baseline)));
        }
        let module = arguments.iter().position(|word| word == "-m").map(|at| at + 1);
        if let Some(module) = module.and_then(|at| arguments.get(at)).filter(|_| python) {
            self.module(folder, module, baseline);
        }
        if MANAGERS.contains(&name) {
            more.extend(scripts(folder, arguments, baseline));
        }
        match name {
            "make" | "gmake" | "just" => more.extend(self.make(folder, words, baseline)),
            "nox" => self.note(folder, "noxfile.py", baseline),
            "invoke" | "inv" => self.note(folder, "tasks.py", baseline),
            "task" => {
                for file in ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"] {
                    self.note(folder, file, baseline);
                }
            }
            _ => self.arguments(name, command, baseline),
        }
        more
    }

    /// A file that is run; what it runs in turn, if it is a shell script.
    fn script(
        &mut self,
        folder: &str,
        path: &str,
        baseline: &dyn ProjectFiles,
    ) -> Option<(String, String)> {
        let path = file_in(folder, &plain(path), baseline)?;
        let first = self.files.insert(path.clone());
        let text = baseline.read(&path).filter(|_| first)?;
        let first_line = text.lines().next().unwrap_or_default();
        let shell = matches!(extension(split(&path).1), "sh" | "bash" | "zsh")
            || first_line.starts_with("#!") && first_line.contains("sh");
        // A script is written for the folder that it is started in.
        shell.then(|| (folder.to_owned(), text))
    }

    fn module(&mut self, folder: &str, module: &str, baseline: &dyn ProjectFiles) {
        let path = module.replace('.', "/");
        for root in ["", "src/"] {
            for end in [".py", "/__main__.py"] {
                self.note(folder, &format!("{root}{path}{end}"), baseline);
            }
        }
    }

    fn note(&mut self, folder: &str, path: &str, baseline: &dyn ProjectFiles) {
        self.files.extend(file_in(folder, &plain(path), baseline));
    }

    /// Arguments that are files.
    fn arguments(&mut self, name: &str, command: &ReachedCommand, baseline: &dyn ProjectFiles) {
        let words = &command.words;
        let runs = |word: &String| is_runner(program_name(word)) || word == "--test";
        let runner = is_runner(name) || words.iter().any(runs);
        let steers = |word: &str| STEERING.contains(&word) || matches!(word, "-c" | "-s" | "-I");
        let mut before = "";
        for word in words.iter().skip(1) {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) if option.starts_with('-') => (option, value),
                _ => ("", word.as_str()),
            };
            let about_code = |option: &str| ABOUT_CODE.iter().any(|end| option.starts_with(end));
            let wanted = runner && !about_code(option) && !about_code(before);
            if wanted || steers(before) || steers(option) {
                let file = value.split("::").next().unwrap_or(value);
                self.note(&command.folder, file, baseline);
            }
            before = word;
        }
    }

    /// The recipes of the targets that are asked for.
    fn make(
        &mut self,
        folder: &str,
        words: &[String],
        baseline: &dyn ProjectFiles,
    ) -> Vec<(String, String)> {
        let (mut folder, mut named) = (folder.to_owned(), None);
        let mut goals: BTreeSet<String> = BTreeSet::new();
        let mut rest = words.iter().skip(1);
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-C" | "--directory" | "-d" | "--working-directory" => {
                    folder = rest.next().map(|to| joined(&folder, to)).unwrap_or_default();
                }
                "-f" | "--file" | "--justfile" => named = rest.next().cloned(),
                word if word.starts_with('-') || word.contains('=') => {}
                goal => {
                    goals.insert(goal.to_owned());
                }
            }
        }
        if named.is_none() && program_name(&words[0]) != "just" {
            // A file of that name would take over.
            self.files.extend(["GNUmakefile", "makefile"].map(|name| joined(&folder, name)));
        }
        let usual = ["GNUmakefile", "makefile", "Makefile", "justfile", "Justfile", ".justfile"];
        let usual = usual.iter().filter(|name| {
            name.to_ascii_lowercase().contains("just") == (program_name(&words[0]) == "just")
        });
        let mut names: Vec<&str> = usual.copied().collect();
        if let Some(named) = &named {
            names.insert(0, named);
        }
        let found = names.iter().find_map(|name| file_in(&folder, name, baseline));
        let Some(path) = found else { return Vec::new() };
        self.files.remove(&path);
        let text = baseline.read(&path).unwrap_or_default();
        let rules = make::Rules::read(&text);
        if goals.is_empty() {
            goals.extend(rules.first_goal());
        }
        let recipes = rules.recipes(&goals);
        match self.targets.iter_mut().find(|(known, _)| *known == path) {
            Some((_, known)) => known.extend(goals),
            None => self.targets.push((path.clone(), goals)),
        }
        let place = split(&path).0.join("/");
        recipes.into_iter().map(|recipe| (place.clone(), recipe)).collect()
    }
}

/// The scripts of the manifest that a command names.
fn scripts(
    folder: &str,
    arguments: &[String],
    baseline: &dyn ProjectFiles,
) -> Vec<(String, String)> {
    let Some(path) = file_in(folder, "package.json", baseline) else { return Vec::new() };
    let manifest = baseline.read(&path).and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let Some(manifest) = manifest else { return Vec::new() };
    let place = split(&path).0.join("/");
    let names = arguments.iter().map(|word| if word == "t" { "test" } else { word.as_str() });
    let text = |name: String| manifest["scripts"].get(name)?.as_str();
    names
        .flat_map(|name| [format!("pre{name}"), name.to_owned(), format!("post{name}")])
        .filter_map(text)
        .map(|script| (place.clone(), script.to_owned()))
        .collect()
}

/// A path as it is written in a tree.
fn plain(path: &str) -> String {
    joined("", path)
}

/// A folder, and a path from there.
pub(crate) fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> =
        folder.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
