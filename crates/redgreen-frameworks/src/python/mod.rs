//! What pytest and unittest share: a `sitecustomize` of ours, first on `PYTHONPATH`, that hands over
//! to the one that would have been there, and notices when a test runner is loaded.
//!
//! Limits: `python -I`, `-E` or `-S`, and a command that sets `PYTHONPATH` without keeping what is
//! there, do not load it. Such a run never began, which is not a pass.

mod among;
mod collector;
mod command;
mod helpers;
mod project;
mod sides;

use crate::adapter::{
    InjectedFile, Injection, InjectionRequest, Runtime, Variables, VersionSource,
};

pub(crate) use among::rules as among;
pub(crate) use collector::COLLECTOR;
pub(crate) use command::{runs_django, runs_module};
pub(crate) use project::{is_test_file, missing_tool, suggested_pytest, suggested_unittest};
pub(crate) use sides::{doctests, rules as sides};

/// What goes first on `PYTHONPATH`, in the folder of a run: alone there, so that nothing else of the
/// run can be imported by accident, and with a name that linters pass over.
const FOLDER: &str = ".eggs";

/// Puts the listener of a runner where Python finds it.
pub(crate) fn inject(request: &InjectionRequest<'_>, listener: (&str, &str)) -> Injection {
    let files = [
        ("sitecustomize.py", include_str!("sitecustomize.py")),
        ("redgreen_replaced.py", include_str!("redgreen_replaced.py")),
        ("redgreen_coverage.py", include_str!("redgreen_coverage.py")),
        listener,
    ];
    let file = |(name, content): (&str, &str)| InjectedFile {
        path: [FOLDER, name].iter().collect(),
        content: content.to_owned(),
        executable: false,
    };
    let mut injection = request.channel();
    injection.env.push(request.prepended("PYTHONPATH", &request.run_folder.join(FOLDER), ':'));
    injection.files.extend(files.map(file));
    injection
}

/// A virtual environment says its version; else the program that the name leads to: `python3.11`.
pub(crate) const RUNTIME: Runtime = Runtime {
    name: "python",
    programs: &["python", "python3"],
    version: &[
        VersionSource::BesideProgram("pyvenv.cfg", |text| {
            text.lines().find_map(|line| {
                let (name, value) = line.split_once('=')?;
                ["version", "version_info"].contains(&name.trim()).then(|| value.trim())
            })
        }),
        VersionSource::NameOfProgram("python"),
    ],
};

pub(crate) const VARIABLES: Variables = Variables {
    steering: &[
        "PYTEST_*",
        "PYTHONEXECUTABLE",
        "PYTHONHOME",
        "PYTHONINSPECT",
        "PYTHONOPTIMIZE",
        "PYTHONPATH",
        "PYTHONPLATLIBDIR",
        "PYTHONSTARTUP",
        "PYTHONUSERBASE",
        "PYTHONWARNINGS",
    ],
    read: &[
        "CONDA*",
        "COVERAGE_*",
        "DJANGO_*",
        "FLASK_*",
        "HYPOTHESIS_*",
        "MYPY*",
        "PIP_*",
        "POETRY_*",
        "PYTHON*",
        "TOX_*",
        "UV_*",
        "VIRTUAL_ENV*",
    ],
};
