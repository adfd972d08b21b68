//! `go.mod` and `go.work`: which library judges is the tests' side.

use std::sync::Arc;

use super::sides::judges;
use crate::sides::{Mixture, joined};

/// What these files replace among libraries that judge.
pub(super) fn mixture() -> Arc<Mixture> {
    Mixture::new(&["replace of libraries that judge"], |code, tests| {
        let Some(code) = code else { return Ok(None) };
        let (ours, rest) = taken_apart(code);
        let (theirs, _) = taken_apart(tests.unwrap_or_default());
        if ours == theirs {
            return Ok(Some(code.to_owned()));
        }
        let mut text = rest;
        for line in theirs {
            text.push_str(&format!("replace {line}\n"));
        }
        Ok(Some(text))
    })
}

/// Folders of the project that stand in for a library that judges.
pub(super) fn folders(place: &str, text: &str) -> Vec<String> {
    let (judging, _) = taken_apart(text);
    let targets = judging.iter().filter_map(|line| line.split_once("=>").map(|(_, to)| to.trim()));
    let own = targets.filter(|to| to.starts_with("./") || to.starts_with("../"));
    own.map(|to| joined(place, to)).filter(|folder| !folder.is_empty()).collect()
}

/// The replacements of libraries that judge, as they are written without the keyword; and the rest.
fn taken_apart(text: &str) -> (Vec<String>, String) {
    let (mut judging, mut rest) = (Vec::new(), String::new());
    let mut block = "";
    for line in text.split_inclusive('\n') {
        let bare = line.split("//").next().unwrap_or_default().trim();
        let said = match bare.strip_prefix("replace ") {
            Some(said) if !said.trim_start().starts_with('(') => Some(said.trim()),
            _ if block == "replace" && bare != ")" => Some(bare),
            _ => None,
        };
        match bare.strip_suffix('(') {
            Some(keyword) => block = keyword.trim(),
            None if bare == ")" => block = "",
            None => {}
        }
        match said.filter(|said| judges(said)) {
            Some(said) => judging.push(said.to_owned()),
            None => rest.push_str(line),
        }
    }
    if !rest.is_empty() && !rest.ends_with('\n') {
        rest.push('\n');
    }
    (judging, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_of_libraries_that_judge_are_the_tests() {
        let old = "module a\n\nreplace github.com/stretchr/testify => ./forks/testify\n";
        let new = "module a\n\nrequire x v1\n\nreplace (\n\tx => ./x\n\tgithub.com/stretchr/testify => ./lenient\n)\n";
        let spliced = mixture().splice(Some(new), Some(old));
        let wanted = "module a\n\nrequire x v1\n\nreplace (\n\tx => ./x\n)\nreplace github.com/stretchr/testify => ./forks/testify\n";
        assert_eq!(spliced, Ok(Some(wanted.to_owned())));
        assert_eq!(mixture().splice(Some(new), Some(new)), Ok(Some(new.to_owned())));
        let work = "go 1.21\nuse .\nreplace gotest.tools/v3 => ../x\n";
        assert_eq!(mixture().splice(Some(work), None), Ok(Some("go 1.21\nuse .\n".to_owned())));
        assert_eq!(mixture().splice(None, Some(old)), Ok(None));
        assert_eq!(folders("sub", old), ["sub/forks/testify"]);
    }
}
