//! What a report of a bug needs, in one file that a person can read before it is sent.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_model::text::{clean_block, strip_controls};
use redgreen_redact::redact;
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::secrets::shown_variable;
use redgreen_workspace::git_version;

use super::Finding;
use crate::context::{self, CONFIG_FILE};
use crate::failure::Failure;
use crate::{display, log};

/// Where it is written in the state's folder, which git ignores.
pub const FILE: &str = "bug-report.txt";
/// How many of the newest sessions, single judgements and logs are in it.
const NEWEST: usize = 3;
/// How much of each file is in it: its beginning and its end.
const FILE_CHARS: usize = 60_000;
/// What redgreen reads of the environment, beside its own variables.
const VARIABLES: [&str; 6] = ["CI", "LANG", "LC_ALL", "SHELL", "TERM", "XDG_STATE_HOME"];
/// What tells which system this is.
const SYSTEM: [&str; 2] = ["/etc/os-release", "/proc/version"];

/// A text that grows by sections.
struct Bundle {
    text: String,
    home: Option<String>,
}

impl Bundle {
    fn section(&mut self, title: &str, text: &str) {
        let whole = format!("\n===== {title} =====\n{}\n", text.trim_end());
        let clean = redact(&strip_controls(&whole)).into_owned();
        self.text.push_str(&match &self.home {
            Some(home) => clean.replace(home, "~"),
            None => clean,
        });
    }

    fn file(&mut self, path: &Path) {
        if let Ok(bytes) = fs::read(path) {
            self.section(&path.display().to_string(), &clean_block(&bytes, FILE_CHARS));
        }
    }
}

/// Writes it, and says where it is.
pub fn write(named: Option<&Path>, findings: &[Finding]) -> Result<(), Failure> {
    let workspace = context::workspace().ok();
    let path = match (named, &workspace) {
        (Some(path), _) => path.to_owned(),
        (None, Some(workspace)) => workspace.state_dir()?.join(FILE),
        (None, None) => context::folder()?.join(FILE),
    };
    let home = std::env::var("HOME").ok().filter(|home| home.len() > 1);
    let mut bundle = Bundle { text: String::new(), home };
    bundle.text.push_str(
        "What redgreen knows of itself here, without the secrets that it knows of. It has names, paths, \
         commands and output of this project: read it before you send it.\n",
    );
    let system: Vec<String> = SYSTEM.iter().filter_map(|it| fs::read_to_string(it).ok()).collect();
    let git = git_version().unwrap_or_else(|error| error.to_string());
    let versions = format!("redgreen {}\n{git}\n{}", env!("CARGO_PKG_VERSION"), system.join(""));
    bundle.section("versions", &versions);
    let found = findings.iter().map(Finding::shown).collect::<Vec<_>>();
    bundle.section("redgreen doctor", &found.join("\n"));
    let is_read = |name: &str| name.starts_with("REDGREEN_") || VARIABLES.contains(&name);
    let mut variables: Vec<String> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
        .filter(|(name, _)| is_read(name))
        .map(|(name, value)| {
            let value = shown_variable(&name, &value.to_string_lossy());
            format!("{name}={value}")
        })
        .collect();
    variables.sort_unstable();
    bundle.section("variables", &variables.join("\n"));
    if let Some(workspace) = &workspace {
        bundle.file(&workspace.root().join(CONFIG_FILE));
        let state = workspace.state_path();
        for session in SessionFolder::list(&state).iter().take(NEWEST) {
            add_session(&mut bundle, &SessionFolder::new(workspace.root(), &state, session));
        }
        for run in SessionFolder::runs(workspace.root(), &state).iter().take(NEWEST) {
            add_session(&mut bundle, run);
        }
    }
    log::files().iter().rev().take(NEWEST).for_each(|file| bundle.file(file));
    context::write_whole(&path, &bundle.text)?;
    display::note(&format!("written to {}: read it before you send it", path.display()));
    Ok(())
}

fn add_session(bundle: &mut Bundle, session: &SessionFolder) {
    let files: [PathBuf; 3] = [session.journal(), session.events(), session.report()];
    files.iter().for_each(|file| bundle.file(file));
}
