//! What decorators, marks and first statements say about a test of Python.

use crate::outline::{TestItem, rows};
use crate::reach;
use crate::tree::Node;
use crate::values::truth;

/// What the module as a whole says.
#[derive(Default)]
pub(super) struct Marks {
    skipped: bool,
    expected_failure: bool,
}

/// The marks of the whole module: `pytestmark`, `pytest.skip(allow_module_level=True)`.
pub(super) fn of_module(root: Node<'_>) -> Marks {
    let mut marks = Marks { skipped: reach::skips_itself(root), expected_failure: false };
    for statement in root.parts() {
        read_assignment(statement, &mut marks);
    }
    marks
}

/// `pytestmark = pytest.mark.skip` and `__test__ = False`, in a module or in a class.
fn read_assignment(statement: Node<'_>, marks: &mut Marks) {
    let Some(assignment) = statement.first().filter(|node| node.kind() == "assignment") else {
        return;
    };
    let Some(value) = assignment.field("right") else { return };
    match assignment.field_text("left") {
        "pytestmark" if value.kind() == "list" => value.parts().for_each(|mark| read(mark, marks)),
        "pytestmark" => read(value, marks),
        "__test__" if truth(value) == Some(false) => marks.skipped = true,
        _ => {}
    }
}

/// Fills in what the test's, its classes' and its module's marks say.
pub(super) fn fill_in(
    test: &mut TestItem,
    whole: Node<'_>,
    body: Node<'_>,
    classes: &[Node<'_>],
    module: &Marks,
) {
    let mut marks = Marks {
        skipped: module.skipped || reach::skips_itself(body),
        expected_failure: module.expected_failure,
    };
    for decorator in decorators(whole) {
        read(decorator, &mut marks);
        test.parameters.extend(parameters(decorator));
    }
    for class in classes {
        let around = class.parent().filter(|parent| parent.kind() == "decorated_definition");
        for decorator in around.into_iter().flat_map(decorators) {
            read(decorator, &mut marks);
            test.parameters.extend(parameters(decorator));
        }
        let statements = class.field("body").into_iter().flat_map(Node::parts);
        statements.for_each(|statement| read_assignment(statement, &mut marks));
    }
    test.parameters.extend(loops(body));
    test.skipped = marks.skipped;
    test.expected_failure = marks.expected_failure;
}

/// The expressions of the decorators.
fn decorators<'tree>(whole: Node<'tree>) -> impl Iterator<Item = Node<'tree>> {
    let all = whole.parts().filter(|part| part.kind() == "decorator");
    all.filter_map(Node::first)
}

/// Reads one mark: only what always holds counts, `skipif(sys.platform == …)` does not.
fn read(mark: Node<'_>, marks: &mut Marks) {
    let function = mark.field("function").unwrap_or(mark);
    let name = function.text().rsplit('.').next().unwrap_or_default();
    let condition = mark
        .field("arguments")
        .and_then(Node::first)
        .filter(|argument| argument.kind() != "keyword_argument");
    match name {
        "skip" => marks.skipped = true,
        "skipif" | "skipIf" => marks.skipped |= condition.and_then(truth) == Some(true),
        "skipUnless" => marks.skipped |= condition.and_then(truth) == Some(false),
        "expectedFailure" => marks.expected_failure = true,
        "xfail" => {
            marks.expected_failure |= condition.is_none_or(|node| truth(node) == Some(true));
        }
        _ => {}
    }
}

/// The rows of `parametrize` and of `parameterized.expand`.
fn parameters(mark: Node<'_>) -> Vec<String> {
    let function = mark.field("function").map_or("", Node::text);
    let name = function.rsplit('.').next().unwrap_or_default();
    let arguments: Vec<Node<'_>> =
        mark.field("arguments").into_iter().flat_map(Node::parts).collect();
    let list = match name {
        "parametrize" => arguments.get(1),
        "expand" | "parameterized" | "data" => arguments.first(),
        _ => None,
    };
    let list = list.map(|node| node.field("value").unwrap_or(*node));
    list.filter(|node| node.is(&["list", "tuple", "set"])).map(rows).unwrap_or_default()
}

/// The rows of a loop over a list that is written out.
fn loops(body: Node<'_>) -> Vec<String> {
    let over = body.below().filter(|node| node.kind() == "for_statement");
    let lists =
        over.filter_map(|node| node.field("right")).filter(|node| node.is(&["list", "tuple"]));
    lists.flat_map(rows).collect()
}
