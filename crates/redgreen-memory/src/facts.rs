//! What a record says, in the words of the index.

mod causing_edits;
mod tries;

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::analysis::AnalysisSource;
use redgreen_model::debug_memory::{Failure, IdentifiedPattern, Record, RecordStatus};
use redgreen_model::text::{LINE_CHARS, clean_line, one_line};

use crate::cause::{error_name, fingerprint, first_line};
use crate::habits::Habit;
use crate::moment::milliseconds;
use crate::record::Read;
use crate::seal::Provenance;

pub(crate) use causing_edits::Edit;
use causing_edits::judged_edit;
pub(crate) use tries::tries;

/// What records are found by, beside the causes that they saw with their tests and errors; the numbers are
/// in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    File = 1,
    Folder = 2,
    Category = 3,
    Pattern = 4,
}

/// A cause that was seen in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sighting {
    pub(crate) fingerprint: String,
    pub(crate) said: Said,
    pub(crate) test: String,
    /// Where it stands among those of the session.
    pub(crate) position: u32,
    /// The edit that brought it, where redgreen saw one do it.
    pub(crate) brought: Option<Edit>,
    /// It was still there when the session was seen last.
    pub(crate) open: bool,
}

/// How a sighting describes its cause. The same cause may be described in other words, and by anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) error_name: String,
    pub(crate) function: Option<String>,
    pub(crate) message: String,
}

/// Between the parts of what was said.
const BETWEEN: char = '\u{1f}';

impl Said {
    /// All of it in one text.
    pub(crate) fn packed(&self) -> String {
        let whole = |part: &str| part.replace(BETWEEN, " ");
        let function = self.function.as_deref().unwrap_or_default();
        [whole(&self.error_name), whole(function), whole(&self.message)].join(&BETWEEN.to_string())
    }

    /// What was packed.
    pub(crate) fn unpacked(text: &str) -> Self {
        let mut parts = text.splitn(3, BETWEEN).map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        let error_name = part();
        let function = Some(part()).filter(|function| !function.is_empty());
        Self { error_name, function, message: part() }
    }
}

/// Whether a fix helped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Pending = 0,
    Worked = 1,
    Failed = 2,
    /// The failure was gone, and others had come that were not there before.
    Broke = 3,
    /// The failure was gone, and others showed.
    Uncovered = 4,
    /// It was about other failures, which were gone after it.
    Elsewhere = 5,
}

/// A fix that was tried against a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Try {
    pub(crate) fingerprint: String,
    /// The execution after which it was tried, counted from 0: an attempt may have two.
    pub(crate) run: u32,
    pub(crate) outcome: Outcome,
    pub(crate) at: i64,
    pub(crate) description: String,
    /// Changed lines; more than any where there is no diff.
    pub(crate) diff_lines: i64,
    /// The same for the same change, wherever it stands in its file; by its words where there is no diff.
    pub(crate) fix: String,
    /// The lines that tell it; none where there is no diff.
    pub(crate) lines: Option<String>,
    /// The failures that came or showed after it, or the tests that it helped instead, in words.
    pub(crate) others: Option<String>,
    /// The habit that it mended, or was meant to: see [`crate::habits`].
    pub(crate) habit: Option<Habit>,
    /// Where the failure came from: two of a kind in one place are one mistake.
    pub(crate) place: String,
}

/// What a record says.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) session: String,
    pub(crate) file_path: String,
    /// When it was last written.
    pub(crate) at: i64,
    pub(crate) status: Option<RecordStatus>,
    pub(crate) attempts: u32,
    pub(crate) agent: Option<String>,
    pub(crate) framework: Option<String>,
    pub(crate) code_type: Option<String>,
    /// Where it comes from; it counts if redgreen saw it.
    pub(crate) shown: Provenance,
    pub(crate) reused: bool,
    pub(crate) coverage_met: Option<bool>,
    pub(crate) learned: bool,
    /// Whether it says something about the work: nothing does that the tools or somebody stopped.
    pub(crate) counted: bool,
    pub(crate) keys: BTreeSet<(Key, String)>,
    pub(crate) sightings: Vec<Sighting>,
    pub(crate) tries: Vec<Try>,
    pub(crate) texts: BTreeSet<String>,
    pub(crate) notes: Vec<IdentifiedPattern>,
}

/// Why a loop ended without saying anything about the work in it.
const NOT_ABOUT_THE_WORK: [&str; 2] = ["tooling_error", "interrupted"];

/// So much of a message and of an analysis can be searched.
const TEXT_CHARS: usize = 2_000;

impl Facts {
    /// What a record says that is in a file of this time.
    pub(crate) fn of(read: &Read, file_ms: i64) -> Self {
        Self::said(read).no_younger_than(file_ms)
    }

    /// What a record says, before it is in a file. One that knows no time is at its end.
    pub(crate) fn said(read: &Read) -> Self {
        let Read { record, shown } = read;
        let metadata = record.metadata.clone().unwrap_or_default();
        let learnings = record.learnings.clone().unwrap_or_default();
        let seen = shown.origin.is_seen();
        let framework = record
            .executions
            .iter()
            .find_map(|execution| execution.environment.as_ref()?.test_framework.clone());
        Self {
            session: record.session_id.clone(),
            file_path: record.file_path.clone(),
            at: last_written(record).unwrap_or(i64::MAX),
            status: record.status.or_else(|| shown_status(record)),
            attempts: record
                .executions
                .iter()
                .map(|execution| execution.attempt)
                .max()
                .unwrap_or(0),
            agent: metadata.agent.clone(),
            framework,
            code_type: metadata.code_type.map(|kind| kind.as_str().to_owned()),
            shown: shown.clone(),
            reused: was_reused(record),
            coverage_met: metadata.coverage.as_ref().and_then(|coverage| coverage.met),
            learned: !learnings.is_empty(),
            counted: !metadata
                .stop_reason
                .as_deref()
                .is_some_and(|it| NOT_ABOUT_THE_WORK.contains(&it)),
            keys: keys(record),
            sightings: sightings(record, seen),
            tries: tries(record, seen),
            texts: texts(record, seen),
            // What redgreen notes in its own records is derived from them, and counted there.
            notes: if seen { Vec::new() } else { learnings.patterns_identified },
        }
    }

    /// A record is as young as its file at most, whatever it says: else it would come before all others for ever.
    /// The time of the file stays where the clock goes on, so that an index that is made anew says the same.
    pub(crate) fn no_younger_than(mut self, file_ms: i64) -> Self {
        self.at = self.at.min(file_ms);
        for tried in &mut self.tries {
            tried.at = tried.at.min(file_ms);
        }
        self
    }

    /// Whether redgreen saw it.
    pub(crate) fn is_seen(&self) -> bool {
        self.shown.origin.is_seen()
    }
}

/// When a record was last written, as far as it says.
pub(crate) fn last_written(record: &Record) -> Option<i64> {
    let of = |time: &Option<String>| time.as_deref().and_then(milliseconds);
    let executed = record.executions.iter().filter_map(|run| milliseconds(&run.timestamp)).max();
    of(&record.updated_at).or(executed).or_else(|| of(&record.created_at))
}

/// What became of a session that does not say it: only green follows from results.
fn shown_status(record: &Record) -> Option<RecordStatus> {
    let last = record.executions.last()?;
    last.test_results.is_green().then_some(RecordStatus::Passed)
}

/// Whether an edit of the session passed with a warning: what it did away with need not be repaired.
fn was_warned(record: &Record) -> bool {
    let mut fixes = record.executions.iter().filter_map(|run| run.fix_applied.as_ref());
    fixes.any(|fix| !fix.warnings.is_empty())
}

/// Whether the session had something from memory, and it helped: it was not in vain where a failure
/// that was warned of stayed away, or one that was known was repaired.
fn was_reused(record: &Record) -> bool {
    let recalled = record.metadata.as_ref().and_then(|metadata| metadata.recalled.as_ref());
    if let Some(recalled) = recalled {
        let offered =
            recalled.brief || !recalled.sessions.is_empty() || !recalled.patterns.is_empty();
        let stayed_away =
            recalled.warned_of.iter().any(|warned| !recalled.appeared.contains(warned));
        let repaired = record.status == Some(RecordStatus::Passed)
            && !recalled.known.is_empty()
            && !was_warned(record);
        return offered && (stayed_away || repaired);
    }
    let mut analyses = record.executions.iter().filter_map(|run| run.analysis.as_ref());
    record.status == Some(RecordStatus::Passed)
        && analyses.any(|analysis| !analysis.similar_past_issues.is_empty())
}

fn keys(record: &Record) -> BTreeSet<(Key, String)> {
    let mut keys = BTreeSet::new();
    let mut files: BTreeSet<&str> = BTreeSet::from([record.file_path.as_str()]);
    for run in &record.executions {
        for failure in &run.failures {
            files.extend(failure.test_file.as_deref());
            files.extend(failure.source_location.as_ref().and_then(|place| place.file.as_deref()));
        }
        let category = run.analysis.as_ref().and_then(|analysis| analysis.root_cause_category);
        keys.extend(category.map(|category| (Key::Category, category.as_str().to_owned())));
        files.extend(
            run.fix_applied.iter().flat_map(|fix| fix.files_changed.iter().map(String::as_str)),
        );
    }
    let patterns = record.learnings.iter().flat_map(|learnings| &learnings.patterns_identified);
    keys.extend(patterns.map(|pattern| (Key::Pattern, pattern.pattern.clone())));
    for file in files.into_iter().filter(|file| !file.is_empty() && *file != ".") {
        keys.insert((Key::File, file.to_owned()));
        keys.insert((Key::Folder, folder_of(file).to_owned()));
    }
    keys
}

/// The folder of a file; `.` for one at the top.
pub(crate) fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

fn sightings(record: &Record, seen: bool) -> Vec<Sighting> {
    let mut found: BTreeMap<(String, String), Sighting> = BTreeMap::new();
    // A loop that ends otherwise may have put back what it began with: nothing of it is resolved.
    let ended_green = !was_warned(record)
        && record.status.or_else(|| shown_status(record)) == Some(RecordStatus::Passed);
    for (index, run) in record.executions.iter().enumerate() {
        // Only what is sealed names who brought something.
        let edit = judged_edit(record, index).filter(|_| seen);
        for failure in &run.failures {
            let place = failure.source_location.as_ref();
            let said = Said {
                error_name: error_name(failure).to_owned(),
                function: place.and_then(|place| place.function.clone()),
                message: clean_line(first_line(&failure.error_message), LINE_CHARS),
            };
            let key = (fingerprint(failure), failure.test_name.clone());
            let next = u32::try_from(found.len()).unwrap_or(u32::MAX);
            let known = found.get(&key);
            let position = known.map_or(next, |known| known.position);
            let brought = edit.filter(|_| failure.brought_by_edit);
            let brought = brought.map(|fix| Edit::that_brought(failure, fix));
            // An edit stands under the words that came with it, whatever the failure said later.
            let (said, brought) = match known.filter(|_| brought.is_none()) {
                Some(Sighting { said, brought: Some(before), .. }) => {
                    (said.clone(), Some(before.clone()))
                }
                _ => (said, brought),
            };
            let sighting = Sighting {
                fingerprint: key.0.clone(),
                said,
                test: key.1.clone(),
                position,
                brought,
                open: !ended_green,
            };
            found.insert(key, sighting);
        }
    }
    found.into_values().collect()
}

/// What a failure is called, by each name that somebody may ask for: its test, files, function, error and cause.
fn named(failure: &Failure) -> String {
    let mut text = format!("{}: {}", failure.test_name, error_name(failure));
    let shared = failure.error_type.as_str();
    if shared != error_name(failure) {
        text.push_str(&format!(" ({shared})"));
    }
    if let Some(place) = &failure.source_location {
        let function = place.function.as_deref().map(|name| format!(" in {name}"));
        text.push_str(&function.unwrap_or_default());
        let file = place.file.as_deref().map(|file| format!(" at {file}"));
        text.push_str(&file.unwrap_or_default());
    }
    if let Some(file) = failure.test_file.as_deref().filter(|it| !text.contains(*it)) {
        text.push_str(&format!(", test in {file}"));
    }
    let cause = failure.fingerprint.as_deref().map(|cause| format!(" [{cause}]"));
    text + &cause.unwrap_or_default()
}

fn texts(record: &Record, seen: bool) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for run in &record.executions {
        for failure in &run.failures {
            texts.insert(format!("{} {}", error_name(failure), failure.error_message));
            texts.insert(named(failure));
        }
        if let Some(analysis) = &run.analysis {
            let whose = match analysis.source {
                Some(AnalysisSource::Agent) => "the agent said: ",
                _ => "",
            };
            texts.insert(format!("{whose}{} {}", analysis.root_cause, analysis.fix_strategy));
        }
        let fix = run.fix_applied.as_ref();
        texts.extend(fix.map(|fix| if seen { fix.in_words() } else { fix.description.clone() }));
    }
    if let Some(learnings) = &record.learnings {
        texts.extend(learnings.patterns_identified.iter().map(|pattern| pattern.pattern.clone()));
        texts.extend(learnings.recommendations.iter().cloned());
    }
    let bounded = texts.into_iter().map(|text| one_line(&text, TEXT_CHARS));
    bounded.filter(|text| !text.is_empty()).collect()
}
