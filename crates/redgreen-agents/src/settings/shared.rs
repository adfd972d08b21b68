//! The command of a hook in settings that go to other machines, where redgreen may not be installed.

use super::{SHARED_PROGRAM, entries};
use crate::agent::Agent;
use crate::contract::{Answer, EventKind, answer};

/// What an agent is told that ends where there is no redgreen.
const NOT_INSTALLED: &str = "redgreen is not installed here, so nothing is verified: this project wants its changes to be seen to pass. \
     Tell your user to install redgreen, so that it is found on PATH. If you cannot go on without, end your turn again: you will be let go.";

/// A shell says of a program that it does not find that it failed, and an agent takes a hook that failed for
/// one that has nothing to say. So the shell says what redgreen would: hold the agent, once. Whether it was held before,
/// it says itself. The start of a session holds nobody.
pub(super) fn command(agent: &str, kind: &EventKind) -> String {
    let call = format!("{SHARED_PROGRAM}{}{agent} --event {}", entries::MARK, kind.name());
    let held = Agent::named(agent)
        .filter(|_| matches!(kind, EventKind::Stop | EventKind::SubagentStop))
        .map(|agent| answer(agent, kind, &Answer::block(NOT_INSTALLED)).stdout);
    match held.as_deref().map(str::trim_end).filter(|said| !said.is_empty()) {
        Some(said) => {
            let said = said.replace('\'', "'\\''");
            format!("{call} || grep -Eq '{HELD_BEFORE}' || printf '%s\\n' '{said}'")
        }
        None => format!("{call} || true"),
    }
}

/// How agents say that they were held: by name, or by a count.
const HELD_BEFORE: &str = "\"stop_hook_active\": *true|\"loop_count\": *[1-9]";
