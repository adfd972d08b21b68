//! Secrets at the edge: which values are secret here, and where raw text must not stay.

mod env_file;
mod env_folders;
mod expand;

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_exec::LogFilter;
use redgreen_redact::{
    KnownSecret, REDACTED, Reach, Redactor, redact, secret_reach, secrets_in, unmarked_secrets,
};

use env_file::variables;
use env_folders::{folders_below, folders_of, variable_files};

/// The settings of redgreen, which may give variables to checks, and have commands.
const SETTINGS: &str = "redgreen.toml";
/// What the folder of a check is called there.
const FOLDER: &str = "folder";
/// How much is read of a file with variables.
const FILE_BYTES_MAX: u64 = 256 * 1024;

/// The values that are secret in the environment and the arguments of this process, and in the `.env` files
/// and the `redgreen.toml` of the project that it was started in: wherever one of them is printed, it is
/// redacted.
pub fn known_here() -> Vec<KnownSecret> {
    let mut secrets = Vec::new();
    for (name, value) in std::env::vars_os() {
        secrets.extend(secrets_in(&name.to_string_lossy(), &value.to_string_lossy(), false));
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    gather_command(&arguments.join("\n".as_ref()).to_string_lossy(), &mut secrets);
    if let Ok(folder) = std::env::current_dir() {
        gather_project(&folder, &mut secrets);
    }
    secrets
}

/// Adds what is secret in the files of the project that a folder is in.
fn gather_project(folder: &Path, secrets: &mut Vec<KnownSecret>) {
    let above = folders_of(folder);
    let root = above.last().copied().unwrap_or(folder);
    let settings = text_of(&root.join(SETTINGS)).unwrap_or_default();
    gather_settings(&settings, secrets);
    let checks = variables(&settings).into_iter().filter(|(name, _)| *name == FOLDER);
    let checks: Vec<PathBuf> = checks.map(|(_, folder)| root.join(folder)).collect();
    for path in variable_files(&above, &folders_below(root, checks)) {
        gather_variables(&text_of(&path).unwrap_or_default(), secrets);
    }
}

/// Adds what is secret in a file with variables, as it is written there and as a program sees it.
fn gather_variables(text: &str, secrets: &mut Vec<KnownSecret>) {
    let variables = variables(text);
    let outside = |name: &str| std::env::var(name).ok();
    let expanded = expand::expanded(&variables, &outside);
    for (name, value) in variables.into_iter().chain(expanded) {
        secrets.extend(secrets_in(name, &value, true));
    }
}

/// Adds what is secret in the settings: variables that they give to checks, and what is in commands. They
/// are read line by line, as whoever reads them as a whole has complaints to redact.
fn gather_settings(text: &str, secrets: &mut Vec<KnownSecret>) {
    for (name, value) in variables(text) {
        secrets.extend(secrets_in(name, &value, false));
    }
    gather_command(text, secrets);
}

/// Adds what a command gives away as secret.
fn gather_command(text: &str, secrets: &mut Vec<KnownSecret>) {
    let known = |value| KnownSecret { name: String::new(), value, reach: Reach::Anywhere };
    secrets.extend(unmarked_secrets(text).into_iter().map(known));
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
pub fn shown_variable(name: &str, value: &str) -> String {
    let is_secret = secret_reach(name, value).is_some();
    if is_secret { REDACTED.to_owned() } else { redact(value).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(String, Reach)> {
        let mut secrets = Vec::new();
        gather_variables(text, &mut secrets);
        secrets.into_iter().map(|secret| (secret.value, secret.reach)).collect()
    }

    #[test]
    fn a_value_that_is_made_of_others_is_known_as_both() {
        let text = "BASE=plain-f1rst-\nINTERP_TOKEN=${BASE}rest\n";
        let wanted = ["${BASE}rest", "plain-f1rst-rest"];
        assert_eq!(values(text), wanted.map(|value| (value.to_owned(), Reach::Anywhere)));
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
    fn files_of_the_project_are_read_wherever_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".git/HEAD", "");
        write(
            "redgreen.toml",
            "[[checks]]\nfolder = \"a/b/c/d/e\"\nenvironment = { A_KEY = \"t0-m1-one\" }\n",
        );
        write(".env", "A_KEY=r00t-one");
        write("a/.env.local", "A_KEY=a-l0cal-one");
        write("a/b/.envrc", "export A_KEY=rc-0ne-a; export B_KEY=rc-0ne-b");
        write("a/b/c/d/e/.env", "A_KEY=d33p-one");
        write("a/.env.example", "A_KEY=n0-one");
        write("node_modules/x/.env", "A_KEY=0thers-one");
        let mut secrets = Vec::new();
        gather_project(&folder.path().join("a"), &mut secrets);
        let mut values: Vec<String> = secrets.into_iter().map(|secret| secret.value).collect();
        values.sort_unstable();
        values.dedup();
        let wanted = ["a-l0cal-one", "d33p-one", "r00t-one", "rc-0ne-a", "rc-0ne-b", "t0-m1-one"];
        assert_eq!(values, wanted);
    }

    #[test]
    fn configured_variables_are_shown_without_secrets() {
        assert_eq!(shown_variable("API_KEY", "hunter2hunter2"), "[redacted]");
        assert_eq!(shown_variable("DB_PWD", "abcd"), "[redacted]");
        assert_eq!(shown_variable("MODE", "fast"), "fast");
    }
}
