//! Python: tests in the same file as the code.

use std::collections::{BTreeMap, BTreeSet};

use super::edits::{Edits, line_end};
use crate::PYTHON;
use crate::outline::outline;
use crate::tokens::normalised;
use crate::tree::{Node, Tree};

const IMPORTS: &[&str] = &["import_statement", "import_from_statement"];

/// The code of the first version of a module with the tests of the second: functions and classes of tests,
/// their fixtures, and functions that do nothing but assert. Imports that these need come with them. None when
/// that cannot be read or written as Python.
pub fn splice_python_tests(code: &str, tests: &str) -> Option<String> {
    if code == tests {
        return Some(code.to_owned());
    }
    let (here, there) = (Tree::parse(PYTHON, code)?, Tree::parse(PYTHON, tests)?);
    if here.is_broken() || there.is_broken() {
        return None;
    }
    let (own, mut others) = (judging(&here, code), judging(&there, tests));
    let mut edits = Edits::default();
    let mut taken = String::new();
    for (name, node) in &own {
        match others.iter().position(|(other, _)| other == name).map(|at| others.remove(at)) {
            Some((_, other)) => {
                taken.push_str(other.text());
                edits.replace(node.range(), other.text());
            }
            None => edits.replace(node.range().start..line_end(code, node.range().end), ""),
        }
    }
    let end = own.last().map_or(code.len(), |(_, node)| node.range().end);
    for (_, other) in &others {
        taken.push_str(other.text());
        edits.insert(end, format!("\n\n\n{}", other.text()));
    }
    if own.is_empty() && !others.is_empty() {
        edits.insert(end, "\n");
    }
    let known: BTreeSet<String> = imports(&here).map(normalised).collect();
    let missing = imports(&there).filter(|it| !known.contains(&normalised(*it)));
    let at = imports(&here).next().map_or(0, |first| first.range().start);
    for import in missing.filter(|import| is_used(*import, &taken)) {
        edits.insert(at, format!("{}\n", import.text()));
    }
    let spliced = edits.apply(code)?;
    (!Tree::parse(PYTHON, &spliced)?.is_broken()).then_some(spliced)
}

/// Whether a module holds both: tests, and functions or classes that they name and that do not judge.
pub fn is_code_with_tests(source: &str) -> bool {
    let Some(tree) = Tree::parse(PYTHON, source) else { return false };
    let tests: BTreeMap<usize, Node<'_>> =
        judging(&tree, source).into_iter().map(|(_, node)| (node.range().start, node)).collect();
    let words: BTreeSet<&str> = tests.values().flat_map(|node| words(node.text())).collect();
    let code = definitions(&tree).filter(|(_, node)| !tests.contains_key(&node.range().start));
    !outline(PYTHON, source).tests.is_empty()
        && code.into_iter().any(|(name, _)| words.contains(name))
}

/// The functions and classes at the top of a module.
fn definitions<'tree>(tree: &'tree Tree<'_>) -> impl Iterator<Item = (&'tree str, Node<'tree>)> {
    tree.root().parts().filter_map(|node| {
        let inner = node.field("definition").unwrap_or(node);
        let is = inner.is(&["function_definition", "class_definition"]);
        is.then(|| (inner.field_text("name"), node))
    })
}

/// Those of them that judge.
fn judging<'tree>(tree: &'tree Tree<'_>, source: &str) -> Vec<(String, Node<'tree>)> {
    let asserting: BTreeSet<String> = outline(PYTHON, source)
        .helpers
        .into_iter()
        .filter(|item| !item.assertions.is_empty())
        .map(|item| item.name)
        .collect();
    let judges = |(name, node): &(&str, Node<'_>)| {
        let text = node.text();
        let head = text.split_once("def ").map_or("", |(head, _)| head);
        let returns = node.all().any(|it| it.kind() == "return_statement" && it.first().is_some());
        name.starts_with("test")
            || (name.starts_with("Test") && !text.starts_with("def "))
            || text.lines().next().is_some_and(|line| line.contains("TestCase"))
            || head.contains("fixture")
            || (asserting.contains(*name) && !returns)
    };
    definitions(tree).filter(judges).map(|(name, node)| (name.to_owned(), node)).collect()
}

fn imports<'tree>(tree: &'tree Tree<'_>) -> impl Iterator<Item = Node<'tree>> {
    tree.root().parts().filter(|node| node.is(IMPORTS))
}

/// Whether a name that an import binds is in a text.
fn is_used(import: Node<'_>, text: &str) -> bool {
    let known: BTreeSet<&str> = words(text).collect();
    let said = import.text();
    let bound = said.rsplit_once("import").map_or(said, |(_, names)| names);
    words(bound).any(|word| word != "as" && known.contains(word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let part = |letter: char| !(letter.is_alphanumeric() || letter == '_');
    text.split(part).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "\"\"\"Sums.\"\"\"\nimport os\n\n\ndef add(a, b):\n    return a - b\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef double(a):\n    return a + a\n\n\ndef check(a):\n    assert a\n\n\nclass TestDouble:\n    def test_two(self):\n        check(double(1) == 2)\n";

    #[test]
    fn the_code_of_one_gets_the_tests_of_the_other() {
        let fixed = OLD.replace("a - b", "a + b");
        let bent = fixed.replace("== 3", "== 4").replace("assert a\n", "assert True\n");
        assert_eq!(splice_python_tests(&bent, OLD).as_deref(), Some(fixed.as_str()));
        assert_eq!(splice_python_tests(OLD, &fixed).as_deref(), Some(OLD));
        let gone = fixed.replace("def test_add():\n    assert add(1, 2) == 3\n\n\n", "");
        let back = splice_python_tests(&gone, OLD).expect("python");
        assert!(back.contains("assert add(1, 2) == 3") && back.contains("a + b"), "{back}");
        let more = format!("{OLD}\n\ndef test_new():\n    assert os.sep\n");
        assert!(!splice_python_tests(&more, OLD).expect("python").contains("test_new"));
        assert!(splice_python_tests(OLD, &more).expect("python").contains("test_new"));
    }

    #[test]
    fn imports_that_the_tests_need_come_with_them() {
        let tests = "import pytest\nimport json\n\n\ndef f():\n    return json\n\n\ndef test_f():\n    with pytest.raises(ValueError):\n        f()\n";
        let code = "def f():\n    raise ValueError\n";
        let wanted = "import pytest\ndef f():\n    raise ValueError\n\n\n\ndef test_f():\n    with pytest.raises(ValueError):\n        f()\n";
        assert_eq!(
            splice_python_tests(code, tests).map(|it| it.replace("\n\n\n\n", "\n\n\n")).as_deref(),
            Some(wanted.replace("\n\n\n\n", "\n\n\n").as_str())
        );
    }

    #[test]
    fn code_with_tests_is_distinguished_from_tests_and_from_code() {
        assert!(is_code_with_tests(OLD));
        assert!(!is_code_with_tests("def add(a, b):\n    return a + b\n"));
        assert!(!is_code_with_tests("from x import f\n\ndef test_f():\n    assert f()\n"));
        assert!(!is_code_with_tests(
            "def check(a):\n    assert a\n\ndef test_f():\n    check(1)\n"
        ));
    }
}
