//! Istanbul's JSON: by its path, each file's `statementMap` (where its statements are) and `s` (how often each ran).
//!
//! As Istanbul itself has it, a line is what begins on it: the highest count of the statements there.

use std::collections::BTreeMap;

use serde::de::MapAccess;
use serde_json::Value;

use super::Draft;
use super::json::{Object, count, enter, line, pass_over, walk};

/// Reads a document.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) {
    draft.cut |= !walk(text, &mut Report(draft));
}

struct Report<'a, 'run>(&'a mut Draft<'run>);

impl Object for Report<'_, '_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, path: &str, map: &mut A) -> Result<(), A::Error> {
        if self.0.file(path).is_none() {
            return pass_over(map);
        }
        let mut file = File::default();
        enter(map, &mut file)?;
        for (id, number) in &file.statements {
            let hits = file.hits.get(id).copied().flatten();
            self.0.line(path, *number, hits, &format!("statement {id}"));
        }
        Ok(())
    }
}

/// One file: the lines and the counts of its statements, by their ids.
#[derive(Default)]
struct File {
    statements: BTreeMap<String, Option<u32>>,
    hits: BTreeMap<String, Option<u64>>,
}

impl Object for File {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        if !["statementMap", "s"].contains(&key) {
            return pass_over(map);
        }
        let Value::Object(members) = map.next_value()? else { return Ok(()) };
        if key == "s" {
            self.hits = members.iter().map(|(id, hits)| (id.clone(), count(hits))).collect();
        } else {
            let start = |place: &Value| place.pointer("/start/line").and_then(line);
            self.statements = members.iter().map(|(id, at)| (id.clone(), start(at))).collect();
        }
        Ok(())
    }
}
