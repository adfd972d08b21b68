//! A chain of names and calls: `test.each([…])`, `expect(x).not.toBe(y)`.

use crate::tree::Node;

/// How many links of a chain are read.
const LINKS_MAX: usize = 40;

/// The names of a chain from its root on, and what is called on the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain<'tree> {
    /// `expect`, `not`, `toBe`.
    pub(super) names: Vec<&'tree str>,
    /// For each call in the chain: how many names stand before its parentheses, and those.
    pub(super) calls: Vec<(usize, Node<'tree>)>,
    /// What the chain begins with, if that is not a name: `(await f()).should`.
    pub(super) root: Option<Node<'tree>>,
}

impl<'tree> Chain<'tree> {
    /// The chain that ends at a node.
    pub(super) fn of(node: Node<'tree>) -> Self {
        let mut names: Vec<&str> = Vec::new();
        let mut calls: Vec<(usize, Node<'tree>)> = Vec::new();
        let mut root = None;
        let mut at = Some(node);
        for _ in 0..LINKS_MAX {
            let Some(link) = at else { break };
            at = match link.kind() {
                "call_expression" => {
                    calls.extend(link.field("arguments").map(|list| (names.len(), list)));
                    link.field("function")
                }
                "member_expression" => {
                    names.push(link.field_text("property"));
                    link.field("object")
                }
                "non_null_expression" | "parenthesized_expression" => link.first(),
                "identifier" | "this" => {
                    names.push(link.text());
                    None
                }
                _ => {
                    root = Some(link);
                    None
                }
            };
        }
        names.reverse();
        calls.reverse();
        let count = names.len();
        for call in &mut calls {
            call.0 = count - call.0;
        }
        Self { names, calls, root }
    }

    /// The arguments of the call right after the name at this position.
    pub(super) fn arguments_at(&self, position: usize) -> Option<Node<'tree>> {
        self.calls.iter().find(|(names, _)| *names == position + 1).map(|(_, list)| *list)
    }

    /// The first argument of the call right after a name, or the template that follows it.
    pub(super) fn argument_of(&self, name: &str) -> Option<Node<'tree>> {
        let position = self.names.iter().position(|known| *known == name)?;
        let list = self.arguments_at(position)?;
        if list.kind() == "template_string" { Some(list) } else { list.first() }
    }

    /// Whether the last call is that of a table or a condition, which only prepares a test.
    pub(super) fn ends_with_table(&self) -> bool {
        let prepares =
            |name: &&str| matches!(*name, "each" | "for" | "skipIf" | "runIf" | "extend");
        let last = self.names.last().is_some_and(prepares);
        let calls = self.calls.iter().filter(|(names, _)| *names == self.names.len()).count();
        last && calls < 2
    }
}
