//! A table of the tested inputs: branches and entries that answer a value which occurs in the
//! tests with another that does.

use std::collections::{BTreeMap, BTreeSet};

use super::tested::Tested;
use super::{Seeker, SeekerKind, push};
use crate::language::Language;
use crate::tokens::normalised;
use crate::tree::{Node, Tree};
use crate::values::{bare, is_constant, is_literal, number};

/// Values that code asks for and answers with whatever its tests hold.
const PLAIN: &[&str] = &[
    "0",
    "1",
    "2",
    "- 1",
    "0.0",
    "1.0",
    "True",
    "False",
    "None",
    "true",
    "false",
    "null",
    "nil",
    "undefined",
    "\"  \"",
    "\" \"",
    "\"\"",
    "[ ]",
    "{ }",
    "( )",
];
/// Answers that say yes or no, or nothing.
const NOTHING: &[&str] = &["True", "False", "None", "true", "false", "null", "nil", "undefined"];
/// How many answers of plain values make a table.
const SEVERAL: usize = 3;
/// From how many digits on a number is none that somebody chose.
const DIGITS: usize = 4;
/// The same behind the point.
const DECIMALS: usize = 2;
/// Operators that calculate.
const ARITHMETIC: &[&str] = &["+", "-", "*", "/", "%", "**", "//", "<<", ">>", "^"];

/// How long the name of a table may be, in bytes.
const NAME_MAX: usize = 200;

/// New branches and entries of tables that answer an input which occurs in the tests with a
/// literal that occurs there, too.
pub fn tested_inputs(
    language: Language,
    old_code: Option<&str>,
    new_code: &str,
    tested: &Tested,
) -> Vec<Seeker> {
    let known: BTreeSet<(String, String)> = old_code
        .and_then(|source| Tree::parse(language, source))
        .map(|tree| {
            answers(&tree).into_iter().map(|answer| (answer.input, answer.output)).collect()
        })
        .unwrap_or_default();
    let Some(tree) = Tree::parse(language, new_code) else { return Vec::new() };
    let tests = (language.0.tests_among_code)(&tree);
    let all = answers(&tree);
    // A table of which some entries are in no test is one that somebody needs.
    let needed: BTreeSet<usize> =
        all.iter().filter(|it| !it.is_in(tested)).filter_map(|it| it.table).collect();
    // By the function they stand in.
    let mut by_place: BTreeMap<usize, Vec<InputMapping>> = BTreeMap::new();
    for answer in all {
        let pair = (answer.input.clone(), answer.output.clone());
        let is_of_tests = tests.iter().any(|test| test.range().contains(&answer.at));
        if !is_of_tests && !known.contains(&pair) && answer.is_in(tested) {
            by_place.entry(answer.place).or_default().push(answer);
        }
    }
    let lines: Vec<&str> = new_code.lines().collect();
    let mut found = Vec::new();
    for answers in by_place.into_values() {
        let telling = answers.iter().filter(|answer| answer.is_telling()).count();
        if telling > 0 || answers.len() >= SEVERAL {
            for answer in answers.iter().filter(|answer| telling == 0 || answer.is_telling()) {
                let alone = answer.table.is_none_or(|table| !needed.contains(&table));
                let together = tested.has_together(answer.literals.iter().map(String::as_str));
                let certain = answer.is_telling() && answer.is_special && alone && together;
                let text = super::line_of(&lines, answer.line);
                push(&mut found, SeekerKind::TestedInputs, answer.line, text, certain);
            }
        }
    }
    found.truncate(super::SEEKERS_MAX);
    found
}

/// A value that is answered with a value.
struct InputMapping {
    input: String,
    output: String,
    /// All literals of both.
    literals: Vec<String>,
    line: u32,
    at: usize,
    /// Where the function around it begins.
    place: usize,
    /// How many literals the input has.
    inputs: usize,
    /// Where the table begins that it is an entry of.
    table: Option<usize>,
    /// Whether it is one case of what is otherwise calculated, and no name for something.
    is_special: bool,
}

impl InputMapping {
    fn of(input: &[Node<'_>], output: Node<'_>, at: Node<'_>, is_special: bool) -> Option<Self> {
        let constant = !input.is_empty() && input.iter().all(|node| is_constant(*node));
        if !constant || !is_constant(output) {
            return None;
        }
        let all = input.iter().copied().chain([output]);
        let literals =
            all.flat_map(|node| node.all()).filter(|node| is_literal(*node)).map(normalised);
        let table = at.is(&["pair", "keyed_element"]).then(|| at.parent()).flatten();
        Some(Self {
            input: input.iter().map(|node| normalised(*node)).collect::<Vec<_>>().join(" , "),
            output: normalised(output),
            literals: literals.collect(),
            line: at.line(),
            at: at.range().start,
            place: function_around(at).map_or(0, |function| function.range().start),
            inputs: input
                .iter()
                .flat_map(|node| node.all())
                .filter(|node| is_literal(*node))
                .count(),
            table: table.map(|table| table.range().start),
            is_special,
        })
    }

    /// Whether the tests hold all of it.
    fn is_in(&self, tested: &Tested) -> bool {
        !self.literals.is_empty() && self.literals.iter().all(|literal| tested.has(literal))
    }

    /// Whether it is one that nobody writes by chance.
    fn is_telling(&self) -> bool {
        // Several values at once are no chance, unless all that is answered is yes or no.
        let several = self.inputs > 1 && !NOTHING.contains(&self.output.as_str());
        !is_plain(&self.input) && (several || !is_plain(&self.output))
    }
}

/// Whether a literal, as it is compared, is one that any code has.
pub(super) fn is_plain(text: &str) -> bool {
    PLAIN.contains(&text) || text.len() < 2
}

/// Whether an answer is a number that nobody chose: it came out of a calculation.
pub(super) fn is_no_chance(answer: Node<'_>) -> bool {
    let Some(value) = number(answer) else { return false };
    let text = answer.text().replace('_', "");
    let (whole, behind) = text.split_once('.').unwrap_or((&text, ""));
    let power = whole.parse().is_ok_and(u64::is_power_of_two);
    let round = whole.trim_end_matches('0').len() <= 2 || power;
    let decimals = behind.trim_end_matches('0').len() >= DECIMALS && value.abs() > 1.0;
    decimals || (whole.trim_start_matches('-').len() >= DIGITS && !round)
}

fn function_around(node: Node<'_>) -> Option<Node<'_>> {
    node.ancestors()
        .find(|above| above.kind().contains("function") || above.kind().contains("method"))
}

/// Whether a branch is one case of what is calculated otherwise: what is asked for is calculated with in the same
/// function, or it is a text that is no name, or what is answered is a number that nobody chose.
fn is_special_case(asked: &[Node<'_>], input: &[Node<'_>], output: Node<'_>, at: Node<'_>) -> bool {
    let around = function_around(at);
    let own = around.map_or("", |function| function.field_text("name"));
    let names: Vec<&str> =
        asked.iter().filter(|node| node.is_leaf()).map(|node| node.text()).collect();
    let calculated = around.into_iter().flat_map(Node::below).any(|node| {
        let outside = !node.is_in(at) || node.range().start > output.range().end;
        outside && names.iter().any(|name| is_calculated_with(node, name, own))
    });
    calculated || input.iter().all(|node| is_no_name(*node)) || is_no_chance(output)
}

/// `n - 1`, `for c in n`, `fib(n)` in `fib`.
fn is_calculated_with(node: Node<'_>, name: &str, own: &str) -> bool {
    let is_it = |node: &Node<'_>| node.is_leaf() && node.text() == name;
    match node.kind() {
        "binary_operator"
        | "binary_expression"
        | "augmented_assignment"
        | "augmented_assignment_expression"
        | "compound_assignment_expr"
        | "binary" => {
            let text = |part: Node<'_>| part.all().any(|it| it.kind().contains("string"));
            ARITHMETIC
                .iter()
                .any(|operator| node.has_token(operator) || node.has_token(&format!("{operator}=")))
                && node.parts().any(|part| is_it(&part))
                && !node.parts().any(text)
        }
        "for_statement" | "for_in_statement" | "for_expression" | "for_in_clause" => {
            ["right", "value"].iter().any(|field| node.field(field).is_some_and(|it| is_it(&it)))
        }
        "call" | "call_expression" | "method_invocation" => {
            let called = node.field("function").map_or(node.field_text("name"), Node::text);
            let arguments = node.field("arguments");
            let itself = !own.is_empty() && called == own;
            let counted = matches!(called, "len" | "sum" | "range" | "sorted" | "reversed");
            (itself || counted) && arguments.is_some_and(|it| it.below().any(|part| is_it(&part)))
        }
        _ => false,
    }
}

/// A text that is no name of anything: with blanks or marks between its letters.
fn is_no_name(node: Node<'_>) -> bool {
    if !node.kind().contains("string") {
        return false;
    }
    let text = node.text().trim_matches(['"', '\'', '`']);
    let marks =
        text.chars().filter(|letter| !(letter.is_alphanumeric() || "_-.:/".contains(*letter)));
    marks.count() > 0 && text.chars().filter(|letter| letter.is_alphanumeric()).count() > 2
}

/// All answers of a source.
fn answers(tree: &Tree<'_>) -> Vec<InputMapping> {
    let looked_up = looked_up(tree.root());
    tree.root()
        .below()
        .filter(|node| node.is_named())
        .filter_map(|node| answer_at(node, &looked_up))
        .collect()
}

fn answer_at(node: Node<'_>, looked_up: &BTreeSet<String>) -> Option<InputMapping> {
    match node.kind() {
        "if_statement" | "elif_clause" | "if_expression" => {
            let condition = node.field("condition")?;
            let output = returned(node.field("consequence")?)?;
            of_branch(condition, output, node)
        }
        "conditional_expression" | "ternary_expression" => {
            // In Python the answer stands first.
            let parts: Vec<Node<'_>> = node.parts().collect();
            let [first, second, _] = parts[..] else { return None };
            let behind = node.syntax().condition_stands_second;
            let (condition, output) = if behind { (second, first) } else { (first, second) };
            of_branch(condition, output, node)
        }
        "case_clause"
        | "switch_case"
        | "expression_case"
        | "switch_block_statement_group"
        | "switch_rule" => of_case(node),
        "match_arm" => {
            let pattern = node.field("pattern")?;
            let output = bare(node.field("value")?);
            InputMapping::of(&[pattern], output, node, is_no_chance(output))
        }
        "pair" => {
            let table = node.parent().filter(|table| is_looked_up(*table, looked_up))?;
            let (key, value) = (node.field("key")?, node.field("value")?);
            let special = is_no_chance(value) || is_no_name(key) || is_before_a_calculation(table);
            InputMapping::of(&[key], value, node, special)
        }
        "keyed_element" if node.parent()?.parent()?.kind() == "composite_literal" => {
            let literal = node.parent()?.parent()?;
            is_looked_up(literal, looked_up).then_some(())?;
            let (key, value) = (node.field("key")?, node.field("value")?);
            InputMapping::of(&[key], value, node, is_no_chance(value) || is_no_name(key))
        }
        _ => None,
    }
}

/// A case of a `switch` or `match` with what it returns.
fn of_case(node: Node<'_>) -> Option<InputMapping> {
    let value = node
        .field("value")
        .or_else(|| node.parts().find(|part| part.is(&["case_pattern", "switch_label"])))?;
    let statement = node.below().find(|part| part.kind() == "return_statement");
    let output = match statement {
        Some(statement) => first_value(statement)?,
        None => bare(node.parts().last()?),
    };
    InputMapping::of(&[value], output, node, is_no_chance(output) || is_no_name(value))
}

/// A branch under a condition.
fn of_branch(condition: Node<'_>, output: Node<'_>, node: Node<'_>) -> Option<InputMapping> {
    let (input, asked): (Vec<Node<'_>>, Vec<Node<'_>>) = compared(condition).into_iter().unzip();
    let special = is_constant(output) && is_special_case(&asked, &input, output, node);
    InputMapping::of(&input, output, node, special)
}

/// `{…}.get(x, calculated(x))`: a table of exceptions.
fn is_before_a_calculation(table: Node<'_>) -> bool {
    let call = table.ancestors().take(2).find(|above| above.kind() == "call");
    let otherwise = call.and_then(|call| call.field("arguments")?.parts().nth(1));
    otherwise.is_some_and(|otherwise| otherwise.all().any(|node| ARITHMETIC.contains(&node.kind())))
}

/// The literals that a condition compares something with, and what that is: `x == 3`, `a == 2 and b == 3`,
/// `x in (3, 4)`, `"a".equals(x)`.
fn compared(condition: Node<'_>) -> Vec<(Node<'_>, Node<'_>)> {
    let mut found = Vec::new();
    for node in bare(condition).all().filter(|node| node.is_named()) {
        let equal = match node.kind() {
            "comparison_operator" | "binary_expression" => {
                ["==", "===", "in", "is"].iter().any(|operator| node.has_token(operator))
            }
            "method_invocation" => node.field_text("name") == "equals",
            _ => false,
        };
        if !equal {
            continue;
        }
        let mut sides: Vec<Node<'_>> = node.parts().collect();
        if node.kind() == "method_invocation" {
            sides = node.field("object").into_iter().collect();
            sides.extend(node.field("arguments").and_then(Node::first));
        }
        let (constant, open): (Vec<Node<'_>>, Vec<Node<'_>>) =
            sides.into_iter().partition(|side| is_constant(*side));
        if let ([constant], [open]) = (&constant[..], &open[..]) {
            found.push((*constant, *open));
        }
    }
    found
}

/// The value that a branch returns at once.
fn returned(branch: Node<'_>) -> Option<Node<'_>> {
    let list = branch.first().filter(|first| first.kind() == "statement_list").unwrap_or(branch);
    let first = if branch.kind() == "return_statement" { branch } else { list.first()? };
    let inner = bare(first);
    if inner.is(&["return_statement", "return_expression"]) {
        return first_value(inner);
    }
    inner.syntax().blocks_have_values.then_some(inner)
}

fn first_value(statement: Node<'_>) -> Option<Node<'_>> {
    let value = statement.first()?;
    if value.kind() == "expression_list" { value.first() } else { Some(value) }
}

/// Names of tables that are asked for something that is not written there.
fn looked_up(root: Node<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for node in root.below() {
        let (table, key) = match node.kind() {
            "subscript" => (node.field("value"), node.field("subscript")),
            "subscript_expression" => (node.field("object"), node.field("index")),
            "index_expression" => (node.field("operand"), node.field("index")),
            "call" | "call_expression" => {
                let function = node.field("function");
                let asks = ["get", "has"];
                let property =
                    function.and_then(|it| it.field("attribute").or_else(|| it.field("property")));
                let known = property.is_some_and(|it| asks.contains(&it.text()));
                let table = function.filter(|_| known).and_then(|it| it.field("object"));
                (table, node.field("arguments").and_then(Node::first))
            }
            _ => continue,
        };
        if let (Some(table), Some(key)) = (table, key)
            && table.range().len() <= NAME_MAX
            && !is_constant(key)
        {
            names.insert(normalised(table));
        }
    }
    names
}

/// Whether a table is asked where it stands, or by the name that it is given.
fn is_looked_up(table: Node<'_>, names: &BTreeSet<String>) -> bool {
    // Where it stands: `{…}[x]`, `{…}.get(x)`.
    let asked = table.parent().is_some_and(|above| {
        let fields = ["value", "object", "operand"];
        above.is(&[
            "subscript",
            "subscript_expression",
            "index_expression",
            "attribute",
            "member_expression",
        ]) && fields.iter().any(|field| above.field(field) == Some(table))
    });
    if asked {
        return true;
    }
    let holder = table.ancestors().take(3).find_map(|above| match above.kind() {
        "assignment" => above.field("left"),
        "variable_declarator" => above.field("name"),
        "short_var_declaration" => above.field("left"),
        "var_spec" => above.field("name"),
        _ => None,
    });
    holder.is_some_and(|holder| {
        holder.range().len() <= NAME_MAX && names.contains(&normalised(holder))
    })
}
