//! Values that are known to be secret, whatever they look like: which they are, and where they are recognised.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::assignment::stands_for_one;

/// The most values that are looked for.
const VALUES_MAX: usize = 1024;
/// The fewest bytes of one that is looked for anywhere: shorter ones are in every text.
pub(super) const VALUE_BYTES_MIN: usize = 8;
/// The fewest bytes of one that is looked for as a word.
const WHOLE_BYTES_MIN: usize = 6;
/// The fewest bytes of one that is looked for behind its name.
const NAMED_BYTES_MIN: usize = 4;
/// The fewest bytes of one that is made of small letters alone: shorter ones are words.
const WORD_BYTES_MIN: usize = 20;
/// The fewest bytes of one with blanks in it: shorter ones are what people say.
const PHRASE_BYTES_MIN: usize = 16;
/// What is in the names of what is secret, in capitals.
const TELLING: [&str; 6] = ["PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIAL"];
/// What the names of what is secret end with.
const TELLING_ENDS: [&str; 10] =
    ["KEY", "PWD", "AUTH", "_PASS", "_PIN", "_SALT", "_JWT", "_KEYS", "_CREDS", "_PW"];
/// What they end with as well in a file of the project that has its variables: elsewhere such names are those
/// of a desktop's session, or of what a program calls its cookie.
const TELLING_ENDS_OF_PROJECT: [&str; 14] = [
    "_COOKIE",
    "_COOKIES",
    "_SESSION",
    "SESSION_ID",
    "SESSIONID",
    "SIGNING",
    "MNEMONIC",
    "SEED_PHRASE",
    "SEEDPHRASE",
    "SEED_WORDS",
    "RECOVERY_PHRASE",
    "_SEED",
    "WEBHOOK",
    "PASSCODE",
];
/// The part of a name that says there what it is: `PWD_DB`.
const TELLING_PART_OF_PROJECT: &str = "PWD";
/// What the names end with, there, of what may look as if chance had made it and is no secret.
const MADE_ENDS: [&str; 24] = [
    "_ID",
    "_UUID",
    "_GUID",
    "_SHA",
    "_COMMIT",
    "_REVISION",
    "_REV",
    "_HASH",
    "_DIGEST",
    "_CHECKSUM",
    "_BUILD",
    "_RELEASE",
    "_IMAGE",
    "_TAG",
    "_ADDRESS",
    "_FORMAT",
    "_PATTERN",
    "_REGEX",
    "_CHARSET",
    "_COLLATION",
    "_TIMEZONE",
    "_TZ",
    "_OPTS",
    "_OPTIONS",
];
/// What the names end with of what is secret even if it is a number: others count something.
const NUMBER_ENDS: [&str; 7] =
    ["PASSWORD", "PASSWD", "PASSPHRASE", "PWD", "_PASS", "_PIN", "SECRET"];
/// The same for a number that is long enough to be known wherever it stands alone.
const LONG_NUMBER_ENDS: [&str; 2] = ["TOKEN", "KEY"];
/// The fewest digits of such a number, and the fewest different ones: others are made up.
const NUMBER_DIGITS_MIN: usize = 8;
const NUMBER_KINDS_MIN: usize = 4;
/// Words that say how something is, whatever the name in front of them.
const STATES: [&str; 13] = [
    "true",
    "false",
    "none",
    "null",
    "nothing",
    "undefined",
    "auto",
    "default",
    "enabled",
    "disabled",
    "required",
    "optional",
    "bearer",
];
/// Words with letters and digits that are in many texts.
const COMMON: [&str; 38] = [
    "sha1", "sha256", "sha384", "sha512", "md5", "base32", "base58", "base64", "python3", "utf8",
    "utf8mb4", "utf16", "ed25519", "x25519", "x509", "argon2", "argon2i", "argon2id", "pbkdf2",
    "oauth1", "oauth2", "auth0", "rs256", "hs256", "es256", "ps256", "hs512", "rs512", "pkcs1",
    "pkcs8", "pkcs12", "aes128", "aes256", "http2", "ipv4", "ipv6", "e2e", "i18n",
];

/// Something that is secret where this process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownSecret {
    /// What it is called there.
    pub name: String,
    /// It.
    pub value: String,
    /// Where it is distinguished from other text.
    pub reach: Reach,
}

/// Where a known value is distinguished from what is the same by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Behind its name: `NAME=value`, `"NAME": "value"`.
    BehindItsName,
    /// Where it stands alone.
    AsWord,
    /// In any text, however it is spelled.
    Anywhere,
}

static SOURCE: OnceLock<fn() -> Vec<KnownSecret>> = OnceLock::new();

/// Says where the secrets of this process come from: a program does so once, before anything else. They
/// are asked for when the first text is looked at. They hold for the whole process on purpose: text is cleaned
/// in hundreds of places, deep in readers that know nothing else of where they run, and one that was not handed
/// the secrets would leak them without anybody noticing.
pub fn know_secrets(source: fn() -> Vec<KnownSecret>) {
    let _ = SOURCE.set(source);
}

/// All that are known.
pub(super) fn all() -> Vec<KnownSecret> {
    let mut values = SOURCE.get().map(|source| source()).unwrap_or_default();
    let mut seen = HashSet::new();
    let is_named = |secret: &KnownSecret| secret.reach == Reach::BehindItsName;
    values.retain(|secret| {
        let name = is_named(secret).then(|| secret.name.clone());
        seen.insert((name, secret.value.clone()))
    });
    values.truncate(VALUES_MAX);
    values
}

/// Where what a variable holds is recognised, if it is secret by the variable's name. A number, a path or an
/// address is not; a word or a short value cannot be looked for in any text. A private key is secret
/// whatever it is called.
pub fn secret_reach(name: &str, value: &str) -> Option<Reach> {
    if is_private_key(value) {
        return Some(Reach::Anywhere);
    }
    let bytes = value.len();
    let is_place = ["/", "~/", "./", "../"].iter().any(|root| value.starts_with(root))
        || value.contains("://");
    if bytes < NAMED_BYTES_MIN
        || is_place
        || is_state(value)
        || !is_telling(name)
        || is_reference(value)
    {
        return None;
    }
    if value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return number_reach(name, value);
    }
    let is_word = bytes < WORD_BYTES_MIN
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-.".contains(&byte));
    let is_phrase = value.contains([' ', '\t']) && !value.contains('\n');
    let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    Some(match () {
        () if is_word => Reach::BehindItsName,
        () if is_phrase && bytes < PHRASE_BYTES_MIN => Reach::BehindItsName,
        () if bytes >= VALUE_BYTES_MIN => Reach::Anywhere,
        () if bytes >= WHOLE_BYTES_MIN && is_mixed && !is_common(value) => Reach::AsWord,
        () => Reach::BehindItsName,
    })
}

fn number_reach(name: &str, value: &str) -> Option<Reach> {
    let kinds = (b'0'..=b'9').filter(|digit| value.as_bytes().contains(digit)).count();
    let is_row = "01234567890".contains(value) || "1234567890123456".starts_with(value);
    let is_long = value.len() >= NUMBER_DIGITS_MIN && kinds >= NUMBER_KINDS_MIN && !is_row;
    if is_long && !value.contains('.') {
        let is_secret = ends_with(name, &NUMBER_ENDS) || ends_with(name, &LONG_NUMBER_ENDS);
        return is_secret.then_some(Reach::AsWord);
    }
    ends_with(name, &NUMBER_ENDS).then_some(Reach::BehindItsName)
}

/// Whether a value is a private key.
pub(super) fn is_private_key(value: &str) -> bool {
    value.trim_start().starts_with("-----BEGIN ") && value.contains("PRIVATE KEY-----")
}

/// Whether a value stands for another one. What begins with a dollar may be a password, unless the rest is
/// written like the name of a variable; what follows on a reference may be the rest of one.
pub(super) fn is_reference(value: &str) -> bool {
    stands_for_one(value)
        && !has_rest(value)
        && (!value.starts_with('$')
            || value.starts_with("${")
            || !value.bytes().any(|byte| byte.is_ascii_lowercase()))
}

/// Whether something is left of a value without the references in it, and it is no path: `${BASE}rest`.
fn has_rest(value: &str) -> bool {
    if !value.starts_with("${") {
        return false;
    }
    let mut pieces = value.split("${");
    let mut rests = pieces.by_ref().filter_map(|piece| Some(piece.split_once('}')?.1));
    rests.any(|rest| rest.len() >= NAMED_BYTES_MIN && !rest.contains('/'))
}

/// Whether a value is a word that is in many texts, or is said of one: `base64-encoded`.
pub(super) fn is_common(value: &str) -> bool {
    let first = value.split(['-', '_', ',', ':']).next().unwrap_or_default();
    COMMON.iter().any(|word| word.eq_ignore_ascii_case(first))
}

/// Whether a value only says how something is.
pub(super) fn is_state(value: &str) -> bool {
    STATES.iter().any(|state| state.eq_ignore_ascii_case(value))
}

/// Whether a name says that what it stands for is secret.
pub(super) fn is_telling(name: &str) -> bool {
    let capitals = name.to_ascii_uppercase();
    TELLING.iter().any(|word| capitals.contains(word)) || ends_with(name, &TELLING_ENDS)
}

/// Whether it does so in a file of the project that has its variables.
pub(super) fn is_telling_of_project(name: &str) -> bool {
    let mut parts = name.split(['_', '-', '.']);
    is_telling(name)
        || ends_with(name, &TELLING_ENDS_OF_PROJECT)
        || parts.any(|part| part.eq_ignore_ascii_case(TELLING_PART_OF_PROJECT))
}

/// Whether what a name stands for may look as if chance had made it and is no secret.
pub(super) fn is_of_made(name: &str) -> bool {
    ends_with(name, &MADE_ENDS)
}

/// Whether a name has one of these ends; what begins with an underscore may be the whole name, too.
fn ends_with(name: &str, ends: &[&str]) -> bool {
    let name = format!("_{}", name.to_ascii_uppercase());
    ends.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_and_so_do_values() {
        for (name, value, reach) in [
            ("API_KEY", "n0t-a-real-one", Reach::Anywhere),
            ("my_token", "AAAAAAAA1", Reach::Anywhere),
            ("DB_PASSWORD", "Tr0ub4dor&3", Reach::Anywhere),
            ("SESSION_SECRET", "a-long-sentence-of-small-letters", Reach::Anywhere),
            ("PASSPHRASE", "four words of mine", Reach::Anywhere),
            ("SIGNING_KEY", "first line\nsecond line", Reach::Anywhere),
            ("SMTP_PASS", "hunter2", Reach::AsWord),
            ("API_KEY", "short", Reach::BehindItsName),
            ("AUTH", "sha256", Reach::BehindItsName),
            ("DB_PWD", "s3c!", Reach::BehindItsName),
            ("CARD_PIN", "4711", Reach::BehindItsName),
            ("CARD_PIN", "47110815", Reach::AsWord),
            ("BOT_TOKEN", "4711081512", Reach::AsWord),
            ("CARD_PIN", "12345678", Reach::BehindItsName),
            ("ID", "-----BEGIN PRIVATE KEY-----\nx", Reach::Anywhere),
            ("POSTGRES_PASSWORD", "postgres", Reach::BehindItsName),
            ("SECRET_KEY", "development", Reach::BehindItsName),
            ("DB_PASSWORD", "$ecretPa55", Reach::Anywhere),
            ("PASSPHRASE", "two words", Reach::BehindItsName),
        ] {
            assert_eq!(secret_reach(name, value), Some(reach), "{name}");
        }
        for (name, value) in [
            ("PORT", "8080"),
            ("DEBUG", "true"),
            ("ENV", "production"),
            ("DB_USER", "postgres"),
            ("REQUIRE_AUTH", "True"),
            ("TOKENIZERS_PARALLELISM", "false"),
            ("API_KEY", "abc"),
            ("API_KEY", "xxxxxxxxxxxx"),
            ("API_KEY", "********"),
            ("API_KEY", "<your key>"),
            ("SSH_KEY", "/home/me/.ssh/id_ed25519"),
            ("PWD", "/home/me"),
            ("TOKEN_URL", "https://example.org/token"),
            ("TOKEN", "${other_token}"),
            ("TOKEN", "$OTHER_TOKEN"),
            ("MAX_TOKENS", "4096"),
            ("TOKEN_TTL", "1000000000"),
            ("LAST_TOKEN", "12345678"),
            ("TLS_KEY", "-----BEGIN CERTIFICATE-----\nx"),
            ("COMMIT", "d2adf9d91f73401d0fb6f37e96b3a0ce4f6d4c1a"),
        ] {
            assert_eq!(secret_reach(name, value), None, "{name}");
        }
    }
}
