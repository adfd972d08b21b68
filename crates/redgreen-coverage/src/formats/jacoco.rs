//! JaCoCo's XML: `<package name=…>`, in it `<sourcefile name=…>` and its `<line nr=… mi=… ci=…>`, the
//! instructions of the line that were missed and covered. Modules are `<group name=…>` around packages.

use memchr::memmem;
use redgreen_xml::{Scanner, Token, local, unescaped};

use super::Draft;
use super::counted::{count, line};

/// Groups in groups deeper than this are not named in a path.
const DEPTH_NAMED: usize = 16;

/// How most of such a report is written.
enum Shape {}

impl redgreen_xml::Shape for Shape {
    const TAG: (&'static str, &'static str) = ("<line", "line");
    const USUAL: [(&'static str, &'static str); 2] = [(" nr=\"", "nr"), (" ci=\"", "ci")];
    const REPEATED: (&'static str, &'static str) = (" mb=\"", "mb");
}

/// Reads a document, or several in one file. The path of a file is that of its modules, its package and its name.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) {
    let (class_end, file_end) =
        (memmem::Finder::new("</class>"), memmem::Finder::new("</sourcefile>"));
    let mut scanner = Scanner::<Shape>::new(text);
    let mut groups: Vec<&str> = Vec::new();
    let mut package = "";
    let mut path: Option<String> = None;
    let mut ended = false;
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Open("line") => {
                if let Some(path) = &path {
                    read_line(&mut scanner, path, draft);
                }
            }
            Token::Open(tag) => {
                let mut named = "";
                let open = scanner.each_attribute(|name, value| {
                    if name == "name" {
                        named = value;
                    }
                });
                match local(tag) {
                    "group" if open => groups.push(named),
                    "package" => package = named,
                    // The methods of a class have no lines but the one that they begin at.
                    "class" if open => scanner.skip_past(&class_end),
                    "sourcefile" if open => {
                        let file = full_path(&groups, package, named);
                        let wanted = draft.file(&file).is_some();
                        path = wanted.then_some(file);
                        if !wanted {
                            scanner.skip_past(&file_end);
                        }
                    }
                    _ => {}
                }
            }
            Token::Close(tag) => match local(tag) {
                "group" => drop(groups.pop()),
                "package" => package = "",
                "sourcefile" => path = None,
                "report" => ended = true,
                _ => {}
            },
            Token::Text(_) | Token::Data(_) => {}
        }
    }
    draft.cut |= scanner.cut || !ended;
}

fn full_path(groups: &[&str], package: &str, name: &str) -> String {
    let groups = groups.iter().take(DEPTH_NAMED).copied();
    let parts: Vec<_> = groups.chain([package, name]).filter(|part| !part.is_empty()).collect();
    unescaped(&parts.join("/")).into_owned()
}

fn read_line(scanner: &mut Scanner<'_, Shape>, path: &str, draft: &mut Draft<'_>) {
    let (mut number, mut missed, mut covered) = ("", None, None);
    scanner.each_attribute(|name, value| match name {
        "nr" => number = value,
        "mi" => missed = count(value),
        "ci" => covered = count(value),
        _ => {}
    });
    if scanner.cut {
        return;
    }
    // Some writers say neither: such a line was not seen to run, and not seen not to.
    match (line(number), covered.or(missed.map(|_| 0))) {
        (Some(number), Some(hits)) => draft.line(path, Some(number), Some(hits), ""),
        _ => draft.odd(&format!("line {number}")),
    }
}
