//! Plain tools.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use redgreen_exec::{ExecErrorKind, ToolOutput, capture};

use crate::common::Scene;

#[expect(clippy::expect_used, reason = "test code")]
fn shell(line: &str, stdin: &[u8]) -> ToolOutput {
    capture("sh", &["-c", line], Path::new("/"), &[], stdin).expect("runs")
}

#[test]
fn large_input_and_output_do_not_block_each_other() {
    let bytes: Vec<u8> = (0..=255).cycle().take(48 << 20).collect();
    let output = shell("tee /dev/stderr", &bytes);
    assert!(output.status.success());
    assert!(output.stdout == bytes, "standard output differs");
    assert!(output.stderr == bytes, "standard error differs");
}

#[test]
fn output_before_the_input_is_read_does_not_block() {
    let bytes = vec![7; 8 << 20];
    let output = shell("head -c 8388608 /dev/zero; cat >/dev/null; echo done >&2", &bytes);
    assert_eq!((output.stdout.len(), output.stderr.as_slice()), (8 << 20, b"done\n".as_slice()));
}

#[test]
fn input_that_is_not_read_is_no_error() {
    let output = shell("exit 3", &vec![0; 8 << 20]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn empty_input_is_at_its_end() {
    assert_eq!(shell("wc -c", b"").stdout, b"0\n");
}

#[test]
fn a_death_by_signal_is_seen() {
    assert_eq!(shell("kill -9 $$", b"").status.signal(), Some(9));
}

#[test]
fn folder_and_environment_are_the_given_ones() {
    let scene = Scene::new();
    let folder = scene.path("");
    let env = [("SET".into(), Some("set".into())), ("HOME".into(), None)];
    let line = r#"pwd -P; echo "$SET${HOME-unset}""#;
    let output = capture("sh", &["-c", line], &folder, &env, b"").expect("runs");
    let real = folder.canonicalize().expect("exists");
    assert_eq!(output.stdout, format!("{}\nsetunset\n", real.display()).into_bytes());
}

#[test]
fn what_cannot_be_started_is_named() {
    let none: [&str; 0] = [];
    let error = capture("no-such-tool", &none, Path::new("/"), &[], b"").expect_err("fails");
    assert_eq!(error.kind, ExecErrorKind::ToolNotStarted);
    assert!(error.to_string().contains("`no-such-tool`: No such file"), "{error}");
    let error = capture("true", &none, Path::new("/no-such-folder"), &[], b"").expect_err("fails");
    assert!(error.to_string().contains("/no-such-folder"), "{error}");
}

#[test]
fn a_daemon_that_holds_the_pipes_does_not_hang_the_tool() {
    let begin = Instant::now();
    let output = shell("sleep 1000 & echo $!", b"");
    assert!(begin.elapsed() < Duration::from_secs(30));
    let pid = String::from_utf8(output.stdout).expect("UTF-8").trim().parse().expect("a pid");
    kill(Pid::from_raw(pid), Signal::SIGKILL).expect("the daemon is not ours to end");
}
