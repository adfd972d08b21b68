//! Where events go: to whoever shows them, and to the session's record.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use redgreen_engine::state::State;
use redgreen_model::event::Event;
use serde::Serialize;

use crate::overview::register::Register;
use crate::plan::Plan;
use crate::{RunnerError, clock};

/// Something that takes events: a terminal, a pipe, a file. Events come from several threads.
pub trait EventSink: Sync {
    /// Takes one. It must not fail: display is never a reason to stop work.
    fn take(&self, event: &Event);
}

/// An event as it is written down.
#[derive(Serialize)]
pub struct Recorded<'event> {
    /// When, RFC 3339.
    pub at: String,
    /// What.
    #[serde(flatten)]
    pub event: &'event Event,
}

impl<'event> Recorded<'event> {
    /// An event, now.
    pub fn now(event: &'event Event) -> Self {
        Self { at: clock::now(), event }
    }
}

/// Ends a line that a crash or a full disk cut in two, so that the next one is whole.
fn with_whole_lines(mut file: File) -> std::io::Result<File> {
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

fn open(record: &Path) -> Result<File, RunnerError> {
    File::options()
        .create(true)
        .read(true)
        .append(true)
        .open(record)
        .and_then(with_whole_lines)
        .map_err(RunnerError::file("open", record))
}

/// Passes events to the display, appends them to a record, and keeps the session's card.
pub(crate) struct Events<'sink> {
    display: &'sink dyn EventSink,
    record: Mutex<File>,
    register: Option<Register>,
}

impl<'sink> Events<'sink> {
    pub(crate) fn open(display: &'sink dyn EventSink, record: &Path) -> Result<Self, RunnerError> {
        Ok(Self { display, record: Mutex::new(open(record)?), register: None })
    }

    /// Keeps the session's card from now on: it is one that people look at.
    pub(crate) fn register(&mut self, root: &Path, plan: &Plan) {
        self.register = plan.single.is_none().then(|| Register::open(root, plan)).flatten();
    }

    /// Says how the loop stands, to whoever lists sessions.
    pub(crate) fn stand(&self, state: &State) {
        if let Some(register) = &self.register {
            register.follow(state);
        }
    }

    /// Writes the record once more, where its file is gone.
    pub(crate) fn put_back(&self, record: &Path) -> Result<(), RunnerError> {
        let mut file = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut text))
            .map_err(RunnerError::file("read", record))?;
        let mut anew = open(record)?;
        anew.write_all(&text).map_err(RunnerError::file("write", record))?;
        *file = anew;
        Ok(())
    }

    /// Says that something happened. The record is for reading later, not for resuming: that is
    /// what the journal is for, so a full disk does not stop the work here.
    pub(crate) fn say(&self, event: &Event) {
        tracing::debug!(?event);
        self.display.take(event);
        if let Some(register) = &self.register {
            register.take(event);
        }
        if let Ok(mut line) = serde_json::to_vec(&Recorded::now(event)) {
            line.push(b'\n');
            let _ = self.record.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line);
        }
    }
}
