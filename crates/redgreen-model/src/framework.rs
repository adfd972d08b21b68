//! Test frameworks by name: who has a folder for one gives it its name, and nobody else has a list.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::workflow::Framework;

/// The longest name, in bytes.
pub const FRAMEWORK_NAME_MAX: usize = 24;

/// What a name looks like.
pub(crate) const FRAMEWORK_PATTERN: &str = "^[a-z0-9_]{1,24}$";

/// A test framework, by the name that documents have for it. A document may name one that this redgreen
/// does not know; that is served like [`FrameworkId::OTHER`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameworkId {
    /// The name, and zeros behind it.
    name: [u8; FRAMEWORK_NAME_MAX],
}

/// A word that cannot be the name of a framework.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a name of a test framework: lower-case letters, digits and `_`, at most \
     {FRAMEWORK_NAME_MAX} of them"
)]
pub struct NotAFramework(String);

impl FrameworkId {
    /// Any framework that has no name here.
    pub const OTHER: Self = Self::named("other");

    /// The framework of this name, for names that are written in code.
    ///
    /// # Panics
    /// On what is no name; in a constant, that is when it is compiled.
    pub const fn named(name: &str) -> Self {
        match Self::read(name) {
            Some(framework) => framework,
            None => panic!("not a name of a framework"),
        }
    }

    const fn read(name: &str) -> Option<Self> {
        let bytes = name.as_bytes();
        if bytes.is_empty() || bytes.len() > FRAMEWORK_NAME_MAX {
            return None;
        }
        let mut found = [0; FRAMEWORK_NAME_MAX];
        let mut at = 0;
        while at < bytes.len() {
            if !(bytes[at].is_ascii_lowercase() || bytes[at].is_ascii_digit() || bytes[at] == b'_')
            {
                return None;
            }
            found[at] = bytes[at];
            at += 1;
        }
        Some(Self { name: found })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        let end = self.name.iter().position(|byte| *byte == 0).unwrap_or(FRAMEWORK_NAME_MAX);
        std::str::from_utf8(&self.name[..end]).unwrap_or_default()
    }
}

/// The workflow document has a list of its own, in which the rest is `other`.
impl From<FrameworkId> for Framework {
    fn from(framework: FrameworkId) -> Self {
        framework.as_str().parse().unwrap_or(Self::Other)
    }
}

impl fmt::Display for FrameworkId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl fmt::Debug for FrameworkId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for FrameworkId {
    type Err = NotAFramework;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::read(name).ok_or_else(|| NotAFramework(name.to_owned()))
    }
}

impl Serialize for FrameworkId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for FrameworkId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<'de, str>::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for FrameworkId {
    fn schema_name() -> Cow<'static, str> {
        "Framework".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A test framework.",
            "type": "string",
            "pattern": FRAMEWORK_PATTERN,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_as_it_is_written() {
        let longest = "a_framework_of_24_letter";
        for name in ["pytest", "go_test", "x", longest] {
            let framework: FrameworkId = name.parse().expect(name);
            assert_eq!((framework.as_str(), framework), (name, FrameworkId::named(name)));
            let json = serde_json::to_string(&framework).expect("a text");
            assert_eq!(json, format!("\"{name}\""));
            assert_eq!(serde_json::from_str::<FrameworkId>(&json).expect(name), framework);
        }
        for wrong in ["", "Jest", "go test", "a-b", "é", &format!("{longest}s")] {
            let error = wrong.parse::<FrameworkId>().expect_err(wrong).to_string();
            assert!(error.starts_with(&format!("`{wrong}` is not a name")), "{error}");
        }
    }

    #[test]
    fn the_workflow_document_has_its_own_list() {
        for framework in Framework::ALL {
            assert_eq!(Framework::from(FrameworkId::named(framework.as_str())), *framework);
        }
        assert_eq!(Framework::from(FrameworkId::named("rspec")), Framework::Other);
    }
}
