//! What a statement does, as far as its words tell.

use super::hints::words;

/// Code that decides or calculates is wrong more often than code that hands something on.
const DECIDES: f64 = 1.3;
const CALCULATES: f64 = 1.3;
const HANDS_ON: f64 = 0.8;

const COMPARING: &[&str] = &["<", ">", "<=", ">=", "==", "!=", "===", "!==", "in", "is"];
const ORDERING: &[&str] = &["<", ">", "<=", ">="];
const LOOPS: &[&str] = &["for", "async"];
const DECIDING: &[&str] =
    &["if", "while", "elif", "and", "or", "not", "&&", "||", "!", "?", "match", "switch", "unless"];
const CALCULATING: &[&str] =
    &["+", "-", "*", "/", "%", "//", "**", "+=", "-=", "*=", "/=", "<<", ">>", "|", "&", "^"];
const TRUTHS: &[&str] = &["true", "false", "True", "False", "None", "null", "nil", "undefined"];

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct Shape {
    pub(in crate::analysis) compares: bool,
    pub(in crate::analysis) decides: bool,
    pub(in crate::analysis) calculates: bool,
    pub(in crate::analysis) has_number: bool,
    pub(in crate::analysis) has_truth: bool,
    hands_on: bool,
}

impl Shape {
    pub(in crate::analysis) fn of(text: &str) -> Self {
        let signs: Vec<&str> = text
            .split(|it: char| it.is_whitespace() || "(){}[];,:".contains(it))
            .filter(|sign| !sign.is_empty())
            .collect();
        let has = |known: &[&str]| signs.iter().any(|sign| known.contains(sign));
        // A loop's `in` compares nothing.
        let is_loop = signs.first().is_some_and(|first| LOOPS.contains(first));
        let compares = if is_loop { has(ORDERING) } else { has(COMPARING) };
        let decides = compares || has(DECIDING);
        let calculates = has(CALCULATING);
        let has_number = words(text).any(|it| it.starts_with(|first: char| first.is_ascii_digit()));
        let has_truth = words(text).any(|word| TRUTHS.contains(&word));
        let has_text = text.contains(['"', '\'', '`']);
        let hands_on = !(decides || calculates || has_number || has_truth || has_text);
        Self { compares, decides, calculates, has_number, has_truth, hands_on }
    }

    pub(in crate::analysis) fn factor(self) -> f64 {
        match self {
            Self { hands_on: true, .. } => HANDS_ON,
            Self { decides: true, .. } => DECIDES,
            Self { calculates: true, .. } => CALCULATES,
            _ => 1.0,
        }
    }
}
