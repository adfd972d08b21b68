//! How long the tree hash of an unchanged work tree takes, compared with `git status`.
//!
//! `cargo run --release -p redgreen-workspace --example tree_bench [FILES [ROUNDS]]` makes a
//! repository of that many files in a temporary folder and measures both in turn.
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use redgreen_model::tree::TreeHash;
use redgreen_workspace::Workspace;

const FILES: usize = 50_000;
const ROUNDS: usize = 21;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let files = args.next().transpose()?.unwrap_or(FILES);
    let rounds = args.next().transpose()?.unwrap_or(ROUNDS).max(1);
    let folder = tempfile::tempdir()?;
    let root = folder.path();
    make_repository(root, files)?;

    let clock = Instant::now();
    let first = Workspace::discover(root)?.tree()?;
    println!("{files} files; first tree: {:.1} ms", milliseconds(clock.elapsed()));

    let (mut status, mut opened, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let workspace = Workspace::discover(root)?;
    for _ in 0..rounds {
        status.push(timed(|| git(root, &["status", "--porcelain"]))?);
        opened.push(timed(|| same(&Workspace::discover(root)?, &first))?);
        kept.push(timed(|| same(&workspace, &first))?);
    }
    let status = median(status);
    println!("git status --porcelain       {:7.1} ms", milliseconds(status));
    let show = |what: &str, time: Duration| {
        let ratio = time.as_secs_f64() / status.as_secs_f64();
        println!("{what:28} {:7.1} ms  ratio {ratio:.2}", milliseconds(time));
    };
    show("tree()", median(kept));
    show("discover() and tree()", median(opened));

    let mut edited = Vec::new();
    for round in 0..rounds {
        fs::write(root.join("folder-0/part-0/file-0.txt"), format!("round {round}\n"))?;
        edited.push(timed(|| Ok(workspace.tree().map(|_| ())?))?);
    }
    show("tree() after one edit", median(edited));
    fs::write(root.join("untracked.txt"), "new\n")?;
    workspace.tree()?;
    let mut untracked = Vec::new();
    for _ in 0..rounds {
        untracked.push(timed(|| Ok(workspace.tree().map(|_| ())?))?);
    }
    show("tree() with an untracked file", median(untracked));
    Ok(())
}

fn same(workspace: &Workspace, expected: &TreeHash) -> Result<(), Box<dyn Error>> {
    if workspace.tree()? == *expected { Ok(()) } else { Err("another tree".into()) }
}

fn make_repository(root: &Path, files: usize) -> Result<(), Box<dyn Error>> {
    git(root, &["init", "--quiet"])?;
    for number in 0..files {
        let folder = root.join(format!("folder-{}/part-{}", number / 500, number / 10 % 50));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("file-{number}.txt")), format!("file {number}\n"))?;
    }
    git(root, &["add", "--all"])?;
    let who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    git(root, &[&who[..], &["commit", "--quiet", "--message", "files"]].concat())
}

fn git(root: &Path, args: &[&str]) -> Result<(), Box<dyn Error>> {
    let status = Command::new("git").args(args).current_dir(root).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {args:?}: {status}").into()) }
}

fn timed(work: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let clock = Instant::now();
    work()?;
    Ok(clock.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
