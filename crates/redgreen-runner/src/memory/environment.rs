//! What the checks run with, as far as files tell: no program is started for it.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_model::debug_memory::Environment;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::workflow::Framework;

use crate::plan::Plan;

/// What the checks of a plan run with.
pub(super) fn of(plan: &Plan) -> Environment {
    let check = plan.checks.iter().find(|check| check.settings.required).or(plan.checks.first());
    let framework = check.map(|check| check.framework);
    let runtime = framework.and_then(Runtime::of);
    let version = runtime.and_then(|runtime| runtime.version());
    Environment {
        runtime: runtime.map(|runtime| runtime.name.to_owned()),
        runtime_version: version.map(|version| clean_line(&version, LINE_CHARS)),
        test_framework: framework.map(|framework| framework.to_string()),
        os: Some(std::env::consts::OS.to_owned()),
        ..Environment::default()
    }
}

/// What runs code, and how its version is found from where its program lies.
#[derive(Clone, Copy)]
struct Runtime {
    name: &'static str,
    programs: &'static [&'static str],
    version: fn(&Path) -> Option<String>,
}

impl Runtime {
    fn of(framework: Framework) -> Option<Self> {
        let runtime = |name, programs, version| Some(Self { name, programs, version });
        match framework {
            Framework::Pytest => runtime("python", &["python", "python3"], python),
            Framework::Jest | Framework::Vitest | Framework::Mocha => {
                runtime("node", &["node"], |_| None)
            }
            Framework::GoTest => runtime("go", &["go"], go),
            Framework::Junit => runtime("java", &["java"], java),
            Framework::CargoTest => runtime("rust", &[], |_| None),
            Framework::Other => None,
        }
    }

    fn version(self) -> Option<String> {
        let path = std::env::var_os("PATH")?;
        let mut found = self.programs.iter().filter_map(|program| on_path(&path, program));
        found.find_map(|program| (self.version)(&program))
    }
}

fn on_path(path: &std::ffi::OsStr, program: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A virtual environment says it; else the program that the name leads to: `python3.11`.
fn python(program: &Path) -> Option<String> {
    let environment = program.parent()?.parent()?.join("pyvenv.cfg");
    let told = fs::read_to_string(environment).unwrap_or_default();
    let told = told.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        ["version", "version_info"].contains(&name.trim()).then(|| value.trim().to_owned())
    });
    told.or_else(|| {
        let real = program.canonicalize().ok()?;
        real.file_name()?.to_str()?.strip_prefix("python").map(str::to_owned)
    })
    .filter(|version| version.starts_with(|first: char| first.is_ascii_digit()))
}

/// `VERSION` in its root begins with `go1.22.1`.
fn go(program: &Path) -> Option<String> {
    let root = program.canonicalize().ok()?.parent()?.parent()?.to_owned();
    let told = fs::read_to_string(root.join("VERSION")).ok()?;
    Some(told.lines().next()?.trim().strip_prefix("go")?.to_owned())
}

/// `release` in its root has `JAVA_VERSION="17.0.2"`.
fn java(program: &Path) -> Option<String> {
    let root = program.canonicalize().ok()?.parent()?.parent()?.to_owned();
    let told = fs::read_to_string(root.join("release")).ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    Some(line.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_by_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        fs::create_dir(root.join("bin")).expect("a folder");
        for (file, text) in [
            ("bin/python3.12", ""),
            ("bin/go", ""),
            ("VERSION", "go1.22.1\ntime 2024\n"),
            ("release", "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.2\"\n"),
        ] {
            fs::write(root.join(file), text).expect("a file");
        }
        std::os::unix::fs::symlink("python3.12", root.join("bin/python")).expect("a link");
        assert_eq!(python(&root.join("bin/python")).as_deref(), Some("3.12"));
        fs::write(root.join("pyvenv.cfg"), "home = /usr/bin\nversion = 3.11.2\n").expect("a file");
        assert_eq!(python(&root.join("bin/python")).as_deref(), Some("3.11.2"));
        assert_eq!(go(&root.join("bin/go")).as_deref(), Some("1.22.1"));
        assert_eq!(java(&root.join("bin/go")).as_deref(), Some("17.0.2"));
        assert_eq!(java(&root.join("release")), None);
    }
}
