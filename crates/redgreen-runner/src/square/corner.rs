//! Runs one corner: a tree that is not the work tree, at the work tree's own path.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use redgreen_exec::{Executor, Layer, View, place_for_layers, remove_layers};
use redgreen_model::tree::{TreeHash, TreeState};
use uuid::Uuid;

use crate::RunnerError;
use crate::ground::Ground;
use crate::square::copy::plain_copy;
use crate::trees::Trees;

/// What the name of a room begins with; the process id of its redgreen follows.
const NAME: &str = "redgreen-room-";

/// Variables that name folders of settings.
const BELOW_HOME: [(&str, &str); 3] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
];
/// Where tools keep themselves and what they downloaded, below the home folder unless a variable says otherwise.
const TOOLS_AT_HOME: [(&str, &str); 8] = [
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("GOPATH", "go"),
    ("GOCACHE", ".cache/go-build"),
    ("GRADLE_USER_HOME", ".gradle"),
    ("PYENV_ROOT", ".pyenv"),
    ("PYTHONUSERBASE", ".local"),
    ("npm_config_cache", ".npm"),
];

/// Where corners are made; what is in it goes with it.
pub(crate) struct Room {
    folder: PathBuf,
    /// Why there are no views here, in words.
    no_views: Option<String>,
}

impl Room {
    /// A room on a file system that layers can lie on, if there is one.
    pub(crate) fn new(executor: &Executor, state_dir: &Path) -> Result<Self, RunnerError> {
        let shared_memory = PathBuf::from("/dev/shm");
        let places = [std::env::temp_dir(), state_dir.to_owned(), shared_memory];
        let (place, no_views) = match place_for_layers(executor, &places) {
            Ok(place) => (place, None),
            Err(reason) => (std::env::temp_dir(), Some(reason)),
        };
        forget_those_of_the_dead(&place);
        let owner = std::process::id();
        let folder = place.join(format!("{NAME}{owner}-{}", Uuid::now_v7()));
        fs::create_dir_all(&folder).map_err(RunnerError::file("make the folder", &folder))?;
        Ok(Self { folder, no_views })
    }

    /// A file with which a file of settings is covered: it says nothing, in the form that its kind has.
    pub(crate) fn empty_file(&self, of: &Path) -> Result<PathBuf, RunnerError> {
        let (name, text) = match of.extension().and_then(|it| it.to_str()) {
            Some("json") => ("nothing.json", "{}\n"),
            Some("xml") => ("nothing.xml", "<settings/>\n"),
            _ => ("nothing", ""),
        };
        let place = self.folder.join(name);
        fs::write(&place, text).map_err(RunnerError::file("write", &place))?;
        Ok(place)
    }

    /// An empty home for a job, and what it must be given to use it: tools are found where they were.
    pub(crate) fn empty_home(&self) -> Result<Vec<(OsString, OsString)>, RunnerError> {
        let home = self.folder.join("home");
        fs::create_dir_all(&home).map_err(RunnerError::file("make the folder", &home))?;
        let mut environment = vec![("HOME".into(), home.clone().into_os_string())];
        for (variable, folder) in BELOW_HOME {
            if std::env::var_os(variable).is_some() {
                environment.push((variable.into(), home.join(folder).into_os_string()));
            }
        }
        let old = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        for (variable, folder) in TOOLS_AT_HOME {
            let place = old.join(folder);
            if std::env::var_os(variable).is_none() && place.is_dir() {
                environment.push((variable.into(), place.into_os_string()));
            }
        }
        Ok(environment)
    }

    /// Whether corners are copies here.
    pub(crate) fn has_copies(&self) -> bool {
        self.no_views.is_some()
    }

    /// The ground of a tree, while `there` is the one in the work tree; else why there is none, in
    /// words. `elsewhere` are folders outside of the work tree that a build writes into.
    pub(crate) fn ground(
        &self,
        trees: &Trees,
        tree: &TreeHash,
        there: &TreeHash,
        elsewhere: &[PathBuf],
    ) -> Result<Result<Ground, String>, RunnerError> {
        let folder = self.folder.join(Uuid::now_v7().to_string());
        let Some(reason) = &self.no_views else {
            return view(trees, tree, there, &folder, elsewhere).map(Ok);
        };
        let copy = plain_copy(&trees.workspace, tree, &folder, &self.folder.join("cache"))?;
        if !copy.leaks.is_empty() {
            let leaks = copy.leaks.join("; ");
            return Ok(Err(format!("it can only be run in a copy ({reason}), and {leaks}")));
        }
        Ok(Ok(Ground::Copy { tree: state_of(trees, tree)?, copy }))
    }
}

/// Removes rooms whose redgreen was killed.
fn forget_those_of_the_dead(place: &Path) {
    let owner = |name: &str| name.strip_prefix(NAME)?.split('-').next()?.parse::<u32>().ok();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let owner = entry.file_name().to_str().and_then(owner);
        if owner.is_some_and(|owner| !Path::new("/proc").join(owner.to_string()).exists()) {
            let _ = remove_layers(&entry.path());
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = remove_layers(&self.folder);
    }
}

/// A tree at the work tree's own path.
fn view(
    trees: &Trees,
    tree: &TreeHash,
    there: &TreeHash,
    room: &Path,
    elsewhere: &[PathBuf],
) -> Result<Ground, RunnerError> {
    let root = trees.workspace.root();
    let layer = |at: &Path, name: &str| -> Result<Layer, RunnerError> {
        let (upper, work) = (room.join(format!("{name}-upper")), room.join(format!("{name}-work")));
        for folder in [&upper, &work] {
            fs::create_dir_all(folder).map_err(RunnerError::file("make the folder", folder))?;
        }
        Ok(Layer { at: at.to_owned(), upper, work })
    };
    let first = layer(root, "root")?;
    let upper = first.upper.clone();
    let staged = trees.workspace.stage(tree, there, &upper)?;
    // What git tracks of them is part of the tree.
    let stale = redgreen_frameworks::build_folders(&trees.workspace.paths(tree)?);
    let stale = stale.iter().map(|folder| root.join(folder)).filter(|folder| folder.is_dir());
    let deleted = staged.deleted.iter().map(|path| root.join(path)).chain(stale).collect();
    let mut layers = vec![first];
    for (index, folder) in elsewhere.iter().enumerate() {
        layers.push(layer(folder, &format!("elsewhere-{index}"))?);
    }
    Ok(Ground::View {
        environment: Vec::new(),
        tree: state_of(trees, tree)?,
        upper,
        view: View {
            layers,
            shared: vec![trees.workspace.state_dir()?],
            deleted,
            // No tree has what lies there, so it is in no corner.
            emptied: trees.workspace.memory_folders().collect(),
            covered: Vec::new(),
            offline: false,
        },
    })
}

/// A tree and its code.
pub(crate) fn state_of(trees: &Trees, tree: &TreeHash) -> Result<TreeState, RunnerError> {
    Ok(TreeState { tree: tree.clone(), code: trees.code_of(tree)? })
}
