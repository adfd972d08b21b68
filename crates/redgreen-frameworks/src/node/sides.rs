//! What of a JavaScript project judges.

use std::sync::Arc;

use crate::adapter::ProjectFiles;
use crate::sides::splice::{Judges, json, spliced};
use crate::sides::{Mixture, Rule, SideCheck};

/// The configuration of test runners and of what runs them, by name.
const CONFIGURATIONS: &[(&str, &str)] = &[
    ("jest", "**/{jest.config,jest.setup,jest-setup,setupJest,jest.preset}.*"),
    ("jest", "**/jest.config*.*"),
    ("vitest", "**/{vitest.config,vitest.workspace,vitest.projects,vitest.setup}*.*"),
    // vitest reads it where it has no configuration of its own. What it says about the tests cannot
    // be told from what it says about the build without running it.
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
pub(crate) fn rules(_check: &SideCheck<'_>, _baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let mut rules = Vec::new();
    for name in RUNNERS {
        let reason = format!("{name} in node_modules: what runs the tests");
        rules.push(Rule::tests(format!("**/node_modules/{name}/**"), reason).everywhere());
    }
    rules.push(Rule::tests("**/.yarn/{releases,plugins}/**", "yarn: what runs the tests"));
    for (tool, glob) in CONFIGURATIONS {
        rules.push(Rule::tests(*glob, format!("{tool}: its configuration")));
    }
    rules.push(Rule::tests("**/{__mocks__,__tests__,__fixtures__}/**", "jest: folders of tests"));
    rules.push(Rule::mixed("**/package.json", &package_json(), "package.json: how tests are run"));
    rules
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
