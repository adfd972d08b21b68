//! How a Python project is tested, by its files: pytest where it is named or needed, else what comes
//! with Django and with Python.

use crate::adapter::{ProjectFiles, SuggestedCheck, shell_word};
use crate::candidates::Part;
use crate::command::simple_commands;
use crate::roles::name_of;

/// The most files of tests that are looked into.
const LOOKED_INTO: usize = 200;
/// Django's program of a project.
const MANAGE: &str = "manage.py";

/// Django's own way to run the tests of an application, by its places.
const RUN_TESTS: &[&str] = &["runtests.py", "tests/runtests.py"];
/// Files that make a folder a project of Python.
const MARKERS: &[&str] = &[
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "pytest.ini",
    ".pytest.ini",
    "tox.ini",
    "noxfile.py",
    "requirements.txt",
    MANAGE,
];
/// Files at the root that make a project one of another language.
const FOREIGN: &[&str] =
    &["go.mod", "Cargo.toml", "package.json", "pom.xml", "build.gradle", "CMakeLists.txt"];
/// Programs that know the environment of a project, by their lock files.
const TOOLS: &[(&str, &str)] = &[
    ("uv.lock", "uv"),
    ("poetry.lock", "poetry"),
    ("pdm.lock", "pdm"),
    ("Pipfile.lock", "pipenv"),
];
/// Environments in the folder of a project.
const ENVIRONMENTS: &[&str] = &[".venv", "venv"];

/// Who runs the tests of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Runner {
    Pytest,
    /// Its `manage.py`, and the folder that it is started in.
    Django {
        manage: String,
        below: String,
    },
    /// A script.
    Script(&'static str),
    /// With these arguments.
    Unittest(String),
}

/// The check for pytest.
pub(crate) fn suggested_pytest(project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
    let folder = home(project);
    let home = Part::of(project, &folder, |_| true);
    (runner(&home)? == Runner::Pytest).then(|| SuggestedCheck {
        name: "pytest".to_owned(),
        command: match tool(&home, project) {
            Some(tool) => format!("{tool} run pytest"),
            None => format!("{} -m pytest", python(&home, "pytest")),
        },
        framework: crate::pytest::ID,
        folder,
        reports: Vec::new(),
    })
}

/// The check for a project that is tested without pytest.
pub(crate) fn suggested_unittest(project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
    let folder = home(project);
    let home = Part::of(project, &folder, |_| true);
    let (name, arguments, below) = match runner(&home)? {
        Runner::Pytest => return None,
        Runner::Django { manage, below } => {
            ("django", format!("{} test", shell_word(&manage)), below)
        }
        Runner::Script(script) => ("django", script.to_owned(), String::new()),
        Runner::Unittest(arguments) => {
            ("unittest", format!("-m unittest{arguments}"), String::new())
        }
    };
    let python = match tool(&home, project) {
        Some(tool) => format!("{tool} run python"),
        // An environment's path is from the folder that it lies in.
        None if below.is_empty() => python(&home, "python"),
        None => plain_python(&home),
    };
    let folder = [folder, below].join("/").trim_matches('/').to_owned();
    let command = format!("{python} {arguments}");
    Some(SuggestedCheck {
        name: name.to_owned(),
        command,
        framework: crate::unittest::ID,
        folder,
        reports: Vec::new(),
    })
}

/// The folder of the project: the root, unless Python is at home in a folder alone.
fn home(project: &dyn ProjectFiles) -> String {
    let has = |names: &[&str]| names.iter().any(|name| project.has(name));
    if has(MARKERS) {
        return String::new();
    }
    let tests: Vec<&str> = project
        .paths()
        .iter()
        .map(String::as_str)
        .filter(|path| is_test_file(name_of(path)) || name_of(path) == "conftest.py")
        .collect();
    let near = |path: &&str| {
        matches!(path.split('/').collect::<Vec<_>>()[..], [_] | ["tests" | "test", _])
    };
    if tests.iter().any(near) {
        return String::new();
    }
    let above =
        |path: &str| path.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned());
    let marked = project.paths().iter().filter(|path| MARKERS.contains(&name_of(path)));
    let tested = |folder: &String| {
        let below = format!("{folder}/");
        project.has(&format!("{below}{MANAGE}"))
            || tests.iter().any(|test| test.starts_with(&below))
    };
    let marked = marked.map(|path| above(path)).filter(tested);
    if let Some(folder) = marked.min_by_key(|path| (path.matches('/').count(), path.clone())) {
        return folder;
    }
    match tests.iter().min_by_key(|path| path.matches('/').count()) {
        Some(test) if has(FOREIGN) => above(test),
        _ => String::new(),
    }
}

/// The tool whose lock file is there, if it is installed.
fn tool(home: &dyn ProjectFiles, project: &dyn ProjectFiles) -> Option<&'static str> {
    let locked = |lock: &str| home.has(lock) || project.has(lock);
    let (_, tool) = TOOLS.iter().find(|(lock, _)| locked(lock))?;
    home.starts(tool).then_some(*tool)
}

/// The lock file of a tool that is not installed, and the tool.
pub(crate) fn missing_tool(project: &dyn ProjectFiles) -> Option<(&'static str, &'static str)> {
    let found = TOOLS.iter().find(|(lock, _)| project.has(lock))?;
    (!project.starts(found.1)).then_some(*found)
}

/// A command without the tool that starts it, where that is not installed: `uv run pytest -q` is `python -m pytest -q`.
pub(crate) fn without_tool(
    project: &dyn ProjectFiles,
    folder: &str,
    command: &str,
) -> Option<String> {
    let tool = command.split_whitespace().next()?;
    if !TOOLS.iter().any(|(_, known)| *known == tool) || project.starts(tool) {
        return None;
    }
    let home = Part::of(project, folder, |_| true);
    let commands = simple_commands(command);
    let [only] = commands.as_slice() else { return None };
    let (program, arguments) = only.split_first()?;
    let start = match program.as_str() {
        "python" | "python3" => python(&home, "python"),
        "pytest" => format!("{} -m pytest", python(&home, "pytest")),
        _ => return None,
    };
    Some(arguments.iter().fold(start, |all, word| format!("{all} {}", shell_word(word))))
}

/// The Python that has a program: of the project's own environment, or the one on `PATH`.
fn python(home: &dyn ProjectFiles, program: &str) -> String {
    let own = ENVIRONMENTS.iter().find(|folder| home.starts(&format!("{folder}/bin/{program}")));
    own.map_or_else(|| plain_python(home), |folder| format!("{folder}/bin/python"))
}

fn plain_python(home: &dyn ProjectFiles) -> String {
    let old = !home.starts("python") && home.starts("python3");
    if old { "python3" } else { "python" }.to_owned()
}

fn runner(project: &dyn ProjectFiles) -> Option<Runner> {
    if project.paths().iter().any(|path| names_pytest(project, path)) {
        return Some(Runner::Pytest);
    }
    let own = |path: &&&str| project.read(path).is_some_and(|text| text.contains("django"));
    if let Some(script) = RUN_TESTS.iter().find(own) {
        return Some(Runner::Script(script));
    }
    if let Some(found) = django(project) {
        return Some(found);
    }
    let tests: Vec<&str> = project
        .paths()
        .iter()
        .map(String::as_str)
        .filter(|path| is_test_file(name_of(path)))
        .collect();
    if tests.is_empty() {
        return None;
    }
    let plain = tests
        .iter()
        .take(LOOKED_INTO)
        .all(|path| project.read(path).is_some_and(|text| needs_unittest_only(&text)));
    let found = if plain { unittest(project, &tests) } else { None };
    Some(found.map_or(Runner::Pytest, Runner::Unittest))
}

/// Whether a file says that the project uses pytest.
fn names_pytest(project: &dyn ProjectFiles, path: &str) -> bool {
    let says = |word: &str| project.read(path).is_some_and(|text| text.contains(word));
    match name_of(path) {
        "conftest.py" => true,
        _ if path.contains('/') && !path.starts_with("requirements/") => false,
        "pytest.ini" | ".pytest.ini" => true,
        "pyproject.toml" | "tox.ini" | "setup.py" | "Pipfile" => says("pytest"),
        "setup.cfg" => says("[tool:pytest]"),
        name => {
            name.contains("requirements") && name.ends_with(".txt") && says("pytest")
                || path.starts_with("requirements/") && name.ends_with(".txt") && says("pytest")
        }
    }
}

/// The outermost `manage.py` of Django, in its folder. One of a sample project, with no test below it, runs those of the
/// applications beside it from where they are.
fn django(project: &dyn ProjectFiles) -> Option<Runner> {
    let manages = project.paths().iter().filter(|path| name_of(path) == MANAGE);
    let mut manages: Vec<&String> = manages.collect();
    manages.sort_by_key(|path| (path.matches('/').count(), path.as_str()));
    let found = manages.into_iter().find(|path| {
        project.read(path).is_some_and(|text| text.contains("django.core.management"))
    })?;
    let below = found.strip_suffix(MANAGE)?;
    let is_test = |path: &&String| {
        name_of(path).strip_suffix(".py").is_some_and(|stem| stem.starts_with("test"))
    };
    let mut tests = project.paths().iter().filter(is_test).peekable();
    let elsewhere = tests.peek().is_some() && !tests.any(|path| path.starts_with(below));
    Some(match elsewhere {
        true => Runner::Django { manage: found.clone(), below: String::new() },
        false => Runner::Django {
            manage: MANAGE.to_owned(),
            below: below.trim_end_matches('/').to_owned(),
        },
    })
}

/// Whether the tests of a file are unittest's and nothing else's.
fn needs_unittest_only(text: &str) -> bool {
    let line_begins =
        |words: &[&str]| text.lines().any(|line| words.iter().any(|word| line.starts_with(word)));
    let pytest = line_begins(&["import pytest", "from pytest", "def test", "async def test"]);
    text.contains("unittest") && !pytest
}

/// What unittest has to be given so that it finds these files; none where one command cannot.
fn unittest(project: &dyn ProjectFiles, tests: &[&str]) -> Option<String> {
    let has = |path: &str| project.paths().iter().any(|known| known == path);
    let top = |file: &&str| {
        let mut folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        while !folder.is_empty() && has(&format!("{folder}/__init__.py")) {
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        }
        folder.to_owned()
    };
    let first = top(tests.first()?);
    let ends =
        |file: &&str| name_of(file).ends_with("_test.py") && !name_of(file).starts_with("test");
    let behind = ends(tests.first()?);
    if !tests.iter().all(|file| top(file) == first && ends(file) == behind) {
        return None;
    }
    let folder = if first.is_empty() { first } else { shell_word(&first) };
    Some(match (folder.as_str(), behind) {
        ("", false) => String::new(),
        ("", true) => " discover -p '*_test.py'".to_owned(),
        (folder, false) => format!(" discover -s {folder}"),
        (folder, true) => format!(" discover -s {folder} -p '*_test.py'"),
    })
}

/// Whether a file holds tests, by the names that pytest looks for.
pub(crate) fn is_test_file(name: &str) -> bool {
    name.strip_suffix(".py")
        .is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
}

#[cfg(test)]
mod tests {
    use crate::adapter::ProjectFiles;
    use crate::suggest;

    struct Files(Vec<String>, Vec<(&'static str, &'static str)>);

    impl ProjectFiles for Files {
        fn paths(&self) -> &[String] {
            &self.0
        }

        fn read(&self, path: &str) -> Option<String> {
            self.1.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        }
    }

    #[test]
    fn a_project_says_how_its_tests_are_run() {
        let plain =
            "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self): pass\n";
        let function = "def test_a():\n    pass\n";
        let manage = "from django.core.management import execute_from_command_line\n";
        let cases: &[(&[(&'static str, &'static str)], &str)] = &[
            (&[("test_a.py", plain)], "unittest: python -m unittest in "),
            (
                &[("tests/__init__.py", ""), ("tests/test_a.py", plain)],
                "unittest: python -m unittest in ",
            ),
            (&[("tests/test_a.py", plain)], "unittest: python -m unittest discover -s tests in "),
            (
                &[("src/a/__init__.py", ""), ("src/a/a_test.py", plain)],
                "unittest: python -m unittest discover -s src -p '*_test.py' in ",
            ),
            (
                &[("a b/test_a.py", plain), ("uv.lock", "")],
                "unittest: uv run python -m unittest discover -s 'a b' in ",
            ),
            // One command cannot find both.
            (
                &[("tests/test_a.py", plain), ("more/test_b.py", plain)],
                "pytest: python -m pytest in ",
            ),
            (
                &[("tests/test_a.py", plain), ("tests/test_b.py", function)],
                "pytest: python -m pytest in ",
            ),
            (
                &[("tests/test_a.py", plain), ("tests/conftest.py", "")],
                "pytest: python -m pytest in ",
            ),
            (
                &[("test_a.py", plain), ("requirements-dev.txt", "pytest==9\n")],
                "pytest: python -m pytest in ",
            ),
            (
                &[("test_a.py", plain), ("requirements/dev.txt", "pytest==9\n")],
                "pytest: python -m pytest in ",
            ),
            (&[("test_a.py", function), ("poetry.lock", "")], "pytest: poetry run pytest in "),
            (
                &[("manage.py", manage), ("shop/tests.py", plain)],
                "django: python manage.py test in ",
            ),
            (
                &[("web/manage.py", manage), ("web/shop/test_a.py", plain)],
                "django: python manage.py test in web",
            ),
            (
                &[
                    ("demo_site/manage.py", manage),
                    ("setup.py", ""),
                    ("cart/tests/test_a.py", plain),
                ],
                "django: python demo_site/manage.py test in ",
            ),
            (&[("manage.py", manage), ("pytest.ini", "")], "pytest: python -m pytest in "),
            (&[("manage.py", "print('mine')\n")], ""),
            (&[("setup.py", "")], ""),
        ];
        for (files, wanted) in cases {
            let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
            let checks = suggest(&Files(paths, files.to_vec()));
            let checks: Vec<String> = checks
                .iter()
                .map(|check| format!("{}: {} in {}", check.name, check.command, check.folder))
                .collect();
            assert_eq!(checks.join("; "), *wanted, "{files:?}");
        }
    }
}
