//! What a file defines at its top, and those of one version in another.

use std::collections::BTreeSet;

use crate::language::Language;
use crate::outline::is_import;
use crate::splice::edits::{Edits, line_end};
use crate::tree::{Node, Tree};

/// What binds one name in a statement.
const BINDINGS: &[&str] = &[
    "variable_declarator",
    "const_spec",
    "var_spec",
    "type_spec",
    "assignment",
    "assignment_expression",
];
/// How a name is given to others where that is an assignment.
const EXPORTS: &[&str] = &["module.exports.", "exports."];

/// Something that a file defines at its top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its source, with what marks it.
    pub text: String,
    /// Whether something marks it, that may use it: a decorator, an attribute.
    pub is_marked: bool,
}

/// The functions, classes, types and constants at the top of a file, and the text of everything else there.
pub fn definitions(language: Language, source: &str) -> (Vec<Definition>, String) {
    let Some(tree) = Tree::parse(language, source) else { return (Vec::new(), source.to_owned()) };
    let (mut found, mut rest) = (Vec::new(), String::new());
    for node in tree.root().parts() {
        match bound(node) {
            Some(name) => found.push(Definition {
                name: name.to_owned(),
                text: node.text().to_owned(),
                is_marked: node.kind() == "decorated_definition",
            }),
            None => {
                rest.push_str(node.text());
                rest.push('\n');
            }
        }
    }
    (found, rest)
}

/// The first version of a file with these definitions of the second. None when that cannot be read or written.
pub fn splice_definitions(
    language: Language,
    code: &str,
    tests: &str,
    names: &BTreeSet<String>,
) -> Option<String> {
    let (here, there) = (Tree::parse(language, code)?, Tree::parse(language, tests)?);
    if here.is_broken() || there.is_broken() {
        return None;
    }
    let of = |tree: &'_ Tree<'_>| -> Vec<(String, std::ops::Range<usize>, String)> {
        let all = tree.root().parts().filter_map(|node| Some((bound(node)?, node)));
        all.filter(|(name, _)| names.contains(*name))
            .map(|(name, node)| (name.to_owned(), node.range(), node.text().to_owned()))
            .collect()
    };
    let (own, mut others) = (of(&here), of(&there));
    let mut edits = Edits::default();
    for (name, range, text) in &own {
        match others.iter().position(|(other, ..)| other == name).map(|at| others.remove(at)) {
            Some((_, _, other)) if other != *text => edits.replace(range.clone(), other),
            Some(_) => {}
            None => edits.replace(range.start..line_end(code, range.end), ""),
        }
    }
    for (_, _, text) in &others {
        edits.insert(code.len(), format!("\n\n{text}\n"));
    }
    let spliced = edits.apply(code)?;
    (!Tree::parse(language, &spliced)?.is_broken()).then_some(spliced)
}

/// The one name that a statement binds.
fn bound<'tree>(node: Node<'tree>) -> Option<&'tree str> {
    if is_import(node) {
        return None;
    }
    let inner = node.field("definition").or_else(|| node.field("declaration")).unwrap_or(node);
    let name = inner.field_text("name");
    if !name.is_empty() {
        return Some(name);
    }
    let mut bindings = inner.parts().filter(|part| part.is(BINDINGS));
    let binding = bindings.next().filter(|_| bindings.next().is_none())?;
    let name = match binding.field_text("name") {
        "" => binding.field_text("left"),
        name => name,
    };
    let name = EXPORTS.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let is_list = name == "__all__" || name.is_empty();
    (!is_list && name.chars().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GO, JAVASCRIPT, PYTHON, RUST};

    #[test]
    fn what_a_file_defines_at_its_top_is_named() {
        let cases = [
            (
                PYTHON,
                "import a\n\nA = {1: 2}\n__all__ = ['A']\n\n@mark\ndef f():\n    x = 1\n\nclass B:\n    def g(self): pass\n\nf()\n",
                "A f B",
            ),
            (
                JAVASCRIPT,
                "const a = require('a');\nconst f = (x) => x;\nexport function g() {}\nexports.h = () => 1;\nmodule.exports = { f };\nclass C {}\n",
                "f g h C",
            ),
            (GO, "package a\n\nconst A = 1\n\ntype T struct{}\n\nfunc F() { x := 1 }\n", "A T F"),
            (RUST, "const A: u8 = 1;\nfn f() {}\nstruct S;\n", "A f S"),
        ];
        for (language, source, wanted) in cases {
            let found: Vec<String> =
                definitions(language, source).0.into_iter().map(|it| it.name).collect();
            assert_eq!(found.join(" "), wanted);
        }
    }

    #[test]
    fn definitions_of_one_version_are_put_into_the_other() {
        let old =
            "import re\n\n\ndef slug(a):\n    return a\n\n\ndef is_slug(a):\n    return a == re\n";
        let new =
            "import re\n\n\ndef slug(a):\n    return a + a\n\n\ndef is_slug(a):\n    return True\n";
        let names = BTreeSet::from(["is_slug".to_owned()]);
        let wanted = new.replace("return True", "return a == re");
        assert_eq!(splice_definitions(PYTHON, new, old, &names), Some(wanted));
        assert_eq!(splice_definitions(PYTHON, new, new, &names).as_deref(), Some(new));
        let gone = "import re\n\n\ndef slug(a):\n    return a + a\n";
        let back = splice_definitions(PYTHON, gone, old, &names).expect("python");
        assert!(back.contains("return a == re") && back.contains("a + a"), "{back}");
    }
}
