//! Calls under way: each is a command of redgreen's, in a process of its own that ends with the client.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Duration;

use redgreen_exec::{Ended, Executor, Job, JobCommand, JobStdin, StopFlag, as_it_came};
use redgreen_mcp::{Answer, Asked, Id, Incoming, Line, Wrong, answer, error, read};
use redgreen_runner::while_looking;
use redgreen_workspace::Workspace;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::lines::Happening;
use super::said::{Progress, Said, answered};
use crate::context;
use crate::display;
use crate::failure::Failure;

/// The most calls of a client at a time.
const CALLS_MAX: usize = 16;
/// How long what a call runs may take to end by itself: as long as redgreen gives what it runs, and a little longer.
const GRACE: Duration = Duration::from_secs(15);
/// The most bytes of what a command says beside its answer.
const LOG_BYTES: u64 = 64 * 1024;
/// Puts what a command says into files: its first and its second word name them.
const INTO_FILES: &str = "out=$1; err=$2; shift 2; exec \"$@\" >\"$out\" 2>\"$err\"";
/// Where that is, below redgreen's folder.
const FOLDER: &str = "mcp";

/// The server of one client.
pub struct Server {
    folder: PathBuf,
    program: PathBuf,
    executor: Executor,
    running: Mutex<HashMap<Id, StopFlag>>,
    /// Held by the call that runs tests.
    tests: Mutex<()>,
}

/// Where the answers to a line go: each by itself, or all of a batch together.
struct Replies {
    batch: Option<Mutex<(usize, Vec<Value>)>>,
}

impl Replies {
    fn each() -> Arc<Self> {
        Arc::new(Self { batch: None })
    }

    /// For so many messages.
    fn together(messages: usize) -> Arc<Self> {
        Arc::new(Self { batch: Some(Mutex::new((messages, Vec::new()))) })
    }

    /// One of the messages is done, with an answer or without.
    fn done(&self, value: Option<Value>) {
        let Some(batch) = &self.batch else {
            return value.iter().for_each(display::json_line);
        };
        let mut batch = lock(batch);
        batch.0 = batch.0.saturating_sub(1);
        batch.1.extend(value);
        if batch.0 == 0 && !batch.1.is_empty() {
            display::json_line(&batch.1);
        }
    }
}

impl Server {
    /// For a client that starts redgreen in a folder.
    pub fn new(folder: PathBuf, program: PathBuf) -> Self {
        Self {
            folder,
            program,
            executor: context::executor(),
            running: Mutex::default(),
            tests: Mutex::default(),
        }
    }

    /// Serves until the client is gone; what still runs then is ended, and waited for.
    pub fn serve(&self, happenings: &Receiver<Happening>) {
        std::thread::scope(|scope| {
            for happening in happenings {
                match happening {
                    Happening::Line(line) => self.line(scope, &line),
                    Happening::TooLong => {
                        display::json_line(&error(&Wrong::invalid("the line is too long")));
                    }
                    Happening::End => break,
                }
            }
            lock(&self.running).values().for_each(StopFlag::stop);
        });
    }

    fn line<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, line: &[u8]) {
        match read(line) {
            Line::Blank => {}
            Line::One(message) => self.message(scope, message, Replies::each()),
            Line::Batch(messages) => {
                let replies = Replies::together(messages.len());
                for message in messages {
                    self.message(scope, message, Arc::clone(&replies));
                }
            }
        }
    }

    fn message<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        message: Incoming,
        replies: Arc<Replies>,
    ) {
        match message {
            Incoming::Request { id, method, params } => {
                self.request(scope, id, (&method, &params), replies);
            }
            Incoming::Notification { method, params } => {
                if method == "notifications/cancelled" {
                    self.cancel(&params);
                }
                replies.done(None);
            }
            Incoming::Answer => replies.done(None),
            Incoming::Wrong(wrong) => replies.done(Some(error(&wrong))),
        }
    }

    fn request<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        id: Id,
        (method, params): (&str, &Map<String, Value>),
        replies: Arc<Replies>,
    ) {
        let asked = match answer(&id, method, params, env!("CARGO_PKG_VERSION")) {
            Answer::Now(value) => return replies.done(Some(value)),
            Answer::After(asked) => asked,
        };
        let stop = match self.begin(&id) {
            Ok(stop) => stop,
            Err(problem) => {
                let wrong = Wrong { id: Some(id), ..Wrong::invalid(&problem) };
                return replies.done(Some(error(&wrong)));
            }
        };
        scope.spawn(move || {
            let said = self.perform(&asked, &stop);
            lock(&self.running).remove(&id);
            // Nobody waits for the answer to what was cancelled.
            replies.done((!stop.is_raised()).then(|| answered(&id, &asked, said)));
        });
    }

    fn begin(&self, id: &Id) -> Result<StopFlag, String> {
        let mut running = lock(&self.running);
        if running.contains_key(id) {
            return Err("a request with this id is under way".to_owned());
        }
        if running.len() >= CALLS_MAX {
            return Err(format!("{CALLS_MAX} calls are under way: wait for one of them"));
        }
        let stop = StopFlag::new().map_err(|error| error.to_string())?;
        running.insert(id.clone(), stop.clone());
        Ok(stop)
    }

    fn cancel(&self, params: &Map<String, Value>) {
        let id = params.get("requestId").and_then(Id::of);
        if let Some(stop) = id.and_then(|id| lock(&self.running).get(&id).cloned()) {
            stop.stop();
        }
    }

    fn perform(&self, asked: &Asked, stop: &StopFlag) -> Result<Said, String> {
        let runs_tests = asked.tool.is_some_and(|tool| tool.runs_tests);
        let _turn = runs_tests.then(|| lock(&self.tests));
        let words = |error: Failure| error.to_string();
        let workspace = Workspace::discover(&self.folder).map_err(|error| words(error.into()))?;
        let state = workspace.state_dir().map_err(|error| words(error.into()))?;
        let files =
            Files::make(&state).map_err(|error| format!("cannot make a folder: {error}"))?;
        let mut progress = Progress::new(asked.progress.clone(), &files.out());
        let job = self.job(&asked.words, &files);
        let run = || self.executor.run(&job, stop);
        let outcome = while_looking(|| progress.look(), run).map_err(|error| error.to_string())?;
        match outcome.ended {
            Ended::Exited(code) => Ok(Said::read(code, &files.out(), &files.err())),
            other => Err(format!("redgreen could not run its own command: {other:?}")),
        }
    }

    fn job(&self, words: &[String], files: &Files) -> Job {
        let shell = ["sh", "-c", INTO_FILES, "sh"].map(OsString::from);
        let paths = [files.out(), files.err(), self.program.clone()].map(OsString::from);
        let own = words.iter().map(OsString::from);
        Job {
            command: JobCommand::Argv(shell.into_iter().chain(paths).chain(own).collect()),
            folder: self.folder.clone(),
            env: Vec::new(),
            stdin: JobStdin::Null,
            limit: None,
            memory_bytes: None,
            grace: GRACE,
            log: files.0.join("log"),
            log_cap_bytes: LOG_BYTES,
            log_filter: as_it_came,
            keep_head_bytes: 0,
            keep_tail_bytes: 0,
            view: None,
        }
    }
}

/// A folder for what one command says; it is gone afterwards.
struct Files(PathBuf);

impl Files {
    fn make(state: &Path) -> std::io::Result<Self> {
        let folder = state.join(FOLDER).join(Uuid::now_v7().to_string());
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    fn out(&self) -> PathBuf {
        self.0.join("out")
    }

    fn err(&self) -> PathBuf {
        self.0.join("err")
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
        // The folder of all of them goes with the last.
        let _ = self.0.parent().map(std::fs::remove_dir);
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
