//! What an input is, recognised by its beginning.

use serde_json::Value;

/// How much of an input is looked at, in bytes.
pub(super) const HEAD_BYTES: usize = 64 * 1024;
/// How many lines of a log may come before the events of a program.
const LINES_BEFORE: usize = 20;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// redgreen's own report stream.
    Stream,
    /// JUnit XML, whoever wrote it.
    JunitXml,
    /// Common Test Report Format.
    Ctrf,
    /// What jest writes with `--json`.
    JestJson,
    /// What vitest writes with `--reporter=json`.
    VitestJson,
    /// What mocha writes with `--reporter json`.
    MochaJson,
    /// Test Anything Protocol.
    Tap,
    /// What `go test -json` writes.
    GoJson,
    /// What libtest writes with `--format json`.
    LibtestJson,
    /// What cargo writes with `--message-format json`.
    CargoJson,
    /// ESLint's JSON.
    EslintJson,
    /// ruff's JSON.
    RuffJson,
    /// What programs print.
    Console,
}

impl Format {
    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "redgreen_stream",
            Self::JunitXml => "junit_xml",
            Self::Ctrf => "ctrf",
            Self::JestJson => "jest_json",
            Self::VitestJson => "vitest_json",
            Self::MochaJson => "mocha_json",
            Self::Tap => "tap",
            Self::GoJson => "go_json",
            Self::LibtestJson => "libtest_json",
            Self::CargoJson => "cargo_json",
            Self::EslintJson => "eslint_json",
            Self::RuffJson => "ruff_json",
            Self::Console => "console",
        }
    }
}

/// The format of an input; what is nothing else is a log.
pub fn recognise(bytes: &[u8]) -> Format {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    let found = match head.first() {
        Some(b'<') => has(head, "<testsuite").then_some(Format::JunitXml),
        Some(b'{') => of_object(head),
        Some(b'[') => of_array(head),
        _ => None,
    };
    found.or_else(|| of_lines(head)).unwrap_or(Format::Console)
}

fn of_object(head: &[u8]) -> Option<Format> {
    let is_ctrf = has(head, "\"CTRF\"")
        || has(head, "\"results\"") && has(head, "\"tool\"") && has(head, "\"summary\"");
    if is_ctrf {
        Some(Format::Ctrf)
    } else if has(head, "\"numTotalTestSuites\"") {
        // jest has no word for what vitest calls a suite's meta data.
        Some(if has(head, "\"meta\"") { Format::VitestJson } else { Format::JestJson })
    } else {
        let mocha = ["\"stats\"", "\"passes\"", "\"tests\""].iter().all(|word| has(head, word));
        mocha.then_some(Format::MochaJson)
    }
}

fn of_array(head: &[u8]) -> Option<Format> {
    if has(head, "\"filePath\"") && has(head, "\"messages\"") {
        Some(Format::EslintJson)
    } else if has(head, "\"filename\"") && has(head, "\"end_location\"") {
        Some(Format::RuffJson)
    } else {
        None
    }
}

/// Formats of one event a line, which other lines may come before.
fn of_lines(head: &[u8]) -> Option<Format> {
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty()).take(LINES_BEFORE).find_map(of_line)
}

fn of_line(line: &[u8]) -> Option<Format> {
    if line.starts_with(b"TAP version 1") {
        return Some(Format::Tap);
    }
    if line.first() != Some(&b'{') {
        return None;
    }
    let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(line) else { return None };
    let has = |names: &[&str]| names.iter().all(|name| fields.contains_key(*name));
    if has(&["event", "run"]) {
        Some(Format::Stream)
    } else if has(&["Action", "Package"]) || has(&["Action", "ImportPath"]) {
        Some(Format::GoJson)
    } else if has(&["type", "event"]) {
        Some(Format::LibtestJson)
    } else if has(&["reason"]) {
        Some(Format::CargoJson)
    } else {
        None
    }
}

fn has(head: &[u8], words: &str) -> bool {
    memchr::memmem::find(head, words.as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised_by_their_content() {
        let cases = [
            ("", Format::Console),
            ("hello\n", Format::Console),
            ("{\"event\":\"hello\",\"run\":\"r\"}\n", Format::Stream),
            ("\u{feff}<?xml version=\"1.0\"?>\n<testsuites/>", Format::JunitXml),
            ("\n <testsuite name=\"a\"/>", Format::JunitXml),
            ("<html>", Format::Console),
            ("{\"reportFormat\": \"CTRF\"}", Format::Ctrf),
            ("{\"results\": {\"tool\": {}, \"summary\": {}}}", Format::Ctrf),
            ("{\"numTotalTestSuites\":1,\"testResults\":[]}", Format::JestJson),
            ("{\"numTotalTestSuites\":1,\"testResults\":[{\"meta\":{}}]}", Format::VitestJson),
            ("{\"stats\": {\"tests\": 1, \"passes\": 1}, \"tests\": []}", Format::MochaJson),
            ("TAP version 14\n1..1\n", Format::Tap),
            ("> a@1.0.0 test\n> node --test\n\nTAP version 13\n", Format::Tap),
            ("{\"Time\":\"x\",\"Action\":\"run\",\"Package\":\"p\"}\n", Format::GoJson),
            ("go: downloading x\n{\"Action\":\"start\",\"Package\":\"p\"}\n", Format::GoJson),
            (
                "{ \"type\": \"suite\", \"event\": \"started\", \"test_count\": 1 }\n",
                Format::LibtestJson,
            ),
            ("{\"reason\":\"compiler-artifact\"}\n", Format::CargoJson),
            ("[{\"filePath\":\"a.js\",\"messages\":[]}]", Format::EslintJson),
            ("[{\"code\":\"F401\",\"end_location\":{},\"filename\":\"a.py\"}]", Format::RuffJson),
            ("{\"half\": ", Format::Console),
            ("[1] 1234\n", Format::Console),
        ];
        for (text, wanted) in cases {
            assert_eq!(recognise(text.as_bytes()), wanted, "{text}");
        }
    }
}
