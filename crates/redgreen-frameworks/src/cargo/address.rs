//! Where a test of cargo is written.

use toml::Table;

use crate::sides::{Address, Addresses, joined};

/// `package::module::test` in the library, `package/tests/it.rs::test` in another target,
/// `package/doc::src/lib.rs - item (line 3)` for an example. A module is a file where there is one of
/// its name, and inline otherwise.
pub(super) fn address(id: &str, _folder: &str, known: &Addresses<'_>) -> Option<Address> {
    let (target, names) = id.split_once("::")?;
    let (package, root) = target.split_once('/').unwrap_or((target, "src/lib.rs"));
    let place = package_folder(package, known)?;
    if root == "doc" {
        let (file, item) = names.split_once(" - ")?;
        let (item, line) = item.rsplit_once(" (line ").unwrap_or((item, ""));
        let file = [joined(&place, file), file.to_owned()].into_iter().find(|file| known.has(file));
        let path = item.split("::").map(|name| name.trim().to_owned()).collect();
        let parameter = (!line.is_empty()).then(|| line.trim_end_matches(')').to_owned());
        return Some(Address { file, path, parameter });
    }
    let mut file = joined(&place, root);
    let (mut above, name) = file.rsplit_once('/').map(|(above, name)| (above.to_owned(), name))?;
    // Modules of a root are beside it, whatever it is called.
    if name == "mod.rs" && root != "src/lib.rs" && !root.starts_with("tests/") {
        above = joined(&above, "");
    }
    let mut rest: Vec<&str> = names.split("::").collect();
    while rest.len() > 1 {
        let module = rest.first()?;
        let candidates = [format!("{above}/{module}.rs"), format!("{above}/{module}/mod.rs")];
        let Some(found) = candidates.into_iter().find(|path| known.has(path)) else { break };
        file = found;
        above = format!("{above}/{module}");
        rest.remove(0);
    }
    let path = rest.into_iter().map(str::to_owned).collect();
    Some(Address { file: Some(file).filter(|file| known.has(file)), path, parameter: None })
}

/// The folder of a package, by the manifests of the tree.
fn package_folder(package: &str, known: &Addresses<'_>) -> Option<String> {
    let manifests = known.manifests("Cargo.toml");
    let names = |text: &str| {
        let quick = text.contains(package);
        let manifest = quick.then(|| text.parse::<Table>().ok()).flatten();
        manifest.is_some_and(|table| {
            table.get("package").and_then(|own| own.get("name")?.as_str()) == Some(package)
        })
    };
    manifests.iter().find(|(_, text)| names(text)).map(|(place, _)| place.clone())
}
