//! `redgreen memory export`

use std::io::{BufWriter, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use redgreen_files::{Draft, OPEN_MODE};
use redgreen_memory::MemoryError;

use super::{ProjectMemory, count};
use crate::context;
use crate::display;
use crate::failure::{Ending, Failure};

/// Write every record as a line of JSON, the oldest first
#[derive(Args)]
pub struct Arguments {
    /// Write them into this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = context::report_file)]
    output: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, project: &mut ProjectMemory) -> Result<Ending, Failure> {
    match &arguments.output {
        Some(path) => to_file(path, project),
        None => to_standard_output(project),
    }
}

/// The file is the old one or the whole new one.
fn to_file(path: &Path, project: &mut ProjectMemory) -> Result<Ending, Failure> {
    let unwritable =
        |error: std::io::Error| Failure::cannot(format_args!("write {}", path.display()), error);
    let mut draft = Draft::beside(path, OPEN_MODE).map_err(unwritable)?;
    let mut file = BufWriter::new(draft.file());
    let exported = project.memory.export(&mut file)?;
    file.flush().and_then(|()| file.get_ref().sync_all()).map_err(unwritable)?;
    drop(file);
    draft.place(path).map_err(unwritable)?;
    display::note(&format!("{} in {}", count(exported as u64, "record"), path.display()));
    Ok(Ending::Green)
}

fn to_standard_output(project: &mut ProjectMemory) -> Result<Ending, Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let exported = project.memory.export(&mut out);
    match exported {
        // A reader that went away is no reason to fail.
        Err(MemoryError::File { source, .. }) if source.kind() == ErrorKind::BrokenPipe => {}
        Err(error) => return Err(error.into()),
        Ok(0) => display::note("no data: there is no record to export"),
        Ok(_) => {}
    }
    let _ = out.flush();
    Ok(Ending::Green)
}
