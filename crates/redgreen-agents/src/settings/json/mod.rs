//! JSON as a text that is edited in place: nothing but what is added or taken away changes.

mod edit;
mod parse;

pub use edit::{append, cut, replace, whole};
pub use parse::{Comments, Wrong, parse};

/// A value and where it is in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The position of its first byte.
    pub start: usize,
    /// The position after its last byte.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An object or a list, with what is in it.
    Container(Vec<Item>),
    /// A text.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Other,
}

/// Something in an object or a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Where it begins: at its name, if it has one.
    pub start: usize,
    /// Its name in an object.
    pub name: Option<String>,
    /// Its value.
    pub value: Node,
    /// Where the comma after it is.
    pub comma: Option<usize>,
}

impl Node {
    /// What is in an object or a list; nothing in anything else.
    pub fn items(&self) -> &[Item] {
        match &self.kind {
            Kind::Container(items) => items,
            _ => &[],
        }
    }

    /// Whether it is an object.
    pub fn is_object(&self, text: &str) -> bool {
        text[self.start..].starts_with('{')
    }

    /// Whether it is a list.
    pub fn is_list(&self, text: &str) -> bool {
        text[self.start..].starts_with('[')
    }

    /// The value of this name; of several the last, as agents see it.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.position(name).map(|index| &self.items()[index].value)
    }

    /// Where the value of this name is among the items.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.items().iter().rposition(|item| item.name.as_deref() == Some(name))
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
