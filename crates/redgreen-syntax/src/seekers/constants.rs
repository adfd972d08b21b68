//! Functions that answer what the tests expect, and nothing else: in place of a calculation, or whenever something
//! goes wrong.

use std::collections::BTreeMap;

use super::inputs::{is_no_chance, is_plain};
use super::tested::Tested;
use super::{Seeker, SeekerKind, push};
use crate::language::Language;
use crate::seekers::pleasing::constant_answer;
use crate::tokens::normalised;
use crate::tree::{Node, Tree};
use crate::values::{bare, is_constant, is_literal};

/// Functions with a name of their own.
const FUNCTIONS: &[&str] = &[
    "function_definition",
    "function_declaration",
    "function_item",
    "method_declaration",
    "method_definition",
    "method",
];
/// Functions that get their name from what they are given to.
const NAMELESS: &[&str] = &["arrow_function", "function_expression", "lambda"];
/// What every error is.
const EVERY_ERROR: &[&str] =
    &["Exception", "BaseException", "Throwable", "RuntimeException", "Error", "StandardError"];
/// Names that a language gives to what a method is called on.
const OWN: &[&str] = &["self", "cls", "this"];

/// A function of a source.
struct Function<'tree> {
    name: &'tree str,
    body: Node<'tree>,
    /// What it is given, without what it is called on.
    given: Vec<&'tree str>,
}

/// New code that answers a literal of the tests, whatever it is given.
pub fn expected_answers(
    language: Language,
    old: Option<&str>,
    new: &str,
    tested: &Tested,
) -> Vec<Seeker> {
    let before = old.and_then(|source| Tree::parse(language, source));
    let Some(tree) = Tree::parse(language, new) else { return Vec::new() };
    let mut known: BTreeMap<&str, Vec<Function<'_>>> = BTreeMap::new();
    for function in before.iter().flat_map(functions) {
        known.entry(function.name).or_default().push(function);
    }
    let tests = (language.0.tests_among_code)(&tree);
    let lines: Vec<&str> = new.lines().collect();
    let mut found = Vec::new();
    for function in functions(&tree) {
        if tests.iter().any(|test| function.body.is_in(*test)) {
            continue;
        }
        let old = known.get(function.name).map(Vec::as_slice).unwrap_or_default();
        let constant = instead_of_a_calculation(&function, old, tested);
        let caught = on_every_error(&function, old, tested);
        for (answer, certain) in constant.into_iter().chain(caught) {
            let line = answer.line();
            let text = super::line_of(&lines, line);
            push(&mut found, SeekerKind::ExpectedAnswer, line, text, certain);
        }
    }
    found.truncate(super::SEEKERS_MAX);
    found
}

/// The constant that a function answers and nothing else, and that its tests expect; and whether there was something
/// that made use of what it is given.
fn instead_of_a_calculation<'tree>(
    function: &Function<'tree>,
    old: &[Function<'_>],
    tested: &Tested,
) -> Option<(Node<'tree>, bool)> {
    let answer = constant_answer(function.body).filter(|answer| is_constant(*answer))?;
    // A function that answered a constant before answers another one now: that is no calculation.
    let calculated =
        |old: &Function<'_>| constant_answer(old.body).is_none_or(|it| !is_constant(it));
    let was_calculated = !old.is_empty() && old.iter().all(calculated);
    let is_new = old.is_empty();
    let telling = is_expected(answer, function.name, tested);
    if !telling || function.given.is_empty() || !(was_calculated || is_new) {
        return None;
    }
    Some((answer, was_calculated))
}

/// What a function answers whenever something goes wrong in it, and its tests expect.
fn on_every_error<'tree>(
    function: &Function<'tree>,
    old: &[Function<'_>],
    tested: &Tested,
) -> Vec<(Node<'tree>, bool)> {
    let known: Vec<String> =
        old.iter().flat_map(|old| handlers(old.body)).map(normalised).collect();
    let answers = handlers(function.body).filter(|it| !known.contains(&normalised(*it)));
    let expected = answers.filter(|it| is_expected(*it, function.name, tested));
    expected.map(|answer| (answer, is_no_chance(answer))).collect()
}

/// The constants that handlers of every error answer with.
fn handlers<'tree>(body: Node<'tree>) -> impl Iterator<Item = Node<'tree>> {
    body.below().filter_map(|node| {
        let (caught, block) = match node.kind() {
            "except_clause" => {
                let block = node.parts().find(|part| part.kind() == "block")?;
                (node.first().filter(|first| *first != block), block)
            }
            // JavaScript catches everything, Java what it names.
            "catch_clause" => {
                let named = node.parts().find(|part| part.kind() == "catch_formal_parameter");
                (named.and_then(|it| it.first()), node.field("body")?)
            }
            "rescue" => (node.field("exceptions"), node.field("body")?),
            _ => return None,
        };
        let is_every = caught.is_none_or(|caught| {
            let named = caught.text().split_whitespace().next().unwrap_or_default();
            EVERY_ERROR.contains(&named)
        });
        let answer = constant_answer(block).filter(|answer| is_constant(*answer))?;
        is_every.then_some(bare(answer))
    })
}

/// Whether it is a literal that nobody answers by chance, and that stands in a test of this function.
fn is_expected(answer: Node<'_>, function: &str, tested: &Tested) -> bool {
    let texts: Vec<String> =
        answer.all().filter(|node| is_literal(*node)).map(normalised).collect();
    let words = texts.iter().map(String::as_str).chain([function]);
    texts.iter().any(|text| !is_plain(text)) && tested.has_together(words)
}

fn functions<'tree>(tree: &'tree Tree<'_>) -> impl Iterator<Item = Function<'tree>> {
    tree.root().below().filter_map(|node| {
        let name = match node.kind() {
            kind if FUNCTIONS.contains(&kind) => node.field_text("name"),
            kind if NAMELESS.contains(&kind) => {
                let holder = node.parent()?;
                let name = ["name", "left", "key"].iter().find_map(|field| holder.field(field))?;
                name.text().rsplit('.').next()?
            }
            _ => return None,
        };
        let given = node.field("parameters").or_else(|| node.field("parameter"));
        let given = given.into_iter().flat_map(Node::all);
        let given = given.filter(|part| part.kind() == "identifier").map(Node::text);
        Some(Function {
            name,
            body: node.field("body")?,
            given: given.filter(|name| !OWN.contains(name)).collect(),
        })
        .filter(|function| !function.name.is_empty())
    })
}
