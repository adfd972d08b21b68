//! Executions that were seen before: the same tree, by the same rules, with the same tests.

use redgreen_model::evidence::{JudgedBy, SeenExecution, Statement};
use redgreen_model::execution::TestId;
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::Verdict;

use super::{Looked, Store, StoreError, digest, read, shelf, write};
use crate::envelope::Envelope;
use crate::key::Key;
use crate::public_key::PublicKey;

/// How many executions are kept.
const KEPT: usize = 200;
/// The most bytes of one: it names every test.
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The most bytes of all.
const ALL_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The shelf.
const SHELF: &str = "executions";

impl Store {
    /// Keeps an execution; it is on disk when this returns. What was seen of the same before is
    /// replaced, and the oldest go.
    pub fn keep_execution(&self, key: &Key, seen: &SeenExecution) -> Result<(), StoreError> {
        let name = name(&seen.execution.before.tree, &seen.only, &seen.by);
        let statement = Statement::about(&seen.execution.before, seen.clone());
        let text = Envelope::sign(key, &statement)?.to_line()?;
        if text.len() as u64 > BYTES_MAX {
            return Err(StoreError::TooLarge("this execution", BYTES_MAX));
        }
        let folder = shelf::prepare(&self.folder, &[SHELF])?;
        write(&folder.join(name), text.as_bytes())?;
        shelf::keep_newest(&folder, KEPT, ALL_BYTES_MAX);
        Ok(())
    }

    /// An execution that passed.
    pub fn seen_to_pass(
        &self,
        key: &PublicKey,
        asked: (&TreeHash, &[TestId]),
        by: &JudgedBy,
    ) -> Looked<SeenExecution> {
        let looked = self.seen(key, asked, by);
        Looked { found: looked.found.filter(|seen| seen.verdict == Verdict::Passed), ..looked }
    }

    /// An execution, whatever came of it. A red one may have been the machine's fault: who comes back to it
    /// has to see the red ones once more.
    pub fn seen(
        &self,
        key: &PublicKey,
        (tree, only): (&TreeHash, &[TestId]),
        by: &JudgedBy,
    ) -> Looked<SeenExecution> {
        let Some(folder) = shelf::existing(&self.folder, &[SHELF]) else {
            return Looked::nothing();
        };
        let path = folder.join(name(tree, only, by));
        let text = match read(&path, BYTES_MAX) {
            Ok(Some(text)) => text,
            Ok(None) => return Looked::nothing(),
            Err(why) => return Looked::refused(self.says(&path, &why)),
        };
        let statement =
            Envelope::parse(&text).and_then(|envelope| envelope.statement::<SeenExecution>(key));
        let statement = match statement {
            Ok(statement) => statement,
            Err(why) => return Looked::refused(self.says(&path, &why.to_string())),
        };
        let is_of_tree = statement.tree().is_some_and(|subject| {
            subject.tree == *tree && statement.predicate.execution.before == subject
        });
        let seen = statement.predicate;
        if !is_of_tree {
            Looked::refused(self.says(&path, "it is the execution of another tree"))
        } else if seen.by != *by || sorted(&seen.only) != sorted(only) {
            Looked::refused(self.says(&path, "it is an execution of other checks"))
        } else {
            Looked::found(seen)
        }
    }
}

fn name(tree: &TreeHash, only: &[TestId], by: &JudgedBy) -> String {
    format!("{}.json", digest(&(tree, sorted(only), by), 32))
}

fn sorted(only: &[TestId]) -> Vec<&TestId> {
    let mut tests: Vec<&TestId> = only.iter().collect();
    tests.sort_unstable();
    tests.dedup();
    tests
}
