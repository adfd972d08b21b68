//! Where a test of the JavaScript frameworks is written.

use super::EXTENSIONS;
use crate::roles::{extension, split};
use crate::sides::{Address, Addresses};

/// What stands between the parts of an id.
const BETWEEN: &str = " > ";

/// `tests/a.test.js > describe > name`, and ` #2` for the second of that name. A title may be made of
/// values and may hold what stands between titles, so the outline of the file is asked first.
pub(crate) fn address(id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
    let (file, names) = id.split_once(BETWEEN)?;
    if !EXTENSIONS.contains(&extension(split(file).1)) {
        return None;
    }
    let Some(file) = known.file_in(folder, file) else {
        let path = names.split(BETWEEN).map(str::to_owned).collect();
        return Some(Address { file: None, path, parameter: None });
    };
    let outline = known.outline(&file);
    let (plain, number) = match names.rsplit_once(" #") {
        Some((plain, number)) if number.parse::<u32>().is_ok() => (plain, Some(number)),
        _ => (names, None),
    };
    let titles = || outline.tests.iter().map(|test| (test.path.join(BETWEEN), &test.path));
    let same = |wanted: &str| titles().find(|(title, _)| title == wanted).map(|(_, path)| path);
    if let Some(path) = same(names) {
        return Some(Address { file: Some(file), path: path.clone(), parameter: None });
    }
    let parameter = number.map(|number| format!("#{number}"));
    if let Some(path) = same(plain) {
        return Some(Address { file: Some(file), path: path.clone(), parameter });
    }
    // The one with the most that is written out.
    let made = titles().filter(|(title, _)| is_made_of(plain, title));
    if let Some((_, path)) = made.max_by_key(|(title, _)| written_out(title).concat().len()) {
        let parameter = Some(names.to_owned());
        return Some(Address { file: Some(file), path: path.clone(), parameter });
    }
    let path = plain.split(BETWEEN).map(str::to_owned).collect();
    Some(Address { file: Some(file), path, parameter })
}

/// Whether a name can come from a title with places for values.
fn is_made_of(name: &str, title: &str) -> bool {
    let parts = written_out(title);
    let [first, middle @ .., last] = parts.as_slice() else { return false };
    let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
    for part in middle {
        let Some(at) = rest.find(part.as_str()) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last.as_str())
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
