//! What passes here and nowhere else: the clean corner.

use redgreen_model::execution::{Execution, TestId};
use redgreen_model::outside::{Outside, OutsideChange, OutsideKind};
use redgreen_model::square::{CornerSeen, Standing};

use super::SquareReader;
use super::standings::Standings;
use crate::classes::Judged;
use crate::judge::some_of;

impl SquareReader<'_> {
    /// Tests that need what no fresh checkout has are not known to pass; a corner that could not be looked at is said.
    pub(super) fn weigh_outside(&mut self) {
        let Some(outside) = &self.context.facts.outside else { return };
        if let CornerSeen::Unseen { reason } = &outside.clean {
            let first = outside.changed.first().map(|it| it.name.as_str()).unwrap_or_default();
            self.square.remarks.push(format!(
                "not looked at: whether this passes in a fresh checkout, without {first}: {reason}"
            ));
        }
        if let Some(test) = outside.lost.first() {
            self.square.doubts.push(doubt(outside, test));
        }
    }
}

/// Tests that were seen to pass in the run and not in a run of the same tree elsewhere.
pub fn lost(run: &Judged, elsewhere: &Execution) -> Vec<TestId> {
    let (here, there) = (Standings::of_judged(run), Standings::of_execution(elsewhere));
    let green = here.tests().filter(|test| here.of(test) == Standing::Green);
    green.filter(|test| there.of(test) != Standing::Green).cloned().collect()
}

/// Why a run elsewhere shows nothing: a check of it was ended at a limit.
pub fn ended_early(elsewhere: &Execution) -> Option<String> {
    Standings::of_execution(elsewhere).cut_short().next()
}

fn doubt(outside: &Outside, first: &TestId) -> String {
    let tests = match outside.lost.len() {
        1 => format!("{first} passes"),
        count => format!("{count} tests pass ({first}, …)"),
    };
    let needed = match outside.decisive.as_slice() {
        [] => outside.changed.as_slice(),
        decisive => decisive,
    };
    let Some(one) = needed.first() else { return format!("{tests} in no fresh checkout") };
    let names: Vec<String> = needed.iter().map(|it| format!("`{}`", it.name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let which = if needed.len() == 1 { "which" } else { "the first of which" };
    format!("{tests} only with {}, {which} {}", some_of(&names), why(one))
}

/// Why no fresh checkout has it, and what to do.
fn why(change: &OutsideChange) -> String {
    let OutsideChange { kind, name, at } = change;
    match kind {
        OutsideKind::Ignored => format!(
            "git ignores and which changed at {at}: a fresh checkout does not have it. Commit it, build it in the test \
             command, or change the code so that the tests pass without it. If another step makes it, a person can say \
             so in redgreen.toml: tests.outside = [\"{name}\"]"
        ),
        OutsideKind::Compiled => {
            "is compiled, came with the change and is loaded in the place of its source: mend the \
                                  source and remove it"
                .to_owned()
        }
        OutsideKind::Package => format!(
            "was installed here at {at} and which no manifest of the project names: a fresh checkout does not get it. Add \
             it to the file that says what the project needs, or do without it"
        ),
        OutsideKind::Edited => format!(
            "lies among the installed packages and was changed by hand at {at}: whoever installs them anew does not have \
             it. Put the change into the project itself, or have the project keep a patch that is applied when packages \
             are installed"
        ),
        OutsideKind::Home => "somebody else has with other files in it".to_owned(),
        OutsideKind::Network => "the tests reach: they do not pass without it".to_owned(),
        OutsideKind::Settings => format!(
            "is no part of the project and changed at {at}: nobody else has it. Put what the tests need into the project"
        ),
    }
}
