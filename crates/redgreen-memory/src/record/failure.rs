//! A failure out of somebody else's document.

use redgreen_model::debug_memory::{Failure, SourceLocation};
use redgreen_model::error_class::ErrorClass;

use super::lenient::own_path;
use super::node::Node;

/// The failure in a value; none where there is neither a test nor a word about it.
pub(super) fn failure(node: Node<'_>) -> Option<Failure> {
    let said = node.get(&["error_message", "message", "error"]).block();
    let test = node.get(&["test_name", "test", "name"]).line().or_else(|| node.line());
    if test.is_none() && said.is_none() {
        return None;
    }
    let said = said.unwrap_or_default();
    let name = node.get(&["error_type"]).line().or_else(|| leading_name(&said).map(str::to_owned));
    let class = name.as_deref().map_or(ErrorClass::Other, class_of);
    let place = node.get(&["source_location"]);
    let stack = node.get(&["stack_trace", "stack_trace_snippet", "stack"]).block();
    Some(Failure {
        test_name: test.unwrap_or_else(|| "(outside of any test)".to_owned()),
        test_file: node.get(&["test_file"]).line().map(|file| own_path(&file)),
        test_line: node.get(&["test_line", "line_number"]).small().filter(|line| *line > 0),
        error_type: class,
        error_message: said,
        source_location: location(place).or_else(|| stack.as_deref().and_then(place_in)),
        stack_trace: stack,
        expected: node.get(&["expected"]).block(),
        actual: node.get(&["actual"]).block(),
        error_name: node.get(&["error_name"]).line().or(name).filter(|name| name != class.as_str()),
        fingerprint: node.get(&["fingerprint"]).line(),
        brought_by_edit: node.get(&["brought_by_edit"]).0.as_bool().unwrap_or(false),
    })
}

fn location(node: Node<'_>) -> Option<SourceLocation> {
    let place = SourceLocation {
        file: node.get(&["file"]).line().map(|file| own_path(&file)),
        line: node.get(&["line"]).small(),
        function: node.get(&["function"]).line(),
    };
    (place != SourceLocation::default()).then_some(place)
}

/// `TypeError: Cannot read …` begins with the name of the error.
fn leading_name(message: &str) -> Option<&str> {
    let (name, _) = message.split_once(':')?;
    let is_name = name.len() > 3
        && name.chars().all(|letter| letter.is_alphanumeric() || "._".contains(letter))
        && name.starts_with(|letter: char| letter.is_uppercase());
    is_name.then_some(name)
}

/// Signs in the name of an error, and what they mean. The first that is found counts.
const SIGNS: &[(&str, ErrorClass)] = &[
    ("assert", ErrorClass::AssertionError),
    ("syntax", ErrorClass::SyntaxError),
    ("indentation", ErrorClass::SyntaxError),
    ("timeout", ErrorClass::TimeoutError),
    ("timedout", ErrorClass::TimeoutError),
    ("network", ErrorClass::NetworkError),
    ("connection", ErrorClass::NetworkError),
    ("validation", ErrorClass::ValidationError),
    ("valueerror", ErrorClass::ValidationError),
    ("typeerror", ErrorClass::TypeError),
    ("nullpointer", ErrorClass::TypeError),
    ("reference", ErrorClass::ReferenceError),
    ("nameerror", ErrorClass::ReferenceError),
    ("attributeerror", ErrorClass::ReferenceError),
    ("import", ErrorClass::ReferenceError),
    ("module", ErrorClass::ReferenceError),
    ("runtime", ErrorClass::RuntimeError),
    ("panic", ErrorClass::RuntimeError),
    ("exception", ErrorClass::RuntimeError),
    ("error", ErrorClass::RuntimeError),
];

fn class_of(name: &str) -> ErrorClass {
    let name = name.to_lowercase().replace([' ', '_', '-'], "");
    let sign = SIGNS.iter().find(|(sign, _)| name.contains(sign));
    sign.map_or(ErrorClass::Other, |(_, class)| *class)
}

/// The first place in a trace of the form `at function (file:line)`.
fn place_in(stack: &str) -> Option<SourceLocation> {
    let (before, rest) = stack.split_once('(')?;
    let (inside, _) = rest.split_once(')')?;
    let mut parts = inside.split(':');
    let file = parts.next().filter(|file| file.contains('.') && !file.contains(' '))?;
    let function = before.trim().trim_start_matches("at ").trim();
    Some(SourceLocation {
        file: Some(own_path(file)),
        line: parts.next().and_then(|line| line.parse().ok()),
        function: Some(function.to_owned()).filter(|name| !name.is_empty() && !name.contains(' ')),
    })
}
