//! Python's unittest, through its runner: every run of a `TextTestRunner` writes the report stream.
//! So `python -m unittest`, `unittest.main()` and Django's `manage.py test` report without a change.
//! The workflow document has no name for it: it is served as `other`.
//!
//! Limits: those of [`crate::python`], and runners that are not `TextTestRunner`s.

mod address;
mod sides;

use crate::adapter::{Injection, InjectionRequest};
use crate::python;

pub(crate) use address::address;
pub(crate) use sides::rules as sides;

const LISTENER: (&str, &str) = ("redgreen_unittest.py", include_str!("redgreen_unittest.py"));

/// What makes unittest report.
pub(crate) fn inject(request: &InjectionRequest<'_>) -> Injection {
    python::inject(request, LISTENER)
}
