//! Single tests, as Maven takes them.

use std::collections::BTreeMap;

/// The longest list of tests that is handed over; a longer one means all tests.
const PROPERTY_BYTES: usize = 30_000;

/// Properties that make Surefire and Failsafe run these tests alone. Maven's launcher splits the
/// variable at blanks and lets the shell expand what is in it: a name that could be hurt by that
/// stands for its whole class, and so does a test whose parameters are in its name. Running more
/// than was asked for costs time and nothing else.
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
    let tests: Vec<String> = classes
        .into_iter()
        .map(|(class, methods)| match methods {
            Some(methods) => format!("{class}#{}", methods.join("+")),
            None => class.to_owned(),
        })
        .collect();
    let tests = tests.join(",");
    (!tests.is_empty() && tests.len() < PROPERTY_BYTES).then(|| {
        format!(
            "-Dtest={tests} -Dit.test={tests} -Dsurefire.failIfNoSpecifiedTests=false \
             -Dfailsafe.failIfNoSpecifiedTests=false"
        )
    })
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
