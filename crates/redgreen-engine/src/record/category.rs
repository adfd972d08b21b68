//! The sort of cause behind a failure, as far as its own words tell it. What they do not tell is left
//! open: a guess would be counted with what is known.

use redgreen_model::debug_memory::RootCauseCategory as Category;
use redgreen_model::report::{Failure, FailureKind};

/// Words of error types and messages in several languages, in small letters; the first that is found counts.
const TELLING: &[(&str, Category)] = &[
    ("'nonetype'", Category::NullUndefinedAccess),
    ("properties of undefined", Category::NullUndefinedAccess),
    ("properties of null", Category::NullUndefinedAccess),
    ("nil pointer dereference", Category::NullUndefinedAccess),
    ("nullpointerexception", Category::NullUndefinedAccess),
    ("on a `none` value", Category::NullUndefinedAccess),
    ("modulenotfounderror", Category::DependencyIssue),
    ("importerror", Category::DependencyIssue),
    ("cannot find module", Category::DependencyIssue),
    ("no required module provides", Category::DependencyIssue),
    ("unresolved import", Category::DependencyIssue),
    ("data race", Category::RaceCondition),
    ("deadlock", Category::RaceCondition),
    ("too many open files", Category::ResourceLeak),
    ("index out of range", Category::OffByOne),
    ("index out of bounds", Category::OffByOne),
    ("indexoutofbounds", Category::OffByOne),
    ("has no attribute", Category::ApiMisuse),
    ("is not a function", Category::ApiMisuse),
    ("no method named", Category::ApiMisuse),
    ("cannot find symbol", Category::ApiMisuse),
    ("unhandled", Category::MissingErrorHandling),
    ("mismatched types", Category::TypeMismatch),
    ("classcastexception", Category::TypeMismatch),
    ("typeerror", Category::TypeMismatch),
    ("assert", Category::LogicError),
];

/// The sort of cause of a failure.
pub(super) fn category(failure: &Failure) -> Option<Category> {
    let words = format!("{}: {}", failure.error_type, failure.message).to_lowercase();
    let named = TELLING.iter().find(|(word, _)| words.contains(word)).map(|(_, it)| *it);
    // A test that compared two values and found them different.
    let compared = failure.kind == FailureKind::TestFailure && failure.expected.is_some();
    named.or_else(|| compared.then_some(Category::LogicError))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn category_of(error_type: &str, message: &str) -> Option<Category> {
        category(&Failure::new(FailureKind::RuntimeError, error_type, message))
    }

    #[test]
    fn the_words_of_a_failure_tell_its_sort() {
        let none = "'NoneType' object has no attribute 'lower'";
        assert_eq!(category_of("AttributeError", none), Some(Category::NullUndefinedAccess));
        let undefined = "Cannot read properties of undefined (reading 'id')";
        assert_eq!(category_of("TypeError", undefined), Some(Category::NullUndefinedAccess));
        assert_eq!(category_of("TypeError", "x.map is not a function"), Some(Category::ApiMisuse));
        assert_eq!(category_of("TypeError", "can only add str"), Some(Category::TypeMismatch));
        assert_eq!(category_of("IndexError", "list index out of range"), Some(Category::OffByOne));
        assert_eq!(category_of("AssertionError", "assert 3 == 4"), Some(Category::LogicError));
        assert_eq!(
            category_of("panic", "all goroutines are asleep - deadlock!"),
            Some(Category::RaceCondition)
        );
        assert_eq!(category_of("OddError", "something else"), None);
    }
}
