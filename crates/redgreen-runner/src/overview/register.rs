//! Who writes a session's card: as things happen, a few times in a second at most, beside the work.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use redgreen_engine::state::State;
use redgreen_files::write_cache;
use redgreen_model::event::Event;
use redgreen_model::execution::Purpose;
use redgreen_model::report::TestOutcome;
use redgreen_model::text::clean_line;

use super::card::{Card, Tests};
use super::strip::Strip;
use super::{CARDS, ENDING, forget_old};
use crate::evidence::state_outside;
use crate::plan::Plan;

/// How long a card stays as it is, so that a quick suite is not slowed down by it.
const PAUSE: Duration = Duration::from_millis(50);
/// The most characters of a test's name.
const NAME_CHARS: usize = 200;

/// Keeps one session's card.
pub(crate) struct Register {
    desk: Arc<Desk>,
    writer: Option<JoinHandle<()>>,
}

struct Desk {
    draft: Mutex<Draft>,
    changed: Condvar,
    path: PathBuf,
}

struct Draft {
    card: Card,
    strip: Strip,
    /// How many tests the last run of all of them had.
    expected: u64,
    is_new: bool,
    is_over: bool,
}

impl Register {
    /// Begins a card; none where there is no place for it outside of the work tree.
    pub(crate) fn open(root: &Path, plan: &Plan) -> Option<Self> {
        let folder = state_outside(root, "the list of sessions", "change it").ok()?.join(CARDS);
        Self::open_in(&folder, Card::new(root.to_owned(), plan))
    }

    fn open_in(folder: &Path, card: Card) -> Option<Self> {
        let path = folder.join(&card.session).with_extension(ENDING);
        fs::create_dir_all(folder).ok()?;
        forget_old(folder);
        let strip = Strip::default();
        let draft = Mutex::new(Draft { card, strip, expected: 0, is_new: false, is_over: false });
        let desk = Arc::new(Desk { draft, changed: Condvar::new(), path });
        let writer = thread::spawn({
            let desk = Arc::clone(&desk);
            move || desk.write()
        });
        Some(Self { desk, writer: Some(writer) })
    }

    /// Takes over how the loop stands.
    pub(crate) fn follow(&self, state: &State) {
        self.desk.change(|draft| {
            draft.card.follow(state);
            draft.show_last(state);
        });
    }

    /// Takes over what happens in between.
    pub(crate) fn take(&self, event: &Event) {
        match event {
            Event::ExecutionStarted { only, .. } => self.desk.change(|draft| draft.begin(*only)),
            Event::CheckStarted { check, tests, .. } => {
                let known = tests.unwrap_or_default();
                self.desk.change(|draft| draft.begin_check(check, known));
            }
            Event::TestEnded { test, outcome, .. } => {
                self.desk.change(|draft| draft.end_test(test, *outcome));
            }
            _ => {}
        }
    }
}

impl Drop for Register {
    fn drop(&mut self) {
        self.desk.change(|draft| (draft.is_over, draft.card.tests.running) = (true, false));
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Draft {
    fn begin(&mut self, only: u64) {
        let expected = if only > 0 { only } else { self.expected };
        self.card.tests = Tests { running: true, expected, ..Tests::default() };
        self.strip = Strip::default();
    }

    /// Where no earlier run of this loop says how many tests there are, the last one of the check does.
    fn begin_check(&mut self, check: &str, known: u64) {
        let tests = &mut self.card.tests;
        tests.check = clean_line(check, NAME_CHARS);
        tests.expected = tests.expected.max(tests.done + known);
    }

    /// Between two runs, the tests are those of the last one that was judged.
    fn show_last(&mut self, state: &State) {
        let Some(judged) = state.last_judged() else { return };
        (self.card.tests, self.strip) = (Tests::default(), Strip::default());
        let reports = judged.execution.checks.iter().map(|check| &check.report);
        for test in reports.flat_map(|report| &report.tests) {
            self.count(test.outcome);
        }
        let is_whole = matches!(judged.execution.purpose, Purpose::Baseline | Purpose::Judge);
        if is_whole {
            self.expected = self.card.tests.done;
        }
        self.card.tests.expected = self.card.tests.done;
    }

    fn end_test(&mut self, test: &str, outcome: TestOutcome) {
        self.card.tests.last = clean_line(test, NAME_CHARS);
        self.count(outcome);
    }

    fn count(&mut self, outcome: TestOutcome) {
        let tests = &mut self.card.tests;
        tests.done += 1;
        match outcome {
            outcome if outcome.is_red() => tests.red += 1,
            TestOutcome::Skipped | TestOutcome::ExpectedFailure => tests.skipped += 1,
            _ => tests.passed += 1,
        }
        self.strip.push(outcome);
    }
}

impl Desk {
    fn draft(&self) -> MutexGuard<'_, Draft> {
        self.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Draft)) {
        let mut draft = self.draft();
        change(&mut draft);
        draft.is_new = true;
        self.changed.notify_one();
    }

    /// Writes the card whenever it has changed, until the session is over.
    fn write(&self) {
        let mut draft = self.draft();
        loop {
            while !draft.is_new {
                draft = self.changed.wait(draft).unwrap_or_else(PoisonError::into_inner);
            }
            draft.is_new = false;
            draft.card.tests.strip = draft.strip.text();
            draft.card.updated_at = crate::now();
            let (card, is_over) = (draft.card.clone(), draft.is_over);
            drop(draft);
            // A list that cannot be written is never a reason to stop work.
            let text = serde_json::to_vec(&card);
            let _ = text.map(|text| write_cache(&self.path, &text));
            if is_over {
                return;
            }
            let waiting = self.draft();
            let over = |draft: &mut Draft| !draft.is_over;
            let waited = self.changed.wait_timeout_while(waiting, PAUSE, over);
            draft = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overview::read;

    fn ended(test: &str, outcome: TestOutcome) -> Event {
        let (check, test) = ("unit".to_owned(), test.to_owned());
        Event::TestEnded { check, test, outcome, ms: None, summary: None }
    }

    #[test]
    fn what_happened_last_is_on_the_card_when_the_session_is_over() {
        let project = tempfile::tempdir().expect("a folder");
        let cards = project.path().join("cards");
        let card = Card::for_tests(project.path(), "0199");
        fs::create_dir_all(card.folder().path()).expect("a session's folder");
        let register = Register::open_in(&cards, card).expect("opened");
        let only = 0;
        register.take(&Event::ExecutionStarted {
            number: 1,
            purpose: Purpose::Judge,
            attempt: 1,
            only,
        });
        for test in 0..1_000 {
            register.take(&ended(&format!("t{test}"), TestOutcome::Passed));
        }
        register.take(&ended("the\u{1b}[31mlast", TestOutcome::Failed));
        drop(register);
        let card = read(&cards.join("0199.json")).expect("a card");
        assert_eq!((card.tests.done, card.tests.red, card.tests.running), (1_001, 1, false));
        assert_eq!(card.tests.last, "thelast");
        assert!(card.tests.strip.ends_with('r'), "{}", card.tests.strip);
        assert!(card.is_at_work());
        fs::remove_dir_all(project.path().join(".redgreen")).expect("removed");
        assert_eq!(read(&cards.join("0199.json")), None);
    }
}
