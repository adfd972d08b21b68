//! What is secret in a variable: its value as a whole, and what the value is made of.
//!
//! A value may be an object, an address, a string of several, a list, or one of these in base64, and within
//! one of them another. Whoever prints a part of it has printed a secret; a word such as `production` or the
//! name of a host in it is none, so that each part is judged as a value of its own.

mod address;
mod literal;

use std::collections::VecDeque;

use super::chance::{is_made, is_random};
use super::coding::text_in_base64;
use super::known_secrets::{
    KnownSecret, Reach, is_of_made, is_private_key, is_reference, is_telling,
    is_telling_of_project, secret_reach,
};

/// The most parts that are looked at of one value.
const PARTS_MAX: usize = 256;
/// How deep values are within others.
const DEPTH_MAX: u8 = 5;
/// The fewest bytes of a value that is known as a whole because of what is in it.
const WHOLE_BYTES_MIN: usize = 16;
/// What a part is taken for whose own name tells nothing, in a value whose name does.
const UNNAMED: &str = "password";
/// What the names end with, in capitals, of what everybody may know, also beside a secret.
const DESCRIBING: [&str; 32] = [
    "REGION",
    "ZONE",
    "HOST",
    "HOSTNAME",
    "PORT",
    "TYPE",
    "VERSION",
    "MODEL",
    "ENV",
    "ENVIRONMENT",
    "STAGE",
    "MODE",
    "EMAIL",
    "USER",
    "NAME",
    "DATABASE",
    "SCHEMA",
    "URL",
    "URI",
    "ENDPOINT",
    "PROJECT",
    "PROJECT_ID",
    "BUCKET",
    "ALG",
    "ALGORITHM",
    "SCOPE",
    "ISSUER",
    "PATH",
    "FILE",
    "LOCALE",
    "DRIVER",
    "DATE",
];

/// A value, or a part of one.
struct Part {
    name: String,
    value: String,
    /// Whether the name of what it is in says that it is secret.
    is_named_secret: bool,
    depth: u8,
}

/// A part of a value: its name, which may be empty, and it.
type Named = (String, String);

/// What is secret in a variable. What no person has thought of is so in what is the project's own, whatever
/// the variable is called, and more names tell there.
pub fn secrets_in(name: &str, value: &str, of_project: bool) -> Vec<KnownSecret> {
    let lines = if is_private_key(value) { value.replace("\\n", "\n") } else { value.to_owned() };
    let whole = Part { name: name.to_owned(), value: lines, is_named_secret: false, depth: 0 };
    let mut secrets = Vec::new();
    let mut waiting = VecDeque::from([whole]);
    let mut looked_at = 0;
    while let Some(part) = waiting.pop_front().filter(|_| looked_at < PARTS_MAX) {
        looked_at += 1;
        if part.depth < DEPTH_MAX {
            waiting.extend(parts_of(&part, of_project));
        }
        let reach = reach_of(&part, of_project);
        let Part { name, value, .. } = part;
        secrets.extend(reach.map(|reach| KnownSecret { name, value, reach }));
    }
    // As it is written there, an object goes whole, with what is too short to be known by itself.
    let is_object = !secrets.is_empty() && literal::is_one(value) && is_telling(name);
    if is_object && value.len() >= WHOLE_BYTES_MIN {
        let (name, value) = (name.to_owned(), value.to_owned());
        secrets.push(KnownSecret { name, value, reach: Reach::Anywhere });
    }
    secrets
}

fn reach_of(part: &Part, of_project: bool) -> Option<Reach> {
    let Part { name, value, .. } = part;
    if of_project && (is_random(value) || is_made_here(name, value)) {
        return Some(Reach::Anywhere);
    }
    // A seed that is a number is for running something once more.
    let is_named = !is_telling(name) && tells(name, of_project) && !is_count(value);
    let by_name = secret_reach(if is_named { UNNAMED } else { name }, value);
    if by_name.is_some() || !part.is_named_secret || is_telling(name) {
        return by_name;
    }
    if is_described(name) || is_address(value) || is_count(value) {
        return None;
    }
    secret_reach(UNNAMED, value).filter(|reach| *reach != Reach::BehindItsName)
}

fn tells(name: &str, of_project: bool) -> bool {
    if of_project { is_telling_of_project(name) } else { is_telling(name) }
}

/// Whether chance has made a value of the project, and its name does not say that everybody may know it.
fn is_made_here(name: &str, value: &str) -> bool {
    is_made(value) && !is_open(name) && !is_address(value)
}

/// Whether everybody may know what a name stands for, whatever it looks like.
fn is_open(name: &str) -> bool {
    is_described(name) || is_of_made(name)
}

/// Whether a name says that what it stands for is no secret.
fn is_described(name: &str) -> bool {
    let capitals = name.to_ascii_uppercase();
    DESCRIBING.iter().any(|end| capitals.ends_with(end))
}

/// A host, with its port or not, or an address for mail.
fn is_address(value: &str) -> bool {
    let host = value.rsplit_once('@').map_or(value, |(_, host)| host);
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let is_label = |label: &str| {
        let is_of_it =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty() && label.bytes().all(is_of_it)
    };
    let last = host.rsplit_once('.').map_or("", |(_, last)| last);
    host.split('.').all(is_label)
        && last.len() >= 2
        && last.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// A number, a time, a version.
fn is_count(value: &str) -> bool {
    value.bytes().all(|byte| !byte.is_ascii_alphabetic() || matches!(byte, b'T' | b'Z'))
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-+:., ".contains(&byte))
}

fn parts_of(part: &Part, of_project: bool) -> Vec<Part> {
    let is_named_secret = part.is_named_secret || tells(&part.name, of_project);
    let value = part.value.trim();
    let decoded = text_in_base64(value).filter(|text| is_named_secret || has_parts(text));
    let parts = match decoded {
        _ if is_private_key(value) => Vec::new(),
        Some(text) => [(part.name.clone(), text)].into(),
        None if literal::is_one(value) => literal::leaves(value),
        None if is_reference(value) => Vec::new(),
        None if value.contains("://") => address::parts(&part.name, value),
        None => match several(value) {
            Some(pairs) => pairs,
            None if !is_named_secret && is_open(&part.name) => Vec::new(),
            None => in_list(value, is_named_secret),
        },
    };
    let depth = part.depth + 1;
    // Where an address leads is no secret, whatever it is called.
    let leads = value.contains("://") && !literal::is_one(value);
    let is_named_secret = is_named_secret && !leads;
    let is_smaller = |(_, value): &Named| *value != part.value;
    let parts = parts.into_iter().filter(is_smaller).take(PARTS_MAX);
    parts.map(|(name, value)| Part { name, value, is_named_secret, depth }).collect()
}

fn has_parts(text: &str) -> bool {
    literal::is_one(text.trim()) || is_private_key(text)
}

/// The parts of a string of several: `k=v;k=v`, `k=v&k=v`, `k=v k=v`.
fn several(value: &str) -> Option<Vec<Named>> {
    [';', '&', ' '].into_iter().find_map(|sign| pairs(value, sign))
}

/// The parts of a list, and the password of `user:password`. Words are a list unless a name says that they are a
/// phrase.
fn in_list(value: &str, is_named_secret: bool) -> Vec<Named> {
    let unnamed = |item: &str| (String::new(), item.trim().to_owned());
    let between: &[char] =
        if is_named_secret { &[',', ';'] } else { &[',', ';', '|', ' ', '\t', '\n'] };
    if value.contains(between) {
        return value.split(between).map(unnamed).collect();
    }
    let sign: &[char] = match value.starts_with('-') {
        _ if is_named_secret => &[':'],
        true => &['='],
        false => &[':', '='],
    };
    let password = value.split_once(sign).filter(|_| !value.contains(char::is_whitespace));
    password.into_iter().map(|(_, password)| unnamed(password)).collect()
}

/// The pairs of a string of several. A command with a variable in front of it is none.
fn pairs(value: &str, sign: char) -> Option<Vec<Named>> {
    let items = || value.split(sign).map(str::trim).filter(|item| !item.is_empty());
    if items().all(|item| item == value) {
        return None;
    }
    let are_all = items().all(|item| item.contains('='));
    let named = items().filter(|item| are_all || sign == ';' && !item.contains(' '));
    let pair = |(name, value): (&str, &str)| {
        (name.trim().to_owned(), value.trim().trim_matches(['"', '\'']).to_owned())
    };
    let pairs: Vec<Named> = named.filter_map(|item| item.split_once('=')).map(pair).collect();
    (!pairs.is_empty()).then_some(pairs)
}

#[cfg(test)]
mod own_tests;
#[cfg(test)]
mod tests;
