//! The table of escapes: every case is a test of its own, and the last one to end prints the table.
//! An escape is bad code that is returned as good; a case whose assertions do not hold counts as one.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "every test file uses another part of it"
)]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::{Ended, Loop, Project, events};

/// Terminal control, raw or as JSON writes it.
const CONTROL: [&[u8]; 4] = [b"\x1b", b"\\u001b", b"\xc2\x9b", b"\\u009b"];

/// How much the agent and the tests write in a flood, each.
pub const FLOOD_BYTES: u64 = 300_000_000;
/// What a log may take in a flood.
pub const LOG_BYTES: u64 = 1_000_000;
/// What everything under `.redgreen` may take then: a log for each of two executions, their re-runs
/// and the agent, and a little for the rest.
const STATE_BYTES: u64 = 5 * LOG_BYTES + 500_000;
/// The most memory that any process of redgreen's own may ever have had.
const MEMORY_KILOBYTES: u64 = 64 * 1024;

/// The cases of one framework, and what became of them.
pub struct Table {
    framework: &'static str,
    cases: usize,
    lines: Mutex<Vec<Line>>,
}

struct Line {
    row: u32,
    what: &'static str,
    verdict: Option<String>,
}

impl Table {
    pub const fn new(framework: &'static str, cases: usize) -> Self {
        Self { framework, cases, lines: Mutex::new(Vec::new()) }
    }

    /// Runs a case, which says what redgreen said.
    pub fn case(&self, row: u32, what: &'static str, body: fn() -> String) {
        let result = catch_unwind(AssertUnwindSafe(body));
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(Line { row, what, verdict: result.as_ref().ok().cloned() });
        if lines.len() == self.cases {
            lines.sort_by_key(|line| line.row);
            // Not with `println!`: the harness shows that of failed tests only.
            let _ = std::io::stderr().lock().write_all(self.text(&lines).as_bytes());
        }
        drop(lines);
        if let Err(panic) = result {
            resume_unwind(panic);
        }
    }

    fn text(&self, lines: &[Line]) -> String {
        let mut text = format!("\nrow | {} | what | verdict\n", self.framework);
        for Line { row, what, verdict } in lines {
            let verdict = verdict.as_deref().unwrap_or("NOT HELD: see the failed test");
            text.push_str(&format!("{row:>3} | {} | {what} | {verdict}\n", self.framework));
        }
        let escapes = lines.iter().filter(|line| line.verdict.is_none()).count();
        text.push_str(&format!("escapes: {escapes} of {}\n\n", lines.len()));
        text
    }
}

/// Makes a test of every case, and counts them.
macro_rules! escapes {
    ($framework:literal: $($row:literal $place:ident::$name:ident, $what:literal;)+) => {
        static TABLE: $crate::common::escape::Table =
            $crate::common::escape::Table::new($framework, [$($row),+].len());
        $(
            #[test]
            fn $name() {
                TABLE.case($row, $what, $place::$name);
            }
        )+
    };
}
pub(crate) use escapes;

impl Project {
    /// The loop with an agent that is asked once. Whatever comes of it, nothing is left running.
    #[track_caller]
    pub fn once(&self, script: &str, args: &[&str]) -> Loop {
        let mut all = vec!["--max-attempts", "1"];
        all.extend(args);
        self.held(script, &all)
    }

    /// The loop with an agent. Whatever comes of it, nothing is left running.
    #[track_caller]
    pub fn held(&self, script: &str, args: &[&str]) -> Loop {
        let done = self.run(script, args);
        self.assert_nothing_left(&done);
        done
    }

    /// The loop with an agent, and a meeting on the way: a test opens `../agent/here` for writing,
    /// then `../agent/go-on` for reading; in between it waits while something is done with
    /// redgreen's process id.
    #[track_caller]
    pub fn meet(&self, script: &str, meanwhile: impl FnOnce(u32)) -> Loop {
        let agent = self.agent(script);
        let run = ["run", "--json", "--agent-command", &agent, "make it pass"];
        self.meeting(|project| project.spawn(&run), meanwhile)
    }

    /// The same with whatever is started.
    #[track_caller]
    pub fn meeting(&self, start: impl FnOnce(&Self) -> Child, meanwhile: impl FnOnce(u32)) -> Loop {
        let [here, go_on] = ["here", "go-on"].map(|name| self.outside().join(name));
        let made = self.command("mkfifo").args([&here, &go_on]).status().expect("mkfifo");
        assert!(made.success());
        let child = start(self);
        let id = child.id();
        let ended = std::thread::scope(|scope| {
            // A redgreen that ends without a meeting is no reason to wait for ever.
            let waiter = scope.spawn(|| {
                let ended = Ended::from(child.wait_with_output().expect("redgreen"));
                let both = File::options().read(true).write(true).clone();
                (ended, [&here, &go_on].map(|fifo| both.open(fifo).expect("a fifo")))
            });
            File::open(&here).expect("a fifo").read_to_end(&mut Vec::new()).expect("a sign");
            assert!(!waiter.is_finished(), "redgreen ended before the meeting");
            meanwhile(id);
            drop(File::options().write(true).open(&go_on).expect("a fifo"));
            waiter.join().expect("redgreen").0
        });
        let done = Loop { events: events(&ended.stdout), ended };
        self.assert_nothing_left(&done);
        done
    }

    #[track_caller]
    pub fn assert_nothing_left(&self, done: &Loop) {
        let left = self.processes();
        assert!(left.is_empty(), "left running: {left:?}\n{}", done.text());
    }

    /// Runs a script for `sh` in the root of the project, as an agent would.
    #[track_caller]
    pub fn script(&self, script: &str) {
        let status = self.command("sh").args(["-c", script]).status().expect("sh");
        assert!(status.success(), "{script}");
    }

    /// The processes that come from this project: they have its home, or work in its folders.
    pub fn processes(&self) -> Vec<String> {
        let outside = self.outside();
        let folder = outside.parent().expect("a folder");
        let mark = folder.to_string_lossy().into_owned().into_bytes();
        let own = std::process::id().to_string();
        let mut left = Vec::new();
        for entry in fs::read_dir("/proc").expect("/proc").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name == own || !name.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
            let here = fs::read_link(entry.path().join("cwd"))
                .is_ok_and(|current| current.starts_with(folder));
            let command = read("cmdline");
            if here || contains(&read("environ"), &mark) || contains(&command, &mark) {
                left.push(format!("{name}: {}", String::from_utf8_lossy(&command)));
            }
        }
        left
    }

    /// The check, with more settings for it and after it.
    pub fn configure(&self, command: &str, framework: &str, more: &str) {
        let command = Value::from(command);
        self.write(
            "redgreen.toml",
            format!("[[checks]]\nname = \"unit\"\ncommand = {command}\nframework = \"{framework}\"\n{more}\n"),
        );
        self.commit();
    }

    /// What is kept of a file in any snapshot of redgreen's.
    pub fn kept_versions(&self, path: &str) -> Vec<String> {
        self.git(&["for-each-ref", "--format=%(refname)", "refs/redgreen"])
            .lines()
            .filter_map(|name| {
                let shown = self.command("git").args(["show", &format!("{name}:{path}")]).output();
                shown.ok().filter(|output| output.status.success())
            })
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .collect()
    }

    /// The file that the agent of an attempt after the first was given.
    pub fn feedback(&self, attempt: u32) -> Value {
        let text = self.session_file(&format!("agent/{attempt}-apply_fix/feedback.json"));
        serde_json::from_str(&text).expect("a document")
    }

    /// The only failure that the agent of an attempt after the first was given.
    #[track_caller]
    pub fn only_failure(&self, attempt: u32) -> Value {
        let feedback = self.feedback(attempt);
        let failures = feedback["failures"].as_array().expect("failures");
        assert_eq!(failures.len(), 1, "{feedback:#}");
        failures[0].clone()
    }

    /// The bytes under `.redgreen`.
    pub fn state_bytes(&self) -> u64 {
        files_in(&self.root().join(".redgreen"))
            .iter()
            .map(|path| fs::metadata(path).map_or(0, |metadata| metadata.len()))
            .sum()
    }

    /// Nothing that is shown, stored for people or sent to the agent has terminal control in it.
    /// The raw logs and streams are what they are.
    #[track_caller]
    pub fn assert_clean(&self, ended: &Ended) {
        for text in [&ended.stdout, &ended.stderr] {
            assert_no_control("the console", text.as_bytes());
        }
        let files = files_in(&self.root().join(".redgreen"));
        let for_people = |path: &&PathBuf| {
            let text =
                ["md", "json", "jsonl", "html"].map(|end| path.extension() == Some(end.as_ref()));
            text.contains(&true) && !path.ends_with("stream.jsonl")
        };
        let files: Vec<&PathBuf> = files.iter().filter(for_people).collect();
        assert!(!files.is_empty(), "{files:?}");
        for path in files {
            assert_no_control(&path.to_string_lossy(), &fs::read(path).expect("a file"));
        }
    }
}

impl Loop {
    /// The verdict on the last attempt: on its execution, or on the change, where that was looked at.
    pub fn verdict(&self) -> &str {
        let said =
            |event: &&Value| ["judged", "squared"].iter().any(|name| event["event"] == *name);
        let last = self.events.iter().rev().find(said);
        last.and_then(|event| event["verdict"].as_str()).unwrap_or("none")
    }

    /// The last event of this kind that belongs to a run, and not to another corner.
    pub fn of_the_run(&self, name: &str) -> &Value {
        let judged = self.events.iter().rposition(|event| event["event"] == "judged").unwrap_or(0);
        let mut before = self.events[..judged].iter().rev();
        before.find(|event| event["event"] == name).unwrap_or(&Value::Null)
    }

    /// Asserts the verdict on the last attempt.
    #[track_caller]
    pub fn assert_verdict(&self, verdict: &str) {
        assert_eq!(self.verdict(), verdict, "{}", self.text());
    }

    /// Asserts that a reason of the last verdict has these words.
    #[track_caller]
    pub fn assert_reason(&self, words: &str) {
        let squared = self.events.iter().rev().find(|event| event["event"] == "squared");
        let square = squared.map(|event| event["square"].to_string()).unwrap_or_default();
        let reasons = format!("{}{square}", self.last("judged")["reasons"]);
        assert!(reasons.contains(words), "no reason says {words:?}\n{}", self.text());
    }

    /// The tests of a class in the last verdict.
    pub fn class(&self, name: &str) -> Vec<String> {
        let tests = self.last("judged")["classes"][name].as_array().cloned().unwrap_or_default();
        tests.iter().map(|test| test["test"].as_str().unwrap_or("").to_owned()).collect()
    }

    /// What redgreen said, for the table.
    pub fn seen(&self) -> String {
        let finished = self.last("finished");
        let word = |name: &str| finished[name].as_str().unwrap_or("").to_owned();
        let parts = [self.verdict().to_owned(), word("reason"), word("status")];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}, exit {}", parts.join(", "), self.ended.code.unwrap_or(-1))
    }
}

/// The most memory that a process of redgreen's own in this project has had so far.
pub fn peak_kilobytes(project: &Project) -> u64 {
    let program = Path::new(env!("CARGO_BIN_EXE_redgreen")).canonicalize().expect("redgreen");
    let peaks = project.processes().into_iter().filter_map(|process| {
        let folder = Path::new("/proc").join(process.split(':').next()?);
        let own = fs::read_link(folder.join("exe")).is_ok_and(|exe| exe == program);
        let status = fs::read_to_string(folder.join("status")).ok().filter(|_| own)?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    });
    peaks.max().expect("a process")
}

/// Memory, disk and console stay small in a flood.
#[track_caller]
pub fn assert_bounded(project: &Project, done: &Loop, peak_kilobytes: u64) {
    assert!(peak_kilobytes < MEMORY_KILOBYTES, "{peak_kilobytes} kB");
    assert!(project.state_bytes() < STATE_BYTES, "{} bytes", project.state_bytes());
    let shown = done.ended.stdout.len() + done.ended.stderr.len();
    assert!(shown < 100_000, "{shown} bytes shown");
}

#[track_caller]
pub fn assert_no_control(place: &str, content: &[u8]) {
    for control in CONTROL {
        assert!(
            !contains(content, control),
            "terminal control in {place}: {}",
            String::from_utf8_lossy(content).escape_debug()
        );
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files
}

fn contains(content: &[u8], part: &[u8]) -> bool {
    content.windows(part.len()).any(|window| window == part)
}
