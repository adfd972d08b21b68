//! Tests that a person knows to be red, and has said so: `redgreen.known.toml`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::execution::TestId;

/// The file, in the root of the work tree: reviewed and committed like the rules.
pub const KNOWN_FILE: &str = "redgreen.known.toml";
/// The version of its format.
const VERSION: u32 = 1;
/// What stands above the list.
const HEADER: &str = "\
# Tests that are known to be red. `redgreen known` keeps this list: a person adds to it, and a test that passes leaves it by itself.
# Each is excused only while it fails for the same cause.
";

/// A test that is known to be red.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct KnownTest {
    /// Its check.
    pub check: String,
    /// Its id.
    pub test: String,
    /// Why it may be red for now.
    pub reason: String,
    /// Who said so.
    pub by: String,
    /// On which day.
    pub since: String,
    /// What it fails with, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What it fails for: with anything else it is red.
    pub causes: Vec<String>,
}

impl KnownTest {
    /// The test's id.
    pub fn id(&self) -> TestId {
        TestId::new(&self.check, &self.test)
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    #[serde(default)]
    known: Vec<KnownTest>,
}

/// Reads the list; what is wrong with it, in words.
pub fn parse(text: &str) -> Result<Vec<KnownTest>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let document: Document = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    match document.version {
        VERSION => Ok(document.known),
        other => Err(format!("version {other} is not known, only {VERSION}")),
    }
}

/// The list as a file; the same tests give the same text.
pub fn to_toml(known: &[KnownTest]) -> String {
    let mut known = known.to_vec();
    known.sort();
    // Texts and lists of texts: they are always TOML.
    let body = toml::to_string(&Document { version: VERSION, known }).unwrap_or_default();
    format!("{HEADER}{body}")
}

/// What a new list has that the old one has not: to take something off it is nobody's harm.
pub fn added<'lists>(
    old: &'lists [KnownTest],
    new: &'lists [KnownTest],
) -> impl Iterator<Item = &'lists KnownTest> {
    new.iter().filter(|known| !old.contains(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(test: &str) -> KnownTest {
        KnownTest {
            check: "pytest".to_owned(),
            test: test.to_owned(),
            reason: "needs \"a\" server".to_owned(),
            by: "Ada".to_owned(),
            since: "2026-11-19".to_owned(),
            message: String::new(),
            causes: vec!["c1".to_owned()],
        }
    }

    #[test]
    fn what_is_written_is_read_in_order() {
        let list = [known("b"), known("a")];
        let text = to_toml(&list);
        assert_eq!(parse(&text), Ok(vec![known("a"), known("b")]));
        assert_eq!(parse(""), Ok(Vec::new()));
        assert!(parse("version = 2").is_err() && parse("known = 3").is_err());
        assert!(parse(&text.replace("causes", "excuses")).is_err());
    }

    #[test]
    fn any_change_of_an_entry_adds_and_a_removal_does_not() {
        let other = KnownTest { causes: vec!["c2".to_owned()], ..known("a") };
        let old = [known("a"), known("b")];
        assert_eq!(added(&old, &[known("b")]).count(), 0);
        assert_eq!(added(&old, std::slice::from_ref(&other)).collect::<Vec<_>>(), [&other]);
    }
}
