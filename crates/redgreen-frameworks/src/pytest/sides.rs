//! What of a project judges for pytest.

use redgreen_syntax::{PYTHON, outline};

use super::runs_pytest;
use super::settings::Settings;
use crate::adapter::ProjectFiles;
use crate::python::{self, is_test_file};
use crate::roles::name_of;
use crate::sides::{ReachedCommand, Rule, SideRequest, joined};

/// The files of tests where a project names none.
const PYTHON_FILES: &[&str] = &["test_*.py", "*_test.py"];
/// Words in the names of folders that hold nothing but tests.
const TESTING: &[&str] = &["test", "spec", "check", "e2e", "integration"];
/// The most modules that are looked through for tests.
const MODULES_MAX: usize = 5_000;
/// The most conftest files that are looked into.
const LOOKED_INTO: usize = 500;

/// The rules for a check that runs pytest.
pub(super) fn rules(request: &SideRequest<'_>) -> Vec<Rule> {
    let mut rules = vec![
        Rule::tests("**/conftest.py", "pytest: conftest.py"),
        Rule::tests(
            "**/{pytest.ini,.pytest.ini,pytest.toml,.pytest.toml}",
            "pytest: its configuration",
        ),
    ];
    let runs = |command: &&ReachedCommand| runs_pytest(&command.words);
    let mut commands: Vec<ReachedCommand> = request.commands.iter().filter(runs).cloned().collect();
    if commands.is_empty() {
        // It is run by something that cannot be followed.
        let folder = request.check.path("").trim_end_matches('/').to_owned();
        commands.push(ReachedCommand { folder, words: Vec::new() });
    }
    for command in &commands {
        let settings = Settings::of(command, request.baseline);
        rules.extend(files(&settings));
        rules.extend(holding_tests(&settings, request.baseline));
        rules.extend(folders(&settings, command, request.baseline));
        rules.extend(plugins(&settings, request.baseline));
        rules.extend(doctests(&settings));
    }
    rules.extend(python::sides(request));
    rules
}

/// Test files, wherever they are.
fn files(settings: &Settings) -> Vec<Rule> {
    let named = settings.python_files.iter().map(String::as_str);
    let usual = PYTHON_FILES.iter().copied();
    let rule = |pattern: &str| {
        let pattern = pattern.trim_start_matches("./");
        Rule::tests(format!("**/{pattern}"), format!("pytest: python_files = {pattern}")).guessed()
    };
    // What is a test by name alone stays one: a later configuration may collect it.
    named.filter(|pattern| !takes_all(pattern)).chain(usual).map(rule).collect()
}

/// Whether a pattern says nothing about tests: every module is one by it.
fn takes_all(pattern: &str) -> bool {
    pattern.trim_start_matches("./").trim_end_matches(".py").chars().all(|it| it == '*')
}

/// Where every module is looked through for tests, those that hold some.
fn holding_tests(settings: &Settings, baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let Some(pattern) = settings.python_files.iter().find(|pattern| takes_all(pattern)) else {
        return Vec::new();
    };
    let modules = baseline.paths().iter().map(String::as_str);
    let modules: Vec<&str> =
        modules.filter(|path| path.ends_with(".py")).take(MODULES_MAX).collect();
    let texts = baseline.read_all(&modules).into_iter().map(Option::unwrap_or_default);
    let holds = |text: &str| {
        let may_hold = text.contains("test") || text.contains("Test");
        may_hold && !outline(PYTHON, text).tests.is_empty()
    };
    let holding = modules.iter().zip(texts).filter(|(_, text)| holds(text));
    let reason = format!("pytest: python_files = {pattern}, and it holds tests");
    holding.map(|(path, _)| Rule::tests(globset::escape(path), reason.clone())).collect()
}

/// Folders that are asked for, by `testpaths` or on the command line.
fn folders(
    settings: &Settings,
    command: &ReachedCommand,
    baseline: &dyn ProjectFiles,
) -> Vec<Rule> {
    let configured =
        settings.testpaths.iter().map(|path| (joined(&settings.folder, path), "testpaths"));
    let asked = command.words.iter().skip(1).filter(|word| !word.starts_with('-'));
    let asked = asked.map(|path| (joined(&command.folder, path), "the command"));
    let tests_only = |(folder, _): &(String, &str)| holds_tests_only(folder, baseline);
    let rule = |(folder, by): (String, &str)| {
        let glob = format!("{}/**", globset::escape(&folder).replace("[*]", "*"));
        Rule::tests(glob, format!("pytest: {by} names {folder}")).guessed()
    };
    configured.chain(asked).filter(tests_only).map(rule).collect()
}

/// Whether a folder is one of tests, with their helpers. The tests may also lie beside the code, and the whole folder be
/// asked for.
fn holds_tests_only(folder: &str, baseline: &dyn ProjectFiles) -> bool {
    if folder.is_empty() {
        return false;
    }
    let name = name_of(folder).to_ascii_lowercase();
    if TESTING.iter().any(|word| name.contains(word)) {
        return true;
    }
    let inside = format!("{folder}/");
    let sources = baseline.paths().iter().filter(|path| path.starts_with(&inside));
    let names = sources.map(|path| name_of(path));
    let names = names.filter(|name| name.ends_with(".py") && *name != "__init__.py");
    let (tests, others): (Vec<&str>, Vec<&str>) =
        names.partition(|name| is_test_file(name) || *name == "conftest.py");
    // Helpers are fewer than tests; beside code there are at most as many tests as modules.
    tests.len() > others.len()
}

/// Plugins of the project's own: those that the command or a conftest names, and those that it
/// registers, unless it is a plugin of pytest itself and they are what is tested.
fn plugins(settings: &Settings, baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let mut modules: Vec<String> =
        settings.options("-p", "-p").into_iter().map(str::to_owned).collect();
    let conftests = baseline.paths().iter().filter(|path| name_of(path) == "conftest.py");
    let conftests: Vec<&str> = conftests.take(LOOKED_INTO).map(String::as_str).collect();
    for text in baseline.read_all(&conftests).into_iter().flatten() {
        modules.extend(assigned_texts(&text, "pytest_plugins"));
    }
    let mut roots = vec![settings.folder.clone(), joined(&settings.folder, "src"), String::new()];
    roots.extend(settings.pythonpath.iter().map(|path| joined(&settings.folder, path)));
    let mut rules = Vec::new();
    for module in modules {
        let path = module.replace('.', "/");
        for root in &roots {
            for end in [".py", "/__init__.py"] {
                let file = joined(root, &format!("{path}{end}"));
                if baseline.has(&file) {
                    let reason = format!("pytest: the plugin {module}");
                    rules.push(Rule::tests(globset::escape(&file), reason));
                }
            }
        }
    }
    rules
}

/// The texts that are assigned to a name: one, or a list of them.
fn assigned_texts(source: &str, name: &str) -> Vec<String> {
    let Some((_, rest)) = source.split_once(name) else { return Vec::new() };
    let Some((_, rest)) = rest.split_once('=') else { return Vec::new() };
    let rest = rest.trim_start();
    let end = match rest.chars().next() {
        Some('[') => rest.find(']'),
        Some('(') => rest.find(')'),
        _ => rest.find('\n'),
    };
    let value = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    value.split(['"', '\'']).skip(1).step_by(2).map(str::to_owned).collect()
}

/// Examples in documents. Those in the code are its own, but for what they say.
fn doctests(settings: &Settings) -> Vec<Rule> {
    let mut rules: Vec<Rule> = settings
        .options("", "--doctest-glob")
        .into_iter()
        .map(|glob| Rule::tests(format!("**/{glob}"), format!("pytest: --doctest-glob={glob}")))
        .collect();
    if settings.arguments.iter().any(|word| word == "--doctest-modules") {
        let reason = "pytest: --doctest-modules";
        rules.push(Rule::mixed("**/*.py", &python::doctests(), reason));
    }
    rules
}
