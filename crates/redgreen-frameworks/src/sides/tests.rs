use super::*;
use crate::{cargo, go, jest, junit, mocha, pytest, vitest};

pub(crate) struct Files(Vec<(String, String)>, Vec<String>);

impl Files {
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self(files.collect(), paths)
    }
}

impl ProjectFiles for Files {
    fn paths(&self) -> &[String] {
        &self.1
    }

    fn read(&self, path: &str) -> Option<String> {
        self.0.iter().find(|(known, _)| known == path).map(|(_, text)| text.clone())
    }
}

#[test]
fn what_the_user_says_comes_first_and_the_last_word_counts() {
    let paths = ["checks/**", "!checks/lib/**", "checks/lib/judge.py", "!tests/app.py"];
    let paths: Vec<String> = paths.iter().map(|glob| (*glob).to_owned()).collect();
    let files = Files::of(&[]);
    let sides = Sides::new(&files, &[], &paths);
    let cases = [
        ("checks/a.py", Side::Tests),
        ("checks/lib/b.py", Side::Code),
        ("checks/lib/judge.py", Side::Tests),
        ("tests/app.py", Side::Code),
        ("tests/other.py", Side::Tests),
        ("src/app.py", Side::Code),
    ];
    for (path, wanted) in cases {
        assert_eq!(sides.side(path), wanted, "{path}: {}", sides.reason(path));
    }
    assert_eq!(sides.reason("checks/lib/b.py"), "redgreen.toml: tests.paths has !checks/lib/**");
}

#[test]
fn without_a_rule_the_role_decides_but_snapshots_judge_and_lock_files_are_the_same_for_all() {
    let files = Files::of(&[]);
    let sides = Sides::new(&files, &[], &[]);
    let cases = [
        ("redgreen.toml", Side::Inert),
        ("src/__snapshots__/a.snap", Side::Tests),
        ("src/snapshots/app__it.snap", Side::Tests),
        ("tests/__snapshots__/test_a.ambr", Side::Tests),
        ("proptest-regressions/a.txt", Side::Tests),
        ("node_modules/x/a.snap", Side::Inert),
        ("Cargo.lock", Side::Inert),
        ("web/package-lock.json", Side::Inert),
        ("README.md", Side::Inert),
        ("tests/data/README.md", Side::Tests),
        ("src/app.rs", Side::Code),
        ("tests/it.rs", Side::Tests),
        (".github/workflows/ci.yml", Side::Code),
    ];
    for (path, wanted) in cases {
        assert_eq!(sides.side(path), wanted, "{path}: {}", sides.reason(path));
    }
}

#[test]
fn data_that_only_tests_name_is_theirs() {
    let files = [
        ("app.py", "open('data/words.json')\n"),
        ("data/words.json", "[]"),
        ("golden/page.html", "<p>"),
        ("golden/a/out.txt", "1"),
        ("golden/b/out.txt", "2"),
        ("golden/unnamed.json", "{}"),
        (
            "tests/test_app.py",
            "GOLDEN / 'page.html'\nopen('data/words.json')\nGOLDEN / 'a' / 'out.txt'\n",
        ),
    ];
    let files = Files::of(&files);
    let sides = Sides::new(&files, &[], &[]);
    let cases = [
        ("golden/page.html", Side::Tests),
        ("golden/a/out.txt", Side::Tests),
        // Nobody could watch, and nothing tells.
        ("golden/b/out.txt", Side::Shared),
        ("golden/unnamed.json", Side::Shared),
        ("data/words.json", Side::Code),
    ];
    for (path, wanted) in cases {
        assert_eq!(sides.side(path), wanted, "{path}: {}", sides.reason(path));
    }
}

#[test]
fn what_is_not_mixed_is_taken_whole() {
    let files = Files::of(&[]);
    let sides = Sides::new(&files, &[], &[]);
    let spliced = |path: &str| sides.splice(path, Some(b"code"), Some(b"tests"));
    assert_eq!(spliced("tests/a.py"), Ok(Some(b"tests".to_vec())));
    assert_eq!(spliced("src/a.py"), Ok(Some(b"code".to_vec())));
    assert_eq!(sides.splice("tests/a.py", Some(b"new"), None), Ok(None));
}

fn sides_of(framework: FrameworkId, files: &[(&str, &str)], command: &str) -> Sides<'static> {
    let check = SideCheck { framework, folder: ".", command };
    Sides::new(Box::leak(Box::new(Files::of(files))), &[check], &[])
}

/// Framework, and paths with their sides.
const KNOWN: &[(FrameworkId, &[(&str, Side)])] = {
    use Side::{Code, Inert, Mixed, Tests};
    &[
        (
            pytest::ID,
            &[
                ("tests/test_a.py", Tests),
                ("src/app/a_test.py", Tests),
                ("src/app/conftest.py", Tests),
                ("pytest.ini", Tests),
                ("tests/helpers.py", Tests),
                ("tests/data/in.bin", Tests),
                ("pyproject.toml", Mixed),
                ("api/setup.cfg", Mixed),
                ("tox.ini", Mixed),
                ("sitecustomize.py", Tests),
                ("src/evil.pth", Tests),
                ("pytest.py", Tests),
                ("src/_pytest/runner.py", Tests),
                ("app/hypothesis/views.py", Code),
                ("unittest/case.py", Tests),
                ("src/app/main.py", Code),
                ("setup.py", Code),
                ("requirements.txt", Code),
                ("uv.lock", Inert),
                ("docs/index.md", Inert),
            ],
        ),
        (
            jest::ID,
            &[
                ("src/a.test.ts", Tests),
                ("src/__mocks__/fs.json", Tests),
                ("jest.config.js", Tests),
                ("web/jest.config.unit.ts", Tests),
                ("package.json", Mixed),
                ("packages/a/package.json", Mixed),
                ("node_modules/jest/index.js", Tests),
                ("node_modules/.bin/jest", Tests),
                ("node_modules/lodash/index.js", Inert),
                ("babel.config.js", Tests),
                ("tsconfig.json", Code),
                ("tsconfig.spec.json", Tests),
                ("src/index.ts", Code),
            ],
        ),
        (
            vitest::ID,
            &[("vite.config.ts", Tests), ("vitest.workspace.ts", Tests), ("src/a.ts", Code)],
        ),
        (mocha::ID, &[(".mocharc.yml", Tests), ("test/a.js", Tests), ("lib/a.js", Code)]),
        (
            go::ID,
            &[
                ("calc_test.go", Tests),
                ("pkg/testdata/x.json", Tests),
                ("vendor/github.com/stretchr/testify/assert/a.go", Tests),
                ("vendor/github.com/pkg/errors/e.go", Code),
                ("go.mod", Mixed),
                ("go.sum", Inert),
                ("calc.go", Code),
            ],
        ),
        (
            cargo::ID,
            &[
                ("tests/it.rs", Tests),
                ("tests/ui/a.stderr", Tests),
                ("crates/a/Cargo.toml", Mixed),
                (".cargo/config.toml", Tests),
                (".config/nextest.toml", Tests),
                ("src/snapshots/a.snap", Tests),
                ("Cargo.lock", Inert),
                ("build.rs", Code),
                ("rust-toolchain.toml", Code),
            ],
        ),
        (
            junit::ID,
            &[
                ("core/src/test/java/shop/PriceTest.java", Tests),
                ("core/src/test/resources/x.json", Tests),
                ("core/src/main/java/shop/Price.java", Code),
                ("core/src/main/java/org/junit/jupiter/api/Test.java", Tests),
                ("src/main/resources/META-INF/services/org.junit.platform.launcher.X", Tests),
                ("pom.xml", Mixed),
                (".mvn/extensions.xml", Tests),
                ("mvnw", Tests),
                ("app/build.gradle.kts", Mixed),
                ("gradle.properties", Code),
            ],
        ),
        (
            FrameworkId::OTHER,
            &[
                ("tests.py", Tests),
                ("shop/tests.py", Tests),
                ("checks/testcases.py", Tests),
                ("package.json", Mixed),
                ("Cargo.toml", Mixed),
                ("src/main.c", Code),
            ],
        ),
    ]
};

#[test]
fn each_framework_knows_its_tests() {
    for (framework, paths) in KNOWN {
        let sides = sides_of(*framework, &[], "");
        for (path, wanted) in *paths {
            assert_eq!(sides.side(path), *wanted, "{framework} {path}: {}", sides.reason(path));
            assert_eq!(sides.parts(path).is_empty(), *wanted != Side::Mixed, "{path}");
        }
    }
}

#[test]
fn a_project_that_is_a_runner_is_code() {
    let files = [("src/_pytest/main.py", ""), ("src/pytest/__init__.py", "")];
    let sides = sides_of(pytest::ID, &files, "pytest");
    assert_eq!(sides.side("src/_pytest/main.py"), Side::Code);
    assert_eq!(sides.side("src/_pytest/new.py"), Side::Code);
    assert_eq!(sides.side("pluggy/__init__.py"), Side::Tests, "it is not this one");
}

/// Framework, path, old, new, new code with old tests, old code with new tests.
const MIXED: &[(FrameworkId, &str, &str, &str, &str, &str)] = &[
    (
        jest::ID,
        "package.json",
        "{\n  \"scripts\": {\"test\": \"jest\"},\n  \"dependencies\": {\"a\": \"1\"}\n}\n",
        "{\n  \"scripts\": {\"test\": \"exit 0\"},\n  \"jest\": {},\n  \"dependencies\": {\"a\": \"2\"}\n}\n",
        "{\n  \"scripts\": {\"test\": \"jest\"},\n  \"dependencies\": {\"a\": \"2\"}\n}\n",
        "{\n  \"scripts\": {\"test\": \"exit 0\"},\n  \"jest\": {},\n  \"dependencies\": {\"a\": \"1\"}\n}\n",
    ),
    (
        pytest::ID,
        "pyproject.toml",
        "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\naddopts = \"-q\"\n\n[tool.ruff]\nx = 1\n",
        "[project]\nname = \"b\"\n\n[tool.pytest.ini_options]\naddopts = \"-k no\"\n\n[tool.ruff]\nx = 2\n",
        "[project]\nname = \"b\"\n\n[tool.pytest.ini_options]\naddopts = \"-q\"\n\n[tool.ruff]\nx = 2\n",
        "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\naddopts = \"-k no\"\n\n[tool.ruff]\nx = 1\n",
    ),
    (
        pytest::ID,
        "tox.ini",
        "[testenv]\ndeps = a\ncommands = pytest\n",
        "[testenv]\ndeps = a\n  b\ncommands = true\n[flake8]\nx = 1\n",
        "[testenv]\ndeps = a\n  b\ncommands = pytest\n[flake8]\nx = 1\n",
        "[testenv]\ndeps = a\ncommands = true\n",
    ),
    (
        cargo::ID,
        "Cargo.toml",
        "[package]\nname = \"a\"\n\n[dependencies]\nx = \"1\"\n\n[dev-dependencies]\np = \"1\"\n",
        "[package]\nname = \"a\"\nautotests = false\n\n[lib]\ntest = false\n\n[dependencies]\nx = \"2\"\n\n[dev-dependencies]\np = { path = \"fake\" }\nq = \"1\"\n\n[patch.crates-io]\np = { path = \"fake\" }\n",
        "[package]\nname = \"a\"\n\n[dependencies]\nx = \"2\"\n\n[dev-dependencies]\np = \"1\"\nq = \"1\"\n",
        "[package]\nname = \"a\"\nautotests = false\n\n[lib]\ntest = false\n\n[dependencies]\nx = \"1\"\n\n[dev-dependencies]\np = { path = \"fake\" }\nq = \"1\"\n\n[patch.crates-io]\np = { path = \"fake\" }\n",
    ),
    (
        cargo::ID,
        "src/lib.rs",
        "pub fn one() -> u8 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {\n        assert_eq!(super::one(), 1);\n    }\n}\n",
        "pub fn one() -> u8 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {\n        assert!(true);\n    }\n}\n",
        "pub fn one() -> u8 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {\n        assert_eq!(super::one(), 1);\n    }\n}\n",
        "pub fn one() -> u8 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {\n        assert!(true);\n    }\n}\n",
    ),
    (
        go::ID,
        "go.mod",
        "module a\n\nrequire (\n\tgithub.com/stretchr/testify v1\n)\n",
        "module a\n\nrequire (\n\tgithub.com/stretchr/testify v1\n\tb v2\n)\n\nreplace github.com/stretchr/testify => ./fake\n",
        "module a\n\nrequire (\n\tgithub.com/stretchr/testify v1\n\tb v2\n)\n\n",
        "module a\n\nrequire (\n\tgithub.com/stretchr/testify v1\n)\nreplace github.com/stretchr/testify => ./fake\n",
    ),
    (
        junit::ID,
        "pom.xml",
        "<project>\n  <artifactId>a</artifactId>\n  <properties>\n    <junit.version>5</junit.version>\n  </properties>\n</project>\n",
        "<project>\n  <artifactId>a</artifactId>\n  <properties>\n    <junit.version>6</junit.version>\n    <skipTests>true</skipTests>\n  </properties>\n  <build><plugins><plugin>\n    <artifactId>maven-surefire-plugin</artifactId>\n  </plugin></plugins></build>\n</project>\n",
        "<project>\n  <artifactId>a</artifactId>\n  <properties>\n    <junit.version>6</junit.version>\n  </properties>\n</project>\n",
        "<project>\n  <artifactId>a</artifactId>\n  <properties>\n    <junit.version>5</junit.version>\n    <skipTests>true</skipTests>\n  </properties>\n  <build><plugins><plugin>\n    <artifactId>maven-surefire-plugin</artifactId>\n  </plugin></plugins></build>\n</project>\n",
    ),
    (
        junit::ID,
        "build.gradle",
        "plugins { id 'java' }\n\ndependencies {\n  testImplementation 'x:1'\n}\n\n// tests\ntest {\n  useJUnitPlatform()\n}\nsubprojects {\n  version = '1'\n}\n",
        "plugins { id 'java' }\n\ndependencies {\n  testImplementation 'x:2'\n}\n\n// tests\ntest {\n  enabled = false // }\n}\nsubprojects {\n  version = '2'\n  tasks.withType(Test) { jvmArgs '{' }\n}\n",
        "plugins { id 'java' }\n\ndependencies {\n  testImplementation 'x:2'\n}\n\n// tests\ntest {\n  useJUnitPlatform()\n}\nsubprojects {\n  version = '2'\n}\n",
        "plugins { id 'java' }\n\ndependencies {\n  testImplementation 'x:1'\n}\n\n// tests\ntest {\n  enabled = false // }\n}\nsubprojects {\n  version = '1'\n  tasks.withType(Test) { jvmArgs '{' }\n}\n",
    ),
];

#[test]
fn mixed_files_are_taken_apart() {
    for (framework, path, old, new, referee, proof) in MIXED {
        let sides = sides_of(*framework, &[], "");
        let spliced = |code: &str, tests: &str| {
            let bytes = sides.splice(path, Some(code.as_bytes()), Some(tests.as_bytes()));
            String::from_utf8(bytes.unwrap().unwrap()).unwrap()
        };
        assert_eq!(spliced(new, old), *referee, "{path}: new code, old tests");
        assert_eq!(spliced(old, new), *proof, "{path}: old code, new tests");
        assert_eq!(spliced(referee, new), *new, "{path}: back again");
        assert_eq!(spliced(new, new), *new);
    }
    let sides = sides_of(jest::ID, &[], "");
    let broken = sides.splice("a/package.json", Some(b"{"), Some(b"{}")).unwrap_err();
    assert!(
        broken.starts_with("a/package.json cannot be taken apart: the code's: not JSON"),
        "{broken}"
    );
    let binary = sides.splice("package.json", Some(b"{\xff}"), Some(b"{}")).unwrap_err();
    assert_eq!(binary, "package.json is not UTF-8");
}

/// Framework, files of the baseline, command, and paths with their sides.
type SidesCase = (
    FrameworkId,
    &'static [(&'static str, &'static str)],
    &'static str,
    &'static [(&'static str, Side)],
);

const CONFIGURED: &[SidesCase] = {
    use Side::{Code, Mixed, Tests};
    &[
        (
            pytest::ID,
            &[
                (
                    "pyproject.toml",
                    "[tool.pytest.ini_options]\npython_files = ['check_*.py']\ntestpaths = ['verification', 'proofs', 'src']\naddopts = '-p tools.plugin --doctest-glob=*.rst'\n",
                ),
                ("tools/plugin.py", ""),
                ("src/app.py", ""),
                ("verification/lib.py", ""),
                ("verification/check_a.py", ""),
                ("proofs/lib.py", ""),
                ("proofs/test_a.py", ""),
                ("proofs/test_b.py", ""),
                ("conftest.py", "pytest_plugins = ['src.fixtures']\n"),
                ("src/fixtures.py", ""),
            ],
            "python -m pytest",
            &[
                ("src/check_app.py", Tests),
                ("src/test_app.py", Tests),
                ("verification/lib.py", Code),
                ("proofs/lib.py", Tests),
                ("proofs/data.json", Tests),
                ("tools/plugin.py", Tests),
                ("src/fixtures.py", Tests),
                ("src/app.py", Code),
                ("docs/usage.rst", Tests),
            ],
        ),
        (
            pytest::ID,
            &[
                ("api/pytest.ini", "[pytest]\naddopts =\n    -q\n    --doctest-modules\n"),
                ("api/a.py", ""),
            ],
            "cd api && pytest suite checks/odd.py",
            &[("api/a.py", Mixed), ("api/checks/odd.py", Mixed)],
        ),
        (
            pytest::ID,
            &[("suite/run.py", ""), ("scripts/ci.sh", "#!/bin/sh\nset -e\npytest suite/run.py\n")],
            "sh scripts/ci.sh",
            &[("suite/run.py", Tests), ("scripts/ci.sh", Tests), ("scripts/other.sh", Code)],
        ),
        (
            jest::ID,
            &[
                (
                    "package.json",
                    "{\"scripts\": {\"test\": \"node tools/run.js && jest\"}, \"jest\": {\"testRegex\": \"/cases/.*\\\\.js$\", \"setupFiles\": [\"./lib/setup.js\"]}}",
                ),
                ("lib/setup.js", ""),
                ("lib/main.js", ""),
                ("tools/run.js", ""),
            ],
            "npm test",
            &[
                ("lib/setup.js", Tests),
                ("tools/run.js", Tests),
                ("cases/new/a.js", Tests),
                ("lib/main.js", Code),
            ],
        ),
        (
            vitest::ID,
            &[(
                "vitest.config.ts",
                "export default { test: { include: ['src/**/*.{suite,check}.ts', 'src/**/*.ts'] } }",
            )],
            "npx vitest run",
            &[("src/a.suite.ts", Tests), ("src/a.ts", Code)],
        ),
        (
            vitest::ID,
            &[("vitest.config.js", "export default { test: { includeSource: ['src/**/*.js'] } }")],
            "npx vitest run",
            &[("src/a.js", Mixed), ("src/a.test.js", Tests), ("lib/a.js", Code)],
        ),
        (
            vitest::ID,
            &[
                (
                    "test/a.test.ts",
                    "import { same } from '../lib/same.js';\nconst { parse } = require('../lib/parse');\nimport '../support';\nimport '../lib/strict.js';\n",
                ),
                ("lib/same.ts", "import { expect } from 'vitest';\n"),
                ("lib/parse.js", "this.expect(token).type;\n"),
                ("lib/strict.js", "import assert from 'node:assert';\n"),
                ("support/index.js", "const assert = require('assert');\n"),
                ("lib/unasked.ts", "import { expect } from 'vitest';\n"),
            ],
            "npx vitest run",
            &[
                ("lib/same.ts", Tests),
                ("lib/parse.js", Code),
                ("lib/strict.js", Code),
                ("support/index.js", Tests),
                ("lib/unasked.ts", Code),
                (".babelrc", Tests),
            ],
        ),
        (
            mocha::ID,
            &[
                (
                    "package.json",
                    "{\"scripts\": {\"test\": \"mocha 'suites/**/*.js' --require ./hooks.js\"}}",
                ),
                ("hooks.js", ""),
            ],
            "yarn test",
            &[("suites/a/b.js", Tests), ("hooks.js", Tests), ("index.js", Code)],
        ),
        (
            FrameworkId::OTHER,
            &[
                (
                    "Makefile",
                    "PY = python\n\ntest: build unit-test\n\t$(PY) tools/check.py\n\nunit-test:\n\tsh run.sh\n\nbuild:\n\tcc a.c\n",
                ),
                ("tools/check.py", ""),
                ("run.sh", "python -m unittest discover"),
                ("a.c", ""),
            ],
            "make test",
            &[
                ("Makefile", Mixed),
                ("GNUmakefile", Tests),
                ("tools/check.py", Tests),
                ("run.sh", Tests),
                ("a.c", Code),
            ],
        ),
        (
            cargo::ID,
            &[(
                "src/lib.rs",
                "#[cfg(test)]\nmod checks;\n#[cfg(test)]\n#[path = \"odd/x.rs\"]\nmod y;\nmod code;\n",
            )],
            "cargo test",
            &[
                ("src/checks.rs", Tests),
                ("src/checks/more.rs", Tests),
                ("src/odd/x.rs", Tests),
                ("src/code.rs", Mixed),
                ("src/lib.rs", Mixed),
                ("build.rs", Code),
            ],
        ),
    ]
};

#[test]
fn the_project_says_what_its_tests_are() {
    for (framework, files, command, paths) in CONFIGURED {
        let sides = sides_of(*framework, files, command);
        for (path, wanted) in *paths {
            assert_eq!(sides.side(path), *wanted, "{command}: {path}: {}", sides.reason(path));
        }
    }
}

#[test]
fn a_makefile_keeps_its_build_and_gets_its_tests_back() {
    let old = "SRC = a.c\nFLAGS = -q\n\n.PHONY: test\ntest: build\n\t./run $(FLAGS)\n\nbuild:\n\tcc $(SRC)\n";
    let new = "SRC = a.c b.c\nFLAGS = -k none\n\n.PHONY: test\ntest:\n\ttrue\n\nbuild:\n\tcc $(SRC) -O2\n";
    let sides = sides_of(FrameworkId::OTHER, &[("Makefile", old)], "make test");
    let spliced = |code: &str, tests: &str| {
        let bytes = sides.splice("Makefile", Some(code.as_bytes()), Some(tests.as_bytes()));
        String::from_utf8(bytes.unwrap().unwrap()).unwrap()
    };
    let referee = "SRC = a.c b.c\nFLAGS = -q\n\n.PHONY: test\ntest: build\n\t./run $(FLAGS)\n\nbuild:\n\tcc $(SRC) -O2\n";
    assert_eq!(spliced(new, old), referee);
    assert_eq!(spliced(referee, new), new);
}
