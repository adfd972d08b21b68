//! Many mutants in one process: what `redgreen_mutants.py` is asked for, and what it says.

use redgreen_model::framework::FrameworkId;
use redgreen_model::mutants::Fate;
use serde::{Deserialize, Serialize};

use crate::pytest;

/// Names the file with what is asked for, for the framework's process.
pub const MUTANTS_VARIABLE: &str = "REDGREEN_MUTANTS";
/// What is behind its name in the name of the file with the answers.
pub const FATES_ENDING: &str = ".fates";

/// What is asked for.
#[derive(Debug, Serialize)]
pub struct ManyMutants {
    /// The mutants, in the order in which they are tried.
    pub mutants: Vec<OneMutant>,
    /// The time for all of them.
    pub seconds: Option<f64>,
    /// The time for each.
    pub seconds_each: f64,
    /// Whether all are tried, and not only until it is known of a group whether one is noticed.
    pub all: bool,
    /// From so many survivors on a group is settled.
    pub enough: usize,
}

/// A mutant of them.
#[derive(Debug, Serialize)]
pub struct OneMutant {
    /// Its number.
    pub mutant: usize,
    /// Whose it is: those of a function are a group.
    pub group: usize,
    /// Its statement and its kind: of several that survive there one counts.
    pub place: String,
    /// The file, as an absolute path.
    pub file: String,
    /// Its text with the edit.
    pub text: String,
    /// The tests that may notice it; none for all.
    pub tests: Vec<String>,
    /// Whether it says something if it survives.
    pub tells: bool,
    /// Whether it says something if it is noticed.
    pub clears: bool,
}

/// Whether a framework tries many mutants of a file in one process.
pub fn tries_many(framework: FrameworkId, file: &str) -> bool {
    framework == pytest::ID && file.ends_with(".py")
}

/// What became of them, by their numbers. One that is not here was not tried.
pub fn fates(said: &str) -> impl Iterator<Item = (usize, Fate)> {
    #[derive(Deserialize)]
    struct Said {
        mutant: usize,
        fate: Fate,
    }
    said.lines()
        .filter_map(|line| serde_json::from_str::<Said>(line).ok())
        .map(|it| (it.mutant, it.fate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_in_whole_lines_counts() {
        let said =
            "{\"mutant\": 3, \"fate\": \"survived\"}\n{\"mutant\": 4, \"fate\": null}\n{\"mut";
        assert_eq!(fates(said).collect::<Vec<_>>(), [(3, Fate::Survived)]);
    }

    #[test]
    fn only_pytest_tries_many() {
        assert!(tries_many(pytest::ID, "a/b.py") && !tries_many(pytest::ID, "a/b.js"));
        assert!(!tries_many(FrameworkId::named("unittest"), "a/b.py"));
    }
}
