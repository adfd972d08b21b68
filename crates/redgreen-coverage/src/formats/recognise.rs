//! Which format a report is in, by what it says and not by its name.

use std::borrow::Cow;

use memchr::memmem;
use redgreen_xml::{InTag, Scanner, Token, decoded, local};

use super::Format;
use super::cobertura::Shape;

/// How far the beginning of a report may be from its first byte.
const HEAD_BYTES: usize = 64 * 1024;

/// What only one of the formats in JSON has. In a string inside of the report the quotes would be escaped.
const JSON_MARKS: [(&str, Format); 5] = [
    ("\"llvm.coverage.json.export\"", Format::Llvm),
    ("\"statementMap\"", Format::Istanbul),
    ("\"executed_lines\"", Format::CoveragePy),
    ("\"missing_lines\"", Format::CoveragePy),
    ("\"segments\"", Format::Llvm),
];

/// The format of a report; none where it is not one that is known.
#[must_use]
pub fn recognise(bytes: &[u8]) -> Option<Format> {
    let bytes = without_utf16(bytes);
    let whole = bytes.trim_ascii_start();
    let head = whole.get(..HEAD_BYTES).unwrap_or(whole);
    match head.first()? {
        b'<' => xml(&decoded(head).0),
        b'{' => json(head).or_else(|| json(whole)),
        _ => lines(head),
    }
}

fn json(bytes: &[u8]) -> Option<Format> {
    let found = JSON_MARKS
        .iter()
        .filter_map(|(mark, format)| Some((memmem::find(bytes, mark.as_bytes())?, *format)));
    found.min_by_key(|(at, _)| *at).map(|(_, format)| format)
}

fn xml(head: &str) -> Option<Format> {
    let mut scanner = Scanner::<Shape>::new(head);
    while let Some(token) = scanner.next_token() {
        let Token::Open(name) = token else { continue };
        match local(name) {
            "report" => return Some(Format::Jacoco),
            "coverage" => {}
            _ => return None,
        }
        while let InTag::Attribute(name, _) = scanner.attribute() {
            if name == "clover" {
                return Some(Format::Clover);
            }
        }
        return match next_tag(&mut scanner) {
            Some("project" | "testproject") => Some(Format::Clover),
            _ => Some(Format::Cobertura),
        };
    }
    None
}

fn next_tag<'text>(scanner: &mut Scanner<'text, Shape>) -> Option<&'text str> {
    while let Some(token) = scanner.next_token() {
        if let Token::Open(name) = token {
            return Some(name);
        }
    }
    None
}

fn lines(head: &[u8]) -> Option<Format> {
    if head.starts_with(b"mode: ") {
        return Some(Format::Go);
    }
    head.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"SF:")).then_some(Format::Lcov)
}

/// The bytes in UTF-8, where a shell has written them in UTF-16, and without the mark at their beginning.
pub(super) fn without_utf16(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Cow::Owned(decoded(bytes).0.into_owned().into_bytes());
    }
    Cow::Borrowed(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}
