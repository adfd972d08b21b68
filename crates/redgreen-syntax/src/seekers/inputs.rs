//! A table of the tested inputs: branches and entries that answer a value which occurs in the
//! tests with another that does.

use std::collections::{BTreeMap, BTreeSet};

use super::{Seeker, SeekerKind, push};
use crate::language::Language;
use crate::tokens::normalised;
use crate::tree::{Node, Tree};
use crate::values::{bare, is_constant, is_literal};

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
/// How many answers of plain values make a table.
const SEVERAL: usize = 3;

/// How long the name of a table may be, in bytes.
const NAME_MAX: usize = 200;

/// The literals of a source as [`tested_inputs`] knows them.
pub fn literals(language: Language, source: &str) -> BTreeSet<String> {
    let Some(tree) = Tree::parse(language, source) else { return BTreeSet::new() };
    tree.root().below().filter(|node| is_literal(*node)).map(normalised).collect()
}

/// New branches and entries of tables that answer an input which occurs in the tests with a
/// literal that occurs there, too.
pub fn tested_inputs(
    language: Language,
    old_code: Option<&str>,
    new_code: &str,
    is_in_tests: &dyn Fn(&str) -> bool,
) -> Vec<Seeker> {
    let known: BTreeSet<(String, String)> = old_code
        .and_then(|source| Tree::parse(language, source))
        .map(|tree| {
            answers(&tree).into_iter().map(|answer| (answer.input, answer.output)).collect()
        })
        .unwrap_or_default();
    let Some(tree) = Tree::parse(language, new_code) else { return Vec::new() };
    // By the function they stand in.
    let mut by_place: BTreeMap<usize, Vec<InputMapping>> = BTreeMap::new();
    for answer in answers(&tree) {
        let pair = (answer.input.clone(), answer.output.clone());
        if !answer.literals.is_empty()
            && !known.contains(&pair)
            && answer.literals.iter().all(|literal| is_in_tests(literal))
        {
            by_place.entry(answer.place).or_default().push(answer);
        }
    }
    let lines: Vec<&str> = new_code.lines().collect();
    let mut found = Vec::new();
    for answers in by_place.into_values() {
        let telling = answers.iter().filter(|answer| answer.is_telling()).count();
        if telling > 0 || answers.len() >= SEVERAL {
            for answer in answers.iter().filter(|answer| telling == 0 || answer.is_telling()) {
                push(
                    &mut found,
                    SeekerKind::TestedInputs,
                    answer.line,
                    super::line_of(&lines, answer.line),
                );
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
    /// Where the function around it begins.
    place: usize,
    /// How many literals the input has.
    inputs: usize,
}

impl InputMapping {
    fn of(input: &[Node<'_>], output: Node<'_>, at: Node<'_>) -> Option<Self> {
        let constant = !input.is_empty() && input.iter().all(|node| is_constant(*node));
        if !constant || !is_constant(output) {
            return None;
        }
        let all = input.iter().copied().chain([output]);
        let literals =
            all.flat_map(|node| node.all()).filter(|node| is_literal(*node)).map(normalised);
        let function = at
            .ancestors()
            .find(|above| above.kind().contains("function") || above.kind().contains("method"));
        Some(Self {
            input: input.iter().map(|node| normalised(*node)).collect::<Vec<_>>().join(" , "),
            output: normalised(output),
            literals: literals.collect(),
            line: at.line(),
            place: function.map_or(0, |function| function.range().start),
            inputs: input
                .iter()
                .flat_map(|node| node.all())
                .filter(|node| is_literal(*node))
                .count(),
        })
    }

    /// Whether it is one that nobody writes by chance.
    fn is_telling(&self) -> bool {
        let plain = |text: &str| PLAIN.contains(&text) || text.len() < 2;
        // Several values at once are no chance, whatever the answer is.
        !plain(&self.input) && (self.inputs > 1 || !plain(&self.output))
    }
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
            let input = compared(node.field("condition")?);
            let output = returned(node.field("consequence")?)?;
            InputMapping::of(&input, output, node)
        }
        "conditional_expression" | "ternary_expression" => {
            // In Python the answer stands first.
            let parts: Vec<Node<'_>> = node.parts().collect();
            let [first, second, _] = parts[..] else { return None };
            let behind = node.syntax().condition_stands_second;
            let (condition, output) = if behind { (second, first) } else { (first, second) };
            InputMapping::of(&compared(condition), output, node)
        }
        "case_clause"
        | "switch_case"
        | "expression_case"
        | "switch_block_statement_group"
        | "switch_rule" => of_case(node),
        "match_arm" => {
            let pattern = node.field("pattern")?;
            InputMapping::of(&[pattern], bare(node.field("value")?), node)
        }
        "pair" => {
            node.parent().filter(|table| is_looked_up(*table, looked_up))?;
            InputMapping::of(&[node.field("key")?], node.field("value")?, node)
        }
        "keyed_element" if node.parent()?.parent()?.kind() == "composite_literal" => {
            let literal = node.parent()?.parent()?;
            is_looked_up(literal, looked_up).then_some(())?;
            InputMapping::of(&[node.field("key")?], node.field("value")?, node)
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
    InputMapping::of(&[value], output, node)
}

/// The literals that a condition compares something with: `x == 3`, `a == 2 and b == 3`,
/// `x in (3, 4)`, `"a".equals(x)`.
fn compared(condition: Node<'_>) -> Vec<Node<'_>> {
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
        if constant.len() == 1 && open.len() == 1 {
            found.extend(constant);
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
