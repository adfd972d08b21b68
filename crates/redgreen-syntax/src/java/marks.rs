//! What annotations and first statements say about a test of Java.

use redgreen_model::text::{LINE_CHARS, distinct_line};

use super::annotations;
use crate::assertion::{Assertion, Strength};
use crate::outline::{FACTS_MAX, TestItem, rows};
use crate::reach;
use crate::tokens::normalised;
use crate::tree::Node;
use crate::values::truth;

/// Annotations that leave a test or a class out.
const SKIPPING: &[&str] = &["Disabled", "Ignore"];
/// Lists that annotations and loops are given.
const LISTS: &[&str] = &["element_value_array_initializer", "array_initializer"];

/// Fills in what annotations say.
pub(super) fn fill_in(test: &mut TestItem, method: Node<'_>, body: Node<'_>, classes: &[Node<'_>]) {
    let on_classes = classes.iter().flat_map(|class| annotations(*class));
    let left_out = annotations(method)
        .chain(on_classes)
        .any(|(name, node)| SKIPPING.contains(&name) || is_not_enabled(node));
    test.skipped = left_out || reach::skips_itself(body);
    for (name, annotation) in annotations(method) {
        if name == "Test" {
            test.assertions.extend(expected_error(annotation));
        }
        if name.ends_with("Source") {
            test.parameters.extend(table(name, annotation));
        }
    }
    let loops = body.below().filter(|node| node.kind() == "enhanced_for_statement");
    let lists = loops.filter_map(|node| node.field("value")?.below().find(|it| it.is(LISTS)));
    test.parameters.extend(lists.flat_map(rows));
}

fn pair<'tree>(annotation: Node<'tree>, key: &str) -> Option<Node<'tree>> {
    let pairs = annotation.field("arguments")?.parts();
    let mut pairs = pairs.filter(|part| part.kind() == "element_value_pair");
    pairs.find(|pair| pair.field_text("key") == key)?.field("value")
}

/// `@Test(enabled = false)` of TestNG.
fn is_not_enabled(annotation: Node<'_>) -> bool {
    pair(annotation, "enabled").and_then(truth) == Some(false)
}

/// `@Test(expected = X.class)` of JUnit 4.
fn expected_error(annotation: Node<'_>) -> Option<Assertion> {
    let value = pair(annotation, "expected").or_else(|| pair(annotation, "expectedExceptions"))?;
    let any = matches!(value.text(), "Exception.class" | "Throwable.class");
    Some(Assertion {
        text: distinct_line(&normalised(annotation), LINE_CHARS),
        subject: "raises".to_owned(),
        line: annotation.line(),
        strength: if any { Strength::Loose } else { Strength::Exact },
        reachable: true,
        repeated: false,
        tolerance: None,
        guarded: false,
    })
}

/// The rows of `@ValueSource`, `@CsvSource` and the like.
fn table(name: &str, annotation: Node<'_>) -> Vec<String> {
    if let Some(block) = pair(annotation, "textBlock") {
        let lines = block.text().trim_matches('"').lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty());
        return lines.map(|line| csv_row(annotation, line)).collect();
    }
    let list = annotation.below().find(|node| node.is(LISTS));
    match (list, name) {
        (Some(list), "CsvSource") => list
            .parts()
            .take(FACTS_MAX)
            .map(|row| csv_row(annotation, row.text().trim_matches('"')))
            .collect(),
        (Some(list), _) => rows(list),
        (None, _) => Vec::new(),
    }
}

/// The cells of a line, each as a plain value and as the text that it may stand for.
fn csv_row(annotation: Node<'_>, line: &str) -> String {
    let said = pair(annotation, "delimiter").or_else(|| pair(annotation, "delimiterString"));
    let delimiter = said.map_or(",", |node| node.text().trim_matches(['"', '\'']));
    let cells = line.split(if delimiter.is_empty() { "," } else { delimiter });
    let cells = cells.map(|cell| cell.trim().trim_matches('\''));
    let words: Vec<String> = cells.map(|cell| format!("{cell} \" {cell} \"")).collect();
    distinct_line(&words.join(" , "), LINE_CHARS)
}
