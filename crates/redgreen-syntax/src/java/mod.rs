//! Java: JUnit 3, 4 and 5, and TestNG.

mod assertions;
mod marks;
mod signs;

use std::collections::BTreeSet;

use crate::language::{Language, Syntax};
use crate::outline::{Outline, TestNode, TestSyntax, helper_item, test_item};
use crate::reach::names_one_of;
use crate::tree::{Node, Tree};

/// Annotations that make a method a test.
const TESTS: &[&str] = &[
    "Test",
    "ParameterizedTest",
    "RepeatedTest",
    "TestFactory",
    "TestTemplate",
    "Theory",
    "Property",
    "Example",
];
/// What holds methods.
const CLASSES: &[&str] =
    &["class_declaration", "record_declaration", "interface_declaration", "enum_declaration"];

/// Java.
pub const JAVA: Language = Language(&Syntax {
    catches_failures: |caught| {
        let heard = ["Throwable", "Error", "AssertionError", "AssertionFailedError"];
        caught.iter().any(|part| names_one_of(*part, &heard))
    },
    sign: signs::of,
    ..Syntax::plain("java", &["java"], || tree_sitter_java::LANGUAGE.into(), outline)
});

/// The tests of a file.
pub(crate) fn outline(tree: &Tree<'_>) -> Outline {
    let reading = TestSyntax { claim_at: assertions::claim_at, callee, is_message: |_| false };
    let modules = BTreeSet::new();
    let mut outline = Outline::default();
    for method in tree.root().below().filter(|node| node.kind() == "method_declaration") {
        let (Some(name), Some(body)) = (method.field("name"), method.field("body")) else {
            continue;
        };
        let classes = classes_around(method);
        if !is_test(method, name.text(), &classes) {
            outline.helpers.push(helper_item(name, method, reading));
            continue;
        }
        let names = classes.iter().map(|class| class.field_text("name"));
        let path = names.chain([name.text()]).map(str::to_owned).collect();
        let place =
            TestNode { whole: method, name: Some(name), body, apart: &[], modules: &modules };
        let mut test = test_item(path, &place, reading);
        marks::fill_in(&mut test, method, body, &classes);
        outline.tests.push(test);
    }
    outline
}

/// The classes around a method, outermost first.
fn classes_around(method: Node<'_>) -> Vec<Node<'_>> {
    let mut classes: Vec<Node<'_>> = method.ancestors().filter(|above| above.is(CLASSES)).collect();
    classes.reverse();
    classes
}

fn is_test(method: Node<'_>, name: &str, classes: &[Node<'_>]) -> bool {
    let annotated = annotations(method).any(|(annotation, _)| TESTS.contains(&annotation));
    annotated
        || (name.starts_with("test") && classes.last().is_some_and(|class| is_test_case(*class)))
}

/// JUnit 3 goes by what a class extends.
fn is_test_case(class: Node<'_>) -> bool {
    class.field("superclass").is_some_and(|parent| {
        parent.text().split('<').next().is_some_and(|name| name.trim_end().ends_with("TestCase"))
    })
}

/// The annotations of a declaration: the last names, and their nodes.
fn annotations<'tree>(node: Node<'tree>) -> impl Iterator<Item = (&'tree str, Node<'tree>)> {
    let modifiers = node.parts().find(|part| part.kind() == "modifiers");
    let all = modifiers.into_iter().flat_map(Node::parts);
    let all = all.filter(|part| part.is(&["annotation", "marker_annotation"]));
    all.map(|part| (part.field_text("name").rsplit('.').next().unwrap_or_default(), part))
}

/// The name of the method that is called.
pub(crate) fn callee(node: Node<'_>) -> Option<&str> {
    (node.kind() == "method_invocation").then(|| node.field_text("name"))
}

#[cfg(test)]
mod tests;
