//! The fingerprint of a failure: the same for the same cause, whichever test, folder, order or run
//! shows it; different for different causes.
//!
//! It is made of the stage (build, lint, run, time limit, tools), the language's name of the error,
//! the [normalised](normalise) message, and the [place](cause): the functions of the project's own
//! frames, never the numbers of their lines. Sixty-four bits are enough: among a million different causes, two
//! share a fingerprint by chance once in 37 million such collections.
//!
//! Known limits: a number that is part of a word (`x7`) counts as a name, and made-up words
//! without digits cannot be distinguished from words.

mod cause;
mod message;
mod normalise;
mod order;
mod path;
mod volatile;

use redgreen_model::digest::small_hash;
use redgreen_model::report::{Failure, FailureKind};

use crate::finish::Sources;
use crate::place::Places;

/// The version of the algorithm, in front of every fingerprint: those of two versions say nothing
/// about each other.
const VERSION: &str = "v1";
/// Between the parts. Clean text has no control characters, so no part can look like two.
const SEPARATOR: &str = "\u{1f}";

/// The fingerprint of a failure whose places are known.
pub(crate) fn fingerprint(
    failure: &Failure,
    places: Places<'_>,
    sources: &mut Sources<'_>,
) -> String {
    let cause = cause::cause(failure, places, sources);
    let mut parts = vec![stage(failure.kind).to_owned(), failure.error_type.clone()];
    if !cause.complete {
        parts.push(message::essence(failure, places.root));
    }
    parts.extend(cause.parts);
    format!("{VERSION}:{:016x}", small_hash(parts.join(SEPARATOR).bytes()))
}

/// What was being done. A bug is the same in a test's body and in its set-up.
fn stage(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::CompileError => "build",
        FailureKind::LintFailure => "lint",
        FailureKind::Timeout => "timeout",
        FailureKind::ToolingError => "tools",
        FailureKind::TestFailure | FailureKind::RuntimeError | FailureKind::Unknown => "run",
    }
}
