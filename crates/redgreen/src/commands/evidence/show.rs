//! `redgreen evidence show`

use clap::Args;
use redgreen_evidence::Bundle;
use serde_json::json;

use super::{description, find};
use crate::display;
use crate::failure::{Ending, Failure};

/// Show the signed evidence of a tree
///
/// Exit code 0 means that there is some, 1 that there is none.
#[derive(Args)]
pub struct Arguments {
    /// The tree, or a revision; without it the work tree, or a tree with the same code
    tree: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let found = find(arguments.tree.as_deref())?;
    if arguments.json {
        let verdict = |bundle: &Bundle| {
            json!({
                "subject": bundle.tree,
                "test_result": bundle.result,
                "evidence": bundle.evidence,
            })
        };
        let verdicts: Vec<_> = found.bundles.iter().map(verdict).collect();
        display::json_line(&json!({
            "result": "evidence",
            "tree": found.tree,
            "key": found.key.as_ref().map(redgreen_evidence::PublicKey::id),
            "verdicts": verdicts,
            "refused": found.refused,
        }));
    } else {
        for why in &found.refused {
            display::note(why);
        }
        match &found.key {
            Some(key) if !found.bundles.is_empty() => {
                let verdicts: Vec<String> =
                    found.bundles.iter().map(|it| description(it, key)).collect();
                display::result(&verdicts.join("\n"));
            }
            _ => display::result(&format!("no evidence of tree {}", found.tree)),
        }
    }
    Ok(if found.bundles.is_empty() { Ending::Red } else { Ending::Green })
}
