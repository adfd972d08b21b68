//! Single tests, as Maven takes them.

use std::collections::BTreeMap;

/// The longest list of tests that is handed over; a longer one means all tests.
const PROPERTY_BYTES: usize = 30_000;

/// A class that no project has: a plugin that is to run nothing is asked to run this.
const NO_CLASS: &str = "NoneOfThese";

/// Properties that make Surefire and Failsafe run these tests alone. Maven's launcher splits the
/// variable at blanks and lets the shell expand what is in it: a name that could be hurt by that
/// stands for its whole class, and so does a test whose parameters are in its name. Running more
/// than was asked for costs time and nothing else. But each class is for the plugin that runs it by its
/// name: Surefire, asked to run an integration test, would do so before what it needs is there.
pub(super) fn maven_properties(ids: &[String]) -> Option<String> {
    let mut classes: BTreeMap<&str, Option<Vec<&str>>> = BTreeMap::new();
    for id in ids {
        // The module before the class is Maven's to find.
        let id = id.rsplit_once('/').map_or(id.as_str(), |(_, id)| id);
        let (class, method) = class_and_method(id)?;
        let methods = classes.entry(class).or_insert_with(|| Some(Vec::new()));
        match (method, methods) {
            (Some(method), Some(methods)) if !methods.contains(&method) => methods.push(method),
            (None, methods) => *methods = None,
            _ => {}
        }
    }
    let mut of_plugins = [Vec::new(), Vec::new()];
    for (class, methods) in classes {
        let tests = match methods {
            Some(methods) => format!("{class}#{}", methods.join("+")),
            None => class.to_owned(),
        };
        for (plugin, runs) in of_plugins.iter_mut().zip(plugins_of(class)) {
            plugin.extend(runs.then(|| tests.clone()));
        }
    }
    let [unit, integration] = of_plugins.map(|tests| match tests.as_slice() {
        [] => NO_CLASS.to_owned(),
        tests => tests.join(","),
    });
    let some = !ids.is_empty() && unit.len() + integration.len() < PROPERTY_BYTES;
    some.then(|| {
        format!(
            "-Dtest={unit} -Dit.test={integration} -Dsurefire.failIfNoSpecifiedTests=false \
             -Dfailsafe.failIfNoSpecifiedTests=false"
        )
    })
}

/// Whether Surefire runs a class, and whether Failsafe does, by the names that they look for; a class
/// that neither looks for may be either's by the settings of the project.
fn plugins_of(class: &str) -> [bool; 2] {
    let name = class.rsplit('.').next().unwrap_or(class).split('$').next().unwrap_or(class);
    let is = |begins: &str, ends: &[&str]| {
        name.starts_with(begins) || ends.iter().any(|end| name.ends_with(end))
    };
    let found = [is("Test", &["Test", "Tests", "TestCase"]), is("IT", &["IT", "ITCase"])];
    if found == [false, false] { [true, true] } else { found }
}

/// `shop.PriceTest.adds(int)[1]` is method `adds` of `shop.PriceTest`.
fn class_and_method(id: &str) -> Option<(&str, Option<&str>)> {
    let end = id.find(['(', '[', '{', '#', ' ']).unwrap_or(id.len());
    let (class, method) = id.get(..end)?.rsplit_once('.')?;
    let plain = |name: &str| {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._$-".contains(letter))
    };
    let is_class = class.rsplit(['.', '$']).next()?.starts_with(|first: char| first.is_uppercase());
    match (plain(class) && is_class, plain(method)) {
        (true, true) => Some((class, Some(method))),
        (true, false) => Some((class, None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_is_for_the_plugin_that_runs_it() {
        let cases: [(&[&str], &str, &str); 6] = [
            (&["app/shop.CartIT.adds"], NO_CLASS, "shop.CartIT#adds"),
            (&["shop.CartTest.adds", "shop.CartTest.a(int)[1]"], "shop.CartTest#adds+a", NO_CLASS),
            (&["shop.CartTest$Inner.adds"], "shop.CartTest$Inner#adds", NO_CLASS),
            (&["shop.ITunesTest.adds"], "shop.ITunesTest#adds", "shop.ITunesTest#adds"),
            (&["shop.CartSpec.adds"], "shop.CartSpec#adds", "shop.CartSpec#adds"),
            (&["A.CartTest.adds", "A.CartIT.adds"], "A.CartTest#adds", "A.CartIT#adds"),
        ];
        for (ids, unit, integration) in cases {
            let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            let properties = maven_properties(&ids).unwrap_or_default();
            let wanted = format!("-Dtest={unit} -Dit.test={integration} ");
            assert!(properties.starts_with(&wanted), "{properties}, not {wanted}");
        }
        assert_eq!(maven_properties(&[]), None);
    }
}
