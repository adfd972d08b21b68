//! Where a test of Go is written.

use super::identity::function_of;
use crate::sides::{Address, Addresses, joined};

/// `[folder:]import/path.TestName/sub`: the package is the folder of its module, and the file the one
/// that declares the function. Spaces in names of subtests are underscores in ids.
pub(super) fn address(id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
    let function = function_of(id)?;
    let dot = id.find(&format!(".{function}"))?;
    let package = id.get(..dot)?;
    let subtests = id.get(dot + 1 + function.len()..)?.trim_start_matches('/');
    let place = package_folder(package, folder, known)?;
    let tests = || known.in_folder(&place).filter(|path| path.ends_with("_test.go"));
    let sub: Vec<&str> = subtests.split('/').filter(|part| !part.is_empty()).collect();
    let mut best: Option<(usize, Address)> = None;
    for file in tests() {
        for test in &known.outline(file).tests {
            let Some(count) = fits(&test.path, function, &sub) else { continue };
            if best.as_ref().is_none_or(|(most, _)| count > *most) {
                let rest = sub.get(count.saturating_sub(1)..).unwrap_or_default().join("/");
                let parameter = (!rest.is_empty()).then_some(rest);
                let path = test.path.clone();
                best = Some((count, Address { file: Some(file.to_owned()), path, parameter }));
            }
        }
    }
    let unknown = || Address {
        file: None,
        path: vec![function.to_owned()],
        parameter: (!subtests.is_empty()).then(|| subtests.to_owned()),
    };
    Some(best.map_or_else(unknown, |(_, address)| address))
}

/// How many names of an id a path of the outline stands for; none where it is another test.
fn fits(path: &[String], function: &str, sub: &[&str]) -> Option<usize> {
    match path {
        [first, rest @ ..] if first == function => {
            let same = |(name, wanted): (&String, &&str)| spaceless(name) == plain(wanted);
            let all = rest.len() <= sub.len() && rest.iter().zip(sub).all(same);
            all.then_some(1 + rest.len())
        }
        // A method of a suite: the function runs the suite, and the method is its subtest.
        [_, method] if method.starts_with("Test") => {
            (sub.first() == Some(&method.as_str())).then_some(2)
        }
        _ => None,
    }
}

/// As go writes the name of a subtest.
fn spaceless(name: &str) -> String {
    name.replace(char::is_whitespace, "_")
}

/// Without the number of a name that came twice.
fn plain(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((plain, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => plain,
        _ => name,
    }
}

/// The folder of a package, by the modules that the tree declares.
fn package_folder(package: &str, folder: &str, known: &Addresses<'_>) -> Option<String> {
    let (prefix, package) = match package.split_once(':') {
        Some((prefix, package)) => (Some(joined(folder, prefix)), package),
        None => (None, package),
    };
    let modules = known.manifests("go.mod");
    let inside = |(place, text): &(String, String)| {
        let module = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
        let module = module.split("//").next()?.trim().trim_matches('"');
        let rest = package.strip_prefix(module)?;
        let whole = rest.is_empty() || rest.starts_with('/');
        let here = prefix.as_ref().is_none_or(|prefix| prefix == place);
        (whole && here).then(|| (module.len(), joined(place, rest)))
    };
    let found = modules.iter().filter_map(inside).max_by_key(|(length, _)| *length);
    found.map(|(_, place)| place).or(prefix)
}
