//! What judging a change with the tests as they were costs, as a ratio to one run of the suite.

use std::path::Path;
use std::process::Command;

use super::measure::{compare, time};
use super::suites::{self, Suite};
use super::table::{Quantity, Row};
use super::{Setting, path_with_pytest};
use crate::Failure;
use crate::project::{PYTHON_ENVIRONMENT, tools_folder};

/// Only the code changed: the suite runs on the old and on the new tree, and no more.
pub fn code_changed(setting: &Setting) -> Result<Row, Failure> {
    let suite = Suite::of_a_module("square-code")?;
    suite.append("module.py", "\n\ndef more():\n    return 1\n")?;
    cost(setting, &suite, 2.5)
}

/// A test was added, too: two more runs, one of them of the new test alone.
pub fn tests_changed(setting: &Setting) -> Result<Row, Failure> {
    let suite = Suite::of_a_module("square-tests")?;
    suite.append("module.py", "\n\ndef more():\n    return 1\n")?;
    suite.append("tests/test_module_0.py", "\n\ndef test_new():\n    assert work(7) == 8\n")?;
    cost(setting, &suite, 4.0)
}

fn cost(setting: &Setting, suite: &Suite, target_ratio: f64) -> Result<Row, Failure> {
    let path = path_with_pytest()?;
    let timed = |program: &Path, args: &[&str]| {
        time(Command::new(program).args(args).env("PATH", &path).current_dir(suite.folder()))
    };
    let pytest = tools_folder().join(PYTHON_ENVIRONMENT).join("bin/pytest");
    let medians = compare(
        setting.runs,
        || timed(&setting.redgreen, &["square", "--base", "HEAD"]),
        || timed(&pytest, &[suites::PYTEST_ARGUMENT]),
    )?;
    Ok(Row {
        ours: Quantity::Time(medians.ours),
        against: "one bare pytest",
        theirs: Quantity::Time(medians.theirs),
        target_ratio,
    })
}
