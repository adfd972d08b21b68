//! What makes two failures the same, for records that do not say: other tools know no fingerprints.

use redgreen_model::debug_memory::Failure;
use redgreen_model::digest::sha256;

/// In front of a fingerprint that was made from the text alone; it is never equal to one of
/// redgreen's own.
const FROM_TEXT: &str = "text:";
/// So many bytes of the digest.
const DIGEST_BYTES: usize = 8;
/// So much of a message tells its cause.
const MESSAGE_CHARS: usize = 300;

/// The fingerprint of a recorded failure.
pub(crate) fn fingerprint(failure: &Failure) -> String {
    if let Some(own) = failure.fingerprint.as_deref().filter(|own| !own.is_empty()) {
        return own.to_owned();
    }
    let function = failure.source_location.as_ref().and_then(|place| place.function.as_deref());
    let parts = [error_name(failure), &shape(&failure.error_message), function.unwrap_or_default()];
    format!("{FROM_TEXT}{}", digest(parts.join("\u{1f}").as_bytes()))
}

/// The beginning of a SHA-256.
pub(crate) fn digest(bytes: &[u8]) -> String {
    sha256(bytes, DIGEST_BYTES)
}

/// The language's own name of the error, else the shared one.
pub(crate) fn error_name(failure: &Failure) -> &str {
    failure.error_name.as_deref().unwrap_or(failure.error_type.as_str())
}

/// A piece of a message.
enum Piece<'a> {
    /// Words that stay.
    Words(&'a str),
    /// A number.
    Number,
    /// What stands between two quotes of this kind.
    Quoted(char),
}

/// A message without its numbers and quoted values.
fn shape(message: &str) -> String {
    let pieces = pieces(first_line(message));
    pieces.iter().fold(String::new(), |mut shape, piece| {
        match piece {
            Piece::Words(words) => shape.push_str(words),
            Piece::Number => shape.push('#'),
            Piece::Quoted(quote) => shape.extend([*quote, *quote]),
        }
        shape
    })
}

/// A regular expression that finds messages like this one.
pub(crate) fn error_pattern(message: &str) -> String {
    let pieces = pieces(first_line(message));
    pieces.iter().fold(String::new(), |mut pattern, piece| {
        match piece {
            Piece::Words(words) => escape_into(&mut pattern, words),
            Piece::Number => pattern.push_str(r"\d+"),
            Piece::Quoted(quote) => {
                pattern.push(*quote);
                pattern.push_str(".*");
                pattern.push(*quote);
            }
        }
        pattern
    })
}

fn escape_into(pattern: &mut String, words: &str) {
    for letter in words.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
}

/// The line that says it: what follows are details of one run.
pub(crate) fn first_line(message: &str) -> &str {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.char_indices().nth(MESSAGE_CHARS).map_or(line, |(end, _)| &line[..end])
}

/// The pieces of a line. A quote opens only where a word could begin, so that `don't` has none.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut position = 0;
    let mut before = ' ';
    while let Some(letter) = line[position..].chars().next() {
        let rest = &line[position..];
        let found = if letter.is_ascii_digit() {
            let end = rest.find(|next: char| !next.is_ascii_digit()).unwrap_or(rest.len());
            Some((Piece::Number, end))
        } else if "'\"`".contains(letter) && !before.is_alphanumeric() {
            let inside = &rest[letter.len_utf8()..];
            inside.find(letter).map(|end| (Piece::Quoted(letter), end + 2 * letter.len_utf8()))
        } else {
            None
        };
        before = letter;
        match found {
            Some((piece, length)) => {
                if start < position {
                    pieces.push(Piece::Words(&line[start..position]));
                }
                pieces.push(piece);
                position += length;
                start = position;
            }
            None => position += letter.len_utf8(),
        }
    }
    if start < line.len() {
        pieces.push(Piece::Words(&line[start..]));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use redgreen_model::debug_memory::SourceLocation;

    use super::*;

    fn failure(message: &str) -> Failure {
        Failure { error_message: message.to_owned(), ..Failure::default() }
    }

    #[test]
    fn values_do_not_tell_causes_apart_and_words_do() {
        let same = [
            ("no user 17", "no user 4"),
            ("KeyError: 'a'", "KeyError: 'b'"),
            ("  \n wanted \"x\" at 3:4", "wanted \"yy\" at 10:2"),
        ];
        for (left, right) in same {
            assert_eq!(fingerprint(&failure(left)), fingerprint(&failure(right)), "{left}");
        }
        let other = [("no user", "no group"), ("don't do 'a'", "do 'a'"), ("'a", "'b")];
        for (left, right) in other {
            assert_ne!(fingerprint(&failure(left)), fingerprint(&failure(right)), "{left}");
        }
        let mut placed = failure("no user 1");
        placed.source_location =
            Some(SourceLocation { function: Some("f".to_owned()), ..SourceLocation::default() });
        assert_ne!(fingerprint(&placed), fingerprint(&failure("no user 1")));
        placed.fingerprint = Some("v1:0123".to_owned());
        assert_eq!(fingerprint(&placed), "v1:0123");
    }

    #[test]
    fn a_pattern_is_a_regular_expression() {
        assert_eq!(error_pattern("f(x) is 12, not 'y'"), r"f\(x\) is \d+, not '.*'");
        assert_eq!(error_pattern("ünï 'ö' 9"), r"ünï '.*' \d+");
        assert_eq!(error_pattern(""), "");
    }
}
