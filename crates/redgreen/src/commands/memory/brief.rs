//! `redgreen memory brief`

use clap::Args;
use redgreen_memory::{BriefRequest, PastSession, Scope};
use serde::Serialize;
use serde_json::json;

use super::ProjectMemory;
use crate::display;
use crate::failure::{Ending, Failure};

/// A brief is read by an agent before its task: it is short.
const TOKENS_MAX: usize = 400;

/// What to know before touching some files
///
/// The pattern that is most worth knowing first, then earlier sessions: on these files, in their
/// folders, in the project. Nothing is printed where nothing is known.
#[derive(Args)]
pub struct Arguments {
    /// The files that are going to be touched; without any, the whole project
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// A session with how near it is.
#[derive(Serialize)]
struct Near<'a> {
    scope: Scope,
    #[serde(flatten)]
    session: &'a PastSession,
}

pub fn run(arguments: &Arguments, project: &mut ProjectMemory) -> Result<Ending, Failure> {
    let files: Result<Vec<String>, Failure> =
        arguments.files.iter().map(|name| project.file(name)).collect();
    let request = BriefRequest { files: files?, asking_session: None };
    let brief = project.memory.brief(&request)?;
    let text = brief.text(TOKENS_MAX);
    if arguments.json {
        let near =
            |(scope, session): &'_ (Scope, PastSession)| json!(Near { scope: *scope, session });
        display::json_line(&json!({
            "result": "brief",
            "files": request.files,
            "looked_at": brief.looked_at,
            "habits": brief.habits,
            "pattern": brief.pattern,
            "told": brief.note,
            "sessions": brief.sessions.iter().map(near).collect::<Vec<_>>(),
            "text": text,
        }));
    } else if text.is_empty() {
        let looked_at = super::count(brief.looked_at as u64, "record");
        display::note(&format!("nothing is known: no failure in the {looked_at} looked at"));
    } else {
        display::result(text.trim_end());
    }
    Ok(Ending::Green)
}
