//! What the corners as a whole say: one that could not be run, or is silent where another speaks, leaves a doubt.

use redgreen_model::execution::{Ended, Execution, TestId};
use redgreen_model::square::{Corner, CornerSeen, FindingKind, Standing};
use redgreen_model::tree::FileChange;

use super::standings::Standings;
use super::{SquareReader, after_colon, finding};
use crate::judge::some_of;

impl SquareReader<'_> {
    /// A corner that could not be run, or that says nothing, leaves a doubt or a finding.
    pub(super) fn weigh_corners(&mut self) {
        let facts = self.context.facts;
        for (corner, seen) in [(Corner::Referee, &facts.referee), (Corner::Proof, &facts.proof)] {
            match seen {
                // The other one says it already.
                CornerSeen::Unseen { .. }
                    if corner == Corner::Proof
                        && self.referee.iter().any(Standings::is_cut_short) => {}
                CornerSeen::Unseen { reason } => {
                    self.square.doubts.push(format!("{corner}: {reason}"));
                }
                CornerSeen::Ran { execution, .. } => {
                    // What the old code with the old tests writes, too, is the project's habit.
                    let habit = &self.context.baseline.execution.changed_while_running;
                    let files: Vec<&FileChange> = execution
                        .changed_while_running
                        .iter()
                        .filter(|it| habit.iter().all(|known| known.path != it.path))
                        .collect();
                    if let Some(first) = files.first() {
                        let names: Vec<&str> =
                            files.iter().map(|change| change.path.as_str()).collect();
                        let message = format!(
                            "code or tests changed while {corner} ran: {}",
                            some_of(&names)
                        );
                        let mut finding = finding(FindingKind::TreeChanged, corner, message);
                        finding.file = Some(first.path.clone());
                        self.add(finding, "");
                    }
                }
                CornerSeen::Same | CornerSeen::Needless => {}
            }
        }
        self.weigh_limits();
        self.weigh_silence();
        let silent = self.referee.as_ref().is_some_and(|referee| referee.says_nothing());
        if silent && self.baseline.tests().next().is_some() {
            let why = self.referee.as_ref().map(Standings::outside).unwrap_or_default();
            let message = format!("the tests as they were cannot be run on the new code: {why}");
            self.add(finding(FindingKind::Hidden, Corner::Referee, message), "");
            self.referee = None;
        }
    }

    /// Old tests that only the referee's run came to: the baseline was cut short, or did not build. Green ones are
    /// nobody's concern.
    pub(super) fn seen_by_the_referee_alone(&self) -> Vec<TestId> {
        let CornerSeen::Ran { .. } = self.context.facts.referee else { return Vec::new() };
        let referee = self.referee.iter();
        let tests =
            referee.flat_map(|referee| referee.tests().map(|test| (test, referee.of(test))));
        let alone = tests.filter(|(test, standing)| {
            *standing == Standing::Red && self.baseline.of(test) == Standing::Missing
        });
        alone.map(|(test, _)| test.clone()).collect()
    }

    /// A corner without a test where another one saw some was not looked at by anybody: a server outside of it may
    /// have done the work. And what the old source names and nobody ran is not known to pass.
    fn weigh_silence(&mut self) {
        let facts = self.context.facts;
        let corners = [
            (Corner::Baseline, Some(&self.context.baseline.execution)),
            (Corner::Referee, ran(&facts.referee)),
        ];
        for (corner, execution) in corners {
            let Some(execution) = execution else { continue };
            let silent = execution.checks.iter().filter(|run| {
                let ended = matches!(run.ended, Ended::Exited { code: 0 });
                ended && run.report.is_empty() && facts.standing.contains(&run.check)
            });
            for run in silent {
                let why = run.report.diagnostics.first();
                self.square.doubts.push(format!(
                    "{corner}: `{}` ended with exit code 0 and no test was seen, although tests were seen with the new \
                     code and the new tests{}",
                    run.check,
                    after_colon(why.map(String::as_str).unwrap_or_default())
                ));
            }
        }
    }

    /// What a limit kept the referee's run from showing is not known, test by test.
    fn weigh_limits(&mut self) {
        let cut_short = self.referee.iter().flat_map(Standings::cut_short);
        let doubts = cut_short.map(|ended| {
            format!(
                "{}: {ended}, so not all of the old tests were seen on the new code",
                Corner::Referee
            )
        });
        self.square.doubts.extend(doubts);
    }
}

/// The execution of a corner, where there was one.
fn ran(seen: &CornerSeen) -> Option<&Execution> {
    match seen {
        CornerSeen::Ran { execution, .. } => Some(execution),
        _ => None,
    }
}
