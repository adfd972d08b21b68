use std::path::Path;

use redgreen_model::error_class::ErrorClass;
use redgreen_model::report::{TestCase, TestOutcome};

use super::*;

const CART: &str = "class Cart:\n    def get(self, name):\n        return self.prices[name]\n\n\nclass Wishlist:\n    def get(self, name):\n        return self.prices[name]\n";
const TEST: &str = "def test_a():\n    assert cart.total() == 3\n\n\ndef test_b():\n    assert cart.total() == 3\n";

fn source(path: &str) -> Option<String> {
    match path {
        "shop/cart.py" => Some(CART.to_owned()),
        "tests/test_a.py" => Some(TEST.to_owned()),
        _ => None,
    }
}

fn place(file: &str, line: u32, function: &str) -> Location {
    Location { file: file.to_owned(), line: Some(line), function: Some(function.to_owned()) }
}

fn failure(test: &str, error_type: &str, message: &str, frames: &[Location]) -> Failure {
    let mut failure = Failure::new(FailureKind::TestFailure, error_type, message);
    failure.test = Some(test.to_owned());
    failure.frames = frames.to_vec();
    failure
}

fn finished_with(failure: Failure, source: &dyn Fn(&str) -> Option<String>) -> Failure {
    let case = TestCase {
        id: failure.test.clone().unwrap_or_default(),
        outcome: TestOutcome::Failed,
        duration_ms: 0,
        failure: Some(Box::new(failure)),
    };
    let report = Report { tests: vec![case], ..Report::default() };
    let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
    let project = Project { places, source };
    let report = finish(report, &project);
    assert_eq!(finish(report.clone(), &project), report, "twice is once");
    *report.tests.into_iter().next().and_then(|test| test.failure).unwrap()
}

fn finished(failure: Failure) -> Failure {
    finished_with(failure, &source)
}

fn fingerprint_of(failure: Failure) -> String {
    finished(failure).fingerprint
}

#[test]
fn the_function_is_named_with_what_it_is_in() {
    let test = place("tests/test_a.py", 2, "test_a");
    let one = finished(failure(
        "t::a",
        "KeyError",
        "'x'",
        &[place("shop/cart.py", 3, "get"), test.clone()],
    ));
    let other =
        finished(failure("t::a", "KeyError", "'x'", &[place("shop/cart.py", 8, "get"), test]));
    assert_eq!(one.frames[0].function.as_deref(), Some("Cart.get"));
    assert_eq!(other.frames[0].function.as_deref(), Some("Wishlist.get"));
    assert_ne!(one.fingerprint, other.fingerprint);
    assert_eq!(one.error_class, ErrorClass::RuntimeError);
}

#[test]
fn one_place_in_the_code_is_one_cause_for_every_test() {
    let code = || place("shop/cart.py", 3, "get");
    let a = failure("t::a", "KeyError", "'x'", &[code(), place("tests/test_a.py", 2, "test_a")]);
    let b = failure("t::b", "KeyError", "'x'", &[code(), place("tests/test_a.py", 6, "test_b")]);
    assert_eq!(fingerprint_of(a.clone()), fingerprint_of(b));
    let key = failure("t::a", "KeyError", "'y'", &a.frames);
    assert_ne!(fingerprint_of(a.clone()), fingerprint_of(key), "another key");
    let name = failure("t::a", "LookupError", "'x'", &a.frames);
    assert_ne!(fingerprint_of(a), fingerprint_of(name), "another error");
}

#[test]
fn who_called_matters_and_who_called_that_does_not() {
    let chain = |caller: &str, outer: &str| {
        let frames = [
            place("shop/cart.py", 3, "get"),
            place("shop/other.py", 1, caller),
            place("shop/other.py", 9, outer),
        ];
        fingerprint_of(failure("t::a", "KeyError", "'x'", &frames))
    };
    assert_ne!(chain("average", "main"), chain("ratio", "main"));
    assert_eq!(chain("average", "main"), chain("average", "job"));
}

#[test]
fn a_failed_check_is_its_test_and_its_statement() {
    let at = |test: &str, line, function: &str, message: &str| {
        failure(test, "AssertionError", message, &[place("tests/test_a.py", line, function)])
    };
    let a = at("tests/test_a.py::test_a", 2, "test_a", "assert 3 == 4");
    let b = at("tests/test_a.py::test_b", 6, "test_b", "assert 3 == 4");
    assert_ne!(fingerprint_of(a.clone()), fingerprint_of(b), "two tests");
    let values = at("tests/test_a.py::test_a", 2, "test_a", "assert 'pear' == 'plum'");
    assert_eq!(fingerprint_of(a), fingerprint_of(values), "one check, other values");
    let case =
        |name: &str| at(&format!("tests/test_a.py::test_a[{name}]"), 2, "test_a", "assert 1 == 2");
    assert_eq!(fingerprint_of(case("x")), fingerprint_of(case("y")), "parameters");
    let without = |failure| finished_with(failure, &|_| None).fingerprint;
    assert_ne!(
        without(case("x")),
        without(case("y")),
        "no source: nothing shows that they are one"
    );
}

#[test]
fn two_tests_with_one_helper_are_two_causes() {
    let helper = "exports.check = function check(cart) {\n  expect(cart.total()).toBe(3);\n};\n";
    let source = |path: &str| (path == "test/helpers.js").then(|| helper.to_owned());
    let by = |test: &str, line| {
        let unnamed =
            Location { file: "test/a.test.js".to_owned(), line: Some(line), function: None };
        let frames = [place("test/helpers.js", 2, "check"), unnamed];
        finished_with(failure(test, "Error", "expect(received).toBe(expected)", &frames), &source)
            .fingerprint
    };
    assert_ne!(by("test/a.test.js > one", 3), by("test/a.test.js > two", 7));
    assert_eq!(by("test/a.test.js > one", 3), by("test/a.test.js > one", 5), "lines move");
}

#[test]
fn places_are_found_in_the_stack() {
    let mut failed = failure("t::a", "KeyError", "'x'", &[]);
    failed.stack = "Traceback (most recent call last):\n  File \"/home/me/project/tests/test_a.py\", line 2, in test_a\n  File \"/home/me/project/shop/cart.py\", line 3, in get\n  File \"/usr/lib/python3.12/json.py\", line 3, in load\n".to_owned();
    let found = finished(failed);
    assert_eq!(found.location.map(|place| place.to_string()).as_deref(), Some("shop/cart.py:3"));
    assert_eq!(found.frames.len(), 2);
}

#[test]
fn a_failure_without_a_message_shows_its_line() {
    let frames = [place("tests/test_a.py", 2, "test_a")];
    let found = finished(failure("t::a", "AssertionError", NO_MESSAGE, &frames));
    assert_eq!(found.message, "failed: assert cart.total() == 3");
}

#[test]
fn a_test_that_its_framework_ended_is_a_timeout() {
    let found = finished(failure("t::a", "Error", "Test timed out in 5000ms.", &[]));
    assert_eq!((found.kind, found.error_class), (FailureKind::Timeout, ErrorClass::TimeoutError));
    let found = finished(failure("t::a", "Error", "the job timed out in 5000ms.", &[]));
    assert_eq!(found.kind, FailureKind::TestFailure);
}

#[test]
fn what_compilers_find_is_recognised_by_its_line() {
    let at = |line| {
        let mut failure = Failure::new(FailureKind::CompileError, "E0308", "mismatched types");
        failure.location =
            Some(Location { file: "src/a.rs".to_owned(), line: Some(line), function: None });
        failure
    };
    let rust =
        |_: &str| Some("fn f() {\n    let a: u8 = \"x\";\n    let b: u8 = \"x\";\n}\n".to_owned());
    let both = [at(2), at(3)].map(|failure| finished_with(failure, &rust).fingerprint);
    assert_ne!(both[0], both[1]);
}

#[test]
fn a_fingerprint_has_a_version_and_sixteen_digits() {
    let fingerprint = fingerprint_of(failure("t::a", "KeyError", "'x'", &[]));
    let (version, digits) = fingerprint.split_once(':').unwrap();
    assert_eq!((version, digits.len()), ("v1", 16));
    // What is stored elsewhere stays comparable: a change of the algorithm changes the version.
    assert_eq!(fingerprint, "v1:7b37c3a4b73071cb");
}
