//! A change to a project, and what `redgreen square` must say of it.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::common::Project;
pub use crate::common::edits::Edits;

/// How many cases of one framework run at the same time.
const WORKERS: usize = 2;

/// A framework and its cases.
pub struct Table {
    pub framework: &'static str,
    /// The command of the check.
    pub command: &'static str,
    /// Writes the small project that most cases start from; it is committed afterwards.
    pub project: fn(&Project),
    pub cases: Vec<Case>,
}

/// One change.
pub struct Case {
    pub name: &'static str,
    /// What the project has beside the small one, before the change.
    pub before: fn(&Project),
    /// The change itself.
    pub change: fn(&Project),
    /// More arguments for `redgreen square`.
    pub arguments: &'static [&'static str],
    pub wanted: Wanted,
    /// Whether another row asks the same of redgreen: played with `REDGREEN_ALL` alone.
    is_variant: bool,
}

/// What must come of it.
pub enum Wanted {
    /// A fake: whatever is said, it is not green. The words are in what is printed: the test's id, the
    /// kind of the finding.
    Blocked(&'static [&'static str]),
    /// Several fakes at once: each of these tests has a finding or an undeclared expectation.
    Accused(&'static [&'static str]),
    /// Code that looks for its judge: whatever the verdict, a warning or a finding names these words.
    Warned(&'static [&'static str]),
    /// An honest change: green at once.
    Green,
    /// An honest change whose expectations are declared: blocked for exactly these tests, then green.
    Declared(&'static [&'static str]),
}

pub fn nothing(_: &Project) {}

/// A fake.
pub fn fake(name: &'static str, change: fn(&Project), words: &'static [&'static str]) -> Case {
    Case {
        name,
        before: nothing,
        change,
        arguments: &[],
        wanted: Wanted::Blocked(words),
        is_variant: false,
    }
}

/// Several fakes in one change.
pub fn fakes(name: &'static str, change: fn(&Project), tests: &'static [&'static str]) -> Case {
    Case {
        name,
        before: nothing,
        change,
        arguments: &[],
        wanted: Wanted::Accused(tests),
        is_variant: false,
    }
}

/// Code that looks for its judge.
pub fn seeker(name: &'static str, change: fn(&Project), words: &'static [&'static str]) -> Case {
    Case {
        name,
        before: nothing,
        change,
        arguments: &[],
        wanted: Wanted::Warned(words),
        is_variant: false,
    }
}

/// An honest change.
pub fn honest(name: &'static str, change: fn(&Project), wanted: Wanted) -> Case {
    Case { name, before: nothing, change, arguments: &[], wanted, is_variant: false }
}

impl Case {
    /// The same case, with more in the project before the change.
    pub fn with(self, before: fn(&Project)) -> Self {
        Self { before, ..self }
    }

    /// The same case, judged as a kind of change: `--code-type bug_fix`.
    pub fn asked(self, arguments: &'static [&'static str]) -> Self {
        Self { arguments, ..self }
    }

    /// The same case, for a row whose like is in the table already.
    pub fn variant(self) -> Self {
        Self { is_variant: true, ..self }
    }

    fn is_fake(&self) -> bool {
        matches!(self.wanted, Wanted::Blocked(_) | Wanted::Accused(_) | Wanted::Warned(_))
    }
}

impl Table {
    /// Plays every case and prints how many got through and how many were false alarms.
    pub fn play(&self) {
        let only = std::env::var("REDGREEN_CASE").ok();
        let all = std::env::var_os("REDGREEN_ALL").is_some();
        let is_chosen = |case: &&Case| match &only {
            Some(only) => case.name.contains(only.as_str()),
            None => all || !case.is_variant,
        };
        let chosen: Vec<&Case> = self.cases.iter().filter(is_chosen).collect();
        let next = AtomicUsize::new(0);
        let problems: Mutex<Vec<(bool, String)>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| {
                    let project = Project::empty();
                    while let Some(case) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let played = catch_unwind(AssertUnwindSafe(|| self.one(case, &project)));
                        let problem = match played {
                            Ok(Ok(())) => continue,
                            Ok(Err(problem)) => problem,
                            Err(_) => "the case itself failed, see above".to_owned(),
                        };
                        let mut problems = problems.lock().unwrap_or_else(PoisonError::into_inner);
                        problems.push((case.is_fake(), format!("{}: {problem}", case.name)));
                    }
                });
            }
        });
        let problems = problems.into_inner().unwrap_or_else(PoisonError::into_inner);
        let count = |fake: bool| problems.iter().filter(|(is_fake, _)| *is_fake == fake).count();
        let fakes = chosen.iter().filter(|case| case.is_fake()).count();
        let _ = writeln!(
            std::io::stderr(),
            "{}: escapes: {} of {fakes}, false alarms: {} of {} ({} variants not played)",
            self.framework,
            count(true),
            count(false),
            chosen.len() - fakes,
            self.cases.len() - chosen.len(),
        );
        let texts: Vec<&str> = problems.iter().map(|(_, text)| text.as_str()).collect();
        assert!(problems.is_empty(), "{}", texts.join("\n\n"));
    }

    fn one(&self, case: &Case, project: &Project) -> Result<(), String> {
        project.clear();
        project.write(
            "redgreen.toml",
            format!(
                "[[checks]]\nname = \"unit\"\ncommand = '''{}'''\nframework = \"{}\"\n",
                self.command, self.framework
            ),
        );
        (self.project)(project);
        (case.before)(project);
        project.commit();
        (case.change)(project);
        let seen = Seen::of(project, case);
        match &case.wanted {
            Wanted::Blocked(words) => seen.not_green()?.says(words),
            Wanted::Accused(tests) => seen.not_green()?.accuses(tests),
            Wanted::Warned(words) => seen.warns(words),
            Wanted::Green => seen.green(),
            Wanted::Declared(tests) => {
                seen.not_green()?.only("expectations", "/test/test", tests)?;
                seen.only("findings", "/kind", &[])?;
                for test in *tests {
                    let ended = project.redgreen(&["declare", test, "--reason", "wanted"]);
                    if ended.code != Some(0) {
                        return Err(format!("declare {test}: {}", ended.stderr));
                    }
                }
                Seen::of(project, case).green()
            }
        }
    }
}

/// What `redgreen square` said.
struct Seen {
    code: Option<i32>,
    result: Value,
    text: String,
}

impl Seen {
    fn of(project: &Project, case: &Case) -> Self {
        let arguments = [&["square", "--base", "HEAD", "--json"], case.arguments].concat();
        let ended = project.redgreen(&arguments);
        let last = ended.stdout.lines().last().unwrap_or_default();
        let result = serde_json::from_str(last).unwrap_or(Value::Null);
        // Of a run that is red itself, what is red was reported as it went.
        let red = ["\"outcome\":\"failed\"", "\"outcome\":\"errored\""];
        let red = |line: &&str| red.iter().any(|outcome| line.contains(outcome));
        let red: Vec<&str> = ended.stdout.lines().filter(red).collect();
        let text = format!("{last}\n{}\n{}", ended.stderr, red.join("\n"));
        Self { code: ended.code, result, text }
    }

    fn not_green(&self) -> Result<&Self, String> {
        match self.result["verdict"].as_str() {
            Some("failed" | "inconclusive") if self.code == Some(1) => Ok(self),
            verdict => Err(format!("exit {:?}, verdict {verdict:?}\n{}", self.code, self.text)),
        }
    }

    fn green(&self) -> Result<(), String> {
        if self.code == Some(0) && self.result["verdict"] == "passed" {
            return Ok(());
        }
        Err(format!("exit {:?}: not green\n{}", self.code, self.text))
    }

    fn says(&self, words: &[&str]) -> Result<(), String> {
        match words.iter().find(|word| !self.text.contains(**word)) {
            Some(word) => Err(format!("says nothing of {word}\n{}", self.text)),
            None => Ok(()),
        }
    }

    /// Each of these tests is named by a finding or by an expectation that nobody declared.
    fn accuses(&self, tests: &[&str]) -> Result<(), String> {
        let named: Vec<&str> = ["findings", "expectations"]
            .iter()
            .filter_map(|list| self.result["square"][list].as_array())
            .flatten()
            .filter_map(|entry| entry.pointer("/test/test")?.as_str())
            .collect();
        let free: Vec<&&str> = tests.iter().filter(|test| !named.contains(*test)).collect();
        if free.is_empty() {
            return Ok(());
        }
        Err(format!("nothing is said against {free:?}\n{}", self.text))
    }

    fn warns(&self, words: &[&str]) -> Result<(), String> {
        let square = &self.result["square"];
        let said = format!("{}{}", square["warnings"], square["findings"]);
        match words.iter().find(|word| !said.contains(**word)) {
            Some(word) => Err(format!("no warning and no finding says {word}\n{}", self.text)),
            None => Ok(()),
        }
    }

    /// Exactly these are in a list of the square.
    fn only(&self, list: &str, pointer: &str, wanted: &[&str]) -> Result<(), String> {
        let entries = self.result["square"][list].as_array().cloned().unwrap_or_default();
        let mut found: Vec<&str> =
            entries.iter().filter_map(|it| it.pointer(pointer)?.as_str()).collect();
        let mut wanted = wanted.to_vec();
        found.sort_unstable();
        wanted.sort_unstable();
        if found == wanted {
            return Ok(());
        }
        Err(format!("{list}: {found:?}, wanted {wanted:?}\n{}", self.text))
    }
}
