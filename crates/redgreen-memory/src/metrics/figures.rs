//! The figures of some sessions.

use serde::Serialize;

/// A session that has ended.
pub(super) struct Session {
    pub(super) at: i64,
    pub(super) passed: bool,
    pub(super) escalated: bool,
    pub(super) attempts: u32,
    pub(super) agent: Option<String>,
    pub(super) framework: Option<String>,
    pub(super) code_type: Option<String>,
    pub(super) reused: bool,
    pub(super) coverage_met: Option<bool>,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The share of sessions that passed with the first attempt.
    FirstAttemptPassRate,
    /// The attempts of sessions that passed.
    AverageAttempts,
    /// The share of sessions that escalated.
    EscalationRate,
    /// The share of sessions that memory helped.
    DebugMemoryReuse,
    /// The share of sessions that were covered enough.
    CoverageMetRate,
}

/// How a figure stands to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is reached.
    Met,
    /// It is not.
    Missed,
    /// Nothing was measured.
    NoData,
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What is measured.
    pub metric: Metric,
    /// What it is now, a share from 0 to 1 or a number of attempts; none where there is no data.
    pub current: Option<f64>,
    /// Of how many sessions.
    pub of: usize,
    /// What it should be.
    pub target: f64,
    /// How it stands to its target.
    pub standing: Standing,
    /// The same in parts of the time, the oldest first.
    pub trend: Vec<Option<f64>>,
}

impl Metric {
    /// Every one.
    pub const ALL: [Self; 5] = [
        Self::FirstAttemptPassRate,
        Self::AverageAttempts,
        Self::EscalationRate,
        Self::DebugMemoryReuse,
        Self::CoverageMetRate,
    ];

    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FirstAttemptPassRate => "first_attempt_pass_rate",
            Self::AverageAttempts => "average_attempts",
            Self::EscalationRate => "escalation_rate",
            Self::DebugMemoryReuse => "debug_memory_reuse",
            Self::CoverageMetRate => "coverage_met_rate",
        }
    }

    /// What it should be more than, or less than.
    pub fn target(self) -> f64 {
        match self {
            Self::FirstAttemptPassRate => 0.7,
            Self::AverageAttempts => 2.0,
            Self::EscalationRate => 0.1,
            Self::DebugMemoryReuse => 0.3,
            Self::CoverageMetRate => 0.9,
        }
    }

    /// Whether less is better.
    pub fn less_is_better(self) -> bool {
        matches!(self, Self::AverageAttempts | Self::EscalationRate)
    }

    /// Whether it is a number and no share.
    pub fn is_number(self) -> bool {
        self == Self::AverageAttempts
    }

    fn standing(self, current: Option<f64>) -> Standing {
        match current {
            None => Standing::NoData,
            Some(value) if self.less_is_better() && value < self.target() => Standing::Met,
            Some(value) if !self.less_is_better() && value > self.target() => Standing::Met,
            Some(_) => Standing::Missed,
        }
    }

    /// What a session adds to the figure; none for one that it is not about.
    fn of(self, session: &Session) -> Option<f64> {
        let share = |yes: bool| Some(if yes { 1.0 } else { 0.0 });
        match self {
            Self::FirstAttemptPassRate => share(session.passed && session.attempts <= 1),
            Self::AverageAttempts => session.passed.then(|| f64::from(session.attempts.max(1))),
            Self::EscalationRate => share(session.escalated),
            Self::DebugMemoryReuse => share(session.reused),
            Self::CoverageMetRate => session.coverage_met.and_then(share),
        }
    }
}

/// Into so many parts the time is cut for the trend.
const PARTS: usize = 8;

/// The mean of what was added, as it comes.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    of: usize,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.of += 1;
    }

    fn value(self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "2^53 sessions do not happen")]
        (self.of > 0).then(|| self.sum / self.of as f64)
    }
}

/// The figures of sessions in a span of time.
pub(super) fn figures<'a>(
    sessions: impl Iterator<Item = &'a Session>,
    span: (i64, i64),
) -> Vec<Figure> {
    let mut all = [Mean::default(); Metric::ALL.len()];
    let mut parts = [[Mean::default(); PARTS]; Metric::ALL.len()];
    for session in sessions {
        for (index, metric) in Metric::ALL.into_iter().enumerate() {
            if let Some(value) = metric.of(session) {
                all[index].add(value);
                parts[index][part_of(session.at, span)].add(value);
            }
        }
    }
    let figure = |(index, metric): (usize, Metric)| Figure {
        metric,
        current: all[index].value(),
        of: all[index].of,
        target: metric.target(),
        standing: metric.standing(all[index].value()),
        trend: parts[index].iter().map(|mean| mean.value()).collect(),
    };
    Metric::ALL.into_iter().enumerate().map(figure).collect()
}

/// The part of the span that a time is in.
fn part_of(at: i64, (since, until): (i64, i64)) -> usize {
    let length = (i128::from(until) - i128::from(since)).max(1);
    let passed = (i128::from(at) - i128::from(since)).max(0);
    let part = usize::try_from(passed * PARTS as i128 / length).unwrap_or(PARTS);
    part.min(PARTS - 1)
}

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A trend in one word: the higher the bar, the larger the figure; a dot where there is no data.
pub fn sparkline(trend: &[Option<f64>]) -> String {
    let values = || trend.iter().flatten().copied();
    let least = values().fold(f64::INFINITY, f64::min);
    let span = values().fold(f64::NEG_INFINITY, f64::max) - least;
    let bar = |value: &Option<f64>| match value {
        None => '·',
        Some(_) if span <= 0.0 => BARS[3],
        Some(value) => {
            let height = (value - least) / span * 7.0;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from 0 to 7"
            )]
            BARS.get(height.round() as usize).copied().unwrap_or('█')
        }
    };
    trend.iter().map(bar).collect()
}
