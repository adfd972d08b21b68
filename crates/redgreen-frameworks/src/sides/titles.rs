//! Where tests are written whose ids are a file and titles.

use super::{Address, Addresses};

/// What stands between the parts of an id.
const BETWEEN: &str = " > ";

/// The address of `file > group > name`, with ` #2` for the second of that name. A title may be made of values
/// and may hold what stands between titles, so the outline of the file is asked first; `written_out` is what
/// of a title is no place for a value.
pub(crate) fn titled(
    id: &str,
    folder: &str,
    known: &Addresses<'_>,
    is_source: impl Fn(&str) -> bool,
    written_out: fn(&str) -> Vec<String>,
) -> Option<Address> {
    let (file, names) = id.split_once(BETWEEN)?;
    // One file may be run several times, in projects that differ.
    let file = file.strip_suffix(']').and_then(|it| it.rsplit_once(" [")).map_or(file, |it| it.0);
    if !is_source(file) {
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
    let made = titles().filter(|(title, _)| is_made_of(plain, &written_out(title)));
    if let Some((_, path)) = made.max_by_key(|(title, _)| written_out(title).concat().len()) {
        let parameter = Some(names.to_owned());
        return Some(Address { file: Some(file), path: path.clone(), parameter });
    }
    let path = plain.split(BETWEEN).map(str::to_owned).collect();
    Some(Address { file: Some(file), path, parameter })
}

/// Whether a name can come from a title with places for values.
fn is_made_of(name: &str, written_out: &[String]) -> bool {
    let [first, middle @ .., last] = written_out else { return false };
    let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
    for part in middle {
        let Some(at) = rest.find(part.as_str()) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last.as_str())
}
