//! What of a source has a meaning: its tokens without comments and layout.

use std::collections::BTreeSet;

use redgreen_model::digest::hex;
use sha2::{Digest, Sha256};

use crate::language::Language;
use crate::tree::{Node, Tree};

/// Comments that tools act on, by what they hold.
const DIRECTIVES: &[&str] =
    &["//go:", "// +build", "@jest-", "@vitest-", "#!", "//export ", "#cgo ", "@jsx"];
/// Nodes of Python that have no tokens of their own for where they begin and end.
const BLOCKS: &[&str] = &["block"];
/// Tokens that close a list.
const CLOSERS: &[&str] = &[")", "]", "}", ">"];
/// Bytes of a shape that are kept.
const SHAPE_BYTES: usize = 16;

/// Whether two sources differ in comments and layout only.
///
/// A trailing comma, the kind of quotes and the semicolons that a formatter adds are layout, too.
/// Comments that tools act on (`//go:build`, `@jest-environment`) are not comments.
pub fn same_meaning(language: Language, old: &str, new: &str) -> bool {
    if old == new {
        return true;
    }
    let (Some(old), Some(new)) = (Tree::parse(language, old), Tree::parse(language, new)) else {
        return false;
    };
    // What could not be read may mean anything.
    !old.is_broken() && !new.is_broken() && shape(old.root(), &[]) == shape(new.root(), &[])
}

/// A hash of the tokens and their structure, with some nodes left out.
pub(crate) fn shape(node: Node<'_>, left_out: &[Node<'_>]) -> String {
    let mut hash = Sha256::new();
    let mut hidden: Option<Node<'_>> = None;
    for node in node.all().filter(|node| !left_out.iter().any(|other| node.is_in(*other))) {
        if hidden.is_some_and(|comment| node.is_in(comment)) {
            continue;
        }
        if node.is_comment() {
            hidden = Some(node);
            if is_directive(node) {
                hash.update(node.text().trim().as_bytes());
            }
        } else if node.is_leaf() {
            if let Some(token) = token(node) {
                hash.update(token.as_bytes());
                hash.update(b"\n");
            }
        } else if node.is_named() && is_structure(node) {
            // Where it ends decides what belongs to it: the number of its parts says so.
            let counts = |part: &Node<'_>| !part.is_comment() && !left_out.contains(part);
            let parts = node.parts().filter(counts).count();
            hash.update(node.kind().as_bytes());
            hash.update(parts.to_le_bytes());
        }
    }
    hex(&hash.finalize()[..SHAPE_BYTES])
}

/// A hash of words.
pub(crate) fn hash_of<'word>(words: impl Iterator<Item = &'word str>) -> String {
    let mut hash = Sha256::new();
    for word in words {
        hash.update(word.as_bytes());
        hash.update(b"\n");
    }
    hex(&hash.finalize()[..SHAPE_BYTES])
}

pub(crate) fn is_directive(comment: Node<'_>) -> bool {
    let text = comment.text();
    DIRECTIVES.iter().any(|directive| text.contains(directive))
}

/// Parentheses around an expression that stands alone and nodes that formatters add or take are
/// not part of the structure.
fn is_structure(node: Node<'_>) -> bool {
    !node.is(&["empty_statement", "string", "template_string", "interpreted_string_literal"])
}

/// A leaf as it counts; none for what is layout.
pub(crate) fn token<'tree>(node: Node<'tree>) -> Option<&'tree str> {
    let text = node.text();
    match node.kind() {
        "," if is_trailing(node) => None,
        ";" if node.syntax().semicolons_are_layout && !in_for(node) => None,
        "'" | "string_start" | "string_end" if matches!(text, "'" | "\"") => Some("\""),
        "empty_statement" if in_for(node) => Some(text),
        "empty_statement" | "line_continuation" | "\\" => None,
        "escape_sequence" if matches!(text, "\\'" | "\\\"") => Some(&text[1..]),
        _ if text.is_empty() => None,
        _ => Some(text),
    }
}

fn in_for(node: Node<'_>) -> bool {
    node.ancestors().take(2).any(|above| above.is(&["for_statement", "for_in_statement"]))
}

/// A comma right before what closes a list, and after something: `[1,,]` has a hole.
fn is_trailing(node: Node<'_>) -> bool {
    let mut next = node.next();
    while let Some(comment) = next.filter(|next| next.is_comment()) {
        next = comment.next();
    }
    let follows = node.text_before().trim_end();
    let after_something = !follows.ends_with([',', '[', '(', '{']);
    after_something && next.is_some_and(|next| CLOSERS.contains(&next.kind()))
}

/// The tokens as they count, in order; where a block of Python begins and ends is said.
pub(crate) fn words<'tree>(node: Node<'tree>) -> Vec<&'tree str> {
    let mut words = Vec::new();
    let mut ends: Vec<Node<'tree>> = Vec::new();
    let mut hidden: Option<Node<'tree>> = None;
    for node in node.all() {
        if hidden.is_some_and(|comment| node.is_in(comment)) {
            continue;
        }
        while ends.pop_if(|block| !node.is_in(*block)).is_some() {
            words.push("}");
        }
        if node.is_comment() {
            hidden = Some(node);
        } else if node.is_leaf() {
            words.extend(token(node));
        } else if node.syntax().blocks_are_layout && node.is(BLOCKS) {
            words.push("{");
            ends.push(node);
        }
    }
    words.extend(ends.iter().map(|_| "}"));
    words
}

/// The tokens as one line.
pub(crate) fn normalised(node: Node<'_>) -> String {
    words(node).join(" ")
}

/// What the words are without the names of modules before other names: the same for a test whose
/// module moved.
pub(crate) fn without_modules(words: &[&str], modules: &BTreeSet<String>) -> String {
    let is_dot = |at: usize| words.get(at).is_some_and(|word| matches!(*word, "." | "::"));
    let mut kept: Vec<&str> = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let begins = at == 0 || !is_dot(at - 1);
        let scoped = words.get(at + 1) == Some(&"::");
        if begins && is_dot(at + 1) && (scoped || modules.contains(*word)) {
            while is_dot(at + 1) {
                at += 2;
            }
            continue;
        }
        kept.push(last_of_path(word));
        at += 1;
    }
    hash_of(kept.into_iter())
}

/// The last name of a text that is a path to a name, as `mock.patch` takes it.
fn last_of_path(word: &str) -> &str {
    let is_name = |part: &str| {
        !part.is_empty() && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let starts = word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    if starts && word.contains('.') && word.split('.').all(is_name) {
        return word.rsplit('.').next().unwrap_or(word);
    }
    if word.starts_with("./") || word.starts_with("../") {
        return word.rsplit('/').next().unwrap_or(word);
    }
    word
}

#[cfg(test)]
mod tests;
