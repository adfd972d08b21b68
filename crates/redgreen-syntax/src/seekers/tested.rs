//! What the tests of a project give and expect: their literals, and which of them stand together.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::Language;
use crate::tokens::normalised;
use crate::tree::{Node, Tree};
use crate::values::is_literal;

/// A test with more words than this is a table, and its rows tell what belongs together.
const GROUP_MAX: usize = 60;
/// The most groups that are kept.
const GROUPS_MAX: usize = 50_000;
/// Functions: a test is one.
const FUNCTIONS: &[&str] = &[
    "decorated_definition",
    "function_definition",
    "function_declaration",
    "function_item",
    "method_declaration",
    "method_definition",
    "arrow_function",
    "function_expression",
    "func_literal",
    "do_block",
    "method",
];
/// Rows of tables, and statements.
const ROWS: &[&str] = &[
    "tuple",
    "list",
    "array",
    "array_expression",
    "tuple_expression",
    "literal_value",
    "literal_element",
    "object",
    "pair",
    "argument_list",
    "arguments",
    "annotation_argument_list",
    "assert_statement",
    "expression_statement",
    "macro_invocation",
    "attribute_item",
    "if_statement",
];

/// The words of tests.
#[derive(Debug, Default)]
pub struct Tested {
    /// In which groups a literal or a name stands.
    groups: BTreeMap<String, BTreeSet<u32>>,
    count: u32,
}

impl Tested {
    /// Adds a file of tests, or, of a file of code, the tests that are in it.
    pub fn add(&mut self, language: Language, source: &str, is_code: bool) {
        let Some(tree) = Tree::parse(language, source) else { return };
        match is_code {
            true => {
                let tests = (language.0.tests_among_code)(&tree);
                tests.into_iter().for_each(|test| self.add_below(test));
            }
            false => self.add_below(tree.root()),
        }
    }

    fn add_below(&mut self, whole: Node<'_>) {
        // What stands in no small group is known by itself.
        for literal in whole.all().filter(|node| is_literal(*node)) {
            self.groups.entry(normalised(literal)).or_default();
        }
        for node in whole.all().filter(|node| node.is_or(FUNCTIONS, |_| ROWS)) {
            if self.count as usize >= GROUPS_MAX {
                return;
            }
            let words: Vec<String> = words(node).take(GROUP_MAX + 1).collect();
            if (2..=GROUP_MAX).contains(&words.len()) {
                self.count += 1;
                for word in words {
                    self.groups.entry(word).or_default().insert(self.count);
                }
            }
        }
    }

    /// Whether the tests hold a literal.
    pub(super) fn has(&self, literal: &str) -> bool {
        self.groups.contains_key(literal)
    }

    /// Whether a test, or a row of its table, holds all of these literals and names.
    pub(super) fn has_together<'word>(&self, mut words: impl Iterator<Item = &'word str>) -> bool {
        let first = words.next().and_then(|word| self.groups.get(word)).cloned();
        let Some(first) = first else { return false };
        let together = words.try_fold(first, |groups, word| {
            let these = self.groups.get(word)?;
            Some(groups.intersection(these).copied().collect::<BTreeSet<u32>>())
        });
        together.is_some_and(|groups| !groups.is_empty())
    }
}

/// Literals and names. In what a macro of Rust is given, both are tokens like any other.
fn words<'tree>(node: Node<'tree>) -> impl Iterator<Item = String> + 'tree {
    let is_name = |part: &Node<'_>| {
        part.is(&["identifier", "field_identifier", "property_identifier", "constant"])
    };
    node.all().filter(move |part| is_literal(*part) || is_name(part)).map(normalised)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PYTHON;

    #[test]
    fn what_stands_in_one_test_or_in_one_row_stands_together() {
        let rows: String = (0..80).map(|at| format!("({at}, 'r{at}'), ")).collect();
        let source = format!(
            "def test_a():\n    assert f(30) == 832040\n\ndef test_b():\n    assert g(31) == 7\n\nROWS = [{rows}]\n"
        );
        let mut tested = Tested::default();
        tested.add(PYTHON, &source, false);
        for (words, together) in [
            (["30", "832040"], true),
            (["f", "832040"], true),
            (["30", "7"], false),
            (["g", "832040"], false),
        ] {
            assert_eq!(tested.has_together(words.into_iter()), together, "{words:?}");
        }
        let row = normalised_text("'r70'");
        assert!(tested.has_together(["70", row.as_str()].into_iter()));
        assert!(!tested.has_together(["71", row.as_str()].into_iter()));
        assert!(tested.has("31") && !tested.has("99"));
    }

    fn normalised_text(source: &str) -> String {
        let tree = Tree::parse(PYTHON, source).expect("it is short");
        tree.root().below().find(|node| is_literal(*node)).map(normalised).expect("a literal")
    }
}
