//! What of a project of CMake judges.

use super::lists;
use super::project::LISTS;
use crate::roles::{extension, name_of};
use crate::sides::{Rule, SideRequest};

/// Files that steer ctest.
pub(super) const STEERING: &[&str] =
    &["CTestConfig.cmake", "CTestCustom.cmake", "CTestCustom.ctest"];
/// Sources of C and C++.
const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "ipp", "inl"];

/// Whether a file is a source of C or C++.
pub(super) fn is_source(path: &str) -> bool {
    SOURCES.contains(&extension(name_of(path)))
}

/// Whether a source is called as tests are: `price_test.cc`, `test_price.cpp`, `PriceTest.cpp`, `price-unittest.cc`.
pub(super) fn has_name_of_test(name: &str) -> bool {
    let Some((stem, _)) = name.rsplit_once('.').filter(|_| is_source(name)) else { return false };
    let ends = ["_test", "_tests", "-test", "_unittest", "-unittest", "Test", "Tests", ".test"];
    stem.starts_with("test_") || ends.iter().any(|end| stem.ends_with(end)) || stem == "tests"
}

/// The rules for a check that runs ctest.
pub(super) fn rules(_request: &SideRequest<'_>) -> Vec<Rule> {
    let ending = SOURCES.join(",");
    let named = format!(
        "**/{{test_*,*_test,*_tests,*-test,*_unittest,*-unittest,*Test,*Tests,tests}}.{{{ending}}}"
    );
    let steering = format!("**/{{{}}}", STEERING.join(","));
    let in_tests = format!("**/{{test,tests}}/**/{LISTS}");
    vec![
        Rule::tests(steering, "ctest: its configuration"),
        Rule::tests(in_tests, "ctest: how the tests are built"),
        Rule::tests(named, "ctest: a source of tests").guessed(),
        Rule::mixed(format!("**/{LISTS}"), &lists::mixture(), "ctest: which tests there are"),
    ]
}

#[cfg(test)]
mod tests {
    use crate::sides::tests::Files;
    use crate::sides::{Side, SideCheck, Sides};

    #[test]
    fn sources_of_tests_and_what_steers_ctest_judge() {
        let files = Files::of(&[("CMakeLists.txt", "enable_testing()\n"), ("src/calc.cpp", "")]);
        let check = SideCheck { framework: crate::ctest::ID, folder: "", command: "ctest" };
        let sides = Sides::new(&files, &[check], &[]);
        let cases = [
            ("src/calc.cpp", Side::Code),
            ("src/calc_test.cc", Side::Tests),
            ("src/CalcTest.cpp", Side::Tests),
            ("tests/helper.h", Side::Tests),
            ("tests/CMakeLists.txt", Side::Tests),
            ("tests/data/expected.txt", Side::Tests),
            ("CTestCustom.cmake", Side::Tests),
            ("CMakeLists.txt", Side::Mixed),
            ("lib/CMakeLists.txt", Side::Mixed),
            ("cmake/flags.cmake", Side::Code),
        ];
        for (path, wanted) in cases {
            assert_eq!(sides.side(path), wanted, "{path}: {}", sides.reason(path));
        }
    }
}
