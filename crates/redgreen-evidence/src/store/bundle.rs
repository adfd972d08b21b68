//! The statements of one verdict, as they are kept and exported: one envelope a line.

use redgreen_model::evidence::{Evidence, JudgedBy, Statement, TestResult};
use redgreen_model::tree::{TreeHash, TreeState};

use crate::envelope::{Envelope, Refusal, read_lines};
use crate::public_key::PublicKey;

/// A verdict that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The tree that it is about.
    pub tree: TreeState,
    /// In the words that everybody knows.
    pub result: TestResult,
    /// In ours.
    pub evidence: Evidence,
    /// As they were signed.
    pub envelopes: [Envelope; 2],
}

impl Bundle {
    /// By what it was judged.
    pub fn judged_by(&self) -> JudgedBy {
        self.evidence.judged_by()
    }

    /// What it was compared with.
    pub fn base(&self) -> Option<TreeHash> {
        self.evidence.base.as_ref().map(|base| base.tree.clone())
    }

    /// Reads one verdict; why it is not believed, in words.
    pub fn read(text: &[u8], key: &PublicKey) -> Result<Self, String> {
        let (mut bundles, refused) = Self::read_all(text, key);
        match (bundles.pop(), refused.into_iter().next()) {
            (Some(bundle), None) => Ok(bundle),
            (_, Some(why)) => Err(why),
            (None, None) => Err("there is no evidence in it".to_owned()),
        }
    }

    /// Reads the verdicts of a file, and says what of it is not believed. A verdict is two lines that
    /// follow each other: one without the other is cut.
    pub fn read_all(text: &[u8], key: &PublicKey) -> (Vec<Self>, Vec<String>) {
        let (mut bundles, mut refused) = (Vec::new(), Vec::new());
        let mut half: Option<(Envelope, Statement<TestResult>)> = None;
        for (index, line) in read_lines(text).into_iter().enumerate() {
            let number = index + 1;
            let mut refuse = |why: &str| refused.push(format!("envelope {number}: {why}"));
            let envelope = match line {
                Ok(envelope) => envelope,
                Err(why) => {
                    refuse(&why.to_string());
                    continue;
                }
            };
            match (envelope.statement::<TestResult>(key), half.take()) {
                (Ok(statement), None) => half = Some((envelope, statement)),
                (Ok(statement), Some(_)) => {
                    refuse("the half before it is missing");
                    half = Some((envelope, statement));
                }
                (Err(Refusal::OtherPredicate(_)), Some(first)) => {
                    match Self::join(first, envelope, key) {
                        Ok(bundle) => bundles.push(bundle),
                        Err(why) => refuse(&why),
                    }
                }
                (Err(Refusal::OtherPredicate(_)), None) => refuse("its first half is missing"),
                (Err(why), _) => refuse(&why.to_string()),
            }
        }
        if half.is_some() {
            refused.push("the last verdict is cut off: its second half is missing".to_owned());
        }
        (bundles, refused)
    }

    fn join(
        (first, result): (Envelope, Statement<TestResult>),
        second: Envelope,
        key: &PublicKey,
    ) -> Result<Self, String> {
        let evidence = second.statement::<Evidence>(key).map_err(|why| why.to_string())?;
        let (Some(tree), Some(other)) = (result.tree(), evidence.tree()) else {
            return Err("it names no tree".to_owned());
        };
        let rules = result.predicate.configuration.first().map(|rules| &rules.digest.sha256);
        if tree != other
            || result.predicate.result != evidence.predicate.result
            || rules != Some(&evidence.predicate.rules)
        {
            return Err("its two halves belong to two verdicts".to_owned());
        }
        Ok(Self {
            tree,
            result: result.predicate,
            evidence: evidence.predicate,
            envelopes: [first, second],
        })
    }
}
