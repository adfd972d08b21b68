//! A syntax tree as a list in reading order: what is below a node is a range of it, so that
//! nothing that looks at a tree needs to recurse, however deep it is.

use std::num::NonZeroU16;
use std::ops::{ControlFlow, Range};

use tree_sitter::{ParseOptions, ParseState, Parser, TreeCursor};

use crate::language::{Kinds, Language, Syntax};

/// The longest source that is read, in bytes.
pub(crate) const SOURCE_MAX: usize = 2 << 20;
/// How often the parser may report progress before it is stopped, at least.
const PROGRESS_MIN: usize = 20_000;
/// What is below this depth is one leaf.
const DEPTH_MAX: u16 = 600;

/// How much of the source before a node is looked at, in bytes.
const TEXT_BEFORE: usize = 200;

/// A node as it is kept.
#[derive(Debug)]
struct Raw {
    kind: u16,
    field: Option<NonZeroU16>,
    start: u32,
    end: u32,
    row: u32,
    end_row: u32,
    parent: u32,
    /// One past the last node below it.
    last: u32,
    named: bool,
    extra: bool,
}

/// The tree of one source.
#[derive(Debug)]
pub(crate) struct Tree<'source> {
    source: &'source str,
    language: Language,
    /// Knows the names of kinds and fields.
    grammar: tree_sitter::Language,
    nodes: Vec<Raw>,
    broken: bool,
}

/// A place in a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'tree> {
    tree: &'tree Tree<'tree>,
    at: u32,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Node<'_> {}

impl<'source> Tree<'source> {
    /// Reads a source; none when it is too long or too hard to read.
    pub(crate) fn parse(language: Language, source: &'source str) -> Option<Self> {
        if source.len() > SOURCE_MAX {
            return None;
        }
        let mut parser = Parser::new();
        let grammar = (language.0.grammar)();
        parser.set_language(&grammar).ok()?;
        let mut left = PROGRESS_MIN.max(source.len());
        let mut progress = |_: &ParseState| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let bytes = source.as_bytes();
        let tree = parser.parse_with_options(
            &mut |offset, _| bytes.get(offset..).unwrap_or_default(),
            None,
            Some(ParseOptions::new().progress_callback(&mut progress)),
        )?;
        let broken = tree.root_node().has_error();
        let nodes = flatten(tree.walk());
        Some(Self { source, language, grammar, nodes, broken })
    }

    /// Whether a part of the source could not be read.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// The line of a byte of the source, from 1.
    pub(crate) fn line_of(&self, at: usize) -> u32 {
        let before = self.source.as_bytes().get(..at).unwrap_or_default();
        index(before.iter().filter(|byte| **byte == b'\n').count()).saturating_add(1)
    }

    pub(crate) fn root(&self) -> Node<'_> {
        Node { tree: self, at: 0 }
    }
}

/// The nodes in reading order.
fn flatten(mut cursor: TreeCursor<'_>) -> Vec<Raw> {
    let mut nodes: Vec<Raw> = Vec::new();
    let mut above: Vec<u32> = Vec::new();
    loop {
        let at = index(nodes.len());
        nodes.push(raw(&cursor, above.last().copied().unwrap_or_default()));
        let deep = above.len() >= usize::from(DEPTH_MAX);
        if !deep && cursor.goto_first_child() {
            above.push(at);
            continue;
        }
        close(&mut nodes, at);
        while !cursor.goto_next_sibling() {
            let Some(parent) = above.pop() else { return nodes };
            close(&mut nodes, parent);
            if !cursor.goto_parent() {
                return nodes;
            }
        }
    }
}

fn close(nodes: &mut [Raw], at: u32) {
    let last = index(nodes.len());
    if let Some(node) = nodes.get_mut(at as usize) {
        node.last = last;
    }
}

fn raw(cursor: &TreeCursor<'_>, parent: u32) -> Raw {
    let node = cursor.node();
    Raw {
        kind: node.kind_id(),
        field: cursor.field_id(),
        start: index(node.start_byte()),
        end: index(node.end_byte()),
        row: index(node.start_position().row),
        end_row: index(node.end_position().row),
        parent,
        last: 0,
        named: node.is_named(),
        extra: node.is_extra(),
    }
}

/// A source is at most [`SOURCE_MAX`] long, so that an index always fits.
fn index(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

impl<'tree> Node<'tree> {
    fn raw(self) -> &'tree Raw {
        &self.tree.nodes[self.at as usize]
    }

    fn other(self, at: u32) -> Self {
        Self { tree: self.tree, at }
    }

    /// What its language answers.
    pub(crate) fn syntax(self) -> &'static Syntax {
        self.tree.language.0
    }

    /// The name of its kind in the grammar.
    pub(crate) fn kind(self) -> &'tree str {
        // What could not be read has an id that no grammar names.
        self.tree.grammar.node_kind_for_id(self.raw().kind).unwrap_or("ERROR")
    }

    /// Whether its kind is one of these, which grammars share, or of those that its own has for it.
    pub(crate) fn is_or(self, shared: &[&str], own: fn(&Kinds) -> &'static [&'static str]) -> bool {
        self.is(shared) || self.is(own(&self.syntax().kinds))
    }

    /// Whether its kind is one of these.
    pub(crate) fn is(self, kinds: &[&str]) -> bool {
        kinds.contains(&self.kind())
    }

    pub(crate) fn is_named(self) -> bool {
        self.raw().named
    }

    /// Whether it is a comment.
    pub(crate) fn is_comment(self) -> bool {
        let raw = self.raw();
        raw.named && (raw.extra || self.kind().ends_with("comment")) && self.kind() != "ERROR"
    }

    /// Whether it stands in this field of its parent.
    pub(crate) fn is_in_field(self, name: &str) -> bool {
        self.raw().field.is_some() && self.raw().field == self.tree.grammar.field_id_for_name(name)
    }

    /// Whether its place has a name in its parent.
    pub(crate) fn is_in_a_field(self) -> bool {
        self.raw().field.is_some()
    }

    /// What tells it from all others of its tree.
    pub(crate) fn place(self) -> u32 {
        self.at
    }

    /// Where it begins in its line, in bytes.
    pub(crate) fn column(self) -> u32 {
        let before = self.tree.source.as_bytes().get(..self.range().start).unwrap_or_default();
        index(before.iter().rev().take_while(|byte| **byte != b'\n').count())
    }

    /// The bytes it stands at.
    pub(crate) fn range(self) -> Range<usize> {
        self.raw().start as usize..self.raw().end as usize
    }

    pub(crate) fn text(self) -> &'tree str {
        self.tree.source.get(self.range()).unwrap_or_default()
    }

    /// The last letters of the source before it.
    pub(crate) fn text_before(self) -> &'tree str {
        let start = self.range().start;
        let mut from = start.saturating_sub(TEXT_BEFORE);
        while !self.tree.source.is_char_boundary(from) {
            from -= 1;
        }
        self.tree.source.get(from..start).unwrap_or_default()
    }

    /// The line it begins in, from 1.
    pub(crate) fn line(self) -> u32 {
        self.raw().row.saturating_add(1)
    }

    /// The line it ends in, from 1.
    pub(crate) fn end_line(self) -> u32 {
        self.raw().end_row.saturating_add(1)
    }

    pub(crate) fn parent(self) -> Option<Self> {
        (self.at != 0).then(|| self.other(self.raw().parent))
    }

    /// From its parent up to the root.
    pub(crate) fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// Whether it is below `other`, or is it.
    pub(crate) fn is_in(self, other: Self) -> bool {
        (other.at..other.raw().last).contains(&self.at)
    }

    /// Everything below it in reading order, without itself.
    pub(crate) fn below(self) -> impl Iterator<Item = Self> {
        (self.at + 1..self.raw().last).map(move |at| self.other(at))
    }

    /// Itself, then everything below it.
    pub(crate) fn all(self) -> impl Iterator<Item = Self> {
        (self.at..self.raw().last).map(move |at| self.other(at))
    }

    /// Itself and everything below it, but nothing below `apart`, which is in reading order.
    pub(crate) fn all_but(self, apart: &[Self]) -> impl Iterator<Item = Self> {
        let last = self.raw().last;
        let (mut at, mut left) = (self.at, apart);
        std::iter::from_fn(move || {
            while let Some((first, rest)) = left.split_first().filter(|(first, _)| first.at <= at) {
                at = at.max(first.raw().last);
                left = rest;
            }
            let node = (at < last).then(|| self.other(at));
            at += 1;
            node
        })
    }

    pub(crate) fn is_leaf(self) -> bool {
        self.raw().last == self.at + 1
    }

    /// Its children with all tokens and comments.
    pub(crate) fn children(self) -> impl Iterator<Item = Self> {
        let first = (!self.is_leaf()).then(|| self.other(self.at + 1));
        let last = self.raw().last;
        std::iter::successors(first, move |child| {
            let next = child.raw().last;
            (next < last).then(|| child.other(next))
        })
    }

    /// Its children that are neither tokens nor comments.
    pub(crate) fn parts(self) -> impl Iterator<Item = Self> {
        self.children().filter(|child| child.is_named() && !child.is_comment())
    }

    /// The first of its parts.
    pub(crate) fn first(self) -> Option<Self> {
        self.parts().next()
    }

    /// The child in a field.
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        let id = self.tree.grammar.field_id_for_name(name)?;
        self.children().find(|child| child.raw().field == Some(id))
    }

    /// All children in a field.
    pub(crate) fn fields(self, name: &str) -> impl Iterator<Item = Self> {
        let id = self.tree.grammar.field_id_for_name(name);
        self.children().filter(move |child| id.is_some() && child.raw().field == id)
    }

    /// Whether it has a child token of this text.
    pub(crate) fn has_token(self, token: &str) -> bool {
        self.children().any(|child| !child.is_named() && child.kind() == token)
    }

    /// The sibling right after it, tokens and comments included.
    pub(crate) fn next(self) -> Option<Self> {
        let last = self.parent()?.raw().last;
        let next = self.raw().last;
        (next < last).then(|| self.other(next))
    }

    /// Its siblings before it that are neither tokens nor comments, in reading order.
    pub(crate) fn parts_before(self) -> impl Iterator<Item = Self> {
        let at = self.at;
        self.parent().into_iter().flat_map(Self::parts).take_while(move |sibling| sibling.at < at)
    }

    /// The text in a field, or nothing.
    pub(crate) fn field_text(self, name: &str) -> &'tree str {
        self.field(name).map_or("", Self::text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::PYTHON;

    #[test]
    fn what_is_below_a_node_is_a_range() {
        let source = "def f(a):  # why\n    return g(a)\n";
        let tree = Tree::parse(PYTHON, source).expect("it is short");
        assert!(!tree.is_broken());
        let function = tree.root().first().expect("a function");
        assert_eq!(function.kind(), "function_definition");
        assert_eq!(function.field_text("name"), "f");
        assert_eq!((function.line(), function.end_line()), (1, 2));
        let call = function.below().find(|node| node.kind() == "call").expect("a call");
        assert_eq!(call.text(), "g(a)");
        assert!(call.is_in(function) && !function.is_in(call));
        assert!(function.children().any(Node::is_comment));
        assert!(!function.parts().any(Node::is_comment));
    }

    #[test]
    fn a_source_too_deep_or_too_long_has_an_end() {
        let deep = format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
        assert!(Tree::parse(PYTHON, &deep).is_some());
        let long = " ".repeat(SOURCE_MAX + 1);
        assert!(Tree::parse(PYTHON, &long).is_none());
    }
}
