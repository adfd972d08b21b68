//! Names, texts and calls that give away what the code looks for: tables for all languages. What only one
//! has is in its folder.

use super::{SeekerKind, Sign, doubts};
use crate::tree::{Node, Tree};

use SeekerKind::{Caller, PatchesFramework, Redgreen, TestRun};

/// Variables and properties that test runs set.
const VARIABLES: &[&str] = &[
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "PYTEST_XDIST_WORKER",
    "PYTEST_RUN_CONFIG",
    "JEST_WORKER_ID",
    "VITEST",
    "VITEST_WORKER_ID",
    "VITEST_POOL_ID",
    "VITEST_MODE",
    "NODE_TEST_CONTEXT",
    "MOCHA_WORKER_ID",
    "MOCHA_COLORS",
    "TEST_WORKER_INDEX",
    "RUST_TEST_THREADS",
    "NEXTEST",
    "NEXTEST_RUN_ID",
    "NEXTEST_EXECUTION_MODE",
    "GO_WANT_HELPER_PROCESS",
    "__vitest_worker__",
    "__JEST__",
    "_called_from_test",
    "sun.java.command",
];
/// Beginnings of texts that name a part of a test run.
const BEGINNINGS: &[&str] = &[
    "/proc/self/mount",
    "/proc/mounts",
    "surefire.",
    "org.junit",
    "org.testng",
    "test.v",
    "test.run",
    "test.timeout",
    "test.paniconexit",
];
/// Chains of names that look for the caller, as they are written without blanks.
const CALLERS: &[&str] = &[
    "inspect.stack",
    "inspect.currentframe",
    "inspect.getouterframes",
    "inspect.getframeinfo",
    "sys._getframe",
    "sys._getframemodulename",
    "sys._current_frames",
    "sys.gettrace",
    "traceback.extract_stack",
    "traceback.format_stack",
    "traceback.walk_stack",
    "traceback.print_stack",
    "gc.get_referrers",
    "runtime.Caller",
    "runtime.Callers",
    "runtime.CallersFrames",
    "debug.Stack",
    "runtime.Stack",
    "Backtrace::capture",
    "Backtrace::force_capture",
    "arguments.callee",
    "expect.getState",
];
/// Chains of names that ask whether a test runs.
const TEST_RUNS: &[&str] = &["testing.Testing", "import.meta.vitest", "testing.Short"];
/// What a product does not assign to.
const PATCHED: &[&str] = &[
    "unittest.TestCase",
    "unittest.case",
    "TestCase.",
    "builtins.",
    "__builtins__",
    "pytest.",
    "_pytest.",
    "sys.modules[",
    "sys.exit",
    "os._exit",
    "Object.prototype",
    "Array.prototype",
    "Function.prototype",
    "Promise.prototype",
    "String.prototype",
    "Number.prototype",
    "Object.is",
    "expect.",
    "assert.",
    "jest.",
    "process.exit",
    "JSON.stringify",
    "require.cache",
    "require('assert')",
    "require('node:assert",
    "require(\"assert\")",
    "require(\"node:assert",
    "Module._load",
    "Module.prototype",
    "os.Args",
];
/// Functions that assign to their first argument.
const ASSIGNING: &[&str] = &[
    "setattr",
    "Object.defineProperty",
    "Object.assign",
    "Reflect.set",
    "mock.patch",
    "Reflect.defineProperty",
];

/// How much of an expression is looked at, in letters.
const COMPACT_MAX: usize = 400;

/// The signs of a source.
pub(super) fn of(tree: &Tree<'_>) -> Vec<Sign> {
    let mut found = Vec::new();
    let mut tests = (tree.root().syntax().tests_among_code)(tree).into_iter().peekable();
    for node in tree.root().below() {
        // Both are in reading order.
        while tests.next_if(|item| item.range().end <= node.range().start).is_some() {}
        if tests.peek().is_some_and(|item| node.is_in(*item)) {
            continue;
        }
        if node.is_comment() {
            found.extend(of_comment(node));
            continue;
        }
        let sign = match node.is_leaf() {
            true => of_leaf(node),
            false => node.is_named().then(|| of_node(node)).flatten(),
        };
        found.extend(sign.map(|sign| doubts::weighed(sign, node)));
    }
    found
}

/// `//go:linkname local testing.something`.
fn of_comment(node: Node<'_>) -> Option<Sign> {
    let text = node.text();
    let linked = text.starts_with("//go:linkname") && text.contains("testing.");
    linked.then(|| Sign::new(PatchesFramework, text, node))
}

/// Names and texts.
fn of_leaf(node: Node<'_>) -> Option<Sign> {
    let text = node.text().trim_matches(['"', '\'', '`']);
    if text.starts_with("REDGREEN_") || text.contains(".redgreen/") || text == ".redgreen" {
        return Some(Sign::new(Redgreen, text, node));
    }
    if VARIABLES.contains(&text) {
        return Some(Sign::new(TestRun, text, node));
    }
    let beginning = BEGINNINGS.iter().find(|beginning| text.starts_with(**beginning));
    let in_text = node.parent().is_some_and(|parent| parent.kind().contains("string"));
    // A product may have tests' packages in its own imports.
    beginning.filter(|_| in_text).map(|beginning| Sign::new(TestRun, *beginning, node))
}

fn of_node(node: Node<'_>) -> Option<Sign> {
    (node.syntax().sign)(node).or_else(|| of_chain(node)).or_else(|| of_assignment(node))
}

/// The beginning of a text without blanks.
pub(crate) fn compact(node: Node<'_>) -> String {
    let text = node.text().split_whitespace().flat_map(str::chars);
    text.take(COMPACT_MAX).collect()
}

/// Chains of names: the longest only.
fn of_chain(node: Node<'_>) -> Option<Sign> {
    let kinds = ["attribute", "member_expression", "selector_expression", "scoped_identifier"];
    if !node.is(&kinds) || node.range().len() > 200 {
        return None;
    }
    let text = compact(node);
    let known = |list: &[&'static str]| {
        list.iter().find(|name| text == **name || text.ends_with(&format!("::{name}"))).copied()
    };
    if let Some(name) = known(CALLERS) {
        return Some(Sign::new(Caller, name, node));
    }
    known(TEST_RUNS)
        .filter(|name| *name != "testing.Short")
        .map(|name| Sign::new(TestRun, name, node))
}

/// Assignments to what is not the product's own.
fn of_assignment(node: Node<'_>) -> Option<Sign> {
    let target = match node.kind() {
        "assignment"
        | "assignment_expression"
        | "augmented_assignment"
        | "assignment_statement" => node.field("left")?,
        "call" | "call_expression" => {
            let function = compact(node.field("function")?);
            ASSIGNING.contains(&function.as_str()).then_some(())?;
            node.field("arguments")?.first()?
        }
        _ => return None,
    };
    let simple =
        target.is(&["identifier", "expression_list"]) && !node.syntax().plain_names_are_shared;
    let text = compact(target);
    let patched = PATCHED
        .iter()
        .find(|name| text.starts_with(**name) || text == name.trim_end_matches('.'))?;
    // `global.expect = …`, but not `self.expect = …` or a variable of that name.
    (!simple || node.is(&["call", "call_expression"]))
        .then(|| Sign::new(PatchesFramework, *patched, node))
}
