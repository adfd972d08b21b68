//! Python: pytest and unittest.

mod assertions;
mod marks;
mod signs;

use std::collections::BTreeSet;

use crate::language::{Language, Syntax};
use crate::outline::{Outline, TestNode, TestSyntax, helper_item, test_item};
use crate::reach::{BROAD, names_one_of};
use crate::tree::{Node, Tree};

/// What a function begins with that pytest and unittest take for a test.
const TEST_PREFIX: &str = "test";
/// Statements that may stand around a test or a class of tests.
const AROUND: &[&str] = &[
    "module",
    "class_definition",
    "decorated_definition",
    "block",
    "if_statement",
    "else_clause",
    "elif_clause",
    "try_statement",
    "except_clause",
    "with_statement",
];

/// Python 3.
pub const PYTHON: Language = Language(&Syntax {
    for_condition: |node| node.field("right").filter(|right| right.is(&["list", "tuple"])),
    catches_failures: |caught| {
        caught.is_empty() || caught.iter().any(|part| names_one_of(*part, BROAD))
    },
    runs_from_the_top: true,
    blocks_are_layout: true,
    condition_stands_second: true,
    sign: signs::of,
    ..Syntax::plain(
        "python",
        &["py", "pyi", "pyw"],
        || tree_sitter_python::LANGUAGE.into(),
        outline,
    )
});

/// The tests of a module.
pub(crate) fn outline(tree: &Tree<'_>) -> Outline {
    let root = tree.root();
    let reading =
        TestSyntax { claim_at: assertions::claim_at, callee, is_message: assertions::is_message };
    let modules = modules(root);
    let module_marks = marks::of_module(root);
    let mut outline = Outline::default();
    for function in root.below().filter(|node| node.kind() == "function_definition") {
        let Some(name) = function.field("name") else { continue };
        if !function.ancestors().all(|above| above.is(AROUND)) {
            continue;
        }
        let whole = function
            .parent()
            .filter(|parent| parent.kind() == "decorated_definition")
            .unwrap_or(function);
        let classes = classes_around(function);
        if !is_test(name.text(), &classes) {
            outline.helpers.push(helper_item(name, whole, reading));
            continue;
        }
        let mut path: Vec<String> =
            classes.iter().map(|class| class.field_text("name").to_owned()).collect();
        path.push(name.text().to_owned());
        let Some(body) = function.field("body") else { continue };
        let place = TestNode { whole, name: Some(name), body, apart: &[], modules: &modules };
        let mut test = test_item(path, &place, reading);
        marks::fill_in(&mut test, whole, body, &classes, &module_marks);
        outline.tests.push(test);
    }
    outline
}

/// The classes around a function, outermost first.
fn classes_around(function: Node<'_>) -> Vec<Node<'_>> {
    let mut classes: Vec<Node<'_>> =
        function.ancestors().filter(|above| above.kind() == "class_definition").collect();
    classes.reverse();
    classes
}

fn is_test(name: &str, classes: &[Node<'_>]) -> bool {
    let named = name.starts_with(TEST_PREFIX) || (name == "runTest" && !classes.is_empty());
    named && classes.iter().all(|class| is_class_of_tests(*class))
}

/// pytest goes by the class's name, unittest by what it inherits from.
fn is_class_of_tests(class: Node<'_>) -> bool {
    let inherits = class.field("superclasses").is_some_and(|list| list.first().is_some());
    inherits || class.field_text("name").contains("Test")
}

/// Names that imports bind: modules, and what stands before a point.
fn modules(root: Node<'_>) -> BTreeSet<String> {
    let imports =
        root.below().filter(|node| node.is(&["import_statement", "import_from_statement"]));
    let mut names = BTreeSet::new();
    for import in imports {
        for part in import.fields("name") {
            let bound = part.field("alias").unwrap_or(part);
            let first = bound.text().split('.').next().unwrap_or_default();
            names.insert(first.to_owned());
        }
    }
    names
}

/// The last name of what is called.
pub(crate) fn callee(node: Node<'_>) -> Option<&str> {
    if node.kind() != "call" {
        return None;
    }
    let function = node.field("function")?;
    match function.kind() {
        "identifier" => Some(function.text()),
        "attribute" => Some(function.field_text("attribute")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
