//! The texts in an object or a list, as JSON, Python, JavaScript, YAML and TOML write them.

use std::iter::Peekable;
use std::str::Chars;

use super::Named;

/// Whether a value is written like one.
pub(super) fn is_one(value: &str) -> bool {
    let is_between = |open, close| value.starts_with(open) && value.ends_with(close);
    (is_between('{', '}') || is_between('[', ']')) && value.contains(['"', '\'', ':', '='])
}

/// The texts in it, each with the name that it is given to; those of a list have the name of the list. What
/// has neither quotes nor a name stands for something else: `{TOKEN}`.
pub(super) fn leaves(value: &str) -> Vec<Named> {
    let mut leaves = Vec::new();
    let mut name = String::new();
    let mut letters = value.chars().peekable();
    while let Some(letter) = letters.peek().copied() {
        let is_quoted = matches!(letter, '"' | '\'' | '`');
        let text = match letter {
            _ if is_quoted => quoted(&mut letters),
            _ if is_between(letter) => {
                letters.next();
                continue;
            }
            _ => bare(&mut letters),
        };
        if is_name(&mut letters) {
            name = text;
        } else if is_quoted || !name.is_empty() {
            leaves.push((name.clone(), text));
        }
    }
    leaves
}

/// What stands between names and texts.
fn is_between(letter: char) -> bool {
    letter.is_whitespace() || "{}[](),:=>".contains(letter)
}

/// Whether what was just read is given something; goes on to that.
fn is_name(letters: &mut Peekable<Chars<'_>>) -> bool {
    while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
    letters.next_if(|letter| matches!(letter, ':' | '=')).is_some()
}

fn bare(letters: &mut Peekable<Chars<'_>>) -> String {
    let is_of_it = |letter: &char| !is_between(*letter) && !matches!(letter, '"' | '\'' | '`');
    let mut text = String::new();
    while let Some(letter) = letters.next_if(is_of_it) {
        text.push(letter);
    }
    text
}

fn quoted(letters: &mut Peekable<Chars<'_>>) -> String {
    let mut text = String::new();
    let quote = letters.next();
    while let Some(letter) = letters.next().filter(|letter| Some(*letter) != quote) {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('u') => text.push(coded(letters)),
            Some(other) => text.push(other),
            None => {}
        }
    }
    text
}

/// The letter of `\u00e9`. Those that are written as two are beyond what passwords are made of.
fn coded(letters: &mut Peekable<Chars<'_>>) -> char {
    let mut code = 0;
    for _ in 0..4 {
        let Some(digit) = letters.next_if(char::is_ascii_hexdigit) else { break };
        code = code * 16 + digit.to_digit(16).unwrap_or(0);
    }
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}
