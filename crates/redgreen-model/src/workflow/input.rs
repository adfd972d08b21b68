//! The workflow document as input: what each of its fields does to a run. None is silently without effect.

use serde_json::{Map, Value, json};

use super::{AgentType, CodeType, Workflow};
use crate::document::{Problem, Syntax, check_workflow, read_value};

/// What a field does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is followed.
    Acts,
    /// It says what was seen of an earlier run: redgreen sees for itself, and writes it anew.
    Seen,
    /// It cannot be followed: the document is not run with it.
    Refused,
}

impl Effect {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Acts => "acts",
            Self::Seen => "not taken over",
            Self::Refused => "refused",
        }
    }
}

/// A field of a document, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldEffect {
    /// Its place, such as `retry_policy.max_attempts`.
    pub field: String,
    /// What it does.
    pub effect: Effect,
    /// How, or why not.
    pub how: String,
}

/// A document that is to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkflowInput {
    /// The document; what is missing has the defaults of the format.
    pub workflow: Workflow,
    /// Whether it names an agent.
    pub names_agent: bool,
    /// What each of its fields does.
    pub fields: Vec<FieldEffect>,
}

/// The sections of a document, and the fields that may be written without their section's indentation.
const SECTIONS: [(&str, &[&str]); 3] = [
    ("code_artifact", &["path", "language", "code_type", "test_files", "requirements_ref"]),
    (
        "execution_config",
        &["test_framework", "test_command", "timeout_seconds", "environment", "working_directory"],
    ),
    ("retry_policy", &["max_attempts", "backoff", "escalation_on_max", "abort_on_regression"]),
];

/// Reads a document that is to be run. What only describes a run that has been may be missing.
pub fn read_input(text: &str, hint: Option<Syntax>) -> Result<WorkflowInput, Vec<Problem>> {
    let value = read_value(text, hint).map_err(|problem| vec![problem])?;
    let Value::Object(document) = value else {
        let message =
            "expected a workflow document: a mapping with code_artifact and execution_config";
        return Err(vec![problem("", message)]);
    };
    let document = in_sections(document);
    let mut leaves = Vec::new();
    collect("", &Value::Object(document.clone()), &mut leaves);
    let names_agent = document.contains_key("agent");
    let workflow = check_workflow(completed(document))?;
    let fields = leaves.into_iter().map(|(field, value)| effect_of(&field, value)).collect();
    Ok(WorkflowInput { workflow, names_agent, fields })
}

fn problem(path: &str, message: &str) -> Problem {
    Problem { path: path.to_owned(), message: message.to_owned(), position: None }
}

/// Has each field in its section: the guide's short form has the tests beside the code, and may have lost its indentation.
fn in_sections(mut document: Map<String, Value>) -> Map<String, Value> {
    for (section, fields) in SECTIONS {
        let is_empty = document.get(section).is_some_and(Value::is_null);
        let mut moved = Map::new();
        for field in fields {
            if (is_empty || *field == "test_files")
                && let Some(value) = document.remove(*field)
            {
                moved.insert((*field).to_owned(), value);
            }
        }
        match document.get_mut(section) {
            Some(Value::Object(there)) => {
                moved.into_iter().for_each(|(name, value)| {
                    there.entry(name).or_insert(value);
                });
            }
            _ if moved.is_empty() => {}
            _ => {
                document.insert(section.to_owned(), Value::Object(moved));
            }
        }
    }
    document
}

/// The document with what only a run that has been can say.
fn completed(mut document: Map<String, Value>) -> Value {
    for (name, value) in [
        ("workflow_id", json!("unnamed")),
        ("agent", json!({"name": "agent", "type": "software_implementer"})),
        (
            "loop_state",
            json!({"phase": "generate_code", "attempt_number": 1, "status": "in_progress"}),
        ),
    ] {
        document.entry(name).or_insert(value);
    }
    Value::Object(document)
}

/// The fields that are there: names below names, lists as a whole.
fn collect(path: &str, value: &Value, leaves: &mut Vec<(String, Value)>) {
    let is_deeper = !matches!(path, "loop_state" | "timestamps" | "execution_config.environment");
    match value {
        Value::Object(fields) if is_deeper => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect(&path, value, leaves);
            }
        }
        value => leaves.push((path.to_owned(), value.clone())),
    }
}

/// What a field does, by its name and value.
fn effect_of(field: &str, value: Value) -> FieldEffect {
    let refused = |how: &str| (Effect::Refused, how.to_owned());
    let acts = |how: &str| (Effect::Acts, how.to_owned());
    let seen = |how: &str| (Effect::Seen, how.to_owned());
    let (effect, how) = match field {
        "workflow_id" => acts("shown with the session, which has an id of its own"),
        "agent.name" => {
            acts("the agent of [agents.NAME] in redgreen.toml, or one that redgreen knows")
        }
        "agent.type" if value == AgentType::CodeReviewer.as_str() => {
            refused("a reviewer writes no code: a loop needs somebody who does")
        }
        "agent.type" => acts("what the agent is asked for"),
        "agent.version" => refused("redgreen cannot choose an agent's version: leave it out"),
        "code_artifact.path"
        | "code_artifact.language"
        | "code_artifact.test_files"
        | "code_artifact.requirements_ref" => acts("part of the task"),
        "code_artifact.code_type" => acts("the kind of change"),
        "code_artifact.content_hash" => acts("the file must have this SHA-256 when the run begins"),
        "execution_config.test_framework"
        | "execution_config.test_command"
        | "execution_config.timeout_seconds"
        | "execution_config.environment"
        | "execution_config.working_directory" => acts("the check"),
        "execution_config.fail_fast" if value == true => {
            refused("redgreen compares test by test, so all of them run: leave it out")
        }
        "execution_config.verbose" if value == false => {
            refused("redgreen keeps all of the output: leave it out")
        }
        "execution_config.fail_fast" | "execution_config.verbose" => acts("as redgreen does it"),
        "retry_policy.max_attempts"
        | "retry_policy.backoff"
        | "retry_policy.escalation_on_max"
        | "retry_policy.abort_on_regression" => acts("as under [loop]"),
        "coverage_requirements.refactor.minimum_coverage" if value.as_f64() != Some(-1.0) => {
            refused("a refactoring is held to what was covered before: write -1, or leave it out")
        }
        field if field.starts_with("coverage_requirements.") => match field.rsplit('.').next() {
            Some("minimum_coverage") => acts("as under [coverage]"),
            Some("required_tests") => acts("part of the task"),
            _ => refused("redgreen does not know it: leave it out"),
        },
        "escalation_policy.triggers" => acts("as [[loop.escalation]]"),
        "escalation_policy.notification.channel" | "escalation_policy.notification.template" => {
            acts("with what [[notify]] says of the channel")
        }
        "loop_state" | "timestamps" => seen("redgreen begins at the beginning, and writes its own"),
        "debug_memory_ref" => {
            seen("redgreen writes a record of its own, and reads all that there are")
        }
        "ralph_integration.loop_id" | "ralph_integration.iteration" => {
            acts("in the run's own document")
        }
        "ralph_integration.execution_gate.require_passing_tests"
        | "ralph_integration.debug_memory.persist_per_iteration"
        | "ralph_integration.debug_memory.cross_iteration_learning"
            if value == true =>
        {
            acts("always so")
        }
        "ralph_integration.execution_gate.allow_skip" if value == false => acts("always so"),
        "ralph_integration.progress_metric.include_test_pass_rate"
        | "ralph_integration.progress_metric.weight" => acts("in the run's own document"),
        field if field.starts_with("ralph_integration.") => refused(
            "a run without tests that pass, or without memory, is not redgreen's: leave it out",
        ),
        _ => refused("redgreen does not know it: leave it out"),
    };
    FieldEffect { field: field.to_owned(), effect, how }
}

impl WorkflowInput {
    /// What the agent is to do, as the document says it.
    pub fn task(&self) -> String {
        let artifact = &self.workflow.code_artifact;
        let path = &artifact.path;
        let mut lines = vec![match (self.workflow.agent.kind, artifact.code_type) {
            (AgentType::TestEngineer, _) => format!("Write the tests of {path}."),
            (_, Some(CodeType::NewFunction)) => {
                format!("Write what is new in {path}, a function or a module.")
            }
            (_, Some(CodeType::BugFix)) => format!("Fix the bug in {path}."),
            (_, Some(CodeType::Refactor)) => {
                format!("Restructure {path}, and leave what it does as it is.")
            }
            (_, Some(CodeType::ApiEndpoint)) => format!("Write the endpoint in {path}."),
            (_, Some(CodeType::Integration)) => {
                format!("Write the connection to the other system in {path}.")
            }
            (_, None) => format!("Make the tests of {path} pass."),
        }];
        lines.push(format!("The language is {}.", artifact.language));
        if !artifact.test_files.is_empty() {
            lines.push(format!("Its tests are in {}.", artifact.test_files.join(", ")));
        }
        let required = self.required_tests();
        if !required.is_empty() {
            lines.push(format!("It needs tests for: {}.", required.join(", ").replace('_', " ")));
        }
        if !artifact.requirements_ref.is_empty() {
            lines.push(format!("The requirements: {}.", artifact.requirements_ref.join(", ")));
        }
        lines.join("\n")
    }

    /// The tests that the document asks for, for this kind of change.
    fn required_tests(&self) -> Vec<String> {
        let Some(required) = &self.workflow.coverage_requirements else { return Vec::new() };
        let words = |values: &[Value]| -> Vec<String> {
            values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
        };
        match self.workflow.code_artifact.code_type {
            Some(CodeType::NewFunction | CodeType::Integration) => {
                required.new_function.as_ref().map(|it| it.required_tests.clone())
            }
            Some(CodeType::BugFix) => required.bug_fix.as_ref().map(|it| words(&it.required_tests)),
            Some(CodeType::Refactor) => {
                required.refactor.as_ref().map(|it| words(&it.required_tests))
            }
            Some(CodeType::ApiEndpoint) => {
                required.api_endpoint.as_ref().map(|it| words(&it.required_tests))
            }
            None => None,
        }
        .unwrap_or_default()
    }

    /// The fields with which it is not run.
    pub fn refused(&self) -> impl Iterator<Item = &FieldEffect> {
        self.fields.iter().filter(|field| field.effect == Effect::Refused)
    }
}

#[cfg(test)]
mod tests;
