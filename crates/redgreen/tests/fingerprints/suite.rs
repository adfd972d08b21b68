//! A fixture of one framework, played at three places.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::Project;

/// Where a suite is played: the folder, how many lines are put above all code, and the order.
pub const PLACES: &[(&str, usize, &str)] =
    &[("project", 0, "1"), ("x", 3, "4"), ("a longer place/with 2 spaces/and-quite/deep", 17, "2")];
/// What a folder of real projects has beside the code.
const SOURCES: &[&str] = &["py", "rs", "js", "mjs", "ts", "go"];

/// One framework's bugs.
pub struct Suite {
    /// The folder of the fixture, and the framework's name.
    pub fixture: &'static str,
    /// What is run.
    pub checks: &'static [Check],
    /// What begins a comment.
    pub comment: &'static str,
    /// The set of packages of JavaScript that it needs.
    pub packages: Option<&'static str>,
    /// How many bugs there are.
    pub bugs: usize,
}

/// A command, `$ORDER` is the order; and its folder.
pub struct Check {
    pub command: &'static str,
    pub folder: &'static str,
}

/// A failure that was seen.
pub struct Seen {
    pub bug: String,
    pub fingerprint: String,
    pub kind: String,
    pub class: String,
    place: &'static str,
    what: String,
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} at {}: {}", self.bug, self.fingerprint, self.place, self.what)
    }
}

impl Suite {
    /// Everything that failed, at all places; each bug is there at each of them.
    pub fn play(&self) -> Vec<Seen> {
        let mut all = Vec::new();
        for (place, lines, order) in PLACES {
            let seen = self.play_at(place, *lines, order);
            let bugs: BTreeSet<&str> = seen.iter().map(|seen| seen.bug.as_str()).collect();
            let names = bugs.iter().copied().collect::<Vec<_>>().join(" ");
            assert_eq!(bugs.len(), self.bugs, "{} at {place}: {names}", self.fixture);
            all.extend(seen);
        }
        all
    }

    fn play_at(&self, place: &'static str, lines: usize, order: &str) -> Vec<Seen> {
        let project = Project::empty_at(place);
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fingerprints/fixtures")
            .join(self.fixture);
        let above = format!("{} a line above everything\n", self.comment.trim()).repeat(lines);
        copy(&fixture, &project.root(), &above);
        project.write("redgreen.toml", self.settings(order));
        if let Some(packages) = self.packages {
            project.link_packages(packages);
        }
        project.commit();
        let tested = project.tested(&[]);
        tested.checks().iter().flat_map(failures).map(|failure| self.seen(failure, place)).collect()
    }

    fn settings(&self, order: &str) -> String {
        let check = |(index, check): (usize, &Check)| {
            let command = Value::from(check.command.replace("$ORDER", order));
            format!(
                "[[checks]]\nname = \"c{index}\"\ncommand = {command}\nframework = \"{}\"\nfolder = \"{}\"\n\n",
                self.fixture, check.folder
            )
        };
        self.checks.iter().enumerate().map(check).collect()
    }

    fn seen(&self, failure: &Value, place: &'static str) -> Seen {
        let location = &failure["location"];
        let bug = [&failure["test"], &location["function"], &location["file"]]
            .into_iter()
            .find_map(|text| bug_in(text.as_str()?))
            .unwrap_or_else(|| panic!("{}: no bug in {failure:#}", self.fixture));
        Seen {
            bug: format!("{}/{bug}", self.fixture),
            fingerprint: failure["fingerprint"].as_str().unwrap_or_default().to_owned(),
            kind: failure["kind"].as_str().unwrap_or_default().to_owned(),
            class: failure["error_class"].as_str().unwrap_or_default().to_owned(),
            place,
            what: format!(
                "{} {} {} {}",
                failure["kind"], failure["error_type"], failure["message"], failure["frames"]
            ),
        }
    }
}

fn failures(check: &Value) -> Vec<&Value> {
    let report = &check["report"];
    let tests = report["tests"].as_array().into_iter().flatten();
    let of_tests = tests.map(|test| &test["failure"]).filter(|failure| !failure.is_null());
    of_tests.chain(report["errors"].as_array().into_iter().flatten()).collect()
}

/// `bug_NAME` in a text, without what follows two underscores.
fn bug_in(text: &str) -> Option<&str> {
    let rest = &text[text.find("bug_")?..];
    let end =
        rest.find(|next: char| !(next.is_ascii_lowercase() || next == '_')).unwrap_or(rest.len());
    rest[..end].split("__").next()
}

fn copy(from: &Path, to: &Path, above: &str) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let entry = entry.expect("an entry");
        let target: PathBuf = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target, above);
            continue;
        }
        let text = fs::read_to_string(entry.path()).expect("a text");
        let source =
            target.extension().is_some_and(|end| SOURCES.iter().any(|source| end == *source));
        fs::write(&target, if source { format!("{above}{text}") } else { text }).expect("a file");
    }
}
