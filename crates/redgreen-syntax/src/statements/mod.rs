//! The statements of a source: what can run, where it stands, and in which function.
//!
//! A statement that holds others is its own head only: of `if a { b }` it is `if a`. What says something and
//! does nothing (imports, types, heads of functions, documentation) is none.

mod elsewhere;
mod kinds;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::language::Language;
use crate::tokens::token;
use crate::tree::{Node, Tree};
pub(crate) use kinds::{ANSWERING, FUNCTIONS};
use kinds::{BRANCH_FIELDS, DECLARATIONS, GUARDED, HOLDERS, LISTS, NO_ACT, TYPES};

/// The most statements of a file that are looked at.
const STATEMENTS_MAX: usize = 100_000;

/// What can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its first line, from 1.
    pub first: u32,
    /// The last line of its own, without what it holds.
    pub last: u32,
    /// The last line of what it holds.
    pub end: u32,
    /// Where it begins in its first line, in bytes.
    pub column: u32,
    /// Its tokens without comments and layout: equal means that the same is done.
    pub text: String,
    /// The function that it stands in, as an index of [`Statements::functions`].
    pub function: Option<usize>,
    /// Whether nobody expects a test to run it: what a script does when it is started, what is there for a type
    /// checker or another platform, what only logs, what says that it cannot be reached.
    pub exempt: bool,
}

/// A function with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, behind those of the types that it belongs to.
    pub name: String,
    /// Its first line.
    pub first: u32,
    /// Its last line.
    pub last: u32,
}

/// What a source does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    /// In reading order.
    pub all: Vec<Statement>,
    /// In reading order.
    pub functions: Vec<Function>,
}

/// The statements of a source. Never fails: of a source with errors, what could be read.
pub fn statements(language: Language, source: &str) -> Statements {
    let Some(tree) = Tree::parse(language, source) else { return Statements::default() };
    let mut reading = Reading::default();
    let tests = (language.0.tests_among_code)(&tree);
    for node in tree.root().all_but(&tests).skip(1) {
        reading.node(node);
    }
    let everywhere = language.0.runs_from_the_top;
    let runs = |it: &Statement| !it.text.is_empty() && (everywhere || it.function.is_some());
    reading.found.all.retain(runs);
    for statement in &mut reading.found.all {
        // Where it stands says whether it needs one: the value of an arm has none, the same in a block has.
        if let Some(bare) = statement.text.strip_suffix(" ;") {
            statement.text.truncate(bare.len());
        }
    }
    reading.found
}

/// What is open where the reading stands: a statement, or what hides those around it.
struct Open<'tree> {
    node: Node<'tree>,
    statement: Option<usize>,
    /// Whether a statement below it has begun: what comes after that is no head.
    closed: bool,
}

#[derive(Default)]
struct Reading<'tree> {
    found: Statements,
    open: Vec<Open<'tree>>,
    functions: BTreeMap<u32, usize>,
    comment: Option<Node<'tree>>,
}

impl<'tree> Reading<'tree> {
    fn node(&mut self, node: Node<'tree>) {
        if self.comment.is_some_and(|comment| node.is_in(comment)) {
            return;
        }
        while self.open.pop_if(|open| !node.is_in(open.node)).is_some() {}
        if node.is_comment() {
            self.comment = Some(node);
            return;
        }
        if node.is(DECLARATIONS) {
            self.declares(node);
        } else if stands_as_statement(node) {
            match !node.is(NO_ACT) && acts(node) && self.found.all.len() < STATEMENTS_MAX {
                true => self.begins(node),
                false if node.is(HOLDERS) => {}
                false => self.hides(node),
            }
        }
        if node.is_leaf() {
            self.token(node);
        }
    }

    /// What comes now belongs to no head that is open.
    fn close(&mut self) {
        for open in &mut self.open {
            open.closed = true;
        }
    }

    /// What is in it belongs to no head around it.
    fn hides(&mut self, node: Node<'tree>) {
        self.close();
        self.open.push(Open { node, statement: None, closed: true });
    }

    fn declares(&mut self, node: Node<'tree>) {
        self.hides(node);
        self.function(node);
    }

    fn begins(&mut self, node: Node<'tree>) {
        // After the answer of a function without a block the expression around it goes on.
        if !node.parent().is_some_and(|parent| parent.is(ANSWERING)) {
            self.close();
        }
        let statement = Statement {
            first: node.line(),
            last: node.line(),
            end: node.end_line(),
            column: node.column(),
            text: String::new(),
            function: self.around(node),
            exempt: is_exempt(node),
        };
        self.open.push(Open { node, statement: Some(self.found.all.len()), closed: false });
        self.found.all.push(statement);
    }

    /// A token belongs to the innermost head.
    fn token(&mut self, node: Node<'tree>) {
        let Some(open) = self.open.last().filter(|open| !open.closed) else { return };
        if open.node != node && node.parent().is_some_and(is_list) {
            return; // The braces of what it holds.
        }
        let Some(statement) = open.statement.and_then(|at| self.found.all.get_mut(at)) else {
            return;
        };
        if let Some(word) = token(node) {
            if !statement.text.is_empty() {
                statement.text.push(' ');
            }
            statement.text.push_str(word);
            statement.last = statement.last.max(node.end_line());
        }
    }

    /// The function around a statement that has a name.
    fn around(&mut self, node: Node<'tree>) -> Option<usize> {
        let mut above = node.ancestors().filter(|above| above.is(FUNCTIONS));
        above.find_map(|function| self.function(function))
    }

    fn function(&mut self, node: Node<'tree>) -> Option<usize> {
        if let Some(known) = self.functions.get(&node.place()) {
            return Some(*known);
        }
        let name = node.is(FUNCTIONS).then(|| name_of(node)).flatten()?;
        let of: Vec<&str> =
            node.ancestors().filter(|above| above.is(TYPES)).map(type_name).collect();
        let mut parts: Vec<&str> = of.into_iter().rev().filter(|part| !part.is_empty()).collect();
        parts.push(name);
        self.functions.insert(node.place(), self.found.functions.len());
        self.found.functions.push(Function {
            name: parts.join("."),
            first: node.line(),
            last: node.end_line(),
        });
        Some(self.found.functions.len() - 1)
    }
}

/// The statement that a node is a part of, the innermost.
pub(crate) fn statement_of(node: Node<'_>) -> Option<Node<'_>> {
    let is_statement = |it: &Node<'_>| {
        stands_as_statement(*it) && !it.is(DECLARATIONS) && !it.is(NO_ACT) && acts(*it)
    };
    std::iter::once(node).chain(node.ancestors()).find(is_statement)
}

fn is_list(node: Node<'_>) -> bool {
    node.is_or(LISTS, |kinds| kinds.blocks)
}

/// Whether it stands where statements do.
fn stands_as_statement(node: Node<'_>) -> bool {
    let Some(parent) = node.parent().filter(|_| node.is_named() && !is_list(node)) else {
        return false;
    };
    if is_list(parent) {
        return !node.is_in_a_field() || node.is_in_field("body");
    }
    let is_branch = BRANCH_FIELDS.iter().any(|field| node.is_in_field(field));
    (parent.is(GUARDED) && is_branch) || (parent.is(HOLDERS) && is_held(node, parent))
}

/// The value of an arm, or the answer of a function without a block; what a condition chooses next.
fn is_held(node: Node<'_>, parent: Node<'_>) -> bool {
    match parent.kind() {
        "match_arm" => node.is_in_field("value"),
        "else_clause" => {
            node.is(&["if_statement", "if_expression"]) || parent.first() == Some(node)
        }
        "export_statement" => node.is_in_field("declaration") || node.is_in_field("value"),
        "switch_rule" => node.kind() != "switch_label",
        _ => node.is_in_field("body"),
    }
}

/// Whether it does something: a text that stands alone, a name without a value and a function with a name do not.
fn acts(node: Node<'_>) -> bool {
    match node.kind() {
        "expression_statement" => {
            let mut parts = node.parts();
            match (parts.next(), parts.next()) {
                (Some(only), None) if only.kind() == "assignment" => does_more_than_name(only),
                (Some(only), None) => !only.is(&["string", "concatenated_string", "ellipsis"]),
                _ => true,
            }
        }
        "lexical_declaration" | "variable_declaration" => {
            node.parts().filter(|part| part.kind() == "variable_declarator").any(|declared| {
                declared.field("value").is_some_and(|value| {
                    !value.is(FUNCTIONS) && !value.text().starts_with("require(")
                })
            })
        }
        "let_declaration" => node.field("value").is_some(),
        "local_variable_declaration" => {
            node.fields("declarator").any(|declared| declared.field("value").is_some())
        }
        // Of Go outside of functions, where nothing counts what runs.
        "var_declaration" => node.ancestors().any(|above| above.is(FUNCTIONS)),
        _ => true,
    }
}

/// Whether an assignment of Python gives a value: not a bare annotation, a name for a type, or what says something of the
/// module itself.
fn does_more_than_name(assignment: Node<'_>) -> bool {
    let at_the_top = assignment.ancestors().nth(1).is_some_and(|above| above.kind() == "module");
    let left = assignment.field_text("left");
    let says = at_the_top && left.starts_with("__") && left.ends_with("__");
    let is_type = |right: Node<'_>| at_the_top && right.kind() == "subscript";
    assignment.field("right").is_some_and(|right| !says && !is_type(right))
}

/// The name that a function has or is given.
fn name_of(node: Node<'_>) -> Option<&str> {
    let own = [node.field_text("name"), node.field("declarator").map_or("", declared_name)];
    let given = || {
        let parent = node.parent()?;
        let name = match parent.kind() {
            "variable_declarator" => parent.field_text("name"),
            "pair" => parent.field_text("key"),
            "assignment_expression" => parent.field_text("left"),
            "field_definition" | "public_field_definition" => {
                parent.field("name").or_else(|| parent.field("property")).map_or("", Node::text)
            }
            _ => "",
        };
        Some(name)
    };
    own.into_iter().find(|name| !name.is_empty()).or_else(given).filter(|name| !name.is_empty())
}

/// Of C++: the declarator around the parameters names the function.
fn declared_name(declarator: Node<'_>) -> &str {
    declarator.field("declarator").map_or("", Node::text)
}

fn type_name(node: Node<'_>) -> &str {
    let name = node.field_text("name");
    if name.is_empty() { node.field_text("type") } else { name }
}

/// Of Go: `main` of a program, which no test can call.
fn begins_a_program(function: Node<'_>) -> bool {
    let of_program = |file: Node<'_>| {
        let mut packages = file.parts().filter(|part| part.kind() == "package_clause");
        file.kind() == "source_file" && packages.any(|it| it.text().ends_with(" main"))
    };
    function.kind() == "function_declaration"
        && function.field_text("name") == "main"
        && function.parent().is_some_and(of_program)
}

/// What says something to people and does nothing else: `logger.debug(…)`, `console.error(…)`.
fn only_logs(node: Node<'_>) -> bool {
    const LOGGERS: [&str; 4] = ["console", "log", "logger", "logging"];
    const LEVELS: [&str; 10] = [
        "debug",
        "info",
        "warn",
        "warning",
        "error",
        "trace",
        "log",
        "exception",
        "critical",
        "Printf",
    ];
    let callee = node.text().split('(').next().unwrap_or_default();
    let mut parts = callee.rsplit('.');
    let (level, logger) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let logger = logger.trim_start_matches('_').to_ascii_lowercase();
    node.kind() == "expression_statement"
        && LEVELS.contains(&level)
        && LOGGERS.contains(&logger.as_str())
}

/// Conditions that hold only where no test runs, and what says that it is not reached.
fn is_exempt(node: Node<'_>) -> bool {
    const WHERE_NO_TEST_RUNS: [&str; 4] = [
        "__name__ == \"__main__\"",
        "__name__ == '__main__'",
        "TYPE_CHECKING",
        "typing.TYPE_CHECKING",
    ];
    const NOT_REACHED: [&str; 6] = [
        "raise NotImplementedError",
        "unreachable!",
        "todo!",
        "unimplemented!",
        "raise AssertionError(\"unreachable",
        "panic(\"unreachable",
    ];
    let under = |above: Node<'_>| {
        above.kind() == "if_statement"
            && WHERE_NO_TEST_RUNS.contains(&above.field_text("condition"))
    };
    let text = node.text();
    under(node)
        || node.ancestors().any(|above| under(above) || begins_a_program(above))
        || elsewhere::is_for_elsewhere(node)
        || only_logs(node)
        || NOT_REACHED.iter().any(|it| text.starts_with(it))
}
