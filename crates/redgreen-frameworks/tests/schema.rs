//! The schema of `redgreen.toml` under `schemas/` is that of the types, with the frameworks that have a folder.
//!
//! Refresh it with `UPDATE_SCHEMAS=1 cargo test -p redgreen-frameworks schema`.

use std::path::Path;

use redgreen_frameworks::frameworks;
use redgreen_model::config::config_schema;

#[test]
fn the_configuration_schema_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/redgreen.schema.json");
    let expected = format!("{:#}\n", config_schema(&frameworks()));
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &expected).expect("it can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "it is not what the types say now: refresh it with\n\
         UPDATE_SCHEMAS=1 cargo test -p redgreen-frameworks schema"
    );
}
