//! Reads JSON, with or without comments, and keeps the positions.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::{Item, Kind, Node};

/// Whether a format has comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// `// …` and `/* … */` are blanks.
    Allowed,
    /// They are errors.
    Refused,
}

/// Why a text is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl Wrong {
    /// Something wrong at a position of the text.
    pub fn at(text: &str, position: usize, what: impl Into<String>) -> Self {
        let before = text.as_bytes().iter().take(position);
        Self { line: 1 + before.filter(|byte| **byte == b'\n').count(), what: what.into() }
    }
}

/// Reads a whole text as one value.
pub fn parse(text: &str, comments: Comments) -> Result<Node, Wrong> {
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    let base = text.len() - json.len();
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
    let options = ParseOptions {
        allow_comments: comments == Comments::Allowed,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(json, &collect, &options)
        .map_err(|error| Wrong::at(text, base + error.range().start, error.kind().to_string()))?;
    let value = parsed.value.ok_or_else(|| Wrong::at(text, text.len(), "a value is missing"))?;
    let tokens = parsed.tokens.unwrap_or_default();
    // What other readers of JSON refuse: a line break in a text.
    let words = tokens.iter().filter(|it| matches!(it.token, Token::String(_) | Token::Number(_)));
    for word in words.map(|token| token.range) {
        serde_json::from_str::<serde_json::Value>(&json[word.start..word.end])
            .map_err(|_| Wrong::at(text, base + word.start, "this is no value of JSON"))?;
    }
    let commas = tokens.iter().filter(|token| token.token == Token::Comma);
    let reader = Reader { base, commas: commas.map(|comma| base + comma.range.start).collect() };
    Ok(reader.node(&value))
}

struct Reader {
    /// Where the JSON begins in the text.
    base: usize,
    /// Where its commas are.
    commas: Vec<usize>,
}

impl Reader {
    fn node(&self, value: &Value<'_>) -> Node {
        let kind =
            match value {
                Value::Object(object) => {
                    Kind::Container(self.items(object.properties.iter().map(|member| {
                        (member.range.start, Some(member.name.as_str()), &member.value)
                    })))
                }
                Value::Array(list) => Kind::Container(
                    self.items(list.elements.iter().map(|value| (value.start(), None, value))),
                ),
                Value::StringLit(text) => Kind::Text(text.value.to_string()),
                _ => Kind::Other,
            };
        Node { start: self.base + value.start(), end: self.base + value.end(), kind }
    }

    /// No comma stands behind the last one.
    fn items<'json>(
        &self,
        values: impl ExactSizeIterator<Item = (usize, Option<&'json str>, &'json Value<'json>)>,
    ) -> Vec<Item> {
        let last = values.len();
        let item = |(number, (start, name, value)): (usize, (usize, Option<&str>, &Value<'_>))| {
            let value = self.node(value);
            let next = self.commas.partition_point(|comma| *comma < value.end);
            let comma = self.commas.get(next).filter(|_| number < last).copied();
            Item { start: self.base + start, name: name.map(str::to_owned), value, comma }
        };
        (1..).zip(values).map(item).collect()
    }
}
