//! Tests among the code of JavaScript: `if (import.meta.vitest) { … }`.

use std::ops::Range;

use crate::language::Language;
use crate::tree::Tree;

/// What only vitest sets.
const MARK: &str = "import.meta.vitest";

/// The code of the first with the tests of the second; none where one of them cannot be read.
pub fn splice_javascript(language: Language, code: &str, tests: &str) -> Option<String> {
    let (own, others) = (blocks(language, code)?, blocks(language, tests)?);
    let mut found = String::with_capacity(code.len());
    let mut at = 0;
    for (index, own) in own.iter().enumerate() {
        found.push_str(code.get(at..own.start)?);
        if let Some(other) = others.get(index) {
            found.push_str(tests.get(other.clone())?);
        }
        at = own.end;
    }
    found.push_str(code.get(at..)?);
    for other in others.iter().skip(own.len()) {
        if !found.ends_with('\n') {
            found.push('\n');
        }
        found.push_str(tests.get(other.clone())?);
        found.push('\n');
    }
    Some(found)
}

/// The blocks of tests at the top of a module.
fn blocks(language: Language, source: &str) -> Option<Vec<Range<usize>>> {
    if !source.contains(MARK) {
        return Some(Vec::new());
    }
    let tree = Tree::parse(language, source).filter(|tree| !tree.is_broken())?;
    let tests = tree.root().parts().filter(|part| {
        let asks = part.field_text("condition").contains(MARK);
        part.kind() == "if_statement" && asks
    });
    Some(tests.map(|block| block.range()).collect())
}
