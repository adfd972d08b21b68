use super::candidates;
use crate::adapter::ProjectFiles;

/// Files, and the programs that can be started.
struct Tree {
    paths: Vec<String>,
    files: Vec<(&'static str, &'static str)>,
    missing: &'static [&'static str],
    there: &'static [&'static str],
}

impl ProjectFiles for Tree {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn read(&self, path: &str) -> Option<String> {
        self.files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
    }

    fn starts(&self, program: &str) -> bool {
        match program.contains('/') {
            true => self.there.contains(&program),
            false => !self.missing.contains(&program),
        }
    }
}

/// The files of a project, and the lines of its candidates.
type Case<'case> = (&'case [(&'static str, &'static str)], &'case [&'static str]);

/// The files of a project, its command, and the report that this writes.
type Reported<'case> = (&'case [(&'static str, &'static str)], &'case str, &'case str);

fn tree(files: &[(&'static str, &'static str)]) -> Tree {
    let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    Tree { paths, files: files.to_vec(), missing: &[], there: &[] }
}

/// Each candidate as a line, those that are taken with a `+`.
fn lines(tree: &Tree) -> Vec<String> {
    let line = |it: super::Candidate| {
        let sign = if it.taken { '+' } else { '-' };
        let folder = if it.check.folder.is_empty() { "." } else { &it.check.folder };
        format!("{sign} {} in {folder}", it.check.command)
    };
    candidates(tree).into_iter().map(line).collect()
}

const CMAKE: &str =
    "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure";
const JEST: &str = r#"{"scripts": {"test": "jest"}}"#;

#[test]
fn the_root_comes_first_and_what_lies_aside_last() {
    let fmt = tree(&[
        ("CMakeLists.txt", "enable_testing()"),
        ("support/build.gradle", ""),
        ("support/Android.mk", ""),
    ]);
    assert_eq!(
        lines(&fmt),
        [format!("+ {CMAKE} in ."), "- gradle cleanTest test in support".to_owned()]
    );
    let go = tree(&[
        ("go.mod", "module a"),
        ("testdata/conftest.py", ""),
        ("testdata/x/package.json", JEST),
        ("pkg/testdata/y/package.json", JEST),
        ("tools/go.mod", "module b"),
    ]);
    assert_eq!(
        lines(&go),
        [
            "+ go test ./... in .",
            "- python -m pytest in testdata",
            "- go test ./... in tools",
            "- npm test in testdata/x",
            "- npm test in pkg/testdata/y",
        ]
    );
    // Python beside another language is at home where its tests are.
    let scripts = tree(&[("go.mod", ""), ("scripts/test_a.py", "def test_a(): pass")]);
    assert_eq!(lines(&scripts), ["+ go test ./... in .", "- python -m pytest in scripts"]);
    let alone = tree(&[("README.md", ""), ("examples/a/package.json", JEST)]);
    assert_eq!(lines(&alone), ["+ npm test in examples/a"]);
}

#[test]
fn every_sub_project_is_named_and_ci_decides_between_them() {
    let files = [
        ("api/pyproject.toml", "[project]"),
        ("api/tests/test_a.py", "def test_a(): pass"),
        ("web/package.json", JEST),
        ("admin/package.json", JEST),
    ];
    let all = ["+ npm test in admin", "+ python -m pytest in api", "+ npm test in web"];
    assert_eq!(lines(&tree(&files)), all);
    let names: Vec<String> =
        candidates(&tree(&files)).into_iter().map(|it| it.check.name).collect();
    assert_eq!(names, ["jest", "pytest", "jest-web"]);
    let by_ci = [
        (
            ".github/workflows/ci.yml",
            "jobs:\n  a:\n    steps:\n      - run: |\n          pip install .\n          pytest -x\n        working-directory: api\n",
        ),
        (
            ".gitlab-ci.yml",
            "web:\n  script:\n    - cd web && npm ci\n    - npm --prefix web test\n",
        ),
        (".travis.yml", "script:\n  - cd web\n  - npm test\n"),
    ];
    for (ci, taken) in by_ci.iter().zip(["api", "web", "web"]) {
        let with: Vec<_> = files.iter().copied().chain([*ci]).collect();
        let found = lines(&tree(&with));
        let found: Vec<&String> = found.iter().filter(|line| line.starts_with('+')).collect();
        assert!(found.len() == 1 && found[0].ends_with(taken), "{ci:?}: {found:?}");
    }
    // What CI runs in a sub-folder counts beside the root.
    let both = tree(&[
        ("go.mod", ""),
        ("ui/package.json", JEST),
        (".github/workflows/ui.yml", "steps:\n- run: npm run test:ci\n  working-directory: ./ui\n"),
    ]);
    assert_eq!(lines(&both), ["+ go test ./... in .", "+ npm test in ui"]);
}

#[test]
fn a_runner_that_only_ci_names_is_taken() {
    let test = ("tests/test_a.py", "import pytest\ndef test_a(): pass");
    let ci = |text| (".github/workflows/ci.yml", text);
    let cases: &[Case] = &[
        (&[test], &["+ python -m pytest in ."]),
        (
            &[test, ci("- run: python -m unittest discover\n")],
            &["+ python -m unittest discover in ."],
        ),
        (&[test, ci("- run: python -m unittest ${{ matrix.x }}\n")], &["+ python -m pytest in ."]),
        (&[test, ci("- run: python -m unittest a\n- run: pytest\n")], &["+ python -m pytest in ."]),
        (
            &[
                ("Makefile", "all: build\ntest: build\n\t@PYTHONPATH=. python -m unittest\n"),
                ("lib/a.py", ""),
                ci("- run: make test\n"),
            ],
            &["+ make test in ."],
        ),
        (&[("Makefile", "check:\n\t./run\n")], &["+ make check in ."]),
        (
            &[("Makefile", "test := a\n"), ("justfile", "test *args:\n  ./run\n")],
            &["+ just test in ."],
        ),
        (
            &[("Makefile", "test:\n\tgo test\n"), ("go.mod", "")],
            &["+ go test ./... in .", "- make test in ."],
        ),
    ];
    for (files, wanted) in cases {
        assert_eq!(lines(&tree(files)), *wanted, "{files:?}");
    }
}

#[test]
fn a_program_that_is_not_there_is_not_taken() {
    let files = [("pyproject.toml", "pytest"), ("uv.lock", ""), ("tests/test_a.py", "")];
    let line = |missing, there| {
        let tree = Tree { missing, there, ..tree(&files) };
        (lines(&tree).remove(0), candidates(&tree).remove(0).why)
    };
    assert_eq!(line(&[], &[]).0, "+ uv run pytest in .");
    let (found, why) = line(&["uv"], &[".venv/bin/pytest"]);
    assert_eq!(found, "+ .venv/bin/python -m pytest in .");
    assert!(why.contains("uv.lock is there, but `uv` is not installed"), "{why}");
    assert_eq!(line(&["uv"], &[]).0, "+ python -m pytest in .");
    assert_eq!(line(&["uv", "python"], &[]).0, "+ python3 -m pytest in .");
}

#[test]
fn node_without_scripts_unknown_runners_and_django_s_own() {
    let own = "const test = require('node:test');";
    let ava = r#"{"scripts": {"test": "xo && ava"}}"#;
    let manage = "from django.core.management import execute_from_command_line";
    let cases: &[Case] = &[
        (&[("a.test.mjs", own)], &["+ node --test in ."]),
        (&[("package.json", "{}"), ("test/a.js", own)], &["+ node --test in ."]),
        (&[("package.json", "{}"), ("a.test.js", "test()")], &[]),
        (&[("package.json", ava), ("test/a.js", own)], &["+ npm test in ."]),
        (
            &[("tests/runtests.py", "import django"), ("package.json", ava)],
            &["+ python tests/runtests.py in .", "- npm test in ."],
        ),
        (
            &[("runtests.py", "import django"), ("example/manage.py", manage)],
            &["+ python runtests.py in .", "- python manage.py test in example"],
        ),
    ];
    for (files, wanted) in cases {
        assert_eq!(lines(&tree(files)), *wanted, "{files:?}");
    }
}

#[test]
fn runners_without_a_folder_are_read_by_their_reports() {
    let own = |script: &'static str, package: &str| {
        format!(r#"{{"scripts": {{"test": "{script}"}}, "devDependencies": {{"{package}": "1"}}}}"#)
            .leak() as &'static str
    };
    let cases: [Reported<'_>; 8] = [
        (
            &[("package.json", own("c8 ava", "ava"))],
            "mkdir -p .cache && npm test --silent -- --tap > .cache/ava.tap",
            ".cache/ava.tap",
        ),
        (
            &[("package.json", own("xo && ava", "ava")), ("pnpm-lock.yaml", "")],
            "mkdir -p .cache && npx ava --tap > .cache/ava.tap",
            ".cache/ava.tap",
        ),
        (
            &[("package.json", own("tap", "tap")), ("pnpm-lock.yaml", "")],
            "mkdir -p .cache && pnpm --silent test --reporter=tap > .cache/tap.tap",
            ".cache/tap.tap",
        ),
        (
            &[("package.json", r#"{"devDependencies": {"@playwright/test": "1"}}"#)],
            "PLAYWRIGHT_JUNIT_OUTPUT_FILE=junit-playwright.xml npx playwright test --reporter=line,junit",
            "junit-playwright.xml",
        ),
        (
            &[("package.json", own("bun test --bail", "x")), ("bun.lock", "")],
            "bun test --bail --reporter=junit --reporter-outfile=junit-bun.xml",
            "junit-bun.xml",
        ),
        (
            &[("deno.json", r#"{"tasks": {"test": "deno test -A"}}"#)],
            "deno test -A --junit-path=junit-deno.xml",
            "junit-deno.xml",
        ),
        (&[("build.sbt", "")], "sbt test", "**/target/test-reports/*.xml"),
        (&[("package.json", own("echo", "x")), ("bun.lock", "")], "npm test", ""),
    ];
    for (files, command, report) in cases {
        let found = candidates(&tree(files));
        let check = &found.first().expect("a candidate").check;
        assert_eq!((check.command.as_str(), check.reports.concat().as_str()), (command, report));
    }
}

#[test]
fn nodes_own_tests_are_named_where_node_would_not_look() {
    let test = "import test from 'node:test';";
    let cases: [Case<'_>; 3] = [
        (
            &[("tests/calc.js", test), ("tests/a b.mjs", test)],
            &["+ node --test tests/calc.js 'tests/a b.mjs' in ."],
        ),
        (
            &[("web/package.json", "{}"), ("web/calc.spec.mjs", test)],
            &["+ node --test calc.spec.mjs in web"],
        ),
        (&[("calc.test.js", test), ("tests/calc.js", test)], &["+ node --test in ."]),
    ];
    for (files, wanted) in cases {
        assert_eq!(lines(&tree(files)), *wanted);
    }
}

#[test]
fn what_is_not_installed_has_something_in_its_place() {
    let ci = "jobs:\n  a:\n    steps:\n      - run: uv run pytest checks -m 'not slow'\n";
    let mut project = tree(&[
        (".github/workflows/ci.yml", ci),
        ("checks/behaviour.py", "def test_a(): pass\n"),
        ("package.json", JEST),
        ("pnpm-lock.yaml", ""),
    ]);
    project.missing = &["uv", "pnpm"];
    project.there = &[".venv/bin/pytest"];
    assert_eq!(
        lines(&project),
        ["+ .venv/bin/python -m pytest checks -m 'not slow' in .", "+ npm test in ."]
    );
    let why = candidates(&project).iter().map(|it| it.why.clone()).collect::<Vec<_>>().join("\n");
    assert!(why.contains("pnpm-lock.yaml is there, but `pnpm` is not installed"), "{why}");
    assert!(why.contains("in place of `uv run pytest checks -m 'not slow'`"), "{why}");
}

#[test]
fn the_ci_file_that_is_named_runs_the_tests() {
    let test = ("tests/test_a.py", "import pytest\ndef test_a(): pass");
    let pom = ("pom.xml", "<project/>");
    let ci = |text| (".github/workflows/a.yml", text);
    let tox = ("tox.ini", "[testenv]\ncommands = pytest\n[testenv:docs]\ncommands = sphinx\n");
    let nox = (
        "noxfile.py",
        "def docs(session):\n    session.run(\"sphinx\")\n\ndef tests(\n    session,\n):\n    session.run(\"pytest\")\n",
    );
    let cases: &[(&[(&'static str, &'static str)], bool)] = &[
        (&[test, tox, ci("- run: tox run -e docs\n")], false),
        (&[test, tox, ci("- run: tox run -e py312\n")], true),
        (&[test, tox, ci("- run: tox\n")], true),
        (&[test, nox, ci("- run: nox -s docs\n")], false),
        (&[test, nox, ci("- run: pipx run nox -s tests\n")], true),
        (&[pom, ci("- run: mvn install -DskipTests\n")], false),
        (&[pom, ci("- run: mvn install -Dmaven.test.skip\n")], false),
        (&[pom, ci("- run: mvn install -DskipTests=false\n")], true),
        (&[("build.gradle", ""), ci("- run: gradle build -x test\n")], false),
        (&[("build.gradle", ""), ci("- run: gradle build -x lint\n")], true),
        // What CI checks out beside the project is not there.
        (&[("a/pom.xml", ""), ci("- run: cd other && mvn verify\n")], false),
    ];
    for (files, named) in cases {
        let found = candidates(&tree(files));
        let [only] = &found[..] else { panic!("{files:?}: {found:?}") };
        assert_eq!(only.why.contains("runs it"), *named, "{files:?}: {}", only.why);
    }
}
