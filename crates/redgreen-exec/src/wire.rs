//! What redgreen and the supervisor say to each other: one JSON line each way. Both ends are the
//! same binary, so this format has no versions.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Ended, Job, JobCommand, JobStdin, Layer, Leak, View};

/// The shell of [`JobCommand::Shell`]. Not looked up in `PATH`, which the job may change.
const SHELL: &str = "/bin/sh";

/// What the supervisor is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    pub argv: Vec<OsString>,
    pub folder: OsString,
    pub env: Vec<(OsString, Option<OsString>)>,
    pub stdin: Option<OsString>,
    pub limit: Option<Duration>,
    pub memory_bytes: Option<u64>,
    pub grace: Duration,
    /// A file to keep locked (shared) while anything of the job may run.
    pub held: Option<OsString>,
    pub view: Option<ViewOrder>,
}

/// A [`View`], as texts that need not be UTF-8.
#[derive(Debug, Serialize, Deserialize)]
pub struct ViewOrder {
    /// Each is the folder, its upper layer, and the work folder.
    layers: Vec<[OsString; 3]>,
    shared: Vec<OsString>,
    deleted: Vec<OsString>,
    emptied: Vec<OsString>,
    covered: Vec<[OsString; 2]>,
    offline: bool,
}

impl ViewOrder {
    fn of(view: &View) -> Self {
        let names = |paths: &[PathBuf]| paths.iter().map(|path| path.clone().into()).collect();
        let folders = |layer: &Layer| {
            [&layer.at, &layer.upper, &layer.work].map(|path| path.clone().into_os_string())
        };
        Self {
            layers: view.layers.iter().map(folders).collect(),
            shared: names(&view.shared),
            deleted: names(&view.deleted),
            emptied: names(&view.emptied),
            covered: view.covered.iter().map(|(at, with)| [at.into(), with.into()]).collect(),
            offline: view.offline,
        }
    }

    pub fn view(&self) -> View {
        let paths = |names: &[OsString]| names.iter().map(PathBuf::from).collect();
        let layer = |[at, upper, work]: &[OsString; 3]| Layer {
            at: at.into(),
            upper: upper.into(),
            work: work.into(),
        };
        View {
            layers: self.layers.iter().map(layer).collect(),
            shared: paths(&self.shared),
            deleted: paths(&self.deleted),
            emptied: paths(&self.emptied),
            covered: self.covered.iter().map(|[at, with]| (at.into(), with.into())).collect(),
            offline: self.offline,
        }
    }
}

/// What the supervisor saw.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    pub ended: Ended,
    pub duration: Duration,
    pub leaks: Vec<Leak>,
    pub more_leaks: usize,
    pub peak_rss_bytes: Option<u64>,
}

impl Order {
    pub fn of(job: &Job, held: Option<&Path>) -> Self {
        Self {
            argv: match &job.command {
                JobCommand::Shell(line) => vec![SHELL.into(), "-c".into(), line.into()],
                JobCommand::Argv(argv) => argv.clone(),
            },
            folder: job.folder.clone().into_os_string(),
            env: job.env.clone(),
            stdin: match &job.stdin {
                JobStdin::Null => None,
                JobStdin::File(path) => Some(path.clone().into_os_string()),
            },
            limit: job.limit,
            memory_bytes: job.memory_bytes,
            grace: job.grace,
            held: held.map(Into::into),
            view: job.view.as_ref().map(ViewOrder::of),
        }
    }
}

impl Report {
    /// The report on a job whose command never ran.
    pub fn not_started(reason: String) -> Self {
        Self {
            ended: Ended::NotStarted { reason },
            duration: Duration::ZERO,
            leaks: Vec::new(),
            more_leaks: 0,
            peak_rss_bytes: None,
        }
    }
}
