//! Names of error types, by language.

use redgreen_model::error_class::ErrorClass;
use redgreen_model::error_class::ErrorClass::{
    AssertionError, NetworkError, Other, ReferenceError, RuntimeError, SyntaxError, TimeoutError,
    TypeError, ValidationError,
};

/// Names that mean what they say. Only the last part of a name is looked up: `java.lang.Error` is
/// `Error`.
const NAMES: &[(ErrorClass, &[&str])] = &[
    // Python
    (AssertionError, &["AssertionError", "Failed", "DID NOT RAISE"]),
    (TypeError, &["TypeError"]),
    (
        ReferenceError,
        &[
            "NameError",
            "UnboundLocalError",
            "AttributeError",
            "ImportError",
            "ModuleNotFoundError",
            "FixtureLookupError",
        ],
    ),
    (SyntaxError, &["SyntaxError", "IndentationError", "TabError"]),
    (
        RuntimeError,
        &[
            "RuntimeError",
            "KeyError",
            "IndexError",
            "LookupError",
            "ZeroDivisionError",
            "OverflowError",
            "ArithmeticError",
            "FloatingPointError",
            "RecursionError",
            "StopIteration",
            "StopAsyncIteration",
            "GeneratorExit",
            "MemoryError",
            "NotImplementedError",
            "OSError",
            "IOError",
            "FileNotFoundError",
            "FileExistsError",
            "PermissionError",
            "IsADirectoryError",
            "NotADirectoryError",
            "BrokenPipeError",
            "ChildProcessError",
            "CalledProcessError",
            "BlockingIOError",
            "EOFError",
            "BufferError",
            "SystemError",
            "SystemExit",
            "KeyboardInterrupt",
            "CancelledError",
            "ExceptionGroup",
            "Exception",
            "BaseException",
        ],
    ),
    (
        TimeoutError,
        &["TimeoutError", "TimeoutExpired", "ReadTimeout", "ConnectTimeout", "ServerTimeoutError"],
    ),
    (
        NetworkError,
        &[
            "ConnectionError",
            "ConnectionRefusedError",
            "ConnectionResetError",
            "ConnectionAbortedError",
            "gaierror",
            "herror",
            "SSLError",
            "SSLCertVerificationError",
            "URLError",
            "HTTPError",
            "HTTPStatusError",
            "ConnectError",
            "ClientError",
            "ClientConnectorError",
            "MaxRetryError",
            "NewConnectionError",
        ],
    ),
    (
        ValidationError,
        &[
            "ValueError",
            "UnicodeDecodeError",
            "UnicodeEncodeError",
            "UnicodeError",
            "ValidationError",
            "JSONDecodeError",
            "InvalidOperation",
            "DecimalException",
            "ArgumentTypeError",
        ],
    ),
    // JavaScript
    (
        AssertionError,
        &["ERR_ASSERTION", "JestAssertionError", "ExpectationFailed", "MultipleAssertionError"],
    ),
    (
        ReferenceError,
        &[
            "ReferenceError",
            "ERR_MODULE_NOT_FOUND",
            "MODULE_NOT_FOUND",
            "ERR_PACKAGE_PATH_NOT_EXPORTED",
        ],
    ),
    (TypeError, &["ERR_INVALID_ARG_TYPE"]),
    (
        RuntimeError,
        &[
            "RangeError",
            "EvalError",
            "InternalError",
            "AggregateError",
            "ENOENT",
            "EACCES",
            "EEXIST",
            "UnhandledRejection",
            "UncaughtException",
        ],
    ),
    (ValidationError, &["URIError", "ZodError", "ERR_INVALID_ARG_VALUE", "ERR_INVALID_URL"]),
    (TimeoutError, &["ETIMEDOUT", "ERR_TEST_TIMEOUT", "AbortError", "Timeout"]),
    (
        NetworkError,
        &[
            "ECONNREFUSED",
            "ECONNRESET",
            "ENOTFOUND",
            "EAI_AGAIN",
            "EPIPE",
            "FetchError",
            "AxiosError",
            "EHOSTUNREACH",
            "EADDRINUSE",
        ],
    ),
    // Java, Kotlin
    (
        AssertionError,
        &[
            "AssertionFailedError",
            "ComparisonFailure",
            "MultipleFailuresError",
            "AssertionErrorWithFacts",
            "WantedButNotInvoked",
            "ArgumentsAreDifferent",
            "PotentialStubbingProblem",
            "ConditionNotMet",
        ],
    ),
    (
        TypeError,
        &[
            "NullPointerException",
            "ClassCastException",
            "ArrayStoreException",
            "KotlinNullPointerException",
        ],
    ),
    (
        ReferenceError,
        &[
            "NoSuchMethodError",
            "NoSuchFieldError",
            "NoSuchMethodException",
            "NoSuchFieldException",
            "ClassNotFoundException",
            "NoClassDefFoundError",
            "UnsatisfiedLinkError",
            "ParameterResolutionException",
            "NoSuchBeanDefinitionException",
        ],
    ),
    (
        RuntimeError,
        &[
            "RuntimeException",
            "IllegalStateException",
            "IndexOutOfBoundsException",
            "ArrayIndexOutOfBoundsException",
            "StringIndexOutOfBoundsException",
            "ArithmeticException",
            "ConcurrentModificationException",
            "UnsupportedOperationException",
            "NoSuchElementException",
            "NegativeArraySizeException",
            "StackOverflowError",
            "OutOfMemoryError",
            "IOException",
            "UncheckedIOException",
            "NoSuchFileException",
            "InterruptedException",
            "ExecutionException",
        ],
    ),
    (
        ValidationError,
        &[
            "IllegalArgumentException",
            "NumberFormatException",
            "DateTimeParseException",
            "ConstraintViolationException",
            "InputMismatchException",
            "JsonParseException",
            "MismatchedInputException",
            "InvalidParameterException",
        ],
    ),
    (
        TimeoutError,
        &[
            "TimeoutException",
            "TestTimedOutException",
            "SocketTimeoutException",
            "HttpTimeoutException",
            "ConditionTimeoutException",
        ],
    ),
    (
        NetworkError,
        &[
            "ConnectException",
            "UnknownHostException",
            "SocketException",
            "SSLException",
            "SSLHandshakeException",
            "BindException",
            "NoRouteToHostException",
            "HttpClientErrorException",
            "MalformedURLException",
        ],
    ),
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
    // Codes of compilers
    (
        TypeError,
        &[
            "E0308", "E0277", "E0061", "E0053", "E0369", "E0614", "E0604", "E0605", "E0606",
            "E0600", "E0618", "E0107", "CS0029", "CS1503", "CS0266", "CS0019", "CS7036",
        ],
    ),
    (
        ReferenceError,
        &[
            "E0425", "E0432", "E0433", "E0412", "E0405", "E0407", "E0423", "E0426", "E0560",
            "E0599", "E0609", "E0583", "E0463", "E0531", "CS0103", "CS0246", "CS0117", "CS1061",
            "CS0234",
        ],
    ),
    (
        Other,
        &["E0382", "E0499", "E0502", "E0505", "E0506", "E0597", "E0716", "E0004", "E0023", "E0106"],
    ),
    // Codes of linters and type checkers
    (SyntaxError, &["E999", "invalid-syntax", "syntax", "syntax-error", "E0001"]),
    (
        ReferenceError,
        &[
            "F821",
            "F822",
            "F823",
            "name-defined",
            "attr-defined",
            "import-not-found",
            "import-untyped",
            "no-undef",
            "undefined-variable",
            "no-member",
            "import-error",
            "reportUndefinedVariable",
            "reportMissingImports",
            "reportMissingModuleSource",
            "reportAttributeAccessIssue",
            "E0602",
        ],
    ),
    (
        TypeError,
        &[
            "arg-type",
            "assignment",
            "return-value",
            "call-arg",
            "operator",
            "index",
            "union-attr",
            "override",
            "list-item",
            "dict-item",
            "call-overload",
            "reportArgumentType",
            "reportAssignmentType",
            "reportReturnType",
            "reportCallIssue",
            "reportOptionalMemberAccess",
            "reportOperatorIssue",
            "reportIndexIssue",
            "typecheck",
        ],
    ),
    // Ways to die
    (
        RuntimeError,
        &[
            "SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGTERM", "SIGQUIT",
            "SIGINT", "SIGSYS", "SIGTRAP",
        ],
    ),
];

/// The class of an error by its name.
pub(super) fn by_name(name: &str) -> Option<ErrorClass> {
    let find =
        |name: &str| NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(class, _)| *class);
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

    #[test]
    fn no_name_has_two_classes() {
        let mut seen: Vec<&str> = Vec::new();
        for (class, names) in NAMES {
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
