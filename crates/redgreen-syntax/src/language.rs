//! The languages that are read, and which file is written in which.

/// A language whose source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Python 3.
    Python,
    /// JavaScript, with JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// Rust.
    Rust,
    /// Java.
    Java,
}

/// How a file's name ends, and its language.
const ENDINGS: &[(&str, Language)] = &[
    ("py", Language::Python),
    ("pyi", Language::Python),
    ("pyw", Language::Python),
    ("js", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("cjs", Language::JavaScript),
    ("jsx", Language::JavaScript),
    ("ts", Language::TypeScript),
    ("mts", Language::TypeScript),
    ("cts", Language::TypeScript),
    ("tsx", Language::Tsx),
    ("go", Language::Go),
    ("rs", Language::Rust),
    ("java", Language::Java),
];

/// The language of a file, by how its name ends.
pub fn language_of(path: &str) -> Option<Language> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let language =
        ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, language)| *language);
    language.filter(|_| !stem.is_empty())
}

impl Language {
    /// JavaScript and its kin share one room.
    pub(crate) fn is_script(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript | Self::Tsx)
    }

    /// What tree-sitter reads it with.
    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_by_how_its_name_ends() {
        for (path, expected) in [
            ("tests/test_a.py", Some(Language::Python)),
            ("src/a.test.mjs", Some(Language::JavaScript)),
            ("src/A.TSX", Some(Language::Tsx)),
            ("src/a.d.ts", Some(Language::TypeScript)),
            ("a_test.go", Some(Language::Go)),
            ("src/lib.rs", Some(Language::Rust)),
            ("src/test/java/ATest.java", Some(Language::Java)),
            ("README.md", None),
            (".py", None),
            ("py", None),
            ("a.py/b", None),
        ] {
            assert_eq!(language_of(path), expected, "{path}");
        }
    }
}
