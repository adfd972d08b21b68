//! A real pseudo-terminal, as `script` gives one: what is shown there is read, and Ctrl-C is typed there.

use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::Project;
use super::shell::PATIENCE;

/// A command at a terminal of its own, to be watched and typed at.
pub struct AtTerminal {
    child: Child,
    typed: ChildStdin,
    shown: ChildStdout,
    seen: Vec<u8>,
}

impl AtTerminal {
    /// Starts it; `redgreen` in the line is the one that is tested.
    pub fn start(project: &Project, line: &str) -> Self {
        let mut script = project.command("script");
        let program = env!("CARGO_BIN_EXE_redgreen");
        let line = format!("redgreen() {{ '{program}' \"$@\"; }}; {line}");
        script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm");
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = script.spawn().expect("script, which gives a terminal");
        let typed = child.stdin.take().expect("it is piped");
        let shown = child.stdout.take().expect("it is piped");
        Self { child, typed, shown, seen: Vec::new() }
    }

    /// Reads once; nothing at the end.
    fn read(&mut self) -> Option<()> {
        let mut ready = [PollFd::new(self.shown.as_fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(PATIENCE).expect("a time-out");
        let count = poll(&mut ready, timeout).expect("poll");
        assert_eq!(count, 1, "nothing more comes: {}", self.text());
        let mut bytes = [0; 4096];
        let length = self.shown.read(&mut bytes).ok().filter(|length| *length > 0)?;
        self.seen.extend_from_slice(&bytes[..length]);
        Some(())
    }

    /// What it has shown so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// Waits until it shows a text.
    pub fn wait_for(&mut self, text: &str) {
        while !self.text().contains(text) {
            assert!(self.read().is_some(), "it ended without {text:?}: {}", self.text());
        }
    }

    /// Types something.
    pub fn type_in(&mut self, text: &str) {
        self.typed.write_all(text.as_bytes()).expect("typed");
    }

    /// What it showed, and its exit code.
    pub fn end(mut self) -> (String, Option<i32>) {
        while self.read().is_some() {}
        (self.text(), self.child.wait().expect("it ends").code())
    }
}
