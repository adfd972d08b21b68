//! Every loop and gated session of this person, in all projects, at a glance.
//!
//! Each session keeps a card outside of any work tree (`register.rs`): a small file, written anew as things happen. Whoever lists
//! sessions reads the cards and no journal, and whoever follows them watches one folder. A card is for looking at: nothing is
//! judged, resumed or signed by what is on it.

mod card;
pub(crate) mod register;
mod strip;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::layout::home_state;
use crate::people;
use redgreen_files::{open_regular, read_at_most};

use redgreen_model::report::TestOutcome;

pub use card::{Card, Doing, Maker, Standing, Tests};

/// The tests of a run as a short strip: a letter for each or for some of them, `g`, `r` or `s`.
pub fn strip(outcomes: impl Iterator<Item = TestOutcome>) -> String {
    let mut strip = strip::Strip::default();
    outcomes.for_each(|outcome| strip.push(outcome));
    strip.text()
}

/// The folder of the cards.
const CARDS: &str = "overview";
/// How a card's file ends.
const ENDING: &str = "json";
/// The most bytes of a card: what is longer is none.
const CARD_BYTES_MAX: u64 = 64 * 1024;
/// How many cards are kept; the oldest are removed.
const CARDS_KEPT: usize = 2_000;

/// The folder with the cards; none where there is no place for them.
pub fn folder() -> Option<PathBuf> {
    home_state().map(|folder| folder.join(CARDS))
}

/// What is known of all sessions, read once and then followed by their files' stamps.
#[derive(Debug, Default)]
pub struct Overview {
    cards: BTreeMap<String, Kept>,
    waiting: BTreeSet<String>,
    /// When a case was written last.
    cases_at: Option<SystemTime>,
}

#[derive(Debug)]
struct Kept {
    stamp: Stamp,
    /// None where it cannot be read, or its session is gone.
    card: Option<Card>,
}

/// What tells one state of a file from another: a card is never written in place.
type Stamp = (Option<SystemTime>, u64);

impl Overview {
    /// Reads what changed since the last time, and says which sessions that was.
    pub fn refresh(&mut self) -> BTreeSet<String> {
        let mut changed = self.refresh_waiting();
        let Some(folder) = folder() else { return changed };
        let mut there = BTreeSet::new();
        for (name, path, stamp) in files(&folder) {
            there.insert(name.clone());
            if self.cards.get(&name).is_some_and(|kept| kept.stamp == stamp) {
                continue;
            }
            changed.insert(name.clone());
            self.cards.insert(name, Kept { stamp, card: read(&path) });
        }
        let gone = self.cards.extract_if(.., |name, _| !there.contains(name));
        changed.extend(gone.map(|(name, _)| name));
        changed
    }

    /// Reads what waits for a person, if a case was written since the last time.
    fn refresh_waiting(&mut self) -> BTreeSet<String> {
        let written = || fs::metadata(people::folder()?).ok()?.modified().ok();
        let now = written();
        if now == self.cases_at {
            return BTreeSet::new();
        }
        self.cases_at = now;
        let before = std::mem::replace(&mut self.waiting, waiting());
        before.symmetric_difference(&self.waiting).cloned().collect()
    }

    /// All cards, the newest session first: their ids begin with the time.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        self.cards.values().rev().filter_map(|kept| kept.card.as_ref())
    }

    /// A session's card.
    pub fn card(&self, session: &str) -> Option<&Card> {
        self.cards.get(session)?.card.as_ref()
    }

    /// Whether a person has to say something to a session.
    pub fn waits_for_a_person(&self, session: &str) -> bool {
        self.waiting.contains(session)
    }

    /// How a session stands.
    pub fn standing(&self, card: &Card) -> Standing {
        card.standing(self.waits_for_a_person(&card.session))
    }
}

/// The sessions with something in the inbox that nobody has answered.
fn waiting() -> BTreeSet<String> {
    let cases = people::outbox().map(|outbox| outbox.cases()).unwrap_or_default();
    cases.into_iter().filter(people::Case::is_open).map(|case| case.escalation.session).collect()
}

/// The cards' files, with the sessions that they are of.
fn files(folder: &Path) -> impl Iterator<Item = (String, PathBuf, Stamp)> {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
        let path = entry.path();
        let name = session_of(&path)?;
        let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((name, path, (found.modified().ok(), found.len())))
    })
}

/// The session that a file is the card of; a draft of one is none.
fn session_of(path: &Path) -> Option<String> {
    let is_card = path.extension().is_some_and(|ending| ending == ENDING);
    let name = path.file_stem()?.to_str().filter(|name| is_card && !name.starts_with('.'))?;
    Some(name.to_owned())
}

/// A card; none of a session that was removed, maybe together with its project.
fn read(path: &Path) -> Option<Card> {
    let file = open_regular(path).ok()??.file;
    let bytes = read_at_most(file, CARD_BYTES_MAX).ok()??;
    let card = serde_json::from_slice::<Card>(&bytes).ok()?;
    (card.is_known() && card.folder().path().is_dir()).then_some(card)
}

/// Removes a session's card.
pub(crate) fn forget(session: &str) {
    let path = folder().map(|folder| folder.join(session).with_extension(ENDING));
    let _ = path.map(fs::remove_file);
}

/// Removes the oldest cards where there are too many.
fn forget_old(folder: &Path) {
    let mut paths: Vec<PathBuf> = files(folder).map(|(_, path, _)| path).collect();
    paths.sort_unstable();
    let surplus = paths.len().saturating_sub(CARDS_KEPT);
    for path in paths.into_iter().take(surplus) {
        let _ = fs::remove_file(path);
    }
}
