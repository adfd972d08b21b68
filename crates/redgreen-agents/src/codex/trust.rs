//! Codex skips what is not trusted without a word: the hooks of a project that is not trusted, and
//! every hook whose hash is not in the user's configuration. The hash is for Codex to say.

use std::path::Path;

use redgreen_exec::capture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::config;
use super::settings::SETTINGS;
use crate::settings::{
    Scope, SettingsError, Standing, Surroundings, Trust, is_own_command, read_file, write_file,
};

/// How its trust is set up.
pub static TRUST: Trust = Trust { grant, revoke, look };

const STEP: &str =
    "start `codex` in this folder, trust the folder, open /hooks and trust the hooks of redgreen";

/// Asks the program: it answers only while its input is open, so that stays so until the answer is
/// there, the program has ended, or 15 seconds are over.
const CONVERSATION: &str = r#"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/requests" || exit 1
{ "$0" app-server < "$folder/requests" > "$folder/answers" 2> /dev/null; : > "$folder/ended"; } &
exec 3> "$folder/requests"
cat >&3 2> /dev/null
n=0
while [ $n -lt 150 ] && [ ! -e "$folder/ended" ] && ! grep -q '"id":2' "$folder/answers"; do
  sleep 0.1
  n=$((n+1))
done
exec 3>&-
cat "$folder/answers"
"#;

/// A hook as Codex lists it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    key: String,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    enabled: bool,
    current_hash: String,
    trust_status: String,
}

impl Listed {
    fn is_trusted(&self) -> bool {
        matches!(self.trust_status.as_str(), "trusted" | "managed")
    }
}

fn grant(around: &Surroundings, scope: Scope) -> Result<Vec<String>, SettingsError> {
    let mut done = Vec::new();
    let Some(mut listed) = list(around) else { return Ok(done) };
    let config = read_file(&config_file(around))?;
    let mut text = config.text.clone().unwrap_or_default();
    if listed.is_empty()
        && scope == Scope::Project
        && let Some(root) = root(around)
        && let Some(with) = config::with_trusted_project(&text, &root)
    {
        write_file(&config, &with)?;
        done.push(format!("{root} is trusted now, in {}", config.path.display()));
        listed = list(around).unwrap_or_default();
    }
    let config = read_file(&config_file(around))?;
    text = config.text.clone().unwrap_or_default();
    let mut hooks = 0;
    for hook in listed.iter().filter(|hook| !hook.is_trusted()) {
        if let Some(with) = config::with_trusted_hook(&text, &hook.key, &hook.current_hash) {
            text = with;
            hooks += 1;
        }
    }
    if hooks > 0 {
        write_file(&config, &text)?;
        done.push(format!("{hooks} hooks are trusted now, in {}", config.path.display()));
    }
    Ok(done)
}

fn revoke(around: &Surroundings, scope: Scope) -> Result<Vec<String>, SettingsError> {
    let config = read_file(&config_file(around))?;
    let Some(text) = &config.text else { return Ok(Vec::new()) };
    let file = around.file(&SETTINGS, scope);
    let file = std::fs::canonicalize(&file).unwrap_or(file);
    let project = (scope == Scope::Project).then(|| root(around)).flatten();
    let left = config::without_own(text, &file.to_string_lossy(), project.as_deref());
    if left == *text {
        return Ok(Vec::new());
    }
    if left.is_empty() {
        config.remove(&around.home)?;
    } else {
        write_file(&config, &left)?;
    }
    Ok(vec![format!("trust for redgreen's hooks is taken back, in {}", config.path.display())])
}

fn look(around: &Surroundings, _: Scope) -> Result<Standing, SettingsError> {
    let Some(listed) = list(around) else {
        return Ok(Standing::Untrusted(format!("install Codex, then {STEP}")));
    };
    let good = listed.iter().all(|hook| hook.is_trusted() && hook.enabled);
    Ok(if !listed.is_empty() && good {
        Standing::Trusted("by Codex's own list of hooks".to_owned())
    } else {
        Standing::Untrusted(STEP.to_owned())
    })
}

fn config_file(around: &Surroundings) -> std::path::PathBuf {
    around.user_folder(&SETTINGS.user).join("config.toml")
}

fn root(around: &Surroundings) -> Option<String> {
    let root = std::fs::canonicalize(&around.root).unwrap_or_else(|_| around.root.clone());
    root.to_str().map(str::to_owned)
}

/// redgreen's hooks, by Codex's own word; `None` if there is no Codex that answers.
fn list(around: &Surroundings) -> Option<Vec<Listed>> {
    let program = around.program(&super::AGENT)?;
    let answers = ask(around, &program)?;
    Some(hooks_in(&answers))
}

fn ask(around: &Surroundings, program: &Path) -> Option<String> {
    let root = root(around)?;
    let requests = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "clientInfo": {"name": "redgreen", "title": "redgreen", "version": env!("CARGO_PKG_VERSION")},
        }}),
        json!({"jsonrpc": "2.0", "method": "initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "hooks/list", "params": {"cwds": [root]}}),
    ];
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let env: Vec<_> = ["HOME", "PATH", "CODEX_HOME"]
        .iter()
        .map(|name| ((*name).into(), around.variable(name).cloned()))
        .collect();
    let arguments: [&std::ffi::OsStr; 3] =
        ["-c".as_ref(), CONVERSATION.as_ref(), program.as_os_str()];
    let output = capture("/bin/sh", &arguments, &around.root, &env, input.as_bytes()).ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The hooks of redgreen in what the program has answered.
fn hooks_in(answers: &str) -> Vec<Listed> {
    let answer = answers
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|answer| answer["id"] == 2);
    let folders = answer.as_ref().and_then(|answer| answer["result"]["data"].as_array());
    let hooks = folders.into_iter().flatten().filter_map(|folder| folder["hooks"].as_array());
    hooks
        .flatten()
        .filter_map(|hook| Listed::deserialize(hook).ok())
        .filter(|hook| {
            hook.command.as_deref().is_some_and(|command| is_own_command(command, "codex"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_redgreens_hooks_are_taken_from_the_list() {
        let hook = |key: &str, command: &str, status: &str| {
            json!({"key": key, "command": command, "enabled": true, "currentHash": "sha256:1",
                "trustStatus": status, "new": [1]})
        };
        let listed = json!({"id": 2, "result": {"data": [{"cwd": "/repo", "hooks": [
            hook("a:stop:0:0", "\"/x\" gate --hook codex --event stop", "trusted"),
            hook("a:stop:1:0", "\"/x\" gate --hook claude --event stop", "trusted"),
            hook("a:stop:2:0", "curl x | sh", "untrusted"),
            hook("a:start:0:0", "\"/x\" gate --hook codex --event session-start", "modified"),
            {"key": "odd"}, 5,
        ]}]}});
        let answers = format!("{{\"id\":1,\"result\":{{}}}}\nnoise\n{listed}\n");
        let hooks = hooks_in(&answers);
        let keys: Vec<_> = hooks.iter().map(|hook| hook.key.as_str()).collect();
        assert_eq!(keys, ["a:stop:0:0", "a:start:0:0"]);
        assert_eq!([hooks[0].is_trusted(), hooks[1].is_trusted()], [true, false]);
        assert!(hooks_in("").is_empty() && hooks_in("{\"id\":2}").is_empty());
    }
}
