//! One line of a log, without what terminals and CI systems put around it.

use std::borrow::Cow;

use redgreen_model::text::strip_controls;

/// The most bytes of a line that are looked at: a longer one is data, not a result.
pub(super) const LINE_BYTES: usize = 32 * 1024;
/// How far into a line the columns of a CI's own log are looked for, in bytes.
const COLUMN_BYTES: usize = 200;
const ESCAPE: u8 = 0x1b;
/// The markers that CI systems put before what a program printed.
const MARKERS: [&str; 5] = ["##[error]", "##[warning]", "##[debug]", "[command]", "##[command]"];

/// How far ahead of a line is searched at once, in bytes.
const AHEAD_BYTES: usize = 16 * 1024;
/// How many bytes are looked at together while colours are removed.
const WORD: usize = 8;

/// The lines of a log. What only some of them have is searched for in many at once.
pub(super) struct Lines<'log> {
    log: &'log [u8],
    at: usize,
    /// What is known to be text, and where it begins.
    text: &'log str,
    text_from: usize,
    /// Up to here, all lines are known to be plain.
    plain_until: usize,
}

/// A line as it is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RawLine<'log> {
    bytes: &'log [u8],
    /// The same as text; none where it is not valid, or longer than what is searched at once.
    text: Option<&'log str>,
    /// Whether it is known to be without escapes, carriage returns and tabs.
    is_plain: bool,
}

impl<'log> Lines<'log> {
    pub fn of(log: &'log [u8]) -> Self {
        Self { log, at: 0, text: "", text_from: 0, plain_until: 0 }
    }

    /// The line from here to there as text.
    fn text(&mut self, begin: usize, end: usize) -> Option<&'log str> {
        if end > self.text_from + self.text.len() {
            let rest = self.log.get(begin..)?;
            let ahead = rest.get(..AHEAD_BYTES).unwrap_or(rest);
            self.text = valid_beginning(ahead);
            self.text_from = begin;
        }
        self.text.get(begin - self.text_from..end - self.text_from)
    }
}

impl<'log> Iterator for Lines<'log> {
    type Item = RawLine<'log>;

    fn next(&mut self) -> Option<RawLine<'log>> {
        let begin = self.at;
        let rest = self.log.get(begin..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += length + 1;
        if self.plain_until <= begin {
            let ahead = rest.get(..AHEAD_BYTES).unwrap_or(rest);
            let plain = memchr::memchr3(ESCAPE, b'\r', b'\t', ahead).unwrap_or(ahead.len());
            self.plain_until = begin + plain;
        }
        Some(RawLine {
            bytes: rest.get(..length)?,
            text: self.text(begin, begin + length),
            is_plain: begin + length <= self.plain_until,
        })
    }
}

fn valid_beginning(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_else(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        std::str::from_utf8(valid).unwrap_or("")
    })
}

/// The line as a person would see it: valid text without colours, after the last redraw, and
/// without time stamps and markers of CI.
pub(super) fn clean<'line>(line: RawLine<'line>, buffer: &'line mut Vec<u8>) -> &'line str {
    let text = match line.text {
        Some(text) if line.is_plain => text,
        Some(text) => without_controls(text, buffer),
        None => {
            let raw = line.bytes.get(..LINE_BYTES).unwrap_or(line.bytes);
            match String::from_utf8_lossy(raw) {
                Cow::Borrowed(text) => without_controls(text, buffer),
                Cow::Owned(text) => {
                    let shown = without_controls(&text, &mut Vec::new()).to_owned();
                    *buffer = shown.into_bytes();
                    std::str::from_utf8(buffer).unwrap_or("")
                }
            }
        }
    };
    without_marker(without_stamp(text, !line.is_plain))
}

/// Without escapes, and without what was redrawn: it is not there any more.
fn without_controls<'text>(text: &'text str, buffer: &'text mut Vec<u8>) -> &'text str {
    let mut text = text;
    while let Some(head) = text.strip_suffix('\r') {
        text = head;
    }
    let last = memchr::memrchr(b'\r', text.as_bytes()).map_or(0, |at| at + 1);
    let text = text.get(last..).unwrap_or("");
    if memchr::memchr(ESCAPE, text.as_bytes()).is_none() {
        return text;
    }
    let length = copy_without_escapes(text, buffer);
    buffer.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
}

/// Colours are most of what is to be removed, and removed quickly; the rest is left to the model.
/// The length of what is in the buffer then.
fn copy_without_escapes(text: &str, out: &mut Vec<u8>) -> usize {
    if out.len() < text.len() + WORD {
        out.resize(text.len() + WORD, 0);
    }
    let bytes = text.as_bytes();
    let (mut at, mut length) = (0, 0);
    // Escapes are a few bytes apart: a word is copied as a whole, and what is too much of it is
    // written over later.
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk)
        && let Some(place) = out.get_mut(length..).and_then(<[u8]>::first_chunk_mut)
    {
        *place = *word;
        let before = before_escape(*word);
        (at, length) = (at + before, length + before);
        if before == WORD {
            continue;
        }
        if bytes.get(at + 1) != Some(&b'[') {
            break;
        }
        at = after_sequence(bytes, at + 2);
    }
    // The last bytes, and what is no colour.
    while let (Some(byte), Some(place)) = (bytes.get(at), out.get_mut(length)) {
        if *byte != ESCAPE {
            *place = *byte;
            (at, length) = (at + 1, length + 1);
        } else if bytes.get(at + 1) == Some(&b'[') {
            at = after_sequence(bytes, at + 2);
        } else {
            out.truncate(length);
            out.extend_from_slice(strip_controls(text.get(at..).unwrap_or("")).as_bytes());
            return out.len();
        }
    }
    length
}

/// How many bytes of a word are before the first escape in it.
fn before_escape(word: [u8; WORD]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; WORD]);
    let other = u64::from_le_bytes(word) ^ u64::from_le_bytes([ESCAPE; WORD]);
    // The lowest bit is in the first byte that is an escape.
    let escapes = other.wrapping_sub(ONES) & !other & (ONES << 7);
    escapes.trailing_zeros() as usize / WORD
}

/// Where a sequence ends whose parameters, ` ` to `?`, begin here.
fn after_sequence(bytes: &[u8], at: usize) -> usize {
    let sequence = bytes.get(at..).unwrap_or_default();
    let parameters = match sequence.first_chunk().map(|word| others(*word)) {
        Some(others) if others != 0 => others.trailing_zeros() as usize / WORD,
        _ => sequence.iter().take_while(|byte| matches!(byte, b' '..=b'?')).count(),
    };
    // Where it is broken off by a letter of more bytes, the letter stays.
    let is_last = sequence.get(parameters).is_some_and(u8::is_ascii);
    at + parameters + usize::from(is_last)
}

/// Bits in those bytes of a word that are no parameters of a sequence.
fn others(word: [u8; WORD]) -> u64 {
    let kinds = u64::from_le_bytes(word) & u64::from_le_bytes([0b1110_0000; WORD]);
    kinds ^ u64::from_le_bytes([0b0010_0000; WORD])
}

/// Without the time stamp that GitHub, GitLab, Azure and Jenkins put before a line, and without the
/// columns `job <tab> step <tab>` that GitHub's own client puts before that.
fn without_stamp(line: &str, may_have_columns: bool) -> &str {
    let first = line.as_bytes().first().copied().unwrap_or(0);
    if (first.is_ascii_digit() || first == b'[' || first == 0xef)
        && let Some(rest) = after_stamp(line)
    {
        return rest;
    }
    if !may_have_columns {
        return line;
    }
    let head = line.as_bytes().get(..COLUMN_BYTES).unwrap_or(line.as_bytes());
    let column = memchr::memchr(b'\t', head)
        .and_then(|job| Some(job + 1 + memchr::memchr(b'\t', head.get(job + 1..)?)?));
    column.and_then(|at| after_stamp(line.get(at + 1..)?)).unwrap_or(line)
}

/// What follows `2026-01-02T03:04:05.678Z `, in brackets or not, and GitLab's mark of the stream
/// (`00O `) after it.
fn after_stamp(line: &str) -> Option<&str> {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let (bracketed, inner) = match line.strip_prefix('[') {
        Some(inner) => (true, inner),
        None => (false, line),
    };
    let bytes = inner.as_bytes();
    let clock = if shaped(bytes, b"0000-00-00T00:00:00") {
        19
    } else if bracketed && shaped(bytes, b"00:00:00") {
        8
    } else {
        return None;
    };
    let fraction = bytes.get(clock..)?.iter().take_while(|byte| {
        byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'Z' | b'+' | b':' | b'-')
    });
    let mut rest = inner.get(clock + fraction.count()..)?;
    if bracketed {
        rest = rest.strip_prefix(']')?;
    }
    if rest.is_empty() {
        return Some(rest);
    }
    let rest = rest.strip_prefix(' ')?;
    let stream = rest.as_bytes();
    if shaped(stream, b"00") && matches!(stream.get(2), Some(b'O' | b'E')) {
        return rest.get(3..).map(|rest| rest.strip_prefix([' ', '+']).unwrap_or(rest));
    }
    Some(rest)
}

/// Whether the text begins as the pattern does, where `0` stands for any digit. Without a branch for
/// each byte: in most logs all lines have a time stamp, or none has.
fn shaped<const LENGTH: usize>(bytes: &[u8], pattern: &[u8; LENGTH]) -> bool {
    let fits = |byte: u8, wanted: u8| match wanted {
        b'0' => byte.is_ascii_digit(),
        _ => byte == wanted,
    };
    let same = |head: &[u8; LENGTH]| {
        head.iter().zip(pattern).fold(true, |same, (byte, wanted)| same & fits(*byte, *wanted))
    };
    bytes.first_chunk().is_some_and(same)
}

fn without_marker(line: &str) -> &str {
    if !matches!(line.as_bytes().first(), Some(b'#' | b'[')) {
        return line;
    }
    MARKERS.iter().find_map(|marker| line.strip_prefix(marker)).unwrap_or(line)
}

/// Whether one command of a script ends here and another begins, so that no run goes on: a step or
/// a section of CI, a script of npm, a recipe of make that failed.
pub(super) fn is_boundary(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'#') => ["##[group]Run ", "##[section]", "##[endgroup]Post "]
            .iter()
            .any(|mark| line.starts_with(mark)),
        Some(b':') => line.starts_with("::group::"),
        Some(b's') => line.starts_with("section_start:") || line.starts_with("section_end:"),
        Some(b'>') => line.strip_prefix("> ").is_some_and(is_npm_script),
        Some(b'm') => {
            line.starts_with("make: *** ") || line.starts_with("make[") && line.contains("]: *** ")
        }
        Some(b'P') => line.starts_with("Process completed with exit code "),
        _ => false,
    }
}

/// `name@1.0.0 test`, as npm says before it runs a script.
fn is_npm_script(text: &str) -> bool {
    let Some((package, script)) = text.split_once(' ') else { return false };
    let version = package.rfind('@').filter(|at| *at > 0).and_then(|at| package.get(at + 1..));
    version.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
        && !script.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_a_person_would_see() {
        let cases: [(&[u8], &str); 18] = [
            (b"plain", "plain"),
            (b"windows\r", "windows"),
            (b"\x1b[1m\x1b[31mred\x1b[0m and \x1b[38;5;9mmore\x1b[m", "red and more"),
            (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            (b" 10%\r 50%\r100% done", "100% done"),
            (b"\x1b[3\xc3\xa9t\x1b[", "\u{e9}t"),
            (b"test a ... ok\xff", "test a ... ok\u{fffd}"),
            (b"2026-01-02T03:04:05.1234567Z FAILED x", "FAILED x"),
            (b"2026-01-02T03:04:05.1234567Z", ""),
            (
                b"2026-01-02T03:04:05.1234567Z ##[error]src/a.c:1:2: error: x",
                "src/a.c:1:2: error: x",
            ),
            (b"2026-01-02T03:04:05.123456Z 00O   indented", "  indented"),
            (b"2026-01-02T03:04:05.123456Z 01E+continued", "continued"),
            (b"[2026-01-02T03:04:05.678Z] ok 1", "ok 1"),
            (b"build\tRun tests\t2026-01-02T03:04:05.1234567Z ok", "ok"),
            (b"\xef\xbb\xbf2026-01-02T03:04:05.1Z first", "first"),
            (b"[12:13:14] 3 passing", "3 passing"),
            (b"2026-01-02 is a day", "2026-01-02 is a day"),
            (b"a\tb\tc", "a\tb\tc"),
        ];
        for (raw, wanted) in cases {
            let line = Lines::of(raw).next().unwrap();
            assert_eq!(clean(line, &mut Vec::new()), wanted, "{}", String::from_utf8_lossy(raw));
        }
        // Nor does it matter what stands before and behind it.
        for (before, behind) in cases.iter().flat_map(|one| cases.map(|two| (one.0, two.0))) {
            for (raw, wanted) in cases {
                let log = [before, b"\n", raw, b"\n", behind].concat();
                let line = Lines::of(&log).nth(1).unwrap();
                assert_eq!(clean(line, &mut Vec::new()), wanted);
            }
        }
    }

    #[test]
    fn lines_are_split_at_every_line_break_and_nothing_is_lost() {
        let lines = |text: &'static str| -> Vec<&[u8]> {
            Lines::of(text.as_bytes()).map(|line| line.bytes).collect()
        };
        assert_eq!(lines("a\n\nb"), [&b"a"[..], b"", b"b"]);
        assert_eq!(lines("a\n"), [&b"a"[..]]);
        assert_eq!(lines(""), [&b""[..]; 0]);
        let long = [b'x'; 3 * LINE_BYTES];
        let line = Lines::of(&long).next().unwrap();
        assert_eq!(clean(line, &mut Vec::new()).len(), LINE_BYTES);
    }

    #[test]
    fn commands_of_a_script_are_distinguished() {
        let cases = [
            ("##[group]Run npm test", true),
            ("> web@1.2.0 test", true),
            ("> @scope/web@1.2.0 test:unit", true),
            ("make: *** [Makefile:3: test] Error 1", true),
            ("> 12 |   expect(a)", false),
            ("> raise ValueError", false),
            ("make sense", false),
            ("##[endgroup]", false),
        ];
        for (line, wanted) in cases {
            assert_eq!(is_boundary(line), wanted, "{line}");
        }
    }
}
