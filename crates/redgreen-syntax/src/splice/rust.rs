//! Rust: modules, items and functions for tests, and examples in documentation.

use std::collections::BTreeMap;
use std::ops::Range;

use super::documentation::{has_example, without_examples};
use super::edits::{Edits, line_end, line_start};
use crate::RUST;
use crate::rust::attributes::{Before, is_inner_documentation, name_and_arguments};
use crate::tokens::normalised;
use crate::tree::{Node, Tree};

/// How deep modules and blocks in each other are followed.
const DEPTH_MAX: usize = 64;
/// Items that hold items.
const CONTAINERS: &[&str] = &["mod_item", "impl_item", "trait_item"];

/// The place of an item: the containers around it, its kind and name, and which of those it is.
type Key = (Vec<String>, String, usize);

/// The code of the first version of a file with the tests' parts of the second: what is under
/// `#[cfg(test)]`, functions that are tests, and examples in the documentation of items that both
/// have. None when that cannot be read or written as Rust.
pub fn splice_rust(code: &str, tests: &str) -> Option<String> {
    if code == tests {
        return Some(code.to_owned());
    }
    let (code_tree, tests_tree) = (Tree::parse(RUST, code)?, Tree::parse(RUST, tests)?);
    if is_all_tests(code_tree.root()) || is_all_tests(tests_tree.root()) {
        return Some(tests.to_owned());
    }
    let (parts, wanted) = (Parts::of(&code_tree, code), Parts::of(&tests_tree, tests));
    let broken = code_tree.is_broken() || tests_tree.is_broken();
    if broken {
        return parts.say_the_same(&wanted, code, tests).then(|| code.to_owned());
    }
    let mut edits = Edits::default();
    parts.put_tests(&wanted, code, tests, &mut edits);
    parts.put_documentation(&wanted, code, tests, &mut edits);
    let spliced = edits.apply(code)?;
    (!Tree::parse(RUST, &spliced)?.is_broken()).then_some(spliced)
}

/// The files of modules that are there for tests only: `tests` for `#[cfg(test)] mod tests;`, or what
/// its `#[path]` says. Modules in modules are joined with `/`.
pub fn rust_test_modules(source: &str) -> Vec<String> {
    let Some(tree) = Tree::parse(RUST, source) else { return Vec::new() };
    let mut found = Vec::new();
    let mut open = vec![(tree.root(), Vec::new(), false)];
    while let Some((container, path, in_tests)) = open.pop() {
        for (before, item) in
            Before::each(container).into_iter().filter(|(_, it)| it.kind() == "mod_item")
        {
            let name = item.field_text("name").to_owned();
            let for_tests = in_tests || before.is_for_tests();
            let mut inner: Vec<String> = path.clone();
            inner.push(name);
            match item.field("body") {
                Some(body) if path.len() < DEPTH_MAX => open.push((body, inner, for_tests)),
                None if for_tests => {
                    found.push(path_of(&before).unwrap_or_else(|| inner.join("/")))
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// What `#[path = "…"]` says.
fn path_of(before: &Before<'_>) -> Option<String> {
    let (_, value) = before.named().find(|(name, _)| *name == "path")?;
    let text = value.trim_start_matches('=').trim();
    Some(text.trim_matches('"').to_owned())
}

/// `#![cfg(test)]`: the whole file is there for tests.
fn is_all_tests(root: Node<'_>) -> bool {
    root.parts().filter(|part| part.kind() == "inner_attribute_item").any(|item| {
        let (name, arguments) = name_and_arguments(item);
        name == "cfg" && arguments.split_whitespace().collect::<String>() == "(test)"
    })
}

/// A container of items.
struct Container {
    /// Up to its opening brace.
    head: String,
    /// Where an item at its end goes.
    end: usize,
}

/// The parts of a file.
#[derive(Default)]
struct Parts {
    /// What is there for tests, by place.
    tests: BTreeMap<Key, Range<usize>>,
    /// In the order in which they stand.
    order: Vec<Key>,
    /// Documentation of what is not there for tests; empty ranges where there is none.
    documentation: BTreeMap<Key, Range<usize>>,
    containers: BTreeMap<Vec<String>, Container>,
}

impl Parts {
    fn of(tree: &Tree<'_>, source: &str) -> Self {
        let mut parts = Self::default();
        let root = tree.root();
        let end = Container { head: String::new(), end: source.len() };
        parts.containers.insert(Vec::new(), end);
        let mut open = vec![(root, Vec::new())];
        // Blocks of the same type are one container.
        let mut counts: BTreeMap<(Vec<String>, String), usize> = BTreeMap::new();
        while let Some((container, path)) = open.pop() {
            parts.read_inner_documentation(container, &path, source);
            for (before, item) in Before::each(container) {
                if item.is(&["inner_attribute_item", "empty_statement"]) {
                    continue;
                }
                let name = name_of(item);
                let count = counts.entry((path.clone(), name.clone())).or_default();
                let key = (path.clone(), name.clone(), *count);
                *count += 1;
                if is_for_tests(&before, item) {
                    let range = range_of(&before, item, source);
                    parts.order.push(key.clone());
                    parts.tests.insert(key, range);
                    continue;
                }
                parts.documentation.insert(key, documentation_of(&before, item, source));
                let body = item.field("body").filter(|_| item.is(CONTAINERS));
                if let Some(body) = body.filter(|_| path.len() < DEPTH_MAX) {
                    let mut inner = path.clone();
                    inner.push(name);
                    let range = body.range();
                    let head = source.get(item.range().start..range.start).unwrap_or_default();
                    let end = line_start(source, range.end.saturating_sub(1));
                    let head = head.trim_end().to_owned();
                    parts.containers.entry(inner.clone()).or_insert(Container { head, end });
                    open.push((body, inner));
                }
            }
        }
        parts
    }

    /// `//!` of a file or a module.
    fn read_inner_documentation(&mut self, container: Node<'_>, path: &[String], source: &str) {
        // It stands before everything else.
        let mut lines = container
            .children()
            .filter(|child| child.is_named())
            .take_while(|child| child.is_comment() || child.kind() == "inner_attribute_item")
            .filter(|child| is_inner_documentation(*child));
        let first = lines.next();
        let last = lines.last().or(first);
        if let (Some(first), Some(last)) = (first, last) {
            let start = line_start(source, first.range().start);
            let end = end_of_comment(last, source);
            self.documentation.insert((path.to_vec(), "//!".to_owned(), 0), start..end);
        }
    }

    fn say_the_same(&self, other: &Self, source: &str, other_source: &str) -> bool {
        let texts = |parts: &Self, source: &str| -> Vec<String> {
            let ranges = parts.order.iter().filter_map(|key| parts.tests.get(key));
            ranges.filter_map(|range| source.get(range.clone())).map(str::to_owned).collect()
        };
        texts(self, source) == texts(other, other_source)
    }

    /// Puts the wanted tests in the place of those that are there; what has none goes to the end of
    /// its container.
    fn put_tests(&self, wanted: &Self, code: &str, tests: &str, edits: &mut Edits) {
        for (key, range) in &self.tests {
            let here = code.get(range.clone()).unwrap_or_default();
            let text = wanted.tests.get(key).and_then(|wanted| tests.get(wanted.clone()));
            match text {
                Some(text) if text.trim() == here.trim() => {}
                Some(text) if here.ends_with('\n') && !text.ends_with('\n') => {
                    edits.replace(range.clone(), format!("{text}\n"));
                }
                text => edits.replace(range.clone(), text.unwrap_or_default()),
            }
        }
        // Items of containers that the code does not have, by container.
        let mut homeless: BTreeMap<&[String], Vec<&str>> = BTreeMap::new();
        for key in wanted.order.iter().filter(|key| !self.tests.contains_key(*key)) {
            let Some(text) = wanted.tests.get(key).and_then(|range| tests.get(range.clone()))
            else {
                continue;
            };
            match self.containers.get(&key.0) {
                Some(container) => edits.insert(container.end, format!("\n{}\n", text.trim_end())),
                None => homeless.entry(&key.0).or_default().push(text),
            }
        }
        for (path, items) in homeless {
            let head =
                |depth: usize| wanted.containers.get(&path[..depth]).map(|it| it.head.as_str());
            let heads: Vec<&str> = (1..=path.len()).filter_map(head).collect();
            let opened = heads.join(" {\n");
            let closed = "}\n".repeat(heads.len());
            edits.insert(code.len(), format!("\n{opened} {{\n{}\n{closed}", items.join("\n")));
        }
    }

    /// Puts the wanted examples in the place of those that are there.
    fn put_documentation(&self, wanted: &Self, code: &str, tests: &str, edits: &mut Edits) {
        for (key, range) in &self.documentation {
            let here = code.get(range.clone()).unwrap_or_default();
            let there = wanted
                .documentation
                .get(key)
                .and_then(|range| tests.get(range.clone()))
                .unwrap_or_default();
            if here == there || !(has_example(here) || has_example(there)) {
                continue;
            }
            if there.is_empty() {
                edits.replace(range.clone(), without_examples(here));
            } else {
                edits.replace(range.clone(), there);
            }
        }
        let top = (Vec::new(), "//!".to_owned(), 0);
        if !self.documentation.contains_key(&top)
            && let Some(text) =
                wanted.documentation.get(&top).and_then(|range| tests.get(range.clone()))
            && has_example(text)
        {
            edits.insert(0, text);
        }
    }
}

/// Whether an item is there for tests: by its attributes, or because it makes tests of its own.
fn is_for_tests(before: &Before<'_>, item: Node<'_>) -> bool {
    before.is_for_tests()
        || (item.kind() == "function_item" && before.make_a_test())
        || makes_tests(item)
        || stands_in_for_assertions(item)
}

/// A macro of the file's own under the name of one that asserts: tests below it use it unawares.
fn stands_in_for_assertions(item: Node<'_>) -> bool {
    const ASSERTING: &[&str] = &[
        "assert",
        "assert_eq",
        "assert_ne",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "panic",
        "unreachable",
        "matches",
        "assert_matches",
    ];
    item.kind() == "macro_definition" && ASSERTING.contains(&item.field_text("name"))
}

/// `proptest! { … }` and the like.
fn makes_tests(item: Node<'_>) -> bool {
    let call = if item.kind() == "expression_statement" { item.first() } else { Some(item) };
    call.filter(|call| call.kind() == "macro_invocation").is_some_and(|call| {
        matches!(call.field_text("macro"), "proptest" | "proptest::proptest" | "quickcheck")
    })
}

/// What an item is called, with its kind: the same in both versions.
fn name_of(item: Node<'_>) -> String {
    let kind = item.kind();
    match kind {
        "impl_item" => {
            let what = [item.field("trait"), item.field("type")];
            let names: Vec<String> = what.into_iter().flatten().map(normalised).collect();
            format!("{kind} {}", names.join(" for "))
        }
        "use_declaration" | "extern_crate_declaration" => normalised(item),
        "expression_statement" | "macro_invocation" => {
            format!("{kind} {}", item.text().split('!').next().unwrap_or_default())
        }
        _ => format!("{kind} {}", item.field_text("name")),
    }
}

/// The lines of an item with what stands before it.
fn range_of(before: &Before<'_>, item: Node<'_>, source: &str) -> Range<usize> {
    let first = before.all.first().copied().unwrap_or(item);
    line_start(source, first.range().start)..line_end(source, item.range().end)
}

/// The lines of an item's documentation; an empty range before the item where it has none.
fn documentation_of(before: &Before<'_>, item: Node<'_>, source: &str) -> Range<usize> {
    let comments = before.documentation();
    let (Some(first), Some(last)) = (comments.first(), comments.last()) else {
        let first = before.all.first().copied().unwrap_or(item);
        let at = line_start(source, first.range().start);
        return at..at;
    };
    line_start(source, first.range().start)..end_of_comment(*last, source)
}

/// The end of a comment with its line break, which may or may not be part of it.
fn end_of_comment(comment: Node<'_>, source: &str) -> usize {
    let end = comment.range().end;
    if comment.text().ends_with('\n') { end } else { line_end(source, end) }
}
