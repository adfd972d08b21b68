//! What of a change no test runs, with the real binary and the real frameworks: a file for each language.

mod cargo;
mod command;
mod go;
mod javascript;
mod mutants;
mod python;
mod reports;

use serde_json::Value;

use crate::common::{Ended, Project};

/// A change of a project with `add` in a file and a test of it.
#[derive(Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub change: fn(&Project),
    /// The lines that no test runs, by place, that hold the change; none where it goes through.
    pub untested: &'static [&'static str],
}

/// Judges each change against the last commit and compares what is held.
pub fn play(project: &Project, rows: &[Row]) {
    let mut wrong = Vec::new();
    for row in rows {
        project.git(&["checkout", "--quiet", "--force", "HEAD"]);
        project.git(&["clean", "--quiet", "--force", "-d"]);
        (row.change)(project);
        let ended = project.redgreen(&["square", "--base", "HEAD", "--json"]);
        // A table for both is written as for JavaScript.
        let places = untested(&ended).into_iter().map(|place| place.replace(".ts:", ".js:"));
        let (places, verdict) = (places.collect::<Vec<_>>(), verdict(&ended));
        let wanted = if row.untested.is_empty() { "passed" } else { "failed" };
        if places != row.untested || verdict != wanted {
            wrong.push(format!("{}: {verdict}, {places:?}, wanted {:?}", row.name, row.untested));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn result(ended: &Ended) -> Value {
    let line = ended.stdout.lines().rfind(|line| line.contains("\"result\":\"square\""));
    serde_json::from_str(line.unwrap_or_else(|| panic!("{}{}", ended.stdout, ended.stderr)))
        .unwrap()
}

/// The places that hold a change.
pub fn untested(ended: &Ended) -> Vec<String> {
    let result = result(ended);
    let changes = result["square"]["untested"].as_array().cloned().unwrap_or_default();
    changes.iter().map(|change| change["place"].as_str().unwrap().to_owned()).collect()
}

pub fn verdict(ended: &Ended) -> String {
    result(ended)["verdict"].as_str().unwrap().to_owned()
}
