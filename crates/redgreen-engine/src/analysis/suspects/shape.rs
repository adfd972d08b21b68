//! What a statement does, as far as its words tell.

use super::hints::words;

/// Code that decides or calculates is wrong more often than code that hands something on.
const DECIDES: f64 = 1.3;
const CALCULATES: f64 = 1.3;
const HANDS_ON: f64 = 0.8;

const COMPARING: &[&str] = &["<", ">", "<=", ">=", "==", "!=", "===", "!==", "in", "is"];
const DECIDING: &[&str] =
    &["if", "while", "elif", "and", "or", "not", "&&", "||", "!", "?", "match", "switch", "unless"];
const CALCULATING: &[&str] =
    &["+", "-", "*", "/", "%", "//", "**", "+=", "-=", "*=", "/=", "<<", ">>", "|", "&", "^"];
const TRUTHS: &[&str] = &["true", "false", "True", "False", "None", "null", "nil", "undefined"];

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) compares: bool,
    pub(super) decides: bool,
    pub(super) calculates: bool,
    pub(super) has_number: bool,
    pub(super) has_truth: bool,
    hands_on: bool,
}

impl Shape {
    pub(super) fn of(text: &str) -> Self {
        let signs: Vec<&str> = text
            .split(|it: char| it.is_whitespace() || "(){}[];,:".contains(it))
            .filter(|sign| !sign.is_empty())
            .collect();
        let has = |known: &[&str]| signs.iter().any(|sign| known.contains(sign));
        let compares = has(COMPARING);
        let decides = compares || has(DECIDING);
        let calculates = has(CALCULATING);
        let has_number = words(text).any(|it| it.starts_with(|first: char| first.is_ascii_digit()));
        let has_truth = words(text).any(|word| TRUTHS.contains(&word));
        let has_text = text.contains(['"', '\'', '`']);
        let hands_on = !(decides || calculates || has_number || has_truth || has_text);
        Self { compares, decides, calculates, has_number, has_truth, hands_on }
    }

    pub(super) fn factor(self) -> f64 {
        match self {
            Self { hands_on: true, .. } => HANDS_ON,
            Self { decides: true, .. } => DECIDES,
            Self { calculates: true, .. } => CALCULATES,
            _ => 1.0,
        }
    }
}
