//! Where settings are on this machine.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Settings, UserFile};
use crate::agent::Agent;

/// For whom hooks are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For one project.
    Project,
    /// For everything a user does.
    User,
}

/// What is around redgreen: all that paths depend on.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The project's root.
    pub root: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// The environment.
    pub variables: BTreeMap<OsString, OsString>,
}

impl Surroundings {
    /// An agent's settings file.
    pub fn file(&self, settings: &Settings, scope: Scope) -> PathBuf {
        match scope {
            Scope::Project => self.root.join(settings.project),
            Scope::User => self.user_file(&settings.user),
        }
    }

    /// A file in an agent's own folder.
    pub fn user_file(&self, file: &UserFile) -> PathBuf {
        self.user_folder(file).join(file.file)
    }

    /// An agent's own folder.
    pub fn user_folder(&self, file: &UserFile) -> PathBuf {
        let named = file.variable.and_then(|name| self.variable(name)).map(PathBuf::from);
        named.filter(|folder| folder.is_absolute()).unwrap_or_else(|| self.home.join(file.folder))
    }

    /// The folder that bounds a scope: what is made in it may be removed again, itself never.
    pub(super) fn bound(&self, scope: Scope) -> &Path {
        match scope {
            Scope::Project => &self.root,
            Scope::User => &self.home,
        }
    }

    /// A variable that is set to something.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(&OsString::from(name)).filter(|value| !value.is_empty())
    }

    /// An agent's program on the search path.
    pub fn program(&self, agent: &Agent) -> Option<PathBuf> {
        self.on_path(agent.program)
    }

    /// A program on the search path.
    pub(super) fn on_path(&self, program: &str) -> Option<PathBuf> {
        let folders = std::env::split_paths(self.variable("PATH")?).collect::<Vec<_>>();
        let is_program = |file: &PathBuf| {
            use std::os::unix::fs::PermissionsExt as _;
            let found = std::fs::metadata(file);
            found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        };
        folders.iter().map(|folder| folder.join(program)).find(is_program)
    }

    /// Whether an agent seems to be in use here: its program is found, or a folder of its settings.
    pub fn uses(&self, agent: &Agent) -> bool {
        let has_folder = agent.settings.is_some_and(|settings| {
            let project = Path::new(settings.project).components().next();
            let shared = Path::new(".github");
            let in_project = project
                .map(|first| Path::new(first.as_os_str()))
                .filter(|folder| *folder != shared)
                .is_some_and(|folder| self.root.join(folder).is_dir());
            in_project || self.user_folder(&settings.user).is_dir()
        });
        has_folder || self.program(agent).is_some()
    }
}
