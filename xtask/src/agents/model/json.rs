//! What is asked of any JSON document.

use serde_json::{Map, Value, json};

/// Every text in some values, in order.
pub fn texts(values: &[Value]) -> Vec<&str> {
    values.iter().flat_map(texts_of).collect()
}

fn texts_of(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => texts(items),
        Value::Object(fields) => fields.values().flat_map(texts_of).collect(),
        _ => Vec::new(),
    }
}

/// The items of a list; none if it is no list.
pub fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A text; empty if it is none.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The dullest value that a JSON schema accepts.
pub fn dullest(schema: &Value) -> Value {
    if let Some(first) = items(&schema["enum"]).first() {
        return first.clone();
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind.unwrap_or("string").to_ascii_lowercase().as_str() {
        "object" => {
            let required = items(&schema["required"]).iter().map(text);
            let fields = required.map(|name| {
                let value = dullest(&schema["properties"][name]);
                (name.to_owned(), value)
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        "array" => json!([]),
        "boolean" => json!(false),
        "integer" => json!(1),
        "number" => json!(0),
        _ => json!("scripted"),
    }
}
