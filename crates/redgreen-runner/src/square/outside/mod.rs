//! The clean corner: the tree without what git does not keep and what appeared or changed since the base.
//!
//! It is run only where there is such a thing. Tests that pass beside it alone are run again without it, and with it in
//! another view, so that neither a flaky test nor one that does not like views is taken for one that needs it; then half
//! by half, until it is known which file it is.

mod beside;
mod found;
pub(super) mod here;
mod manifests;
mod node;
mod python;
mod settings;
mod shadow;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use jiff::{Timestamp, tz::TimeZone};
use redgreen_agents::AGENTS;
use redgreen_engine::square::outside::{ended_early, lost};
use redgreen_model::execution::{Execution, Purpose, TestId};
use redgreen_model::outside::{Outside, OutsideChange, OutsideKind};
use redgreen_model::square::CornerSeen;
use redgreen_workspace::Ignored;

use self::found::{Found, Look};
use self::manifests::Manifests;
use super::corner::Room;
use super::{Change, Squarer, elsewhere, not_started};
use crate::RunnerError;
use crate::ground::Ground;
use crate::trees::globs;

/// How many changes are kept by name.
const NAMED: usize = 20;
/// How long is looked for the one file that decides.
const SEARCH_MAX: Duration = Duration::from_secs(60);

/// The clean corner that somebody asks for: an empty home, nothing that git does not keep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bare {
    /// Whether there is no network, either.
    pub(crate) offline: bool,
}

/// Something outside of the tree that appeared or changed.
#[derive(Clone, Debug)]
struct Suspect {
    kind: OutsideKind,
    name: String,
    at: SystemTime,
    /// What takes it away.
    hidden: Hidden,
}

/// What a view takes away.
#[derive(Clone, Debug, Default)]
struct Hidden {
    /// Files and folders that are not there.
    deleted: Vec<PathBuf>,
    /// Folders that they lie in, where that is not the work tree.
    layers: Vec<PathBuf>,
    /// Files and folders that are empty.
    covered: Vec<PathBuf>,
    /// Whether the home folder is another one, with nothing in it.
    home: bool,
    /// Whether there is no network.
    network: bool,
}

impl Hidden {
    fn in_tree(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { deleted: paths.into_iter().collect(), ..Self::default() }
    }

    fn in_layer(layer: &Path, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { layers: vec![layer.to_owned()], ..Self::in_tree(paths) }
    }

    fn of<'all>(suspects: impl IntoIterator<Item = &'all Suspect>) -> Self {
        let mut all = Self::default();
        suspects.into_iter().for_each(|suspect| all.add(&suspect.hidden));
        all
    }

    fn add(&mut self, other: &Self) {
        self.deleted.extend(other.deleted.iter().cloned());
        self.covered.extend(other.covered.iter().cloned());
        self.home |= other.home;
        self.network |= other.network;
        self.layers.extend(other.layers.iter().cloned());
        self.layers.sort();
        self.layers.dedup();
    }
}

impl Bare {
    fn suspects(self) -> Vec<Suspect> {
        let at = SystemTime::now();
        let suspect = |kind: OutsideKind, name: &str, hidden: Hidden| Suspect {
            kind,
            name: name.to_owned(),
            at,
            hidden,
        };
        let home = Hidden { home: true, ..Hidden::default() };
        let mut suspects = vec![suspect(OutsideKind::Home, "the home folder", home)];
        if self.offline {
            let network = Hidden { network: true, ..Hidden::default() };
            suspects.push(suspect(OutsideKind::Network, "the network", network));
        }
        suspects
    }
}

/// Where a tree is run without some of what lies around it.
struct Corner<'corner> {
    room: Room,
    change: &'corner Change<'corner>,
    /// What git ignores.
    ignored: &'corner [Ignored],
}

/// What was found outside of the tree.
struct All {
    suspects: Vec<Suspect>,
    /// What hides all of it: of folders that are new as a whole, not each file.
    hidden: Hidden,
}

impl Squarer<'_> {
    /// What lies outside of the tree, and whether the tree passes without it; none where nobody is to look.
    pub(super) fn outside(
        &self,
        change: &Change<'_>,
        ignored: &[Ignored],
    ) -> Result<Option<Outside>, RunnerError> {
        let Some(since) = self.since else { return Ok(None) };
        let workspace = &self.runner.trees.workspace;
        let root = workspace.root();
        let own = self.own_folders();
        let made = globs(&self.config.tests.outside)?;
        let built = redgreen_frameworks::outputs(&workspace.paths(&change.tree.tree)?);
        let is_passed_over = |path: &str| {
            made.is_match(path)
                || own.contains(&root.join(path))
                || is_of_an_agent(path)
                || built.iter().any(|folder| folder == path)
        };
        let ran = moment(&change.run.execution.started_at).unwrap_or(since);
        let inner = ignored.iter().filter(|it| root.join(&it.path).join("pyvenv.cfg").exists());
        let inner: Vec<String> = inner.map(|it| it.path.clone()).collect();
        let environments = python::environments(root, &inner);
        let sites: BTreeSet<PathBuf> =
            environments.iter().flat_map(|it| site_packages(it)).collect();
        let installs: Vec<SystemTime> =
            sites.iter().flat_map(|site| python::installs_of(root, site)).collect();
        let look = Look { root, since, ran, installs: &installs, is_passed_over: &is_passed_over };
        let found = Found::look(ignored, &look);
        let suspects = match &self.bare {
            Some(bare) => bare.suspects(),
            None => self.installed(&found, since, change)?,
        };
        let mut all = All { suspects, hidden: Hidden::default() };
        all.suspects.extend(settings::look(root, since));
        all.suspects.extend(self.shadows(change, root)?);
        all.hidden = Hidden::of(&all.suspects);
        let is_needed = found.was_there || !all.suspects.is_empty();
        let count = found.count + all.suspects.len() as u64;
        all.hidden.add(&Hidden::in_tree(found.hidden.iter().map(|path| root.join(path))));
        all.suspects.extend(found.changed.iter().map(|changed| Suspect {
            kind: OutsideKind::Ignored,
            name: changed.path.clone(),
            at: changed.at,
            hidden: Hidden::in_tree([root.join(&changed.path)]),
        }));
        let mut outside = Outside {
            since: Timestamp::try_from(since).map(|it| it.to_string()).unwrap_or_default(),
            changed: all.suspects.iter().take(NAMED).map(named).collect(),
            count,
            clean: CornerSeen::Needless,
            lost: Vec::new(),
            decisive: Vec::new(),
        };
        if found.is_cut() {
            let reason = "git ignores more files than redgreen looks at".to_owned();
            outside.clean = CornerSeen::Unseen { reason };
        } else if is_needed {
            self.look_without(&mut outside, change, ignored, &all)?;
        }
        Ok(Some(outside))
    }

    /// Compiled files that came with the change, beside their sources.
    fn shadows(&self, change: &Change<'_>, root: &Path) -> Result<Vec<Suspect>, RunnerError> {
        let trees = self.runner.trees;
        let (base, tree) = (&change.base.tree, &change.tree.tree);
        let changes = trees.changes(base, tree)?;
        let paths = trees.workspace.paths(tree)?;
        let shadows = shadow::look(&changes, &paths).into_iter().map(|path| Suspect {
            kind: OutsideKind::Compiled,
            name: path.to_owned(),
            at: SystemTime::now(),
            hidden: Hidden::in_tree([root.join(path)]),
        });
        Ok(shadows.collect())
    }

    /// What is redgreen's own.
    fn own_folders(&self) -> Vec<PathBuf> {
        let workspace = &self.runner.trees.workspace;
        workspace.memory_folders().chain([workspace.state_path()]).collect()
    }

    /// Installed packages that nobody asked for or that were edited, in the work tree and where its Python is.
    fn installed(
        &self,
        found: &Found,
        since: SystemTime,
        change: &Change<'_>,
    ) -> Result<Vec<Suspect>, RunnerError> {
        let workspace = &self.runner.trees.workspace;
        let (root, tree) = (workspace.root(), &change.tree.tree);
        let checks = self.checks;
        let manifests = Manifests { workspace, tree, checks, read: OnceCell::new() };
        let mut suspects = Vec::new();
        let modules = found.installed.iter().filter(|folder| folder.ends_with("node_modules"));
        for folder in modules {
            suspects.extend(node::look(root, &root.join(folder), since, &manifests));
        }
        if workspace.paths(tree)?.iter().any(|path| path.ends_with(".py")) {
            let environments = python::environments(root, &found.installed);
            let sites = environments.iter().flat_map(|it| site_packages(it));
            let sites: BTreeSet<PathBuf> = sites.filter_map(|it| it.canonicalize().ok()).collect();
            for site in sites {
                suspects.extend(python::look(&site, since, &manifests));
            }
        }
        Ok(suspects)
    }

    /// The clean corner itself.
    fn look_without(
        &self,
        outside: &mut Outside,
        change: &Change<'_>,
        ignored: &[Ignored],
        all: &All,
    ) -> Result<(), RunnerError> {
        let unseen = |reason: String| CornerSeen::Unseen { reason };
        let room = Room::new(self.runner.executor, &self.runner.trees.workspace.state_dir()?)?;
        let corner = Corner { room, change, ignored };
        let fixed = all.suspects.iter().find(|it| !it.kind.is_a_file_here());
        if let Some(fixed) = fixed.filter(|_| corner.room.has_copies()) {
            outside.clean =
                unseen(format!("a copy of the project cannot do without {}", fixed.name));
            return Ok(());
        }
        let execution = match self.without(&corner, &all.hidden, &[])? {
            Ok(execution) => execution,
            Err(reason) => {
                outside.clean = unseen(reason);
                return Ok(());
            }
        };
        if let Some(limit) = ended_early(&execution) {
            outside.clean = unseen(limit);
            return Ok(());
        }
        let mut missing = lost(change.run, &execution);
        if !missing.is_empty() {
            // Seen to pass the second time: flaky.
            if let Ok(again) = self.without(&corner, &all.hidden, &missing)? {
                let red = lost(change.run, &again);
                missing.retain(|test| red.contains(test));
            }
        }
        if let Some(first) = missing.first().cloned() {
            // Beside all of it, but in a view: what is red there is red for another reason.
            match self.without(&corner, &Hidden::default(), &missing)? {
                Ok(seen) => {
                    let red = lost(change.run, &seen);
                    missing.retain(|test| !red.contains(test));
                }
                Err(reason) => {
                    outside.clean = unseen(reason);
                    return Ok(());
                }
            }
            if missing.is_empty() {
                let what = if corner.room.has_copies() { "copy" } else { "view" };
                let reason = format!("{first} passes in the work tree, but not in a {what} of it");
                outside.clean = unseen(reason);
                return Ok(());
            }
        }
        outside.clean = CornerSeen::Ran { execution: Box::new(execution), confirm: None };
        if !missing.is_empty() {
            outside.decisive = self.decisive(&corner, &all.suspects, &missing)?;
            outside.lost = missing;
        }
        Ok(())
    }

    /// The tests (all where none are named) in a view of the tree in which this is hidden; else why not, in words.
    fn without(
        &self,
        corner: &Corner<'_>,
        hidden: &Hidden,
        only: &[TestId],
    ) -> Result<Result<Execution, String>, RunnerError> {
        let (Corner { room, change, ignored }, trees) = (corner, self.runner.trees);
        let root = trees.workspace.root();
        let mut elsewhere = elsewhere(root, self.checks);
        elsewhere.extend(hidden.layers.iter().filter(|it| !it.starts_with(root)).cloned());
        let mut ground = match room.ground(trees, &change.tree.tree, change.there, &elsewhere)? {
            Ok(ground) => ground,
            Err(reason) => return Ok(Err(reason)),
        };
        if let Ground::View { view, environment, .. } = &mut ground {
            view.deleted.extend(hidden.deleted.iter().cloned());
            view.offline = hidden.network;
            if hidden.home {
                environment.extend(room.empty_home()?);
            }
            let (folders, files): (Vec<_>, Vec<_>) =
                hidden.covered.iter().cloned().partition(|path| path.is_dir());
            view.emptied.extend(folders);
            for file in files {
                let empty = room.empty_file(&file)?;
                view.covered.push((file, empty));
            }
        }
        if let Ground::Copy { copy, .. } = &ground {
            let own = self.own_folders();
            let put = beside::put(root, &copy.folder, ignored, &hidden.deleted, &own);
            put.map_err(RunnerError::file("copy what git ignores into", &copy.folder))?;
        }
        let execution = self.run_in(&ground, Purpose::Clean, only)?;
        Ok(match not_started(&execution) {
            Some(reason) => Err(reason),
            None => Ok(execution),
        })
    }

    /// Which of it the tests need: the half without which they do not pass, again and again.
    fn decisive(
        &self,
        corner: &Corner<'_>,
        suspects: &[Suspect],
        tests: &[TestId],
    ) -> Result<Vec<OutsideChange>, RunnerError> {
        let began = Instant::now();
        let mut suspects = suspects;
        while suspects.len() > 1 && began.elapsed() < SEARCH_MAX {
            let (one, two) = suspects.split_at(suspects.len() / 2);
            let mut needed = None;
            for half in [one, two] {
                let Ok(seen) = self.without(corner, &Hidden::of(half), tests)? else { break };
                if lost(corner.change.run, &seen).iter().any(|test| tests.contains(test)) {
                    needed = Some(half);
                    break;
                }
            }
            let Some(half) = needed else { break };
            suspects = half;
        }
        Ok(suspects.iter().take(NAMED).map(named).collect())
    }
}

fn named(suspect: &Suspect) -> OutsideChange {
    let Suspect { kind, name, at, .. } = suspect;
    OutsideChange { kind: *kind, name: name.clone(), at: clock_time(*at) }
}

/// Whether an agent keeps it for itself, in the root: `.NAME`, and what begins like that.
fn is_of_an_agent(path: &str) -> bool {
    let name = path.strip_prefix('.').unwrap_or_default();
    AGENTS.iter().any(|agent| name.starts_with(agent.name))
}

/// The folders with the packages of an environment of Python.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let folders = ["lib", "lib64"].map(|name| environment.join(name));
    let versions = folders.into_iter().flat_map(|lib| std::fs::read_dir(lib).into_iter().flatten());
    let versions = versions.flatten().map(|version| version.path());
    let python = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"))
    };
    let kinds = |path: PathBuf| ["site-packages", "dist-packages"].map(|kind| path.join(kind));
    versions.filter(python).flat_map(kinds).filter(|path| path.is_dir()).collect()
}

/// A moment for people: the time of day, with the date where it is another day.
fn clock_time(at: SystemTime) -> String {
    let Ok(at) = Timestamp::try_from(at) else { return "an unknown time".to_owned() };
    let (at, now) = (at.to_zoned(TimeZone::UTC), Timestamp::now().to_zoned(TimeZone::UTC));
    match at.date() == now.date() {
        true => at.strftime("%H:%M UTC").to_string(),
        false => at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
    }
}

/// The moment that a record has.
pub(crate) fn moment(text: &str) -> Option<SystemTime> {
    text.parse::<Timestamp>().ok().map(SystemTime::from)
}
