//! What is said: the text of a message, from redgreen's own template or from somebody's.

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use redgreen_model::digest::sha256;
use redgreen_model::escalation::{EscalatedAttempt, EscalatedFailure, Escalation};
use redgreen_model::text::{bound_end, bound_middle};

/// The most characters of a comment at GitHub, with room for what surrounds the text.
pub(crate) const COMMENT_CHARS_MAX: usize = 60_000;
/// The same at GitLab.
pub(crate) const NOTE_CHARS_MAX: usize = 200_000;

/// redgreen's own words.
const TEMPLATE: &str = "\
## redgreen: a person has to look at this

**Task**: {{ task }}
**File**: {{ file_path }}
**Attempts**: {{ attempt_count }} / {{ max_attempts }}
{% if status == \"in_progress\" %}**Asks**: {{ detail }}{% else %}\
**Ended**: {{ status }}{% if reason %}, `{{ reason }}`{% endif %}{% if detail %}: {{ detail }}{% endif %}{% endif %}

### Failures

{{ failure_summary }}

### Analysis

{{ root_cause_analysis }}

### Attempted fixes

{{ fix_attempts }}

### Next

{{ follow_up }}
{% if reproduce %}
To see the same:
{% for command in reproduce %}
    {{ command }}
{% endfor %}{% endif %}
{% if report %}The whole report is in `{{ report }}` (`redgreen report {{ session }}`). {% endif %}\
Answer it there: `redgreen answer {{ session }}`. **Human review required.**
";

/// A message about one escalation.
pub struct Message {
    escalation: Escalation,
    markdown: String,
}

/// Whether somebody's template can be used, and if not, why.
pub fn check_template(template: &str) -> Result<(), String> {
    environment(template).map(drop)
}

fn environment(template: &str) -> Result<Environment<'_>, String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    environment
        .add_template("message", template)
        .map_err(|error| format!("the template is not understood: {error}"))?;
    Ok(environment)
}

impl Message {
    /// The message of an escalation; a template that fails gives way to redgreen's own.
    pub fn new(escalation: &Escalation, template: Option<&str>) -> Self {
        let own = || rendered(TEMPLATE, escalation).unwrap_or_else(|problem| problem);
        let markdown = match template.map(|template| rendered(template, escalation)) {
            Some(Ok(text)) => text,
            Some(Err(problem)) => format!("{problem}\n\n{}", own()),
            None => own(),
        };
        Self { escalation: escalation.clone(), markdown }
    }

    /// A line for a heading.
    pub(crate) fn subject(&self, max_chars: usize) -> String {
        let first = self.escalation.failures.first().map(|failure| format!(" ({})", failure.test));
        let text = format!("redgreen: {}{}", self.escalation.task, first.unwrap_or_default());
        bound_end(&text.split_whitespace().collect::<Vec<_>>().join(" "), max_chars)
    }

    /// The text, for where Markdown is shown as it is.
    pub fn plain(&self, max_chars: usize) -> String {
        bound_middle(self.markdown.trim_end(), max_chars)
    }

    /// The text as a comment that can be found again.
    pub(crate) fn comment(&self, max_chars: usize) -> String {
        format!("{}\n\n{}", bound_middle(self.markdown.trim_end(), max_chars), self.mark())
    }

    /// What the comment is found by; nobody sees it.
    pub(crate) fn mark(&self) -> String {
        format!("<!-- redgreen session {} -->", self.escalation.session)
    }

    /// What this message is called: the same however often it is tried, another one when the session ends anew.
    pub(crate) fn delivery(&self) -> String {
        format!("{}-{}", self.escalation.session, sha256(self.escalation.at.as_bytes(), 4))
    }

    /// The escalation as JSON.
    pub(crate) fn json(&self) -> Vec<u8> {
        serde_json::to_vec(&self.escalation).unwrap_or_default()
    }
}

fn rendered(template: &str, escalation: &Escalation) -> Result<String, String> {
    let environment = environment(template)?;
    let failed = |error| format!("the template cannot be filled in: {error}");
    let summary = context! {
        failure_summary => listed(&escalation.failures, failure_line, escalation.failures_left_out),
        root_cause_analysis => listed(&escalation.attempts, analysis_lines, 0),
        fix_attempts => listed(&escalation.attempts, fix_lines, 0),
        ..Value::from(Serde(escalation))
    };
    let template = environment.get_template("message").map_err(failed)?;
    template.render(summary).map_err(failed)
}

fn listed<T>(items: &[T], line: fn(&T) -> String, left_out: u64) -> String {
    let mut lines: Vec<String> = items.iter().map(line).filter(|it| !it.is_empty()).collect();
    if left_out > 0 {
        lines.push(format!("- and {left_out} more"));
    }
    if lines.is_empty() { "nothing is on record".to_owned() } else { lines.join("\n") }
}

/// Foreign text in a span of code: it mentions nobody and opens no link.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").split_whitespace().collect::<Vec<_>>().join(" "))
}

fn failure_line(failure: &EscalatedFailure) -> String {
    let place = failure.location.as_ref().map(|place| format!(" at {}", code(&place.to_string())));
    let said = code(&format!("{}: {}", failure.error_type, failure.message));
    format!("- {}{}: {said}", code(&failure.test), place.unwrap_or_default())
}

fn analysis_lines(attempt: &EscalatedAttempt) -> String {
    let Some(cause) = &attempt.root_cause else { return String::new() };
    let strategy = attempt.fix_strategy.as_deref().unwrap_or("no strategy");
    format!("- attempt {}: {}; to do: {}", attempt.attempt, code(cause), code(strategy))
}

fn fix_lines(attempt: &EscalatedAttempt) -> String {
    let files: Vec<String> = attempt.files.iter().map(|file| code(file)).collect();
    let files = if files.is_empty() { "no file".to_owned() } else { files.join(", ") };
    format!("- attempt {}: {} in {files}: {}", attempt.attempt, attempt.edit, attempt.outcome)
}
