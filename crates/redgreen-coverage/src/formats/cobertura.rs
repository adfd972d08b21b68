//! Cobertura's XML, which many tools write: a `<class filename=…>` and its `<line number=… hits=…>`.
//!
//! A class has its lines twice: in its methods, and all of them behind. Some writers put declarations among
//! those of the methods, which no other format of the same tool has; so only the lines of the class count.

use std::borrow::Cow;

use memchr::memmem;
use redgreen_xml::{Scanner, Token, local, unescaped};

use super::Draft;
use super::counted::{count, line};

/// How most of such a report is written.
pub(super) enum Shape {}

impl redgreen_xml::Shape for Shape {
    const TAG: (&'static str, &'static str) = ("<line", "line");
    const USUAL: [(&'static str, &'static str); 2] =
        [(" number=\"", "number"), (" hits=\"", "hits")];
    const REPEATED: (&'static str, &'static str) = (" branch=\"", "branch");
}

/// Reads a document, or several in one file.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) {
    let class_end = memmem::Finder::new("</class>");
    let methods_end = memmem::Finder::new("</methods>");
    let mut scanner = Scanner::<Shape>::new(text);
    let mut path: Option<Cow<'_, str>> = None;
    let (mut in_source, mut ended) = (false, false);
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Open("line") => {
                if let Some(path) = &path {
                    read_line(&mut scanner, path, draft);
                }
            }
            Token::Open(name) => match local(name) {
                "class" => {
                    let mut file = "";
                    let open = scanner.each_attribute(|name, value| {
                        if name == "filename" {
                            file = value;
                        }
                    });
                    let file = unescaped(file);
                    let wanted = draft.file(&file).is_some();
                    path = (open && wanted).then_some(file);
                    if open && !wanted {
                        scanner.skip_past(&class_end);
                    }
                }
                "methods" if scanner.each_attribute(|_, _| {}) => scanner.skip_past(&methods_end),
                "source" => in_source = scanner.each_attribute(|_, _| {}),
                _ => {}
            },
            Token::Close(name) => match local(name) {
                "class" => path = None,
                "coverage" => ended = true,
                "source" => in_source = false,
                _ => {}
            },
            Token::Text(source) if in_source => {
                let source = unescaped(source.trim());
                if !source.is_empty() {
                    draft.reading.sources.push(source.into_owned());
                }
            }
            Token::Text(_) | Token::Data(_) => {}
        }
    }
    draft.cut |= scanner.cut || !ended;
}

fn read_line(scanner: &mut Scanner<'_, Shape>, path: &str, draft: &mut Draft<'_>) {
    let (mut number, mut hits) = ("", "");
    scanner.each_attribute(|name, value| match name {
        "number" => number = value,
        "hits" => hits = value,
        _ => {}
    });
    if scanner.cut {
        return;
    }
    match (line(number), count(hits)) {
        (Some(number), Some(hits)) => draft.line(path, Some(number), Some(hits), ""),
        _ => draft.odd(&format!("line {number} hits {hits}")),
    }
}
