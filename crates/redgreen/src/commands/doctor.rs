//! `redgreen doctor`

mod bundle;

use std::path::{Path, PathBuf};

use clap::Args;
use redgreen_model::config::{Config, JudgeBy};
use redgreen_model::framework::FrameworkId;
use redgreen_redact::redact;
use redgreen_runner::environments::not_ignored;
use redgreen_runner::gate::trust::is_trusted;
use redgreen_runner::people::{self, Standing};
use redgreen_runner::plan::planned_checks;
use redgreen_runner::session;
use redgreen_workspace::Workspace;
use serde::Serialize;
use serde_json::json;

use super::hooks;
use crate::context::{self, CONFIG_FILE};
use crate::display;
use crate::failure::{Ending, Failure};

/// Say what is set up, what is not, and what to do about it
#[derive(Args)]
pub struct Arguments {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// Write what a report of a bug needs into a file, without secrets: versions, configuration, hooks, the last
    /// journals and logs [default: .redgreen/bug-report.txt]
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_parser = context::report_file)]
    bundle: Option<Option<PathBuf>>,
}

/// One thing that was looked at.
#[derive(Serialize)]
struct Finding {
    what: &'static str,
    state: Health,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Health {
    Good,
    Advice,
    Missing,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let findings = look();
    let missing = findings.iter().any(|finding| finding.state == Health::Missing);
    if arguments.json {
        display::json_line(&json!({"result": "doctor", "healthy": !missing, "findings": findings}));
    } else {
        findings.iter().for_each(|finding| display::result(&finding.shown()));
    }
    if let Some(file) = &arguments.bundle {
        bundle::write(file.as_deref(), &findings)?;
    }
    Ok(if missing { Ending::Tooling } else { Ending::Green })
}

fn finding(what: &'static str, state: Health, detail: impl Into<String>) -> Finding {
    Finding { what, state, detail: detail.into(), hint: None }
}

impl Finding {
    /// For people.
    fn shown(&self) -> String {
        let word = match self.state {
            Health::Good => "ok     ",
            Health::Advice => "advice ",
            Health::Missing => "MISSING",
        };
        let hint = self.hint.iter().map(|hint| format!("\n        hint: {hint}"));
        format!("{word} {}: {}{}", self.what, self.detail, hint.collect::<String>())
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

fn look() -> Vec<Finding> {
    let mut findings = vec![finding("redgreen", Health::Good, env!("CARGO_PKG_VERSION"))];
    let workspace = match context::workspace() {
        Ok(workspace) => workspace,
        Err(failure) => {
            findings.push(finding("work tree", Health::Missing, failure.to_string()));
            return findings;
        }
    };
    findings.push(finding("work tree", Health::Good, workspace.root().display().to_string()));
    match workspace.tree() {
        Ok(tree) => {
            findings.push(finding("tree hash", Health::Good, tree.short()));
            let environments = not_ignored(&workspace, &tree).unwrap_or_default();
            let advice = |detail| finding(".gitignore", Health::Advice, detail);
            findings.extend(environments.into_iter().map(advice));
        }
        Err(error) => findings.push(finding("tree hash", Health::Missing, error.to_string())),
    }
    match context::configuration(workspace.root()) {
        Ok(Some(config)) => {
            findings.push(finding("configuration", Health::Good, CONFIG_FILE));
            findings.extend(look_at_config(workspace.root(), &config));
            findings.extend(look_at_trust(&workspace, &config));
        }
        Ok(None) => {
            findings.push(look_at_project(workspace.root()));
            let recognised = context::configuration_to_run(workspace.root(), None, None).ok();
            findings.extend(recognised.and_then(|config| look_at_trust(&workspace, &config)));
        }
        Err(failure) => {
            findings.push(finding("configuration", Health::Missing, failure.to_string()))
        }
    }
    findings.extend(look_at_hooks(workspace.root()));
    findings.extend(look_at_sessions(&workspace));
    findings.extend(look_at_messages());
    findings
}

/// What people have not heard.
fn look_at_messages() -> Option<Finding> {
    let cases = people::outbox()?.cases();
    let open = cases.iter().filter(|case| case.is_open()).count();
    let deliveries = cases.iter().flat_map(|case| &case.deliveries);
    let unsent: Vec<_> = deliveries.filter(|it| it.standing != Standing::Delivered).collect();
    Some(match unsent.first() {
        Some(first) => {
            let (channel, remark) = (first.settings.channel, &first.remark);
            let detail = format!("{} not sent; {channel}: {remark}", unsent.len());
            finding("messages", Health::Advice, detail).hint("run `redgreen notify` to try again")
        }
        None if open > 0 => {
            finding("messages", Health::Good, format!("{open} wait for you: `redgreen inbox`"))
        }
        None => return None,
    })
}

fn look_at_project(root: &Path) -> Finding {
    let found: Vec<String> =
        context::suggested(root).iter().map(|check| format!("`{}`", check.command)).collect();
    if found.is_empty() {
        finding(
            "configuration",
            Health::Missing,
            format!("no {CONFIG_FILE}, and no test framework is recognised"),
        )
        .hint("run `redgreen init --test-command \"…\"`, or `redgreen init --no-tests` if there are no tests yet")
    } else {
        finding(
            "configuration",
            Health::Advice,
            format!("no {CONFIG_FILE}; recognised: {}", found.join(", ")),
        )
        .hint("run `redgreen init`")
    }
}

fn look_at_config(root: &Path, config: &Config) -> Vec<Finding> {
    let checks = match planned_checks(config) {
        Ok(checks) => checks,
        Err(error) => return vec![finding("checks", Health::Missing, error.to_string())],
    };
    let mut findings = Vec::new();
    if config.tests.none_yet {
        let now = context::file_with_test(root).map(|file| format!(", but {file} has one now"));
        let detail = format!(
            "{CONFIG_FILE} says that there are none yet{}: what agents change is not verified",
            now.unwrap_or_default()
        );
        findings.push(
            finding("tests", Health::Advice, detail)
                .hint("when there are some, run `redgreen init --force`"),
        );
    } else if checks.is_empty() {
        findings.push(
            finding("checks", Health::Missing, format!("{CONFIG_FILE} names no check"))
                .hint("add a [[checks]] with a command"),
        );
    }
    for check in &checks {
        let detail = format!(
            "{} runs `{}` ({})",
            check.name,
            redact(&check.settings.command),
            check.framework
        );
        let mut found = finding("check", Health::Good, detail);
        if !root.join(&check.settings.folder).is_dir() {
            found.state = Health::Missing;
            found.hint = Some(format!("the folder {} does not exist", check.settings.folder));
        } else if let Some(program) =
            missing_program(root, &check.settings.folder, &check.settings.command)
        {
            found.state = Health::Missing;
            found.hint = Some(format!(
                "the program `{program}` is not found: install it, or correct the command"
            ));
        } else if check.framework == FrameworkId::OTHER && check.settings.judge_by == JudgeBy::Tests
        {
            found.state = Health::Advice;
            found.hint = Some("redgreen recognises known test runners that this command starts. For any other one, name the JUnit XML, CTRF or TAP files that it writes under `reports`, or set judge_by = \"exit_code\"".to_owned());
        }
        findings.push(found);
    }
    findings.push(match &config.agent.command {
        None => finding("agent", Health::Advice, "none is configured")
            .hint("name one with --agent-command, or under [agent]"),
        Some(command) => match missing_program(root, ".", command) {
            None => finding("agent", Health::Good, format!("`{}`", redact(command))),
            Some(program) => finding(
                "agent",
                Health::Missing,
                format!("the program `{program}` of `{}` is not found", redact(command)),
            ),
        },
    });
    findings
}

/// Whether hooks may run what the file names, or what is recognised.
fn look_at_trust(workspace: &Workspace, config: &Config) -> Option<Finding> {
    let checks = planned_checks(config).ok().filter(|checks| !checks.is_empty())?;
    Some(if is_trusted(workspace, &checks) {
        finding("trust", Health::Good, "hooks may run these commands")
    } else {
        finding("trust", Health::Advice, "hooks may not run these commands yet")
            .hint("a person who has looked at them runs `redgreen trust`")
    })
}

fn look_at_hooks(root: &Path) -> Vec<Finding> {
    match hooks::hooked_here(root) {
        Ok(hooked) if hooked.is_empty() => vec![
            finding("hooks", Health::Advice, "no agent runs the gate here")
                .hint("`redgreen hooks install` puts the gate into an agent's settings"),
        ],
        Ok(hooked) => hooked
            .into_iter()
            .map(|hooked| {
                let state = if hooked.works { Health::Good } else { Health::Advice };
                finding("hooks", state, hooked.description)
            })
            .collect(),
        Err(failure) => vec![finding("hooks", Health::Advice, failure.to_string())],
    }
}

fn look_at_sessions(workspace: &Workspace) -> Vec<Finding> {
    match session::unfinished(workspace.root(), &workspace.state_path()) {
        Some(session) => vec![
            finding("sessions", Health::Advice, format!("session {session} has not ended"))
                .hint("go on with `redgreen resume`"),
        ],
        None => Vec::new(),
    }
}

/// The program of a simple command, if it is nowhere to be found. Anything that only a shell can
/// read is left to the shell.
fn missing_program(root: &Path, folder: &str, command: &str) -> Option<String> {
    let mut words = command.split_whitespace();
    let program = words.find(|word| !word.contains('='))?;
    if program.contains(['$', '(', '"', '\'', ';', '&', '|', '<', '>', '`', '~', '*'])
        || [
            "cd", "if", "for", "while", "exec", "set", "test", "[", ".", ":", "{", "!", "export",
            "eval", "true", "false",
        ]
        .contains(&program)
    {
        return None;
    }
    let found = if program.contains('/') {
        root.join(folder).join(program).exists()
    } else {
        std::env::var_os("PATH").is_some_and(|path| {
            std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
        })
    };
    (!found).then(|| program.to_owned())
}
