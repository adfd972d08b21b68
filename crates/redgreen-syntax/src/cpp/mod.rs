//! C++: GoogleTest.

mod assertions;

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::text::{LINE_CHARS, distinct_line};

use crate::language::{Kinds, Language, Syntax};
use crate::outline::{Outline, TestItem, TestNode, TestSyntax, helper_item, test_item};
use crate::tokens::normalised;
use crate::tree::{Node, Tree};

/// Macros whose body is a test: `TEST(Suite, Name) { … }`.
const TESTS: &[&str] = &["TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "GTEST_TEST"];
/// Macros that give a suite its values.
const ROWS: &[&str] = &["INSTANTIATE_TEST_SUITE_P", "INSTANTIATE_TEST_CASE_P"];
/// What a suite or a test has in front that is not to run.
const DISABLED: &str = "DISABLED_";

/// C++.
pub const CPP: Language = Language(&Syntax {
    kinds: Kinds {
        literals: &["number_literal", "string_literal", "char_literal", "concatenated_string"],
        open: &["qualified_identifier", "field_identifier", "type_identifier"],
        blocks: &["compound_statement"],
        loops: &["for_range_loop"],
        imports: &["preproc_include", "using_declaration"],
        ..Kinds::NONE
    },
    // GoogleTest returns from the function; an exception is none of its own.
    catches_failures: |_| false,
    ..Syntax::plain(
        "cpp",
        &["cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx"],
        || tree_sitter_cpp::LANGUAGE.into(),
        outline,
    )
});

/// The tests of a file. The prefix that leaves a test out is no part of its name.
pub(crate) fn outline(tree: &Tree<'_>) -> Outline {
    let reading = TestSyntax { claim_at: assertions::claim_at, callee, is_message };
    let modules = BTreeSet::new();
    let values = values_of_suites(tree);
    let mut outline = Outline::default();
    for function in tree.root().below().filter(|node| node.kind() == "function_definition") {
        let Some((declarator, body)) = function.field("declarator").zip(function.field("body"))
        else {
            continue;
        };
        let names: Vec<Node<'_>> =
            declarator.field("parameters").into_iter().flat_map(Node::parts).collect();
        let Some(macro_name) = declarator.field("declarator") else { continue };
        let ([suite, name], true) = (names.as_slice(), TESTS.contains(&macro_name.text())) else {
            let mut helper = helper_item(macro_name, function, reading);
            helper.apart = Some((function.line(), function.end_line()));
            outline.helpers.push(helper);
            continue;
        };
        let plain = |node: &Node<'_>| node.text().replace(DISABLED, "");
        let place =
            TestNode { whole: function, name: Some(*name), body, apart: &[], modules: &modules };
        let mut test: TestItem = test_item(vec![plain(suite), plain(name)], &place, reading);
        let skips = |part: Node<'_>| part.text().starts_with("GTEST_SKIP");
        test.skipped = [suite, name].iter().any(|part| part.text().starts_with(DISABLED))
            || body.parts().any(skips);
        test.parameters = values.get(suite.text()).cloned().unwrap_or_default();
        outline.tests.push(test);
    }
    outline
}

/// What `INSTANTIATE_TEST_SUITE_P(Some, Suite, Values(1, 2))` gives to each suite.
fn values_of_suites<'tree>(tree: &'tree Tree<'_>) -> BTreeMap<&'tree str, Vec<String>> {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let calls =
        tree.root().below().filter(|node| callee(*node).is_some_and(|it| ROWS.contains(&it)));
    for call in calls {
        let arguments: Vec<Node<'_>> =
            call.field("arguments").into_iter().flat_map(Node::parts).collect();
        let [_, suite, values, ..] = arguments.as_slice() else { continue };
        let rows = values.field("arguments").into_iter().flat_map(Node::parts);
        let rows = rows.map(|row| distinct_line(&normalised(row), LINE_CHARS));
        found.entry(suite.text()).or_default().extend(rows);
    }
    found
}

/// The name of the function that is called.
pub(crate) fn callee(node: Node<'_>) -> Option<&str> {
    let function = node.field("function").filter(|_| node.kind() == "call_expression")?;
    function.text().rsplit(['.', ':', '>']).next()
}

/// `EXPECT_TRUE(x) << "only said when it fails"`.
fn is_message(node: Node<'_>) -> bool {
    node.ancestors().take_while(|above| above.kind() == "binary_expression").any(|above| {
        above.field_text("operator") == "<<"
            && above.all().any(|part| assertions::claim_at(part).is_some() && !node.is_in(part))
    })
}

#[cfg(test)]
mod tests;
