//! Whether a statement is reached when its test runs, and whether its failure is heard.
//!
//! Only what is plain from the structure counts: an unconditional way out before it, a condition
//! that is written as false, a handler that swallows every failure, a function that nobody names.

use crate::tree::Node;
use crate::values::{bare, truth};

/// Statements after which nothing in the same block is reached.
const WAYS_OUT: &[&str] = &[
    "return_statement",
    "raise_statement",
    "throw_statement",
    "break_statement",
    "continue_statement",
    "return_expression",
    "break_expression",
    "continue_expression",
];
/// Calls that end a test without a verdict on what follows, as they are written.
const ENDING_CALLS: &[&str] = &[
    "pytest.skip",
    "pytest.xfail",
    "pytest.exit",
    "self.skipTest",
    "sys.exit",
    "os._exit",
    "exit",
    "quit",
    "this.skip",
    "ctx.skip",
    "context.skip",
    "process.exit",
    "t.Skip",
    "t.Skipf",
    "t.SkipNow",
    "b.Skip",
    "b.SkipNow",
    "os.Exit",
    "runtime.Goexit",
    "std::process::exit",
    "process::exit",
    "System.exit",
];
/// Of those, what skips the test.
const SKIPPING_CALLS: &[&str] = &[
    "pytest.skip",
    "self.skipTest",
    "this.skip",
    "ctx.skip",
    "context.skip",
    "t.skip",
    "t.todo",
    "t.Skip",
    "t.Skipf",
    "t.SkipNow",
    "pytest.xfail",
];
/// Calls that end a test when their first argument is not true.
const ASSUMPTIONS: &[&str] = &["assumeTrue", "Assume.assumeTrue", "Assumptions.assumeTrue"];
/// Calls that are conditions for which a constant is enough to know that nothing follows.
const CALLS: &[&str] = &["call", "call_expression", "method_invocation", "macro_invocation"];
/// Nodes that repeat what is in them.
const LOOPS: &[&str] = &[
    "for_statement",
    "for_in_statement",
    "while_statement",
    "do_statement",
    "enhanced_for_statement",
    "for_expression",
    "while_expression",
    "loop_expression",
    "list_comprehension",
    "generator_expression",
];
/// Calls that repeat the function they are given.
const LOOPING_CALLS: &[&str] = &[".forEach", ".map", ".every", ".each", ".for_each", ".all"];
/// Nodes that hold statements.
const BLOCKS: &[&str] = &[
    "block",
    "statement_block",
    "statement_list",
    "constructor_body",
    "switch_block_statement_group",
];
/// How many nodes of a statement that gives a literal are looked at.
const SHORT: usize = 12;
/// Nodes that hold a function.
const FUNCTIONS: &[&str] = &[
    "function_definition",
    "function_declaration",
    "function_item",
    "arrow_function",
    "function_expression",
    "closure_expression",
    "func_literal",
    "generator_function_declaration",
];
/// Exceptions of Python whose handler hears a failed assertion.
pub(crate) const BROAD: &[&str] =
    &["Exception", "BaseException", "AssertionError", "self.failureException"];
/// Statements of a handler that leave no trace of what it caught.
const QUIET: &[&str] = &[
    "pass_statement",
    "continue_statement",
    "break_statement",
    "return_statement",
    "empty_statement",
    "comment",
];
/// How a call that only says something is written.
const SAYING: &[&str] =
    &["print", "console.", "logger.", "log.", "logging.", "warnings.warn", "System.out"];

/// Whether an assertion is reached when `body` runs.
pub(crate) fn is_reachable(node: Node<'_>, body: Node<'_>) -> bool {
    let mut below = node;
    if ends_before(below) || !(node.syntax().is_heard)(node, body) {
        return false;
    }
    for above in node.ancestors() {
        if !above.is_in(body) {
            break;
        }
        if is_dead_branch(above, below)
            || swallows(above, below)
            || is_never_called(above, body)
            || (above != body && ends_before(above))
        {
            return false;
        }
        below = above;
    }
    true
}

/// Whether the statement right before an assertion gives its subject a literal, so that it asks
/// about nothing else: `total = 12`, then `assert total == 12`.
pub(crate) fn is_answered_before(node: Node<'_>, subject: &str) -> bool {
    let own = |part: Node<'_>| {
        let name = part.text();
        name == subject
            || ["assert", "expect", "require"].iter().any(|word| name.starts_with(word))
            || matches!(name, "self" | "t" | "Assertions" | "Assert")
    };
    let names = || node.all().filter(|part| part.is_leaf() && part.kind() == "identifier");
    if subject.is_empty() || !names().any(|it| it.text() == subject) || !names().all(own) {
        return false;
    }
    let in_block = |it: &Node<'_>| it.parent().is_some_and(|parent| is_block(parent));
    let statement = [node].into_iter().chain(node.ancestors().take(3)).find(in_block);
    let before = statement.and_then(|statement| statement.parts_before().last());
    before.is_some_and(|before| {
        before.all().take(SHORT).any(|it| {
            let (left, right) = match it.kind() {
                "assignment"
                | "assignment_expression"
                | "assignment_statement"
                | "short_var_declaration" => (it.field("left"), it.field("right")),
                "variable_declarator" => (it.field("name"), it.field("value")),
                "let_declaration" => (it.field("pattern"), it.field("value")),
                _ => return false,
            };
            let literal = |right: Node<'_>| {
                let value =
                    if right.kind() == "expression_list" { right.first() } else { Some(right) };
                value.is_some_and(crate::values::is_literal)
            };
            left.is_some_and(|left| left.text() == subject) && right.is_some_and(literal)
        })
    })
}

/// Whether an assertion is reached only under a condition of the test's own: in a branch without
/// another, or behind one that leaves. In Go and Rust that is how assertions are written.
pub(crate) fn is_guarded<'tree>(node: Node<'tree>, body: Node<'tree>) -> bool {
    if node.syntax().asserts_by_branching {
        return false;
    }
    let guards = |it: Node<'_>| it.is_or(&["if_statement"], |kinds| kinds.guards);
    let then = |it: Node<'tree>| it.field("consequence").or_else(|| it.field("body"));
    let may_leave = |statement: Node<'tree>| {
        let then = then(statement).filter(|_| guards(statement));
        then.is_some_and(|then| is_exit(then) || statements(then).any(is_way_out))
    };
    let mut below = node;
    for above in node.ancestors() {
        if below.parts_before().any(may_leave) {
            return true;
        }
        if !above.is_in(body) || above == body {
            return false;
        }
        let alone = guards(above) && above.field("alternative").is_none();
        if alone && then(above) == Some(below) {
            return true;
        }
        below = above;
    }
    false
}

/// Whether a node stands in a loop of `body`.
pub(crate) fn is_repeated(node: Node<'_>, body: Node<'_>) -> bool {
    let within = node.ancestors().take_while(|above| above.is_in(body) && *above != body);
    within.into_iter().any(|above| {
        above.is_or(LOOPS, |kinds| kinds.loops)
            || (above.is(CALLS) && LOOPING_CALLS.iter().any(|name| callee(above).ends_with(name)))
    })
}

/// Whether the test is skipped by one of its first acts, whatever else it holds.
pub(crate) fn skips_itself(block: Node<'_>) -> bool {
    block.parts().any(|statement| {
        call_of(statement).is_some_and(|call| SKIPPING_CALLS.contains(&callee(call).as_str()))
            || is_raised_skip(statement)
            || is_false_assumption(statement)
    })
}

fn is_raised_skip(statement: Node<'_>) -> bool {
    statement.kind() == "raise_statement" && statement.text().contains("SkipTest")
}

/// Whether a statement before this one in the same block leaves it for good.
fn ends_before(node: Node<'_>) -> bool {
    let in_block = node.parent().is_some_and(|parent| is_block(parent));
    in_block && node.parts_before().any(leaves)
}

/// Whether a statement is a way out that no condition guards.
fn leaves(statement: Node<'_>) -> bool {
    let inner = bare(statement);
    if is_exit(statement) || is_exit(inner) {
        return true;
    }
    if statement.kind() == "if_statement" && is_always(statement) {
        let then = statement.field("consequence");
        return then.is_some_and(|then| is_exit(then) || statements(then).any(is_way_out));
    }
    call_of(statement).is_some_and(|call| ENDING_CALLS.contains(&callee(call).as_str()))
        || is_false_assumption(statement)
}

fn is_exit(statement: Node<'_>) -> bool {
    statement.is_or(WAYS_OUT, |kinds| kinds.ways_out)
}

fn is_block(node: Node<'_>) -> bool {
    node.is_or(BLOCKS, |kinds| kinds.blocks)
}

fn is_way_out(statement: Node<'_>) -> bool {
    is_exit(bare(statement))
}

/// The statements of a block; Go has a list in it.
fn statements<'tree>(block: Node<'tree>) -> impl Iterator<Item = Node<'tree>> {
    let list = block.first().filter(|first| first.kind() == "statement_list");
    list.unwrap_or(block).parts()
}

fn is_always(conditional: Node<'_>) -> bool {
    conditional.field("condition").and_then(truth) == Some(true)
}

fn is_false_assumption(statement: Node<'_>) -> bool {
    let Some(call) = call_of(statement) else { return false };
    let first = call.field("arguments").and_then(Node::first);
    ASSUMPTIONS.contains(&callee(call).as_str()) && first.and_then(truth) == Some(false)
}

/// The call that a statement is.
fn call_of(statement: Node<'_>) -> Option<Node<'_>> {
    let mut inner = bare(statement);
    while inner.is(&["await", "await_expression", "return_statement"]) {
        inner = inner.first()?;
    }
    inner.is(CALLS).then_some(inner)
}

/// What is called, as it is written, without blanks.
fn callee(call: Node<'_>) -> String {
    let function = call.field("function").or_else(|| call.field("macro"));
    let name = call.field("name").or_else(|| call.field("method")).map_or("", Node::text);
    let text = match function {
        Some(function) => function.text().to_owned(),
        None => match call.field("object").or_else(|| call.field("receiver")) {
            Some(object) => format!("{}.{name}", object.text()),
            None => name.to_owned(),
        },
    };
    text.split_whitespace().collect()
}

/// Whether `below` stands in a branch whose condition is written so that it is never taken.
fn is_dead_branch(above: Node<'_>, below: Node<'_>) -> bool {
    let condition = match above.kind() {
        "if_statement" | "while_statement" | "if_expression" | "while_expression"
        | "elif_clause" => above.field("condition").and_then(truth),
        "for_statement" => (above.syntax().for_condition)(above).and_then(truth),
        "boolean_operator" | "binary_expression" => return is_cut_short(above, below),
        _ => return false,
    };
    let in_then = ["consequence", "body"].iter().any(|field| above.field(field) == Some(below));
    let in_else = ["alternative"].iter().any(|field| above.fields(field).any(|it| it == below));
    match condition {
        Some(false) => in_then,
        Some(true) => in_else && above.is(&["if_statement", "if_expression"]),
        None => false,
    }
}

/// `False and f()`, `true || f()`.
fn is_cut_short(above: Node<'_>, below: Node<'_>) -> bool {
    if above.field("right") != Some(below) {
        return false;
    }
    let left = above.field("left").and_then(truth);
    let either = above.has_token("or") || above.has_token("||");
    let both = above.has_token("and") || above.has_token("&&");
    (either && left == Some(true)) || (both && left == Some(false))
}

/// Whether a failure in `below` is caught by `above` and forgotten.
fn swallows(above: Node<'_>, below: Node<'_>) -> bool {
    match above.kind() {
        "try_statement" if above.field("body") == Some(below) => {
            let handlers = above.parts().filter(|part| part.is(&["except_clause", "catch_clause"]));
            handlers.into_iter().any(is_deaf) || returns_in_finally(above)
        }
        "with_statement" => {
            let clause = above.parts().find(|part| part.kind() == "with_clause");
            let text: String =
                clause.map(|clause| clause.text().split_whitespace().collect()).unwrap_or_default();
            above.field("body") == Some(below)
                && text.contains("suppress(")
                && BROAD.iter().any(|name| text.contains(name))
        }
        // `let _ = catch_unwind(…)`.
        "let_declaration" if above.field_text("pattern") == "_" => {
            let value = above.field("value");
            value.is_some_and(|value| value.is(CALLS) && callee(value).ends_with("catch_unwind"))
        }
        _ => false,
    }
}

fn returns_in_finally(tried: Node<'_>) -> bool {
    let last = tried.parts().find(|part| part.kind() == "finally_clause");
    let block = last.and_then(|clause| clause.parts().last());
    block.is_some_and(|block| block.parts().any(|part| part.kind() == "return_statement"))
}

/// Whether a handler catches a failed assertion and leaves no trace of it.
fn is_deaf(handler: Node<'_>) -> bool {
    let body = handler
        .field("body")
        .or_else(|| handler.parts().filter(|part| part.is(&["block", "statement_block"])).last());
    let Some(body) = body else { return false };
    catches_failures(handler, body) && body.parts().all(is_quiet)
}

fn catches_failures(handler: Node<'_>, body: Node<'_>) -> bool {
    let caught: Vec<Node<'_>> = handler.parts().filter(|part| *part != body).collect();
    (handler.syntax().catches_failures)(&caught)
}

pub(crate) fn names_one_of(node: Node<'_>, names: &[&str]) -> bool {
    node.all().any(|part| {
        part.is(&["identifier", "attribute", "type_identifier"]) && names.contains(&part.text())
    })
}

fn is_quiet(statement: Node<'_>) -> bool {
    if statement.is(&["return_statement"]) {
        return statement.first().is_none_or(crate::values::is_constant);
    }
    let inner = bare(statement);
    let says = call_of(statement).is_some_and(|call| {
        let name = callee(call);
        SAYING.iter().any(|saying| name.starts_with(saying))
    });
    says || statement.is(QUIET) || inner.kind() == "ellipsis"
}

/// Whether `function` is a function in `body` that nothing else in `body` names.
fn is_never_called(function: Node<'_>, body: Node<'_>) -> bool {
    if function == body || !function.is(FUNCTIONS) {
        return false;
    }
    if is_thrown_away(function) || is_for_nothing(function) {
        return true;
    }
    let Some(name) = name_of_function(function) else { return false };
    let decorated = function.parent().is_some_and(|parent| parent.kind() == "decorated_definition");
    !decorated
        && !body
            .all()
            .any(|node| node.is_leaf() && node.text() == name && !is_definition(node, function))
}

/// `[].forEach(() => { … })`.
fn is_for_nothing(function: Node<'_>) -> bool {
    let call = function.parent().and_then(Node::parent).filter(|call| call.is(CALLS));
    let list = call.and_then(|call| call.field("function")?.field("object"));
    list.is_some_and(|list| list.kind() == "array" && list.first().is_none())
}

/// `_ = func() { … }`.
fn is_thrown_away(function: Node<'_>) -> bool {
    let list = function.parent().filter(|parent| parent.kind() == "expression_list");
    let assignment = list.and_then(Node::parent);
    assignment.is_some_and(|it| it.kind() == "assignment_statement" && it.field_text("left") == "_")
}

/// The name of a function that has one of its own, or of the variable that it is the value of.
fn name_of_function<'tree>(function: Node<'tree>) -> Option<&'tree str> {
    if let Some(name) = function.field("name") {
        let statement = function.parent().is_some_and(|parent| {
            parent.is(&["block", "statement_block", "decorated_definition", "statement_list"])
        });
        return statement.then(|| name.text());
    }
    let parent = function.parent()?;
    let field = match parent.kind() {
        "variable_declarator" => "name",
        "let_declaration" => "pattern",
        "assignment" => "left",
        _ => return None,
    };
    let name = parent.field(field)?;
    name.is_leaf().then(|| name.text())
}

/// Whether a name stands where `function` gets it, or inside of it.
fn is_definition(name: Node<'_>, function: Node<'_>) -> bool {
    let within = name.is_in(function);
    let beside = function.parent().is_some_and(|parent| {
        parent.is(&["variable_declarator", "let_declaration", "assignment"])
            && name.parent() == Some(parent)
    });
    within || beside
}
