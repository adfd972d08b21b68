//! A source in which one function answers at once and does nothing: tests that still pass do not notice what it does.

use crate::language::Language;
use crate::statements::FUNCTIONS;
use crate::tree::{Node, Tree};

/// The source with a function that answers at once; none where that cannot be written, or where the function does so
/// little that nobody would notice. What stands in it stays, so that everything else still builds.
pub fn answering_at_once(language: Language, source: &str, line: u32) -> Option<String> {
    let tree = Tree::parse(language, source).filter(|tree| !tree.is_broken())?;
    let mut functions = tree.root().below().filter(|node| node.is(FUNCTIONS));
    let function = functions.find(|node| node.line() == line)?;
    let body = function.field("body")?;
    let (at, text) = match language.0.name {
        "python" => python(body, source)?,
        "javascript" | "typescript" | "tsx" => (opened(body)?, " return;".to_owned()),
        "go" => (opened(body)?, format!(" if true {{ return{} }}; ", go_results(function)?)),
        "java" => (opened(body)?, format!(" if (true) return{}; ", java_result(function)?)),
        _ => return None,
    };
    let edited = format!("{}{text}{}", source.get(..at)?, source.get(at..)?);
    let still_read = Tree::parse(language, &edited).is_some_and(|tree| !tree.is_broken());
    still_read.then_some(edited)
}

/// Behind the brace that opens a block.
fn opened(body: Node<'_>) -> Option<usize> {
    body.text().starts_with('{').then(|| body.range().start + 1)
}

/// Before the first statement that is no documentation, at its indentation.
fn python(body: Node<'_>, source: &str) -> Option<(usize, String)> {
    let is_text = |node: Node<'_>| {
        node.kind() == "expression_statement" && node.first().is_some_and(|it| it.is(&["string"]))
    };
    let first = body.parts().find(|node| !is_text(*node))?;
    let at = first.range().start;
    let line = source.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let before = source.get(line..at)?;
    Some(match before.trim().is_empty() {
        true => (at, format!("return\n{before}")),
        false => (at, "return; ".to_owned()),
    })
}

/// The zero values of what a function of Go gives; nothing where it names them or gives none.
fn go_results(function: Node<'_>) -> Option<String> {
    let Some(result) = function.field("result") else { return Some(String::new()) };
    if result.kind() != "parameter_list" {
        return Some(format!(" *new({})", result.text()));
    }
    let parts: Vec<Node<'_>> = result.parts().collect();
    if parts.iter().any(|part| part.field("name").is_some()) {
        return Some(String::new());
    }
    let zero: Option<Vec<String>> =
        parts.iter().map(|part| Some(format!("*new({})", part.field("type")?.text()))).collect();
    Some(format!(" {}", zero?.join(", ")))
}

/// What a method of Java gives where it has nothing to give; a constructor gives nothing.
fn java_result(function: Node<'_>) -> Option<&'static str> {
    let Some(kind) = function.field("type") else { return Some("") };
    Some(match kind.text() {
        "void" => "",
        "boolean" => " false",
        "byte" | "short" | "int" | "long" | "float" | "double" | "char" => " 0",
        _ => " null",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_of;

    fn answered(path: &str, source: &str, line: u32) -> Option<String> {
        answering_at_once(language_of(path).expect("a language"), source, line)
    }

    #[test]
    fn a_function_answers_at_once_and_the_rest_stays() {
        let cases = [
            (
                "a.py",
                "def f(a):\n    \"\"\"Doc.\"\"\"\n    if a:\n        return 1\n    return 2\n",
                "def f(a):\n    \"\"\"Doc.\"\"\"\n    return\n    if a:\n        return 1\n    return 2\n",
            ),
            ("a.py", "def f(a): return a\n", "def f(a): return; return a\n"),
            ("a.js", "function f(a) { return a; }\n", "function f(a) { return; return a; }\n"),
            (
                "a.ts",
                "const f = (a: number) => { return a; };\n",
                "const f = (a: number) => { return; return a; };\n",
            ),
            (
                "a.go",
                "package a; func f() (int, error) { return g() }\n",
                "package a; func f() (int, error) { if true { return *new(int), *new(error) };  return g() }\n",
            ),
            (
                "a.go",
                "package a; func f() (n int) { return 3 }\n",
                "package a; func f() (n int) { if true { return };  return 3 }\n",
            ),
            (
                "A.java",
                "class A { int f() { return 3; } }\n",
                "class A { int f() { if (true) return 0;  return 3; } }\n",
            ),
            (
                "A.java",
                "class A { String f() { return \"a\"; } }\n",
                "class A { String f() { if (true) return null;  return \"a\"; } }\n",
            ),
        ];
        for (path, source, wanted) in cases {
            assert_eq!(answered(path, source, 1).as_deref(), Some(wanted), "{source}");
        }
    }

    #[test]
    fn where_it_cannot_be_written_nothing_is() {
        for (path, source) in [
            ("a.py", "def f(:\n    return 1\n"),
            ("a.py", "x = 1\n"),
            ("a.js", "const f = (a) => a;\n"),
            ("a.rs", "fn f() -> u32 { 1 }\n"),
        ] {
            assert_eq!(answered(path, source, 1), None, "{source}");
        }
    }
}
