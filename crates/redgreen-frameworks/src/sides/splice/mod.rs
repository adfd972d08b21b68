//! Mixed files, taken apart and put together again, byte for byte.
//!
//! A format reads a text as a [`Group`] of pieces (entries of an object, tables, elements), each of
//! which is code, judges, or is a group again. The text is nothing but its pieces in their order, so
//! what is not touched stays as it was written. [`merged`] takes the code of one and what judges of
//! the other:
//!
//! - a piece that judges in both is replaced where it stands; if both mean the same, it stays as the
//!   code's file writes it, so that layout alone is no difference;
//! - one that only the other has is put behind the piece that it stands behind there;
//! - a group in which everything judges, judges itself.
//!
//! So a text merged with itself is that text, and what was taken out goes back where it was.

pub(crate) mod braces;
pub(crate) mod ini;
pub(crate) mod json;
pub(crate) mod make;
pub(crate) mod toml;
pub(crate) mod xml;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

/// What a part of a mixed file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judges {
    /// It is code.
    No,
    /// It judges.
    Yes,
    /// The other side's counts where there is one, and one that only the code has stays: a dependency
    /// that was added.
    Or,
    /// Some of what is in it does.
    Partly,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// What it is known by among its neighbours.
    pub(crate) key: String,
    pub(crate) body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Code(String),
    Tests(Words),
    Group(Group),
}

impl Body {
    /// A text that cannot be taken apart further.
    pub(crate) fn whole(judges: Judges, text: String, meaning: impl FnOnce() -> String) -> Self {
        match judges {
            Judges::No => Self::Code(text),
            _ => {
                let stays = judges == Judges::Or;
                Self::Tests(Words { text, meaning: meaning(), stays })
            }
        }
    }
}

/// A piece that judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// With all that is around it: comments, blanks.
    pub(crate) text: String,
    /// What it says, whatever its layout.
    pub(crate) meaning: String,
    /// Whether one that only the code has stays.
    pub(crate) stays: bool,
}

/// Pieces between two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) open: String,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) close: String,
    /// What is between two pieces.
    pub(crate) between: &'static str,
    /// Whether pieces that judge can be there without the code that is around them.
    pub(crate) alone: bool,
}

impl Group {
    /// A group of these pieces. Keys that come again get a number.
    pub(crate) fn new(pieces: Vec<(String, Body)>, between: &'static str) -> Self {
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        let numbered = |(key, body): (String, Body)| {
            let count = seen.entry(key.clone()).or_default();
            *count += 1;
            let key = if *count == 1 { key } else { format!("{key}\0{count}") };
            Piece { key, body }
        };
        let pieces = pieces.into_iter().map(numbered).collect();
        Self { pieces, between, alone: true, ..Self::default() }
    }

    /// The same between two texts.
    pub(crate) fn around(self, open: impl Into<String>, close: impl Into<String>) -> Self {
        Self { open: open.into(), close: close.into(), ..self }
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        text.push_str(&self.open);
        for (index, piece) in self.pieces.iter().enumerate() {
            match self.between {
                // A format of lines: the last one of a text may have no end.
                "\n" if !(text.is_empty() || text.ends_with('\n')) => text.push('\n'),
                "\n" => {}
                between if index > 0 => text.push_str(between),
                _ => {}
            }
            match &piece.body {
                Body::Code(code) => text.push_str(code),
                Body::Tests(words) => text.push_str(&words.text),
                Body::Group(group) => group.write(text),
            }
        }
        text.push_str(&self.close);
    }

    /// What of it judges; none where nothing does, or cannot be without the rest.
    fn tests_only(&self) -> Option<Self> {
        let kept = |piece: &Piece| match &piece.body {
            Body::Code(_) => None,
            Body::Tests(_) => Some(piece.clone()),
            Body::Group(group) => {
                Some(Piece { key: piece.key.clone(), body: Body::Group(group.tests_only()?) })
            }
        };
        let pieces: Vec<Piece> = self.pieces.iter().filter_map(kept).collect();
        (self.alone && !pieces.is_empty()).then(|| self.with(pieces))
    }

    /// What of it is code; none where all of it judges.
    fn code_only(&self) -> Option<Self> {
        let kept = |piece: &Piece| match &piece.body {
            Body::Code(_) => Some(piece.clone()),
            Body::Tests(words) => words.stays.then(|| piece.clone()),
            Body::Group(group) => {
                Some(Piece { key: piece.key.clone(), body: Body::Group(group.code_only()?) })
            }
        };
        let pieces: Vec<Piece> = self.pieces.iter().filter_map(kept).collect();
        (self.pieces.is_empty() || !pieces.is_empty()).then(|| self.with(pieces))
    }

    fn with(&self, pieces: Vec<Piece>) -> Self {
        let Self { open, close, between, alone, .. } = self;
        let (open, close) = (open.clone(), close.clone());
        Self { open, pieces, close, between, alone: *alone }
    }
}

/// The code of the first with what judges of the second; none where nothing is left.
pub(crate) fn merged(code: Option<&Group>, tests: Option<&Group>) -> Option<Group> {
    match (code, tests) {
        (Some(code), Some(tests)) => Some(code.with(merged_pieces(code, tests))),
        (Some(code), None) => code.code_only(),
        (None, Some(tests)) => tests.tests_only(),
        (None, None) => None,
    }
}

fn merged_pieces(code: &Group, tests: &Group) -> Vec<Piece> {
    let theirs: BTreeMap<&str, &Piece> =
        tests.pieces.iter().map(|piece| (piece.key.as_str(), piece)).collect();
    let ours: BTreeMap<&str, usize> =
        code.pieces.iter().enumerate().map(|(at, piece)| (piece.key.as_str(), at)).collect();
    let kept: Vec<Option<Piece>> = code
        .pieces
        .iter()
        .map(|piece| merged_piece(piece, theirs.get(piece.key.as_str()).copied()))
        .collect();
    // Behind which of the code's pieces each of the others goes: 0 for the beginning.
    let mut behind: Vec<Vec<Piece>> = vec![Vec::new(); code.pieces.len() + 1];
    let mut place = 0;
    for piece in &tests.pieces {
        match ours.get(piece.key.as_str()) {
            Some(at) if kept.get(*at).is_some_and(Option::is_some) => place = at + 1,
            Some(_) => {}
            None => {
                let brought = match &piece.body {
                    Body::Code(_) => None,
                    Body::Tests(_) => Some(piece.clone()),
                    Body::Group(group) => group
                        .tests_only()
                        .map(|group| Piece { key: piece.key.clone(), body: Body::Group(group) }),
                };
                if let Some(bucket) = behind.get_mut(place) {
                    bucket.extend(brought);
                }
            }
        }
    }
    let mut behind = behind.into_iter();
    let mut pieces: Vec<Piece> = behind.next().unwrap_or_default();
    for (piece, after) in kept.into_iter().zip(behind) {
        pieces.extend(piece);
        pieces.extend(after);
    }
    pieces
}

/// A piece of the code's text, with the piece of the same key in the other.
fn merged_piece(code: &Piece, tests: Option<&Piece>) -> Option<Piece> {
    let body = match (&code.body, tests.map(|piece| &piece.body)) {
        (Body::Code(_), _) => return Some(code.clone()),
        (Body::Tests(ours), Some(Body::Tests(theirs))) => {
            let same = ours.meaning == theirs.meaning;
            Body::Tests(if same { ours.clone() } else { theirs.clone() })
        }
        (Body::Tests(words), _) => return words.stays.then(|| code.clone()),
        (Body::Group(ours), Some(Body::Group(theirs))) => {
            Body::Group(merged(Some(ours), Some(theirs))?)
        }
        (Body::Group(ours), _) => Body::Group(merged(Some(ours), None)?),
    };
    Some(Piece { key: code.key.clone(), body })
}

/// Splices two texts of a format.
pub(crate) fn spliced(
    read: impl Fn(&str) -> Result<Group, String>,
    code: Option<&str>,
    tests: Option<&str>,
) -> Result<Option<String>, String> {
    let said = |text: &str| !text.trim().is_empty();
    let empty = code.is_some_and(|code| !said(code));
    let code = code.map(&read).transpose().map_err(|why| format!("the code's: {why}"))?;
    let tests = tests.map(&read).transpose().map_err(|why| format!("the tests': {why}"))?;
    let merged = merged(code.as_ref(), tests.as_ref()).map(|group| group.text());
    // A file of which nothing is left is not there, unless it said nothing anyway.
    Ok(merged.filter(|text| empty || said(text)))
}
