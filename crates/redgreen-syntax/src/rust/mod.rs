//! Rust: `#[test]` and the attributes that stand for it.

mod assertions;
pub(crate) mod attributes;
mod signs;

use std::collections::BTreeSet;

use redgreen_model::text::{LINE_CHARS, distinct_line};

use crate::assertion::{Assertion, Strength};
use crate::language::{Language, Syntax};
use crate::outline::{Outline, TestItem, TestNode, TestSyntax, helper_item, rows, test_item};
use crate::tokens::normalised;
use crate::tree::{Node, Tree};
use crate::weakening::PANICS;
use attributes::{Before, last_name};

/// How deep modules in each other are followed.
const DEPTH_MAX: usize = 64;

/// Rust.
pub const RUST: Language = Language(&Syntax {
    asserts_by_branching: true,
    blocks_have_values: true,
    // `eq` is that of a trait: another function may be called so.
    compares: |node| {
        node.ancestors().any(|above| {
            above.kind() == "impl_item" && above.field_text("trait").contains("PartialEq")
        })
    },
    sign: signs::of,
    tests_among_code: signs::tests_of,
    ..Syntax::plain("rust", &["rs"], || tree_sitter_rust::LANGUAGE.into(), outline)
});

/// The tests of a file.
pub(crate) fn outline(tree: &Tree<'_>) -> Outline {
    let reading = TestSyntax { claim_at: assertions::claim_at, callee, is_message: |_| false };
    let mut outline = Outline::default();
    // The functions of a file with a part for tests are the product's, but for those in that part.
    let mixed = Before::each(tree.root()).iter().any(|(before, _)| before.is_for_tests());
    let mut open = vec![(tree.root(), Vec::new(), !mixed)];
    while let Some((container, path, in_tests)) = open.pop() {
        // What is in a module comes where the module stands: the last is taken first.
        let mut inner = Vec::new();
        for (before, item) in Before::each(container) {
            if item.kind() == "function_item" {
                let helps = in_tests || before.is_for_tests();
                read_function(&before, item, &path, helps, reading, &mut outline);
                continue;
            }
            let body = item.field("body").filter(|_| item.is(&["mod_item", "impl_item"]));
            let Some(body) = body.filter(|_| path.len() < DEPTH_MAX) else { continue };
            let mut path = path.clone();
            if item.kind() == "mod_item" {
                path.push(item.field_text("name").to_owned());
            }
            inner.push((body, path, in_tests || before.is_for_tests()));
        }
        inner.reverse();
        open.extend(inner);
    }
    outline
}

fn read_function<'tree>(
    before: &Before<'tree>,
    item: Node<'tree>,
    path: &[String],
    helps: bool,
    reading: TestSyntax<'tree>,
    outline: &mut Outline,
) {
    let (Some(name), Some(body)) = (item.field("name"), item.field("body")) else { return };
    if !before.make_a_test() {
        if helps {
            outline.helpers.push(helper_item(name, item, reading));
        }
        return;
    }
    let path = path.iter().cloned().chain([name.text().to_owned()]).collect();
    let modules = BTreeSet::new();
    let place = TestNode { whole: item, name: Some(name), body, apart: &[], modules: &modules };
    let mut test = test_item(path, &place, reading);
    read_attributes(before, &mut test);
    let loops = body.below().filter(|node| node.kind() == "for_expression");
    let lists = loops.filter_map(|node| node.field("value")).filter_map(list_of);
    test.parameters.extend(lists.flat_map(rows));
    outline.tests.push(test);
}

/// The list that a loop goes over: `[…]`, `&[…]`, `[…].iter()`.
fn list_of(value: Node<'_>) -> Option<Node<'_>> {
    let mut value = value;
    for _ in 0..4 {
        value = match value.kind() {
            "array_expression" => return Some(value),
            "reference_expression" => value.field("value")?,
            "call_expression" => value.field("function")?.field("value")?,
            _ => return None,
        };
    }
    None
}

fn read_attributes(before: &Before<'_>, test: &mut TestItem) {
    if let Some(first) = before.attributes.first() {
        test.line = first.line();
    }
    for (item, (path, arguments)) in before.attributes.iter().zip(before.named()) {
        match last_name(path) {
            "ignore" => test.skipped = true,
            "should_panic" => {
                let exact = arguments.contains("expected");
                test.expected_failure |= !exact;
                test.assertions.push(Assertion {
                    text: distinct_line(&normalised(*item), LINE_CHARS),
                    subject: PANICS.to_owned(),
                    line: item.line(),
                    strength: if exact { Strength::Exact } else { Strength::Loose },
                    reachable: true,
                    repeated: false,
                    tolerance: None,
                    guarded: false,
                });
            }
            // `#[case::name(1, 2)]` has a name of its own.
            _ if path.split("::").any(|part| matches!(part.trim(), "case" | "test_case")) => {
                let row = item.below().find(|node| node.kind() == "token_tree").map(normalised);
                test.parameters.extend(row.map(|row| distinct_line(&row, LINE_CHARS)));
            }
            _ => {}
        }
    }
    // Attributes stand beside the function: what they say is part of the test.
    let attributes: Vec<String> = before.attributes.iter().map(|item| normalised(*item)).collect();
    let marks = || attributes.iter().map(String::as_str);
    test.shape = crate::tokens::hash_of(marks().chain([test.shape.as_str()]));
    test.shape_without_modules =
        crate::tokens::hash_of(marks().chain([test.shape_without_modules.as_str()]));
}

/// The last name of what is called, in code and in the arguments of macros, which are only tokens.
pub(crate) fn callee(node: Node<'_>) -> Option<&str> {
    match node.kind() {
        "call_expression" => {
            let function = node.field("function")?;
            match function.kind() {
                "identifier" => Some(function.text()),
                "scoped_identifier" => Some(function.field_text("name")),
                "field_expression" => Some(function.field_text("field")),
                _ => None,
            }
        }
        "macro_invocation" => Some(last_name(node.field_text("macro"))),
        "identifier" if node.parent().is_some_and(|parent| parent.kind() == "token_tree") => {
            let arguments = node.next().filter(|next| next.kind() == "token_tree")?;
            arguments.text().starts_with('(').then(|| node.text())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
