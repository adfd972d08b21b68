//! Private keys in their blocks, whole or cut off.

use std::ops::Range;

use super::look::Look;
use super::search::Secret;

/// The most bytes of a block's name.
const NAME_BYTES_MAX: usize = 64;
/// The fewest bytes of a line of a key that is not its last.
const LINE_BYTES_MIN: usize = 16;
/// The fewest bytes of a piece of a key that was put on one line with others.
const PIECE_BYTES_MIN: usize = 32;
const DASHES: &str = "-----";
const END: &str = "-----END";
/// Lines that may stand above a key in its block.
const HEADERS: &[&str] = &["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];

/// Whether a line is one that may stand above a key in its block.
pub(super) fn is_header(line: &str) -> bool {
    HEADERS.iter().any(|header| line.starts_with(header))
}

/// What stands between the lines that a private key begins and ends with. What looks like a key's
/// lines is taken for them, so that one without its end does not hide what comes after it.
pub(super) fn private_key(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    if !look.starts_with(hit.start, "-----BEGIN ") {
        return None;
    }
    let is_of_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ';
    let name_end = look.end_of(hit.end, is_of_name);
    let name = look.short(hit.end..name_end).filter(|name| name.len() <= NAME_BYTES_MAX)?;
    if !name.contains("PRIVATE KEY") || !look.starts_with(name_end, DASHES) {
        return None;
    }
    let start = name_end + DASHES.len();
    let (end, is_open) = end_of_block(look, start);
    if is_open {
        look.is_open_from(hit.start);
    }
    (end > start).then_some(Secret { bytes: start..end, unmarked: false })
}

/// The end of the lines of a key, and whether more of them may come after the end of the text.
fn end_of_block(look: &Look<'_>, start: usize) -> (usize, bool) {
    let (mut place, mut end) = (start, start);
    loop {
        let line = line(look, place);
        match line.is {
            Is::End | Is::Begun => return (line.end, false),
            Is::Other => return (end, false),
            Is::Blank => {}
            Is::Key(_) => end = line.end,
        }
        let is_last = matches!(line.is, Is::Key(bytes) if bytes < LINE_BYTES_MIN);
        if line.end >= look.bytes.len() {
            return (end, true);
        }
        if is_last && !is_end(look, line.end + 1) {
            return (end, line.end + 1 >= look.bytes.len());
        }
        place = line.end + 1;
    }
}

fn is_end(look: &Look<'_>, place: usize) -> bool {
    matches!(line(look, place).is, Is::End)
}

/// What a line is.
enum Is {
    /// One with the end of the block, which is where it is taken to end.
    End,
    /// So many bytes of a key.
    Key(usize),
    /// A key and other text, which is where it is taken to end.
    Begun,
    Blank,
    Other,
}

struct Line {
    end: usize,
    is: Is,
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\\' | b'_')
}

/// What stands before and after a line of a key in logs, diffs and source.
fn is_around(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'+' | b'-' | b'>' | b'|' | b'"' | b'\'' | b',' | b'(' | b')' | b'.'
    )
}

/// What pytest puts before each line of a message.
const MARK: &str = "E ";

fn line(look: &Look<'_>, start: usize) -> Line {
    let mut place = if look.starts_with(start, MARK) { start + MARK.len() } else { start };
    let mut bytes = 0;
    loop {
        if look.starts_with(place, END) {
            return Line { end: place, is: Is::End };
        }
        let byte = look.at(place);
        if byte == b'\n' || place >= look.bytes.len() {
            let is = if bytes > 0 { Is::Key(bytes) } else { Is::Blank };
            return Line { end: place, is };
        }
        if is_around(byte) {
            place += 1;
            continue;
        }
        let end = look.end_of(place, is_of_key);
        let is_header = bytes == 0 && HEADERS.iter().any(|header| look.starts_with(place, header));
        if is_header {
            let end = look.end_of(place, |byte| byte != b'\n');
            return Line { end, is: Is::Blank };
        }
        let is_piece = end > place && (bytes == 0 || end - place >= PIECE_BYTES_MIN);
        if !is_piece {
            let is = if bytes >= PIECE_BYTES_MIN { Is::Begun } else { Is::Other };
            return Line { end: place, is };
        }
        bytes += end - place;
        place = end;
    }
}
