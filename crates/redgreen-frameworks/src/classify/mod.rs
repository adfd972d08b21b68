//! What sort of thing went wrong, decided by what happened; by words last.
//!
//! The kind of a command that failed is recognised by [how it ended](crate::explain), then by the
//! [program that ran](run), then by the unmistakable shape of what was printed. The class of an
//! error is recognised by its [name](names), then by [what was said](phrases).

mod class;
mod limits;
mod linters;
mod names;
mod phrases;
mod run;
mod shapes;

pub(crate) use class::error_class;
pub(crate) use limits::is_a_time_limit;
pub(crate) use run::kind_of_command;

/// Whether a simple command runs a linter or a type checker.
pub(crate) fn is_linter(words: &[String]) -> bool {
    linters::linter_of(words).is_some()
}
