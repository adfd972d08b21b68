//! What the tests need, installed into `target/tools` at exact versions.
//!
//! A tool that is missing is a failure with a name, never a skipped test.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::project::{
    BROWSER, GO_CACHE, GOOGLETEST, MAVEN, NEXTEST, NODE_PACKAGES, PYTHON_ENVIRONMENT, RUBY,
    capture, tools_folder,
};

mod browser;
mod debian;
mod go;
mod googletest;
mod maven;
mod nextest;
mod node;
mod ruby;

/// A program that must be there already.
struct Program {
    name: &'static str,
    if_missing: &'static str,
}

const PROGRAMS: &[Program] = &[
    Program { name: "cargo", if_missing: "install Rust with rustup: https://rustup.rs" },
    Program { name: "git", if_missing: "install it, on Debian and Ubuntu: apt install git" },
    Program {
        name: "python3",
        if_missing: "install Python 3.10 or newer, on Debian and Ubuntu: \
                     apt install python3 python3-venv",
    },
    Program { name: "node", if_missing: "install Node.js 20 or newer: https://nodejs.org" },
    Program { name: "npm", if_missing: "install npm, which comes with Node.js" },
    Program {
        name: "go",
        if_missing: "install Go 1.21 or newer: https://go.dev/doc/install; on Debian and Ubuntu: \
                     apt install golang-go",
    },
    Program {
        name: "java",
        if_missing: "install a JDK 17 or newer, on Debian and Ubuntu: \
                     apt install openjdk-17-jdk-headless",
    },
    Program { name: "c++", if_missing: "install g++, on Debian and Ubuntu: apt install g++" },
    Program { name: "make", if_missing: "install it, on Debian and Ubuntu: apt install make" },
    Program { name: "mvn", if_missing: "install Maven, on Debian and Ubuntu: apt install maven" },
];

/// Something that we install into a folder of its own.
struct Tool {
    name: &'static str,
    folder: &'static str,
    /// What decides whether it has to be installed again.
    identity: fn() -> Result<String, Failure>,
    install: fn(&Path) -> Result<(), Failure>,
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "Python packages",
        folder: PYTHON_ENVIRONMENT,
        identity: python_identity,
        install: install_python_packages,
    },
    Tool {
        name: "JavaScript packages",
        folder: NODE_PACKAGES,
        identity: node::identity,
        install: node::install,
    },
    Tool {
        name: "Maven's local repository",
        folder: MAVEN,
        identity: maven::identity,
        install: maven::install,
    },
    Tool {
        name: "Go's build cache",
        folder: GO_CACHE,
        identity: go::identity,
        install: go::install,
    },
    Tool {
        name: "Ruby with RSpec",
        folder: RUBY,
        identity: ruby::identity,
        install: ruby::install,
    },
    Tool {
        name: "CMake and GoogleTest",
        folder: GOOGLETEST,
        identity: googletest::identity,
        install: googletest::install,
    },
    Tool {
        name: "Chromium",
        folder: BROWSER,
        identity: browser::identity,
        install: browser::install,
    },
    Tool {
        name: "cargo-nextest",
        folder: NEXTEST,
        identity: nextest::identity,
        install: nextest::install,
    },
];

/// Written last, so that a half-made folder is not taken for a whole one.
const STAMP: &str = ".redgreen-installed";

/// Says which of the programs is missing that must be there already.
pub fn require_programs() -> Result<(), Failure> {
    PROGRAMS.iter().try_for_each(require)
}

/// Installs what is not there yet.
pub fn install() -> Result<(), Failure> {
    let folder = tools_folder();
    let _lock = lock(&folder)?;
    // At the same time: one of them compiles, the others wait for their registries.
    std::thread::scope(|scope| {
        let at_work: Vec<_> =
            TOOLS.iter().map(|tool| scope.spawn(|| ensure(tool, &folder))).collect();
        let ended = at_work.into_iter().map(|installation| {
            installation.join().unwrap_or_else(|_| Err("an installation gave up".into()))
        });
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}

fn require(program: &Program) -> Result<(), Failure> {
    let Program { name, if_missing } = program;
    // Of all of them, go alone takes no such flag.
    let question = if *name == "go" { "version" } else { "--version" };
    capture(Command::new(name).arg(question))
        .map(drop)
        .map_err(|failure| format!("{name} is needed ({failure}); {if_missing}"))
}

/// Two runs at once must not install into the same folder.
pub fn lock(folder: &Path) -> Result<File, Failure> {
    let path = folder.join(".lock");
    fs::create_dir_all(folder)
        .and_then(|()| File::create(&path))
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|error| format!("{} cannot be locked: {error}", path.display()))
}

fn ensure(tool: &Tool, tools: &Path) -> Result<(), Failure> {
    ensure_folder(tool.name, &tools.join(tool.folder), &(tool.identity)()?, tool.install)
}

/// Installs one package of JavaScript with what it needs.
pub fn install_from_npm(folder: &Path, wanted: &str) -> Result<(), Failure> {
    let manifest = folder.join("package.json");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&manifest, "{ \"private\": true }\n"))
        .map_err(|error| format!("{} cannot be written: {error}", manifest.display()))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", wanted]).current_dir(folder);
    capture(&mut npm).map(drop)
}

/// Installs something into a folder, unless it is there already and the same.
pub fn ensure_folder(
    name: &str,
    folder: &Path,
    identity: &str,
    install: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let stamp = folder.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|found| found == identity) {
        return Ok(());
    }
    println!("installing {name} into {}", folder.display());
    let not_done = |what: &str, error| format!("{} cannot be {what}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| not_done("cleared", error))?;
    }
    install(folder)?;
    fs::write(&stamp, identity).map_err(|error| not_done("marked as installed", error))
}

const PYTHON_PACKAGES: &str = include_str!("../tools/python.txt");
/// What the packages support.
const OLDEST_PYTHON: (u32, u32) = (3, 10);

/// The interpreter is part of it: an environment does not outlive the Python it was made with.
fn python_identity() -> Result<String, Failure> {
    let script = "import sys; print(sys.version_info[0], sys.version_info[1], sys.base_prefix)";
    let python = capture(Command::new("python3").args(["-c", script]))?;
    let mut words = python.split_whitespace().map(str::parse);
    let version = match (words.next(), words.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor),
        _ => return Err(format!("python3 does not tell its version, but says {python:?}")),
    };
    if version < OLDEST_PYTHON {
        let (major, minor) = OLDEST_PYTHON;
        let found = format!("{}.{}", version.0, version.1);
        return Err(format!("python3 is {found}; install Python {major}.{minor} or newer"));
    }
    Ok(format!("{python}{PYTHON_PACKAGES}"))
}

fn install_python_packages(folder: &Path) -> Result<(), Failure> {
    capture(Command::new("python3").args(["-m", "venv"]).arg(folder)).map_err(|failure| {
        format!(
            "{failure}a Python environment cannot be made; on Debian and Ubuntu: \
             apt install python3-venv"
        )
    })?;
    let requirements = folder.join("requirements.txt");
    fs::write(&requirements, PYTHON_PACKAGES)
        .map_err(|error| format!("{} cannot be written: {error}", requirements.display()))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--no-input",
        "--disable-pip-version-check",
        "--requirement",
    ]);
    capture(pip.arg(&requirements)).map(drop).map_err(|failure| {
        format!("{failure}the Python packages cannot be installed; is a package index in reach?")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_what_to_do() {
        let program = Program { name: "redgreen-no-such-program", if_missing: "install it so" };
        let failure = require(&program).expect_err("it is missing");
        assert!(failure.starts_with("redgreen-no-such-program is needed"), "{failure}");
        assert!(failure.ends_with("install it so"), "{failure}");
    }

    fn tool(identity: fn() -> Result<String, Failure>) -> Tool {
        Tool { name: "a tool", folder: "tool", identity, install: count_an_installation }
    }

    /// Leaves a file beside the folder for each time it is called.
    fn count_an_installation(folder: &Path) -> Result<(), Failure> {
        assert!(!folder.exists(), "an old installation is cleared first");
        fs::create_dir(folder).expect("the folder can be made");
        let log = folder.with_file_name("log");
        let so_far = fs::read_to_string(&log).unwrap_or_default();
        fs::write(log, so_far + "installed\n").map_err(|error| error.to_string())
    }

    #[test]
    fn a_tool_is_installed_once_for_each_version_and_again_after_a_half_one() {
        let tools = tempfile::tempdir().expect("a folder");
        let installations = || {
            fs::read_to_string(tools.path().join("log")).expect("it was installed").lines().count()
        };
        let first = tool(|| Ok("1".into()));
        ensure(&first, tools.path()).expect("installed");
        ensure(&first, tools.path()).expect("still there");
        assert_eq!(installations(), 1);
        ensure(&tool(|| Ok("2".into())), tools.path()).expect("installed anew");
        assert_eq!(installations(), 2);
        fs::remove_file(tools.path().join("tool").join(STAMP)).expect("the stamp is there");
        ensure(&tool(|| Ok("2".into())), tools.path()).expect("installed again");
        assert_eq!(installations(), 3);
    }

    #[test]
    fn a_tool_that_could_not_be_installed_is_tried_again() {
        let tools = tempfile::tempdir().expect("a folder");
        let mut broken = tool(|| Ok("1".into()));
        broken.install = |_| Err("no network".into());
        assert_eq!(ensure(&broken, tools.path()), Err("no network".into()));
        ensure(&tool(|| Ok("1".into())), tools.path()).expect("installed at the second try");
    }

    #[test]
    fn every_python_package_has_an_exact_version() {
        for line in PYTHON_PACKAGES.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.contains("=="), "{line}");
        }
    }
}
