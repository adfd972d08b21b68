//! The tables of a TOML file, and the entries in them, as they are written.

use toml::{Table, Value};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use super::{Body, Group, Judges};

/// What a table or an entry is, by its names from the outside in.
pub(crate) type JudgesPath<'rule> = &'rule dyn Fn(&[&str]) -> Judges;

/// The tables of a text. A value that would have to be taken apart itself is an error.
pub(crate) fn read(text: &str, judges: JudgesPath<'_>) -> Result<Group, String> {
    // What is written here relies on the text being TOML.
    text.parse::<Table>().map_err(|error| not_toml(&error))?;
    let mut pieces = Vec::new();
    let mut table = Part { header: None, path: Vec::new(), entries: Vec::new() };
    let mut before = String::new();
    for line in statements(text) {
        let bare = line.trim_start();
        if bare.is_empty() || bare.starts_with('#') {
            before.push_str(line);
        } else if bare.starts_with('[') {
            let done = std::mem::replace(&mut table, Part::new(line, &mut before)?);
            done.into_pieces(judges, &mut pieces)?;
        } else {
            table.push(std::mem::take(&mut before), line)?;
        }
    }
    table.into_pieces(judges, &mut pieces)?;
    Ok(Group::new(pieces, "\n").around("", before))
}

/// What a path is where tables judge, all that is in them included; `*` is any name.
pub(crate) fn below(path: &[&str], tables: &[&[&str]]) -> Judges {
    let fits = |table: &&&[&str]| {
        table.iter().zip(path).all(|(wanted, name)| *wanted == "*" || wanted == name)
    };
    match tables.iter().find(fits) {
        Some(table) if path.len() < table.len() => Judges::Partly,
        Some(_) => Judges::Yes,
        None => Judges::No,
    }
}

/// Whether the text is TOML: what was put together may say something twice.
pub(crate) fn checked(text: String) -> Result<String, String> {
    match text.parse::<Table>() {
        Ok(_) => Ok(text),
        Err(error) => Err(format!("put together it is {}", not_toml(&error))),
    }
}

fn not_toml(error: &toml::de::Error) -> String {
    format!("not TOML ({})", error.message())
}

/// A table as it is written: its header, and its entries.
struct Part {
    header: Option<String>,
    path: Vec<String>,
    entries: Vec<(Vec<String>, String)>,
}

impl Part {
    fn new(header: &str, before: &mut String) -> Result<Self, String> {
        let array = header.trim_start().starts_with("[[");
        let path = names(&header.parse::<Table>().map_err(|error| not_toml(&error))?);
        let mut header = std::mem::take(before) + header;
        if array {
            // An entry of a list is known by its name.
            header.insert(0, '\0');
        }
        Ok(Self { header: Some(header), path, entries: Vec::new() })
    }

    fn push(&mut self, before: String, line: &str) -> Result<(), String> {
        // The value may be a table itself, whose names are not asked for.
        let key = line.get(..after_key(line)).unwrap_or_default();
        let key: Table = format!("{key}=0").parse().map_err(|error| not_toml(&error))?;
        self.entries.push((names(&key), before + line));
        Ok(())
    }

    fn pieces(&self, path: &[&str], judges: JudgesPath<'_>) -> Result<Vec<(String, Body)>, String> {
        let piece = |(names, text): &(Vec<String>, String)| {
            Ok((format!("{names:?}"), entry(path, names, text, judges)?))
        };
        self.entries.iter().map(piece).collect()
    }

    fn into_pieces(
        self,
        judges: JudgesPath<'_>,
        pieces: &mut Vec<(String, Body)>,
    ) -> Result<(), String> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let Some(header) = &self.header else {
            // What is outside of all tables stays before them, whatever is put in.
            let entries = self.pieces(&path, judges)?;
            pieces.push((String::new(), Body::Group(Group::new(entries, "\n"))));
            return Ok(());
        };
        let (header, array) = match header.strip_prefix('\0') {
            Some(header) => (header, true),
            None => (header.as_str(), false),
        };
        let name = self.entries.iter().find(|(names, _)| array && *names == ["name"]);
        let name = name.map(|(_, text)| meaning(text)).unwrap_or_default();
        let key = format!("{array} {path:?} {name}");
        let side = judges(&path);
        let body = if side == Judges::Partly {
            let mut group = Group::new(self.pieces(&path, judges)?, "\n").around(header, "");
            // A setting of something that is gone has no meaning.
            group.alone = !array;
            Body::Group(group)
        } else {
            let entries = self.entries.iter().map(|(_, text)| text.as_str());
            let text: String = [header].into_iter().chain(entries).collect();
            Body::whole(side, text.clone(), || meaning(&text))
        };
        pieces.push((key, body));
        Ok(())
    }
}

fn entry(
    table: &[&str],
    names: &[String],
    text: &str,
    judges: JudgesPath<'_>,
) -> Result<Body, String> {
    let path: Vec<&str> = table.iter().copied().chain(names.iter().map(String::as_str)).collect();
    let side = match judges(&path) {
        Judges::Partly if holds_tests(text, table, judges) => {
            let name = path.join(".");
            return Err(format!("`{name}` is written as an inline table; write it as [{name}]"));
        }
        // An inline table is one piece, and code as long as nothing in it judges.
        Judges::Partly => Judges::No,
        side => side,
    };
    Ok(Body::whole(side, text.to_owned(), || meaning(text)))
}

/// Whether something inside of an entry judges.
fn holds_tests(text: &str, table: &[&str], judges: JudgesPath<'_>) -> bool {
    let Ok(entry) = text.parse::<Table>() else { return true };
    let mut open: Vec<(Vec<String>, &Table)> =
        vec![(table.iter().map(|name| (*name).to_owned()).collect(), &entry)];
    while let Some((path, table)) = open.pop() {
        for (name, value) in table {
            let inner: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
            let names: Vec<&str> = inner.iter().map(String::as_str).collect();
            match (judges(&names), value) {
                (Judges::Yes | Judges::Or, _) => return true,
                (Judges::Partly, Value::Table(table)) => open.push((inner, table)),
                (Judges::Partly, Value::Array(items)) => {
                    open.extend(
                        items.iter().filter_map(|item| Some((inner.clone(), item.as_table()?))),
                    );
                }
                _ => {}
            }
        }
    }
    false
}

/// The names that lead to the only value: a header or an entry alone.
fn names(table: &Table) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = Some(table);
    while let Some((name, value)) = rest.and_then(|table| table.iter().next()) {
        names.push(name.clone());
        rest = match value {
            Value::Table(table) => Some(table),
            Value::Array(items) => items.first().and_then(Value::as_table),
            _ => None,
        };
    }
    names
}

/// What a part of a text says, whatever its layout and comments.
fn meaning(text: &str) -> String {
    text.parse::<Table>().map_or_else(|_| text.to_owned(), |table| table.to_string())
}

/// Where the key of an entry ends.
fn after_key(line: &str) -> usize {
    let equals = Source::new(line).lex().find(|token| token.kind() == TokenKind::Equals);
    equals.map_or(line.len(), |token| token.span().start())
}

/// The text in pieces of whole lines: a blank line, a comment, a header, or an entry with all of its
/// lines.
fn statements(text: &str) -> Vec<&str> {
    let (mut ends, mut depth) = (vec![0], 0_usize);
    for token in Source::new(text).lex() {
        match token.kind() {
            TokenKind::Newline if depth == 0 => ends.push(token.span().end()),
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => depth += 1,
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    ends.push(text.len());
    ends.dedup();
    ends.windows(2).filter_map(|ends| text.get(ends[0]..ends[1])).collect()
}
