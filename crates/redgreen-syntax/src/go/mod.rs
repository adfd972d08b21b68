//! Go: `TestXxx`, subtests, suites of testify, examples.

mod assertions;
mod signs;

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::text::{LINE_CHARS, distinct_line};

use crate::assertion::{Assertion, Strength};
use crate::language::{Language, Syntax};
use crate::outline::{Outline, TestItem, TestNode, TestSyntax, helper_item, rows, test_item};
use crate::reach;
use crate::tokens::hash_of;
use crate::tree::{Node, Tree};

/// What a function begins with that `go test` runs.
const PREFIXES: &[&str] = &["Test", "Fuzz", "Example"];

/// Names of the language that a file may give another meaning.
const PREDECLARED: &[&str] = &[
    "any",
    "append",
    "bool",
    "byte",
    "cap",
    "clear",
    "close",
    "comparable",
    "complex",
    "complex128",
    "complex64",
    "copy",
    "delete",
    "error",
    "false",
    "float32",
    "float64",
    "imag",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "iota",
    "len",
    "make",
    "max",
    "min",
    "new",
    "nil",
    "panic",
    "print",
    "println",
    "real",
    "recover",
    "rune",
    "string",
    "true",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

/// Go.
pub const GO: Language = Language(&Syntax {
    asserts_by_branching: true,
    for_condition: |node| node.first().filter(|first| node.field("body") != Some(*first)),
    sign: signs::of,
    plain_names_are_shared: true,
    ..Syntax::plain("go", &["go"], || tree_sitter_go::LANGUAGE.into(), outline)
});

/// The tests of a file.
pub(crate) fn outline(tree: &Tree<'_>) -> Outline {
    let root = tree.root();
    let reading =
        TestSyntax { claim_at: assertions::claim_at, callee, is_message: assertions::is_message };
    let modules = modules(root);
    let tables = tables(root);
    let mut outline = Outline::default();
    let types: BTreeSet<&str> = root.parts().filter_map(declared).map(Node::text).collect();
    for function in root.parts() {
        if let Some(name) = declared(function) {
            let mut helper = helper_item(name, function, reading);
            helper.apart =
                says_only(function, name.text()).then(|| (function.line(), function.end_line()));
            outline.helpers.push(helper);
            continue;
        }
        let (Some(name), Some(body)) = (function.field("name"), function.field("body")) else {
            continue;
        };
        if !is_test(function, name.text()) {
            let mut helper = helper_item(name, function, reading);
            helper.apart = acts_when_named(function, name.text(), &types)
                .then(|| (function.line(), function.end_line()));
            outline.helpers.push(helper);
            continue;
        }
        let mut path: Vec<String> = receiver(function).map(str::to_owned).into_iter().collect();
        path.push(name.text().to_owned());
        let place =
            TestNode { whole: function, name: Some(name), body, apart: &[], modules: &modules };
        read_test(path, &place, &tables, reading, &mut outline);
    }
    outline
}

/// A test and the subtests whose names are written out.
fn read_test<'tree>(
    path: Vec<String>,
    place: &TestNode<'tree, '_>,
    tables: &BTreeMap<&str, Node<'tree>>,
    reading: TestSyntax<'tree>,
    outline: &mut Outline,
) {
    let subtests: Vec<Subtest<'_>> = place.body.below().filter_map(subtest).collect();
    // Those in a loop are as many tests as it has rows, and none by itself.
    let subtests: Vec<Subtest<'_>> = subtests
        .into_iter()
        .filter(|subtest| !reach::is_repeated(subtest.call, place.body))
        .collect();
    let apart: Vec<Node<'_>> = subtests.iter().map(|subtest| subtest.call).collect();
    let whole = TestNode { apart: &apart, ..*place };
    outline.tests.push(finished(path.clone(), &whole, tables, reading));
    let mut around: Vec<&Subtest<'_>> = Vec::new();
    for (at, subtest) in subtests.iter().enumerate() {
        while around.pop_if(|above| !subtest.call.is_in(above.call)).is_some() {}
        around.push(subtest);
        let inner: Vec<Node<'_>> = subtests[at + 1..]
            .iter()
            .map(|inner| inner.call)
            .take_while(|inner| inner.is_in(subtest.call))
            .collect();
        let names = around.iter().map(|it| unquoted(it.name));
        let place = TestNode {
            whole: subtest.call,
            name: Some(subtest.name),
            body: subtest.body,
            apart: &inner,
            modules: place.modules,
        };
        let path = path.iter().cloned().chain(names).collect();
        outline.tests.push(finished(path, &place, tables, reading));
    }
}

fn finished<'tree>(
    path: Vec<String>,
    place: &TestNode<'tree, '_>,
    tables: &BTreeMap<&str, Node<'tree>>,
    reading: TestSyntax<'tree>,
) -> TestItem {
    let mut test = test_item(path, place, reading);
    let list = place.body.parts().find(|part| part.kind() == "statement_list");
    test.skipped = list.is_some_and(reach::skips_itself);
    test.parameters = rows_of_tables(place.body, tables);
    if test.path.last().is_some_and(|name| name.starts_with("Example"))
        && let Some(output) = output(place.body)
    {
        // A comment, and all that the example asserts.
        test.shape = hash_of([test.shape.as_str(), &output.text].into_iter());
        test.shape_without_modules =
            hash_of([test.shape_without_modules.as_str(), &output.text].into_iter());
        test.assertions.push(output);
    }
    test
}

/// `t.Run("name", func(t *testing.T) { … })`.
struct Subtest<'tree> {
    call: Node<'tree>,
    name: Node<'tree>,
    body: Node<'tree>,
}

fn subtest(node: Node<'_>) -> Option<Subtest<'_>> {
    if callee(node) != Some("Run") {
        return None;
    }
    let arguments: Vec<Node<'_>> = node.field("arguments")?.parts().collect();
    let [name, function] = arguments[..] else { return None };
    let literal = name.is(&["interpreted_string_literal", "raw_string_literal"]);
    let body = function.field("body").filter(|_| literal)?;
    Some(Subtest { call: node, name, body })
}

fn unquoted(name: Node<'_>) -> String {
    distinct_line(name.text().trim_matches(['"', '`']), LINE_CHARS)
}

/// What `go test` takes for a test: a prefix that no small letter follows.
fn is_test(function: Node<'_>, name: &str) -> bool {
    let rest = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    let named = rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_lowercase()));
    let takes = function.field_text("parameters");
    let fits = takes.contains("testing.") || takes == "()" || takes.contains("*C)");
    named && fits && name != "TestMain"
}

/// Whether a function acts only where it is named: it is no method of a type of other files, is not called by the
/// runtime, and does not stand for a name of the language.
fn acts_when_named(function: Node<'_>, name: &str, types: &BTreeSet<&str>) -> bool {
    match receiver(function) {
        Some(of) => types.contains(of),
        None => !matches!(name, "init" | "TestMain" | "main") && is_new_name(name),
    }
}

/// The name of what is declared beside functions: a type, a constant, a variable; of several, the first.
fn declared(declaration: Node<'_>) -> Option<Node<'_>> {
    let specs = &["type_spec", "type_alias", "const_spec", "var_spec"];
    let declares = declaration.is(&["type_declaration", "const_declaration", "var_declaration"]);
    declaration.below().filter(|_| declares).find(|node| node.is(specs))?.field("name")
}

/// Whether a declaration does nothing when the package is loaded.
fn says_only(declaration: Node<'_>, name: &str) -> bool {
    is_new_name(name) && !declaration.below().any(|node| node.kind() == "call_expression")
}

fn is_new_name(name: &str) -> bool {
    name != "_" && !PREDECLARED.contains(&name)
}

/// The type of the suite that a method belongs to.
fn receiver(function: Node<'_>) -> Option<&str> {
    let list = function.field("receiver")?;
    list.below().find(|node| node.kind() == "type_identifier").map(Node::text)
}

/// The comment that says what an example prints.
fn output(body: Node<'_>) -> Option<Assertion> {
    let comment = body.below().filter(|node| node.is_comment()).find(|comment| {
        let text = comment.text().trim_start_matches(['/', '*', ' ']).to_lowercase();
        text.starts_with("output:") || text.starts_with("unordered output:")
    })?;
    let lines = comment
        .parent()?
        .children()
        .filter(|node| node.is_comment() && node.range().start >= comment.range().start);
    let text: Vec<&str> = lines.map(Node::text).collect();
    Some(Assertion {
        text: distinct_line(&text.join(" "), LINE_CHARS),
        subject: "output".to_owned(),
        line: comment.line(),
        strength: Strength::Exact,
        reachable: true,
        repeated: false,
        tolerance: None,
        guarded: false,
    })
}

/// Lists that are the value of a variable of the package.
fn tables<'tree>(root: Node<'tree>) -> BTreeMap<&'tree str, Node<'tree>> {
    let variables = root.parts().filter(|part| part.kind() == "var_declaration");
    let specs = variables.flat_map(Node::below).filter(|node| node.kind() == "var_spec");
    let lists = specs.filter_map(|spec| {
        let list = spec.field("value")?.first()?;
        Some((spec.field_text("name"), list.field("body")?))
    });
    lists.collect()
}

/// The rows of lists and maps in a test, and of those of the package that it goes over.
fn rows_of_tables(body: Node<'_>, tables: &BTreeMap<&str, Node<'_>>) -> Vec<String> {
    let mut found = Vec::new();
    let mut counted: Option<Node<'_>> = None;
    for node in body.below() {
        if counted.is_some_and(|table| node.is_in(table)) {
            continue;
        }
        match node.kind() {
            "composite_literal" if is_table(node) => {
                counted = Some(node);
                found.extend(node.field("body").map(rows).unwrap_or_default());
            }
            "range_clause" => {
                let table = tables.get(node.field_text("right"));
                found.extend(table.map(|table| rows(*table)).unwrap_or_default());
            }
            _ => {}
        }
    }
    found
}

/// A list or a map of things that have parts of their own.
fn is_table(literal: Node<'_>) -> bool {
    let listed = literal.field("type").is_some_and(|kind| {
        kind.is(&["slice_type", "map_type", "array_type", "implicit_length_array_type"])
    });
    let element = literal.field("body").and_then(Node::first);
    listed
        && element.is_some_and(|element| element.all().any(|node| node.kind() == "literal_value"))
}

/// The names of imported packages.
fn modules(root: Node<'_>) -> BTreeSet<String> {
    let specs = root.below().filter(|node| node.kind() == "import_spec");
    let names = specs.map(|spec| match spec.field("name") {
        Some(name) => name.text(),
        None => spec.field_text("path").trim_matches('"').rsplit('/').next().unwrap_or_default(),
    });
    names.map(str::to_owned).collect()
}

/// The last name of what is called.
pub(crate) fn callee(node: Node<'_>) -> Option<&str> {
    if node.kind() != "call_expression" {
        return None;
    }
    let function = node.field("function")?;
    match function.kind() {
        "identifier" => Some(function.text()),
        "selector_expression" => Some(function.field_text("field")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
