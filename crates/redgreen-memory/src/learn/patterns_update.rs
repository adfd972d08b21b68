//! What a loop changed in the file of patterns, written into it: the other entries stay as they are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::habits_seen::habits_seen;
use super::pattern::pattern_of;
use super::patterns_file::{entry, habit_entry, is_general, is_worth_writing, written};
use crate::file::{Stamp, write_whole};
use crate::habits::Habit;
use crate::index::{Effort, Index, PatternsBacklog};
use crate::{Memory, MemoryError};

/// With more news than that, all of it is written.
const NEWS_MAX: usize = 1_000;

/// New entries by their ids; none for one that is no longer worth writing.
type News = BTreeMap<String, Option<String>>;

impl Memory {
    /// Writes into the file of patterns what changed since it was written, or all of it where that is not known: the
    /// same bytes as [`write_patterns`](Self::write_patterns) writes, without a look at everything. Whether it says
    /// something else than before.
    pub fn update_patterns(&mut self) -> Result<bool, MemoryError> {
        let taken = self.ask(Effort::Quick, Index::take_unwritten)?;
        let path = self.layout.patterns();
        let here = Stamp::at(&path);
        if here.is_none() || taken.of != here || taken.causes.len() > NEWS_MAX {
            return self.write_patterns().map(|file| file.changed);
        }
        let news = self.news(&taken)?;
        let changed = !news.is_empty()
            && match self.with_news(&path, &news)? {
                Some(changed) => changed,
                None => return self.write_patterns().map(|file| file.changed),
            };
        let file = Stamp::at(&path);
        self.ask(Effort::Quick, |index| index.wrote_patterns(&taken, file))?;
        Ok(changed)
    }

    /// Puts the news into the file, and says whether it changed; none if it is not as we write it.
    fn with_news(&self, path: &Path, news: &News) -> Result<Option<bool>, MemoryError> {
        let Some(before) = fs::read_to_string(path).ok() else { return Ok(None) };
        let Some(text) = spliced(&before, news) else { return Ok(None) };
        let changed = text != before;
        if changed {
            write_whole(&self.layout, path, text.as_bytes())?;
        }
        Ok(Some(changed))
    }

    fn news(&mut self, taken: &PatternsBacklog) -> Result<News, MemoryError> {
        let (patterns, habits) = self.ask(Effort::Quick, |index| {
            let mut patterns = Vec::new();
            for cause in &taken.causes {
                patterns.extend(pattern_of(&index.connection, *cause)?);
            }
            Ok((patterns, habits_seen(&index.connection)?))
        })?;
        let mut news = News::new();
        let block = |entry: Value| -> Result<Option<String>, MemoryError> {
            let text = written(&[entry]).map_err(|reason| MemoryError::Patterns { reason })?;
            Ok(text.split_once(LIST).map(|(_, block)| block.to_owned()))
        };
        // There are few, and each may come from any cause; one that is none any more goes.
        for habit in Habit::all() {
            let seen = habits.iter().find(|it| it.habit == habit && is_general(it));
            news.insert(habit.id(), seen.map(habit_entry).map(block).transpose()?.flatten());
        }
        for pattern in patterns {
            let written = is_worth_writing(&pattern).then(|| block(entry(&pattern)));
            news.insert(pattern.id, written.transpose()?.flatten());
        }
        Ok(news)
    }
}

/// What stands before the entries.
const LIST: &str = "\npatterns:\n";
/// What an entry begins with, and what names it.
const ENTRY: &str = "- ";
const ID: &str = "pattern_id:";

/// The file with the news in it, in the order of the ids; none if it is not as we write it.
fn spliced(before: &str, news: &News) -> Option<String> {
    let (head, list) = before.split_once(LIST)?;
    let mut text = String::with_capacity(before.len() + list.len() / 8);
    text.push_str(head);
    text.push_str(LIST);
    let beginning = text.len();
    let mut left = news.iter().peekable();
    for block in blocks(list)? {
        let id = id_in(block);
        while let Some((_, new)) = left.next_if(|(new, _)| new.as_str() <= id) {
            text.extend(new.as_deref());
        }
        if !news.contains_key(id) {
            text.push_str(block);
        }
    }
    text.extend(left.filter_map(|(_, new)| new.as_deref()));
    // A list of nothing is written in another way.
    (text.len() > beginning).then_some(text)
}

/// The entries of the list; none if something stands before the first.
fn blocks(list: &str) -> Option<Vec<&str>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    let mut position = 0;
    for line in list.split_inclusive('\n') {
        if line.starts_with(ENTRY) && position > 0 {
            blocks.push(&list[start..position]);
            start = position;
        }
        position += line.len();
    }
    blocks.push(&list[start..]);
    list.starts_with(ENTRY).then_some(blocks)
}

/// What an entry is called; ours are never in quotes.
fn id_in(block: &str) -> &str {
    let keys = block.lines().map(|line| line.strip_prefix(ENTRY).or(line.strip_prefix("  ")));
    let id = keys.flatten().find_map(|line| line.strip_prefix(ID)).unwrap_or_default();
    id.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# Made\npatterns:\n- pattern_id: a\n  fix_template: |\n    - pattern_id: rg-2\n    -x\n- occurrences: 2\n  pattern_id: \"rg-1\"\n- pattern_id: rg-3\n";

    fn news(all: &[(&str, Option<&str>)]) -> News {
        all.iter().map(|(id, text)| ((*id).to_owned(), text.map(str::to_owned))).collect()
    }

    #[test]
    fn news_take_their_place_and_the_rest_stays() {
        assert_eq!(spliced(FILE, &news(&[])).as_deref(), Some(FILE));
        let two = "- pattern_id: rg-2\n  new: 1\n";
        let four = "- pattern_id: rg-4\n";
        let text = spliced(
            FILE,
            &news(&[("rg-1", None), ("rg-2", Some(two)), ("rg-4", Some(four)), ("rg-9", None)]),
        )
        .expect("a file");
        let wanted = FILE.replace("- occurrences: 2\n  pattern_id: \"rg-1\"\n", two) + four;
        assert_eq!(text, wanted);
        let again = news(&[("rg-2", Some("- pattern_id: rg-2\n"))]);
        let text = spliced(&text, &again).expect("a file");
        assert!(!text.contains("new: 1"), "{text}");
    }

    #[test]
    fn what_we_did_not_write_is_left_to_be_written_anew() {
        for file in ["", "patterns:\n- a: 1\n", "#\npatterns: []\n", "#\npatterns:\n  - a: 1\n"] {
            assert_eq!(spliced(file, &news(&[])), None, "{file}");
        }
        assert_eq!(spliced("#\npatterns:\n- pattern_id: rg-1\n", &news(&[("rg-1", None)])), None);
    }
}
