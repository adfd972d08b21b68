//! Names of error types, by language. Only the last part of a name is looked up: `java.lang.Error`
//! is `Error`.

mod codes;
mod more_languages;
mod scripts_and_java;

use redgreen_model::error_class::ErrorClass;
use redgreen_model::error_class::ErrorClass::{Other, ReferenceError, SyntaxError, TypeError};

fn names() -> impl Iterator<Item = &'static (ErrorClass, &'static [&'static str])> {
    scripts_and_java::NAMES.iter().chain(more_languages::NAMES).chain(codes::NAMES)
}

/// The class of an error by its name.
pub(super) fn by_name(name: &str) -> Option<ErrorClass> {
    let find =
        |name: &str| names().find(|(_, names)| names.contains(&name)).map(|(class, _)| *class);
    let last = name.rsplit(['.', ':', '\\', '$']).next().unwrap_or(name);
    find(name).or_else(|| find(last)).or_else(|| typescript(name))
}

/// TypeScript numbers its errors: 1xxx are the parser's, a few name what is not there.
fn typescript(name: &str) -> Option<ErrorClass> {
    let number: u32 = name.strip_prefix("TS")?.parse().ok()?;
    Some(match number {
        1000..=1999 => SyntaxError,
        2304 | 2305 | 2307 | 2318 | 2339 | 2503 | 2551 | 2552 | 2580 | 2582 | 2583 | 2614 => {
            ReferenceError
        }
        2000..=2999 | 7000..=7999 | 18046..=18049 => TypeError,
        _ => Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ErrorClass::{AssertionError, NetworkError};

    #[test]
    fn no_name_has_two_classes() {
        let mut seen: Vec<&str> = Vec::new();
        for (class, names) in names() {
            for name in *names {
                assert!(!seen.contains(name), "{name} twice");
                seen.push(name);
                assert_eq!(by_name(name), Some(*class), "{name}");
            }
        }
    }

    #[test]
    fn names_are_found_with_their_packages_and_typescript_by_number() {
        let cases = [
            ("java.lang.NullPointerException", Some(TypeError)),
            ("org.opentest4j.AssertionFailedError", Some(AssertionError)),
            ("RSpec::Expectations::ExpectationNotMetError", Some(AssertionError)),
            ("PHPUnit\\Framework\\ExpectationFailedException", Some(AssertionError)),
            ("System.NullReferenceException", Some(TypeError)),
            ("requests.exceptions.ConnectionError", Some(NetworkError)),
            ("TS2322", Some(TypeError)),
            ("TS2304", Some(ReferenceError)),
            ("TS1005", Some(SyntaxError)),
            // Something with such an end is no TypeScript error.
            ("results2", None),
            ("TSresult", None),
            ("MyOwnError", None),
        ];
        for (name, wanted) in cases {
            assert_eq!(by_name(name), wanted, "{name}");
        }
    }
}
