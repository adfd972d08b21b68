//! `[[checks]]`: one command that has to be green.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::framework::FrameworkId;
use crate::workflow::words::{wire_enum, yes};

/// How long a check may take, unless said otherwise.
pub const DEFAULT_CHECK_TIMEOUT_SECONDS: u64 = 120;

/// `[[checks]]`: one command that has to be green.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckSettings {
    /// What the check is called; the name of its framework, if it has no name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[a-z0-9_-]+$"))]
    pub name: Option<String>,
    /// The shell command.
    #[schemars(length(min = 1))]
    pub command: String,
    /// The test framework; recognised by the command, if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<FrameworkId>,
    /// The folder the command runs in, inside the work tree.
    #[serde(default = "work_tree", skip_serializing_if = "is_work_tree")]
    #[schemars(length(min = 1))]
    pub folder: String,
    /// How long the command may take, in seconds.
    #[serde(default = "timeout_seconds")]
    #[schemars(range(min = 5, max = 86_400))]
    pub timeout_seconds: u64,
    /// What makes the check green.
    #[serde(default)]
    pub judge_by: JudgeBy,
    /// Whether the loop needs it to be green.
    #[serde(default = "yes")]
    pub required: bool,
    /// Globs of the files it depends on; none means every file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watch: Vec<String>,
    /// Globs of the report files that the command writes, from its folder: JUnit XML, CTRF or TAP.
    /// Only files that the run itself wrote count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// What it looks for, where that is not whether the code works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CheckKind>,
    /// A command that mends by itself what the check finds, such as `ruff check --fix .`: in the loop it runs in the
    /// work tree where the check is red after an edit, before anybody is asked for a fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub mend: Option<String>,
    /// Environment variables for the command.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
}

fn work_tree() -> String {
    ".".to_owned()
}

fn is_work_tree(folder: &str) -> bool {
    folder == "."
}

fn timeout_seconds() -> u64 {
    DEFAULT_CHECK_TIMEOUT_SECONDS
}

impl CheckSettings {
    /// A check with the defaults for everything but its command.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            name: None,
            command: command.into(),
            framework: None,
            folder: work_tree(),
            timeout_seconds: DEFAULT_CHECK_TIMEOUT_SECONDS,
            judge_by: JudgeBy::Tests,
            required: true,
            watch: Vec::new(),
            reports: Vec::new(),
            kind: None,
            mend: None,
            environment: BTreeMap::new(),
        }
    }

    /// The name, as far as the settings tell it: the given one, or that of the given framework.
    pub fn configured_name(&self) -> Option<&str> {
        self.name.as_deref().or(self.framework.as_ref().map(FrameworkId::as_str))
    }
}

wire_enum! {
    /// What a check looks for, where that is not whether the code works.
    pub enum CheckKind: "kind of check" {
        /// What is not secure: red, it is a `security_issue_found` of the escalation policy.
        Security = "security",
    }
}

wire_enum! {
    /// What makes a check green.
    #[derive(Default)]
    pub enum JudgeBy: "way to judge a check" {
        /// Its tests: at least one ran, none failed, and the exit code agrees.
        #[default]
        Tests = "tests",
        /// Its exit code alone, as for a linter or a type check.
        ExitCode = "exit_code",
    }
}

/// A check whose framework and name are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name: unique in a configuration.
    pub name: String,
    /// Its framework.
    pub framework: FrameworkId,
    /// Everything else.
    pub settings: CheckSettings,
}

/// Two checks with one name, which came to light only when their frameworks were recognised.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two checks are called `{name}`: give each a `name` of its own")]
pub struct DuplicateCheckName {
    /// The name.
    pub name: String,
}

impl Config {
    /// The checks with their frameworks and names. `recognise` tells the framework of a check that
    /// names none.
    pub fn resolve_checks(
        &self,
        recognise: impl Fn(&CheckSettings) -> FrameworkId,
    ) -> Result<Vec<Check>, DuplicateCheckName> {
        let mut names = BTreeSet::new();
        self.checks
            .iter()
            .map(|settings| {
                let framework = settings.framework.unwrap_or_else(|| recognise(settings));
                let name = settings.name.clone().unwrap_or_else(|| framework.to_string());
                if !names.insert(name.clone()) {
                    return Err(DuplicateCheckName { name });
                }
                Ok(Check { name, framework, settings: settings.clone() })
            })
            .collect()
    }
}
