//! What is said of a check while it runs.

use redgreen_frameworks::clean_id;
use redgreen_frameworks::stream::StreamEvent;
use redgreen_model::event::Event;
use redgreen_model::report::{Failure, FailureKind};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_redact::{redact, redact_distinct};

use crate::checks::CheckRunner;
use crate::pace::Paces;
use crate::plan::PlannedCheck;
use crate::tail::Heard;

impl CheckRunner<'_> {
    /// Says that a check begins, and what it is likely to take.
    pub(crate) fn announce(&self, check: &PlannedCheck, only: &[String]) {
        let command = redact(&check.settings.command).into_owned();
        let paces = Paces::read(&self.trees.workspace.state_path());
        let pace = paces.of(&check.name, &command).filter(|_| only.is_empty());
        let some = (!only.is_empty()).then_some(only.len() as u64);
        self.events.say(&Event::CheckStarted {
            check: check.name.clone(),
            tests: some.or(pace.map(|pace| pace.tests)),
            took_ms: pace.map(|pace| pace.duration_ms),
            command,
        });
    }

    /// Says what is heard of a test.
    pub(crate) fn tell(&self, check: &str, heard: Heard<'_>) {
        let shown = |test: &str| redact_distinct(&clean_id(test)).into_owned();
        let event = match heard {
            Heard::Running(test) => {
                let (check, test) = (check.to_owned(), shown(test));
                return self.events.say(&Event::TestRunning { check, test });
            }
            Heard::Event(event) => event,
        };
        let StreamEvent::End { test, outcome, failure, ms, .. } = event else { return };
        let summary = failure.as_ref().map(|failure| {
            let (name, message) = (failure.error_type.as_str(), failure.message.as_str());
            let failure = Failure::new(FailureKind::TestFailure, name, message);
            clean_line(&failure.summary(), LINE_CHARS)
        });
        self.events.say(&Event::TestEnded {
            check: check.to_owned(),
            test: shown(test),
            outcome: *outcome,
            ms: *ms,
            summary,
        });
    }
}
