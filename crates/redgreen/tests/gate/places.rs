//! Where a session is judged, and what happens when it cannot be.

use std::fs;
use std::process::{Command, Stdio};

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
    assert!(reason(&visitor.stop()).contains("core.worktree"));
    let ended = visitor.project.redgreen(&["gate"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(ended.stderr.contains("core.worktree"), "{}", ended.stderr);
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
    let ways: [(&str, &str); 4] = [
        ("rm -rf .redgreen; touch .redgreen", ".redgreen"),
        ("rm -rf .redgreen; ln -s nowhere .redgreen", ".redgreen"),
        ("echo '[[[' >> .git/config", "config"),
        ("mv .git .gone", "git"),
    ];
    for (way, word) in ways {
        let visitor = Visitor::new();
        visitor.project.write("calc.py", WRONG);
        visitor.shell(way);
        for _ in 0..2 {
            let answer = visitor.stop();
            assert!(reason(&answer).contains(word), "{way}: {answer}");
        }
        let message = visitor.is_let_go_unverified();
        assert!(message.contains(word), "{way}: {message}");
    }
}

/// Where not even the count can be kept, the agent's own word bounds it.
#[test]
fn what_cannot_be_counted_is_held_once() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    visitor.shell("rm -rf ../home/.local/state && touch ../home/.local/state");
    assert!(reason(&visitor.stop()).contains("nothing is verified"));
    let again = json!({"session_id": visitor.session, "hook_event_name": "Stop",
        "cwd": visitor.project.root(), "stop_hook_active": true});
    let (answer, _) = visitor.send(again.to_string().as_bytes(), &[]);
    let message = answer["systemMessage"].as_str().unwrap_or_default();
    assert!(message.contains("NOT VERIFIED"), "{answer}");
}

/// Two hooks for one stop: in the project's settings and in the person's, say.
#[test]
fn two_hooks_at_once_say_the_same_and_count_once() {
    let visitor = Visitor::new();
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
    let visitor = Visitor::new();
    let rules = visitor.project.read("redgreen.toml");
    visitor.project.write("redgreen.toml", format!("{rules}\n[gate]\nagent_may_skip = true\n"));
    visitor.project.commit();
    visitor.project.write("calc.py", WRONG);
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(1);
    visitor.project.redgreen(&["skip", "a prototype"]).assert_code(0);
    let allowed = visitor.project.redgreen(&["gate", "--no-execute"]);
    allowed.assert_code(0);
    assert!(allowed.stdout.contains("a prototype"), "{}", allowed.stdout);
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
    let answer = visitor.stop();
    let message = answer["systemMessage"].as_str().unwrap_or_default();
    assert!(message.contains("test_add") && message.contains("asked for"), "{answer}");
    let allowed = visitor.project.redgreen(&["gate"]);
    allowed.assert_code(0);
    assert!(allowed.stdout.contains("declared"), "{}", allowed.stdout);
}

#[test]
fn a_shallow_clone_has_nothing_to_compare_with_and_says_so() {
    let visitor = Visitor::of(green());
    visitor.shell("git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m more");
    visitor.shell("git clone -q --depth 1 file://$PWD ../agent/shallow");
    let mut command = visitor.project.redgreen_command(&["gate", "--ci"]);
    command.current_dir(visitor.project.outside().join("shallow"));
    let ended: Ended = command.output().expect("redgreen").into();
    ended.assert_code(2);
    assert!(ended.stderr.contains("shallow"), "{}", ended.stderr);
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
    project.redgreen(&["trust"]).assert_code(0);
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
    assert!(ended.stdout.contains("PYTEST_ADDOPTS"), "{}", ended.stdout);
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
