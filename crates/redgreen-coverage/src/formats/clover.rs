//! Clover's XML: a `<file name=… path=…>` and its `<line num=… count=… type=…>`.
//!
//! The lines on which methods are declared (`type="method"`) are left out: they are no statements. A line with a condition
//! may have no count of its own; it ran if one of its branches was taken.

use std::borrow::Cow;

use memchr::memmem;
use redgreen_xml::{Scanner, Token, local, unescaped};

use super::Draft;
use super::counted::{count, line};

/// How most of such a report is written.
enum Shape {}

impl redgreen_xml::Shape for Shape {
    const TAG: (&'static str, &'static str) = ("<line", "line");
    const USUAL: [(&'static str, &'static str); 2] = [(" num=\"", "num"), (" count=\"", "count")];
    const REPEATED: (&'static str, &'static str) = (" type=\"", "type");
}

/// Reads a document, or several in one file.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) {
    let file_end = memmem::Finder::new("</file>");
    let mut scanner = Scanner::<Shape>::new(text);
    let mut path: Option<Cow<'_, str>> = None;
    let mut ended = false;
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Open("line") => {
                if let Some(path) = &path {
                    read_line(&mut scanner, path, draft);
                }
            }
            Token::Open(name) if local(name) == "file" => {
                let (mut short, mut full) = ("", "");
                let open = scanner.each_attribute(|name, value| match name {
                    "name" => short = value,
                    "path" => full = value,
                    _ => {}
                });
                let file = unescaped(if full.is_empty() { short } else { full });
                let wanted = draft.file(&file).is_some();
                path = (open && wanted).then_some(file);
                if open && !wanted {
                    scanner.skip_past(&file_end);
                }
            }
            Token::Close(name) => match local(name) {
                "file" => path = None,
                "coverage" => ended = true,
                _ => {}
            },
            _ => {}
        }
    }
    draft.cut |= scanner.cut || !ended;
}

fn read_line(scanner: &mut Scanner<'_, Shape>, path: &str, draft: &mut Draft<'_>) {
    let (mut number, mut hits, mut branches, mut method) = ("", None, None, false);
    scanner.each_attribute(|name, value| match name {
        "num" => number = value,
        "count" => hits = count(value),
        "truecount" | "falsecount" => branches = branches.max(count(value)),
        "type" => method = value == "method",
        _ => {}
    });
    if method || scanner.cut {
        return;
    }
    match (line(number), hits.or(branches)) {
        (Some(number), Some(hits)) => draft.line(path, Some(number), Some(hits), ""),
        _ => draft.odd(&format!("line {number}")),
    }
}
