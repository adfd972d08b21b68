//! What sort of failure a command is that failed without a report that says so.

use redgreen_model::report::FailureKind;

use super::linters::{CLIPPY, Linter, linter_of};
use super::shapes::{Speaker, has_finding, has_rustc_error, speaker};
use crate::command::{program_name, programs, simple_commands};

/// How many of the last lines are looked at for the shape of a tool.
const LAST_LINES: usize = 400;
/// The exit code of `timeout` for a program that it ended.
const TIMED_OUT: i32 = 124;
/// Programs that say nothing about a failure.
const SILENT: &[&str] = &[
    "cd", "echo", "export", "set", "source", ".", "true", "mkdir", "pushd", "popd", "unset", "test",
];

/// The kind of failure: by the program that ran, else by the shape of what was printed.
pub(crate) fn kind_of_command(command: &str, code: i32, console: &str) -> FailureKind {
    if code == TIMED_OUT && programs(command).iter().any(|program| program == "timeout") {
        return FailureKind::Timeout;
    }
    let lines = last_lines(console);
    match only_linters(command).as_slice() {
        [] => by_shape(&lines),
        linters => by_linter(linters, code, &lines),
    }
}

/// The linters of a command that runs nothing else.
fn only_linters(command: &str) -> Vec<&'static Linter> {
    let commands = simple_commands(command);
    let speaking: Vec<_> = commands
        .iter()
        .filter(|words| words.first().is_some_and(|word| !SILENT.contains(&program_name(word))))
        .map(|words| linter_of(words))
        .collect();
    speaking.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default()
}

fn by_linter(linters: &[&Linter], code: i32, lines: &[&str]) -> FailureKind {
    let clippy = linters.iter().any(|linter| linter.name == CLIPPY);
    if clippy && has_rustc_error(lines) {
        FailureKind::CompileError
    } else if linters.iter().any(|linter| linter.found_something(code)) || has_finding(lines) {
        FailureKind::LintFailure
    } else {
        FailureKind::ToolingError
    }
}

fn by_shape(lines: &[&str]) -> FailureKind {
    match speaker(lines) {
        Some(Speaker::Linter) => FailureKind::LintFailure,
        Some(Speaker::Compiler) => FailureKind::CompileError,
        Some(Speaker::Runtime) => FailureKind::RuntimeError,
        Some(Speaker::Tool) => FailureKind::ToolingError,
        None => FailureKind::Unknown,
    }
}

fn last_lines(console: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = console.lines().rev().take(LAST_LINES).collect();
    lines.reverse();
    lines
}

#[cfg(test)]
mod tests {
    use FailureKind::{CompileError, LintFailure, RuntimeError, Timeout, ToolingError, Unknown};

    use super::*;

    const RUFF: &str = "F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n";
    const FLAKE8: &str = "a.py:3:1: E302 expected 2 blank lines, found 1\n";
    const MYPY: &str = "a.py:4: error: Name \"undefined_name\" is not defined  [name-defined]\nFound 2 errors in 1 file (checked 1 source file)\n";
    const PYRIGHT: &str = "/p/a.py\n  /p/a.py:4:16 - error: \"undefined_name\" is not defined (reportUndefinedVariable)\n2 errors, 0 warnings, 0 informations\n";
    const PYLINT: &str = "************* Module a\na.py:1:0: C0114: Missing module docstring (missing-module-docstring)\n";
    const ESLINT: &str = "\n> lint\n> eslint .\n\n/p/a.js\n  1:5  warning  'unused' is assigned a value but never used  no-unused-vars\n  2:1  error    'foo' is not defined                         no-undef\n";
    const TSC: &str =
        "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n";
    const TSC_PRETTY: &str =
        "a.ts:1:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n";
    const CLIPPY_OUTPUT: &str = "error: length comparison to zero\n --> src/lib.rs:1:33\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#len_zero\n  = note: `-D clippy::len-zero` implied by `-D warnings`\nerror: could not compile `c` (lib) due to 2 previous errors\n";
    const RUSTC: &str = "error[E0308]: mismatched types\n --> src/lib.rs:1:33\nerror: could not compile `c` (lib) due to 1 previous error\n";
    const GOLANGCI: &str = "x.go:5:2: Error return value of `f.Close` is not checked (errcheck)\n\tf.Close()\n\t^\n1 issues:\n* errcheck: 1\n";
    const GO_BUILD: &str = "# example.com/x\n./x.go:3:9: undefined: y\n";
    const GCC: &str = "gcc -c a.c\na.c: In function 'main':\na.c:3:5: error: expected ';' before 'return'\nmake: *** [Makefile:2: a.o] Error 1\n";
    const TRACEBACK: &str =
        "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nKeyError: 'a'\n";
    const NODE: &str = "/p/a.js:1\nfoo();\n^\n\nReferenceError: foo is not defined\n    at Object.<anonymous> (/p/a.js:1:1)\n\nNode.js v20.1.0\n";
    const GO_PANIC: &str = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n";
    const MISSING_SCRIPT: &str = "npm error Missing script: \"test\"\nnpm error\n";

    #[test]
    fn the_program_that_spoke_decides() {
        let cases = [
            ("ruff check .", 1, RUFF, LintFailure),
            (
                "ruff check --nosuch",
                2,
                "error: unexpected argument '--nosuch' found\n",
                ToolingError,
            ),
            ("uvx ruff check && uvx mypy src", 1, MYPY, LintFailure),
            ("mypy src", 2, "a.py:1: error: Invalid syntax  [syntax]\n", LintFailure),
            ("mypy --nosuch", 2, "mypy: error: unrecognized arguments: --nosuch\n", ToolingError),
            ("npx eslint .", 1, ESLINT, LintFailure),
            ("npx eslint --nosuch .", 2, "Invalid option '--nosuch'\n", ToolingError),
            ("npx tsc --noEmit", 2, TSC, LintFailure),
            ("pylint src", 22, PYLINT, LintFailure),
            ("pylint --nosuch", 32, "usage: pylint\n", ToolingError),
            ("cargo clippy -- -D warnings", 101, CLIPPY_OUTPUT, LintFailure),
            ("cargo clippy", 101, RUSTC, CompileError),
            ("cargo fmt --check", 1, "Diff in /p/src/lib.rs:1:\n", LintFailure),
            ("cd web && go vet ./...", 1, "x.go:5:24: fmt.Printf format %d has arg\n", LintFailure),
            ("golangci-lint run", 1, GOLANGCI, LintFailure),
            ("timeout 5 make test", 124, "", Timeout),
        ];
        for (command, code, console, wanted) in cases {
            assert_eq!(kind_of_command(command, code, console), wanted, "{command}");
        }
    }

    #[test]
    fn behind_a_wrapper_the_shape_of_the_output_decides() {
        let cases = [
            (RUFF, LintFailure),
            (FLAKE8, LintFailure),
            (MYPY, LintFailure),
            (PYRIGHT, LintFailure),
            (PYLINT, LintFailure),
            (ESLINT, LintFailure),
            (TSC, LintFailure),
            (TSC_PRETTY, LintFailure),
            (CLIPPY_OUTPUT, LintFailure),
            (GOLANGCI, LintFailure),
            (RUSTC, CompileError),
            (GO_BUILD, CompileError),
            (GCC, CompileError),
            ("x.cs(3,5): error CS1002: ; expected\n", CompileError),
            ("A.java:3: error: ';' expected\n", CompileError),
            (
                "  File \"x.py\", line 1\n    def\n       ^\nSyntaxError: invalid syntax\n",
                CompileError,
            ),
            (TRACEBACK, RuntimeError),
            (NODE, RuntimeError),
            (GO_PANIC, RuntimeError),
            ("thread 'main' (7) panicked at src/main.rs:2:5:\nboom\n", RuntimeError),
            ("Exception in thread \"main\" java.lang.Error: x\n", RuntimeError),
            (MISSING_SCRIPT, ToolingError),
            ("make: *** No rule to make target 'tset'.  Stop.\n", ToolingError),
            ("write error: No space left on device\n", ToolingError),
        ];
        for wrapper in ["make check", "npm run lint", "just ci", "pytest && ruff check"] {
            for (console, wanted) in cases {
                let found = kind_of_command(wrapper, 1, console);
                assert_eq!(found, wanted, "{wrapper}: {console}");
            }
        }
    }

    #[test]
    fn words_in_passing_decide_nothing() {
        let cases = [
            "the request timed out\n",
            "error: job timed out after 30 s\n",
            "got results2 instead of results1\n",
            "error TSresults2: what\n",
            "see https://example.com/TS2322: more\n",
            "an error in a.py:3: it is bad\n",
            "12:30 error\n",
            "panic: is what a program does\n",
            "FAILED (failures=1)\n",
            "",
        ];
        for console in cases {
            assert_eq!(kind_of_command("make test", 1, console), Unknown, "{console}");
            assert_eq!(kind_of_command("make test", 124, console), Unknown, "{console}");
        }
    }
}
