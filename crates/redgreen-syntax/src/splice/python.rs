//! Python: examples in docstrings.

use std::collections::BTreeMap;

use super::documentation::without_doctests;
use super::edits::{Edits, line_start};
use crate::PYTHON;
use crate::tree::{Node, Tree};

/// What begins an example.
const PROMPT: &str = ">>>";

/// A module, a class or a function: the names around it and its own, and which of those it is.
type Key = (Vec<String>, usize);

/// The code of the first version of a module with the examples in docstrings of the second. None
/// when that cannot be read or written as Python.
pub fn splice_python_doctests(code: &str, tests: &str) -> Option<String> {
    if code == tests || !(code.contains(PROMPT) || tests.contains(PROMPT)) {
        return Some(code.to_owned());
    }
    let (code_tree, tests_tree) = (Tree::parse(PYTHON, code)?, Tree::parse(PYTHON, tests)?);
    if code_tree.is_broken() || tests_tree.is_broken() {
        return None;
    }
    let (here, there) = (owners(&code_tree), owners(&tests_tree));
    let mut edits = Edits::default();
    for (key, owner) in &here {
        let wanted = there.get(key).and_then(|owner| docstring(*owner)).map(Node::text);
        let wanted = wanted.filter(|text| text.contains(PROMPT));
        match (docstring(*owner), wanted) {
            (Some(node), Some(wanted)) if node.text() != wanted => {
                edits.replace(node.range(), wanted)
            }
            (Some(node), None) if node.text().contains(PROMPT) => {
                edits.replace(node.range(), without_doctests(node.text()));
            }
            (None, Some(wanted)) => {
                let (at, text) = new_docstring(*owner, wanted, code)?;
                edits.insert(at, text);
            }
            _ => {}
        }
    }
    let spliced = edits.apply(code)?;
    (!Tree::parse(PYTHON, &spliced)?.is_broken()).then_some(spliced)
}

/// Everything that may have a docstring.
fn owners<'tree>(tree: &'tree Tree<'_>) -> BTreeMap<Key, Node<'tree>> {
    let kinds = ["class_definition", "function_definition"];
    let mut counts: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut found = BTreeMap::new();
    found.insert((Vec::new(), 0), tree.root());
    for node in tree.root().below().filter(|node| node.is(&kinds)) {
        let around = node.ancestors().filter(|above| above.is(&kinds));
        let mut path: Vec<String> =
            [node].into_iter().chain(around).map(|it| it.field_text("name").to_owned()).collect();
        path.reverse();
        let count = counts.entry(path.clone()).or_default();
        *count += 1;
        found.insert((path, *count - 1), node);
    }
    found
}

/// The text that is the first statement of its owner.
fn docstring(owner: Node<'_>) -> Option<Node<'_>> {
    let body = owner.field("body").unwrap_or(owner);
    let statement = body.first().filter(|first| first.kind() == "expression_statement")?;
    statement.first().filter(|text| text.is(&["string", "concatenated_string"]))
}

/// Where a docstring goes that is not there yet, and how it is written.
fn new_docstring(owner: Node<'_>, text: &str, code: &str) -> Option<(usize, String)> {
    let Some(body) = owner.field("body") else { return Some((0, format!("{text}\n"))) };
    let at = body.range().start;
    let start = line_start(code, at);
    // A body on the line of its `def` has no room.
    (start < at).then(|| (at, format!("{text}\n{}", &code[start..at])))
}
