//! Where a test of pytest is written.

use crate::sides::{Address, Addresses};

/// `tests/test_a.py::TestB::test_c[1-2]`, from the folder of the check or from pytest's own root.
pub(super) fn address(id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
    // A parameter may hold anything, so it is cut off first.
    let (plain, parameter) = match id.split_once('[') {
        Some((plain, parameter)) => {
            let parameter = parameter.strip_suffix(']').unwrap_or(parameter);
            (plain, Some(parameter.to_owned()))
        }
        None => (id, None),
    };
    let (file, names) = plain.split_once("::")?;
    let path = names.split("::").map(str::to_owned).collect();
    file.ends_with(".py").then(|| Address { file: known.file_in(folder, file), path, parameter })
}
