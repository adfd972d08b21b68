//! Where a test of the JavaScript frameworks is written.

use super::EXTENSIONS;
use crate::adapter::ProjectFiles;
use crate::roles::{extension, split};
use crate::sides::{Address, file_in};

/// What stands between the parts of an id.
const BETWEEN: &str = " > ";

/// `tests/a.test.js > describe > name`, and ` #2` for the second of that name.
pub(crate) fn address(id: &str, folder: &str, files: &dyn ProjectFiles) -> Option<Address> {
    let (file, names) = id.split_once(BETWEEN)?;
    if !EXTENSIONS.contains(&extension(split(file).1)) {
        return None;
    }
    let (names, parameter) = match names.rsplit_once(" #") {
        Some((names, number)) if number.parse::<u32>().is_ok() => {
            (names, Some(format!("#{number}")))
        }
        _ => (names, None),
    };
    let path = names.split(BETWEEN).map(str::to_owned).collect();
    Some(Address { file: file_in(folder, file, files), path, parameter })
}
