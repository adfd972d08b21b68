//! Enumerations that are words in a document.

use crate::nearest::nearest;

/// A word that is none of an enumeration's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not a {kind}: {}", allowed_words(word, allowed))]
pub struct UnknownWord {
    /// The word that was given.
    pub word: String,
    /// What the enumeration is called.
    pub kind: &'static str,
    /// The words of the enumeration.
    pub allowed: &'static [&'static str],
}

/// What may stand in the place of `word`, the most likely candidate first.
pub(crate) fn allowed_words(word: &str, allowed: &[&str]) -> String {
    let list = allowed.join(", ");
    match nearest(word, allowed.iter().copied()) {
        Some(best) => format!("did you mean `{best}`? allowed are {list}"),
        None => format!("allowed are {list}"),
    }
}

/// For fields that are on unless said otherwise.
pub(crate) fn yes() -> bool {
    true
}

/// Defines an enumeration of words: the variants, and for each its form in documents.
///
/// One table makes the serde form, `as_str`, `Display`, `FromStr` and the JSON Schema, so they
/// cannot disagree. (The schema is a plain `enum`: what schemars derives from documented variants
/// is a `oneOf`, whose errors do not tell which words are allowed.)
macro_rules! wire_enum {
    (
        $(#[doc = $doc:literal])+
        $(#[derive($($derive:ident),+)])?
        pub enum $name:ident: $kind:literal {
            $($(#[doc = $variant_doc:literal])+ $(#[$default:ident])? $variant:ident = $wire:literal,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize
        )]
        $(#[derive($($derive),+)])?
        pub enum $name {
            $($(#[doc = $variant_doc])+ $(#[$default])? #[serde(rename = $wire)] $variant,)+
        }

        impl $name {
            /// Every value, in the order of the format.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            const WORDS: &'static [&'static str] = &[$($wire),+];

            /// The word that stands for this value in documents.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::workflow::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word).ok_or_else(|| {
                    $crate::workflow::UnknownWord {
                        word: word.to_owned(),
                        kind: $kind,
                        allowed: Self::WORDS,
                    }
                })
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "description": concat!($($doc),+).trim(),
                    "type": "string",
                    "enum": Self::WORDS,
                })
            }
        }
    };
}

pub(crate) use wire_enum;
