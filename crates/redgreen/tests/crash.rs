//! `kill -9` at any moment: nothing is lost, and `resume` carries on.

use std::fs;

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::common::shell::TWO_HALVES;
use crate::common::{Ended, Project, events};
use serde_json::Value;

/// How many runs there are, unless `REDGREEN_CRASH_RUNS` says otherwise.
const RUNS: u64 = 24;
/// How many there are with `REDGREEN_ALL`.
const RUNS_OF_ALL: u64 = 300;
/// What every choice is derived from, unless `REDGREEN_CRASH_SEED` says otherwise.
const SEED: u64 = 0x005e_ed0f_c4a5_4e50;
/// How many runs are under way at a time.
const LANES: usize = 3;
/// The longest time between the event that a kill waits for and the kill: the longest that a loop goes without one.
const PAUSE_MAX: Duration = Duration::from_millis(60);
/// The most kills of one session.
const KILLS_MAX: u64 = 3;

/// What a user has in the tree and has not committed: a tracked file that was changed, one that is
/// staged and changed again, an untracked document, untracked code, and a file that git ignores.
const USERS_FILES: [(&str, &[u8]); 5] = [
    ("notes.md", b"my notes, \xff\xfe not UTF-8, no newline at the end"),
    ("staged.sh", b"# staged, then changed\r\n"),
    ("draft.md", b"draft\n"),
    ("tool.sh", b"#!/bin/sh\necho mine\n"),
    ("secret.local", b"key\0\n"),
];

/// A generator of numbers that is the same everywhere (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64, run: u64) -> Self {
        let mut random = Self((seed ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1));
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// A moment of a loop that says so many things: after how many of them, and how long after that.
    pub fn moment(&mut self, events: usize) -> Moment {
        let longest = u64::try_from(PAUSE_MAX.as_micros()).expect("a duration");
        Moment {
            events: self.below(events as u64),
            pause: Duration::from_micros(self.below(longest)),
        }
    }
}

/// When a process is killed. Counted in what it has said, so that a slow machine or a quick one changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    events: u64,
    pause: Duration,
}

/// A project with work of the user's in it, and what of it must stay as it is.
struct Victim {
    project: Project,
    agent: String,
    index: Vec<u8>,
    branches: String,
}

impl Victim {
    fn new() -> Self {
        let project = Project::shell();
        project.write("notes.md", "my notes\n");
        project.write(".gitignore", "*.local\n");
        project.commit();
        project.write("staged.sh", "# staged\n");
        project.git(&["add", "staged.sh"]);
        for (path, content) in USERS_FILES {
            project.write(path, content);
        }
        let agent = project.agent(TWO_HALVES);
        let index = fs::read(project.root().join(".git/index")).expect("an index");
        let branches = branches(&project);
        Self { project, agent, index, branches }
    }

    fn run_arguments(&self) -> [&str; 5] {
        ["run", "--json", "--agent-command", &self.agent, "make the tests pass"]
    }

    /// The whole lines of the journal; none if no session has begun.
    fn journal(&self) -> Vec<u8> {
        let sessions = fs::read_dir(self.project.root().join(".redgreen/sessions"));
        let folder = sessions.into_iter().flatten().flatten().map(|entry| entry.path()).max();
        let journal = folder.and_then(|folder| fs::read(folder.join("journal.jsonl")).ok());
        let mut text = journal.unwrap_or_default();
        let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        text.truncate(end);
        text
    }

    /// Goes on until the loop has ended: `resume`, or `run` if nothing had begun.
    fn start_or_resume(&self) -> Child {
        let begun = !self.journal().is_empty();
        let run = self.run_arguments();
        let arguments: &[&str] = if begun { &["resume", "--json"] } else { &run };
        let mut command = self.project.redgreen_command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("redgreen")
    }

    /// Asserts that all of the user's work is as it was, to the byte.
    fn assert_users_work(&self, context: &str) {
        for (path, content) in USERS_FILES {
            let found = fs::read(self.project.root().join(path)).unwrap_or_default();
            assert_eq!(found, content, "{path} was changed: {context}");
        }
        let index = fs::read(self.project.root().join(".git/index")).expect("an index");
        assert!(index == self.index, "the user's index was changed: {context}");
        assert_eq!(branches(&self.project), self.branches, "{context}");
    }

    /// Asserts that the loop has come to its proper end, and that all of it is on record.
    fn assert_ended(&self, context: &str) {
        let project = &self.project;
        let session = project.session();
        let journal = project.journal();
        let all = serde_json::to_string_pretty(&journal).expect("JSON");
        let numbers: Vec<u64> = journal
            .iter()
            .filter(|line| line["input"] == "executed")
            .filter_map(|line| line["execution"]["number"].as_u64())
            .collect();
        let expected: Vec<u64> = (1..=numbers.len() as u64).collect();
        assert_eq!(numbers, expected, "an execution is missing: {context}\n{all}");
        let asked = journal.iter().filter(|line| line["input"] == "agent_ended").count();
        assert_eq!(asked, 2, "attempts on record: {context}\n{all}");
        let last = project.notes("asked").lines().filter_map(|line| line.parse::<u32>().ok()).max();
        assert_eq!(last, Some(2), "the agent was asked beyond the bound: {context}");
        let workflow = format!(".redgreen/sessions/{session}/workflow.json");
        let valid = project.redgreen(&["validate", &workflow]);
        assert_eq!(valid.code, Some(0), "{context}\n{}{}", valid.stdout, valid.stderr);
        let workflow: Value = serde_json::from_str(&project.read(&workflow)).expect("JSON");
        assert_eq!(workflow["loop_state"]["status"], "passed", "{context}\n{all}");
        assert_eq!(workflow["loop_state"]["attempt_number"], 2, "{context}");
        assert!(project.session_file("report.md").contains("passed"), "{context}");
        assert_eq!(project.read("value.sh"), "first=ok\nsecond=ok\n", "{context}");
        self.assert_trees_are_kept(&journal, context);
        let record = workflow["debug_memory_ref"].as_str().expect("a record");
        let record: Value = serde_json::from_str(&project.read(record)).expect("JSON");
        assert_eq!(record["status"], "passed", "{context}\n{record:#}");
        let last = record["executions"].as_array().and_then(|all| all.last());
        assert_eq!(last.map(|run| &run["attempt"]), Some(&Value::from(2)), "{context}\n{record:#}");
        // The record for display has no half lines either.
        events(&project.session_file("events.jsonl"));
    }

    /// Asserts that every tree on record can be got back.
    fn assert_trees_are_kept(&self, journal: &[Value], context: &str) {
        let kept = self.project.git(&["for-each-ref", "--format=%(tree)", "refs/redgreen"]);
        for line in journal {
            for tree in [
                &line["tree"]["tree"],
                &line["execution"]["after"]["tree"],
                &line["result"]["tree"]["tree"],
            ] {
                let Some(tree) = tree.as_str() else { continue };
                assert!(kept.contains(tree), "tree {tree} is not kept: {context}");
            }
        }
    }
}

/// Kills a process at a moment, unless it ends before; whether it was killed.
pub fn kill_at(mut child: Child, moment: Moment) -> bool {
    let pid = Pid::from_raw(child.id().cast_signed());
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let heard = lines.by_ref().take(usize::try_from(moment.events).expect("a few"));
    heard.for_each(drop);
    let (sender, ended) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            lines.for_each(drop);
            sender.send(child.wait_with_output().expect("redgreen"))
        });
        // The moment itself is what is tested here: nothing is synchronised with it.
        let output = ended.recv_timeout(moment.pause).or_else(|_| {
            let _ = kill(pid, Signal::SIGKILL);
            ended.recv()
        });
        output.expect("an end").status.signal() == Some(9)
    })
}

fn branches(project: &Project) -> String {
    project.git(&["for-each-ref", "refs/heads", "refs/tags", "refs/stash"])
        + &project.git(&["rev-parse", "HEAD"])
}

/// What the crash runs came to.
#[derive(Default)]
struct Tally {
    runs: u64,
    kills: u64,
    /// Kills by where the session was: nothing on record yet, under way, ended.
    before: u64,
    under_way: u64,
    after: u64,
    executions: u64,
    lost: u64,
}

/// Kills at random moments, then goes on to the end; returns what is lost (nothing) in words.
fn crash_run(run: u64, seed: u64, events: usize, tally: &Mutex<Tally>) {
    let mut random = Random::new(seed, run);
    let victim = Victim::new();
    let kills = 1 + random.below(KILLS_MAX);
    let mut recorded: Vec<u8> = Vec::new();
    let mut moments = Vec::new();
    for number in 1..=kills {
        // What is left to do gets less.
        let moment = random.moment(events / usize::try_from(number).expect("a few"));
        moments.push(moment);
        let context = format!("run {run}, seed {seed:#x}, killed after {moments:?}");
        let killed = kill_at(victim.start_or_resume(), moment);
        let now = victim.journal();
        let mut tally = tally.lock().expect("no panic");
        tally.kills += u64::from(killed);
        match (killed, now.is_empty()) {
            (false, _) => tally.after += 1,
            (true, true) => tally.before += 1,
            (true, false) => tally.under_way += 1,
        }
        tally.lost += u64::from(!now.starts_with(&recorded));
        drop(tally);
        assert!(now.starts_with(&recorded), "the journal lost a line: {context}");
        recorded = now;
    }
    let context = format!("run {run}, seed {seed:#x}, killed after {moments:?}");
    let ended = victim.start_or_resume().wait_with_output().expect("redgreen");
    let text = format!(
        "{context}\n{}\n{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
    // 2: one of the "killed" ones had already come to the end of everything.
    let over = text.contains("no unfinished session");
    assert_eq!(ended.status.code(), Some(if over { 2 } else { 0 }), "{text}");
    let now = victim.journal();
    assert!(now.starts_with(&recorded), "the journal lost a line: {text}");
    victim.assert_ended(&text);
    victim.assert_users_work(&text);
    assert_eq!(victim.project.survivors(), Vec::<String>::new(), "left running: {text}");
    let mut tally = tally.lock().expect("no panic");
    tally.runs += 1;
    tally.executions +=
        victim.project.journal().iter().filter(|line| line["input"] == "executed").count() as u64;
}

pub fn number_from(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
        Err(_) => default,
    }
}

/// How much a run says that nobody kills, in events.
fn full_run() -> usize {
    let victim = Victim::new();
    let ended = victim.start_or_resume().wait_with_output().expect("redgreen");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{said}");
    victim.assert_ended("without a kill");
    victim.assert_users_work("without a kill");
    said.lines().count()
}

#[test]
fn killed_at_random_moments_nothing_is_lost() {
    let usual = if std::env::var_os("REDGREEN_ALL").is_some() { RUNS_OF_ALL } else { RUNS };
    let runs = number_from("REDGREEN_CRASH_RUNS", usual);
    let seed = number_from("REDGREEN_CRASH_SEED", SEED);
    let _ = writeln!(std::io::stderr(), "crash runs: seed {seed:#x}");
    let start = Instant::now();
    let events = full_run();
    let tally = Mutex::new(Tally::default());
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if run >= runs {
                        return;
                    }
                    crash_run(run, seed, events, &tally);
                }
            });
        }
    });
    let tally = tally.into_inner().expect("no panic");
    // Not with `println!`: the harness shows that of failed tests only.
    let _ = writeln!(
        std::io::stderr(),
        "crash runs: {}, kills: {} ({} before anything was recorded, {} under way, {} too late), executions on record: {}, lost: {}, in {:.0?}",
        tally.runs,
        tally.kills,
        tally.before,
        tally.under_way,
        tally.after,
        tally.executions,
        tally.lost,
        start.elapsed()
    );
    assert_eq!((tally.runs, tally.lost), (runs, 0));
    assert!(tally.under_way >= runs / 2, "too few kills hit a session that was under way");
}

/// Half an edit, then a word that it is there, then waiting; the second time the whole edit.
const STOPS_HALF_WAY: &str = r#"echo $$ >>"$OUTSIDE/pids"
cp value.sh "$OUTSIDE/found-$REDGREEN_ATTEMPT"
if [ -e "$OUTSIDE/stopped" ]; then
    printf 'first=ok\nsecond=ok\n' >value.sh
    exit 0
fi
echo 'first=ok' >value.sh
echo "mine, while the agent worked" >draft.md
: >"$OUTSIDE/stopped"
echo >"$OUTSIDE/half"
read go <"$OUTSIDE/never"
"#;

/// A project whose agent was killed half-way together with redgreen.
fn killed_half_way(half_edit: &str) -> Project {
    let project = Project::shell();
    let config = project.shell_check("") + &format!("[loop]\nhalf_edit = \"{half_edit}\"\n");
    project.write("redgreen.toml", config);
    let agent = project.agent(STOPS_HALF_WAY);
    let mut half = project.fifo("half");
    let _never = project.fifo("never");
    let mut child = project.spawn(&["run", "--agent-command", &agent, "make the tests pass"]);
    half.wait();
    child.kill().expect("kill");
    child.wait().expect("an end");
    project
}

#[test]
fn half_an_edit_is_put_away_and_can_be_got_back() {
    let project = killed_half_way("restore");
    let resumed = project.redgreen(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.stdout, resumed.stderr);
    assert_eq!(project.notes("found-1"), "first=bad\nsecond=bad\n", "it began on half an edit");
    assert!(resumed.stderr.contains("interrupted in the middle of an edit"), "{}", resumed.stderr);
    let kept = format!("refs/redgreen/{}/half-edit-", project.session());
    let name = project.git(&["for-each-ref", "--format=%(refname)"]);
    let name = name.lines().find(|line| line.starts_with(&kept)).expect("what was there is kept");
    assert!(resumed.stderr.contains(name), "{}", resumed.stderr);
    assert_eq!(project.git(&["show", &format!("{name}:value.sh")]), "first=ok\n");
    let draft = project.git(&["show", &format!("{name}:draft.md")]);
    assert_eq!(draft, "mine, while the agent worked\n");
    assert_eq!(project.survivors(), Vec::<String>::new());
}

#[test]
fn half_an_edit_is_kept_where_the_policy_says_so() {
    let project = killed_half_way("keep");
    let resumed = project.redgreen(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.stdout, resumed.stderr);
    assert_eq!(project.notes("found-1"), "first=ok\n", "the half edit was not kept");
    assert_eq!(project.read("draft.md"), "mine, while the agent worked\n");
}

#[test]
fn what_a_killed_agent_said_is_not_the_word_of_the_next_one() {
    let agent = r#"if [ -e "$OUTSIDE/stopped" ]; then
    printf 'first=ok\nsecond=ok\n' >value.sh
    exit 0
fi
: >"$OUTSIDE/stopped"
redgreen give-up "I am stuck"
echo >"$OUTSIDE/half"
read go <"$OUTSIDE/never"
"#;
    let project = Project::shell();
    let agent = project.agent(agent);
    let mut half = project.fifo("half");
    let _never = project.fifo("never");
    let mut child = project.spawn(&["run", "--agent-command", &agent, "make the tests pass"]);
    half.wait();
    child.kill().expect("kill");
    child.wait().expect("an end");
    let resumed = project.redgreen(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.stdout, resumed.stderr);
}

#[test]
fn what_the_killed_run_started_is_gone_before_resume_goes_on() {
    // The first agent does not go when it is asked to: it is there until its grace is over.
    let agent = r#"pid=$$
echo $$ >>"$OUTSIDE/pids"
if [ -e "$OUTSIDE/first" ]; then
    kill -0 "$(cat "$OUTSIDE/first")" 2>/dev/null && echo agent >>"$OUTSIDE/together"
    printf 'first=ok\nsecond=ok\n' >value.sh
    exit 0
fi
trap '' TERM
echo $$ >"$OUTSIDE/first"
echo >"$OUTSIDE/half"
while :; do read go <"$OUTSIDE/never"; done
"#;
    let project = Project::shell();
    let config = project.shell_check("") + "[limits]\ngrace_seconds = 2\n";
    project.write("redgreen.toml", config);
    let agent = project.agent(agent);
    let mut half = project.fifo("half");
    let _never = project.fifo("never");
    let mut child = project.spawn(&["run", "--agent-command", &agent, "make the tests pass"]);
    half.wait();
    child.kill().expect("kill");
    child.wait().expect("an end");
    let resumed = project.redgreen(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.stdout, resumed.stderr);
    assert_eq!(project.notes("together"), "", "two agents worked at the same time");
    assert_eq!(project.survivors(), Vec::<String>::new());
}

#[test]
fn killed_after_each_event_it_goes_on() {
    let written = full_run();
    assert!(written > 20, "{written} events");
    // Those between are alike; all of them with `REDGREEN_ALL`.
    let step = if std::env::var_os("REDGREEN_ALL").is_some() { 1 } else { 3 };
    let next = AtomicU64::new(1);
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                loop {
                    let count = next.fetch_add(step, Ordering::Relaxed);
                    if count > written as u64 {
                        return;
                    }
                    killed_after_event(count);
                }
            });
        }
    });
}

fn killed_after_event(count: u64) {
    let victim = Victim::new();
    let mut child = victim.start_or_resume();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for _ in 0..count {
        lines.next().expect("an event").expect("a line");
    }
    child.kill().expect("kill");
    child.wait().expect("an end");
    let recorded = victim.journal();
    let resumed: Ended = victim.start_or_resume().wait_with_output().expect("redgreen").into();
    let context = format!("killed after event {count}\n{}\n{}", resumed.stdout, resumed.stderr);
    let over = resumed.stderr.contains("no unfinished session");
    assert_eq!(resumed.code, Some(if over { 2 } else { 0 }), "{context}");
    assert!(victim.journal().starts_with(&recorded), "{context}");
    victim.assert_ended(&context);
    victim.assert_users_work(&context);
    assert_eq!(victim.project.survivors(), Vec::<String>::new(), "{context}");
}
