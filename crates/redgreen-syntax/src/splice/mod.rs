//! The code of one version of a file with the tests of another.

/// The code of the first with the tests' parts of the second.
pub fn splice_rust(code: &str, tests: &str) -> Option<String> {
    (code == tests).then(|| code.to_owned())
}

/// The code of the first with the doctests of the second.
pub fn splice_python_doctests(code: &str, tests: &str) -> Option<String> {
    (code == tests).then(|| code.to_owned())
}

/// The files of test modules.
pub fn rust_test_modules(source: &str) -> Vec<String> {
    let _ = source;
    Vec::new()
}
