//! `redgreen validate`

use std::io::Read as _;
use std::path::Path;

use clap::Args;
use redgreen_model::config::Config;
use redgreen_model::document::{self, DocumentKind, Problem, Syntax};
use redgreen_model::workflow::{Effect, read_input};
use serde_json::json;

use crate::display;
use crate::failure::{Ending, Failure};

/// Check a workflow document or a redgreen.toml against its schema
#[derive(Args)]
pub struct Arguments {
    /// The file, YAML, JSON or TOML; `-` for standard input
    file: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let text = read(&arguments.file)?;
    let syntax =
        match Path::new(&arguments.file).extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Some(Syntax::Toml),
            Some("json") => Some(Syntax::Json),
            Some("yaml" | "yml") => Some(Syntax::Yaml),
            _ => None,
        };
    let mut validation = document::validate(&text, syntax);
    if validation.is_valid()
        && validation.kind == DocumentKind::Configuration
        && let Err(errors) = Config::parse_knowing(&text, &redgreen_frameworks::frameworks())
    {
        validation.errors = errors.into_iter().map(Problem::from).collect();
    }
    let problems = |problems: &[Problem]| -> Vec<serde_json::Value> {
        problems
            .iter()
            .map(|problem| json!({"path": problem.path, "message": problem.message}))
            .collect()
    };
    let fields = match validation.kind {
        DocumentKind::Workflow => read_input(&text, syntax).map(|it| it.fields).unwrap_or_default(),
        _ => Vec::new(),
    };
    if arguments.json {
        display::json_line(&json!({
            "fields": fields.iter().map(|field| json!({"field": field.field, "effect": field.effect.as_str(), "how": field.how})).collect::<Vec<_>>(),
            "result": "validate",
            "file": arguments.file,
            "kind": validation.kind.as_str(),
            "valid": validation.is_valid(),
            "errors": problems(&validation.errors),
            "warnings": problems(&validation.warnings),
        }));
    } else {
        let mut lines: Vec<String> =
            validation.errors.iter().map(|problem| format!("error: {problem}")).collect();
        lines.extend(validation.warnings.iter().map(|problem| format!("warning: {problem}")));
        let told = fields.iter().filter(|field| field.effect != Effect::Acts);
        lines.extend(told.map(|field| {
            format!("run --workflow: {} {}: {}", field.field, field.effect.as_str(), field.how)
        }));
        let word = if validation.is_valid() { "valid" } else { "not valid" };
        lines.push(format!("{}: {word} ({})", arguments.file, validation.kind.as_str()));
        display::result(&lines.join("\n"));
    }
    Ok(if validation.is_valid() { Ending::Green } else { Ending::Red })
}

/// The text of a document.
pub fn read(file: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let limit = document::MAX_DOCUMENT_BYTES as u64 + 1;
    let read = if file == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::usage(format!("cannot read {file}: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Failure::usage(format!("{file} is not UTF-8 text")))
}
