//! The names of doctests.

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::report::Report;

/// rustdoc names a doctest by its line, which another edit of the file moves. Its id is the item that it
/// documents, with a number from the second one on.
pub(super) fn name_by_item(report: &mut Report) {
    let mut lines: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    let tests = report.tests.iter().map(|test| test.id.as_str());
    let others = report.unfinished.iter().chain(&report.not_run).map(String::as_str);
    for (item, line) in tests.chain(others).filter_map(item_and_line) {
        lines.entry(item).or_default().insert(line);
    }
    let rename = |id: &str| {
        let (item, line) = item_and_line(id)?;
        let before = lines.get(&item)?.iter().take_while(|known| **known < line).count();
        Some(if before == 0 { item } else { format!("{item} #{}", before + 1) })
    };
    for test in &mut report.tests {
        if let Some(id) = rename(&test.id) {
            if let Some(failure) = &mut test.failure {
                failure.test = failure.test.as_ref().map(|_| id.clone());
            }
            test.id = id;
        }
    }
    for id in report.unfinished.iter_mut().chain(&mut report.not_run) {
        if let Some(name) = rename(id) {
            *id = name;
        }
    }
    for error in &mut report.errors {
        if let Some(name) = error.test.as_deref().and_then(rename) {
            error.test = Some(name);
        }
    }
}

/// `package/doc::src/lib.rs - add (line 5) - compile` without the line, and the line.
fn item_and_line(id: &str) -> Option<(String, u64)> {
    if !id.contains("/doc::") {
        return None;
    }
    let (item, rest) = id.split_once("(line ")?;
    let (line, mode) = rest.split_once(')')?;
    let item = item.trim_end().trim_end_matches(" -");
    Some((format!("{item}{mode}"), line.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doctest_is_known_by_its_item() {
        let ids = [
            "a/doc::src/lib.rs - add (line 12)",
            "a/doc::src/lib.rs - add (line 5)",
            "a/doc::src/lib.rs - (line 1) - compile",
            "a::tests::x (line 3)",
        ];
        let unfinished = ids.iter().map(|id| (*id).to_owned()).collect();
        let mut report = Report { unfinished, ..Report::default() };
        name_by_item(&mut report);
        let wanted = [
            "a/doc::src/lib.rs - add #2",
            "a/doc::src/lib.rs - add",
            "a/doc::src/lib.rs - compile",
            "a::tests::x (line 3)",
        ];
        assert_eq!(report.unfinished, wanted);
    }
}
