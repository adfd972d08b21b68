//! Where a test of the JavaScript frameworks is written.

use super::EXTENSIONS;
use crate::roles::{extension, name_of};
use crate::sides::{Address, Addresses, titled};

/// `tests/a.test.js > describe > name`, and ` #2` for the second of that name.
pub(crate) fn address(id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
    let is_script = |file: &str| EXTENSIONS.contains(&extension(name_of(file)));
    titled(id, folder, known, is_script, written_out)
}

/// What of a title is written out, between places for values: `%s`, `$name`, `${expression}`.
fn written_out(title: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = title.chars().peekable();
    while let Some(letter) = rest.next() {
        let value = match (letter, rest.peek()) {
            ('%', Some('%')) => {
                rest.next();
                false
            }
            ('%', Some(kind)) if "psdifjoc#$".contains(*kind) => {
                rest.next();
                true
            }
            ('$', Some('{')) => {
                while rest.next().is_some_and(|inside| inside != '}') {}
                true
            }
            ('$', Some(next)) if next.is_alphabetic() || *next == '#' => {
                let of_a_name = |next: &char| next.is_alphanumeric() || "._#".contains(*next);
                while rest.next_if(of_a_name).is_some() {}
                true
            }
            _ => false,
        };
        match parts.last_mut() {
            _ if value => parts.push(String::new()),
            Some(part) => part.push(letter),
            None => {}
        }
    }
    parts
}
