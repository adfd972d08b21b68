//! How an agent takes what a hook's process did, whoever wrote the hook.

use serde_json::Value;

use crate::agent::Agent;

/// What an agent makes of an answer to a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It goes on working, and reads this.
    Held(String),
    /// It ends.
    Free,
}

/// What an agent makes of the output and the exit code of a stop hook. Everything that is not a
/// block in the agent's own words lets it go.
pub fn heard(agent: &Agent, stdout: &[u8], exit_code: Option<i32>) -> Heard {
    let answer = match exit_code {
        Some(0) => serde_json::from_slice::<Value>(stdout).unwrap_or_default(),
        _ => Value::Null,
    };
    let hear = agent.hooks.map_or(hear_decision as fn(&Value) -> Option<&str>, |hooks| hooks.hear);
    hear(&answer)
        .filter(|reason| !reason.is_empty())
        .map_or(Heard::Free, |reason| Heard::Held(reason.into()))
}

/// The reason in the form that most agents take.
pub(crate) fn hear_decision(answer: &Value) -> Option<&str> {
    answer["reason"].as_str().filter(|_| answer["decision"] == "block")
}
