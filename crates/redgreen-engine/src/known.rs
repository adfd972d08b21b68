//! Tests that a person knows to be red: nobody is asked to mend them, and none of them is believed to be excused for
//! anything but the cause that was listed.

use std::collections::BTreeSet;

use redgreen_model::execution::TestId;
use redgreen_model::known::KnownTest;
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::Phase;

use crate::classes::{History, Judged};
use crate::first::is_plain;
use crate::judge::{CheckFailure, some_of};
use crate::red_before;
use crate::state::State;

/// What a failure is for: its cause, where it has one, else what was said.
pub fn cause(failure: &CheckFailure) -> String {
    match failure.failure.fingerprint.is_empty() {
        true => failure.failure.summary(),
        false => failure.failure.fingerprint.clone(),
    }
}

/// The known tests among these failures that fail as they are known to, and have not passed since.
pub(crate) fn excused(
    failures: &[CheckFailure],
    known: &[KnownTest],
    history: &History,
) -> BTreeSet<TestId> {
    let as_listed = |known: &&KnownTest| {
        let (test, mut seen) = (known.id(), false);
        let of_it = failures.iter().filter(|failure| failure.test_id().as_ref() == Some(&test));
        let same = of_it.inspect(|_| seen = true).all(|it| known.causes.contains(&cause(it)));
        same && seen && !history.green_before.contains(&known.id())
    };
    known.iter().filter(as_listed).map(KnownTest::id).collect()
}

/// Sets apart what is known to be red: what is left is what a run is judged by.
pub(crate) fn set_apart(judged: &mut Judged, known: &[KnownTest], history: &History) {
    let mut excused = excused(&judged.failures, known, history);
    excused.retain(|test| !judged.classes.flaky.contains(test));
    let is_excused = |it: &CheckFailure| it.test_id().is_some_and(|test| excused.contains(&test));
    judged.failures.retain(|failure| !is_excused(failure));
    for known in known.iter().filter(|known| judged.red.contains(&known.id())) {
        let failures = judged.failures.iter();
        if let Some(failing) =
            failures.clone().find(|it| it.test_id().as_ref() == Some(&known.id()))
        {
            let since = match history.green_before.contains(&known.id()) {
                true => "has passed since".to_owned(),
                false => format!("now for another cause: {}", failing.failure.summary()),
            };
            judged
                .reasons
                .push(format!("{} is known to be red ({}), but {since}", known.test, known.reason));
        }
    }
    if excused.is_empty() {
        return;
    }
    let classes = &mut judged.classes;
    for tests in [&mut classes.pre_existing, &mut classes.new_failures, &mut classes.regressed] {
        tests.retain(|test| !excused.contains(test));
    }
    classes.known = excused.into_iter().collect();
    let plain = || judged.execution.checks.iter().filter(|run| run.required).all(is_plain);
    if judged.verdict == Verdict::Failed
        && judged.failures.is_empty()
        && judged.classes.flaky.is_empty()
        && plain()
    {
        judged.verdict = Verdict::PassedBut;
        judged.reasons = vec![red_before::in_words(judged)];
    } else {
        judged.reasons.push(format!("nobody has to repair {}", listed(judged)));
    }
}

/// What a person knows to be red, and is, for a sentence.
pub(crate) fn listed(judged: &Judged) -> String {
    let names: Vec<&str> = judged.classes.known.iter().map(|test| test.test.as_str()).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    format!("{} that {are} known to be red: {}", names.len(), some_of(&names))
}

impl Judged {
    /// What is red beside what a person knows to be red.
    pub(crate) fn other_red(&self) -> impl Iterator<Item = &TestId> {
        self.red.iter().filter(|test| !self.classes.known.contains(test))
    }

    /// Whether all that keeps it from being a pass are tests that a person knows to be red.
    pub fn is_but_for_known(&self) -> bool {
        self.verdict == Verdict::PassedBut && self.other_red().next().is_none()
    }
}

impl State {
    /// Whether it has ended, and all that keeps it from being a pass are tests that a person knows to be red.
    pub fn is_but_for_known(&self) -> bool {
        self.phase == Phase::Complete
            && self.sealed.is_some()
            && self.last_judged().is_some_and(Judged::is_but_for_known)
    }

    /// The tests that were known to be red and pass on the tree that was sealed: they leave the list.
    pub fn healed(&self) -> Vec<&KnownTest> {
        let known = self.settings.iter().flat_map(|settings| &settings.known);
        let passes = |known: &&KnownTest| {
            self.last_judged().is_some_and(|judged| judged.green.contains(&known.id()))
        };
        known.filter(|_| self.sealed.is_some()).filter(passes).collect()
    }

    pub(crate) fn known(&self) -> &[KnownTest] {
        self.settings.as_ref().map_or(&[], |settings| &settings.known)
    }
}
