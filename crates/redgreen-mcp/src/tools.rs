//! The tools, each with the command of redgreen that it is.

use serde_json::{Map, Value, json};

use crate::Words;

/// The most characters of one argument.
const TEXT_CHARS_MAX: usize = 8_000;
/// The most items of a list.
const ITEMS_MAX: usize = 200;

/// A tool.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for the agent.
    pub description: &'static str,
    /// What it may be given.
    pub fields: &'static [Field],
    /// The words of the command that it is.
    words: &'static [&'static str],
    /// Whether it leaves everything as it is.
    pub reads_only: bool,
    /// Whether it runs the project's tests: those of one client run one after the other.
    pub runs_tests: bool,
}

/// Something that a tool may be given.
pub struct Field {
    name: &'static str,
    description: &'static str,
    kind: Kind,
    /// The option that it becomes; none for a word of its own.
    option: Option<&'static str>,
    required: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Texts,
    /// From 0 to 1.
    Share,
}

const fn text(
    name: &'static str,
    option: Option<&'static str>,
    required: bool,
    description: &'static str,
) -> Field {
    Field { name, description, kind: Kind::Text, option, required }
}

const fn texts(
    name: &'static str,
    option: Option<&'static str>,
    description: &'static str,
) -> Field {
    Field { name, description, kind: Kind::Texts, option, required: false }
}

const SESSION: Field = text(
    "session",
    Some("--session"),
    false,
    "Your session, where several are held in one work tree: it is in the path of your feedback file",
);

/// All of them.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "brief",
        title: "What is known",
        description: "What earlier sessions teach about files before you touch them: recurring failures, their causes and what mended them. Ask before you begin.",
        fields: &[texts(
            "files",
            None,
            "The files that you are going to touch; without any, the whole project",
        )],
        words: &["memory", "brief", "--json"],
        reads_only: true,
        runs_tests: false,
    },
    Tool {
        name: "run_tests",
        title: "Run the tests",
        description: "Runs the project's checks once, as redgreen will judge them, and says what it saw: verdict, counts, failures. Use it instead of a shell command of your own.",
        fields: &[],
        words: &["test", "--trusted", "--json"],
        reads_only: false,
        runs_tests: true,
    },
    Tool {
        name: "failures",
        title: "The last failures",
        description: "The failures of the last run that redgreen made here, whole: message, expected and actual, stack, place. Runs nothing.",
        fields: &[text("test", None, false, "Only tests with this in their id")],
        words: &["failures", "--json"],
        reads_only: true,
        runs_tests: false,
    },
    Tool {
        name: "coverage",
        title: "Coverage of the change",
        description: "Which changed lines no test runs. Runs the checks.",
        fields: &[],
        words: &["coverage", "--trusted", "--json"],
        reads_only: false,
        runs_tests: true,
    },
    Tool {
        name: "analyse",
        title: "Hand in your analysis",
        description: "Say why it is red, before your next edit. It is refused if it names no place in the tree, or says no more than the error does.",
        fields: &[
            text("cause", Some("--cause"), true, "Why it fails"),
            text("fix", Some("--fix"), true, "What you will change"),
            text("place", Some("--place"), false, "The place to mend, as FILE:LINE"),
            texts(
                "tests",
                Some("--tests"),
                "The failing tests that it is about; without any, all of them",
            ),
            Field {
                name: "confidence",
                description: "How sure you are, from 0 to 1",
                kind: Kind::Share,
                option: Some("--confidence"),
                required: false,
            },
            SESSION,
        ],
        words: &["analyse"],
        reads_only: false,
        runs_tests: false,
    },
    Tool {
        name: "declare",
        title: "Declare a changed expectation",
        description: "Own an expectation of a test that the task asks you to change. It is listed by name for people, and ends with the next edit of the test.",
        fields: &[
            texts("tests", None, "The tests, by their ids; a `*` stands for anything"),
            texts("files", Some("--file"), "Every changed expectation in these files"),
            text(
                "untested",
                Some("--untested"),
                false,
                "Changed code that needs no test, as redgreen named it: src/cart.py:12-14",
            ),
            text("reason", Some("--reason"), true, "Why the expectation changed"),
        ],
        words: &["declare"],
        reads_only: false,
        runs_tests: false,
    },
    Tool {
        name: "gate_status",
        title: "May I end?",
        description: "Whether the tree as it is was seen to pass, so that the gate lets you end at once. Runs nothing.",
        fields: &[],
        words: &["gate", "--no-execute", "--json"],
        reads_only: true,
        runs_tests: false,
    },
    Tool {
        name: "give_up",
        title: "Say that you are stuck",
        description: "Ends the loop and hands it to a person. That is an honest way to end.",
        fields: &[text("reason", None, true, "Why"), SESSION],
        words: &["give-up"],
        reads_only: false,
        runs_tests: false,
    },
];

impl Tool {
    /// As clients are told of it.
    pub(crate) fn listed(&self) -> Value {
        let property = |field: &Field| {
            let mut schema = match field.kind {
                Kind::Text => json!({"type": "string"}),
                Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
                Kind::Share => json!({"type": "number", "minimum": 0, "maximum": 1}),
            };
            schema["description"] = json!(field.description);
            (field.name.to_owned(), schema)
        };
        let required: Vec<&str> =
            self.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
        let properties: Map<String, Value> = self.fields.iter().map(property).collect();
        let mut schema =
            json!({"type": "object", "properties": properties, "additionalProperties": false});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema,
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.reads_only,
                "destructiveHint": false,
                "openWorldHint": false,
            },
        })
    }
}

/// The tool of a name, and the words of its command with what it is given; what is wrong with that, in words.
pub fn tool_command(
    name: &str,
    given: &Map<String, Value>,
) -> Option<(&'static Tool, Result<Words, String>)> {
    let tool = TOOLS.iter().find(|tool| tool.name == name)?;
    Some((tool, words(tool, given)))
}

fn words(tool: &Tool, given: &Map<String, Value>) -> Result<Words, String> {
    if let Some(unknown) = given.keys().find(|name| !tool.fields.iter().any(|it| it.name == **name))
    {
        let unknown: String = unknown.chars().take(60).collect();
        return Err(format!("{} takes no `{unknown}`", tool.name));
    }
    let mut words: Words = tool.words.iter().map(|word| (*word).to_owned()).collect();
    let mut own = Vec::new();
    for field in tool.fields {
        let values = match given.get(field.name) {
            None | Some(Value::Null) => Vec::new(),
            Some(value) => values(field, value)?,
        };
        if values.is_empty() && field.required {
            return Err(format!("{} wants `{}`: {}", tool.name, field.name, field.description));
        }
        match field.option {
            // In one word, so that it is a value whatever it begins with.
            Some(option) => words.extend(values.iter().map(|value| format!("{option}={value}"))),
            None => own.extend(values),
        }
    }
    if !own.is_empty() {
        words.push("--".to_owned());
        words.extend(own);
    }
    Ok(words)
}

fn values(field: &Field, value: &Value) -> Result<Vec<String>, String> {
    let one = |value: &Value| match value {
        Value::String(text) if text.contains('\0') => {
            Err(format!("`{}` must not have a zero byte in it", field.name))
        }
        Value::String(text) if text.chars().nth(TEXT_CHARS_MAX).is_some() => {
            Err(format!("`{}` is longer than {TEXT_CHARS_MAX} characters", field.name))
        }
        Value::String(text) => Ok(text.clone()),
        _ => Err(format!("`{}` has to be a text", field.name)),
    };
    match (field.kind, value) {
        (Kind::Text, value) => Ok(vec![one(value)?]),
        (Kind::Share, Value::Number(number)) => Ok(vec![number.to_string()]),
        (Kind::Share, _) => Err(format!("`{}` has to be a number", field.name)),
        (Kind::Texts, Value::Array(items)) if items.len() > ITEMS_MAX => {
            Err(format!("`{}` has more than {ITEMS_MAX} items", field.name))
        }
        (Kind::Texts, Value::Array(items)) => items.iter().map(one).collect(),
        (Kind::Texts, value) => Ok(vec![one(value)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, given: Value) -> Result<Words, String> {
        let given = given.as_object().cloned().expect("an object");
        tool_command(name, &given).expect("a tool").1
    }

    #[test]
    fn what_is_given_never_becomes_an_option() {
        let words = of(
            "declare",
            json!({"tests": ["--base", "t::a"], "files": ["--base=x"], "reason": "--help"}),
        );
        let expected = ["declare", "--file=--base=x", "--reason=--help", "--", "--base", "t::a"];
        assert_eq!(words.expect("words"), expected);
        assert_eq!(of("give_up", json!({"reason": "-h"})).expect("words"), ["give-up", "--", "-h"]);
    }

    #[test]
    fn what_does_not_fit_is_said_in_words() {
        for (name, given, words) in [
            ("give_up", json!({}), "wants `reason`"),
            ("run_tests", json!({"command": "rm -rf /"}), "takes no `command`"),
            ("coverage", json!({"base": "HEAD~1"}), "takes no `base`"),
            ("analyse", json!({"cause": 1, "fix": "x"}), "`cause` has to be a text"),
            ("analyse", json!({"cause": "a", "fix": "b", "confidence": "c"}), "has to be a number"),
            ("brief", json!({"files": ["a\0b"]}), "zero byte"),
            ("brief", json!({"files": vec!["a"; 1000]}), "more than 200"),
            ("give_up", json!({"reason": "x".repeat(9000)}), "longer than"),
        ] {
            let problem = of(name, given).expect_err("refused");
            assert!(problem.contains(words), "{problem}");
        }
        assert!(tool_command("answer", &Map::new()).is_none());
    }

    #[test]
    fn no_tool_answers_for_a_person_or_takes_any_command() {
        for tool in TOOLS {
            for word in
                ["answer", "inbox", "waive", "trust", "base", "known", "hooks", "skip", "run"]
            {
                assert!(!tool.words.contains(&word), "{}: {word}", tool.name);
            }
            let tests = tool.words.contains(&"test") || tool.words.contains(&"coverage");
            assert_eq!(tests, tool.words.contains(&"--trusted"), "{}", tool.name);
            assert_eq!(tests, tool.runs_tests, "{}", tool.name);
        }
    }
}
