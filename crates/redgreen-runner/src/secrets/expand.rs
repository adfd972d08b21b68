//! Variables that are made of others: `${NAME}`, `$NAME`, `${NAME:-otherwise}`.

use std::collections::HashMap;

/// How often what was put in is looked at once more: a variable may be made of itself.
const ROUNDS_MAX: usize = 5;
/// The most bytes of a value: each round may double it.
const BYTES_MAX: usize = 16 * 1024;

/// What the variables of a file are once those are put in that they name; only those that become something
/// else. A variable that is neither in the file nor outside of it is empty.
pub(super) fn expanded<'text>(
    variables: &[(&'text str, String)],
    outside: &dyn Fn(&str) -> Option<String>,
) -> Vec<(&'text str, String)> {
    let here: HashMap<&str, &str> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let value_of = |name: &str| here.get(name).map(|it| (*it).to_owned()).or_else(|| outside(name));
    let made = variables.iter().filter(|(_, value)| value.contains('$'));
    let expanded = made.filter_map(|(name, value)| {
        let whole = expand(value, &value_of);
        (whole != *value).then_some((*name, whole))
    });
    expanded.collect()
}

fn expand(value: &str, value_of: &dyn Fn(&str) -> Option<String>) -> String {
    let mut whole = value.to_owned();
    for _ in 0..ROUNDS_MAX {
        let next = once(&whole, value_of);
        if next == whole || next.len() > BYTES_MAX {
            break;
        }
        whole = next;
    }
    whole
}

fn once(value: &str, value_of: &dyn Fn(&str) -> Option<String>) -> String {
    let mut whole = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('$') {
        whole.push_str(before);
        let Some((name, otherwise, behind)) = reference(after) else {
            whole.push('$');
            rest = after;
            continue;
        };
        let found = value_of(name).filter(|value| !value.is_empty());
        whole.push_str(&found.unwrap_or_else(|| otherwise.to_owned()));
        rest = behind;
    }
    whole.push_str(rest);
    whole
}

/// The name behind a dollar, what stands there for where it has no value, and what follows.
fn reference(text: &str) -> Option<(&str, &str, &str)> {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (inner, behind) = match text.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => text.split_at(text.find(|letter| !is_of_name(letter)).unwrap_or(text.len())),
    };
    let (name, otherwise) = match inner.find(|letter| !is_of_name(letter)) {
        Some(end) => inner.split_at(end),
        None => (inner, ""),
    };
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    is_name.then(|| (name, otherwise.trim_start_matches([':', '-', '=', '?', '+']), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_put_in() {
        let outside = |name: &str| (name == "HOST").then(|| "db".to_owned());
        let variables = [
            ("A", "one"),
            ("B", "${A}two$A-$HOST/$NONE."),
            ("C", "${B}!"),
            ("D", "${NONE:-other}${A"),
            ("E", "pa$$word$1"),
            ("F", "$F$F"),
            ("G", "plain"),
        ];
        let variables = variables.map(|(name, value)| (name, value.to_owned()));
        let found = expanded(&variables, &outside);
        let wanted =
            [("B", "onetwoone-db/."), ("C", "onetwoone-db/.!"), ("D", "other${A"), ("E", "pa$$1")];
        for (name, value) in wanted {
            assert!(found.contains(&(name, value.to_owned())), "{name}: {found:?}");
        }
        let endless = found.iter().find(|(name, _)| *name == "F");
        assert!(endless.is_some_and(|(_, value)| value.len() <= BYTES_MAX));
        assert_eq!(found.len(), 5);
    }
}
