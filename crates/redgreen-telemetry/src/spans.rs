//! Events as spans: a loop, its attempts, what runs in them, and each check.

use std::time::SystemTime;

use redgreen_model::event::Event;
use redgreen_model::execution::{Ended, Purpose};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::LoopStatus;
use uuid::Uuid;

/// What a span says of itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// In words.
    Text(String),
    /// A number.
    Number(u64),
}

/// Something that took time.
#[derive(Clone, Debug)]
pub struct Span {
    /// The trace, the same for all of a loop.
    pub trace: [u8; 16],
    /// Itself.
    pub id: [u8; 8],
    /// What it is a part of.
    pub parent: Option<[u8; 8]>,
    /// What it is called.
    pub name: String,
    /// When it began.
    pub from: SystemTime,
    /// When it ended.
    pub to: SystemTime,
    /// More of it.
    pub facts: Vec<(&'static str, Fact)>,
    /// What is wrong, if something is.
    pub problem: Option<String>,
}

/// How deep something is: what is deeper ends with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Loop,
    Attempt,
    Work,
    Check,
}

/// Those that are open, and those that have ended and were not taken yet.
pub struct Spans {
    trace: [u8; 16],
    open: Vec<(Level, Span)>,
    ended: Vec<Span>,
}

impl Spans {
    pub fn new() -> Self {
        Self { trace: *Uuid::now_v7().as_bytes(), open: Vec::new(), ended: Vec::new() }
    }

    /// Those that have ended since the last time.
    pub fn finished(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.ended)
    }

    /// Ends all.
    pub fn finish(&mut self, now: SystemTime) {
        self.close(Level::Loop, now);
    }

    pub fn take(&mut self, event: &Event, now: SystemTime) {
        match event {
            Event::SessionStarted { session, task, max_attempts, .. } => {
                self.begin(session, now);
                self.fact("redgreen.task", text(task.lines().next().unwrap_or_default()));
                self.fact("redgreen.max_attempts", Fact::Number(u64::from(*max_attempts)));
            }
            Event::SessionResumed { session, .. } => {
                self.begin(session, now);
                self.fact("redgreen.resumed", text("true"));
            }
            Event::AgentStarted { attempt, agent, .. } => {
                self.open(Level::Attempt, &format!("attempt {attempt}"), now);
                self.fact("redgreen.attempt", Fact::Number(u64::from(*attempt)));
                self.open(Level::Work, "agent", now);
                self.fact("redgreen.agent", text(agent));
            }
            Event::AgentEnded { how, diff_summary, .. } => {
                self.fact("redgreen.how", text(how));
                self.fact("redgreen.diff", text(diff_summary));
                self.close(Level::Work, now);
            }
            Event::ExecutionStarted { purpose, only, .. } => {
                self.open(Level::Work, name_of(*purpose), now);
                self.fact("redgreen.only_tests", Fact::Number(*only));
            }
            Event::CheckStarted { check, .. } => {
                self.open(Level::Check, &format!("check {}", clean_line(check, LINE_CHARS)), now);
            }
            Event::CheckEnded { .. } => self.check_ended(event, now),
            Event::Judged { purpose, verdict, reasons, .. } => {
                // What was judged may have run more than once.
                self.close(Level::Work, now);
                self.judged(*purpose, *verdict, reasons);
            }
            Event::Squared { verdict, .. } => {
                self.close(Level::Work, now);
                self.fact("redgreen.square", text(&verdict.to_string()));
            }
            Event::Finished { status, detail, .. } => {
                self.close(Level::Attempt, now);
                self.fact("redgreen.status", text(&format!("{status:?}").to_lowercase()));
                if *status != LoopStatus::Passed {
                    self.problem(detail);
                }
                self.finish(now);
            }
            _ => {}
        }
    }

    fn begin(&mut self, session: &str, now: SystemTime) {
        self.finish(now);
        if let Ok(id) = Uuid::parse_str(session) {
            self.trace = *id.as_bytes();
        }
        self.open(Level::Loop, "loop", now);
        self.fact("redgreen.session", text(session));
    }

    fn check_ended(&mut self, event: &Event, now: SystemTime) {
        let Event::CheckEnded { check, ended, counts, reused, .. } = event else { return };
        if !self.open.iter().any(|(level, _)| *level == Level::Check) {
            self.open(Level::Check, &format!("check {}", clean_line(check, LINE_CHARS)), now);
        }
        for (name, count) in [
            ("redgreen.tests.passed", counts.passed),
            ("redgreen.tests.failed", counts.failed),
            ("redgreen.tests.errors", counts.errors),
            ("redgreen.tests.skipped", counts.skipped),
        ] {
            self.fact(name, Fact::Number(count));
        }
        self.fact("redgreen.ended", text(&ended.to_string()));
        self.fact("redgreen.reused", text(&reused.to_string()));
        if !matches!(ended, Ended::Exited { code: 0 }) {
            self.problem(&ended.to_string());
        }
        self.close(Level::Check, now);
    }

    fn judged(&mut self, purpose: Purpose, verdict: Verdict, reasons: &[String]) {
        if purpose == Purpose::Baseline {
            return self.fact("redgreen.baseline", text(&verdict.to_string()));
        }
        self.fact("redgreen.verdict", text(&verdict.to_string()));
        if verdict != Verdict::Passed {
            self.problem(&reasons.join("; "));
        }
    }

    /// Opens a span below what is open above it; there is always a first one.
    fn open(&mut self, level: Level, name: &str, now: SystemTime) {
        self.close(level, now);
        if self.open.is_empty() && level != Level::Loop {
            self.open(Level::Loop, "run", now);
        }
        let parent = self.open.last().map(|(_, span)| span.id);
        let span = Span {
            trace: self.trace,
            id: new_id(),
            parent,
            name: name.to_owned(),
            from: now,
            to: now,
            facts: Vec::new(),
            problem: None,
        };
        self.open.push((level, span));
    }

    /// Ends what is of a level, or deeper.
    fn close(&mut self, level: Level, now: SystemTime) {
        while self.open.last().is_some_and(|(deep, _)| *deep >= level) {
            if let Some((_, span)) = self.open.pop() {
                // A clock that was put back makes no span end before it began.
                let to = now.max(span.from);
                self.ended.push(Span { to, ..span });
            }
        }
    }

    fn fact(&mut self, name: &'static str, fact: Fact) {
        if let Some((_, span)) = self.open.last_mut() {
            span.facts.push((name, fact));
        }
    }

    fn problem(&mut self, words: &str) {
        if let Some((_, span)) = self.open.last_mut() {
            span.problem = Some(clean_line(words, LINE_CHARS));
        }
    }
}

fn text(words: &str) -> Fact {
    Fact::Text(clean_line(words, LINE_CHARS))
}

fn name_of(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Baseline => "baseline",
        Purpose::Judge => "tests",
        Purpose::First => "first tests",
        Purpose::Confirm => "confirmation",
        Purpose::Referee => "corner referee",
        Purpose::Proof => "corner proof",
        Purpose::Mutant => "corner mutants",
        Purpose::Clean => "corner clean",
    }
}

fn new_id() -> [u8; 8] {
    let mut id = [0; 8];
    id.copy_from_slice(&Uuid::now_v7().as_bytes()[8..]);
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use redgreen_model::report::Counts;
    use std::time::Duration;

    fn started(purpose: Purpose) -> Event {
        Event::ExecutionStarted { number: 1, purpose, attempt: 0, only: 0 }
    }

    fn check() -> [Event; 2] {
        let (check, command) = ("unit".to_owned(), "pytest".to_owned());
        let began =
            Event::CheckStarted { check: check.clone(), command, tests: None, took_ms: None };
        let (log, leaks) = (String::new(), Vec::new());
        let (counts, ended) = (Counts::default(), Ended::Exited { code: 1 });
        [
            began,
            Event::CheckEnded { check, ended, counts, duration_ms: 1, leaks, log, reused: false },
        ]
    }

    #[test]
    fn a_run_without_a_loop_is_one_trace_with_its_checks_below_it() {
        let (mut spans, start) = (Spans::new(), SystemTime::UNIX_EPOCH);
        let [began, ended] = check();
        let events = [
            started(Purpose::Judge),
            began.clone(),
            ended.clone(),
            started(Purpose::Referee),
            began,
            ended,
        ];
        for (at, event) in (0..).zip(events) {
            spans.take(&event, start + Duration::from_secs(at));
        }
        spans.finish(start + Duration::from_secs(9));
        let all = spans.finished();
        let names: Vec<&str> = all.iter().map(|span| span.name.as_str()).collect();
        assert_eq!(names, ["check unit", "tests", "check unit", "corner referee", "run"]);
        assert_eq!(all[0].parent, Some(all[1].id));
        assert_eq!((all[1].parent, all[4].parent), (Some(all[4].id), None));
        assert_eq!(all[1].to, start + Duration::from_secs(3), "it ends when the next one begins");
        assert!(all.iter().all(|span| span.trace == all[0].trace && span.to >= span.from));
        assert_eq!(all[0].problem.as_deref(), Some("exit code 1"));
    }

    #[test]
    fn what_comes_late_or_twice_opens_nothing_that_is_never_closed() {
        let mut spans = Spans::new();
        let now = SystemTime::UNIX_EPOCH;
        let [began, ended] = check();
        for event in [ended.clone(), ended, began.clone(), began] {
            spans.take(&event, now);
        }
        spans.finish(now);
        spans.finish(now);
        assert_eq!(spans.finished().len(), 5);
        assert!(spans.open.is_empty());
    }
}
