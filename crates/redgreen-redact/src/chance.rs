//! Whether chance has made a value, and no person.
//!
//! Words, names, versions and sizes change between capitals, small letters and digits now and then; what a
//! generator has made does so at every second or third letter. What is between two signs that names are
//! joined with is looked at by itself, so that `gpt-4o-mini` is three words, and short ones say nothing.

use super::known_secrets::{is_common, is_reference};

/// The fewest bytes of a value that nothing but its letters gives away.
const RANDOM_BYTES_MIN: usize = 20;
/// The fewest different letters of one.
const RANDOM_LETTERS_MIN: usize = 12;
/// The same of a value of which only the project's own files know.
const OWN_BYTES_MIN: usize = 8;
const OWN_LETTERS_MIN: usize = 6;
/// Longer ones are texts or data.
const OWN_BYTES_MAX: usize = 4096;
/// The fewest bytes of what is looked at between two joining signs.
const PIECE_BYTES_MIN: usize = 5;
/// The fewest changes of kind in all pieces, and the most letters for each of them: with digits, and
/// without.
const CHANGES_MIN: usize = 3;
const BYTES_FOR_CHANGE_MAX: usize = 5;
const LETTERS_FOR_CHANGE_MAX: usize = 3;
/// The digits of an address on a chain of blocks, which everybody may know.
const CHAIN_DIGITS: usize = 40;
/// What names and values are joined with.
const JOINING: &[u8] = b"-_.:/,=+@";
/// What programs, patterns and texts have, and values that are made hardly ever.
const WRITTEN: &[u8] = b"(){}[]<>|\\?\"';`";
/// What formats and patterns have, and passwords, too.
const PATTERN: &[u8] = b"%*^";
/// What follows on the number of a version that is not done.
const UNDONE: [&str; 3] = ["alpha", "beta", "rc"];

/// Whether no person has thought of a value: it is long, with capitals, small letters and digits, of many
/// kinds.
pub(super) fn is_random(value: &str) -> bool {
    value.len() >= RANDOM_BYTES_MIN
        && kinds_of(value) >= RANDOM_LETTERS_MIN
        && has(value, u8::is_ascii_digit)
        && has(value, u8::is_ascii_uppercase)
        && has(value, u8::is_ascii_lowercase)
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+=_-".contains(&byte))
}

/// The same for a value that is the project's own: it may be short.
pub(super) fn is_made(value: &str) -> bool {
    (OWN_BYTES_MIN..=OWN_BYTES_MAX).contains(&value.len())
        && kinds_of(value) >= OWN_LETTERS_MIN
        && value.bytes().all(|byte| byte.is_ascii_graphic() && !WRITTEN.contains(&byte))
        && !(is_place(value) || is_common(value) || is_reference(value) || is_on_chain(value))
        && !is_pattern(value)
        && changes_often(value)
}

fn has(value: &str, kind: fn(&u8) -> bool) -> bool {
    value.as_bytes().iter().any(kind)
}

fn kinds_of(value: &str) -> usize {
    let mut letters = value.as_bytes().to_vec();
    letters.sort_unstable();
    letters.dedup();
    letters.len()
}

/// A path, a list of them, an address, or an option of a program.
fn is_place(value: &str) -> bool {
    value.starts_with(['/', '~', '.', '-']) || value.contains(":/")
}

fn is_on_chain(value: &str) -> bool {
    let digits = value.strip_prefix("0x").unwrap_or_default();
    digits.len() == CHAIN_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A format or a pattern: a password with such signs has everything else as well.
fn is_pattern(value: &str) -> bool {
    let is_whole = has(value, u8::is_ascii_digit)
        && has(value, u8::is_ascii_uppercase)
        && has(value, u8::is_ascii_lowercase);
    value.bytes().any(|byte| PATTERN.contains(&byte)) && !is_whole
}

fn changes_often(value: &str) -> bool {
    let pieces = value.as_bytes().split(|byte| JOINING.contains(byte));
    let (mut changes, mut bytes) = (0, 0);
    for piece in pieces.filter(|piece| piece.len() >= PIECE_BYTES_MIN && !is_version(piece)) {
        changes += piece.windows(2).filter(|two| is_change(two)).count();
        bytes += piece.len();
    }
    let has_others = value.bytes().any(|it| !it.is_ascii_alphabetic() && !JOINING.contains(&it));
    let most = if has_others { BYTES_FOR_CHANGE_MAX } else { LETTERS_FOR_CHANGE_MAX };
    changes >= CHANGES_MIN && changes * most >= bytes
}

/// Whether the kind changes between two letters. A word may begin with a capital.
fn is_change(two: &[u8]) -> bool {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let [first, second] = two else { return false };
    let (first, second) = (kind(*first), kind(*second));
    first != second && (first, second) != (1, 0)
}

/// `v1beta1`.
fn is_version(piece: &[u8]) -> bool {
    let text = String::from_utf8_lossy(piece);
    let Some(rest) = text.strip_prefix('v') else { return false };
    let mut words = rest.split(|letter: char| letter.is_ascii_digit());
    words.all(|word| word.is_empty() || UNDONE.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_tell_anywhere() {
        assert!(is_random("q8Zr2LmX0aVt5KdWf7Hy"));
        for value in [
            "d2adf9d91f73401d0fb6f37e96b3a0ce4f6d4c1a",
            "packages/App2/src/Index.tsx",
            "2026.11.15-rc1+build.7",
            "https://example.org/Path/9",
            "AnOrdinaryNameOfAClass",
        ] {
            assert!(!is_random(value), "{value}");
        }
    }

    #[test]
    fn what_is_made_is_distinguished_from_what_is_written() {
        for value in [
            "x7Kq2mZp9LrT4w",
            "b4Nw8sQe1YhU6c3D",
            "k3j9x2m8q1z7",
            "x7K-q2_mZp9LrT4w",
            "Tr0ub4dor&3",
            "Pa$$w0rd!",
            "9fQ%2kL*x8Wz",
            "aBcDeFgHiJkL",
            "d2adf9d91f73401d0fb6f37e96b3a0ce",
            "Vk7/pQ2+xZ9mR4tL8w==",
            "x7Kq2mZp9LrT4w,b4Nw8sQe1YhU6c3D",
        ] {
            assert!(is_made(value), "{value}");
        }
        for value in [
            "production",
            "us-east-1",
            "postgres:16-alpine",
            "gpt-4o-mini",
            "Europe/Berlin",
            "sqlite:///db.sqlite3",
            "src/app/main.py",
            "my-project-name-2024",
            "Standard_D2s_v3",
            "claude-3-5-sonnet-20241022",
            "apps/v1beta1",
            "utf8mb4_unicode_ci",
            "AES-256-GCM",
            "myAwesomeAppName",
            "getUserByIdOrName",
            "PostgreSQL14",
            "x86_64-unknown-linux-gnu",
            "redis:7.2.4-alpine3.19",
            "e2e-k8s-a11y",
            "2026-11-15T23:09:21Z",
            "1.2.3-rc.1+build5",
            "%Y-%m-%dT%H:%M:%S",
            "^[A-Za-z0-9]{8,16}$",
            "-XX:+UseG1GC",
            "en_US.UTF-8",
            "TLSv1_2",
            "0x5FbDB2315678afecb367f032d93F642f64180aa3",
            "a1a1a1a1a1",
            "hunter2hunter",
            "sha256:9f86d081884c7d659a2feaa0c55ad015",
            "App\\Models\\User2",
            "$2x${A1}b2C3d4",
        ] {
            assert!(!is_made(value), "{value}");
        }
    }
}
