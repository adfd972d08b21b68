//! Programs that check code without running it: linters, type checkers, formatters.

use crate::command::program_name;

/// A program, and the exit codes with which it says that it found something. Any other code is
/// trouble of its own, such as an option that it does not know.
pub(super) struct Linter {
    pub(super) name: &'static str,
    findings: &'static [i32],
}

const fn linter(name: &'static str, findings: &'static [i32]) -> Linter {
    Linter { name, findings }
}

/// The linter that shares its exit code with the compiler.
pub(super) const CLIPPY: &str = "cargo-clippy";
/// pylint's exit code is a set of bits: all but the one for its own trouble.
const PYLINT_FINDINGS: &[i32] = &[1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];

const LINTERS: &[Linter] = &[
    linter("ruff", &[1]),
    linter("flake8", &[1]),
    linter("pylint", PYLINT_FINDINGS),
    linter("mypy", &[1]),
    linter("pyright", &[1]),
    linter("basedpyright", &[1]),
    linter("ty", &[1]),
    linter("pyrefly", &[1]),
    linter("black", &[1]),
    linter("isort", &[1]),
    linter("bandit", &[1]),
    linter("eslint", &[1]),
    linter("tsc", &[1, 2]),
    linter("vue-tsc", &[1, 2]),
    linter("prettier", &[1]),
    linter("biome", &[1]),
    linter("oxlint", &[1]),
    linter("standard", &[1]),
    linter("stylelint", &[2]),
    linter("golangci-lint", &[1]),
    linter("staticcheck", &[1]),
    linter("shellcheck", &[1]),
    linter("rubocop", &[1]),
    linter("standardrb", &[1]),
    linter("hadolint", &[1]),
    linter("clippy-driver", &[1, 101]),
    linter(CLIPPY, &[101]),
    linter("cargo-fmt", &[1]),
    linter("go-vet", &[1, 2]),
    linter("rustfmt", &[1]),
    linter("gofmt", &[1]),
    linter("checkstyle", &[1, 254]),
    linter("ktlint", &[1]),
    linter("detekt", &[2]),
    linter("phpstan", &[1]),
    linter("psalm", &[2]),
    linter("phpcs", &[1, 2, 3]),
    linter("yamllint", &[1]),
    linter("markdownlint", &[1]),
    linter("clang-tidy", &[1]),
    linter("swiftlint", &[2]),
];

/// Programs that run the one after them, and the word that may stand between.
const RUNNERS: &[(&str, &[&str])] = &[
    ("npx", &[]),
    ("pnpx", &[]),
    ("bunx", &[]),
    ("uvx", &[]),
    ("yarn", &["run", "exec", "dlx"]),
    ("pnpm", &["run", "exec", "dlx"]),
    ("npm", &["exec", "x"]),
    ("bun", &["run", "x"]),
    ("pipx", &["run"]),
    ("bundle", &["exec"]),
];

impl Linter {
    /// Whether this exit code means findings.
    pub(super) fn found_something(&self, code: i32) -> bool {
        self.findings.contains(&code)
    }
}

/// The linter that a simple command runs.
pub(super) fn linter_of(words: &[String]) -> Option<&'static Linter> {
    let (program, arguments) = words.split_first()?;
    let program = program_name(program);
    let first = arguments.iter().find(|word| !word.starts_with(['-', '+'])).map(String::as_str);
    match (program, first) {
        ("cargo", Some("clippy")) => named(CLIPPY),
        ("cargo", Some("fmt")) => named("cargo-fmt"),
        ("go", Some("vet")) => named("go-vet"),
        ("go", Some("run" | "tool")) => {
            let tool = arguments.iter().find(|word| word.contains("golangci-lint"));
            tool.and_then(|_| named("golangci-lint"))
        }
        _ if program.starts_with("python") => {
            let at = arguments.iter().position(|word| word == "-m")?;
            arguments.get(at + 1).and_then(|module| named(module))
        }
        _ => match RUNNERS.iter().find(|(name, _)| *name == program) {
            Some((_, between)) => run_by(between, arguments),
            None => named(program),
        },
    }
}

fn run_by(between: &[&str], arguments: &[String]) -> Option<&'static Linter> {
    let mut words = arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let mut word = words.next()?;
    if between.contains(&word) {
        word = words.next()?;
    }
    // A version may be attached.
    named(word.split(['@', '=']).next().unwrap_or(word))
}

fn named(name: &str) -> Option<&'static Linter> {
    LINTERS.iter().find(|linter| linter.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::simple_commands;

    #[test]
    fn linters_are_found_behind_what_runs_them() {
        let cases = [
            ("ruff check .", Some("ruff")),
            ("uvx ruff@0.8 check", Some("ruff")),
            ("uv run mypy src", Some("mypy")),
            ("python3 -m pyright", Some("pyright")),
            ("./node_modules/.bin/eslint .", Some("eslint")),
            ("npx --no-install eslint .", Some("eslint")),
            ("npm exec -- tsc --noEmit", Some("tsc")),
            ("yarn eslint", Some("eslint")),
            ("pnpm run eslint", Some("eslint")),
            ("cargo +nightly clippy --all-targets", Some("cargo-clippy")),
            ("cargo fmt --check", Some("cargo-fmt")),
            ("go vet ./...", Some("go-vet")),
            (
                "go run github.com/golangci/golangci-lint/cmd/golangci-lint@v1.60 run",
                Some("golangci-lint"),
            ),
            ("bundle exec rubocop", Some("rubocop")),
            ("npm run lint", None),
            ("make lint", None),
            ("cargo test clippy", None),
            ("go test ./...", None),
            ("echo ruff", None),
            ("python lint.py -m mypy-ish", None),
            ("", None),
        ];
        for (command, wanted) in cases {
            let commands = simple_commands(command);
            let found = commands.first().and_then(|words| linter_of(words));
            assert_eq!(found.map(|linter| linter.name), wanted, "{command}");
        }
    }
}
