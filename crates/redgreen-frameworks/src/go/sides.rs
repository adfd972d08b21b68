//! What of a Go project judges.

use std::sync::Arc;

use crate::sides::splice::{Body, Group, Judges, spliced};
use crate::sides::{Mixture, Rule, SideRequest};

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
    rules.push(Rule::mixed("**/go.mod", &manifest(), "go.mod: what stands in for a library"));
    for library in LIBRARIES {
        let reason = format!("go: {library} judges");
        rules.push(Rule::tests(format!("**/vendor/{library}/**"), reason).everywhere());
    }
    rules
}

/// A manifest of which only what stands in for a library that judges is the tests' side: what else it
/// names is the code's.
fn manifest() -> Arc<Mixture> {
    Mixture::new(&["replace of libraries that judge"], |code, tests| {
        let tests = tests.filter(|_| code.is_some());
        spliced(|text| Ok(lines(text)), code, tests)
    })
}

fn lines(text: &str) -> Group {
    let piece = |line: &str| {
        let judges = line.split_once("=>").is_some_and(|(replaced, _)| {
            LIBRARIES.iter().any(|library| replaced.contains(library))
        });
        let judges = if judges { Judges::Yes } else { Judges::No };
        let said = line.split_whitespace().collect::<Vec<_>>().join(" ");
        (said.clone(), Body::whole(judges, line.to_owned(), || said))
    };
    Group::new(text.split_inclusive('\n').map(piece).collect(), "\n")
}
