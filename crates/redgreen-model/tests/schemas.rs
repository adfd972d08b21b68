//! The schemas under `schemas/` are those of the types.
//!
//! Refresh them with `UPDATE_SCHEMAS=1 cargo test -p redgreen-model schemas::`.

use std::path::Path;

use redgreen_model::config::config_schema;
use redgreen_model::debug_memory::debug_memory_schema;
use redgreen_model::reading::reading_schema;
use redgreen_model::workflow::workflow_schema;
use serde_json::Value;

fn assert_fresh(file: &str, schema: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(file);
    let expected = format!("{}\n", serde_json::to_string_pretty(schema).unwrap());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "schemas/{file} is not what the types say now: refresh it with\n\
         UPDATE_SCHEMAS=1 cargo test -p redgreen-model schemas::"
    );
}

#[test]
fn the_workflow_schema_is_fresh() {
    assert_fresh("workflow.schema.json", &workflow_schema());
}

#[test]
fn the_schema_of_readings_is_fresh() {
    assert_fresh("reading.schema.json", &reading_schema());
}

#[test]
fn the_schema_of_debug_memory_is_fresh() {
    assert_fresh("debug-memory.schema.json", &debug_memory_schema());
}

#[test]
fn the_schemas_are_of_draft_2020_12_and_know_no_null() {
    for schema in [workflow_schema(), config_schema(&[]), reading_schema(), debug_memory_schema()] {
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        // An optional field may be left out, but never be null.
        assert!(!schema.to_string().contains("\"null\""), "{schema}");
    }
    assert_eq!(workflow_schema()["$id"], "https://aiwg.io/schemas/executable-feedback/v1");
}
