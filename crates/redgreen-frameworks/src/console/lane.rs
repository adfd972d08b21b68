//! Which run a line belongs to: programs follow each other in a log, and share it.

use redgreen_model::framework::FrameworkId;

use super::ConsoleRun;
use super::aftermath::{Aftermath, sign};
use super::dialects::{self, Dialect, Reader, Set, Taken};
use super::line::is_boundary;
use super::run::Run;
use crate::place::Places;

/// How many runs may be open at once in one lane; the oldest is ended for one more.
const OPEN_RUNS: usize = 4;
/// How many programs that share a log are distinguished.
const LANES: usize = 64;
/// The longest name of a program before its lines, in bytes.
const NAME_BYTES: usize = 64;
/// How many lines before the beginning of a run its reader may see.
const RECENT: usize = 8;
/// The most bytes of each of them.
const RECENT_BYTES: usize = 300;

/// What stands in brackets before a line and is no name of a program.
const LEVELS: [&str; 8] = ["INFO", "ERROR", "WARNING", "WARN", "DEBUG", "FATAL", "*", "gw0"];

/// All lanes of a log.
pub(super) struct Lanes<'paths> {
    places: Places<'paths>,
    among: Set,
    main: Lane<'paths>,
    named: Vec<(String, Lane<'paths>)>,
    done: Done,
    begun: usize,
    aftermath: Aftermath,
}

/// One program's lines, or those of programs that follow each other.
#[derive(Default)]
struct Lane<'paths> {
    open: Vec<Open<'paths>>,
    recent: [String; RECENT],
    newest: usize,
}

struct Open<'paths> {
    framework: FrameworkId,
    dialect: &'static Dialect,
    reader: Box<dyn Reader>,
    run: Run<'paths>,
    order: usize,
}

impl<'paths> Lanes<'paths> {
    pub fn new(places: Places<'paths>, only: Option<FrameworkId>) -> Self {
        Self {
            places,
            among: dialects::of(only),
            main: Lane::default(),
            named: Vec::new(),
            done: Vec::new(),
            begun: 0,
            aftermath: Aftermath::default(),
        }
    }

    /// Takes the next line of the log.
    pub fn take(&mut self, line: &str) {
        // Most logs are of one program, and most lines of them of a run that is open.
        let split_early = if self.named.is_empty() { None } else { split_name(line) };
        if let Some((name, rest)) = split_early
            && let Some(at) = self.named.iter().position(|(known, _)| known == name)
        {
            self.take_named(at, rest);
            return;
        }
        if let Some(sign) = sign(line) {
            self.aftermath.take(sign, line, None, self.begun, self.main.progress());
        }
        if is_boundary(line) {
            self.main.end_all(None, &mut self.done);
            return;
        }
        if self.main.offer(line, None, &mut self.done) {
            return;
        }
        // A name is one only where a run is known behind it: `|` and `:` are in all sorts of lines.
        let named = if self.named.is_empty() { split_name(line) } else { split_early };
        if let Some((name, rest)) = named
            && self.named.len() < LANES
            && dialects::beginning(rest, self.among).is_some()
        {
            self.named.push((name.to_owned(), self.main.behind(name)));
            self.take_named(self.named.len() - 1, rest);
            return;
        }
        match dialects::beginning(line, self.among) {
            Some(&dialect) => {
                self.begun += 1;
                self.main.begin(dialect, line, None, (self.places, self.begun), &mut self.done);
            }
            None => self.main.remember(line),
        }
    }

    /// Takes a line behind a name.
    fn take_named(&mut self, at: usize, line: &str) {
        let Some((name, lane)) = self.named.get_mut(at) else { return };
        if let Some(sign) = sign(line) {
            self.aftermath.take(sign, line, Some(name), self.begun, lane.progress());
        }
        if is_boundary(line) {
            lane.end_all(Some(name), &mut self.done);
        } else if !lane.offer(line, Some(name), &mut self.done) {
            match dialects::beginning(line, self.among) {
                Some(&dialect) => {
                    self.begun += 1;
                    let place = (self.places, self.begun);
                    lane.begin(dialect, line, Some(name), place, &mut self.done);
                }
                None => lane.remember(line),
            }
        }
    }

    /// All runs, in the order of their beginning.
    pub fn finish(mut self) -> Vec<ConsoleRun> {
        self.main.end_all(None, &mut self.done);
        for (name, mut lane) in self.named {
            lane.end_all(Some(&name), &mut self.done);
        }
        self.done.sort_by_key(|(order, _, _)| *order);
        self.aftermath.settle(&mut self.done);
        self.done.into_iter().map(|(_, _, run)| run).collect()
    }
}

/// The runs that have ended: when each began, its progress by its last line, and what it said.
type Done = Vec<(usize, u64, ConsoleRun)>;

impl<'paths> Lane<'paths> {
    /// Offers the line to the open runs, the newest first.
    fn offer(&mut self, line: &str, name: Option<&str>, done: &mut Done) -> bool {
        for at in (0..self.open.len()).rev() {
            let Some(open) = self.open.get_mut(at) else { continue };
            match open.reader.take(line, &mut open.run) {
                Taken::Not => {}
                Taken::Mine => return true,
                Taken::Last => {
                    let open = self.open.remove(at);
                    done.extend(open.end(name));
                    return true;
                }
            }
        }
        false
    }

    /// A run begins. One of the same program ends by that.
    fn begin(
        &mut self,
        (framework, dialect): (FrameworkId, &'static Dialect),
        line: &str,
        name: Option<&str>,
        (places, order): (Places<'paths>, usize),
        done: &mut Done,
    ) {
        let same = |open: &Open<'_>| open.dialect.program == dialect.program;
        if let Some(at) = self.open.iter().position(same) {
            done.extend(self.open.remove(at).end(name));
        } else if self.open.len() == OPEN_RUNS {
            done.extend(self.open.remove(0).end(name));
        }
        let mut reader = (dialect.reader)();
        let (newer, older) = self.recent.split_at(self.newest);
        let lines: Vec<&str> = older.iter().chain(newer).map(String::as_str).collect();
        reader.before(&lines);
        self.open.push(Open { framework, dialect, reader, run: Run::new(places), order });
        self.offer(line, name, done);
    }

    /// The progress of each open run.
    fn progress(&self) -> Vec<(usize, u64)> {
        self.open.iter().map(|open| (open.order, open.run.progress())).collect()
    }

    fn end_all(&mut self, name: Option<&str>, done: &mut Done) {
        done.extend(self.open.drain(..).filter_map(|open| open.end(name)));
    }

    /// A lane of its own for the lines behind a name, with those that were remembered so far.
    fn behind(&self, name: &str) -> Self {
        let mut lane = Self::default();
        let (newer, older) = self.recent.split_at(self.newest);
        for line in older.iter().chain(newer) {
            if let Some((_, rest)) = split_name(line).filter(|(found, _)| *found == name) {
                lane.remember(rest);
            }
        }
        lane
    }

    /// Keeps a line that nobody wanted, for a run that is known only later.
    fn remember(&mut self, line: &str) {
        let mut end = line.len().min(RECENT_BYTES);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        if let (Some(slot), Some(text)) = (self.recent.get_mut(self.newest), line.get(..end)) {
            slot.clear();
            slot.push_str(text);
            self.newest = (self.newest + 1) % RECENT;
        }
    }
}

impl Open<'_> {
    fn end(mut self, lane: Option<&str>) -> Option<(usize, u64, ConsoleRun)> {
        let progress = self.run.progress();
        self.reader.finish(&mut self.run);
        let said = self.run.finish(self.dialect.program)?;
        let run = ConsoleRun {
            program: self.dialect.program,
            framework: self.framework,
            runs_tests: self.dialect.runs_tests,
            lane: lane.map(str::to_owned),
            report: said.report,
            duration_ms: said.duration_ms,
            unnamed_passes: said.unnamed_passes,
        };
        Some((self.order, progress, run))
    }
}

/// The name before a line and the line, as docker compose (`api-1  | x`), turborepo (`web:test: x`),
/// pnpm (`packages/web test: x`), lerna (`web: x`) and concurrently (`[web] x`) write it.
fn split_name(line: &str) -> Option<(&str, &str)> {
    let first = *line.as_bytes().first()?;
    let head = line.as_bytes().get(..NAME_BYTES).unwrap_or(line.as_bytes());
    if first == b'[' {
        let end = memchr::memchr(b']', head)?;
        let name = line.get(1..end).filter(|name| !LEVELS.contains(name) && !name.contains(' '))?;
        return Some((name, line.get(end + 1..)?.strip_prefix(' ')?));
    }
    if !(first.is_ascii_alphabetic() || first == b'@') {
        return None;
    }
    let end = memchr::memchr2_iter(b'|', b':', head)
        .find(|at| head.get(*at) == Some(&b'|') || matches!(head.get(at + 1), None | Some(b' ')))?;
    let rest = line.get(end + 1..)?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let name = line.get(..end).map(str::trim_end).filter(|name| is_name(name))?;
    // `job | step | text`
    let is_step = |(step, _): &(&str, &str)| {
        step.starts_with(|first: char| first.is_ascii_alphabetic()) && is_name(step)
    };
    let is_bar = head.get(end) == Some(&b'|');
    match is_bar.then(|| rest.split_once(" | ").filter(is_step)).flatten() {
        Some((step, text)) => Some((line.get(..end + 2 + step.len())?, text)),
        None => Some((name, rest)),
    }
}

/// Whether a text is a name as packages, services and tasks have: not the place of an error.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@/_.-: ".contains(&byte);
    let last = text.rsplit([':', ' ']).next().unwrap_or("");
    text.len() < NAME_BYTES
        && text.bytes().all(plain)
        && !last.starts_with(|first: char| first.is_ascii_digit())
        && text.matches(' ').count() < 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_before_lines_are_split_off() {
        let cases = [
            ("api-1  | FAILED x", Some(("api-1", "FAILED x"))),
            ("api-1  |", Some(("api-1", ""))),
            ("build | test | ok", Some(("build | test", "ok"))),
            ("@scope/web:test: > vitest", Some(("@scope/web:test", "> vitest"))),
            ("packages/web test: PASS a", Some(("packages/web test", "PASS a"))),
            ("[api] ok", Some(("api", "ok"))),
            ("[ERROR] Tests run: 1", None),
            ("    12 |   expect(a)", None),
            ("plain words", None),
            ("src/a.py:1:8: F401 unused", None),
            ("lint/a.ts(1,7): error TS2322: x", None),
            ("api-1  |   3 | code", Some(("api-1", "  3 | code"))),
        ];
        for (line, wanted) in cases {
            assert_eq!(split_name(line), wanted, "{line}");
        }
    }
}
