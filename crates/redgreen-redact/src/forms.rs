//! The table of secrets: how each begins, how its end is found, an example and a near miss.

mod commands;
mod made;
mod named;

use std::ops::Range;

use super::look::Look;
use super::search::Secret;

/// Finds the secret that a beginning at these bytes is the beginning of.
pub(super) type Find = fn(&mut Look<'_>, Range<usize>) -> Option<Secret>;

/// A form of secret. In what it is shown with, `{40}` stands for 40 letters and digits and `{U16}` for
/// capitals and digits: this file would otherwise be taken for one full of secrets.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// The word with which it begins, in any case; none is within another.
    pub(super) beginning: &'static str,
    pub(super) find: Find,
    /// One, and what it becomes.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test of the table"))]
    pub(super) example: (&'static str, &'static str),
    /// What looks like one and stays.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test of the table"))]
    pub(super) near_miss: &'static str,
}

const fn form(
    beginning: &'static str,
    find: Find,
    example: (&'static str, &'static str),
    near_miss: &'static str,
) -> Form {
    Form { beginning, find, example, near_miss }
}

/// Every form that is known.
pub(super) const FORMS: &[Form] = &joined::<COUNT>(&[made::FORMS, named::FORMS, commands::FORMS]);
const COUNT: usize = made::FORMS.len() + named::FORMS.len() + commands::FORMS.len();

const fn joined<const COUNT: usize>(tables: &[&[Form]]) -> [Form; COUNT] {
    let mut all = [made::FORMS[0]; COUNT];
    let (mut table, mut row, mut place) = (0, 0, 0);
    while table < tables.len() {
        if row == tables[table].len() {
            table += 1;
            row = 0;
            continue;
        }
        all[place] = tables[table][row];
        place += 1;
        row += 1;
    }
    all
}
