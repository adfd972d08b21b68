//! `redgreen declare --untested`: changed code that needs no test.

use redgreen_model::coverage::ChangedFunction;
use redgreen_model::square::Declaration;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_runner::square::{self, Declarations};

use crate::display;
use crate::failure::{Ending, Failure};

/// Declares everything that changed at a place.
pub(super) fn declare(
    kept: Declarations<'_>,
    place: &str,
    changed: &[ChangedFunction],
    (reason, by): (&str, &str),
) -> Result<Ending, Failure> {
    if changed.is_empty() {
        return Err(Failure::usage(format!(
            "no code that runs has changed at {}; name a place as redgreen does: src/cart.py:12-14, or a whole file",
            clean_line(place, LINE_CHARS)
        )));
    }
    for function in changed {
        let declaration = Declaration {
            test: function.file.clone(),
            change: function.change.clone(),
            reason: clean_line(reason, LINE_CHARS),
            by: by.to_owned(),
            at: redgreen_runner::now(),
        };
        square::declare(kept, &declaration)?;
        let name = match function.function.as_str() {
            "" => "what is outside of functions".to_owned(),
            name => clean_line(name, LINE_CHARS),
        };
        display::result(&format!(
            "declared as untested: {name} in {}",
            clean_line(&function.file, LINE_CHARS)
        ));
    }
    Ok(Ending::Green)
}
