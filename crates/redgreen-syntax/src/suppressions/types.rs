//! Types that say nothing any more.

use std::collections::BTreeMap;

use redgreen_model::text::{LINE_CHARS, clean_line};

use super::Suppression;
use crate::language::Language;
use crate::tree::{Node, Tree};

/// What has a type, by its name and the names around it.
type Typed<'tree> = BTreeMap<Vec<&'tree str>, (Node<'tree>, &'tree str)>;

/// What a function answers, and what a declaration is.
const ANSWER: &str = "->";
/// What may have overloads beside it.
const FUNCTIONS: &[&str] = &["function_definition", "function_declaration", "method_definition"];

/// Parameters, answers and variables whose type said something in the old source, and says nothing in the new one.
pub fn emptied_types(language: Language, old: &str, new: &str) -> Vec<Suppression> {
    let (Some(before), Some(after)) = (Tree::parse(language, old), Tree::parse(language, new))
    else {
        return Vec::new();
    };
    let (known, typed) = (typed(&before), typed(&after));
    let lines: Vec<&str> = new.lines().collect();
    let emptied = typed.iter().filter_map(|(name, (node, kind))| {
        let (_, was) = known.get(name)?;
        let empty = says_nothing(kind) && !says_nothing(was) && !was.is_empty();
        let text = lines.get(node.line() as usize - 1).copied().unwrap_or_default();
        empty.then(|| Suppression {
            tool: "the type checker",
            rules: std::iter::once("a type that says nothing".to_owned()).collect(),
            line: node.line(),
            text: clean_line(text.trim(), LINE_CHARS),
            of: None,
        })
    });
    emptied.collect()
}

/// `Any`, `list[Any]` and `any` do; so does none at all, where there was one.
fn says_nothing(kind: &str) -> bool {
    let part = |letter: char| !(letter.is_alphanumeric() || letter == '_');
    kind.is_empty() || kind.split(part).any(|word| word == "Any" || word == "any")
}

/// What has or may have a type in a source.
fn typed<'tree>(tree: &'tree Tree<'_>) -> Typed<'tree> {
    let mut found = Typed::new();
    for node in tree.root().below().filter(|node| node.is_named()) {
        let Some((name, kind)) = typed_at(node) else { continue };
        let function = std::iter::once(node).chain(node.ancestors());
        if function.into_iter().find(|node| node.is(FUNCTIONS)).is_some_and(is_overloaded) {
            continue;
        }
        let names = node.ancestors().map(|above| above.field_text("name"));
        let mut path: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        if name == ANSWER {
            path.push(node.field_text("name"));
        }
        path.push(name);
        found.insert(path, (node, kind));
    }
    found
}

/// Whether callers see other signatures than this one, which then may say anything.
fn is_overloaded(function: Node<'_>) -> bool {
    let name = function.field_text("name");
    let exported = |node: &Node<'_>| matches!(node.kind(), "export_statement");
    let own = function.parent().filter(exported).unwrap_or(function);
    own.parent().into_iter().flat_map(Node::children).any(|beside| {
        let beside = if exported(&beside) { beside.field("declaration") } else { Some(beside) };
        beside.is_some_and(|beside| match beside.kind() {
            "function_signature" | "method_signature" => beside.field_text("name") == name,
            "decorated_definition" => {
                let marks = beside.parts().filter(|part| part.kind() == "decorator");
                let mut marks = marks.map(|mark| mark.text().trim_end());
                let is_overload = marks.any(|mark| mark.ends_with("overload"));
                is_overload
                    && beside.field("definition").is_some_and(|it| it.field_text("name") == name)
            }
            _ => false,
        })
    })
}

/// A parameter, an answer or a variable, and its type.
fn typed_at(node: Node<'_>) -> Option<(&str, &str)> {
    let annotated = |field: &str| node.field(field).map_or("", Node::text);
    match node.kind() {
        "typed_parameter" => Some((node.first()?.text(), annotated("type"))),
        "typed_default_parameter" => Some((annotated("name"), annotated("type"))),
        "identifier" if node.parent()?.kind() == "parameters" => Some((node.text(), "")),
        "default_parameter" => Some((annotated("name"), "")),
        "function_definition" => Some((ANSWER, annotated("return_type"))),
        // A variable without a type has the one that it is given.
        "assignment" if node.field("type").is_some() => {
            Some((annotated("left"), annotated("type")))
        }
        // Without one, it may follow from what is around it.
        "required_parameter" | "optional_parameter" => {
            Some((annotated("pattern"), node.field("type")?.text()))
        }
        "function_declaration"
        | "method_definition"
        | "variable_declarator"
        | "public_field_definition"
        | "property_signature" => {
            let kind = node.field("return_type").or_else(|| node.field("type"))?;
            Some((ANSWER, kind.text()))
        }
        _ => None,
    }
}
