//! From TAP to a report.

use redgreen_model::report::{Failure, FailureKind, Report, TestCase, TestOutcome};
use redgreen_model::text::{MESSAGE_CHARS, clean_block};

use super::line::{Directive, Line, Point, line};
use super::yaml::Block;
use crate::identity::cleaned;
use crate::notes::Notes;
use crate::place::Places;
use crate::stream::{FailureRecord, red_failure};
use crate::unique::Unique;

/// The deepest subtests that are distinguished.
const DEPTH: usize = 12;
/// The indentation of subtests.
const INDENT: usize = 4;
/// The most tests of a plan that are missing by name.
const MISSING: u64 = 100;

/// Reads TAP 12, 13 or 14. Never fails: what is no TAP is passed over, and a plan that was not kept
/// is said. Of a test with subtests only these count, unless it fails by itself.
pub fn read(bytes: &[u8], places: Places<'_>) -> Report {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader::default();
    let mut lines = text.lines().peekable();
    while let Some(text) = lines.next() {
        let indent = text.len() - text.trim_start().len();
        let content = text.trim();
        if content == "---" {
            let mut block = Vec::new();
            let inside = |next: &&str| next.trim() != "...";
            while let Some(next) = lines.next_if(inside) {
                block.push(next);
            }
            if lines.next().is_none() {
                reader.cut = true;
            }
            reader.explain(Block::read(&block));
        } else {
            reader.take(indent, content);
        }
        if reader.bailed_out {
            break;
        }
    }
    reader.finish(places)
}

/// A test that was read, with the names of what it is part of.
struct ReadTest {
    names: Vec<String>,
    outcome: TestOutcome,
    block: Option<Block>,
    duration_ms: u64,
}

/// The tests of one indentation.
#[derive(Default)]
struct Level {
    seen: Vec<ReadTest>,
    points: u64,
    /// The highest number that a test has.
    highest: u64,
    plan: Option<u64>,
}

#[derive(Default)]
struct Reader {
    levels: Vec<Level>,
    /// The name that a comment gave to the subtests that follow.
    began: bool,
    bailed_out: bool,
    cut: bool,
    errors: Vec<Failure>,
    notes: Notes,
}

impl Reader {
    fn level(&mut self, depth: usize) -> &mut Level {
        while self.levels.len() <= depth {
            self.levels.push(Level::default());
        }
        &mut self.levels[depth]
    }

    fn take(&mut self, indent: usize, content: &str) {
        let depth = (indent / INDENT).min(DEPTH);
        let aligned = indent.is_multiple_of(INDENT);
        match line(content) {
            Line::Version if depth == 0 => self.began = true,
            Line::Plan(count, skipped) if aligned => self.plan(depth, count, skipped),
            Line::Test(point) if aligned => self.point(depth, &point),
            Line::BailOut(reason) => {
                let message = format!("Bail out! {reason}");
                let message = clean_block(message.trim().as_bytes(), MESSAGE_CHARS);
                self.errors.push(Failure::new(FailureKind::RuntimeError, "BailOut", message));
                self.bailed_out = true;
                self.began = true;
            }
            // What stands behind the braces of older subtests.
            Line::Subtest(_) | Line::Version | Line::Other | Line::Plan(..) | Line::Test(_) => {}
        }
    }

    fn plan(&mut self, depth: usize, count: u64, skipped: Option<&str>) {
        self.began |= depth == 0;
        let level = self.level(depth);
        if level.plan.replace(count).is_some() {
            self.notes.add("TAP: two plans; the last one counts");
        }
        if let Some(reason) = skipped.filter(|_| depth == 0) {
            self.notes.add(&format!("TAP: all tests are skipped: {reason}"));
        }
    }

    fn point(&mut self, depth: usize, point: &Point<'_>) {
        self.began |= depth == 0;
        // Deeper levels that were open are the subtests of this one.
        let below = self.close_below(depth);
        let level = self.level(depth);
        level.points += 1;
        let number = point.number.unwrap_or(level.points);
        level.highest = level.highest.max(number);
        let name =
            if point.name.is_empty() { format!("test {number}") } else { point.name.clone() };
        let outcome = outcome(point);
        let red_below = below.iter().any(|seen| seen.outcome.is_red());
        let own = below.is_empty() || (outcome.is_red() && !red_below);
        let mut below = below;
        for seen in &mut below {
            seen.names.push(name.clone());
        }
        level.seen.append(&mut below);
        if own {
            let duration_ms = point.duration_ms;
            level.seen.push(ReadTest { names: vec![name], outcome, block: None, duration_ms });
        }
    }

    /// Ends the levels below a depth; their tests, and what their plans miss.
    fn close_below(&mut self, depth: usize) -> Vec<ReadTest> {
        let mut seen = Vec::new();
        while self.levels.len() > depth + 1 {
            let Some(level) = self.levels.pop() else { break };
            if level.plan.is_some_and(|plan| plan != level.points) {
                let (plan, points) = (level.plan.unwrap_or(0), level.points);
                self.notes.add(&format!("TAP: subtests: {plan} planned, {points} are there"));
                self.cut = true;
            }
            seen.extend(level.seen);
        }
        seen
    }

    fn explain(&mut self, block: Block) {
        let deepest = self.levels.iter_mut().rev().find(|level| !level.seen.is_empty());
        // The block belongs to the test point before it, or, where only its subtests count, to none.
        if let Some(seen) = deepest.and_then(|level| level.seen.last_mut()) {
            seen.block.get_or_insert(block);
        }
    }

    fn finish(mut self, places: Places<'_>) -> Report {
        let open = self.close_below(0);
        let mut report = Report { began: self.began, ..Report::default() };
        let level = self.levels.pop().unwrap_or_default();
        let mut unique = Unique::default();
        let mut all = level.seen;
        if !open.is_empty() {
            self.notes.add("TAP: subtests without the test that they belong to");
            self.cut = true;
            all.extend(open);
        }
        for seen in all {
            report.tests.push(case(seen, &mut unique, places));
        }
        let planned = level.plan;
        match planned {
            Some(plan) if plan == level.points && level.highest <= plan => {}
            Some(plan) if plan == level.points => {
                let highest = level.highest;
                self.notes.add(&format!("TAP: test {highest} is not in the plan of {plan}"));
            }
            Some(plan) => {
                let points = level.points;
                self.notes.add(&format!("TAP: {plan} tests planned, {points} are there"));
                let missing = (points + 1)..=plan.min(points + MISSING);
                report.not_run.extend(missing.map(|number| format!("test {number} of {plan}")));
            }
            None if self.began => self.notes.add("TAP: no plan, so nobody knows whether it is all"),
            None => self.notes.add("TAP: no test in it"),
        }
        let kept = planned.is_some_and(|plan| plan == level.points && level.highest <= plan);
        report.complete = report.began && kept && !self.bailed_out && !self.cut;
        report.errors = self.errors;
        report.diagnostics = self.notes.finish();
        report
    }
}

fn outcome(point: &Point<'_>) -> TestOutcome {
    match (point.ok, point.directive.map(|(directive, _)| directive)) {
        (_, Some(Directive::Skip)) => TestOutcome::Skipped,
        (false, Some(Directive::Todo)) => TestOutcome::ExpectedFailure,
        (true, Some(Directive::Todo)) => TestOutcome::UnexpectedPass,
        (true, None) => TestOutcome::Passed,
        (false, None) => TestOutcome::Failed,
    }
}

fn case(seen: ReadTest, unique: &mut Unique, places: Places<'_>) -> TestCase {
    let names: Vec<&str> = seen.names.iter().rev().map(String::as_str).collect();
    let id = unique.id(cleaned(names.join(" > ")));
    let outcome = seen.outcome;
    let failure = outcome.is_red().then(|| {
        let record = seen.block.as_ref().map_or_else(FailureRecord::default, Block::record);
        let place = seen.block.as_ref().and_then(Block::place);
        let place = place.as_ref().map(|(file, line)| (file.as_str(), *line));
        Box::new(red_failure(&id, outcome, record, places, place))
    });
    let told = seen.block.as_ref().map(Block::milliseconds).filter(|told| *told > 0);
    let duration_ms = told.unwrap_or(seen.duration_ms);
    TestCase { id, outcome, duration_ms, failure }
}
