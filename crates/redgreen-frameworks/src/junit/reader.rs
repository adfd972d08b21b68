//! From the text of one or more documents to a report.

use std::borrow::Cow;

use redgreen_model::report::{Failure, FailureKind, Report, TestCase, TestOutcome};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_xml::{InTag, Token, decoded, local, unescaped};

use super::Scanner;
use super::case::{Case, Part, PartKind, milliseconds, record};
use super::stem::{Stem, without_file};
use super::trace::Sources;
use crate::identity::cleaned;
use crate::notes::Notes;
use crate::place::Places;
use crate::stream::{FailureRecord, red_failure};
use crate::unique::Unique;

/// How many suites inside of suites are named in an id.
const DEPTH_NAMED: usize = 8;
/// About how many bytes of a report belong to one case.
const BYTES_A_CASE: usize = 150;
/// How many failures outside of tests are kept.
const ERRORS: usize = 200;

/// Reads documents into one report.
pub(super) struct Reader<'run> {
    places: Places<'run>,
    sources: Sources<'run>,
    /// The module that the documents are about; part of the ids.
    module: String,
    report: Report,
    red: u64,
    unique: Unique,
    notes: Notes,
    broken: bool,
}

/// A `<testsuite>` that is open.
struct Suite<'text> {
    name: &'text str,
    file: Option<&'text str>,
    tests: Option<u64>,
    red: Option<u64>,
    tests_before: u64,
    red_before: u64,
}

impl<'run> Reader<'run> {
    pub(super) fn new(places: Places<'run>, sources: Sources<'run>) -> Self {
        Self {
            places,
            sources,
            module: String::new(),
            report: Report::default(),
            red: 0,
            unique: Unique::default(),
            notes: Notes::default(),
            broken: false,
        }
    }

    /// Reads one file; `name` is how remarks call it, `module` the folder it belongs to.
    pub(super) fn read(&mut self, bytes: &[u8], name: &str, module: &str) {
        if self.report.tests.is_empty() {
            let about = bytes.len() / BYTES_A_CASE;
            self.unique = Unique::with_capacity(about);
            self.report.tests.reserve(about);
        }
        module.clone_into(&mut self.module);
        let (text, remark) = decoded(bytes);
        if let Some(remark) = remark {
            self.notes.add(&format!("{name}: {remark}"));
        }
        let mut document = Document::new(self, &text, name);
        let seen = document.read();
        if !seen {
            self.broken = true;
            self.notes.add(&format!("{name}: no test suite in it"));
        }
        self.report.began |= seen;
    }

    /// The report of all files.
    pub(super) fn finish(mut self) -> Report {
        self.report.complete = self.report.began && !self.broken;
        self.report.diagnostics = self.notes.finish();
        self.report
    }

    fn tests(&self) -> u64 {
        self.report.tests.len() as u64
    }
}

struct Document<'read, 'run, 'text> {
    reader: &'read mut Reader<'run>,
    scanner: Scanner<'text>,
    name: &'read str,
    suites: Vec<Suite<'text>>,
    stem: Stem<'text>,
    case: Option<Case<'text>>,
    /// The element whose text is collected, and whether what is inside of it is left out.
    part: Option<Part<'text>>,
    muted: bool,
    seen: bool,
}

impl<'read, 'run, 'text> Document<'read, 'run, 'text> {
    fn new(reader: &'read mut Reader<'run>, text: &'text str, name: &'read str) -> Self {
        Self {
            reader,
            scanner: Scanner::new(text),
            name,
            suites: Vec::new(),
            stem: Stem::default(),
            case: None,
            part: None,
            muted: false,
            seen: false,
        }
    }

    /// Reads to the end; whether it was a report at all.
    fn read(&mut self) -> bool {
        loop {
            if !self.collects() {
                // Most texts are the blanks between two tags.
                self.scanner.skip_blanks();
            }
            let Some(token) = self.scanner.next_token() else { break };
            match token {
                Token::Open("testcase") => self.open_case(),
                Token::Close("testcase") => self.close_case(),
                Token::Open(name) => self.open(local(name)),
                Token::Close(name) => self.close(local(name)),
                Token::Text(text) if self.collects() => self.text(unescaped(text)),
                Token::Data(text) if self.collects() => self.text(Cow::Borrowed(text)),
                Token::Text(_) | Token::Data(_) => {}
            }
        }
        self.end();
        self.seen
    }

    fn open(&mut self, name: &'text str) {
        match name {
            "testcase" => self.open_case(),
            "testsuite" | "testsuites" => self.open_suite(),
            "system-out" | "system-err" => {
                if self.end_of_tag() == InTag::Opened {
                    self.muted = true;
                }
            }
            _ => match PartKind::of(name) {
                Some(kind) if self.part.is_none() && self.seen => self.open_part(kind),
                _ => {
                    self.end_of_tag();
                }
            },
        }
    }

    fn open_case(&mut self) {
        // One that was never closed has no result to be believed.
        self.abandon_case();
        self.seen = true;
        let mut case = Case::default();
        let end = loop {
            match self.scanner.attribute() {
                InTag::Attribute(name, value) => case.set(name, value),
                end => break end,
            }
        };
        match end {
            InTag::Closed => self.end_case(&case),
            // Half a tag is half a name.
            InTag::Cut => {}
            _ => self.case = Some(case),
        }
    }

    fn open_suite(&mut self) {
        self.abandon_case();
        self.seen = true;
        let mut suite = Suite {
            name: "",
            file: None,
            tests: None,
            red: None,
            tests_before: self.reader.tests(),
            red_before: self.reader.red,
        };
        let end = loop {
            match self.scanner.attribute() {
                InTag::Attribute("name", value) => suite.name = value,
                InTag::Attribute("file" | "filepath", value) => suite.file = Some(value),
                InTag::Attribute("tests", value) => suite.tests = value.trim().parse().ok(),
                InTag::Attribute("failures" | "errors", value) => {
                    let more: Option<u64> = value.trim().parse().ok();
                    suite.red = more.map(|more| more + suite.red.unwrap_or(0));
                }
                InTag::Attribute(..) => {}
                end => break end,
            }
        };
        match end {
            InTag::Closed => self.compare(&suite),
            _ => {
                self.suites.push(suite);
                self.stem.forget();
            }
        }
    }

    fn open_part(&mut self, kind: PartKind) {
        let mut part = Part::new(kind);
        let end = loop {
            match self.scanner.attribute() {
                InTag::Attribute("type", value) => part.error_type = value,
                InTag::Attribute("message", value) => part.message = Some(value),
                InTag::Attribute(..) => {}
                end => break end,
            }
        };
        self.part = Some(part);
        if end == InTag::Closed {
            self.end_part();
        }
    }

    /// Passes over the attributes.
    fn end_of_tag(&mut self) -> InTag<'text> {
        loop {
            match self.scanner.attribute() {
                InTag::Attribute(..) => {}
                end => return end,
            }
        }
    }

    fn collects(&self) -> bool {
        self.part.is_some() && !self.muted
    }

    fn text(&mut self, text: Cow<'text, str>) {
        if let Some(part) = &mut self.part {
            part.push(text);
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "testcase" => self.close_case(),
            "testsuite" | "testsuites" => {
                self.abandon_case();
                self.stem.forget();
                match self.suites.pop() {
                    Some(suite) => self.compare(&suite),
                    None => self.broken("a </testsuite> that closes nothing"),
                }
            }
            "system-out" | "system-err" => self.muted = false,
            _ if PartKind::of(name).is_some() => self.end_part(),
            _ => {}
        }
    }

    fn close_case(&mut self) {
        self.end_part();
        self.muted = false;
        match self.case.take() {
            Some(case) => self.end_case(&case),
            None => self.broken("a </testcase> that closes nothing"),
        }
    }

    #[inline]
    fn end_part(&mut self) {
        if self.part.is_some() {
            self.end_open_part();
        }
    }

    fn end_open_part(&mut self) {
        let Some(part) = self.part.take() else { return };
        match &mut self.case {
            Some(case) => {
                case.add(part);
            }
            // A suite's own failure: a set-up of the whole class, a crash.
            None if matches!(part.kind, PartKind::Failure | PartKind::Error) => {
                self.suite_failure(&part);
            }
            None => {}
        }
    }

    fn suite_failure(&mut self, part: &Part<'text>) {
        if self.reader.report.errors.len() >= ERRORS {
            self.reader.notes.add("more failures outside of tests than are kept");
            return;
        }
        let suite = self.suites.last().map(|suite| unescaped(suite.name)).unwrap_or_default();
        let why = record(part, &suite, &mut self.reader.sources);
        let id = clean_line(&suite, LINE_CHARS);
        let mut failure = red_failure(&id, TestOutcome::Errored, why, self.reader.places, None);
        (failure.test, failure.kind) = (None, FailureKind::RuntimeError);
        if !suite.is_empty() {
            failure.message = format!("{id}: {}", failure.message);
        }
        self.reader.report.errors.push(failure);
        self.reader.red += 1;
    }

    fn end_case(&mut self, case: &Case<'text>) {
        let outcome = case.outcome();
        let id = self.id(case);
        let failure = outcome.is_red().then(|| Box::new(self.failure(case, &id, outcome)));
        self.reader.red += u64::from(outcome.is_red());
        if case.is_flaky() {
            let note = format!("{id} failed, and passed when its runner repeated it");
            self.reader.notes.add(&note);
        }
        let duration_ms = milliseconds(case.time);
        // Made where it stays: a copy of it would wait in the same way as an id that is read back.
        let case = || TestCase { id: id.into(), outcome, duration_ms, failure };
        self.reader.report.tests.extend(std::iter::once_with(case));
    }

    fn failure(&mut self, case: &Case<'text>, id: &str, outcome: TestOutcome) -> Failure {
        let class = case.class.map(unescaped).unwrap_or_default();
        let why = match case.decisive() {
            Some(part) => record(part, &class, &mut self.reader.sources),
            None => FailureRecord::default(),
        };
        let declared = case.file.or_else(|| self.suites.iter().rev().find_map(|suite| suite.file));
        let line = case.line.trim().parse().ok();
        let file = match declared {
            Some(file) => Some((unescaped(file).into_owned(), line)),
            None => {
                let found = self.reader.sources.file_of_class(&class, &why.frames);
                found.map(|file| (file, None))
            }
        };
        let test = file.as_ref().map(|(file, line)| (file.as_str(), *line));
        red_failure(id, outcome, why, self.reader.places, test)
    }

    /// A case that has no end: red if it was seen to fail, else in flight.
    #[inline]
    fn abandon_case(&mut self) {
        self.end_part();
        self.muted = false;
        if self.case.is_some() {
            self.abandon_open_case();
        }
    }

    fn abandon_open_case(&mut self) {
        let Some(case) = self.case.take() else { return };
        self.broken("a test case without its end");
        if case.decisive().is_some() {
            self.end_case(&case);
        } else {
            let id = self.id(&case);
            self.reader.report.unfinished.push(id.into());
        }
    }

    fn end(&mut self) {
        let cut = self.scanner.cut || !self.suites.is_empty() || self.case.is_some();
        self.abandon_case();
        if cut {
            let count = self.reader.report.tests.len();
            self.broken(&format!(
                "it ends in the middle; {count} whole test cases were there up to then"
            ));
        }
        if self.scanner.guesses > 0 {
            let count = self.scanner.guesses;
            self.broken(&format!("not well-formed XML in {count} places"));
        }
    }

    fn broken(&mut self, what: &str) {
        self.reader.broken = true;
        self.reader.notes.add(&format!("{}: {what}", self.name));
    }

    /// Totals are counted; a header that says otherwise is worth a remark.
    fn compare(&mut self, suite: &Suite<'text>) {
        let tests = self.reader.tests() - suite.tests_before;
        let red = self.reader.red - suite.red_before;
        let differs = |said: Option<u64>, counted| said.filter(|said| *said != counted);
        let name = unescaped(suite.name);
        if let Some(said) = differs(suite.tests, tests) {
            let note = format!("{}: suite {name} says {said} tests, {tests} are there", self.name);
            self.reader.notes.add(&note);
        }
        if let Some(said) = differs(suite.red, red) {
            let note = format!("{}: suite {name} says {said} red, {red} are there", self.name);
            self.reader.notes.add(&note);
            // Cases that are missing are no reason to believe the rest.
            self.reader.broken |= said > red;
        }
    }

    /// A box, because it is handed over in registers: what is read back from memory waits for all
    /// bytes of the id to be written. For the same reason the parts are compared, not the id.
    fn id(&mut self, case: &Case<'text>) -> Box<str> {
        if let Some((stem, name)) = self.stem.parts(case)
            && self.reader.unique.is_new_in(stem.as_bytes(), name.as_bytes())
        {
            let mut id = String::with_capacity(stem.len() + name.len());
            id.push_str(stem);
            id.push_str(name);
            return id.into_boxed_str();
        }
        let id = self.composed_id(case);
        self.reader.unique.id(id).into_boxed_str()
    }

    fn composed_id(&mut self, case: &Case<'text>) -> String {
        let name = unescaped(case.name);
        let class = case.class.filter(|class| !class.is_empty());
        let class = class.map_or_else(|| self.suite_names(), unescaped);
        let file = case.file.or_else(|| self.suites.iter().rev().find_map(|suite| suite.file));
        let without_a_file = file.is_none();
        let file = file.map(|file| self.reader.places.id_path(&unescaped(file)));
        let class = file.as_deref().map_or(&*class, |file| without_file(&class, file));
        let module = &self.reader.module;
        let mut id = String::with_capacity(module.len() + class.len() + name.len() + 2);
        if let Some(file) = file.filter(|file| !file.is_empty()) {
            id.push_str(&file);
            id.push_str("::");
        } else if !module.is_empty() {
            id.push_str(module);
            id.push('/');
        }
        if let Some(class) = case.class.filter(|class| without_a_file && !class.is_empty()) {
            self.stem.remember(&id, class);
        }
        id.push_str(class);
        if !name.is_empty() && *name != *class {
            if !class.is_empty() {
                id.push('.');
            }
            id.push_str(&name);
        }
        if id.is_empty() {
            id.push_str("(without a name)");
        }
        cleaned(id)
    }

    fn suite_names(&self) -> Cow<'text, str> {
        let named = self.suites.iter().filter(|suite| !suite.name.is_empty());
        let names: Vec<_> = named.take(DEPTH_NAMED).map(|suite| unescaped(suite.name)).collect();
        Cow::Owned(names.join(" > "))
    }
}
