//! Settings on disk: read whole, written whole or not at all.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use redgreen_files::{Draft, OPEN_MODE};

use super::SettingsError;

/// No settings are longer.
const SETTINGS_BYTES_MAX: u64 = 8 << 20;

/// A settings file as it was found.
#[derive(Debug)]
pub struct Found {
    /// The file itself, behind all links.
    pub path: PathBuf,
    /// What it holds; `None` if it is not there.
    pub text: Option<String>,
}

/// Reads a file. With a bound, a link that leads out of it is an error.
pub fn read(path: &Path, bound: Option<&Path>) -> Result<Found, SettingsError> {
    let path_behind = behind_links(path)?;
    if let Some(bound) = bound {
        let bound = fs::canonicalize(bound)
            .map_err(|source| SettingsError::system("find", bound, source))?;
        if !path_behind.starts_with(&bound) {
            return Err(SettingsError::Outside { path: path.to_owned(), target: path_behind });
        }
    }
    let odd = |what: &str| SettingsError::Odd { path: path.to_owned(), what: what.to_owned() };
    match fs::metadata(&path_behind) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Found { path: path_behind, text: None });
        }
        Err(source) => return Err(SettingsError::system("look at", path, source)),
        Ok(found) if !found.is_file() => return Err(odd("is not a file")),
        Ok(found) if found.len() > SETTINGS_BYTES_MAX => return Err(odd("is too long")),
        Ok(_) => {}
    }
    let bytes =
        fs::read(&path_behind).map_err(|source| SettingsError::system("read", path, source))?;
    let text = String::from_utf8(bytes).map_err(|_| odd("is not UTF-8"))?;
    Ok(Found { path: path_behind, text: Some(text) })
}

/// Reads a file wherever its links lead.
pub fn read_any(path: &Path) -> Result<Found, SettingsError> {
    read(path, None)
}

impl Found {
    /// Removes it, as [`remove`] does.
    pub fn remove(&self, bound: &Path) -> Result<(), SettingsError> {
        remove(self, bound)
    }
}

/// The path with the links in it followed, also if its end is not there yet.
fn behind_links(path: &Path) -> Result<PathBuf, SettingsError> {
    if let Ok(target) = fs::read_link(path)
        && !path.exists()
    {
        let what = format!("is a link to {}, which is not there", target.display());
        return Err(SettingsError::Odd { path: path.to_owned(), what });
    }
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(SettingsError::system("find", path, error));
            };
            Ok(behind_links(parent)?.join(name))
        }
        Err(source) => Err(SettingsError::system("find", path, source)),
    }
}

/// Puts a text in the place of what was found, unless that has changed since.
pub fn write(found: &Found, text: &str) -> Result<(), SettingsError> {
    let path = &found.path;
    let parent = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(|source| SettingsError::system("make", parent, source))?;
    let wrong = |source| SettingsError::system("write", path, source);
    let mut draft = Draft::beside(path, OPEN_MODE).map_err(wrong)?;
    if let Ok(old) = fs::metadata(path) {
        draft.file().set_permissions(old.permissions()).map_err(wrong)?;
    }
    draft.fill(text.as_bytes()).map_err(wrong)?;
    if read(path, None)?.text != found.text {
        let what = "was changed by somebody else at this moment".to_owned();
        return Err(SettingsError::Odd { path: path.clone(), what });
    }
    draft.place(path).map_err(wrong)
}

/// Removes a file, and the folders around it that are empty then, up to a bound.
pub fn remove(found: &Found, bound: &Path) -> Result<(), SettingsError> {
    let path = &found.path;
    fs::remove_file(path).map_err(|source| SettingsError::system("remove", path, source))?;
    let bound = fs::canonicalize(bound).unwrap_or_else(|_| bound.to_owned());
    let mut folder = path.parent();
    while let Some(empty) = folder.filter(|folder| folder.starts_with(&bound) && *folder != bound) {
        // One that is not empty is refused by the system.
        if fs::remove_dir(empty).is_err() {
            break;
        }
        folder = empty.parent();
    }
    Ok(())
}
