//! What a loop has to do with the debug memory: it leaves a record that is whole at every moment, and
//! asks what is known.
//!
//! Memory is never a reason to stop: what goes wrong with it is said once, and the loop goes on.

mod environment;
mod notary;
mod place;
pub(crate) mod recall;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use redgreen_engine::record::{RecordFacts, record};
use redgreen_engine::state::State;
use redgreen_memory::{Format, Held, Memory, MemoryError, RECORDED_BY, Retention, Settings};
use redgreen_model::config::{DEFAULT_MEMORY_LOCATION, MemoryFormat, MemorySettings};
use redgreen_model::event::Event;
use redgreen_model::text::{LINE_CHARS, clean_line};

use crate::events::Events;
use crate::evidence::state_outside;
use crate::plan::Plan;

use notary::Keyring;
pub(crate) use place::{obstacle, require_own_folder, stranger};
pub use place::{opened, placed};

/// The folder of all memories' indexes, in redgreen's state.
const INDEXES: &str = "memory";

/// The debug memory of a work tree, as its settings say.
pub fn memory_of(root: &Path, settings: &MemorySettings) -> Memory {
    let known = Settings {
        format: match settings.format {
            MemoryFormat::Json => Format::Json,
            MemoryFormat::Yaml => Format::Yaml,
        },
        retention: Retention {
            days: settings.retention_days,
            learned_days: settings.retention_learned_days,
            escalated_days: settings.retention_escalated_days,
        },
        lookback: usize::try_from(settings.lookback).unwrap_or(usize::MAX),
        ..Settings::default()
    };
    let keys = Arc::new(Keyring::new(root));
    // Beside the key: it says what was seen, and nobody signs it.
    let indexes = state_outside(root, "the index", "add what no record says");
    let indexes = indexes.map(|state| state.join(INDEXES));
    let indexes = indexes.as_deref().map_err(Clone::clone);
    Memory::new(&root.join(&settings.location), indexes, known, keys)
}

/// The debug memory of one loop.
pub(crate) struct LoopMemory {
    memory: Memory,
    facts: RecordFacts,
    /// The record is in use while the loop goes on.
    held: Option<Held>,
    /// Where it was written to.
    written_to: Option<PathBuf>,
    /// Whether the user knows that something is wrong with it.
    is_reported: bool,
    /// The work tree, and where its memory is.
    root: PathBuf,
    settings: MemorySettings,
    /// Why the folder is not used, if it is not.
    obstacle: Option<String>,
    /// Whether somebody waits for the end of the loop: then the patterns are written afterwards, for in a
    /// large memory that takes its time.
    is_awaited: bool,
}

/// Writes what is new into the patterns of a work tree's memory, if it has a memory, and archives what is old.
pub fn write_patterns(root: &Path, settings: &MemorySettings) -> Result<(), MemoryError> {
    let mut memory = memory_of(root, settings);
    if obstacle(root, settings).is_none() && memory.folder().is_dir() {
        memory.prune(Timestamp::now(), false)?;
        memory.update_patterns()?;
    }
    Ok(())
}

impl LoopMemory {
    /// The memory of a loop in a work tree. Nothing is made yet.
    pub(crate) fn of(root: &Path, plan: &Plan) -> Self {
        let settings = &plan.config.memory;
        Self {
            memory: memory_of(root, settings),
            facts: RecordFacts {
                agent: plan.agent.name.clone(),
                recorded_by: format!("{RECORDED_BY} {}", env!("CARGO_PKG_VERSION")),
                environment: environment::of(plan),
                ..RecordFacts::default()
            },
            held: None,
            written_to: None,
            is_reported: false,
            root: root.to_owned(),
            settings: settings.clone(),
            obstacle: obstacle(root, settings),
            is_awaited: plan.hosted,
        }
    }

    /// The journal is not known to be redgreen's own: what comes of it is unverified.
    pub(crate) fn doubt_the_journal(&mut self) {
        self.memory.seal_nothing("this loop's journal may have been written by somebody else");
    }

    /// Writes the record of the loop as it stands.
    pub(crate) fn publish(&mut self, state: &State, events: &Events<'_>) {
        let written = self.write(state);
        self.tell(written, events);
    }

    /// The loop has ended: what it taught goes into its record, and into the patterns.
    pub(crate) fn conclude(&mut self, state: &State, events: &Events<'_>) {
        let learned = self.learn(state);
        self.tell(learned, events);
        self.held = None;
    }

    fn write(&mut self, state: &State) -> Result<(), MemoryError> {
        // Each time: whoever works in the tree can put a link there.
        self.obstacle = obstacle(&self.root, &self.settings);
        if self.obstacle.is_some() {
            return Ok(());
        }
        let record = record(state, &self.facts);
        if self.held.is_none() {
            self.held = Some(self.memory.hold(&record.session_id)?);
        }
        self.written_to = Some(self.memory.write(&record, Timestamp::now())?);
        Ok(())
    }

    /// The record from the root of the work tree, as other tools look for it: at its usual place.
    pub(crate) fn written_to(&self, root: &Path) -> Option<String> {
        let path = self.written_to.as_ref()?.strip_prefix(root).ok()?;
        let path = path.starts_with(DEFAULT_MEMORY_LOCATION).then_some(path)?;
        Some(path.to_string_lossy().into_owned())
    }

    fn learn(&mut self, state: &State) -> Result<(), MemoryError> {
        self.write(state)?;
        if self.obstacle.is_some() {
            return Ok(());
        }
        let mut record = record(state, &self.facts);
        let learnings = self.memory.learnings(&record)?;
        if !learnings.is_empty() {
            record.learnings = Some(learnings);
            self.memory.write(&record, Timestamp::now())?;
        }
        if !self.is_awaited {
            self.memory.prune(Timestamp::now(), false)?;
            self.memory.update_patterns()?;
        }
        Ok(())
    }

    /// Says what went wrong, once.
    fn tell(&mut self, outcome: Result<(), MemoryError>, events: &Events<'_>) {
        let notes = self.memory.take_notes();
        let problem = match (&self.obstacle, outcome) {
            (Some(obstacle), _) => Some(obstacle.clone()),
            (None, Err(error)) => Some(error.to_string()),
            (None, Ok(())) => None,
        };
        let lost = problem
            .filter(|_| !self.is_reported)
            .map(|problem| format!("this loop continues without the debug memory: {problem}"));
        self.is_reported |= lost.is_some();
        for text in notes.into_iter().chain(lost) {
            events.say(&Event::Notice { text: clean_line(&text, LINE_CHARS) });
        }
    }
}
