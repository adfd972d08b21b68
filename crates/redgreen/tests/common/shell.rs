//! A project in plain shell that tells redgreen its tests through the report stream: quick, and
//! with nothing between a test and what it does.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::Project;

/// How long a test waits for something that must come, before it says that it did not.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A test runner: every file in `tests/cases` is a test, a shell program that is right if it ends
/// with 0. `$OUTSIDE` is the folder beside the work tree.
const RUNNER: &str = r#"#!/bin/sh
stream=${REDGREEN_STREAM:-/dev/null}
run=unit-$$
red=0
echo $$ >>"$OUTSIDE/pids"
tell() { printf '{"event":"%s","run":"%s"%s}\n' "$1" "$run" "$2" >>"$stream"; }
tell hello ',"runner":"cases"'
for case in tests/cases/*; do
    name=${case##*/}
    tell start ",\"test\":\"$name\",\"file\":\"$case\""
    if (. "./$case"); then
        tell end ",\"test\":\"$name\",\"outcome\":\"passed\""
    else
        tell end ",\"test\":\"$name\",\"outcome\":\"failed\",\"failure\":{\"type\":\"AssertionError\",\"message\":\"$name is not as it should be\",\"frames\":[{\"file\":\"value.sh\",\"line\":1,\"function\":\"value\"}]}"
        red=1
    fi
done
tell bye ",\"exit\":$red"
exit "$red"
"#;

/// Wrong at the first attempt, right at the second, and each edit in two halves.
pub const TWO_HALVES: &str = r#"echo $$ >>"$OUTSIDE/pids"
echo "$REDGREEN_ATTEMPT" >>"$OUTSIDE/asked"
echo 'first=ok' >value.sh
ls -lR . >/dev/null
if [ "$REDGREEN_ATTEMPT" = 1 ]; then echo 'second=wrong' >>value.sh; else echo 'second=ok' >>value.sh; fi
"#;

impl Project {
    /// A project in shell: `value.sh` has two values, both bad, with a test for each and a third
    /// that always passes.
    pub fn shell() -> Self {
        let project = Self::empty();
        project.write("value.sh", "first=bad\nsecond=bad\n");
        project.write("tests/run.sh", RUNNER);
        project.case("always", ":");
        project.case("first", ". ./value.sh; [ \"$first\" = ok ]");
        project.case("second", ". ./value.sh; [ \"$second\" = ok ]");
        project.write("redgreen.toml", project.shell_check(""));
        project.commit();
        project
    }

    /// One more test of the shell project.
    pub fn case(&self, name: &str, script: &str) {
        self.write(&format!("tests/cases/{name}"), format!("{script}\n"));
    }

    /// The configuration of the shell project, with more lines for its check.
    pub fn shell_check(&self, more: &str) -> String {
        format!(
            "[[checks]]\nname = \"unit\"\ncommand = \"sh tests/run.sh\"\nframework = \"other\"\ntimeout_seconds = 60\n{more}\n[checks.environment]\nOUTSIDE = \"{}\"\n",
            self.outside().display()
        )
    }

    /// A FIFO beside the work tree.
    pub fn fifo(&self, name: &str) -> Fifo {
        Fifo::make(&self.outside().join(name))
    }

    /// What agents and tests wrote beside the work tree; empty if nothing did.
    pub fn notes(&self, name: &str) -> String {
        fs::read_to_string(self.outside().join(name)).unwrap_or_default()
    }

    /// The processes that agents and tests wrote down and that are still there. Their work folder
    /// tells them from others that have got the same id since.
    pub fn survivors(&self) -> Vec<String> {
        let root = fs::canonicalize(self.root()).expect("the root");
        let is_ours = |pid: &&str| {
            fs::read_link(Path::new("/proc").join(pid).join("cwd"))
                .is_ok_and(|folder| folder.starts_with(&root))
        };
        self.notes("pids").lines().filter(is_ours).map(str::to_owned).collect()
    }
}

/// A named pipe that a test and a shell script wait for each other on. Neither end ever waits to
/// open it, because this holds both.
pub struct Fifo {
    path: PathBuf,
    file: File,
}

impl Fifo {
    fn make(path: &Path) -> Self {
        let made = Command::new("mkfifo").arg(path).status().expect("mkfifo");
        assert!(made.success(), "mkfifo {}", path.display());
        let file = File::options().read(true).write(true).open(path).expect("a fifo");
        Self { path: path.to_owned(), file }
    }

    /// Its path, for scripts.
    pub fn path(&self) -> &str {
        self.path.to_str().expect("a path in UTF-8")
    }

    /// Waits until a script writes a line.
    #[track_caller]
    pub fn wait(&mut self) {
        let mut ready = [PollFd::new(self.file.as_fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(PATIENCE).expect("a time-out");
        let count = poll(&mut ready, timeout).expect("poll");
        assert_eq!(count, 1, "nobody wrote to {} in time", self.path.display());
        let mut byte = [0];
        loop {
            self.file.read_exact(&mut byte).expect("a byte");
            if byte == *b"\n" {
                return;
            }
        }
    }

    /// Lets one script go on that reads a line.
    pub fn release(&mut self) {
        self.file.write_all(b"go\n").expect("a line");
    }
}
