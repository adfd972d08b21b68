//! How much of a change tests run, against what its kind asks for.
//!
//! A kind that somebody named is held to the letter, and only a person can accept less. Where it is told from the
//! change, whoever made it may say that a part needs no test, and what was known as untested before is not asked for.

use redgreen_model::config::CoverageSettings;
use redgreen_model::coverage::{
    ChangedFunction, ChangedStatement, CoverageFacts, CoverageFigures, UntestedChange,
};
use redgreen_model::mutants::MutantFigures;
use redgreen_model::square::{Corner, Declaration, FindingKind};
use redgreen_model::workflow::CodeType;

use super::mutants::{is_hollow, survivors, unnoticed};
use super::{SquareReader, finding};

/// A change of more statements does more than mend: of what it adds beside the fix, not every line needs a test.
const FIX_STATEMENTS_MAX: usize = 10;

/// What a change is held to, and what of it no test runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// What it was held to, and what it reached.
    pub figures: CoverageFigures,
    /// What no test runs, whether that is too much or not.
    pub untested: Vec<UntestedChange>,
}

/// What is known of the kind of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownKind {
    /// What somebody said.
    pub said: Option<CodeType>,
    /// Whether that was an agent.
    pub by_agent: bool,
    /// Whether a test that was red passes now.
    pub repairs: bool,
}

/// Holds what changed to what its kind asks for; none where there is nothing to hold.
pub fn hold(
    facts: &CoverageFacts,
    settings: &CoverageSettings,
    known: KnownKind,
    declared: &[Declaration],
) -> Option<Held> {
    let named = known.said.is_some() && !known.by_agent;
    let (kind, derived) = kind_of(facts, settings, known);
    let threshold = settings.threshold(kind);
    // What no test ran before a refactoring, none has to run after it.
    let of_all = known.said.is_some_and(|said| said != CodeType::Refactor);
    let is_asked = |it: &&ChangedFunction| of_all || !it.untested_before;
    let asked: Vec<&ChangedFunction> = facts.functions.iter().filter(is_asked).collect();
    if asked.is_empty() {
        return None;
    }
    let mut untested = Vec::new();
    let (mut covered, mut measured, mut unmeasured) = (0, 0, 0);
    let mut mutants = MutantFigures::default();
    for function in asked {
        let by = if named { None } else { owner(function, declared) };
        // What tests run without noticing is as good as not run.
        let hollow = is_hollow(function);
        function.mutants.iter().for_each(|it| mutants.count(it.fate));
        let is_untested =
            |it: &&ChangedStatement| it.ran == Some(false) || (hollow && it.ran.is_some());
        let not_run: Vec<ChangedStatement> =
            function.statements.iter().filter(is_untested).cloned().collect();
        let known = function.statements.iter().filter(|it| it.ran.is_some()).count() as u64;
        unmeasured += function.statements.len() as u64 - known;
        // What somebody owns is not asked for.
        measured += known - if by.is_some() { not_run.len() as u64 } else { 0 };
        covered += known - not_run.len() as u64;
        if !not_run.is_empty() {
            untested.push(untested_change(function, not_run, by));
        }
    }
    let met = covered * 100 >= u64::from(threshold) * measured;
    let figures =
        CoverageFigures { kind, derived, threshold, covered, measured, unmeasured, met, mutants };
    Some(Held { figures, untested })
}

impl SquareReader<'_> {
    /// What the kind of change asks for, and what no test runs where that is not reached.
    pub(super) fn weigh_coverage(&mut self) {
        let context = self.context;
        let Some(facts) = &context.facts.coverage else { return };
        let known = KnownKind {
            said: context.code_type,
            by_agent: context.kind_by_agent,
            repairs: !self.square.proofs.is_empty(),
        };
        let Some(held) = hold(facts, context.coverage, known, &context.facts.declared) else {
            return;
        };
        self.square.warnings.extend(facts.functions.iter().filter_map(unnoticed));
        let Held { figures, mut untested } = held;
        let named = figures.derived.is_none();
        if named && figures.measured == 0 && figures.unmeasured > 0 {
            let why = facts.problems.first().map_or("nothing counts the lines that run", |it| it);
            self.square.doubts.push(format!(
                "{} asks for tests that run {} % of the change, and it could not be measured: {why}; \
                 mode = \"off\" under [coverage] asks for none",
                figures.kind, figures.threshold
            ));
        }
        match (figures.met, named) {
            (true, _) => untested.retain(|change| change.declared.is_some()),
            (false, true) => untested.drain(..).for_each(|change| self.find_untested(&change)),
            (false, false) => {}
        }
        self.square.untested = untested;
        self.square.coverage = Some(figures);
    }

    /// Of a kind that somebody named: a person has to accept it.
    fn find_untested(&mut self, change: &UntestedChange) {
        let mut found = finding(FindingKind::Untested, Corner::Run, change.headline());
        found.file = Some(change.file.clone());
        found.line = change.statements.first().map(|statement| statement.first);
        found.after = change.texts();
        self.add(found, &change.change);
    }
}

fn untested_change(
    function: &ChangedFunction,
    statements: Vec<ChangedStatement>,
    declared: Option<Declaration>,
) -> UntestedChange {
    UntestedChange {
        place: place(&function.file, &statements),
        file: function.file.clone(),
        function: function.function.clone(),
        is_new: function.is_new,
        survivors: if is_hollow(function) { survivors(function) } else { Vec::new() },
        near: function.near.clone(),
        change: function.change.clone(),
        statements,
        declared,
    }
}

/// Who says that what changed needs no test.
fn owner(function: &ChangedFunction, declared: &[Declaration]) -> Option<Declaration> {
    let of_it = |it: &&Declaration| it.change == function.change && it.test == function.file;
    declared.iter().rev().find(of_it).cloned()
}

/// The kind that a change is held to, and why it is that one where no person said so: of what an agent says and what the
/// change itself says, the stricter one.
fn kind_of(
    facts: &CoverageFacts,
    settings: &CoverageSettings,
    known: KnownKind,
) -> (CodeType, Option<String>) {
    match known.said {
        None => told_from(facts, known.repairs),
        Some(said) if !known.by_agent => (said, None),
        Some(said) => {
            let (told, why) = told_from(facts, known.repairs);
            match settings.threshold(told) > settings.threshold(said) {
                true => (told, why.map(|why| format!("{why}, though the agent says {said}"))),
                false => (said, Some("the agent says so".to_owned())),
            }
        }
    }
}

/// The kind of a change of which nobody said what it is, and why it is taken for that.
fn told_from(facts: &CoverageFacts, repairs: bool) -> (CodeType, Option<String>) {
    let statements: usize = facts.functions.iter().map(|it| it.statements.len()).sum();
    let new = facts.functions.iter().filter(|it| it.is_new && !it.function.is_empty());
    let (kind, why) = match new.map(|it| it.function.as_str()).collect::<Vec<_>>().as_slice() {
        [one] => (CodeType::NewFunction, format!("it adds {one}")),
        [first, more @ ..] => {
            (CodeType::NewFunction, format!("it adds {first} and {} more", more.len()))
        }
        [] if repairs && statements <= FIX_STATEMENTS_MAX => {
            (CodeType::BugFix, "a test that failed before passes now".to_owned())
        }
        [] => (CodeType::NewFunction, "it changes what code does".to_owned()),
    };
    (kind, Some(why))
}

/// `src/cart.py:12-14`: how it is named.
fn place(file: &str, statements: &[ChangedStatement]) -> String {
    let first = statements.first().map_or(0, |statement| statement.first);
    let last = statements.iter().map(|statement| statement.last).max().unwrap_or(first);
    if first == last { format!("{file}:{first}") } else { format!("{file}:{first}-{last}") }
}

/// What is said of changed lines that no test runs, to whoever is to test them.
pub(super) fn message(change: &UntestedChange) -> String {
    if change.is_hollow() {
        return format!(
            "{}:\n{}\nNo test notices:\n{}\nWrite a test that checks what it does. If no test is needed, say why: redgreen declare --untested '{}' --reason \"…\"",
            change.headline(),
            change.texts(),
            change.edits(),
            change.place
        );
    }
    let near = match change.near.as_slice() {
        [] => String::new(),
        [test, ..] => format!(" {test} comes nearest: follow its example."),
    };
    format!(
        "{}:\n{}\nWrite a test that runs them and checks what they do.{near} If no test is needed, say why: redgreen declare --untested '{}' --reason \"…\"",
        change.headline(),
        change.texts(),
        change.place
    )
}
