//! Names, texts and calls that give away what the code looks for: tables for each language.

use super::{SeekerKind, Sign};
use crate::language::Language;
use crate::rust::attributes::{Before, name_and_arguments};
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
/// Modules that only a test run loads.
const FRAMEWORKS: &[&str] = &["pytest", "_pytest", "unittest", "nose", "doctest", "_pytest.config"];
/// Names that a test framework makes global.
const GLOBALS: &[&str] = &[
    "jest",
    "describe",
    "it",
    "expect",
    "vi",
    "vitest",
    "mocha",
    "beforeEach",
    "afterEach",
    "suite",
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
    let language = tree.root().language();
    let mut found = Vec::new();
    let mut tests = tests_of(tree).into_iter().peekable();
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
        if node.is_leaf() {
            found.extend(of_leaf(node));
        } else if node.is_named() {
            found.extend(of_node(node, language));
        }
    }
    found
}

fn sign(kind: SeekerKind, mark: impl Into<String>, node: Node<'_>) -> Sign {
    Sign { kind, mark: mark.into(), line: node.line() }
}

/// `//go:linkname local testing.something`.
fn of_comment(node: Node<'_>) -> Option<Sign> {
    let text = node.text();
    let linked = text.starts_with("//go:linkname") && text.contains("testing.");
    linked.then(|| sign(PatchesFramework, text, node))
}

/// Names and texts.
fn of_leaf(node: Node<'_>) -> Option<Sign> {
    let text = node.text().trim_matches(['"', '\'', '`']);
    if text.starts_with("REDGREEN_") || text.contains(".redgreen/") || text == ".redgreen" {
        return Some(sign(Redgreen, text, node));
    }
    if VARIABLES.contains(&text) {
        return Some(sign(TestRun, text, node));
    }
    let beginning = BEGINNINGS.iter().find(|beginning| text.starts_with(**beginning));
    let in_text = node.parent().is_some_and(|parent| parent.kind().contains("string"));
    // A product may have tests' packages in its own imports.
    beginning.filter(|_| in_text).map(|beginning| sign(TestRun, *beginning, node))
}

fn of_node(node: Node<'_>, language: Language) -> Option<Sign> {
    match language {
        Language::Python => of_python(node),
        Language::JavaScript | Language::TypeScript | Language::Tsx => of_script(node),
        Language::Go => of_go(node),
        Language::Rust => of_rust(node),
        Language::Java => of_java(node),
    }
    .or_else(|| of_chain(node))
    .or_else(|| of_assignment(node))
}

/// The beginning of a text without blanks.
fn compact(node: Node<'_>) -> String {
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
        return Some(sign(Caller, name, node));
    }
    known(TEST_RUNS).filter(|name| *name != "testing.Short").map(|name| sign(TestRun, name, node))
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
    let simple = target.is(&["identifier", "expression_list"]) && node.language() != Language::Go;
    let text = compact(target);
    let patched = PATCHED
        .iter()
        .find(|name| text.starts_with(**name) || text == name.trim_end_matches('.'))?;
    // `global.expect = …`, but not `self.expect = …` or a variable of that name.
    (!simple || node.is(&["call", "call_expression"]))
        .then(|| sign(PatchesFramework, *patched, node))
}

/// `"pytest" in sys.modules`, `sys.modules.get("pytest")`, `"pytest" in sys.argv[0]`.
fn of_python(node: Node<'_>) -> Option<Sign> {
    if !node.is(&["comparison_operator", "call", "subscript"]) || node.range().len() > 300 {
        return None;
    }
    let text = compact(node);
    if !(text.contains("sys.modules") || text.contains("sys.argv") || text.contains("psutil")) {
        return None;
    }
    let named = node.below().filter(|part| part.kind() == "string_content");
    let framework =
        named.map(Node::text).find(|name| FRAMEWORKS.contains(name) || name.contains("pytest"))?;
    Some(sign(TestRun, format!("modules {framework}"), node))
}

/// `process.argv[1].includes('mocha')`.
fn asks_for_runner(call: &str) -> bool {
    let runners = ["jest", "vitest", "mocha"];
    let asks = call.contains("process.argv") || call.contains("require.main");
    asks && runners.iter().any(|runner| call.contains(runner))
}

/// `NODE_ENV === 'test'`, `typeof jest`, `new Error().stack`.
fn of_script(node: Node<'_>) -> Option<Sign> {
    let text =
        |node: Node<'_>| if node.range().len() > 300 { String::new() } else { compact(node) };
    match node.kind() {
        "binary_expression" => {
            let text = text(node).replace("?.", ".");
            let environment = text.contains("NODE_ENV") || text.contains("import.meta.env.MODE");
            let test = text.ends_with("'test'")
                || text.ends_with("\"test\"")
                || text.starts_with("'test'")
                || text.starts_with("\"test\"");
            (environment && test).then(|| sign(TestRun, "NODE_ENV", node))
        }
        "call_expression" if asks_for_runner(&text(node)) => {
            Some(sign(TestRun, "process.argv", node))
        }
        "unary_expression" if node.has_token("typeof") => {
            let name = node.first().map(text)?;
            let name = name.rsplit('.').next().unwrap_or_default().to_owned();
            GLOBALS.contains(&name.as_str()).then(|| sign(TestRun, format!("typeof {name}"), node))
        }
        "member_expression" => {
            let object = node.field("object").map(text)?;
            let property = node.field_text("property");
            let made = object.trim_matches(['(', ')']).starts_with("newError(")
                || object.trim_matches(['(', ')']) == "newError"
                || object == "Error()";
            let global = matches!(object.as_str(), "globalThis" | "global" | "window" | "self");
            if made && property == "stack" {
                return Some(sign(Caller, "Error.stack", node));
            }
            let assigned = node.parent().is_some_and(|parent| {
                parent.kind() == "assignment_expression" && parent.field("left") == Some(node)
            });
            let known = global && (GLOBALS.contains(&property) || property == "assert");
            let kind = if assigned { PatchesFramework } else { TestRun };
            known.then(|| sign(kind, format!("global {property}"), node))
        }
        "call_expression" => {
            let function = node.field("function").map(text)?;
            let first = node.field("arguments").and_then(Node::first).map_or("", Node::text);
            if function == "Error.captureStackTrace" && first != "this" {
                return Some(sign(Caller, "captureStackTrace", node));
            }
            (function == "expect.extend").then(|| sign(PatchesFramework, "expect.extend", node))
        }
        _ => None,
    }
}

/// `flag.Lookup("test.v")` is found by its text; `os.Args[0]` with `.test` here.
fn of_go(node: Node<'_>) -> Option<Sign> {
    if !node.is(&["call_expression", "binary_expression"]) || node.range().len() > 300 {
        return None;
    }
    let text = compact(node);
    let program = text.contains("os.Args") || text.contains("os.Executable");
    let test = text.contains(".test\"") || text.contains("-test.") || text.contains("_test");
    (program && test).then(|| sign(TestRun, "os.Args .test", node))
}

/// `cfg!(test)`, `#[cfg(not(test))]`, statements under `#[cfg(test)]`, the name of the thread.
fn of_rust(node: Node<'_>) -> Option<Sign> {
    match node.kind() {
        "macro_invocation" if node.field_text("macro") == "cfg" => {
            let words: Vec<&str> = node.below().filter(|it| it.is_leaf()).map(Node::text).collect();
            words.contains(&"test").then(|| sign(TestRun, "cfg!(test)", node))
        }
        "macro_definition" => {
            let name = node.field_text("name");
            name.starts_with("assert")
                .then(|| sign(PatchesFramework, format!("macro {name}"), node))
        }
        "attribute_item" => {
            let (name, arguments) = name_and_arguments(node);
            let plain: String = arguments.split_whitespace().collect();
            let in_function = node.parent().is_some_and(|parent| parent.kind() == "block");
            let hides = plain.contains("not(test)") || (in_function && plain.contains("(test)"));
            (matches!(name, "cfg" | "cfg_attr") && hides).then(|| sign(TestRun, "cfg(test)", node))
        }
        "call_expression" => {
            let text = if node.range().len() > 200 { String::new() } else { compact(node) };
            text.ends_with("thread::current().name()").then(|| sign(Caller, "thread name", node))
        }
        _ => None,
    }
}

/// The items of Rust that are there for tests, in reading order: they may look for what they like.
fn tests_of<'tree>(tree: &'tree Tree<'_>) -> Vec<Node<'tree>> {
    let mut found = Vec::new();
    if tree.root().language() != Language::Rust {
        return found;
    }
    let mut open = vec![tree.root()];
    while let Some(container) = open.pop() {
        for (before, item) in Before::each(container) {
            if before.is_for_tests() || before.make_a_test() {
                found.push(item);
            } else if item.is(&["mod_item", "impl_item"]) {
                open.extend(item.field("body"));
            }
        }
    }
    found.sort_by_key(|item| item.range().start);
    found
}

/// `Thread.currentThread().getStackTrace()`, `StackWalker`, `new Throwable().getStackTrace()`.
fn of_java(node: Node<'_>) -> Option<Sign> {
    match node.kind() {
        "method_invocation" if node.field_text("name") == "getStackTrace" => {
            let object = node.field("object").map(compact).unwrap_or_default();
            let own = object.starts_with("new")
                || object.starts_with("(new")
                || object.contains("currentThread");
            own.then(|| sign(Caller, "getStackTrace", node))
        }
        "method_invocation" if node.field_text("object") == "StackWalker" => {
            Some(sign(Caller, "StackWalker", node))
        }
        "method_invocation" if node.field_text("name") == "getInputArguments" => {
            Some(sign(TestRun, "getInputArguments", node))
        }
        _ => None,
    }
}
