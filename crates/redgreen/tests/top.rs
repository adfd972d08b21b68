//! `redgreen top`: all loops of this person, live, on a real terminal.

use std::process::Stdio;

use crate::common::Project;
use crate::common::terminal::AtTerminal;

#[test]
fn what_is_at_work_is_seen_while_it_is_and_the_terminal_is_given_back() {
    let project = Project::shell();
    let nothing = project.redgreen(&["top"]);
    nothing.assert_code(0);
    assert!(nothing.stdout.contains("nothing is under way"), "{}", nothing.stdout);
    let mut begun = project.fifo("begun");
    let mut go = project.fifo("go");
    let agent = project.agent(
        "echo x >\"$OUTSIDE/begun\"; read -r line <\"$OUTSIDE/go\"; printf 'first=ok\\nsecond=ok\\n' >value.sh",
    );
    let mut command = project.redgreen_command(&["run", "--agent-command", &agent, "mend both"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a loop");
    begun.wait();
    let mut terminal = AtTerminal::start(&project, "stty cols 140; redgreen top --all");
    terminal.wait_for("mend both");
    terminal.wait_for("1 at work, 0 held, 0 waiting for you");
    terminal.wait_for("the agent works: code");
    let once = project.redgreen(&["top", "--once"]);
    assert!(once.stdout.contains("at work") && once.stdout.contains("1/3"), "{}", once.stdout);
    assert!(!once.stdout.contains('\u{1b}'), "{:?}", once.stdout);
    go.release();
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    terminal.wait_for("0 at work, 0 held");
    terminal.wait_for("passed");
    terminal.type_in("q");
    let (seen, code) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.trim_end().ends_with("\u{1b}[?1049l"), "the screen is as it was: {seen:?}");
}

#[test]
fn ctrl_c_and_a_small_terminal_are_no_trouble() {
    let project = Project::shell();
    let mut terminal =
        AtTerminal::start(&project, "stty cols 9 rows 2; trap : INT; redgreen top; stty -a");
    terminal.wait_for("\u{1b}[?1049h");
    terminal.type_in("\u{3}");
    let (seen, _) = terminal.end();
    assert!(seen.contains("\u{1b}[?1049l"), "{seen:?}");
    let after = seen.rsplit("\u{1b}[?1049l").next().unwrap_or_default();
    let is_set = |flag: &str| after.split_whitespace().any(|word| word == flag);
    assert!(is_set("icanon") && is_set("echo"), "it is set as before: {after}");
}
