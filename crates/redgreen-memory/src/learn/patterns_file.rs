//! `patterns/learned-patterns.yaml`: what the records teach, for people and other tools.
//!
//! It is derived: the same records give the same bytes, in whatever order they came. So git is set to take the
//! lines of both sides (`merge=union` in the memory's `.gitattributes`), which never is a conflict; after a merge the
//! file is written anew, and whatever became of our entries does not matter. Those of other tools stay: where the
//! file as a whole cannot be read, each is read by itself.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_model::document::{Syntax, read_value};
use serde::Serialize;
use serde_json::{Value, json};

use super::Pattern;
use super::habits_seen::{OFFERED_IN_PLACES, SeenHabit};
use crate::file::{Stamp, write_whole};
use crate::index::{Effort, Index};
use crate::{Memory, MemoryError};

/// What became of the file of patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternsFile {
    /// Where it is.
    pub path: PathBuf,
    /// How many patterns are in it.
    pub patterns: usize,
    /// Whether it says something else than before.
    pub changed: bool,
}

/// Ours are known by it.
const OWN_ID: &str = "rg-";
/// So many digits of a rate: the rest is noise that would show in every diff.
const RATE_DIGITS: f64 = 1_000.0;
/// A pattern is worth writing down after redgreen saw it in so many sessions, or once something helped.
const SESSIONS_MIN: u32 = 2;

impl Memory {
    /// Writes the file of patterns anew, if it says something else.
    pub fn write_patterns(&mut self) -> Result<PatternsFile, MemoryError> {
        let path = self.layout.patterns();
        let taken = self.ask(Effort::Quick, Index::take_unwritten)?;
        let before = fs::read_to_string(&path).ok();
        let mut entries = match before.as_deref().map(entries_of_others) {
            Some(None) => {
                self.put_aside(&path)?;
                Vec::new()
            }
            Some(Some(entries)) => entries,
            None => Vec::new(),
        };
        let learned = self.patterns()?;
        let worth = learned.iter().filter(|pattern| is_worth_writing(pattern));
        entries.extend(worth.map(entry));
        let habits = self.habits()?;
        entries.extend(habits.iter().filter(|habit| is_general(habit)).map(habit_entry));
        entries.sort_by(|left, right| id_of(left).cmp(id_of(right)));
        let text = written(&entries).map_err(|reason| MemoryError::Patterns { reason })?;
        let changed = before.as_deref() != Some(text.as_str());
        if changed && !(entries.is_empty() && before.is_none()) {
            self.make_folders()?;
            write_whole(&self.layout, &path, text.as_bytes())?;
        }
        let file = Stamp::at(&path);
        self.ask(Effort::Quick, |index| index.wrote_patterns(&taken, file))?;
        Ok(PatternsFile { path, patterns: entries.len(), changed })
    }

    /// What nobody can read, a merge with conflicts as a rule, is kept beside the new one.
    fn put_aside(&mut self, path: &Path) -> Result<(), MemoryError> {
        let aside = path.with_extension(format!("unreadable-{}.txt", uuid::Uuid::now_v7()));
        fs::rename(path, &aside).map_err(MemoryError::file("put aside", path))?;
        let name = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.notes
            .push(format!("the learned patterns could not be read, and were moved to {name}"));
        Ok(())
    }
}

pub(super) fn is_worth_writing(pattern: &Pattern) -> bool {
    pattern.occurrences >= SESSIONS_MIN || pattern.worked > 0
}

fn id_of(entry: &Value) -> &str {
    entry.get("pattern_id").and_then(Value::as_str).unwrap_or_default()
}

/// What other tools wrote into the file; none if it cannot be read.
fn entries_of_others(text: &str) -> Option<Vec<Value>> {
    let Ok(document) = read_value(text, Some(Syntax::Yaml)) else {
        return entries_one_by_one(text);
    };
    match document.get("patterns") {
        Some(Value::Array(entries)) => {
            let others = entries.iter().filter(|entry| !id_of(entry).starts_with(OWN_ID));
            Some(others.cloned().collect())
        }
        Some(Value::Null) => Some(Vec::new()),
        _ => None,
    }
}

/// The same of a file that a merge put together: ours may be in pieces and are passed over, others' have to be whole.
/// None if one is not, or if there is more than entries.
fn entries_one_by_one(text: &str) -> Option<Vec<Value>> {
    const MARKS: [&str; 4] = ["<<<<<<< ", "||||||| ", "=======", ">>>>>>> "];
    let is_said =
        |line: &&str| !line.starts_with('#') && !MARKS.iter().any(|mark| line.starts_with(mark));
    let (head, list) = text.split_once("patterns:\n")?;
    if head.lines().filter(is_said).any(|line| !line.trim().is_empty()) {
        return None;
    }
    let start = list.lines().filter(is_said).find_map(|line| line.find("- ").map(|at| &line[..at]));
    let begin = format!("{}- ", start?);
    let mut blocks: Vec<String> = Vec::new();
    for line in list.lines().filter(is_said).filter(|line| *line != "patterns:") {
        if line.starts_with(&begin) || blocks.is_empty() {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            block.push_str(line);
            block.push('\n');
        }
    }
    let own = format!("pattern_id: {OWN_ID}");
    let is_own = |block: &String| {
        block.lines().any(|line| line.trim_start_matches([' ', '-']).starts_with(&own))
    };
    let mut others: Vec<Value> = Vec::new();
    for block in blocks.iter().filter(|block| !is_own(block)) {
        let entry = read_value(block, Some(Syntax::Yaml)).ok()?.get(0).cloned()?;
        // Both sides had it.
        if !others.contains(&entry) {
            others.push(entry);
        }
    }
    Some(others)
}

pub(super) fn entry(pattern: &Pattern) -> Value {
    let template = match (&pattern.fix, &pattern.diff) {
        (Some(fix), Some(diff)) => Some(format!("{fix}\n\n{}\n", diff.trim_end())),
        (fix, diff) => fix.clone().or_else(|| diff.clone()),
    };
    let mut entry = json!({
        "pattern_id": pattern.id,
        "error_type": pattern.error_type,
        "error_pattern": pattern.error_pattern,
    });
    let Some(fields) = entry.as_object_mut() else { return entry };
    let mut set = |name: &str, value: Value| {
        if !value.is_null() {
            fields.insert(name.to_owned(), value);
        }
    };
    set("fix_template", template.into());
    set("occurrences", pattern.occurrences.into());
    set("told", Some(pattern.unverified).filter(|number| *number > 0).into());
    set("success_rate", pattern.success_rate.map(rounded).into());
    set("last_seen", pattern.last_seen.clone().into());
    set("fingerprint", pattern.fingerprint.clone().into());
    set("offered", pattern.offered.into());
    entry
}

/// Whether a habit says more than the pattern of its one cause.
pub(super) fn is_general(habit: &SeenHabit) -> bool {
    habit.places >= OFFERED_IN_PLACES
}

pub(super) fn habit_entry(habit: &SeenHabit) -> Value {
    let mut entry = json!({
        "pattern_id": habit.id,
        "pattern": habit.name,
        "error_type": habit.habit.category().as_str(),
        "error_pattern": habit.habit.error_pattern(),
        "fix_template": habit.advice,
        "occurrences": habit.occurrences,
        "places": habit.places,
        "last_seen": habit.last_seen,
        "offered": habit.offered,
    });
    if let (Some(rate), Some(fields)) = (habit.success_rate, entry.as_object_mut()) {
        fields.insert("success_rate".to_owned(), rounded(rate).into());
    }
    entry
}

fn rounded(rate: f64) -> f64 {
    (rate * RATE_DIGITS).round() / RATE_DIGITS
}

pub(super) fn written(entries: &[Value]) -> Result<String, String> {
    #[derive(Serialize)]
    struct Document<'a> {
        patterns: &'a [Value],
    }
    let body = serde_saphyr::to_string(&Document { patterns: entries })
        .map_err(|error| error.to_string())?;
    Ok(format!(
        "# Made by redgreen from the records: `redgreen memory patterns` writes it again.\n{body}"
    ))
}
