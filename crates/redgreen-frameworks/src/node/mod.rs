//! What the JavaScript frameworks share: a module of ours that is loaded into every Node program of
//! a check and waits for a test runner, wherever it is started from.
//!
//! `NODE_OPTIONS=--require …` reaches through `npm test`, `make test`, chained scripts and package
//! managers alike, and leaves command lines and configurations as they are. In a program that is no
//! test runner the module does nothing. The process that runs the tests takes the stream out of
//! its environment, so neither its workers nor runners that a test starts write to it.
//!
//! Ids are the same in all of them: `path/from/the/folder.test.js > describe > name`, and ` #2` for a
//! second test of that name in that file.
//!
//! A script that sets `NODE_OPTIONS` anew (`NODE_OPTIONS=--experimental-vm-modules jest`) would lose the
//! module; a `node` of ours on `PATH` puts it back and becomes the real one.
//!
//! Limits: such a script that calls Node by its path, and runtimes other than Node (Deno, Bun), are not
//! reached; such a run never began, which is not a pass.

mod address;
mod collector;
mod command;
mod helpers;
pub(crate) mod json;
mod layout;
mod manifest;
mod runner;
mod settings;
mod sides;
mod source_map;
mod workspace;

use redgreen_model::execution::Ended;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;

use crate::adapter::{
    InjectedFile, Injection, InjectionRequest, RunMaterial, Runtime, SHIM_FOLDER, Variables,
    shell_quoted,
};
use crate::explain::explain;
use crate::roles::{name_of, split};
use crate::servers::{Server, Without};
use crate::surroundings::Surroundings;

pub(crate) use command::{NODE_TEST, runs};
pub(crate) use manifest::{Signs, missing_manager, script, started};
pub use runner::Runner;

/// What is put around a command reaches all of them.
pub(crate) const FAMILY: Option<&str> = Some("node");
/// The folder of our modules, in the folder of the run: a name that linters, and `node --test` when it
/// looks for tests, pass over.
const FOLDER: &str = "node_modules";
/// The module that is loaded into every program.
const PRELOAD: &str = "preload.cjs";
/// Our modules. They lie in one folder, and load each other when they are needed.
const MODULES: &[(&str, &str)] = &[
    (PRELOAD, include_str!("preload.cjs")),
    ("reached.cjs", include_str!("reached.cjs")),
    ("coverage.cjs", include_str!("coverage.cjs")),
    ("stream.cjs", include_str!("stream.cjs")),
    ("failure.cjs", include_str!("failure.cjs")),
    ("node-runner.cjs", include_str!("../node_test/node-runner.cjs")),
    ("jest.cjs", include_str!("../jest/jest.cjs")),
    ("jest-failure.cjs", include_str!("../jest/jest-failure.cjs")),
    ("vitest.cjs", include_str!("../vitest/vitest.cjs")),
    ("vitest-older.cjs", include_str!("../vitest/vitest-older.cjs")),
    ("vitest-failure.cjs", include_str!("../vitest/vitest-failure.cjs")),
    ("vitest-news.cjs", include_str!("../vitest/vitest-news.cjs")),
    ("vitest-setup.mjs", include_str!("../vitest/vitest-setup.mjs")),
    ("mocha.cjs", include_str!("../mocha/mocha.cjs")),
];
/// The variable with options for every Node program.
const OPTIONS_VARIABLE: &str = "NODE_OPTIONS";
/// Our `node`: the options are put back if they are gone, and the next `node` on `PATH` takes over.
const STAND_IN: &str = include_str!("node.sh");
/// Extensions of JavaScript and TypeScript.
pub(crate) const EXTENSIONS: &[&str] =
    &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "es6", "vue", "svelte", "coffee"];

/// What makes any JavaScript framework report.
pub(crate) fn inject(request: &InjectionRequest<'_>) -> Injection {
    let preload = request.run_folder.join(FOLDER).join(PRELOAD);
    let ours = format!("--require {}", quoted(&preload.to_string_lossy()));
    let options = match (request.inherited)(OPTIONS_VARIABLE) {
        Some(theirs) if !theirs.trim().is_empty() => format!("{ours} {theirs}"),
        _ => ours.clone(),
    };
    let shims = request.run_folder.join(SHIM_FOLDER);
    let stand_in = InjectedFile {
        path: [SHIM_FOLDER, "node"].iter().collect(),
        content: STAND_IN
            .replace("{shims}", &shell_quoted(&shims.to_string_lossy()))
            .replace("{ours}", &shell_quoted(&ours)),
        executable: true,
    };
    let files = MODULES.iter().map(|(name, content)| InjectedFile {
        path: [FOLDER, name].iter().collect(),
        content: (*content).to_owned(),
        executable: false,
    });
    let mut injection = request.channel();
    injection.env.push((OPTIONS_VARIABLE.to_owned(), options));
    injection.env.push(request.prepended("PATH", &shims, ':'));
    let variable = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    injection.env.extend(OF_TASK_RUNNERS.iter().map(variable));
    injection.files.extend(files.chain([stand_in]));
    injection
}

/// Task runners print again what a task printed before, or keep variables from it that their own file does not name:
/// a task that does not run, or runs unseen, shows no test.
const OF_TASK_RUNNERS: &[(&str, &str)] =
    &[("NX_SKIP_NX_CACHE", "true"), ("TURBO_FORCE", "true"), ("TURBO_ENV_MODE", "loose")];

/// Programs whose arguments are tests.
pub(crate) const RUNNERS: &[&str] =
    &["jest", "vitest", "mocha", "ava", "tap", "c8", "nyc", "jasmine", "karma"];

/// What the tools of Node leave, and what it and its package managers read elsewhere.
pub(crate) const SURROUNDINGS: Surroundings = Surroundings {
    caches: &[
        ".nyc_output",
        "coverage",
        ".eslintcache",
        ".stylelintcache",
        "*.tsbuildinfo",
        ".turbo",
        ".parcel-cache",
        ".vite",
        ".vitest",
        ".jest-cache",
        ".swc",
        ".pnpm-store",
        ".npm",
        ".yarn",
        ".pnp.*",
        ".wireit",
        ".nx",
        "test-results",
    ],
    outputs: &[],
    marks: &[],
    home: &[
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".config/pnpm/rc",
        ".mocharc.json",
        ".babelrc",
        ".config/yarn/config",
    ],
    above: &[
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        "package.json",
        "tsconfig.json",
        "babel.config.js",
        "babel.config.json",
        ".babelrc",
        ".mocharc.json",
        ".mocharc.js",
        ".mocharc.cjs",
        ".mocharc.yml",
    ],
};

/// How files begin that are loaded with every test below them.
pub(crate) const SETTINGS: &[&str] =
    &["jest.", "vitest.", "vite.config", ".mocharc", "babel.config", "ava.config"];

pub(crate) const RUNTIME: Runtime = Runtime { name: "node", programs: &["node"], version: &[] };

pub(crate) const VARIABLES: Variables = Variables {
    steering: &[
        "JEST_*",
        "MOCHA_*",
        "NODE_ENV",
        "NODE_OPTIONS",
        "NODE_PATH",
        "NODE_TEST_CONTEXT",
        "VITEST_*",
        "npm_config_node_options",
        "npm_config_script_shell",
    ],
    read: &["BABEL_*", "NODE_*", "npm_*"],
};

/// The servers of JavaScript's tools. jest asks watchman for the files that there are.
pub(crate) const SERVERS: &[Server] = &[
    Server { name: "watchman", mark: "watchman", without: Without::Injected },
    Server {
        name: "an Nx daemon",
        mark: "nx/src/daemon/server/start.js",
        without: Without::Variable("NX_DAEMON", "false"),
    },
];

/// A path as Node reads it in `NODE_OPTIONS`: in double quotes, in which a backslash escapes.
fn quoted(path: &str) -> String {
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
}

/// What the run said, through the stream; `name` is the framework's, and `nothing` what it prints
/// where it found no test at all.
pub(crate) fn read(material: &RunMaterial<'_>, name: &str, nothing: &str) -> Report {
    let mut report = material.stream_report();
    let silent = report.tests.is_empty()
        && report.errors.is_empty()
        && report.unfinished.is_empty()
        && material.console.contains(nothing);
    match material.ended {
        // No test at all is no failure of a test: the verdict says that nothing was seen.
        Ended::Exited { code } if silent => {
            report.diagnostics.push(format!("{name} found no test to run (exit code {code})"));
        }
        _ => explain(&mut report, material, FailureKind::Unknown),
    }
    if !report.began && report.diagnostics.is_empty() {
        report.diagnostics.push(format!("{name} did not load redgreen's module: it never ran"));
    }
    report
}

/// Whether the file is a test by the conventions that all of them share.
pub(crate) fn role(path: &str) -> Option<FileRole> {
    let (stem, extension) = name_of(path).rsplit_once('.')?;
    EXTENSIONS.contains(&extension).then_some(())?;
    let mut marks = stem.split('.').skip(1);
    let marked = marks.any(|mark| matches!(mark, "test" | "spec" | "test-d" | "cy"));
    let in_folder =
        || split(path).0.iter().any(|folder| matches!(*folder, "__tests__" | "__mocks__"));
    (marked || in_folder()).then_some(FileRole::Tests)
}

/// Whether the file configures a tool: `jest.config.ts`, `.mocharc.json`.
pub(crate) fn configures(name: &str, stem: &str) -> bool {
    name.strip_prefix(stem).is_some_and(|rest| {
        let extension = rest.strip_prefix('.').unwrap_or(rest);
        rest.is_empty()
            || EXTENSIONS.contains(&extension)
            || matches!(extension, "json" | "jsonc" | "yaml" | "yml")
    })
}

#[cfg(test)]
mod tests;
