//! coverage.py's JSON: `files`, by their paths, with their `executed_lines` and `missing_lines`.
//!
//! It says whether a line ran and not how often. A statement of several lines is its first one.

use serde::de::MapAccess;
use serde_json::Value;

use super::Draft;
use super::json::{Object, enter, line, pass_over, walk};

/// Reads a document.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) {
    draft.cut |= !walk(text, &mut Report(draft));
}

struct Report<'a, 'run>(&'a mut Draft<'run>);

impl Object for Report<'_, '_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        if key == "files" { enter(map, &mut Files(self.0)) } else { pass_over(map) }
    }
}

struct Files<'a, 'run>(&'a mut Draft<'run>);

impl Object for Files<'_, '_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, path: &str, map: &mut A) -> Result<(), A::Error> {
        if self.0.file(path).is_none() {
            return pass_over(map);
        }
        enter(map, &mut File { path, draft: self.0 })
    }
}

struct File<'a, 'run> {
    path: &'a str,
    draft: &'a mut Draft<'run>,
}

impl Object for File<'_, '_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let hits = match key {
            "executed_lines" => 1,
            "missing_lines" => 0,
            _ => return pass_over(map),
        };
        let lines: Value = map.next_value()?;
        for number in lines.as_array().into_iter().flatten() {
            self.draft.line(self.path, line(number), Some(hits), &number.to_string());
        }
        Ok(())
    }
}
