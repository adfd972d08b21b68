//! What stands around the tests of a file, and whether two versions of it differ in names alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::Language;
use crate::outline::{is_import, outline};
use crate::tokens::{hash_of, words};
use crate::tree::Tree;

/// What gives a name to code.
const DEFINITIONS: &[&str] = &[
    "function_definition",
    "class_definition",
    "function_declaration",
    "generator_function_declaration",
    "method_declaration",
    "class_declaration",
    "interface_declaration",
    "record_declaration",
    "enum_declaration",
    "method_definition",
    "variable_declarator",
    "type_spec",
    "function_item",
    "struct_item",
    "enum_item",
    "macro_definition",
];

/// The lines of a file that belong to no test and to no import: helpers, fixtures, constants.
pub fn around_tests(language: Language, source: &str) -> String {
    let Some(tree) = Tree::parse(language, source) else { return source.to_owned() };
    let imports = tree.root().parts().filter(|node| is_import(*node));
    let tests = outline(language, source).tests;
    let mut apart: BTreeSet<u32> = BTreeSet::new();
    apart.extend(imports.flat_map(|import| import.line()..=import.end_line()));
    apart.extend(tests.iter().flat_map(|test| test.line..=test.end_line));
    let lines = (1..).zip(source.lines()).filter(|(number, _)| !apart.contains(number));
    let lines: Vec<&str> = lines.map(|(_, line)| line.trim_end()).collect();
    let text = lines.join("\n");
    text.trim_matches('\n').to_owned()
}

/// The names in a source; words of the language are none.
pub fn names(language: Language, source: &str) -> BTreeSet<String> {
    let Some(tree) = Tree::parse(language, source) else { return BTreeSet::new() };
    let leaves = tree.root().below().filter(|node| node.is_leaf());
    leaves
        .filter(|leaf| leaf.kind().ends_with("identifier"))
        .map(|it| it.text().to_owned())
        .collect()
}

/// The names of functions, methods and types that a source defines.
pub fn defined(language: Language, source: &str) -> BTreeSet<String> {
    let Some(tree) = Tree::parse(language, source) else { return BTreeSet::new() };
    let definitions = tree.root().below().filter(|node| node.is(DEFINITIONS));
    definitions.map(|node| node.field_text("name").to_owned()).collect()
}

/// Whether two sources say the same but for names: each that differs became one other, and `renamed` says of the
/// two that it may. Comments and layout are nothing.
pub fn same_but_for_names(
    language: Language,
    (old, new): (&str, &str),
    renamed: impl Fn(&str, &str) -> bool,
) -> bool {
    let (Some(old), Some(new)) = (Tree::parse(language, old), Tree::parse(language, new)) else {
        return false;
    };
    let (old, new) = (words(old.root()), words(new.root()));
    let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
    old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| {
            let may = old == new || (is_name(old) && is_name(new) && renamed(old, new));
            may && *there.entry(old).or_insert(new) == new && *back.entry(new).or_insert(old) == old
        })
}

/// Identifies a text.
pub fn digest(text: &str) -> String {
    hash_of(std::iter::once(text))
}

fn is_name(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GO, JAVASCRIPT, PYTHON, RUST};

    fn may(old: &str, new: &str) -> bool {
        (old, new) == ("make", "build") || (old, new) == ("other", "build")
    }

    #[test]
    fn what_stands_around_the_tests_is_left() {
        let source = "import calc\n\nN = 1\n\n\ndef test_a():\n    assert calc.a(N)\n\n\ndef same(a):\n    assert a\n";
        assert_eq!(
            around_tests(PYTHON, source).replace('\n', "|"),
            "N = 1|||||def same(a):|    assert a"
        );
    }

    #[test]
    fn what_is_defined_is_no_call() {
        let cases = [
            (PYTHON, "class A:\n    def f(self):\n        return len(g())\n", "A f"),
            (GO, "package a\n\ntype A struct{}\n\nfunc (a A) F() { g() }\n", "A F"),
            (RUST, "struct A;\nimpl A { fn f(&self) { g() } }\n", "A f"),
            (JAVASCRIPT, "const f = () => g();\nclass A { h() {} }\n", "A f h"),
        ];
        for (language, source, wanted) in cases {
            let found: Vec<String> = defined(language, source).into_iter().collect();
            assert_eq!(found.join(" "), wanted);
        }
    }

    #[test]
    fn words_of_the_language_are_no_names() {
        let found = names(GO, "package a\n\nfunc Make(b Box) int {\n\treturn b.size\n}\n");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["Box", "Make", "a", "b", "int", "size"]);
    }

    #[test]
    fn only_names_that_may_change_do() {
        let cases = [
            ("x = [calc.make]", "x = [calc.build]  # as it is called now", true),
            ("x = make(1) + make(2)", "x = build(1) + build(2)", true),
            ("x = make(1) + make(2)", "x = build(1) + make(2)", false),
            ("x = make(1) + other(2)", "x = build(1) + build(2)", false),
            ("x = make(1)", "x = build(2)", false),
            ("x = make(1)", "x = build(1, 2)", false),
            ("def same(a, b):\n    check(a, b)", "def same(a, b):\n    pass_by(a, b)", false),
        ];
        for (old, new, wanted) in cases {
            let same = same_but_for_names(PYTHON, (old, new), may);
            assert_eq!(same, wanted, "{old} {new}");
        }
    }
}
