//! `redgreen memory stats` and `redgreen memory rebuild`

use std::path::Path;

use clap::Args;
use redgreen_memory::{Stats, UnknownKey};
use serde_json::{Value, json};

use super::{ProjectMemory, count, day, unreadable_lines};
use crate::display;
use crate::failure::{Ending, Failure};

/// Show what is in the memory, and what in it cannot be read
#[derive(Args)]
pub struct Arguments {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Make the index and the learned patterns again, from the records
#[derive(Args)]
pub struct RebuildArguments {
    /// Print what is in it as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, project: &mut ProjectMemory) -> Result<Ending, Failure> {
    let stats = project.memory.stats()?;
    tell("stats", &stats, arguments.json, project);
    Ok(Ending::Green)
}

pub fn rebuild(
    arguments: &RebuildArguments,
    project: &mut ProjectMemory,
) -> Result<Ending, Failure> {
    let stats = project.memory.rebuild()?;
    project.memory.write_patterns()?;
    tell("rebuild", &stats, arguments.json, project);
    Ok(Ending::Green)
}

fn tell(result: &str, stats: &Stats, json: bool, project: &ProjectMemory) {
    if json {
        let mut document = json!(stats);
        if let Some(fields) = document.as_object_mut() {
            fields.insert("result".to_owned(), result.into());
            fields.insert("folder".to_owned(), project.shown(project.memory.folder()).into());
            fields.insert("unreadable".to_owned(), unreadable(stats, project));
        }
        return display::json_line(&document);
    }
    display::result(&description(stats, project.memory.folder(), project));
    for line in unreadable_lines(&stats.unreadable, project) {
        display::note(&line);
    }
}

fn unreadable(stats: &Stats, project: &ProjectMemory) -> Value {
    let file = |file: &redgreen_memory::Unreadable| json!({ "path": project.shown(&file.path), "reason": file.reason });
    stats.unreadable.iter().map(file).collect()
}

fn description(stats: &Stats, folder: &Path, project: &ProjectMemory) -> String {
    let folder = project.shown(folder);
    let own_key = stats.own_key.clone().unwrap_or_default();
    if stats.records == 0 {
        let key = if own_key.is_empty() { own_key } else { format!("\nown key   {own_key}") };
        return format!("no data: {folder} holds no record that can be read{key}");
    }
    let (oldest, newest) = (stats.oldest.as_deref(), stats.newest.as_deref());
    let rows = [
        ("records", records_row(stats)),
        ("written", format!("{} to {}", oldest.map_or("?", day), newest.map_or("?", day))),
        ("failures", causes_row(stats)),
        ("offered", count(stats.offered, "pattern")),
        ("doubled", doubled_row(stats.doubled)),
        ("index", index_row(stats, project)),
        ("folder", folder),
        ("own key", own_key),
        ("unknown", unknown_keys_row(stats)),
    ];
    let said = rows.iter().filter(|(_, value)| !value.is_empty());
    let rows: Vec<String> = said.map(|(name, value)| format!("{name:<9} {value}")).collect();
    rows.join("\n")
}

/// How many count, and why the others do not.
fn records_row(stats: &Stats) -> String {
    let mut text = format!(
        "{}: {} seen by redgreen, {} without a seal",
        stats.records, stats.seen, stats.unverified
    );
    for (number, words) in
        [(stats.by_unknown_keys, "by unknown keys"), (stats.broken_seals, "with a broken seal")]
    {
        if number > 0 {
            text.push_str(&format!(", {number} {words}"));
        }
    }
    text
}

/// What failed, as far as redgreen saw it; and what others say failed.
fn causes_row(stats: &Stats) -> String {
    let seen = count(stats.causes, "different cause");
    match stats.unverified_causes {
        0 => seen,
        unverified => format!("{seen} seen, {unverified} unverified"),
    }
}

/// How large the index is, and where: for one who wants to delete it.
fn index_row(stats: &Stats, project: &ProjectMemory) -> String {
    match &stats.index_file {
        Some(file) => format!("{} in {}", count(stats.index_bytes, "byte"), project.shown(file)),
        None => "kept nowhere".to_owned(),
    }
}

/// The keys that may be a colleague's.
fn unknown_keys_row(stats: &Stats) -> String {
    let key = |it: &UnknownKey| format!("{} on {}", it.key, count(it.records, "record"));
    let keys: Vec<String> = stats.unknown_keys.iter().map(key).collect();
    let hint = "add a key to `known_keys` beside your own, and its records count as seen";
    if keys.is_empty() { String::new() } else { format!("{} ({hint})", keys.join(", ")) }
}

/// Files that hold a session twice are no reason to count it twice.
fn doubled_row(files: u32) -> String {
    match files {
        0 => String::new(),
        files => format!("{} whose session is also in a newer file", count(files, "file")),
    }
}
