//! What the checks run with, as far as files tell: no program is started for it.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_frameworks::{Runtime, VersionSource, adapter};
use redgreen_model::debug_memory::Environment;
use redgreen_model::text::{LINE_CHARS, clean_line};

use crate::plan::Plan;

/// What the checks of a plan run with.
pub(super) fn of(plan: &Plan) -> Environment {
    let check = plan.checks.iter().find(|check| check.settings.required).or(plan.checks.first());
    let framework = check.map(|check| check.framework);
    let runtime = framework.and_then(|framework| adapter(framework).runtime());
    let version = runtime.and_then(version);
    Environment {
        runtime: runtime.map(|runtime| runtime.name.to_owned()),
        runtime_version: version.map(|version| clean_line(&version, LINE_CHARS)),
        test_framework: framework.map(|framework| framework.to_string()),
        os: Some(std::env::consts::OS.to_owned()),
        ..Environment::default()
    }
}

/// The version of what runs the code, by the program that `PATH` leads to.
fn version(runtime: &Runtime) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let mut found = runtime.programs.iter().filter_map(|program| on_path(&path, program));
    found.find_map(|program| version_of(runtime, &program))
}

fn version_of(runtime: &Runtime, program: &Path) -> Option<String> {
    let beside = |program: &Path, file: &str, version: fn(&str) -> Option<&str>| {
        let text = fs::read_to_string(program.parent()?.parent()?.join(file)).ok()?;
        version(&text).map(str::to_owned)
    };
    let found = runtime.version.iter().find_map(|source| match *source {
        VersionSource::BesideProgram(file, version) => beside(program, file, version),
        VersionSource::BesideRealProgram(file, version) => {
            beside(&program.canonicalize().ok()?, file, version)
        }
        VersionSource::NameOfProgram(start) => {
            let real = program.canonicalize().ok()?;
            real.file_name()?.to_str()?.strip_prefix(start).map(str::to_owned)
        }
    });
    found.filter(|version| version.starts_with(|first: char| first.is_ascii_digit()))
}

fn on_path(path: &std::ffi::OsStr, program: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use redgreen_model::framework::FrameworkId;

    use super::*;

    #[test]
    fn versions_are_read_from_files() {
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
        let version_of = |framework: &str, program: &str| {
            let runtime = adapter(FrameworkId::named(framework)).runtime();
            version_of(runtime.expect("it has one"), &root.join(program))
        };
        assert_eq!(version_of("pytest", "bin/python").as_deref(), Some("3.12"));
        fs::write(root.join("pyvenv.cfg"), "home = /usr/bin\nversion = 3.11.2\n").expect("a file");
        assert_eq!(version_of("unittest", "bin/python").as_deref(), Some("3.11.2"));
        assert_eq!(version_of("go_test", "bin/go").as_deref(), Some("1.22.1"));
        assert_eq!(version_of("junit", "bin/go").as_deref(), Some("17.0.2"));
        assert_eq!(version_of("junit", "release"), None);
    }
}
