//! What nobody has to see: what is said to people, what is measured, how long something waits, what is remembered.

use crate::statements::{FUNCTIONS, statement_of};
use crate::tree::Node;

/// Words in the name of what is called, of what is set, or of an argument.
const WORDS: &str = "\
    assert attempt attempts backoff batch buffer cache cached chunk clock close color colour \
    console counter debug delay deprecated dpi duration elapsed eprintln expires fatal figsize \
    flush font gauge geometry height histogram indent interval jitter layout lock log logf \
    logger logging margin memo memoize metric metrics monotonic notify now padding perf print \
    printf println progress puts resize retries retry setup sleep spacing span stacklevel stamp \
    stats statsd stderr stdout stopwatch style styles super telemetry theme time timeout timer \
    timestamp trace tracing tries ttl unlock verbose wait warn warning warnings width";
/// What only wraps what is called.
const WRAPPING: &[&str] =
    &["expression_statement", "return_statement", "expression_list", "await", "await_expression"];
/// Functions that show a thing to people.
const SHOWING: &[&str] = &[
    "__repr__",
    "__str__",
    "__format__",
    "__rich__",
    "toString",
    "inspect",
    "String",
    "GoString",
    "fmt",
    "to_s",
];
/// What raises and what checks: its text is for people.
const RAISING: &[&str] = &[
    "raise_statement",
    "throw_statement",
    "throw_expression",
    "assert_statement",
    "macro_invocation",
    "decorator",
    "type",
    "type_annotation",
    "type_arguments",
    "annotation",
    "marker_annotation",
];
/// Calls.
const CALLS: &[&str] = &[
    "call",
    "call_expression",
    "method_invocation",
    "object_creation_expression",
    "new_expression",
];
/// What is called, and what is set, by their fields.
const NAMED_IN: &[&str] =
    &["function", "method", "receiver", "object", "left", "name", "constructor", "type"];
/// What gives a name to what stands in it.
const NAMING: &[&str] = &[
    "assignment",
    "assignment_expression",
    "assignment_statement",
    "augmented_assignment",
    "augmented_assignment_expression",
    "compound_assignment_expr",
    "for_statement",
    "init_declarator",
    "keyword_argument",
    "let_declaration",
    "operator_assignment",
    "pair",
    "short_var_declaration",
    "update_expression",
    "variable_declarator",
];
/// What makes an exception, by how its name ends.
const ERRORS: &[&str] = &["Error", "Exception", "Errorf"];

/// Whether nobody has to see an edit of this.
pub(super) fn is_silent(node: Node<'_>) -> bool {
    let statement = statement_of(node);
    // What is said of a statement is said of what it calls.
    let around = |it: &Node<'_>| it.is(WRAPPING);
    let called = std::iter::successors(Some(node), |it| it.first().filter(|_| around(it)));
    let node = called.last().unwrap_or(node);
    let in_statement = std::iter::once(node).chain(node.ancestors());
    let until = statement.and_then(Node::parent);
    let mut in_statement = in_statement.take_while(|above| Some(*above) != until);
    let shows = || {
        let mut functions = node.ancestors().filter(|above| above.is(FUNCTIONS));
        functions.next().is_some_and(|it| SHOWING.contains(&it.field_text("name")))
    };
    in_statement.any(is_silent_here)
        || statement.is_some_and(|it| it.below().any(|below| below.is(CALLS) && measures(below)))
        || shows()
}

fn is_silent_here(node: Node<'_>) -> bool {
    if node.is(RAISING) {
        return true;
    }
    let is_call = node.is(CALLS);
    if !is_call && !node.is(NAMING) {
        return false;
    }
    let names = || NAMED_IN.iter().filter_map(|field| node.field(field));
    names().any(|named| has_word(own_name(named)))
        || (is_call && names().any(|named| ERRORS.iter().any(|end| named.text().ends_with(end))))
}

/// The name without what is called or asked for in it.
fn own_name(node: Node<'_>) -> &str {
    node.text().split(['(', '[', '\n']).next().unwrap_or_default()
}

/// Whether it asks a clock.
fn measures(call: Node<'_>) -> bool {
    const CLOCKS: &[&str] = &[
        "time.time",
        "perf_counter",
        "monotonic",
        "performance.now",
        "Date.now",
        "time.Now",
        "time.Since",
        "nanoTime",
        "currentTimeMillis",
        "Instant::now",
    ];
    let name = call.field("function").or_else(|| call.field("name")).map_or("", own_name);
    CLOCKS.iter().any(|clock| name.ends_with(clock))
}

/// Whether one of the words of a name is among [`WORDS`].
fn has_word(name: &str) -> bool {
    let mut word = String::new();
    let mut before_was_small = false;
    for letter in name.chars().chain(['.']) {
        let begins = letter.is_ascii_uppercase() && before_was_small;
        if (begins || !letter.is_ascii_alphanumeric()) && !word.is_empty() {
            if WORDS.split(' ').any(|known| known == word) {
                return true;
            }
            word.clear();
        }
        before_was_small = letter.is_ascii_lowercase();
        if letter.is_ascii_alphanumeric() {
            word.push(letter.to_ascii_lowercase());
        }
    }
    false
}
