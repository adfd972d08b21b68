//! C#, Ruby, PHP, and what errors are called in Rust and Go.

use redgreen_model::error_class::ErrorClass;
use redgreen_model::error_class::ErrorClass::{
    AssertionError, NetworkError, ReferenceError, RuntimeError, SyntaxError, TimeoutError,
    TypeError, ValidationError,
};

/// Names of error types.
pub(super) const NAMES: &[(ErrorClass, &[&str])] = &[
    // C#
    (
        AssertionError,
        &[
            "AssertionException",
            "AssertFailedException",
            "XunitException",
            "EqualException",
            "TrueException",
            "FalseException",
            "NotNullException",
            "ContainsException",
            "ThrowsException",
            "MultipleAssertException",
        ],
    ),
    (TypeError, &["NullReferenceException", "InvalidCastException", "RuntimeBinderException"]),
    (
        ReferenceError,
        &[
            "MissingMethodException",
            "MissingMemberException",
            "TypeLoadException",
            "DllNotFoundException",
        ],
    ),
    (
        RuntimeError,
        &[
            "InvalidOperationException",
            "IndexOutOfRangeException",
            "KeyNotFoundException",
            "DivideByZeroException",
            "OverflowException",
            "NotImplementedException",
            "NotSupportedException",
            "ObjectDisposedException",
            "FileNotFoundException",
            "DirectoryNotFoundException",
            "AggregateException",
        ],
    ),
    (
        ValidationError,
        &[
            "ArgumentException",
            "ArgumentNullException",
            "ArgumentOutOfRangeException",
            "FormatException",
            "JsonException",
            "ValidationException",
        ],
    ),
    (TimeoutError, &["TaskCanceledException", "OperationCanceledException"]),
    (NetworkError, &["HttpRequestException", "WebException"]),
    // Ruby
    (AssertionError, &["Assertion", "ExpectationNotMetError", "UnexpectedError"]),
    (ReferenceError, &["NoMethodError", "LoadError"]),
    (
        RuntimeError,
        &[
            "StandardError",
            "FrozenError",
            "FiberError",
            "ThreadError",
            "SystemStackError",
            "FloatDomainError",
            "FatalError",
        ],
    ),
    (ValidationError, &["ArgumentError", "RecordInvalid", "ParserError", "UncaughtThrowError"]),
    (TimeoutError, &["ExitException", "OpenTimeout"]),
    (NetworkError, &["SocketError", "OpenURI"]),
    // PHP
    (AssertionError, &["ExpectationFailedException", "AssertionFailedErrorException"]),
    (TypeError, &["ArgumentCountError"]),
    (SyntaxError, &["ParseError", "CompileError"]),
    (
        RuntimeError,
        &[
            "DivisionByZeroError",
            "UnhandledMatchError",
            "LogicException",
            "OutOfBoundsException",
            "OutOfRangeException",
            "UnderflowException",
            "BadMethodCallException",
            "BadFunctionCallException",
            "ErrorException",
            "PDOException",
            "Warning",
            "Notice",
        ],
    ),
    (
        ValidationError,
        &[
            "InvalidArgumentException",
            "DomainException",
            "LengthException",
            "UnexpectedValueException",
        ],
    ),
    // Rust and Go: what an error's value is called
    (
        ValidationError,
        &[
            "ParseIntError",
            "ParseFloatError",
            "ParseBoolError",
            "Utf8Error",
            "FromUtf8Error",
            "TryFromIntError",
            "NumError",
            "UnmarshalTypeError",
        ],
    ),
    (TimeoutError, &["Elapsed", "TimedOut", "DeadlineExceeded", "deadlineExceededError"]),
    (NetworkError, &["OpError", "DNSError", "ConnectionRefused"]),
];
