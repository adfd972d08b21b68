//! What of a project judges for unittest.

use crate::python;
use crate::sides::{Rule, SideRequest};

/// The rules for a check that may run unittest. Django calls a file of tests `tests.py`.
pub(crate) fn rules(request: &SideRequest<'_>) -> Vec<Rule> {
    let mut rules = vec![
        Rule::tests("**/test*.py", "unittest: test*.py").guessed(),
        Rule::tests("**/*_{test,tests}.py", "unittest: *_test.py"),
    ];
    rules.extend(python::sides(request));
    rules
}
