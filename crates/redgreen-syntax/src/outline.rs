//! The tests of a file.

use std::collections::BTreeSet;

use redgreen_model::text::{BLOCK_CHARS, LINE_CHARS, bound_middle, distinct_line};

use crate::assertion::{Assertion, Claim, assertions};
use crate::language::Language;
use crate::tokens::{hash_of, is_directive, normalised, shape, without_modules, words};
use crate::tree::{Node, Tree};
use crate::values;

/// How many tests of one file are kept.
const TESTS_MAX: usize = 20_000;
/// How many literals, calls or rows of one test are kept.
pub(crate) const FACTS_MAX: usize = 2_000;

/// How many lines at the beginning of a file may say how it is read.
const HEAD_LINES: u32 = 2;

/// Statements at the top of a file that bind names of other files.
const IMPORTS: &[&str] = &[
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "import_declaration",
    // Of Java: where a class stands says what it sees, as an import does.
    "package_declaration",
    "use_declaration",
];

/// What a file of tests holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Its tests, in order.
    pub tests: Vec<TestItem>,
    /// Its other functions; of Go also the types, constants and variables of the package.
    pub helpers: Vec<Item>,
    /// A hash of the lines that belong to no test and to no function [apart](Item::apart), but for blank
    /// ones, comments and imports; empty where there are none.
    pub rest: String,
    /// Its imports, without their layout.
    pub imports: Vec<String>,
}

/// A test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestItem {
    /// Class, `describe` and the like, then the name.
    pub path: Vec<String>,
    /// Its first line, from 1, with its attributes.
    pub line: u32,
    /// Its last line.
    pub end_line: u32,
    /// A hash of its tokens: no comments, no layout, its own name left out.
    pub shape: String,
    /// The same without the names of modules before other names.
    pub shape_without_modules: String,
    /// Its source, bounded: for before and after.
    pub text: String,
    /// What it asks, in order.
    pub assertions: Vec<Assertion>,
    /// Whether it never runs: marked so, or skipped by its first act.
    pub skipped: bool,
    /// Whether it is marked as one that fails.
    pub expected_failure: bool,
    /// The rows of its table, if they are written out.
    pub parameters: Vec<String>,
    /// The literals it holds, sorted.
    pub literals: Vec<String>,
    /// The functions it calls by name, in order, each call counted.
    pub calls: Vec<String>,
}

/// A function of a test file that is no test, or what else is declared beside the tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// A hash of its tokens, its name left out.
    pub shape: String,
    /// What it asks.
    pub assertions: Vec<Assertion>,
    /// The literals it holds, sorted.
    pub literals: Vec<String>,
    /// The functions it calls by name.
    pub calls: Vec<String>,
    /// Its first and last line, where it acts only for those who name it: such a function that is new
    /// changes no test that is as it was.
    pub apart: Option<(u32, u32)>,
}

/// The outline of a file of tests. Never fails: of a source with errors, what could be read.
pub fn outline(language: Language, source: &str) -> Outline {
    let Some(tree) = Tree::parse(language, source) else { return Outline::default() };
    let mut outline = (language.0.outline)(&tree);
    outline.tests.truncate(TESTS_MAX);
    outline.helpers.truncate(TESTS_MAX);
    let imports: Vec<Node<'_>> = tree.root().parts().filter(|node| is_import(*node)).collect();
    outline.imports = imports.iter().map(|node| normalised(*node)).collect();
    let imported = imports.iter().map(|import| (import.line(), import.end_line()));
    let functions = outline.helpers.iter().filter_map(|item| item.apart);
    let of_tests = outline.tests.iter().map(|test| (test.line, test.end_line));
    let apart = imported.chain(functions).chain(of_tests).chain(comments(&tree, source));
    outline.rest = rest(apart, source);
    leave_out_calls_of_helpers(&mut outline);
    outline
}

/// `import …`, or `const … = require(…)`.
pub(crate) fn is_import(node: Node<'_>) -> bool {
    let mut bound = node.parts().filter(|part| part.kind() == "variable_declarator").peekable();
    let declares = node.is(&["lexical_declaration", "variable_declaration"]);
    let requires = declares && bound.peek().is_some();
    node.is_or(IMPORTS, |kinds| kinds.imports)
        || (node.syntax().is_import)(node)
        || (requires && bound.all(|part| part.field_text("value").starts_with("require(")))
}

/// The lines that are nothing but a comment. One that tools act on counts, and so does what stands at
/// the very beginning: it may say how the file is read.
fn comments(tree: &Tree<'_>, source: &str) -> Vec<(u32, u32)> {
    let lines: Vec<&str> = source.lines().collect();
    let comments = tree.root().below().filter(|node| node.is_comment() && !is_directive(*node));
    let found = comments.filter_map(|node| {
        let text = node.text().trim();
        let first = lines.get(node.line() as usize - 1)?.trim();
        let more = u32::try_from(text.lines().count()).ok()?.checked_sub(1)?;
        let last = lines.get((node.line() + more) as usize - 1)?.trim();
        let alone = text.starts_with(first) && text.ends_with(last) && node.line() > HEAD_LINES;
        alone.then_some((node.line(), node.line() + more))
    });
    found.collect()
}

/// What stands around the tests, and what they may stand on.
fn rest(parts: impl Iterator<Item = (u32, u32)>, source: &str) -> String {
    let mut apart = vec![false; source.lines().count() + 1];
    for (first, last) in parts {
        for line in apart.iter_mut().take(last as usize + 1).skip(first as usize) {
            *line = true;
        }
    }
    let lines = source.lines().enumerate().filter(|(at, _)| apart.get(at + 1) == Some(&false));
    let lines = lines.map(|(_, line)| line.trim_end()).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    if lines.is_empty() { String::new() } else { hash_of(lines.into_iter()) }
}

/// A call of `assert_total(…)` that the file itself defines asks what its body asks, no more.
fn leave_out_calls_of_helpers(outline: &mut Outline) {
    let names: BTreeSet<String> = outline.helpers.iter().map(|item| item.name.clone()).collect();
    let is_call = |assertion: &Assertion| {
        let head = assertion.text.split(" (").next().unwrap_or_default();
        names.contains(head.rsplit([' ', '.']).next().unwrap_or_default())
    };
    for test in &mut outline.tests {
        test.assertions.retain(|assertion| !is_call(assertion));
    }
    for helper in &mut outline.helpers {
        helper.assertions.retain(|assertion| !is_call(assertion));
    }
}

/// How a language's room reads the parts of a test.
#[derive(Clone, Copy)]
pub(crate) struct TestSyntax<'tree> {
    /// The assertion that begins at a node.
    pub(crate) claim_at: fn(Node<'tree>) -> Option<Claim>,
    /// The name of the function that is called at a node.
    pub(crate) callee: fn(Node<'tree>) -> Option<&'tree str>,
    /// Whether a literal is only said when the test fails: no value that it asks about.
    pub(crate) is_message: fn(Node<'tree>) -> bool,
}

/// Where a test stands.
pub(crate) struct TestNode<'tree, 'list> {
    /// All of it, with its attributes.
    pub(crate) whole: Node<'tree>,
    /// Its name.
    pub(crate) name: Option<Node<'tree>>,
    /// Where its assertions are.
    pub(crate) body: Node<'tree>,
    /// What in it is another test.
    pub(crate) apart: &'list [Node<'tree>],
    /// Names of modules that the file imports.
    pub(crate) modules: &'list BTreeSet<String>,
}

/// A test from its place; what its marks say is filled in by the language's room.
pub(crate) fn test_item<'tree>(
    path: Vec<String>,
    place: &TestNode<'tree, '_>,
    reading: TestSyntax<'tree>,
) -> TestItem {
    let TestNode { whole, name, body, apart, modules } = *place;
    let own = name.map(Node::range);
    let kept: Vec<&str> = match own {
        // The name is one leaf or one string: its words are left out where they stand.
        Some(_) => words_without(whole, name),
        None => words(whole),
    };
    TestItem {
        path: path.iter().map(|part| distinct_line(part, LINE_CHARS)).collect(),
        line: whole.line(),
        end_line: whole.end_line(),
        shape: shape(whole, &left_out(whole, name)),
        shape_without_modules: without_modules(&kept, modules),
        text: bound_middle(whole.text(), BLOCK_CHARS),
        assertions: assertions(body, reading.claim_at, apart),
        literals: literals_below(body, reading, apart),
        calls: calls_below(body, reading, apart),
        ..TestItem::default()
    }
}

/// What of a test is not its content: its name, and that it is one of a class of Python.
fn left_out<'tree>(whole: Node<'tree>, name: Option<Node<'tree>>) -> Vec<Node<'tree>> {
    let mut found: Vec<Node<'tree>> = name.into_iter().collect();
    let function = whole.all().find(|node| node.kind() == "function_definition");
    let parameters = function.and_then(|function| function.field("parameters"));
    let mut parts = parameters.into_iter().flat_map(Node::children).skip(1);
    if let Some(first) = parts.next().filter(|part| matches!(part.text(), "self" | "cls")) {
        found.push(first);
        found.extend(parts.next().filter(|part| part.text() == ","));
    }
    found
}

fn words_without<'tree>(whole: Node<'tree>, name: Option<Node<'tree>>) -> Vec<&'tree str> {
    whole
        .children()
        .filter(|child| name != Some(*child))
        .flat_map(|child| match name {
            Some(name) if name.is_in(child) && child != name && !child.is_leaf() => {
                child.children().filter(|part| *part != name).flat_map(words).collect()
            }
            _ => words(child),
        })
        .collect()
}

/// A function that is no test.
pub(crate) fn helper_item<'tree>(
    name: Node<'tree>,
    whole: Node<'tree>,
    reading: TestSyntax<'tree>,
) -> Item {
    Item {
        name: name.text().to_owned(),
        shape: shape(whole, &left_out(whole, Some(name))),
        assertions: assertions(whole, reading.claim_at, &[]),
        literals: literals_below(whole, reading, &[]),
        calls: calls_below(whole, reading, &[]),
        apart: None,
    }
}

fn literals_below<'tree>(
    body: Node<'tree>,
    reading: TestSyntax<'tree>,
    apart: &[Node<'tree>],
) -> Vec<String> {
    let found: BTreeSet<String> = body
        .all_but(apart)
        .filter(|node| values::is_literal(*node) && !(reading.is_message)(*node))
        .take(FACTS_MAX)
        .map(|node| distinct_line(&normalised(node), LINE_CHARS))
        .collect();
    found.into_iter().collect()
}

fn calls_below<'tree>(
    body: Node<'tree>,
    reading: TestSyntax<'tree>,
    apart: &[Node<'tree>],
) -> Vec<String> {
    let called = body.all_but(apart).filter(|node| node.is_named());
    called.filter_map(reading.callee).take(FACTS_MAX).map(str::to_owned).collect()
}

/// The rows of a list that is written out.
pub(crate) fn rows(list: Node<'_>) -> Vec<String> {
    list.parts().take(FACTS_MAX).map(|row| distinct_line(&normalised(row), LINE_CHARS)).collect()
}
