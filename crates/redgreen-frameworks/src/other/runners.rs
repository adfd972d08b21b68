//! Runners that have no folder: what makes each of them write a report that redgreen reads. `redgreen init` writes that
//! down, and a run that nobody saw is told it.

use redgreen_model::framework::FrameworkId;
use serde_json::Value;

use crate::adapter::{ProjectFiles, SuggestedCheck};
use crate::command::{program_name, simple_commands};
use crate::node;

/// A runner, and how it reports.
struct Runner {
    /// What it is called, on its console too.
    name: &'static str,
    /// How its commands begin.
    words: &'static [&'static str],
    /// By what a project shows it.
    sign: Sign,
    /// What stands before its command, the command, and what stands behind.
    command: [&'static str; 3],
    /// The files that it writes, from its folder.
    report: &'static str,
    /// What else has to be known.
    besides: &'static str,
}

/// By what a project shows a runner.
enum Sign {
    /// A package of npm, and the scripts that run it.
    Package(&'static str),
    /// One of these files at the root.
    Files(&'static [&'static str]),
}

const RUNNERS: &[Runner] = &[
    Runner {
        name: "ava",
        words: &["ava"],
        sign: Sign::Package("ava"),
        command: ["mkdir -p .cache && ", "npx ava", " --tap > .cache/ava.tap"],
        report: ".cache/ava.tap",
        besides: "",
    },
    Runner {
        name: "tap",
        words: &["tap"],
        sign: Sign::Package("tap"),
        command: ["mkdir -p .cache && ", "npx tap", " --reporter=tap > .cache/tap.tap"],
        report: ".cache/tap.tap",
        besides: "",
    },
    Runner {
        name: "playwright",
        words: &["playwright", "test"],
        sign: Sign::Package("@playwright/test"),
        command: [
            "PLAYWRIGHT_JUNIT_OUTPUT_FILE=junit-playwright.xml ",
            "npx playwright test",
            " --reporter=line,junit",
        ],
        report: "junit-playwright.xml",
        besides: "",
    },
    Runner {
        name: "bun",
        words: &["bun", "test"],
        sign: Sign::Files(&["bun.lock", "bun.lockb", "bunfig.toml"]),
        command: ["", "bun test", " --reporter=junit --reporter-outfile=junit-bun.xml"],
        report: "junit-bun.xml",
        besides: "",
    },
    Runner {
        name: "deno",
        words: &["deno", "test"],
        sign: Sign::Files(&["deno.json", "deno.jsonc"]),
        command: ["", "deno test", " --junit-path=junit-deno.xml"],
        report: "junit-deno.xml",
        besides: "",
    },
    Runner {
        name: "sbt",
        words: &["sbt"],
        sign: Sign::Files(&["build.sbt"]),
        command: ["", "sbt test", ""],
        report: "**/target/test-reports/*.xml",
        besides: "",
    },
    Runner {
        name: "Mill",
        words: &["mill"],
        sign: Sign::Files(&["build.mill", "build.sc"]),
        command: ["", "mill __.test", ""],
        report: "out/**/test-report.xml",
        besides: "",
    },
    Runner {
        name: "Bazel",
        words: &["bazel", "test"],
        sign: Sign::Files(&["MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"]),
        command: ["", "bazel test //...", " --nocache_test_results"],
        report: "bazel-testlogs/**/test.xml",
        besides: "; what it takes from its cache it does not run",
    },
];

impl Runner {
    fn advice(&self) -> String {
        format!(
            "{} is read by its report: in redgreen.toml write command = \"{}\" and reports = [\"{}\"]{}",
            self.name,
            self.command.concat(),
            self.report,
            self.besides
        )
    }

    fn check(&self, command: String, folder: String) -> SuggestedCheck {
        SuggestedCheck {
            name: self.name.to_lowercase(),
            command,
            framework: FrameworkId::OTHER,
            folder,
            reports: vec![self.report.to_owned()],
        }
    }

    /// The check for a project that shows it.
    fn suggested(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        let [before, command, behind] = self.command;
        match self.sign {
            Sign::Package(package) => {
                let program = self.words.first()?;
                let (command, folder) = node::started(project, program, package, command)?;
                Some(self.check(format!("{before}{command}{behind}"), folder))
            }
            Sign::Files(files) => {
                let file = files.iter().find(|file| project.has(file))?;
                let own = own_command(project, file, self.words);
                let command =
                    own.or_else(|| (!is_scripted(project)).then(|| command.to_owned()))?;
                Some(self.check(format!("{before}{command}{behind}"), String::new()))
            }
        }
    }
}

/// What a project itself calls its test: the task of a `deno.json`, the script of a `package.json` beside other files.
fn own_command(project: &dyn ProjectFiles, file: &str, words: &[&str]) -> Option<String> {
    let manifests = [(file, "tasks"), ("package.json", "scripts")];
    manifests.into_iter().find_map(|(file, list)| {
        let manifest: Value = serde_json::from_str(&project.read(file)?).ok()?;
        let text = manifest[list]["test"].as_str()?;
        let commands = simple_commands(text);
        matches!(&commands[..], [only] if begins(only, words)).then(|| text.to_owned())
    })
}

/// Whether the project has another script for its tests.
fn is_scripted(project: &dyn ProjectFiles) -> bool {
    node::script(project).is_some_and(|check| check.folder.is_empty())
}

fn begins(command: &[String], words: &[&str]) -> bool {
    let mut own = command.iter().map(|word| program_name(word));
    words.iter().all(|word| own.next() == Some(word))
}

/// The check for the first of these runners that a project shows.
pub(super) fn suggested(project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
    RUNNERS.iter().find_map(|runner| runner.suggested(project))
}

/// For a program that spoke on the console and was not seen. Many print TAP.
pub(crate) fn unseen(program: &str, command: &str) -> Option<String> {
    if program == "tap" {
        return Some(format!(
            "it printed TAP, which counts where it is a file: in redgreen.toml write command = \"mkdir -p .cache && \
             {command} > .cache/report.tap\" and reports = [\".cache/report.tap\"]"
        ));
    }
    RUNNERS.iter().find(|runner| runner.name == program).map(Runner::advice)
}

/// For a command of one of these runners that was not seen.
pub(crate) fn unseen_command(command: &str) -> Option<String> {
    let starters = ["npx", "bunx", "pnpm", "yarn", "npm", "exec", "run"];
    let named = |runner: &&Runner| {
        simple_commands(command).iter().any(|words| {
            let started = words.iter().position(|word| !starters.contains(&word.as_str()));
            started.is_some_and(|at| begins(&words[at..], runner.words))
        })
    };
    RUNNERS.iter().find(named).map(Runner::advice)
}
