//! What of a project of CMake judges.

use crate::roles::{extension, split};
use crate::sides::{Rule, SideRequest};

/// Files that steer ctest.
pub(super) const STEERING: &[&str] = &["CTestConfig.cmake", "CTestCustom.cmake", "CTestCustom.ctest"];
/// Sources of C and C++.
const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "ipp", "inl"];

/// Whether a file is a source of C or C++.
pub(super) fn is_source(path: &str) -> bool {
    SOURCES.contains(&extension(split(path).1))
}

/// Whether a source is called as tests are: `price_test.cc`, `test_price.cpp`, `PriceTest.cpp`, `price-unittest.cc`.
pub(super) fn has_name_of_test(name: &str) -> bool {
    let Some((stem, _)) = name.rsplit_once('.').filter(|_| is_source(name)) else { return false };
    let ends = ["_test", "_tests", "-test", "_unittest", "-unittest", "Test", "Tests", ".test"];
    stem.starts_with("test_") || ends.iter().any(|end| stem.ends_with(end)) || stem == "tests"
}

/// The rules for a check that runs ctest.
pub(super) fn rules(_request: &SideRequest<'_>) -> Vec<Rule> {
    STEERING.iter().map(|name| Rule::tests(format!("**/{name}"), "ctest: its configuration")).collect()
}
