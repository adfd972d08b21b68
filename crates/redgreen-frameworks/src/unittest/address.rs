//! Where a test of unittest is written.

use crate::sides::{Address, Addresses};

/// `tests.test_a.TestB.test_c`, and `(i=1)` or `[text]` behind it for a part of a test.
pub(crate) fn address(id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
    let (plain, parameter) = match id.split_once([' ', '(', '[']) {
        Some((plain, _)) => (plain, id.get(plain.len()..).map(|rest| rest.trim().to_owned())),
        None => (id, None),
    };
    let names: Vec<&str> = plain.split('.').collect();
    // The longest module that is there: behind it come classes and the test.
    (1..names.len()).rev().find_map(|count| {
        let (module, rest) = names.split_at(count);
        let module = module.join("/");
        let ends = [".py", "/__init__.py"];
        let places = ["", "src/", "tests/", "test/"];
        let files = places.iter().flat_map(|place| ends.map(|end| format!("{place}{module}{end}")));
        let file = files.into_iter().find_map(|file| known.file_in(folder, &file));
        // A suite may be started in any folder: the only file of that name is it.
        let file = file.or_else(|| only(known, &format!("{module}.py")))?;
        let path = rest.iter().map(|name| (*name).to_owned()).collect();
        Some(Address { file: Some(file), path, parameter: parameter.clone() })
    })
}

fn only(known: &Addresses<'_>, module: &str) -> Option<String> {
    let name = module.rsplit('/').next()?;
    let below = format!("/{module}");
    let mut found = known.named(name).iter().filter(|path| path.ends_with(&below));
    let first = found.next()?;
    found.next().is_none().then(|| (*first).to_owned())
}
