//! `redgreen memory`: one file for each of its commands.

mod brief;
mod export;
mod import;
mod patterns;
mod place;
mod prune;
mod search;
mod show;
mod stats;

use clap::{Args, Subcommand};
use redgreen_memory::Unreadable;
use redgreen_model::text::{LINE_CHARS, clean_line};

use crate::failure::{Ending, Failure};

pub(super) use place::Place;

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
    let mut place = Place::find()?;
    let ending = match &arguments.command {
        Command::Brief(arguments) => brief::run(arguments, &mut place),
        Command::Search(arguments) => search::run(arguments, &mut place),
        Command::Show(arguments) => show::run(arguments, &mut place),
        Command::Patterns(arguments) => patterns::run(arguments, &mut place),
        Command::Stats(arguments) => stats::run(arguments, &mut place),
        Command::Import(arguments) => import::run(arguments, &mut place),
        Command::Export(arguments) => export::run(arguments, &mut place),
        Command::Rebuild(arguments) => stats::rebuild(arguments, &mut place),
        Command::Prune(arguments) => prune::run(arguments, &mut place),
    };
    place.tell_notes();
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
fn unreadable_lines(files: &[Unreadable], place: &Place) -> Vec<String> {
    let named = files.iter().take(UNREADABLE_NAMED);
    let mut lines: Vec<String> = named
        .map(|file| format!("skipped {}: {}", place.shown(&file.path), line(&file.reason)))
        .collect();
    if let Some(more) = files.len().checked_sub(UNREADABLE_NAMED).filter(|more| *more > 0) {
        lines.push(format!("and {more} more that cannot be read: --json names them all"));
    }
    lines
}
