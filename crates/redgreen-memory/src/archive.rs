//! Records that retention moved out: no longer remembered, and still there.

use std::path::PathBuf;

use redgreen_model::debug_memory::layout::ARCHIVE;

use crate::facts::last_written;
use crate::file::names;
use crate::layout::Shelf;
use crate::record::Read;
use crate::stats::NAMED_MAX;
use crate::{Memory, MemoryError, Shown};

/// So many files of the archive are read.
const READ_MAX: usize = 500;

impl Memory {
    /// A record that retention moved out. The archive is in no index: its files are recognised by their names, and those
    /// of other tools by what is in them.
    pub(crate) fn show_archived(&self, wanted: &str) -> Result<Shown, MemoryError> {
        let folder = self.layout.archive();
        let mut found: Vec<(PathBuf, Read)> = Vec::new();
        let mut read_in_vain = 0;
        for name in names(&folder)?.into_iter().filter(|name| Shelf::Sessions.holds(name)) {
            let named = name.split_once("session-").map(|(_, session)| session);
            let is_candidate = named.is_none_or(|session| session.starts_with(wanted));
            if !is_candidate || found.len() + read_in_vain >= READ_MAX {
                continue;
            }
            let path = folder.join(&name);
            match self.reader.record(&format!("{ARCHIVE}/{name}")) {
                Ok(read) if read.record.session_id.starts_with(wanted) => found.push((path, read)),
                _ => read_in_vain += 1,
            }
        }
        // An id is itself, whatever others begin with it; of one that was archived twice, the newest counts.
        found.sort_by_key(|(_, read)| std::cmp::Reverse(last_written(&read.record)));
        if let Some(itself) = found.iter().position(|(_, read)| read.record.session_id == wanted) {
            found = vec![found.swap_remove(itself)];
        }
        let mut sessions: Vec<String> =
            found.iter().map(|(_, read)| read.record.session_id.clone()).collect();
        sessions.sort_unstable();
        sessions.dedup();
        Ok(match (sessions.len(), found.into_iter().next()) {
            (1, Some((path, read))) => {
                Shown::Archived(path, Box::new(read.record), read.shown.origin)
            }
            (_, None) => Shown::Nothing,
            (all, Some(_)) => {
                sessions.truncate(NAMED_MAX);
                Shown::Several(sessions, all)
            }
        })
    }
}
