//! What stands between cargo and its tests: a runner of the user's own configuration, which runs test
//! binaries that are seen all the same, and a program that cargo runs and that runs the tests.

use std::fs;

use crate::common::Project;
use serde_json::Value;

const HOST: &str = "$(rustc -vV | sed -n 's/host: //p')";
/// Says which binary it runs, and with which arguments of its own.
const RUNNER: &str = "#!/bin/sh\necho \"$1\" >> \"${0%/*}/../../agent/ran\"\nshift\nexec \"$@\"\n";

/// A crate with a test that passes and one that fails, in a folder whose name has a space or not.
fn project(place: &str, configuration: &str, command: &str) -> Project {
    let project = Project::empty_at(place);
    project.write(
        "Cargo.toml",
        "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\ndoctest = false\n",
    );
    project.write(
        "src/lib.rs",
        "#[test]\nfn passes() {}\n\n#[test]\nfn fails() {\n    panic!();\n}\n",
    );
    project.write("scripts/run.sh", RUNNER);
    project.write(".cargo/template", configuration);
    project.write(".gitignore", "/target\n/Cargo.lock\n/.cargo/config.toml\n");
    let command = Value::from(format!(
        "chmod +x scripts/run.sh; host={HOST}; sed \"s/HOST/$host/\" .cargo/template > .cargo/config.toml; {command}"
    ));
    project.write(
        "redgreen.toml",
        format!("[[checks]]\nname = \"unit\"\ncommand = {command}\nframework = \"cargo_test\"\n"),
    );
    project.git(&["add", "-A"]);
    project.git(&["update-index", "--chmod=+x", "scripts/run.sh"]);
    project.commit();
    project.git(&["checkout", "-q", "--", "."]);
    project
}

#[track_caller]
fn assert_seen(place: &str, configuration: &str, command: &str) {
    let project = project(place, configuration, command);
    let ended = project.redgreen(&["test", "--json"]);
    let text = format!("{configuration} {command}\n{}\n{}", ended.stdout, ended.stderr);
    let last = ended.stdout.lines().last().unwrap_or_default();
    let result: Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(result["verdict"], "failed", "{text}");
    let counts = &result["test_results"];
    assert_eq!((&counts["passed"], &counts["failed"]), (&1.into(), &1.into()), "{text}");
    assert_eq!(counts["errors"], 0, "{text}");
    let ran = fs::read_to_string(project.outside().join("ran")).unwrap_or_default();
    // Once for its list and once for its tests, in each of the executions that there were.
    let executions = ended.stdout.matches("\"check_started\"").count();
    assert_eq!(ran, "mine\nmine\n".repeat(executions), "{text}");
}

const COMMAND: &str = "cargo test --offline";

#[test]
fn a_runner_for_the_host_is_run() {
    assert_seen("project", "[target.HOST]\nrunner = \"scripts/run.sh mine\"\n", COMMAND);
    assert_seen("project", "[target.HOST]\nrunner = [\"scripts/run.sh\", \"mine\"]\n", COMMAND);
}

#[test]
fn a_runner_for_the_kind_of_platform_is_run() {
    let configuration = "[target.'cfg(windows)']\nrunner = \"wine\"\n\n[target.'cfg(all(unix, not(windows)))']\nrunner = \"scripts/run.sh mine\"\n";
    assert_seen("project", configuration, COMMAND);
}

#[test]
fn a_runner_of_the_command_line_or_the_environment_is_run() {
    let command =
        "cargo test --offline --config \"target.\\\"$host\\\".runner=['scripts/run.sh','mine']\"";
    assert_seen("project", "", command);
    let variable = "export CARGO_TARGET_$(echo $host | tr a-z- A-Z_)_RUNNER=\"$PWD/scripts/run.sh mine\"; cargo test --offline";
    assert_seen("project", "[target.HOST]\nrunner = \"nothing-of-that-name\"\n", variable);
}

#[test]
fn a_folder_with_a_space_in_its_name_is_no_problem() {
    assert_seen("my project", "[target.HOST]\nrunner = \"scripts/run.sh mine\"\n", COMMAND);
}

#[test]
fn a_program_that_runs_the_tests_is_seen_to_run_them() {
    let project = Project::cargo();
    project
        .write("Cargo.toml", project.read("Cargo.toml") + "\n[workspace]\nmembers = [\"xtask\"]\n");
    project.write(
        "xtask/Cargo.toml",
        "[package]\nname = \"xtask\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    project.write(
        "xtask/src/main.rs",
        "fn main() {\n    let tests = std::process::Command::new(\"cargo\").args([\"test\", \"--offline\"]).status();\n    std::process::exit(tests.unwrap().code().unwrap_or(1));\n}\n",
    );
    project.write(
        ".cargo/config.toml",
        "[alias]\nxtask = \"run --offline --quiet --package xtask --\"\n",
    );
    let check =
        "[[checks]]\nname = \"unit\"\ncommand = \"cargo xtask test\"\nframework = \"other\"\n";
    project.write("redgreen.toml", check);
    project.commit();
    let ended = project.redgreen(&["test", "--json"]);
    let last = ended.stdout.lines().last().unwrap_or_default();
    let result: Value = serde_json::from_str(last).expect("JSON");
    let counts = &result["test_results"];
    let text = format!("{}\n{}", ended.stdout, ended.stderr);
    assert_eq!((&counts["passed"], &counts["failed"]), (&1.into(), &1.into()), "{text}");
    assert_eq!(result["verdict"], "failed", "{text}");
}
