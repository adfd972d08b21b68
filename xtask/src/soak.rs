//! `cargo xtask soak`: many processes use one debug memory at once, and random ones are killed. No record that was
//! said to be written may be lost, no file torn, and nobody may hear of locks.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Failure;
use crate::project::{bench_folder, built, capture};

const WRITERS: u64 = 8;
const READERS: u64 = 8;
const DEFAULT_SECONDS: u64 = 60;
/// No process lives longer than that.
const LIFE_MAX: Duration = Duration::from_millis(1_500);
/// More lives than a slot can have, so that every one has a number of its own.
const LIVES_MAX: u64 = 1_000;
const EXAMPLE: &str = "memory_bench";

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    seconds: u64,
    binary: Option<PathBuf>,
}

impl Options {
    /// Reads `[--seconds N] [--binary FILE]`.
    pub fn parse(arguments: &[&str]) -> Result<Self, Failure> {
        let mut options = Self { seconds: DEFAULT_SECONDS, binary: None };
        let mut rest = arguments.iter();
        while let Some(&argument) = rest.next() {
            match (argument, rest.next()) {
                ("--seconds", value) => {
                    let seconds = value.and_then(|value| value.parse().ok());
                    options.seconds = seconds
                        .filter(|&seconds| seconds > 0)
                        .ok_or("`--seconds` needs a number")?;
                }
                ("--binary", Some(file)) => {
                    let file = std::path::absolute(file);
                    options.binary = Some(file.map_err(|error| format!("--binary: {error}"))?);
                }
                _ => return Err(format!("`{argument}` is no option of soak, or has no value")),
            }
        }
        Ok(options)
    }
}

/// What the processes of some slots did.
#[derive(Default)]
struct Done {
    lives: u64,
    steps: BTreeSet<String>,
    count: u64,
}

/// Lets them work, and looks at what they left.
pub fn run(options: &Options) -> Result<(), Failure> {
    let packages = ["--release", "--package", "redgreen", "--package", "redgreen-memory"];
    let example = built(&[&packages[..], &["--example", EXAMPLE]].concat(), EXAMPLE)?;
    let build = || built(&[&packages[..], &["--bin", "redgreen"]].concat(), "redgreen");
    let redgreen = options.binary.clone().map_or_else(build, Ok)?;
    let place = SoakProject::make()?;
    let until = Instant::now() + Duration::from_secs(options.seconds);
    let played = std::thread::scope(|scope| {
        let play = |part: &'static str, slot: u64| {
            let (example, place) = (&example, &place);
            scope.spawn(move || slot_until(example, place, part, slot, until))
        };
        let writers: Vec<_> = (0..WRITERS).map(|slot| play("writer", slot)).collect();
        let readers: Vec<_> = (0..READERS).map(|slot| play("reader", WRITERS + slot)).collect();
        [writers, readers].map(|slots| {
            slots
                .into_iter()
                .map(|slot| slot.join().unwrap_or(Err("a slot panicked".into())))
                .try_fold(Done::default(), |mut all, slot| {
                    let slot = slot?;
                    all.lives += slot.lives;
                    all.count += slot.count;
                    all.steps.extend(slot.steps);
                    Ok::<_, Failure>(all)
                })
        })
    });
    let [writers, readers] = played;
    let (writers, readers) = (writers?, readers?);
    println!(
        "{} s: {} records written by {} processes, {} questions asked by {}; each was killed",
        options.seconds, writers.count, writers.lives, readers.count, readers.lives
    );
    place.look(&redgreen, &writers.steps)
}

/// Starts one process after the other; each is killed at some moment.
fn slot_until(
    example: &Path,
    place: &SoakProject,
    part: &str,
    slot: u64,
    until: Instant,
) -> Result<Done, Failure> {
    let mut done = Done::default();
    let mut chance = slot.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    while Instant::now() < until && done.lives < LIVES_MAX {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        let share = u32::try_from(chance % 1_000).unwrap_or(0);
        let life = LIFE_MAX * share / 1_000;
        let seed = slot * LIVES_MAX + done.lives;
        let child = Command::new(example)
            .arg("soak")
            .arg(&place.memory)
            .args([part, &seed.to_string()])
            .env("XDG_STATE_HOME", &place.state)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{EXAMPLE} cannot be started: {error}"))?;
        let (status, lines, said) = lived(child, life)?;
        if status.code().is_some() {
            return Err(format!("a {part} ended by itself with {status}: {said}"));
        }
        done.lives += 1;
        done.count += lines.len() as u64;
        if part == "writer" {
            done.steps.extend(lines);
        }
    }
    Ok(done)
}

/// Kills a process after its life; returns how it ended, the whole lines that it said, and its errors.
fn lived(mut child: Child, life: Duration) -> Result<(ExitStatus, Vec<String>, String), Failure> {
    let failed = |error: std::io::Error| format!("a process cannot be watched: {error}");
    let (out, errors) = (child.stdout.take(), child.stderr.take());
    let lines = std::thread::spawn(move || out.map(|out| whole_lines(BufReader::new(out))));
    std::thread::sleep(life);
    child.kill().map_err(failed)?;
    let status = child.wait().map_err(failed)?;
    let mut said = String::new();
    if let Some(mut errors) = errors {
        errors.read_to_string(&mut said).map_err(failed)?;
    }
    let lines = lines.join().ok().flatten().ok_or("what a process said cannot be read")?;
    Ok((status, lines, said))
}

/// The lines that end: what a kill cut off was never said.
fn whole_lines(mut out: impl BufRead) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    while out.read_line(&mut line).is_ok_and(|bytes| bytes > 0) && line.ends_with('\n') {
        lines.push(line.trim_end().to_owned());
        line.clear();
    }
    lines
}

/// A work tree with a debug memory; it goes when this is dropped.
struct SoakProject {
    folder: PathBuf,
    memory: PathBuf,
    /// Where the key is that records are sealed with: outside of the work tree.
    state: PathBuf,
}

impl Drop for SoakProject {
    fn drop(&mut self) {
        for folder in [&self.folder, &self.state] {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl SoakProject {
    fn make() -> Result<Self, Failure> {
        let name = format!("soak-{}", std::process::id());
        let (folder, state) = (bench_folder().join(&name), bench_folder().join(name + "-state"));
        let memory = folder.join(".aiwg/ralph/debug-memory");
        fs::create_dir_all(&memory).map_err(|error| format!("{}: {error}", memory.display()))?;
        capture(Command::new("git").args(["init", "--quiet"]).arg(&folder))?;
        Ok(Self { folder, memory, state })
    }

    /// What must hold of what is left.
    fn look(&self, redgreen: &Path, written: &BTreeSet<String>) -> Result<(), Failure> {
        let sessions = self.memory.join("sessions");
        for session in written {
            let path = sessions.join(format!("session-{session}.json"));
            if !path.is_file() {
                return Err(format!("the record of session {session} is lost"));
            }
        }
        let files = whole_records(&sessions)?;
        let stats = self.ask(redgreen, "stats")?;
        if stats["seen"] != files || stats["unreadable"] != Value::Array(Vec::new()) {
            return Err(format!("{files} records lie there, and the index says {stats}"));
        }
        let before = self.ask(redgreen, "patterns")?;
        self.ask(redgreen, "rebuild")?;
        let after = self.ask(redgreen, "patterns")?;
        if before != after {
            let (before, after) = first_difference(&before["patterns"], &after["patterns"]);
            return Err(format!(
                "made anew, the index teaches\n{after}\nin the place of\n{before}"
            ));
        }
        println!(
            "{files} records, all of them whole, sealed and known to the index; none that was written is lost"
        );
        println!("an index made anew says the same; nobody heard of locks or damage");
        Ok(())
    }

    /// The document that a command prints; it has nothing to complain about.
    fn ask(&self, redgreen: &Path, command: &str) -> Result<Value, Failure> {
        let output = Command::new(redgreen)
            .args(["memory", command, "--json"])
            .current_dir(&self.folder)
            .env("XDG_STATE_HOME", &self.state)
            .output()
            .map_err(|error| format!("redgreen cannot be started: {error}"))?;
        let complaints = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || !complaints.is_empty() {
            return Err(format!("memory {command} ended with {}: {complaints}", output.status));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| format!("{command}: {error}"))
    }
}

/// The first two items of lists that are not the same.
fn first_difference(before: &Value, after: &Value) -> (Value, Value) {
    (0..)
        .map(|index| (before[index].clone(), after[index].clone()))
        .find(|(before, after)| before != after || before.is_null())
        .unwrap_or_default()
}

/// How many records lie in a folder, each of them a whole document.
fn whole_records(sessions: &Path) -> Result<usize, Failure> {
    let unread = |error: std::io::Error| format!("{}: {error}", sessions.display());
    let mut files = 0;
    for entry in fs::read_dir(sessions).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        let bytes = fs::read(&path).map_err(unread)?;
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| format!("{} is torn: {error}", path.display()))?;
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let named = value["session_id"].as_str().map(|session| format!("session-{session}"));
        if name != named {
            return Err(format!("{} is of another session", path.display()));
        }
        files += 1;
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_seconds_and_a_binary() {
        let given = ["--seconds", "5", "--binary", "/old/redgreen"];
        let wanted = Options { seconds: 5, binary: Some("/old/redgreen".into()) };
        assert_eq!(Options::parse(&given), Ok(wanted));
        let usual = Options { seconds: DEFAULT_SECONDS, binary: None };
        assert_eq!(Options::parse(&[]), Ok(usual));
        for wrong in [&["--seconds"] as &[&str], &["--seconds", "0"], &["--binary"], &["now"]] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_torn_record_and_one_under_anothers_name_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it");
        write("session-a.json", r#"{"session_id": "a"}"#);
        assert_eq!(whole_records(folder.path()), Ok(1));
        write("session-b.json", r#"{"session_id": "a"}"#);
        assert!(whole_records(folder.path()).is_err_and(|found| found.contains("another")));
        write("session-b.json", r#"{"session_id": "#);
        assert!(whole_records(folder.path()).is_err_and(|found| found.contains("torn")));
    }

    #[test]
    fn what_differs_first_is_named() {
        let differs = |before: Value, after: Value| first_difference(&before, &after);
        let found = differs(serde_json::json!([1, 2, 3]), serde_json::json!([1, 4, 3]));
        assert_eq!(found, (2.into(), 4.into()));
        assert_eq!(differs(serde_json::json!([1]), serde_json::json!([1])).0, Value::Null);
    }

    #[test]
    fn what_was_cut_off_was_not_said() {
        assert_eq!(whole_lines(&b"one\ntwo\nthr"[..]), ["one", "two"]);
        assert!(whole_lines(&b""[..]).is_empty());
    }
}
