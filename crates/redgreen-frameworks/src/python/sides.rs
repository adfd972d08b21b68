//! What of a Python project judges, whichever framework runs it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::sides::splice::{Judges, ini, spliced, toml};
use crate::sides::{Mixture, Rule, SideRequest};

/// Tables of `pyproject.toml` that say how tests are run; `*` is any name.
const TABLES: &[&[&str]] = &[
    &["tool", "pytest"],
    &["tool", "coverage"],
    &["tool", "tox"],
    &["tool", "hatch", "envs", "*", "scripts"],
    &["tool", "poe", "tasks"],
    &["tool", "taskipy", "tasks"],
    &["tool", "pdm", "scripts"],
    &["tool", "rye", "scripts"],
    &["tool", "pixi", "tasks"],
    &["project", "entry-points", "pytest11"],
    &["tool", "poetry", "plugins", "pytest11"],
];
/// Modules that a test run loads before or instead of what is installed, where Python looks first: in the
/// folder that it is started in, and in the root of the sources.
const SHADOWS: &[&str] = &[
    "pytest",
    "_pytest",
    "pluggy",
    "iniconfig",
    "xdist",
    "execnet",
    "unittest",
    "doctest",
    "runpy",
    "pytest_cov",
    "pytest_asyncio",
    "pytest_mock",
    "pytest_timeout",
    "nose",
    "nose2",
    "hypothesis",
];

/// Files that Python or its test runners read, wherever they are.
pub(crate) fn rules(request: &SideRequest<'_>) -> Vec<Rule> {
    let baseline = request.baseline;
    let mut rules = vec![
        Rule::tests("**/{sitecustomize,usercustomize}.py", "python: loaded by every program"),
        Rule::tests("**/*.pth", "python: loaded by every program").everywhere(),
        // `python -m` looks for plugins of what is installed beside the sources, too.
        Rule::tests("**/*.{egg-info,dist-info}/**", "python: what is installed, and its plugins")
            .everywhere(),
        Rule::tests(
            "**/{*_testing,testing_*,testutil,testutils,testing_utils,testhelpers,testsupport,testlib}.py",
            "python: what tests are made of, by its name",
        )
        .guessed(),
        Rule::tests("**/{.coveragerc,.coveragerc.toml}", "coverage: its configuration"),
        Rule::mixed("**/pyproject.toml", &pyproject(), "pyproject.toml: how tests are run"),
        Rule::mixed("**/setup.cfg", &setup_cfg(), "setup.cfg: how tests are run"),
        Rule::mixed("**/tox.ini", &setup_cfg(), "tox.ini: how tests are run"),
    ];
    let places = ["".to_owned(), "src/".to_owned(), request.check.path("").replace("//", "/")];
    let places: BTreeSet<String> = places
        .into_iter()
        .chain(request.commands.iter().map(|command| format!("{}/", command.folder)))
        .map(|place| place.trim_start_matches('/').to_owned())
        .collect();
    // A project that is this module is judged by its tests.
    let parts = baseline.paths().iter().flat_map(|path| path.split('/'));
    let parts = parts.map(|part| part.strip_suffix(".py").unwrap_or(part));
    let own: BTreeSet<&str> = parts.filter(|part| SHADOWS.contains(part)).collect();
    for name in SHADOWS.iter().filter(|name| !own.contains(*name)) {
        for place in &places {
            let reason = format!("python: stands in for {name}");
            let place = globset::escape(place);
            rules.push(Rule::tests(format!("{place}{name}.py"), reason.clone()));
            rules.push(Rule::tests(format!("{place}{name}/**"), reason));
        }
    }
    rules.extend(super::helpers::rules(baseline));
    rules
}

/// Python of which the doctests judge.
pub(crate) fn doctests() -> Arc<Mixture> {
    Mixture::new(&["doctests"], |code, tests| {
        // A file that is not there has no code, and a doctest is nothing without it.
        let Some(code) = code else { return Ok(None) };
        redgreen_syntax::splice_python_doctests(code, tests.unwrap_or_default())
            .map(Some)
            .ok_or_else(|| "its doctests cannot be separated from its code".to_owned())
    })
}

fn pyproject() -> Arc<Mixture> {
    let parts = &["tool.pytest", "tool.coverage", "tool.tox", "tasks and scripts", "pytest11"];
    Mixture::new(parts, |code, tests| {
        let read = |text: &str| toml::read(text, &|path: &[&str]| toml::below(path, TABLES));
        spliced(read, code, tests)?.map(toml::checked).transpose()
    })
}

fn setup_cfg() -> Arc<Mixture> {
    let parts = &["[pytest]", "[tool:pytest]", "[tox]", "[testenv]", "[coverage]", "pytest11"];
    Mixture::new(parts, |code, tests| spliced(|text| Ok(ini::read(text, judges)), code, tests))
}

/// Sections of `setup.cfg` and `tox.ini`, and settings in them.
fn judges(section: &str, setting: Option<&str>) -> Judges {
    let environment = section == "testenv" || section.starts_with("testenv:");
    match (section, setting) {
        (
            "pytest" | "tool:pytest" | "aliases" | "unittest" | "tox" | "tox:tox" | "nosetests",
            _,
        ) => Judges::Yes,
        (section, _) if section.starts_with("coverage:") => Judges::Yes,
        ("options.entry_points", Some("pytest11")) => Judges::Yes,
        ("options.entry_points", None) => Judges::Partly,
        (_, None) if environment => Judges::Partly,
        // What is installed is the code's.
        (_, Some("deps" | "extras" | "dependency_groups" | "package")) => Judges::No,
        (_, Some(_)) if environment => Judges::Yes,
        _ => Judges::No,
    }
}
