//! Tests that got another name together with the functions that they call.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::likeness::{asserts, moved};
use super::{Matching, Outlined, Placed, key, last};
use crate::outline::TestItem;
use redgreen_model::text::BLOCK_CHARS;

impl<'a> Matching<'a> {
    /// Tests that are the same word for word, but for their own name and for functions that no test calls any more or
    /// none called before; in the same file first.
    pub(super) fn pair_renamed_with_their_code(&mut self) {
        let (gone, came) =
            (calls_only_in(&self.old, &self.new), calls_only_in(&self.new, &self.old));
        if gone.is_empty() || came.is_empty() {
            return;
        }
        let places: [fn(&Placed<'a>) -> &'a str; 2] = [|it| it.file, |_| ""];
        for place in places {
            let mut by_content: HashMap<String, VecDeque<Placed<'a>>> = HashMap::new();
            for new in self.open_new() {
                if let Some(content) = without_names(&new, &came) {
                    by_content.entry(key(&[place(&new), &content])).or_default().push_back(new);
                }
            }
            for old in self.open_old() {
                let content = without_names(&old, &gone);
                let new = content
                    .and_then(|it| by_content.get_mut(&key(&[place(&old), &it]))?.pop_front());
                if let Some(new) = new {
                    self.take(old.at, new.at, moved(old.file, new.file));
                }
            }
        }
    }
}

/// What these files declare under another name than before, with the same tokens but for the name: each old name with the
/// new one. A name that is still declared is none that was given up, and one that was there before is none that is new.
#[must_use]
pub fn renamed_code(old: &[Outlined], new: &[Outlined]) -> BTreeMap<String, String> {
    let items = |files: &'_ [Outlined]| -> Vec<(String, String)> {
        let all = files.iter().flat_map(|file| &file.outline.helpers);
        all.map(|item| (item.name.clone(), item.shape.clone())).collect()
    };
    let (old, new) = (items(old), items(new));
    let names = |items: &[(String, String)]| -> BTreeSet<String> {
        items.iter().map(|(name, _)| name.clone()).collect()
    };
    let (before, after) = (names(&old), names(&new));
    let gone: Vec<_> = old.iter().filter(|(name, _)| !after.contains(name)).collect();
    let mut came: Vec<_> = new.iter().filter(|(name, _)| !before.contains(name)).collect();
    let mut renames = BTreeMap::new();
    for (name, shape) in gone {
        if let Some(at) = came.iter().position(|(_, other)| other == shape) {
            renames.insert(name.clone(), came.swap_remove(at).0.clone());
        }
    }
    renames
}

/// Whether a test is the same word for word, but for its own name and these of code.
#[must_use]
pub fn follows_rename(old: &TestItem, new: &TestItem, renames: &BTreeMap<String, String>) -> bool {
    if renames.is_empty() || old.text.chars().count().max(new.text.chars().count()) >= BLOCK_CHARS {
        return false;
    }
    let name = |test: &TestItem| test.path.last().cloned().unwrap_or_default();
    let before = old.text.replacen(&name(old), "\0", 1);
    let after = new.text.replacen(&name(new), "\0", 1);
    let said = words(&before).map(|word| renames.get(word).map_or(word, String::as_str));
    said.eq(words(&after))
}

/// The functions that these tests call and the others do not.
fn calls_only_in<'a>(these: &[Placed<'a>], others: &[Placed<'a>]) -> BTreeSet<&'a str> {
    let calls = |tests: &[Placed<'a>]| -> BTreeSet<&'a str> {
        tests.iter().flat_map(|it| &it.test.calls).map(String::as_str).collect()
    };
    let others = calls(others);
    calls(these).into_iter().filter(|call| !others.contains(call) && !asserts(call)).collect()
}

/// The words of a test with numbers instead of these functions; none for one that calls none of them, or that is not
/// known whole.
fn without_names(placed: &Placed<'_>, functions: &BTreeSet<&str>) -> Option<String> {
    let text = &placed.test.text;
    if text.chars().count() >= BLOCK_CHARS {
        return None;
    }
    let text = text.replacen(last(placed.test), "\0", 1);
    let mut renamed: Vec<&str> = Vec::new();
    let mut content = String::new();
    for word in words(&text) {
        match functions.contains(word) {
            false => content.push_str(word),
            true => {
                let known = renamed.iter().position(|it| *it == word);
                let number = known.unwrap_or_else(|| {
                    renamed.push(word);
                    renamed.len() - 1
                });
                content.push_str(&format!("\u{1}{number}"));
            }
        }
        content.push(' ');
    }
    (!renamed.is_empty()).then_some(content)
}

/// Names and numbers whole, all else letter by letter, without layout.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match is_part(first) {
            true => rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}
