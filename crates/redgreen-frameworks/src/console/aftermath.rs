//! What a log says after its runs: that the job failed, although every test in it passed.

use redgreen_model::report::{Failure, FailureKind};
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};

use super::ConsoleRun;
use super::endings::ending;

/// The type of a failure that is known only by what was said after the tests.
pub(crate) const JOB_FAILED: &str = "JobFailed";
const COVERAGE: &str = "CoverageThreshold";
const SNAPSHOTS: &str = "ObsoleteSnapshots";
/// How many ends of jobs are kept of one log.
const ENDS: usize = 256;

/// What a line says about the end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A program of the job failed.
    Failed,
    /// The job failed, or was ended before it was done; nothing that follows makes that good.
    Job,
    /// Why a runner fails whose tests all passed.
    Coverage,
    /// Why it may: some settings let this pass.
    Snapshots,
}

/// How a program dies, where a shell names it first.
const DIED: [&str; 3] = [" Segmentation fault ", " Aborted ", " Bus error "];

/// What a line says about the end of a job. Most lines are looked at by their first byte alone.
pub(crate) fn sign(line: &str) -> Option<Sign> {
    let line = super::words::trim(line);
    let other = match *line.as_bytes().first()? {
        b'm' | b'g' => stopped_make(line).then_some(Sign::Failed),
        b'/' | b'.' | b'b' | b's' => died(line).then_some(Sign::Failed),
        b'K' => (line == "Killed").then_some(Sign::Failed),
        b'J' | b'F' | b'C' | b'E' => coverage(line).then_some(Sign::Coverage),
        b'S' | 0xe2 => obsolete(line).then_some(Sign::Snapshots),
        _ => None,
    };
    other.or_else(|| ending(line))
}

/// `make: *** [Makefile:2: test] Error 2`, `make[1]: *** [x] Segmentation fault`; not what it ignores.
fn stopped_make(line: &str) -> bool {
    let tool = line.strip_prefix("gmake").or_else(|| line.strip_prefix("make"));
    tool.is_some_and(|rest| {
        (rest.starts_with(": *** ") || rest.starts_with('[') && rest.contains("]: *** "))
            && !rest.ends_with("(ignored)")
    })
}

/// `/bin/sh: line 1:  4711 Segmentation fault      (core dumped) ./tests`
fn died(line: &str) -> bool {
    line.contains(": ")
        && DIED.iter().any(|words| line.contains(words))
        && line.contains("core dumped")
}

/// A threshold that was not reached, in the words of jest, of vitest, nyc and c8, and of coverage.py.
fn coverage(line: &str) -> bool {
    let jest = line.starts_with("Jest: ")
        && (line.contains("coverage threshold for") || line.contains("does not meet"));
    let istanbul = line.starts_with("ERROR: Coverage for ") && line.contains("does not meet");
    let python =
        line.strip_prefix("ERROR: ").unwrap_or(line).starts_with("Coverage failure: total of ")
            || line.starts_with("FAIL Required test coverage of ");
    jest || istanbul || python
}

/// ` › 1 snapshot obsolete.`, `› 2 snapshot files obsolete.`
fn obsolete(line: &str) -> bool {
    let counted =
        line.strip_prefix("› ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    counted && line.contains(" snapshot") && line.contains(" obsolete")
}

/// The end of a job, or what may be one.
struct End {
    /// The lane that it was said in.
    lane: Option<String>,
    /// The last run that had begun.
    last: usize,
    /// How far the runs were that were open.
    open: Vec<(usize, u64)>,
    /// Why, and the line.
    why: Option<(Sign, String)>,
    /// The line that says that it failed.
    failed: Option<String>,
    /// Whether that is the last word on the job.
    is_last_word: bool,
}

/// All ends of jobs in a log.
#[derive(Default)]
pub(super) struct Aftermath {
    ends: Vec<End>,
}

impl Aftermath {
    /// A line says something about the end of a job, after `last` runs have begun.
    pub fn take(
        &mut self,
        sign: Sign,
        line: &str,
        lane: Option<&str>,
        last: usize,
        open: Vec<(usize, u64)>,
    ) {
        if last == 0 && sign != Sign::Job {
            return;
        }
        // A run that has ended since is compared in the end.
        let same = self.ends.last().is_some_and(|end| {
            let as_before = open.iter().all(|run| end.open.contains(run));
            end.lane.as_deref() == lane && end.last == last && as_before
        });
        if !same {
            // The last end is what becomes of the log.
            self.ends.truncate(ENDS - 1);
            let lane = lane.map(str::to_owned);
            self.ends.push(End { lane, last, open, why: None, failed: None, is_last_word: false });
        }
        let Some(end) = self.ends.last_mut() else { return };
        end.is_last_word |= sign == Sign::Job;
        let line = || clean_line(line.trim(), LINE_CHARS);
        match sign {
            Sign::Failed | Sign::Job if end.failed.is_none() => end.failed = Some(line()),
            Sign::Failed | Sign::Job => {}
            _ if end.why.is_none() => end.why = Some((sign, line())),
            _ => {}
        }
    }

    /// Gives each failed job, of whose runs none is red, its failure. Of each run, in their order: when
    /// it began, its progress by its last line, and what it said.
    pub fn settle(self, runs: &mut [(usize, u64, ConsoleRun)]) {
        let mut before: Vec<(Option<String>, usize)> = Vec::new();
        for end in self.ends {
            let Some(failure) = end.failure() else { continue };
            // What is said of a test's own doings, before the run goes on; but coverage is reported before
            // the summary by some.
            let progress = |order: usize| {
                let at = runs.binary_search_by_key(&order, |(order, _, _)| *order).ok()?;
                runs.get(at).map(|(_, progress, _)| *progress)
            };
            let certain = end.is_last_word || matches!(end.why, Some((Sign::Coverage, _)));
            if !certain
                && end
                    .open
                    .iter()
                    .any(|(order, was)| progress(*order).is_some_and(|progress| progress != *was))
            {
                continue;
            }
            let known = before.iter_mut().find(|(lane, _)| *lane == end.lane);
            let from = known.as_ref().map_or(0, |(_, last)| *last);
            match known {
                Some((_, last)) => *last = end.last,
                None => before.push((end.lane.clone(), end.last)),
            }
            let up_to = |last: usize| runs.partition_point(|(order, _, _)| *order <= last);
            let of_job = up_to(from)..up_to(end.last);
            let mut job: Vec<_> = runs.get_mut(of_job).into_iter().flatten().collect();
            job.retain(|(_, _, run)| end.lane.is_none() || run.lane == end.lane);
            if job.iter().any(|(_, _, run)| is_red(run)) {
                continue;
            }
            if let Some((_, _, run)) = job.last_mut() {
                run.report.errors.push(failure);
            } else if end.is_last_word
                && !runs.iter().any(|(_, _, run)| is_red(run))
                && let Some((_, _, run)) = runs.first_mut()
            {
                // It failed before its first run, or said so twice.
                run.report.errors.push(failure);
            }
        }
    }
}

impl End {
    fn failure(&self) -> Option<Failure> {
        let (error_type, why) = match &self.why {
            Some((Sign::Coverage, line)) => (COVERAGE, Some(line)),
            Some((_, line)) if self.failed.is_some() => (SNAPSHOTS, Some(line)),
            _ => (JOB_FAILED, None),
        };
        let lines: Vec<&str> = why.into_iter().chain(&self.failed).map(String::as_str).collect();
        let message = clean_block(lines.join("\n").as_bytes(), MESSAGE_CHARS);
        (!lines.is_empty()).then(|| Failure::new(FailureKind::Unknown, error_type, message))
    }
}

fn is_red(run: &ConsoleRun) -> bool {
    !run.report.errors.is_empty() || run.report.tests.iter().any(|test| test.outcome.is_red())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_job_is_distinguished_from_other_lines() {
        let cases = [
            ("Process completed with exit code 1.", Some(Sign::Job)),
            ("Process completed with exit code 0.", None),
            ("Bash exited with code '1'.", Some(Sign::Job)),
            ("make: *** [Makefile:2: test] Error 2", Some(Sign::Failed)),
            (
                "make[2]: *** [Makefile:2: test] Segmentation fault (core dumped)",
                Some(Sign::Failed),
            ),
            ("make: [Makefile:2: test] Error 2 (ignored)", None),
            ("make: *** [Makefile:2: test] Error 2 (ignored)", None),
            ("make test", None),
            ("npm ERR! code ELIFECYCLE", Some(Sign::Failed)),
            ("npm error code 1", Some(Sign::Failed)),
            ("npm warn old lockfile", None),
            (" ELIFECYCLE  Command failed with exit code 1.", Some(Sign::Failed)),
            ("error Command failed with exit code 1.", Some(Sign::Failed)),
            ("Segmentation fault (core dumped)", Some(Sign::Failed)),
            ("sh: line 1:  47 Segmentation fault      (core dumped) ./tests", Some(Sign::Failed)),
            ("src/a.c: handles Segmentation fault well", None),
            ("Killed", Some(Sign::Failed)),
            ("Killed 3 mutants", None),
            ("The command \"npm test\" exited with 1.", Some(Sign::Failed)),
            ("The command \"npm test\" exited with 0.", None),
            ("ERROR: Job failed: exit code 1", Some(Sign::Job)),
            ("Finished: FAILURE", Some(Sign::Job)),
            (
                "Jest: Coverage for lines (50%) does not meet \"global\" threshold (90%)",
                Some(Sign::Coverage),
            ),
            (
                "Jest: \"global\" coverage threshold for lines (90%) not met: 50%",
                Some(Sign::Coverage),
            ),
            (
                "ERROR: Coverage for lines (50%) does not meet global threshold (90%)",
                Some(Sign::Coverage),
            ),
            (
                "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%",
                Some(Sign::Coverage),
            ),
            ("Coverage failure: total of 50 is less than fail-under=90", Some(Sign::Coverage)),
            ("Required test coverage of 40% reached. Total coverage: 50.00%", None),
            (" › 1 snapshot obsolete.", Some(Sign::Snapshots)),
            (" › 1 snapshot written.", None),
            ("", None),
        ];
        for (line, wanted) in cases {
            assert_eq!(sign(line), wanted, "{line}");
        }
    }
}
