//! The work tree as the engine sees it: exact content, and the identity of its code.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use globset::GlobSet;
use redgreen_engine::input::Weight;
use redgreen_files::write_cache;
use redgreen_frameworks::{Idle, ProjectFiles as _, is_by_product};
use redgreen_model::config::{Config, compile_globs};
use redgreen_model::digest::sha256;
use redgreen_model::tree::{CodeHash, FileChange, FileRole, TreeHash, TreeState};
use redgreen_workspace::Workspace;

use crate::RunnerError;
use crate::evidence::REDGREEN;
use crate::square::mix::TreeFiles;

/// A work tree and what counts as code in it.
pub(crate) struct Trees {
    pub(crate) workspace: Workspace,
    generated: GlobSet,
    /// Code of the last commit that lies where tools put what they make; looked for once there is such a file.
    tracked: OnceLock<BTreeSet<String>>,
    /// The globs of what is generated.
    patterns: Vec<String>,
    /// What was found of paths: the same ones are asked for in several trees.
    roles: Mutex<HashMap<Box<str>, FileRole>>,
}

/// The code of trees that was asked for last, by what is generated: most are asked for more than once.
static CODES: Mutex<Vec<(Vec<String>, TreeState)>> = Mutex::new(Vec::new());
/// How many are remembered.
const CODES_MAX: usize = 8;
/// Where they are kept, beside what the gate remembers.
const CODES_FILE: &str = "codes";
/// Bytes of the digest of what says which files are code.
const RULES_BYTES: usize = 16;

impl Trees {
    pub(crate) fn new(workspace: Workspace, config: &Config) -> Result<Self, RunnerError> {
        let mut generated = config.loop_settings.generated.clone();
        generated.extend(config.coverage.reports.iter().cloned());
        for check in &config.checks {
            generated.extend(check.reports.iter().map(|glob| below(&check.folder, glob)));
        }
        let workspace = keeping_index(workspace).remembering_at(&config.memory.location);
        let (patterns, generated) = (generated.clone(), globs(&generated)?);
        let (tracked, roles) = (OnceLock::new(), Mutex::default());
        Ok(Self { workspace, generated, tracked, patterns, roles })
    }

    /// Whether the rules call a file generated.
    pub(crate) fn is_generated(&self, path: &str) -> bool {
        self.generated.is_match(path)
    }

    /// The work tree as it was last seen; the one that is known where nothing differs but what is generated, and logs,
    /// which programs write that have nothing to do with this.
    pub(crate) fn now_or(&self, known: &TreeState) -> Result<TreeState, RunnerError> {
        let now = self.last_seen()?;
        let differing = self.workspace.differing(&known.tree, &now.tree)?;
        let is_log = |path: &String| Path::new(path).extension() == Some("log".as_ref());
        let same = differing.iter().all(|path| self.is_generated(path) || is_log(path));
        Ok(if same { known.clone() } else { now })
    }

    /// What a file is to the verdict.
    pub(crate) fn role(&self, path: &str) -> FileRole {
        let roles = || self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(role) = roles().get(path) {
            return *role;
        }
        let role = self.found_role(path);
        roles().insert(path.into(), role);
        role
    }

    fn found_role(&self, path: &str) -> FileRole {
        match redgreen_frameworks::file_role(path) {
            _ if self.is_generated(path) => FileRole::Inert,
            FileRole::Inert if self.is_tracked_code(path) => FileRole::Code,
            role => role,
        }
    }

    /// Whether a file that looks like a by-product is code that the project keeps and uses: a package may be called
    /// `coverage`.
    fn is_tracked_code(&self, path: &str) -> bool {
        let tracked = || {
            let head = self.workspace.tree_of("HEAD").ok().flatten()?;
            let files = TreeFiles::new(&self.workspace, &head, &[]).ok()?;
            Some(redgreen_frameworks::tracked_code(&files))
        };
        is_by_product(path)
            && redgreen_syntax::language_of(path).is_some()
            && self.tracked.get_or_init(|| tracked().unwrap_or_default()).contains(path)
    }

    /// The work tree now.
    pub(crate) fn now(&self) -> Result<TreeState, RunnerError> {
        let started = Instant::now();
        let state = self.state_of(self.workspace.tree()?)?;
        let (tree, code) = (state.tree.short(), &state.code.0);
        tracing::debug!(tree, code, took = ?started.elapsed(), "looked at");
        Ok(state)
    }

    /// The work tree as it was last looked at, if nothing has run since that could write.
    pub(crate) fn last_seen(&self) -> Result<TreeState, RunnerError> {
        self.state_of(self.workspace.last_look()?.tree)
    }

    /// A tree, and the identity of its code.
    pub(crate) fn state_of(&self, tree: TreeHash) -> Result<TreeState, RunnerError> {
        let code = self.code_of(&tree)?;
        Ok(TreeState { tree, code })
    }

    /// The identity of the code in a tree.
    pub(crate) fn code_of(&self, tree: &TreeHash) -> Result<CodeHash, RunnerError> {
        let codes = || CODES.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            |(by, known): &&(Vec<String>, TreeState)| (by, &known.tree) == (&self.patterns, tree);
        if let Some((_, known)) = codes().iter().find(is_it) {
            return Ok(known.code.clone());
        }
        let code = match self.kept_code(tree) {
            Some(code) => code,
            None => {
                // All of them: to look up what is known of each takes as long as to find it out.
                let counts = |path: &str| self.found_role(path) != FileRole::Inert;
                let code = CodeHash(self.workspace.content_hash(tree, &counts)?);
                self.keep_code(tree, &code);
                code
            }
        };
        let mut codes = codes();
        codes.truncate(CODES_MAX - 1);
        let known = TreeState { tree: tree.clone(), code: code.clone() };
        codes.insert(0, (self.patterns.clone(), known));
        Ok(code)
    }

    /// The code of a tree as an earlier process found it: what a change is compared with is asked for each time.
    fn kept_code(&self, tree: &TreeHash) -> Option<CodeHash> {
        let text = fs::read_to_string(self.codes_file()?).ok()?;
        let begin = format!("{} {} ", self.rules_of_code(), tree.0);
        let code = text.lines().find_map(|line| line.strip_prefix(&begin))?;
        Some(CodeHash(code.to_owned()))
    }

    fn keep_code(&self, tree: &TreeHash, code: &CodeHash) {
        // Where the last commit decided, too, it is not the tree alone.
        let Some(file) = self.codes_file().filter(|_| self.tracked.get().is_none()) else { return };
        let known = fs::read_to_string(&file).unwrap_or_default();
        let line = format!("{} {} {}", self.rules_of_code(), tree.0, code.0);
        let lines = std::iter::once(line.as_str()).chain(known.lines()).take(CODES_MAX);
        // Where that cannot be done, it is found out again.
        let _ = write_cache(&file, lines.collect::<Vec<_>>().join("\n").as_bytes());
    }

    /// What says which files are code, beside their paths.
    fn rules_of_code(&self) -> String {
        let rules = format!("{REDGREEN}\n{}", self.patterns.join("\n"));
        sha256(rules.as_bytes(), RULES_BYTES)
    }

    fn codes_file(&self) -> Option<PathBuf> {
        Some(place_outside(self.workspace.root())?.join(CODES_FILE))
    }

    /// What changed between two trees.
    pub(crate) fn changes(
        &self,
        from: &TreeHash,
        to: &TreeHash,
    ) -> Result<Vec<FileChange>, RunnerError> {
        Ok(self.workspace.changes(from, to, &|path| self.role(path))?)
    }

    /// What a change can do to an outcome.
    pub(crate) fn weight(
        &self,
        changes: &[FileChange],
        from: &TreeHash,
        to: &TreeHash,
    ) -> Result<Weight, RunnerError> {
        let by_product = |path: &str| {
            self.is_generated(path) || (is_by_product(path) && self.role(path) == FileRole::Inert)
        };
        let paths = changes.iter().map(|change| change.path.as_str());
        let made: Vec<&str> = paths.filter(|path| !by_product(path)).collect();
        if made.is_empty() {
            return Ok(Weight::Nothing);
        }
        let Some(idle) = Idle::of(made.into_iter()) else { return Ok(Weight::Runs) };
        for side in [from, to] {
            let paths = self.workspace.mentioning(side, &idle.words())?;
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let texts = TreeFiles::new(&self.workspace, side, &[])?.read_all(&paths);
            let mut said = paths.iter().zip(texts);
            if said.any(|(path, text)| idle.is_named_by(path, &text.unwrap_or_default())) {
                return Ok(Weight::Runs);
            }
        }
        Ok(Weight::Documents)
    }

    /// Identifies what a check watches in a tree; nothing for a check that watches everything.
    pub(crate) fn watched(
        &self,
        tree: &TreeHash,
        watch: &[String],
    ) -> Result<Option<String>, RunnerError> {
        if watch.is_empty() {
            return Ok(None);
        }
        let set = globs(watch)?;
        Ok(Some(self.workspace.content_hash(tree, &|path| set.is_match(path))?))
    }
}

/// The same work tree, whose index is kept outside of it, beside what the gate remembers. Who only reads evidence has no such
/// place, and none is made.
pub(crate) fn keeping_index(workspace: Workspace) -> Workspace {
    match place_outside(workspace.root()) {
        Some(folder) => workspace.keeping_index_at(folder.join("index")),
        None => workspace,
    }
}

fn place_outside(root: &Path) -> Option<PathBuf> {
    let has_state = crate::evidence::key_folder(root).is_ok_and(|folder| folder.is_dir());
    crate::gate::folder_outside(root).filter(|_| has_state)
}

/// A glob of a folder as one of the work tree.
fn below(folder: &str, glob: &str) -> String {
    let parts = folder.split('/').chain(glob.split('/'));
    parts.filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/")
}

/// Globs, ready to be matched.
pub(crate) fn globs(patterns: &[String]) -> Result<GlobSet, RunnerError> {
    compile_globs(patterns).map_err(|error| RunnerError::Configuration(error.to_string()))
}
