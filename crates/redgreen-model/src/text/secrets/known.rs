//! Values that are known to be secret, whatever they look like.

use std::sync::OnceLock;

/// The most values that are looked for.
const VALUES_MAX: usize = 256;
/// The fewest bytes of one: shorter ones are in every text.
const VALUE_BYTES_MIN: usize = 8;
/// The fewest bytes of one that is made of small letters alone: shorter ones are words.
const WORD_BYTES_MIN: usize = 20;
/// How many bytes of a value are looked for; the rest is compared.
pub(super) const BEGINNING_BYTES: usize = 8;
/// The fewest bytes of a value that nothing but its letters gives away.
const RANDOM_BYTES_MIN: usize = 20;
/// The fewest different letters of one.
const RANDOM_LETTERS_MIN: usize = 12;
/// What is in the names of what is secret, in capitals.
const TELLING: [&str; 6] = ["PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIAL"];
/// What the names of what is secret end with.
const TELLING_ENDS: [&str; 3] = ["KEY", "PWD", "AUTH"];

static SOURCE: OnceLock<fn() -> Vec<String>> = OnceLock::new();

/// Says where the secrets of this process come from: a program does so once, before anything else. They
/// are asked for when the first text is looked at.
pub fn know_secrets(source: fn() -> Vec<String>) {
    let _ = SOURCE.set(source);
}

/// All that are known.
pub(super) fn all() -> Vec<String> {
    let mut values = SOURCE.get().map(|source| source()).unwrap_or_default();
    values.retain(|value| value.len() >= VALUE_BYTES_MIN);
    values.truncate(VALUES_MAX);
    values
}

/// Whether a variable holds a secret, by its name, that can be looked for in any text: a word, a number, a
/// path or an address cannot.
pub fn is_secret_variable(name: &str, value: &str) -> bool {
    let is_word = value.len() < WORD_BYTES_MIN
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-.".contains(&byte));
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_place = value.starts_with(['/', '~', '.', '$']) || value.contains("://");
    let is_text = value.contains(char::is_whitespace);
    let is_telling_value = !(is_word || is_number || is_place || is_text);
    value.len() >= VALUE_BYTES_MIN && is_telling_value && is_telling(name)
}

fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    TELLING.iter().any(|word| name.contains(word))
        || TELLING_ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether no person has thought of a value: it is long, with capitals, small letters and digits, of many
/// kinds.
pub fn is_random(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
    let mut letters = value.as_bytes().to_vec();
    letters.sort_unstable();
    letters.dedup();
    value.len() >= RANDOM_BYTES_MIN
        && letters.len() >= RANDOM_LETTERS_MIN
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+=_-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_and_so_do_values() {
        for (name, value) in [
            ("API_KEY", "n0t-a-real-one"),
            ("my_token", "AAAAAAAA1"),
            ("DB_PASSWORD", "Tr0ub4dor&3"),
            ("SESSION_SECRET", "a-long-sentence-of-small-letters"),
        ] {
            assert!(is_secret_variable(name, value), "{name}");
        }
        for (name, value) in [
            ("API_KEY", "short"),
            ("POSTGRES_PASSWORD", "postgres"),
            ("SECRET_KEY", "development"),
            ("SSH_KEY", "/home/me/.ssh/id_ed25519"),
            ("TOKEN_URL", "https://example.org/token"),
            ("TOKEN", "$OTHER_TOKEN"),
            ("MAX_TOKENS", "1000000000"),
            ("PASSPHRASE", "four words of mine"),
            ("COMMIT", "d2adf9d91f73401d0fb6f37e96b3a0ce4f6d4c1a"),
        ] {
            assert!(!is_secret_variable(name, value), "{name}");
        }
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
}
