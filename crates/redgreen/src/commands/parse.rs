//! `redgreen parse`

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::Args;
use redgreen_frameworks::{Places, Project, finish, frameworks, parse};
use redgreen_model::framework::FrameworkId;
use redgreen_model::reading::{Origin, ReadStatus, Reading};

use crate::display;
use crate::failure::{Ending, Failure};

/// The largest input that is read, in bytes: it is held in memory as a whole.
const INPUT_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// Standard input, as a file name.
const STANDARD_INPUT: &str = "-";

/// Read reports and logs that exist already
///
/// The format is recognised from the content; a CI log may hold several runs of several programs. Exit
/// code 0 means that all of them say that they passed, 1 that something failed or is not clear.
#[derive(Args)]
pub struct Arguments {
    /// The files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Read them as this framework's
    #[arg(long, value_name = "FRAMEWORK", value_parser = framework)]
    framework: Option<FrameworkId>,
    /// Print each run that was found as one line of JSON
    #[arg(long)]
    json: bool,
}

/// A framework by its name.
fn framework(word: &str) -> Result<FrameworkId, String> {
    let all = frameworks();
    all.iter().find(|framework| framework.as_str() == word).copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(FrameworkId::as_str).collect();
        format!("there are: {}", names.join(", "))
    })
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::cannot("find out the current folder", error))?;
    let mut all_passed = true;
    for source in &arguments.files {
        let bytes = content(source)?;
        for reading in readings(source, &bytes, &here, arguments.framework) {
            all_passed &= reading.status == ReadStatus::Passed;
            if arguments.json {
                display::json_line(&reading);
            } else {
                display::result(&display::reading(&reading));
            }
        }
    }
    Ok(if all_passed { Ending::Green } else { Ending::Red })
}

/// The whole input.
fn content(source: &str) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: std::io::Error| Failure::cannot(format_args!("read {source}"), error);
    if source == STANDARD_INPUT {
        return bounded(std::io::stdin().lock(), source)?.map_err(unreadable);
    }
    let path = Path::new(source);
    let file = File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::usage(format!("there is no file {source}"))
            .hint("name a report or a log, or `-` for standard input"),
        _ => unreadable(error),
    })?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Failure::usage(format!("{source} is a folder"))
            .hint(format!("name the files in it, such as {source}/*.xml")));
    }
    bounded(file, source)?.map_err(unreadable)
}

/// Reads until the end, or until it is too much.
fn bounded(input: impl Read, source: &str) -> Result<std::io::Result<Vec<u8>>, Failure> {
    let mut bytes = Vec::new();
    if let Err(error) = input.take(INPUT_BYTES_MAX + 1).read_to_end(&mut bytes) {
        return Ok(Err(error));
    }
    if bytes.len() as u64 > INPUT_BYTES_MAX {
        return Err(Failure::tooling(format!(
            "{source} is larger than the {} GiB that are read at once",
            INPUT_BYTES_MAX >> 30
        ))
        .hint(format!("give the part that matters: tail -c 1G {source} | redgreen parse -")));
    }
    Ok(Ok(bytes))
}

/// Each run of an input; one that says why, where there is none.
fn readings(
    source: &str,
    bytes: &[u8],
    here: &Path,
    framework: Option<FrameworkId>,
) -> Vec<Reading> {
    let places = Places { root: here, folder: Path::new("") };
    // A log may name anything: only what is a file can be read to its end.
    let text = |path: &str| {
        let path = here.join(path);
        path.is_file().then(|| std::fs::read_to_string(path).ok())?
    };
    let project = Project { places, source: &text };
    let runs = parse::read(bytes, places, framework);
    if runs.is_empty() {
        return vec![nothing(source, bytes, framework)];
    }
    let reading = |run: parse::ParsedRun| {
        let origin = Origin {
            source: source.to_owned(),
            format: run.format.as_str().to_owned(),
            program: run.program,
            lane: run.lane,
            framework: run.framework,
            runs_tests: run.runs_tests,
            unnamed_passes: run.unnamed_passes,
            duration_ms: run.duration_ms,
        };
        Reading::new(origin, finish(run.report, &project))
    };
    runs.into_iter().map(reading).collect()
}

fn nothing(source: &str, bytes: &[u8], framework: Option<FrameworkId>) -> Reading {
    let why = match framework {
        _ if bytes.trim_ascii().is_empty() => "the input is empty".to_owned(),
        _ if bytes.contains(&0) => "the input is not text".to_owned(),
        Some(framework) => format!("no run of {framework} was found in it"),
        None => "no report and no run of a known program was found in it".to_owned(),
    };
    let origin = Origin {
        source: source.to_owned(),
        format: "unknown".to_owned(),
        program: None,
        lane: None,
        framework: framework.unwrap_or(FrameworkId::OTHER),
        runs_tests: true,
        unnamed_passes: 0,
        duration_ms: 0,
    };
    let mut reading = Reading::new(origin, redgreen_model::report::Report::default());
    reading.diagnostics = vec![why];
    reading
}
