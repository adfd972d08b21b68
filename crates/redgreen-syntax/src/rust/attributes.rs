//! What stands before an item of Rust: its attributes and its documentation.

use crate::tree::Node;

/// Attributes that make a function a test whose last name is not `test`.
const TEST_MAKERS: &[&str] = &[
    "test",
    "rstest",
    "test_case",
    "case",
    "quickcheck",
    "proptest",
    "wasm_bindgen_test",
    "bench",
    "traced_test",
    "test_log",
    "parameterized",
    "gtest",
    "datatest",
    "test_matrix",
];

/// What stands before an item.
#[derive(Debug, Default)]
pub(crate) struct Before<'tree> {
    /// Its attributes, in order.
    pub(crate) attributes: Vec<Node<'tree>>,
    /// Its attributes and all comments right before it, in order.
    pub(crate) all: Vec<Node<'tree>>,
}

impl<'tree> Before<'tree> {
    /// What stands before each part of a container, with the part.
    pub(crate) fn each(container: Node<'tree>) -> Vec<(Self, Node<'tree>)> {
        let mut found = Vec::new();
        let mut before = Self::default();
        for child in container.children().filter(|child| child.is_named()) {
            if child.kind() == "attribute_item" {
                before.attributes.push(child);
                before.all.push(child);
            } else if child.is_comment() {
                before.all.push(child);
            } else {
                before.leave_out_distant_comments(child);
                found.push((std::mem::take(&mut before), child));
            }
        }
        found
    }

    /// A comment with a blank line after it belongs to nothing.
    fn leave_out_distant_comments(&mut self, item: Node<'tree>) {
        let mut next = item.line();
        let mut first = self.all.len();
        while let Some(node) = first.checked_sub(1).and_then(|at| self.all.get(at)) {
            // A comment for documentation ends with its line break.
            let end = node.line() + last_line(node.text());
            let near = end + 1 >= next;
            if node.is_comment() && !near && !is_documentation(*node) {
                break;
            }
            next = node.line();
            first -= 1;
        }
        self.all.drain(..first);
    }

    /// The names and arguments of the attributes.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'tree str, &'tree str)> {
        self.attributes.iter().map(|item| name_and_arguments(*item))
    }

    /// Whether the attributes make a test of a function.
    pub(crate) fn make_a_test(&self) -> bool {
        self.named().any(|(path, _)| TEST_MAKERS.contains(&last_name(path)))
    }

    /// Whether the item is there for tests only.
    pub(crate) fn is_for_tests(&self) -> bool {
        self.named().any(|(path, arguments)| path == "cfg" && needs_test(arguments))
    }

    /// The comments that are its documentation.
    pub(crate) fn documentation(&self) -> Vec<Node<'tree>> {
        self.all.iter().copied().filter(|node| is_documentation(*node)).collect()
    }
}

fn last_line(text: &str) -> u32 {
    u32::try_from(text.trim_end().matches('\n').count()).unwrap_or(u32::MAX)
}

/// Whether a comment is the documentation of what follows it.
pub(crate) fn is_documentation(node: Node<'_>) -> bool {
    let text = node.text();
    let line = text.starts_with("///") && !text.starts_with("////");
    let block = text.starts_with("/**") && !text.starts_with("/***") && text != "/**/";
    node.is_comment() && (line || block)
}

/// Whether a comment is the documentation of what it stands in.
pub(crate) fn is_inner_documentation(node: Node<'_>) -> bool {
    node.is_comment() && (node.text().starts_with("//!") || node.text().starts_with("/*!"))
}

/// `tokio::test` and what stands in its parentheses.
pub(crate) fn name_and_arguments(item: Node<'_>) -> (&str, &str) {
    let Some(attribute) = item.first() else { return ("", "") };
    let path = attribute.first().map_or("", Node::text);
    let rest = attribute.text().get(path.len()..).unwrap_or_default();
    (path, rest.trim())
}

/// The last name of a path.
pub(crate) fn last_name(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path).trim()
}

/// Whether the predicate of a `cfg` holds in tests only: `test`, or `all` of it and others.
fn needs_test(arguments: &str) -> bool {
    let plain: String = arguments.split_whitespace().collect();
    let inner = plain.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(&plain);
    if inner == "test" {
        return true;
    }
    let Some(all) = inner.strip_prefix("all(").and_then(|text| text.strip_suffix(')')) else {
        return false;
    };
    top_parts(all).contains(&"test")
}

/// What commas part that stand in no parentheses.
fn top_parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0_usize, 0);
    let mut parts = Vec::new();
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
