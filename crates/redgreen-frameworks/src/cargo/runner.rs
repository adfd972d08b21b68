//! The runner of test binaries that the user has configured: redgreen's is put in its place, and runs
//! it in turn.

use std::path::{Path, PathBuf};

use super::cfg::holds;

/// The arguments of cargo that show every runner of the configuration, and where it is from.
pub const QUESTION: &[&str] =
    &["-Z", "unstable-options", "config", "get", "target", "--show-origin"];

/// What is known of the user's configuration.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'run> {
    /// What cargo answered to [`QUESTION`].
    pub listed: &'run str,
    /// The platform that tests are built for.
    pub host: &'run str,
    /// The variable of the environment that names a runner for the host.
    pub variable: Option<&'run str>,
    /// The folder that cargo was started in.
    pub folder: &'run Path,
}

/// The user's runner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserRunner {
    /// The program and its arguments; empty where there is none.
    pub words: Vec<String>,
    /// It is a text in the host's own table: cargo refuses to replace it by a list.
    pub is_text: bool,
}

/// The variable that names a runner for a platform.
pub fn runner_variable(host: &str) -> String {
    format!("CARGO_TARGET_{}_RUNNER", host.to_uppercase().replace(['-', '.'], "_"))
}

/// Whether the answer has runners that depend on the platform's `cfg`.
pub fn depends_on_cfg(listed: &str) -> bool {
    entries(listed).iter().any(|entry| entry.target.starts_with("cfg("))
}

impl Configuration<'_> {
    /// The runner that cargo would use. `cfg` is what `rustc --print cfg` says.
    pub fn runner(&self, cfg: &str) -> UserRunner {
        let entries = entries(self.listed);
        let exact = entries.iter().find(|entry| entry.target == self.host);
        let is_text = exact.is_some_and(|entry| entry.is_text);
        let on_command_line = exact.filter(|entry| entry.is_from_command_line());
        let words = match (on_command_line, self.variable) {
            (Some(entry), _) => entry.words(self.folder),
            (None, Some(value)) => split(value),
            (None, None) => {
                let by_cfg = || entries.iter().find(|entry| holds(&entry.target, cfg));
                let entry = exact.or_else(by_cfg);
                entry.map(|entry| entry.words(self.folder)).unwrap_or_default()
            }
        };
        UserRunner { words, is_text }
    }
}

/// One runner of the configuration.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    target: String,
    words: Vec<String>,
    is_text: bool,
    origin: String,
}

impl Entry {
    fn is_from_command_line(&self) -> bool {
        self.origin.contains("--config")
    }

    /// The words; a relative path is from the folder that holds `.cargo`.
    fn words(&self, folder: &Path) -> Vec<String> {
        let mut words = self.words.clone();
        let file = Path::new(&self.origin).is_absolute().then(|| PathBuf::from(&self.origin));
        let base = file.as_deref().and_then(|file| file.parent()?.parent()).unwrap_or(folder);
        if let Some(program) = words.first_mut().filter(|program| program.contains('/')) {
            *program = base.join(&*program).to_string_lossy().into_owned();
        }
        words
    }
}

/// `target.TRIPLE.runner = "…" # ORIGIN`, or `= [` with a word and its origin on each line.
fn entries(listed: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut lines = listed.lines();
    while let Some(line) = lines.next() {
        let Some((key, value)) = line.split_once(".runner = ") else { continue };
        let Some(target) = key.strip_prefix("target.") else { continue };
        let target = quoted(target).map_or(target, |(target, _)| target).to_owned();
        let mut entry = Entry { target, words: Vec::new(), is_text: true, origin: String::new() };
        if value.trim() == "[" {
            entry.is_text = false;
            let items = lines.by_ref().take_while(|line| line.trim() != "]");
            for (word, origin) in items.filter_map(|line| quoted(line.trim())) {
                entry.words.push(word.to_owned());
                entry.origin = origin.to_owned();
            }
        } else if let Some((text, origin)) = quoted(value) {
            entry.words = split(text);
            entry.origin = origin.to_owned();
        }
        if !entry.words.is_empty() {
            entries.push(entry);
        }
    }
    entries
}

/// A quoted text, and what the comment behind it says. Texts with escapes are left alone.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let (inside, rest) = text.get(1..)?.split_once(quote)?;
    let origin = rest.split_once("# ").map_or("", |(_, origin)| origin);
    (!inside.contains('\\')).then_some((inside, origin))
}

fn split(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "x86_64-unknown-linux-gnu";

    fn runner(listed: &str, variable: Option<&str>) -> (String, bool) {
        let folder = Path::new("/here");
        let found = Configuration { listed, host: HOST, variable, folder }
            .runner("unix\ntarget_os=\"linux\"\n");
        (found.words.join(" "), found.is_text)
    }

    #[test]
    fn the_runner_that_cargo_would_use_is_found() {
        let text = "target.x86_64-unknown-linux-gnu.runner = \"scripts/run.sh -v\" # /w/.cargo/config.toml\n";
        let list = "target.x86_64-unknown-linux-gnu.linker = \"x\" # /w\ntarget.x86_64-unknown-linux-gnu.runner = [\n    \"sudo\", # /w/.cargo/config.toml\n    \"-E\", # /w/.cargo/config.toml\n]\n";
        let by_cfg = "target.\"cfg(windows)\".runner = \"wine\" # /w/.cargo/config.toml\ntarget.'cfg(target_os = \"linux\")'.runner = \"env\" # /w/.cargo/config.toml\n";
        let on_command_line =
            "target.x86_64-unknown-linux-gnu.runner = \"./mine\" # --config cli option\n";
        let cases = [
            (text, None, ("/w/scripts/run.sh -v", true)),
            (list, None, ("sudo -E", false)),
            (by_cfg, None, ("env", false)),
            (on_command_line, None, ("/here/./mine", true)),
            (on_command_line, Some("nice"), ("/here/./mine", true)),
            (text, Some("nice -n 5"), ("nice -n 5", true)),
            ("", Some("nice"), ("nice", false)),
            (
                "target.wasm32-wasip1.runner = \"wasmtime\" # /w/.cargo/config.toml",
                None,
                ("", false),
            ),
            ("error: unknown", None, ("", false)),
            ("target.x.runner = [", None, ("", false)),
            ("target.x86_64-unknown-linux-gnu.runner = \"a\\\\b\"", None, ("", false)),
        ];
        for (listed, variable, (words, is_text)) in cases {
            assert_eq!(runner(listed, variable), (words.to_owned(), is_text), "{listed}");
        }
        assert!(depends_on_cfg(by_cfg) && !depends_on_cfg(text));
        assert_eq!(runner_variable(HOST), "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER");
    }
}
