//! Ids that are not the same twice: a time, a random value, an address in a parameter or in a title, and the
//! numbers that minitest puts before names.
//!
//! What varies is taken out where a report is read, so everybody who compares runs speaks of the same tests;
//! the cases of one test that are the same without it are distinguished by their order. What varies is seen
//! in the source (`parametrize("t", [time.time()])`), or it is a value that nobody writes down and that the
//! source does not have.

use std::collections::HashMap;
use std::sync::LazyLock;

use redgreen_model::report::Report;
use redgreen_syntax::{Outline, TestItem, is_case_of, language_of, outline};
use regex::Regex;

use crate::roles::name_of;

/// What stands for a value that is another one in every run.
pub const VARIES: &str = "<varies>";

/// Whether something was taken out of an id: it is not what a framework calls the test.
pub fn is_varying(id: &str) -> bool {
    id.contains(VARIES)
}

/// What gives another value in every run.
static SOURCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:random|randint|randrange|uuid\d?|urandom|secrets|nanoid|randomUUID|faker)\b",
        r"|\btime\.time|\btime_ns\b|\bperf_counter|\bmonotonic|\bnow\(|\butcnow\b|\btoday\(",
        r"|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.now\b|\bhrtime\b",
        r"|\bgetpid\b|\bprocess\.pid\b|\bid\(|\bobject\(\)|\bmkdtemp\b|\btmpdir\b",
    ))
    .ok()
});
/// Values that nobody writes down: a uuid, an address, a moment, a fraction with all of its digits.
static VALUES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
        r"|\b0x[0-9a-fA-F]{6,16}\b",
        r"|\b20\d\d-\d\d-\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?",
        r"|\b(?:1[6-9]|2[01])\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b",
        r"|\b\d{1,3}\.\d{13,}\b",
    ))
    .ok()
});
/// How many hexadecimal digits such a value has in a row, at least.
const DIGITS_OF_A_VALUE: u8 = 4;
/// What minitest makes of `it "adds"`.
static NUMBERED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\btest_\d{4}_").ok());

/// Takes what varies out of the ids of a report. Doing it twice changes nothing.
pub(crate) fn steady(report: &mut Report, read: &mut dyn FnMut(&str) -> Option<String>) {
    let ids = report.tests.iter().map(|test| &test.id);
    let ids = ids.chain(&report.unfinished).chain(&report.not_run);
    let mut files = Files { read, known: HashMap::new() };
    let mut renamed: HashMap<String, String> = HashMap::new();
    let mut counts: HashMap<String, u32> = HashMap::new();
    for id in ids.filter(|id| may_vary(id)) {
        let Some(plain) = files.steady(id).filter(|plain| plain != id) else { continue };
        if renamed.contains_key(id) {
            continue;
        }
        let count = counts.entry(plain.clone()).or_default();
        *count += 1;
        let number = if *count == 1 { String::new() } else { format!(" #{count}") };
        renamed.insert(id.clone(), format!("{plain}{number}"));
    }
    if renamed.is_empty() {
        return;
    }
    let rename = |id: &mut String| {
        if let Some(new) = renamed.get(id.as_str()) {
            id.clone_from(new);
        }
    };
    let of_tests = report.tests.iter_mut().filter_map(|test| test.failure.as_deref_mut());
    let failures = of_tests.chain(&mut report.errors).filter_map(|failure| failure.test.as_mut());
    failures.for_each(rename);
    report.tests.iter_mut().for_each(|test| rename(&mut test.id));
    report.unfinished.iter_mut().chain(&mut report.not_run).for_each(rename);
}

/// Most ids have no parameter and no digit, and are not looked at.
fn may_vary(id: &str) -> bool {
    let telling = |byte: u8| byte == b'[' || byte.is_ascii_digit();
    id.bytes().any(telling) && !(id.contains('<') && is_varying(id))
}

/// Whether an id can have a value of [`VALUES`] or a number of [`NUMBERED`] in it: each has an `0x`, or so many
/// hexadecimal digits in a row, one of them a number. Reports have many ids, and most of them have neither.
fn may_have_a_value(id: &str) -> bool {
    let (mut letters, mut numbers, mut last) = (0, 0, b' ');
    id.bytes().any(|byte| {
        let is_hex = byte.is_ascii_hexdigit();
        (letters, numbers) =
            if is_hex { (letters + 1, numbers + u8::from(byte.is_ascii_digit())) } else { (0, 0) };
        let is_address = last == b'0' && byte == b'x';
        last = byte;
        // Never more than so many in a row are counted.
        letters = letters.min(DIGITS_OF_A_VALUE);
        numbers = numbers.min(DIGITS_OF_A_VALUE);
        is_address || letters == DIGITS_OF_A_VALUE && numbers > 0
    })
}

/// The sources of tests.
struct Files<'read> {
    read: &'read mut dyn FnMut(&str) -> Option<String>,
    known: HashMap<String, Option<Source>>,
}

struct Source {
    text: String,
    /// Where anything in it may vary.
    outline: Option<Outline>,
    /// Of the tests that were asked about, by their place in the outline: a test may have thousands of cases.
    varying: HashMap<usize, bool>,
}

impl Files<'_> {
    /// The id without what varies.
    fn steady(&mut self, id: &str) -> Option<String> {
        let with_colons = || id.contains(':').then(|| id.split_once(".py::")).flatten();
        let of_python = with_colons().map(|(stem, _)| format!("{stem}.py"));
        let titled = || id.contains('>').then(|| id.split_once(" > ")).flatten();
        let of_script = || titled().map(|(file, _)| file.to_owned());
        let file = of_python.clone().or_else(of_script);
        let valued = may_have_a_value(id);
        let source = file.as_deref().and_then(|file| self.source(file));
        let Some(source) = source else {
            return valued.then(|| without_values(id, "").or_else(|| unnumbered(id))).flatten();
        };
        let seen = match of_python {
            Some(_) => source.of_python(id),
            None => source.of_script(id, file.as_deref().unwrap_or_default()),
        };
        seen.or_else(|| valued.then(|| without_values(id, &source.text)).flatten())
    }

    fn source(&mut self, file: &str) -> Option<&mut Source> {
        if !self.known.contains_key(file) {
            let language = language_of(name_of(file));
            let text = language.and_then(|_| (self.read)(file));
            let found = text.zip(language).map(|(text, language)| {
                let outline = varies(&text).then(|| outline(language, &text));
                Source { text, outline, varying: HashMap::new() }
            });
            self.known.insert(file.to_owned(), found);
        }
        self.known.get_mut(file)?.as_mut()
    }
}

impl Source {
    /// `a.py::test_b[1763308000.5]`, where the table of the test says so.
    fn of_python(&mut self, id: &str) -> Option<String> {
        let (plain, parameter) = id.split_once('[')?;
        let path: Vec<&str> = plain.split("::").skip(1).collect();
        let at = self.outline.as_ref()?.tests.iter().position(|test| test.path == path)?;
        if !self.test_varies(at, |source, test| source.varies(head(test))) {
            return None;
        }
        // An id that is written down (`ids=["a", "b"]`) is the same in every run.
        let head = head(self.outline.as_ref()?.tests.get(at)?);
        let parameter = parameter.trim_end_matches(']');
        let quoted =
            |text: &str| ['"', '\''].iter().any(|it| head.contains(&format!("{it}{text}{it}")));
        let written = quoted(parameter) || parameter.split('-').all(quoted);
        (!written).then(|| format!("{plain}[{VARIES}]"))
    }

    /// `a.test.js > works at 1763308000`, where the title or the table says so.
    fn of_script(&mut self, id: &str, file: &str) -> Option<String> {
        let names = id.strip_prefix(file)?.strip_prefix(" > ")?;
        let made = |test: &TestItem| is_case_of(names, &test.path.join(" > "));
        let at = self.outline.as_ref()?.tests.iter().position(made)?;
        let varies = |source: &Self, test: &TestItem| {
            source.varies(&test.path.join(" > "))
                || test.parameters.iter().any(|row| source.varies(row))
        };
        if !self.test_varies(at, varies) {
            return None;
        }
        let title = self.outline.as_ref()?.tests.get(at)?.path.join(" > ");
        Some(format!("{file} > {title} {VARIES}"))
    }

    /// Whether this is so of a test; looked at once.
    fn test_varies(&mut self, at: usize, varies: impl Fn(&Self, &TestItem) -> bool) -> bool {
        if let Some(known) = self.varying.get(&at) {
            return *known;
        }
        let test = self.outline.as_ref().and_then(|outline| outline.tests.get(at));
        let found = test.is_some_and(|test| varies(self, test));
        self.varying.insert(at, found);
        found
    }

    /// Whether a text gives another value in every run, or a constant of the file that it names does.
    fn varies(&self, text: &str) -> bool {
        let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        varies(text) || words.filter(|word| word.len() > 1).any(|word| self.constant_varies(word))
    }

    fn constant_varies(&self, name: &str) -> bool {
        let starts = |line: &&str| {
            let line = ["export ", "const ", "let ", "var "]
                .iter()
                .fold(*line, |line, word| line.strip_prefix(word).unwrap_or(line));
            line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
        };
        let mut lines = self.text.lines().skip_while(|line| !starts(line));
        let Some(first) = lines.next() else { return false };
        let inside = |line: &&str| line.starts_with([' ', '\t', ')', ']', '}']);
        varies(first) || lines.take_while(inside).any(varies)
    }
}

/// What stands before a function of Python: its decorators.
fn head(test: &TestItem) -> &str {
    test.text.split_once("def ").map_or("", |(head, _)| head)
}

fn varies(text: &str) -> bool {
    SOURCES.as_ref().is_some_and(|known| known.is_match(text))
}

/// The id without values that nobody writes down; those that the source has were written down.
fn without_values(id: &str, source: &str) -> Option<String> {
    let known = VALUES.as_ref()?;
    let fresh = |value: &str| !source.contains(value) && (!source.is_empty() || is_unique(value));
    known.find_iter(id).any(|found| fresh(found.as_str())).then(|| {
        let replace = |found: &regex::Captures<'_>| match found.get(0).map(|it| it.as_str()) {
            Some(value) if fresh(value) => VARIES.to_owned(),
            value => value.unwrap_or_default().to_owned(),
        };
        known.replace_all(id, replace).into_owned()
    })
}

/// Whether a value cannot be meant by anybody, whatever its source.
fn is_unique(value: &str) -> bool {
    value.starts_with("0x") || value.split('-').count() == 5
}

fn unnumbered(id: &str) -> Option<String> {
    let known = NUMBERED.as_ref()?;
    known.is_match(id).then(|| known.replace(id, "test_").into_owned())
}

#[cfg(test)]
mod tests {
    use redgreen_model::report::{TestCase, TestOutcome};

    use super::*;

    #[track_caller]
    fn steady_ids(files: &[(&str, &str)], ids: &[&str]) -> Vec<String> {
        let case = |id: &&str| TestCase {
            id: (*id).to_owned(),
            outcome: TestOutcome::Passed,
            duration_ms: 0,
            failure: None,
        };
        let mut report = Report { tests: ids.iter().map(case).collect(), ..Report::default() };
        let find = |path: &str| files.iter().find(|(known, _)| *known == path);
        let mut read = |path: &str| find(path).map(|(_, text)| (*text).to_owned());
        steady(&mut report, &mut read);
        let once: Vec<String> = report.tests.iter().map(|test| test.id.clone()).collect();
        steady(&mut report, &mut read);
        let twice: Vec<String> = report.tests.iter().map(|test| test.id.clone()).collect();
        assert_eq!(once, twice);
        once
    }

    #[test]
    fn what_has_no_value_is_not_looked_at_and_what_has_one_is() {
        let values = [
            "a 1b4e28ba-2fa1-11d2-883f-0016d3cca427",
            "<A at 0xdeadbeef>",
            "at 2026-01-02T03:04:05Z",
            "at 1763308000.5",
            "0.12345678901234567",
            "test_0001_adds",
        ];
        for id in values {
            assert!(may_have_a_value(id), "{id}");
            let found = |known: &LazyLock<Option<Regex>>| {
                known.as_ref().is_some_and(|known| known.is_match(id))
            };
            assert!(found(&VALUES) || found(&NUMBERED), "{id}");
        }
        for id in ["adds 1 and 2", "test_123", "face feed decade", "x0 a1 b2 c3 d4", "é12 é34"] {
            assert!(!may_have_a_value(id), "{id}");
        }
    }

    #[test]
    fn what_the_source_says_varies_is_taken_out_and_counted() {
        let python = "import random\nfrom uuid import uuid4\n\nCASES = [\n    random.randint(1, 9),\n]\nFIXED = [4, 5]\n\n@pytest.mark.parametrize('t', [time.time(), 1])\ndef test_time(t):\n    assert t\n\n@pytest.mark.parametrize('n', CASES)\ndef test_random(n):\n    assert n\n\n@pytest.mark.parametrize('n', FIXED)\ndef test_fixed(n):\n    assert random\n\n@pytest.mark.parametrize('n', [str(uuid4())])\nclass TestA:\n    def test_in_class(self, n):\n        assert n\n";
        let ids = [
            "a.py::test_time[1763308000.12]",
            "a.py::test_time[1]",
            "a.py::test_random[7]",
            "a.py::test_fixed[4]",
            "a.py::test_plain",
            "a.py::TestA::test_in_class[1b4e28ba-2fa1-11d2-883f-0016d3cca427]",
        ];
        let wanted = [
            "a.py::test_time[<varies>]",
            "a.py::test_time[<varies>] #2",
            "a.py::test_random[<varies>]",
            "a.py::test_fixed[4]",
            "a.py::test_plain",
            "a.py::TestA::test_in_class[<varies>]",
        ];
        assert_eq!(steady_ids(&[("a.py", python)], &ids), wanted);
    }

    #[test]
    fn titles_are_known_by_what_they_are_made_of() {
        let script = "const stamp = Date.now();\ndescribe('a', () => {\n  test(`works at ${stamp}`, () => { expect(1).toBe(1); });\n  test.each([[1, 2]])('adds %i and %i', (a, b) => { expect(a).toBe(b); });\n});\n";
        let ids = ["a.test.js > a > works at 1763308000123", "a.test.js > a > adds 1 and 2"];
        let wanted = ["a.test.js > a > works at ${stamp} <varies>", "a.test.js > a > adds 1 and 2"];
        assert_eq!(steady_ids(&[("a.test.js", script)], &ids), wanted);
    }

    #[test]
    fn values_that_nobody_writes_down_are_taken_out_unless_they_are_written_down() {
        let python = "CASES = ['2020-01-01T10:00:00', 1609459200]\n";
        let ids = [
            "a.py::test_a[2020-01-01T10:00:00]",
            "a.py::test_a[1609459200]",
            "a.py::test_a[1609459201]",
            "a.py::test_a[<object at 0x7f3a1c0d2e50>]",
            "a.py::test_a[0.8444218515250481]",
            "a.py::test_a[20]",
            "pkg.TestX/1b4e28ba-2fa1-11d2-883f-0016d3cca427",
            "pkg.TestX/1609459200",
            "Calc::test_0001_adds",
        ];
        let wanted = [
            "a.py::test_a[2020-01-01T10:00:00]",
            "a.py::test_a[1609459200]",
            "a.py::test_a[<varies>]",
            "a.py::test_a[<object at <varies>>]",
            "a.py::test_a[<varies>] #2",
            "a.py::test_a[20]",
            "pkg.TestX/<varies>",
            "pkg.TestX/1609459200",
            "Calc::test_adds",
        ];
        assert_eq!(steady_ids(&[("a.py", python)], &ids), wanted);
        assert_eq!(
            steady_ids(&[("a.py", "def test_0001_a(): pass\n")], &["a.py::test_0001_a"]),
            ["a.py::test_0001_a"]
        );
    }
}
