//! Habits: the same mistake, made and mended in the same way in more than one place.
//!
//! A cause is one failure in one function. What it has in common with others is what sort of expression failed (by
//! the error and what it says) and what shape the edit had that helped (by its lines). Where both are known, there is
//! one sentence that would have prevented it.

mod shape;

use redgreen_model::debug_memory::{Failure, FixApplied, RootCauseCategory};
use redgreen_model::diff::{Focus, Line, Side, lines};
use serde::Serialize;

use crate::cause::{digest, error_name, first_line};
use shape::Shape;

/// What was mended, and how; the numbers are in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Habit {
    /// Something was used that was not there.
    MissingValue = 1,
    /// Something was divided by nothing.
    Division = 2,
    /// There was no element at that place.
    Index = 3,
    /// There was no such key.
    Key = 4,
    /// A text was no number.
    Conversion = 5,
    /// A name was used that nobody brought.
    Name = 6,
    /// Values of two types were joined.
    Types = 7,
    /// Something asynchronous was taken for its result.
    Await = 8,
    /// One too many or too few.
    OffByOne = 9,
    /// A file was not there.
    File = 10,
}

/// A row of the table of habits.
struct Row {
    habit: Habit,
    /// What is wrong, in a few words.
    name: &'static str,
    /// What would have prevented it.
    advice: &'static str,
    category: RootCauseCategory,
    /// Words of errors that say it, in lower case: `name: first line`.
    says: &'static [&'static str],
    /// The edits that mend it.
    shapes: &'static [Shape],
}

const TABLE: &[Row] = &[
    Row {
        habit: Habit::MissingValue,
        name: "a value that may be missing is used without a check",
        advice: "check for null (None, undefined, nil) before you use a value that may be missing",
        category: RootCauseCategory::NullUndefinedAccess,
        says: &[
            "nonetype",
            "of null",
            "of undefined",
            "is null",
            "is undefined",
            "null pointer",
            "nullpointer",
            "nil pointer",
            "for nil",
            "on a `none` value",
        ],
        shapes: &[Shape::Guard, Shape::Default],
    },
    Row {
        habit: Habit::Division,
        name: "something is divided by what may be zero",
        advice: "check for zero (and for an empty list) before you divide",
        category: RootCauseCategory::MissingValidation,
        says: &["zerodivision", "division by zero", "divide by zero", "/ by zero", "divided by 0"],
        shapes: &[Shape::Guard, Shape::Default],
    },
    Row {
        habit: Habit::Index,
        name: "an element is taken that may not be there",
        advice: "check the length (and for an empty list) before you take an element",
        category: RootCauseCategory::MissingValidation,
        says: &["indexerror", "index out of", "out of range", "out of bounds", "outofbounds"],
        shapes: &[Shape::Guard, Shape::Default],
    },
    Row {
        habit: Habit::Key,
        name: "a key is looked up that may not be there",
        advice: "check that a key is there before you look it up, or look it up with a default",
        category: RootCauseCategory::MissingValidation,
        says: &["keyerror", "key not found", "nosuchelement", "no such key"],
        shapes: &[Shape::Guard, Shape::Default],
    },
    Row {
        habit: Habit::Conversion,
        name: "text is converted that may be no number",
        advice: "check text before you convert it, and say what becomes of text that is no number",
        category: RootCauseCategory::MissingValidation,
        says: &[
            "invalid literal",
            "could not convert",
            "numberformat",
            "invalid digit",
            "parseint",
            "strconv.",
        ],
        shapes: &[Shape::Guard, Shape::Catch, Shape::Default],
    },
    Row {
        habit: Habit::Name,
        name: "a name is used that nobody imported",
        advice: "import every name that you use",
        category: RootCauseCategory::DependencyIssue,
        says: &["nameerror", "is not defined", "undefined: ", "cannot find"],
        shapes: &[Shape::Import],
    },
    Row {
        habit: Habit::Types,
        name: "values of two types are joined",
        advice: "convert values to one type before you join or calculate with them",
        category: RootCauseCategory::TypeMismatch,
        says: &["unsupported operand", "can only concatenate", "must be str", "mismatched types"],
        shapes: &[Shape::Convert],
    },
    Row {
        habit: Habit::Await,
        name: "a promise is taken for its result",
        advice: "await what is asynchronous before you use its result",
        category: RootCauseCategory::ApiMisuse,
        says: &["coroutine", "promise"],
        shapes: &[Shape::Await],
    },
    Row {
        habit: Habit::File,
        name: "a file is opened that may not be there",
        advice: "check that a file is there before you open it, or say what happens if it is not",
        category: RootCauseCategory::MissingErrorHandling,
        says: &["filenotfound", "enoent", "no such file"],
        shapes: &[Shape::Guard, Shape::Catch],
    },
    // Whatever it says: the edit tells it.
    Row {
        habit: Habit::OffByOne,
        name: "one too many or too few",
        advice: "check both ends of ranges and comparisons: one too many or too few",
        category: RootCauseCategory::OffByOne,
        says: &[""],
        shapes: &[Shape::OffByOne],
    },
];

impl Habit {
    /// What an edit mended in a failure, or was meant to; none where one of both is not known.
    pub(crate) fn of(failure: &Failure, fix: &FixApplied) -> Option<Self> {
        let diff = lines(fix.diff.as_deref()?);
        let focus = Focus::default().and(Side::Old, [failure]);
        let near = diff.iter().map(|line| focus.rank(line.file)).min()?;
        // Tests and documents mend nothing.
        let is_near = |line: &&Line<'_>| focus.rank(line.file) == near && near < 4;
        let shapes = shape::shapes(diff.iter().filter(is_near));
        Self::that_say(error_name(failure), &failure.error_message)
            .find(|row| row.shapes.iter().any(|shape| shapes.contains(shape)))
            .map(|row| row.habit)
    }

    /// The habits that an error may come from, by what it says.
    pub(crate) fn saying(error_name: &str, message: &str) -> Vec<Self> {
        let says = Self::that_say(error_name, message);
        says.filter(|row| row.habit != Self::OffByOne).map(|row| row.habit).collect()
    }

    fn that_say(error_name: &str, message: &str) -> impl Iterator<Item = &'static Row> {
        let said = format!("{error_name}: {}", first_line(message)).to_lowercase();
        TABLE.iter().filter(move |row| row.says.iter().any(|words| said.contains(words)))
    }

    /// The habit with a number of the index.
    pub(crate) fn numbered(number: i64) -> Option<Self> {
        TABLE.iter().map(|row| row.habit).find(|habit| *habit as i64 == number)
    }

    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.habit)
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.habit == self)
    }

    /// What is wrong, in a few words.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// What would have prevented it.
    pub fn advice(self) -> &'static str {
        self.row().map_or("", |row| row.advice)
    }

    /// The sort of cause.
    pub fn category(self) -> RootCauseCategory {
        self.row().map_or(RootCauseCategory::Other, |row| row.category)
    }

    /// Its name in the file of patterns, the same in every memory.
    pub fn id(self) -> String {
        format!("rg-{}", digest(format!("habit {self:?}").as_bytes()))
    }

    /// A regular expression that finds errors that may come from it.
    pub fn error_pattern(self) -> String {
        let says = self.row().map_or(&[][..], |row| row.says);
        let all: Vec<String> = says.iter().map(|words| regex_of(words)).collect();
        format!("(?i){}", all.join("|"))
    }
}

fn regex_of(words: &str) -> String {
    words.replace('.', r"\.")
}

#[cfg(test)]
mod tests {
    use redgreen_model::debug_memory::SourceLocation;

    use super::*;

    fn failure(error: &str, message: &str) -> Failure {
        Failure {
            error_name: Some(error.to_owned()),
            error_message: message.to_owned(),
            test_file: Some("tests/test_a.py".to_owned()),
            source_location: Some(SourceLocation {
                file: Some("a.py".to_owned()),
                line: Some(2),
                function: Some("f".to_owned()),
            }),
            ..Failure::default()
        }
    }

    fn habit(error: &str, message: &str, file: &str, changed: &str) -> Option<Habit> {
        let diff = format!("--- a/{file}\n+++ b/{file}\n{changed}");
        Habit::of(
            &failure(error, message),
            &FixApplied { diff: Some(diff), ..FixApplied::default() },
        )
    }

    #[test]
    fn a_habit_is_an_error_and_the_shape_of_what_mended_it() {
        let null = "'NoneType' object has no attribute 'name'";
        for (error, message, changed, wanted) in [
            (
                "AttributeError",
                null,
                "+    if user is None:\n+        return ''\n",
                Some(Habit::MissingValue),
            ),
            (
                "TypeError",
                "Cannot read properties of null (reading 'length')",
                "-  return s.length\n+  return s?.length ?? 0\n",
                Some(Habit::MissingValue),
            ),
            (
                "ZeroDivisionError",
                "division by zero",
                "+    if not values:\n+        return 0\n",
                Some(Habit::Division),
            ),
            (
                "ZeroDivisionError",
                "division by zero",
                "-    return a / n\n+    return a / n if n else 0\n",
                Some(Habit::Division),
            ),
            (
                "panic",
                "attempt to divide by zero",
                "+    if n == 0 { return 0; }\n",
                Some(Habit::Division),
            ),
            (
                "panic",
                "runtime error: index out of range [3] with length 3",
                "+\tif len(xs) == 0 {\n+\t\treturn 0\n+\t}\n",
                Some(Habit::Index),
            ),
            ("KeyError", "'a'", "-    return d[k]\n+    return d.get(k, 0)\n", Some(Habit::Key)),
            (
                "ValueError",
                "invalid literal for int() with base 10: 'x'",
                "+    try:\n+        return int(x)\n+    except ValueError:\n+        return 0\n",
                Some(Habit::Conversion),
            ),
            ("NameError", "name 'json' is not defined", "+import json\n", Some(Habit::Name)),
            (
                "TypeError",
                "can only concatenate str (not \"int\") to str",
                "-    return a + b\n+    return a + str(b)\n",
                Some(Habit::Types),
            ),
            (
                "AssertionError",
                "assert [1, 2] == [1, 2, 3]",
                "-    return range(1, n)\n+    return range(1, n + 1)\n",
                Some(Habit::OffByOne),
            ),
            (
                "AssertionError",
                "assert False",
                "-    return a < b\n+    return a <= b\n",
                Some(Habit::OffByOne),
            ),
            // Another operator is a mistake of its own, and so is whatever was written anew.
            ("AssertionError", "assert 8 == 2", "-    return a * b\n+    return a - b\n", None),
            (
                "ZeroDivisionError",
                "division by zero",
                "-    return a / b\n+    return b / a\n",
                None,
            ),
        ] {
            assert_eq!(habit(error, message, "a.py", changed), wanted, "{error}: {changed}");
        }
        let guard = "+    if not values:\n+        return 0\n";
        assert_eq!(habit("ZeroDivisionError", "", "tests/test_a.py", guard), None, "a test");
        let rewritten = guard.repeat(20);
        assert_eq!(habit("ZeroDivisionError", "", "a.py", &rewritten), None, "all of it");
    }

    #[test]
    fn every_habit_has_a_row_and_a_number_of_its_own() {
        for row in TABLE {
            assert_eq!(Habit::numbered(row.habit as i64), Some(row.habit));
            assert!(!row.habit.advice().is_empty() && !row.shapes.is_empty());
        }
    }
}
