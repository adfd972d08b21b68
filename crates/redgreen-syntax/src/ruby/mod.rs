//! Ruby: RSpec.

mod assertions;
mod heard;
mod shared;
mod signs;
mod stubs;

use std::collections::BTreeSet;

use redgreen_model::text::{LINE_CHARS, distinct_line};

use crate::language::{Kinds, Language, Syntax};
use crate::outline::{Outline, TestItem, TestNode, TestSyntax, helper_item, rows, test_item};
use crate::tree::{Node, Tree};
use crate::values::truth;

/// Methods that make an example. Those with an `x` before them make one that is skipped, those with an `f` one
/// that is run alone.
const EXAMPLES: &[&str] = &["it", "specify", "example", "scenario"];
/// Methods that make an example only if they have a block: without one they end the example they stand in.
const WITH_BLOCK: &[&str] = &["skip", "pending", "focus", "its"];
/// Methods that make a group of examples, in the same ways.
const GROUPS: &[&str] = &["describe", "context", "feature", "example_group"];
/// Methods that make a group for others to include.
const SHARED: &[&str] = &["shared_examples", "shared_examples_for", "shared_context"];
/// What an example without a description is called.
const UNNAMED: &str = "it";

/// Ruby 2 and 3.
pub const RUBY: Language = Language(&Syntax {
    runs_from_the_top: true,
    kinds: Kinds {
        literals: &[
            "bare_string",
            "bare_symbol",
            "chained_string",
            "character",
            "delimited_symbol",
            "hash_key_symbol",
            "simple_symbol",
        ],
        open: &[
            "class_variable",
            "constant",
            "element_reference",
            "global_variable",
            "instance_variable",
            "scope_resolution",
            "subshell",
        ],
        ways_out: &["return", "next", "break", "redo", "retry"],
        blocks: &["body_statement", "block_body", "then", "do", "else", "begin"],
        loops: &["while", "until", "for", "while_modifier", "until_modifier"],
        guards: &["if", "unless", "if_modifier", "unless_modifier"],
        ..Kinds::NONE
    },
    is_heard: heard::is_heard,
    is_import: |node| {
        node.kind() == "call"
            && ["require", "require_relative"].contains(&node.field_text("method"))
    },
    semicolons_are_layout: true,
    sign: signs::of,
    ..Syntax::plain(
        "ruby",
        &["rb", "rake", "gemspec"],
        || tree_sitter_ruby::LANGUAGE.into(),
        outline,
    )
});

/// What a call makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makes {
    Example,
    Group,
    Shared,
}

/// A call that makes an example or a group.
struct Made<'tree> {
    call: Node<'tree>,
    makes: Makes,
    block: Option<Node<'tree>>,
}

/// The examples of a file.
fn outline(tree: &Tree<'_>) -> Outline {
    let root = tree.root();
    let reading =
        TestSyntax { claim_at: assertions::claim_at, callee: called, is_message: |_| false };
    let made: Vec<Made<'_>> = root.below().filter_map(made).collect();
    let mut outline = Outline::default();
    let mut groups = shared::Groups::default();
    let mut only = Vec::new();
    // The calls around the one at hand: what is made is found in reading order.
    let mut around: Vec<&Made<'_>> = Vec::new();
    for item in &made {
        while around.pop_if(|above| !item.call.is_in(above.call)).is_some() {}
        match (item.makes, around.iter().find(|above| above.makes == Makes::Shared)) {
            (Makes::Example, None) => {
                outline.tests.push(test_of(item, &around, reading));
                only.push(around.iter().copied().chain([item]).any(is_focused));
            }
            (Makes::Example, Some(shared)) => {
                let inside = around.iter().position(|above| above.call == shared.call).unwrap_or(0);
                let test = test_of(item, around.get(inside + 1..).unwrap_or_default(), reading);
                groups.add(&title(shared.call), test);
            }
            (Makes::Shared, _) => {
                let name = description(item.call).next().unwrap_or(item.call);
                outline.helpers.push(helper_item(name, item.call, reading));
            }
            (Makes::Group, _) => {}
        }
        around.push(item);
    }
    if only.contains(&true) {
        let tests = outline.tests.iter_mut().zip(only);
        tests.filter(|(_, only)| !only).for_each(|(test, _)| test.skipped = true);
    }
    for call in root.below().filter(|node| shared::is_inclusion(*node)) {
        let path = groups_around(&made, call).map(|group| title(group.call)).collect();
        outline.tests.extend(groups.included(call, path));
    }
    let is_in_example = |node: Node<'_>| {
        made.iter().any(|item| item.makes == Makes::Example && node.is_in(item.call))
    };
    let methods = root.below().filter(|node| node.is(&["method", "singleton_method"]));
    let methods = methods.filter(|node| !is_in_example(*node));
    let methods = methods.filter_map(|node| Some(helper_item(node.field("name")?, node, reading)));
    outline.helpers.extend(methods);
    outline
}

fn groups_around<'made, 'tree>(
    made: &'made [Made<'tree>],
    node: Node<'tree>,
) -> impl Iterator<Item = &'made Made<'tree>> {
    made.iter().filter(move |item| item.makes == Makes::Group && node.is_in(item.call))
}

fn test_of<'tree>(
    item: &Made<'tree>,
    around: &[&Made<'tree>],
    reading: TestSyntax<'tree>,
) -> TestItem {
    let all = || around.iter().copied().chain([item]);
    let path = all().map(|made| title(made.call)).collect();
    let place = TestNode {
        whole: item.call,
        name: description(item.call).next(),
        body: item.block.unwrap_or(item.call),
        apart: &[],
        modules: &BTreeSet::new(),
    };
    let mut test = test_item(path, &place, reading);
    stubs::empty(&mut test, item.call, around.iter().map(|group| group.call));
    test.skipped = item.block.is_none() || all().any(is_skipped) || ends_with(item, "skip");
    test.expected_failure = all().any(is_pending) || ends_with(item, "pending");
    test.parameters = all().flat_map(|made| loops(made.call)).collect();
    test
}

/// What a node makes, if it is a call that makes examples.
fn made(node: Node<'_>) -> Option<Made<'_>> {
    let receiver = node.field("receiver").map(Node::text);
    if node.kind() != "call" || receiver.is_some_and(|it| !matches!(it, "RSpec" | "::RSpec")) {
        return None;
    }
    let name = node.field_text("method");
    let plain = name.strip_prefix(['x', 'f']).filter(|it| is_known(it)).unwrap_or(name);
    let block = node.field("block");
    let makes = match () {
        () if GROUPS.contains(&plain) => Makes::Group,
        () if SHARED.contains(&plain) => Makes::Shared,
        () if EXAMPLES.contains(&plain) || (WITH_BLOCK.contains(&plain) && block.is_some()) => {
            Makes::Example
        }
        () => return None,
    };
    // A block that is made elsewhere: `it "adds", &CHECK`.
    let given = || arguments(node).find(|part| part.kind() == "block_argument");
    let block = block.or_else(given);
    let described = description(node).next().is_some();
    (block.is_some() || (makes == Makes::Example && described)).then_some(Made {
        call: node,
        makes,
        block,
    })
}

fn is_known(name: &str) -> bool {
    EXAMPLES.contains(&name) || GROUPS.contains(&name)
}

fn arguments(call: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    call.field("arguments").into_iter().flat_map(Node::parts)
}

/// The arguments that describe: the first, and others that are no metadata.
fn description(call: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let metadata = |part: &Node<'_>| part.is(&["pair", "block_argument", "hash_splat_argument"]);
    arguments(call)
        .enumerate()
        .filter(|(at, part)| *at == 0 || part.kind() != "simple_symbol")
        .map(|(_, part)| part)
        .filter(move |part| !metadata(part))
}

/// The description as RSpec makes it of its parts: `Calc#add`, `Calc when empty`.
fn title(call: Node<'_>) -> String {
    let mut text = String::new();
    let mut before = "";
    for part in description(call) {
        let plain = plain(part);
        let joins = plain.starts_with(['#', '.']) || plain.starts_with("::");
        if !(text.is_empty() || joins && matches!(before, "constant" | "scope_resolution")) {
            text.push(' ');
        }
        text += &plain;
        before = part.kind();
    }
    if text.is_empty() { UNNAMED.to_owned() } else { distinct_line(&text, LINE_CHARS) }
}

/// A text without its quotes, a symbol without its colon; anything else as it is written.
fn plain(node: Node<'_>) -> String {
    let text = node.text();
    match node.kind() {
        "string" if text.starts_with(['"', '\'']) && text.len() >= 2 => {
            text[1..text.len() - 1].replace("\\'", "'").replace("\\\"", "\"")
        }
        "simple_symbol" => text.trim_start_matches(':').to_owned(),
        _ => text.to_owned(),
    }
}

fn is_focused(made: &Made<'_>) -> bool {
    let name = made.call.field_text("method");
    name == "focus" || name.strip_prefix('f').is_some_and(is_known) || is_marked(made.call, "focus")
}

fn is_skipped(made: &Made<'_>) -> bool {
    let name = made.call.field_text("method");
    name == "skip" || name.strip_prefix('x').is_some_and(is_known) || is_marked(made.call, "skip")
}

fn is_pending(made: &Made<'_>) -> bool {
    made.call.field_text("method") == "pending" || is_marked(made.call, "pending")
}

/// Whether the metadata of a call has a mark: `:skip`, `skip: "later"`, `:skip => true`.
fn is_marked(call: Node<'_>, mark: &str) -> bool {
    arguments(call).skip(1).any(|part| match part.kind() {
        "pair" => {
            let key = part.field_text("key").trim_matches(':');
            key == mark && part.field("value").is_some_and(|value| truth(value) != Some(false))
        }
        _ => part.kind() == "simple_symbol" && part.text().trim_start_matches(':') == mark,
    })
}

/// Whether an example says so of itself, under no condition.
fn ends_with(item: &Made<'_>, word: &str) -> bool {
    let body = item.block.and_then(|block| block.field("body"));
    body.into_iter().flat_map(Node::parts).any(|statement| heard::says(statement, word))
}

/// The rows of a list that is gone over right around a call: `[1, 2].each do |n| it …`.
fn loops(call: Node<'_>) -> Vec<String> {
    let around = call.ancestors().take(3).find(|above| above.kind() == "call");
    let list = around.filter(|above| above.field_text("method").starts_with("each"));
    let list = list.and_then(|above| above.field("receiver"));
    let written = |list: &Node<'_>| list.is(&["array", "hash", "string_array", "symbol_array"]);
    list.filter(written).map(rows).unwrap_or_default()
}

/// The last name of what is called.
fn callee(node: Node<'_>) -> Option<&str> {
    (node.kind() == "call").then(|| node.field_text("method"))
}

/// The same, without the words that assertions are made of.
fn called(node: Node<'_>) -> Option<&str> {
    callee(node).filter(|name| !matches!(*name, "to" | "not_to" | "to_not"))
}

#[cfg(test)]
mod tests;
