//! Text from outside, made safe to store, show and send: bounded, without control sequences, and with
//! secrets redacted.

use std::borrow::Cow;

use redgreen_redact::{redact, redact_distinct};

/// The most characters of a one-line text such as a test's name or a summary.
pub const LINE_CHARS: usize = 500;
/// The most characters of a message, an expected or an actual value.
pub const MESSAGE_CHARS: usize = 4_000;
/// The most characters of a stack trace or of the end of a log.
pub const BLOCK_CHARS: usize = 12_000;

/// Text of any origin as clean text of at most `max_chars` characters: bytes that are not UTF-8
/// are replaced, terminal control sequences and control characters are removed (line breaks and
/// tabs stay), secrets are redacted, and what is cut from the middle is said.
pub fn clean_block(bytes: &[u8], max_chars: usize) -> String {
    cleaned_block(String::from_utf8_lossy(bytes).into_owned(), max_chars)
}

/// Like [`clean_block`], for a text that nobody else needs; most are clean, and kept as they are.
pub fn cleaned_block(text: String, max_chars: usize) -> String {
    let text = if is_plain(&text) { text } else { strip_controls(&text) };
    // Redacted before it is cut: half a secret is not known for one.
    let text = match redact(&text) {
        Cow::Owned(redacted) => redacted,
        Cow::Borrowed(_) => text,
    };
    if text.len() <= max_chars { text } else { bound_middle(&text, max_chars) }
}

/// Like [`clean_block`], on one line: line breaks and tabs become spaces or visible escapes.
pub fn clean_line(text: &str, max_chars: usize) -> String {
    let is_seen = |byte: u8| matches!(byte, b' '..=b'~');
    if text.bytes().fold(true, |seen, byte| seen & is_seen(byte)) {
        return bounded_line(redact(text), max_chars);
    }
    let stripped = strip_controls(text);
    let line = redact(&stripped).replace('\n', "\\n").replace('\t', "\\t");
    bounded_line(Cow::Owned(line), max_chars)
}

/// Like [`clean_line`], for words that somebody wrote on several lines: they stand on one, with single spaces.
pub fn one_line(text: &str, max_chars: usize) -> String {
    let line = strip_controls(text).split_whitespace().collect::<Vec<_>>().join(" ");
    clean_line(&line, max_chars)
}

/// Like [`clean_line`], for texts that are compared: those with different secrets stay different.
pub fn distinct_line(text: &str, max_chars: usize) -> String {
    clean_line(&redact_distinct(text), max_chars)
}

fn bounded_line(line: Cow<'_, str>, max_chars: usize) -> String {
    if line.len() <= max_chars { line.into_owned() } else { bound_end(&line, max_chars) }
}

/// Removes terminal control sequences (CSI, OSC and other escapes) and control characters.
/// Carriage returns end a line, as a terminal would show a redrawn one.
pub fn strip_controls(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_csi(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut rest),
            '\r' => {
                if rest.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' | '\t' => out.push(character),
            _ if character.is_control() || is_invisible(character) => {}
            _ => out.push(character),
        }
    }
    out
}

/// Whether there is nothing to remove; without a branch for each byte, as there may be much of it.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    text.bytes().fold(true, |plain, byte| plain & is_plain(byte))
}

/// Characters that change how the text around them is shown: direction overrides, zero width.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

type Characters<'text> = std::iter::Peekable<std::str::Chars<'text>>;

fn skip_escape(rest: &mut Characters<'_>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_csi(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        Some(' '..='/') => {
            while rest.next_if(|next| matches!(next, ' '..='/')).is_some() {}
            rest.next();
        }
        Some('0'..='~') => {
            rest.next();
        }
        _ => {}
    }
}

fn skip_csi(rest: &mut Characters<'_>) {
    while rest.next_if(|next| matches!(next, ' '..='?')).is_some() {}
    rest.next_if(|next| matches!(next, '@'..='~'));
}

/// A control string ends at BEL or ST; one that never ends is cut at the line's end, so that an
/// unfinished sequence cannot swallow the rest of a log.
fn skip_string(rest: &mut Characters<'_>) {
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        match next {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

/// At most `max_chars` characters, the end cut and the cut marked.
pub fn bound_end(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(max_chars.saturating_sub(1)).collect();
            format!("{kept}…")
        }
    }
}

/// At most about `max_chars` characters: the beginning and the end stay, and the cut says its size.
pub fn bound_middle(text: &str, max_chars: usize) -> String {
    let count = text.chars().count();
    if count <= max_chars {
        return text.to_owned();
    }
    let half = max_chars / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head}\n[… {} characters left out …]\n{tail}", count - 2 * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_go_and_text_stays() {
        let cases = [
            ("plain", "plain"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bx\u{1b}cy", "xy"),
            ("\u{9b}2Jz", "z"),
            ("50%\r100%\r\ndone", "50%\n100%\ndone"),
            ("nul\0 bell\u{7} tab\tnew\nline", "nul bell tab\tnew\nline"),
            ("\u{202e}evil\u{200b}", "evil"),
            ("\u{1b}]never ends\nnext line", "\nnext line"),
            ("ends in escape\u{1b}", "ends in escape"),
        ];
        for (given, wanted) in cases {
            assert_eq!(strip_controls(given), wanted, "{given:?}");
        }
    }

    #[test]
    fn bounds_hold_and_say_so() {
        assert_eq!(bound_end("abcdef", 4), "abc…");
        assert_eq!(clean_line("a\nb\tc", 10), "a\\nb\\tc");
        let block = clean_block(&vec![b'x'; 100_000], 100);
        assert!(block.chars().count() < 160, "{block}");
        assert!(block.contains("99900 characters left out"));
        assert_eq!(clean_block(b"\xff\xfeok", 10), "\u{fffd}\u{fffd}ok");
    }
}
