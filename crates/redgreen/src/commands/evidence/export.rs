//! `redgreen evidence export`

use std::path::{Path, PathBuf};

use clap::Args;
use redgreen_model::tree::TreeHash;

use super::find;
use crate::context;
use crate::display;
use crate::failure::{Ending, Failure};

/// Write the signed evidence of a tree for somebody else
///
/// DSSE envelopes with in-toto statements, one a line: for each verdict a test result, which other
/// tools know, and redgreen's own statement. `redgreen evidence verify` checks them.
#[derive(Args)]
pub struct Arguments {
    /// The tree, or a revision; without it the work tree, or a tree with the same code
    tree: Option<String>,
    /// Write the envelopes into this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = context::report_file)]
    output: Option<PathBuf>,
    /// Also write the public key into this file, as PEM
    #[arg(long, value_name = "FILE", value_parser = context::report_file)]
    public_key: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let written: Vec<&Path> = [&arguments.output, &arguments.public_key]
        .into_iter()
        .flatten()
        .map(AsRef::as_ref)
        .collect();
    let before = if written.is_empty() { None } else { Some(context::workspace()?.tree()?) };
    let ending = export(arguments)?;
    if let Some(before) = before {
        say_if_in_the_tree(&written, &before)?;
    }
    Ok(ending)
}

/// A file that lies in the work tree makes another tree of it, of which there is no evidence.
fn say_if_in_the_tree(written: &[&Path], before: &TreeHash) -> Result<(), Failure> {
    let workspace = context::workspace()?;
    if workspace.tree()? == *before {
        return Ok(());
    }
    let root = workspace.root();
    for path in written {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if let Ok(inside) = real.strip_prefix(root) {
            display::note(&format!(
                "{} is now part of the work tree, so the tree is no longer the one that this evidence is about: write it somewhere else, or have git ignore it",
                inside.display()
            ));
        }
    }
    Ok(())
}

fn export(arguments: &Arguments) -> Result<Ending, Failure> {
    let found = find(arguments.tree.as_deref())?;
    for why in &found.refused {
        display::note(why);
    }
    if found.bundles.is_empty() {
        display::note(&format!("there is no evidence of tree {}", found.tree));
        display::note("hint: `redgreen test`, `redgreen square` or a loop that passes makes it");
        return Ok(Ending::Red);
    }
    if let (Some(path), Some(key)) = (&arguments.public_key, &found.key) {
        context::write_whole(path, &key.to_pem())?;
        display::note(&format!("the public key is in {} (PEM)", path.display()));
    }
    let mut lines = Vec::new();
    for envelope in found.bundles.iter().flat_map(|bundle| &bundle.envelopes) {
        let line = envelope.to_line();
        lines.push(line.map_err(Failure::of)?);
    }
    let text = lines.join("\n");
    match &arguments.output {
        Some(path) => {
            context::write_whole(path, &format!("{text}\n"))?;
            let (count, path) = (lines.len(), path.display());
            display::note(&format!("{count} envelopes are in {path}"));
        }
        None => display::result(&text),
    }
    Ok(Ending::Green)
}
