//! What cargo and the compiler say: JSON messages on standard output, `error:` on standard error.

use redgreen_model::report::FailureKind;
use redgreen_model::text::strip_controls;
use serde_json::Value;

use super::rest::Artifact;

/// Words in cargo's own errors that speak of the machine and not of the code.
const MACHINE_WORDS: &[&str] = &[
    "failed to download",
    "failed to fetch",
    "could not resolve host",
    "couldn't connect",
    "failed to connect",
    "network failure",
    "spurious network error",
    "timeout was reached",
    "operation timed out",
    "no space left on device",
    "permission denied",
    "read-only file system",
    "could not execute process `rustc",
    "is not installed",
    "could not find `cargo.toml`",
    "attempting to make an http request",
    "failed to query replaced source",
    "too many open files",
    "cannot allocate memory",
    "no such command",
    "using offline mode",
    "unable to update registry",
];
/// Errors of cargo that only repeat what test binaries reported.
const ABOUT_TESTS: &[&str] =
    &["error: test failed", "error: doctest failed", "targets failed:", "error: 1 target failed"];

/// What linkers say when something is missing.
const LINKER_WORDS: &[&str] =
    &["undefined symbol", "undefined reference", "cannot find -l", "unable to find library"];

/// A line of cargo's standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CargoLine {
    /// The compiler speaks.
    Compiler {
        /// The message as people read it.
        rendered: String,
        /// The error, if it is one.
        error: Option<BuildError>,
        /// The id of the package that was compiled.
        package: String,
    },
    /// Something was built.
    Built(Artifact),
    /// The build is over; tests run next if it succeeded.
    BuildFinished {
        /// Whether everything was built.
        success: bool,
    },
    /// A message that people need not see.
    Quiet,
    /// Not a message of cargo.
    Text,
}

/// An error that kept tests from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// Compile error, or an error of the tools.
    pub kind: FailureKind,
    /// The compiler's code (`E0308`), or `error`.
    pub code: String,
    /// What was said.
    pub message: String,
    /// The file, as the compiler names it.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// The message with its surroundings.
    pub rendered: String,
}

/// Reads a line of cargo's standard output.
pub fn parse_line(line: &str) -> CargoLine {
    let Some(message) = serde_json::from_str::<Value>(line).ok().filter(Value::is_object) else {
        return CargoLine::Text;
    };
    match message.get("reason").and_then(Value::as_str) {
        Some("compiler-message") => {
            compiler(&message["message"], message["package_id"].as_str().unwrap_or_default())
        }
        Some("compiler-artifact") => {
            Artifact::of(&message).map_or(CargoLine::Quiet, CargoLine::Built)
        }
        Some("build-finished") => CargoLine::BuildFinished {
            success: message.get("success").and_then(Value::as_bool).unwrap_or(false),
        },
        Some(_) => CargoLine::Quiet,
        None => CargoLine::Text,
    }
}

fn compiler(message: &Value, package: &str) -> CargoLine {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let rendered = text("rendered");
    let said = text("message");
    let is_error = text("level").starts_with("error") && !said.starts_with("aborting due to");
    let error = is_error.then(|| {
        let span = message["spans"].as_array().and_then(|spans| {
            spans.iter().find(|span| span["is_primary"].as_bool().unwrap_or(false))
        });
        BuildError {
            kind: FailureKind::CompileError,
            code: message["code"]["code"].as_str().unwrap_or("error").to_owned(),
            message: with_label(said, span, &rendered),
            file: span.and_then(|span| span["file_name"].as_str()).map(str::to_owned),
            line: span
                .and_then(|span| span["line_start"].as_u64())
                .and_then(|line| line.try_into().ok()),
            rendered: strip_controls(&rendered),
        }
    });
    CargoLine::Compiler { rendered, error, package: package.to_owned() }
}

/// The message with the compiler's label at the place; without a place, with what the linker missed.
fn with_label(said: String, span: Option<&Value>, rendered: &str) -> String {
    let label = match span {
        Some(span) => span["label"].as_str(),
        None => rendered
            .lines()
            .find(|line| LINKER_WORDS.iter().any(|words| line.contains(words)))
            .map(|line| line.trim().trim_start_matches("= note: ")),
    };
    match label {
        Some(label) if !label.is_empty() => format!("{said}: {label}"),
        _ => said,
    }
}

/// What cargo and nextest say when they begin to run tests.
const STARTS_TESTS: &[&str] =
    &["     Running ", "   Doc-tests ", " Nextest run ID ", "    Starting "];

/// The error in cargo's standard error, where no compiler message explains why nothing was run. What
/// comes after the first test binary was started is not cargo's.
pub fn error_in(stderr: &str) -> Option<BuildError> {
    let clean = strip_controls(stderr);
    let own: Vec<&str> = clean
        .lines()
        .take_while(|line| !STARTS_TESTS.iter().any(|words| line.starts_with(words)))
        .collect();
    let begins = |line: &&str| line.starts_with("error") || line.contains(": error[");
    let first = own
        .iter()
        .position(|line| begins(line) && !ABOUT_TESTS.iter().any(|words| line.contains(words)))?;
    let block = own.get(first..)?;
    let head = block.first()?;
    let code = head.split_once("error[").and_then(|(_, rest)| rest.split(']').next());
    let place = block.iter().find_map(|line| place_in(line));
    let rendered = block.join("\n");
    let small = rendered.to_lowercase();
    let machine = MACHINE_WORDS.iter().any(|words| small.contains(words));
    Some(BuildError {
        kind: if machine { FailureKind::ToolingError } else { FailureKind::CompileError },
        code: code.unwrap_or("error").to_owned(),
        message: explained(block),
        file: place.as_ref().map(|(file, _)| file.clone()),
        line: place.map(|(_, line)| line),
        rendered,
    })
}

/// The error and what cargo says caused it; of a build script, what it panicked with.
fn explained(block: &[&str]) -> String {
    let mut lines = vec![block.first().copied().unwrap_or("").trim_start_matches("error: ")];
    let causes = block.iter().position(|line| line.trim() == "Caused by:");
    lines.extend(causes.and_then(|at| block.get(at + 1)).map(|line| line.trim()));
    let panic = block.iter().position(|line| line.contains("panicked at "));
    lines.extend(
        panic.and_then(|at| block.get(at..at + 2)).into_iter().flatten().map(|line| line.trim()),
    );
    lines.join("\n")
}

/// ` --> FILE:LINE:COLUMN`, `panicked at FILE:LINE:COLUMN:`, or `FILE:LINE:COLUMN: error[…`.
fn place_in(line: &str) -> Option<(String, u32)> {
    let place = line
        .trim_start()
        .strip_prefix("--> ")
        .or_else(|| line.split_once("panicked at ").map(|(_, place)| place))
        .or_else(|| line.split_once(": error[").map(|(place, _)| place))?;
    let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
    parts.next()?;
    let line = parts.next()?.parse().ok()?;
    Some((parts.next()?.to_owned(), line))
}

#[cfg(test)]
mod tests;
