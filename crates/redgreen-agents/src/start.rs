//! How agents are started headless for `redgreen run --agent`, and how their last word is read back.
//! Each has a `start.rs` in its folder.
//!
//! The loop is the judge then. An agent whose own settings have redgreen's hook is told so by
//! [`crate::command::SESSION`] in its environment.

use std::ffi::OsString;
use std::fmt;

use serde_json::Value;

use crate::{Agent, Invocation, InvocationRequest, Launch, command};

/// How an agent is started headless.
pub struct Start {
    /// What installs it.
    pub install: &'static str,
    /// The words that always come first.
    pub(crate) words: &'static [&'static str],
    /// What makes it work without asking and answer so that we can read it. What is given with the
    /// arguments of the configuration, too, is left out.
    pub(crate) flags: &'static [Flag],
    /// The flag that names the model.
    pub(crate) model: &'static str,
    pub(crate) prompt: PromptBy,
    pub(crate) read: fn(&str) -> LastWord,
}

/// A flag with its other names, and its value.
pub(crate) struct Flag(pub &'static [&'static str], pub Option<&'static str>);

/// How the prompt comes to the agent.
pub(crate) enum PromptBy {
    /// On standard input; the word asks for that, where one is needed.
    Stdin(Option<&'static str>),
    /// In a file that this flag names.
    File(&'static str),
}

/// What is configured beside the name.
#[derive(Clone, Copy, Debug, Default)]
pub struct StartSettings<'settings> {
    /// The model, in the agent's own words.
    pub model: Option<&'settings str>,
    /// More arguments.
    pub args: &'settings [String],
}

/// What an agent said in the end. It is shown, and never believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastWord {
    /// Its last message; empty if there is none that can be read.
    pub said: String,
    /// Why it could not do its work, in its own words.
    pub problem: Option<String>,
}

impl Start {
    /// How to start it.
    pub fn invocation(
        &self,
        agent: &Agent,
        request: &InvocationRequest<'_>,
        settings: StartSettings<'_>,
    ) -> Invocation {
        let given = |flag: &Flag| settings.args.iter().any(|word| flag.is(word));
        let mut words: Vec<OsString> = vec![agent.program.into()];
        words.extend(self.words.iter().map(OsString::from));
        for Flag(names, value) in self.flags.iter().filter(|flag| !given(flag)) {
            words.extend(names.first().into_iter().chain(value).map(OsString::from));
        }
        if let Some(model) = settings.model {
            words.extend([self.model.into(), model.into()]);
        }
        words.extend(settings.args.iter().map(OsString::from));
        match self.prompt {
            PromptBy::Stdin(word) => words.extend(word.map(OsString::from)),
            PromptBy::File(flag) => words.extend([flag.into(), request.prompt_file.into()]),
        }
        Invocation {
            launch: Launch::Program(words),
            env: command::environment(request),
            prompt_on_stdin: matches!(self.prompt, PromptBy::Stdin(_)),
        }
    }

    /// What it said, from the end of its output.
    pub fn last_word(&self, output: &str) -> LastWord {
        (self.read)(output)
    }
}

impl fmt::Debug for Start {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Start").field("install", &self.install).finish_non_exhaustive()
    }
}

impl Flag {
    /// Whether a word of a command line is this flag, with a value behind `=` or without.
    fn is(&self, word: &str) -> bool {
        self.0.iter().any(|name| {
            word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    }
}

/// What an agent says that it cost, in millionths of a dollar: the last `total_cost_usd` of a line that is a JSON object, as
/// Claude Code prints it. Counted, and never believed further than that.
pub fn reported_cost(output: &str) -> u64 {
    let told = objects(output).filter_map(|line| line["total_cost_usd"].as_f64()).last();
    let dollars = told.filter(|dollars| dollars.is_finite() && *dollars > 0.0).unwrap_or(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and a number that is too large becomes the largest"
    )]
    let micros = (dollars * 1_000_000.0).round() as u64;
    micros
}

/// The lines of an output that are JSON objects: warnings may be between them.
pub(crate) fn objects(output: &str) -> impl Iterator<Item = Value> + '_ {
    let lines = output.lines().map(str::trim).filter(|line| line.starts_with('{'));
    lines.filter_map(|line| serde_json::from_str(line).ok())
}

/// The first of some places that holds a text.
pub(crate) fn text_at(value: &Value, places: &[&str]) -> Option<String> {
    let texts = places.iter().filter_map(|place| value.pointer(place)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests;
