//! The variables of `.env` files.

/// What a shell has in front of a variable.
const EXPORT: &str = "export ";
/// How a key begins and ends that is on several lines.
const BLOCK: [&str; 2] = ["-----BEGIN ", "-----END "];

/// The variables of a file: `NAME=value`, `export NAME="value"`; a remark after a value is not part of it. A
/// value in quotes may go on over several lines, and so may a key. What looks like a variable within it is
/// one as well: who forgets a quote has secrets, too.
pub(super) fn variables(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if !line.trim_start().starts_with('#') {
            found.extend(on_line(line).filter_map(|one| variable(one, after)));
        }
        rest = after;
    }
    found
}

/// The variables on a line, each up to the next one.
fn on_line(line: &str) -> impl Iterator<Item = &str> {
    let mut each = line.split(EXPORT).map(|one| one.trim_end().trim_end_matches([';', '&']));
    let first = each.next().filter(|first| !first.trim().is_empty());
    first.into_iter().chain(each)
}

fn variable<'text>(line: &'text str, after: &str) -> Option<(&'text str, String)> {
    let (name, value) = line.split_once('=')?;
    let value = value.trim();
    let mut letters = value.chars();
    let value = match letters.next() {
        Some(quote @ ('"' | '\'' | '`')) => quoted(quote, letters.as_str(), after),
        Some('{' | '[') => value.to_owned(),
        Some('-') if value.starts_with(BLOCK[0]) && !value.contains(BLOCK[1]) => {
            let end = after.find(BLOCK[1]).unwrap_or(0);
            format!("{value}\n{}", after.get(..end).unwrap_or_default().replace('\r', ""))
        }
        _ => value.split(" #").next().unwrap_or_default().trim().to_owned(),
    };
    Some((name.trim(), value))
}

/// What is between quotes; where they do not end, what is on the line.
fn quoted(quote: char, line: &str, after: &str) -> String {
    let whole = || unquoted(quote, &format!("{line}\n{}", after.replace('\r', "")));
    unquoted(quote, line).or_else(whole).unwrap_or_else(|| line.to_owned())
}

/// What is in front of the next quote. In double quotes letters are escaped.
fn unquoted(quote: char, text: &str) -> Option<String> {
    let mut value = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            _ if letter == quote => return Some(value),
            '\\' if quote == '"' => match letters.next()? {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                escaped @ ('"' | '\\' | '$' | '`') => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            _ => value.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_programs_do() {
        let text = "# A=b\nexport A='one' # why\n B = two # why\r\nC=\"a\\nb \\\"c\\\" \\$d \\d\"\nD=`it's`\nE=a#b\n\
            F=\"first\nsecond=2\n\"\nG='not closed\nno variable\nH=\n";
        let wanted = [
            ("A", "one"),
            ("B", "two"),
            ("C", "a\nb \"c\" $d \\d"),
            ("D", "it's"),
            ("E", "a#b"),
            ("F", "first\nsecond=2\n"),
            ("second", "2"),
            ("G", "not closed"),
            ("H", ""),
        ];
        assert_eq!(variables(text), wanted.map(|(name, value)| (name, value.to_owned())));
    }
}
