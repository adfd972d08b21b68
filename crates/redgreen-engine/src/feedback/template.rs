//! A template of the user's own for the report, in place of the order and the words around its parts.

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, context};

use super::Feedback;

/// The name under which a template is known to its engine.
const NAME: &str = "feedback";

/// The parts of a report, each with its heading, or empty.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// What is asked for, and how it stands.
    pub(super) head: String,
    /// Where and why.
    pub(super) analysis: String,
    /// What the verdict is based on.
    pub(super) reasons: String,
    /// The code there.
    pub(super) code: String,
    /// Every failing test.
    pub(super) failures: String,
    /// What was tried.
    pub(super) tried: String,
    /// What else is to be done.
    pub(super) more: String,
    /// What the debug memory says.
    pub(super) memory: String,
    /// How it is judged, and what not to do.
    pub(super) rules: String,
}

impl Parts {
    /// All of them, in redgreen's own order.
    pub(super) fn in_order(&self) -> String {
        let Self { head, analysis, reasons, code, failures, tried, more, memory, rules } = self;
        format!("{head}{reasons}{analysis}{code}{failures}{tried}{more}{memory}{rules}")
    }
}

fn environment(template: &str) -> Result<Environment<'_>, String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_template(NAME, template).map_err(|error| error.to_string())?;
    Ok(environment)
}

/// Puts the parts into a template; in words what is wrong with it.
pub(super) fn rendered(
    template: &str,
    parts: &Parts,
    feedback: &Feedback,
) -> Result<String, String> {
    let environment = environment(template)?;
    let Parts { head, analysis, reasons, code, failures, tried, more, memory, rules } = parts;
    let feedback = Serde(feedback);
    let values = context! {
        head, analysis, reasons, code, failures, tried, more, memory, rules, feedback
    };
    let template = environment.get_template(NAME).map_err(|error| error.to_string())?;
    template.render(values).map_err(|error| error.to_string())
}

/// What is wrong with a template, if something is.
pub fn check(template: &str) -> Result<(), String> {
    rendered(template, &Parts::default(), &Feedback::default()).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_orders_the_parts_and_has_the_data() {
        let parts =
            Parts { head: "HEAD ".to_owned(), rules: "RULES".to_owned(), ..Parts::default() };
        let feedback = Feedback { attempt: 2, ..Feedback::default() };
        let text = rendered("{{rules}}<{{ head }}{{ feedback.attempt }}>", &parts, &feedback);
        assert_eq!(text.as_deref(), Ok("RULES<HEAD 2>"));
    }

    #[test]
    fn what_is_wrong_is_known_before() {
        assert_eq!(
            check("{{failures}} {% for it in feedback.tried %}{{it.diff}}{% endfor %}"),
            Ok(())
        );
        assert!(check("{{failurs}}").is_err());
        assert!(check("{% if %}").is_err());
    }
}
