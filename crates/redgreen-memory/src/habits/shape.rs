//! The shape of a small edit, by its changed lines: what was put in, whatever it is called in the language.

use redgreen_model::diff::{Kind, Line};

/// What an edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A check before it.
    Guard,
    /// Another value in its place.
    Default,
    /// Something that takes the error.
    Catch,
    /// Another type.
    Convert,
    /// A name that was missing.
    Import,
    /// A wait for the result.
    Await,
    /// One more or one less.
    OffByOne,
}

/// More changed lines tell no shape: it was written anew.
const LINES_MAX: usize = 12;

const GUARDS: &[&str] = &["if ", "if(", "elif ", "unless ", "} else if", "guard ", "match "];
const CATCHES: &[&str] = &["try:", "try {", "try{", "except", "catch", "} catch", "rescue"];
const IMPORTS: &[&str] = &["import ", "from ", "use ", "#include", "require "];
const DEFAULTS: &[&str] = &[
    "?.",
    "??",
    " or ",
    "||",
    ".get(",
    "unwrap_or",
    "getOrDefault",
    "setdefault",
    "defaultdict",
    "orElse",
    ".dig(",
];
const CONVERSIONS: &[&str] = &[
    "int(",
    "str(",
    "float(",
    "Number(",
    "String(",
    "toString(",
    "to_string(",
    "parseInt(",
    "strconv.",
    "format!(",
    "repr(",
    "f\"",
    "f'",
    "to_s",
    "to_i",
];

/// All that an edit of these lines may be.
pub(super) fn shapes<'line>(lines: impl Iterator<Item = &'line Line<'line>>) -> Vec<Shape> {
    let (mut added, mut removed): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for line in lines.filter(|line| line.is_change()) {
        let text = line.text.get(1..).unwrap_or_default().trim();
        match line.kind {
            _ if text.is_empty() => {}
            Kind::Added => added.push(text),
            _ => removed.push(text),
        }
    }
    if added.is_empty() || added.len() + removed.len() > LINES_MAX {
        return Vec::new();
    }
    let begins = |starts: &[&str]| {
        let is_one = |line: &&&str| starts.iter().any(|start| line.starts_with(start));
        added.iter().filter(is_one).count() > removed.iter().filter(is_one).count()
    };
    let count = |lines: &[&str], words: &[&str]| -> usize {
        lines
            .iter()
            .map(|line| words.iter().map(|word| line.matches(word).count()).sum::<usize>())
            .sum()
    };
    let more = |words: &[&str]| count(&added, words) > count(&removed, words);
    let mut found = Vec::new();
    // `x if x else y`, and `x ? y : z`, are checks on one line.
    if begins(GUARDS) || more(&[" if "]) || more(&[" ? "]) {
        found.push(Shape::Guard);
    }
    if more(DEFAULTS) {
        found.push(Shape::Default);
    }
    if begins(CATCHES) {
        found.push(Shape::Catch);
    }
    if more(CONVERSIONS) {
        found.push(Shape::Convert);
    }
    if begins(IMPORTS) {
        found.push(Shape::Import);
    }
    if more(&["await "]) {
        found.push(Shape::Await);
    }
    if let ([old], [new]) = (removed.as_slice(), added.as_slice())
        && old != new
        && without_one(old) == without_one(new)
    {
        found.push(Shape::OffByOne);
    }
    found
}

/// A line without what makes it one more or one less.
fn without_one(line: &str) -> String {
    let bare: String = line.split_whitespace().collect();
    bare.replace("+1", "")
        .replace("-1", "")
        .replace("<=", "<")
        .replace(">=", ">")
        .replace("..=", "..")
}
