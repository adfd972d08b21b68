use super::*;

fn of(files: &[(&str, &str)]) -> Exclusions {
    let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let text = |path: &str| {
        files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
    };
    Exclusions::read(&paths, &text)
}

#[test]
fn coverage_py_leaves_out_files_and_lines() {
    let run = "omit =\n    src/shop/_version.py\n    */vendored/*, */old.py\n";
    let report = "exclude_also =\n    raise NotImplementedError\n    if TYPE_CHECKING:\n";
    let toml = "[tool.coverage.run]\nomit = [\"src/shop/_version.py\", \"*/vendored/*\", \"*/old.py\"]\n[tool.coverage.report]\nexclude_also = [\"raise NotImplementedError\", 'if TYPE_CHECKING:']\n";
    let forms = [
        (".coveragerc", format!("[run]\nbranch = True\n{run}[report]\n{report}")),
        ("setup.cfg", format!("[metadata]\n[coverage:run]\n{run}[coverage:report]\n{report}")),
        ("pyproject.toml", toml.to_owned()),
    ];
    for (name, text) in forms {
        let found = of(&[(name, &text)]);
        let files = ["src/shop/_version.py", "src/vendored/a/b.py", "src/old.py", "src/shop/a.py"];
        assert_eq!(files.map(|path| found.has_file(path)), [true, true, true, false], "{name}");
        let lines = ["    raise NotImplementedError(1)", "if TYPE_CHECKING:", "x = 1"];
        assert_eq!(lines.map(|line| found.has_line("a.py", line)), [true, true, false], "{name}");
    }
}

#[test]
fn a_mark_is_judged_by_itself() {
    let found =
        of(&[(".coveragerc", "[report]\nexclude_lines =\n    pragma: no cover\n    pass$\n")]);
    assert!(!found.has_line("a.py", "x = 1  # pragma: no cover"));
    assert!(found.has_line("a.py", "    pass") && !found.has_line("a.js", "    pass"));
}

#[test]
fn tools_of_javascript_leave_out_files() {
    let files = ["src/gen/a.js", "src/a.js"];
    let forms = [
        (".nycrc", "{\"exclude\": [\"src/gen\"]}"),
        ("package.json", "{\"c8\": {\"exclude\": [\"src/gen/**\"]}}"),
        ("package.json", "{\"jest\": {\"coveragePathIgnorePatterns\": [\"<rootDir>/src/gen/\"]}}"),
        (
            "jest.config.ts",
            "export default {\n  coveragePathIgnorePatterns: [\n    '/gen/', // made\n  ],\n};\n",
        ),
        (
            "vitest.config.ts",
            "export default defineConfig({ test: { exclude: ['src/**'], coverage: { provider: 'v8', exclude: [`**/gen/**`] } } })",
        ),
    ];
    for (name, text) in forms {
        let found = of(&[(name, text)]);
        assert_eq!(files.map(|path| found.has_file(path)), [true, false], "{name}");
    }
    assert!(
        !of(&[("vitest.config.ts", "export default { test: { exclude: ['src/**'] } }")])
            .has_file("src/a.js")
    );
    assert!(
        !of(&[("package.json", "{"), ("jest.config.js", "coveragePathIgnorePatterns: ['")])
            .has_file("src/a.js")
    );
}
