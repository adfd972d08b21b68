//! One work tree with its repository: the workspace itself, or a submodule in it.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::amendment::Amendment;
use crate::content_cache::ContentCache;
use crate::error::WorkspaceError;
use crate::git::{Call, Environment, Git, detail, records};
use crate::index_file::{Entry, Index, ObjectId, RecordedStat};
use crate::private_index::WorkIndex;
use crate::seen::LastSeen;
use crate::state::{FileSystem, Own};

pub(crate) const SHA1_BYTES: usize = 20;
const SHA256_BYTES: usize = 32;

/// One work tree with its repository.
#[derive(Clone, Debug)]
pub(crate) struct Checkout {
    pub(crate) git: Git,
    /// Where its private index is kept, unless that is outside.
    pub(crate) state: PathBuf,
    /// Where its private index is kept, if whoever edits the work tree does not write there.
    pub(crate) outside: Option<PathBuf>,
    /// Whether it is the top one, where redgreen's own folders are.
    pub(crate) top: bool,
    pub(crate) own: Own,
    pub(crate) hash_bytes: usize,
    pub(crate) modes: bool,
    /// Contents that were read.
    pub(crate) kept: ContentCache,
    /// The index as the last look left it.
    pub(crate) last_seen: LastSeen,
}

/// The repositories that were found, by the folder that was asked for: nobody moves one while it is worked on, and git takes
/// longer to say where one is than to answer most questions.
static FOUND: Mutex<Vec<(PathBuf, Location)>> = Mutex::new(Vec::new());

/// Where a folder's repository is.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) root: PathBuf,
    pub(crate) git_dir: PathBuf,
    hash_bytes: usize,
    environment: Environment,
}

impl Location {
    /// [`Location::find`], once for each folder that redgreen is asked to work in.
    pub(crate) fn found(folder: &Path, environment: &Environment) -> Result<Self, WorkspaceError> {
        let known = || FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(asked, it): &&(PathBuf, Self)| {
            asked == folder && it.environment == *environment && it.git_dir.join("HEAD").exists()
        };
        if let Some((_, location)) = known().iter().find(is_it) {
            return Ok(location.clone());
        }
        let location = Self::find(folder, environment)?;
        known().push((folder.to_owned(), location.clone()));
        Ok(location)
    }

    /// Has git asked again: another repository may lie nearer now.
    pub(crate) fn forget(folder: &Path) {
        let mut known = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(asked, _)| asked != folder);
    }

    /// Asks git, starting in a folder and looking upwards.
    pub(crate) fn find(folder: &Path, environment: &Environment) -> Result<Self, WorkspaceError> {
        let action = "open the repository";
        let ask = ["rev-parse", "--show-object-format", "--show-toplevel", "--absolute-git-dir"];
        let output = Call::new(action, folder, environment).args(&ask).output()?;
        if !output.status.success() {
            let detail = detail(&output.stderr);
            let folder = folder.to_owned();
            return Err(if detail.contains("not a git repository") {
                WorkspaceError::NotARepository { folder }
            } else if detail.contains("must be run in a work tree") {
                WorkspaceError::BareRepository { folder }
            } else {
                WorkspaceError::Git { action, detail, full: None }
            });
        }
        let mut parts = output.stdout.splitn(2, |byte| *byte == b'\n');
        let hash_bytes = match parts.next() {
            Some(b"sha1") => SHA1_BYTES,
            Some(b"sha256") => SHA256_BYTES,
            _ => return Err(WorkspaceError::answer(action)),
        };
        let paths = parts.next().unwrap_or_default();
        let lines: Vec<&[u8]> = paths.split_inclusive(|byte| *byte == b'\n').collect();
        let (root, git_dir) = match lines.as_slice() {
            [root, git_dir] => (path_in(root), path_in(git_dir)),
            // A path with a line end in it: which one has it is not to be seen.
            _ => {
                let ask = ["rev-parse", "--absolute-git-dir"];
                let git_dir = Call::new(action, folder, environment).args(&ask).run()?;
                let root = paths.strip_suffix(git_dir.as_slice()).unwrap_or(paths);
                (path_in(root), path_in(&git_dir))
            }
        };
        Ok(Self { root, git_dir, hash_bytes, environment: environment.clone() })
    }
}

/// A path as `rev-parse` prints it: with a line end, and any bytes before it.
fn path_in(output: &[u8]) -> PathBuf {
    let path = output.strip_suffix(b"\n").unwrap_or(output);
    PathBuf::from(std::ffi::OsString::from_vec(path.to_vec()))
}

impl Checkout {
    pub(crate) fn open(
        location: Location,
        state: PathBuf,
        top: bool,
    ) -> Result<Self, WorkspaceError> {
        let file_system = FileSystem::probe(WorkIndex::create(&state)?.folder());
        let Location { root, git_dir, hash_bytes, environment } = location;
        let settings = file_system.settings();
        let git = Git { git_dir, work_tree: root, settings, environment };
        let own = Own::default();
        let modes = file_system.modes;
        Ok(Self {
            git,
            state,
            outside: None,
            top,
            own,
            hash_bytes,
            modes,
            kept: ContentCache::default(),
            last_seen: LastSeen::default(),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.git.work_tree
    }

    /// The repository, which all of its work trees share.
    pub(crate) fn repository(&self) -> PathBuf {
        let repository = &self.git.git_dir;
        let shared = match fs::read(repository.join("commondir")) {
            Ok(path) => repository.join(OsStr::from_bytes(path.trim_ascii_end())),
            Err(_) => return repository.clone(),
        };
        shared.canonicalize().unwrap_or(shared)
    }

    /// Whether a path never is part of the tree.
    pub(crate) fn is_own(&self, path: &[u8]) -> bool {
        self.top && self.own.hold(path)
    }

    pub(crate) fn users_index_path(&self) -> PathBuf {
        self.git.git_dir.join("index")
    }

    /// What the user's index has.
    pub(crate) fn users_index(&self) -> Result<Index, WorkspaceError> {
        let path = self.users_index_path();
        match fs::read(&path) {
            Ok(bytes) => match Index::parse(bytes, self.hash_bytes) {
                Some(index) => Ok(index),
                None => self.users_index_by_git(),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Index::default()),
            Err(error) => Err(WorkspaceError::io("read", &path)(error)),
        }
    }

    /// A split or a sparse index is not whole; git puts it together.
    fn users_index_by_git(&self) -> Result<Index, WorkspaceError> {
        let action = "list the files in its index";
        let listed = self.git.call(action, &["ls-files", "--stage", "-z"]).run()?;
        let mut entries = Vec::new();
        for record in records(&listed) {
            let entry = staged_entry(record).ok_or_else(|| WorkspaceError::answer(action))?;
            entries.push(entry);
        }
        Ok(Index { entries, ..Index::default() })
    }

    /// An index for one call, and what is in it: the shared one, else the user's, else nothing. One that is kept
    /// outside never begins with the user's, which lies where everybody can write.
    pub(crate) fn begin(&self, anew: bool) -> Result<(WorkIndex, Index), WorkspaceError> {
        let mut work = self.work_index()?;
        let whole = |bytes: Vec<u8>| Index::parse(bytes, self.hash_bytes);
        if !anew {
            let shared = work.take_shared().and_then(|()| self.shared_index(&mut work));
            if let Some(index) = shared {
                return Ok((work, index));
            }
            let users = || work.take_users(&self.users_index_path());
            if let Some(index) = self.outside.is_none().then(users).flatten().and_then(whole) {
                return Ok((work, index));
            }
        }
        work.forget();
        Ok((work, Index::default()))
    }

    /// An index for one call, with nothing in it.
    pub(crate) fn work_index(&self) -> Result<WorkIndex, WorkspaceError> {
        let work = WorkIndex::create(&self.state)?;
        match &self.outside {
            Some(outside) => Ok(WorkIndex::create(outside)?.dated_like(&work)),
            None => Ok(work),
        }
    }

    /// What is in the shared index, with its amendment: as it was seen last, if it is the same.
    fn shared_index(&self, work: &mut WorkIndex) -> Option<Index> {
        let amendment = Amendment::read(work, self.hash_bytes);
        let amendment = amendment.filter(|amendment| !amendment.is_outdated(self.root()));
        work.amendment = amendment.as_ref().map(Amendment::identity);
        if let Some(index) = self.last_seen.take(&work.identity()?) {
            return Some(index);
        }
        let index = Index::parse(fs::read(&work.path).ok()?, self.hash_bytes)?;
        Some(match amendment {
            Some(amendment) => index.amended(amendment),
            None => index,
        })
    }

    /// What an index has after git wrote it.
    pub(crate) fn read_index(&self, path: &Path) -> Result<Index, WorkspaceError> {
        match fs::read(path) {
            Ok(bytes) => Index::parse(bytes, self.hash_bytes)
                .ok_or_else(|| WorkspaceError::answer("write redgreen's index")),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Index::default()),
            Err(error) => Err(WorkspaceError::io("read", path)(error)),
        }
    }
}

/// One record of `ls-files --stage -z`: mode, object, stage, TAB, path.
fn staged_entry(record: &[u8]) -> Option<Entry> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut fields = std::str::from_utf8(record.get(..tab)?).ok()?.split(' ');
    Some(Entry {
        mode: u32::from_str_radix(fields.next()?, 8).ok()?,
        object: ObjectId::from_hex(fields.next()?)?,
        path: record.get(tab + 1..)?.to_vec().into(),
        plain: fields.next()? == "0",
        amended: false,
        stat: RecordedStat::default(),
    })
}

/// A path, as git has it, of something in a folder.
pub(crate) fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}
