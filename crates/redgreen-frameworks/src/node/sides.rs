//! What of a JavaScript project judges.

use std::sync::Arc;

use redgreen_syntax::{TSX, TYPESCRIPT, splice_javascript};

use super::helpers;
use super::settings::{self, Named};
use crate::adapter::ProjectFiles;
use crate::command::program_name;
use crate::roles::{name_of, split};
use crate::sides::splice::{Judges, json, spliced};
use crate::sides::{Mixture, Rule, SideRequest, joined};

/// The most configurations that are looked into.
const LOOKED_INTO: usize = 500;

/// The configuration of test runners and of what runs them, by name.
const CONFIGURATIONS: &[(&str, &str)] = &[
    ("jest", "**/{jest.config,jest.setup,jest-setup,setupJest,jest.preset}.*"),
    ("jest", "**/jest.config*.*"),
    ("vitest", "**/{vitest.config,vitest.workspace,vitest.projects,vitest.setup}*.*"),
    // vitest reads it where it has no configuration of its own. What it says about the tests cannot
    // be distinguished from what it says about the build without running it.
    ("vitest", "**/vite.config*.*"),
    ("mocha", "**/{.mocharc,.mocharc.*,mocha.opts}"),
    ("ava", "**/ava.config.*"),
    ("tap", "**/.taprc"),
    ("jasmine", "**/jasmine.{json,mjs,js}"),
    ("karma", "**/karma.conf*.*"),
    ("playwright", "**/playwright*.config.*"),
    ("cypress", "**/cypress.config.*"),
    ("nyc", "**/{.nycrc,.nycrc.*,.c8rc,.c8rc.*,nyc.config.*}"),
    ("node", "**/node.config.json"),
    ("dotenv", "**/.env.test*"),
    // They rewrite tests as well as code, and what they do to which cannot be distinguished from them.
    ("babel", "**/{babel.config.*,.babelrc,.babelrc.*,.swcrc}"),
    ("npm", "**/{.npmrc,.yarnrc,.yarnrc.yml}"),
    ("typescript", "**/tsconfig*{test,spec,jest,vitest}*.json"),
];
/// Packages that judge, where a project keeps what is installed among its files.
const RUNNERS: &[&str] = &[
    ".bin",
    "jest",
    "jest-*",
    "@jest",
    "ts-jest",
    "babel-jest",
    "expect",
    "vitest",
    "@vitest",
    "mocha",
    "chai",
    "sinon",
    "ava",
    "tap",
    "jasmine*",
    "nyc",
    "c8",
    "cross-env",
    "npm-run-all*",
];

/// The rules for a check of any JavaScript framework.
pub(crate) fn rules(request: &SideRequest<'_>) -> Vec<Rule> {
    let mut rules = Vec::new();
    for name in RUNNERS {
        let reason = format!("{name} in node_modules: what runs the tests");
        rules.push(Rule::tests(format!("**/node_modules/{name}/**"), reason).everywhere());
    }
    rules.push(Rule::tests("**/.yarn/{releases,plugins}/**", "yarn: what runs the tests"));
    for (tool, glob) in CONFIGURATIONS {
        rules.push(Rule::tests(*glob, format!("{tool}: its configuration")));
    }
    rules.extend(configured(request.baseline));
    rules.extend(asked(request));
    rules.extend(helpers::rules(request.baseline));
    // The names by which `node --test` finds tests.
    let script = "{js,cjs,mjs,ts,cts,mts,jsx,tsx}";
    for name in ["*-test", "*_test", "test-*", "test"] {
        let glob = format!("**/{name}.{script}");
        rules.push(Rule::tests(glob, "node: a test by its name").guessed());
    }
    rules.push(
        Rule::tests("**/{__mocks__,__tests__,__fixtures__}/**", "jest: folders of tests").guessed(),
    );
    rules.push(Rule::mixed("**/package.json", &package_json(), "package.json: how tests are run"));
    rules
}

/// What configurations name: setup files, environments, globs of tests.
fn configured(baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let configures = |path: &&String| {
        let name = name_of(path);
        let known = ["jest", "vitest", "vite.", ".mocharc", "ava.config", ".taprc"];
        (name == "package.json" || known.iter().any(|start| name.starts_with(start)))
            && !split(path).0.contains(&"node_modules")
    };
    let mut rules = Vec::new();
    let paths = baseline.paths().iter().filter(configures).take(LOOKED_INTO);
    let paths: Vec<&str> = paths.map(String::as_str).collect();
    for (path, text) in paths.iter().zip(baseline.read_all(&paths)) {
        let text = text.unwrap_or_default();
        // A manifest has many keys that are also settings of runners.
        let text = if name_of(path) == "package.json" { runners_part(&text) } else { text };
        let Named { files, globs, sources, expressions } = settings::named(path, &text, baseline);
        for (setting, file) in files {
            let reason = format!("{path}: {setting} names it");
            rules.push(Rule::tests(globset::escape(&file), reason));
        }
        for (setting, glob) in globs.into_iter().filter(|(_, glob)| !takes_all(glob)) {
            rules.push(Rule::tests(as_glob(&glob), format!("{path}: {setting} = {glob}")));
        }
        if !sources.is_empty() {
            rules.push(Rule::tests("**/*.{test,spec}.*", "vitest: a test by its name"));
        }
        for glob in sources {
            let reason = format!("{path}: includeSource = {glob}");
            rules.push(Rule::mixed(as_glob(&glob), &source(), reason));
        }
        for expression in expressions {
            let reason = format!("{path}: testRegex = {expression}");
            // One that only JavaScript understands is left to the names of files.
            let known = regex::Regex::new(&expression);
            rules.extend(known.map(|known| Rule::tests_that_fit(known, reason)));
        }
    }
    rules
}

/// The keys of a manifest that are read by runners, as they are written.
fn runners_part(text: &str) -> String {
    let judging = |key: &str| match key {
        "scripts" | "config" | "wireit" => Judges::No,
        key => judges(key),
    };
    let read = |text: &str| json::read(text, judging);
    spliced(read, Some("{}"), Some(text)).ok().flatten().unwrap_or_default()
}

/// Globs that a command gives to a runner.
fn asked(request: &SideRequest<'_>) -> Vec<Rule> {
    let runners = ["mocha", "ava", "tap", "node", "jasmine", "c8", "nyc", "npx"];
    let mut rules = Vec::new();
    for command in request.commands {
        let Some((program, arguments)) = command.words.split_first() else { continue };
        if !runners.contains(&program_name(program)) {
            continue;
        }
        let mut before = "";
        for word in arguments {
            let excludes = ["--exclude", "--ignore", "-x", "-n", "--include"].contains(&before);
            if word.contains('*') && !word.starts_with(['-', '!']) && !excludes {
                let glob = joined(&command.folder, word);
                if !takes_all(&glob) {
                    rules.push(Rule::tests(as_glob(&glob), format!("the command: {word}")));
                }
            }
            before = word;
        }
    }
    rules
}

/// Whether a glob says nothing about tests: code would be taken for them.
fn takes_all(glob: &str) -> bool {
    let words = ["test", "spec", "check", "e2e", "suite", "bench", "it"];
    let small = glob.to_ascii_lowercase();
    let named = small
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|part| words.iter().any(|word| part.starts_with(word) || part.ends_with(word)));
    let inside = |folder: &&str| matches!(*folder, "src" | "lib" | "app" | "packages" | "**");
    !named && glob.split('/').next().as_ref().is_some_and(inside)
}

/// A glob of micromatch as one of ours: `?(x)` and `+(a|b)` are alternatives.
fn as_glob(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len());
    let mut rest = glob.chars().peekable();
    let mut open: Vec<bool> = Vec::new();
    while let Some(letter) = rest.next() {
        match letter {
            '?' | '+' | '@' | '*' if rest.peek() == Some(&'(') => {
                rest.next();
                open.push(true);
                out.push('{');
                if matches!(letter, '?' | '*') {
                    out.push(',');
                }
            }
            '|' if open.last() == Some(&true) => out.push(','),
            ')' if open.pop() == Some(true) => out.push('}'),
            letter => out.push(letter),
        }
    }
    out
}

/// Code of which the tests in it judge.
fn source() -> Arc<Mixture> {
    Mixture::new(&["if (import.meta.vitest)"], |code, tests| {
        let Some(code) = code else { return Ok(None) };
        // The grammar with types reads what has none as well.
        splice_javascript(TYPESCRIPT, code, tests.unwrap_or_default())
            .or_else(|| splice_javascript(TSX, code, tests.unwrap_or_default()))
            .map(Some)
            .ok_or_else(|| "its tests cannot be separated from its code".to_owned())
    })
}

fn package_json() -> Arc<Mixture> {
    let parts =
        &["scripts", "config", "jest", "vitest", "mocha", "ava", "tap", "c8", "nyc", "wireit"];
    Mixture::new(parts, |code, tests| spliced(|text| json::read(text, judges), code, tests))
}

/// The keys of `package.json`. All scripts, as any may be called by the one that tests; dependencies
/// and the kind of modules are the code's.
fn judges(key: &str) -> Judges {
    const KEYS: &[&str] = &[
        "scripts",
        "config",
        "vitest",
        "mocha",
        "ava",
        "tap",
        "jasmine",
        "c8",
        "nyc",
        "wireit",
        "karma",
        "cypress",
        "playwright",
    ];
    let judges = KEYS.contains(&key) || key.starts_with("jest") || key == "ts-jest";
    if judges { Judges::Yes } else { Judges::No }
}
