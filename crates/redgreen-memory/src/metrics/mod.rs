//! Five figures that say whether the loop works, and whether memory helps.
//!
//! They are of sessions that redgreen saw and that have ended, but for those that the tools or a person stopped:
//! they say nothing about the work.
//!
//! - **first-attempt pass rate**: the share that passed with the first attempt;
//! - **average attempts to pass**: of those that passed, so without escalations;
//! - **escalation rate**: the share that was handed to somebody else: it used up its attempts, or going on made no
//!   sense;
//! - **memory reuse rate**: the share that benefited from earlier sessions. That something was shown is not
//!   enough: a failure that was warned of in these files stayed away, or one that was known from before, by its
//!   cause or its test, came and was repaired;
//! - **coverage met rate**: of those of which coverage was measured.
//!
//! Where there is nothing to divide by, there is no figure: that is not zero.

mod figures;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use redgreen_model::text::{LINE_CHARS, clean_line};
use serde::Serialize;

use crate::index::{Effort, Index, IndexError};
use crate::{Memory, MemoryError};
use figures::{Session, figures};

pub use figures::{Figure, Metric, Standing, sparkline};

/// The figures of a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// How many sessions ended in it.
    pub sessions: usize,
    /// All of them.
    pub all: Vec<Figure>,
    /// By agent.
    pub by_agent: Vec<Group>,
    /// By test framework.
    pub by_framework: Vec<Group>,
    /// By kind of change.
    pub by_code_type: Vec<Group>,
}

/// The figures of some sessions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// What they have in common.
    pub name: String,
    /// How many there are.
    pub sessions: usize,
    /// Their figures.
    pub figures: Vec<Figure>,
}

impl Memory {
    /// The figures of the sessions that ended from `since` (or from the beginning) to `now`.
    pub fn metrics(
        &mut self,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Metrics, MemoryError> {
        let until = now.as_millisecond();
        let since = since.map_or(i64::MIN, Timestamp::as_millisecond);
        let sessions = self.ask(Effort::Thorough, |index| sessions_between(index, since, until))?;
        let first = sessions.iter().map(|session| session.at).min().unwrap_or(until);
        let span = (since.max(first), until);
        Ok(Metrics {
            sessions: sessions.len(),
            all: figures(sessions.iter(), span),
            by_agent: grouped(&sessions, span, |session| session.agent.as_deref()),
            by_framework: grouped(&sessions, span, |session| session.framework.as_deref()),
            by_code_type: grouped(&sessions, span, |session| session.code_type.as_deref()),
        })
    }
}

/// The sessions in groups, in the order of their names; those that do not say it are in none. Names that are shown
/// alike are one.
fn grouped(
    sessions: &[Session],
    span: (i64, i64),
    name: fn(&Session) -> Option<&str>,
) -> Vec<Group> {
    let spellings: BTreeSet<&str> = sessions.iter().filter_map(name).collect();
    let mut names: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for spelling in spellings {
        names.entry(clean_line(spelling.trim(), LINE_CHARS)).or_default().push(spelling);
    }
    let group = |(shown, spellings): (String, Vec<&str>)| {
        let is_in =
            |session: &&Session| name(session).is_some_and(|name| spellings.contains(&name));
        let of = || sessions.iter().filter(is_in);
        Group { name: shown, sessions: of().count(), figures: figures(of(), span) }
    };
    names.into_iter().map(group).collect()
}

fn sessions_between(index: &mut Index, since: i64, until: i64) -> Result<Vec<Session>, IndexError> {
    let mut statement = index.connection.prepare_cached(
        "SELECT at, status, attempts, agent, framework, code_type, reused, coverage_met FROM records
         WHERE seen = 1 AND counted = 1 AND at BETWEEN ?1 AND ?2 AND status IS NOT NULL AND status <> 'in_progress'
         ORDER BY at",
    )?;
    let rows = statement.query_map([since, until], |row| {
        let status: String = row.get(1)?;
        Ok(Session {
            at: row.get(0)?,
            passed: status == "passed",
            escalated: status == "escalated",
            attempts: row.get(2)?,
            agent: row.get(3)?,
            framework: row.get(4)?,
            code_type: row.get(5)?,
            reused: row.get(6)?,
            coverage_met: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
