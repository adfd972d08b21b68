//! The elements of an XML file, as they are written.

use super::{Body, Group, Judges};

/// What an element is, by the names from the outside in; a name may have what the element is known by
/// behind it, as in `plugin maven-surefire-plugin`.
pub(crate) type JudgesElement = fn(&[&str]) -> Judges;

/// The most elements inside each other that are looked into.
const DEPTH: usize = 64;
/// The children that an element is known by.
const KNOWN_BY: &[&str] = &["artifactId", "id"];

/// The document of a text.
pub(crate) fn read(text: &str, judges: JudgesElement) -> Result<Group, String> {
    let nodes = nodes(text)?;
    group(text, &nodes, 0..text.len(), &mut Vec::new(), judges)
}

/// An element, with the blanks and comments before it.
struct Node {
    /// Where what belongs to it begins.
    before: usize,
    start: usize,
    /// Where its content begins, and where it ends: the same for an empty one.
    content: std::ops::Range<usize>,
    end: usize,
    name: String,
    children: Vec<Node>,
}

/// The elements at the top of the text.
fn nodes(text: &str) -> Result<Vec<Node>, String> {
    let mut open: Vec<Node> = Vec::new();
    let mut top = Vec::new();
    let mut at = 0;
    let mut before = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('<')).map(|found| at + found) {
        let rest = text.get(start..).unwrap_or_default();
        let passed = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];
        if let Some((_, end)) = passed.iter().find(|(mark, _)| rest.starts_with(mark)) {
            let length = rest.find(end).ok_or("not XML: something has no end")?;
            at = start + length + end.len();
            continue;
        }
        let length = tag_length(rest).ok_or("not XML: a tag has no end")?;
        let tag = rest.get(1..length - 1).unwrap_or_default();
        at = start + length;
        if let Some(name) = tag.strip_prefix('/') {
            let mut node = open.pop().filter(|node| node.name == name.trim());
            let node = node.as_mut().ok_or_else(|| format!("not XML: <{tag}> closes nothing"))?;
            node.content.end = start;
            node.end = at;
            let node = std::mem::replace(node, Node::new(at, at, at, ""));
            open.last_mut().map_or(&mut top, |parent| &mut parent.children).push(node);
            before = at;
            continue;
        }
        let name = tag.trim_end_matches('/').split_whitespace().next().unwrap_or_default();
        let node = Node::new(before, start, at, name);
        before = at;
        if tag.ends_with('/') {
            open.last_mut().map_or(&mut top, |parent| &mut parent.children).push(node);
        } else if open.len() < DEPTH {
            open.push(node);
        } else {
            return Err("elements are too deep inside each other".to_owned());
        }
    }
    match open.last() {
        Some(node) => Err(format!("not XML: <{}> has no end", node.name)),
        None => Ok(top),
    }
}

impl Node {
    fn new(before: usize, start: usize, end: usize, name: &str) -> Self {
        let name = name.to_owned();
        Self { before, start, content: end..end, end, name, children: Vec::new() }
    }

    /// The name, and what the element is known by.
    fn known_as(&self, text: &str) -> String {
        let known = KNOWN_BY.iter().find_map(|name| {
            let child = self.children.iter().find(|child| child.name == *name)?;
            Some(text.get(child.content.clone())?.trim())
        });
        match known {
            Some(known) => format!("{} {known}", self.name),
            None => self.name.clone(),
        }
    }
}

/// How long a tag is, with its brackets; a bracket in quotes does not end it.
fn tag_length(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The elements in a range of the text; what is before the first and behind the last goes around them.
fn group(
    text: &str,
    nodes: &[Node],
    range: std::ops::Range<usize>,
    path: &mut Vec<String>,
    judges: JudgesElement,
) -> Result<Group, String> {
    let mut pieces = Vec::new();
    for node in nodes {
        let known = node.known_as(text);
        path.push(known.clone());
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        let side = judges(&names);
        let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        let body = if side == Judges::Partly && node.content.start < node.end {
            let inside = group(text, &node.children, node.content.clone(), path, judges)?;
            let (open, close) = (
                format!("{}{}", piece(node.before, node.content.start), inside.open),
                format!("{}{}", inside.close, piece(node.content.end, node.end)),
            );
            let mut inside = inside.around(open, close);
            // Without what it is known by, it is nothing.
            inside.alone = known == node.name;
            Body::Group(inside)
        } else {
            let side = if side == Judges::Partly { Judges::No } else { side };
            let whole = piece(node.before, node.end).to_owned();
            let content = piece(node.start, node.end);
            Body::whole(side, whole, || content.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        path.pop();
        pieces.push((known, body));
    }
    let last = nodes.last().map_or(range.start, |node| node.end);
    Ok(Group::new(pieces, "").around("", text.get(last..range.end).unwrap_or_default()))
}
