//! JSON Schemas generated from types.

use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// The formats that say something about a document; schemars also notes the width of integers.
const MEANINGFUL_FORMATS: [&str; 2] = ["uuid", "date-time"];

/// The schema (draft 2020-12) of `T`, under the given address and title.
pub(crate) fn generate<T: JsonSchema>(id: &str, title: &str) -> Value {
    let generator =
        SchemaSettings::draft2020_12().with_transform(as_documents_are).into_generator();
    let mut generated = Value::from(generator.into_root_schema_for::<T>());
    let mut schema = Map::new();
    if let Some(generated) = generated.as_object_mut() {
        schema.extend(generated.shift_remove("$schema").map(|draft| ("$schema".to_owned(), draft)));
        schema.insert("$id".to_owned(), id.into());
        schema.insert("title".to_owned(), title.into());
        generated.shift_remove("title");
        schema.append(generated);
    }
    Value::Object(schema)
}

/// An optional field may be left out of our documents, but it may not be `null`.
fn as_documents_are(schema: &mut Schema) {
    transform_subschemas(&mut as_documents_are, schema);
    let Some(object) = schema.as_object_mut() else { return };
    refuse_null_type(object);
    refuse_null_alternative(object);
    if let Some(Value::String(description)) = object.get_mut("description") {
        // Doc comments are wrapped for the editor of the source.
        *description = description.replace('\n', " ");
    }
    if object.get("default") == Some(&Value::Null) {
        object.shift_remove("default");
    }
    if object
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| !MEANINGFUL_FORMATS.contains(&format))
    {
        object.shift_remove("format");
    }
}

fn refuse_null_type(object: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = object.get_mut("type") else { return };
    types.retain(|name| name != "null");
    if let [only] = types.as_slice() {
        let only = only.clone();
        object.insert("type".to_owned(), only);
    }
}

fn refuse_null_alternative(object: &mut Map<String, Value>) {
    let Some(Value::Array(alternatives)) = object.get_mut("anyOf") else { return };
    alternatives.retain(|alternative| alternative.get("type") != Some(&Value::from("null")));
    if let [Value::Object(only)] = alternatives.as_slice() {
        let only = only.clone();
        object.shift_remove("anyOf");
        for (keyword, value) in only {
            object.entry(keyword).or_insert(value);
        }
    }
}
