//! `cargo xtask fuzz`: every reader of what other programs wrote, for a while each.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Failure;
use crate::project::{capture, pass_through, root};

/// How long each target runs, unless said otherwise.
const DEFAULT_SECONDS: u32 = 300;
/// The longest input; readers are linear, so longer ones show nothing new and are slow.
const LONGEST_BYTES: u32 = 16 * 1024;
/// An input that takes longer than this is a finding.
const SLOWEST_SECONDS: u32 = 10;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    seconds: u32,
    names: Vec<String>,
}

impl Options {
    /// From the command line.
    pub fn parse(arguments: &[&str]) -> Result<Self, Failure> {
        let mut options = Self { seconds: DEFAULT_SECONDS, names: Vec::new() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match *argument {
                "--seconds" => {
                    let value = rest.next().and_then(|value| value.parse().ok());
                    options.seconds = value.ok_or("`--seconds` needs a number")?;
                }
                name if name.starts_with('-') => {
                    return Err(format!("`{name}` is no option of fuzz"));
                }
                name => options.names.push(name.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Runs the targets one after the other; a finding is kept in `fuzz/artifacts` and named.
pub fn run(options: &Options) -> Result<(), Failure> {
    require()?;
    let folder = root().join("fuzz");
    let targets: Vec<String> = targets(&folder)?
        .into_iter()
        .filter(|target| options.names.is_empty() || options.names.contains(target))
        .collect();
    if targets.is_empty() {
        return Err(format!("no target is called {}", options.names.join(", ")));
    }
    pass_through(cargo_fuzz(&["build"]).current_dir(&folder))?;
    let mut findings = Vec::new();
    for target in &targets {
        println!("==> {target}, {} s", options.seconds);
        if !fuzz(&folder, target, options.seconds)? {
            findings.push(target.as_str());
        }
    }
    if findings.is_empty() {
        println!("{} targets, {} s each: no finding", targets.len(), options.seconds);
        return Ok(());
    }
    Err(format!(
        "findings in {}: the inputs are in fuzz/artifacts; keep them in fuzz/cases, where the tests read them",
        findings.join(", ")
    ))
}

fn require() -> Result<(), Failure> {
    capture(&mut cargo_fuzz(&["--version"])).map(drop).map_err(|failure| {
        format!(
            "a nightly compiler and cargo-fuzz are needed: `rustup toolchain install nightly`, `cargo install cargo-fuzz`\n{failure}"
        )
    })
}

fn cargo_fuzz(arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(["+nightly", "fuzz"]).args(arguments).stdin(Stdio::null());
    command
}

fn targets(folder: &Path) -> Result<Vec<String>, Failure> {
    let entries = fs::read_dir(folder.join("fuzz_targets"))
        .map_err(|error| format!("fuzz/fuzz_targets cannot be read: {error}"))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".rs").map(str::to_owned))
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// Whether the target came through without a finding.
fn fuzz(folder: &Path, target: &str, seconds: u32) -> Result<bool, Failure> {
    let corpus = folder.join("corpus").join(target);
    fs::create_dir_all(&corpus)
        .map_err(|error| format!("{} cannot be made: {error}", corpus.display()))?;
    let status = cargo_fuzz(&["run", target])
        .arg(&corpus)
        .arg(folder.join("cases").join(target))
        .arg("--")
        .args([
            format!("-max_total_time={seconds}"),
            format!("-max_len={LONGEST_BYTES}"),
            format!("-timeout={SLOWEST_SECONDS}"),
            "-print_final_stats=1".to_owned(),
        ])
        .current_dir(folder)
        .status()
        .map_err(|error| format!("cargo fuzz cannot be started: {error}"))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_seconds_and_names() {
        let parsed = Options::parse(&["--seconds", "5", "junit"]);
        assert_eq!(parsed, Ok(Options { seconds: 5, names: vec!["junit".to_owned()] }));
        assert_eq!(Options::parse(&[]).map(|options| options.seconds), Ok(DEFAULT_SECONDS));
        assert!(Options::parse(&["--seconds", "many"]).is_err());
        assert!(Options::parse(&["--fast"]).is_err());
    }
}
