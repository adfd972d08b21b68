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

/// It exits with 0 whatever its model said, and names the error of the library that it asks with.
fn read(output: &str) -> LastWord {
    let lines = || output.lines().map(str::trim);
    let problem = lines().rfind(|line| line.starts_with("litellm."));
    let is_note = |line: &str| {
        ["Tokens: ", "Applied edit to ", "Commit ", "Warning"]
            .iter()
            .any(|note| line.starts_with(note))
    };
    let said = lines().rfind(|line| !line.is_empty() && !is_note(line));
    LastWord { said: said.unwrap_or_default().to_owned(), problem: problem.map(str::to_owned) }
}
