//! Settings that tools read outside of the work tree, and that changed since a moment.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use redgreen_frameworks::{settings_above, settings_at_home};
use redgreen_model::outside::OutsideKind;

use super::found::changed_at;
use super::{Hidden, Suspect};

/// The folder of settings in a home, and the variable that moves it.
const CONFIG: (&str, &str) = (".config/", "XDG_CONFIG_HOME");

/// What changed in the home folder, and in the folders above a work tree.
pub(super) fn look(root: &Path, since: SystemTime) -> Vec<Suspect> {
    let mut places: Vec<PathBuf> = Vec::new();
    if let Some(home) = std::env::var_os("HOME").map(PathBuf::from) {
        places.extend(settings_at_home().map(|name| at_home(&home, name)));
    }
    for folder in root.ancestors().skip(1) {
        places.extend(settings_above().map(|name| folder.join(name)));
    }
    places.sort();
    places.dedup();
    places.into_iter().filter_map(|place| suspect(place, since)).collect()
}

fn at_home(home: &Path, name: &str) -> PathBuf {
    let moved = std::env::var_os(CONFIG.1).filter(|folder| !folder.is_empty());
    match (name.strip_prefix(CONFIG.0), moved) {
        (Some(name), Some(folder)) => PathBuf::from(folder).join(name),
        _ => home.join(name),
    }
}

fn suspect(place: PathBuf, since: SystemTime) -> Option<Suspect> {
    let at = changed_at(&std::fs::metadata(&place).ok()?);
    (at > since).then(|| Suspect {
        kind: OutsideKind::Settings,
        name: place.display().to_string(),
        at,
        hidden: Hidden { covered: vec![place], ..Hidden::default() },
    })
}
