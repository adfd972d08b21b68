//! The fingerprint of a failure: the same for the same cause, different for different ones.

use redgreen_model::report::Failure;

use crate::identity::digest;
use crate::place::Places;

/// The version of the algorithm, in front of every fingerprint.
const VERSION: &str = "v1";

/// The fingerprint of a failure.
pub(crate) fn fingerprint(failure: &Failure, _places: Places<'_>) -> String {
    let place = failure.location.as_ref().map(|place| (&place.file, &place.function));
    let text = format!("{}\n{}\n{}\n{place:?}", failure.kind, failure.error_type, failure.message);
    format!("{VERSION}:{:016x}", digest(&text))
}
