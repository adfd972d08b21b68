//! What sort of thing went wrong, decided by what happened; by words last.

mod class;

pub(crate) use class::error_class;
