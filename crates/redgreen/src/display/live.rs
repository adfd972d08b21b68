//! What the line says that moves while something runs: how far it is, what runs now, the slowest so far, the time left.

use std::time::{Duration, Instant};

use redgreen_model::event::Event;
use redgreen_model::execution::Purpose;
use redgreen_model::text::{bound_end, bound_middle};

use super::wording::{plural, seconds};

/// A test is worth a name on the line once it takes so long.
const SLOW: Duration = Duration::from_secs(1);
/// The most characters of a test's name.
const NAME_CHARS: usize = 44;
/// The columns of a character that is not ASCII, so that a line never wraps.
const WIDE: usize = 2;
/// The most tests of which it is known that they run.
const RUNNING_MAX: usize = 256;

/// What runs now; nothing where nothing does.
#[derive(Default)]
pub struct Live {
    task: Option<Task>,
}

struct Task {
    what: String,
    since: Instant,
    progress: Progress,
}

enum Progress {
    /// There is nothing to count.
    None,
    Tests(Tests),
    Mutants {
        tried: u64,
        of: u64,
        unnoticed: u64,
    },
}

#[derive(Default)]
struct Tests {
    ended: u64,
    red: u64,
    expected: Option<u64>,
    took: Option<Duration>,
    running: Vec<(String, Instant)>,
    slowest: Option<(String, Duration)>,
}

impl Live {
    /// Keeps up with what happens.
    pub fn follow(&mut self, event: &Event, now: Instant) {
        let begin =
            |what: &str, progress| Some(Task { what: what.to_owned(), since: now, progress });
        match event {
            Event::CheckStarted { command, tests, took_ms, .. } => {
                let took = took_ms.map(Duration::from_millis);
                let tests = Tests { expected: *tests, took, ..Tests::default() };
                self.task = begin(command, Progress::Tests(tests));
            }
            Event::ExecutionStarted { purpose: Purpose::Mutant, .. } => {
                let progress = Progress::Mutants { tried: 0, of: 0, unnoticed: 0 };
                self.task = begin("small edits", progress);
            }
            Event::AgentStarted { agent, .. } => {
                self.task = begin(&format!("{agent} works"), Progress::None);
            }
            Event::CheckEnded { .. }
            | Event::AgentEnded { .. }
            | Event::Squared { .. }
            | Event::Finished { .. } => self.task = None,
            event => {
                if let Some(task) = &mut self.task {
                    task.progress.follow(event, now);
                }
            }
        }
    }

    /// The line, if something runs, in so many columns.
    pub fn line(&self, now: Instant, columns: usize) -> Option<String> {
        let task = self.task.as_ref()?;
        let elapsed = now.saturating_duration_since(task.since);
        let mut line = bound_end(&task.what, columns / 3);
        for part in task.progress.parts(elapsed, now) {
            // What does not fit is left out, and never cut in two: the parts that tell most are first.
            let longer = format!("{line}  {part}");
            if width(&longer) <= columns {
                line = longer;
            }
        }
        Some(fitted(&line, columns))
    }
}

impl Progress {
    fn follow(&mut self, event: &Event, now: Instant) {
        match (self, event) {
            (Self::Tests(tests), Event::TestRunning { test, .. })
                if tests.running.len() < RUNNING_MAX =>
            {
                tests.running.push((test.clone(), now));
            }
            (Self::Tests(tests), Event::TestEnded { test, outcome, ms, .. }) => {
                tests.ended += 1;
                tests.red += u64::from(outcome.is_red());
                let seen = tests.running.iter().position(|(name, _)| name == test);
                let since = seen.map(|at| tests.running.swap_remove(at).1);
                let lasted = ms.map(Duration::from_millis);
                let lasted = lasted.or(since.map(|since| now.saturating_duration_since(since)));
                let slowest = tests.slowest.as_ref().map_or(SLOW, |(_, time)| *time);
                if let Some(lasted) = lasted.filter(|lasted| *lasted >= slowest) {
                    tests.slowest = Some((test.clone(), lasted));
                }
            }
            (
                Self::Mutants { tried, of, unnoticed },
                Event::MutantsTried { tried: done, of: all, unnoticed: missed },
            ) => {
                (*tried, *of, *unnoticed) = (*done, *all, *missed);
            }
            _ => {}
        }
    }

    fn parts(&self, elapsed: Duration, now: Instant) -> Vec<String> {
        let mut parts = Vec::new();
        let time = seconds(millis(elapsed));
        match self {
            Self::None => parts.push(time),
            Self::Mutants { tried, of, unnoticed } => {
                if *of > 0 {
                    parts.push(format!("{tried} of at most {of} tried, {unnoticed} not noticed"));
                }
                parts.push(time);
                parts.extend(by_number(elapsed, *tried, *of).and_then(left));
            }
            Self::Tests(tests) => {
                parts.extend(tests.counted());
                parts.push(time);
                parts.extend(tests.left(elapsed).and_then(left));
                parts.extend(tests.now(now));
                parts.extend(tests.slowest.as_ref().map(|(test, lasted)| {
                    format!("slowest {} {}", name(test), seconds(millis(*lasted)))
                }));
            }
        }
        parts
    }
}

impl Tests {
    fn counted(&self) -> Option<String> {
        let red = |text: String| match self.red {
            0 => text,
            red => format!("{text}, {red} red"),
        };
        match self.expected.filter(|expected| *expected >= self.ended) {
            Some(expected) if expected > 0 => {
                let word = plural(expected, "test", "tests");
                Some(red(format!("{} of {expected} {word}", self.ended)))
            }
            _ if self.ended > 0 => {
                Some(red(format!("{} {}", self.ended, plural(self.ended, "test", "tests"))))
            }
            _ => None,
        }
    }

    /// As long as the last time; once that is over, as long as those before took, each.
    fn left(&self, elapsed: Duration) -> Option<Duration> {
        let as_before = self.took.and_then(|took| took.checked_sub(elapsed));
        as_before.or_else(|| by_number(elapsed, self.ended, self.expected?))
    }

    fn now(&self, now: Instant) -> Option<String> {
        let (test, since) = self.running.iter().min_by_key(|(_, since)| *since)?;
        let lasts = now.saturating_duration_since(*since);
        (lasts >= SLOW).then(|| format!("now {} {}", name(test), seconds(millis(lasts))))
    }
}

fn by_number(elapsed: Duration, done: u64, of: u64) -> Option<Duration> {
    let more = of.checked_sub(done).filter(|more| *more > 0 && done > 0)?;
    let factor = u32::try_from(more).ok()?;
    elapsed.checked_mul(factor)?.checked_div(u32::try_from(done).ok()?)
}

fn left(time: Duration) -> Option<String> {
    let seconds = time.as_secs();
    match seconds {
        0 => None,
        1..=99 => Some(format!("about {seconds} s left")),
        _ => Some(format!("about {} min left", seconds.div_ceil(60))),
    }
}

fn name(test: &str) -> String {
    bound_middle(test, NAME_CHARS)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn columns_of(letter: char) -> usize {
    if letter.is_ascii() { 1 } else { WIDE }
}

fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// As much of a text as surely fits.
pub fn fitted(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |letter: &char| {
        used += columns_of(*letter);
        used <= columns
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use redgreen_model::report::TestOutcome;

    fn started(tests: Option<u64>, took_ms: Option<u64>) -> Event {
        Event::CheckStarted { check: "unit".into(), command: "pytest".into(), tests, took_ms }
    }

    fn ended(test: &str, ms: Option<u64>) -> Event {
        let outcome = TestOutcome::Passed;
        Event::TestEnded { check: "unit".into(), test: test.into(), outcome, ms, summary: None }
    }

    fn at(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn what_is_known_from_the_last_time_says_how_far_it_is() {
        let (mut live, start) = (Live::default(), Instant::now());
        live.follow(&started(Some(4), Some(20_000)), start);
        live.follow(&ended("a", Some(1500)), at(start, 2));
        let running = Event::TestRunning { check: "unit".into(), test: "b".into() };
        live.follow(&running, at(start, 3));
        assert_eq!(
            live.line(at(start, 5), 120).as_deref(),
            Some("pytest  1 of 4 tests  5.0 s  about 15 s left  now b 2.0 s  slowest a 1.5 s")
        );
        // It takes longer than the last time: what is done says how long the rest takes.
        live.follow(&ended("b", None), at(start, 30));
        assert_eq!(
            live.line(at(start, 30), 120).as_deref(),
            Some("pytest  2 of 4 tests  30.0 s  about 30 s left  slowest b 27.0 s")
        );
        live.follow(&ended("c", Some(1)), at(start, 31));
        live.follow(&ended("d", Some(1)), at(start, 32));
        live.follow(&ended("e", Some(1)), at(start, 33));
        let line = live.line(at(start, 33), 120).expect("it runs");
        assert!(
            line.starts_with("pytest  5 tests  33.0 s  slowest"),
            "more than were known: {line}"
        );
    }

    #[test]
    fn a_narrow_terminal_has_whole_parts_and_wide_letters_never_wrap() {
        let (mut live, start) = (Live::default(), Instant::now());
        live.follow(&started(Some(4), Some(20_000)), start);
        let test = "測".repeat(200);
        live.follow(&ended(&test, Some(9000)), at(start, 9));
        for columns in 1..200 {
            let line = live.line(at(start, 9), columns).expect("it runs");
            assert!(width(&line) <= columns, "{columns}: {line}");
        }
        assert_eq!(live.line(at(start, 9), 30).as_deref(), Some("pytest  1 of 4 tests  9.0 s"));
    }

    #[test]
    fn mutants_are_counted_and_an_end_ends_the_line() {
        let (mut live, start) = (Live::default(), Instant::now());
        let (purpose, attempt) = (Purpose::Mutant, 0);
        live.follow(&Event::ExecutionStarted { number: 0, purpose, attempt, only: 0 }, start);
        live.follow(&Event::MutantsTried { tried: 2, of: 6, unnoticed: 1 }, at(start, 4));
        assert_eq!(
            live.line(at(start, 4), 120).as_deref(),
            Some("small edits  2 of at most 6 tried, 1 not noticed  4.0 s  about 8 s left")
        );
        live.follow(
            &Event::AgentEnded {
                attempt: 1,
                how: String::new(),
                said: String::new(),
                diff_summary: String::new(),
                files: Vec::new(),
            },
            start,
        );
        assert_eq!(live.line(start, 120), None);
    }
}
