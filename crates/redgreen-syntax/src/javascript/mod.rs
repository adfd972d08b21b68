//! JavaScript and TypeScript: jest, vitest, mocha, node:test and those that are written alike.

mod assertions;
mod chain;
mod promises;
mod signs;
mod stand_ins;
mod titles;

use std::collections::BTreeSet;

use redgreen_model::text::{LINE_CHARS, distinct_line};

use crate::language::{Language, Syntax};
use crate::outline::{Outline, TestItem, TestNode, TestSyntax, helper_item, rows, test_item};
use crate::reach;
use crate::tree::{Node, Tree};
use crate::values::truth;
use chain::Chain;

pub use titles::is_case_of;

/// Functions that make a test.
const TESTS: &[&str] =
    &["it", "test", "specify", "fit", "xit", "xtest", "ftest", "xspecify", "Deno", "QUnit"];
/// Functions that make a group of tests.
const GROUPS: &[&str] =
    &["describe", "context", "suite", "fdescribe", "xdescribe", "xcontext", "ddescribe"];
/// What an object of the framework is called in a test that makes tests itself.
const CONTEXTS: &[&str] = &["t", "ctx", "context", "test"];
/// Functions.
const FUNCTIONS: &[&str] =
    &["arrow_function", "function_expression", "function", "generator_function"];

/// What a call makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makes {
    Test,
    Group,
}

/// A call that makes a test or a group.
struct Made<'tree> {
    call: Node<'tree>,
    makes: Makes,
    name: Node<'tree>,
    body: Option<Node<'tree>>,
    chain: Chain<'tree>,
}

/// JavaScript, with JSX.
pub const JAVASCRIPT: Language =
    Language(&script("javascript", &["js", "mjs", "cjs", "jsx"], || {
        tree_sitter_javascript::LANGUAGE.into()
    }));
/// TypeScript.
pub const TYPESCRIPT: Language = Language(&script("typescript", &["ts", "mts", "cts"], || {
    tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()
}));
/// TypeScript with JSX.
pub const TSX: Language =
    Language(&script("tsx", &["tsx"], || tree_sitter_typescript::LANGUAGE_TSX.into()));

const fn script(
    name: &'static str,
    endings: &'static [&'static str],
    grammar: fn() -> tree_sitter::Language,
) -> Syntax {
    Syntax {
        is_heard: promises::is_heard,
        runs_from_the_top: true,
        semicolons_are_layout: true,
        sign: signs::of,
        ..Syntax::plain(name, endings, grammar, outline)
    }
}

/// The tests of a module.
pub(crate) fn outline(tree: &Tree<'_>) -> Outline {
    let root = tree.root();
    let reading =
        TestSyntax { claim_at: assertions::claim_at, callee: called, is_message: |_| false };
    let modules = modules(root);
    let asked = stand_ins::asked(root);
    let made: Vec<Made<'_>> = root.below().filter_map(made).collect();
    let mut outline = Outline::default();
    let mut only = Vec::new();
    // The calls around the one at hand: what is made is found in reading order.
    let mut around: Vec<&Made<'_>> = Vec::new();
    for (at, item) in made.iter().enumerate() {
        while around.pop_if(|above| !item.call.is_in(above.call)).is_some() {}
        if item.makes == Makes::Test {
            let mut test = test_of(item, &around, &made[at + 1..], reading, &modules);
            stand_ins::empty(&mut test, item.call, &asked);
            outline.tests.push(test);
            only.push(around.iter().chain([&item]).any(|above| is_only(above)));
        }
        around.push(item);
    }
    if only.contains(&true) && !imports_node_test(root) {
        let tests = outline.tests.iter_mut().zip(only);
        tests.filter(|(_, only)| !only).for_each(|(test, _)| test.skipped = true);
    }
    let is_in_test =
        |node: Node<'_>| made.iter().any(|item| item.makes == Makes::Test && node.is_in(item.call));
    let functions = root.below().filter_map(named_function);
    outline.helpers = functions
        .filter(|(_, whole)| !is_in_test(*whole))
        .map(|(name, whole)| helper_item(name, whole, reading))
        .collect();
    outline
}

fn test_of<'tree>(
    item: &Made<'tree>,
    around: &[&Made<'tree>],
    following: &[Made<'tree>],
    reading: TestSyntax<'tree>,
    modules: &BTreeSet<String>,
) -> TestItem {
    let apart: Vec<Node<'_>> = following
        .iter()
        .take_while(|inner| inner.call.is_in(item.call))
        .map(|inner| inner.call)
        .collect();
    let path = around.iter().copied().chain([item]).map(|made| title(made.name)).collect();
    let whole = item.call;
    let place = TestNode {
        whole,
        name: Some(item.name),
        body: item.body.unwrap_or(whole),
        apart: &apart,
        modules,
    };
    let mut test = test_item(path, &place, reading);
    let all = || around.iter().copied().chain([item]);
    test.skipped = all().any(is_skipped) || item.body.is_none() || skips_itself(item);
    test.expected_failure = all().any(is_expected_to_fail);
    test.parameters = all().flat_map(parameters).collect();
    test
}

/// The title as the framework shows it, without quotes.
fn title(name: Node<'_>) -> String {
    let text = name.text();
    let quoted = name.is(&["string", "template_string"]) && text.len() >= 2;
    let inner = if quoted { &text[1..text.len() - 1] } else { text };
    let plain = inner.replace("\\'", "'").replace("\\\"", "\"").replace("\\`", "`");
    distinct_line(&plain, LINE_CHARS)
}

/// What a node makes, if it is a call that makes tests.
fn made(node: Node<'_>) -> Option<Made<'_>> {
    if node.kind() != "call_expression" {
        return None;
    }
    let chain = Chain::of(node);
    let makes = makes(&chain)?;
    let arguments = node.field("arguments").filter(|list| list.kind() == "arguments")?;
    let name = arguments.first()?;
    let body = arguments.parts().skip(1).filter(|part| part.is(FUNCTIONS)).last();
    let named = name.is(&[
        "string",
        "template_string",
        "identifier",
        "member_expression",
        "binary_expression",
    ]);
    let pending = arguments.parts().nth(1).is_none() && name.is(&["string", "template_string"]);
    // A function that is made elsewhere: `it("adds", withServer(…))`.
    let elsewhere =
        arguments.parts().nth(1).filter(|part| part.is(&["call_expression", "identifier"]));
    if !named || (body.is_none() && elsewhere.is_none() && !pending && !has_options(node)) {
        return None;
    }
    // `test.each([...])` alone makes nothing yet.
    (!chain.ends_with_table()).then_some(Made {
        call: node,
        makes,
        name,
        body: body.or(elsewhere),
        chain,
    })
}

fn has_options(call: Node<'_>) -> bool {
    options(call).is_some()
}

fn options(call: Node<'_>) -> Option<Node<'_>> {
    call.field("arguments")?.parts().find(|part| part.kind() == "object")
}

fn makes(chain: &Chain<'_>) -> Option<Makes> {
    let root = *chain.names.first()?;
    let second = chain.names.get(1).copied().unwrap_or_default();
    if GROUPS.contains(&root) && second != "skip" || root == "describe" {
        return Some(Makes::Group);
    }
    if root == "test" && matches!(second, "describe" | "suite") {
        return Some(Makes::Group);
    }
    if CONTEXTS.contains(&root) && second == "test" {
        return Some(Makes::Test);
    }
    let hook = [
        "before",
        "after",
        "step",
        "use",
        "extend",
        "beforeEach",
        "afterEach",
        "beforeAll",
        "afterAll",
        "setTimeout",
    ];
    (TESTS.contains(&root) && !hook.contains(&second)).then_some(Makes::Test)
}

fn is_only(made: &Made<'_>) -> bool {
    matches!(made.chain.names.first(), Some(&"fit" | &"fdescribe" | &"ftest" | &"ddescribe"))
        || made.chain.names.contains(&"only")
}

fn is_skipped(made: &Made<'_>) -> bool {
    let names = &made.chain.names;
    let crossed = names.first().is_some_and(|root| {
        root.starts_with('x') && (TESTS.contains(root) || GROUPS.contains(root))
    });
    let conditional = made.chain.argument_of("skipIf").and_then(truth) == Some(true)
        || made.chain.argument_of("runIf").and_then(truth) == Some(false);
    crossed
        || conditional
        || names[1..].iter().any(|name| matches!(*name, "skip" | "todo" | "fixme"))
        || is_set(made, &["skip", "todo"])
}

fn is_expected_to_fail(made: &Made<'_>) -> bool {
    made.chain.names[1..].iter().any(|name| matches!(*name, "failing" | "fails" | "fail"))
        || is_set(made, &["fails", "expectFailure"])
}

/// Whether the options of a test set one of these.
fn is_set(made: &Made<'_>, names: &[&str]) -> bool {
    let pairs = options(made.call).into_iter().flat_map(Node::parts);
    pairs
        .filter(|pair| names.contains(&pair.field_text("key")))
        .any(|pair| pair.field("value").is_some_and(|value| truth(value) == Some(true)))
}

fn skips_itself(made: &Made<'_>) -> bool {
    let block = made.body.and_then(|body| body.field("body"));
    block.is_some_and(reach::skips_itself)
}

/// The rows of `each`.
fn parameters(made: &Made<'_>) -> Vec<String> {
    let table = made.chain.argument_of("each").or_else(|| made.chain.argument_of("for"));
    match table {
        Some(table) if table.kind() == "array" => rows(table),
        Some(table) if table.kind() == "template_string" => {
            let lines = table.text().trim_matches('`').lines().map(str::trim);
            lines
                .filter(|line| !line.is_empty())
                .skip(1)
                .map(|line| distinct_line(line, LINE_CHARS))
                .collect()
        }
        _ => loops(made),
    }
}

/// The rows of a list that a loop in the test, or right around it, goes over.
fn loops(made: &Made<'_>) -> Vec<String> {
    let within = made.call.below().filter(|_| made.makes == Makes::Test);
    let around = made.call.ancestors().take_while(|above| !above.is(&["program"])).take(8);
    let loops = within.chain(around).filter(|node| node.kind() == "for_in_statement");
    let lists = loops.filter_map(|node| node.field("right")).filter(|node| node.kind() == "array");
    lists.flat_map(rows).collect()
}

/// A function with a name of its own, or the value of a constant, with all of it.
fn named_function(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    match node.kind() {
        "function_declaration" | "generator_function_declaration" | "method_definition" => {
            Some((node.field("name")?, node))
        }
        "variable_declarator" => {
            let value = node.field("value").filter(|value| value.is(FUNCTIONS))?;
            let name = node.field("name").filter(|name| name.kind() == "identifier")?;
            value.is_in(node).then_some((name, node))
        }
        _ => None,
    }
}

/// Names that imports and `require` bind to whole modules.
fn modules(root: Node<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for node in root.below() {
        let bound = match node.kind() {
            "namespace_import" => node.first(),
            "import_clause" => node.first().filter(|part| part.kind() == "identifier"),
            "variable_declarator" if node.field_text("value").starts_with("require(") => {
                node.field("name").filter(|name| name.kind() == "identifier")
            }
            _ => None,
        };
        names.extend(bound.map(|name| name.text().to_owned()));
    }
    names
}

fn imports_node_test(root: Node<'_>) -> bool {
    root.below().any(|node| node.kind() == "string" && node.text().contains("node:test"))
}

/// The last name of what is called.
pub(crate) fn callee(node: Node<'_>) -> Option<&str> {
    if node.kind() != "call_expression" {
        return None;
    }
    let function = node.field("function")?;
    match function.kind() {
        "identifier" => Some(function.text()),
        "member_expression" => Some(function.field_text("property")),
        _ => None,
    }
}

/// The same, and `throw`: a test that throws where nothing must come to asks for that.
fn called(node: Node<'_>) -> Option<&str> {
    if node.kind() == "throw_statement" { Some("throw") } else { callee(node) }
}

#[cfg(test)]
mod tests;
