//! What a person at a terminal sees while something takes long: a line that moves, and what Ctrl-C does.

use crate::common::Project;
use crate::common::terminal::AtTerminal;

/// How a line is taken away.
const ERASED: &str = "\r\u{1b}[2K";

/// Four tests that pass; one of them waits for a line, where there is a FIFO.
fn project() -> Project {
    let project = Project::shell();
    project.write("value.sh", "first=ok\nsecond=ok\n");
    project.case("slow", "[ ! -p \"$OUTSIDE/go\" ] || read -r line <\"$OUTSIDE/go\"");
    project.commit();
    project
}

#[test]
fn a_line_says_how_far_it_is_and_a_pass_is_compared_with_the_last_time() {
    let project = project();
    let first = project.redgreen(&["test"]);
    first.assert_code(0);
    assert!(!first.stdout.contains("the last time"), "there was none: {}", first.stdout);
    let mut go = project.fifo("go");
    let mut terminal = AtTerminal::start(&project, "redgreen test");
    terminal.wait_for("3 of 4 tests");
    terminal.wait_for("now slow ");
    go.release();
    let (seen, code) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(
        seen.contains("slowest slow ") || seen.contains("; the last time the same in"),
        "{seen}"
    );
    let last = seen.lines().last().unwrap_or_default();
    assert!(last.contains("passed: 4 passed in") && last.contains("; the last time the same in"));
    // What moves is taken away before what stays is written.
    let kept = last.rsplit(ERASED).next().unwrap_or_default();
    assert!(kept.starts_with("passed: "), "{last:?}");
}

#[test]
fn a_narrow_terminal_never_wraps_the_line() {
    let project = project();
    let mut go = project.fifo("go");
    let mut terminal = AtTerminal::start(&project, "stty cols 24; redgreen test");
    terminal.wait_for("3 tests");
    go.release();
    let (seen, code) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    let moving = seen.split(ERASED).filter(|line| line.starts_with(['-', '\\', '|', '/']));
    let widest = moving.map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|width| width < 24), "{widest:?} {seen:?}");
}

#[test]
fn plain_lines_are_the_same_on_a_terminal_as_in_a_pipe() {
    let project = project();
    let piped = project.redgreen(&["test"]);
    piped.assert_code(0);
    for line in ["redgreen test --plain", "TERM=dumb redgreen test"] {
        let terminal = AtTerminal::start(&project, line);
        let (seen, code) = terminal.end();
        assert_eq!(code, Some(0), "{seen}");
        assert!(!seen.contains('\u{1b}'), "{line}: {seen:?}");
        assert!(seen.contains("unit: 4 passed in"), "{line}: {seen}");
    }
    assert!(piped.stderr.contains("unit: 4 passed in"), "{}", piped.stderr);
    assert!(!piped.stderr.contains('\r'), "{:?}", piped.stderr);
}

#[test]
fn ctrl_c_says_what_happens_next_and_leaves_nothing_running() {
    let project = project();
    let _go = project.fifo("go");
    let mut terminal = AtTerminal::start(&project, "redgreen test");
    terminal.wait_for("3 tests");
    terminal.type_in("\u{3}");
    let (seen, code) = terminal.end();
    assert_eq!(code, Some(130), "{seen}");
    assert!(seen.contains("interrupted: what runs is ended now"), "{seen}");
    assert!(seen.contains("exit code 130"), "{seen}");
    assert!(seen.contains("hint: redgreen put nothing back and keeps no result of this"), "{seen}");
    assert_eq!(project.survivors(), Vec::<String>::new());
}

#[test]
fn ctrl_c_in_a_loop_says_what_is_kept_and_what_is_put_back() {
    let project = Project::shell();
    let agent = project.agent("echo half >>value.sh; echo works; read -r line <\"$OUTSIDE/go\"");
    let _go = project.fifo("go");
    let line = format!("redgreen run --agent-command \"{agent}\" task");
    let mut terminal = AtTerminal::start(&project, &line);
    terminal.wait_for("is asked for code");
    terminal.wait_for(" works  ");
    terminal.type_in("\u{3}");
    let (seen, code) = terminal.end();
    assert_eq!(code, Some(130), "{seen}");
    let session = project.session();
    for words in [
        "the files stay as they are",
        &format!("redgreen resume {session}"),
        "puts back an edit that was not done",
    ] {
        assert!(seen.contains(words), "{words}: {seen}");
    }
}

#[test]
fn mutants_are_counted_while_they_are_tried() {
    let project = Project::pytest();
    project.write(
        "calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    result = a - b\n    return result\n",
    );
    let seen = project.redgreen(&["mutants", "--json"]);
    let tried = crate::common::events(&seen.stdout);
    let tried: Vec<_> = tried.iter().filter(|event| event["event"] == "mutants_tried").collect();
    assert!(!tried.is_empty(), "{}{}", seen.stdout, seen.stderr);
    let last = tried.last().expect("one");
    assert!(last["tried"].as_u64() <= last["of"].as_u64() && last["of"] != 0, "{tried:?}");
    let counts: Vec<u64> = tried.iter().filter_map(|event| event["tried"].as_u64()).collect();
    assert!(counts.windows(2).all(|pair| pair[0] <= pair[1]), "{counts:?}");
}
