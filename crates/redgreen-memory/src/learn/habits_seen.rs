//! What is known of habits: summed up from the tries of all causes when somebody asks.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::pattern::{OFFERED_ABOVE, RECENT};
use super::sums::share;
use crate::habits::Habit;
use crate::index::Effort;
use crate::moment::rfc3339;
use crate::{Memory, MemoryError};

/// A habit is offered after its mending helped in so many different places.
pub const OFFERED_IN_PLACES: u32 = 2;

/// A mistake that was made and mended in the same way, in re-runs that redgreen saw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeenHabit {
    /// Its name, the same in every memory.
    pub id: String,
    /// Which one.
    pub habit: Habit,
    /// What is wrong, in a few words.
    pub name: String,
    /// What would have prevented it.
    pub advice: String,
    /// In how many sessions it was met.
    pub occurrences: u32,
    /// In how many different functions it was mended like that.
    pub places: u32,
    /// How often that helped.
    pub worked: u32,
    /// How often it did not.
    pub failed: u32,
    /// The share of those that helped.
    pub success_rate: Option<f64>,
    /// The same, or that of the latest tries if it is less.
    pub effectiveness: f64,
    /// Whether it is worth offering.
    pub offered: bool,
    /// When it was last seen, RFC 3339.
    pub last_seen: String,
}

impl Memory {
    /// Every habit that redgreen saw, what is offered first.
    pub fn habits(&mut self) -> Result<Vec<SeenHabit>, MemoryError> {
        self.ask(Effort::Thorough, |index| Ok(habits_seen(&index.connection)?))
    }
}

/// Every habit that redgreen saw, what is offered first, then by how well and how often it helped.
pub(crate) fn habits_seen(connection: &Connection) -> Result<Vec<SeenHabit>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT habit, count(*) FILTER (WHERE outcome = 1), count(*) FILTER (WHERE outcome = 2),
         count(DISTINCT record), count(DISTINCT CASE WHEN outcome = 1 THEN place END), max(at)
         FROM tries WHERE habit IS NOT NULL GROUP BY habit",
    )?;
    let rows = statement.query_map([], |row| {
        let counted: [u32; 4] = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
        Ok((row.get::<_, i64>(0)?, counted, row.get::<_, i64>(5)?))
    })?;
    let mut all = Vec::new();
    for row in rows {
        let (number, [worked, failed, occurrences, places], last_seen) = row?;
        let Some(habit) = Habit::numbered(number) else { continue };
        let effectiveness = share(worked, worked + failed).min(recently(connection, number)?);
        all.push(SeenHabit {
            id: habit.id(),
            habit,
            name: habit.name().to_owned(),
            advice: habit.advice().to_owned(),
            occurrences,
            places,
            worked,
            failed,
            success_rate: (worked + failed > 0).then(|| share(worked, worked + failed)),
            effectiveness,
            offered: places >= OFFERED_IN_PLACES && effectiveness > OFFERED_ABOVE,
            last_seen: rfc3339(last_seen),
        });
    }
    all.sort_by(|left, right| {
        let key = |it: &SeenHabit| (it.offered, it.worked, it.occurrences);
        right.effectiveness.total_cmp(&left.effectiveness).then(key(right).cmp(&key(left)))
    });
    all.sort_by_key(|habit| !habit.offered);
    Ok(all)
}

/// The share of the latest tries that helped.
fn recently(connection: &Connection, habit: i64) -> Result<f64, rusqlite::Error> {
    let (worked, all): (u32, u32) = connection
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE outcome = 1), count(*) FROM (
                SELECT outcome FROM tries WHERE habit = ?1 ORDER BY at DESC, outcome DESC LIMIT ?2
             )",
        )?
        .query_row(params![habit, RECENT], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(share(worked, all))
}
