//! What of a Go project judges.

use crate::sides::{Rule, SideRequest};

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

/// The rules for a check that runs go.
pub(super) fn rules(_request: &SideRequest<'_>) -> Vec<Rule> {
    let mut rules = vec![
        Rule::tests("**/*_test.go", "go: _test.go"),
        Rule::tests("**/testdata/**", "go: testdata"),
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
    rules
}
