//! The agents: where they come from, at exact versions, and how each is made to talk to the scripted
//! model instead of its own, in a home of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::Failure;
use crate::project::{capture, root};
use crate::tools::{ensure_folder, install_from_npm, lock};

/// Variables with their values.
type Environment = Result<Vec<(&'static str, String)>, Failure>;

/// Where a program comes from.
enum Source {
    Npm,
    Pip,
}

/// An agent that can be fetched and driven.
pub struct Agent {
    pub name: &'static str,
    source: Source,
    package: &'static str,
    pub version: &'static str,
    /// Its settings, in a home folder, and its environment.
    settle: fn(&Stage) -> Environment,
    /// What `redgreen run` must give it beside what it gives it anyway.
    pub args: &'static [&'static str],
    /// What makes it do one task and end,
    start: &'static [&'static str],
    /// in the session that it had before,
    go_on: &'static [&'static str],
    /// and what the task comes behind.
    task: &'static [&'static str],
    pub gate: Gate,
}

/// How redgreen's gate comes into an agent.
pub enum Gate {
    /// By `redgreen hooks install`.
    Hooks,
    /// By its own flags, with the command behind them.
    TestCommand(&'static [&'static str]),
}

/// Where an agent plays.
pub struct Stage<'play> {
    pub home: &'play Path,
    pub project: &'play Path,
    /// The scripted model's.
    pub address: String,
}

pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        source: Source::Npm,
        package: "@anthropic-ai/claude-code",
        version: "2.1.197",
        settle: settle_claude,
        args: &[],
        start: &[
            "--verbose",
            "--output-format",
            "stream-json",
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            "Bash",
        ],
        go_on: &["--continue"],
        task: &["-p"],
        gate: Gate::Hooks,
    },
    Agent {
        name: "codex",
        source: Source::Npm,
        package: "@openai/codex",
        version: "0.166.0",
        settle: settle_codex,
        args: &[],
        start: &["exec", "--json", "--sandbox", "workspace-write"],
        go_on: &["resume", "--last"],
        task: &[],
        gate: Gate::Hooks,
    },
    Agent {
        name: "gemini",
        source: Source::Npm,
        package: "@google/gemini-cli",
        version: "0.61.0",
        settle: settle_gemini,
        args: &[],
        start: &["--output-format", "stream-json", "--yolo"],
        go_on: &["--resume", "latest"],
        task: &["-p"],
        gate: Gate::Hooks,
    },
    Agent {
        name: "qwen",
        source: Source::Npm,
        package: "@qwen-code/qwen-code",
        version: "0.15.10",
        settle: settle_qwen,
        args: &[],
        start: &["--output-format", "stream-json", "--yolo"],
        go_on: &["--continue"],
        task: &[],
        gate: Gate::Hooks,
    },
    Agent {
        name: "copilot",
        source: Source::Npm,
        package: "@github/copilot",
        version: "1.0.102",
        settle: settle_copilot,
        args: &[],
        start: &["--output-format", "json", "--allow-all-tools"],
        go_on: &["--continue"],
        task: &["-p"],
        gate: Gate::Hooks,
    },
    Agent {
        name: "opencode",
        source: Source::Npm,
        package: "opencode-ai",
        version: "1.18.33",
        settle: settle_opencode,
        args: &[],
        start: &["run", "--format", "json", "--auto"],
        go_on: &["--continue"],
        task: &[],
        gate: Gate::Hooks,
    },
    Agent {
        name: "kilo",
        source: Source::Npm,
        package: "@kilocode/cli",
        version: "7.7.7",
        settle: settle_kilo,
        args: &[],
        start: &["run", "--format", "json", "--auto"],
        go_on: &["--continue"],
        task: &[],
        gate: Gate::Hooks,
    },
    Agent {
        name: "aider",
        source: Source::Pip,
        package: "aider-chat",
        version: "0.86.2",
        settle: settle_aider,
        args: &["calc.py"],
        start: &["--yes-always", "calc.py"],
        go_on: &[],
        task: &["--message"],
        gate: Gate::TestCommand(&["--auto-test", "--test-cmd"]),
    },
];

/// Where they are installed.
pub fn folder() -> PathBuf {
    root().join("target/agents")
}

impl Agent {
    /// The folder that its program is in.
    pub fn programs(&self) -> PathBuf {
        let inside = match self.source {
            Source::Npm => "node_modules/.bin",
            Source::Pip => "bin",
        };
        folder().join("installed").join(self.name).join(inside)
    }

    /// Fetches it, unless it is there.
    pub fn install(&self) -> Result<(), Failure> {
        let all = folder().join("installed");
        let _lock = lock(&all)?;
        let wanted = match self.source {
            Source::Npm => format!("{}@{}", self.package, self.version),
            Source::Pip => format!("{}=={}", self.package, self.version),
        };
        ensure_folder(&wanted, &all.join(self.name), &wanted, |folder| match self.source {
            Source::Npm => install_from_npm(folder, &wanted),
            Source::Pip => install_with_pip(folder, &wanted),
        })
    }

    /// The words that make it do one task and end, in a new session or in the last one.
    pub fn ask<'words>(&self, task: &'words str, again: bool) -> Vec<&'words str> {
        let go_on: &[&str] = if again { self.go_on } else { &[] };
        [self.start, go_on, self.task, &[task]].concat()
    }

    /// Puts settings into the home folder that lead to the scripted model, and nowhere else.
    pub fn settle(&self, stage: &Stage) -> Environment {
        (self.settle)(stage)
    }
}

fn install_with_pip(folder: &Path, wanted: &str) -> Result<(), Failure> {
    capture(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check", wanted]);
    capture(&mut pip).map(drop)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all);
    written
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

fn write_json(path: &Path, value: &Value) -> Result<(), Failure> {
    write(path, &format!("{value:#}\n"))
}

fn settle_claude(stage: &Stage) -> Environment {
    Ok(vec![
        ("ANTHROPIC_BASE_URL", stage.address.clone()),
        ("ANTHROPIC_API_KEY", "none".into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
    ])
}

fn settle_codex(stage: &Stage) -> Environment {
    let folder = stage.home.join(".codex");
    let config = folder.join("config.toml");
    let address = &stage.address;
    let ours = format!(
        "model = \"gpt-5.5\"
model_provider = \"scripted\"
approval_policy = \"never\"
check_for_update_on_startup = false

[model_providers.scripted]
name = \"Scripted\"
base_url = \"{address}/v1\"
wire_api = \"responses\"
env_key = \"SCRIPTED_API_KEY\"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
"
    );
    write(&config, &ours)?;
    Ok(vec![("CODEX_HOME", folder.display().to_string()), ("SCRIPTED_API_KEY", "none".into())])
}

/// Settings for the home folder of Gemini CLI, and of Qwen Code, which grew out of it.
fn google_settings(login: &str) -> Value {
    json!({
        "general": { "enableAutoUpdate": false, "disableAutoUpdate": true },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "security": { "auth": { "selectedType": login } },
    })
}

fn settle_gemini(stage: &Stage) -> Environment {
    let folder = stage.home.join(".gemini");
    write_json(&folder.join("settings.json"), &google_settings("gemini-api-key"))?;
    Ok(vec![("GEMINI_API_KEY", "none".into()), ("GOOGLE_GEMINI_BASE_URL", stage.address.clone())])
}

fn settle_qwen(stage: &Stage) -> Environment {
    // It writes its version into a project's settings when it first finds them without: to the gate, that
    // is a change of the rules. So it was used there before.
    write_json(&stage.project.join(".qwen/settings.json"), &json!({ "$version": 4 }))?;
    write_json(&stage.home.join(".qwen/settings.json"), &google_settings("openai"))?;
    Ok(vec![
        ("OPENAI_API_KEY", "none".into()),
        ("OPENAI_BASE_URL", format!("{}/v1", stage.address)),
        ("OPENAI_MODEL", "scripted".into()),
    ])
}

fn settle_copilot(stage: &Stage) -> Environment {
    Ok(vec![
        ("COPILOT_OFFLINE", "true".into()),
        ("COPILOT_AUTO_UPDATE", "false".into()),
        ("COPILOT_MODEL", "scripted".into()),
        ("COPILOT_PROVIDER_TYPE", "openai".into()),
        ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", stage.address)),
        ("COPILOT_PROVIDER_API_KEY", "none".into()),
    ])
}

fn settle_opencode(stage: &Stage) -> Environment {
    settle_opencode_as(
        stage,
        ".config/opencode/opencode.json",
        &[
            "OPENCODE_DISABLE_MODELS_FETCH",
            "OPENCODE_DISABLE_AUTOUPDATE",
            "OPENCODE_DISABLE_LSP_DOWNLOAD",
            "OPENCODE_DISABLE_SHARE",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS",
        ],
    )
}

fn settle_kilo(stage: &Stage) -> Environment {
    settle_opencode_as(
        stage,
        ".config/kilo/kilo.json",
        &[
            "KILO_DISABLE_MODELS_FETCH",
            "KILO_DISABLE_AUTOUPDATE",
            "KILO_DISABLE_LSP_DOWNLOAD",
            "KILO_DISABLE_SHARE",
            "KILO_DISABLE_DEFAULT_PLUGINS",
            "KILO_DISABLE_SESSION_INGEST",
        ],
    )
}

/// OpenCode, or what grew out of it: its settings in the home folder, and what turns its calls elsewhere
/// off.
fn settle_opencode_as(stage: &Stage, settings_file: &str, off: &[&'static str]) -> Environment {
    let model = json!({
        "name": "Scripted", "tool_call": true, "limit": { "context": 200_000, "output": 8000 },
    });
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "Scripted", "models": { "scripted": model },
        "options": { "baseURL": format!("{}/v1", stage.address), "apiKey": "none" },
    });
    let settings = json!({
        "autoupdate": false, "share": "disabled", "permission": { "*": "allow" },
        "model": "scripted/scripted", "small_model": "scripted/scripted",
        "provider": { "scripted": provider },
    });
    write_json(&stage.home.join(settings_file), &settings)?;
    let mut environment: Vec<_> = off.iter().map(|name| (*name, "1".to_owned())).collect();
    // It looks for packages beside a project's plugins, and there is no network.
    environment.push(("npm_config_fetch_retries", "0".into()));
    Ok(environment)
}

fn settle_aider(stage: &Stage) -> Environment {
    let settings = "\
model: openai/scripted
edit-format: whole
check-update: false
analytics-disable: true
show-model-warnings: false
show-release-notes: false
pretty: false
gitignore: false
map-tokens: 0
";
    write(&stage.home.join(".aider.conf.yml"), settings)?;
    Ok(vec![
        ("OPENAI_API_BASE", format!("{}/v1", stage.address)),
        ("OPENAI_API_KEY", "none".into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_an_exact_version() {
        for agent in AGENTS {
            let is_number = |part: &str| part.parse::<u32>().is_ok();
            assert!(agent.version.split('.').all(is_number), "{} {}", agent.name, agent.version);
        }
    }
}
