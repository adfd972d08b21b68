//! The unmistakable shapes of what tools print: who spoke, where the command is only a wrapper.

/// Who spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    /// A linter or a type checker, with a finding.
    Linter,
    /// A compiler, with an error.
    Compiler,
    /// A language's runtime, about a program that died of an error nobody caught.
    Runtime,
    /// A tool, about itself.
    Tool,
}

/// Names that golangci-lint puts behind its findings.
const GO_LINTERS: &[&str] = &[
    "errcheck",
    "govet",
    "staticcheck",
    "unused",
    "gosimple",
    "ineffassign",
    "revive",
    "gocritic",
    "stylecheck",
    "gofmt",
    "gofumpt",
    "goimports",
    "gosec",
    "misspell",
    "unconvert",
    "unparam",
    "bodyclose",
    "lll",
    "gocyclo",
    "funlen",
    "dupl",
    "goconst",
    "nakedret",
    "prealloc",
    "exhaustive",
    "nolintlint",
    "wrapcheck",
    "errorlint",
    "noctx",
    "gocognit",
    "godot",
    "whitespace",
    "testifylint",
    "usestdlibvars",
    "copyloopvar",
    "typecheck",
    "depguard",
];
/// What tools say of themselves, from the start of a line.
const TOOL_TROUBLE: &[&str] = &[
    "make: *** No rule to make target",
    "make: *** No targets",
    "npm error Missing script:",
    "npm ERR! Missing script:",
    "npm ERR! missing script:",
    "npm error enoent Could not read package.json",
    "error: no such command:",
    "error: could not find `Cargo.toml`",
    "go: go.mod file not found",
    "go: cannot find main module",
    "error Command \"",
    "docker: Cannot connect to the Docker daemon",
];
/// What a full disk looks like in any program.
const NO_SPACE: &str = "No space left on device";

/// Who spoke in these lines, by the first shape that is found; none where none is.
pub(super) fn speaker(lines: &[&str]) -> Option<Speaker> {
    let any = |test: &dyn Fn(&str, &str) -> bool| {
        let before = std::iter::once("").chain(lines.iter().copied());
        before.zip(lines).any(|(before, line)| test(before, line))
    };
    if any(&|_, line| tool_trouble(line)) {
        Some(Speaker::Tool)
    } else if any(&finding) {
        Some(Speaker::Linter)
    } else if any(&compile_error) {
        Some(Speaker::Compiler)
    } else if died_of_an_error(lines) {
        Some(Speaker::Runtime)
    } else {
        None
    }
}

/// Whether a compiler's own error is among the lines; clippy prints both.
pub(super) fn has_rustc_error(lines: &[&str]) -> bool {
    lines.iter().any(|line| rustc_code(line))
}

/// Whether a linter's finding is among the lines.
pub(super) fn has_finding(lines: &[&str]) -> bool {
    speaker(lines) == Some(Speaker::Linter)
}

fn tool_trouble(line: &str) -> bool {
    let line = line.trim_start();
    TOOL_TROUBLE.iter().any(|words| line.starts_with(words))
        || line.ends_with(NO_SPACE)
        || (line.starts_with("python") && line.contains(": can't open file "))
}

fn finding(before: &str, line: &str) -> bool {
    python_finding(before, line)
        || typescript(line)
        || eslint(line)
        || clippy(line)
        || golangci(line)
}

/// `a.py:1:8: F401 …`, `F401 …` above ` --> a.py:1:8`, `a.py:4: error: …  [arg-type]`,
/// `a.py:4:16 - error: …`, `a.py:1:0: C0114: …`.
fn python_finding(before: &str, line: &str) -> bool {
    if let Some(place) = line.trim_start().strip_prefix("--> ") {
        return place.contains(".py:") && rule_code(before.split(' ').next().unwrap_or_default());
    }
    let Some((_, rest)) = line.split_once(".py:").or_else(|| line.split_once(".pyi:")) else {
        return false;
    };
    let rest = rest.trim_start_matches(|next: char| next.is_ascii_digit() || next == ':');
    if rest.starts_with(" - error: ") {
        return true;
    }
    let said = rest.trim_start();
    let coded = said.split([' ', ':']).next().is_some_and(rule_code);
    let mypy = said.starts_with("error: ") && said.ends_with(']') && said.contains("  [");
    coded || mypy
}

/// `F401`, `E0602`, `UP007`: capital letters and then digits, nothing else.
fn rule_code(word: &str) -> bool {
    let digits = word.trim_start_matches(|next: char| next.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    (1..=6).contains(&letters)
        && (3..=4).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `a.ts(1,7): error TS2322: …` and `a.ts:1:7 - error TS2322: …`.
fn typescript(line: &str) -> bool {
    line.split_once("error TS").is_some_and(|(before, rest)| {
        let digits = rest.len() - rest.trim_start_matches(|next: char| next.is_ascii_digit()).len();
        let placed = before.ends_with("): ") || before.ends_with(" - ") || before.is_empty();
        placed
            && (4..=5).contains(&digits)
            && rest.get(digits..).is_some_and(|rest| rest.starts_with(':'))
    })
}

/// `  2:1  error    'foo' is not defined    no-undef`.
fn eslint(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let place = words.next().and_then(|place| place.split_once(':'));
    let numbers = place
        .is_some_and(|(line, column)| line.parse::<u32>().is_ok() && column.parse::<u32>().is_ok());
    line.starts_with("  ") && numbers && matches!(words.next(), Some("error" | "warning"))
}

fn clippy(line: &str) -> bool {
    line.contains("https://rust-lang.github.io/rust-clippy/")
        || line.contains("note: `-D clippy::")
        || line.contains("note: `#[deny(clippy::")
}

/// `x.go:5:2: Error return value is not checked (errcheck)`.
fn golangci(line: &str) -> bool {
    let name = line.trim_end().strip_suffix(')').and_then(|line| line.rsplit_once(" ("));
    name.is_some_and(|(before, name)| {
        before.contains(".go:") && GO_LINTERS.contains(&name.split(',').next().unwrap_or(name))
    })
}

fn rustc_code(line: &str) -> bool {
    line.strip_prefix("error[E").is_some_and(|rest| {
        rest.bytes().take_while(u8::is_ascii_digit).count() == 4 && rest.get(4..6) == Some("]:")
    })
}

/// rustc, gcc and clang, javac, Go, C#.
fn compile_error(before: &str, line: &str) -> bool {
    let c = [".c:", ".cc:", ".cpp:", ".cxx:", ".h:", ".hpp:", ".m:", ".swift:", ".zig:"];
    let placed_c = (line.contains(": error: ") || line.contains(": fatal error: "))
        && c.iter().any(|extension| line.contains(extension));
    let java =
        line.contains(".java:") && (line.contains(": error: ") || line.starts_with("[ERROR] /"));
    let go = before.starts_with("# ") && line.contains(".go:");
    let csharp = line.contains("): error CS");
    rustc_code(line)
        || line.starts_with("error: could not compile `")
        || placed_c
        || java
        || go
        || csharp
        || line.trim_start().starts_with("SyntaxError: ")
        || line.trim_start().starts_with("IndentationError: ")
}

/// Python's, Node's, Go's, Rust's and Java's last words.
fn died_of_an_error(lines: &[&str]) -> bool {
    let starts = |words: &str| lines.iter().any(|line| line.starts_with(words));
    let panicked = |line: &&str| line.starts_with("thread '") && line.contains(" panicked at ");
    starts("Traceback (most recent call last):")
        || starts("Node.js v")
        || starts("Exception in thread \"")
        || (starts("panic: ") && starts("goroutine "))
        || lines.iter().any(panicked)
}
