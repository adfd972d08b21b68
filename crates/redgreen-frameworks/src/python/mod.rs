//! What pytest and unittest share: a `sitecustomize` of ours, first on `PYTHONPATH`, that hands over
//! to the one that would have been there, and notices when a test runner is loaded.
//!
//! It does not hang on one variable. Programs of Python put our variables back into what they start
//! (`redgreen_children.py`: tox, nox, scripts), and programs that are found on `PATH` are stood in for, so that a shell
//! may set `PYTHONPATH` anew or empty the environment, and `python -I`, `-E` and `-S` load it all the same.
//!
//! Limits: a shell that sets `PYTHONPATH` anew, or gives `-I`, `-E` or `-S`, and starts Python by its path. Such a run
//! never began, which is not a pass, and `unseen.rs` says what to write.

mod among;
mod collector;
mod command;
mod helpers;
pub(crate) mod mutants;
mod project;
mod sides;

use crate::adapter::{
    InjectedFile, Injection, InjectionRequest, Runtime, SHIM_FOLDER, Variables, VersionSource,
};

use crate::surroundings::Surroundings;

pub(crate) use among::rules as among;
pub(crate) use collector::COLLECTOR;
pub use command::module_without_variables;
pub(crate) use command::{runs_django, runs_module};
pub(crate) use project::{
    is_test_file, missing_tool, suggested_pytest, suggested_unittest, without_tool,
};
pub(crate) use sides::{doctests, rules as sides};

/// What Python's tools leave, and what pip, uv and pytest read elsewhere.
pub(crate) const SURROUNDINGS: Surroundings = Surroundings {
    caches: &[
        "__pycache__",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        ".eggs",
        "*.egg-info",
        "htmlcov",
        ".coverage",
        ".coverage.*",
        "coverage.xml",
        ".testmondata*",
    ],
    outputs: &[],
    marks: &[],
    home: &[
        ".config/pip/pip.conf",
        ".pip/pip.conf",
        ".pip.conf",
        ".config/uv/uv.toml",
        ".pydistutils.cfg",
        ".pythonrc.py",
        ".config/coveragerc",
    ],
    above: &[
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        "tox.ini",
        "setup.cfg",
        "pyproject.toml",
        "uv.toml",
    ],
};

/// What goes first on `PYTHONPATH`, in the folder of a run: alone there, so that nothing else of the
/// run can be imported by accident, and with a name that linters pass over.
pub const FOLDER: &str = ".eggs";
/// The script that stands in for `-m`, in that folder.
pub const MODULE_SCRIPT: &str = "redgreen_module.py";
/// The sub-command of redgreen that stands in for a program, and what follows it in a corner and elsewhere.
pub const PYTHON_SHIM: &str = "__python-shim";
/// The mark of a corner.
pub const IN_CORNER: &str = "corner";
const IN_PLACE: &str = "place";
/// Programs that are Python, or that start it.
const PROGRAMS: &[&str] = &[
    "python",
    "python3",
    "python3.8",
    "python3.9",
    "python3.10",
    "python3.11",
    "python3.12",
    "python3.13",
    "python3.14",
    "python3.15",
    "pypy3",
    "pytest",
    "py.test",
    "pytest-3",
    "coverage",
    "nose2",
    "tox",
    "nox",
    "hatch",
    "uv",
    "uvx",
    "poetry",
    "pdm",
    "pipenv",
];

/// Puts the listener of a runner where Python finds it.
pub(crate) fn inject(request: &InjectionRequest<'_>, listener: (&str, &str)) -> Injection {
    let files = [
        ("sitecustomize.py", include_str!("sitecustomize.py")),
        ("redgreen_replaced.py", include_str!("redgreen_replaced.py")),
        ("redgreen_coverage.py", include_str!("redgreen_coverage.py")),
        ("redgreen_reached.py", include_str!("redgreen_reached.py")),
        ("redgreen_mutants.py", include_str!("redgreen_mutants.py")),
        ("redgreen_children.py", include_str!("redgreen_children.py")),
        (MODULE_SCRIPT, include_str!("redgreen_module.py")),
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
    let place = if request.corner { IN_CORNER } else { IN_PLACE };
    for program in PROGRAMS {
        let stand_in = request.stand_in(program, &format!("{PYTHON_SHIM} {program} {place}"));
        injection.stand_ins.extend(stand_in.files.into_iter().filter(|file| file.executable));
    }
    injection.env.push(request.prepended("PATH", &request.run_folder.join(SHIM_FOLDER), ':'));
    injection
}

/// What to say where a runner of Python spoke on the console and nothing came through our channel.
pub(crate) fn unseen(runner: &str) -> String {
    format!(
        "{runner} ran without redgreen's listener: a shell set PYTHONPATH anew, or gave Python -I, -E or -S, and \
         started it by its path. Write PYTHONPATH=src:$PYTHONPATH for PYTHONPATH=src, leave such an option out, or have \
         {runner} write JUnit XML and name the file in the check: reports = [\"report.xml\"]"
    )
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
