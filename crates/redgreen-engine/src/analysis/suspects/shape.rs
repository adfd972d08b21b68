//! What a statement does, as far as its words tell.

use super::hints::words;

/// Code that decides or calculates is wrong more often than code that hands something on.
const DECIDES: f64 = 1.25;
const CALCULATES: f64 = 1.2;
const HAS_NUMBER: f64 = 1.1;
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
    /// Whether it gives or stores a value that stands in it, and reads nothing.
    pub(super) is_constant: bool,
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
        let is_constant = is_constant(text);
        Self { compares, decides, calculates, has_number, has_truth, is_constant, hands_on }
    }

    pub(in crate::analysis) fn factor(self) -> f64 {
        let or = |holds: bool, factor: f64| if holds { factor } else { 1.0 };
        or(self.hands_on, HANDS_ON)
            * or(self.decides, DECIDES)
            * or(self.calculates, CALCULATES)
            * or(self.has_number, HAS_NUMBER)
    }
}

/// Whether a statement gives or stores a value that stands in it, and reads nothing.
fn is_constant(text: &str) -> bool {
    // What is in quotes is no name.
    let bare: String = text.split(['"', '\'', '`']).step_by(2).collect();
    let value = match bare.trim_start().strip_prefix("return ") {
        Some(value) => value,
        None => match bare.split_once(" = ").or_else(|| bare.split_once(" := ")) {
            Some((_, value)) => value,
            None => return false,
        },
    };
    let is_value = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            || TRUTHS.contains(&word)
            || ["Some", "Ok"].contains(&word)
    };
    words(value).all(is_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_reads_nothing() {
        for text in ["return 0", "return \" B \"", "percent = 10", "let mut a = 4 ;", "limit := 40"]
        {
            assert!(is_constant(text), "{text}");
        }
        for text in ["return cost", "a = b", "f ( 1 )", "count += 1", "if a == 1 {"] {
            assert!(!is_constant(text), "{text}");
        }
    }

    #[test]
    fn a_loop_compares_nothing() {
        assert!(!Shape::of("for value in values :").compares);
        assert!(Shape::of("for ( let i = 1 ; i < n ; i += 1 )").compares);
        assert!(Shape::of("if a in b :").compares);
    }
}
