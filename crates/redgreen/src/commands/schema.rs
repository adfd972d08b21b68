//! `redgreen schema`

use clap::{Args, ValueEnum};
use redgreen_model::{config, debug_memory, evidence, reading, workflow};

use crate::display;
use crate::failure::{Ending, Failure};

/// Print the JSON Schema of a document
#[derive(Args)]
pub struct Arguments {
    /// Which document
    document: Document,
}

#[derive(Clone, Copy, ValueEnum)]
enum Document {
    /// The workflow document (executable-feedback/v1)
    Workflow,
    /// The debug-memory record (debug-memory/v1)
    DebugMemory,
    /// redgreen.toml
    Config,
    /// What `redgreen parse --json` prints for each run
    Reading,
    /// What redgreen's own statement of evidence says
    Evidence,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let schema = match arguments.document {
        Document::Workflow => workflow::workflow_schema(),
        Document::DebugMemory => debug_memory::debug_memory_schema(),
        Document::Config => config::config_schema(&redgreen_frameworks::frameworks()),
        Document::Reading => reading::reading_schema(),
        Document::Evidence => evidence::evidence_schema(),
    };
    display::result(&format!("{schema:#}"));
    Ok(Ending::Green)
}
