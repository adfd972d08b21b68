//! Appends events to the report stream.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use redgreen_frameworks::STREAM_FILE;
use redgreen_frameworks::stream::{Outside, StreamEvent};
use redgreen_model::report::FailureKind;

/// The longest text that goes into an event, in characters; a line has to stay below what is read.
const TEXT_CHARS: usize = 32_000;

/// The report stream of a run, as one of its writers.
pub struct StreamWriter {
    path: PathBuf,
    file: File,
    run: String,
}

impl StreamWriter {
    /// Opens the stream in the folder of a run and says hello. Every process is a run of its own.
    pub fn open(run_folder: &Path, runner: &str) -> Result<Self, String> {
        let mut writer = Self::join(run_folder, format!("{runner}-{}", std::process::id()))?;
        writer.write(&StreamEvent::Hello {
            run: writer.run(),
            runner: runner.to_owned(),
            version: None,
        })?;
        Ok(writer)
    }

    /// Opens the stream for a part of a run that another process has begun and will end.
    pub fn join(run_folder: &Path, run: String) -> Result<Self, String> {
        let path = run_folder.join(STREAM_FILE);
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Self { path, file, run })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The id that events of this writer carry.
    pub fn run(&self) -> String {
        self.run.clone()
    }

    /// Writes one event with one write.
    pub fn write(&mut self, event: &StreamEvent) -> Result<(), String> {
        self.file
            .write_all(event.to_line().as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }

    /// Writes a failure outside of tests.
    pub fn error(
        &mut self,
        kind: FailureKind,
        error_type: &str,
        message: &str,
        stack: &str,
    ) -> Result<(), String> {
        self.write(&StreamEvent::Error(Box::new(Outside {
            run: self.run(),
            kind,
            error_type: error_type.to_owned(),
            message: bounded(message),
            file: None,
            line: None,
            stack: Some(bounded(stack)).filter(|stack| !stack.is_empty()),
            frames: Vec::new(),
            test: None,
        })))
    }

    /// Writes something to know when reading the result.
    pub fn note(&mut self, message: String) -> Result<(), String> {
        self.write(&StreamEvent::Note { run: self.run(), message })
    }

    /// Says bye.
    pub fn bye(&mut self, exit: i32) -> Result<(), String> {
        self.write(&StreamEvent::Bye { run: self.run(), exit: Some(exit) })
    }
}

/// The text, or its end where it is too long for an event.
pub fn bounded(text: &str) -> String {
    let count = text.chars().count();
    text.chars().skip(count.saturating_sub(TEXT_CHARS)).collect()
}
