//! The check that a project of CMake wants.

use crate::adapter::{ProjectFiles, SuggestedCheck};
use crate::roles::{name_of, split};

/// The file that makes a folder a project of CMake.
pub(super) const LISTS: &str = "CMakeLists.txt";
/// Commands of CMake that make tests, in small letters.
const SIGNS: &[&str] = &[
    "enable_testing",
    "include(ctest)",
    "add_test",
    "gtest_discover_tests",
    "catch_discover_tests",
    "doctest_discover_tests",
];

/// The check of the outermost project, if there are tests in it.
pub(super) fn suggested(project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
    let mut lists: Vec<&str> =
        project.paths().iter().map(String::as_str).filter(|path| name_of(path) == LISTS).collect();
    lists.sort_by_key(|path| (path.matches('/').count(), *path));
    let outermost = *lists.first()?;
    let tests = project.read_all(&lists).into_iter().flatten().any(|text| {
        let text = text.to_lowercase().replace(char::is_whitespace, "");
        SIGNS.iter().any(|sign| text.contains(sign))
    });
    tests.then(|| SuggestedCheck {
        name: "ctest".to_owned(),
        command: "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"
            .to_owned(),
        framework: super::ID,
        folder: split(outermost).0.join("/"),
        reports: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sides::tests::Files;

    #[test]
    fn a_project_with_tests_is_built_and_tested() {
        let folder =
            |files: &[(&str, &str)]| suggested(&Files::of(files)).map(|check| check.folder);
        let code = ("CMakeLists.txt", "project(a)\nadd_library(a a.cpp)\n");
        assert_eq!(
            folder(&[code, ("tests/CMakeLists.txt", "gtest_discover_tests (unit)\n")]).as_deref(),
            Some("")
        );
        assert_eq!(folder(&[("cpp/CMakeLists.txt", "include( CTest )\n")]).as_deref(), Some("cpp"));
        assert_eq!(folder(&[code]), None);
        assert_eq!(folder(&[("Makefile", "enable_testing")]), None);
    }
}
