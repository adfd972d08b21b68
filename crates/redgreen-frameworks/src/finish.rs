//! The last step of reading, the same for every report whoever made it: each failure gets its
//! place, its class and its fingerprint.

use std::borrow::Cow;
use std::collections::HashMap;

use redgreen_model::report::{Failure, FailureKind, Location, Report};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::FileRole;
use redgreen_redact::{redact, redact_distinct};

use crate::classify::{error_class, is_a_time_limit};
use crate::enclosing::{enclosing_function, line_text};
use crate::file_role;
use crate::fingerprint::fingerprint;
use crate::place::Places;
use crate::stack::frames_in;
use crate::stream::NO_MESSAGE;
use crate::varying_ids;

/// The project that a report is about.
#[derive(Clone, Copy)]
pub struct Project<'project> {
    /// Where it is.
    pub places: Places<'project>,
    /// The text of a file, by its path from the root of the work tree; none where it cannot be
    /// read. Names the function around a line, for languages whose failures do not.
    pub source: &'project dyn Fn(&str) -> Option<String>,
}

/// Completes every failure of a report; one without a message gets the line that failed. Doing it
/// twice changes nothing.
#[must_use]
pub fn finish(report: Report, project: &Project<'_>) -> Report {
    let mut report = without_secrets(report);
    let mut sources = Sources::new(project.source);
    // An id gives its file from the folder of the check, or from further up.
    varying_ids::steady(&mut report, &mut |file| {
        let paths = [project.places.relative(file), Some(file.to_owned())];
        paths.into_iter().flatten().find_map(|path| sources.file(&path).map(str::to_owned))
    });
    let of_tests = report.tests.iter_mut().filter_map(|test| test.failure.as_deref_mut());
    for failure in of_tests.chain(&mut report.errors) {
        locate(failure, project.places);
        let places = failure.location.iter_mut().chain(&mut failure.test_location);
        for place in places.chain(&mut failure.frames) {
            sources.name_function(place);
        }
        if failure.message == NO_MESSAGE
            && let Some(line) = failure.frames.first().and_then(|place| sources.line_text(place))
        {
            failure.message = format!("failed: {line}");
        }
        if failure.test.is_some() && is_a_time_limit(failure) {
            failure.kind = FailureKind::Timeout;
        }
        let place = failure.location.as_ref();
        failure.in_tests = place.is_some_and(|place| file_role(&place.file) == FileRole::Tests);
        failure.error_class = error_class(failure);
        failure.fingerprint = fingerprint(failure, project.places, &mut sources);
    }
    report
}

/// Secrets in ids: until now a test was known by all of its letters, from here on it is stored and shown.
/// All other texts were redacted when they were read.
fn without_secrets(mut report: Report) -> Report {
    let of_tests = report.tests.iter_mut().filter_map(|test| test.failure.as_deref_mut());
    let failures = of_tests.chain(&mut report.errors).filter_map(|failure| failure.test.as_mut());
    failures.for_each(distinguish);
    report.tests.iter_mut().for_each(|test| distinguish(&mut test.id));
    report.unfinished.iter_mut().chain(&mut report.not_run).for_each(distinguish);
    for note in &mut report.diagnostics {
        if let Cow::Owned(redacted) = redact(note) {
            *note = redacted;
        }
    }
    report
}

fn distinguish(id: &mut String) {
    if let Cow::Owned(redacted) = redact_distinct(id) {
        *id = redacted;
    }
}

/// Finds the places in the stack, where the report came without frames.
fn locate(failure: &mut Failure, places: Places<'_>) {
    if !failure.frames.is_empty() {
        return;
    }
    let test = failure.test_location.as_ref().map(|place| (place.file.clone(), place.line));
    let test_file = test.as_ref().map(|(file, line)| (places.absolute(file), *line));
    let declared = test_file.as_ref().map(|(file, line)| (file.as_str(), *line));
    let located = places.locate(&frames_in(&failure.stack), declared);
    failure.frames = located.frames;
    if failure.location.is_none() && !failure.frames.is_empty() {
        failure.location = located.location;
    }
}

/// What is known of the lines that failures point to; each is looked up once.
pub(crate) struct Sources<'project> {
    read: &'project dyn Fn(&str) -> Option<String>,
    files: HashMap<String, Option<String>>,
    held_bytes: usize,
    lines: HashMap<(String, u32), Around>,
}

/// The most bytes of source text that are held; beyond, files are read again when they are needed.
const HELD_BYTES_MAX: usize = 32 * 1024 * 1024;

/// What is around a line.
#[derive(Clone, Default)]
struct Around {
    function: Option<String>,
    text: Option<String>,
}

impl<'project> Sources<'project> {
    /// Nothing is known yet.
    pub(crate) fn new(read: &'project dyn Fn(&str) -> Option<String>) -> Self {
        Self { read, files: HashMap::new(), held_bytes: 0, lines: HashMap::new() }
    }

    /// The text of the line, in one line and bounded.
    pub(crate) fn line_text(&mut self, place: &Location) -> Option<String> {
        self.around(place)?.text.clone()
    }

    /// Gives the place the name of its function. The source's name is used where the failure has
    /// none or only its end (`get` of `Cart.get`), and always where frames' names cannot be relied
    /// on: Rust's depend on the environment, and JavaScript's are those of the called function once
    /// a source map was applied.
    fn name_function(&mut self, place: &mut Location) {
        let Some(around) = self.around(place).filter(|around| around.text.is_some()) else {
            return;
        };
        let known = place.function.as_deref();
        let is_end = |found: &str| {
            known.is_some_and(|known| {
                found.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'))
            })
        };
        match &around.function {
            Some(found) if known.is_none() || is_unreliable(&place.file) || is_end(found) => {
                place.function = Some(found.clone());
            }
            None if is_javascript(&place.file) => place.function = None,
            _ => {}
        }
    }

    fn file(&mut self, file: &str) -> Option<&str> {
        if !self.files.contains_key(file) {
            if self.held_bytes > HELD_BYTES_MAX {
                self.files.clear();
                self.held_bytes = 0;
            }
            let text = (self.read)(file);
            self.held_bytes += text.as_ref().map_or(0, String::len);
            self.files.insert(file.to_owned(), text);
        }
        self.files.get(file)?.as_deref()
    }

    fn around(&mut self, place: &Location) -> Option<&Around> {
        let key = (place.file.clone(), place.line?);
        if !self.lines.contains_key(&key) {
            let source = self.file(&key.0);
            let around = source.map_or_else(Around::default, |text| Around {
                function: enclosing_function(&key.0, text, key.1)
                    .map(|name| clean_line(&name, LINE_CHARS)),
                text: line_text(text, key.1).map(|line| clean_line(line, LINE_CHARS)),
            });
            self.lines.insert(key.clone(), around);
        }
        self.lines.get(&key)
    }
}

fn is_javascript(file: &str) -> bool {
    let extension = file.rsplit('.').next().unwrap_or_default();
    matches!(extension, "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts")
}

fn is_unreliable(file: &str) -> bool {
    file.ends_with(".rs") || is_javascript(file)
}

#[cfg(test)]
mod tests;
