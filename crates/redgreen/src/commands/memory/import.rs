//! `redgreen memory import`

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use redgreen_memory::{Imported, MemoryError, Unreadable};
use serde_json::json;

use super::{ProjectMemory, count, unreadable_lines};
use crate::display;
use crate::failure::{Ending, Failure};

/// Add the records of another memory, or those that `export` wrote
///
/// What is here already stays as it is; an import done twice adds nothing. A record with a seal that holds, by a key
/// that counts, is taken over as it is. Everything else is unverified: it is shown, and no pattern counts it as a
/// success. Files and lines that cannot be read are named and left
/// alone. Exit code 1 means that nothing could be read.
#[derive(Args)]
pub struct Arguments {
    /// The folder of the memory, or the project or .aiwg folder that it is in; or a file of records
    #[arg(value_name = "DIR|FILE")]
    from: PathBuf,
    /// Print what came of it as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, project: &mut ProjectMemory) -> Result<Ending, Failure> {
    let name = arguments.from.display();
    let from = arguments.from.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::usage(format!("there is no {name}"))
            .hint("name the folder of a debug memory, the project that it is in, or a file that `redgreen memory export` wrote"),
        _ => Failure::cannot(format_args!("read {name}"), error),
    })?;
    let imported = match project.memory.import(&from, Timestamp::now()) {
        Err(error @ MemoryError::Itself { .. }) => return Err(Failure::usage(error.to_string())),
        imported => imported?,
    };
    let readable = imported.added + imported.known;
    if readable == 0 && imported.unreadable.is_empty() {
        return Err(Failure::usage(format!("there is no record in {name}")).hint(
            "records are JSON or YAML files in its sessions folder, or session-* in itself",
        ));
    }
    project.memory.write_patterns()?;
    tell(&imported, arguments.json, project);
    Ok(if readable == 0 { Ending::Red } else { Ending::Green })
}

fn tell(imported: &Imported, json: bool, project: &ProjectMemory) {
    if json {
        let file = |file: &Unreadable| json!({ "path": file.path, "reason": file.reason });
        return display::json_line(&json!({
            "result": "import",
            "added": imported.added,
            "sealed": imported.sealed,
            "told": imported.added - imported.sealed,
            "by_unknown_keys": imported.by_unknown_keys,
            "broken_seals": imported.broken_seals,
            "known": imported.known,
            "unreadable": imported.unreadable.iter().map(file).collect::<Vec<_>>(),
        }));
    }
    for line in unreadable_lines(&imported.unreadable, project) {
        display::note(&line);
    }
    let mut text = format!("imported {}", count(imported.added as u64, "record"));
    if imported.added > 0 {
        text.push_str(&format!(" ({})", by_seals(imported)));
    }
    if imported.known > 0 {
        text.push_str(&format!(", {} known before", imported.known));
    }
    if !imported.unreadable.is_empty() {
        text.push_str(&format!(", {} skipped", imported.unreadable.len()));
    }
    display::result(&text);
}

/// How many count, and why the others do not.
fn by_seals(imported: &Imported) -> String {
    let Imported { added, sealed, by_unknown_keys, broken_seals, .. } = *imported;
    let unverified = added - sealed;
    let without = unverified - by_unknown_keys - broken_seals;
    let reasons = [
        (without, "without a seal"),
        (by_unknown_keys, "sealed with a key that is not known here"),
        (broken_seals, "with a broken seal"),
    ];
    let reasons: Vec<String> = reasons
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, reason)| format!("{number} {reason}"))
        .collect();
    match unverified {
        0 => format!("{sealed} sealed"),
        unverified => format!("{sealed} sealed, {unverified} unverified: {}", reasons.join(", ")),
    }
}
