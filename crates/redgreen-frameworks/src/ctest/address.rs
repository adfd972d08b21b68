//! Where a test of GoogleTest is written.

use super::listing::SEPARATOR;
use super::sides::is_source;
use crate::sides::{Address, Addresses};

/// `program::Some/Suite.Name/0`: the file whose outline has the test. The program says nothing of its sources.
pub(super) fn address(id: &str, _folder: &str, known: &Addresses<'_>) -> Option<Address> {
    let (program, case) = id.split_once(SEPARATOR)?;
    let (suite, name) = case.split_once('.')?;
    let (name, row) = name.split_once('/').map_or((name, None), |(name, row)| (name, Some(row)));
    // `Some/Suite` is an instance of a suite with values, `Suite/0` one with types.
    let parts: Vec<&str> = suite.split('/').collect();
    let path = |suite: &str| vec![suite.to_owned(), name.to_owned()];
    let mut found: Vec<(&str, Vec<String>)> = Vec::new();
    for file in known.sources(is_source) {
        let outline = known.outline(file);
        for suite in &parts {
            let path = path(suite);
            if outline.tests.iter().any(|test| test.path == path) {
                found.push((file, path));
            }
        }
    }
    // Of several files with such a test, the one that is called as the program.
    let called = |(file, _): &&(&str, Vec<String>)| file.contains(program);
    let best = found.iter().find(called).or_else(|| found.first());
    let parameter = if parts.len() > 1 || row.is_some() {
        Some([parts.join("/"), row.unwrap_or_default().to_owned()].join("#"))
    } else {
        None
    };
    let (file, path) = match best {
        Some((file, path)) => (Some((*file).to_owned()), path.clone()),
        None => (None, path(parts.last()?)),
    };
    Some(Address { file, path, parameter })
}

#[cfg(test)]
mod tests {
    use crate::sides::address;
    use crate::sides::tests::Files;

    #[test]
    fn an_id_leads_to_the_file_that_has_the_test() {
        let files = Files::of(&[
            ("calc.cpp", "int add(int a, int b) { return a + b; }\n"),
            ("tests/a_test.cpp", "TEST(Calc, Adds) { EXPECT_EQ(1, f()); }\n"),
            ("tests/b_test.cpp", "TEST(Calc, Adds) {}\nTEST_P(Rows, Fit) {}\n"),
        ]);
        let at = |id: &str| {
            let found = address(crate::ctest::ID, "", id, &files).unwrap();
            (found.file.unwrap_or_default(), found.path.join("."), found.parameter.is_some())
        };
        let wanted = |file: &str, path: &str, row| (file.to_owned(), path.to_owned(), row);
        assert_eq!(at("a_test::Calc.Adds"), wanted("tests/a_test.cpp", "Calc.Adds", false));
        assert_eq!(at("b_test::Calc.Adds"), wanted("tests/b_test.cpp", "Calc.Adds", false));
        assert_eq!(at("b_test::Some/Rows.Fit/1"), wanted("tests/b_test.cpp", "Rows.Fit", true));
        assert_eq!(at("b_test::Gone.Fit"), wanted("", "Gone.Fit", false));
        assert_eq!(address(crate::ctest::ID, "", "plain", &files), None);
    }
}
