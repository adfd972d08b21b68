//! Titles with places for values: `adds %i and %i`, `adds $a`, `` adds ${a} ``.

/// Whether a title is what a framework makes of one with places for values; the places may hold
/// anything. A title without places is none.
pub fn is_case_of(title: &str, with_places: &str) -> bool {
    let literals = literals(with_places);
    let [first, middle @ .., last] = literals.as_slice() else { return false };
    let Some(mut rest) = title.strip_prefix(first.as_str()) else { return false };
    for literal in middle {
        match rest.split_once(literal.as_str()) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last.as_str())
}

/// What is between the places.
fn literals(title: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut rest = title;
    while let Some(letter) = rest.chars().next() {
        let length = place(rest);
        let (taken, after) = rest.split_at(length.unwrap_or(letter.len_utf8()));
        match (length, found.last_mut()) {
            (None, Some(last)) => last.push_str(taken),
            _ => found.push(String::new()),
        }
        rest = after;
    }
    found
}

/// How long the place is that a text begins with.
fn place(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mark, next) = (bytes.first()?, *bytes.get(1)?);
    match mark {
        b'%' if b"sdifjoOpc#$".contains(&next) => Some(2),
        b'$' if next == b'{' => text.find('}').map(|end| end + 1),
        b'$' if next == b'#' => Some(2),
        b'$' if next.is_ascii_alphabetic() || next == b'_' => {
            let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.".contains(byte);
            let name = bytes.iter().skip(1).take_while(in_name).count();
            let dots = bytes.get(1..=name)?.iter().rev().take_while(|byte| **byte == b'.').count();
            Some(1 + name - dots)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_with_values_is_a_case_of_its_template() {
        for (title, template) in [
            ("adds 2 and -1", "adds %i and %i"),
            ("adds 2 and 1", "adds $a and $b.value"),
            ("adds \"x\".", "adds $name."),
            ("adds 2 > to 1", "adds ${a} > to ${b}"),
            ("7: é", "%#: %s"),
        ] {
            assert!(is_case_of(title, template), "{title} is a case of {template}");
        }
        for (title, template) in [
            ("adds 2", "adds 2"),
            ("subtracts 2 and 1", "adds %i and %i"),
            ("adds 2 or 1", "adds %i and %i"),
            ("costs 5 $", "costs 5 $"),
            ("100% of x", "100% y"),
        ] {
            assert!(!is_case_of(title, template), "{title} is no case of {template}");
        }
    }
}
