//! `.redgreen/evidence/`: what was seen of which tree, to come back to and to export.
//!
//! ```text
//! trees/<git tree>/<by>-<base>.verdict.json   small: may this tree be returned?
//! trees/<git tree>/<by>-<base>.jsonl          the statements, as they are exported
//! code/<code hash>/<by>-<base>.verdict.json   the same verdict, for a tree with the same code
//! executions/<tree, by, tests>.json              what an execution showed
//! ```
//!
//! Names only lead to a file; what it is about is what is signed in it.

mod bundle;
mod executions;
mod shelf;

use std::path::{Path, PathBuf};

use redgreen_files::{Opened, open_regular, read_at_most, write_whole};
use redgreen_model::digest::sha256;
use redgreen_model::evidence::{
    EVIDENCE_VERSION, Evidence, JudgedBy, Statement, TestResult, VerdictMemory,
};
use redgreen_model::tree::{CodeHash, TreeHash, TreeState};
use serde::Serialize;

use crate::envelope::Envelope;
use crate::key::Key;
use crate::public_key::PublicKey;

pub use bundle::Bundle;

/// How a verdict's name ends.
const VERDICT: &str = ".verdict.json";
/// How the name of exported statements ends.
const STATEMENTS: &str = ".jsonl";
/// The most bytes of a verdict: it is a few hundred.
const VERDICT_BYTES_MAX: u64 = 64 * 1024;
/// The most bytes of a verdict's statements: they name every test.
const STATEMENTS_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// How many trees are kept.
const TREES_KEPT: usize = 200;

/// Why something could not be kept. It is never a verdict.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system said no.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It cannot be written as JSON.
    #[error("cannot write the evidence: {0}")]
    Json(#[from] serde_json::Error),
    /// It is more than is kept.
    #[error("{0} is not kept: it would be larger than {1} bytes")]
    TooLarge(&'static str, u64),
}

/// What was looked for, and what was there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked<T> {
    /// What was found, and is signed.
    pub found: Option<T>,
    /// What was there and is not believed, in words.
    pub refused: Vec<String>,
}

impl<T> Looked<T> {
    const fn nothing() -> Self {
        Self { found: None, refused: Vec::new() }
    }

    fn refused(why: String) -> Self {
        Self { found: None, refused: vec![why] }
    }

    fn found(it: T) -> Self {
        Self { found: Some(it), refused: Vec::new() }
    }
}

/// By what, against what.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'asked> {
    /// By what it is to be judged.
    pub by: &'asked JudgedBy,
    /// The tree to compare with; none for a verdict that compares nothing.
    pub base: Option<&'asked TreeHash>,
}

impl Asked<'_> {
    fn name(&self, ending: &str) -> String {
        let base = self.base.map_or_else(|| "none".to_owned(), |base| digest(base, 16));
        format!("{}-{base}{ending}", digest(self.by, 16))
    }
}

/// A verdict that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptVerdict {
    /// The tree that it is about.
    pub tree: TreeState,
    /// The verdict.
    pub verdict: VerdictMemory,
}

/// The evidence of one work tree.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store in redgreen's folder of a work tree, whether it exists or not.
    pub fn new(state_dir: &Path) -> Self {
        Self { folder: state_dir.join("evidence") }
    }

    /// Keeps a verdict with its statements; it is on disk when this returns. Old ones go.
    pub fn keep(
        &self,
        key: &Key,
        tree: &TreeState,
        result: TestResult,
        evidence: Evidence,
    ) -> Result<(), StoreError> {
        let memory = VerdictMemory {
            version: EVIDENCE_VERSION,
            by: evidence.judged_by(),
            base: evidence.base.clone(),
            result: evidence.result,
            counts: evidence.counts,
            unlooked: evidence.outside.is_none(),
            at: evidence.at.clone(),
        };
        let base = memory.base.as_ref().map(|base| &base.tree);
        let asked = Asked { by: &memory.by, base };
        let statements = [
            Envelope::sign(key, &Statement::about(tree, result))?.to_line()?,
            Envelope::sign(key, &Statement::about(tree, evidence))?.to_line()?,
        ];
        let statements = format!("{}\n", statements.join("\n"));
        if statements.len() as u64 > STATEMENTS_BYTES_MAX {
            return Err(StoreError::TooLarge("the evidence of this verdict", STATEMENTS_BYTES_MAX));
        }
        let verdict = Envelope::sign(key, &Statement::about(tree, memory.clone()))?.to_line()?;
        let trees = shelf::prepare(&self.folder, &["trees", &tree.tree.0])?;
        let codes = shelf::prepare(&self.folder, &["code", &tree.code.0])?;
        write(&trees.join(asked.name(STATEMENTS)), statements.as_bytes())?;
        // The verdict comes last: where it is, its statements are.
        write(&codes.join(asked.name(VERDICT)), verdict.as_bytes())?;
        write(&trees.join(asked.name(VERDICT)), verdict.as_bytes())?;
        for shelf in ["trees", "code"] {
            shelf::keep_newest(&self.folder.join(shelf), TREES_KEPT, u64::MAX);
        }
        Ok(())
    }

    /// The passing verdict on exactly this tree. One file is read, whatever the store holds.
    pub fn passed_tree(
        &self,
        key: &PublicKey,
        tree: &TreeHash,
        asked: &Asked<'_>,
    ) -> Looked<KeptVerdict> {
        let Some(folder) = shelf::existing(&self.folder, &["trees", &tree.0]) else {
            return Looked::nothing();
        };
        let looked = self.passed(key, &folder.join(asked.name(VERDICT)), tree, asked);
        let stands = |kept: &KeptVerdict| self.stands(&kept.tree.code, asked);
        Looked { found: looked.found.filter(stands), refused: looked.refused }
    }

    /// The newest passing verdict on exactly this tree, whatever it was compared with.
    pub fn passed_alone(
        &self,
        key: &PublicKey,
        tree: &TreeHash,
        by: &JudgedBy,
    ) -> Looked<KeptVerdict> {
        let folder = shelf::existing(&self.folder, &["trees", &tree.0]);
        let names = folder.as_deref().map(shelf::names_by_age).unwrap_or_default();
        let folder = folder.unwrap_or_default();
        let mut refused = Vec::new();
        let theirs = digest(by, 16);
        let is_verdict = |name: &&String| name.starts_with(&theirs) && name.ends_with(VERDICT);
        for name in names.iter().filter(is_verdict) {
            let looked = self.verdict_in(key, &folder.join(name));
            refused.extend(looked.refused);
            let Some(kept) = looked.found else { continue };
            let base = kept.verdict.base.as_ref().map(|base| base.tree.clone());
            let looked = self.passed_tree(key, tree, &Asked { by, base: base.as_ref() });
            refused.extend(looked.refused);
            if looked.found.is_some() {
                return Looked { found: looked.found, refused };
            }
        }
        Looked { found: None, refused }
    }

    /// Whether a verdict was not taken back: the one on its code goes where the code is seen to fail.
    fn stands(&self, code: &CodeHash, asked: &Asked<'_>) -> bool {
        let folder = shelf::existing(&self.folder, &["code", &code.0]);
        folder.is_some_and(|folder| folder.join(asked.name(VERDICT)).is_file())
    }

    fn passed(
        &self,
        key: &PublicKey,
        path: &Path,
        tree: &TreeHash,
        asked: &Asked<'_>,
    ) -> Looked<KeptVerdict> {
        let looked = self.verdict_in(key, path);
        let Some(kept) = looked.found else { return looked };
        let verdict = &kept.verdict;
        let base = verdict.base.as_ref().map(|base| &base.tree);
        if kept.tree.tree != *tree {
            Looked::refused(self.says(path, "it is the evidence of another tree"))
        } else if verdict.by != *asked.by {
            Looked::refused(self.says(path, "it was judged by other rules"))
        } else if base != asked.base {
            Looked::refused(self.says(path, "it compares with another tree"))
        } else if !verdict.result.is_pass() {
            Looked::nothing()
        } else {
            Looked::found(kept)
        }
    }

    fn verdict_in(&self, key: &PublicKey, path: &Path) -> Looked<KeptVerdict> {
        let text = match read(path, VERDICT_BYTES_MAX) {
            Ok(Some(text)) => text,
            Ok(None) => return Looked::nothing(),
            Err(why) => return Looked::refused(self.says(path, &why)),
        };
        let statement =
            Envelope::parse(&text).and_then(|envelope| envelope.statement::<VerdictMemory>(key));
        match statement {
            Ok(statement) => match statement.tree() {
                Some(tree) => Looked::found(KeptVerdict { tree, verdict: statement.predicate }),
                None => Looked::nothing(),
            },
            Err(why) => Looked::refused(self.says(path, &why.to_string())),
        }
    }

    /// Takes back every verdict on a tree's code, by whatever it was judged, where `also` says that it
    /// is one: the same was seen not to pass. Of trees with the same code none is believed any more.
    pub fn withdraw(&self, key: &PublicKey, code: &CodeHash, also: &dyn Fn(&JudgedBy) -> bool) {
        let Some(folder) = shelf::existing(&self.folder, &["code", &code.0]) else { return };
        for name in shelf::names(&folder).iter().filter(|name| name.ends_with(VERDICT)) {
            let path = folder.join(name);
            let kept = self.verdict_in(key, &path).found;
            if kept.is_some_and(|kept| also(&kept.verdict.by)) {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// All statements on a tree, the newest first.
    pub fn bundles(&self, key: &PublicKey, tree: &TreeHash) -> (Vec<Bundle>, Vec<String>) {
        let (mut bundles, mut refused) = (Vec::new(), Vec::new());
        let folder = shelf::existing(&self.folder, &["trees", &tree.0]);
        let names = folder.as_deref().map(shelf::names).unwrap_or_default();
        let folder = folder.unwrap_or_default();
        for name in names.iter().filter(|name| name.ends_with(STATEMENTS)) {
            let path = folder.join(name);
            match read(&path, STATEMENTS_BYTES_MAX) {
                Ok(None) => {}
                Err(why) => refused.push(self.says(&path, &why)),
                Ok(Some(text)) => match Bundle::read(&text, key) {
                    Ok(bundle) if bundle.tree.tree == *tree => {
                        let (by, base) = (bundle.judged_by(), bundle.base());
                        if self.stands(&bundle.tree.code, &Asked { by: &by, base: base.as_ref() }) {
                            bundles.push(bundle);
                        }
                    }
                    Ok(_) => refused.push(self.says(&path, "it is the evidence of another tree")),
                    Err(why) => refused.push(self.says(&path, &why)),
                },
            }
        }
        bundles.sort_by(|left, right| right.evidence.at.cmp(&left.evidence.at));
        (bundles, refused)
    }

    /// The trees with this code of which there is a signed pass, the newest first.
    pub fn trees_of_code(&self, key: &PublicKey, code: &CodeHash) -> Vec<TreeHash> {
        let Some(folder) = shelf::existing(&self.folder, &["code", &code.0]) else {
            return Vec::new();
        };
        let names = shelf::names_by_age(&folder).into_iter();
        let kept = names.filter_map(|name| self.verdict_in(key, &folder.join(name)).found);
        let mut trees: Vec<TreeHash> = Vec::new();
        for kept in kept.filter(|kept| kept.tree.code == *code) {
            if !trees.contains(&kept.tree.tree) {
                trees.push(kept.tree.tree);
            }
        }
        trees
    }

    /// The trees of which there is something, the newest first; nothing of it is verified.
    pub fn trees(&self) -> Vec<TreeHash> {
        let folder = shelf::existing(&self.folder, &["trees"]);
        let names = folder.as_deref().map(shelf::names_by_age).unwrap_or_default();
        names.into_iter().map(TreeHash).collect()
    }

    /// A sentence about a file of the store.
    fn says(&self, path: &Path, why: &str) -> String {
        let name = path.strip_prefix(&self.folder).unwrap_or(path);
        format!("evidence/{} is not believed: {why}", name.display())
    }
}

/// The beginning of the SHA-256 of a value.
fn digest(value: &impl Serialize, bytes: usize) -> String {
    // Texts and lists of texts: they are always JSON.
    let text = serde_json::to_vec(value).unwrap_or_default();
    sha256(&text, bytes)
}

/// A file of the store; why it is not read, in words.
fn read(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, String> {
    let file = match open_regular(path) {
        Ok(Some(Opened { file, .. })) => file,
        Ok(None) => return Ok(None),
        Err(unfit) => return Err(unfit.to_string()),
    };
    match read_at_most(file, bytes_max) {
        Ok(Some(bytes)) => Ok(Some(bytes)),
        Ok(None) => Err(format!("it has more than {bytes_max} bytes")),
        Err(error) => Err(error.to_string()),
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    write_whole(path, content).map_err(io("write", path))
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { what, path, source }
}
