//! What Maven and Gradle print: why there is no report, and what was running when it ended.
//!
//! All of it explains. A class that was running stands in the way of green; nothing here makes a
//! test pass.

use redgreen_model::execution::Ended;
use redgreen_model::report::{Failure, FailureKind, Report};
use redgreen_model::text::{MESSAGE_CHARS, clean_block};

use crate::adapter::RunMaterial;
use crate::command::simple_commands;
use crate::identity::clean_id;

/// The most errors of a compiler that are kept.
const ERRORS: usize = 50;
/// The most classes in flight that are named.
const IN_FLIGHT: usize = 50;

/// Phases of Maven that run integration tests.
const AFTER_UNIT_TESTS: [&str; 4] = ["integration-test", "verify", "install", "deploy"];

/// Adds the errors of the compiler and the classes that never came to their end.
pub(super) fn explain_build(report: &mut Report, material: &RunMaterial<'_>) {
    if matches!(material.ended, Ended::Exited { code: 0 }) {
        from_cache(report, material.console);
        if report.began {
            let mut begun = begun_classes(material.console);
            // A class has its report when it has ended, whatever tests print between Surefire's lines.
            begun.retain(|class| !report.tests.iter().any(|test| is_of(&test.id, class)));
            unfinished(report, begun);
        }
        return;
    }
    for error in compile_errors(material) {
        let known = report
            .errors
            .iter()
            .any(|known| known.location == error.location && known.message == error.message);
        if !known && report.errors.len() < ERRORS {
            report.errors.push(error);
        }
    }
    report.errors.extend(forked_vm_ended(last_words(material.console)));
    unfinished(report, classes_in_flight(material));
    if let Some(why) = stopped_early(material) {
        report.complete = false;
        report.diagnostics.push(why);
    }
}

/// A build that stops at its first failure leaves the tests behind it alone: they are not gone.
fn stopped_early(material: &RunMaterial<'_>) -> Option<String> {
    let console = material.console;
    let words = || simple_commands(material.command).into_iter().flatten();
    let summary = console.rfind("Reactor Summary").and_then(|at| console.get(at..));
    let skipped = |line: &&str| line.starts_with("[INFO] ") && line.ends_with(" SKIPPED");
    let skipped = summary.map_or(0, |summary| summary.lines().filter(skipped).count());
    if skipped > 0 {
        return Some(format!("Maven skipped {skipped} modules after one that failed"));
    }
    let unit = last_words(console).contains("maven-surefire-plugin:");
    if unit && words().any(|word| AFTER_UNIT_TESTS.contains(&word.as_str())) {
        return Some("integration tests do not run after a unit test that failed".to_owned());
    }
    let of_module = |line: &str| {
        let task = line.strip_prefix("> Task :").and_then(|line| line.strip_suffix(" FAILED"));
        task.is_some_and(|task| task.contains(':'))
    };
    let gradle = console.lines().any(of_module) && !words().any(|word| word == "--continue");
    gradle.then(|| "Gradle stops at the first task that fails: add --continue".to_owned())
}

/// A runner was there, and did not come to its end: the opposite of a pass.
fn unfinished(report: &mut Report, in_flight: Vec<String>) {
    if !in_flight.is_empty() {
        report.began = true;
        report.complete = false;
    }
    for class in in_flight {
        let ended = report.tests.iter().any(|test| test.id == class);
        if !ended && !report.unfinished.contains(&class) {
            report.unfinished.push(class);
        }
    }
}

/// What Maven says at the very end. Tests print before that, also what looks like Maven's words.
fn last_words(console: &str) -> &str {
    let end = ["BUILD FAILURE", "[ERROR] Failed to execute goal "];
    let at = end.iter().find_map(|words| console.rfind(words));
    at.and_then(|at| console.get(at..)).unwrap_or(console)
}

/// Reports that Gradle takes from its cache are new files about an old run.
fn from_cache(report: &mut Report, console: &str) {
    let cached = console.lines().find(|line| {
        line.starts_with("> Task ") && line.ends_with(" FROM-CACHE") && line.contains("est ")
    });
    if let Some(line) = cached {
        report.complete = false;
        report.diagnostics.push(format!(
            "these results are from Gradle's cache, not from this run ({line}): add \
             --no-build-cache"
        ));
    }
}

/// Surefire's sentence about a process that ended in the middle of a test.
fn forked_vm_ended(console: &str) -> Option<Failure> {
    let text = |line: &'_ str| line.strip_prefix("[ERROR] ").map(str::to_owned);
    let mut lines = console.lines();
    let sentence = lines.find(|line| line.contains("The forked VM terminated without"))?;
    let code = lines.find(|line| line.contains("Process Exit Code: ")).and_then(text);
    let sentence = text(sentence).unwrap_or_else(|| sentence.to_owned());
    let message = format!("{sentence}\n{}", code.unwrap_or_default());
    let message = clean_block(message.trim().as_bytes(), MESSAGE_CHARS);
    Some(Failure::new(FailureKind::RuntimeError, "ForkedVmEnded", message))
}

/// `[ERROR] /path/File.java:[3,5] message` of Maven, `/path/File.java:3: error: message` of javac
/// under Gradle, `e: file:///path/File.kt:3:5 message` of Kotlin.
fn compile_errors(material: &RunMaterial<'_>) -> Vec<Failure> {
    let mut found: Vec<Failure> = Vec::new();
    let mut lines = last_words(material.console).lines().peekable();
    while let Some(line) = lines.next() {
        let Some((file, number, message)) = compile_error(line) else { continue };
        let Some(location) = material.places().location(file, Some(number)) else { continue };
        let mut message = message.to_owned();
        // What the compiler was looking for stands below.
        while let Some(more) = lines.next_if(|next| is_continued(next)) {
            message.push('\n');
            message.push_str(more.trim_start_matches("[ERROR]").trim());
        }
        let message = clean_block(message.as_bytes(), MESSAGE_CHARS);
        let mut failure = Failure::new(FailureKind::CompileError, "CompileError", message);
        failure.location = Some(location);
        // Maven says each error twice.
        if !found.iter().any(|known| known.location == failure.location) {
            found.push(failure);
        }
    }
    found
}

fn is_continued(line: &str) -> bool {
    let text = line.strip_prefix("[ERROR]").unwrap_or(line);
    let word = text.trim_start().split(':').next().unwrap_or("");
    text.starts_with("  ")
        && matches!(word.trim_end(), "symbol" | "location" | "required" | "found" | "reason")
}

fn compile_error(line: &str) -> Option<(&str, u32, &str)> {
    if let Some(rest) = line.strip_prefix("[ERROR] ") {
        let (file, rest) = rest.split_once(":[")?;
        let (place, message) = rest.split_once("] ")?;
        let number = place.split(',').next()?.parse().ok()?;
        return is_source(file).then(|| (file_path(file), number, message));
    }
    if let Some(rest) = line.strip_prefix("e: ") {
        let rest = file_path(rest);
        let end = rest.find(".kt")? + 3;
        let (file, rest) = (rest.get(..end)?, rest.get(end..)?.trim_start_matches([':', ' ', '(']));
        let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let message = rest.split_once(' ').map_or("", |(_, message)| message);
        return Some((file, rest.get(..digits)?.parse().ok()?, message));
    }
    let (place, message) = line.split_once(": error: ")?;
    let (file, number) = place.rsplit_once(':')?;
    is_source(file).then_some(())?;
    Some((file, number.parse().ok()?, message))
}

fn file_path(text: &str) -> &str {
    text.strip_prefix("file://").unwrap_or(text)
}

fn is_source(file: &str) -> bool {
    [".java", ".kt", ".groovy", ".scala"].iter().any(|end| file.ends_with(end))
}

/// The classes that were running when their process ended: those that Surefire calls crashed, and
/// where everything was ended, those that began and never ended.
fn classes_in_flight(material: &RunMaterial<'_>) -> Vec<String> {
    if matches!(material.ended, Ended::Exited { .. }) {
        return crashed_classes(last_words(material.console));
    }
    begun_classes(material.console)
}

fn is_of(test: &str, class: &str) -> bool {
    // The id may begin with the module.
    test.find(class)
        .and_then(|at| test.get(at + class.len()..))
        .is_some_and(|rest| rest.starts_with('.'))
}

/// The classes that began and have no end, by Surefire's lines.
fn begun_classes(console: &str) -> Vec<String> {
    let mut running: Vec<String> = Vec::new();
    for line in console.lines() {
        let text = without_level(line);
        if let Some(class) = text.strip_prefix("Running ").filter(|class| is_class(class)) {
            push(&mut running, class);
        } else if text.starts_with("Tests run: ") {
            let ended = text.rsplit_once(" in ").map_or("", |(_, class)| class.trim());
            running.retain(|class| class != ended);
        }
    }
    running
}

fn crashed_classes(console: &str) -> Vec<String> {
    let mut crashed = Vec::new();
    let mut naming = false;
    for text in console.lines().map(without_level) {
        if naming && is_class(text) {
            push(&mut crashed, text);
        } else {
            naming = text == "Crashed tests:";
        }
    }
    crashed
}

fn without_level(line: &str) -> &str {
    let levels = ["[INFO] ", "[ERROR] ", "[WARNING] "];
    levels.iter().find_map(|level| line.strip_prefix(level)).unwrap_or(line)
}

fn push(classes: &mut Vec<String>, class: &str) {
    let class = clean_id(class);
    if !classes.contains(&class) && classes.len() < IN_FLIGHT {
        classes.push(class);
    }
}

fn is_class(text: &str) -> bool {
    let letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '$' | '_');
    !text.is_empty() && text.chars().all(letter)
}

/// The build could not get what it needs: nobody's code is at fault.
pub(super) fn tools_failed(console: &str) -> bool {
    let signs = [
        "Could not resolve dependencies",
        "could not be resolved",
        "Could not transfer artifact",
        "Cannot access central",
        "Could not resolve all",
        "JAVA_HOME",
        "No compiler is provided in this environment",
        "release version",
    ];
    console.lines().any(|line| {
        let error = line.starts_with("[ERROR]") || line.contains("rror:") || line.starts_with("> ");
        error && signs.iter().any(|sign| line.contains(sign))
    })
}

/// Why no report is there, as far as the console tells.
pub(super) fn why_no_report(material: &RunMaterial<'_>) -> String {
    let console = material.console;
    let reasons = [
        ("Tests are skipped.", "the tests are skipped (skipTests)"),
        ("Tests are skipped", "the tests are skipped (skipTests)"),
        ("No tests to run.", "Maven found no test to run"),
        (
            "UP-TO-DATE",
            "Gradle did not run them again because they are up to date: add cleanTest, \
          or --rerun-tasks",
        ),
        ("NO-SOURCE", "Gradle found no test"),
    ];
    let reason = reasons.iter().find(|(sign, _)| console.contains(sign)).map(|(_, reason)| *reason);
    let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
    format!("this run wrote no report of its tests{reason}")
}
