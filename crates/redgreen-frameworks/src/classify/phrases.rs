//! What runtimes and compilers say where the name of the error says nothing. Each phrase carries
//! an example that was really printed.

use redgreen_model::error_class::ErrorClass;
use redgreen_model::error_class::ErrorClass::{
    AssertionError, NetworkError, Other, ReferenceError, RuntimeError, SyntaxError, TimeoutError,
    TypeError, ValidationError,
};

/// Where a phrase stands in the message.
#[derive(Clone, Copy)]
enum At {
    Start,
    Anywhere,
}
use At::{Anywhere, Start};

/// The phrase, where it stands, what it means, and an example.
type Phrase = (At, &'static str, ErrorClass, &'static str);

/// The first that fits counts. A phrase that others may use in passing counts at the start alone.
const PHRASES: &[Phrase] = &[
    // Rust
    (Start, "assertion ", AssertionError, "assertion `left == right` failed\n  left: 1\n right: 2"),
    (
        Start,
        "test did not panic as expected",
        AssertionError,
        "test did not panic as expected at src/lib.rs:9:8",
    ),
    (
        Start,
        "panic did not contain expected string",
        AssertionError,
        "panic did not contain expected string\n      panic message: \"a\"",
    ),
    (
        Start,
        "called `Option::unwrap()` on a `None`",
        TypeError,
        "called `Option::unwrap()` on a `None` value",
    ),
    (
        Anywhere,
        "kind: ConnectionRefused",
        NetworkError,
        "called `Result::unwrap()` on an `Err` value: Os { code: 111, kind: ConnectionRefused, message: \"Connection refused\" }",
    ),
    (
        Anywhere,
        "kind: TimedOut",
        TimeoutError,
        "called `Result::unwrap()` on an `Err` value: Custom { kind: TimedOut, error: \"late\" }",
    ),
    (
        Anywhere,
        "` on an `Err` value: Parse",
        ValidationError,
        "called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }",
    ),
    (Start, "called `Result::", RuntimeError, "called `Result::expect_err()` on an `Ok` value: 3"),
    (
        Start,
        "index out of bounds",
        RuntimeError,
        "index out of bounds: the len is 3 but the index is 5",
    ),
    (Start, "attempt to ", RuntimeError, "attempt to subtract with overflow"),
    // Go
    (
        Anywhere,
        "invalid memory address or nil pointer dereference",
        TypeError,
        "runtime error: invalid memory address or nil pointer dereference",
    ),
    (
        Start,
        "interface conversion",
        TypeError,
        "interface conversion: interface {} is string, not int",
    ),
    (Start, "test timed out after", TimeoutError, "test timed out after 1s"),
    (Start, "runtime error", RuntimeError, "runtime error: index out of range [5] with length 3"),
    (
        Anywhere,
        "all goroutines are asleep",
        RuntimeError,
        "fatal error: all goroutines are asleep - deadlock!",
    ),
    (Start, "undefined: ", ReferenceError, "undefined: Totl"),
    (Start, "syntax error", SyntaxError, "syntax error: unexpected newline, expected }"),
    (
        Start,
        "cannot use ",
        TypeError,
        "cannot use \"x\" (untyped string constant) as int value in return statement",
    ),
    (Start, "declared and not used", Other, "declared and not used: x"),
    (Anywhere, " imported and not used", Other, "\"os\" imported and not used"),
    (
        Start,
        "no required module provides package",
        ReferenceError,
        "no required module provides package example.com/x; to add it:",
    ),
    (
        Anywhere,
        "context deadline exceeded",
        TimeoutError,
        "Get \"http://x\": context deadline exceeded",
    ),
    // JavaScript: what is only an Error
    (
        Start,
        "Cannot find module",
        ReferenceError,
        "Cannot find module './cart' from 'cart.test.js'",
    ),
    (
        Start,
        "Cannot find package",
        ReferenceError,
        "Cannot find package 'left-pad' imported from /p/a.mjs",
    ),
    (
        Start,
        "Failed to resolve import",
        ReferenceError,
        "Failed to resolve import \"./cart\" from \"cart.test.ts\"",
    ),
    (Start, "expect(", AssertionError, "expect(received).toBe(expected) // Object.is equality"),
    (Start, "connect ECONNREFUSED", NetworkError, "connect ECONNREFUSED 127.0.0.1:5432"),
    (Start, "getaddrinfo ", NetworkError, "getaddrinfo ENOTFOUND nowhere.invalid"),
    (Start, "fetch failed", NetworkError, "fetch failed"),
    // Java, C and C++ compilers
    (Anywhere, "cannot find symbol", ReferenceError, "cannot find symbol\n  symbol: variable x"),
    (
        Anywhere,
        "incompatible types",
        TypeError,
        "incompatible types: String cannot be converted to int",
    ),
    (
        Anywhere,
        "was not declared in this scope",
        ReferenceError,
        "'x' was not declared in this scope",
    ),
    (Anywhere, "undeclared identifier", ReferenceError, "use of undeclared identifier 'x'"),
    (Anywhere, "undefined reference to", ReferenceError, "undefined reference to `total'"),
    (
        Anywhere,
        "invalid conversion from",
        TypeError,
        "invalid conversion from 'const char*' to 'int'",
    ),
    // PHP
    (Start, "Failed asserting that", AssertionError, "Failed asserting that 3 matches expected 4."),
    (Start, "Call to undefined ", ReferenceError, "Call to undefined method Cart::totl()"),
    (Start, "Undefined ", ReferenceError, "Undefined variable $total"),
];

/// The class of an error by what was said.
pub(super) fn by_phrase(message: &str) -> Option<ErrorClass> {
    let message = message.trim_start();
    let fits = |(at, phrase, _, _): &&Phrase| match at {
        Start => message.starts_with(phrase),
        Anywhere => message.lines().next().unwrap_or_default().contains(phrase),
    };
    PHRASES.iter().find(fits).map(|(_, _, class, _)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_is_found_in_its_example() {
        for (_, phrase, class, example) in PHRASES {
            assert!(example.contains(phrase), "{phrase}");
            assert_eq!(by_phrase(example), Some(*class), "{example}");
        }
    }

    #[test]
    fn words_in_passing_mean_nothing() {
        for message in [
            "the job timed out, it says",
            "got results2",
            "no assertion failed",
            "",
            "the attempt to pay",
        ] {
            assert_eq!(by_phrase(message), None, "{message}");
        }
    }
}
