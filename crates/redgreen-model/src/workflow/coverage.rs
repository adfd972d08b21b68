//! How much of a change its tests have to cover, by the kind of change.
//!
//! The format treats the four kinds differently (ranges, defaults, what a list may hold), so each
//! has a type of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CodeType;

/// How much of a change its tests have to cover, by the kind of change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageRequirements {
    /// For a function or module that was not there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_function: Option<NewFunctionCoverage>,
    /// For the repair of a bug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bug_fix: Option<BugFixCoverage>,
    /// For the same behaviour in another form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refactor: Option<RefactorCoverage>,
    /// For an endpoint that was not there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_endpoint: Option<ApiEndpointCoverage>,
}

impl Default for CoverageRequirements {
    /// Every kind, with the defaults of the format.
    fn default() -> Self {
        Self {
            new_function: Some(NewFunctionCoverage::default()),
            bug_fix: Some(BugFixCoverage::default()),
            refactor: Some(RefactorCoverage::default()),
            api_endpoint: Some(ApiEndpointCoverage::default()),
        }
    }
}

impl CoverageRequirements {
    /// The least coverage in per cent for a kind of change; `None` where it is "no less than
    /// before". A kind that is not mentioned has its default, and an integration is treated as a
    /// new function, since the format has no entry for it.
    pub fn minimum_percent(&self, code_type: CodeType) -> Option<f64> {
        let percent = match code_type {
            CodeType::NewFunction | CodeType::Integration => self
                .new_function
                .as_ref()
                .map_or(DEFAULT_NEW_FUNCTION_PERCENT, |coverage| coverage.minimum_coverage),
            CodeType::BugFix => self
                .bug_fix
                .as_ref()
                .map_or(DEFAULT_BUG_FIX_PERCENT, |coverage| coverage.minimum_coverage),
            CodeType::Refactor => {
                self.refactor.as_ref().map_or(SAME_AS_BEFORE, |coverage| coverage.minimum_coverage)
            }
            CodeType::ApiEndpoint => self
                .api_endpoint
                .as_ref()
                .map_or(DEFAULT_API_ENDPOINT_PERCENT, |coverage| coverage.minimum_coverage),
        };
        (percent >= 0.0).then_some(percent)
    }
}

const DEFAULT_NEW_FUNCTION_PERCENT: f64 = 80.0;
const DEFAULT_BUG_FIX_PERCENT: f64 = 100.0;
const DEFAULT_API_ENDPOINT_PERCENT: f64 = 90.0;
/// How the format writes "no less than before".
const SAME_AS_BEFORE: f64 = -1.0;

/// What a new function needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewFunctionCoverage {
    /// The least coverage, in per cent.
    #[serde(default = "new_function_percent")]
    #[schemars(range(min = 0, max = 100))]
    pub minimum_coverage: f64,
    /// The tests it has to have.
    #[serde(default = "new_function_tests")]
    pub required_tests: Vec<String>,
}

/// What the repair of a bug needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BugFixCoverage {
    /// The least coverage of the repair, in per cent.
    #[serde(default = "bug_fix_percent")]
    pub minimum_coverage: f64,
    /// The tests it has to have: names as a rule, but the format allows anything.
    #[serde(default = "bug_fix_tests")]
    pub required_tests: Vec<Value>,
}

/// What the same behaviour in another form needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefactorCoverage {
    /// The least coverage in per cent; -1 means no less than before.
    #[serde(default = "refactor_percent")]
    pub minimum_coverage: f64,
    /// The tests it has to have: names as a rule, but the format allows anything.
    #[serde(default = "refactor_tests")]
    pub required_tests: Vec<Value>,
}

/// What a new endpoint needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApiEndpointCoverage {
    /// The least coverage, in per cent.
    #[serde(default = "api_endpoint_percent")]
    pub minimum_coverage: f64,
    /// The tests it has to have: names as a rule, but the format allows anything.
    #[serde(default = "api_endpoint_tests")]
    pub required_tests: Vec<Value>,
}

impl Default for NewFunctionCoverage {
    fn default() -> Self {
        Self { minimum_coverage: new_function_percent(), required_tests: new_function_tests() }
    }
}

impl Default for BugFixCoverage {
    fn default() -> Self {
        Self { minimum_coverage: bug_fix_percent(), required_tests: bug_fix_tests() }
    }
}

impl Default for RefactorCoverage {
    fn default() -> Self {
        Self { minimum_coverage: refactor_percent(), required_tests: refactor_tests() }
    }
}

impl Default for ApiEndpointCoverage {
    fn default() -> Self {
        Self { minimum_coverage: api_endpoint_percent(), required_tests: api_endpoint_tests() }
    }
}

fn new_function_percent() -> f64 {
    DEFAULT_NEW_FUNCTION_PERCENT
}

fn new_function_tests() -> Vec<String> {
    ["happy_path", "edge_cases", "error_handling"].map(str::to_owned).into()
}

fn bug_fix_percent() -> f64 {
    DEFAULT_BUG_FIX_PERCENT
}

fn bug_fix_tests() -> Vec<Value> {
    ["regression_test", "original_bug_reproduction"].map(Value::from).into()
}

fn refactor_percent() -> f64 {
    SAME_AS_BEFORE
}

fn refactor_tests() -> Vec<Value> {
    vec![Value::from("existing_tests_pass")]
}

fn api_endpoint_percent() -> f64 {
    DEFAULT_API_ENDPOINT_PERCENT
}

fn api_endpoint_tests() -> Vec<Value> {
    ["happy_path", "error_cases", "integration_test", "validation_test"].map(Value::from).into()
}
