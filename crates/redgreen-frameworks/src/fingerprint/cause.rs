//! Where a failure comes from, in words that outlive edits above and around it.
//!
//! | the innermost own frame is in | the place is |
//! |---|---|
//! | the code | that function and its caller: every test that comes there has the same cause |
//! | a test | the test without its parameters, and the statement that failed |
//! | nothing known | the test |
//!
//! A function without a name is recognised by the text of its line, and so is what compilers and linters
//! find: they say the same of many lines.

use redgreen_model::error_class::ErrorClass;
use redgreen_model::report::{Failure, FailureKind, Location};
use redgreen_model::tree::FileRole;

use super::normalise::normalise;
use crate::finish::Sources;
use crate::place::Places;
use crate::stack::plain_function;
use crate::varying_ids::is_varying;

/// How many functions of the code count: where it broke, and who called that. More would tell
/// tests apart that come to the same place by different ways.
const CODE_FUNCTIONS: usize = 2;
/// How many functions of test files count: checks are often shared between tests.
const TEST_FUNCTIONS: usize = 3;

/// Where a failure comes from.
pub(super) struct Cause {
    /// The words that say it.
    pub parts: Vec<String>,
    /// Whether they say all: of a check whose statement is known, the message only adds values.
    pub complete: bool,
}

/// The cause of a failure whose class is known.
pub(super) fn cause(failure: &Failure, places: Places<'_>, sources: &mut Sources<'_>) -> Cause {
    let frames = own_places(failure);
    let Some(innermost) = frames.first() else {
        return Cause { parts: exact_test(failure), complete: false };
    };
    let statement = sources.line_text(innermost);
    if is_of_a_test(innermost, failure) {
        let check = failure.error_class == ErrorClass::AssertionError;
        let complete = check && statement.is_some() && !failure.frames.is_empty();
        let mut parts = functions(&frames, places, TEST_FUNCTIONS);
        match statement {
            Some(statement) => {
                parts.push(statement);
                parts.extend(failure.test.as_deref().map(without_parameters));
            }
            None => parts.extend(exact_test(failure)),
        }
        return Cause { parts, complete };
    }
    let code: Vec<&Location> =
        frames.iter().filter(|place| !is_of_a_test(place, failure)).copied().collect();
    let mut parts = functions(&code, places, CODE_FUNCTIONS);
    let says_little = matches!(failure.kind, FailureKind::CompileError | FailureKind::LintFailure);
    if function(innermost).is_none() || says_little {
        parts.extend(statement.map_or_else(|| exact_test(failure), |text| vec![text]));
    }
    Cause { parts, complete: false }
}

fn own_places(failure: &Failure) -> Vec<&Location> {
    match failure.frames.is_empty() {
        false => failure.frames.iter().collect(),
        true => failure.location.iter().chain(&failure.test_location).take(1).collect(),
    }
}

/// The test as it is; the line in a doctest's name moves.
fn exact_test(failure: &Failure) -> Vec<String> {
    let name = |test: &String| test.split(" (line ").next().unwrap_or_default().to_owned();
    failure.test.iter().map(name).collect()
}

fn function(place: &Location) -> Option<String> {
    place.function.as_deref().and_then(plain_function)
}

/// The first different functions, each with its file. Recursion counts once.
fn functions(frames: &[&Location], places: Places<'_>, most: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for place in frames {
        let file = places.in_folder(&place.file);
        let name = format!("{file} {}", function(place).unwrap_or_default());
        if found.len() < most && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Whether a place belongs to tests: by its file, or by its function where tests stand in the file
/// that they test.
fn is_of_a_test(place: &Location, failure: &Failure) -> bool {
    if crate::file_role(&place.file) == FileRole::Tests || has_the_name_of_a_test(&place.file) {
        return true;
    }
    let test_file = failure.test_location.as_ref().is_some_and(|test| test.file == place.file);
    let Some(function) = place.function.as_deref() else { return test_file };
    let mut modules = function.rsplit("::");
    let name = modules.next().unwrap_or(function);
    let test = failure.test.as_deref().unwrap_or_default();
    let own = test.rsplit([':', ' ', '/', '.']).next().is_some_and(|last| last == name);
    own || modules.any(|module| matches!(module, "tests" | "test"))
}

fn has_the_name_of_a_test(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let ends = ["Test", "Tests", "IT", "Spec", "_test", "_spec", ".test", ".spec"];
    ends.iter().any(|end| stem.ends_with(end)) || stem.starts_with("test_")
}

/// A test's id without what tells its cases apart: parameters, subtests and numbers.
fn without_parameters(test: &str) -> String {
    normalise(without_case(without_brackets(without_subtest(without_place(test)))))
}

/// `test_adds[<varies>] #2`: which of the cases that are alike.
fn without_place(test: &str) -> &str {
    let place = test.rsplit_once(" #").filter(|(test, _)| is_varying(test));
    place.map_or(test, |(test, _)| test)
}

/// pytest's `test_adds[1-2]`.
fn without_brackets(test: &str) -> &str {
    let name_at = test.rfind("::").map_or(0, |at| at + 2);
    let bracket =
        test.get(name_at..).and_then(|name| name.find('[')).filter(|_| test.ends_with(']'));
    bracket.and_then(|at| test.get(..name_at + at)).unwrap_or(test)
}

/// rstest's `adds::case_1`.
fn without_case(test: &str) -> &str {
    test.rsplit_once("::case_")
        .filter(|(_, case)| case.starts_with(|first: char| first.is_ascii_digit()))
        .map_or(test, |(test, _)| test)
}

/// Go's `example.com/shop.TestAdds/one`.
fn without_subtest(test: &str) -> &str {
    let function = [".Test", ".Fuzz", ".Example"].iter().find_map(|kind| test.find(kind));
    let subtest = function.and_then(|at| test.get(at..)?.find('/').map(|slash| at + slash));
    subtest.and_then(|at| test.get(..at)).unwrap_or(test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_of_one_test_are_one() {
        let cases = [
            ("tests/test_a.py::TestB::test_c[1-2]", "tests/test_a.py::TestB::test_c"),
            ("tests/test_a[b].py::test_c", "tests/test_a[b].py::test_c"),
            ("cart::adds::case_1_one", "cart::adds"),
            ("cart::case_by_case", "cart::case_by_case"),
            ("example.com/shop/cart.TestTotal/price_1", "example.com/shop/cart.TestTotal"),
            ("test/cart.test.js > adds 1 to 2", "test/cart.test.js > adds <n> to <n>"),
        ];
        for (given, wanted) in cases {
            assert_eq!(without_parameters(given), wanted, "{given}");
        }
    }

    #[test]
    fn code_is_distinguished_from_tests() {
        let failure = |test: &str| {
            let mut failure = Failure::new(FailureKind::TestFailure, "panic", "");
            failure.test = Some(test.to_owned());
            failure
        };
        let cases = [
            ("src/cart.rs", Some("Cart::get"), "cart::tests::adds", false),
            ("src/cart.rs", Some("tests::adds"), "cart::tests::adds", true),
            ("src/cart.rs", Some("adds"), "cart::adds", true),
            ("tests/helpers.py", Some("check"), "tests/test_a.py::test_b", true),
            ("shop/cart.py", Some("get"), "tests/test_a.py::test_b", false),
            ("com/acme/CartTest.java", Some("CartTest.adds"), "com.acme.CartTest.adds", true),
            ("web/cart.spec.ts", None, "adds", true),
        ];
        for (file, function, test, wanted) in cases {
            let place = Location {
                file: file.to_owned(),
                line: Some(1),
                function: function.map(str::to_owned),
            };
            assert_eq!(is_of_a_test(&place, &failure(test)), wanted, "{file} {function:?}");
        }
    }
}
