//! Where honest code has the like of a sign, it is no certain one.

use super::{SeekerKind, Sign, compact};
use crate::tree::Node;

/// What says that a test runs, but which honest code asks for, too, where it decides about no answer: a log that is
/// silent, a server that is not started.
const ASKED_BY_MANY: &[&str] = &[
    "NODE_ENV",
    "stdout",
    "import.meta.vitest",
    "GO_WANT_HELPER_PROCESS",
    "MOCHA_COLORS",
    "RUST_TEST_THREADS",
    "sun.java.command",
    "/proc/self/mount",
    "/proc/mounts",
    "VITEST",
    "VITEST_MODE",
];
/// Parts of a language or of a loader that honest code replaces.
const REPLACED_BY_MANY: &[&str] = &["os.Args", "require.cache", "Module._load", "Module.prototype"];
/// Words of those who look for a test.
const OF_TESTS: &[&str] = &["test", "spec", "jest", "mocha", "junit", "assert", "expect"];
/// Items of Rust that only name something.
const NAMED: &[&str] = &[
    "use_declaration",
    "mod_item",
    "extern_crate_declaration",
    "type_item",
    "const_item",
    "static_item",
];
/// Statements under a condition, and expressions that have one.
const CHOICES: &[&str] = &[
    "if_statement",
    "elif_clause",
    "if_expression",
    "if",
    "unless",
    "conditional_expression",
    "ternary_expression",
    "conditional",
];

/// The sign, as sure as one can be where it stands.
pub(super) fn weighed(sign: Sign, node: Node<'_>) -> Sign {
    let mark = sign.mark.as_str();
    let certain = match sign.kind {
        SeekerKind::TestRun if ASKED_BY_MANY.contains(&mark) => decides_an_answer(node, true),
        // `#[cfg(not(test))] use …`, `#[cfg_attr(not(test), …)]`.
        SeekerKind::TestRun if mark == "cfg(test)" => is_of_code(node),
        SeekerKind::Caller => looks_for_tests(node),
        SeekerKind::PatchesFramework if REPLACED_BY_MANY.contains(&mark) => false,
        SeekerKind::PatchesFramework if mark == "sys.modules[" => replaces_a_framework(node),
        SeekerKind::PatchesFramework => !is_asked_before(node) && !is_a_name_of_its_own(node),
        _ => sign.certain,
    };
    sign.certain(certain)
}

/// Whether what a function answers depends on it. What it is given to counts where that is asked in turn.
fn decides_an_answer(node: Node<'_>, follow: bool) -> bool {
    for above in node.ancestors() {
        if above.is(&["conditional_expression", "ternary_expression", "conditional"]) {
            return true;
        }
        if above.is(CHOICES) {
            let condition = above.field("condition").or_else(|| above.first());
            return condition.is_some_and(|condition| node.is_in(condition)) && answers(above);
        }
        if above.is(&["variable_declarator", "assignment", "short_var_declaration"]) {
            let name = above.field("name").or_else(|| above.field("left")).map_or("", Node::text);
            return follow && is_asked_for(node, name);
        }
        // What is given to somebody else is theirs to use.
        if above.kind().contains("function") || above.is(&["arguments", "argument_list", "pair"]) {
            return false;
        }
    }
    false
}

/// Whether something under a condition answers, or sets what may be answered.
fn answers(choice: Node<'_>) -> bool {
    choice.below().any(|node| match node.kind() {
        "return_statement" | "return_expression" | "return" => node.first().is_some(),
        "assignment" | "assignment_expression" => {
            node.field("left").is_some_and(|left| left.kind() == "identifier")
        }
        _ => false,
    })
}

/// Whether a name decides about an answer somewhere in the source.
fn is_asked_for(node: Node<'_>, name: &str) -> bool {
    let root = node.ancestors().last().unwrap_or(node);
    let mut named =
        root.below().filter(|other| other.kind() == "identifier" && other.text() == name);
    named.any(|other| decides_an_answer(other, false))
}

/// Whether an attribute of Rust is on something that does something: not on what is only named.
fn is_of_code(attribute: Node<'_>) -> bool {
    let mut next = attribute.next();
    while let Some(other) = next.filter(|it| it.is_comment() || it.kind() == "attribute_item") {
        next = other.next();
    }
    let named = next.is_some_and(|item| item.is(NAMED));
    !named && !compact(attribute).contains("cfg_attr")
}

/// Whether the function around it has a text that is about tests.
fn looks_for_tests(node: Node<'_>) -> bool {
    let around = node.ancestors().find(|above| {
        let kind = above.kind();
        kind.contains("function") || kind.contains("method")
    });
    let around = around.or_else(|| node.ancestors().nth(2));
    around.into_iter().flat_map(Node::below).filter(|part| part.kind().contains("string")).any(
        |text| {
            let text = text.text().to_ascii_lowercase();
            // A sentence is about something else.
            !text.trim().contains(' ') && OF_TESTS.iter().any(|word| text.contains(word))
        },
    )
}

/// `sys.modules["pytest"] = …`; a module may well replace itself.
fn replaces_a_framework(node: Node<'_>) -> bool {
    let target = node.field("left").map(compact).unwrap_or_default();
    ["pytest", "unittest", "doctest", "nose"].iter().any(|name| target.contains(name))
}

/// `if (!Array.prototype.at) Array.prototype.at = …`: what is not there is added.
fn is_asked_before(node: Node<'_>) -> bool {
    let target = node.field("left").map(compact).unwrap_or_default();
    let mut choices = node.ancestors().filter(|above| above.is(CHOICES));
    !target.is_empty()
        && choices.any(|choice| {
            choice.field("condition").is_some_and(|condition| compact(condition).contains(&target))
        })
}

/// `builtins._ = gettext`.
fn is_a_name_of_its_own(node: Node<'_>) -> bool {
    let target = node.field("left").map(compact).unwrap_or_default();
    target.ends_with("._")
}
