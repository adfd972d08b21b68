//! Checking documents against the schemas of this crate.
//!
//! It knows the keywords that these schemas use and no others: a test reads every schema for one
//! that is not known here. A library for any schema at all took as long to build as a fifth of
//! redgreen.

use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

use super::complaint::{
    no_match, out_of_format, out_of_range, too_short, unknown_word, wrong_type,
};
use super::path::Step;
use super::{Complaint, Fault, MAX_PROBLEMS};

/// The formats that can be told; each is only ever a warning.
const FORMATS: [(&str, &str); 2] = [
    ("uuid", "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"),
    (
        "date-time",
        "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:\
         ([0-5][0-9]|60)([.][0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$",
    ),
];

/// A schema, ready to check documents.
pub(crate) struct Rules {
    schema: Value,
    /// The regular expressions of its patterns, and of the formats by their names.
    patterns: HashMap<String, Regex>,
}

impl Rules {
    pub(crate) fn new(schema: Value) -> Self {
        let mut patterns = HashMap::new();
        for (format, pattern) in FORMATS {
            patterns.extend(Regex::new(pattern).map(|regex| (format.to_owned(), regex)));
        }
        collect_patterns(&schema, &mut patterns);
        Self { schema, patterns }
    }

    /// Everything the schema has against a document, in the order of the document.
    pub(crate) fn check(&self, document: &Value) -> Vec<Complaint> {
        let mut walk = Walk { rules: self, path: Vec::new(), found: Vec::new() };
        walk.value(document, &self.schema);
        let mut complaints = walk.found;
        if complaints.len() > MAX_PROBLEMS {
            complaints.truncate(MAX_PROBLEMS);
            let fault =
                Fault::Cut(format!("only {MAX_PROBLEMS} problems are shown: there are more"));
            complaints.push(Complaint { path: Vec::new(), fault });
        }
        complaints
    }

    /// The schema itself, or the one that it refers to.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#'));
        target.and_then(|pointer| self.schema.pointer(pointer)).unwrap_or(schema)
    }

    fn accepts(&self, value: &Value, schema: &Value) -> bool {
        let mut walk = Walk { rules: self, path: Vec::new(), found: Vec::new() };
        walk.value(value, schema);
        walk.found.is_empty()
    }

    /// The words that a schema lists, by themselves or as alternatives with a description each.
    fn words<'a>(&'a self, schema: &'a Value) -> Vec<&'a str> {
        let schema = self.resolved(schema);
        let listed =
            list(schema, "enum").iter().chain(schema.get("const")).filter_map(Value::as_str);
        let alternatives = alternatives(schema).iter().flat_map(|inner| self.words(inner));
        listed.chain(alternatives).collect()
    }
}

fn collect_patterns(schema: &Value, patterns: &mut HashMap<String, Regex>) {
    match schema {
        Value::Object(entries) => {
            if let Some(Value::String(pattern)) = entries.get("pattern") {
                patterns.extend(Regex::new(pattern).map(|regex| (pattern.clone(), regex)));
            }
            entries.values().for_each(|inner| collect_patterns(inner, patterns));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect_patterns(inner, patterns)),
        _ => {}
    }
}

fn list<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn alternatives(schema: &Value) -> &[Value] {
    match list(schema, "oneOf") {
        [] => list(schema, "anyOf"),
        alternatives => alternatives,
    }
}

/// On the way through a document: what a mapping lacks is said before what is in it.
struct Walk<'a> {
    rules: &'a Rules,
    path: Vec<Step>,
    found: Vec<Complaint>,
}

impl Walk<'_> {
    fn complain(&mut self, fault: Fault) {
        self.found.push(Complaint { path: self.path.clone(), fault });
    }

    fn value(&mut self, value: &Value, schema: &Value) {
        if self.found.len() > MAX_PROBLEMS {
            return;
        }
        // What stands beside a reference counts as well; our schemas have only words there.
        let schema = self.rules.resolved(schema);
        if !self.is_of_type(value, schema) {
            return;
        }
        self.is_listed(value, schema);
        match value {
            Value::String(text) => self.text(text, value, schema),
            Value::Number(_) => self.number(value, schema),
            Value::Array(items) => self.items(items, schema),
            Value::Object(entries) => self.mapping(entries, schema),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// A value of another type is in no list and matches nothing: the type alone is reported.
    fn is_of_type(&mut self, value: &Value, schema: &Value) -> bool {
        let types: Vec<&str> = match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if !self.rules.words(schema).is_empty() => vec!["string"],
            _ => return true,
        };
        let is = types.iter().any(|name| has_type(value, name));
        if !is {
            self.complain(wrong_type(value, &types));
        }
        is
    }

    fn is_listed(&mut self, value: &Value, schema: &Value) {
        let alternatives = alternatives(schema);
        let is_listed = match (schema.get("enum"), schema.get("const")) {
            (Some(Value::Array(options)), _) => options.contains(value),
            (_, Some(only)) => only == value,
            _ if alternatives.is_empty() => true,
            _ => alternatives.iter().any(|inner| self.rules.accepts(value, inner)),
        };
        if !is_listed {
            self.complain(unknown_word(value, &self.rules.words(schema)));
        }
    }

    fn text(&mut self, text: &str, value: &Value, schema: &Value) {
        let letters = text.chars().count() as u64;
        if let Some(least) = schema.get("minLength").and_then(Value::as_u64)
            && letters < least
        {
            self.complain(too_short(letters, least));
        }
        let is_match =
            |name: &str| self.rules.patterns.get(name).is_none_or(|it| it.is_match(text));
        let keyword = |name: &str| schema.get(name).and_then(Value::as_str);
        let pattern = keyword("pattern").filter(|pattern| !is_match(pattern));
        let format = keyword("format").filter(|format| !is_match(format));
        pattern.into_iter().for_each(|pattern| self.complain(no_match(value, pattern)));
        format.into_iter().for_each(|format| self.complain(out_of_format(value, format)));
    }

    fn number(&mut self, value: &Value, schema: &Value) {
        let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
        let Some(number) = value.as_f64() else { return };
        if bound("minimum").is_some_and(|least| number < least)
            || bound("maximum").is_some_and(|most| number > most)
        {
            self.complain(out_of_range(value, schema));
        }
    }

    fn items(&mut self, items: &[Value], schema: &Value) {
        let Some(inner) = schema.get("items") else { return };
        for (index, item) in items.iter().enumerate() {
            self.inside(Step::Index(index), item, inner);
        }
    }

    fn mapping(&mut self, entries: &Map<String, Value>, schema: &Value) {
        for key in list(schema, "required").iter().filter_map(Value::as_str) {
            if !entries.contains_key(key) {
                self.complain(Fault::Missing(key.to_owned()));
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let property = |key: &str| properties.and_then(|properties| properties.get(key));
        let others = schema.get("additionalProperties");
        if others == Some(&Value::Bool(false)) {
            let known = || properties.into_iter().flat_map(Map::keys).cloned().collect();
            for key in entries.keys().filter(|key| property(key).is_none()).take(MAX_PROBLEMS + 1) {
                self.complain(Fault::UnknownKey { key: key.clone(), known: known() });
            }
        }
        for (key, value) in entries {
            if let Some(inner) = property(key).or(others) {
                self.inside(Step::Key(key.clone()), value, inner);
            }
        }
    }

    fn inside(&mut self, step: Step, value: &Value, schema: &Value) {
        self.path.push(step);
        self.value(value, schema);
        self.path.pop();
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_))
        | ("number", Value::Number(_)) => true,
        // 3.0 is a whole number, whoever wrote it.
        ("integer", Value::Number(number)) => {
            !number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{config, debug_memory, evidence, reading, workflow};

    /// What [`Walk`] looks at, and what says nothing about a document.
    const KNOWN: [&str; 21] = [
        "$defs",
        "$id",
        "$ref",
        "$schema",
        "additionalProperties",
        "anyOf",
        "const",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maximum",
        "minLength",
        "minimum",
        "oneOf",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
    ];

    fn assert_known(schema: &Value) {
        let Some(keywords) = schema.as_object() else { return };
        for (keyword, value) in keywords {
            assert!(KNOWN.contains(&keyword.as_str()), "`{keyword}` is not checked");
            match keyword.as_str() {
                "properties" | "$defs" => {
                    value
                        .as_object()
                        .into_iter()
                        .flatten()
                        .for_each(|(_, inner)| assert_known(inner));
                }
                "items" | "additionalProperties" => assert_known(value),
                "oneOf" | "anyOf" => value.as_array().into_iter().flatten().for_each(assert_known),
                "pattern" => assert!(Regex::new(value.as_str().unwrap()).is_ok(), "{value}"),
                "format" => assert!(FORMATS.iter().any(|(name, _)| value == name), "{value}"),
                _ => {}
            }
        }
    }

    #[test]
    fn every_keyword_of_our_schemas_is_checked() {
        assert_known(&config::config_schema(&[]));
        assert_known(&workflow::workflow_schema());
        assert_known(&debug_memory::debug_memory_schema());
        assert_known(&evidence::evidence_schema());
        assert_known(&reading::reading_schema());
    }

    fn complaints(schema: Value, document: &Value) -> Vec<Fault> {
        Rules::new(schema).check(document).into_iter().map(|it| it.fault).collect()
    }

    #[test]
    fn each_keyword_can_refuse_and_accept() {
        for (schema, good, bad) in [
            (json!({"type": "integer"}), json!(3.0), json!(3.5)),
            (json!({"type": ["string", "boolean"]}), json!(true), json!(1)),
            (json!({"enum": ["a"]}), json!("a"), json!("b")),
            (json!({"oneOf": [{"const": "a"}, {"const": "b"}]}), json!("b"), json!("c")),
            (json!({"oneOf": [{"const": "a"}, {"const": "b"}]}), json!("b"), json!(1)),
            (json!({"anyOf": [{"type": "string"}, {"type": "array"}]}), json!([]), json!({})),
            (json!({"minimum": 1, "maximum": 3}), json!(3), json!(4)),
            (json!({"minimum": 0.5}), json!(0.5), json!(0.4)),
            (json!({"minLength": 2}), json!("ää"), json!("ä")),
            (json!({"pattern": "^[a-z]+$"}), json!("ab"), json!("a1")),
            (json!({"items": {"type": "null"}}), json!([null]), json!([null, 1])),
            (json!({"required": ["a"]}), json!({"a": null}), json!({})),
            (
                json!({"properties": {"a": {}}, "additionalProperties": false}),
                json!({"a": 1}),
                json!({"b": 1}),
            ),
            (
                json!({"additionalProperties": {"type": "string"}}),
                json!({"a": ""}),
                json!({"a": 1}),
            ),
            (json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}), json!(""), json!(1)),
            (
                json!({"format": "date-time"}),
                json!("2026-01-25T10:00:00.5+01:00"),
                json!("2026-13-25T10:00:00Z"),
            ),
            (
                json!({"format": "uuid"}),
                json!("0191e5a0-0000-7000-8000-000000000000"),
                json!("0191e5a0"),
            ),
        ] {
            assert_eq!(complaints(schema.clone(), &good), [], "{schema} {good}");
            assert_eq!(complaints(schema.clone(), &bad).len(), 1, "{schema} {bad}");
        }
    }
}
