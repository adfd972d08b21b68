//! What a test asks of the code, and how strictly.

use redgreen_model::text::{LINE_CHARS, distinct_line};

use crate::reach;
use crate::tokens::normalised;
use crate::tree::Node;
use crate::values::{bare, is_constant, is_same, truth};

/// How many assertions of one test or helper are kept.
const ASSERTIONS_MAX: usize = 2_000;

/// How much an assertion asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// It holds whatever the code does.
    Vacuous,
    /// Many results please it: truthiness, presence, a bound, a wide tolerance.
    Loose,
    /// One value pleases it, which nearly every call gives: no error.
    Usual,
    /// One value, or one kind of error, pleases it.
    Exact,
}

/// One assertion.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// Its tokens, without comments and layout.
    pub text: String,
    /// What it is about: the expression that is compared.
    pub subject: String,
    /// Its line, from 1.
    pub line: u32,
    /// How much it asks.
    pub strength: Strength,
    /// Whether it is reached, and its failure heard, when the test runs.
    pub reachable: bool,
    /// Whether it stands in a loop, and asks as often as that runs.
    pub repeated: bool,
    /// How far off a number may be, where it says so.
    pub tolerance: Option<f64>,
    /// Whether it is asked only under a condition.
    pub guarded: bool,
}

impl Assertion {
    /// Whether it asks anything when the test runs.
    pub(crate) fn is_live(&self) -> bool {
        self.reachable && self.strength != Strength::Vacuous
    }
}

/// An assertion as a language's room recognises it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) strength: Strength,
    pub(crate) subject: String,
    pub(crate) tolerance: Option<f64>,
    /// What it says, where that is not what stands at its node.
    pub(crate) text: Option<String>,
}

impl Claim {
    pub(crate) fn new(strength: Strength, subject: Option<Node<'_>>) -> Self {
        let subject = subject.map(normalised).unwrap_or_default();
        Self { strength, subject, tolerance: None, text: None }
    }

    /// What a condition asks that must be true, where `==` compares and `||` is content with either side.
    pub(crate) fn of_condition(condition: Node<'_>) -> Self {
        let condition = bare(condition);
        if let Some(always) = truth(condition) {
            let strength = if always { Strength::Vacuous } else { Strength::Exact };
            return Self::new(strength, Some(condition));
        }
        let (Some(left), Some(right)) = (condition.field("left"), condition.field("right")) else {
            return Self::new(Strength::Loose, Some(condition));
        };
        let strength = match condition.field_text("operator") {
            "===" | "==" if is_same(left, right) => Strength::Vacuous,
            "===" | "==" => Strength::Exact,
            "||" if truth(left) == Some(true) || truth(right) == Some(true) => Strength::Vacuous,
            _ => Strength::Loose,
        };
        Self::new(strength, Some(if is_constant(left) { right } else { left }))
    }
}

/// The assertions below a node but not below what is `apart` from it (a test in a test).
pub(crate) fn assertions<'tree>(
    body: Node<'tree>,
    claim_at: fn(Node<'tree>) -> Option<Claim>,
    apart: &[Node<'tree>],
) -> Vec<Assertion> {
    let mut found = Vec::new();
    let mut counted: Option<Node<'tree>> = None;
    for node in body.all_but(apart).filter(|node| node.is_named()) {
        if found.len() >= ASSERTIONS_MAX {
            break;
        }
        if counted.is_some_and(|claim| node.is_in(claim)) {
            continue;
        }
        let Some(mut claim) = claim_at(node) else { continue };
        if reach::is_answered_before(node, &claim.subject) {
            claim.strength = Strength::Vacuous;
        }
        counted = Some(node);
        found.push(Assertion {
            text: distinct_line(&claim.text.unwrap_or_else(|| normalised(node)), LINE_CHARS),
            subject: distinct_line(&claim.subject, LINE_CHARS),
            line: node.line(),
            strength: claim.strength,
            reachable: reach::is_reachable(node, body),
            repeated: reach::is_repeated(node, body),
            tolerance: claim.tolerance,
            guarded: reach::is_guarded(node, body),
        });
    }
    found
}
