//! A function that answers at once and does nothing: tests that still pass do not notice what it does.

use redgreen_model::mutants::MutantKind;

use super::Mutant;
use super::silent::is_silent;
use crate::statements::FUNCTIONS;
use crate::tree::{Node, Tree};

/// What gives a value.
const GIVING: &[&str] =
    &["return_statement", "return_expression", "return", "yield", "yield_expression"];
/// What is as good as nothing.
const NOTHING: &[&str] = &["None", "null", "undefined", "nil", "false", "False", "()"];

/// The function that begins in a line answers at once; none where that cannot be written, or where it does nothing
/// anyway. What stands in it stays, so that everything else still builds.
pub(super) fn answering_at_once(tree: &Tree<'_>, source: &str, line: u32) -> Option<Mutant> {
    let mut functions = tree.root().below().filter(|node| node.is(FUNCTIONS));
    let function = functions.find(|node| node.line() == line)?;
    let body = function.field("body")?;
    let kind = match gives_something(function, body) {
        true => MutantKind::AtOnce,
        false => MutantKind::NoEffect,
    };
    if kind == MutantKind::NoEffect && !does_something(body) {
        return None;
    }
    let (range, text) = match function.syntax().name {
        "python" => python(body, source)?,
        "javascript" | "typescript" | "tsx" => match opened(body) {
            Some(at) => (at..at, " return;".to_owned()),
            None => (body.range(), "undefined".to_owned()),
        },
        "go" => (at(opened(body)?), format!(" if true {{ return{} }}; ", go_results(function)?)),
        "java" => (at(opened(body)?), format!(" if (true) return{}; ", java_result(function)?)),
        "rust" => (at(opened(body)?), format!(" if true {{ return{}; }} ", rust_result(function))),
        _ => return None,
    };
    Some(Mutant { kind, line: tree.line_of(range.start), range, text })
}

fn at(place: usize) -> std::ops::Range<usize> {
    place..place
}

/// Whether a function gives a value that is not nothing.
fn gives_something(function: Node<'_>, body: Node<'_>) -> bool {
    let of_it =
        |node: &Node<'_>| node.ancestors().find(|above| above.is(FUNCTIONS)) == Some(function);
    let answers = function.is(&["arrow_function"]) && !body.text().starts_with('{');
    // A block of Rust gives what stands last in it.
    let tail = function.kind() == "function_item" && function.field("return_type").is_some();
    let given = body
        .all()
        .filter(|node| node.is(GIVING))
        .filter(of_it)
        .filter_map(|it| Some(it.first()?.text()));
    let mut given = given.chain(answers.then(|| body.text())).chain(tail.then(|| body.text()));
    given.any(|value| !NOTHING.contains(&value))
}

/// Whether a function that gives nothing calls something that somebody has to see.
fn does_something(body: Node<'_>) -> bool {
    body.below().any(|node| node.kind() == "expression_statement" && !is_silent(node))
}

/// Behind the brace that opens a block.
fn opened(body: Node<'_>) -> Option<usize> {
    body.text().starts_with('{').then(|| body.range().start + 1)
}

/// Before the first statement that is no documentation, at its indentation.
fn python(body: Node<'_>, source: &str) -> Option<(std::ops::Range<usize>, String)> {
    let is_text = |node: Node<'_>| {
        node.kind() == "expression_statement" && node.first().is_some_and(|it| it.is(&["string"]))
    };
    let first = body.parts().find(|node| !is_text(*node))?.range().start;
    let line = source.get(..first)?.rfind('\n').map_or(0, |end| end + 1);
    let before = source.get(line..first)?;
    Some(match before.trim().is_empty() {
        true => (at(line), format!("{before}return\n")),
        false => (at(first), "return; ".to_owned()),
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

/// What a function of Rust gives where it has nothing to give.
fn rust_result(function: Node<'_>) -> String {
    let Some(given) = function.field("return_type") else { return String::new() };
    match given.text() {
        "bool" => " false".to_owned(),
        text if text.starts_with("Option<") => " None".to_owned(),
        text if text.starts_with("Result<()") => " Ok(())".to_owned(),
        text if text.starts_with("Result<") => " Ok(Default::default())".to_owned(),
        _ => " Default::default()".to_owned(),
    }
}
