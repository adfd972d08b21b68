//! Small things that many dialects print: counts, durations, places.

/// `5 failed`, `3 passed`: the numbers and the word after each, in `5 failed, 3 passed in 0.22s`.
pub(super) fn counts(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut words = text
        .split([' ', ',', ';', '|', '(', ')', '=', '\t'])
        .filter(|word| !word.is_empty())
        .peekable();
    std::iter::from_fn(move || {
        loop {
            let number = words.next()?;
            if let Ok(count) = number.parse()
                && let Some(word) = words.peek()
            {
                return Some((count, *word));
            }
        }
    })
}

/// A duration: `0.22s`, `12ms`, `1.5 s`, `2m 3.5s`, `1 minute 2 seconds`, in milliseconds.
pub(super) fn duration_ms(text: &str) -> Option<u64> {
    let mut total = None;
    let mut rest = text.trim();
    while let Some(digits) = rest.find(|byte: char| !byte.is_ascii_digit() && byte != '.') {
        if digits == 0 {
            break;
        }
        let (number, after) = rest.split_at(digits);
        let after = after.trim_start();
        let unit_end = after.find(|byte: char| !byte.is_alphabetic()).unwrap_or(after.len());
        let (unit, more) = after.split_at(unit_end);
        let factor = match unit {
            "ms" | "milliseconds" => 1.0,
            "us" | "µs" | "μs" => 0.001,
            "ns" => 0.000_001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1_000.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
            "h" | "hr" | "hour" | "hours" => 3_600_000.0,
            _ => break,
        };
        *total.get_or_insert(0.0) += number.parse::<f64>().ok()? * factor;
        rest = more.trim_start_matches([' ', ',']);
    }
    total.map(rounded)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn rounded(milliseconds: f64) -> u64 {
    milliseconds.max(0.0).round() as u64
}

/// `FILE:LINE` or `FILE:LINE:COLUMN` at the beginning of a text, and what follows. The path may be
/// one of Windows.
pub(super) fn place(text: &str) -> Option<(&str, u32, &str)> {
    let is_drive = matches!(text.as_bytes(), [_, b':', b'\\' | b'/', ..]);
    let drive = if is_drive { 2 } else { 0 };
    let colon = drive + memchr::memchr(b':', text.as_bytes().get(drive..)?)?;
    let (file, rest) = (text.get(..colon)?, text.get(colon + 1..)?);
    let (line, rest) = number(rest)?;
    let looks_like_a_file = !file.is_empty() && !file.contains("//") && !file.ends_with(' ');
    let column = rest.strip_prefix(':').and_then(number).map(|(_, rest)| rest);
    looks_like_a_file.then(|| (file, line, column.unwrap_or(rest)))
}

/// The number at the beginning of a text, and what follows.
pub(super) fn number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text.get(..digits)?.parse().ok()?, text.get(digits..)?))
}

/// Like [`str::trim_start`], which looks at characters; bytes are enough for most lines.
pub(super) fn trim_start(text: &str) -> &str {
    let rest = text.trim_ascii_start();
    match rest.as_bytes().first() {
        Some(0x0b | 0x80..) => rest.trim_start(),
        _ => rest,
    }
}

/// Like [`str::trim`], as quickly as [`trim_start`].
pub(super) fn trim(text: &str) -> &str {
    let rest = trim_start(text).trim_ascii_end();
    match rest.as_bytes().last() {
        Some(0x0b | 0x80..) => rest.trim_end(),
        _ => rest,
    }
}

/// Like [`str::lines`], which is slow where they are short.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
    let mut lines = Vec::with_capacity(breaks.clone().count() + 1);
    let mut rest = 0;
    for at in breaks {
        let line = text.get(rest..at).unwrap_or("");
        lines.push(line.strip_suffix('\r').unwrap_or(line));
        rest = at + 1;
    }
    lines.extend(text.get(rest..).filter(|rest| !rest.is_empty()));
    lines
}

/// How far a line is indented.
pub(super) fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The type and the message of `TypeError: x is not a function`; of a text without a type, none.
pub(super) fn typed(text: &str) -> Option<(&str, &str)> {
    let (name, message) = text.split_once(':')?;
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
            || name.contains('.')
    };
    let plain = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'\\'))
    };
    // `AssertionError [ERR_ASSERTION]: …`, as Node.js writes it.
    let base = name
        .split_once(" [")
        .filter(|(_, code)| code.ends_with(']'))
        .map_or(name, |(base, _)| base);
    (is_name(base) && plain(base)).then(|| (base, message.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_durations_are_read() {
        let line = "==== 5 failed, 3 passed, 1 skipped, 2 errors in 0.22s ====";
        let found: Vec<_> = counts(line).collect();
        assert_eq!(found, [(5, "failed"), (3, "passed"), (1, "skipped"), (2, "errors")]);
        for (text, wanted) in [
            ("0.22s", Some(220)),
            ("12ms", Some(12)),
            ("1.5 s", Some(1500)),
            ("2m 3.5s", Some(123_500)),
            ("1 minute 2 seconds", Some(62_000)),
            ("soon", None),
            ("3 apples", None),
        ] {
            assert_eq!(duration_ms(text), wanted, "{text}");
        }
    }

    #[test]
    fn all_blanks_are_trimmed() {
        for blanks in
            ["", " ", " \t ", "\u{b}", " \u{b} ", "\u{a0}", " \u{3000}\r\n ", "\u{85}\u{c}"]
        {
            for word in ["", "x", "é", "a b", "›"] {
                let text = format!("{blanks}{word}{blanks}");
                assert_eq!((trim(&text), trim_start(&text)), (text.trim(), text.trim_start()));
            }
        }
    }

    #[test]
    fn lines_are_those_of_the_text() {
        for text in ["", "a", "a\n", "a\n\n", "\na", "a\r\nb\r", "é\n\r\n\r", "\n", "a\r\r\n"] {
            assert_eq!(lines(text), text.lines().collect::<Vec<_>>(), "{text:?}");
        }
    }

    #[test]
    fn places_and_types_are_read() {
        assert_eq!(place("src/a.c:3:5: error: x"), Some(("src/a.c", 3, ": error: x")));
        assert_eq!(place("src/a.c:3: x"), Some(("src/a.c", 3, ": x")));
        assert_eq!(place("C:\\a.cs:3:5 x"), Some(("C:\\a.cs", 3, " x")));
        assert_eq!(place("error: x"), None);
        assert_eq!(place("http://host:80/x"), None);
        assert_eq!(typed("TypeError: x is y"), Some(("TypeError", "x is y")));
        assert_eq!(typed("app.errors.Bad: x"), Some(("app.errors.Bad", "x")));
        assert_eq!(typed("AssertionError [ERR_ASSERTION]: x"), Some(("AssertionError", "x")));
        assert_eq!(typed("expected: 3"), None);
        assert_eq!(typed("Something went wrong: x"), None);
    }
}
