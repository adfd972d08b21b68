//! Which changed lines no test ran, by reports: for the benchmark, from the start of a process to its end.
//!
//! `cargo run --release -p redgreen-coverage --example changed_lines BASE REPORT…`, in a git repository
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::collections::BTreeMap;
use std::error::Error;
use std::process::Command;

use redgreen_coverage::Coverage;
use redgreen_coverage::formats::{Wanted, read};
use redgreen_coverage::paths::Tree;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let base = args.next().ok_or("BASE REPORT…")?;
    let changed = changed(&git(&["diff", "--unified=0", "--no-color", "--no-prefix", &base])?);
    let files = git(&["ls-files", "-z"])?;
    let root = std::env::current_dir()?;
    let tree = Tree {
        paths: files.split_terminator('\0').collect(),
        root: root.to_str(),
        ..Tree::default()
    };
    let wanted = Wanted::these(changed.keys().map(String::as_str));
    let mut coverage = Coverage::default();
    for report in args {
        let (placed, diagnostics) = tree.place(read(&std::fs::read(&report)?, &wanted), None);
        coverage.merge(placed);
        diagnostics.iter().for_each(|diagnostic| println!("{report} {diagnostic}"));
    }
    let (mut total, mut missing) = (0, 0);
    for (path, lines) in &changed {
        let Some(file) = coverage.files.get(path) else { continue };
        total += lines.iter().filter(|line| file.ran(**line).is_some()).count();
        let not_run = lines.iter().filter(|line| file.ran(**line) == Some(false));
        let not_run: Vec<u32> = not_run.copied().collect();
        missing += not_run.len();
        println!("{path}: {not_run:?}");
    }
    println!("total {total}, missing {missing}");
    Ok(())
}

fn git(args: &[&str]) -> Result<String, Box<dyn Error>> {
    let output = Command::new("git").args(["-c", "core.quotePath=false"]).args(args).output()?;
    if !output.status.success() {
        return Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The lines that a diff adds, by file.
fn changed(diff: &str) -> BTreeMap<String, Vec<u32>> {
    let mut files: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut path = String::new();
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("+++ ") {
            name.trim_end_matches('\t').clone_into(&mut path);
        } else if let Some(hunk) = line.strip_prefix("@@ ") {
            let added = hunk.split(' ').find_map(|range| range.strip_prefix('+'));
            let (first, count) =
                added.map_or(("0", "0"), |range| range.split_once(',').unwrap_or((range, "1")));
            let (first, count): (u32, u32) =
                (first.parse().unwrap_or(0), count.parse().unwrap_or(0));
            files.entry(path.clone()).or_default().extend(first..first + count);
        }
    }
    files
}
