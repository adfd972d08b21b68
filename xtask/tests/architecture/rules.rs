//! The rules, as functions from what was found to a list of violations.

use super::BINARY;
use super::dependencies::Graph;
use super::source::{Kind, Token, product_tokens};

/// A crate and its place.
pub struct Crate {
    /// Its name.
    pub name: &'static str,
    /// Whether it does no IO and knows no clock and no chance.
    pub pure: bool,
    /// The crates of this workspace that it may depend on.
    pub may_use: &'static [&'static str],
}

/// From the bottom up.
pub const TABLE: &[Crate] = &[
    Crate { name: "redgreen-redact", pure: true, may_use: &[] },
    Crate { name: "redgreen-model", pure: true, may_use: &["redgreen-redact"] },
    Crate { name: "redgreen-xml", pure: true, may_use: &[] },
    Crate { name: "redgreen-mcp", pure: true, may_use: &[] },
    Crate { name: "redgreen-syntax", pure: true, may_use: &["redgreen-model"] },
    Crate {
        name: "redgreen-engine",
        pure: true,
        may_use: &["redgreen-redact", "redgreen-model", "redgreen-syntax"],
    },
    Crate {
        name: "redgreen-coverage",
        pure: true,
        may_use: &["redgreen-model", "redgreen-xml", "redgreen-syntax"],
    },
    Crate {
        name: "redgreen-frameworks",
        pure: true,
        may_use: &[
            "redgreen-redact",
            "redgreen-model",
            "redgreen-xml",
            "redgreen-syntax",
            "redgreen-coverage",
        ],
    },
    Crate { name: "redgreen-files", pure: false, may_use: &[] },
    // It does not know what a test is.
    Crate { name: "redgreen-exec", pure: false, may_use: &[] },
    Crate {
        name: "redgreen-workspace",
        pure: false,
        may_use: &["redgreen-files", "redgreen-model", "redgreen-exec"],
    },
    Crate {
        name: "redgreen-evidence",
        pure: false,
        may_use: &["redgreen-files", "redgreen-model"],
    },
    Crate { name: "redgreen-memory", pure: false, may_use: &["redgreen-files", "redgreen-model"] },
    Crate {
        name: "redgreen-agents",
        pure: false,
        may_use: &["redgreen-files", "redgreen-model", "redgreen-exec"],
    },
    Crate { name: "redgreen-telemetry", pure: false, may_use: &["redgreen-model"] },
    Crate { name: "redgreen-notify", pure: false, may_use: &["redgreen-files", "redgreen-model"] },
    Crate {
        name: "redgreen-runner",
        pure: false,
        may_use: &[
            "redgreen-redact",
            "redgreen-files",
            "redgreen-model",
            "redgreen-syntax",
            "redgreen-engine",
            "redgreen-frameworks",
            "redgreen-coverage",
            "redgreen-exec",
            "redgreen-workspace",
            "redgreen-evidence",
            "redgreen-memory",
            "redgreen-agents",
            "redgreen-notify",
        ],
    },
    Crate {
        name: "redgreen-ui",
        pure: false,
        may_use: &[
            "redgreen-files",
            "redgreen-model",
            "redgreen-engine",
            "redgreen-evidence",
            "redgreen-memory",
            "redgreen-runner",
        ],
    },
    Crate {
        name: BINARY,
        pure: false,
        may_use: &[
            "redgreen-redact",
            "redgreen-files",
            "redgreen-model",
            "redgreen-syntax",
            "redgreen-engine",
            "redgreen-frameworks",
            "redgreen-coverage",
            "redgreen-exec",
            "redgreen-workspace",
            "redgreen-evidence",
            "redgreen-memory",
            "redgreen-agents",
            "redgreen-notify",
            "redgreen-mcp",
            "redgreen-telemetry",
            "redgreen-runner",
            "redgreen-ui",
        ],
    },
    Crate { name: PROJECT_TASKS, pure: false, may_use: &[] },
];

/// Not part of the product.
const PROJECT_TASKS: &str = "xtask";
/// The only crate that starts processes.
const STARTS_PROCESSES: &str = "redgreen-exec";
/// The one place beside it: the stand-ins for cargo, its test binaries and go run inside of a job,
/// below the supervisor that ends everything they start.
const STANDS_IN_FOR_PROGRAMS: (&str, &[&str]) = (
    BINARY,
    &[
        "src/shims/cargo",
        "src/shims/ctest",
        "src/shims/go",
        "src/shims/python",
        "src/shims/stand_in",
    ],
);
/// The only crate that runs git.
const RUNS_GIT: &str = "redgreen-workspace";

/// Packages that are made for IO, for time or for chance. A pure crate must not reach them by any
/// way: their presence means that something below does what it should not.
const IMPURE: &[&str] = &[
    "async-io",
    "async-std",
    "chrono",
    "ctrlc",
    "dirs",
    "duct",
    "fastrand",
    "filetime",
    "fs-err",
    "git2",
    "gix",
    "home",
    "hyper",
    "ignore",
    "lettre",
    "mio",
    "nix",
    "notify",
    "polling",
    "postgres",
    "rand",
    "reqwest",
    "rusqlite",
    "rustix",
    "signal-hook",
    "smol",
    "socket2",
    "tempfile",
    "time",
    "tokio",
    "tokio-postgres",
    "tungstenite",
    "ureq",
    "uuid",
    "walkdir",
    "which",
];

/// Packages that a pure crate must not name itself, but may reach: the JSON Schema validator takes
/// the seeds of its hash maps from getrandom and parks its locks with libc, and neither shows in
/// what it computes. jiff may be named for its types; asking it for the time is found in the source.
const IMPURE_IF_DIRECT: &[&str] = &["ahash", "getrandom", "libc", "parking_lot"];

/// Whether a crate is part of the product.
pub fn is_product(name: &str) -> bool {
    name != PROJECT_TASKS
}

fn in_table(name: &str) -> Option<&'static Crate> {
    TABLE.iter().find(|place| place.name == name)
}

/// Crates of the workspace that have no place in the table.
pub fn unknown_crates(graph: &Graph) -> Vec<String> {
    let unknown = graph.members().iter().filter(|member| in_table(&member.name).is_none());
    unknown
        .map(|member| {
            format!(
                "{} is not in the table of crates: add it to TABLE in \
                 xtask/tests/architecture/rules.rs, with what it may use",
                member.name
            )
        })
        .collect()
}

/// Dependencies between crates of the workspace that the table does not allow.
pub fn upward_dependencies(graph: &Graph) -> Vec<String> {
    let is_member = |name: &str| graph.members().iter().any(|member| member.name == name);
    let mut violations = Vec::new();
    for place in TABLE {
        for used in graph.direct(place.name).filter(|used| is_member(used)) {
            if !place.may_use.contains(&used) {
                violations.push(format!(
                    "{} must not depend on {used}; it may use: {}",
                    place.name,
                    place.may_use.join(", ")
                ));
            }
        }
    }
    violations
}

/// What pure crates reach and must not.
pub fn impure_dependencies(graph: &Graph) -> Vec<String> {
    let mut violations = Vec::new();
    for place in TABLE.iter().filter(|place| place.pure) {
        for way in graph.reached(place.name) {
            let end = way.last().copied().unwrap_or_default();
            let direct = way.len() == 2;
            if in_table(end).is_some_and(|reached| !reached.pure)
                || IMPURE.contains(&end)
                || (direct && IMPURE_IF_DIRECT.contains(&end))
            {
                violations.push(format!("{} is pure, but: {}", place.name, way.join(" -> ")));
            }
        }
    }
    violations
}

/// What a source file of a crate holds and must not; the file is named from the crate's folder.
pub fn source_violations(crate_name: &str, file: &std::path::Path, text: &str) -> Vec<String> {
    let tokens = product_tokens(text);
    let paths = paths(&tokens);
    let mut violations = Vec::new();
    let (stand_in_crate, stand_in_folders) = STANDS_IN_FOR_PROGRAMS;
    let stands_in = crate_name == stand_in_crate
        && stand_in_folders.iter().any(|folder| file.starts_with(folder));
    if crate_name != STARTS_PROCESSES && !stands_in {
        violations.extend(started_processes(&tokens, &paths));
    }
    if crate_name != RUNS_GIT {
        violations.extend(runs_of_git(&tokens));
    }
    if crate_name != BINARY {
        violations.extend(prints(&tokens, crate_name));
    }
    if in_table(crate_name).is_some_and(|place| place.pure) {
        violations.extend(impure_code(&tokens, &paths));
    }
    violations.sort();
    violations.into_iter().map(|(line, what)| format!("line {line}: {what}")).collect()
}

type Violation = (usize, String);

/// Functions that start a process without the standard library.
const STARTING_FUNCTIONS: &[&str] = &[
    "fork",
    "vfork",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fexecve",
    "posix_spawn",
    "posix_spawnp",
];

fn started_processes(tokens: &[Token], paths: &[Path]) -> Vec<Violation> {
    let why = format!("only {STARTS_PROCESSES} starts processes");
    let by_command = paths
        .iter()
        .filter(|path| path.has(&["process", "Command"]) || path.has(&["process", "*"]))
        .map(|path| (path.line, format!("`{}`: {why}", path.parts.join("::"))));
    let by_function = calls(tokens)
        .filter(|(name, _)| STARTING_FUNCTIONS.contains(name))
        .map(|(name, line)| (line, format!("`{name}`: {why}")));
    by_command.chain(by_function).collect()
}

/// The name of the program as a text of its own, wherever it is: a list that is made here may be
/// started there.
fn runs_of_git(tokens: &[Token]) -> Vec<Violation> {
    let names_git = |text: &str| text == "git" || text.ends_with("/git");
    tokens
        .iter()
        .filter(|token| matches!(&token.kind, Kind::Text(text) if names_git(text)))
        .map(|token| (token.line, format!("the program `git`: only {RUNS_GIT} runs git")))
        .collect()
}

const PRINTING_MACROS: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];

fn prints(tokens: &[Token], crate_name: &str) -> Vec<Violation> {
    let why = format!("only the binary `{BINARY}` prints; give it an event to show");
    let by_macro = tokens
        .windows(2)
        .filter(|pair| pair[1].is_sign('!'))
        .filter_map(|pair| Some((pair[0].word()?, pair[0].line)))
        .filter(|(name, _)| PRINTING_MACROS.contains(name))
        .map(|(name, line)| (line, format!("`{name}!`: {why}")));
    // The standard streams of a supervisor process are its pipes to redgreen.
    let by_stream = calls(tokens)
        .filter(|(name, _)| crate_name != STARTS_PROCESSES && ["stdout", "stderr"].contains(name))
        .map(|(name, line)| (line, format!("`{name}()`: {why}")));
    by_macro.chain(by_stream).collect()
}

/// What only the edges may use, of the standard library.
const IMPURE_PATHS: &[&[&str]] = &[
    &["std", "env"],
    &["std", "fs"],
    &["std", "net"],
    &["std", "os"],
    &["std", "process"],
    &["std", "thread"],
    &["std", "io", "stdin"],
    &["std", "time", "Instant"],
    &["std", "time", "SystemTime"],
    &["std", "time", "*"],
];

/// Methods of `Path` that ask the file system.
const IMPURE_METHODS: &[&str] = &[
    "canonicalize",
    "exists",
    "is_dir",
    "is_file",
    "is_symlink",
    "read_dir",
    "read_link",
    "symlink_metadata",
    "try_exists",
];

fn impure_code(tokens: &[Token], paths: &[Path]) -> Vec<Violation> {
    let why = "a pure crate does no IO and reads no clock";
    let by_path = paths
        .iter()
        .filter(|path| {
            IMPURE_PATHS.iter().any(|impure| path.parts.starts_with(impure))
                || path.parts.last() == Some(&"now")
        })
        .map(|path| (path.line, format!("`{}`: {why}", path.parts.join("::"))));
    let by_method = tokens
        .windows(4)
        .filter(|next| next[0].is_sign('.') && next[2].is_sign('(') && next[3].is_sign(')'))
        .filter_map(|next| Some((next[1].word()?, next[1].line)))
        .filter(|(name, _)| IMPURE_METHODS.contains(name))
        .map(|(name, line)| (line, format!("`.{name}()`: {why}")));
    by_path.chain(by_method).collect()
}

/// Functions that are called: a name before a bracket, neither a method nor a declaration.
fn calls(tokens: &[Token]) -> impl Iterator<Item = (&str, usize)> {
    tokens
        .windows(3)
        .filter(|next| !next[0].is_sign('.') && !next[0].is_word("fn") && next[2].is_sign('('))
        .filter_map(|next| Some((next[1].word()?, next[1].line)))
}

/// A path in the code, `use` groups multiplied out.
struct Path<'a> {
    parts: Vec<&'a str>,
    line: usize,
}

impl Path<'_> {
    /// Whether these parts follow each other somewhere in it.
    fn has(&self, parts: &[&str]) -> bool {
        self.parts.windows(parts.len()).any(|window| window == parts)
    }
}

fn paths(tokens: &[Token]) -> Vec<Path<'_>> {
    let mut paths = Vec::new();
    let mut position = 0;
    while position < tokens.len() {
        position = read_path(tokens, position, &[], &mut paths).max(position + 1);
    }
    paths
}

/// Reads the path that begins at `position`, and returns where it ends.
fn read_path<'a>(
    tokens: &'a [Token],
    mut position: usize,
    prefix: &[&'a str],
    paths: &mut Vec<Path<'a>>,
) -> usize {
    let mut parts = prefix.to_vec();
    let line = tokens.get(position).map_or(0, |token| token.line);
    while let Some(token) = tokens.get(position) {
        if let Some(word) = token.word() {
            parts.push(word);
        } else if token.is_sign('*') && !parts.is_empty() {
            parts.push("*");
        } else if token.is_sign('{') && !parts.is_empty() {
            return read_group(tokens, position + 1, &parts, paths);
        } else {
            return position;
        }
        position += 1;
        if !tokens[position..].iter().take(2).all(|token| token.is_sign(':'))
            || tokens.len() < position + 2
        {
            break;
        }
        position += 2;
    }
    if parts.len() > prefix.len() {
        paths.push(Path { parts, line });
    }
    position
}

/// Reads `a, b::c}` and returns where it ends.
fn read_group<'a>(
    tokens: &'a [Token],
    mut position: usize,
    prefix: &[&'a str],
    paths: &mut Vec<Path<'a>>,
) -> usize {
    while let Some(token) = tokens.get(position) {
        if token.is_sign('}') {
            return position + 1;
        }
        position = read_path(tokens, position, prefix, paths).max(position + 1);
    }
    position
}

/// Code in the documentation that rustdoc would run: `cargo xtask test` does not start it for that.
pub fn documentation_tests(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(language) = comment.and_then(|comment| comment.trim_start().strip_prefix("```"))
        else {
            continue;
        };
        if !inside && (language.trim().is_empty() || language.contains("rust")) {
            found
                .push(format!("line {}: name the language of this block, and not Rust", index + 1));
        }
        inside = !inside;
    }
    found
}
