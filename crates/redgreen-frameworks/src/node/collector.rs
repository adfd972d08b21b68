//! Reads what `coverage.cjs` left: the texts that ran with their source maps, and how often V8 saw each part of
//! them run, for each process.

use std::collections::BTreeMap;

use redgreen_coverage::Coverage;
use serde::Deserialize;

use super::layout::{Layout, Script};
use super::source_map::SourceMap;
use crate::collect::{Collector, CoverageMaterial};
use crate::roles::{extension, name_of};

/// Counts what Node runs.
pub(crate) const COLLECTOR: Collector = Collector {
    name: "JavaScript",
    endings: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"],
    leaves: "node-",
    read,
};

/// That a program of Node was watched at all.
const HERE: &str = "node-here";
/// Sources in these are always made into something else before they run.
const TYPED: &[&str] = &["ts", "tsx", "mts", "cts", "jsx"];

/// A line of what a process wrote.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Note {
    /// The script that ran, as one of the asked files or else by its own path.
    file: String,
    /// What stands before the text of the file, where that is known.
    before: Option<usize>,
    /// The text that ran.
    text: String,
    /// Parts of it, and how often they ran.
    ranges: Vec<(usize, usize, u64)>,
    /// A script that was made from others, of which nothing tells from which.
    built: Option<String>,
    /// Why something is not counted.
    problem: Option<String>,
}

/// A text that ran.
#[derive(Deserialize)]
struct Compiled {
    text: String,
    map: Option<SourceMap>,
}

#[derive(Default)]
struct Reading {
    texts: BTreeMap<String, Compiled>,
    layouts: BTreeMap<(String, String, Option<usize>), Layout>,
    built: Vec<String>,
    coverage: Coverage,
}

fn read(material: &CoverageMaterial<'_>) -> Coverage {
    let mut reading = Reading::default();
    if !material.left.iter().any(|file| file.path == HERE) {
        reading.problem("no program of Node was watched while the check ran".to_owned());
    }
    for file in material.left {
        let id = file.path.strip_prefix(COLLECTOR.leaves).and_then(|it| it.strip_suffix(".text"));
        if let (Some(id), Ok(text)) = (id, serde_json::from_slice(&file.bytes)) {
            reading.texts.insert(id.to_owned(), text);
        }
    }
    for file in material.left {
        if !(file.path.starts_with(COLLECTOR.leaves) && file.path.ends_with(".jsonl")) {
            continue;
        }
        for line in file.bytes.split(|byte| *byte == b'\n') {
            if let Ok(note) = serde_json::from_slice(line) {
                reading.note(note, material);
            }
        }
    }
    reading.finished(material)
}

impl Reading {
    fn problem(&mut self, problem: String) {
        if !self.coverage.problems.contains(&problem) {
            self.coverage.problems.push(problem);
        }
    }

    fn note(&mut self, note: Note, material: &CoverageMaterial<'_>) {
        if let Some(problem) = note.problem {
            return self.problem(problem);
        }
        if let Some(built) = note.built {
            return self.built.push(built);
        }
        let Some(compiled) = self.texts.get(&note.text) else { return };
        let layout = self.layouts.entry((note.text, note.file.clone(), note.before));
        let layout = layout.or_insert_with(|| {
            Layout::of(&Script {
                path: &note.file,
                before: note.before,
                text: &compiled.text,
                map: compiled.map.as_ref(),
                material,
            })
        });
        match layout.seen(&note.ranges) {
            Ok(files) => {
                for (path, file) in files {
                    self.coverage.files.entry(path).or_default().merge(&file);
                }
            }
            Err(why) => self.problem(format!("{}: {why}", note.file)),
        }
    }

    /// Of a file of which nothing ran, something else may have run that was made from it.
    fn finished(mut self, material: &CoverageMaterial<'_>) -> Coverage {
        let said = |path: &str| self.coverage.problems.iter().any(|it| it.starts_with(path));
        let missing = material
            .asked
            .iter()
            .filter(|path| !self.coverage.files.contains_key(*path) && !said(path));
        let problems: Vec<String> = missing
            .filter_map(|path| {
                let typed = TYPED.contains(&extension(name_of(path)));
                let of_it = |built: &&String| typed || stem(built) == stem(path);
                let same = self.built.iter().find(|built| stem(built) == stem(path));
                let built = same.or_else(|| self.built.iter().find(of_it))?;
                Some(format!(
                    "{path}: the tests run {built}, and no source map says what of it that is: have the build write source maps"
                ))
            })
            .collect();
        self.coverage.problems.extend(problems);
        self.coverage
    }
}

/// The name of a file without its ending.
fn stem(path: &str) -> &str {
    let name = name_of(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests;
