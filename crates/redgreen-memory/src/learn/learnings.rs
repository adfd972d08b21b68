//! What a session taught, to be written into its own record.

use std::collections::BTreeSet;

use redgreen_model::debug_memory::{IdentifiedPattern, Learnings, Record, RootCauseCategory};
use rusqlite::{Connection, OptionalExtension as _};

use super::Pattern;
use super::habits_seen::{SeenHabit, habits_seen};
use super::pattern::pattern_of;
use super::patterns_file::is_general;
use super::recurring::recurring_test;
use crate::cause::fingerprint;
use crate::facts::tries;
use crate::habits::Habit;
use crate::index::{Effort, name_of};
use crate::{Memory, MemoryError};

impl Memory {
    /// What a session that has been written taught: the patterns that it met or made, and its tests that
    /// failed in other sessions, too.
    pub fn learnings(&mut self, record: &Record) -> Result<Learnings, MemoryError> {
        let failures = || record.executions.iter().flat_map(|run| &run.failures);
        let causes: BTreeSet<String> = failures().map(fingerprint).collect();
        let tests: BTreeSet<&str> = failures().map(|failure| failure.test_name.as_str()).collect();
        let analyses = record.executions.iter().filter_map(|run| run.analysis.as_ref());
        let category = analyses.filter_map(|analysis| analysis.root_cause_category).next_back();
        let met: BTreeSet<Habit> =
            tries(record, true).into_iter().filter_map(|it| it.habit).collect();
        self.ask(Effort::Quick, |index| {
            let mut learnings = Learnings::default();
            for cause in &causes {
                let pattern = pattern_by_fingerprint(&index.connection, cause)?;
                learnings
                    .patterns_identified
                    .extend(pattern.and_then(|pattern| noted(&pattern, category)));
            }
            for habit in habits_seen(&index.connection)? {
                if met.contains(&habit.habit) && is_general(&habit) {
                    learnings.patterns_identified.push(general(&habit));
                    learnings.recommendations.extend(habit.offered.then_some(habit.advice));
                }
            }
            for test in &tests {
                let Some(test) = name_of(&index.connection, test)? else { continue };
                let recurring = recurring_test(&index.connection, test)?;
                learnings.recurring_failures.extend(recurring.map(Into::into));
            }
            Ok(learnings)
        })
    }
}

fn pattern_by_fingerprint(
    connection: &Connection,
    fingerprint: &str,
) -> Result<Option<Pattern>, rusqlite::Error> {
    let cause: Option<i64> = connection
        .prepare_cached("SELECT id FROM causes WHERE fingerprint = ?1")?
        .query_row([fingerprint], |row| row.get(0))
        .optional()?;
    match cause {
        Some(cause) => pattern_of(connection, cause),
        None => Ok(None),
    }
}

/// A habit in the words of the record.
fn general(habit: &SeenHabit) -> IdentifiedPattern {
    IdentifiedPattern {
        pattern: habit.name.clone(),
        category: Some(habit.habit.category().as_str().to_owned()),
        frequency: habit.occurrences.max(1),
        fix_template: Some(habit.advice.clone()),
        effectiveness: habit.success_rate,
    }
}

/// Once is no pattern, unless something helped.
fn noted(pattern: &Pattern, category: Option<RootCauseCategory>) -> Option<IdentifiedPattern> {
    let place = pattern.function.as_ref().map(|function| format!(" in {function}"));
    (pattern.occurrences > 1 || pattern.worked > 0).then(|| IdentifiedPattern {
        pattern: format!(
            "{}{}: {}",
            pattern.error_type,
            place.unwrap_or_default(),
            pattern.message
        ),
        category: category.map(|category| category.as_str().to_owned()),
        frequency: pattern.occurrences.max(1),
        fix_template: pattern.fix.clone(),
        effectiveness: pattern.success_rate,
    })
}
