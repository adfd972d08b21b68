//! `redgreen memory search`

use clap::Args;
use redgreen_memory::Hit;
use serde_json::json;

use super::{ProjectMemory, day, line};
use crate::display;
use crate::failure::{Ending, Failure};

/// Find records by words: of a test, a file, a function, an error, a cause, a message, an analysis or a fix
///
/// Exit code 0 means that there are some, 1 that there are none.
#[derive(Args)]
pub struct Arguments {
    /// The words; a record has to say them all
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Show at most so many, the newest
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: u32,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, project: &mut ProjectMemory) -> Result<Ending, Failure> {
    let text = arguments.text.join(" ");
    if !text.contains(char::is_alphanumeric) {
        return Err(Failure::usage(format!("there is no word to search for in `{}`", line(&text)))
            .hint("name words of a test, a file, a message, an analysis or a fix"));
    }
    let hits = project.memory.search(&text, arguments.limit)?;
    if arguments.json {
        display::json_line(&json!({ "result": "search", "text": text, "hits": hits }));
    } else if hits.is_empty() {
        display::note(&format!("no record says `{}`", line(&text)));
    } else {
        let all: Vec<String> = hits.iter().map(description).collect();
        display::result(&all.join("\n"));
    }
    Ok(if hits.is_empty() { Ending::Red } else { Ending::Green })
}

fn description(hit: &Hit) -> String {
    let status = hit.status.as_deref().unwrap_or("unknown");
    let (session, file) = (line(&hit.session), line(&hit.file));
    format!("{session}  {}  {}  {file}\n    {}", day(&hit.at), line(status), line(&hit.text))
}
