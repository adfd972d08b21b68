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

/// How much of an input is read at a time, in bytes.
const PIECE_BYTES: usize = 256 * 1024;
/// The largest report that is read, in bytes: it is held in memory as a whole. A log is not.
const HELD_BYTES_MAX: usize = 1 << 30;
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
        for reading in readings(source, &here, arguments.framework)? {
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

/// Each run of an input; one that says why, where there is none.
fn readings(
    source: &str,
    here: &Path,
    framework: Option<FrameworkId>,
) -> Result<Vec<Reading>, Failure> {
    let places = Places { root: here, folder: Path::new("") };
    let mut input = parse::Input::new(places, framework);
    let content = take(&mut input, opened(source)?, source)?;
    // A log may name anything: only what is a file can be read to its end.
    let text = |path: &str| {
        let path = here.join(path);
        path.is_file().then(|| std::fs::read_to_string(path).ok())?
    };
    let project = Project { places, source: &text };
    let runs = input.finish();
    if runs.is_empty() {
        return Ok(vec![nothing(source, content, framework)]);
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
    Ok(runs.into_iter().map(reading).collect())
}

fn opened(source: &str) -> Result<Box<dyn Read>, Failure> {
    if source == STANDARD_INPUT {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(source).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::usage(format!("there is no file {source}"))
            .hint("name a report or a log, or `-` for standard input"),
        _ => unreadable(source, error),
    })?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Failure::usage(format!("{source} is a folder"))
            .hint(format!("name the files in it, such as {source}/*.xml")));
    }
    Ok(Box::new(file))
}

fn unreadable(source: &str, error: std::io::Error) -> Failure {
    Failure::cannot(format_args!("read {source}"), error)
}

/// What sort of bytes an input has.
#[derive(Clone, Copy)]
enum Content {
    Blank,
    Text,
    Binary,
}

/// Reads until the end, or until more is held than can be read at once.
fn take(
    input: &mut parse::Input<'_>,
    mut from: impl Read,
    source: &str,
) -> Result<Content, Failure> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut content = Content::Blank;
    loop {
        let length = match from.read(&mut piece) {
            Ok(0) => return Ok(content),
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(source, error)),
        };
        let new = piece.get(..length).unwrap_or_default();
        content = match content {
            _ if new.contains(&0) => Content::Binary,
            Content::Blank if !new.trim_ascii().is_empty() => Content::Text,
            content => content,
        };
        input.take(new);
        if input.held_bytes() > HELD_BYTES_MAX {
            return Err(Failure::tooling(format!(
                "{source} is a report of more than the {} GiB that are read at once",
                HELD_BYTES_MAX >> 30
            ))
            .hint(
                "give the reports of its parts, or the log of the run: a log may have any size",
            ));
        }
    }
}

fn nothing(source: &str, content: Content, framework: Option<FrameworkId>) -> Reading {
    let why = match (content, framework) {
        (Content::Blank, _) => "the input is empty".to_owned(),
        (Content::Binary, _) => "the input is not text".to_owned(),
        (_, Some(framework)) => format!("no run of {framework} was found in it"),
        (_, None) => "no report and no run of a known program was found in it".to_owned(),
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
