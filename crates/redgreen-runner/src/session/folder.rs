//! The folder of a session that somebody has removed in the middle of it.

use redgreen_model::event::Event;

use super::Session;
use crate::RunnerError;

/// What is said of it.
const REMOVED: &str = "redgreen's folder .redgreen was removed, with its earlier logs, and is made again: \
    `git clean -fdx` removes it, and `-e .redgreen` keeps it";

impl Session<'_> {
    /// Makes the session's folder anew where an agent or a check has removed it.
    pub(super) fn stand_again(&mut self) -> Result<(), RunnerError> {
        if self.folder.events().exists() {
            return Ok(());
        }
        self.trees.workspace.state_dir()?;
        self.folder.make()?;
        self.journal.put_back()?;
        self.events.put_back(&self.folder.events())?;
        self.events.say(&Event::Notice { text: REMOVED.to_owned() });
        Ok(())
    }
}
