//! Reads a square: which code passes whose tests.
//!
//! One question for every test that was there before the change: does its *old* form pass on the
//! new code (the referee's run), and what became of it in the run? Everything else follows:
//!
//! | before | old form on the new code | now | it is |
//! |---|---|---|---|
//! | red | green | green | fixed |
//! | red | not green | green | a finding: green by the edit of the tests |
//! | red | not green | gone or skipped | a finding |
//! | green | green | green | steady; loosened or emptied by structure |
//! | green | not green | green | a changed expectation; a finding where it asserts less |
//! | green | any | gone | a changed expectation: removed; a finding where it fails, its code is still there, and no other test asks for it anew |
//! | green | green | skipped | a changed expectation: skipped |
//! | green | not green | skipped | a finding: hidden |
//! | not run | red | green | a changed expectation |
//! | not run | red | gone or skipped | a finding |
//!
//! *Not run* is what a baseline that does not build, or panics, leaves of its tests: the old form's red counts,
//! whatever was seen before.
//!
//! A test whose own source stands, that was green and is green, and whose old form could not even run, is not asked for:
//! what it stands on and what changed is, once for all of them.
//!
//! Findings are for a person; changed expectations may be declared by whoever made them.

mod corners;
pub mod coverage;
mod made_for_tests;
pub mod mutants;
pub mod outside;
mod proof;
mod shared;
mod silenced;
mod standings;

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::config::CoverageSettings;
use redgreen_model::digest::small_digest;
use redgreen_model::error_class::ErrorClass;
use redgreen_model::execution::TestId;
use redgreen_model::known::KNOWN_FILE;
use redgreen_model::report::{Failure, FailureKind, Location};
use redgreen_model::square::{
    ChangedExpectation, Corner, CornerSeen, ExpectationKind, Finding, FindingKind, MatchReason,
    SideChange, Square, SquareFacts, SquareRow, Standing, TestEdit, TestMatch,
};
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::CodeType;

use crate::classes::Judged;
use crate::declaration::covers;
use crate::judge::{CheckFailure, some_of};
use standings::Standings;

/// The error type of a changed expectation that nobody owns.
pub const CHANGED_EXPECTATION: &str = "changed_expectation";
/// The error type of a change that no test runs and that nobody owns.
pub const UNTESTED_CHANGE: &str = "untested_change";
/// The error type of a doubt.
pub const NOT_SHOWN: &str = "not_shown";

/// What a square is read with.
pub struct Context<'square> {
    /// Old code, old tests.
    pub baseline: &'square Judged,
    /// New code, new tests.
    pub run: &'square Judged,
    /// The rest of what was seen.
    pub facts: &'square SquareFacts,
    /// The kind of change.
    pub code_type: Option<CodeType>,
    /// Whether it was an agent that named it.
    pub kind_by_agent: bool,
    /// How much of a change tests have to run.
    pub coverage: &'square CoverageSettings,
    /// Whether the change answers a task, so that changing nothing is no answer.
    pub task: bool,
}

/// Reads the square.
pub fn read(context: &Context<'_>) -> Square {
    let mut reading = SquareReader::new(context);
    reading.weigh_corners();
    let old: Vec<TestId> = reading.baseline.tests().cloned().collect();
    for test in &old {
        reading.old_test(test);
    }
    let unseen = reading.seen_by_the_referee_alone();
    for test in &unseen {
        reading.old_test(test);
    }
    reading.own_helpers();
    reading.own_shared();
    for edit in &context.facts.never_run {
        reading.never_run(edit);
    }
    reading.new_tests(&old);
    reading.square.proofs = proof::proofs(&reading.square.rows, context);
    reading.weigh_proof();
    reading.weigh_silenced();
    reading.weigh_coverage();
    reading.weigh_change();
    reading.weigh_outside();
    reading.weigh_what_is_made_for_tests();
    reading.square.findings.sort_by(|one, other| one.id.cmp(&other.id));
    reading.square.findings.dedup_by(|one, other| one.id == other.id);
    reading.square
}

struct SquareReader<'square> {
    context: &'square Context<'square>,
    baseline: Standings,
    referee: Option<Standings>,
    proof: Option<Standings>,
    run: Standings,
    edits: BTreeMap<&'square TestId, &'square TestEdit>,
    intact: BTreeSet<&'square TestId>,
    /// How many tests are as they were and stand on something that is not, so that their old form could not run.
    on_helpers: u64,
    /// What the first test says that passes only with what code and tests share as it is now.
    on_shared: Option<String>,
    square: Square,
}

/// What became of one old test.
struct Fate<'square> {
    test: &'square TestId,
    edit: Option<&'square TestEdit>,
    before: Standing,
    referee: Standing,
    after: Standing,
}

impl<'square> SquareReader<'square> {
    fn new(context: &'square Context<'square>) -> Self {
        let facts = context.facts;
        let run = Standings::of_judged(context.run);
        let baseline = Standings::of_judged(context.baseline);
        Self {
            referee: Standings::of_corner(&facts.referee, &run),
            proof: Standings::of_corner(&facts.proof, &baseline),
            edits: facts.edits.iter().map(|edit| (&edit.old, edit)).collect(),
            intact: facts.intact.iter().collect(),
            on_helpers: 0,
            on_shared: None,
            context,
            baseline,
            run,
            square: Square::default(),
        }
    }

    fn old_test(&mut self, test: &TestId) {
        let edit = self.edits.get(test).copied();
        let ids = edit.map_or_else(|| vec![test.clone()], |edit| edit.new.clone());
        let after = self.run.together(&ids);
        let stands = self.intact.contains(test) && self.could_not_run(test);
        let on_others = stands && self.changed_helpers().next().is_some();
        let referee = match &self.referee {
            None => Standing::Unseen,
            Some(_) if stands && !on_others => after,
            Some(referee) => referee.of(test),
        };
        let fate = Fate { test, edit, before: self.baseline.of(test), referee, after };
        let elsewhere: Vec<TestId> = ids.iter().filter(|id| *id != test).cloned().collect();
        if let Some(edit) = edit.filter(|edit| edit.why != MatchReason::SamePlace)
            && !elsewhere.is_empty()
        {
            self.square.matches.push(TestMatch {
                old: test.clone(),
                new: edit.new.clone(),
                why: edit.why,
            });
        }
        let proof = self.proof.as_ref().map_or(Standing::Unseen, |proof| proof.together(&ids));
        let stays_green =
            [fate.before, fate.referee, fate.after].iter().all(|it| *it == Standing::Green);
        if stays_green && proof != Standing::Red {
            self.square.steady += 1;
        } else {
            self.square.rows.push(SquareRow {
                test: test.clone(),
                became: elsewhere,
                baseline: fate.before,
                referee: fate.referee,
                proof,
                run: fate.after,
            });
        }
        if on_others && (fate.before, fate.after) == (Standing::Green, Standing::Green) {
            self.on_helpers += 1;
        } else if self.referee.is_some() {
            self.judge(&fate);
        }
    }

    /// Whether the old form of a test did not come to say anything on the new code: it was not built or collected, or
    /// something that it stands on asks for a name that is not there any more.
    fn could_not_run(&self, test: &TestId) -> bool {
        let Some(referee) = &self.referee else { return false };
        let failure =
            referee.failure(test).filter(|it| it.error_class == ErrorClass::ReferenceError);
        let file = failure.and_then(|failure| Some(&failure.location.as_ref()?.file));
        match referee.of(test) {
            Standing::Missing => true,
            Standing::Red => file.is_some_and(|file| {
                self.context.facts.helpers.iter().any(|helper| helper.file == *file)
            }),
            _ => false,
        }
    }

    /// What tests stand on and what says something else than before.
    fn changed_helpers(&self) -> impl Iterator<Item = &'square TestEdit> + use<'square> {
        self.context.facts.helpers.iter().filter(|helper| !helper.same)
    }

    /// What tests that are as they were stand on, and why their old form could not run: one thing to own, however many
    /// they are.
    fn own_helpers(&mut self) {
        if self.on_helpers == 0 {
            return;
        }
        for helper in self.changed_helpers() {
            let fate = Fate {
                test: &helper.old,
                edit: Some(helper),
                before: Standing::Green,
                referee: Standing::Missing,
                after: Standing::Green,
            };
            self.expectation(&fate, ExpectationKind::Changed);
        }
    }

    fn judge(&mut self, fate: &Fate<'_>) {
        use Standing::{Flaky, Green, Missing, Red, Skipped, Unseen};
        let passes = fate.referee == Green;
        match (fate.before, fate.after) {
            (_, Red | Flaky | Unseen) => {} // The run itself is not green.
            (Missing, Green) if fate.referee == Red => {
                self.expectation(fate, ExpectationKind::Changed);
            }
            (Missing, Missing | Skipped) if fate.referee == Red => self.found(
                fate,
                FindingKind::RedRemoved,
                "it fails on the new code, could not run on the old code, and is gone",
            ),
            (Skipped | Missing | Unseen, _) => {}
            (_, Green) if fate.referee == Unseen => {} // A doubt says so.
            (Green | Red | Flaky, Green) if passes => self.weigh_assertions(fate),
            // It asks the same of the same code by its new name.
            (Green, Green) if fate.edit.is_some_and(|edit| edit.follows_rename) => {}
            (Green | Red | Flaky, Green) if fate.referee == Flaky => {
                self.square.doubts.push(format!(
                    "{}: flaky, its old version passes on the new code only sometimes",
                    fate.test
                ))
            }
            (Green, Green) if fate.edit.is_some_and(|edit| !edit.weaker.is_empty()) => {
                self.weakened(fate);
            }
            (Green, Green) if fate.referee == Skipped => self.found(
                fate,
                FindingKind::Hidden,
                "it passed before, and on the new code its old version skips itself",
            ),
            (Green, Green) => self.expectation(fate, ExpectationKind::Changed),
            // Whether it was is not known, so somebody has to own it.
            (Red | Flaky, Green) if self.context.facts.unsure_before.is_some() => {
                self.expectation(fate, ExpectationKind::Changed);
            }
            (Red | Flaky, Green) => self.found(
                fate,
                FindingKind::GreenByEdit,
                &format!(
                    "it was red before, and passes only because the tests were changed{}",
                    self.by_name_alone()
                ),
            ),
            (Green, Missing) if self.fails_beside_its_code(fate) && !self.is_asked_anew(fate) => {
                self.found(
                    fate,
                    FindingKind::RedRemoved,
                    "it passed before, fails on the new code, and is gone",
                )
            }
            (Green, Missing) => self.expectation(fate, ExpectationKind::Removed),
            (_, Missing) if passes => self.expectation(fate, ExpectationKind::Removed),
            (_, Missing) => {
                self.found(fate, FindingKind::RedRemoved, "it was red before, and is gone");
            }
            (_, Skipped) if passes => self.expectation(fate, ExpectationKind::Skipped),
            (before, Skipped) => {
                let was = if before == Green { "passed" } else { "was red" };
                self.found(
                    fate,
                    FindingKind::Hidden,
                    &format!(
                        "it {was} before, is skipped now, and was not seen to pass on the new code"
                    ),
                );
            }
        }
    }

    /// Whether a test that is gone fails for what its code does now, and not because that is gone as well.
    fn fails_beside_its_code(&self, fate: &Fate<'_>) -> bool {
        let failure = self.referee.as_ref().and_then(|referee| referee.failure(fate.test));
        let shows = failure.is_some_and(|failure| {
            failure.kind == FailureKind::TestFailure
                && proof::right_reason(failure)
                && !proof::calls_what_is_gone(failure)
        });
        fate.referee == Standing::Red && shows && !self.context.facts.removes_code
    }

    /// Whether another test, which the old code fails, asks now for what this one called: then the expectation changed,
    /// whether the test was edited or written anew.
    fn is_asked_anew(&self, fate: &Fate<'_>) -> bool {
        let heirs = self.context.facts.heirs.iter().filter(|heirs| heirs.of == *fate.test);
        heirs
            .flat_map(|heirs| &heirs.tests)
            .any(|test| self.run.of(test) == Standing::Green && proof::is_shown(self.context, test))
    }

    /// A changed file that counts as the tests' for its name or place, and what to do if it is code.
    fn by_name_alone(&self) -> String {
        let guessed = self.context.facts.changed.iter().filter(|change| change.guessed);
        let guessed: Vec<&SideChange> = guessed.collect();
        let Some(SideChange { reason, .. }) = guessed.first() else { return String::new() };
        let paths: Vec<&str> = guessed.iter().map(|change| change.path.as_str()).collect();
        let not: Vec<String> = paths.iter().map(|path| format!("\"!{path}\"")).collect();
        format!(
            "; {} counts as a test because of its name or place ({reason}). If it is code, a person can say so in redgreen.toml: tests.paths = [{}]",
            some_of(&paths),
            some_of(&not)
        )
    }

    /// The old form passes on the new code: what is left to look at is what the new form asserts.
    fn weigh_assertions(&mut self, fate: &Fate<'_>) {
        let Some(edit) = fate.edit.filter(|edit| !edit.weaker.is_empty()) else { return };
        if edit.weaker.iter().any(|weaker| weaker.emptied) {
            self.weakened(fate);
        } else {
            self.expectation(fate, ExpectationKind::Loosened);
        }
    }

    fn weakened(&mut self, fate: &Fate<'_>) {
        let Some(edit) = fate.edit else { return };
        let Some(weaker) = edit.weaker.first() else { return };
        let old_form = match fate.referee {
            Standing::Green => "still passes",
            _ => "does not pass on the new code",
        };
        let message = format!("{}: {}; its old version {old_form}", fate.test, weaker.what);
        let mut finding = finding(FindingKind::Weakened, Corner::Referee, message);
        finding.test = Some(fate.test.clone());
        finding.file = Some(edit.file.clone());
        finding.line = weaker.line.or(Some(edit.line));
        finding.before.clone_from(&weaker.before);
        finding.after.clone_from(&weaker.after);
        self.add(finding, &edit.change);
    }

    fn found(&mut self, fate: &Fate<'_>, kind: FindingKind, what: &str) {
        let said = self.said(fate.test);
        let message = format!("{}: {what}{}", fate.test, after_colon(&said));
        let mut finding = finding(kind, Corner::Referee, message);
        finding.test = Some(fate.test.clone());
        if let Some(edit) = fate.edit {
            finding.file = Some(edit.file.clone());
            finding.line = Some(edit.line);
            finding.before.clone_from(&edit.before);
            finding.after.clone_from(&edit.after);
        }
        self.add(finding, fate.edit.map_or("", |edit| &edit.change));
    }

    fn expectation(&mut self, fate: &Fate<'_>, kind: ExpectationKind) {
        let said = self.said(fate.test);
        let message = match kind {
            _ if fate.before == Standing::Unseen => {
                "its old version never ran: neither the old code nor the new code gets that far"
                    .to_owned()
            }
            ExpectationKind::Changed if self.on_shared.is_some() => format!(
                "code and tests both read it, and with it as it was {}",
                self.on_shared.as_deref().unwrap_or_default()
            ),
            ExpectationKind::Changed if self.is_helper(fate) => format!(
                "tests that did not change depend on it ({}), and its old version on the new code: {said}",
                self.on_helpers
            ),
            ExpectationKind::Changed => format!("its old version on the new code: {said}"),
            ExpectationKind::Removed if fate.referee == Standing::Green => {
                "it is gone, although it would pass".to_owned()
            }
            ExpectationKind::Removed => format!("it is gone{}", after_colon(&said)),
            ExpectationKind::Silenced => String::new(),
            ExpectationKind::Skipped => "it is skipped now, although it would pass".to_owned(),
            ExpectationKind::Loosened => {
                let weaker = fate.edit.and_then(|edit| edit.weaker.first());
                weaker.map(|weaker| weaker.what.clone()).unwrap_or_default()
            }
        };
        let facts = self.context.facts;
        let change = fate.edit.map_or_else(|| facts.change.clone(), |edit| edit.change.clone());
        let declared = facts.declared.iter().rev().find(|declaration| {
            covers(&declaration.test, &fate.test.test) && declaration.change == change
        });
        self.square.expectations.push(ChangedExpectation {
            test: fate.test.clone(),
            kind,
            file: fate.edit.map(|edit| edit.file.clone()),
            line: fate.edit.map(|edit| edit.line),
            before: fate.edit.map(|edit| edit.before.clone()).unwrap_or_default(),
            after: fate.edit.map(|edit| edit.after.clone()).unwrap_or_default(),
            message,
            change,
            declared: declared.cloned(),
        });
    }

    fn is_helper(&self, fate: &Fate<'_>) -> bool {
        self.context.facts.helpers.iter().any(|helper| helper.old == *fate.test)
    }

    /// An old test that changed or is gone, and whose old form nobody could run: somebody has to own it.
    fn never_run(&mut self, edit: &TestEdit) {
        let unseen = Standing::Unseen;
        let fate = Fate {
            test: &edit.old,
            edit: Some(edit),
            before: unseen,
            referee: unseen,
            after: unseen,
        };
        let kind = match edit.after.is_empty() {
            true => ExpectationKind::Removed,
            false => ExpectationKind::Changed,
        };
        self.expectation(&fate, kind);
    }

    /// What the old form of a test said on the new code.
    fn said(&self, test: &TestId) -> String {
        let Some(referee) = &self.referee else { return String::new() };
        match referee.failure(test) {
            Some(failure) => failure.summary(),
            None if referee.of(test) == Standing::Missing => referee.outside(),
            None => String::new(),
        }
    }

    /// Tests that were not there before.
    fn new_tests(&mut self, old: &[TestId]) {
        let mut known: BTreeSet<&TestId> = old.iter().collect();
        known.extend(self.context.facts.edits.iter().flat_map(|edit| &edit.new));
        let new: Vec<TestId> =
            self.run.tests().filter(|test| !known.contains(test)).cloned().collect();
        for test in new {
            self.square.rows.push(SquareRow {
                became: Vec::new(),
                baseline: Standing::Missing,
                referee: self.referee.as_ref().map_or(Standing::Unseen, |seen| seen.of(&test)),
                proof: self.proof.as_ref().map_or(Standing::Unseen, |proof| proof.of(&test)),
                run: self.run.of(&test),
                test,
            });
        }
    }

    fn weigh_proof(&mut self) {
        let unseen = matches!(self.context.facts.proof, CornerSeen::Unseen { .. });
        if self.context.code_type != Some(CodeType::BugFix)
            || !self.square.proofs.is_empty()
            || unseen
        {
            return;
        }
        let cut_short = self.proof.iter().flat_map(Standings::cut_short).next();
        if let Some(why) = cut_short {
            self.square.doubts.push(format!(
                "{}: {why}, so it is not seen whether a test shows the bug there",
                Corner::Proof
            ));
            return;
        }
        let message =
            "no test fails on the old code because of the bug and passes on the new code: \
                       a fix needs a test that shows the bug"
                .to_owned();
        self.add(finding(FindingKind::NoProof, Corner::Proof, message), "");
    }

    /// The configuration of the judge, and whether anything was done at all.
    fn weigh_change(&mut self) {
        let facts = self.context.facts;
        for change in &facts.settings {
            let mut message =
                format!("{} changed: only a person may change the rules", change.file);
            if change.file == "redgreen.toml" {
                message.push_str(" (`redgreen trust` accepts them)");
            } else if change.file == KNOWN_FILE {
                message = format!(
                    "{KNOWN_FILE} lists more than before: only a person may say that a test is known to be red (`redgreen known add`)"
                );
            }
            if let Some(problem) = &change.problem {
                message.push_str(&format!("; it cannot be read as it is now: {problem}"));
            }
            let mut finding = finding(FindingKind::ConfigurationChanged, Corner::Run, message);
            finding.file = Some(change.file.clone());
            finding.before.clone_from(&change.before);
            finding.after.clone_from(&change.after);
            self.add(finding, "");
        }
        let was_green = self.context.baseline.verdict == Verdict::Passed;
        if self.context.task && was_green && !facts.meaningful {
            self.square.doubts.push(
                "only comments, layout or documents changed, so the task is not done".to_owned(),
            );
        }
    }

    /// Adds a finding under a name that stays the same while its subject does.
    fn add(&mut self, mut finding: Finding, change: &str) {
        let test = finding.test.as_ref().map(ToString::to_string).unwrap_or_default();
        let file = finding.file.clone().unwrap_or_default();
        let parts = [finding.kind.as_str(), &test, &file, change, &finding.before, &finding.after];
        // A name for people, not a proof of anything.
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        finding.id = format!("F-{:08x}", small_digest(bytes));
        let facts = self.context.facts;
        finding.waived = facts
            .waived
            .iter()
            .find(|waiver| waiver.finding == finding.id && waiver.code == facts.tree.code)
            .cloned();
        self.square.findings.push(finding);
    }
}

fn finding(kind: FindingKind, corner: Corner, message: String) -> Finding {
    Finding {
        id: String::new(),
        kind,
        test: None,
        file: None,
        line: None,
        before: String::new(),
        after: String::new(),
        corner,
        message,
        waived: None,
    }
}

fn after_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

/// What the square adds to a run that passed: its findings are failures to be mended.
pub fn weigh(judged: &mut Judged, square: &Square) {
    judged.verdict = judged.verdict.max(square.verdict());
    let check =
        judged.execution.checks.iter().find(|run| run.required).map(|run| run.check.clone());
    let check = check.unwrap_or_default();
    for finding in square.blocking() {
        judged.reasons.push(finding.message.clone());
        let test = finding.test.as_ref();
        let mut failure =
            Failure::new(FailureKind::TestFailure, finding.kind.as_str(), &finding.message);
        failure.location = place(finding.file.as_deref(), finding.line);
        failure.expected = Some(finding.before.clone()).filter(|text| !text.is_empty());
        failure.actual = Some(finding.after.clone()).filter(|text| !text.is_empty());
        failure.test = test.map(|test| test.test.clone());
        let check = test.map_or_else(|| check.clone(), |test| test.check.clone());
        judged.failures.push(CheckFailure { check, failure });
    }
    for expectation in square.undeclared() {
        let message = format!(
            "changed expectation ({}): {}. If the task asks for it, declare it: redgreen declare '{}' --reason \"…\"",
            expectation.kind.as_str(),
            expectation.message,
            expectation.test
        );
        judged.reasons.push(format!("{}: {message}", expectation.test));
        let mut failure = Failure::new(FailureKind::TestFailure, CHANGED_EXPECTATION, &message);
        failure.location = place(expectation.file.as_deref(), expectation.line);
        failure.test = Some(expectation.test.test.clone());
        judged.failures.push(CheckFailure { check: expectation.test.check.clone(), failure });
    }
    for change in square.unowned() {
        let message = coverage::message(change);
        judged.reasons.push(change.headline());
        let mut failure = Failure::new(FailureKind::TestFailure, UNTESTED_CHANGE, &message);
        failure.location = place(Some(&change.file), change.statements.first().map(|it| it.first));
        judged.failures.push(CheckFailure { check: check.clone(), failure });
    }
    for doubt in &square.doubts {
        judged.reasons.push(doubt.clone());
        let failure = Failure::new(FailureKind::Unknown, NOT_SHOWN, doubt);
        judged.failures.push(CheckFailure { check: check.clone(), failure });
    }
}

fn place(file: Option<&str>, line: Option<u32>) -> Option<Location> {
    file.map(|file| Location { file: file.to_owned(), line, function: None })
}
