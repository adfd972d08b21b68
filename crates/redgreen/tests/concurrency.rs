//! Two redgreens, a person at Ctrl-C, a person who edits, and places where there is no work tree.

use std::path::Path;
use std::process::{Child, Stdio};

use crate::common::shell::Fifo;
use crate::common::{Ended, Project};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Says that it is here and waits for a word, then makes the tests pass.
const WAITS: &str = r#"echo $$ >>"$OUTSIDE/pids"
echo "$REDGREEN_ATTEMPT" >>"$OUTSIDE/asked"
echo >"$OUTSIDE/here"
read go <"$OUTSIDE/go"
printf 'first=ok\nsecond=ok\n' >value.sh
"#;

/// A loop whose agent is at work and waits.
struct Busy {
    child: Child,
    here: Fifo,
    go: Fifo,
}

impl Busy {
    fn start(project: &Project) -> Self {
        let mut here = project.fifo("here");
        let go = project.fifo("go");
        let agent = project.agent(WAITS);
        let child = project.spawn(&["run", "--agent-command", &agent, "make the tests pass"]);
        here.wait();
        Self { child, here, go }
    }

    /// Lets the agent go on, and waits for the end of the loop.
    fn end(mut self) -> Ended {
        self.go.release();
        self.child.wait_with_output().expect("redgreen").into()
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).expect("a signal");
    }
}

fn sessions(project: &Project) -> usize {
    std::fs::read_dir(project.root().join(".redgreen/sessions")).expect("sessions").count()
}

#[test]
fn a_second_redgreen_refuses_and_names_the_first() {
    let project = Project::shell();
    let busy = Busy::start(&project);
    let pid = busy.child.id().to_string();
    let session = project.session();
    for arguments in [
        &["run", "--agent-command", "true", "another task"][..],
        &["test"],
        &["resume"],
        &["resume", &session],
    ] {
        let refused = project.redgreen(arguments);
        assert_eq!(refused.code, Some(3), "{arguments:?}\n{}{}", refused.stdout, refused.stderr);
        for word in ["another redgreen is at work in this tree", &pid, &session] {
            assert!(refused.stderr.contains(word), "{arguments:?}: {word}\n{}", refused.stderr);
        }
        assert!(!refused.stderr.contains("go on with"), "{}", refused.stderr);
    }
    assert_eq!(sessions(&project), 1, "a refused run left a session");
    // Reading needs no lock.
    assert_eq!(project.redgreen(&["report"]).code, Some(0));
    assert_eq!(project.redgreen(&["doctor"]).code, Some(0));
    let ended = busy.end();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(project.notes("asked"), "1\n", "the agent was started by a second redgreen");
    assert_eq!(project.redgreen(&["test"]).code, Some(0), "the lock is not given back");
}

#[test]
fn two_linked_worktrees_work_at_the_same_time() {
    let project = Project::shell();
    let second = project.outside().join("second");
    project.git(&["worktree", "add", "-q", "-b", "second", second.to_str().expect("a path")]);
    let mut busy = Busy::start(&project);
    // The second loop comes to its agent while the first one waits in its own.
    let agent = format!("sh '{}'", project.outside().join("agent.sh").display());
    let mut other = project.redgreen_command(&["run", "--agent-command", &agent, "the same"]);
    other.current_dir(&second).stdout(Stdio::piped()).stderr(Stdio::piped());
    let other = other.spawn().expect("redgreen");
    busy.here.wait();
    busy.go.release();
    let other: Ended = {
        busy.go.release();
        other.wait_with_output().expect("redgreen").into()
    };
    let first: Ended = busy.child.wait_with_output().expect("redgreen").into();
    assert_eq!(first.code, Some(0), "{}{}", first.stdout, first.stderr);
    assert_eq!(other.code, Some(0), "{}", other.stdout);
    for root in [project.root(), second] {
        let found = std::fs::read_dir(root.join(".redgreen/sessions")).expect("sessions").count();
        assert_eq!(found, 1, "{}", root.display());
        let value = std::fs::read_to_string(root.join("value.sh")).expect("a file");
        assert_eq!(value, "first=ok\nsecond=ok\n");
    }
}

/// What is said and done after a signal.
#[track_caller]
fn assert_interrupted(project: &Project, ended: &Ended) {
    assert_eq!(ended.code, Some(130), "{}{}", ended.stdout, ended.stderr);
    let session = project.session();
    let advice = format!("go on with `redgreen resume {session}`");
    assert!(ended.stderr.contains("interrupted"), "{}", ended.stderr);
    assert!(ended.stderr.contains(&advice), "{}", ended.stderr);
    assert!(!ended.stdout.contains("PASSED"), "{}", ended.stdout);
    assert_eq!(project.survivors(), Vec::<String>::new(), "left running");
}

#[test]
fn a_signal_while_the_agent_works_ends_it_all_and_resume_goes_on() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let project = Project::shell();
        let mut busy = Busy::start(&project);
        busy.signal(signal);
        let ended: Ended = busy.child.wait_with_output().expect("redgreen").into();
        assert_interrupted(&project, &ended);
        busy.go.release();
        let resumed = project.redgreen(&["resume"]);
        assert_eq!(resumed.code, Some(0), "{signal}\n{}{}", resumed.stdout, resumed.stderr);
        assert!(resumed.stdout.contains("PASSED after 1 attempt"), "{}", resumed.stdout);
        assert_eq!(project.notes("asked"), "1\n1\n", "an interruption was charged as an attempt");
    }
}

/// A project with a test that waits, once.
fn with_a_test_that_waits(project: &Project) -> (Fifo, Fifo) {
    project.case(
        "waits",
        "[ -e \"$OUTSIDE/waited\" ] || { : >\"$OUTSIDE/waited\"; echo >\"$OUTSIDE/here\"; read go <\"$OUTSIDE/go\"; }",
    );
    project.commit();
    (project.fifo("here"), project.fifo("go"))
}

#[test]
fn a_signal_while_the_tests_run_ends_it_all_and_resume_goes_on() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let project = Project::shell();
        let (mut here, _go) = with_a_test_that_waits(&project);
        let agent = project.agent("printf 'first=ok\\nsecond=ok\\n' >value.sh");
        let child = project.spawn(&["run", "--agent-command", &agent, "make the tests pass"]);
        here.wait();
        kill(Pid::from_raw(child.id().cast_signed()), signal).expect("a signal");
        let ended: Ended = child.wait_with_output().expect("redgreen").into();
        assert_interrupted(&project, &ended);
        let executed = project.journal().iter().filter(|line| line["input"] == "executed").count();
        assert_eq!(executed, 0, "half an execution was recorded");
        let resumed = project.redgreen(&["resume"]);
        assert_eq!(resumed.code, Some(0), "{signal}\n{}{}", resumed.stdout, resumed.stderr);
    }
}

#[test]
fn a_single_run_that_is_interrupted_has_no_verdict() {
    let project = Project::shell();
    let (mut here, _go) = with_a_test_that_waits(&project);
    let child = project.spawn(&["test"]);
    here.wait();
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("a signal");
    let ended: Ended = child.wait_with_output().expect("redgreen").into();
    assert_eq!(ended.code, Some(130), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("interrupted"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("resume"), "there is nothing to resume: {}", ended.stderr);
    assert_eq!(ended.stdout, "");
    assert_eq!(project.survivors(), Vec::<String>::new(), "left running");
}

#[test]
fn what_a_person_wrote_meanwhile_can_be_got_back() {
    let project = Project::shell();
    let mut here = project.fifo("here");
    let mut go = project.fifo("go");
    let agent = project.agent(
        "echo 'first=half' >value.sh\necho >\"$OUTSIDE/here\"; read go <\"$OUTSIDE/go\"; exit 1",
    );
    let child = project.spawn(&["run", "--agent-command", &agent, "make the tests pass"]);
    here.wait();
    project.write("mine.sh", "# written while the agent worked\n");
    go.release();
    let ended: Ended = child.wait_with_output().expect("redgreen").into();
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    let kept = ended.stderr.split_whitespace().find(|word| word.starts_with("refs/redgreen/"));
    let kept = kept.unwrap_or_else(|| panic!("it is not said where it is kept: {}", ended.stderr));
    let mine = project.git(&["show", &format!("{kept}:mine.sh")]);
    assert_eq!(mine, "# written while the agent worked\n");
    assert_eq!(project.read("value.sh"), "first=bad\nsecond=bad\n");
}

#[test]
fn a_loop_can_be_started_in_a_sub_folder() {
    let project = Project::shell();
    let agent = project.agent("printf 'first=ok\\nsecond=ok\\n' >value.sh");
    let mut command = project.redgreen_command(&["run", "--agent-command", &agent, "the task"]);
    command.current_dir(project.root().join("tests/cases"));
    let ended: Ended = command.output().expect("redgreen").into();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let session = project.session();
    let mut command = project.redgreen_command(&["report", &session]);
    command.current_dir(project.root().join("tests"));
    assert_eq!(command.output().expect("redgreen").status.code(), Some(0));
    assert!(!project.root().join("tests/.redgreen").exists());
}

/// Every command that needs a work tree, in a folder without one.
#[track_caller]
fn assert_needs_a_work_tree(project: &Project, folder: &Path, words: &[&str]) {
    let before = std::fs::read_dir(folder).expect("a folder").count();
    for arguments in [
        &["run", "--agent-command", "true", "a task"][..],
        &["test"],
        &["resume"],
        &["report"],
        &["init", "--yes"],
        &["doctor"],
    ] {
        let mut command = project.redgreen_command(arguments);
        let ended: Ended = command.current_dir(folder).output().expect("redgreen").into();
        assert_eq!(ended.code, Some(3), "{arguments:?}\n{}{}", ended.stdout, ended.stderr);
        let text = format!("{}{}", ended.stdout, ended.stderr);
        for word in words {
            assert!(text.contains(word), "{arguments:?}: no `{word}` in {text}");
        }
    }
    assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), before, "it left something");
}

#[test]
fn outside_a_repository_it_says_what_to_do() {
    let project = Project::shell();
    let folder = project.outside().join("plain");
    std::fs::create_dir(&folder).expect("a folder");
    assert_needs_a_work_tree(&project, &folder, &["not in a git repository", "git init"]);
}

#[test]
fn a_bare_repository_has_no_work_tree() {
    let project = Project::shell();
    let folder = project.outside().join("bare.git");
    project.git(&["clone", "-q", "--bare", ".", folder.to_str().expect("a path")]);
    assert_needs_a_work_tree(&project, &folder, &["bare repository", "git worktree add"]);
    assert_needs_a_work_tree(&project, &project.root().join(".git"), &["has no work tree"]);
}

#[test]
fn without_git_it_says_what_is_missing() {
    let project = Project::shell();
    let mut command = project.redgreen_command(&["test"]);
    let ended: Ended = command.env("PATH", project.outside()).output().expect("redgreen").into();
    assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("git is not installed"), "{}", ended.stderr);
}
