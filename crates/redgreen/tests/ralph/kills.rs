//! `kill -9` at random moments of a plan: the same comes of it.

use std::fs;
use std::process::Stdio;

use super::{AGENT, PLAN, assert_five_items, planned};
use crate::common::Project;
use crate::crash::{Random, kill_at, number_from};

/// How many kills there are, unless `REDGREEN_RALPH_KILLS` says otherwise.
const KILLS: u64 = 20;
/// How many there are with `REDGREEN_ALL`.
const KILLS_OF_ALL: u64 = 50;
/// How many of them hit one plan: the later ones find more done.
const KILLS_OF_ONE: u64 = 10;
/// What every choice is derived from, unless `REDGREEN_CRASH_SEED` says otherwise.
const SEED: u64 = 0x005e_ed0f_ba1f_0022;
/// How many events a redgreen says at most before it is killed: a plan says some two hundred, so each kill lets it come a
/// part of the way.
const EVENTS: usize = 36;

/// The whole lines of the loop's journal; none if it has not begun.
fn journal(project: &Project) -> Vec<u8> {
    let loops = fs::read_dir(project.root().join(".redgreen/ralph"));
    let folder = loops.into_iter().flatten().flatten().map(|entry| entry.path()).max();
    let journal = folder.and_then(|folder| fs::read(folder.join("journal.jsonl")).ok());
    let mut text = journal.unwrap_or_default();
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    text.truncate(end);
    text
}

/// A plan that is killed again and again, and then goes on to its end; how many kills hit it.
fn killed(run: u64, seed: u64, kills: u64) -> u64 {
    let mut random = Random::new(seed, run);
    let project = planned(PLAN);
    let agent = project.agent(AGENT);
    let begin = ["ralph", "plan.md", "--commit", "--json", "--agent-command", &agent];
    let (mut recorded, mut moments, mut hits) = (Vec::new(), Vec::new(), 0);
    let next = |recorded: &Vec<u8>| -> Vec<&str> {
        // Two lines: what is to be done, and that it has begun.
        let has_begun = recorded.iter().filter(|byte| **byte == b'\n').count() > 1;
        if has_begun { vec!["ralph", "--resume", "--json"] } else { begin.to_vec() }
    };
    for _ in 0..kills {
        let moment = random.moment(EVENTS);
        moments.push(moment);
        let mut command = project.redgreen_command(&next(&recorded));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("redgreen");
        hits += u64::from(kill_at(child, moment));
        let now = journal(&project);
        let has_begun = recorded.iter().filter(|byte| **byte == b'\n').count() > 1;
        assert!(
            !has_begun || now.starts_with(&recorded),
            "the journal lost a line: run {run}, seed {seed:#x}, {moments:?}"
        );
        recorded = now;
    }
    let ended = project.redgreen(&next(&recorded));
    let context = format!(
        "run {run}, seed {seed:#x}, killed after {moments:?}\n{}\n{}",
        ended.stdout, ended.stderr
    );
    assert_eq!(ended.code, Some(1), "{context}");
    assert_five_items(&project, &context);
    hits
}

#[test]
fn killed_at_random_moments_the_same_is_committed() {
    let usual = if std::env::var_os("REDGREEN_ALL").is_some() { KILLS_OF_ALL } else { KILLS };
    let kills = number_from("REDGREEN_RALPH_KILLS", usual);
    let seed = number_from("REDGREEN_CRASH_SEED", SEED);
    let plans = kills.div_ceil(KILLS_OF_ONE);
    let hits: u64 = std::thread::scope(|scope| {
        let runs = (0..plans).map(|run| {
            let kills = (kills - run * KILLS_OF_ONE).min(KILLS_OF_ONE);
            scope.spawn(move || killed(run, seed, kills))
        });
        let runs: Vec<_> = runs.collect();
        runs.into_iter().map(|run| run.join().expect("a run")).sum()
    });
    assert!(hits * 2 >= kills, "only {hits} of {kills} kills hit a loop that was under way");
}
