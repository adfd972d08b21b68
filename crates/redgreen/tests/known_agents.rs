//! `redgreen run --agent`: with a program of that name on the path that does what the real one does.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::common::{Loop, Project, events};

/// Puts a program on the path that notes how it is called and goes on with a script.
fn stand_in(project: &Project, name: &str, script: &str) {
    let outside = project.outside();
    let path = project.programs().join(name);
    let text = format!(
        "#!/bin/sh\nOUTSIDE='{}'\nprintf '%s\\n' \"$*\" >>\"$OUTSIDE/calls\"\ncat >\"$OUTSIDE/stdin\"\n{script}\n",
        outside.display()
    );
    fs::write(&path, text).expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

fn run(project: &Project, arguments: &[&str]) -> Loop {
    let ended =
        project.redgreen(&[&["run", "--json"], arguments, &["make the tests pass"]].concat());
    Loop { events: events(&ended.stdout), ended }
}

/// Writes the right values, unless it is the first attempt, and prints what the agent would.
fn script(output: &str) -> String {
    format!(
        "[ -n \"$REDGREEN_SESSION\" ] || exit 9
if [ \"$REDGREEN_ATTEMPT\" = 1 ]; then second=wrong; else second=ok; fi
printf 'first=ok\\nsecond=%s\\n' $second >value.sh
cat <<'END'
a warning
{output}
END"
    )
}

/// Agent, and what it prints.
const AGENTS: [(&str, &str); 8] = [
    ("claude", r#"{"type":"result","is_error":false,"result":"Both are ok."}"#),
    ("codex", r#"{"type":"item.completed","item":{"type":"agent_message","text":"Both are ok."}}"#),
    ("gemini", r#"{"type":"message","role":"assistant","content":"Both are ok.","delta":true}"#),
    ("qwen", r#"{"type":"result","is_error":false,"result":"Both are ok."}"#),
    ("copilot", r#"{"type":"assistant.message","data":{"content":"Both are ok."}}"#),
    ("opencode", r#"{"type":"text","part":{"type":"text","text":"Both are ok."}}"#),
    ("kilo", r#"{"type":"text","part":{"type":"text","text":"Both are ok."}}"#),
    ("aider", "Both are ok."),
];

#[test]
fn every_agent_goes_through_the_loop() {
    for (name, output) in AGENTS {
        let project = Project::shell();
        stand_in(&project, name, &script(output));
        let done = run(&project, &["--agent", name, "--model", "a big one"]);
        done.assert_ended(0, "passed", "");
        let ended = done.last("agent_ended");
        assert_eq!(ended["said"], "Both are ok.", "{name}: {}", done.text());
        assert_eq!(done.last("agent_started")["agent"], name);
        let calls = project.notes("calls");
        assert_eq!(calls.lines().count(), 2, "{name}: {calls}");
        assert!(calls.contains("--model a big one"), "{name}: {calls}");
        let file = calls.lines().last().and_then(|call| call.split("--message-file ").nth(1));
        let prompt = match file {
            Some(file) => fs::read_to_string(file).expect("the prompt"),
            None => project.notes("stdin"),
        };
        assert!(prompt.contains("make the tests pass"), "{name}: {prompt}");
        assert!(prompt.contains("second"), "{name}: {prompt}");
    }
}

#[test]
fn what_an_agent_says_of_its_failure_is_the_reason() {
    let failures = [
        (
            "claude",
            1,
            r#"{"type":"result","is_error":true,"result":"no\ncredit"}"#,
            "exit code 1: no credit",
        ),
        (
            "qwen",
            0,
            r#"{"type":"result","is_error":false,"result":"[API Error: gone]"}"#,
            "[API Error: gone]",
        ),
        (
            "codex",
            1,
            r#"{"type":"turn.failed","error":{"message":"\u001b[31m401"}}"#,
            "exit code 1: 401",
        ),
        ("gemini", 41, "no login", "exit code 41"),
    ];
    for (name, code, output, how) in failures {
        let project = Project::shell();
        stand_in(&project, name, &format!("cat <<'END'\n{output}\nEND\nexit {code}"));
        let failed = run(&project, &["--agent", name]);
        failed.assert_ended(1, "escalated", "agent_failed");
        assert_eq!(failed.last("finished")["detail"], how, "{}", failed.text());
    }
}

#[test]
fn the_configuration_may_name_the_agent_and_its_arguments() {
    let project = Project::shell();
    let agent = "[agent]\nname = \"claude\"\nmodel = \"small\"\nargs = [\"--permission-mode\", \"plan\"]\n\n";
    project.write("redgreen.toml", format!("{agent}{}", project.shell_check("")));
    project.commit();
    stand_in(&project, "claude", &script(AGENTS[0].1));
    stand_in(&project, "codex", &script(AGENTS[1].1));
    run(&project, &[]).assert_ended(0, "passed", "");
    let calls = project.notes("calls");
    let expected = "--verbose --allowedTools Bash --model small --permission-mode plan";
    assert!(calls.lines().all(|call| call.ends_with(expected)), "{calls}");
    // What is there for one agent is not for another.
    project.write("value.sh", "first=bad\nsecond=bad\n");
    run(&project, &["--agent", "codex"]).assert_ended(0, "passed", "");
    let calls = project.notes("calls");
    assert_eq!(calls.lines().last(), Some("exec --json --sandbox workspace-write -"));
}

#[test]
fn a_program_that_is_missing_is_named_before_anything_begins() {
    let project = Project::shell();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for program in ["git", "sh"] {
        let found = std::env::split_paths(&path).map(|folder| folder.join(program));
        let real = found.into_iter().find(|path| path.exists()).expect("it is there");
        symlink(real, project.programs().join(program)).expect("a link");
    }
    let alone = |arguments: &[&str]| {
        let mut command = project.redgreen_command(arguments);
        let output = command.env("PATH", project.programs()).output().expect("redgreen");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = alone(&["run", "--agent", "claude", "make the tests pass"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("npm install --global @anthropic-ai/claude-code"), "{said}");
    assert!(!Path::new(&project.root()).join(".redgreen/sessions").exists(), "{said}");
}

#[test]
fn a_loop_with_an_agent_by_its_name_is_resumed() {
    let project = Project::shell();
    // The first one ends redgreen itself, as a power cut would.
    let killer = "until [ -s \"$OUTSIDE/redgreen\" ]; do sleep 0.1; done\nkill -9 \"$(cat \"$OUTSIDE/redgreen\")\"\nsleep 60";
    stand_in(&project, "qwen", killer);
    let mut command = project.redgreen_command(&[
        "run",
        "--agent",
        "qwen",
        "--model",
        "m",
        "make the tests pass",
    ]);
    let child = command.spawn().expect("redgreen");
    fs::write(project.outside().join("redgreen"), child.id().to_string()).expect("a note");
    let output = child.wait_with_output().expect("its end");
    assert_eq!(output.status.code(), None);
    stand_in(&project, "qwen", &script(AGENTS[3].1));
    let resumed = project.redgreen(&["resume", "--json"]);
    let resumed = Loop { events: events(&resumed.stdout), ended: resumed };
    resumed.assert_ended(0, "passed", "");
    assert!(project.notes("calls").lines().all(|call| call.ends_with("--model m")));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let project = Project::shell();
    let refused = [
        (&["run", "--agent", "smith", "x"][..], "expected one of claude, codex"),
        (&["run", "--agent", "cursor", "x"], "expected one of claude, codex"),
        (&["run", "--agent", "claude", "--agent-command", "y", "x"], "cannot be used with"),
        (&["run", "x"], "no agent is configured"),
    ];
    for (arguments, words) in refused {
        let ended = project.redgreen(arguments);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    let check = project.shell_check("");
    project.write("redgreen.toml", format!("[agent]\ncommand = \"y\"\nmodel = \"m\"\n\n{check}"));
    let ended = project.redgreen(&["run", "x"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("without a `command`"), "{}", ended.stderr);
    project.write("redgreen.toml", format!("[agent]\ncommand = \"y\"\n\n{check}"));
    let ended = project.redgreen(&["run", "--model", "m", "x"]);
    assert!(
        ended.stderr.contains("`--model` works only with an agent that `--agent` names"),
        "{}",
        ended.stderr
    );
}
