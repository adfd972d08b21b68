//! What of a project judges for pytest.

use crate::adapter::ProjectFiles;
use crate::python;
use crate::sides::{Rule, SideCheck};

/// The rules for a check that runs pytest.
pub(super) fn rules(_check: &SideCheck<'_>, baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let mut rules = vec![
        Rule::tests("**/conftest.py", "pytest: conftest.py"),
        Rule::tests(
            "**/{pytest.ini,.pytest.ini,pytest.toml,.pytest.toml}",
            "pytest: its configuration",
        ),
    ];
    rules.extend(python::sides(baseline));
    rules
}
