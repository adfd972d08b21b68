//! Where a source stops being one.

use crate::language::Language;
use crate::tree::{Node, Tree};

/// The line at which a source cannot be read any more, from 1; none where all of it can be.
pub fn broken_line(language: Language, source: &str) -> Option<u32> {
    let tree = Tree::parse(language, source).filter(Tree::is_broken)?;
    let nodes = || tree.root().below();
    // What is missing is put in as a leaf without text; what is too much is an error by itself.
    let is_missing = |node: &Node<'_>| node.is_leaf() && node.range().is_empty();
    let is_error = |node: &Node<'_>| node.kind() == "ERROR";
    let missing = nodes().filter(is_missing).map(Node::line).min();
    let error = nodes().filter(is_error).map(Node::line).min();
    error.into_iter().chain(missing).min().or(Some(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GO, JAVASCRIPT, PYTHON, RUST};

    #[test]
    fn the_line_of_the_first_error_is_named() {
        let cases = [
            (JAVASCRIPT, "const a = 1;\nfunction f() {\n  return (a + 1;\n}\n", Some(3)),
            (JAVASCRIPT, "const a = 1;\nconst [[b, c] = a;\n", Some(2)),
            (JAVASCRIPT, "const a = 1;\n", None),
            (PYTHON, "a = 1\nb = = 2\n", Some(2)),
            (PYTHON, "def f():\n    return 1\n", None),
            (GO, "package a\n\nfunc f() int {\n\treturn 1 +\n}\n", Some(4)),
            (RUST, "fn f() -> i32 { 1 }\nfn g( -> i32 { 2 }\n", Some(2)),
        ];
        for (language, source, line) in cases {
            assert_eq!(broken_line(language, source), line, "{source}");
        }
    }
}
