//! Absolute paths in messages: the folders are this machine's, the name is the program's.

use super::volatile::run;

/// Top folders of a machine. A path with another first folder may be an address on a server, and
/// stays unless it is deep.
const TOP_FOLDERS: &[&str] = &[
    "tmp",
    "var",
    "private",
    "home",
    "Users",
    "root",
    "usr",
    "opt",
    "mnt",
    "media",
    "srv",
    "work",
    "workspace",
    "workspaces",
    "builds",
    "github",
    "nix",
    "dev",
    "run",
    "Volumes",
    "etc",
    "lib",
    "proc",
];
/// Folders for temporary files, at the start or inside of a path.
const TEMPORARY_FOLDERS: &[&str] = &["/tmp/", "/var/folders/", "/dev/shm/", "\\Temp\\", "/Temp/"];
/// From this many folders on, a path is one of the file system whatever its first folder is.
const DEEP: usize = 4;
/// The most bytes of a path that are looked at.
const PATH_BYTES: usize = 1_024;
/// What `mkstemp` and its relatives put at the end of a name.
const RANDOM_CHARS: usize = 6;

/// An absolute path, by what stays of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// Its last part, from here on.
    Named { name_at: usize },
    /// Its extension, from here on: the last part was made up.
    Temporary { extension_at: usize },
}

/// The absolute path at the start of the text.
pub(super) fn path_at(text: &str, before: Option<char>) -> Option<Path> {
    let starts =
        !before.is_some_and(|before| before.is_alphanumeric() || "_./\\>%~-@".contains(before));
    if !starts {
        return None;
    }
    let scheme = if text.starts_with("file:///") { "file://".len() } else { 0 };
    let path = text.get(scheme..)?;
    let drive = drive(path);
    if drive == 0 && !path.starts_with('/') {
        return None;
    }
    let quote = before.filter(|before| "'\"`".contains(*before));
    let length = drive + end_of(path.get(drive..)?, quote);
    let path = path.get(..length)?;
    let separator = |character: char| character == '/' || (drive > 0 && character == '\\');
    let parts: Vec<&str> = path.get(drive..)?.split(separator).collect();
    let first = parts.get(1).copied().unwrap_or_default();
    let of_a_machine = drive > 0 || TOP_FOLDERS.contains(&first) || parts.len() > DEEP;
    if first.is_empty() || parts.len() < 3 || !(of_a_machine || scheme > 0) {
        return None;
    }
    let name = parts.last().copied().unwrap_or_default();
    let name_at = length - name.len();
    let temporary = TEMPORARY_FOLDERS.iter().any(|folder| path.contains(folder));
    match made_up(name).filter(|_| temporary) {
        Some(extension) => Some(Path::Temporary { extension_at: scheme + name_at + extension }),
        None => Some(Path::Named { name_at: scheme + name_at }),
    }
}

/// `C:\` and `C:/`.
fn drive(path: &str) -> usize {
    let mut bytes = path.bytes();
    let letter = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let colon = bytes.next() == Some(b':');
    let separator = matches!(bytes.next(), Some(b'/' | b'\\'));
    if letter && colon && separator { 2 } else { 0 }
}

/// A quoted path ends at its quote, another one at what cannot be part of it.
fn end_of(path: &str, quote: Option<char>) -> usize {
    let mut bound = path.len().min(PATH_BYTES);
    while !path.is_char_boundary(bound) {
        bound -= 1;
    }
    let head = path.get(..bound).unwrap_or_default();
    if let Some(quote) = quote {
        let end = head.find([quote, '\n']);
        if let Some(end) =
            end.filter(|end| head.get(*end..).is_some_and(|rest| rest.starts_with(quote)))
        {
            return end;
        }
    }
    let stops = |next: char| next.is_whitespace() || "'\"`()[]{}<>,;:|*?!".contains(next);
    let end = run(head, |next| !stops(next));
    head.get(..end).map_or(end, |path| path.trim_end_matches('.').len())
}

/// Where the extension of a made-up name begins; none for a name that was chosen.
fn made_up(name: &str) -> Option<usize> {
    let hidden = usize::from(name.starts_with('.'));
    let stem_end = name.get(hidden..)?.find('.').map_or(name.len(), |at| at + hidden);
    let stem = name.get(hidden..stem_end)?;
    let after = stem.strip_prefix("tmp").unwrap_or_default();
    let prefixed = after.len() >= RANDOM_CHARS;
    let last = stem.rsplit(['-', '_']).next().unwrap_or(stem);
    let mixed = last.len() >= RANDOM_CHARS && last != stem && is_mixed(last);
    (prefixed || mixed).then_some(stem_end)
}

/// Letters of both sizes or letters and digits, without the shape of a word.
fn is_mixed(text: &str) -> bool {
    let has = |test: fn(&char) -> bool| text.chars().any(|character| test(&character));
    let inner_capital = text.chars().skip(1).any(char::is_uppercase);
    has(char::is_ascii_alphabetic)
        && (has(char::is_ascii_digit) || (inner_capital && has(char::is_ascii_lowercase)))
}
