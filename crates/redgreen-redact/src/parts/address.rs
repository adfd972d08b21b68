//! What is secret in addresses: `scheme://user:password@host/path?name=value`.

use super::{Named, UNNAMED};

/// The fewest bytes of a user without a password: shorter ones are users.
const USER_BYTES_MIN: usize = 16;

/// What is in the names of addresses that let in who has them, in capitals, and what their hosts begin with.
const HOOK: &str = "WEBHOOK";
const HOOK_HOST: &str = "hooks.";

/// The parts of one address, or of several.
pub(super) fn parts(name: &str, value: &str) -> Vec<Named> {
    let is_hook = name.to_ascii_uppercase().contains(HOOK);
    let of_one = |value| of_one(value, is_hook);
    let mut each = value.split([',', ' ']).filter(|item| !item.is_empty());
    if each.clone().count() > 1 && each.all(|item| item.contains("://")) {
        return value.split([',', ' ']).flat_map(of_one).collect();
    }
    of_one(value)
}

fn of_one(value: &str, is_hook: bool) -> Vec<Named> {
    let Some((_, rest)) = value.split_once("://") else { return Vec::new() };
    let mut parts = Vec::new();
    if let Some((authority, _)) = rest.rsplit_once('@') {
        match authority.split_once(':') {
            Some((_, password)) => parts.push((UNNAMED.to_owned(), password.to_owned())),
            None if is_made(authority) => parts.push((UNNAMED.to_owned(), authority.to_owned())),
            None => {}
        }
    }
    let (place, query) = rest.split_once(['?', '#', ';']).unwrap_or((rest, ""));
    let pairs = query.split(['&', ';', '#']).filter_map(|pair| pair.split_once('='));
    parts.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    parts.extend(place.split('/').skip(1).map(|step| (String::new(), step.to_owned())));
    if is_hook || place.starts_with(HOOK_HOST) {
        parts.extend(key_of_hook(place).map(|key| (UNNAMED.to_owned(), key.to_owned())));
    }
    let decoded: Vec<Named> =
        parts.iter().filter_map(|(name, value)| Some((name.clone(), decoded(value)?))).collect();
    parts.extend(decoded);
    parts
}

/// The steps of the address of a hook that let in who has them: from the first one on that is the name of
/// something there, such as `T00`, and not that of a service.
fn key_of_hook(place: &str) -> Option<&str> {
    let steps = place.split('/').skip(1);
    let is_key = |step: &&str| {
        let has = |kind: fn(&u8) -> bool| step.as_bytes().iter().any(kind);
        has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase)
    };
    let first = steps.clone().find(is_key)?;
    let before: usize = steps.take_while(|step| step != &first).map(|step| step.len() + 1).sum();
    let (_, path) = place.split_once('/')?;
    path.get(before..)
}

/// Whether a user is a key: a name has no digits, or is short.
fn is_made(user: &str) -> bool {
    user.len() >= USER_BYTES_MIN
        && user.bytes().any(|byte| byte.is_ascii_digit())
        && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// A text that has codes such as `%40` in it, without them.
fn decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(after.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok())?);
        rest = after.get(2..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}
