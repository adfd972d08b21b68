//! `redgreen report`

use clap::{Args, ValueEnum};
use redgreen_engine::document;
use redgreen_runner::evidence::KeptEvidence;
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::reporting;
use redgreen_runner::session::{self, SessionRecord};
use redgreen_ui::SessionFacts;
use redgreen_workspace::Workspace;

use crate::context;
use crate::display;
use crate::failure::{Ending, Failure};

/// Show the report of a loop
#[derive(Args)]
pub struct Arguments {
    /// The session; without it the newest
    session: Option<String>,
    /// The form
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people and pull requests
    #[value(alias = "md")]
    Markdown,
    /// The session's page, whole in one file
    Html,
    /// The workflow document
    Json,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let session = match &arguments.session {
        Some(session) => session.clone(),
        None => {
            let begun = |session: &String| {
                SessionFolder::new(workspace.root(), &workspace.state_path(), session).has_begun()
            };
            SessionFolder::list(&workspace.state_path()).into_iter().find(begun).ok_or_else(
                || {
                    Failure::usage("there is no session in this work tree")
                        .hint("`redgreen run` begins one")
                },
            )?
        }
    };
    let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), &session);
    if !folder.journal().is_file() {
        let known = SessionFolder::list(&workspace.state_path());
        return Err(Failure::usage(format!("there is no session {session} in this work tree"))
            .hint(format!("known: {}", known.join(", "))));
    }
    let record = session::read(&folder)?;
    display::result(
        match arguments.format {
            Format::Markdown => {
                reporting::report(&workspace, &folder, &record.state).trim_end().to_owned()
            }
            Format::Html => redgreen_ui::file(&SessionFacts {
                root: workspace.root(),
                folder: &folder,
                record: &record,
            }),
            Format::Json => serde_json::to_string_pretty(&document::workflow(
                &record.state,
                &record.plan.document_facts(),
            ))
            .map_err(Failure::of)?,
        }
        .as_str(),
    );
    let kept = KeptEvidence::of(workspace.root());
    if kept.key().is_some() && !kept.has_sealed(&folder) {
        display::note(&format!(
            "unverified: {} is not as redgreen wrote it with your key, so this report may say what redgreen did not see",
            folder.journal().display()
        ));
    }
    say_if_stale(workspace, &record)?;
    Ok(Ending::Green)
}

/// A verdict is about one tree: says so if the work tree is another one by now.
fn say_if_stale(workspace: Workspace, record: &SessionRecord) -> Result<(), Failure> {
    let Some(judged) = record.state.tree() else { return Ok(()) };
    if !session::is_current(workspace, record, judged)? {
        display::note(&format!(
            "stale: the work tree is no longer the tree {} that this verdict is about; what changed since then was not run",
            judged.tree.short()
        ));
    }
    Ok(())
}
