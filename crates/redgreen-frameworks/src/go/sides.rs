//! What of a Go project judges.

use std::collections::BTreeMap;

use super::modules;
use crate::roles::{name_of, split};
use crate::sides::{Rule, SideRequest, joined};

/// Libraries that judge, where a project keeps its dependencies among its files.
const LIBRARIES: &[&str] = &[
    "github.com/stretchr/testify",
    "github.com/onsi/gomega",
    "github.com/onsi/ginkgo",
    "github.com/google/go-cmp",
    "github.com/frankban/quicktest",
    "github.com/matryer/is",
    "github.com/smartystreets",
    "github.com/go-check/check",
    "gopkg.in/check.v1",
    "gotest.tools",
];

/// Why a package is the tests' side by its name.
const BY_NAME: &str = "go: a package for tests";
/// The most sources that are looked into.
const SOURCES_MAX: usize = 5_000;

/// Whether a line is about a library that judges: it begins with its path.
pub(super) fn judges(line: &str) -> bool {
    let path = line.split_whitespace().next().unwrap_or_default().trim_matches('"');
    LIBRARIES.iter().any(|library| {
        path.strip_prefix(library).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// The rules for a check that runs go.
pub(super) fn rules(request: &SideRequest<'_>) -> Vec<Rule> {
    let mut rules = vec![
        Rule::tests("**/*_test.go", "go: _test.go"),
        Rule::tests("**/testdata/**", "go: testdata").guessed(),
        Rule::tests("**/*.golden", "go: an expected output"),
        Rule::tests(
            "**/{.gotestsum.yml,.gotestsum.yaml,.testcoverage.yml}",
            "go: its configuration",
        ),
    ];
    for library in LIBRARIES {
        let reason = format!("go: {library} judges");
        rules.push(Rule::tests(format!("**/vendor/{library}/**"), reason).everywhere());
    }
    rules.extend(for_tests_only(request));
    let reason = "go: which library judges";
    rules.push(Rule::mixed("**/go.{mod,work}", &modules::mixture(), reason));
    rules
}

/// Libraries that judge and assertions of the project's own, which are not in `_test.go`: packages
/// with a name for tests, and files that import `testing`.
fn for_tests_only(request: &SideRequest<'_>) -> Vec<Rule> {
    let paths = || request.baseline.paths().iter().map(String::as_str);
    let mut found: BTreeMap<String, &str> = BTreeMap::new();
    for path in paths().filter(|path| matches!(name_of(path), "go.mod" | "go.work")) {
        let place = split(path).0.join("/");
        let text = request.baseline.read(path).unwrap_or_default();
        for folder in modules::folders(&place, &text) {
            let glob = format!("{}/**", globset::escape(&folder));
            found.insert(glob, "go: it stands in for a library that judges");
        }
    }
    let sources = paths().filter(|path| path.ends_with(".go") && !path.ends_with("_test.go"));
    let sources: Vec<&str> = sources.take(SOURCES_MAX).collect();
    for (path, text) in sources.iter().zip(request.baseline.read_all(&sources)) {
        if text.is_some_and(|text| imports_testing(&text)) {
            found.insert(globset::escape(path), "go: it imports testing");
        }
        let (folders, _) = split(path);
        let named = |folder: &str| {
            ["testutil", "testkit", "testhelper", "testing", "testsupport"]
                .iter()
                .any(|name| folder.to_ascii_lowercase().starts_with(name))
        };
        if let Some(at) = folders.iter().position(|folder| named(folder)) {
            let folder = joined("", &folders.get(..=at).unwrap_or_default().join("/"));
            let glob = format!("{}/**", globset::escape(&folder));
            found.insert(glob, BY_NAME);
        }
    }
    let rule = |(glob, reason): (String, &str)| match reason {
        BY_NAME => Rule::tests(glob, reason).guessed(),
        reason => Rule::tests(glob, reason),
    };
    found.into_iter().map(rule).collect()
}

fn imports_testing(text: &str) -> bool {
    let head = text.split("\nfunc ").next().unwrap_or_default();
    head.lines().map(str::trim).any(|line| {
        let line = line.strip_prefix("import ").unwrap_or(line).trim();
        matches!(line, "\"testing\"" | "\"testing/quick\"")
            || judges(line.split_once(' ').map_or(line, |(_, path)| path)) && line.ends_with('"')
    })
}

#[cfg(test)]
mod tests {

    use crate::sides::tests::Files;
    use crate::sides::{Side, SideCheck, Sides};

    #[test]
    fn assertions_of_the_project_judge() {
        let files = Files::of(&[
            ("go.mod", "module a\n\nreplace github.com/stretchr/testify => ./forks/t\n"),
            ("forks/t/assert.go", "package assert\n"),
            ("check/check.go", "package check\n\nimport \"testing\"\n"),
            ("internal/testutil/deep/x.go", "package deep\n"),
            (
                "code.go",
                "package a\n\nimport \"fmt\"\n\nfunc F() {\n\tfmt.Print(\n\"testing\"\n)\n}\n",
            ),
        ]);
        let check = SideCheck { framework: crate::go::ID, folder: "", command: "go test ./..." };
        let sides = Sides::new(&files, &[check], &[]);
        let cases = [
            ("forks/t/assert.go", Side::Tests),
            ("check/check.go", Side::Tests),
            ("internal/testutil/new.go", Side::Tests),
            ("code.go", Side::Code),
            ("go.mod", Side::Mixed),
        ];
        for (path, wanted) in cases {
            assert_eq!(sides.side(path), wanted, "{path}: {}", sides.reason(path));
        }
    }
}
