//! How aider is started.

use crate::start::{Flag, LastWord, PromptBy, Start};

/// aider. It commits nothing: what it leaves in the work tree is looked at.
pub(crate) static START: Start = Start {
    install: "python3 -m pip install aider-install && aider-install",
    words: &[],
    flags: &[
        Flag(&["--yes-always"], None),
        Flag(&["--no-auto-commits", "--auto-commits"], None),
        Flag(&["--no-dirty-commits", "--dirty-commits"], None),
        Flag(&["--no-pretty", "--pretty"], None),
        Flag(&["--no-stream", "--stream"], None),
        Flag(&["--no-check-update", "--check-update"], None),
    ],
    model: "--model",
    prompt: PromptBy::File("--message-file"),
    read,
};

/// It exits with 0 whatever its model said, and shows the error of the library that it asks with. If
/// it asked again and got an answer, that does not matter any more.
fn read(output: &str) -> LastWord {
    let lines: Vec<&str> = output.lines().map(str::trim).collect();
    let last = |start: &str| lines.iter().rposition(|line| line.starts_with(start));
    let (error, answer) = (last("litellm."), last("Tokens: "));
    let problem = error.filter(|_| error > answer).and_then(|place| lines.get(place));
    let is_note = |line: &str| {
        let notes = ["Tokens: ", "Applied edit to ", "Warning", "Retrying in "];
        notes.iter().any(|note| line.starts_with(note))
    };
    let said = lines.iter().rfind(|line| !line.is_empty() && !is_note(line));
    let said = said.copied().unwrap_or_default().to_owned();
    LastWord { said, problem: problem.map(|line| (*line).to_owned()) }
}
