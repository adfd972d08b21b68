//! A message without what changes from run to run: ids, addresses, times, numbers, places.
//!
//! Values that are surely made up anew each time keep their identity: the same uuid twice is
//! `<uuid1>` twice, another one is `<uuid2>`. Numbers do not: small ones are equal by chance.
//! Linear in the text; doing it twice changes nothing.

use std::collections::HashMap;

use super::path::{Path, path_at};
use super::volatile::{Shape, date_at, time_word_at, uuid_at, word_at};

/// Words before a number that is a name: exit code 2, status 404, errno 13.
const CODE_WORDS: &[&str] = &["code", "status", "errno", "signal", "http"];
/// What may stand between such a word and its number.
const CODE_GAPS: &[char] = &[' ', ':', '=', '[', '(', '/', '#'];

/// The text with volatile values replaced, and white space made plain.
pub(super) fn normalise(text: &str) -> String {
    let mut writer = Writer::default();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        at += writer.take(rest).max(1);
    }
    writer.out.trim_end().to_owned()
}

#[derive(Default)]
struct Writer<'text> {
    out: String,
    /// The character before in the text, none at its start.
    before: Option<char>,
    seen: HashMap<(&'static str, &'text str), usize>,
    counts: HashMap<&'static str, usize>,
    /// The last word, while only a gap has followed it.
    word: Option<&'text str>,
}

impl<'text> Writer<'text> {
    /// Writes what stands at the start of the text, and says how many bytes of it that was.
    fn take(&mut self, rest: &'text str) -> usize {
        let Some(first) = rest.chars().next() else { return 0 };
        let inside = self.before.is_some_and(char::is_alphanumeric);
        let taken = if first.is_whitespace() {
            self.space(first)
        } else if let Some(path) = path_at(rest, self.before) {
            self.path(&path)
        } else if first.is_alphanumeric() && !inside {
            self.word(rest)
        } else {
            self.out.push(first);
            if !CODE_GAPS.contains(&first) {
                self.word = None;
            }
            first.len_utf8()
        };
        self.before = rest.get(..taken).and_then(|taken| taken.chars().next_back());
        taken
    }

    fn space(&mut self, first: char) -> usize {
        if !self.out.is_empty() && !self.out.ends_with([' ', '\n']) {
            self.out.push(if first == '\n' { '\n' } else { ' ' });
        }
        first.len_utf8()
    }

    /// What stays of a path is read on as text.
    fn path(&mut self, path: &Path) -> usize {
        self.word = None;
        let (placeholder, taken) = match path {
            Path::Named { name_at } => ("<path>/", *name_at),
            Path::Temporary { extension_at } => ("<path>/<tmp>", *extension_at),
        };
        self.out.push_str(placeholder);
        taken
    }

    fn word(&mut self, rest: &'text str) -> usize {
        if let Some(length) = uuid_at(rest) {
            return self.known("uuid", rest, length);
        }
        if let Some(length) = date_at(rest).or_else(|| time_word_at(rest)) {
            return self.plain("<time>", length);
        }
        let joined = self.before == Some('_');
        let (length, shape) = word_at(rest, joined);
        match shape {
            Shape::Address => self.known("addr", rest, length),
            Shape::Hex => self.known("hex", rest, length),
            Shape::Id => self.known("id", rest, length),
            Shape::Duration => {
                self.drop_sign();
                self.plain("<duration>", length)
            }
            Shape::Number if self.names_a_code() => self.copy(rest, length),
            Shape::Number => {
                self.drop_sign();
                self.plain("<n>", length)
            }
            Shape::Word => {
                self.word = rest.get(..length);
                self.copy(rest, length)
            }
        }
    }

    fn names_a_code(&self) -> bool {
        let small = self.word.map(str::to_ascii_lowercase).unwrap_or_default();
        CODE_WORDS.iter().any(|word| small == *word)
    }

    fn copy(&mut self, rest: &str, length: usize) -> usize {
        self.out.push_str(rest.get(..length).unwrap_or_default());
        length
    }

    fn plain(&mut self, placeholder: &str, length: usize) -> usize {
        self.out.push_str(placeholder);
        self.word = None;
        length
    }

    fn known(&mut self, class: &'static str, rest: &'text str, length: usize) -> usize {
        let value = rest.get(..length).unwrap_or_default();
        let count = self.counts.entry(class).or_default();
        let number = *self.seen.entry((class, value)).or_insert_with(|| {
            *count += 1;
            *count
        });
        self.plain(&format!("<{class}{number}>"), length)
    }

    /// A sign belongs to its number, unless it stands between two things.
    fn drop_sign(&mut self) {
        let Some(without) = self.out.strip_suffix(['-', '+']) else { return };
        let between =
            without.ends_with(|before: char| before.is_alphanumeric() || ")]>_".contains(before));
        if !between {
            self.out.truncate(without.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_changes_from_run_to_run_is_replaced() {
        let cases = [
            ("plain words stay", "plain words stay"),
            ("a   b\n\n  c\t d", "a b\nc d"),
            ("assert 3 == -4.5", "assert <n> == <n>"),
            ("1.5e-10 and 1e5 and 2E+3", "<n> and <n> and <n>"),
            ("5-3 x-1 (-1)", "<n>-<n> x-<n> (<n>)"),
            ("value_2 results2 E0308 utf8 test_17", "value_2 results2 E0308 utf8 test_17"),
            ("127.0.0.1:43211", "<n>:<n>"),
            (
                "took 12ms, 0.5s, 1m30s or 3 seconds",
                "took <duration>, <duration>, <duration> or <duration>",
            ),
            ("<Foo object at 0x7f3a2b1c4d50>", "<Foo object at <addr1>>"),
            ("0x7f3a2b1c4d50 0x7f3a2b1c4d58 0x7f3a2b1c4d50", "<addr1> <addr2> <addr1>"),
            ("0xff", "<n>"),
            (
                "user 550e8400-e29b-41d4-a716-446655440000 is not 123e4567-e89b-12d3-a456-426614174000",
                "user <uuid1> is not <uuid2>",
            ),
            ("commit 3f2a9c1", "commit <n>"),
            ("sha da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha <hex1>"),
            ("session x7k2m9qa4z", "session <id1>"),
            ("user_x7k2m9qa4z user_1234567", "user_<id1> user_<n>"),
            ("sha256sum base64url oauth2", "sha256sum base64url oauth2"),
            ("at 2026-11-15T13:00:25.123Z", "at <time>"),
            ("at 2026-11-15 13:00:25,123 +0100!", "at <time>!"),
            ("on 2026-11-15 13 of", "on <time> <n> of"),
            ("at 13:00:25.5", "at <time>"),
            ("Sun Nov 15 13:00:25 2026", "<time> <time> <n> <time> <n>"),
            ("March in May", "March in May"),
            (
                "exit code 2, status: 404, [Errno 13] signal 11",
                "exit code 2, status: 404, [Errno 13] signal 11",
            ),
            ("HTTP/1.1 404", "HTTP/1.1 404"),
            ("barcode 12", "barcode <n>"),
            ("No such file: '/tmp/tmpab3k9x_1/out 1.json'", "No such file: '<path>/out <n>.json'"),
            ("open /tmp/tmpab3k9x_1: denied", "open <path>/<tmp>: denied"),
            ("open /tmp/.tmpAbC123.json.", "open <path>/<tmp>.json."),
            ("/home/me/project/src/a.py:12:5", "<path>/a.py:<n>:<n>"),
            ("GET /users/42 failed", "GET /users/<n> failed"),
            ("http://localhost:34567/a/b", "http://localhost:<n>/a/b"),
            ("C:\\Users\\me\\a.py", "<path>/a.py"),
            ("日本3 é4 5é", "日本3 é4 5é"),
            ("", ""),
        ];
        for (given, wanted) in cases {
            assert_eq!(normalise(given), wanted, "{given}");
            assert_eq!(normalise(wanted), wanted, "twice: {given}");
        }
    }

    #[test]
    fn long_lines_take_no_longer_than_their_length() {
        // Each of these would be quadratic or worse with a careless rule.
        for piece in
            ["'/", "/tmp/", "1.", "1-", "a1", "0x", "2026-", "_", "-", "{", "Mon ", "file://"]
        {
            let long = piece.repeat(1_000_000 / piece.len());
            assert!(normalise(&long).len() <= 8 * long.len() + 8, "{piece}");
        }
    }

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[ -~]{0,12}",
            "\\PC{0,4}",
            Just("0x7f3a".to_owned()),
            Just("2026-11-15".to_owned()),
            Just("/tmp/a b".to_owned()),
            Just("'/home/x/y'".to_owned()),
            Just("550e8400-e29b-41d4-a716-446655440000".to_owned()),
            "[0-9a-f]{6,20}",
            "[-+]?[0-9]{1,4}(\\.[0-9]{1,3})?(ms|s|e-3)?",
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn twice_is_once(text in pieces()) {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once);
        }

        #[test]
        fn any_text_is_taken(text in "\\PC*|[\\x00-\\x7f]*") {
            normalise(&text);
        }

        #[test]
        fn volatile_values_do_not_matter(
            number in any::<i64>(), other in any::<i64>(),
            float in -1e9_f64..1e9, address in 0x1000_0000_u64.., uuid in any::<u128>(), year in 1970..2100,
            folder in "[a-z]{1,8}( [a-z]{1,8})?(/[a-z0-9]{1,8}){0,5}", random in "[a-z0-9_]{8}",
        ) {
            let hex = format!("{uuid:032x}");
            let uuid = format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
            let text = format!(
                "got {} at {float}, {address:#x}: {uuid} {uuid} on {year}-02-03T04:05:06Z in '/home/{folder}/a.json' or /tmp/tmp{random} after {}ms",
                number % 1_000_000, (other % 1_000_000).abs()
            );
            prop_assert_eq!(
                normalise(&text),
                "got <n> at <n>, <addr1>: <uuid1> <uuid1> on <time> in '<path>/a.json' or <path>/<tmp> after <duration>"
            );
        }
    }
}
