//! What is written: valid against debug-memory v1, clean and bounded.

use redgreen_model::analysis::ANALYSIS_CHARS_MIN;
use redgreen_model::debug_memory::{Analysis, Execution, Failure, FixApplied, Record};
use redgreen_model::text::{BLOCK_CHARS, LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};
use uuid::Uuid;

use crate::MemoryError;
use crate::settings::Format;

/// The name of a record's file; why it has none, for a session that is no UUID.
pub(crate) fn file_name(record: &Record, format: Format) -> Result<String, MemoryError> {
    let session = Uuid::parse_str(&record.session_id).map_err(|_| MemoryError::Record {
        session: clean_line(&record.session_id, LINE_CHARS),
        reason: "its id is not a UUID".to_owned(),
    })?;
    Ok(format!("session-{session}.{}", format.extension()))
}

/// The text of a record.
pub(crate) fn written(record: &Record, format: Format) -> Result<String, MemoryError> {
    let problem =
        |reason: String| MemoryError::Record { session: record.session_id.clone(), reason };
    match format {
        Format::Json => {
            let mut text =
                serde_json::to_string_pretty(record).map_err(|error| problem(error.to_string()))?;
            text.push('\n');
            Ok(text)
        }
        Format::Yaml => serde_saphyr::to_string(record).map_err(|error| problem(error.to_string())),
    }
}

/// The record as it is written: texts clean and bounded, and what the format demands filled in.
/// `now` is the time of a record that knows none.
pub(crate) fn complete(record: &Record, now: &str) -> Record {
    let mut record = record.clone();
    clean(&mut record.file_path, LINE_CHARS);
    record.created_at = record.created_at.filter(|at| is_time(at)).or_else(|| Some(now.to_owned()));
    record.updated_at = record.updated_at.filter(|at| is_time(at)).or_else(|| Some(now.to_owned()));
    let created = record.created_at.clone().unwrap_or_default();
    for execution in &mut record.executions {
        complete_execution(execution, &created);
    }
    let coverage = record.metadata.iter_mut().filter_map(|metadata| metadata.coverage.as_mut());
    for coverage in coverage {
        drop_strange(&mut coverage.required_percent);
        drop_strange(&mut coverage.measured_percent);
    }
    let learnings = record.learnings.iter_mut();
    for pattern in learnings.flat_map(|learnings| &mut learnings.patterns_identified) {
        drop_strange(&mut pattern.effectiveness);
    }
    record
}

/// What is no number cannot be written down.
fn drop_strange(number: &mut Option<f64>) {
    *number = number.filter(|number| number.is_finite());
}

fn complete_execution(execution: &mut Execution, created: &str) {
    execution.attempt = execution.attempt.max(1);
    if !is_time(&execution.timestamp) {
        created.clone_into(&mut execution.timestamp);
    }
    if execution.code_hash.is_empty() {
        "unknown".clone_into(&mut execution.code_hash);
    }
    clean_optional(&mut execution.code_snapshot, BLOCK_CHARS);
    let results = &mut execution.test_results;
    results.duration_ms = results.duration_ms.filter(|time| time.is_finite() && *time >= 0.0);
    drop_strange(&mut results.coverage_percent);
    execution.failures.iter_mut().for_each(complete_failure);
    execution.analysis.iter_mut().for_each(complete_analysis);
    execution.fix_applied.iter_mut().for_each(complete_fix);
}

fn complete_failure(failure: &mut Failure) {
    clean(&mut failure.test_name, LINE_CHARS);
    clean(&mut failure.error_message, MESSAGE_CHARS);
    clean_optional(&mut failure.stack_trace, BLOCK_CHARS);
    clean_optional(&mut failure.expected, MESSAGE_CHARS);
    clean_optional(&mut failure.actual, MESSAGE_CHARS);
    failure.test_line = failure.test_line.filter(|line| *line > 0);
}

fn complete_analysis(analysis: &mut Analysis) {
    for text in [&mut analysis.root_cause, &mut analysis.fix_strategy] {
        clean(text, MESSAGE_CHARS);
        if text.trim().is_empty() {
            "nothing was said about it".clone_into(text);
        } else if text.chars().count() < ANALYSIS_CHARS_MIN {
            // The format wants a sentence, and others were shorter.
            text.push_str(" (unverified, from another tool)");
        }
    }
    drop_strange(&mut analysis.confidence);
    analysis.confidence = analysis.confidence.map(|sure| sure.clamp(0.0, 1.0));
}

fn complete_fix(fix: &mut FixApplied) {
    clean(&mut fix.description, MESSAGE_CHARS);
    clean_optional(&mut fix.diff, BLOCK_CHARS);
    fix.helped.iter_mut().chain(&mut fix.broke).for_each(|test| clean(test, LINE_CHARS));
}

fn clean(text: &mut String, chars_max: usize) {
    *text = clean_block(text.as_bytes(), chars_max);
}

fn clean_optional(text: &mut Option<String>, chars_max: usize) {
    text.iter_mut().for_each(|text| clean(text, chars_max));
}

fn is_time(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_ok()
}
