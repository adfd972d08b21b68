//! How errors of the JVM look.

use super::words::{number, typed};
use crate::stream::{FailureRecord, Frame};

/// Packages that are not the project's.
const FOREIGN: [&str; 16] = [
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "kotlin.",
    "scala.",
    "groovy.",
    "org.junit.",
    "junit.",
    "org.opentest4j.",
    "org.testng.",
    "org.assertj.",
    "org.hamcrest.",
    "org.mockito.",
    "org.gradle.",
    "org.apache.maven.",
];

/// A failure from an exception and its stack.
pub(super) fn described(text: &str) -> FailureRecord {
    let said: Vec<&str> =
        text.lines().take_while(|line| !line.trim_start().starts_with("at ")).collect();
    let message = said.join("\n");
    let first = message.lines().next().unwrap_or("");
    let (error_type, message) = match typed(first) {
        Some((name, _)) => (name, message.split_once(':').map_or("", |(_, rest)| rest).trim()),
        None if first.contains('.') && !first.contains(' ') => (first, ""),
        None => ("Failure", message.trim()),
    };
    let short = error_type.rsplit('.').next().unwrap_or(error_type);
    let (expected, actual) = values(message);
    let mut frames: Vec<Frame> =
        text.lines().filter_map(frame).take(super::frames::FRAMES).collect();
    frames.reverse();
    FailureRecord {
        error_type: short.to_owned(),
        message: if message.is_empty() { short.to_owned() } else { message.to_owned() },
        expected,
        actual,
        stack: Some(text.trim_end().to_owned()),
        frames,
        phase: None,
    }
}

/// `expected: <3> but was: <4>`, and JUnit 4's `expected:<3> but was:<4>`.
fn values(message: &str) -> (Option<String>, Option<String>) {
    let found = message.split_once("expected:").and_then(|(_, rest)| rest.split_once("but was:"));
    let plain = |text: &str| {
        let text = text.trim();
        let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
        Some(inner.unwrap_or(text).to_owned())
    };
    let given = found.filter(|(expected, _)| expected.trim_start().starts_with('<'));
    given.map_or((None, None), |(expected, actual)| (plain(expected), plain(actual)))
}

/// `  at shop.PricesTest.adds(PricesTest.java:13)`: the file is where Maven and Gradle keep it.
fn frame(line: &str) -> Option<Frame> {
    let text = line.trim_start().strip_prefix("at ")?;
    let (method, source) = text.strip_suffix(')').unwrap_or(text).split_once('(')?;
    let method = method.rsplit('/').next()?;
    let (file, line) = source.split_once(':')?;
    let line = number(line)?.0;
    if FOREIGN.iter().any(|package| method.starts_with(package)) {
        return None;
    }
    Some(Frame {
        file: source_file(method, file)?,
        line: Some(line),
        function: Some(method.to_owned()),
    })
}

fn source_file(method: &str, file: &str) -> Option<String> {
    let (class, _) = method.rsplit_once('.')?;
    let package = class.rsplit_once('.').map_or("", |(package, _)| package).replace('.', "/");
    let (stem, extension) = file.rsplit_once('.')?;
    let language = match extension {
        "kt" => "kotlin",
        "groovy" => "groovy",
        "scala" => "scala",
        _ => "java",
    };
    let is_test = stem.contains("Test") || stem.ends_with("IT") || stem.ends_with("Spec");
    let part = if is_test { "test" } else { "main" };
    let slash = if package.is_empty() { "" } else { "/" };
    Some(format!("src/{part}/{language}/{package}{slash}{file}"))
}

/// Where the class of a test is, from its id.
pub(super) fn file_of(class: &str) -> String {
    let outer = class.split('$').next().unwrap_or(class);
    format!("src/test/java/{}.java", outer.replace('.', "/"))
}
