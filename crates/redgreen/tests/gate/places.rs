//! Where a session is judged, and what happens when it cannot be.

use std::fs;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::visitor::{Visitor, reason};
use super::{FIX, WRONG};
use crate::common::{Ended, Project};

impl Visitor {
    /// The agent says that it is done, and where it is.
    fn stop_at(&self, folder: &std::path::Path) -> Value {
        let event = json!({"session_id": self.session, "hook_event_name": "Stop", "cwd": folder});
        self.send(event.to_string().as_bytes(), &[]).0
    }
}

/// A project beside the first one, in the same home, that is green and trusted.
fn beside(visitor: &Visitor) -> std::path::PathBuf {
    visitor.shell("cp -r ../project ../agent/other && cd ../agent/other && git checkout -q . && printf 'def add(a, b):\\n    return a + b\\n\\n\\ndef subtract(a, b):\\n    return a - b\\n' > calc.py && git -c user.name=t -c user.email=t@example.org commit -qam fixed");
    visitor.project.outside().join("other")
}

#[test]
fn it_is_judged_where_it_began_wherever_the_agent_went() {
    let visitor = Visitor::new();
    let other = beside(&visitor);
    visitor.project.write("calc.py", WRONG);
    for elsewhere in [other.clone(), visitor.project.root().join(".git")] {
        let answer = visitor.stop_at(&elsewhere);
        assert!(reason(&answer).contains("test_subtract"), "{}: {answer}", elsewhere.display());
        visitor.project.write("calc.py", format!("{WRONG}# {}\n", elsewhere.display()));
    }
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop_at(&visitor.project.outside()), Value::Null);
}

#[test]
fn a_work_tree_that_is_said_to_be_elsewhere_is_not_looked_for_there() {
    let visitor = Visitor::new();
    let other = beside(&visitor);
    visitor.project.write("calc.py", WRONG);
    visitor.project.git(&["config", "core.worktree", &other.to_string_lossy()]);
    assert_snapshot!(visitor.project.plain(reason(&visitor.stop())), @r#"
    redgreen could not run the checks, so nothing is verified: error: git uses [folder]/agent/other as the work tree of [folder]/project, because of `core.worktree` in its configuration: start there, or remove that setting

    If your change broke this, repair it. If it needs a person, say so and end your turn again (1 of 2), or run `redgreen give-up "why"`.
    "#);
    assert_snapshot!(visitor.project.shown(&visitor.project.redgreen(&["gate"])), @"
    exit 3
    --- stderr
    error: git uses [folder]/agent/other as the work tree of [folder]/project, because of `core.worktree` in its configuration: start there, or remove that setting
    ");
}

/// The record and the journal lie outside of the work tree.
#[test]
fn an_agent_that_cleans_up_is_judged_as_ever() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    assert!(reason(&visitor.stop()).contains("test_subtract"));
    visitor.shell("git clean -qfdx; test ! -e .redgreen");
    visitor.project.write("calc.py", format!("{WRONG}# more\n"));
    let answer = visitor.stop();
    assert!(reason(&answer).contains("test_subtract"), "{answer}");
    visitor.shell("git clean -qfdx; test ! -e .redgreen");
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop(), Value::Null);
    let events = visitor.project.session_file("events.jsonl");
    assert!(!events.contains("no evidence is signed"), "{events}");
}

/// Whatever is broken around it: held twice, for its true reason, and then let go as not verified.
#[test]
fn what_is_broken_holds_twice_and_says_why() {
    let held_with = |way: &str| {
        let visitor = Visitor::new();
        visitor.project.write("calc.py", WRONG);
        visitor.shell(way);
        let first = visitor.held_twice();
        format!("{first}\n---\n{}", visitor.project.plain(&visitor.is_let_go_unverified()))
    };
    assert_snapshot!(held_with("rm -rf .redgreen; touch .redgreen"), @r#"
    redgreen could not run the checks, so nothing is verified: error: [folder]/project/.redgreen must be a folder, not a file or a link; move it away

    If your change broke this, repair it. If it needs a person, say so and end your turn again (1 of 2), or run `redgreen give-up "why"`.

    ---
    redgreen: NOT VERIFIED: the checks cannot be run: error: [folder]/project/.redgreen must be a folder, not a file or a link; move it away
    "#);
    assert_snapshot!(held_with("rm -rf .redgreen; ln -s nowhere .redgreen"), @r#"
    redgreen could not run the checks, so nothing is verified: error: [folder]/project/.redgreen must be a folder, not a file or a link; move it away

    If your change broke this, repair it. If it needs a person, say so and end your turn again (1 of 2), or run `redgreen give-up "why"`.

    ---
    redgreen: NOT VERIFIED: the checks cannot be run: error: [folder]/project/.redgreen must be a folder, not a file or a link; move it away
    "#);
    assert_snapshot!(held_with("echo '[[[' >> .git/config"), @r#"
    redgreen could not run the checks, so nothing is verified: error: git could not open the repository: fatal: bad config line 6 in file .git/config

    If your change broke this, repair it. If it needs a person, say so and end your turn again (1 of 2), or run `redgreen give-up "why"`.

    ---
    redgreen: NOT VERIFIED: the checks cannot be run: error: git could not open the repository: fatal: bad config line 6 in file .git/config
    "#);
    assert_snapshot!(held_with("mv .git .gone"), @r#"
    redgreen could not run the checks, so nothing is verified: error: [folder]/project is not in a git repository; run `git init` in the project's top folder (a first commit is not needed)

    If your change broke this, repair it. If it needs a person, say so and end your turn again (1 of 2), or run `redgreen give-up "why"`.

    ---
    redgreen: NOT VERIFIED: the checks cannot be run: error: [folder]/project is not in a git repository; run `git init` in the project's top folder (a first commit is not needed)
    "#);
}

/// Where not even the count can be kept, the agent's own word bounds it.
#[test]
fn what_cannot_be_counted_is_held_once() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    visitor.shell("rm -rf ../home/.local/state && touch ../home/.local/state");
    assert_snapshot!(visitor.project.plain(reason(&visitor.stop())), @"
    redgreen could not run the checks, so nothing is verified: error: cannot make the folder [folder]/home/.local/state/redgreen/gates/[hash]: Not a directory (os error 20)

    If your change broke this, repair it. If it needs a person, say so and end your turn again.
    ");
    let again = json!({"session_id": visitor.session, "hook_event_name": "Stop",
        "cwd": visitor.project.root(), "stop_hook_active": true});
    let (answer, _) = visitor.send(again.to_string().as_bytes(), &[]);
    let message = answer["systemMessage"].as_str().unwrap_or_default();
    assert_snapshot!(visitor.project.plain(message), @"redgreen: NOT VERIFIED: error: cannot make the folder [folder]/home/.local/state/redgreen/gates/[hash]: Not a directory (os error 20); and redgreen cannot record that: cannot make the folder [folder]/home/.local/state/redgreen/gates/[hash]/claude-[hash]: Not a directory (os error 20)");
}

/// Two hooks for one stop: in the project's settings and in the person's, say.
#[test]
fn two_hooks_at_once_say_the_same_and_count_once() {
    let project = Project::pytest();
    let config = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{config}\n[loop]\nanalysis = \"own\"\n"));
    project.commit();
    let visitor = Visitor::of(project);
    for attempt in 1..=3 {
        visitor.project.write("calc.py", format!("{WRONG}# {attempt}\n"));
        let start = || {
            let mut command = visitor.project.redgreen_command(&["gate", "--hook", "claude"]);
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("redgreen");
            let event = json!({"session_id": visitor.session, "hook_event_name": "Stop",
                "cwd": visitor.project.root()});
            let mut stdin = child.stdin.take().expect("a pipe");
            std::io::Write::write_all(&mut stdin, event.to_string().as_bytes()).expect("written");
            child
        };
        let both = [start(), start()];
        let answers: Vec<String> = both
            .into_iter()
            .map(|child| Ended::from(child.wait_with_output().expect("redgreen")).stdout)
            .collect();
        for answer in &answers {
            let wanted = match attempt {
                3 => "NOT VERIFIED".to_owned(),
                attempt => format!("attempt {attempt} of 3"),
            };
            assert!(answer.contains(&wanted), "{attempt}: {answers:?}");
        }
    }
}

#[test]
fn who_puts_everything_back_is_let_go() {
    let visitor = Visitor::of(green());
    let before = visitor.project.read("calc.py");
    visitor.project.write("calc.py", WRONG);
    reason(&visitor.stop());
    visitor.project.write("calc.py", before);
    assert_eq!(visitor.stop(), Value::Null);
}

fn green() -> Project {
    let project = Project::pytest();
    project.write("calc.py", FIX);
    project.commit();
    project
}

/// git keeps the text that passed, whatever is in the work tree.
#[test]
fn a_filter_does_not_make_another_text_the_one_that_passed() {
    let visitor = Visitor::of(green());
    visitor.project.write("calc.py", format!("{FIX}# more\n"));
    assert_eq!(visitor.stop(), Value::Null);
    visitor.project.git(&[
        "config",
        "filter.f.clean",
        "printf '%s' \"$(git show HEAD:calc.py)\"; echo; echo '# more'",
    ]);
    visitor.shell("mkdir -p .git/info; echo 'calc.py filter=f' > .git/info/attributes");
    visitor.project.write("calc.py", WRONG);
    assert_ne!(visitor.stop(), Value::Null);
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(1);
}

#[test]
fn a_skip_of_a_person_counts_on_the_terminal_too() {
    let project = Project::pytest();
    let rules = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{rules}\n[gate]\nagent_may_skip = true\n"));
    project.commit();
    let visitor = Visitor::of(project);
    visitor.project.write("calc.py", WRONG);
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(1);
    visitor.project.redgreen(&["skip", "a prototype"]).assert_code(0);
    let allowed = visitor.project.redgreen(&["gate", "--no-execute"]);
    assert_snapshot!(visitor.project.shown(&allowed), @"
    exit 0
    --- stdout
    ALLOWED: tree [tree], let go without a run
      skipped by an agent of uid [number]: a prototype
    ");
}

/// What was declared is shown to the person, who may not be asked otherwise.
#[test]
fn what_was_declared_is_said_when_it_is_let_go() {
    let visitor = Visitor::of(green());
    let tests = visitor.project.read("tests/test_calc.py");
    visitor.project.write("tests/test_calc.py", tests.replace("== 4", "== 5"));
    visitor.project.write("calc.py", FIX.replace("a + b", "a + b + 1"));
    reason(&visitor.stop());
    let declare = ["declare", "tests/test_calc.py::test_add", "--reason", "asked for"];
    visitor.project.redgreen(&declare).assert_code(0);
    assert_snapshot!(visitor.project.plain(&visitor.allowed_with()), @"
    redgreen: seen to pass. Please note:
    - tests/test_calc.py::test_add: changed, declared by the agent that is held: asked for
    ");
    assert_snapshot!(visitor.project.shown(&visitor.project.redgreen(&["gate"])), @"
    exit 0
    --- stdout
    ALLOWED: tree [tree], seen to pass at [date]
      something about it was declared, waived or doubtful; see `redgreen evidence show`
    ");
}

#[test]
fn a_shallow_clone_has_nothing_to_compare_with_and_says_so() {
    let visitor = Visitor::of(green());
    visitor.shell("git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m more");
    visitor.shell("git clone -q --depth 1 file://$PWD ../agent/shallow");
    let mut command = visitor.project.redgreen_command(&["gate", "--ci"]);
    command.current_dir(visitor.project.outside().join("shallow"));
    let ended: Ended = command.output().expect("redgreen").into();
    assert_snapshot!(visitor.project.shown(&ended), @"
    exit 2
    --- stderr
    error: this clone is shallow: there is nothing to compare with
    hint: fetch more of the history (in CI: fetch-depth 0), or name a revision: --base REV
    ");
}

#[test]
fn a_new_project_passes_its_first_gate_and_an_agent_does_not_bring_its_own() {
    let project = green();
    project.git(&["rm", "-q", "--cached", "redgreen.toml"]);
    fs::remove_file(project.root().join("redgreen.toml")).expect("removed");
    project.commit();
    let by_agent = |args: &[&str]| -> Ended {
        let mut command = project.redgreen_command(args);
        command.env("CLAUDECODE", "1").output().expect("redgreen").into()
    };
    by_agent(&["init", "--yes"]).assert_code(0);
    project.redgreen(&["gate"]).assert_code(1);
    by_agent(&["trust"]).assert_code(2);
    project.trust();
    project.redgreen(&["gate"]).assert_code(0);
    project.commit();
    project.redgreen(&["gate"]).assert_code(0);
    // A linked work tree is the same project.
    project.git(&["worktree", "add", "-q", "../agent/linked"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_redgreen"));
    command.args(["trust", "--show"]).current_dir(project.outside().join("linked"));
    let ended: Ended = command.env("HOME", project.home()).output().expect("redgreen").into();
    ended.assert_code(0);
}

/// Whoever can set the hook's own variables could have it run less.
#[test]
fn variables_that_steer_frameworks_stay_as_they_were() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    let event = json!({"session_id": visitor.session, "hook_event_name": "Stop",
        "cwd": visitor.project.root()});
    let input = visitor.project.outside().join("stop.json");
    fs::write(&input, event.to_string()).expect("written");
    let mut command = visitor.project.redgreen_command(&["gate", "--hook", "claude"]);
    command.env("PYTEST_ADDOPTS", "-k add").stdin(fs::File::open(&input).expect("opened"));
    let ended: Ended = command.output().expect("redgreen").into();
    let answer: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_snapshot!(visitor.project.plain(reason(&answer)), @r#"
    redgreen could not run the checks, so nothing is verified: PYTEST_ADDOPTS changed since the session began, and it decides what is run

    If your change broke this, repair it. If it needs a person, say so and end your turn again (1 of 2), or run `redgreen give-up "why"`.
    "#);
    assert!(reason(&visitor.stop()).contains("test_subtract"));
}

/// What a terminal says of itself decides nothing; what tools read or the project names does, and is said.
#[test]
fn a_variable_that_has_nothing_to_do_with_tests_makes_nothing_run_again() {
    let project = Project::pytest();
    project.write("calc.py", format!("import os\n\nMODE = os.environ.get('CALC_MODE')\n\n\n{FIX}"));
    let gate = |variables: &[(&str, &str)]| -> Ended {
        let mut command = project.redgreen_command(&["gate"]);
        command.envs(variables.iter().copied()).output().expect("redgreen").into()
    };
    let runs = |ended: &Ended| {
        ended.assert_code(0);
        ended.stderr.contains("unit: 2 passed")
    };
    assert!(runs(&gate(&[])));
    let terminal =
        [("FOO", "1"), ("TERM_SESSION_ID", "2"), ("SSH_TTY", "/dev/pts/1"), ("TMUX", "x")];
    assert!(!runs(&gate(&terminal)), "a terminal's own variables");
    for (name, value) in [("CALC_MODE", "fast"), ("PYTEST_ADDOPTS", "-q")] {
        let ended = gate(&[(name, value)]);
        assert!(runs(&ended), "{name}");
        let said = format!("run again, because {name} is not what it was");
        assert!(ended.stderr.contains(&said), "{name}: {}", ended.stderr);
        assert!(!runs(&gate(&[(name, value)])), "{name} is what it was");
    }
    assert!(!runs(&gate(&[])), "what was seen without them still counts");
}
