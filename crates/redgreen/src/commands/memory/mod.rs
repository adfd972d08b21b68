//! `redgreen memory`: one file for each of its commands.

mod brief;
mod export;
mod import;
mod patterns;
mod project_memory;
mod prune;
mod search;
mod show;
mod stats;

use clap::{Args, Subcommand};
use redgreen_memory::Unreadable;
use redgreen_model::text::{LINE_CHARS, clean_line};

use crate::failure::{Ending, Failure};

pub(super) use project_memory::ProjectMemory;

/// How many files that cannot be read are named for people; `--json` names them all.
const UNREADABLE_NAMED: usize = 20;

/// What earlier loops tried, what failed, and what helped
///
/// The debug memory is a folder of records that people can read and git can merge, one for each loop.
/// Its index and the learned patterns are derived from them. Set with `[memory]` in redgreen.toml.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Brief(brief::Arguments),
    Search(search::Arguments),
    Show(show::Arguments),
    Patterns(patterns::Arguments),
    Stats(stats::Arguments),
    Import(import::Arguments),
    Export(export::Arguments),
    Rebuild(stats::RebuildArguments),
    Prune(prune::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let mut project = ProjectMemory::find()?;
    let ending = match &arguments.command {
        Command::Brief(arguments) => brief::run(arguments, &mut project),
        Command::Search(arguments) => search::run(arguments, &mut project),
        Command::Show(arguments) => show::run(arguments, &mut project),
        Command::Patterns(arguments) => patterns::run(arguments, &mut project),
        Command::Stats(arguments) => stats::run(arguments, &mut project),
        Command::Import(arguments) => import::run(arguments, &mut project),
        Command::Export(arguments) => export::run(arguments, &mut project),
        Command::Rebuild(arguments) => stats::rebuild(arguments, &mut project),
        Command::Prune(arguments) => prune::run(arguments, &mut project),
    };
    project.tell_notes();
    ending
}

/// The day of a time in RFC 3339.
fn day(at: &str) -> &str {
    at.split('T').next().unwrap_or(at)
}

/// How many of something there are, in words.
fn count(number: impl Into<u64>, word: &str) -> String {
    let number = number.into();
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {word}{ending}")
}

/// Text of a record, on one line.
fn line(text: &str) -> String {
    clean_line(text.trim(), LINE_CHARS)
}

/// Files that cannot be read, each with its reason; they are left as they are.
fn unreadable_lines(files: &[Unreadable], project: &ProjectMemory) -> Vec<String> {
    let named = files.iter().take(UNREADABLE_NAMED);
    let mut lines: Vec<String> = named
        .map(|file| format!("skipped {}: {}", project.shown(&file.path), line(&file.reason)))
        .collect();
    if let Some(more) = files.len().checked_sub(UNREADABLE_NAMED).filter(|more| *more > 0) {
        lines.push(format!("and {more} more that cannot be read: --json names them all"));
    }
    lines
}
