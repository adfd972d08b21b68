//! What all work is done with.

use std::path::PathBuf;
use std::time::Duration;

use redgreen_exec::{Executor, StopFlag};
use redgreen_model::config::Config;
use redgreen_workspace::Workspace;

use crate::events::{EventSink, Events};
use crate::{RunnerError, predecessor};

/// What work is done with: a loop, a judgement, the gate.
pub struct Tools<'tools> {
    /// Starts processes.
    pub executor: &'tools Executor,
    /// Raised when somebody stops the work.
    pub stop: &'tools StopFlag,
    /// Shows what happens.
    pub display: &'tools dyn EventSink,
    /// redgreen's own program.
    pub program: PathBuf,
}

impl Tools<'_> {
    /// An executor for a work tree in which nothing runs any more that an earlier redgreen had
    /// started. Hold the lock.
    pub(crate) fn after_predecessor(
        &self,
        workspace: &Workspace,
        config: &Config,
        events: &Events<'_>,
    ) -> Result<Executor, RunnerError> {
        let grace = Duration::from_secs(config.limits.grace_seconds);
        predecessor::await_end(self.executor, &workspace.state_dir()?, grace, self.stop, events)
    }
}
