//! Secrets at the edge: which values are secret here, and where raw text must not stay.

mod env_file;

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_exec::LogFilter;
use redgreen_model::text::{
    KnownSecret, REDACTED, Reach, Redactor, is_random, redact, secret_reach, unmarked_secrets,
};

use env_file::variables;

/// How files with the variables of a project begin.
const FILE_PREFIX: &str = ".env";
/// The settings of redgreen, which may give variables to checks, and have commands.
const SETTINGS: &str = "redgreen.toml";
/// How those end that are for everybody to see: what is in them is made up.
const EXAMPLES: [&str; 5] = [".example", ".sample", ".template", ".dist", ".schema"];
/// The most of such files that are read, and how much of each.
const FILES_MAX: usize = 20;
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// How many folders up the root of a project is looked for.
const FOLDERS_UP: usize = 32;

/// The values that are secret in the environment and the arguments of this process, and in the `.env` files
/// and the `redgreen.toml` of the project that it was started in: wherever one of them is printed, it is
/// redacted.
pub fn known_here() -> Vec<KnownSecret> {
    let mut secrets = Vec::new();
    for (name, value) in std::env::vars_os() {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        gather(&name, &value, false, &mut secrets);
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    gather_command(&arguments.join("\n".as_ref()).to_string_lossy(), &mut secrets);
    if let Ok(folder) = std::env::current_dir() {
        let folders = folders_of(&folder);
        for text in folders.iter().flat_map(|folder| variable_files(folder)) {
            for (name, value) in variables(&text) {
                gather(name, &value, true, &mut secrets);
            }
        }
        let settings = folders.last().and_then(|root| text_of(&root.join(SETTINGS)));
        gather_settings(&settings.unwrap_or_default(), &mut secrets);
    }
    secrets
}

/// Adds what is secret in the settings: variables that they give to checks, and what is in commands. They
/// are read line by line, as whoever reads them as a whole has complaints to redact.
fn gather_settings(text: &str, secrets: &mut Vec<KnownSecret>) {
    for (name, value) in variables(text) {
        gather(name, &value, false, secrets);
    }
    gather_command(text, secrets);
}

/// Adds what a command gives away as secret.
fn gather_command(text: &str, secrets: &mut Vec<KnownSecret>) {
    let known = |value| KnownSecret { name: String::new(), value, reach: Reach::Anywhere };
    secrets.extend(unmarked_secrets(text).into_iter().map(known));
}

/// Adds what of a variable is secret.
fn gather(name: &str, value: &str, of_project: bool, secrets: &mut Vec<KnownSecret>) {
    let mut add = |name: &str, value: &str, reach: Option<Reach>| {
        let secret = |reach| KnownSecret { name: name.to_owned(), value: value.to_owned(), reach };
        secrets.extend(reach.map(secret));
    };
    let random = (of_project && is_random(value)).then_some(Reach::Anywhere);
    add(name, value, random.or_else(|| secret_reach(name, value)));
    if let Some(password) = password_of(value) {
        add("password", password, secret_reach("password", password));
    }
    // A string of several, and no command with a variable in front of it.
    let pairs = value
        .split(';')
        .map(str::trim)
        .filter(|pair| !pair.contains(' '))
        .filter(|pair| *pair != value);
    for (name, value) in pairs.filter_map(|pair| pair.split_once('=')) {
        add(name, value, secret_reach(name, value));
    }
}

/// The password in an address: `postgres://user:password@host/name`.
fn password_of(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let (authority, _) = rest.rsplit_once('@')?;
    authority.split_once(':').map(|(_, password)| password)
}

/// A folder and those above it, up to the root of the work tree; the folder alone where there is none.
fn folders_of(folder: &Path) -> Vec<&Path> {
    let above: Vec<&Path> = folder.ancestors().take(FOLDERS_UP).collect();
    let root = above.iter().position(|folder| folder.join(".git").exists());
    above.into_iter().take(root.map_or(1, |root| root + 1)).collect()
}

fn variable_files(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let named = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with(FILE_PREFIX) && !EXAMPLES.iter().any(|end| name.ends_with(end))
    });
    let paths = named.map(|entry| entry.path()).filter(|path| path.is_file()).take(FILES_MAX);
    paths.filter_map(|path| text_of(&path)).collect()
}

fn text_of(path: &Path) -> Option<String> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a log is redacted with as it is written.
pub(crate) fn redactor() -> Box<dyn LogFilter> {
    Box::new(Log(Redactor::default()))
}

struct Log(Redactor);

impl LogFilter for Log {
    fn take(&mut self, piece: &[u8], write: &mut dyn FnMut(&[u8])) {
        self.0.take(piece, write);
    }

    fn end(&mut self, write: &mut dyn FnMut(&[u8])) {
        self.0.end(write);
    }
}

/// A file with text as it came, which does not outlive what it is for.
pub(crate) struct Private(pub(crate) PathBuf);

impl Drop for Private {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A configured variable as it may be stored and shown.
pub(crate) fn shown_variable(name: &str, value: &str) -> String {
    let is_secret = secret_reach(name, value).is_some();
    if is_secret { REDACTED.to_owned() } else { redact(value).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(String, Reach)> {
        let mut secrets = Vec::new();
        for (name, value) in variables(text) {
            gather(name, &value, true, &mut secrets);
        }
        secrets.into_iter().map(|secret| (secret.value, secret.reach)).collect()
    }

    #[test]
    fn the_variables_of_a_project_are_read() {
        let text = "# API_KEY=commented-0ut\nexport API_KEY='first-0ne' # why\nHOST=example.org\n\
            DB_PASSWORD=second-0ne # why\nDATABASE_URL=postgres://me:third-0ne@db/x\n\
            COOKIE = \"q8Zr2LmX0aVt5KdWf7Hy\"\nSECRET=short\nEMPTY_KEY=\nPORT=8080\nDEBUG=true\n\
            ENV=production\nDB_USER=postgres\nSIGNING_KEY=\"one\nand two\"\n\
            STORE=AccountName=me;AccountKey=f0urth+one==; Suffix=x\nRUN=\"API_KEY=x1 make; make\"\n";
        let wanted = [
            ("first-0ne", Reach::Anywhere),
            ("second-0ne", Reach::Anywhere),
            ("third-0ne", Reach::Anywhere),
            ("q8Zr2LmX0aVt5KdWf7Hy", Reach::Anywhere),
            ("short", Reach::BehindItsName),
            ("one\nand two", Reach::Anywhere),
            ("f0urth+one==", Reach::Anywhere),
        ];
        assert_eq!(values(text), wanted.map(|(value, reach)| (value.to_owned(), reach)));
    }

    #[test]
    fn settings_tell_what_is_secret_in_them() {
        let mut secrets = Vec::new();
        let text = "[agent]\ncommand = \"agent --api-key n0-f0rm-of-a-key\"\n\
            [checks.environment]\nOTHER_KEY = \"0ther-value-1\"\nMODE = \"fast\"\n";
        gather_settings(text, &mut secrets);
        let values: Vec<&str> = secrets.iter().map(|secret| secret.value.as_str()).collect();
        assert_eq!(values, ["0ther-value-1", "n0-f0rm-of-a-key"]);
    }

    #[test]
    fn files_for_everybody_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [(".env", "A"), (".env.local", "B"), (".env.example", "C"), ("x", "D")]
        {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let mut texts = variable_files(folder.path());
        texts.sort_unstable();
        assert_eq!(texts, ["A", "B"]);
        fs::create_dir_all(folder.path().join(".git")).unwrap();
        let [a, b] = ["a", "a/b"].map(|name| folder.path().join(name));
        assert_eq!(folders_of(&b), [&b, &a, folder.path()]);
    }

    #[test]
    fn configured_variables_are_shown_without_secrets() {
        assert_eq!(shown_variable("API_KEY", "hunter2hunter2"), "[redacted]");
        assert_eq!(shown_variable("DB_PWD", "abcd"), "[redacted]");
        assert_eq!(shown_variable("MODE", "fast"), "fast");
    }
}
