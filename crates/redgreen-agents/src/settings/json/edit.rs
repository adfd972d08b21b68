//! Edits of a text: each is a function from text to text that touches one place.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use super::{Item, Node};

/// Used where a text does not show how it is indented.
const INDENT: &str = "  ";

/// A new text of a value, over several lines.
pub fn whole(value: &Value) -> String {
    format!("{}\n", Layout { base: String::new(), unit: INDENT, line: Some("\n") }.show(value))
}

/// Puts a value at the end of an object or a list, the way the things around it are written.
///
/// A container that was empty is filled on the line of its bracket after one blank, which
/// nothing else here does: so an empty container that was there is told from one that came with its
/// content, and taking the content away leaves what was there.
pub fn append(
    text: &str,
    root: &Node,
    container: &Node,
    name: Option<&str>,
    value: &Value,
) -> String {
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let unit = unit_of(text, root);
    let named = |shown: String| match name {
        Some(name) => format!("{}: {shown}", Value::from(name)),
        None => shown,
    };
    let (position, addition) = match container.items().last() {
        None => {
            let lines = text.trim_end().contains('\n') || container.start == root.start;
            let base = indent_at(text, container.start).to_owned();
            let layout = Layout { base, unit, line: lines.then_some(line) };
            (container.start + 1, format!(" {}", named(layout.show(value))))
        }
        Some(last) => {
            let own_line = own_line_indent(text, last.start);
            let base = own_line.unwrap_or_default().to_owned();
            let layout = Layout { base, unit, line: own_line.map(|_| line) };
            let shown = named(layout.show(value));
            let addition = match own_line {
                Some(indent) => format!(",{line}{indent}{shown}"),
                None => format!(", {shown}"),
            };
            (last.value.end, addition)
        }
    };
    format!("{}{addition}{}", &text[..position], &text[position..])
}

/// Takes an item out of its container, with one comma; comments around it stay.
pub fn cut(text: &str, container: &Node, index: usize) -> String {
    let items = container.items();
    let item = &items[index];
    let mut gone: Vec<Range<usize>> = Vec::new();
    if let Some(before) = index.checked_sub(1).map(|index| &items[index])
        && item.comma.is_none()
    {
        match before.comma {
            Some(comma) if is_blank_but_for(text, before.value.end..item.start, comma) => {
                gone.push(before.value.end..item.value.end);
            }
            comma => {
                gone.extend(comma.map(|comma| comma..comma + 1));
                gone.push(item.start..item.value.end);
            }
        }
    } else if let (Some(after), Some(comma)) = (items.get(index + 1), item.comma) {
        if is_blank_but_for(text, item.value.end..after.start, comma) {
            gone.push(item.start..after.start);
        } else {
            gone.push(item.start..item.value.end);
            gone.push(comma..comma + 1);
        }
    } else {
        let bracket = container.start + 1;
        let blank = text[bracket..item.start].trim().is_empty();
        gone.push(if blank { bracket } else { item.start }..item.value.end);
    }
    without(text, &gone)
}

/// Puts another value in the place of one, over several lines if that one was.
pub fn replace(text: &str, root: &Node, item: &Item, value: &Value) -> String {
    let old = &text[item.value.start..item.value.end];
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let layout = Layout {
        base: indent_at(text, item.start).to_owned(),
        unit: unit_of(text, root),
        line: old.contains('\n').then_some(line),
    };
    format!("{}{}{}", &text[..item.value.start], layout.show(value), &text[item.value.end..])
}

fn without(text: &str, gone: &[Range<usize>]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut position = 0;
    for range in gone {
        kept.push_str(&text[position..range.start]);
        position = range.end;
    }
    kept.push_str(&text[position..]);
    kept
}

fn is_blank_but_for(text: &str, range: Range<usize>, comma: usize) -> bool {
    text[range.start..comma].trim().is_empty() && text[comma + 1..range.end].trim().is_empty()
}

/// The blanks at the beginning of the line of a position.
fn indent_at(text: &str, position: usize) -> &str {
    let start = text[..position].rfind('\n').map_or(0, |line| line + 1);
    let line = &text[start..position];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The same, if there is nothing but blanks before the position on a line that is not the first.
fn own_line_indent(text: &str, position: usize) -> Option<&str> {
    let start = text[..position].rfind('\n')? + 1;
    let before = &text[start..position];
    before.trim_matches([' ', '\t']).is_empty().then_some(before)
}

/// By how much the text indents, as its first level shows.
fn unit_of<'text>(text: &'text str, root: &Node) -> &'text str {
    let first = root.items().first().and_then(|item| own_line_indent(text, item.start));
    first.filter(|indent| !indent.is_empty()).unwrap_or(INDENT)
}

/// How a value is shown.
struct Layout<'text> {
    base: String,
    unit: &'text str,
    /// How lines end; `None` for everything on one line.
    line: Option<&'text str>,
}

impl Layout<'_> {
    fn show(&self, value: &Value) -> String {
        let mut shown = String::new();
        self.put(&mut shown, value, 1);
        shown
    }

    fn put(&self, shown: &mut String, value: &Value, depth: usize) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                shown.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    self.begin(shown, index, depth);
                    let _ = write!(shown, "{}: ", Value::from(name.as_str()));
                    self.put(shown, value, depth + 1);
                }
                self.end(shown, depth);
                shown.push('}');
            }
            Value::Array(values) if !values.is_empty() => {
                shown.push('[');
                for (index, value) in values.iter().enumerate() {
                    self.begin(shown, index, depth);
                    self.put(shown, value, depth + 1);
                }
                self.end(shown, depth);
                shown.push(']');
            }
            plain => {
                let _ = write!(shown, "{plain}");
            }
        }
    }

    fn begin(&self, shown: &mut String, index: usize, depth: usize) {
        if index > 0 {
            shown.push_str(if self.line.is_some() { "," } else { ", " });
        }
        self.new_line(shown, depth);
    }

    fn end(&self, shown: &mut String, depth: usize) {
        self.new_line(shown, depth - 1);
    }

    fn new_line(&self, shown: &mut String, depth: usize) {
        if let Some(line) = self.line {
            shown.push_str(line);
            shown.push_str(&self.base);
            shown.push_str(&self.unit.repeat(depth));
        }
    }
}
