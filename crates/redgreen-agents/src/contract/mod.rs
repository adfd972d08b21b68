//! What agents tell their hooks, and how hooks answer. Without IO.
//!
//! # Rules for what comes in
//!
//! [`read_event`] never fails. Each odd payload has its rule:
//!
//! | payload | rule |
//! |---|---|
//! | nothing, not JSON, not an object | the event that the command names; without one, a stop |
//! | cut off, or wrong from some byte on | the fields that came before it count |
//! | a byte order mark, bytes that are not UTF-8 | skipped, replaced |
//! | unknown fields | ignored |
//! | a field of another type | as if it were not there |
//! | an event name that the agent is known to have | that event, whatever the command names |
//! | any other event name | the event that the command names; without one, [`EventKind::Other`] |
//!
//! So what cannot be understood is a stop, and is judged.
//!
//! # Rules for what goes out
//!
//! The exit code is always 0 and the verdict is in the JSON: other codes let an agent go (Copilot
//! even with 2). Only keys that the agent documents are written, since Codex drops an answer with
//! any other key, and the stop would pass.

mod heard;
mod payload;
mod speech;
mod whole;

use std::path::PathBuf;

use redgreen_model::text::{LINE_CHARS, clean_line};
use serde_json::Value;

use crate::agent::{AGENTS, Agent};

pub(crate) use heard::hear_decision;
pub use heard::{Heard, heard};
pub use payload::Payload;
pub use redgreen_model::gate::Answer;
pub use speech::{REASON_CHARS, Spoken};
pub(crate) use speech::{Words, decision, object};
pub use whole::FirstValue;

/// Where agents name a subagent.
const SUBAGENT: &[&str] = &["agent_type", "subagent_type", "subagent_name", "agentName"];

/// What happened at the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A session begins or goes on.
    SessionStart,
    /// The agent says that it is done.
    Stop,
    /// A subagent says that it is done.
    SubagentStop,
    /// A person asks for something.
    Prompt,
    /// Anything else, by the agent's own name for it.
    Other(String),
}

impl EventKind {
    /// The kinds that a hook's command can name.
    pub const NAMED: [Self; 4] = [Self::SessionStart, Self::Stop, Self::SubagentStop, Self::Prompt];

    /// The name on a hook's command line.
    pub fn name(&self) -> &str {
        match self {
            Self::SessionStart => "session-start",
            Self::Stop => "stop",
            Self::SubagentStop => "subagent-stop",
            Self::Prompt => "prompt",
            Self::Other(name) => name,
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|kind| kind.name() == name)
    }
}

/// One event, as far as the agent told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// What happened.
    pub kind: EventKind,
    /// Who called: another agent than the command names, if that one runs this one's hooks too.
    pub caller: &'static Agent,
    /// The agent's session, cleaned and bounded. It may hold any visible character: no file name.
    pub session: Option<String>,
    /// The folders that the agent works in.
    pub folders: Vec<PathBuf>,
    /// Whether the agent says that a hook has held it already.
    pub was_held: bool,
    /// Which subagent it is about, where it is about one that has a name.
    pub subagent: Option<String>,
    /// What the agent said last.
    pub last_message: Option<String>,
    /// Tasks that go on in the background, each by what is known of it.
    pub background: Vec<String>,
    /// Why the payload could not be read to its end.
    pub unreadable: Option<String>,
}

/// How one agent talks to hooks.
#[derive(Debug)]
pub struct HookContract {
    /// Its names for the events that redgreen knows.
    pub events: &'static [(&'static str, EventKind)],
    /// Where each fact is in the payload.
    pub fields: Fields,
    /// The variable in which it says which project it was started in.
    pub project: &'static str,
    /// What it tells a hook at the event: an example of the agent's own payloads.
    pub tell: fn(&Told<'_>) -> Value,
    /// How an answer is said.
    pub say: fn(&EventKind, &Answer) -> Spoken,
    /// Whether its model reads what is said when a session starts.
    pub reads_at_start: bool,
    /// The reason in an answer that holds it.
    pub hear: fn(&Value) -> Option<&str>,
    /// Agents whose hooks this one runs besides its own.
    pub runs_hooks_of: &'static [&'static str],
    /// Whether a payload for another agent's hook comes from this one.
    pub recognise: fn(&Payload) -> bool,
    /// Whether a stop was the person's doing, who needs no answer.
    pub interrupted: fn(&Payload) -> bool,
}

/// What an example of a payload is about.
#[derive(Clone, Copy, Debug)]
pub struct Told<'told> {
    /// The agent's own name for the event.
    pub event: &'told str,
    /// The session.
    pub session: &'told str,
    /// The folder that the agent works in.
    pub folder: &'told str,
}

/// The names of fields, the first that is there counts.
#[derive(Debug)]
pub struct Fields {
    /// The event.
    pub event: &'static [&'static str],
    /// The session.
    pub session: &'static [&'static str],
    /// The folders.
    pub folder: &'static [&'static str],
    /// The last message.
    pub last_message: &'static [&'static str],
    /// The list of tasks in the background.
    pub background: &'static [&'static str],
}

/// For [`HookContract::recognise`] and [`HookContract::interrupted`] where nothing is to be told.
pub(crate) fn never(_: &Payload) -> bool {
    false
}

/// Reads what an agent told its hook. `named` is the event that the hook's command names.
pub fn read_event(agent: &'static Agent, named: Option<EventKind>, bytes: &[u8]) -> HookEvent {
    let payload = Payload::read(bytes);
    let caller = caller(agent, &payload);
    let contracts = [agent.hooks, caller.hooks];
    let mut event = HookEvent {
        kind: EventKind::Stop,
        caller,
        session: None,
        folders: Vec::new(),
        was_held: payload.is_true("stop_hook_active"),
        subagent: payload.text(SUBAGENT).map(|name| clean_line(name.trim(), LINE_CHARS)),
        last_message: None,
        background: Vec::new(),
        unreadable: payload.unreadable.clone(),
    };
    let mut told = None;
    for contract in contracts.into_iter().flatten() {
        let fields = &contract.fields;
        told = told.or_else(|| payload.text(fields.event));
        event.session = event.session.or_else(|| {
            let session = clean_line(payload.text(fields.session)?.trim(), LINE_CHARS);
            Some(session).filter(|session| !session.is_empty())
        });
        if event.folders.is_empty() {
            event.folders = payload.texts(fields.folder).into_iter().map(PathBuf::from).collect();
        }
        event.last_message =
            event.last_message.or_else(|| payload.text(fields.last_message).map(str::to_owned));
        if event.background.is_empty() {
            event.background = payload.unfinished_tasks(fields.background);
        }
    }
    event.kind = kind(&contracts, told, named);
    let interrupted = caller.hooks.is_some_and(|contract| (contract.interrupted)(&payload));
    if event.kind == EventKind::Stop && interrupted {
        event.kind = EventKind::Other("stopped by a person".to_owned());
    }
    event
}

/// Says an answer the way an agent reads it. The agent is the one that the hook's command names: who
/// runs another's hooks reads the answers of that other one.
pub fn answer(agent: &Agent, kind: &EventKind, answer: &Answer) -> Spoken {
    let bounded = speech::bounded(answer);
    match agent.hooks {
        Some(contract) => (contract.say)(kind, &bounded),
        None => decision(Words { system_message: false, context: false }, kind, &bounded),
    }
}

/// An example of what an agent tells its hook at an event; `None` if it has no such event.
pub fn example(agent: &Agent, kind: &EventKind, session: &str, folder: &str) -> Option<String> {
    let contract = agent.hooks?;
    let (event, _) = contract.events.iter().find(|(_, known)| known == kind)?;
    Some((contract.tell)(&Told { event, session, folder }).to_string())
}

fn caller(agent: &'static Agent, payload: &Payload) -> &'static Agent {
    let is_caller = |other: &Agent| {
        other.hooks.is_some_and(|contract| {
            contract.runs_hooks_of.contains(&agent.name) && (contract.recognise)(payload)
        })
    };
    AGENTS.iter().copied().find(|other| is_caller(other)).unwrap_or(agent)
}

fn kind(
    contracts: &[Option<&HookContract>],
    told: Option<&str>,
    named: Option<EventKind>,
) -> EventKind {
    let known = told.and_then(|name| {
        let mut events = contracts.iter().flatten().flat_map(|contract| contract.events);
        events.find(|(event, _)| *event == name).map(|(_, kind)| kind.clone())
    });
    known.or(named).unwrap_or_else(|| match told {
        Some(name) => EventKind::Other(clean_line(name, LINE_CHARS)),
        None => EventKind::Stop,
    })
}

#[cfg(test)]
mod tests;
