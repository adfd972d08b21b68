//! What assertions look like in Go: an `if` with `t.Error` in it, testify, gotest.tools, gocheck,
//! quicktest and gomega.

use crate::assertion::{Claim, Strength};
use crate::tokens::normalised;
use crate::tree::Node;
use crate::values::{bare, is_constant, is_same, number, truth};

use Strength::{Exact, Loose, Usual, Vacuous};

/// Methods of `testing.T` that fail.
const FAILING: &[&str] = &["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"];
/// Objects with methods of these names that fail no test.
const NO_TESTS: &[&str] = &["log", "fmt", "errors", "logger", "xerrors", "slog", "klog", "glog"];
/// What functions that assert hang on.
const ASSERTING: &[&str] = &["assert", "require", "is", "suite", "qt", "check", "must", "td"];
/// Functions that many values please.
const LOOSE: &[&str] = &[
    "NotNil",
    "NotEmpty",
    "Contains",
    "NotContains",
    "NotEqual",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "IsType",
    "Implements",
    "Error",
    "NotPanics",
    "Regexp",
    "NotRegexp",
    "NotZero",
    "Positive",
    "Negative",
    "Subset",
    "ErrorContains",
    "NotSame",
    "Eventually",
    "FileExists",
    "DirExists",
    "Panics",
];
/// Functions that ask for no error.
const USUAL: &[&str] = &["NoError", "NilError"];
/// Functions of two values.
const EQUAL: &[&str] = &[
    "Equal",
    "Equalf",
    "EqualValues",
    "Exactly",
    "Same",
    "ElementsMatch",
    "JSONEq",
    "YAMLEq",
    "DeepEqual",
    "DeepEquals",
    "Equals",
    "Cmp",
    "EqualError",
    "ErrorIs",
    "ErrorAs",
    "Len",
    "Nil",
    "Empty",
    "Zero",
    "True",
    "False",
    "InDelta",
    "InEpsilon",
    "WithinDuration",
    "PanicsWithValue",
    "PanicsWithError",
    "Fail",
    "FailNow",
    "HTTPStatusCode",
    "HTTPBodyContains",
];

/// The assertion that begins at a node.
pub(super) fn claim_at(node: Node<'_>) -> Option<Claim> {
    let name = super::callee(node)?;
    let function = node.field("function")?;
    let operand = function.field("operand");
    let on = operand.map_or("", Node::text);
    if FAILING.contains(&name) && is_of_test(operand) && !has_subject(node, name, on) {
        return Some(of_failing(node));
    }
    if matches!(name, "To" | "ToNot" | "NotTo" | "Should" | "ShouldNot") {
        return of_gomega(node, name);
    }
    if matches!(name, "Assert" | "Check") {
        return Some(of_check(node));
    }
    let plain = name.strip_suffix('f').filter(|plain| knows(plain)).unwrap_or(name);
    let asserting = ASSERTING.contains(&on)
        || on.ends_with(".Require()")
        || on.ends_with(".Assert()")
        || (is_short(on) && !NO_TESTS.contains(&on));
    (asserting && knows(plain)).then(|| of_function(node, plain))
}

/// Whether a text is what `t.Errorf` and its like say.
pub(super) fn is_message(literal: Node<'_>) -> bool {
    let call = literal.parent().filter(|list| list.kind() == "argument_list");
    let call = call.and_then(Node::parent);
    let says = |call: Node<'_>| {
        let known =
            super::callee(call).is_some_and(|it| FAILING.contains(&it) || it.starts_with("Log"));
        known && is_of_test(call.field("function").and_then(|function| function.field("operand")))
    };
    call.is_some_and(says)
}

fn knows(name: &str) -> bool {
    EQUAL.contains(&name) || LOOSE.contains(&name) || USUAL.contains(&name)
}

/// A suite's receiver, or an object that was made for asserting.
fn is_short(name: &str) -> bool {
    (1..=5).contains(&name.len()) && name.chars().all(|letter| letter.is_ascii_lowercase())
}

/// Whether methods of this object fail the test.
fn is_of_test(operand: Option<Node<'_>>) -> bool {
    operand.is_some_and(|operand| {
        let text = operand.text();
        let known = operand.kind() == "identifier" || text.ends_with(".T()");
        known && !NO_TESTS.contains(&text) && !ASSERTING.contains(&text)
    })
}

/// `s.Error(err)` of a suite asks for an error; `t.Error(…)` fails.
fn has_subject(node: Node<'_>, name: &str, on: &str) -> bool {
    let single = node.field("arguments").and_then(Node::first);
    name == "Error"
        && matches!(on, "s" | "suite" | "r")
        && single.is_some_and(|it| it.kind() == "identifier")
}

/// A failure on purpose: what its `if` asks.
fn of_failing(call: Node<'_>) -> Claim {
    let mut below = call;
    for above in call.ancestors() {
        match above.kind() {
            "if_statement" if above.field("consequence") == Some(below) => {
                let claim =
                    above.field("condition").map_or(Claim::new(Exact, None), of_failing_condition);
                // The message may change: the condition is what is asked.
                let asked = [above.field("initializer"), above.field("condition")];
                let words: Vec<String> = asked.into_iter().flatten().map(normalised).collect();
                return Claim { text: Some(format!("if {}", words.join(" ; "))), ..claim };
            }
            "func_literal" | "function_declaration" | "method_declaration" => break,
            _ => below = above,
        }
    }
    Claim::new(Exact, None)
}

/// What must not be true.
fn of_failing_condition(condition: Node<'_>) -> Claim {
    let condition = bare(condition);
    if let Some(always) = truth(condition) {
        return Claim::new(if always { Exact } else { Vacuous }, Some(condition));
    }
    if condition.kind() == "unary_expression" && condition.has_token("!") {
        let inner = condition.first();
        let name = inner.and_then(super::callee).unwrap_or_default();
        let equal = matches!(name, "Equal" | "DeepEqual" | "EqualFold");
        let arguments: Vec<Node<'_>> = inner
            .and_then(|call| call.field("arguments"))
            .into_iter()
            .flat_map(Node::parts)
            .collect();
        let subject = arguments.first().copied().or(inner);
        return match arguments[..] {
            [left, right] if equal && is_same(left, right) => Claim::new(Vacuous, subject),
            _ => Claim::new(if equal { Exact } else { Loose }, subject),
        };
    }
    let (Some(left), Some(right)) = (condition.field("left"), condition.field("right")) else {
        return Claim::new(Loose, Some(condition));
    };
    let strength = match condition.field_text("operator") {
        "!=" if is_same(left, right) => Vacuous,
        // No error is what nearly every call of a test asks for.
        "!=" if right.text() == "nil" => Usual,
        "!=" => Exact,
        "||" => of_failing_condition_side(left).max(of_failing_condition_side(right)),
        "&&" if truth(left) == Some(false) || truth(right) == Some(false) => Vacuous,
        "&&" => of_failing_condition_side(left).min(of_failing_condition_side(right)),
        _ => Loose,
    };
    Claim::new(strength, Some(left))
}

/// The strength of one side, without going down further.
fn of_failing_condition_side(side: Node<'_>) -> Strength {
    let side = bare(side);
    let differs = side.field_text("operator") == "!=" && side.field_text("right") != "nil";
    let unequal = side.text().starts_with('!') && side.text().contains("Equal(");
    if truth(side).is_some() {
        Vacuous
    } else if differs || unequal {
        Exact
    } else {
        Loose
    }
}

/// The arguments without the test itself.
fn values(call: Node<'_>) -> Vec<Node<'_>> {
    let is_test = |node: &Node<'_>| {
        matches!(node.text(), "t" | "tb" | "b" | "f" | "c" | "tt") || node.text().ends_with(".T()")
    };
    let mut all: Vec<Node<'_>> =
        call.field("arguments").into_iter().flat_map(Node::parts).collect();
    if all.len() > 1 && all.first().is_some_and(is_test) {
        all.remove(0);
    }
    all
}

fn of_function(call: Node<'_>, name: &str) -> Claim {
    let values = values(call);
    let (first, second) = (values.first().copied(), values.get(1).copied());
    match name {
        "True" => first.map_or(Claim::new(Loose, None), Claim::of_condition),
        "False" => {
            let known = first.and_then(truth).is_some();
            Claim::new(if known { Vacuous } else { Loose }, first)
        }
        "InDelta" | "InEpsilon" => {
            let tolerance = values.get(2).copied().and_then(number);
            let wide = tolerance.is_some_and(|tolerance| tolerance >= 1.0);
            Claim { tolerance, ..Claim::new(if wide { Loose } else { Exact }, second) }
        }
        _ if LOOSE.contains(&name) => Claim::new(Loose, first),
        _ if USUAL.contains(&name) => Claim::new(Usual, first),
        "Nil" | "Empty" | "Zero" | "Len" => {
            Claim::new(if first.is_some_and(is_constant) { Vacuous } else { Exact }, first)
        }
        _ => match (first, second) {
            (Some(left), Some(right)) => {
                let vacuous = is_same(left, right) || (is_constant(left) && is_constant(right));
                let subject = if is_constant(right) { left } else { right };
                Claim::new(if vacuous { Vacuous } else { Exact }, Some(subject))
            }
            _ => Claim::new(Exact, first),
        },
    }
}

/// `qt.Assert(t, got, qt.Equals, want)`, `c.Assert(got, Equals, want)`, `assert.Assert(t, ok)`.
fn of_check(call: Node<'_>) -> Claim {
    let values = values(call);
    let checker = values.get(1).map_or("", |node| node.text());
    let name = checker.rsplit('.').next().unwrap_or_default();
    let loose =
        matches!(name, "IsNotNil" | "NotNil" | "NotNone" | "Matches" | "Contains" | "IsTrue");
    match values.len() {
        0 => Claim::new(Loose, None),
        1 => Claim::of_condition(values[0]),
        _ => Claim::new(if loose { Loose } else { Exact }, values.first().copied()),
    }
}

/// `Expect(x).To(Equal(y))`.
fn of_gomega(call: Node<'_>, name: &str) -> Option<Claim> {
    let expect = call.field("function")?.field("operand")?;
    let known = matches!(
        super::callee(expect)?,
        "Expect" | "Eventually" | "Consistently" | "Ω" | "ExpectWithOffset"
    );
    let subject = expect.field("arguments").and_then(Node::first);
    let matcher = call.field("arguments").and_then(Node::first);
    let matcher = matcher.and_then(super::callee).unwrap_or_default();
    let loose = name.contains("Not")
        || matches!(
            matcher,
            "BeTrue"
                | "BeNumerically"
                | "ContainSubstring"
                | "HaveOccurred"
                | "Succeed"
                | "ContainElement"
                | "BeAssignableToTypeOf"
                | "MatchRegexp"
        );
    let vacuous = subject.is_some_and(is_constant);
    let strength = if vacuous {
        Vacuous
    } else if loose {
        Loose
    } else {
        Exact
    };
    known.then(|| Claim::new(strength, subject))
}
